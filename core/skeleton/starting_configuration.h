// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/skeleton/skeleton_index.h"

namespace cubist {

/// Where starting values come from. Shipped: the options of a sample, as the operator's code has them.
enum class StartSource : std::uint8_t { Table, CardTemplate, Shipped };
template <>
struct EnumTable<StartSource> {
    static constexpr std::string_view name = "source of starting values";
    static constexpr std::array entries{std::pair{StartSource::Table, std::string_view{"table"}},
                                        std::pair{StartSource::CardTemplate, std::string_view{"card_template"}},
                                        std::pair{StartSource::Shipped, std::string_view{"shipped"}}};
};

/// What became of one row of the table.
struct StartStep {
    std::string setting;  ///< TableSetting::id
    bool changed = false;
    BilingualText note;  ///< what was set, or why nothing was
};

struct StartedDesign {
    Design design;
    std::vector<StartStep> steps;  ///< in the order of the table
};

/// Whether the rules take a changed design: it has no finding that the design before did not have. core/run has one.
using AcceptDesign = std::function<bool(const Design& before, const Design& after)>;

struct StartRequest {
    StartSource source = StartSource::Table;
    const Design* shipped = nullptr;  ///< StartSource::Shipped: the sample
    AcceptDesign accept;              ///< empty: every change is taken
    /// Groups of equal cube subgraphs in one root function: keys of groups that do not exist are left out. Absent: all
    /// keys stay.
    std::optional<std::int64_t> cubeGroups;
};

/// Does the design work on groups: pattern 3, or a loop over a group list?
[[nodiscard]] bool worksOnGroups(const Design& design);

/// The design with a whole starting configuration. The table sets its six options, marks group loops parallel and
/// declares NZ weights as far as `accept` allows; what the table asks of the blocks themselves is reported as it is.
/// The card's template sets three merge settings and the stitch limit; a sample's values are its options.
/// Errors: BadValue (Shipped without a sample).
[[nodiscard]] Result<StartedDesign> applyStartingConfiguration(const Design& design, const StartingTable& table,
                                                               const StartRequest& request);

/// One row of the comparison: what each source says about a setting, and what the design has.
struct ConfigurationRow {
    std::string id;
    SettingLevel level = SettingLevel::Recommended;
    BilingualText remark;
    std::string table, cardTemplate;     ///< empty: the source says nothing about it
    std::optional<std::string> shipped;  ///< absent: no sample
    std::string current;
    bool differs = false;  ///< from the table, for options
};

/// All rows of the table with the values of every source side by side. `shipped` may be null.
[[nodiscard]] std::vector<ConfigurationRow> compareConfigurations(const Design& design, const StartingTable& table,
                                                                  const Design* shipped);

}  // namespace cubist

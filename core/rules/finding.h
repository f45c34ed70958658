// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/ids.h"

namespace cubist {

enum class Severity : std::uint8_t { Error, Warning, Hint };

template <>
struct EnumTable<Severity> {
    static constexpr std::string_view name = "severity";
    static constexpr std::array entries{std::pair{Severity::Error, std::string_view{"error"}},
                                        std::pair{Severity::Warning, std::string_view{"warning"}},
                                        std::pair{Severity::Hint, std::string_view{"hint"}}};
};

/// A change that removes a finding: sets the value at a JSON pointer of the design (as `--set PATH=JSON` does).
/// Only fixes that were tried against all rules are offered.
struct Fix {
    std::string title;    ///< "Set kL0 to 32"
    std::string titleZh;  ///< the same in Simplified Chinese
    struct Step {
        std::string where;  ///< JSON pointer
        std::string json;   ///< new value
        bool operator==(const Step&) const = default;
    };
    std::vector<Step> steps;
    bool operator==(const Fix&) const = default;
};

/// The design breaks a rule. A finding is data, never an error: the design stays usable for everything but running.
struct Finding {
    std::string ruleId;  ///< "CAP-01"
    Severity severity = Severity::Error;
    std::string where;      ///< JSON pointer into the design: "/blocks/0/body/1/tile/k/0"
    BlockId block;          ///< the stage it belongs to; empty: the design as a whole
    std::string message;    ///< one English sentence with the numbers filled in
    std::string messageZh;  ///< the same in Simplified Chinese
    std::optional<double> measured;
    std::optional<double> limit;
    std::string pyptoCode;  ///< what PyPTO itself would say, "F0000C"; empty where none is known
    std::vector<Fix> fixes;
    bool operator==(const Finding&) const = default;
};

}  // namespace cubist

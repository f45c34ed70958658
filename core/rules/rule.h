// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/enum_table.h"
#include "core/design/design_enums.h"
#include "core/rules/finding.h"

namespace cubist {

enum class RuleFamily : std::uint8_t {
    Document,
    Tile,
    Capacity,
    DType,
    Cube,
    Vector,
    TensorShape,
    Loop,
    Group,
    Store,
    Option,
    Structure,
    Block,
    Applicability,
    Coding,
    Performance,
    Value,
    Name,
    Export,
};

template <>
struct EnumTable<RuleFamily> {
    static constexpr std::string_view name = "rule family";
    static constexpr std::array entries{
        std::pair{RuleFamily::Document, std::string_view{"document"}},
        std::pair{RuleFamily::Tile, std::string_view{"cube tile"}},
        std::pair{RuleFamily::Capacity, std::string_view{"buffer capacity"}},
        std::pair{RuleFamily::DType, std::string_view{"data type"}},
        std::pair{RuleFamily::Cube, std::string_view{"cube stage"}},
        std::pair{RuleFamily::Vector, std::string_view{"vector tile"}},
        std::pair{RuleFamily::TensorShape, std::string_view{"shape"}},
        std::pair{RuleFamily::Loop, std::string_view{"loop"}},
        std::pair{RuleFamily::Group, std::string_view{"group list"}},
        std::pair{RuleFamily::Store, std::string_view{"store"}},
        std::pair{RuleFamily::Option, std::string_view{"option"}},
        std::pair{RuleFamily::Structure, std::string_view{"structure"}},
        std::pair{RuleFamily::Block, std::string_view{"block order"}},
        std::pair{RuleFamily::Applicability, std::string_view{"applicability"}},
        std::pair{RuleFamily::Coding, std::string_view{"coding"}},
        std::pair{RuleFamily::Performance, std::string_view{"performance"}},
        std::pair{RuleFamily::Value, std::string_view{"value"}},
        std::pair{RuleFamily::Name, std::string_view{"name"}},
        std::pair{RuleFamily::Export, std::string_view{"PyPTO export"}},
    };
};

/// What is known about a rule without any design. Ids never change their meaning.
struct Rule {
    std::string_view id = {};  ///< "TILE-03"
    RuleFamily family = RuleFamily::Document;
    std::optional<Severity> enforced = {};    ///< under the profile of what the compiler checks; empty: silent
    std::optional<Severity> documented = {};  ///< under the profile of all that is documented; empty: silent
    std::string_view title = {};
    std::string_view titleZh = {};
    std::string_view explanation = {};  ///< why the rule exists and what to do
    std::string_view explanationZh = {};
    std::string_view formula = {};    ///< empty where there is none
    std::string_view source = {};     ///< where the limit comes from
    std::string_view pyptoCode = {};  ///< PyPTO's own error code; empty: none is known
    bool compilerSilent = false;      ///< PyPTO accepts it without a word
    std::string_view formulaId = {};  ///< row of docs/formulas.md; empty where there is none

    [[nodiscard]] std::optional<Severity> severity(RuleProfile profile) const {
        return profile == RuleProfile::Enforced ? enforced : documented;
    }
};

}  // namespace cubist

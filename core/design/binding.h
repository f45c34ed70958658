// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/design/integer_list.h"

namespace cubist {

/// Symbol and list values for one run: the chosen case, then overrides.
struct Binding {
    CaseId caseId;  ///< canonical id; empty when the design has no cases
    Dictionary<std::int64_t> symbols;
    Dictionary<IntegerList> lists;
    std::vector<std::string> givenLists;  ///< those whose values an override gave

    [[nodiscard]] Expression::Lookup lookup() const;
};

/// The case called `name` (an id before an alias; empty: the default case); null when the design has no cases.
/// Errors: UnknownName, BadValue (several cases have the alias).
[[nodiscard]] Result<const Case*> findCase(const Design& design, const std::string& name);

/// Values that replace the case's: symbols and lists.
struct Overrides {
    Dictionary<std::int64_t> symbols;
    Dictionary<std::vector<std::int64_t>> lists;
};

/// Binds a design. `caseName` is an id or alias; empty takes the default case. Overrides win over the case.
/// Errors: DuplicateKey (a symbol, list or case declared twice, a list named like a symbol, an alias that is another
/// case's id), UnknownName (case, symbol, list; candidates in the hint), WrongType (a list where a symbol is, or the
/// other way round), BadValue (symbol below 1; a case with settings of its own, which `designOfCase` has not applied).
[[nodiscard]] Result<Binding> bindWith(const Design& design, const std::string& caseName, const Overrides& overrides);
[[nodiscard]] Result<Binding> bind(const Design& design, const std::string& caseName,
                                   const Dictionary<std::int64_t>& symbols = {});

}  // namespace cubist

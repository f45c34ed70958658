// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"

namespace cubist {

/// Symbol values for one run: the chosen case, then overrides.
struct Binding {
    CaseId caseId;  ///< canonical id; empty when the design has no cases
    Dictionary<std::int64_t> symbols;

    [[nodiscard]] Expression::Lookup lookup() const;
};

/// Binds a design. `caseName` is an id or alias; empty takes the default case. Overrides win over the case.
/// Errors: DuplicateKey (a symbol or case declared twice, an alias that is another case's id), UnknownName (case,
/// symbol; candidates in the hint), BadValue (symbol below 1).
[[nodiscard]] Result<Binding> bind(const Design& design, const std::string& caseName,
                                   const Dictionary<std::int64_t>& overrides = {});

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/exchange/json_value.h"
#include "core/rules/finding.h"

namespace cubist {

/// PyPTO's compiler accepts what the finding is about without a word, and harms the kernel.
[[nodiscard]] bool compilerIsSilent(const Finding& finding);

/// PyPTO's own code, "silent" where its compiler says nothing, empty where neither is known.
[[nodiscard]] std::string compilerText(const Finding& finding);

/// `{"id", "severity", "where", "message"}` with `"pypto"`, `"silent": true` and `"fixes"` where there are such. A fix
/// is
/// `{"title", "edits": [{"path", "value"}]}`: each edit is what `--set PATH=VALUE` takes.
[[nodiscard]] JsonValue findingJson(const Finding& finding);

/// The fixes alone, a list as in `findingJson`.
[[nodiscard]] JsonValue fixesJson(const Finding& finding);

/// One line for each fix: "Set kL0 to 32: --set /blocks/0/tile/k/0=32".
[[nodiscard]] std::vector<std::string> fixTexts(const Finding& finding);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/pypto/import/ast_node.h"
#include "core/exchange/pypto/import/pypto_import.h"

namespace cubist::pypto {

/// What a module says about its kernel.
struct ReadKernel {
    Design design;
    std::vector<ImportNote> notes;
    std::vector<ImportNote> guesses;  ///< values that only the caller of the kernel knows
    std::string record;               ///< the string CUBIST of an export; empty: none
};

/// Recognises the kernel of a module. Errors: Syntax (no function is decorated with pypto.frontend.jit).
[[nodiscard]] Result<ReadKernel> readKernel(const std::vector<AstNode>& module, std::string_view source,
                                            const std::string& name);

}  // namespace cubist::pypto

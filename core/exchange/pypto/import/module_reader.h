// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/pypto/import/kernel_reader.h"
#include "core/exchange/pypto/import/kernel_scope.h"

/// What stands around the body of a kernel: the module's constants, the decorator's options, the parameters.
namespace cubist::pypto {

struct ModuleParts {
    AstNode kernel;
    std::set<std::string> given;                ///< parameters of the host wrapper; empty: there is none
    std::set<std::string> returned;             ///< what the wrapper returns
    std::map<std::string, std::int64_t> lines;  ///< of the kernel's parameters
};

/// Fills chip, options and tensors of the design and the names of the scope. Errors: Syntax (no kernel).
[[nodiscard]] Result<ModuleParts> readModule(const std::vector<AstNode>& module, const std::string& name,
                                             KernelScope& scope, ReadKernel& out);

/// What the body says about the tensors.
struct TensorUses {
    std::set<std::string> read, written;
    std::set<std::string> added;                                        ///< written by adding to what they hold
    std::map<std::pair<std::string, std::size_t>, Expression> lengths;  ///< of axes that only the caller knows
};

/// Roles of tensors, symbols, lists and the skeleton, once the body is known.
void finishDesign(const ModuleParts& parts, const KernelScope& scope, const TensorUses& uses, ReadKernel& out);

/// What a call of jit or set_options (`function`, for notes) says of options and chip.
void takeOptions(const AstNode& call, const std::string& function, Design& design,
                 const std::function<void(const std::string&)>& note);

/// Keywords of set_pass_options and of jit's pass_options.
void takePassOptions(const AstNode& call, Options& options, const std::function<void(const std::string&)>& note);

}  // namespace cubist::pypto

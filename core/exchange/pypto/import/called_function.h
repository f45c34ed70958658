// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/exchange/json_value.h"
#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/function_nodes.h"

/// What is asked of a function of Python (FunctionDef or Lambda) before a call of it is written out.
namespace cubist::pypto {

/// What is the same in every call of a function.
struct CalledFunction {
    std::set<std::string> own;      ///< its names
    std::vector<std::string> read;  ///< names that are not its own, ascending
    Changes changes;                ///< by its statements
    std::size_t nodes = 0;          ///< of its statements and defaults
    std::size_t parameters = 0;
    bool cannot = false;  ///< it has statements that no call can stand for: yield, await, global
    bool early = false;   ///< it returns from several places
};

/// `mostNodes`: more nodes are not counted.
[[nodiscard]] CalledFunction calledFunction(const JsonValue& function, std::size_t mostNodes);

/// Parameters by name: what the call gives, else the default; false when they do not fit. `defaulted`: those that the
/// call does not give.
[[nodiscard]] bool bindArguments(const JsonValue& call, const JsonValue& function, Names& given,
                                 std::set<std::string>& defaulted);

/// Would a call change a default? One that is a list is the same one in every call.
[[nodiscard]] bool changesDefault(const Names& given, const std::set<std::string>& defaulted, const Changes& changes);

}  // namespace cubist::pypto

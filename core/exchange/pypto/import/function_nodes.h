// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/exchange/json_value.h"

/// Functions of Python that are written out where they are called: their names and their ways.
namespace cubist::pypto {

using Statements = std::vector<JsonValue>;
/// What is put in for names.
using Names = std::map<std::string, JsonValue>;

/// A text that stands for itself: what documents a function.
[[nodiscard]] bool isString(const JsonValue& statement);
/// Is there a return anywhere but at the end? `outermost`: the statements are the whole function.
[[nodiscard]] bool returnsEarly(const Statements& body, bool outermost);
/// Every way through the statements assigns `target` instead of returning: what follows an `if` that returns goes into
/// its branches. False: a loop returns, or there would be too many statements (`count`: so far) or nodes.
[[nodiscard]] bool assignReturned(const Statements& list, const JsonValue& target, Statements& out, std::size_t& count);

/// How many nodes a tree has; more than `most` are not counted, and the answer is more than `most` then.
[[nodiscard]] std::size_t nodesIn(const JsonValue& node, std::size_t most);

[[nodiscard]] std::vector<JsonValue> parametersOf(const JsonValue& function);
/// Names that a function has for itself: parameters, and what it assigns; not what it calls nonlocal or global.
[[nodiscard]] std::set<std::string> ownNames(const JsonValue& function);
/// Puts in what names stand for; inner functions and comprehensions keep their own.
void renameIn(JsonValue& node, const Names& names);
/// `match` over values as a chain of conditions; nothing where a pattern takes things apart or binds a name.
[[nodiscard]] std::optional<JsonValue> chainOf(const JsonValue& node);

}  // namespace cubist::pypto

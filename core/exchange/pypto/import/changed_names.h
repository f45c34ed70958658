// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// Names that may mean something else after a statement or an expression of Python than before.
struct Changes {
    /// Assigned anew, and how often it is written: targets of every kind (`=`, `+=`, `:=`, `for`, `with`, `import`,
    /// `except`, patterns of `match`, `def`, `del`). Inner functions keep their own names; what they call nonlocal or
    /// global is assigned.
    std::map<std::string, int> assigned;
    /// Objects that stay and may be changed: through an element, a field, a method, or a function that takes them and
    /// is not known to leave them alone.
    std::set<std::string> mutated;
    std::size_t nodes = 0;  ///< that were looked at
};

void addChanges(const JsonValue& node, Changes& changes);
[[nodiscard]] Changes changesOf(const JsonValue& node);

/// "config" of config.tiles[0].append: the name that an element, a field or a method belongs to; empty: none.
[[nodiscard]] std::string rootName(const JsonValue& node);
/// Does a function of Python, of math, numpy, torch or PyPTO leave the lists and dictionaries alone that it is given?
[[nodiscard]] bool leavesArgumentsAlone(const std::string& function);
/// The same of a method and what it belongs to.
[[nodiscard]] bool leavesOwnerAlone(std::string_view method);
/// Is it a method by which a list, a dictionary or a set of Python changes?
[[nodiscard]] bool changesOwner(std::string_view method);
/// Is there a node of this type in the tree? Inner functions are looked into as well.
[[nodiscard]] bool hasNode(const JsonValue& node, std::string_view type);

/// Names of variables in a tree, and whether one of them is read there.
void addNames(const JsonValue& node, std::set<std::string>& names);
[[nodiscard]] bool reads(const JsonValue& node, const std::set<std::string>& names);
/// Does it call a function of PyPTO that makes a tensor?
[[nodiscard]] bool hasTensorCall(const JsonValue& node);

}  // namespace cubist::pypto

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/design/expression.h"

/// Expressions of a design as trees, to be rewritten and written in Python.
namespace cubist::pypto {

struct Symbolic;
using SymbolicPtr = std::shared_ptr<const Symbolic>;

struct Symbolic {
    enum class Kind : std::uint8_t { Number, Name, Add, Sub, Mul, Div, Mod, Neg, Min, Max, CeilDiv, Entry, OfList };
    Kind kind = Kind::Number;
    std::int64_t number = 0;
    std::string name;              ///< Name; Entry and OfList: the list
    std::string function;          ///< OfList: "len", "groups", "sum", "start", "count"
    std::vector<SymbolicPtr> arg;  ///< operands
};

[[nodiscard]] SymbolicPtr number(std::int64_t value);
[[nodiscard]] SymbolicPtr name(const std::string& text);
[[nodiscard]] SymbolicPtr binary(Symbolic::Kind kind, SymbolicPtr a, SymbolicPtr b);

/// The tree of an expression that parses (`resolve` has checked all of a design's); else the number 0.
[[nodiscard]] SymbolicPtr symbolic(const Expression& expression);

/// Numbers for names; nothing leaves the name.
using Constants = std::function<std::optional<std::int64_t>(const std::string&)>;
/// What a list function or entry is, given its rewritten argument (null without one); null leaves it.
using Lists = std::function<SymbolicPtr(const Symbolic&, const SymbolicPtr&)>;
/// The tree with names and lists replaced, then what is constant evaluated, and x + 0, x * 1, x // 1 dropped.
[[nodiscard]] SymbolicPtr folded(const SymbolicPtr& tree, const Constants& constants, const Lists& lists);

[[nodiscard]] std::optional<std::int64_t> literal(const SymbolicPtr& tree);
/// Every name in the tree.
[[nodiscard]] std::vector<std::string> namesIn(const SymbolicPtr& tree);

/// How to write a tree in Python. `python` gives names; with `symbolicScalars` min and max become methods, `a.min(b)`,
/// as PyPTO's symbolic scalars have them (of two that `integer` says are Python integers: pypto.min), else the
/// built-in functions.
struct PythonStyle {
    std::function<std::string(const std::string&)> python;
    bool symbolicScalars = true;
    std::function<bool(const SymbolicPtr&)> integer = {};
};
[[nodiscard]] std::string pythonText(const SymbolicPtr& tree, const PythonStyle& style);

}  // namespace cubist::pypto

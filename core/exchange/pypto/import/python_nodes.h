// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/json_value.h"

/// Syntax trees that are rewritten before they are read: the documents of kernel_ast.py, as values.
namespace cubist::pypto {

[[nodiscard]] bool isNode(const JsonValue& node, std::string_view type);
[[nodiscard]] std::string_view fieldText(const JsonValue& node, std::string_view field);
/// The list in a field; an empty one for anything else.
[[nodiscard]] const std::vector<JsonValue>& fieldList(const JsonValue& node, std::string_view field);
/// "pypto.DT_FP32" of names and attributes; empty for anything else.
[[nodiscard]] std::string dottedName(const JsonValue& node);

/// A node of a type at the place of another.
[[nodiscard]] JsonValue nodeLike(const JsonValue& place, std::string_view type);
[[nodiscard]] JsonValue nameNode(const JsonValue& place, std::string_view id);
[[nodiscard]] JsonValue attributeNode(const JsonValue& place, JsonValue value, std::string_view attribute);
[[nodiscard]] JsonValue assignNode(const JsonValue& place, JsonValue target, JsonValue value);
/// Sets a field, whether the node has it or not.
void setField(JsonValue& node, std::string_view field, JsonValue value);

/// A Python number, or a truth value.
struct PythonNumber {
    bool isInteger = true;
    std::int64_t integer = 0;
    double real = 0;
    [[nodiscard]] double value() const { return isInteger ? static_cast<double>(integer) : real; }
};
[[nodiscard]] std::optional<PythonNumber> numberIn(const JsonValue& node);
[[nodiscard]] JsonValue constantNode(const JsonValue& place, const PythonNumber& number);
[[nodiscard]] JsonValue truthNode(const JsonValue& place, bool value);
/// What Python takes a constant or a written-out collection for in a condition; nothing where it is none.
[[nodiscard]] std::optional<bool> truthOf(const JsonValue& node);
/// The node with operations of constants carried out as Python does; nothing where one cannot be.
[[nodiscard]] std::optional<JsonValue> evaluated(const JsonValue& node);
/// The same of texts: f"c{i}", "c%d" % i, "c{}".format(i), "a" + "b", str(1); of values that are written out.
[[nodiscard]] std::optional<JsonValue> evaluatedText(const JsonValue& node);
/// The same of functions of Python on collections that are written out: sum, min, max, any, all, sorted, reversed,
/// list, tuple, round, d.get(..), d.keys(), d.values(), d.items(), l.index(..), l.count(..).
[[nodiscard]] std::optional<JsonValue> evaluatedCall(const JsonValue& node);

/// A list (or tuple: `type`) of these elements at the place of another node.
[[nodiscard]] JsonValue listNode(const JsonValue& place, std::vector<JsonValue> elements,
                                 std::string_view type = "List");
/// A text at the place of another node.
[[nodiscard]] JsonValue textNode(const JsonValue& place, std::string text);
/// Are two constants equal? Numbers by value; nothing where one is no constant.
[[nodiscard]] std::optional<bool> sameConstant(const JsonValue& a, const JsonValue& b);
/// Elements that a slice of a list takes; nothing where a bound is no number.
[[nodiscard]] std::optional<std::vector<JsonValue>> sliceOf(const std::vector<JsonValue>& elements,
                                                            const JsonValue& slice);

}  // namespace cubist::pypto

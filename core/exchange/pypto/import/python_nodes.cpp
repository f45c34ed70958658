// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/python_nodes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/integer_math.h"

namespace cubist::pypto {
namespace {

/// Exact for powers of two, as Python's. Range: value > 0.
double binaryLogarithm(double value) {
    constexpr double kPerNatural = 1.4426950408889634;  // 1 / ln 2
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);  // 0.5 .. 1
    return exponent - 1 + elementary::log(2 * fraction) * kPerNatural;
}

constexpr std::int64_t kLowest = INT64_MIN;

PythonNumber whole(std::int64_t value) {
    return {true, value, 0};
}
PythonNumber real(double value) {
    return {false, 0, value};
}

std::optional<PythonNumber> checked(std::optional<std::int64_t> value) {
    return value ? std::optional(whole(*value)) : std::nullopt;
}

std::optional<PythonNumber> powerOf(const PythonNumber& a, const PythonNumber& b) {
    if (a.isInteger && b.isInteger && b.integer >= 0 && b.integer <= 62) {
        std::optional<std::int64_t> value = 1;
        for (std::int64_t i = 0; value && i < b.integer; ++i) value = checkedMul(*value, a.integer);
        return checked(value);
    }
    if (b.value() == 0.5 && a.value() >= 0) return real(std::sqrt(a.value()));
    if (b.value() == -0.5 && a.value() > 0) return real(1.0 / std::sqrt(a.value()));
    return std::nullopt;
}

std::optional<PythonNumber> combined(std::string_view op, const PythonNumber& a, const PythonNumber& b) {
    const bool integers = a.isInteger && b.isInteger;
    if (op == "Pow") return powerOf(a, b);
    if (op == "Div") return b.value() == 0 ? std::nullopt : std::optional(real(a.value() / b.value()));
    if (!integers) {
        if (op == "Add") return real(a.value() + b.value());
        if (op == "Sub") return real(a.value() - b.value());
        if (op == "Mult") return real(a.value() * b.value());
        return std::nullopt;
    }
    if (op == "Add") return checked(checkedAdd(a.integer, b.integer));
    if (op == "Mult") return checked(checkedMul(a.integer, b.integer));
    if (op == "Sub") return b.integer == kLowest ? std::nullopt : checked(checkedAdd(a.integer, -b.integer));
    if (a.integer == kLowest || b.integer == kLowest) return std::nullopt;
    if (op == "BitAnd") return whole(a.integer & b.integer);
    if (op == "BitOr") return whole(a.integer | b.integer);
    if (op == "BitXor") return whole(a.integer ^ b.integer);
    const bool shift = b.integer >= 0 && b.integer < 62;
    if (op == "LShift") return shift ? checked(checkedMul(a.integer, std::int64_t{1} << b.integer)) : std::nullopt;
    if (op == "RShift") return shift && a.integer >= 0 ? std::optional(whole(a.integer >> b.integer)) : std::nullopt;
    if (b.integer == 0) return std::nullopt;
    // The rest has the divisor's sign.
    std::int64_t rest = a.integer % b.integer;
    if (rest != 0 && (rest < 0) != (b.integer < 0)) rest += b.integer;
    if (op == "Mod") return whole(rest);
    if (op == "FloorDiv") return whole((a.integer - rest) / b.integer);
    return std::nullopt;
}

std::optional<bool> compared(std::string_view op, const PythonNumber& a, const PythonNumber& b) {
    const double x = a.value(), y = b.value();
    if (op == "Eq") return x == y;
    if (op == "NotEq") return x != y;
    if (op == "Lt") return x < y;
    if (op == "LtE") return x <= y;
    if (op == "Gt") return x > y;
    if (op == "GtE") return x >= y;
    return std::nullopt;
}

std::optional<PythonNumber> called(const std::string& function, const std::vector<PythonNumber>& arguments) {
    if (arguments.size() == 1 && (function == "math.ceil" || function == "math.floor" || function == "int")) {
        const double value = arguments[0].value();
        if (arguments[0].isInteger) return arguments[0];
        const double rounded = function == "math.ceil"    ? std::ceil(value)
                               : function == "math.floor" ? std::floor(value)
                                                          : std::trunc(value);
        if (std::fabs(rounded) < 9007199254740992.0) return whole(static_cast<std::int64_t>(rounded));
        return std::nullopt;
    }
    if (arguments.size() == 1 && function == "abs" && arguments[0].isInteger && arguments[0].integer != kLowest)
        return whole(arguments[0].integer < 0 ? -arguments[0].integer : arguments[0].integer);
    if (arguments.size() == 1 && (function == "math.sqrt" || function == "np.sqrt") && arguments[0].value() >= 0)
        return real(std::sqrt(arguments[0].value()));
    if (arguments.size() == 1 && arguments[0].value() > 0) {
        const double value = arguments[0].value();
        if (function == "math.log" || function == "np.log") return real(elementary::log(value));
        if (function == "math.log2" || function == "np.log2") return real(binaryLogarithm(value));
    }
    if (arguments.size() == 1 && (function == "math.exp" || function == "np.exp") && arguments[0].value() < 700)
        return real(elementary::exp(arguments[0].value()));
    if (arguments.size() == 1 && function == "float") return real(arguments[0].value());
    if (arguments.size() == 2 && (function == "min" || function == "max")) {
        const bool first = arguments[0].value() <= arguments[1].value();
        return first == (function == "min") ? arguments[0] : arguments[1];
    }
    return std::nullopt;
}

}  // namespace

bool isNode(const JsonValue& node, std::string_view type) {
    return fieldText(node, "t") == type;
}

std::string_view fieldText(const JsonValue& node, std::string_view field) {
    const JsonValue* value = node.isObject() ? node.find(field) : nullptr;
    return value != nullptr && value->isString() ? std::string_view(value->text) : std::string_view();
}

const std::vector<JsonValue>& fieldList(const JsonValue& node, std::string_view field) {
    static const std::vector<JsonValue> nothing;
    const JsonValue* value = node.isObject() ? node.find(field) : nullptr;
    return value != nullptr && value->isArray() ? value->items : nothing;
}

std::string dottedName(const JsonValue& node) {
    if (isNode(node, "Name")) return std::string(fieldText(node, "id"));
    const JsonValue* value = isNode(node, "Attribute") ? node.find("value") : nullptr;
    if (value == nullptr) return {};
    const std::string inner = dottedName(*value);
    return inner.empty() ? std::string() : inner + "." + std::string(fieldText(node, "attr"));
}

JsonValue nodeLike(const JsonValue& place, std::string_view type) {
    JsonValue node = JsonValue::object();
    node.add("t", JsonValue::fromString(std::string(type)));
    for (const char* key : {"l", "c"})
        if (const JsonValue* value = place.isObject() ? place.find(key) : nullptr) node.add(key, *value);
    return node;
}

JsonValue nameNode(const JsonValue& place, std::string_view id) {
    JsonValue node = nodeLike(place, "Name");
    node.add("id", JsonValue::fromString(std::string(id)));
    return node;
}

JsonValue attributeNode(const JsonValue& place, JsonValue value, std::string_view attribute) {
    JsonValue node = nodeLike(place, "Attribute");
    node.add("value", std::move(value));
    node.add("attr", JsonValue::fromString(std::string(attribute)));
    return node;
}

JsonValue assignNode(const JsonValue& place, JsonValue target, JsonValue value) {
    JsonValue node = nodeLike(place, "Assign");
    JsonValue targets = JsonValue::array();
    targets.push(std::move(target));
    node.add("targets", std::move(targets));
    node.add("value", std::move(value));
    return node;
}

void setField(JsonValue& node, std::string_view field, JsonValue value) {
    if (JsonValue* old = node.find(field))
        *old = std::move(value);
    else
        node.add(std::string(field), std::move(value));
}

std::optional<PythonNumber> numberIn(const JsonValue& node) {
    if (!isNode(node, "Constant")) return std::nullopt;
    const std::string_view kind = fieldText(node, "kind"), text = fieldText(node, "value");
    const char* end = text.data() + text.size();
    if (kind == "int") {
        std::int64_t value = 0;
        const auto [stop, status] = std::from_chars(text.data(), end, value);
        return status == std::errc() && stop == end ? std::optional(whole(value)) : std::nullopt;
    }
    if (kind != "float") return std::nullopt;
    double value = 0;
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return status == std::errc() && stop == end ? std::optional(real(value)) : std::nullopt;
}

JsonValue constantNode(const JsonValue& place, const PythonNumber& number) {
    JsonValue node = nodeLike(place, "Constant");
    node.add("kind", JsonValue::fromString(number.isInteger ? "int" : "float"));
    node.add("value",
             JsonValue::fromString(number.isInteger ? std::to_string(number.integer) : numberText(number.real)));
    return node;
}

JsonValue truthNode(const JsonValue& place, bool value) {
    JsonValue node = nodeLike(place, "Constant");
    node.add("kind", JsonValue::fromString("bool"));
    node.add("value", JsonValue::fromString(value ? "True" : "False"));
    return node;
}

std::optional<bool> truthOf(const JsonValue& node) {
    if (isNode(node, "List") || isNode(node, "Tuple")) return !fieldList(node, "elts").empty();
    if (isNode(node, "Dict")) return !fieldList(node, "keys").empty();
    if (!isNode(node, "Constant")) return std::nullopt;
    const std::string_view kind = fieldText(node, "kind"), text = fieldText(node, "value");
    if (kind == "none") return false;
    if (kind == "bool") return text == "True";
    if (kind == "str") return !text.empty();
    if (const auto number = numberIn(node)) return number->value() != 0;
    return std::nullopt;
}

std::optional<bool> sameConstant(const JsonValue& a, const JsonValue& b) {
    if (const auto x = numberIn(a), y = numberIn(b); x && y) return x->value() == y->value();
    const std::string name = dottedName(a), other = dottedName(b);
    if (name.starts_with("pypto.") && other.starts_with("pypto.")) return name == other;
    const bool known = isNode(a, "Constant") && isNode(b, "Constant");
    const auto kind = [](const JsonValue& node) { return fieldText(node, "kind"); };
    if (!known || kind(a) == "other" || kind(b) == "other") {
        // A type, a list or a tensor is not None.
        const JsonValue& rest = isNode(a, "Constant") ? b : a;
        const JsonValue& none = isNode(a, "Constant") ? a : b;
        const bool something = isNode(rest, "List") || isNode(rest, "Tuple") || isNode(rest, "Dict") ||
                               dottedName(rest).starts_with("pypto.");
        return something && kind(none) == "none" ? std::optional(false) : std::nullopt;
    }
    return kind(a) == kind(b) && fieldText(a, "value") == fieldText(b, "value");
}

namespace {

std::optional<bool> compared(std::string_view op, const JsonValue& a, const JsonValue& b) {
    const auto x = numberIn(a), y = numberIn(b);
    if (x && y)
        if (const auto truth = compared(op, *x, *y)) return truth;
    if (op == "Eq" || op == "Is") return sameConstant(a, b);
    if (op == "NotEq" || op == "IsNot") {
        const auto same = sameConstant(a, b);
        return same ? std::optional(!*same) : std::nullopt;
    }
    const bool holds = isNode(b, "List") || isNode(b, "Tuple") || isNode(b, "Set") || isNode(b, "Dict");
    if ((op != "In" && op != "NotIn") || !holds) return std::nullopt;
    bool found = false;
    for (const JsonValue& each : fieldList(b, isNode(b, "Dict") ? "keys" : "elts")) {
        const auto same = sameConstant(a, each);
        if (!same) return std::nullopt;
        found = found || *same;
    }
    return found == (op == "In");
}

/// and, or: the operand that decides.
std::optional<JsonValue> chosen(const JsonValue& node) {
    const auto& values = fieldList(node, "values");
    const bool any = fieldText(node, "op") == "Or";
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto truth = truthOf(values[i]);
        if (!truth) return std::nullopt;
        if (*truth == any || i + 1 == values.size()) return values[i];
    }
    return std::nullopt;
}

/// Elements of a list and of the lists in it.
std::size_t weightOf(const JsonValue& node) {
    std::size_t weight = 1;
    for (const char* part : {"elts", "values"})
        for (const JsonValue& each : fieldList(node, part)) weight += weightOf(each);
    return weight;
}

/// Lists put together, or several times the same one.
std::optional<JsonValue> joined(const JsonValue& node) {
    constexpr std::size_t kMost = 4096;
    const JsonValue *left = node.find("left"), *right = node.find("right");
    if (left == nullptr || right == nullptr) return std::nullopt;
    const bool lists = isNode(*left, "List") || isNode(*left, "Tuple");
    JsonValue elements = JsonValue::array();
    if (lists && fieldText(node, "op") == "Add" && fieldText(*left, "t") == fieldText(*right, "t")) {
        elements.items = fieldList(*left, "elts");
        const auto& more = fieldList(*right, "elts");
        if (elements.items.size() + more.size() > kMost) return std::nullopt;
        elements.items.insert(elements.items.end(), more.begin(), more.end());
    } else if (const auto times = numberIn(*right);
               lists && times && times->isInteger && fieldText(node, "op") == "Mult") {
        const auto& part = fieldList(*left, "elts");
        if (times->integer > 0 &&
            weightOf(*left) >
                kMost * 4 / static_cast<std::size_t>(std::min<std::int64_t>(times->integer, std::int64_t{1} << 20)))
            return std::nullopt;
        for (std::int64_t i = 0; i < times->integer; ++i) {
            if (elements.items.size() + part.size() > kMost || part.empty()) break;
            elements.items.insert(elements.items.end(), part.begin(), part.end());
        }
        if (elements.items.size() != part.size() * static_cast<std::size_t>(std::max<std::int64_t>(0, times->integer)))
            return std::nullopt;
    } else {
        return std::nullopt;
    }
    JsonValue list = nodeLike(node, fieldText(*left, "t"));
    list.add("elts", std::move(elements));
    return list;
}

}  // namespace

std::optional<JsonValue> evaluated(const JsonValue& node) {
    const auto child = [&](const char* field) {
        const JsonValue* value = node.find(field);
        return value == nullptr ? std::nullopt : numberIn(*value);
    };
    std::optional<PythonNumber> result;
    if (isNode(node, "Attribute")) {
        const std::string name = dottedName(node);
        if (name == "math.pi" || name == "np.pi") result = real(3.141592653589793);
        if (name == "math.e" || name == "np.e") result = real(2.718281828459045);
    } else if (isNode(node, "BinOp")) {
        const auto a = child("left"), b = child("right");
        if (a && b) result = combined(fieldText(node, "op"), *a, *b);
        if (!result)
            if (auto text = evaluatedText(node)) return text;
        if (!result) return joined(node);
    } else if (isNode(node, "UnaryOp") && fieldText(node, "op") == "USub") {
        if (const auto a = child("operand")) result = combined("Sub", whole(0), *a);
    } else if (isNode(node, "UnaryOp") && fieldText(node, "op") == "Not") {
        if (const JsonValue* operand = node.find("operand"))
            if (const auto truth = truthOf(*operand)) return truthNode(node, !*truth);
    } else if (isNode(node, "BoolOp")) {
        return chosen(node);
    } else if (isNode(node, "IfExp")) {
        const JsonValue* test = node.find("test");
        const auto truth = test == nullptr ? std::nullopt : truthOf(*test);
        const JsonValue* taken = truth ? node.find(*truth ? "body" : "orelse") : nullptr;
        return taken == nullptr ? std::nullopt : std::optional(*taken);
    } else if (isNode(node, "Compare")) {
        const auto& others = fieldList(node, "comparators");
        const auto& ops = fieldList(node, "ops");
        const JsonValue* first = node.find("left");
        bool all = first != nullptr && !others.empty() && others.size() == ops.size();
        for (std::size_t i = 0; all && i < others.size(); ++i) {  // a < b < c
            const auto truth = compared(ops[i].text, i == 0 ? *first : others[i - 1], others[i]);
            if (truth && !*truth) return truthNode(node, false);
            all = truth.has_value();
        }
        if (all) return truthNode(node, true);
    } else if (auto text = evaluatedText(node)) {
        return text;
    } else if (isNode(node, "Call")) {
        if (auto value = evaluatedCall(node)) return value;
        if (!fieldList(node, "keywords").empty()) return std::nullopt;
        std::vector<PythonNumber> arguments;
        for (const JsonValue& each : fieldList(node, "args"))
            if (const auto value = numberIn(each)) arguments.push_back(*value);
        if (arguments.size() == fieldList(node, "args").size())
            result = called(dottedName(*node.find("func")), arguments);
    }
    if (!result || !std::isfinite(result->value())) return std::nullopt;
    return constantNode(node, *result);
}

}  // namespace cubist::pypto

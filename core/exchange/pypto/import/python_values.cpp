// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kLongestText = 4096;

bool isSequence(const JsonValue& node) {
    return isNode(node, "List") || isNode(node, "Tuple");
}

/// As str() writes a constant; nothing for what is none, and for numbers whose spelling may be another one.
std::optional<std::string> spelled(const JsonValue& node) {
    if (!isNode(node, "Constant")) return std::nullopt;
    const std::string_view kind = fieldText(node, "kind");
    if (kind == "none") return "None";
    if (kind != "str" && kind != "int" && kind != "bool") return std::nullopt;
    return std::string(fieldText(node, "value"));
}

/// Puts values in for `{}`, `{0}` and `{name}`; nothing where a field says more than that.
std::optional<std::string> formatted(std::string_view text, const JsonValue& call) {
    std::string out;
    std::size_t next = 0;
    const auto& given = fieldList(call, "args");
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{' && text[i] != '}') {
            out += text[i];
            continue;
        }
        if (i + 1 < text.size() && text[i + 1] == text[i]) {
            out += text[i++];
            continue;
        }
        const std::size_t end = text.find('}', i);
        if (text[i] == '}' || end == std::string_view::npos) return std::nullopt;
        const std::string_view field = text.substr(i + 1, end - i - 1);
        const JsonValue* value = nullptr;
        if (field.empty() && next < given.size()) value = &given[next++];
        if (field.size() == 1 && field[0] >= '0' && field[0] <= '9' &&
            static_cast<std::size_t>(field[0] - '0') < given.size())
            value = &given[static_cast<std::size_t>(field[0] - '0')];
        for (const JsonValue& each : fieldList(call, "keywords"))
            if (!field.empty() && fieldText(each, "arg") == field) value = each.find("value");
        const auto part = value == nullptr ? std::nullopt : spelled(*value);
        if (!part) return std::nullopt;
        out += *part;
        i = end;
    }
    return out;
}

/// The same for %d and %s.
std::optional<std::string> percented(std::string_view text, const JsonValue& right) {
    const std::vector<JsonValue> given = isNode(right, "Tuple") ? fieldList(right, "elts") : std::vector{right};
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (++i == text.size()) return std::nullopt;
        if (text[i] == '%') {
            out += '%';
            continue;
        }
        const bool whole = text[i] == 'd' || text[i] == 'i';
        if ((!whole && text[i] != 's') || next == given.size()) return std::nullopt;
        const auto part = spelled(given[next]);
        if (!part || (whole && fieldText(given[next], "kind") != "int")) return std::nullopt;
        out += *part;
        ++next;
    }
    return next == given.size() ? std::optional(out) : std::nullopt;
}

/// Numbers or texts, in the order of Python; nothing for others.
std::optional<std::vector<JsonValue>> sorted(std::vector<JsonValue> elements, bool reverse) {
    const bool numbers =
        std::all_of(elements.begin(), elements.end(), [](const JsonValue& each) { return numberIn(each).has_value(); });
    const bool texts = std::all_of(elements.begin(), elements.end(),
                                   [](const JsonValue& each) { return fieldText(each, "kind") == "str"; });
    if (!numbers && !texts) return std::nullopt;
    const auto less = [&](const JsonValue& a, const JsonValue& b) {
        return numbers ? numberIn(a)->value() < numberIn(b)->value() : fieldText(a, "value") < fieldText(b, "value");
    };
    // Equal ones keep their order, from the back as well.
    std::stable_sort(elements.begin(), elements.end(),
                     [&](const JsonValue& a, const JsonValue& b) { return reverse ? less(b, a) : less(a, b); });
    return elements;
}

std::optional<JsonValue> ofDictionary(const JsonValue& call, const JsonValue& dict, std::string_view method) {
    const auto &keys = fieldList(dict, "keys"), &values = fieldList(dict, "values"), &given = fieldList(call, "args");
    if (keys.size() != values.size()) return std::nullopt;
    if (given.empty() && method == "keys") return listNode(call, keys);
    if (given.empty() && method == "values") return listNode(call, values);
    if (given.empty() && method == "items") {
        std::vector<JsonValue> pairs;
        for (std::size_t i = 0; i < keys.size(); ++i) pairs.push_back(listNode(call, {keys[i], values[i]}, "Tuple"));
        return listNode(call, std::move(pairs));
    }
    if (method != "get" || given.empty() || given.size() > 2) return std::nullopt;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto same = sameConstant(keys[i], given[0]);
        if (!same) return std::nullopt;
        if (*same) return values[i];
    }
    if (given.size() == 2) return given[1];
    JsonValue none = nodeLike(call, "Constant");
    none.add("kind", JsonValue::fromString("none"));
    none.add("value", JsonValue::fromString(""));
    return none;
}

std::optional<JsonValue> ofList(const JsonValue& call, const JsonValue& list, std::string_view method) {
    const auto &elements = fieldList(list, "elts"), &given = fieldList(call, "args");
    if (method == "copy" && given.empty()) return list;
    if ((method != "index" && method != "count") || given.size() != 1) return std::nullopt;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto same = sameConstant(elements[i], given[0]);
        if (!same) return std::nullopt;
        if (*same && method == "index") return constantNode(call, {true, static_cast<std::int64_t>(i), 0});
        if (*same) ++count;
    }
    return method == "count" ? std::optional(constantNode(call, {true, count, 0})) : std::nullopt;
}

/// sum, min and max: the function carried out from left to right.
std::optional<JsonValue> reduced(const JsonValue& call, const std::string& name,
                                 const std::vector<JsonValue>& elements) {
    std::optional<JsonValue> all;
    if (name == "sum") all = constantNode(call, {true, 0, 0});
    for (const JsonValue& each : elements) {
        if (!all) {
            if (!numberIn(each)) return std::nullopt;
            all = each;
            continue;
        }
        JsonValue next = nodeLike(call, name == "sum" ? "BinOp" : "Call"), both = JsonValue::array();
        if (name == "sum") {
            next.add("left", *all);
            next.add("op", JsonValue::fromString("Add"));
            next.add("right", each);
        } else {
            both.push(*all);
            both.push(each);
            next.add("func", nameNode(call, name));
            next.add("args", std::move(both));
            next.add("keywords", JsonValue::array());
        }
        all = evaluated(next);
        if (!all) return std::nullopt;
    }
    return all;
}

}  // namespace

JsonValue listNode(const JsonValue& place, std::vector<JsonValue> elements, std::string_view type) {
    JsonValue list = nodeLike(place, type), items = JsonValue::array();
    items.items = std::move(elements);
    list.add("elts", std::move(items));
    return list;
}

JsonValue textNode(const JsonValue& place, std::string text) {
    JsonValue node = nodeLike(place, "Constant");
    node.add("kind", JsonValue::fromString("str"));
    node.add("value", JsonValue::fromString(std::move(text)));
    return node;
}

std::optional<std::vector<JsonValue>> sliceOf(const std::vector<JsonValue>& elements, const JsonValue& slice) {
    const auto size = static_cast<std::int64_t>(elements.size());
    bool known = true;
    const auto bound = [&](const char* field) -> std::optional<std::int64_t> {
        const JsonValue* given = slice.find(field);
        if (given == nullptr || !given->isObject() || fieldText(*given, "kind") == "none") return std::nullopt;
        const auto number = numberIn(*given);
        known = known && number && number->isInteger;
        return known ? std::optional(number->integer) : std::nullopt;
    };
    const std::int64_t step = bound("step").value_or(1);
    const auto lower = bound("lower"), upper = bound("upper");
    if (!known || step == 0 || step < -size - 1) return std::nullopt;
    const auto place = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 && at >= -size ? at + size : at, step > 0 ? 0 : -1,
                                        step > 0 ? size : size - 1);
    };
    std::int64_t at = lower ? place(*lower) : step > 0 ? 0 : size - 1;
    const std::int64_t end = upper ? place(*upper) : step > 0 ? size : -1;
    std::vector<JsonValue> out;
    while (step > 0 ? at < end : at > end) {
        out.push_back(elements[static_cast<std::size_t>(at)]);
        if (step > size) break;
        at += step;
    }
    return out;
}

std::optional<JsonValue> evaluatedText(const JsonValue& node) {
    std::optional<std::string> text;
    if (isNode(node, "JoinedStr")) {
        text = std::string();
        for (const JsonValue& each : fieldList(node, "values")) {
            const bool field = isNode(each, "FormattedValue");
            const JsonValue* format = field ? each.find("format_spec") : nullptr;
            const JsonValue* conversion = field ? each.find("conversion") : nullptr;
            const bool plain =
                (format == nullptr || !format->isObject()) && (conversion == nullptr || conversion->text == "-1");
            const auto part = plain ? spelled(field ? *each.find("value") : each) : std::nullopt;
            if (!part || text->size() + part->size() > kLongestText) return std::nullopt;
            *text += *part;
        }
    } else if (isNode(node, "BinOp")) {
        const JsonValue &left = *node.find("left"), &right = *node.find("right");
        if (fieldText(left, "kind") != "str") return std::nullopt;
        if (fieldText(node, "op") == "Add" && fieldText(right, "kind") == "str")
            text = std::string(fieldText(left, "value")) + std::string(fieldText(right, "value"));
        if (fieldText(node, "op") == "Mod") text = percented(fieldText(left, "value"), right);
    } else if (isNode(node, "Call")) {
        const JsonValue& function = *node.find("func");
        const auto& given = fieldList(node, "args");
        if (dottedName(function) == "str" && given.size() == 1 && fieldList(node, "keywords").empty())
            text = spelled(given[0]);
        if (isNode(function, "Attribute") && fieldText(function, "attr") == "format" &&
            fieldText(*function.find("value"), "kind") == "str")
            text = formatted(fieldText(*function.find("value"), "value"), node);
    }
    if (!text || text->size() > kLongestText) return std::nullopt;
    return textNode(node, *std::move(text));
}

std::optional<JsonValue> evaluatedCall(const JsonValue& node) {
    const JsonValue& function = *node.find("func");
    const auto &given = fieldList(node, "args"), &keywords = fieldList(node, "keywords");
    if (isNode(function, "Attribute") && keywords.empty()) {
        const JsonValue& owner = *function.find("value");
        if (isNode(owner, "Dict")) return ofDictionary(node, owner, fieldText(function, "attr"));
        if (isSequence(owner)) return ofList(node, owner, fieldText(function, "attr"));
    }
    const std::string name = dottedName(function);
    if (name == "sorted" && given.size() == 1 && isSequence(given[0])) {
        bool reverse = false;
        for (const JsonValue& each : keywords) {
            if (fieldText(each, "arg") != "reverse" || fieldText(*each.find("value"), "kind") != "bool")
                return std::nullopt;
            reverse = fieldText(*each.find("value"), "value") == "True";
        }
        auto elements = sorted(fieldList(given[0], "elts"), reverse);
        return elements ? std::optional(listNode(node, *std::move(elements))) : std::nullopt;
    }
    if (!keywords.empty()) return std::nullopt;
    if (name == "round" && (given.size() == 1)) {
        const auto number = numberIn(given[0]);
        if (!number) return std::nullopt;
        if (number->isInteger) return given[0];
        const double whole = std::nearbyint(number->real);
        return std::fabs(whole) < 1e15 ? std::optional(constantNode(node, {true, static_cast<std::int64_t>(whole), 0}))
                                       : std::nullopt;
    }
    if ((name == "min" || name == "max") && given.size() > 2) return reduced(node, name, given);
    if (name == "bool" && given.size() == 1)
        if (const auto truth = truthOf(given[0])) return truthNode(node, *truth);
    if (name == "slice" && !given.empty() && given.size() <= 3) {
        JsonValue slice = nodeLike(node, "Slice");
        const bool only = given.size() == 1;
        slice.add("lower", only ? JsonValue() : given[0]);
        slice.add("upper", only ? given[0] : given[1]);
        slice.add("step", given.size() == 3 ? given[2] : JsonValue());
        for (const char* bound : {"lower", "upper", "step"})
            if (JsonValue* each = slice.find(bound); fieldText(*each, "kind") == "none") *each = JsonValue();
        return slice;
    }
    if (given.size() != 1 || !isSequence(given[0])) return std::nullopt;
    const auto& elements = fieldList(given[0], "elts");
    if (name == "list" || name == "tuple") return listNode(node, elements, name == "list" ? "List" : "Tuple");
    if (name == "reversed") return listNode(node, {elements.rbegin(), elements.rend()});
    if (name == "sum" || name == "min" || name == "max")
        return elements.empty() && name != "sum" ? std::nullopt : reduced(node, name, elements);
    if (name != "any" && name != "all") return std::nullopt;
    bool all = true, any = false;
    for (const JsonValue& each : elements) {
        const auto truth = truthOf(each);
        if (!truth) return std::nullopt;
        all = all && *truth;
        any = any || *truth;
    }
    return truthNode(node, name == "any" ? any : all);
}

}  // namespace cubist::pypto

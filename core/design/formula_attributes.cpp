// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/formula_attributes.h"

#include <array>
#include <charconv>
#include <cmath>

namespace cubist::formula {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

template <class Number>
std::optional<Number> parsed(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "[a, b]" or "a": the parts; commas inside parentheses belong to a part.
std::vector<std::string_view> parts(std::string_view text) {
    if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
    std::vector<std::string_view> list;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        if (c == '(') ++depth;
        if (c == ')') --depth;
        if (i < text.size() && (c != ',' || depth > 0)) continue;
        const std::string_view part = trimmed(text.substr(begin, i - begin));
        if (!part.empty() || !list.empty()) list.push_back(part);
        begin = i + 1;
    }
    return list;
}

std::optional<std::string> setIntegers(std::vector<std::int64_t>& out, std::string_view text) {
    std::vector<std::int64_t> values;
    for (const std::string_view part : parts(text)) {
        const auto value = parsed<std::int64_t>(part);
        if (!value) return "'" + std::string(part) + "' is no integer";
        values.push_back(*value);
    }
    out = std::move(values);
    return std::nullopt;
}

std::optional<std::string> setInteger(std::int64_t& out, std::string_view text) {
    const auto value = parsed<std::int64_t>(text);
    if (!value) return "'" + std::string(text) + "' is no integer";
    out = *value;
    return std::nullopt;
}

std::optional<std::string> setNumber(double& out, std::string_view text) {
    const auto value = parsed<double>(text);
    if (!value || !std::isfinite(*value)) return "'" + std::string(text) + "' is no number";
    out = *value;
    return std::nullopt;
}

std::optional<std::string> setFlag(bool& out, std::string_view text) {
    if (text != "true" && text != "false") return "true or false is wanted here";
    out = text == "true";
    return std::nullopt;
}

template <class Enum>
std::optional<std::string> setEnum(Enum& out, std::string_view text) {
    if (const auto value = fromText<Enum>(text)) {
        out = *value;
        return std::nullopt;
    }
    std::string known;
    for (const auto& [value, name] : EnumTable<Enum>::entries) known += (known.empty() ? "" : ", ") + std::string(name);
    return "'" + std::string(text) + "' is no " + std::string(EnumTable<Enum>::name) + ": " + known;
}

std::optional<std::string> setRange(std::vector<Expression>& out, std::string_view text) {
    std::vector<Expression> range;
    for (const std::string_view part : parts(text)) {
        Expression expression{std::string(part)};
        if (const auto names = expression.names(); !names) return names.error().message;
        range.push_back(std::move(expression));
    }
    out = std::move(range);
    return std::nullopt;
}

template <class List, class Text>
std::string listText(const List& list, Text&& text) {
    std::string all = "[";
    for (const auto& entry : list) all += (all.size() > 1 ? ", " : "") + text(entry);
    return all + "]";
}

std::string integersText(const std::vector<std::int64_t>& values) {
    return listText(values, [](std::int64_t value) { return std::to_string(value); });
}

}  // namespace

std::string numberText(double value) {
    std::array<char, 40> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return error == std::errc{} ? std::string(buffer.data(), end) : std::string("0");
}

std::vector<std::string_view> attributeKeys(VectorOpCode op) {
    const OpFields fields = opFields(op);
    std::vector<std::string_view> keys{"dtype"};
    const auto add = [&](bool has, std::string_view key) {
        if (has) keys.push_back(key);
    };
    add(fields.rounding, "round");
    add(fields.rounding, "saturate");
    add(fields.dim, "dim");
    add(fields.keepDim, "keepdim");
    add(fields.dims, "dims");
    add(fields.shape, "shape");
    add(fields.offset, "offset");
    add(fields.epsilon, "epsilon");
    add(fields.count, "count");
    add(fields.largest, "largest");
    add(fields.accumulate, "accumulate");
    add(fields.alpha, "alpha");
    add(fields.reduce, "reduce");
    add(fields.range, "range");
    add(fields.scaleRounding, "scale_rounding");
    add(fields.interleaved, "interleaved");
    return keys;
}

std::optional<std::string> setAttribute(VectorOp& op, std::string_view key, std::string_view value) {
    value = trimmed(value);
    if (key == "dtype") {
        DType type{};
        auto problem = setEnum(type, value);
        if (!problem) op.dtype = type;
        return problem;
    }
    if (key == "round") return setEnum(op.round, value);
    if (key == "saturate") return setFlag(op.saturate, value);
    if (key == "dim") {
        std::int64_t dim = 0;
        auto problem = setInteger(dim, value);
        if (!problem) op.dim = dim;
        return problem;
    }
    if (key == "keepdim") return setFlag(op.keepDim, value);
    if (key == "dims") return setIntegers(op.dims, value);
    if (key == "shape") return setIntegers(op.shape, value);
    if (key == "offset") return setIntegers(op.offset, value);
    if (key == "epsilon") return setNumber(op.epsilon, value);
    if (key == "count") return setInteger(op.count, value);
    if (key == "largest") return setFlag(op.largest, value);
    if (key == "accumulate") return setFlag(op.accumulate, value);
    if (key == "alpha") return setNumber(op.alpha, value);
    if (key == "reduce") return setEnum(op.reduce, value);
    if (key == "range") return setRange(op.range, value);
    if (key == "scale_rounding") return setEnum(op.scaleRounding, value);
    if (key == "interleaved") return setFlag(op.interleaved, value);
    return "there is no attribute '" + std::string(key) + "'";
}

std::vector<std::string> attributeTexts(const VectorOp& op) {
    const VectorOp plain;
    std::vector<std::string> texts;
    const auto add = [&](bool has, std::string_view key, const std::string& value) {
        if (has) texts.push_back(std::string(key) + "=" + value);
    };
    const auto flag = [](bool on) { return std::string(on ? "true" : "false"); };
    // A type alone is understood.
    if (op.dtype) texts.emplace_back(toText(*op.dtype));
    add(op.round != plain.round, "round", std::string(toText(op.round)));
    add(op.saturate, "saturate", flag(op.saturate));
    add(op.dim.has_value(), "dim", op.dim ? std::to_string(*op.dim) : std::string());
    add(op.keepDim, "keepdim", flag(op.keepDim));
    add(!op.dims.empty(), "dims", integersText(op.dims));
    add(!op.shape.empty(), "shape", integersText(op.shape));
    add(!op.offset.empty(), "offset", integersText(op.offset));
    add(op.epsilon != plain.epsilon, "epsilon", numberText(op.epsilon));
    add(op.count != plain.count, "count", std::to_string(op.count));
    add(!op.largest, "largest", flag(op.largest));
    add(op.accumulate, "accumulate", flag(op.accumulate));
    add(op.alpha != plain.alpha, "alpha", numberText(op.alpha));
    add(op.reduce != plain.reduce, "reduce", std::string(toText(op.reduce)));
    add(!op.range.empty(), "range", listText(op.range, [](const Expression& part) { return part.text(); }));
    add(op.scaleRounding != plain.scaleRounding, "scale_rounding", std::string(toText(op.scaleRounding)));
    add(op.interleaved, "interleaved", flag(op.interleaved));
    return texts;
}

}  // namespace cubist::formula

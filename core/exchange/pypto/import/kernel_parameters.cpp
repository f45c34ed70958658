// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/kernel_parameters.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

/// What is known of a tensor.
struct Known {
    std::map<std::size_t, std::int64_t> axes;
    std::size_t rank = 0;
    std::string type, format;
    std::string source;  ///< where it stands
};

std::int64_t lineOf(const JsonValue& node) {
    const JsonValue* line = node.isObject() ? node.find("l") : nullptr;
    std::int64_t number = 0;
    if (line != nullptr) std::from_chars(line->text.data(), line->text.data() + line->text.size(), number);
    return number;
}

std::optional<std::int64_t> integerIn(const JsonValue& node) {
    const auto number = numberIn(node);
    return number && number->isInteger ? std::optional(number->integer) : std::nullopt;
}

bool isDynamic(const JsonValue& node) {
    const std::string name = dottedName(node);
    return name == "pypto.DYNAMIC" || name == "pypto.DYN" || integerIn(node) == -1;
}

void take(Known& known, const JsonValue& tensor) {
    const auto& shape = fieldList(tensor, "shape");
    known.rank = shape.size();
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (const auto size = integerIn(shape[axis]); size && *size > 0) known.axes.try_emplace(axis, *size);
    if (known.type.empty()) known.type = std::string(fieldText(tensor, "dtype"));
    if (known.format.empty()) known.format = std::string(fieldText(tensor, "format"));
}

/// Checks of the module that say something of its parameters: asserts, and conditions under which it raises.
class Checks {
public:
    Checks(const std::vector<JsonValue>& module, HostValues& host) : m_host(host) { look(module, {}); }
    [[nodiscard]] Known of(const std::string& name) const {
        const auto found = m_known.find(name);
        return found == m_known.end() ? Known() : found->second;
    }

private:
    void look(const std::vector<JsonValue>& body, const std::string& function) {
        for (const JsonValue& node : body) {
            const auto& inner = fieldList(node, "body");
            if (isNode(node, "Assert")) compare(*node.find("test"), function, "Eq", "And");
            if (isNode(node, "If") && inner.size() == 1 && isNode(inner[0], "Raise"))
                compare(*node.find("test"), function, "NotEq", "Or");
            const bool named = isNode(node, "FunctionDef");
            look(inner, named ? std::string(fieldText(node, "name")) : function);
        }
    }

    void compare(const JsonValue& test, const std::string& function, std::string_view op, std::string_view joined) {
        if (isNode(test, "BoolOp") && fieldText(test, "op") == joined)
            for (const JsonValue& each : fieldList(test, "values")) compare(each, function, op, joined);
        const auto &ops = fieldList(test, "ops"), &others = fieldList(test, "comparators");
        if (!isNode(test, "Compare") || ops.size() != 1 || others.size() != 1 || ops[0].text != op) return;
        const JsonValue& left = *test.find("left");
        const auto value = m_host.inside(function, others[0]);
        if (!value) return;
        const auto known = [&](const JsonValue* owner) -> Known* {
            if (owner == nullptr || !isNode(*owner, "Name")) return nullptr;
            Known& of = m_known[std::string(fieldText(*owner, "id"))];
            if (of.source.empty()) of.source = "line " + std::to_string(lineOf(test)) + " checks";
            return &of;
        };
        const std::string attribute(fieldText(left, "attr"));
        if (isNode(left, "Subscript")) {
            const JsonValue* shape = partOf(left, "value");
            const auto axis = integerIn(*left.find("slice")), size = integerIn(*value);
            if (shape == nullptr || fieldText(*shape, "attr") != "shape" || !axis || *axis < 0 || !size || *size < 1)
                return;
            if (Known* of = known(partOf(*shape, "value"))) of->axes[static_cast<std::size_t>(*axis)] = *size;
        } else if (attribute == "shape" && (isNode(*value, "Tuple") || isNode(*value, "List"))) {
            if (Known* of = known(partOf(left, "value"))) {
                const auto& sizes = fieldList(*value, "elts");
                of->rank = sizes.size();
                for (std::size_t i = 0; i < sizes.size(); ++i)
                    if (const auto size = integerIn(sizes[i]); size && *size > 0) of->axes[i] = *size;
            }
        } else if (attribute == "ndim" || isNode(left, "Call")) {
            const JsonValue* called = partOf(left, "func");
            const auto& arguments = fieldList(left, "args");
            const JsonValue* owner = called == nullptr              ? partOf(left, "value")
                                     : !arguments.empty()           ? &arguments[0]
                                     : isNode(*called, "Attribute") ? partOf(*called, "value")
                                                                    : nullptr;
            const std::string name = called == nullptr ? std::string() : dottedName(*called);
            const auto number = integerIn(*value);
            if (number && *number > 0 && *number < 16 && (called == nullptr || fieldText(*called, "attr") == "dim")) {
                if (Known* of = known(owner)) of->rank = static_cast<std::size_t>(*number);
            } else if (name.ends_with("format") && fieldText(*value, "kind") == "str") {
                if (Known* of = known(owner)) of->format = std::string(fieldText(*value, "value"));
            }
        }
        if (attribute == "dtype") {
            JsonValue cast = nodeLike(test, "Call"), method = attributeNode(test, nodeLike(test, "Unknown"), "to"),
                      arguments = JsonValue::array();
            JsonValue any = nodeLike(test, "HostTensor");
            any.add("shape", JsonValue::array());
            any.add("dtype", JsonValue::fromString(""));
            any.add("format", JsonValue::fromString("ND"));
            method = attributeNode(test, std::move(any), "to");
            arguments.push(*value);
            cast.add("func", std::move(method));
            cast.add("args", std::move(arguments));
            cast.add("keywords", JsonValue::array());
            if (const auto typed = m_host.inside(function, cast))
                if (Known* of = known(partOf(left, "value"))) of->type = std::string(fieldText(*typed, "dtype"));
        }
    }

    HostValues& m_host;
    std::map<std::string, Known> m_known;
};

/// How many axes a body treats a tensor as having; 0: it does not say.
std::size_t rankIn(const JsonValue& node, const std::string& name) {
    std::size_t rank = 0;
    const auto most = [&](std::size_t other) { rank = std::max(rank, other); };
    const auto isIt = [&](const JsonValue* each) { return each != nullptr && dottedName(*each) == name; };
    if (isNode(node, "Subscript") && isIt(partOf(node, "value"))) {
        const JsonValue& key = *node.find("slice");
        if (isNode(key, "Tuple")) most(fieldList(key, "elts").size());
    }
    if (isNode(node, "Subscript"))
        if (const JsonValue* shape = partOf(node, "value");
            shape != nullptr && fieldText(*shape, "attr") == "shape" && isIt(partOf(*shape, "value")))
            if (const auto axis = integerIn(*node.find("slice")); axis && *axis >= 0 && *axis < 8)
                most(static_cast<std::size_t>(*axis) + 1);
    if (isNode(node, "Call")) {
        const std::string function = dottedName(*node.find("func"));
        const auto& arguments = fieldList(node, "args");
        const auto length = [&](std::size_t place) {
            return place < arguments.size() ? fieldList(arguments[place], "elts").size() : 0;
        };
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!isIt(&arguments[i])) continue;
            if (function == "pypto.view" && i == 0) most(std::max(length(1), length(2)));
            if (function == "pypto.assemble" && i == 2) most(length(1));
            if ((function == "pypto.matmul" || function == "pypto.scaled_mm") && i < 2) most(2);
            if (function == "pypto.unsqueeze") most(1);
        }
    }
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) most(rankIn(member.value, name));
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) most(rankIn(item, name));
    }
    return rank;
}

std::string shownValue(const JsonValue& value) {
    const auto& elements = fieldList(value, "elts");
    if (isNode(value, "Object")) return "an object of known fields";
    if (isNode(value, "Constant")) return std::string(fieldText(value, "value"));
    if (!isNode(value, "List") && !isNode(value, "Tuple")) return dottedName(value);
    std::string text;
    for (std::size_t i = 0; i < elements.size() && i < 8; ++i) text += (i == 0 ? "" : ", ") + shownValue(elements[i]);
    return "[" + text + (elements.size() > 8 ? ", ..]" : "]");
}

/// Is every part of it a value of Python?
bool isKnownValue(const JsonValue& value) {
    if (isNode(value, "Object")) return true;
    if (isNode(value, "List") || isNode(value, "Tuple")) {
        const auto& elements = fieldList(value, "elts");
        return std::all_of(elements.begin(), elements.end(), isKnownValue);
    }
    return isConstantNode(value) || isNode(value, "Dict");
}

JsonValue dottedType(const JsonValue& place, const std::string& name) {
    return attributeNode(place, nameNode(place, "pypto"), name.substr(name.find('.') + 1));
}

/// The annotation of a tensor with all that is known; nothing where that is not enough.
std::optional<JsonValue> completed(const JsonValue& place, const JsonValue* annotation, const Known& known) {
    std::vector<JsonValue> axes;
    bool open = true;  // more axes than are written
    JsonValue type, format;
    if (annotation != nullptr && isNode(*annotation, "Call")) {
        const auto& arguments = fieldList(*annotation, "args");
        const auto part = [&](std::size_t at, const char* name) -> const JsonValue* {
            if (at < arguments.size()) return &arguments[at];
            for (const JsonValue& each : fieldList(*annotation, "keywords"))
                if (fieldText(each, "arg") == name) return each.find("value");
            return nullptr;
        };
        if (const JsonValue* shape = part(0, "shape")) axes = fieldList(*shape, "elts");
        if (const JsonValue* given = part(1, "dtype")) type = *given;
        if (const JsonValue* given = part(9, "format")) format = *given;
        const bool more = !axes.empty() && fieldText(axes.back(), "kind") == "ellipsis";
        open = axes.empty() || more;
        if (more) axes.pop_back();
    }
    const std::size_t rank = open ? std::max(known.rank, axes.size()) : axes.size();
    if (rank == 0) return std::nullopt;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const auto size = known.axes.find(axis);
        JsonValue number = size == known.axes.end() ? dottedType(place, "pypto.DYNAMIC")
                                                    : constantNode(place, {true, size->second, 0});
        if (axis >= axes.size())
            axes.push_back(std::move(number));
        else if (!integerIn(axes[axis]) && !isDynamic(axes[axis]) &&
                 (size != known.axes.end() || !isNode(axes[axis], "Name")))
            axes[axis] = std::move(number);
    }
    if (!type.isObject() && !known.type.empty()) type = dottedType(place, known.type);
    if (!format.isObject() && known.format == "NZ") format = dottedType(place, "pypto.TileOpFormat.TILEOP_NZ");
    JsonValue out = nodeLike(place, "Call"), list = nodeLike(place, "List"), items = JsonValue::array(),
              arguments = JsonValue::array(), keywords = JsonValue::array();
    items.items = std::move(axes);
    list.add("elts", std::move(items));
    arguments.push(std::move(list));
    if (type.isObject()) arguments.push(std::move(type));
    if (format.isObject()) {
        JsonValue keyword = nodeLike(place, "keyword");
        keyword.add("arg", JsonValue::fromString("format"));
        keyword.add("value", std::move(format));
        keywords.push(std::move(keyword));
    }
    out.add("func", dottedType(place, "pypto.Tensor"));
    out.add("args", std::move(arguments));
    out.add("keywords", std::move(keywords));
    return out;
}

bool isComplete(const JsonValue& annotation) {
    if (!isNode(annotation, "Call")) return false;
    const auto& arguments = fieldList(annotation, "args");
    if (arguments.empty() || fieldList(arguments[0], "elts").empty()) return false;
    const auto& axes = fieldList(arguments[0], "elts");
    const bool shape =
        std::all_of(axes.begin(), axes.end(), [](const JsonValue& each) { return integerIn(each) || isDynamic(each); });
    const auto& keywords = fieldList(annotation, "keywords");
    return shape && (arguments.size() > 1 || std::any_of(keywords.begin(), keywords.end(), [](const JsonValue& each) {
                         return fieldText(each, "arg") == "dtype";
                     }));
}

}  // namespace

void takeHostValue(const std::string& name, const JsonValue& value, KnownValues& constants) {
    if (isNode(value, "Object")) {
        for (const JsonMember& field : value.members)
            if (field.key.starts_with(".")) takeHostValue(name + field.key, field.value, constants);
        const auto& elements = fieldList(value, "elts");  // of a named tuple
        if (!elements.empty() && std::all_of(elements.begin(), elements.end(), isKnownValue))
            constants[name] = listNode(value, elements, "Tuple");
    } else if (isKnownValue(value)) {
        constants[name] = value;
    }
}

void completeParameters(JsonValue& kernel, const std::vector<JsonValue>& module, HostValues& host,
                        KnownValues& constants, std::vector<ImportNote>& guesses) {
    const std::string function(fieldText(kernel, "name"));
    JsonValue* arguments = kernel.find("args");
    if (arguments == nullptr) return;
    auto& list = listIn(*arguments, "args");
    std::vector<JsonValue> defaults = fieldList(*arguments, "defaults"), kept, keptDefaults;
    std::optional<Checks> checks;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const JsonValue* annotation = partOf(list[i], "annotation");
        const std::string name(fieldText(list[i], "arg"));
        const JsonValue* without =
            i + defaults.size() < list.size() ? nullptr : &defaults[i + defaults.size() - list.size()];
        const std::string kind =
            annotation == nullptr ? std::string()
                                  : dottedName(isNode(*annotation, "Call") ? *annotation->find("func") : *annotation);
        const bool tensor = kind == "pypto.Tensor" || kind == "pypto.tensor";
        const auto keep = [&] {
            kept.push_back(list[i]);
            if (without != nullptr) keptDefaults.push_back(*without);
        };
        JsonValue plain;
        if (tensor) {
            plain = *annotation;
            Simplifier(constants).expression(plain);
            if (isComplete(plain)) {
                keep();
                continue;
            }
        } else if (annotation != nullptr && isNode(*annotation, "Subscript")) {
            keep();
            continue;
        }
        auto value = host.given(function, name);
        const std::int64_t line = lineOf(list[i]);
        const bool nothing = !value || fieldText(*value, "kind") == "none";
        if (!tensor && nothing && constants.count(name) != 0) value = constants[name];
        const bool object = !value && !tensor && std::any_of(constants.begin(), constants.end(), [&](const auto& each) {
            return each.first.starts_with(name + ".");
        });
        if (object || (!tensor && value && !isNode(*value, "HostTensor") && isKnownValue(*value))) {
            if (value) takeHostValue(name, *value, constants);
            guesses.push_back({line,
                               name + " is taken as " + (value ? shownValue(*value) : "the object of that name") +
                                   ", which the module gives it",
                               true});
            continue;  // no parameter of the design
        }
        if (!tensor && !(value && isNode(*value, "HostTensor"))) {
            keep();
            continue;
        }
        if (!checks) checks.emplace(module, host);
        Known known = checks->of(name);
        if (value && isNode(*value, "HostTensor")) {
            if (known.source.empty()) known.source = "the module makes";
            take(known, *value);
        }
        for (const auto& [axis, size] : known.axes) known.rank = std::max(known.rank, axis + 1);
        if (known.rank == 0) known.rank = rankIn(kernel, name);
        if (auto full = completed(list[i], tensor ? &plain : nullptr, known)) {
            if (!known.source.empty())
                guesses.push_back({line,
                                   "the shape and type of " + name + " are taken as " + known.source +
                                       " them; its annotation leaves them to the caller",
                                   true});
            setField(list[i], "annotation", *std::move(full));
        }
        keep();
    }
    list = std::move(kept);
    JsonValue rest = JsonValue::array();
    rest.items = std::move(keptDefaults);
    setField(*arguments, "defaults", std::move(rest));
}

}  // namespace cubist::pypto

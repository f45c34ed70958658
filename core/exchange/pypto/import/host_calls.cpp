// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <utility>

#include "core/exchange/pypto/import/host_values.h"
#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

/// Of torch, as PyPTO calls it; empty: none.
std::string typeOf(const JsonValue& node) {
    const std::string name = dottedName(node);
    if (name.starts_with("pypto.DT_")) return name;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kTypes{
        {{"torch.float32", "pypto.DT_FP32"},
         {"torch.float", "pypto.DT_FP32"},
         {"torch.float16", "pypto.DT_FP16"},
         {"torch.half", "pypto.DT_FP16"},
         {"torch.bfloat16", "pypto.DT_BF16"},
         {"torch.int8", "pypto.DT_INT8"},
         {"torch.uint8", "pypto.DT_UINT8"},
         {"torch.int16", "pypto.DT_INT16"},
         {"torch.int32", "pypto.DT_INT32"},
         {"torch.int", "pypto.DT_INT32"},
         {"torch.int64", "pypto.DT_INT64"},
         {"torch.long", "pypto.DT_INT64"},
         {"torch.float8_e4m3fn", "pypto.DT_FP8E4M3"},
         {"torch.float8_e5m2", "pypto.DT_FP8E5M2"},
         {"torch.float8_e8m0fnu", "pypto.DT_FP8E8M0"},
         {"torch.bool", "pypto.DT_BOOL"}}};
    for (const auto& [torch, pypto] : kTypes)
        if (torch == name) return std::string(pypto);
    return {};
}

JsonValue tensorNode(const JsonValue& place, std::vector<JsonValue> shape, const std::string& type) {
    JsonValue tensor = nodeLike(place, "HostTensor"), axes = JsonValue::array();
    axes.items = std::move(shape);
    tensor.add("shape", std::move(axes));
    tensor.add("dtype", JsonValue::fromString(type));
    tensor.add("format", JsonValue::fromString("ND"));
    return tensor;
}

bool isList(const JsonValue& node) {
    return isNode(node, "List") || isNode(node, "Tuple");
}

std::optional<std::int64_t> integerIn(const JsonValue& node) {
    const auto number = numberIn(node);
    return number && number->isInteger ? std::optional(number->integer) : std::nullopt;
}

/// The size of an axis that a reshape calls -1.
void fillOpenAxis(std::vector<JsonValue>& shape, const std::vector<JsonValue>& from) {
    std::int64_t all = 1, given = 1;
    std::size_t open = shape.size();
    for (const JsonValue& each : from) {
        const auto size = integerIn(each);
        if (!size || *size < 1 || *size > (std::int64_t{1} << 24) || all > (std::int64_t{1} << 38)) return;
        all *= *size;
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto size = integerIn(shape[i]);
        if (size == -1)
            open = i;
        else if (size && *size > 0 && *size <= (std::int64_t{1} << 24) && given <= (std::int64_t{1} << 38))
            given *= *size;
        else
            return;
    }
    if (open < shape.size() && all % given == 0) shape[open] = constantNode(shape[open], {true, all / given, 0});
}

}  // namespace

HostValues::Value HostValues::call(const JsonValue& node, const Frame& frame, int depth) {
    if (spent(depth)) return std::nullopt;
    const JsonValue& function = *node.find("func");
    const std::string name = dottedName(function);
    if (name == "pypto.frontend.dynamic" || name == "pypto.dynamic")
        return attributeNode(node, nameNode(node, "pypto"), "DYNAMIC");
    if (const auto kind = m_classes.find(name); kind != m_classes.end())
        return object(*kind->second, node, frame, depth + 1);
    if (const Scope* called = name.empty() ? nullptr : scopeOf(name)) return returned(*called, node, frame, depth + 1);
    if (Value tensor = tensorCall(node, frame, depth + 1)) return tensor;
    if (name == "SimpleNamespace" || name == "types.SimpleNamespace" || name == "Namespace" ||
        name == "argparse.Namespace")
        return namespaceOf(node, frame, depth + 1);
    const bool replaces = name == "replace" || name == "dataclasses.replace";
    if (replaces || fieldText(function, "attr") == "_replace") {
        const auto& given = fieldList(node, "args");
        if (replaces ? given.size() != 1 : !given.empty()) return std::nullopt;
        const Value owner = evaluate(replaces ? given[0] : *function.find("value"), frame, depth + 1);
        if (!owner || !isNode(*owner, "Object")) return std::nullopt;
        return replaced(*owner, node, frame, depth + 1);
    }
    const auto arguments = elements(fieldList(node, "args"), frame, depth + 1);
    if ((name == "list" || name == "tuple") && arguments.size() == 1 && isList(arguments[0])) return arguments[0];
    if (name == "len" && arguments.size() == 1 && isList(arguments[0]))
        return constantNode(node, {true, static_cast<std::int64_t>(fieldList(arguments[0], "elts").size()), 0});
    JsonValue known = node, list = JsonValue::array();
    list.items = arguments;
    setField(known, "args", std::move(list));
    return evaluated(known);
}

/// An object of a data class, or of one whose __init__ keeps its parameters.
HostValues::Value HostValues::object(const JsonValue& kind, const JsonValue& call, const Frame& frame, int depth) {
    if (spent(depth)) return std::nullopt;
    std::vector<std::pair<std::string, Value>> fields;
    const Frame outside{m_scopes.front().get(), nullptr};
    const JsonValue *maker = nullptr, *after = nullptr;
    for (const JsonValue& each : fieldList(kind, "body")) {
        if (isNode(each, "FunctionDef") && fieldText(each, "name") == "__init__") maker = &each;
        if (isNode(each, "FunctionDef") && fieldText(each, "name") == "__post_init__") after = &each;
        const JsonValue* target = isNode(each, "AnnAssign") ? partOf(each, "target") : nullptr;
        if (target == nullptr || !isNode(*target, "Name")) continue;
        const JsonValue* value = partOf(each, "value");
        if (value != nullptr && isNode(*value, "Call") && dottedName(*value->find("func")).ends_with("field"))
            for (const JsonValue& keyword : fieldList(*value, "keywords")) {
                const JsonValue* given = partOf(keyword, "value");
                if (given != nullptr && fieldText(keyword, "arg") == "default_factory" && isNode(*given, "Lambda"))
                    value = partOf(*given, "body");
                else if (given != nullptr && fieldText(keyword, "arg") == "default")
                    value = given;
            }
        fields.emplace_back(std::string(fieldText(*target, "id")),
                            value == nullptr ? std::nullopt : evaluate(*value, outside, depth + 1));
    }
    const auto field = [&](const std::string& name) -> Value* {
        for (auto& [each, value] : fields)
            if (each == name) return &value;
        return nullptr;
    };
    if (maker != nullptr) {
        fields.clear();
        const JsonValue* parameters = partOf(*maker, "args");
        const auto names = parameters == nullptr ? std::vector<JsonValue>() : fieldList(*parameters, "args");
        const auto defaults = parameters == nullptr ? std::vector<JsonValue>() : fieldList(*parameters, "defaults");
        for (std::size_t i = 1; i < names.size(); ++i)
            fields.emplace_back(std::string(fieldText(names[i], "arg")),
                                i + defaults.size() < names.size()
                                    ? std::nullopt
                                    : evaluate(defaults[i + defaults.size() - names.size()], outside, depth + 1));
    }
    const auto given = elements(fieldList(call, "args"), frame, depth + 1);
    for (std::size_t i = 0; i < given.size() && i < fields.size(); ++i)
        fields[i].second = isNode(given[i], "Unknown") ? std::nullopt : Value(given[i]);
    for (const JsonValue& each : fieldList(call, "keywords"))
        if (Value* value = field(std::string(fieldText(each, "arg"))))
            *value = evaluate(*each.find("value"), frame, depth + 1);
    // `if self.x is None: self.x = ..`, and `self.x = x` of __init__
    const auto run = [&](const std::vector<JsonValue>& body, const auto& self) -> void {
        for (const JsonValue& each : body) {
            if (spent(depth)) return;
            std::map<std::string, JsonValue> names;
            JsonValue me = nodeLike(each, "Object");
            for (const auto& [name, value] : fields)
                if (value && me.find("." + name) == nullptr) {
                    me.add("." + name, *value);
                    if (maker != nullptr) names[name] = *value;
                }
            names["self"] = std::move(me);
            const Frame inside{m_scopes.front().get(), &names};
            if (isNode(each, "If")) {
                const Value test = evaluate(*each.find("test"), inside, depth + 1);
                const auto truth = test ? truthOf(*test) : std::nullopt;
                if (truth) self(fieldList(each, *truth ? "body" : "orelse"), self);
            }
            const auto& targets = fieldList(each, "targets");
            const std::string target = targets.size() == 1 ? dottedName(targets[0]) : std::string();
            if (!target.starts_with("self.")) continue;
            Value value = evaluate(*each.find("value"), inside, depth + 1);
            if (Value* known = field(target.substr(5)))
                *known = std::move(value);
            else
                fields.emplace_back(target.substr(5), std::move(value));
        }
    };
    if (const JsonValue* body = maker != nullptr ? maker : after) run(fieldList(*body, "body"), run);
    JsonValue out = nodeLike(call, "Object"), elements = JsonValue::array();
    const auto& bases = fieldList(kind, "bases");
    const bool tuple = std::any_of(bases.begin(), bases.end(),
                                   [](const JsonValue& each) { return dottedName(each).ends_with("NamedTuple"); });
    for (auto& [name, value] : fields) {
        elements.push(value ? *value : nodeLike(call, "Unknown"));
        if (value && out.find("." + name) == nullptr) out.add("." + name, *std::move(value));
    }
    if (tuple) {
        out.add("elts", std::move(elements));
        JsonValue names = JsonValue::array();
        for (const auto& each : fields) names.push(JsonValue::fromString(each.first));
        out.add("names", std::move(names));
    }
    return out;
}

/// An object that has the fields which the call names.
HostValues::Value HostValues::namespaceOf(const JsonValue& call, const Frame& frame, int depth) {
    if (spent(depth) || !fieldList(call, "args").empty()) return std::nullopt;
    JsonValue out = nodeLike(call, "Object");
    const auto set = [&](const std::string& name, Value value) {
        if (value && out.find("." + name) == nullptr) out.add("." + name, *std::move(value));
    };
    for (const JsonValue& each : fieldList(call, "keywords")) {
        Value value = evaluate(*each.find("value"), frame, depth + 1);
        const std::string name(fieldText(each, "arg"));
        if (!name.empty()) {
            set(name, std::move(value));
            continue;
        }
        if (!value || !isNode(*value, "Dict")) return std::nullopt;  // **of what is not known
        const auto &keys = fieldList(*value, "keys"), &values = fieldList(*value, "values");
        for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i)
            if (fieldText(keys[i], "kind") == "str") set(std::string(fieldText(keys[i], "value")), values[i]);
    }
    return out;
}

/// An object with other values in some of its fields.
HostValues::Value HostValues::replaced(const JsonValue& owner, const JsonValue& call, const Frame& frame, int depth) {
    JsonValue out = owner;
    for (const JsonValue& each : fieldList(call, "keywords")) {
        const std::string name(fieldText(each, "arg"));
        const Value value = evaluate(*each.find("value"), frame, depth + 1);
        if (name.empty() || !value) return std::nullopt;
        setField(out, "." + name, *value);
        const auto& names = fieldList(out, "names");
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i].text == name) out.find("elts")->items[i] = *value;
    }
    return out;
}

/// What a function of the module gives back, for these arguments.
HostValues::Value HostValues::returned(const Scope& function, const JsonValue& call, const Frame& frame, int depth) {
    if (function.result == nullptr || spent(depth)) return std::nullopt;
    std::map<std::string, JsonValue> given;
    if (const JsonValue* parameters = partOf(*function.function, "args"))
        for (const JsonValue& each : fieldList(*parameters, "args")) {
            const std::string name(fieldText(each, "arg"));
            Value value;
            const auto& names = fieldList(*parameters, "args");
            const auto place = static_cast<std::size_t>(&each - names.data());
            const auto arguments = elements(fieldList(call, "args"), frame, depth + 1);
            for (const JsonValue& keyword : fieldList(call, "keywords"))
                if (fieldText(keyword, "arg") == name) value = evaluate(*keyword.find("value"), frame, depth + 1);
            if (place < arguments.size()) value = arguments[place];
            const auto& defaults = fieldList(*parameters, "defaults");
            if (!value && place + defaults.size() >= names.size())
                value =
                    evaluate(defaults[place + defaults.size() - names.size()], {function.outer, nullptr}, depth + 1);
            given[name] = value ? *std::move(value) : nodeLike(each, "Unknown");
        }
    return evaluate(*function.result, {&function, &given}, depth + 1);
}

HostValues::Value HostValues::tensorCall(const JsonValue& node, const Frame& frame, int depth) {
    const JsonValue& function = *node.find("func");
    const std::string name = dottedName(function), method(fieldText(function, "attr"));
    const auto is = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), method) != names.end();
    };
    const auto keyword = [&](const char* wanted) -> Value {
        for (const JsonValue& each : fieldList(node, "keywords"))
            if (fieldText(each, "arg") == wanted) return evaluate(*each.find("value"), frame, depth + 1);
        return std::nullopt;
    };
    auto arguments = elements(fieldList(node, "args"), frame, depth + 1);
    const auto shapeFrom = [&](std::size_t first) {
        if (arguments.size() > first && isList(arguments[first])) return fieldList(arguments[first], "elts");
        std::vector<JsonValue> shape;
        for (std::size_t i = first; i < arguments.size() && !isNode(arguments[i], "Attribute"); ++i)
            shape.push_back(arguments[i]);
        return shape;
    };
    const auto keywordType = [&] {
        const Value given = keyword("dtype");
        return given ? typeOf(*given) : std::string();
    };
    if (name.starts_with("torch.")) {
        if (is({"rand", "randn", "zeros", "ones", "empty", "full", "randint"})) {
            std::vector<JsonValue> shape = shapeFrom(0);
            if (is({"full"}) && !arguments.empty() && isList(arguments[0])) shape = fieldList(arguments[0], "elts");
            if (is({"randint"}))
                for (const JsonValue& each : arguments)
                    if (isList(each)) shape = fieldList(each, "elts");
            if (const Value size = keyword("size"); size && isList(*size)) shape = fieldList(*size, "elts");
            const std::string type = keywordType();
            return tensorNode(node, std::move(shape),
                              !type.empty()     ? type
                              : is({"randint"}) ? "pypto.DT_INT64"
                                                : "pypto.DT_FP32");
        }
        if (!is({"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "round", "trunc", "abs",
                 "clamp"}) ||
            arguments.empty() || !isNode(arguments[0], "HostTensor"))
            return std::nullopt;
        if (const std::string type = keywordType(); !type.empty())
            setField(arguments[0], "dtype", JsonValue::fromString(type));
        return arguments[0];
    }
    if (method == "npu_format_cast" && arguments.size() > 1 && isNode(arguments[0], "HostTensor")) {
        const auto code = integerIn(arguments[1]);
        setField(arguments[0], "format", JsonValue::fromString(code == 29 ? "NZ" : "ND"));
        return arguments[0];
    }
    if (name == "pypto.from_torch" && !arguments.empty() && isNode(arguments[0], "HostTensor")) return arguments[0];
    if (!isNode(function, "Attribute") || name.starts_with("pypto.")) return std::nullopt;
    Value owner = evaluate(*function.find("value"), frame, depth + 1);
    if (!owner || !isNode(*owner, "HostTensor")) return std::nullopt;
    const auto& shape = fieldList(*owner, "shape");
    const auto typed = [&](const char* type) {
        setField(*owner, "dtype", JsonValue::fromString(type));
        return owner;
    };
    if (is({"npu", "cpu", "cuda", "clone", "contiguous", "detach", "uniform_", "normal_", "round", "abs", "trunc",
            "clamp"}))
        return owner;
    if (is({"float"})) return typed("pypto.DT_FP32");
    if (is({"half"})) return typed("pypto.DT_FP16");
    if (is({"bfloat16"})) return typed("pypto.DT_BF16");
    if (is({"to", "type"})) {
        if (const std::string type = keywordType(); !type.empty()) return typed(type.c_str());
        for (const JsonValue& each : arguments)
            if (const std::string type = typeOf(each); !type.empty()) return typed(type.c_str());
        return owner;
    }
    if (is({"dim"})) return constantNode(node, {true, static_cast<std::int64_t>(shape.size()), 0});
    if (is({"size"}) && arguments.size() == 1) {
        const auto axis = integerIn(arguments[0]);
        if (!axis || *axis < 0 || *axis >= static_cast<std::int64_t>(shape.size())) return std::nullopt;
        return shape[static_cast<std::size_t>(*axis)];
    }
    std::vector<JsonValue> changed = shape;
    if (is({"t"}) && shape.size() == 2) {
        std::swap(changed[0], changed[1]);
    } else if (is({"reshape", "view"})) {
        changed = shapeFrom(0);
        fillOpenAxis(changed, shape);
    } else if (is({"unsqueeze"}) && arguments.size() == 1) {
        const auto axis = integerIn(arguments[0]);
        if (!axis || *axis < 0 || *axis > static_cast<std::int64_t>(shape.size())) return std::nullopt;
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(*axis), constantNode(node, {true, 1, 0}));
    } else {
        return std::nullopt;
    }
    JsonValue axes = JsonValue::array();
    axes.items = std::move(changed);
    setField(*owner, "shape", std::move(axes));
    return owner;
}

}  // namespace cubist::pypto

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/host_values.h"

#include <algorithm>
#include <utility>

#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

JsonValue unknownNode(const JsonValue& place) {
    return nodeLike(place, "Unknown");
}

/// The part of a value that a target takes: `b` of `a, b = value`.
std::optional<JsonValue> takenBy(const JsonValue& target, const JsonValue& value, const std::string& name) {
    if (isNode(target, "Name")) return fieldText(target, "id") == name ? std::optional(value) : std::nullopt;
    const auto &targets = fieldList(target, "elts"), &values = fieldList(value, "elts");
    if (targets.size() != values.size()) return std::nullopt;
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (auto found = takenBy(targets[i], values[i], name)) return found;
    return std::nullopt;
}

void namesOfTarget(const JsonValue& target, std::vector<std::string>& names) {
    if (isNode(target, "Name")) names.emplace_back(fieldText(target, "id"));
    for (const JsonValue& each : fieldList(target, "elts")) namesOfTarget(each, names);
}

std::vector<std::string> parametersOf(const JsonValue& function) {
    std::vector<std::string> names;
    if (const JsonValue* arguments = partOf(function, "args"))
        for (const char* part : {"posonlyargs", "args", "kwonlyargs"})
            for (const JsonValue& each : fieldList(*arguments, part)) names.emplace_back(fieldText(each, "arg"));
    return names;
}

const JsonValue* defaultOf(const JsonValue& function, const std::string& name) {
    const JsonValue* arguments = partOf(function, "args");
    if (arguments == nullptr) return nullptr;
    const auto &names = fieldList(*arguments, "args"), &defaults = fieldList(*arguments, "defaults");
    for (std::size_t i = 0; i < names.size(); ++i)
        if (fieldText(names[i], "arg") == name && i + defaults.size() >= names.size())
            return &defaults[i + defaults.size() - names.size()];
    return nullptr;
}

/// Config = namedtuple("Config", ["m", "scale"]) or "m scale", as the class that it is.
std::optional<JsonValue> namedTuple(const JsonValue& node) {
    const JsonValue* call = isNode(node, "Assign") ? partOf(node, "value") : nullptr;
    const auto& targets = fieldList(node, "targets");
    if (call == nullptr || !isNode(*call, "Call") || targets.size() != 1 || !isNode(targets[0], "Name"))
        return std::nullopt;
    const std::string function = dottedName(*call->find("func"));
    const auto& given = fieldList(*call, "args");
    if ((function != "namedtuple" && function != "collections.namedtuple") || given.size() < 2) return std::nullopt;
    std::vector<std::string> names;
    for (const JsonValue& each : fieldList(given[1], "elts")) names.emplace_back(fieldText(each, "value"));
    std::string word;
    for (const char c : std::string(fieldText(given[1], "value")) + " ") {
        if (c != ' ' && c != ',') {
            word += c;
            continue;
        }
        if (!word.empty()) names.push_back(std::exchange(word, {}));
    }
    JsonValue made = nodeLike(node, "ClassDef"), bases = JsonValue::array(), body = JsonValue::array();
    bases.push(nameNode(node, "NamedTuple"));
    for (const std::string& name : names) {
        JsonValue field = nodeLike(node, "AnnAssign");
        field.add("target", nameNode(node, name));
        body.push(std::move(field));
    }
    made.add("name", JsonValue::fromString(std::string(fieldText(targets[0], "id"))));
    made.add("bases", std::move(bases));
    made.add("body", std::move(body));
    return made;
}

/// Wherever they stand.
bool sameValue(const JsonValue& a, const JsonValue& b) {
    const auto &x = fieldList(a, "elts"), &y = fieldList(b, "elts");
    if (x.empty() || x.size() != y.size()) return sameConstant(a, b) == true || a == b;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!sameValue(x[i], y[i])) return false;
    return true;
}

/// What a statement changes by `+=`, through an element, a field or a method.
void noteChanged(const JsonValue& node, std::set<std::string>& changed) {
    const auto take = [&](const JsonValue& target) {
        if (!isNode(target, "Name") || isNode(node, "AugAssign") || isNode(node, "Delete"))
            if (const std::string root = rootName(target); !root.empty()) changed.insert(root);
    };
    for (const JsonValue& each : fieldList(node, "targets")) take(each);
    if (const JsonValue* target = partOf(node, "target"); target != nullptr && !isNode(node, "For")) take(*target);
    const JsonValue* value = partOf(node, "value");
    const JsonValue* function = value != nullptr && isNode(*value, "Call") ? partOf(*value, "func") : nullptr;
    if (function != nullptr && isNode(*function, "Attribute") && changesOwner(fieldText(*function, "attr")))
        take(*function);
}

}  // namespace

HostValues::HostValues(const std::vector<JsonValue>& module) {
    m_scopes.push_back(std::make_unique<Scope>());
    walk(module, *m_scopes.front());
}

HostValues::~HostValues() = default;

void HostValues::walk(const std::vector<JsonValue>& body, Scope& scope, const JsonValue* test, bool wanted) {
    for (const JsonValue& node : body) {
        if (isNode(node, "FunctionDef")) {
            m_scopes.push_back(std::make_unique<Scope>());
            Scope& inner = *m_scopes.back();
            inner.function = &node;
            inner.outer = &scope;
            walk(fieldList(node, "body"), inner);
            continue;
        }
        if (isNode(node, "ClassDef")) {
            m_classes[std::string(fieldText(node, "name"))] = &node;
            m_scopes.push_back(std::make_unique<Scope>());
            Scope& inner = *m_scopes.back();
            inner.outer = &scope;
            walk(fieldList(node, "body"), inner);
            continue;
        }
        if (auto made = namedTuple(node)) {
            m_made.push_back(*std::move(made));
            m_classes[std::string(fieldText(m_made.back(), "name"))] = &m_made.back();
            continue;
        }
        const JsonValue* value = partOf(node, isNode(node, "For") ? "iter" : "value");
        std::vector<const JsonValue*> targets;
        for (const JsonValue& each : fieldList(node, "targets")) targets.push_back(&each);
        if (const JsonValue* target = partOf(node, "target"); target != nullptr && !isNode(node, "AugAssign"))
            targets.push_back(target);
        for (const JsonValue* target : targets) {
            std::vector<std::string> names;
            namesOfTarget(*target, names);
            for (const std::string& name : names)
                if (value != nullptr) scope.names[name].push_back({target, value, isNode(node, "For"), test, wanted});
        }
        noteChanged(node, scope.changed);
        if (isNode(node, "Return")) scope.result = value;
        for (const char* part : {"value", "test", "iter"})
            if (const JsonValue* each = partOf(node, part)) walkCalls(*each, scope);
        const JsonValue* inner = isNode(node, "If") ? partOf(node, "test") : test;
        for (const char* part : {"body", "orelse", "finalbody"}) {
            const bool branch = isNode(node, "If") ? std::string_view(part) == "body" : wanted;
            walk(fieldList(node, part), scope, inner, branch);
        }
    }
}

void HostValues::walkCalls(const JsonValue& node, Scope& scope) {
    if (isNode(node, "Call"))
        if (const JsonValue* function = partOf(node, "func")) {
            // kernel(..), and make(..)(..) of what a function makes
            const JsonValue* made = isNode(*function, "Call") ? partOf(*function, "func") : nullptr;
            const std::string name = made == nullptr ? dottedName(*function) : dottedName(*made) + "()";
            m_calls[name].push_back({&node, &scope});
        }
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) walkCalls(member.value, scope);
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) walkCalls(item, scope);
    }
}

const HostValues::Scope* HostValues::scopeOf(const std::string& function) const {
    for (const auto& scope : m_scopes)
        if (scope->function != nullptr && fieldText(*scope->function, "name") == function) return scope.get();
    return nullptr;
}

bool HostValues::isNested(const std::string& function) const {
    const Scope* scope = scopeOf(function);
    return scope != nullptr && scope->outer != nullptr && scope->outer->function != nullptr;
}

std::optional<JsonValue> HostValues::around(const std::string& function, const std::string& name) {
    const Scope* scope = scopeOf(function);
    m_steps = 0;
    m_strict = true;
    Value value = scope == nullptr ? std::nullopt : nameIn(name, {scope->outer, nullptr}, 0);
    m_strict = false;
    return value;
}

std::optional<JsonValue> HostValues::inside(const std::string& function, const JsonValue& expression) {
    m_steps = 0;
    const Scope* scope = scopeOf(function);
    return evaluate(expression, {scope != nullptr ? scope : m_scopes.front().get(), nullptr}, 0);
}

std::optional<JsonValue> HostValues::given(const std::string& function, const std::string& name) {
    const Scope* scope = scopeOf(function);
    m_steps = 0;
    if (scope == nullptr) return std::nullopt;
    std::vector<std::string> callees{function};
    const bool nested = isNested(function);
    if (nested) callees.push_back(std::string(fieldText(*scope->outer->function, "name")) + "()");
    // k = make(..); k(x, y)
    for (const auto& each : m_scopes)
        for (const auto& [variable, bindings] : each->names)
            for (const Scope::Binding& binding : bindings)
                if (nested && isNode(*binding.value, "Call") &&
                    dottedName(*binding.value->find("func")) == fieldText(*scope->outer->function, "name"))
                    callees.push_back(variable);
    for (const std::string& callee : callees)
        for (const Call& each : m_calls[callee])
            if (each.scope != scope)
                if (Value value = argument(each, *scope, name, 0)) return value;
    return std::nullopt;
}

HostValues::Value HostValues::nameIn(const std::string& name, const Frame& frame, int depth) {
    const auto* given = frame.given;
    for (const Scope* scope = frame.scope; scope != nullptr; scope = scope->outer, given = nullptr) {
        if (spent(depth)) return std::nullopt;
        if (given != nullptr)
            if (const auto found = given->find(name); found != given->end()) {
                spend(found->second);
                return found->second;
            }
        if (const auto found = scope->names.find(name); found != scope->names.end()) {
            if (m_strict && scope->changed.count(name) != 0) return std::nullopt;
            std::size_t tried = 0;
            Value first;
            for (const Scope::Binding& binding : found->second) {
                if (binding.test != nullptr) {
                    const Value test = evaluate(*binding.test, {scope, given}, depth + 1);
                    const auto truth = test ? truthOf(*test) : std::nullopt;
                    if (truth && *truth != binding.wanted) continue;
                }
                if (++tried > 3) return m_strict ? std::nullopt : first;
                Value value = evaluate(*binding.value, {scope, given}, depth + 1);
                if (value && binding.turns) {
                    const auto parts = fieldList(*value, "elts");
                    const bool one = !m_strict || parts.size() == 1;
                    value = parts.empty() || !one ? std::nullopt : std::optional(parts[0]);
                }
                if (value) value = takenBy(*binding.target, *value, name);
                if (!m_strict && value) return value;
                if (m_strict && (!value || (first && !sameValue(*first, *value)))) return std::nullopt;
                first = std::move(value);
            }
            return first;
        }
        if (scope->function == nullptr) continue;
        const auto parameters = parametersOf(*scope->function);
        if (std::find(parameters.begin(), parameters.end(), name) != parameters.end())
            return parameter(*scope, name, depth + 1);
    }
    return std::nullopt;
}

HostValues::Value HostValues::parameter(const Scope& scope, const std::string& name, int depth) {
    std::size_t tried = 0;
    Value first;
    for (const Call& each : m_calls[std::string(fieldText(*scope.function, "name"))]) {
        if (++tried > 4 || spent(depth)) break;
        if (each.scope == &scope) continue;
        Value value = argument(each, scope, name, depth + 1);
        if (first && !(value && sameValue(*value, *first))) m_chosen.insert(name);
        if (!first) first = std::move(value);
        if (first && !m_strict) break;
    }
    if (first) return first;
    const JsonValue* without = defaultOf(*scope.function, name);
    return without == nullptr ? std::nullopt : evaluate(*without, {scope.outer, nullptr}, depth + 1);
}

HostValues::Value HostValues::argument(const Call& call, const Scope& function, const std::string& name, int depth) {
    if (spent(depth)) return std::nullopt;
    const Frame frame{call.scope, nullptr};
    for (const JsonValue& each : fieldList(*call.node, "keywords"))
        if (fieldText(each, "arg") == name) return evaluate(*each.find("value"), frame, depth + 1);
    const auto names = parametersOf(*function.function);
    const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    const auto& arguments = fieldList(*call.node, "args");
    const bool spread =
        std::any_of(arguments.begin(), arguments.end(), [](const JsonValue& each) { return isNode(each, "Starred"); });
    if (!spread) {
        if (place < arguments.size()) return evaluate(arguments[place], frame, depth + 1);
        const JsonValue* without = defaultOf(*function.function, name);
        return without == nullptr ? std::nullopt : evaluate(*without, {function.outer, nullptr}, depth + 1);
    }
    const auto all = elements(arguments, frame, depth + 1);
    return place < all.size() && !isNode(all[place], "Unknown") ? std::optional(all[place]) : std::nullopt;
}

/// Values of a list, those of lists that are spread with them; "Unknown" for each that is not known.
std::vector<JsonValue> HostValues::elements(const std::vector<JsonValue>& nodes, const Frame& frame, int depth) {
    std::vector<JsonValue> out;
    for (const JsonValue& each : nodes) {
        const bool spread = isNode(each, "Starred");
        Value value = evaluate(spread ? *each.find("value") : each, frame, depth + 1);
        if (spread && !value) break;  // nobody knows how many
        if (!spread)
            out.push_back(value ? *std::move(value) : unknownNode(each));
        else
            for (const JsonValue& part : fieldList(*value, "elts")) out.push_back(part);
        if (out.size() > 4096) break;
    }
    return out;
}

HostValues::Value HostValues::evaluate(const JsonValue& node, const Frame& frame, int depth) {
    if (spent(depth)) return std::nullopt;
    if (isNode(node, "Constant") || isNode(node, "HostTensor") || isNode(node, "Object")) return node;
    if (isNode(node, "Name")) return nameIn(std::string(fieldText(node, "id")), frame, depth + 1);
    if (isNode(node, "Attribute")) return attribute(node, frame, depth + 1);
    if (isNode(node, "Subscript")) return element(node, frame, depth + 1);
    if (isNode(node, "Call")) return call(node, frame, depth + 1);
    if (isNode(node, "ListComp")) return listed(node, frame, depth + 1);
    if (isNode(node, "List") || isNode(node, "Tuple")) {
        JsonValue list = nodeLike(node, fieldText(node, "t")), items = JsonValue::array();
        items.items = elements(fieldList(node, "elts"), frame, depth + 1);
        list.add("elts", std::move(items));
        return list;
    }
    if (isNode(node, "Dict")) {
        JsonValue dict = nodeLike(node, "Dict");
        for (const char* part : {"keys", "values"}) {
            JsonValue items = JsonValue::array();
            items.items = elements(fieldList(node, part), frame, depth + 1);
            dict.add(part, std::move(items));
        }
        return dict;
    }
    if (isNode(node, "IfExp")) {
        const Value test = evaluate(*node.find("test"), frame, depth + 1);
        const auto truth = test ? truthOf(*test) : std::nullopt;
        return truth ? evaluate(*node.find(*truth ? "body" : "orelse"), frame, depth + 1) : std::nullopt;
    }
    if (!isNode(node, "BinOp") && !isNode(node, "UnaryOp") && !isNode(node, "Compare") && !isNode(node, "BoolOp"))
        return std::nullopt;
    JsonValue known = node;
    for (JsonMember& member : known.members) {
        if (member.value.isObject()) {
            Value value = evaluate(member.value, frame, depth + 1);
            member.value = value ? *std::move(value) : unknownNode(node);
            // Arithmetic with a number keeps the shape of a tensor.
            if (isNode(node, "BinOp") && isNode(member.value, "HostTensor")) return member.value;
        }
        for (JsonValue& item : member.value.items)
            if (item.isObject()) {
                Value value = evaluate(item, frame, depth + 1);
                item = value ? *std::move(value) : unknownNode(node);
            }
    }
    Value result = evaluated(known);
    if (result) spend(*result);
    return result;
}

HostValues::Value HostValues::attribute(const JsonValue& node, const Frame& frame, int depth) {
    const std::string name = dottedName(node);
    if (name.starts_with("pypto.") || name.starts_with("torch.")) return node;
    const Value owner = evaluate(*node.find("value"), frame, depth + 1);
    const std::string field(fieldText(node, "attr"));
    if (!owner) return std::nullopt;
    if (isNode(*owner, "Object")) {
        const JsonValue* value = owner->find("." + field);
        return value == nullptr ? std::nullopt : std::optional(*value);
    }
    if (!isNode(*owner, "HostTensor")) return std::nullopt;
    if (field == "shape") {
        JsonValue list = nodeLike(node, "Tuple"), items = JsonValue::array();
        items.items = fieldList(*owner, "shape");
        list.add("elts", std::move(items));
        return list;
    }
    const std::string type(fieldText(*owner, "dtype"));
    if (field != "dtype" || type.empty()) return std::nullopt;
    return attributeNode(node, nameNode(node, "pypto"), type.substr(type.find('.') + 1));
}

HostValues::Value HostValues::element(const JsonValue& node, const Frame& frame, int depth) {
    const Value list = evaluate(*node.find("value"), frame, depth + 1);
    const JsonValue& slice = *node.find("slice");
    if (!list) return std::nullopt;
    const bool dict = isNode(*list, "Dict");
    const auto& parts = fieldList(*list, dict ? "values" : "elts");
    const auto size = static_cast<std::int64_t>(parts.size());
    if (isNode(slice, "Slice")) {
        std::int64_t bounds[2] = {0, size};
        for (int i = 0; i < 2; ++i)
            if (const JsonValue* bound = partOf(slice, i == 0 ? "lower" : "upper")) {
                const Value value = evaluate(*bound, frame, depth + 1);
                const auto number = value ? numberIn(*value) : std::nullopt;
                if (!number || !number->isInteger || dict) return std::nullopt;
                bounds[i] =
                    std::clamp<std::int64_t>(number->integer < 0 ? number->integer + size : number->integer, 0, size);
            }
        if (partOf(slice, "step") != nullptr || dict || isNode(*list, "HostTensor")) return std::nullopt;
        JsonValue out = nodeLike(node, "Tuple"), items = JsonValue::array();
        for (std::int64_t i = bounds[0]; i < bounds[1]; ++i) items.push(parts[static_cast<std::size_t>(i)]);
        out.add("elts", std::move(items));
        return out;
    }
    const Value key = evaluate(slice, frame, depth + 1);
    if (!key) return std::nullopt;
    if (dict) {
        const auto& keys = fieldList(*list, "keys");
        for (std::size_t i = 0; i < keys.size() && i < parts.size(); ++i)
            if (fieldText(keys[i], "value") == fieldText(*key, "value") && isNode(*key, "Constant")) return parts[i];
        return std::nullopt;
    }
    const auto at = numberIn(*key);
    const std::int64_t place = at && at->isInteger ? (at->integer < 0 ? at->integer + size : at->integer) : -1;
    if (place < 0 || place >= size || isNode(parts[static_cast<std::size_t>(place)], "Unknown")) return std::nullopt;
    return parts[static_cast<std::size_t>(place)];
}

/// [f(x) for x in list], also over the pairs of a dictionary
HostValues::Value HostValues::listed(const JsonValue& node, const Frame& frame, int depth) {
    const auto& generators = fieldList(node, "generators");
    if (generators.size() != 1 || !fieldList(generators[0], "ifs").empty()) return std::nullopt;
    const JsonValue &iterator = *generators[0].find("iter"), &target = *generators[0].find("target");
    const bool items = isNode(iterator, "Call") && dottedName(*iterator.find("func")).ends_with(".items");
    const Value over = evaluate(items ? *iterator.find("func")->find("value") : iterator, frame, depth + 1);
    if (!over) return std::nullopt;
    std::vector<JsonValue> turns = fieldList(*over, isNode(*over, "Dict") ? "keys" : "elts");
    if (items) {
        const auto& values = fieldList(*over, "values");
        for (std::size_t i = 0; i < turns.size() && i < values.size(); ++i) {
            JsonValue pair = nodeLike(node, "Tuple"), both = JsonValue::array();
            both.push(turns[i]);
            both.push(values[i]);
            pair.add("elts", std::move(both));
            turns[i] = std::move(pair);
        }
    }
    std::vector<std::string> names;
    namesOfTarget(target, names);
    JsonValue list = nodeLike(node, "List"), out = JsonValue::array();
    for (const JsonValue& turn : turns) {
        std::map<std::string, JsonValue> given =
            frame.given == nullptr ? std::map<std::string, JsonValue>() : *frame.given;
        for (const std::string& name : names)
            if (auto part = takenBy(target, turn, name)) given[name] = *std::move(part);
        Value value = evaluate(*node.find("elt"), {frame.scope, &given}, depth + 1);
        out.push(value ? *std::move(value) : unknownNode(node));
        if (out.items.size() > 1024) return std::nullopt;
    }
    list.add("elts", std::move(out));
    return list;
}

}  // namespace cubist::pypto

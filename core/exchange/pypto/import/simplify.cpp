// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/simplify.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/pypto/import/inline_calls.h"
#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

using Statements = std::vector<JsonValue>;
using Constants = std::map<std::string, JsonValue>;

template <class Visit>
void forEachChild(JsonValue& node, const Visit& visit) {
    for (JsonMember& member : node.members) {
        if (member.value.isObject()) visit(member.value);
        for (JsonValue& item : member.value.items)
            if (item.isObject()) visit(item);
    }
}

/// What stands for `pypto` or a part of it: "pt" -> "pypto", "jit" -> "pypto.frontend.jit".
std::map<std::string, std::string> aliasesOf(const Statements& module) {
    std::map<std::string, std::string> aliases;
    for (const JsonValue& node : module) {
        const bool from = isNode(node, "ImportFrom");
        const std::string package(from ? fieldText(node, "module") : std::string_view());
        if (from && package != "pypto" && !package.starts_with("pypto.")) continue;
        if (!from && !isNode(node, "Import")) continue;
        for (const JsonValue& each : fieldList(node, "names")) {
            const std::string name(fieldText(each, "name")), given(fieldText(each, "asname"));
            if (from)
                aliases[given.empty() ? name : given] = package + "." + name;
            else if (!given.empty() && (name == "pypto" || name.starts_with("pypto.")))
                aliases[given] = name;
        }
    }
    return aliases;
}

JsonValue dottedNode(const JsonValue& place, const std::string& name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return nameNode(place, name);
    return attributeNode(place, dottedNode(place, name.substr(0, dot)), name.substr(dot + 1));
}

void nameAliases(JsonValue& node, const std::map<std::string, std::string>& aliases) {
    if (isNode(node, "Name")) {
        const auto found = aliases.find(std::string(fieldText(node, "id")));
        if (found != aliases.end()) node = dottedNode(node, found->second);
        return;
    }
    forEachChild(node, [&](JsonValue& child) { nameAliases(child, aliases); });
}

bool isConstant(const JsonValue& node) {
    return isNode(node, "Constant") || dottedName(node).starts_with("pypto.");
}
bool isCollection(const JsonValue& node) {
    return isNode(node, "List") || isNode(node, "Tuple") || isNode(node, "Dict");
}

/// Names that a body assigns, and how often.
void countAssigned(const JsonValue& node, std::map<std::string, int>& counts) {
    const auto target = [&](const JsonValue& each) {
        if (isNode(each, "Name")) ++counts[std::string(fieldText(each, "id"))];
        for (const JsonValue& part : fieldList(each, "elts"))
            if (isNode(part, "Name")) ++counts[std::string(fieldText(part, "id"))];
    };
    for (const JsonValue& each : fieldList(node, "targets")) target(each);
    if (const JsonValue* each = node.isObject() ? node.find("target") : nullptr) target(*each);
    for (const char* part : {"body", "orelse"})
        for (const JsonValue& statement : fieldList(node, part)) countAssigned(statement, counts);
}

class Simplifier {
public:
    explicit Simplifier(const Constants& constants) : m_constants(constants) {}

    /// Of an expression: constants put in and computed, methods as functions.
    void expression(JsonValue& node) {
        if (isNode(node, "Subscript")) {
            if (JsonValue* slice = node.find("slice")) expression(*slice);
            if (takeElement(node)) return;
            // A collection that the kernel indexes at run time keeps its name.
            JsonValue* value = node.find("value");
            if (value != nullptr && !isNode(*value, "Name")) expression(*value);
            return;
        }
        if (isNode(node, "Call") && dottedName(*node.find("func")) == "len") {
            const auto& arguments = fieldList(node, "args");
            const JsonValue* list = arguments.size() == 1 ? lookup(dottedName(arguments[0])) : nullptr;
            if (list != nullptr && (isNode(*list, "List") || isNode(*list, "Tuple"))) {
                node = constantNode(node, {true, static_cast<std::int64_t>(fieldList(*list, "elts").size()), 0});
                return;
            }
        }
        if (const JsonValue* known = lookup(dottedName(node))) {
            JsonValue copy = *known;
            for (const char* key : {"l", "c"})
                if (const JsonValue* place = node.find(key)) setField(copy, key, *place);
            node = std::move(copy);
            return;
        }
        forEachChild(node, [&](JsonValue& child) { expression(child); });
        spreadArguments(node);
        methodAsFunction(node);
        if (auto value = evaluated(node)) node = *std::move(value);
    }

    void statements(Statements& list) {
        Statements out;
        for (JsonValue& each : list) statement(std::move(each), out);
        list = std::move(out);
    }

    void kernel(JsonValue& function) {
        for (JsonValue& each : listOf(function, "decorator_list")) expression(each);
        std::map<std::string, int> counts;
        for (const JsonValue& each : fieldList(function, "body")) countAssigned(each, counts);
        takeParameters(function, counts);
        for (const auto& [name, count] : counts) m_constants.erase(name);
        m_once.clear();
        for (const auto& [name, count] : counts)
            if (count == 1) m_once.insert(name);
        statements(listOf(function, "body"));
    }

private:
    static Statements& listOf(JsonValue& node, std::string_view field) {
        static thread_local Statements nothing;
        nothing.clear();
        JsonValue* value = node.find(field);
        return value != nullptr && value->isArray() ? value->items : nothing;
    }

    [[nodiscard]] const JsonValue* lookup(const std::string& name) const {
        const auto found = name.empty() ? m_constants.end() : m_constants.find(name);
        return found == m_constants.end() ? nullptr : &found->second;
    }

    /// TILES[0], CONFIG["rows"]: an element of a constant collection.
    bool takeElement(JsonValue& node) const {
        const JsonValue* list = lookup(dottedName(*node.find("value")));
        if (list == nullptr) return false;
        const JsonValue& key = *node.find("slice");
        const JsonValue* found = nullptr;
        if (isNode(*list, "Dict")) {
            const auto &keys = fieldList(*list, "keys"), &values = fieldList(*list, "values");
            for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i)
                if (isNode(key, "Constant") && fieldText(keys[i], "value") == fieldText(key, "value") &&
                    fieldText(keys[i], "kind") == fieldText(key, "kind"))
                    found = &values[i];
        } else if (const auto at = numberIn(key); at && at->isInteger) {
            const auto& elements = fieldList(*list, "elts");
            const auto size = static_cast<std::int64_t>(elements.size());
            const std::int64_t place = at->integer < 0 ? at->integer + size : at->integer;
            if (place >= 0 && place < size) found = &elements[static_cast<std::size_t>(place)];
        }
        if (found == nullptr) return false;
        JsonValue copy = *found;
        node = std::move(copy);
        return true;
    }

    /// f(*TILE) of a constant collection.
    void spreadArguments(JsonValue& node) const {
        if (!isNode(node, "Call")) return;
        JsonValue arguments = JsonValue::array();
        for (const JsonValue& each : fieldList(node, "args")) {
            const JsonValue* value = isNode(each, "Starred") ? each.find("value") : nullptr;
            if (value == nullptr || !isCollection(*value) || isNode(*value, "Dict"))
                arguments.push(each);
            else
                for (const JsonValue& part : fieldList(*value, "elts")) arguments.push(part);
        }
        setField(node, "args", std::move(arguments));
    }

    /// x.view(..) becomes pypto.view(x, ..), out.assemble(x, offsets) pypto.assemble(x, offsets, out).
    static void methodAsFunction(JsonValue& node) {
        if (!isNode(node, "Call") || !isNode(*node.find("func"), "Attribute")) return;
        const JsonValue function = *node.find("func");
        const std::string method(fieldText(function, "attr"));
        if (method != "view" && method != "reshape" && method != "matmul" && method != "assemble") return;
        const JsonValue* owner = function.find("value");
        if (owner == nullptr || dottedName(*owner).starts_with("pypto")) return;
        JsonValue arguments = JsonValue::array();
        if (method != "assemble") arguments.push(*owner);
        for (const JsonValue& each : fieldList(node, "args")) arguments.push(each);
        if (method == "assemble") arguments.push(*owner);
        setField(node, "func", attributeNode(function, nameNode(function, "pypto"), method));
        setField(node, "args", std::move(arguments));
    }

    void statement(JsonValue node, Statements& out) {
        if (isNode(node, "AnnAssign") && node.find("value") != nullptr && node.find("value")->isObject())
            node = assignNode(node, *node.find("target"), *node.find("value"));
        if (isNode(node, "AugAssign") && isNode(*node.find("target"), "Name")) {
            JsonValue sum = nodeLike(node, "BinOp");
            sum.add("left", *node.find("target"));
            sum.add("op", JsonValue::fromString(std::string(fieldText(node, "op"))));
            sum.add("right", *node.find("value"));
            node = assignNode(node, *node.find("target"), std::move(sum));
        }
        for (const char* part : {"value", "test", "iter"})
            if (JsonValue* child = node.find(part); child != nullptr && child->isObject()) expression(*child);
        if (isNode(node, "Assign")) {
            assignment(std::move(node), out);
            return;
        }
        if (isNode(node, "If") && isNode(*node.find("test"), "Constant")) {
            const std::string_view truth = fieldText(*node.find("test"), "value");
            const bool taken = truth != "False" && truth != "0" && !truth.empty();
            for (JsonValue& each : listOf(node, taken ? "body" : "orelse")) statement(std::move(each), out);
            return;
        }
        for (const char* part : {"body", "orelse"})
            if (JsonValue* child = node.find(part); child != nullptr && child->isArray()) statements(child->items);
        out.push_back(std::move(node));
    }

    void assignment(JsonValue node, Statements& out) {
        JsonValue& target = node.find("targets")->items[0];
        JsonValue& value = *node.find("value");
        const auto &names = fieldList(target, "elts"), &values = fieldList(value, "elts");
        if (!names.empty() && names.size() == values.size() && independent(names, values)) {
            for (std::size_t i = 0; i < names.size(); ++i) assignment(assignNode(node, names[i], values[i]), out);
            return;
        }
        for (JsonValue& each : node.find("targets")->items)
            if (isNode(each, "Subscript")) {
                if (JsonValue* slice = each.find("slice")) expression(*slice);
            }
        // A name with one constant value in all of the kernel stands for it from here on.
        const std::string name = dottedName(target);
        if (isNode(target, "Name") && m_once.count(name) != 0 && (isConstant(value) || isCollection(value)) &&
            !isNode(value, "Dict"))
            m_constants[name] = value;
        out.push_back(std::move(node));
    }

    /// Does no value read a name that is assigned before it?
    static bool independent(const Statements& names, const Statements& values) {
        std::set<std::string> taken;
        for (const JsonValue& each : names) {
            if (!isNode(each, "Name")) return false;
            taken.emplace(fieldText(each, "id"));
        }
        return std::none_of(values.begin(), values.end(), [&](const JsonValue& each) { return reads(each, taken); });
    }
    static bool reads(const JsonValue& node, const std::set<std::string>& names) {
        if (isNode(node, "Name") && names.count(std::string(fieldText(node, "id"))) != 0) return true;
        for (const JsonMember& member : node.members) {
            if (member.value.isObject() && reads(member.value, names)) return true;
            for (const JsonValue& item : member.value.items)
                if (item.isObject() && reads(item, names)) return true;
        }
        return false;
    }

    /// Annotations, and the values of parameters that are no tensors: their default, or that of their class.
    void takeParameters(JsonValue& function, const std::map<std::string, int>& assigned) {
        JsonValue* arguments = function.find("args");
        if (arguments == nullptr) return;
        auto& list = listOf(*arguments, "args");
        const auto& defaults = fieldList(*arguments, "defaults");
        std::map<std::string, JsonValue> values;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string name(fieldText(list[i], "arg"));
            JsonValue* annotation = list[i].find("annotation");
            if (annotation != nullptr && annotation->isObject()) {
                const std::string kind = dottedName(*annotation);
                for (const auto& [constant, value] : m_constants)
                    if (!kind.empty() && constant.starts_with(kind + "."))
                        values[name + constant.substr(kind.size())] = value;
                expression(*annotation);
                // x.dtype of a parameter
                if (isNode(*annotation, "Call") && dottedName(*annotation->find("func")).starts_with("pypto."))
                    if (const auto& given = fieldList(*annotation, "args"); given.size() > 1 && isConstant(given[1]))
                        values[name + ".dtype"] = given[1];
            }
            if (i + defaults.size() < list.size()) continue;
            JsonValue given = defaults[i + defaults.size() - list.size()];
            expression(given);
            if (isConstant(given) && assigned.count(name) == 0) values[name] = std::move(given);
        }
        for (const JsonValue& each : list) m_constants.erase(std::string(fieldText(each, "arg")));
        for (auto& [name, value] : values) m_constants[name] = std::move(value);
    }

    Constants m_constants;
    std::set<std::string> m_once;
};

/// Constants of the module and of its classes: "ROWS", "Config.rows", "CONFIG.rows".
Constants constantsOf(Statements& module) {
    Constants constants;
    const auto take = [&](const std::string& name, JsonValue value) {
        if (isNode(value, "Call") && dottedName(*value.find("func")).ends_with("field")) {
            JsonValue made = value;
            for (const JsonValue& each : fieldList(value, "keywords"))
                if (const JsonValue* maker = each.find("value");
                    fieldText(each, "arg") == "default_factory" && maker != nullptr && isNode(*maker, "Lambda"))
                    made = *maker->find("body");
            value = std::move(made);
        }
        Simplifier(constants).expression(value);
        if (isConstant(value) || isCollection(value)) constants[name] = std::move(value);
    };
    const auto instance = [&](const std::string& name, const JsonValue& call) {
        const std::string kind = dottedName(*call.find("func"));
        Constants made;
        for (const auto& [constant, value] : constants)
            if (!kind.empty() && constant.starts_with(kind + ".")) made[name + constant.substr(kind.size())] = value;
        if (made.empty()) return;
        for (const JsonValue& each : fieldList(call, "keywords"))
            made[name + "." + std::string(fieldText(each, "arg"))] = *each.find("value");
        for (auto& [constant, value] : made) take(constant, std::move(value));
    };
    const auto assigned = [&](const JsonValue& node, const std::string& owner) {
        const auto& targets = fieldList(node, "targets");
        const JsonValue* target = isNode(node, "AnnAssign") ? node.find("target")
                                  : targets.size() == 1     ? &targets[0]
                                                            : nullptr;
        const JsonValue* value = node.find("value");
        if (target == nullptr || value == nullptr || !value->isObject()) return;
        const auto &names = fieldList(*target, "elts"), &values = fieldList(*value, "elts");
        for (std::size_t i = 0; i < names.size() && names.size() == values.size(); ++i)
            if (isNode(names[i], "Name")) take(owner + std::string(fieldText(names[i], "id")), values[i]);
        if (!isNode(*target, "Name")) return;
        const std::string name = owner + std::string(fieldText(*target, "id"));
        if (isNode(*value, "Call") && owner.empty()) instance(name, *value);
        take(name, *value);
    };
    for (const JsonValue& node : module) {
        if (isNode(node, "Assign") || isNode(node, "AnnAssign")) assigned(node, {});
        if (isNode(node, "ClassDef"))
            for (const JsonValue& each : fieldList(node, "body"))
                if (isNode(each, "Assign") || isNode(each, "AnnAssign"))
                    assigned(each, std::string(fieldText(node, "name")) + ".");
    }
    return constants;
}

bool isKernel(const JsonValue& node) {
    if (!isNode(node, "FunctionDef")) return false;
    for (const JsonValue& each : fieldList(node, "decorator_list")) {
        const JsonValue* called = isNode(each, "Call") ? each.find("func") : &each;
        const std::string name = called == nullptr ? std::string() : dottedName(*called);
        if (name == "pypto.frontend.jit" || name == "pypto.jit") return true;
    }
    return false;
}

/// A kernel that a function or a class makes, with the functions beside it.
bool hoist(const Statements& list, Statements& module, int depth) {
    if (depth > 8) return false;
    for (const JsonValue& node : list) {
        const auto& body = fieldList(node, "body");
        if (std::any_of(body.begin(), body.end(), isKernel)) {
            for (const JsonValue& each : body)
                if (isNode(each, "FunctionDef") || isNode(each, "Assign")) module.push_back(each);
            return true;
        }
        if (!body.empty() && hoist(body, module, depth + 1)) return true;
    }
    return false;
}

}  // namespace

void simplifyModule(JsonValue& tree) {
    JsonValue* body = tree.find("body");
    if (body == nullptr || !body->isArray()) return;
    Statements& module = body->items;
    if (const auto aliases = aliasesOf(module); !aliases.empty())
        for (JsonValue& node : module) nameAliases(node, aliases);
    if (std::none_of(module.begin(), module.end(), isKernel)) {
        const Statements all = module;
        (void)hoist(all, module, 0);
    }
    const Constants constants = constantsOf(module);
    inlineCalls(module);
    for (JsonValue& node : module)
        if (isKernel(node)) Simplifier(constants).kernel(node);
}

}  // namespace cubist::pypto

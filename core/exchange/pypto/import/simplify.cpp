// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/simplify.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/pypto/import/ast_node.h"
#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/host_values.h"
#include "core/exchange/pypto/import/inline_calls.h"
#include "core/exchange/pypto/import/kernel_parameters.h"
#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

using Statements = std::vector<JsonValue>;

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
        // A name that the module gives something else is no alias any more.
        for (const auto& [name, count] : changesOf(node).assigned)
            if (!isNode(node, "Import") && !isNode(node, "ImportFrom")) aliases.erase(name);
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

/// `from pypto import *`: names that neither the module nor Python defines.
void takeStar(const Statements& module, std::map<std::string, std::string>& aliases) {
    if (aliases.erase("*") == 0) return;
    std::set<std::string> used, own;
    const auto look = [&](const JsonValue& node, const auto& self) -> void {
        if (isNode(node, "Name")) used.emplace(fieldText(node, "id"));
        if (isNode(node, "arg")) own.emplace(fieldText(node, "arg"));
        if (isNode(node, "FunctionDef") || isNode(node, "ClassDef")) own.emplace(fieldText(node, "name"));
        const JsonValue* target = node.find("target");
        if (target != nullptr && target->isObject()) addNames(*target, own);
        for (const JsonValue& each : fieldList(node, "targets"))
            if (!isNode(each, "Subscript") && !isNode(each, "Attribute")) addNames(each, own);
        for (const JsonMember& member : node.members) {
            if (member.value.isObject()) self(member.value, self);
            for (const JsonValue& item : member.value.items)
                if (item.isObject()) self(item, self);
        }
    };
    for (const JsonValue& node : module) {
        look(node, look);
        if (isNode(node, "Import") || isNode(node, "ImportFrom"))
            for (const auto& [name, count] : changesOf(node).assigned) own.insert(name);
    }
    for (const std::string& name : used)
        if (own.count(name) == 0 && !leavesArgumentsAlone(name) && name != "self" && !name.starts_with("__"))
            aliases.try_emplace(name, "pypto." + name);
}

/// @my_jit, where `my_jit = pypto.frontend.jit(..)`, and partial(pypto.frontend.jit, ..).
void nameDecorators(JsonValue& node, const std::map<std::string, JsonValue>& made) {
    if (isNode(node, "FunctionDef"))
        for (JsonValue& each : listIn(node, "decorator_list")) {
            const bool call = isNode(each, "Call");
            const auto found = made.find(dottedName(call ? *each.find("func") : each));
            if (found == made.end()) continue;
            JsonValue decorator = found->second;
            if (call) {
                if (!isNode(decorator, "Call")) {
                    JsonValue jit = nodeLike(each, "Call");
                    jit.add("func", decorator);
                    jit.add("args", JsonValue::array());
                    jit.add("keywords", JsonValue::array());
                    decorator = std::move(jit);
                }
                JsonValue keywords = JsonValue::array();
                const auto& given = fieldList(each, "keywords");
                for (const JsonValue& old : fieldList(decorator, "keywords"))
                    if (std::none_of(given.begin(), given.end(), [&](const JsonValue& other) {
                            return fieldText(other, "arg") == fieldText(old, "arg");
                        }))
                        keywords.push(old);
                for (const JsonValue& other : given) keywords.push(other);
                setField(decorator, "keywords", std::move(keywords));
            }
            each = std::move(decorator);
        }
    for (const char* part : {"body", "orelse"})
        for (JsonValue& each : listIn(node, part)) nameDecorators(each, made);
}

std::map<std::string, JsonValue> decoratorsOf(const Statements& module) {
    std::map<std::string, JsonValue> made;
    for (const JsonValue& node : module) {
        const auto& targets = fieldList(node, "targets");
        for (const auto& [name, count] : changesOf(node).assigned) made.erase(name);
        if (!isNode(node, "Assign") || targets.size() != 1 || !isNode(targets[0], "Name")) continue;
        JsonValue value = *node.find("value");
        const std::string function = isNode(value, "Call") ? dottedName(*value.find("func")) : dottedName(value);
        const auto isJit = [](const std::string& name) { return name == "pypto.frontend.jit" || name == "pypto.jit"; };
        if (function == "partial" || function == "functools.partial") {
            const auto arguments = fieldList(value, "args");
            if (arguments.size() != 1 || !isJit(dottedName(arguments[0]))) continue;
            setField(value, "func", arguments[0]);
            setField(value, "args", JsonValue::array());
        } else if (!isJit(function)) {
            continue;
        }
        made[std::string(fieldText(targets[0], "id"))] = std::move(value);
    }
    return made;
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

/// What the factory of a field of a data class makes.
JsonValue ofField(const JsonValue& value) {
    if (!isNode(value, "Call") || !dottedName(*value.find("func")).ends_with("field")) return value;
    for (const JsonValue& each : fieldList(value, "keywords")) {
        const JsonValue* given = each.find("value");
        if (fieldText(each, "arg") == "default_factory" && given != nullptr && isNode(*given, "Lambda"))
            return *given->find("body");
        if (fieldText(each, "arg") == "default" && given != nullptr) return *given;
    }
    return value;
}

/// "Config.rows" of a class of the module.
void takeClass(const JsonValue& node, KnownValues& constants) {
    KnownValues own = constants;
    for (const JsonValue& each : fieldList(node, "body")) {
        const auto& targets = fieldList(each, "targets");
        const JsonValue* target = isNode(each, "AnnAssign") ? each.find("target")
                                  : targets.size() == 1     ? &targets[0]
                                                            : nullptr;
        const JsonValue* given = each.find("value");
        if (target == nullptr || given == nullptr || !given->isObject() || !isNode(*target, "Name")) {
            for (const auto& [name, count] : changesOf(each).assigned) own.erase(name);
            continue;
        }
        JsonValue value = ofField(*given);
        Simplifier(own).expression(value);
        const std::string name(fieldText(*target, "id")), field = std::string(fieldText(node, "name")) + "." + name;
        constants.erase(field);
        own.erase(name);
        if (!isConstantNode(value) && !isCollectionNode(value)) continue;
        own[name] = value;
        constants[field] = std::move(value);
    }
}

/// Names of the module that a function may change when it is called; what it assigns itself is its own.
void changedByFunctions(const JsonValue& node, std::set<std::string>& names) {
    if (isNode(node, "FunctionDef")) {
        Changes changes;
        for (const JsonValue& each : fieldList(node, "body")) addChanges(each, changes);
        std::set<std::string> own;
        if (const JsonValue* parameters = node.find("args"))
            for (const char* part : {"posonlyargs", "args", "kwonlyargs"})
                for (const JsonValue& each : fieldList(*parameters, part)) own.emplace(fieldText(each, "arg"));
        const auto globals = [&](const JsonValue& each, const auto& self) -> void {
            if (isNode(each, "Global"))
                if (const JsonValue* list = each.find("names"))
                    for (const JsonValue& name : list->items) names.insert(name.text);
            for (const JsonMember& member : each.members)
                for (const JsonValue& item : member.value.items)
                    if (item.isObject()) self(item, self);
        };
        globals(node, globals);
        // Through an element, a field or a method; not what is only handed on.
        const auto direct = [&](const JsonValue& each, const auto& self) -> void {
            const JsonValue* function = isNode(each, "Call") ? each.find("func") : nullptr;
            std::vector<const JsonValue*> changed;
            if (function != nullptr && isNode(*function, "Attribute") && changesOwner(fieldText(*function, "attr")))
                changed.push_back(function);
            for (const JsonValue& target : fieldList(each, "targets")) changed.push_back(&target);
            if (const JsonValue* target = each.find("target"); target != nullptr && target->isObject())
                changed.push_back(target);
            for (const JsonValue* target : changed)
                if (const std::string root = rootName(*target); !isNode(*target, "Name") && !root.empty() &&
                                                                own.count(root) == 0 &&
                                                                changes.assigned.count(root) == 0)
                    names.insert(root);
            for (const JsonMember& member : each.members) {
                if (member.value.isObject()) self(member.value, self);
                for (const JsonValue& item : member.value.items)
                    if (item.isObject()) self(item, self);
            }
        };
        direct(node, direct);
        return;
    }
    for (const char* part : {"body", "orelse"})
        for (const JsonValue& each : fieldList(node, part)) changedByFunctions(each, names);
}

/// Constants of the module and of its classes as the module leaves them: "ROWS", "Config.rows", "CONFIG.rows".
KnownValues constantsOf(const Statements& module, HostValues& host) {
    Simplifier simplifier({});
    std::map<std::string, int> written;  // of objects: the host's reader takes the first
    for (const JsonValue& node : module)
        for (const auto& [name, count] : changesOf(node).assigned) written[name] += count;
    simplifier.setObjects([&](const JsonValue& node, KnownValues& constants) {
        if (isNode(node, "ClassDef")) return takeClass(node, constants);
        const auto& targets = fieldList(node, "targets");
        const JsonValue* target = isNode(node, "AnnAssign") ? node.find("target")
                                  : targets.size() == 1     ? &targets[0]
                                                            : nullptr;
        const JsonValue* value = partOf(node, "value");
        if (target == nullptr || value == nullptr || !isNode(*target, "Name") || !isNode(*value, "Call")) return;
        const std::string name(fieldText(*target, "id"));
        if (constants.count(name) != 0) return;
        JsonValue call = *value;
        Simplifier(constants).expression(call);
        const auto object = host.inside({}, call);
        if (object) return takeHostValue(name, *object, constants);
        if (written[name] > 1) return;
        // An object of a class whose parameters are not all known has the others of its class.
        const std::string kind = dottedName(*value->find("func"));
        KnownValues made;
        for (const auto& [constant, of] : constants)
            if (!kind.empty() && constant.starts_with(kind + ".")) made[name + constant.substr(kind.size())] = of;
        if (made.empty() || !fieldList(*value, "args").empty()) return;
        for (const JsonValue& each : fieldList(*value, "keywords")) {
            JsonValue given = *each.find("value");
            Simplifier(constants).expression(given);
            const std::string field = name + "." + std::string(fieldText(each, "arg"));
            made.erase(field);
            if (isConstantNode(given) || isCollectionNode(given)) made[field] = std::move(given);
        }
        for (auto& [constant, of] : made) constants[constant] = std::move(of);
    });
    KnownValues constants = simplifier.module(module);
    std::set<std::string> changed;
    for (const JsonValue& node : module) changedByFunctions(node, changed);
    std::erase_if(constants, [&](const auto& each) {
        return changed.count(each.first) != 0 || changed.count(each.first.substr(0, each.first.find('.'))) != 0;
    });
    return constants;
}

/// Readers of the module take lists and numbers from its assignments: these say what the name is in the end.
void settleAssignments(Statements& module, const KnownValues& constants) {
    for (JsonValue& node : module) {
        auto& targets = listIn(node, "targets");
        if (!isNode(node, "Assign") || targets.size() != 1 || !isNode(targets[0], "Name")) continue;
        const std::string name(fieldText(targets[0], "id"));
        const JsonValue& value = *node.find("value");
        if (name == "CUBIST" || (!numberIn(value) && !isNode(value, "List") && !isNode(value, "Tuple"))) continue;
        const auto known = constants.find(name);
        JsonValue settled = known == constants.end() ? nodeLike(value, "Unknown") : known->second;
        setField(node, "value", std::move(settled));
    }
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
                if (!isNode(each, "Return")) module.push_back(each);
            return true;
        }
        if (!body.empty() && hoist(body, module, depth + 1)) return true;
    }
    return false;
}

/// Parameters that only take keywords, as the last of the others.
void takeKeywordOnly(JsonValue& node) {
    if (JsonValue* arguments = isNode(node, "FunctionDef") ? node.find("args") : nullptr) {
        const JsonValue* rest = arguments->find("vararg");
        const std::vector<JsonValue> more = fieldList(*arguments, "kwonlyargs"),
                                     given = fieldList(*arguments, "kw_defaults");
        const bool all = std::all_of(given.begin(), given.end(), [](const JsonValue& each) { return each.isObject(); });
        const bool none =
            std::none_of(given.begin(), given.end(), [](const JsonValue& each) { return each.isObject(); });
        auto& names = listIn(*arguments, "args");
        const bool fits = all || (none && fieldList(*arguments, "defaults").empty());
        if (!more.empty() && fits && more.size() == given.size() && !(rest != nullptr && rest->isObject())) {
            names.insert(names.end(), more.begin(), more.end());
            setField(*arguments, "kwonlyargs", JsonValue::array());
            setField(*arguments, "kw_defaults", JsonValue::array());
            if (all)
                for (const JsonValue& each : given) listIn(*arguments, "defaults").push_back(each);
        }
    }
    for (const char* part : {"body", "orelse"})
        for (JsonValue& each : listIn(node, part)) takeKeywordOnly(each);
}

}  // namespace

void simplifyModule(JsonValue& tree, std::vector<ImportNote>& guesses) {
    JsonValue* body = tree.find("body");
    if (body == nullptr || !body->isArray()) return;
    Statements& module = body->items;
    takeKeywordOnly(tree);
    auto aliases = aliasesOf(module);
    takeStar(module, aliases);
    if (!aliases.empty())
        for (JsonValue& node : module) nameAliases(node, aliases);
    if (const auto made = decoratorsOf(module); !made.empty())
        for (JsonValue& node : module) nameDecorators(node, made);
    if (std::none_of(module.begin(), module.end(), isKernel)) {
        const Statements all = module;
        (void)hoist(all, module, 0);
    }
    const Statements original = module;
    HostValues host(original);
    const KnownValues constants = constantsOf(original, host);
    std::set<std::string> lists;
    for (const JsonValue& node : original) {
        const auto& targets = fieldList(node, "targets");
        const JsonValue* value = partOf(node, "value");
        if (targets.size() != 1 || !isNode(targets[0], "Name") || value == nullptr) continue;
        if (isNode(*value, "List") || isNode(*value, "Tuple")) lists.emplace(fieldText(targets[0], "id"));
    }
    settleAssignments(module, constants);
    inlineCalls(module, original);
    for (JsonValue& node : module) {
        if (!isKernel(node)) continue;
        KnownValues known = constants;
        const std::string name(fieldText(node, "name"));
        if (host.isNested(name)) {
            std::set<std::string> names;
            addNames(node, names);
            for (const std::string& each : names)
                if (const auto value = host.around(name, each)) takeHostValue(each, *value, known);
            for (const std::string& each : host.chosen())
                guesses.push_back({AstNode(&node).line(),
                                   each + " is taken from the first call of the function that makes the kernel", true});
        }
        completeParameters(node, original, host, known, guesses);
        Simplifier simplifier(known);
        simplifier.kernel(node, lists);
        if (simplifier.tooLong())
            guesses.push_back(
                {AstNode(&node).line(), "its loops of Python are too long to be written out; only a part is read"});
    }
}

}  // namespace cubist::pypto

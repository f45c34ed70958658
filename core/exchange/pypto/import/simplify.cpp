// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/simplify.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/pypto/import/ast_node.h"
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

/// KnownValues of the module and of its classes: "ROWS", "Config.rows", "CONFIG.rows".
KnownValues constantsOf(Statements& module) {
    KnownValues constants;
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
        if (isConstantNode(value) || isCollectionNode(value)) constants[name] = std::move(value);
    };
    const auto instance = [&](const std::string& name, const JsonValue& call) {
        const std::string kind = dottedName(*call.find("func"));
        KnownValues made;
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

void namesIn(const JsonValue& node, std::set<std::string>& names) {
    if (isNode(node, "Name")) names.emplace(fieldText(node, "id"));
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) namesIn(member.value, names);
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) namesIn(item, names);
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
                if (isNode(each, "FunctionDef") || isNode(each, "Assign")) module.push_back(each);
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
    if (const auto aliases = aliasesOf(module); !aliases.empty())
        for (JsonValue& node : module) nameAliases(node, aliases);
    if (std::none_of(module.begin(), module.end(), isKernel)) {
        const Statements all = module;
        (void)hoist(all, module, 0);
    }
    const Statements original = module;
    HostValues host(original);
    KnownValues constants = constantsOf(module);
    std::set<std::string> lists;
    for (const JsonValue& node : original) {
        const auto& targets = fieldList(node, "targets");
        const JsonValue* value = partOf(node, "value");
        if (targets.size() != 1 || !isNode(targets[0], "Name") || value == nullptr) continue;
        const std::string name(fieldText(targets[0], "id"));
        if (isNode(*value, "List") || isNode(*value, "Tuple")) lists.insert(name);
        if (isNode(*value, "Call"))
            if (const auto object = host.inside({}, *value)) takeHostValue(name, *object, constants);
    }
    inlineCalls(module, original);
    for (JsonValue& node : module) {
        if (!isKernel(node)) continue;
        KnownValues known = constants;
        const std::string name(fieldText(node, "name"));
        if (host.isNested(name)) {
            std::set<std::string> names;
            namesIn(node, names);
            for (const std::string& each : names)
                if (const auto value = host.around(name, each)) takeHostValue(each, *value, known);
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

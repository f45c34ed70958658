// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/changed_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

template <std::size_t Size>
bool isIn(const std::array<std::string_view, Size>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Visit>
void forEachChild(const JsonValue& node, const Visit& visit) {
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) visit(member.value);
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) visit(item);
    }
}

void take(const JsonValue& target, Changes& changes) {
    if (isNode(target, "Name")) {
        ++changes.assigned[std::string(fieldText(target, "id"))];
    } else if (isNode(target, "Subscript") || isNode(target, "Attribute")) {
        if (const std::string name = rootName(target); !name.empty()) changes.mutated.insert(name);
    } else if (isNode(target, "Starred")) {
        if (const JsonValue* value = target.find("value")) take(*value, changes);
    }
    for (const JsonValue& each : fieldList(target, "elts")) take(each, changes);
}

void takeText(const JsonValue& node, const char* field, Changes& changes) {
    if (const std::string_view name = fieldText(node, field); !name.empty()) ++changes.assigned[std::string(name)];
}

/// `nonlocal x` in an inner function; its own names stay its own.
void takeInner(const JsonValue& body, Changes& changes) {
    Changes inner;
    const auto outer = [&](const JsonValue& node, const auto& self) -> void {
        if (isNode(node, "Nonlocal") || isNode(node, "Global"))
            if (const JsonValue* names = node.find("names"))
                for (const JsonValue& each : names->items) ++changes.assigned[each.text];
        forEachChild(node, [&](const JsonValue& child) { self(child, self); });
    };
    outer(body, outer);
    if (const JsonValue* parameters = body.find("args"))
        for (const char* part : {"posonlyargs", "args", "kwonlyargs"})
            for (const JsonValue& each : fieldList(*parameters, part)) takeText(each, "arg", inner);
    forEachChild(body, [&](const JsonValue& child) { addChanges(child, inner); });
    changes.nodes += inner.nodes;
    for (const std::string& name : inner.mutated)
        if (inner.assigned.count(name) == 0) changes.mutated.insert(name);
}

}  // namespace

std::string rootName(const JsonValue& node) {
    if (isNode(node, "Name")) return std::string(fieldText(node, "id"));
    if (!isNode(node, "Attribute") && !isNode(node, "Subscript") && !isNode(node, "Starred")) return {};
    const JsonValue* value = node.find("value");
    return value == nullptr ? std::string() : rootName(*value);
}

bool leavesArgumentsAlone(const std::string& function) {
    constexpr std::array<std::string_view, 34> kBuiltins{
        "len",  "range", "sum",      "min",       "max",       "sorted",  "list",       "tuple", "dict",
        "set",  "zip",   "reversed", "enumerate", "print",     "str",     "int",        "float", "bool",
        "any",  "all",   "abs",      "round",     "divmod",    "pow",     "isinstance", "type",  "repr",
        "hash", "id",    "format",   "slice",     "frozenset", "hasattr", "getattr"};
    if (isIn(kBuiltins, function)) return true;
    if (function == "copy.copy" || function == "copy.deepcopy" || function == "deepcopy") return true;
    constexpr std::array<std::string_view, 8> kModules{"pypto.", "math.",    "np.",     "numpy.",
                                                       "torch.", "logging.", "logger.", "os."};
    return std::any_of(kModules.begin(), kModules.end(),
                       [&](std::string_view module) { return function.starts_with(module); });
}

bool leavesOwnerAlone(std::string_view method) {
    constexpr std::array<std::string_view, 24> kMethods{
        "copy",    "get",   "keys",  "values", "items",   "index",      "count",    "format",
        "join",    "split", "lower", "upper",  "strip",   "startswith", "endswith", "_replace",
        "_asdict", "exp",   "sum",   "view",   "reshape", "min",        "max",      "cast"};
    return isIn(kMethods, method);
}

bool changesOwner(std::string_view method) {
    constexpr std::array<std::string_view, 13> kMethods{"append",     "extend",  "insert", "pop",    "clear",
                                                        "remove",     "reverse", "sort",   "update", "popitem",
                                                        "setdefault", "add",     "discard"};
    return isIn(kMethods, method);
}

bool hasNode(const JsonValue& node, std::string_view type) {
    if (isNode(node, type)) return true;
    bool found = false;
    forEachChild(node, [&](const JsonValue& child) { found = found || hasNode(child, type); });
    return found;
}

void addChanges(const JsonValue& node, Changes& changes) {
    ++changes.nodes;
    const std::string_view type = fieldText(node, "t");
    if (type == "FunctionDef" || type == "AsyncFunctionDef" || type == "ClassDef") {
        takeText(node, "name", changes);
        takeInner(node, changes);
        return;
    }
    if (type == "Lambda") return takeInner(node, changes);
    for (const JsonValue& each : fieldList(node, "targets")) take(each, changes);
    // Targets of comprehensions are their own.
    if (const JsonValue* target = type == "comprehension" ? nullptr : node.find("target");
        target != nullptr && target->isObject())
        take(*target, changes);
    if (const JsonValue* target = node.find("optional_vars"); target != nullptr && target->isObject())
        take(*target, changes);
    if (type == "ExceptHandler" || type == "MatchAs" || type == "MatchStar") takeText(node, "name", changes);
    if (type == "MatchMapping") takeText(node, "rest", changes);
    if (type == "Import" || type == "ImportFrom")
        for (const JsonValue& each : fieldList(node, "names"))
            takeText(each, fieldText(each, "asname").empty() ? "name" : "asname", changes);
    if (type == "Global" || type == "Nonlocal")
        if (const JsonValue* names = node.find("names"))
            for (const JsonValue& each : names->items) ++changes.assigned[each.text];
    if (type == "Call") {
        const JsonValue& function = *node.find("func");
        const std::string name = dottedName(function);
        const bool method = isNode(function, "Attribute") && !leavesArgumentsAlone(name);
        if (method && !leavesOwnerAlone(fieldText(function, "attr")))
            if (const std::string root = rootName(function); !root.empty()) changes.mutated.insert(root);
        // What append and its like are given they keep, and leave alone.
        const std::string_view attribute = fieldText(function, "attr");
        const bool kept = method && (changesOwner(attribute) || leavesOwnerAlone(attribute));
        if (!kept && !leavesArgumentsAlone(name)) {
            for (const JsonValue& each : fieldList(node, "args"))
                if (const std::string root = rootName(each); !root.empty()) changes.mutated.insert(root);
            for (const JsonValue& each : fieldList(node, "keywords"))
                if (const std::string root = rootName(*each.find("value")); !root.empty()) changes.mutated.insert(root);
        }
    }
    forEachChild(node, [&](const JsonValue& child) { addChanges(child, changes); });
}

Changes changesOf(const JsonValue& node) {
    Changes changes;
    addChanges(node, changes);
    return changes;
}

void addNames(const JsonValue& node, std::set<std::string>& names) {
    if (isNode(node, "Name")) names.emplace(fieldText(node, "id"));
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) addNames(member.value, names);
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) addNames(item, names);
    }
}

bool reads(const JsonValue& node, const std::set<std::string>& names) {
    if (isNode(node, "Name") && names.count(std::string(fieldText(node, "id"))) != 0) return true;
    for (const JsonMember& member : node.members) {
        if (member.value.isObject() && reads(member.value, names)) return true;
        for (const JsonValue& item : member.value.items)
            if (item.isObject() && reads(item, names)) return true;
    }
    return false;
}

bool hasTensorCall(const JsonValue& node) {
    if (isNode(node, "Call")) {
        const std::string name = dottedName(*node.find("func"));
        if (name.starts_with("pypto.") && name != "pypto.min" && name != "pypto.max" && name != "pypto.ceildiv")
            return true;
    }
    for (const JsonMember& member : node.members) {
        if (member.value.isObject() && hasTensorCall(member.value)) return true;
        for (const JsonValue& item : member.value.items)
            if (item.isObject() && hasTensorCall(item)) return true;
    }
    return false;
}

}  // namespace cubist::pypto

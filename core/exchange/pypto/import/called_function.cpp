// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/called_function.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {

CalledFunction calledFunction(const JsonValue& function, std::size_t mostNodes) {
    CalledFunction out;
    std::set<std::string> read;
    const auto look = [&](const JsonValue& node) {
        for (const char* type : {"Yield", "YieldFrom", "Await", "Global"})
            out.cannot = out.cannot || hasNode(node, type);
        addChanges(node, out.changes);
        addNames(node, read);
        out.nodes += nodesIn(node, mostNodes);
    };
    const auto parameters = parametersOf(function);
    out.parameters = parameters.size();
    if (isNode(function, "Lambda")) {
        look(*function.find("body"));
        for (const JsonValue& each : parameters) out.own.emplace(fieldText(each, "arg"));
    } else {
        const auto& list = fieldList(function, "body");
        for (const JsonValue& each : list) look(each);
        out.own = ownNames(function);
        Statements plain;
        std::copy_if(list.begin(), list.end(), std::back_inserter(plain),
                     [](const JsonValue& each) { return !isString(each) && !isNode(each, "Nonlocal"); });
        out.early = returnsEarly(plain, true);
    }
    if (const JsonValue* arguments = function.find("args"))
        for (const char* part : {"defaults", "kw_defaults"})
            for (const JsonValue& each : fieldList(*arguments, part)) out.nodes += nodesIn(each, mostNodes);
    std::set_difference(read.begin(), read.end(), out.own.begin(), out.own.end(), std::back_inserter(out.read));
    return out;
}

bool bindArguments(const JsonValue& call, const JsonValue& function, Names& given, std::set<std::string>& defaulted) {
    const JsonValue* parameters = function.find("args");
    if (parameters == nullptr) return false;
    const JsonValue *rest = parameters->find("vararg"), *named = parameters->find("kwarg");
    const bool takesAny = named != nullptr && named->isObject();
    const bool collects = rest != nullptr && rest->isObject();
    std::vector<const JsonValue*> names;
    for (const char* part : {"posonlyargs", "args"})
        for (const JsonValue& each : fieldList(*parameters, part)) names.push_back(&each);
    const auto& defaults = fieldList(*parameters, "defaults");
    const auto& arguments = fieldList(call, "args");
    if (arguments.size() > names.size() && !collects) return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name(fieldText(*names[i], "arg"));
        if (i < arguments.size()) {
            given[name] = arguments[i];
        } else if (i + defaults.size() >= names.size()) {
            given[name] = defaults[i + defaults.size() - names.size()];
            defaulted.insert(name);
        }
    }
    const auto &only = fieldList(*parameters, "kwonlyargs"), &without = fieldList(*parameters, "kw_defaults");
    for (std::size_t i = 0; i < only.size() && i < without.size(); ++i)
        if (without[i].isObject()) {
            const std::string name(fieldText(only[i], "arg"));
            given[name] = without[i];
            defaulted.insert(name);
        }
    if (collects) {
        std::vector<JsonValue> more;
        for (std::size_t i = names.size(); i < arguments.size(); ++i) more.push_back(arguments[i]);
        given[std::string(fieldText(*rest, "arg"))] = listNode(call, std::move(more), "Tuple");
    }
    const auto isParameter = [&](const std::string& name) {
        const auto is = [&](const JsonValue& each) { return fieldText(each, "arg") == name; };
        return std::any_of(names.begin(), names.end(), [&](const JsonValue* each) { return is(*each); }) ||
               std::any_of(only.begin(), only.end(), is);
    };
    JsonValue others = nodeLike(call, "Dict"), keys = JsonValue::array(), values = JsonValue::array();
    for (const JsonValue& each : fieldList(call, "keywords")) {
        const std::string name(fieldText(each, "arg"));
        if (name.empty()) return false;
        if (takesAny && !isParameter(name)) {
            JsonValue key = nodeLike(each, "Constant");
            key.add("kind", JsonValue::fromString("str"));
            key.add("value", JsonValue::fromString(name));
            keys.push(std::move(key));
            values.push(*each.find("value"));
            continue;
        }
        given[name] = *each.find("value");
        defaulted.erase(name);
    }
    if (takesAny) {
        others.add("keys", std::move(keys));
        others.add("values", std::move(values));
        given[std::string(fieldText(*named, "arg"))] = std::move(others);
    }
    return given.size() == names.size() + only.size() + (collects ? 1 : 0) + (takesAny ? 1 : 0) &&
           std::none_of(arguments.begin(), arguments.end(),
                        [](const JsonValue& each) { return isNode(each, "Starred"); });
}

bool changesDefault(const Names& given, const std::set<std::string>& defaulted, const Changes& changes) {
    return std::any_of(defaulted.begin(), defaulted.end(), [&](const std::string& name) {
        const auto found = given.find(name);
        return found != given.end() && isMutableNode(found->second) && changes.mutated.count(name) != 0;
    });
}

}  // namespace cubist::pypto

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/inline_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

using Statements = std::vector<JsonValue>;

constexpr int kDepth = 8;
constexpr std::size_t kStatements = 20'000;  // written out in all
constexpr std::size_t kReturning = 1'000;    // of a function that returns from several places

bool isString(const JsonValue& statement) {
    const JsonValue* value = isNode(statement, "Expr") ? statement.find("value") : nullptr;
    return value != nullptr && isNode(*value, "Constant") && fieldText(*value, "kind") == "str";
}

/// Is there a return anywhere but at the end?
bool returnsEarly(const Statements& body, bool outermost) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (isNode(body[i], "Return") && !(outermost && i + 1 == body.size())) return true;
        for (const char* part : {"body", "orelse"})
            if (returnsEarly(fieldList(body[i], part), false)) return true;
    }
    return false;
}

bool returns(const JsonValue& node) {
    if (isNode(node, "Return")) return true;
    for (const char* part : {"body", "orelse", "finalbody", "handlers"}) {
        const auto& list = fieldList(node, part);
        if (!isNode(node, "FunctionDef") && std::any_of(list.begin(), list.end(), returns)) return true;
    }
    return false;
}

/// Every way through the statements assigns `target` instead of returning: what follows an `if` that returns goes into
/// its branches. False: a loop returns, or there would be too many statements.
bool assignReturned(const Statements& list, const JsonValue& target, Statements& out, std::size_t& count) {
    const auto none = [&] {
        JsonValue value = nodeLike(target, "Constant");
        value.add("kind", JsonValue::fromString("none"));
        value.add("value", JsonValue::fromString(""));
        return value;
    };
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (++count > kReturning) return false;
        if (isNode(list[i], "Return")) {
            const JsonValue* value = list[i].find("value");
            out.push_back(assignNode(list[i], target, value != nullptr && value->isObject() ? *value : none()));
            return true;
        }
        if (!returns(list[i])) {
            out.push_back(list[i]);
            continue;
        }
        if (!isNode(list[i], "If")) return false;
        JsonValue branches = list[i];
        for (const char* part : {"body", "orelse"}) {
            Statements whole = fieldList(list[i], part);
            whole.insert(whole.end(), list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end());
            JsonValue made = JsonValue::array();
            if (!assignReturned(whole, target, made.items, count)) return false;
            setField(branches, part, std::move(made));
        }
        out.push_back(std::move(branches));
        return true;
    }
    out.push_back(assignNode(target, target, none()));
    return true;
}

void renameIn(JsonValue& node, const std::map<std::string, JsonValue>& names) {
    if (isNode(node, "Name")) {
        const auto found = names.find(std::string(fieldText(node, "id")));
        if (found != names.end()) {
            JsonValue copy = found->second;
            for (const char* key : {"l", "c"})
                if (const JsonValue* place = node.find(key)) setField(copy, key, *place);
            node = std::move(copy);
        }
        return;
    }
    for (JsonMember& member : node.members) {
        if (member.value.isObject()) renameIn(member.value, names);
        for (JsonValue& item : member.value.items)
            if (item.isObject()) renameIn(item, names);
    }
}

void assignedIn(const JsonValue& node, std::set<std::string>& names) {
    const auto target = [&](const JsonValue& each) {
        if (isNode(each, "Name")) names.emplace(fieldText(each, "id"));
        for (const JsonValue& part : fieldList(each, "elts"))
            if (isNode(part, "Name")) names.emplace(fieldText(part, "id"));
    };
    for (const JsonValue& each : fieldList(node, "targets")) target(each);
    if (const JsonValue* each = node.isObject() ? node.find("target") : nullptr) target(*each);
    for (const char* part : {"body", "orelse"})
        for (const JsonValue& statement : fieldList(node, part)) assignedIn(statement, names);
}

class Inliner {
public:
    explicit Inliner(const Statements& module) {
        for (const JsonValue& node : module)
            if (isNode(node, "FunctionDef") && !jit(node)) m_functions[std::string(fieldText(node, "name"))] = &node;
    }

    static bool jit(const JsonValue& function) {
        for (const JsonValue& each : fieldList(function, "decorator_list")) {
            const JsonValue* called = isNode(each, "Call") ? each.find("func") : &each;
            if (called != nullptr && dottedName(*called).ends_with("jit")) return true;
        }
        return false;
    }

    void body(Statements& list, int depth) {
        Statements out;
        for (JsonValue& node : list) {
            for (const char* part : {"body", "orelse"})
                if (JsonValue* child = node.find(part); child != nullptr && child->isArray()) body(child->items, depth);
            for (const char* part : {"value", "test", "iter"})
                if (JsonValue* child = node.find(part); child != nullptr && child->isObject())
                    expression(*child, out, depth);
            // A call whose value nobody takes has been written out.
            const JsonValue* value = isNode(node, "Expr") ? node.find("value") : nullptr;
            if (value != nullptr && (isNode(*value, "Name") || fieldText(*value, "kind") == "none")) continue;
            out.push_back(std::move(node));
        }
        list = std::move(out);
    }

private:
    void expression(JsonValue& node, Statements& before, int depth) {
        for (JsonMember& member : node.members) {
            if (member.value.isObject()) expression(member.value, before, depth);
            for (JsonValue& item : member.value.items)
                if (item.isObject()) expression(item, before, depth);
        }
        if (!isNode(node, "Call") || !isNode(*node.find("func"), "Name")) return;
        const auto found = m_functions.find(std::string(fieldText(*node.find("func"), "id")));
        if (found != m_functions.end()) writeOut(node, *found->second, before, depth);
    }

    /// Parameters by name: what is given, else the default; nothing when they do not fit.
    static bool bind(const JsonValue& call, const JsonValue& function, std::map<std::string, JsonValue>& given) {
        const JsonValue* parameters = function.find("args");
        if (parameters == nullptr) return false;
        const JsonValue *rest = parameters->find("vararg"), *named = parameters->find("kwarg");
        if (named != nullptr && named->isObject()) return false;
        const bool collects = rest != nullptr && rest->isObject();
        const auto &names = fieldList(*parameters, "args"), &defaults = fieldList(*parameters, "defaults");
        const auto& arguments = fieldList(call, "args");
        if (arguments.size() > names.size() && !collects) return false;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string name(fieldText(names[i], "arg"));
            if (i < arguments.size())
                given[name] = arguments[i];
            else if (i + defaults.size() >= names.size())
                given[name] = defaults[i + defaults.size() - names.size()];
        }
        const auto &only = fieldList(*parameters, "kwonlyargs"), &without = fieldList(*parameters, "kw_defaults");
        for (std::size_t i = 0; i < only.size() && i < without.size(); ++i)
            if (without[i].isObject()) given[std::string(fieldText(only[i], "arg"))] = without[i];
        if (collects) {
            JsonValue tuple = nodeLike(call, "Tuple"), elements = JsonValue::array();
            for (std::size_t i = names.size(); i < arguments.size(); ++i) elements.push(arguments[i]);
            tuple.add("elts", std::move(elements));
            given[std::string(fieldText(*rest, "arg"))] = std::move(tuple);
        }
        for (const JsonValue& each : fieldList(call, "keywords")) {
            const std::string name(fieldText(each, "arg"));
            if (name.empty()) return false;
            given[name] = *each.find("value");
        }
        return given.size() == names.size() + only.size() + (collects ? 1 : 0) &&
               std::none_of(arguments.begin(), arguments.end(),
                            [](const JsonValue& each) { return isNode(each, "Starred"); });
    }

    void writeOut(JsonValue& call, const JsonValue& function, Statements& before, int depth) {
        Statements list = fieldList(function, "body");
        if (depth >= kDepth || m_written + list.size() > kStatements) return;
        std::map<std::string, JsonValue> given;
        if (!bind(call, function, given)) return;
        list.erase(std::remove_if(list.begin(), list.end(), isString), list.end());
        const bool early = returnsEarly(list, true);
        const std::string returned = std::string(fieldText(function, "name")) + "_return";
        if (early) {
            Statements checked;
            std::size_t count = 0;
            if (!assignReturned(list, call, checked, count)) return;
            m_written += count;
        }
        m_written += list.size();

        std::set<std::string> assigned;
        for (const JsonValue& each : list) assignedIn(each, assigned);
        const std::string prefix = std::string(fieldText(function, "name")) + "_";
        const std::string number = ++m_calls == 1 ? std::string() : "_" + std::to_string(m_calls);
        std::map<std::string, JsonValue> names;
        for (const std::string& each : assigned)
            if (given.count(each) == 0) names[each] = nameNode(call, prefix + each + number);
        for (auto& [parameter, value] : given) {
            const bool plain = isNode(value, "Name") || isNode(value, "Constant") || !dottedName(value).empty();
            if (plain && assigned.count(parameter) == 0) {
                names[parameter] = value;
                continue;
            }
            JsonValue target = nameNode(call, prefix + parameter + number);
            before.push_back(assignNode(call, target, value));
            names[parameter] = std::move(target);
        }
        for (JsonValue& each : list) renameIn(each, names);
        JsonValue result = nodeLike(call, "Constant");
        result.add("kind", JsonValue::fromString("none"));
        result.add("value", JsonValue::fromString(""));
        if (early) {
            Statements all = std::exchange(list, {});
            std::size_t count = 0;
            result = nameNode(call, returned + number);
            (void)assignReturned(all, result, list, count);
        } else if (!list.empty() && isNode(list.back(), "Return")) {
            if (const JsonValue* value = list.back().find("value"); value != nullptr && value->isObject())
                result = *value;
            list.pop_back();
        }
        // What the function calls itself; the returned expression too.
        body(list, depth + 1);
        for (JsonValue& each : list) before.push_back(std::move(each));
        expression(result, before, depth + 1);
        call = std::move(result);
    }

    std::map<std::string, const JsonValue*> m_functions;
    std::size_t m_written = 0;
    int m_calls = 0;
};

}  // namespace

void inlineCalls(std::vector<JsonValue>& module, const std::vector<JsonValue>& original) {
    Inliner inliner(original);
    for (JsonValue& node : module)
        if (isNode(node, "FunctionDef") && Inliner::jit(node))
            if (JsonValue* body = node.find("body"); body != nullptr && body->isArray()) inliner.body(body->items, 0);
}

}  // namespace cubist::pypto

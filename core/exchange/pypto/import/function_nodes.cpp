// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/function_nodes.h"

#include <algorithm>
#include <utility>

#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kCases = 128;              // of a match: each one is an `else` further inside
constexpr std::size_t kReturning = 1'000;        // statements of a function that returns from several places
constexpr std::size_t kReturningNodes = 20'000;  // nodes that are copied for them

bool returns(const JsonValue& node) {
    return !isNode(node, "FunctionDef") && hasNode(node, "Return");
}

/// The condition under which a pattern of `match` fits, where it binds nothing; nothing for others.
std::optional<JsonValue> conditionOf(const JsonValue& pattern, const JsonValue& subject) {
    const auto compare = [&](const JsonValue& value, const char* op) {
        JsonValue test = nodeLike(pattern, "Compare"), ops = JsonValue::array(), others = JsonValue::array();
        ops.push(JsonValue::fromString(op));
        others.push(value);
        test.add("left", subject);
        test.add("ops", std::move(ops));
        test.add("comparators", std::move(others));
        return test;
    };
    if (isNode(pattern, "MatchValue")) return compare(*pattern.find("value"), "Eq");
    if (isNode(pattern, "MatchOr")) {
        JsonValue any = nodeLike(pattern, "BoolOp"), values = JsonValue::array();
        for (const JsonValue& each : fieldList(pattern, "patterns")) {
            auto test = conditionOf(each, subject);
            if (!test) return std::nullopt;
            values.push(*std::move(test));
        }
        any.add("op", JsonValue::fromString("Or"));
        any.add("values", std::move(values));
        return any;
    }
    const JsonValue* inner = pattern.find("pattern");
    const bool wildcard =
        isNode(pattern, "MatchAs") && fieldText(pattern, "name").empty() && (inner == nullptr || !inner->isObject());
    return wildcard ? std::optional(truthNode(pattern, true)) : std::nullopt;
}

}  // namespace

bool isString(const JsonValue& statement) {
    const JsonValue* value = isNode(statement, "Expr") ? statement.find("value") : nullptr;
    return value != nullptr && isNode(*value, "Constant") && fieldText(*value, "kind") == "str";
}

/// Is there a return anywhere but at the end?
bool returnsEarly(const Statements& body, bool outermost) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (isNode(body[i], "Return") && !(outermost && i + 1 == body.size())) return true;
        if (!isNode(body[i], "Return") && returns(body[i])) return true;
    }
    return false;
}

/// The statements that assign what a function returns, within bounds of statements and of nodes that are copied.
class Returned {
public:
    Returned(const JsonValue& target, std::size_t& count) : m_target(target), m_count(count) {}

    bool assign(const Statements& list, Statements& out) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (++m_count > kReturning || !affordable(list[i])) return false;
            if (isNode(list[i], "Return")) {
                const JsonValue* value = list[i].find("value");
                out.push_back(assignNode(list[i], m_target, value != nullptr && value->isObject() ? *value : none()));
                return true;
            }
            if (!returns(list[i])) {
                out.push_back(list[i]);
                continue;
            }
            if (!isNode(list[i], "If")) return false;
            // Whoever cannot afford what follows twice does not begin to copy it.
            for (std::size_t rest = i + 1; rest < list.size(); ++rest)
                if (!affordable(list[rest])) return false;
            JsonValue branches = list[i];
            for (const char* part : {"body", "orelse"}) {
                Statements whole = fieldList(list[i], part);
                whole.insert(whole.end(), list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end());
                JsonValue made = JsonValue::array();
                if (!assign(whole, made.items)) return false;
                setField(branches, part, std::move(made));
            }
            out.push_back(std::move(branches));
            return true;
        }
        out.push_back(assignNode(m_target, m_target, none()));
        return true;
    }

private:
    [[nodiscard]] JsonValue none() const {
        JsonValue value = nodeLike(m_target, "Constant");
        value.add("kind", JsonValue::fromString("none"));
        value.add("value", JsonValue::fromString(""));
        return value;
    }

    bool affordable(const JsonValue& statement) {
        m_nodes += nodesIn(statement, kReturningNodes);
        return m_nodes <= kReturningNodes;
    }

    const JsonValue& m_target;
    std::size_t& m_count;
    std::size_t m_nodes = 0;
};

bool assignReturned(const Statements& list, const JsonValue& target, Statements& out, std::size_t& count) {
    return Returned(target, count).assign(list, out);
}

std::size_t nodesIn(const JsonValue& node, std::size_t most) {
    std::size_t count = node.isObject() ? 1 : 0;
    for (const JsonMember& member : node.members) {
        if (count > most) break;
        if (member.value.isObject()) count += nodesIn(member.value, most - count);
        for (const JsonValue& item : member.value.items) {
            if (count > most) break;
            if (item.isObject()) count += nodesIn(item, most - count);
        }
    }
    return count;
}

std::vector<JsonValue> parametersOf(const JsonValue& function) {
    std::vector<JsonValue> out;
    if (const JsonValue* arguments = function.find("args"))
        for (const char* part : {"posonlyargs", "args", "kwonlyargs"})
            for (const JsonValue& each : fieldList(*arguments, part)) out.push_back(each);
    return out;
}

/// Names that a function has for itself.
std::set<std::string> ownNames(const JsonValue& function) {
    Changes changes;
    std::set<std::string> own;
    for (const JsonValue& each : fieldList(function, "body")) addChanges(each, changes);
    for (const auto& [name, count] : changes.assigned) own.insert(name);
    for (const JsonValue& each : parametersOf(function)) own.emplace(fieldText(each, "arg"));
    if (const JsonValue* arguments = function.find("args"))
        for (const char* part : {"vararg", "kwarg"})
            if (const JsonValue* rest = arguments->find(part); rest != nullptr && rest->isObject())
                own.emplace(fieldText(*rest, "arg"));
    const auto outer = [&](const JsonValue& node, const auto& self) -> void {
        if (isNode(node, "Nonlocal") || isNode(node, "Global"))
            if (const JsonValue* names = node.find("names"))
                for (const JsonValue& each : names->items) own.erase(each.text);
        for (const JsonMember& member : node.members)
            for (const JsonValue& item : member.value.items)
                if (item.isObject()) self(item, self);
    };
    outer(function, outer);
    return own;
}

namespace {

/// Names that inner functions and comprehensions around a node have for themselves.
struct Hidden {
    const std::set<std::string>* names = nullptr;
    const Hidden* around = nullptr;

    [[nodiscard]] bool has(const std::string& name) const {
        return (names != nullptr && names->count(name) != 0) || (around != nullptr && around->has(name));
    }
};

void renameIn(JsonValue& node, const Names& names, const Hidden& hidden) {
    if (isNode(node, "Name")) {
        const auto found = names.find(std::string(fieldText(node, "id")));
        if (found != names.end() && !hidden.has(found->first)) {
            JsonValue copy = found->second;
            for (const char* key : {"l", "c"})
                if (const JsonValue* place = node.find(key)) setField(copy, key, *place);
            node = std::move(copy);
        }
        return;
    }
    std::set<std::string> own;
    Hidden inner{&own, &hidden};
    const Hidden* known = &hidden;
    const bool function = isNode(node, "FunctionDef"), generators = !fieldList(node, "generators").empty();
    if (function || isNode(node, "Lambda") || generators) {
        if (generators)
            for (const JsonValue& each : fieldList(node, "generators")) addNames(*each.find("target"), own);
        else
            own = ownNames(node);
        known = &inner;
    }
    if (function)
        if (const auto found = names.find(std::string(fieldText(node, "name")));
            found != names.end() && !hidden.has(found->first))
            setField(node, "name", JsonValue::fromString(dottedName(found->second)));
    for (JsonMember& member : node.members) {
        if (member.value.isObject()) renameIn(member.value, names, *known);
        for (JsonValue& item : member.value.items)
            if (item.isObject()) renameIn(item, names, *known);
    }
}

}  // namespace

void renameIn(JsonValue& node, const Names& names) {
    renameIn(node, names, Hidden());
}

/// `match` over values as a chain of conditions; nothing where a pattern takes things apart.
std::optional<JsonValue> chainOf(const JsonValue& node) {
    if (!isNode(node, "Match")) return std::nullopt;
    const JsonValue& subject = *node.find("subject");
    if (dottedName(subject).empty() && !isNode(subject, "Constant") && !isNode(subject, "Subscript"))
        return std::nullopt;
    const auto& cases = fieldList(node, "cases");
    if (cases.size() > kCases) return std::nullopt;
    JsonValue chain;
    for (std::size_t i = cases.size(); i-- > 0;) {
        auto test = conditionOf(*cases[i].find("pattern"), subject);
        if (!test) return std::nullopt;
        if (const JsonValue* guard = cases[i].find("guard"); guard != nullptr && guard->isObject()) {
            JsonValue both = nodeLike(node, "BoolOp"), values = JsonValue::array();
            values.push(*std::move(test));
            values.push(*guard);
            both.add("op", JsonValue::fromString("And"));
            both.add("values", std::move(values));
            test = std::move(both);
        }
        JsonValue branch = nodeLike(*test, "If"), body = JsonValue::array(), rest = JsonValue::array();
        body.items = fieldList(cases[i], "body");
        if (chain.isObject()) rest.push(std::move(chain));
        branch.add("test", *std::move(test));
        branch.add("body", std::move(body));
        branch.add("orelse", std::move(rest));
        chain = std::move(branch);
    }
    return chain.isObject() ? std::optional(std::move(chain)) : std::nullopt;
}

}  // namespace cubist::pypto

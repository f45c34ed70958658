// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/inline_calls.h"

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/function_nodes.h"
#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

constexpr int kDepth = 8;
constexpr std::size_t kStatements = 20'000;  // written out in all

/// A function that can be written out: what it stands for, and what partial(..) has given it already.
struct Function {
    const JsonValue* node = nullptr;  ///< FunctionDef or Lambda
    std::vector<JsonValue> arguments, keywords;
    bool local = false;  ///< of the kernel: the kernel's names are its own as well
};

class Inliner {
public:
    explicit Inliner(const Statements& module) {
        for (const JsonValue& node : module) {
            if (isNode(node, "FunctionDef")) {
                addNamesAll(node);
                if (jit(node) || !plainlyDecorated(node))
                    m_functions.erase(std::string(fieldText(node, "name")));
                else
                    m_functions[std::string(fieldText(node, "name"))] = {&node, {}, {}, false};
                continue;
            }
            if (isNode(node, "Import") || isNode(node, "ImportFrom")) continue;  // what it brings stands before it
            for (const auto& [name, count] : changesOf(node).assigned) m_functions.erase(name);
            addNamesAll(node);
            (void)define(node, false);
        }
    }

    static bool jit(const JsonValue& function) {
        for (const JsonValue& each : fieldList(function, "decorator_list")) {
            const JsonValue* called = isNode(each, "Call") ? each.find("func") : &each;
            if (called != nullptr && dottedName(*called).ends_with("jit")) return true;
        }
        return false;
    }

    void kernel(JsonValue& node) {
        JsonValue* list = node.find("body");
        if (list == nullptr || !list->isArray()) return;
        m_kernelOwn = ownNames(node);
        m_assigned.clear();
        const auto count = [&](const JsonValue& each, const auto& self) -> void {
            if (isNode(each, "FunctionDef")) ++m_assigned[std::string(fieldText(each, "name"))];
            if (isNode(each, "FunctionDef") || isNode(each, "Lambda")) return;
            Changes changes;
            if (fieldList(each, "body").empty()) addChanges(each, changes);
            if (isNode(each, "For"))
                if (const JsonValue* target = each.find("target"))
                    addChanges(assignNode(each, *target, nodeLike(each, "Constant")), changes);
            for (const auto& [name, times] : changes.assigned) m_assigned[name] += times;
            for (const JsonMember& member : each.members)
                for (const JsonValue& item : member.value.items)
                    if (item.isObject()) self(item, self);
        };
        for (const JsonValue& each : list->items) count(each, count);
        const auto outside = m_functions;
        for (const std::string& name : m_kernelOwn) m_functions.erase(name);
        body(list->items, 0);
        m_functions = outside;
    }

private:
    static bool plainlyDecorated(const JsonValue& function) {
        const auto& list = fieldList(function, "decorator_list");
        return std::all_of(list.begin(), list.end(), [](const JsonValue& each) {
            const std::string name = dottedName(isNode(each, "Call") ? *each.find("func") : each);
            return name.ends_with("cache") || name == "staticmethod" || name.starts_with("pypto.");
        });
    }

    void addNamesAll(const JsonValue& node) {
        addNames(node, m_taken);
        for (const auto& [name, count] : changesOf(node).assigned) m_taken.insert(name);
        for (const JsonValue& each : parametersOf(node)) m_taken.emplace(fieldText(each, "arg"));
    }

    std::string unique(std::string name) {
        while (!m_taken.insert(name).second) name += "_";
        return name;
    }

    /// name = lambda .., name = another function, name = partial(another function, ..)
    bool define(const JsonValue& node, bool local) {
        const auto& targets = fieldList(node, "targets");
        if (!isNode(node, "Assign") || targets.size() != 1 || !isNode(targets[0], "Name")) return false;
        const std::string name(fieldText(targets[0], "id"));
        if (local && m_assigned[name] != 1) return false;
        const JsonValue& value = *node.find("value");
        if (isNode(value, "Lambda")) {
            m_kept.push_back(value);
            m_functions[name] = {&m_kept.back(), {}, {}, local};
            return true;
        }
        const bool call = isNode(value, "Call");
        const std::string function = call ? dottedName(*value.find("func")) : std::string();
        const bool partial = function == "partial" || function == "functools.partial";
        const auto& given = fieldList(value, "args");
        if (call && (!partial || given.empty())) return false;
        const auto found = m_functions.find(dottedName(call ? given[0] : value));
        if (found == m_functions.end()) return false;
        Function made = found->second;
        for (std::size_t i = 1; i < given.size(); ++i) made.arguments.push_back(given[i]);
        for (const JsonValue& each : fieldList(value, "keywords")) made.keywords.push_back(each);
        // What it is given it has now; variables may change.
        for (const auto* list : {&made.arguments, &made.keywords})
            for (const JsonValue& each : *list)
                if (const JsonValue& part = isNode(each, "keyword") ? *each.find("value") : each;
                    !isNode(part, "Constant") && (!isNode(part, "Name") || m_assigned[dottedName(part)] > 1))
                    return false;
        m_functions[name] = std::move(made);
        return true;
    }

public:
    void body(Statements& list, int depth) {
        Statements out;
        for (JsonValue& node : list) {
            if (auto chain = chainOf(node)) node = *std::move(chain);
            if (isNode(node, "FunctionDef")) {
                const std::string name(fieldText(node, "name"));
                if (m_assigned[name] <= 1 && plainlyDecorated(node) && !jit(node)) {
                    m_kept.push_back(std::move(node));
                    m_functions[name] = {&m_kept.back(), {}, {}, true};
                    continue;
                }
                m_functions.erase(name);
            }
            if (define(node, true)) continue;
            for (const char* part : {"body", "orelse", "finalbody"})
                if (JsonValue* child =
                        isNode(node, "FunctionDef") || isNode(node, "ClassDef") ? nullptr : node.find(part);
                    child != nullptr && child->isArray())
                    body(child->items, depth);
            for (const char* part : {"value", "test", "iter"})
                if (JsonValue* child = node.find(part); child != nullptr && child->isObject() && !isNode(node, "While"))
                    expression(*child, out, depth);
            for (JsonValue& target : listIn(node, "targets"))
                if (isNode(target, "Subscript")) expression(*target.find("slice"), out, depth);
            // A call whose value nobody takes has been written out.
            const JsonValue* value = isNode(node, "Expr") ? node.find("value") : nullptr;
            if (value != nullptr && (isNode(*value, "Name") || fieldText(*value, "kind") == "none")) continue;
            out.push_back(std::move(node));
        }
        list = std::move(out);
    }

private:
    const Function* functionOf(const JsonValue& node) const {
        const JsonValue* called = isNode(node, "Call") ? node.find("func") : nullptr;
        if (called == nullptr || !isNode(*called, "Name")) return nullptr;
        const auto found = m_functions.find(std::string(fieldText(*called, "id")));
        return found == m_functions.end() ? nullptr : &found->second;
    }

    /// Does its value need statements that come before?
    bool needsStatements(const JsonValue& node) const {
        if (functionOf(node) != nullptr || isNode(node, "NamedExpr")) return true;
        if (isNode(node, "Lambda")) return false;
        for (const JsonMember& member : node.members) {
            if (member.value.isObject() && needsStatements(member.value)) return true;
            for (const JsonValue& item : member.value.items)
                if (item.isObject() && needsStatements(item)) return true;
        }
        return false;
    }

    /// `a if test else b` with calls that are written out: a condition.
    void branch(JsonValue& node, Statements& before, int depth) {
        const JsonValue target = nameNode(node, unique("chosen"));
        JsonValue choice = nodeLike(node, "If");
        choice.add("test", *node.find("test"));
        for (const char* part : {"body", "orelse"}) {
            JsonValue made = JsonValue::array();
            JsonValue statement = assignNode(node, target, *node.find(part));
            expression(*statement.find("value"), made.items, depth);
            made.push(std::move(statement));
            choice.add(part, std::move(made));
        }
        before.push_back(std::move(choice));
        node = target;
    }

    /// [f(x) for x in list] with calls that are written out: a list that grows.
    bool listed(JsonValue& node, Statements& before, int depth) {
        if (!isNode(node, "ListComp") && !isNode(node, "GeneratorExp")) return false;
        const JsonValue target = nameNode(node, unique("listed"));
        JsonValue inner = node;
        std::set<std::string> own;
        Names names;
        for (const JsonValue& each : fieldList(node, "generators")) addNames(*each.find("target"), own);
        for (const std::string& each : own) names[each] = nameNode(node, unique(each + "_each"));
        JsonValue call = nodeLike(node, "Call"), given = JsonValue::array(), list = nodeLike(node, "List");
        given.push(*inner.find("elt"));
        call.add("func", attributeNode(node, target, "append"));
        call.add("args", std::move(given));
        call.add("keywords", JsonValue::array());
        JsonValue statement = nodeLike(node, "Expr");
        statement.add("value", std::move(call));
        const auto& generators = fieldList(inner, "generators");
        for (std::size_t i = generators.size(); i-- > 0;) {
            const auto& tests = fieldList(generators[i], "ifs");
            for (std::size_t at = tests.size(); at-- > 0;) {
                JsonValue condition = nodeLike(node, "If"), body = JsonValue::array();
                condition.add("test", tests[at]);
                body.push(std::move(statement));
                condition.add("body", std::move(body));
                condition.add("orelse", JsonValue::array());
                statement = std::move(condition);
            }
            JsonValue loop = nodeLike(node, "For"), body = JsonValue::array(), iterator = *generators[i].find("iter");
            JsonValue turn = *generators[i].find("target");
            renameIn(turn, names);
            if (i > 0) renameIn(iterator, names);
            renameIn(statement, names);
            body.push(std::move(statement));
            loop.add("target", std::move(turn));
            loop.add("iter", std::move(iterator));
            loop.add("body", std::move(body));
            loop.add("orelse", JsonValue::array());
            statement = std::move(loop);
        }
        list.add("elts", JsonValue::array());
        Statements made{assignNode(node, target, std::move(list)), std::move(statement)};
        body(made, depth);
        for (JsonValue& each : made) before.push_back(std::move(each));
        node = target;
        return true;
    }

    void expression(JsonValue& node, Statements& before, int depth) {
        if (isNode(node, "Lambda")) return;
        if (isNode(node, "IfExp")) {
            expression(*node.find("test"), before, depth);
            if (needsStatements(*node.find("body")) || needsStatements(*node.find("orelse")))
                branch(node, before, depth);
            return;
        }
        if (isNode(node, "BoolOp")) {  // what comes after the first may not be asked for
            auto& values = listIn(node, "values");
            if (!values.empty()) expression(values[0], before, depth);
            return;
        }
        if (!fieldList(node, "generators").empty()) {
            if (needsStatements(node)) (void)listed(node, before, depth);
            return;
        }
        // In the order of Python: what was read before a call that is written out keeps its value.
        std::vector<JsonValue*> done;
        const auto visit = [&](JsonValue& child) {
            const std::size_t at = before.size();
            expression(child, before, depth);
            if (before.size() > at) {
                Changes changes;
                bool effects = false;
                for (std::size_t i = at; i < before.size(); ++i) {
                    addChanges(before[i], changes);
                    effects = effects || hasNode(before[i], "Expr");
                }
                std::set<std::string> changed = changes.mutated;
                for (const auto& [name, count] : changes.assigned) changed.insert(name);
                std::size_t place = at;
                for (JsonValue* each : done) {
                    const bool plain =
                        isNode(*each, "Constant") || !dottedName(*each).empty() || isNode(*each, "keyword");
                    JsonValue& value = isNode(*each, "keyword") ? *each->find("value") : *each;
                    const bool simple = isNode(value, "Constant") || !dottedName(value).empty();
                    if (dottedName(value).starts_with("pypto.") || isNode(value, "Slice")) continue;
                    if (!reads(value, changed) && (!effects || plain || simple)) continue;
                    JsonValue target = nameNode(value, unique("before"));
                    before.insert(before.begin() + static_cast<std::ptrdiff_t>(place++),
                                  assignNode(value, target, value));
                    value = std::move(target);
                }
            }
            done.push_back(&child);
        };
        for (JsonMember& member : node.members) {
            if (member.value.isObject()) visit(member.value);
            for (JsonValue& item : member.value.items)
                if (item.isObject()) visit(item);
        }
        if (isNode(node, "NamedExpr")) {
            JsonValue target = *node.find("target");
            before.push_back(assignNode(node, target, *node.find("value")));
            node = std::move(target);
            return;
        }
        if (const Function* function = functionOf(node)) writeOut(node, *function, before, depth);
    }

    /// Parameters by name: what is given, else the default; nothing when they do not fit.
    static bool bind(const JsonValue& call, const JsonValue& function, Names& given) {
        const JsonValue* parameters = function.find("args");
        if (parameters == nullptr) return false;
        const JsonValue *rest = parameters->find("vararg"), *named = parameters->find("kwarg");
        if (named != nullptr && named->isObject()) return false;
        const bool collects = rest != nullptr && rest->isObject();
        std::vector<JsonValue> names = fieldList(*parameters, "posonlyargs");
        for (const JsonValue& each : fieldList(*parameters, "args")) names.push_back(each);
        const auto& defaults = fieldList(*parameters, "defaults");
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
            std::vector<JsonValue> more;
            for (std::size_t i = names.size(); i < arguments.size(); ++i) more.push_back(arguments[i]);
            given[std::string(fieldText(*rest, "arg"))] = listNode(call, std::move(more), "Tuple");
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

    /// A default that is a list is the same one in every call.
    static bool keepsDefault(const JsonValue& call, const JsonValue& function, const Names& given,
                             const Changes& changes) {
        for (const auto& [name, value] : given) {
            if (!isMutableNode(value) || changes.mutated.count(name) == 0) continue;
            const auto &arguments = fieldList(call, "args"), &keywords = fieldList(call, "keywords");
            const auto isIt = [&value = value](const JsonValue& each) {
                return each == value ||
                       (each.isObject() && each.find("value") != nullptr && *each.find("value") == value);
            };
            if (std::none_of(arguments.begin(), arguments.end(), isIt) &&
                std::none_of(keywords.begin(), keywords.end(), isIt))
                return true;
        }
        (void)function;
        return false;
    }

    void writeOut(JsonValue& called, const Function& known, Statements& before, int depth) {
        const JsonValue& function = *known.node;
        JsonValue call = called;
        if (!known.arguments.empty() || !known.keywords.empty()) {
            JsonValue arguments = JsonValue::array(), keywords = JsonValue::array();
            arguments.items = known.arguments;
            for (const JsonValue& each : fieldList(called, "args")) arguments.push(each);
            keywords.items = known.keywords;
            for (const JsonValue& each : fieldList(called, "keywords")) keywords.push(each);
            setField(call, "args", std::move(arguments));
            setField(call, "keywords", std::move(keywords));
        }
        const bool lambda = isNode(function, "Lambda");
        Statements list;
        if (lambda) {
            JsonValue result = nodeLike(call, "Return");
            result.add("value", *function.find("body"));
            list.push_back(std::move(result));
        } else {
            list = fieldList(function, "body");
        }
        if (depth >= kDepth || m_written + list.size() > kStatements) return;
        for (const JsonValue& each : list)
            for (const char* type : {"Yield", "YieldFrom", "Await", "Global"})
                if (hasNode(each, type)) return;
        Names given;
        if (!bind(call, function, given)) return;
        const std::set<std::string> own = lambda ? [&] {
            std::set<std::string> names;
            for (const JsonValue& each : parametersOf(function)) names.emplace(fieldText(each, "arg"));
            return names;
        }() : ownNames(function);
        Changes changes;
        std::set<std::string> read;
        for (const JsonValue& each : list) {
            addChanges(each, changes);
            addNames(each, read);
        }
        if (keepsDefault(call, function, given, changes)) return;
        // Names of the module that the kernel has for something else.
        if (!known.local)
            for (const std::string& each : read)
                if (own.count(each) == 0 && m_kernelOwn.count(each) != 0) return;
        list.erase(std::remove_if(list.begin(), list.end(),
                                  [](const JsonValue& each) { return isString(each) || isNode(each, "Nonlocal"); }),
                   list.end());
        const bool early = returnsEarly(list, true);
        const std::string functionName = lambda ? std::string("lambda") : std::string(fieldText(function, "name"));
        const std::string returned = functionName + "_return";
        if (early) {
            Statements checked;
            std::size_t count = 0;
            if (!assignReturned(list, call, checked, count)) return;
            m_written += count;
        }
        m_written += list.size();

        const std::string prefix = functionName + "_";
        const std::string number = ++m_calls == 1 ? std::string() : "_" + std::to_string(m_calls);
        Names names;
        for (const std::string& each : own)
            if (given.count(each) == 0) names[each] = nameNode(call, unique(prefix + each + number));
        for (auto& [parameter, value] : given) {
            const bool plain = isNode(value, "Name") || isNode(value, "Constant") || !dottedName(value).empty();
            if (plain && changes.assigned.count(parameter) == 0) {
                names[parameter] = value;
                continue;
            }
            JsonValue target = nameNode(call, unique(prefix + parameter + number));
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
            result = nameNode(call, unique(returned + number));
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
        called = std::move(result);
    }

    std::map<std::string, Function> m_functions;
    std::list<JsonValue> m_kept;  ///< functions that were taken out of the kernel
    std::set<std::string> m_taken, m_kernelOwn;
    std::map<std::string, int> m_assigned;  ///< names of the kernel, and how often
    std::size_t m_written = 0;
    int m_calls = 0;
};

}  // namespace

void inlineCalls(std::vector<JsonValue>& module, const std::vector<JsonValue>& original) {
    Inliner inliner(original);
    for (JsonValue& node : module)
        if (isNode(node, "FunctionDef") && Inliner::jit(node)) inliner.kernel(node);
}

}  // namespace cubist::pypto

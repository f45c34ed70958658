// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/inline_calls.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/pypto/import/called_function.h"
#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/function_nodes.h"
#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

constexpr int kDepth = 8;
constexpr std::size_t kStatements = 20'000;  // written out in all
constexpr std::size_t kNodes = 50'000;       // of these statements
constexpr std::size_t kGiven = 64;           // arguments that partial(..) has given a function
constexpr std::size_t kInside = 32;          // loops and conditions of a comprehension

/// A function that can be written out: what it stands for, and what partial(..) has given it already.
struct Function {
    const JsonValue* node = nullptr;  ///< FunctionDef or Lambda
    std::vector<JsonValue> arguments, keywords;
    bool local = false;  ///< of the kernel: the kernel's names are its own as well
};

/// What a statement before an expression may have changed, by when that was written out.
struct Written {
    std::vector<std::string> names;         ///< one after the other
    std::map<std::string, std::size_t> at;  ///< after how many names it was changed last
    std::size_t effects = 0;                ///< statements that may do anything
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
        std::vector<std::map<std::string, Function>::node_type> outside;
        for (const std::string& name : m_kernelOwn)
            if (auto found = m_functions.extract(name)) outside.push_back(std::move(found));
        m_locals.clear();
        m_clashes.clear();
        body(list->items, 0);
        for (const std::string& name : m_locals) m_functions.erase(name);
        for (auto& each : outside) m_functions.insert(std::move(each));
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

    /// name, name_, name_2, ..
    std::string unique(const std::string& name) {
        int& number = m_numbers[name];
        while (true) {
            const int at = number++;
            std::string out = name;
            if (at > 0) out += "_";
            if (at > 1) out += std::to_string(at);
            if (m_taken.insert(out).second) return out;
        }
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
            if (local) m_locals.push_back(name);
            return true;
        }
        const bool call = isNode(value, "Call");
        const std::string function = call ? dottedName(*value.find("func")) : std::string();
        const bool partial = function == "partial" || function == "functools.partial";
        const auto& given = fieldList(value, "args");
        if (call && (!partial || given.empty())) return false;
        const auto found = m_functions.find(dottedName(call ? given[0] : value));
        if (found == m_functions.end()) return false;
        if (found->second.arguments.size() + found->second.keywords.size() + given.size() > kGiven) return false;
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
        if (local) m_locals.push_back(name);
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
                    m_locals.push_back(name);
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
            JsonValue statement = assignNode(node, target, std::move(*node.find(part)));
            expression(*statement.find("value"), made.items, depth);
            made.push(std::move(statement));
            choice.add(part, std::move(made));
        }
        add(before, std::move(choice));
        node = target;
    }

    /// [f(x) for x in list] with calls that are written out: a list that grows.
    bool listed(JsonValue& node, Statements& before, int depth) {
        if (!isNode(node, "ListComp") && !isNode(node, "GeneratorExp")) return false;
        std::size_t inside = 0;
        for (const JsonValue& each : fieldList(node, "generators")) inside += 1 + fieldList(each, "ifs").size();
        if (inside > kInside || !affordable(inside * nodesIn(node, kNodes))) return false;
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
        for (JsonValue& each : made) add(before, std::move(each));
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
        visitParts(node, before, depth);
        if (isNode(node, "NamedExpr")) {
            JsonValue target = *node.find("target");
            add(before, assignNode(node, target, std::move(*node.find("value"))));
            node = std::move(target);
            return;
        }
        if (const Function* function = functionOf(node)) writeOut(node, *function, before, depth);
    }

    /// A statement that comes before an expression. What it changes is looked up once, however many parts of
    /// expressions around it were read before.
    void add(Statements& before, JsonValue statement) {
        const Changes changes = changesOf(statement);
        const auto changed = [&](const std::string& name) {
            m_before.names.push_back(name);
            m_before.at[name] = m_before.names.size();
        };
        for (const auto& [name, count] : changes.assigned) changed(name);
        for (const std::string& name : changes.mutated) changed(name);
        if (hasNode(statement, "Expr")) ++m_before.effects;
        before.push_back(std::move(statement));
    }

    /// The parts of an expression, in the order of Python: what was read before a call that is written out keeps its
    /// value.
    void visitParts(JsonValue& node, Statements& before, int depth) {
        std::vector<JsonValue*> done;
        std::vector<std::vector<std::string>> reads;              // of each
        std::map<std::string, std::vector<std::size_t>> readers;  // which of them read a name
        std::vector<std::size_t> unsettled;                       // those that any effect may change
        std::size_t readInAll = 0;
        const auto valueIn = [](JsonValue& part) -> JsonValue& {
            return isNode(part, "keyword") ? *part.find("value") : part;
        };
        const auto keep = [&](std::vector<std::size_t> which, std::size_t at) {
            std::sort(which.begin(), which.end());
            which.erase(std::unique(which.begin(), which.end()), which.end());
            Statements kept;
            for (const std::size_t each : which) {
                JsonValue& value = valueIn(*done[each]);
                JsonValue target = nameNode(value, unique("before"));
                kept.push_back(assignNode(value, target, std::move(value)));
                value = std::move(target);
                reads[each].clear();
            }
            before.insert(before.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(kept.begin()),
                          std::make_move_iterator(kept.end()));
        };
        const auto visit = [&](JsonValue& child) {
            const std::size_t at = before.size(), names = m_before.names.size(), effects = m_before.effects;
            expression(child, before, depth);
            if (before.size() > at) {
                std::vector<std::size_t> which;
                if (m_before.names.size() - names < readInAll) {
                    for (std::size_t i = names; i < m_before.names.size(); ++i)
                        if (const auto found = readers.find(m_before.names[i]); found != readers.end()) {
                            which.insert(which.end(), found->second.begin(), found->second.end());
                            readers.erase(found);
                        }
                } else {
                    for (std::size_t i = 0; i < done.size(); ++i)
                        if (std::any_of(reads[i].begin(), reads[i].end(), [&](const std::string& each) {
                                const auto found = m_before.at.find(each);
                                return found != m_before.at.end() && found->second > names;
                            }))
                            which.push_back(i);
                }
                if (m_before.effects != effects) {
                    which.insert(which.end(), unsettled.begin(), unsettled.end());
                    unsettled.clear();
                }
                // What has been kept already reads nothing any more.
                std::erase_if(which, [&](std::size_t each) {
                    return dottedName(valueIn(*done[each])).starts_with("before") && reads[each].empty();
                });
                keep(std::move(which), at);
            }
            const std::size_t place = done.size();
            done.push_back(&child);
            reads.emplace_back();
            const JsonValue& value = valueIn(child);
            if (isNode(value, "Slice") || dottedName(value).starts_with("pypto.")) return;
            std::set<std::string> own;
            addNames(value, own);
            for (const std::string& each : own) readers[each].push_back(place);
            reads.back().assign(own.begin(), own.end());
            readInAll += own.size();
            const bool plain = isNode(child, "keyword") || isNode(value, "Constant") || !dottedName(value).empty();
            if (!plain) unsettled.push_back(place);
        };
        for (JsonMember& member : node.members) {
            if (member.value.isObject()) visit(member.value);
            for (JsonValue& item : member.value.items)
                if (item.isObject()) visit(item);
        }
    }

    const CalledFunction& bodyOf(const JsonValue& function) {
        const auto [found, isNew] = m_bodies.try_emplace(&function);
        if (isNew) found->second = calledFunction(function, kNodes);
        return found->second;
    }

    /// Does it read a name of the module that the kernel has for something else?
    bool clashes(const JsonValue& function, const CalledFunction& known) {
        const auto [found, isNew] = m_clashes.try_emplace(&function, false);
        if (isNew)
            found->second = std::any_of(known.read.begin(), known.read.end(),
                                        [&](const std::string& each) { return m_kernelOwn.count(each) != 0; });
        return found->second;
    }

    /// Takes nodes from what may be written out in all.
    bool affordable(std::size_t nodes) {
        m_nodes += nodes;
        return m_nodes <= kNodes;
    }

    void writeOut(JsonValue& called, const Function& known, Statements& before, int depth) {
        const JsonValue& function = *known.node;
        const CalledFunction& shared = bodyOf(function);
        if (depth >= kDepth || shared.cannot || (!known.local && clashes(function, shared))) return;
        if (!affordable(shared.nodes + shared.parameters)) return;
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
        if (m_written + list.size() > kStatements) return;
        Names given;
        std::set<std::string> defaulted;
        if (!bindArguments(call, function, given, defaulted)) return;
        const std::set<std::string>& own = shared.own;
        const Changes& changes = shared.changes;
        if (changesDefault(given, defaulted, changes)) return;
        list.erase(std::remove_if(list.begin(), list.end(),
                                  [](const JsonValue& each) { return isString(each) || isNode(each, "Nonlocal"); }),
                   list.end());
        const bool early = shared.early;
        const std::string functionName = lambda ? std::string("lambda") : std::string(fieldText(function, "name"));
        const std::string returned = functionName + "_return";
        if (early) {
            Statements checked;
            std::size_t count = 0;
            if (!assignReturned(list, call, checked, count)) return;
            std::size_t nodes = 0;
            for (const JsonValue& each : checked) nodes += nodesIn(each, kNodes);
            if (!affordable(nodes)) return;
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
            add(before, assignNode(call, target, std::move(value)));
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
        for (JsonValue& each : list) add(before, std::move(each));
        expression(result, before, depth + 1);
        called = std::move(result);
    }

    std::map<std::string, Function> m_functions;
    std::list<JsonValue> m_kept;  ///< functions that were taken out of the kernel
    std::set<std::string> m_taken, m_kernelOwn;
    std::vector<std::string> m_locals;      ///< functions of the kernel
    std::map<std::string, int> m_assigned;  ///< names of the kernel, and how often
    std::map<std::string, int> m_numbers;   ///< how often a name was asked for
    std::map<const JsonValue*, CalledFunction> m_bodies;
    std::map<const JsonValue*, bool> m_clashes;  ///< with names of this kernel
    Written m_before;
    std::size_t m_written = 0, m_nodes = 0;
    int m_calls = 0;
};

}  // namespace

void inlineCalls(std::vector<JsonValue>& module, const std::vector<JsonValue>& original) {
    Inliner inliner(original);
    for (JsonValue& node : module)
        if (isNode(node, "FunctionDef") && Inliner::jit(node)) inliner.kernel(node);
}

}  // namespace cubist::pypto

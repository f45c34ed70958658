// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kStatements = 20'000;  // written out in all
constexpr std::size_t kTurns = 1024;         // of one loop

/// Does no value read a name that is assigned before it?
bool inOrder(const std::vector<JsonValue>& names, const std::vector<JsonValue>& values) {
    std::set<std::string> taken;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (reads(values[i], taken)) return false;
        addNames(names[i], taken);
    }
    return true;
}

/// Is there a break that leaves the loop with this body?
bool leaves(const std::vector<JsonValue>& body) {
    return std::any_of(body.begin(), body.end(), [](const JsonValue& each) {
        if (isNode(each, "Break")) return true;
        const bool loop = isNode(each, "For") || isNode(each, "While");
        return (!loop && leaves(fieldList(each, "body"))) || leaves(fieldList(each, "orelse"));
    });
}

/// x[a:b, c:d]
bool isSlice(const JsonValue& node) {
    const JsonValue* key = isNode(node, "Subscript") ? node.find("slice") : nullptr;
    if (key == nullptr) return false;
    const auto& parts = fieldList(*key, "elts");
    return isNode(*key, "Slice") ||
           std::any_of(parts.begin(), parts.end(), [](const JsonValue& each) { return isNode(each, "Slice"); });
}

/// `if x is wrong: raise ..` and `assert x`: a kernel that takes its inputs does not stop there.
bool onlyRefuses(const JsonValue& node) {
    const auto& body = fieldList(node, "body");
    return isNode(node, "If") && body.size() == 1 && isNode(body[0], "Raise") && fieldList(node, "orelse").empty() &&
           !hasNode(*node.find("test"), "NamedExpr");
}

}  // namespace

void Simplifier::kernel(JsonValue& function, const std::set<std::string>& moduleLists) {
    m_moduleLists = moduleLists;
    for (JsonValue& each : listIn(function, "decorator_list")) expression(each);
    Changes changes;
    for (const JsonValue& each : fieldList(function, "body")) addChanges(each, changes);
    takeParameters(function, changes.assigned);
    if (JsonValue* returned = function.find("returns"); returned != nullptr && returned->isObject())
        expression(*returned);
    for (const auto& [name, count] : changes.assigned) {
        m_constants.erase(name);
        m_lengths.erase(name);
        forgetFields(name);
        m_assigned.insert(name);
    }
    // What a kernel changes of its module is another one when it is called again.
    for (const std::string& name : changes.mutated)
        if (changes.assigned.count(name) == 0) {
            if (const JsonValue* known = lookup(name); known != nullptr && isCollectionNode(*known)) forget(name);
            if (m_lengths.count(name) == 0) forgetFields(name);
        }
    statements(listIn(function, "body"));
    m_stop = Stop::No;
    returnedValues(function);
    Statements& body = listIn(function, "body");
    for (const auto& [name, list] : m_lists) body.insert(body.begin(), assignNode(list, nameNode(list, name), list));
}

KnownValues Simplifier::module(const Statements& list) {
    Statements out;
    for (const JsonValue& each : list) {
        if (isNode(each, "FunctionDef") || isNode(each, "ClassDef")) {
            forget(std::string(fieldText(each, "name")));
        } else if (!isNode(each, "Import") && !isNode(each, "ImportFrom")) {
            statement(each, out);
            out.clear();
        }
        m_stop = Stop::No;
        if (m_objects) m_objects(each, m_constants);
    }
    return m_constants;
}

void Simplifier::know(const std::string& name, const JsonValue& value) {
    forget(name);
    forgetFields(name);
    std::set<std::string> names;
    addNames(value, names);
    if (names.count(name) != 0) return;  // the old value of the name itself
    for (const std::string& each : names) m_mentions[each].insert(name);
    m_constants[name] = value;
}

void Simplifier::forget(const std::string& name) {
    m_constants.erase(name);
    m_shared.erase(name);
    m_tensors.erase(name);
    m_notNone.erase(name);
    const auto found = m_mentions.find(name);
    if (found == m_mentions.end()) return;
    for (const std::string& each : found->second) m_constants.erase(each);
    m_mentions.erase(found);
}

bool Simplifier::bindTo(const JsonValue& target, const JsonValue& value) {
    const auto &names = fieldList(target, "elts"), &values = fieldList(value, "elts");
    if (isNode(target, "Name")) {
        know(std::string(fieldText(target, "id")), value);
        return true;
    }
    if (names.empty() || names.size() != values.size() || !isCollectionNode(value)) return false;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!bindTo(names[i], values[i])) return false;
    return true;
}

/// The same of a loop; a value that is no constant is read once.
void Simplifier::bindTurn(const JsonValue& target, const JsonValue& value, Statements& out) {
    const auto &names = fieldList(target, "elts"), &values = fieldList(value, "elts");
    if (isNode(target, "Name")) {
        if (isConstantNode(value) || isCollectionNode(value) || isNode(value, "Name")) {
            know(std::string(fieldText(target, "id")), value);
            if (isNode(value, "Name") && m_tensors.count(dottedName(value)) != 0)
                m_notNone.emplace(fieldText(target, "id"));
        } else {
            assignment(assignNode(value, target, value), out);
        }
        return;
    }
    if (names.empty() || names.size() != values.size()) return assignment(assignNode(value, target, value), out);
    for (std::size_t i = 0; i < names.size(); ++i) bindTurn(names[i], values[i], out);
}

void Simplifier::statements(Statements& list) {
    Statements out;
    for (JsonValue& each : list) {
        if (m_stop != Stop::No) break;
        statement(std::move(each), out);
    }
    list = std::move(out);
}

void Simplifier::statement(JsonValue node, Statements& out) {
    m_tooLong = m_tooLong || ++m_written > 2 * kStatements;
    if (m_tooLong) return;
    if (isNode(node, "AnnAssign")) {
        if (node.find("value") == nullptr || !node.find("value")->isObject()) return;  // only a type
        node = assignNode(node, *node.find("target"), *node.find("value"));
    }
    if (isNode(node, "AugAssign")) {
        const JsonValue target = *node.find("target");
        const JsonValue* known = lookup(dottedName(isNode(target, "Subscript") ? *target.find("value") : target));
        const bool collection = known != nullptr && isCollectionNode(*known);
        if (isNode(target, "Name") && collection && isNode(*known, "List")) {  // parts += [x] stays the same list
            JsonValue call = nodeLike(node, "Call"), given = JsonValue::array();
            given.push(*node.find("value"));
            call.add("func", attributeNode(node, target, "extend"));
            call.add("args", std::move(given));
            call.add("keywords", JsonValue::array());
            if (fieldText(node, "op") == "Add" && changeCollection(call, out)) return;
            forgetList(dottedName(target));
        }
        if (!isNode(target, "Subscript") || collection) {
            JsonValue sum = nodeLike(node, "BinOp");
            sum.add("left", target);
            sum.add("op", JsonValue::fromString(std::string(fieldText(node, "op"))));
            sum.add("right", *node.find("value"));
            node = assignNode(node, target, std::move(sum));
        }
    }
    if (isNode(node, "Continue") || isNode(node, "Break")) {
        const bool ends = isNode(node, "Break");
        if (m_certain && m_around != Around::Nothing && !(ends && m_around == Around::Kept))
            m_stop = ends ? Stop::Break : Stop::Continue;
        else
            out.push_back(std::move(node));
        return;
    }
    if (isNode(node, "Return")) {
        if (JsonValue* value = node.find("value"); value != nullptr && value->isObject()) expression(*value);
        if (m_certain && m_keptLoops == 0) m_stop = Stop::Return;
        out.push_back(std::move(node));
        return;
    }
    if (isNode(node, "For")) return loop(std::move(node), out);
    if (isNode(node, "If")) return condition(std::move(node), out);
    if (isNode(node, "Assert") && !hasNode(node, "NamedExpr")) return;
    if (isNode(node, "While") && whileLoop(node, out)) return;
    if (isNode(node, "Delete")) return deletion(node);
    if (isNode(node, "Expr") && changeCollection(*node.find("value"), out)) return;
    const bool assigns = isNode(node, "Assign");
    if (!assigns && !isNode(node, "Expr")) return compound(std::move(node), out);
    // A list that gets a second name may be changed through both.
    JsonValue& value = *node.find("value");
    std::set<std::string> aliases;
    if (assigns) aliasesIn(value, false, aliases);
    const bool taken = assigns && takeOut(value);
    if (!taken) {
        forgetChanged(value);
        expression(value);
    }
    if (!assigns) {
        if (!tilesByKey(node, out)) out.push_back(std::move(node));
        return;
    }
    if (takeTableEntry(node)) return;
    const Statements targets = fieldList(node, "targets");
    if (targets.size() > 1 && isMutableNode(value)) {
        // a = b = []: one list
        for (const JsonValue& each : targets) addNames(each, aliases);
    }
    const std::string object = dottedName(value);
    assignment(std::move(node), out);
    for (const JsonValue& each : targets) {
        share(each, aliases);
        if (isNode(each, "Name")) shareFields(object, dottedName(each));
    }
}

/// The statements of a part of a node that stays; `ofLoop`: it is the body of a loop.
void Simplifier::block(JsonValue& node, std::string_view part, bool ofLoop) {
    const bool certain = std::exchange(m_certain, ofLoop);
    const Around outer = std::exchange(m_around, ofLoop ? Around::Kept : m_around);
    if (ofLoop) ++m_keptLoops;
    statements(listIn(node, part));
    // `continue` leaves out the rest of a body, which is what has happened.
    m_stop = Stop::No;
    if (ofLoop) --m_keptLoops;
    m_around = outer;
    m_certain = certain;
}

/// Statements that a design does not have: their reader notes them, and nothing is known of what they change.
void Simplifier::compound(JsonValue node, Statements& out) {
    if (isNode(node, "With")) {
        // The body runs as it stands; what the context does to it is noted.
        for (JsonValue& each : listIn(node, "items")) {
            forgetChanged(each);
            JsonValue call = nodeLike(node, "Expr");
            call.add("value", *each.find("context_expr"));
            expression(*call.find("value"));
            out.push_back(std::move(call));
        }
        for (JsonValue& each : listIn(node, "body")) {
            if (m_stop != Stop::No) break;
            statement(std::move(each), out);
        }
        return;
    }
    forgetChanged(node);
    if (isNode(node, "Import") || isNode(node, "ImportFrom")) return;  // nothing is known of what it brings
    for (const char* part : {"body", "orelse", "finalbody"}) {
        if (fieldList(node, part).empty() || isNode(node, "FunctionDef") || isNode(node, "ClassDef")) continue;
        block(node, part, isNode(node, "While") && part == std::string_view("body"));
        forgetChanged(node);
    }
    out.push_back(std::move(node));
}

void Simplifier::condition(JsonValue node, Statements& out) {
    JsonValue& test = *node.find("test");
    forgetChanged(test);
    expression(test);
    if (const auto truth = truthOf(test)) {
        for (JsonValue& each : listIn(node, *truth ? "body" : "orelse")) {
            if (m_stop != Stop::No) break;
            statement(std::move(each), out);
        }
        return;
    }
    if (onlyRefuses(node)) return;
    for (const char* part : {"body", "orelse"}) {
        forgetChanged(node);
        block(node, part, false);
    }
    forgetChanged(node);
    out.push_back(std::move(node));
}

void Simplifier::loop(JsonValue node, Statements& out) {
    JsonValue& iterator = *node.find("iter");
    std::set<std::string> aliases;
    aliasesIn(iterator, true, aliases);
    forgetChanged(iterator);
    expression(iterator);
    const auto turns = turnsOf(iterator);
    const JsonValue target = *node.find("target");
    const std::size_t size = writtenOut(fieldList(node, "body"));
    const bool fits = turns && turns->size() <= kTurns && m_written + turns->size() * size <= kStatements;
    if (fits && mustWriteOut(node)) {
        const Statements body = fieldList(node, "body");
        const bool certain = std::exchange(m_certain, true);
        const Around around = std::exchange(m_around, Around::WrittenOut);
        bool broken = false;
        for (const JsonValue& turn : *turns) {
            bindTurn(target, turn, out);
            share(target, aliases);
            for (const JsonValue& each : body) {
                if (m_stop != Stop::No) break;
                statement(each, out);
            }
            broken = m_stop == Stop::Break;
            if (m_stop != Stop::Return) m_stop = Stop::No;
            if (broken || m_stop == Stop::Return || m_tooLong) break;
        }
        m_certain = certain;
        m_around = around;
        if (broken) return;
        for (const JsonValue& each : fieldList(node, "orelse"))
            if (m_stop == Stop::No) statement(each, out);
        return;
    }
    // Without a break the else of a loop is what follows it.
    Statements after;
    if (!leaves(fieldList(node, "body"))) after = std::exchange(listIn(node, "orelse"), {});
    forgetChanged(node);
    block(node, "body", true);
    forgetChanged(node);
    out.push_back(std::move(node));
    for (JsonValue& each : after)
        if (m_stop == Stop::No) statement(std::move(each), out);
}

/// `while i < 4:` whose condition is known in every turn, written out.
bool Simplifier::whileLoop(JsonValue& node, Statements& out) {
    const Statements body = fieldList(node, "body");
    const JsonValue test = *node.find("test");
    const auto holds = [&] {
        JsonValue now = test;
        forgetChanged(now);
        expression(now);
        return truthOf(now);
    };
    auto truth = holds();
    if (!truth || leaves(fieldList(node, "orelse"))) return false;
    const bool certain = std::exchange(m_certain, true);
    const Around around = std::exchange(m_around, Around::WrittenOut);
    bool broken = false;
    for (std::size_t turn = 0; truth == true && !broken && m_stop == Stop::No && !m_tooLong; ++turn) {
        if (turn == kTurns) m_tooLong = true;
        for (const JsonValue& each : body) {
            if (m_stop != Stop::No) break;
            statement(each, out);
        }
        broken = m_stop == Stop::Break;
        if (m_stop != Stop::Return) m_stop = Stop::No;
        if (!broken && m_stop == Stop::No) truth = holds();
    }
    m_certain = certain;
    m_around = around;
    if (!truth) return false;  // the turns that are left
    if (broken) return true;
    for (const JsonValue& each : fieldList(node, "orelse"))
        if (m_stop == Stop::No) statement(each, out);
    return true;
}

JsonValue Simplifier::named(const std::string& base, JsonValue value, Statements& out) {
    std::string name, start = base;
    std::replace(start.begin(), start.end(), '.', '_');
    do name = start + "_" + std::to_string(++m_temporaries);
    while (m_assigned.count(name) != 0);
    JsonValue target = nameNode(value, name), made = assignNode(value, target, value);
    assignment(std::move(made), out);
    return target;
}

/// a, b = x.shape, and the same of a part of the shape
bool Simplifier::unpackShape(const JsonValue& node, Statements& out) {
    const auto& targets = fieldList(node, "targets");
    const auto& names = fieldList(targets[0], "elts");
    const JsonValue& value = *node.find("value");
    if (targets.size() != 1 || names.empty() || !isNode(value, "Attribute") || fieldText(value, "attr") != "shape")
        return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
        JsonValue part = nodeLike(node, "Subscript");
        part.add("value", value);
        part.add("slice", constantNode(node, {true, static_cast<std::int64_t>(i), 0}));
        (void)takeLength(part);
        assignment(assignNode(node, names[i], std::move(part)), out);
    }
    return true;
}

void Simplifier::assignment(JsonValue node, Statements& out) {
    auto& targets = node.find("targets")->items;
    if (targets.size() > 1) {  // a = b = x
        const Statements all = targets;
        assignment(assignNode(node, all.back(), *node.find("value")), out);
        const bool again = isConstantNode(*node.find("value")) || !isNode(all.back(), "Name");
        for (std::size_t i = all.size() - 1; i-- > 0;) {
            const JsonValue* known = lookup(dottedName(all.back()));
            assignment(assignNode(node, all[i],
                                  again              ? *node.find("value")
                                  : known != nullptr ? *known
                                                     : all.back()),
                       out);
        }
        return;
    }
    if (targets.empty()) return;
    if (unpackShape(node, out) || unpackRest(node, out)) return;
    JsonValue& target = targets[0];
    JsonValue& value = *node.find("value");
    const auto &names = fieldList(target, "elts"), &values = fieldList(value, "elts");
    if (!names.empty() && names.size() == values.size() && isCollectionNode(value)) {
        Statements given = values;
        if (!inOrder(names, values))  // a, b = b, a
            for (JsonValue& each : given)
                if (!isConstantNode(each)) each = named("swapped", each, out);
        const Statements all = names;
        for (std::size_t i = 0; i < all.size(); ++i) assignment(assignNode(node, all[i], given[i]), out);
        return;
    }
    if (isNode(target, "Subscript")) {
        if (storeElement(target, value, out)) return;
        if (JsonValue* slice = target.find("slice")) expression(*slice);
    }
    if (isNode(target, "Attribute") && storeField(target, value)) return;
    if (!names.empty()) {
        forgetChanged(node);
        for (const JsonValue& each : names)
            if (isNode(each, "Name")) m_tensors.emplace(fieldText(each, "id"));
    }
    if (isNode(target, "Name")) {
        const std::string name(fieldText(target, "id"));
        if (isCollectionNode(value))
            for (const char* part : {"elts", "values"})
                for (JsonValue& each : listIn(value, part))
                    if (hasTensorCall(each) || isSlice(each)) each = named(name, each, out);
        const bool tensor = hasTensorCall(value) || isTensor(value);
        if (isNode(value, "Slice")) return know(name, value);
        if (isConstantNode(value) || isCollectionNode(value)) {
            know(name, value);
            const bool readable = onlyIntegers(value) && !fieldList(value, "elts").empty();
            if (isCollectionNode(value) && !readable && lookup(name) != nullptr) return;
        } else {
            forgetList(name);
            forgetFields(name);
            if (tensor) m_tensors.insert(name);
            if (tensor || isNode(value, "BinOp") || m_notNone.count(dottedName(value)) != 0) m_notNone.insert(name);
        }
    }
    out.push_back(std::move(node));
}

}  // namespace cubist::pypto

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <utility>

#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kStatements = 20'000;  // written out in all
constexpr std::size_t kTurns = 1024;         // of one loop

void collectNames(const JsonValue& node, std::set<std::string>& names) {
    if (isNode(node, "Name")) names.emplace(fieldText(node, "id"));
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) collectNames(member.value, names);
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) collectNames(item, names);
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

/// Does no value read a name that is assigned before it?
bool inOrder(const std::vector<JsonValue>& names, const std::vector<JsonValue>& values) {
    std::set<std::string> taken;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (reads(values[i], taken)) return false;
        collectNames(names[i], taken);
    }
    return true;
}

/// `parts` of parts.append(x) and of other methods that change a list.
std::string changedList(const JsonValue& call) {
    const JsonValue* function = isNode(call, "Call") ? call.find("func") : nullptr;
    if (function == nullptr || !isNode(*function, "Attribute")) return {};
    constexpr std::array<std::string_view, 7> kMethods{"append", "extend", "insert", "pop",
                                                       "clear",  "remove", "reverse"};
    if (std::find(kMethods.begin(), kMethods.end(), fieldText(*function, "attr")) == kMethods.end()) return {};
    return dottedName(*function->find("value"));
}

/// Names that a statement assigns or changes, and how often.
void countAssigned(const JsonValue& node, std::map<std::string, int>& counts) {
    const auto target = [&](const JsonValue& each) {
        if (isNode(each, "Name")) ++counts[std::string(fieldText(each, "id"))];
        if (isNode(each, "Subscript"))
            if (const std::string name = dottedName(*each.find("value")); !name.empty()) ++counts[name];
        for (const JsonValue& part : fieldList(each, "elts"))
            if (isNode(part, "Name")) ++counts[std::string(fieldText(part, "id"))];
    };
    for (const JsonValue& each : fieldList(node, "targets")) target(each);
    if (const JsonValue* each = node.isObject() ? node.find("target") : nullptr) target(*each);
    if (const JsonValue* value = isNode(node, "Expr") ? node.find("value") : nullptr)
        if (const std::string name = changedList(*value); !name.empty()) ++counts[name];
    for (const char* part : {"body", "orelse"})
        for (const JsonValue& statement : fieldList(node, part)) countAssigned(statement, counts);
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

bool hasSubscript(const JsonValue& node) {
    if (isNode(node, "Subscript")) return true;
    for (const JsonMember& member : node.members)
        if (member.value.isObject() && hasSubscript(member.value)) return true;
    return false;
}

/// Is there a break that leaves the loop with this body?
bool leaves(const std::vector<JsonValue>& body) {
    return std::any_of(body.begin(), body.end(), [](const JsonValue& each) {
        if (isNode(each, "Break")) return true;
        const bool loop = isNode(each, "For") || isNode(each, "While");
        return (!loop && leaves(fieldList(each, "body"))) || leaves(fieldList(each, "orelse"));
    });
}

std::size_t mentions(const JsonValue& node, const std::string& name) {
    std::size_t count = isNode(node, "Name") && fieldText(node, "id") == name ? 1 : 0;
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) count += mentions(member.value, name);
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) count += mentions(item, name);
    }
    return count;
}

/// GROUPS of `if GROUPS[g] > 0:`: a group without rows, which the readers of loops know.
std::string guardingList(const JsonValue& test) {
    const auto& bounds = fieldList(test, "comparators");
    const JsonValue* entry = isNode(test, "Compare") ? test.find("left") : &test;
    if (entry == nullptr || !isNode(*entry, "Subscript")) return {};
    const auto bound = bounds.size() == 1 ? numberIn(bounds[0]) : std::nullopt;
    if (isNode(test, "Compare") && !(bound && bound->value() == 0)) return {};
    return dottedName(*entry->find("value"));
}

/// x[a:b, c:d]
bool isSlice(const JsonValue& node) {
    const JsonValue* key = isNode(node, "Subscript") ? node.find("slice") : nullptr;
    if (key == nullptr) return false;
    const auto& parts = fieldList(*key, "elts");
    return isNode(*key, "Slice") ||
           std::any_of(parts.begin(), parts.end(), [](const JsonValue& each) { return isNode(each, "Slice"); });
}

bool isReal(const JsonValue& node) {
    return fieldText(node, "kind") == "float";
}

bool isNumeric(const JsonValue& node) {
    if (isNode(node, "BinOp")) return isNumeric(*node.find("left")) && isNumeric(*node.find("right"));
    return isNode(node, "Name") || isNode(node, "Constant");
}

bool onlyIntegers(const JsonValue& list) {
    const auto& elements = fieldList(list, "elts");
    return !isNode(list, "Dict") && std::all_of(elements.begin(), elements.end(), [](const JsonValue& each) {
        const auto number = numberIn(each);
        return number && number->isInteger;
    });
}

}  // namespace

void Simplifier::kernel(JsonValue& function, const std::set<std::string>& moduleLists) {
    m_moduleLists = moduleLists;
    for (JsonValue& each : listIn(function, "decorator_list")) expression(each);
    std::map<std::string, int> counts;
    for (const JsonValue& each : fieldList(function, "body")) countAssigned(each, counts);
    takeParameters(function, counts);
    if (JsonValue* returned = function.find("returns"); returned != nullptr && returned->isObject())
        expression(*returned);
    for (const auto& [name, count] : counts) {
        m_constants.erase(name);
        m_assigned.insert(name);
    }
    statements(listIn(function, "body"));
    returnedValues(function);
    Statements& body = listIn(function, "body");
    for (const auto& [name, list] : m_lists) body.insert(body.begin(), assignNode(list, nameNode(list, name), list));
}

void Simplifier::know(const std::string& name, const JsonValue& value) {
    forget(name);
    std::set<std::string> names;
    if (isCollectionNode(value)) collectNames(value, names);
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

void Simplifier::forgetAssigned(const JsonValue& node) {
    std::map<std::string, int> counts;
    countAssigned(node, counts);
    for (const auto& [name, count] : counts) forgetList(name);
}

/// A list that has several names is changed under all of them.
void Simplifier::forgetList(const std::string& name) {
    if (m_shared.count(name) != 0)
        for (const std::string& each : std::set<std::string>(m_shared)) forget(each);
    forget(name);
}

void Simplifier::bindTo(const JsonValue& target, const JsonValue& value) {
    const auto &names = fieldList(target, "elts"), &values = fieldList(value, "elts");
    if (isNode(target, "Name")) know(std::string(fieldText(target, "id")), value);
    for (std::size_t i = 0; i < names.size() && names.size() == values.size(); ++i) bindTo(names[i], values[i]);
}

/// The same of a loop; a value that is no constant is read once.
void Simplifier::bindTurn(const JsonValue& target, const JsonValue& value, Statements& out) {
    const auto &names = fieldList(target, "elts"), &values = fieldList(value, "elts");
    if (isNode(target, "Name")) {
        if (isConstantNode(value) || isCollectionNode(value) || isNode(value, "Name"))
            know(std::string(fieldText(target, "id")), value);
        else
            assignment(assignNode(value, target, value), out);
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
    if (isNode(node, "AnnAssign") && node.find("value") != nullptr && node.find("value")->isObject())
        node = assignNode(node, *node.find("target"), *node.find("value"));
    if (isNode(node, "AugAssign") && isNode(*node.find("target"), "Name")) {
        JsonValue sum = nodeLike(node, "BinOp");
        sum.add("left", *node.find("target"));
        sum.add("op", JsonValue::fromString(std::string(fieldText(node, "op"))));
        sum.add("right", *node.find("value"));
        node = assignNode(node, *node.find("target"), std::move(sum));
    }
    if (isNode(node, "Continue") || isNode(node, "Break")) {
        if (m_straight)
            m_stop = isNode(node, "Break") ? Stop::Break : Stop::Continue;
        else
            out.push_back(std::move(node));
        return;
    }
    if (isNode(node, "For")) return loop(std::move(node), out);
    if (isNode(node, "If")) return condition(std::move(node), out);
    if (isNode(node, "Expr") && append(*node.find("value"), out)) return;
    // A list that gets a second name may be changed through both.
    std::vector<std::string> both;
    if (isNode(node, "Assign") && isNode(*node.find("value"), "Name")) {
        both.push_back(dottedName(*node.find("value")));
        const JsonValue* list = lookup(both[0]);
        for (const JsonValue& each : fieldList(node, "targets")) both.push_back(dottedName(each));
        if (list == nullptr || !isNode(*list, "List")) both.clear();
    }
    if (JsonValue* value = node.find("value"); value != nullptr && value->isObject()) expression(*value);
    if (isNode(node, "Assign")) {
        assignment(std::move(node), out);
        for (const std::string& each : both)
            if (lookup(each) != nullptr) m_shared.insert(each);
        return;
    }
    if (isNode(node, "While")) {
        forgetAssigned(node);
        const bool straight = std::exchange(m_straight, false);
        statements(listIn(node, "body"));
        m_straight = straight;
        forgetAssigned(node);
    }
    out.push_back(std::move(node));
}

void Simplifier::condition(JsonValue node, Statements& out) {
    expression(*node.find("test"));
    if (const auto truth = truthOf(*node.find("test"))) {
        for (JsonValue& each : listIn(node, *truth ? "body" : "orelse")) {
            if (m_stop != Stop::No) break;
            statement(std::move(each), out);
        }
        return;
    }
    const bool straight = std::exchange(m_straight, false);
    forgetAssigned(node);
    statements(listIn(node, "body"));
    forgetAssigned(node);
    statements(listIn(node, "orelse"));
    forgetAssigned(node);
    m_straight = straight;
    out.push_back(std::move(node));
}

void Simplifier::loop(JsonValue node, Statements& out) {
    expression(*node.find("iter"));
    const auto turns = turnsOf(*node.find("iter"));
    const JsonValue target = *node.find("target");
    const std::size_t size = writtenOut(fieldList(node, "body"));
    const bool fits = turns && turns->size() <= kTurns && m_written + turns->size() * size <= kStatements;
    if (fits && mustWriteOut(node)) {
        const Statements body = fieldList(node, "body");
        const bool straight = std::exchange(m_straight, true);
        bool broken = false;
        for (const JsonValue& turn : *turns) {
            bindTurn(target, turn, out);
            for (const JsonValue& each : body) {
                if (m_stop != Stop::No) break;
                statement(each, out);
            }
            broken = std::exchange(m_stop, Stop::No) == Stop::Break;
            if (broken || m_tooLong) break;
        }
        m_straight = straight;
        if (broken) return;
        for (const JsonValue& each : fieldList(node, "orelse"))
            if (m_stop == Stop::No) statement(each, out);
        return;
    }
    // Without a break the else of a loop is what follows it.
    Statements after;
    if (!leaves(fieldList(node, "body"))) after = std::exchange(listIn(node, "orelse"), {});
    const bool straight = std::exchange(m_straight, false);
    forgetAssigned(node);
    statements(listIn(node, "body"));
    forgetAssigned(node);
    m_straight = straight;
    out.push_back(std::move(node));
    for (JsonValue& each : after)
        if (m_stop == Stop::No) statement(std::move(each), out);
}

/// Statements of a body if all loops of known length in it were written out.
std::size_t Simplifier::writtenOut(const Statements& body) const {
    std::size_t count = body.size();
    for (const JsonValue& each : body) {
        std::size_t inner = writtenOut(fieldList(each, "body"));
        if (isNode(each, "For"))
            if (const auto turns = turnsOf(*each.find("iter"))) inner *= turns->size();
        count += inner + writtenOut(fieldList(each, "orelse"));
        if (count > kStatements) return kStatements + 1;
    }
    return count;
}

bool Simplifier::isTensor(const JsonValue& node) const {
    if (isNode(node, "Attribute") && (fieldText(node, "attr") == "shape" || fieldText(node, "attr") == "dtype"))
        return false;
    if (isNode(node, "Name")) return m_tensors.count(std::string(fieldText(node, "id"))) != 0;
    for (const JsonMember& member : node.members) {
        if (member.value.isObject() && isTensor(member.value)) return true;
        for (const JsonValue& item : member.value.items)
            if (item.isObject() && isTensor(item)) return true;
    }
    return false;
}

bool Simplifier::carries(const Statements& body, std::set<std::string>& assigned) const {
    for (const JsonValue& each : body) {
        const auto& targets = fieldList(each, "targets");
        const JsonValue* target = isNode(each, "AugAssign") ? each.find("target")
                                  : targets.size() == 1     ? &targets[0]
                                                            : nullptr;
        const JsonValue* value = each.find("value");
        if (target != nullptr && value != nullptr && isNode(*target, "Name")) {
            const std::string name(fieldText(*target, "id"));
            const bool own = isNode(each, "AugAssign") || reads(*value, {name});
            // A sum of numbers is one, but that of the entries of a list, which designs can say.
            const JsonValue* before = lookup(name);
            const bool counts = before != nullptr && numberIn(*before) && !hasSubscript(*value);
            if (own && assigned.count(name) == 0 &&
                (counts || hasTensorCall(*value) || isTensor(*value) || m_tensors.count(name) != 0))
                return true;
            assigned.insert(name);
        }
        for (const char* part : {"body", "orelse"})
            if (carries(fieldList(each, part), assigned)) return true;
    }
    return false;
}

/// A condition on the index, an element that it picks out of a list of values, a list that grows.
bool Simplifier::dependsOn(const JsonValue& node, const std::set<std::string>& index) const {
    if (isNode(node, "Compare")) {
        const JsonValue* left = node.find("left");
        const bool entry = left != nullptr && isNode(*left, "Subscript");
        const JsonValue* list = entry ? lookup(dottedName(*left->find("value"))) : nullptr;
        const bool known = list != nullptr && isCollectionNode(*list) && guardingList(node).empty();
        if (left != nullptr && (!entry || known) && reads(node, index)) return true;
    }
    // i + 0.5 is a number of values
    if (isNode(node, "Call") && dottedName(*node.find("func")) == "float" && reads(node, index)) return true;
    if (isNode(node, "BinOp")) {
        const JsonValue &left = *node.find("left"), &right = *node.find("right");
        const auto counts = [&](const JsonValue& each) { return isNumeric(each) && reads(each, index); };
        if ((isReal(left) && counts(right)) || (isReal(right) && counts(left))) return true;
    }
    if (isNode(node, "If") || isNode(node, "IfExp"))
        if (const JsonValue* test = node.find("test"); test != nullptr && !hasSubscript(*test) && reads(*test, index))
            return true;
    if (isNode(node, "Subscript")) {
        const JsonValue* list = lookup(dottedName(*node.find("value")));
        if (list != nullptr && isCollectionNode(*list) && !onlyIntegers(*list) && reads(*node.find("slice"), index))
            return true;
    }
    if (const std::string name = changedList(node); !name.empty() && lookup(name) != nullptr) return true;
    for (const JsonMember& member : node.members) {
        if (member.value.isObject() && dependsOn(member.value, index)) return true;
        for (const JsonValue& item : member.value.items)
            if (item.isObject() && dependsOn(item, index)) return true;
    }
    return false;
}

/// `if FLAGS[g] > 0:` of a known list that the loop reads for nothing else.
bool Simplifier::hasFlags(const Statements& body, const JsonValue& loop, const std::set<std::string>& index) const {
    return std::any_of(body.begin(), body.end(), [&](const JsonValue& each) {
        if (const JsonValue* test = isNode(each, "If") ? each.find("test") : nullptr) {
            const std::string name = guardingList(*test);
            const JsonValue* list = lookup(name);
            if (list != nullptr && isCollectionNode(*list) && reads(*test, index) &&
                mentions(*test, name) == mentions(loop, name))
                return true;
        }
        return hasFlags(fieldList(each, "body"), loop, index) || hasFlags(fieldList(each, "orelse"), loop, index);
    });
}

bool Simplifier::mustWriteOut(const JsonValue& loop) const {
    const JsonValue& iterator = *loop.find("iter");
    if (!isNode(iterator, "Call") || dottedName(*iterator.find("func")) != "range") return true;
    std::set<std::string> index, assigned;
    collectNames(*loop.find("target"), index);
    const auto& body = fieldList(loop, "body");
    return carries(body, assigned) || hasFlags(body, loop, index) ||
           std::any_of(body.begin(), body.end(), [&](const JsonValue& each) { return dependsOn(each, index); });
}

JsonValue Simplifier::named(const std::string& base, JsonValue value, Statements& out) {
    std::string name;
    do name = base + "_" + std::to_string(++m_temporaries);
    while (m_assigned.count(name) != 0);
    JsonValue target = nameNode(value, name), made = assignNode(value, target, value);
    assignment(std::move(made), out);
    return target;
}

bool Simplifier::append(const JsonValue& call, Statements& out) {
    const std::string name = changedList(call);
    const auto& arguments = fieldList(call, "args");
    const JsonValue* list = lookup(name);
    if (list == nullptr) return false;
    const bool plain = isNode(*list, "List") && m_straight && m_shared.count(name) == 0 && arguments.size() == 1 &&
                       fieldText(*call.find("func"), "attr") == "append";
    if (!plain) {
        forgetList(name);
        return false;
    }
    JsonValue value = arguments[0], longer = *list;
    expression(value);
    // A variable may mean something else in the next turn.
    if (!isConstantNode(value) && !isCollectionNode(value) &&
        (!isNode(value, "Name") || m_assigned.count(dottedName(value)) != 0))
        value = named(name, value, out);
    listIn(longer, "elts").push_back(std::move(value));
    know(name, longer);
    return true;
}

/// parts[1] = x of a list that is known
bool Simplifier::storeElement(const JsonValue& target, const JsonValue& value, Statements& out) {
    const std::string name = dottedName(*target.find("value"));
    const JsonValue* list = lookup(name);
    if (list == nullptr || !isCollectionNode(*list)) return false;
    JsonValue key = *target.find("slice"), changed = *list;
    expression(key);
    const auto at = numberIn(key);
    auto& elements = listIn(changed, "elts");
    const auto size = static_cast<std::int64_t>(elements.size());
    const std::int64_t place = at && at->isInteger ? (at->integer < 0 ? at->integer + size : at->integer) : -1;
    if (!isNode(*list, "List") || !m_straight || m_shared.count(name) != 0 || place < 0 || place >= size) {
        forgetList(name);
        return false;
    }
    JsonValue kept = value;
    if (!isConstantNode(kept) && !isCollectionNode(kept) && !isNode(kept, "Name")) kept = named(name, kept, out);
    elements[static_cast<std::size_t>(place)] = std::move(kept);
    know(name, changed);
    return true;
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
        assignment(assignNode(node, names[i], std::move(part)), out);
    }
    return true;
}

void Simplifier::assignment(JsonValue node, Statements& out) {
    auto& targets = node.find("targets")->items;
    if (targets.size() > 1) {  // a = b = x
        const Statements all = targets;
        assignment(assignNode(node, all.back(), *node.find("value")), out);
        for (std::size_t i = all.size() - 1; i-- > 0;)
            assignment(assignNode(node, all[i], isNode(all.back(), "Name") ? all.back() : *node.find("value")), out);
        return;
    }
    if (targets.empty()) return;
    if (unpackShape(node, out)) return;
    JsonValue& target = targets[0];
    JsonValue& value = *node.find("value");
    const auto &names = fieldList(target, "elts"), &values = fieldList(value, "elts");
    if (!names.empty() && names.size() == values.size()) {
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
    for (const JsonValue& each : names)
        if (isNode(each, "Name")) {
            forget(std::string(fieldText(each, "id")));
            m_tensors.emplace(fieldText(each, "id"));
        }
    if (isNode(target, "Name")) {
        const std::string name(fieldText(target, "id"));
        if (isCollectionNode(value))
            for (const char* part : {"elts", "values"})
                for (JsonValue& each : listIn(value, part))
                    if (hasTensorCall(each) || isSlice(each)) each = named(name, each, out);
        const bool tensor = hasTensorCall(value) || isTensor(value);
        const bool shared = m_shared.count(name) != 0 && isNode(value, "List");
        if (isConstantNode(value) || isCollectionNode(value)) {
            know(name, value);
            if (shared) m_shared.insert(name);
            const bool readable = onlyIntegers(value) && !fieldList(value, "elts").empty();
            if (isCollectionNode(value) && !readable && lookup(name) != nullptr) return;
        } else {
            forget(name);
            if (tensor) m_tensors.insert(name);
            if (tensor || isNode(value, "BinOp") || m_notNone.count(dottedName(value)) != 0) m_notNone.insert(name);
        }
    }
    out.push_back(std::move(node));
}

}  // namespace cubist::pypto

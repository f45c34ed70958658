// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kStatements = 20'000;  // written out in all

bool hasSubscript(const JsonValue& node) {
    if (isNode(node, "Subscript")) return true;
    for (const JsonMember& member : node.members)
        if (member.value.isObject() && hasSubscript(member.value)) return true;
    return false;
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

bool isReal(const JsonValue& node) {
    return fieldText(node, "kind") == "float";
}

bool isNumeric(const JsonValue& node) {
    if (isNode(node, "BinOp")) return isNumeric(*node.find("left")) && isNumeric(*node.find("right"));
    return isNode(node, "Name") || isNode(node, "Constant");
}

/// Names that are computed from an index, without an entry of a list, follow it.
void addFollowing(const std::vector<JsonValue>& body, std::set<std::string>& index) {
    for (const JsonValue& each : body) {
        const auto& targets = fieldList(each, "targets");
        const JsonValue* value = each.find("value");
        if (targets.size() == 1 && isNode(targets[0], "Name") && value != nullptr && value->isObject() &&
            reads(*value, index) && !hasSubscript(*value) && !hasNode(*value, "Call"))
            index.emplace(fieldText(targets[0], "id"));
        for (const char* part : {"body", "orelse"}) addFollowing(fieldList(each, part), index);
    }
}

/// A text that an index is put into, as in f"c{i}".
bool isTextOf(const JsonValue& node, const std::set<std::string>& index) {
    const JsonValue* function = isNode(node, "Call") ? node.find("func") : nullptr;
    const bool text =
        isNode(node, "JoinedStr") || (isNode(node, "BinOp") && fieldText(*node.find("left"), "kind") == "str") ||
        (function != nullptr && (dottedName(*function) == "str" || fieldText(*function, "attr") == "format"));
    return text && reads(node, index);
}

}  // namespace

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
    if (isTextOf(node, index)) return true;
    // A tile or a label of its own for each turn.
    if (isNode(node, "Call") && dottedName(*node.find("func")).starts_with("pypto.set_") && reads(node, index))
        return true;
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
    addNames(*loop.find("target"), index);
    const auto& body = fieldList(loop, "body");
    if (hasFlags(body, loop, index)) return true;
    addFollowing(body, index);
    const Changes changes = changesOf(loop);
    const auto isList = [&](const std::string& name) {
        const JsonValue* list = lookup(name);
        return list != nullptr && isCollectionNode(*list);
    };
    const bool grows = std::any_of(changes.mutated.begin(), changes.mutated.end(), isList) ||
                       std::any_of(changes.assigned.begin(), changes.assigned.end(),
                                   [&](const auto& each) { return isList(each.first); });
    const auto& arguments = fieldList(iterator, "args");
    const auto step = arguments.size() == 3 ? numberIn(arguments[2]) : std::nullopt;
    return grows || (step && step->value() < 0) || carries(body, assigned) || handsOn(body) ||
           std::any_of(body.begin(), body.end(), [&](const JsonValue& each) { return dependsOn(each, index); });
}

/// Does a turn read a tensor that only the turn before it has made?
bool Simplifier::handsOn(const Statements& body) const {
    Changes changes;
    for (const JsonValue& each : body) addChanges(each, changes);
    std::set<std::string> tensors;
    for (const auto& [name, count] : changes.assigned)
        if (m_tensors.count(name) != 0) tensors.insert(name);
    for (const JsonValue& each : body) {
        const JsonValue* value = each.find("value");
        if (value == nullptr ? reads(each, tensors) : reads(*value, tensors)) return true;
        for (const auto& [name, count] : changesOf(each).assigned) tensors.erase(name);
    }
    return false;
}

}  // namespace cubist::pypto

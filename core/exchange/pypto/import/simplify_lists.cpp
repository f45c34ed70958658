// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

bool isList(const JsonValue& node) {
    return isNode(node, "List");
}

/// Where an index lies in a list; nothing where it is no number or outside.
std::optional<std::size_t> placeIn(const std::vector<JsonValue>& elements, const JsonValue& index) {
    const auto at = numberIn(index);
    if (!at || !at->isInteger) return std::nullopt;
    const auto size = static_cast<std::int64_t>(elements.size());
    const std::int64_t place = at->integer < 0 ? at->integer + size : at->integer;
    return place >= 0 && place < size ? std::optional(static_cast<std::size_t>(place)) : std::nullopt;
}

/// Where a key lies in a dictionary; its size: nowhere; nothing where that cannot be told.
std::optional<std::size_t> keyIn(const JsonValue& dict, const JsonValue& key) {
    const auto& keys = fieldList(dict, "keys");
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto same = sameConstant(keys[i], key);
        if (!same) return std::nullopt;
        if (*same) return i;
    }
    return isConstantNode(key) ? std::optional(keys.size()) : std::nullopt;
}

void put(JsonValue& dict, std::size_t place, const JsonValue& key, JsonValue value) {
    auto &keys = listIn(dict, "keys"), &values = listIn(dict, "values");
    if (place == keys.size()) {
        keys.push_back(key);
        values.push_back(std::move(value));
    } else {
        values[place] = std::move(value);
    }
}

void take(JsonValue& dict, std::size_t place) {
    for (const char* part : {"keys", "values"}) {
        auto& list = listIn(dict, part);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
    }
}

}  // namespace

bool onlyIntegers(const JsonValue& list) {
    const auto& elements = fieldList(list, "elts");
    return !isNode(list, "Dict") && std::all_of(elements.begin(), elements.end(), [](const JsonValue& each) {
        const auto number = numberIn(each);
        return number && number->isInteger;
    });
}

/// A value that a list keeps: a variable may mean something else by the time it is read.
JsonValue Simplifier::kept(JsonValue value, const std::string& name, Statements& out) {
    expression(value);
    if (isConstantNode(value) || isCollectionNode(value) || isNode(value, "Slice") ||
        (isNode(value, "Name") && m_assigned.count(dottedName(value)) == 0))
        return value;
    return named(name, std::move(value), out);
}

/// What a method does to a list that has one name. False: nobody knows.
bool Simplifier::changeList(const JsonValue& call, const std::string& name, JsonValue& list, Statements& out) {
    const std::string_view method = fieldText(*call.find("func"), "attr");
    const auto &arguments = fieldList(call, "args"), &keywords = fieldList(call, "keywords");
    auto& elements = listIn(list, "elts");
    constexpr std::size_t kMost = 4096;
    const bool none = arguments.empty() && keywords.empty(), one = arguments.size() == 1 && keywords.empty();
    if (method == "clear" && none) {
        elements.clear();
    } else if (method == "reverse" && none) {
        std::reverse(elements.begin(), elements.end());
    } else if (method == "append" && one && elements.size() < kMost) {
        elements.push_back(kept(arguments[0], name, out));
    } else if (method == "insert" && arguments.size() == 2 && keywords.empty() && elements.size() < kMost) {
        JsonValue index = arguments[0];
        expression(index);
        const auto at = numberIn(index);
        if (!at || !at->isInteger) return false;
        const auto size = static_cast<std::int64_t>(elements.size());
        const std::int64_t place =
            std::clamp<std::int64_t>(at->integer < 0 ? at->integer + size : at->integer, 0, size);
        elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(place), kept(arguments[1], name, out));
    } else if (method == "extend" && one) {
        JsonValue more = arguments[0];
        expression(more);
        const auto turns = turnsOf(more);
        if (!turns || elements.size() + turns->size() > kMost) return false;
        for (const JsonValue& each : *turns) elements.push_back(kept(each, name, out));
    } else if (method == "remove" && one) {
        JsonValue value = arguments[0];
        expression(value);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const auto same = sameConstant(elements[i], value);
            if (!same) return false;
            if (!*same) continue;
            elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
        return false;
    } else if (method == "pop" && keywords.empty() && arguments.size() <= 1 && !elements.empty()) {
        JsonValue index = arguments.empty() ? constantNode(call, {true, -1, 0}) : arguments[0];
        expression(index);
        const auto place = placeIn(elements, index);
        if (!place) return false;
        elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*place));
    } else if (method == "sort" && arguments.empty()) {
        JsonValue sorted = nodeLike(call, "Call"), given = JsonValue::array(), options = JsonValue::array();
        given.push(list);
        options.items = keywords;
        for (JsonValue& each : options.items) expression(*each.find("value"));
        sorted.add("func", nameNode(call, "sorted"));
        sorted.add("args", std::move(given));
        sorted.add("keywords", std::move(options));
        auto value = evaluated(sorted);
        if (!value) return false;
        list = *std::move(value);
    } else {
        return false;
    }
    return true;
}

bool Simplifier::changeDictionary(const JsonValue& call, JsonValue& dict, Statements& out) {
    const std::string_view method = fieldText(*call.find("func"), "attr");
    std::vector<JsonValue> arguments = fieldList(call, "args");
    for (JsonValue& each : arguments) expression(each);
    const auto& keywords = fieldList(call, "keywords");
    if (method == "clear" && arguments.empty()) {
        listIn(dict, "keys").clear();
        listIn(dict, "values").clear();
    } else if (method == "update" && arguments.size() <= 1) {
        if (!arguments.empty()) {
            if (!isNode(arguments[0], "Dict") || !isCollectionNode(arguments[0])) return false;
            const auto keys = fieldList(arguments[0], "keys"), values = fieldList(arguments[0], "values");
            for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
                const auto place = keyIn(dict, keys[i]);
                if (!place) return false;
                put(dict, *place, keys[i], kept(values[i], "entry", out));
            }
        }
        for (const JsonValue& each : keywords) {
            if (fieldText(each, "arg").empty()) return false;
            const JsonValue key = textNode(each, std::string(fieldText(each, "arg")));
            const auto place = keyIn(dict, key);
            if (!place) return false;
            put(dict, *place, key, kept(*each.find("value"), "entry", out));
        }
    } else if ((method == "pop" || method == "setdefault") && keywords.empty() && !arguments.empty() &&
               arguments.size() <= 2) {
        const auto place = keyIn(dict, arguments[0]);
        const std::size_t size = fieldList(dict, "keys").size();
        if (!place || (*place == size && arguments.size() == 1)) return false;
        if (method == "pop" && *place < size) take(dict, *place);
        if (method == "setdefault" && *place == size) put(dict, size, arguments[0], kept(arguments[1], "entry", out));
    } else {
        return false;
    }
    return true;
}

/// parts.append(x), config.update(..) of what is known. True: nothing is left to do.
bool Simplifier::changeCollection(const JsonValue& call, Statements& out) {
    const JsonValue* function = isNode(call, "Call") ? call.find("func") : nullptr;
    if (function == nullptr || !isNode(*function, "Attribute")) return false;
    const std::string name = dottedName(*function->find("value"));
    const JsonValue* known = lookup(name);
    if (known == nullptr || !isCollectionNode(*known) || m_shared.count(name) != 0) return false;
    // Arguments that change things themselves, or the list in itself.
    Changes changes;
    for (const char* part : {"args", "keywords"})
        for (const JsonValue& each : fieldList(call, part)) addChanges(each, changes);
    std::set<std::string> inside;
    for (const JsonValue& each : fieldList(call, "args")) aliasesIn(each, false, inside);
    if (!changes.assigned.empty() || changes.mutated.count(name) != 0 || inside.count(name) != 0) return false;
    JsonValue changed = *known;
    const bool done = isList(changed)           ? changeList(call, name, changed, out)
                      : isNode(changed, "Dict") ? changeDictionary(call, changed, out)
                                                : false;
    if (!done) return false;
    know(name, changed);
    if (!inside.empty()) {
        inside.insert(name);
        m_shared.insert(inside.begin(), inside.end());
    }
    return true;
}

/// x = parts.pop(): the element, and a list without it.
bool Simplifier::takeOut(JsonValue& value) {
    const JsonValue* function = isNode(value, "Call") ? value.find("func") : nullptr;
    if (function == nullptr || !isNode(*function, "Attribute") || fieldText(*function, "attr") != "pop") return false;
    const std::string name = dottedName(*function->find("value"));
    const JsonValue* known = lookup(name);
    const auto& arguments = fieldList(value, "args");
    if (known == nullptr || m_shared.count(name) != 0 || arguments.size() > 1 || !fieldList(value, "keywords").empty())
        return false;
    JsonValue index = arguments.empty() ? constantNode(value, {true, -1, 0}) : arguments[0], changed = *known;
    expression(index);
    if (isList(changed)) {
        auto& elements = listIn(changed, "elts");
        const auto place = placeIn(elements, index);
        if (!place) return false;
        value = elements[*place];
        elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*place));
    } else if (isNode(changed, "Dict") && !arguments.empty()) {
        const auto place = keyIn(changed, index);
        if (!place || *place >= fieldList(changed, "keys").size()) return false;
        value = fieldList(changed, "values")[*place];
        take(changed, *place);
    } else {
        return false;
    }
    know(name, changed);
    return true;
}

/// parts[1] = x, parts[0:2] = [..] and config["rows"] = 8 of what is known
bool Simplifier::storeElement(const JsonValue& target, const JsonValue& value, Statements& out) {
    const std::string name = dottedName(*target.find("value"));
    const JsonValue* list = lookup(name);
    if (list == nullptr || !isCollectionNode(*list)) {
        forgetList(rootName(target));
        return false;
    }
    JsonValue key = *target.find("slice"), changed = *list;
    expression(key);
    std::set<std::string> inside;
    aliasesIn(value, false, inside);
    bool done = m_shared.count(name) == 0 && inside.empty();
    if (done && isNode(changed, "Dict")) {
        const auto place = keyIn(changed, key);
        done = place.has_value();
        if (done) put(changed, *place, key, kept(value, "entry", out));
    } else if (done && isList(changed) && isNode(key, "Slice")) {
        auto& elements = listIn(changed, "elts");
        const auto size = static_cast<std::int64_t>(elements.size());
        std::vector<JsonValue> places;
        for (std::int64_t i = 0; i < size; ++i) places.push_back(constantNode(key, {true, i, 0}));
        const auto taken = sliceOf(places, key);
        const auto turns = turnsOf(value);
        done = taken && turns && taken->size() == turns->size();
        if (done)
            for (std::size_t i = 0; i < taken->size(); ++i)
                elements[static_cast<std::size_t>(numberIn((*taken)[i])->integer)] = kept((*turns)[i], name, out);
    } else if (done && isList(changed)) {
        auto& elements = listIn(changed, "elts");
        const auto place = placeIn(elements, key);
        done = place.has_value();
        if (done) elements[*place] = kept(value, name, out);
    } else {
        done = false;
    }
    if (!done) {
        forgetList(name);
        return false;
    }
    know(name, changed);
    return true;
}

/// config.rows = 8
bool Simplifier::storeField(const JsonValue& target, const JsonValue& value) {
    const std::string name = dottedName(target);
    const std::string root = rootName(target);
    forgetList(root);
    if (name.empty() || m_objectNames.count(root) != 0) {
        forgetFields(root);
        return false;
    }
    forget(name);
    forgetFields(name);
    if (!isConstantNode(value) && !isCollectionNode(value)) return false;
    know(name, value);
    return true;
}

/// first, *rest = a list that is known
bool Simplifier::unpackRest(const JsonValue& node, Statements& out) {
    const Statements names = fieldList(fieldList(node, "targets")[0], "elts");
    const auto rest =
        std::find_if(names.begin(), names.end(), [](const JsonValue& each) { return isNode(each, "Starred"); });
    const auto turns = rest == names.end() ? std::nullopt : turnsOf(*node.find("value"));
    if (!turns || turns->size() + 1 < names.size()) return false;
    const auto before = static_cast<std::size_t>(rest - names.begin()), after = names.size() - before - 1;
    const auto first = turns->begin() + static_cast<std::ptrdiff_t>(before),
               last = turns->end() - static_cast<std::ptrdiff_t>(after);
    Statements values{turns->begin(), first};
    values.push_back(listNode(node, {first, last}));
    values.insert(values.end(), last, turns->end());
    for (std::size_t i = 0; i < names.size(); ++i)
        assignment(assignNode(node, i == before ? *names[i].find("value") : names[i], values[i]), out);
    return true;
}

/// del x, del parts[1], del config["rows"]
void Simplifier::deletion(const JsonValue& node) {
    for (const JsonValue& target : fieldList(node, "targets")) {
        const std::string name = isNode(target, "Subscript") ? dottedName(*target.find("value")) : std::string();
        const JsonValue* known = lookup(name);
        if (known == nullptr || m_shared.count(name) != 0) {
            forgetList(rootName(target));
            forgetFields(rootName(target));
            continue;
        }
        JsonValue changed = *known, key = *target.find("slice");
        expression(key);
        std::optional<std::size_t> place;
        if (isList(changed)) place = placeIn(listIn(changed, "elts"), key);
        if (isNode(changed, "Dict")) place = keyIn(changed, key);
        if (!place || (isNode(changed, "Dict") && *place == fieldList(changed, "keys").size())) {
            forgetList(name);
        } else {
            if (isList(changed)) {
                auto& elements = listIn(changed, "elts");
                elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*place));
            } else {
                take(changed, *place);
            }
            know(name, changed);
        }
    }
}

/// Names of lists that `value` is (or has in it, where `copied`), as Python sees it: before anything is put in.
void Simplifier::aliasesIn(const JsonValue& value, bool copied, std::set<std::string>& names) const {
    const std::string name = dottedName(value);
    if (const JsonValue* known = lookup(name)) {
        const auto nested = [&](const char* part) {
            const auto& list = fieldList(*known, part);
            return std::any_of(list.begin(), list.end(), isMutableNode);
        };
        if (copied ? nested("elts") || nested("values") : isMutableNode(*known)) names.insert(name);
        return;
    }
    const std::string function = isNode(value, "Call") ? dottedName(*value.find("func")) : std::string();
    if (function == "copy.deepcopy" || function == "deepcopy") return;
    const bool whole = isNode(value, "IfExp") || isNode(value, "BoolOp") || isNode(value, "NamedExpr") ||
                       isNode(value, "List") || isNode(value, "Tuple") || isNode(value, "Dict") ||
                       isNode(value, "keyword") ||
                       (isNode(value, "Call") && !leavesArgumentsAlone(dottedName(*value.find("func"))));
    for (const JsonMember& member : value.members) {
        if (member.value.isObject()) aliasesIn(member.value, copied || !whole, names);
        for (const JsonValue& item : member.value.items)
            if (item.isObject()) aliasesIn(item, copied || !whole, names);
    }
}

/// What is assigned from these lists is one of them, for all that is known.
void Simplifier::share(const JsonValue& target, const std::set<std::string>& names) {
    if (names.empty()) return;
    std::set<std::string> all;
    addNames(target, all);
    for (const std::string& each : all)
        if (const JsonValue* value = lookup(each); value != nullptr && isMutableNode(*value)) {
            m_shared.insert(each);
            m_shared.insert(names.begin(), names.end());
        }
}

/// A list that has several names is changed under all of them.
void Simplifier::forgetList(const std::string& name) {
    if (m_shared.count(name) != 0)
        for (const std::string& each : std::set<std::string>(m_shared)) forget(each);
    forget(name);
}

/// other = config: an object with two names.
void Simplifier::shareFields(const std::string& object, const std::string& other) {
    if (object.empty() || object == other) return;
    KnownValues fields;
    for (auto it = m_constants.lower_bound(object + ".");
         it != m_constants.end() && it->first.starts_with(object + "."); ++it)
        fields[other + it->first.substr(object.size())] = it->second;
    if (fields.empty()) return;
    for (auto& [name, value] : fields) m_constants[name] = std::move(value);
    m_objectNames.insert(object);
    m_objectNames.insert(other);
}

/// Fields of an object, under each of its names.
void Simplifier::forgetFields(const std::string& name) {
    if (m_objectNames.erase(name) != 0)
        for (const std::string& each : std::exchange(m_objectNames, {})) forgetFields(each);
    for (auto it = m_constants.lower_bound(name + "."); it != m_constants.end() && it->first.starts_with(name + ".");) {
        m_shared.erase(it->first);
        it = m_constants.erase(it);
    }
}

void Simplifier::forgetChanged(const JsonValue& node) {
    const Changes changes = changesOf(node);
    constexpr std::size_t kLooked = 2'000'000;
    m_looked += changes.nodes;
    m_tooLong = m_tooLong || m_looked > kLooked;
    for (const auto& [name, count] : changes.assigned) {
        forgetList(name);
        forgetFields(name);
    }
    for (const std::string& name : changes.mutated) {
        // Tensors are no objects that a method changes. Looked up before anything is forgotten.
        const JsonValue* known = lookup(name);
        const bool collection = known != nullptr && isCollectionNode(*known);
        bool shared = m_shared.count(name) != 0;
        for (auto it = m_constants.lower_bound(name + ".");
             it != m_constants.end() && it->first.starts_with(name + "."); ++it)
            shared = shared || m_shared.count(it->first) != 0;
        if (shared)
            for (const std::string& each : std::set<std::string>(m_shared)) forget(each);
        if (collection) forgetList(name);
        forgetFields(name);
    }
}

}  // namespace cubist::pypto

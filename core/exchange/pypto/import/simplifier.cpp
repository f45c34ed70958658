// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/simplifier.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/python_nodes.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kCopied = 50'000;  // nodes that are put in for names

std::size_t sizeOf(const JsonValue& node, std::size_t most) {
    std::size_t size = 1;
    for (const JsonMember& member : node.members) {
        if (member.value.isObject()) size += sizeOf(member.value, most);
        for (const JsonValue& item : member.value.items) {
            if (size > most) return size;
            if (item.isObject()) size += sizeOf(item, most - std::min(most, size));
        }
    }
    return size;
}

/// x.view(..) becomes pypto.view(x, ..), out.assemble(x, offsets) pypto.assemble(x, offsets, out), +x x.
void methodAsFunction(JsonValue& node) {
    if (isNode(node, "UnaryOp") && fieldText(node, "op") == "UAdd") {
        JsonValue operand = *node.find("operand");
        node = std::move(operand);
        return;
    }
    if (!isNode(node, "Call") || !isNode(*node.find("func"), "Attribute")) return;
    const JsonValue function = *node.find("func");
    const std::string method(fieldText(function, "attr"));
    if (method != "view" && method != "reshape" && method != "matmul" && method != "assemble") return;
    const JsonValue* owner = function.find("value");
    if (owner == nullptr || dottedName(*owner).starts_with("pypto")) return;
    JsonValue arguments = JsonValue::array();
    if (method != "assemble") arguments.push(*owner);
    for (const JsonValue& each : fieldList(node, "args")) arguments.push(each);
    if (method == "assemble" && arguments.items.size() == 2) {
        arguments.push(*owner);
    } else if (method == "assemble") {  // offsets by name, so the tensor is no third argument
        JsonValue keywords = JsonValue::array(), out = nodeLike(node, "keyword");
        out.add("arg", JsonValue::fromString("out"));
        out.add("value", *owner);
        keywords.items = fieldList(node, "keywords");
        keywords.push(std::move(out));
        setField(node, "keywords", std::move(keywords));
    }
    setField(node, "func", attributeNode(function, nameNode(function, "pypto"), method));
    setField(node, "args", std::move(arguments));
}

/// dict(a=1), {**OTHER, "a": 1}, OTHER.copy() and copy.deepcopy(OTHER) of collections that are known
void dictionary(JsonValue& node) {
    if (isNode(node, "Call") && fieldList(node, "args").size() == 1 && fieldList(node, "keywords").empty()) {
        const std::string name = dottedName(*node.find("func"));
        const JsonValue given = fieldList(node, "args")[0];
        if ((name == "copy.copy" || name == "copy.deepcopy" || name == "deepcopy") && isCollectionNode(given))
            node = given;
        return;
    }
    const JsonValue* function = isNode(node, "Call") && fieldList(node, "args").empty() ? node.find("func") : nullptr;
    if (function != nullptr && isNode(*function, "Attribute") && fieldText(*function, "attr") == "copy") {
        const JsonValue owner = *function->find("value");
        if (isCollectionNode(owner)) node = owner;
        return;
    }
    const bool made = function != nullptr && dottedName(*function) == "dict";
    if (!made && !isNode(node, "Dict")) return;
    JsonValue keys = JsonValue::array(), values = JsonValue::array();
    const auto take = [&](const JsonValue& key, const JsonValue& value) {
        for (std::size_t i = 0; i < keys.items.size(); ++i)
            if (fieldText(keys.items[i], "value") == fieldText(key, "value") &&
                fieldText(keys.items[i], "kind") == fieldText(key, "kind")) {
                values.items[i] = value;
                return;
            }
        keys.push(key);
        values.push(value);
    };
    if (made)
        for (const JsonValue& each : fieldList(node, "keywords")) {
            if (fieldText(each, "arg").empty()) return;
            JsonValue key = nodeLike(each, "Constant");
            key.add("kind", JsonValue::fromString("str"));
            key.add("value", JsonValue::fromString(std::string(fieldText(each, "arg"))));
            take(key, *each.find("value"));
        }
    const auto &ownKeys = fieldList(node, "keys"), &ownValues = fieldList(node, "values");
    bool spread = made;
    for (std::size_t i = 0; i < ownKeys.size() && i < ownValues.size(); ++i) {
        if (isNode(ownKeys[i], "Constant")) {
            take(ownKeys[i], ownValues[i]);
            continue;
        }
        if (ownKeys[i].isObject() || !isNode(ownValues[i], "Dict")) return;
        spread = true;
        const auto &more = fieldList(ownValues[i], "keys"), &given = fieldList(ownValues[i], "values");
        for (std::size_t at = 0; at < more.size() && at < given.size(); ++at) {
            if (!isNode(more[at], "Constant")) return;
            take(more[at], given[at]);
        }
    }
    if (!spread) return;
    JsonValue dict = nodeLike(node, "Dict");
    dict.add("keys", std::move(keys));
    dict.add("values", std::move(values));
    node = std::move(dict);
}

/// A bound of a slice: a number, or `without` where none is written.
std::optional<std::int64_t> boundOf(const JsonValue& slice, const char* field, std::int64_t without) {
    const JsonValue* bound = slice.find(field);
    if (bound == nullptr || !bound->isObject()) return without;
    const auto number = numberIn(*bound);
    return number && number->isInteger ? std::optional(number->integer) : std::nullopt;
}

}  // namespace

bool isConstantNode(const JsonValue& node) {
    return isNode(node, "Constant") || dottedName(node).starts_with("pypto.");
}

bool isCollectionNode(const JsonValue& node) {
    // Starred parts and `**other` have a length that nobody knows.
    if (isNode(node, "Dict")) {
        const auto& keys = fieldList(node, "keys");
        return std::all_of(keys.begin(), keys.end(), [](const JsonValue& each) { return each.isObject(); });
    }
    const auto& elements = fieldList(node, "elts");
    return (isNode(node, "List") || isNode(node, "Tuple")) &&
           std::none_of(elements.begin(), elements.end(),
                        [](const JsonValue& each) { return isNode(each, "Starred"); });
}

bool isMutableNode(const JsonValue& node) {
    if (isNode(node, "List") || isNode(node, "Dict") || isNode(node, "Set")) return true;
    const auto& elements = fieldList(node, "elts");
    return isNode(node, "Tuple") && std::any_of(elements.begin(), elements.end(), isMutableNode);
}

std::vector<JsonValue>& listIn(JsonValue& node, std::string_view field) {
    static thread_local std::vector<JsonValue> nothing;
    nothing.clear();
    JsonValue* value = node.find(field);
    return value != nullptr && value->isArray() ? value->items : nothing;
}

bool Simplifier::affordable(const JsonValue& node) {
    if (isNode(node, "Constant")) return true;
    const std::size_t left = kCopied - std::min(kCopied, m_copied), size = sizeOf(node, left);
    if (size > left) return false;
    m_copied += size;
    return true;
}

const JsonValue* Simplifier::lookup(const std::string& name) const {
    const auto found = name.empty() ? m_constants.end() : m_constants.find(name);
    return found == m_constants.end() ? nullptr : &found->second;
}

void Simplifier::expression(JsonValue& node) {
    if (isNode(node, "Subscript")) {
        if (JsonValue* slice = node.find("slice")) expression(*slice);
        if (takeElement(node) || takeLength(node) || takeShape(node)) return;
        JsonValue* value = node.find("value");
        if (value == nullptr) return;
        if (const JsonValue* list = lookup(dottedName(*value)); list != nullptr && isCollectionNode(*list)) {
            keepList(node);  // a collection that the kernel indexes at run time keeps its name
            return;
        }
        if (!isNode(*value, "Name")) expression(*value);
        if (!takeElement(node)) (void)takeShape(node);
        return;
    }
    if (isNode(node, "ListComp") || isNode(node, "GeneratorExp") || isNode(node, "DictComp")) {
        (void)comprehension(node);
        return;
    }
    if (isNode(node, "Lambda")) return;
    if (isNode(node, "NamedExpr")) return expression(*node.find("value"));
    if (isNode(node, "Call") && dottedName(*node.find("func")) == "len") {
        const auto& arguments = fieldList(node, "args");
        const JsonValue* list = arguments.size() != 1            ? nullptr
                                : isCollectionNode(arguments[0]) ? &arguments[0]
                                                                 : lookup(dottedName(arguments[0]));
        if (list != nullptr && isCollectionNode(*list)) {
            const char* part = isNode(*list, "Dict") ? "keys" : "elts";
            node = constantNode(node, {true, static_cast<std::int64_t>(fieldList(*list, part).size()), 0});
            return;
        }
    }
    if (isNode(node, "Attribute") && fieldText(node, "attr") == "shape")
        if (const auto known = m_lengths.find(dottedName(*node.find("value"))); known != m_lengths.end()) {
            std::vector<JsonValue> axes;
            for (std::size_t axis = 0; axis < known->second.size(); ++axis) {
                axes.push_back(nodeLike(node, "Subscript"));
                axes.back().add("value", node);
                axes.back().add("slice", constantNode(node, {true, static_cast<std::int64_t>(axis), 0}));
                (void)takeLength(axes.back());
            }
            node = listNode(node, std::move(axes), "Tuple");
            return;
        }
    if (const auto truth = tensorIsNone(node)) {
        node = truthNode(node, *truth);
        return;
    }
    if (const JsonValue* known = lookup(dottedName(node)); known != nullptr && affordable(*known)) {
        JsonValue copy = *known;
        for (const char* key : {"l", "c"})
            if (const JsonValue* place = node.find(key)) setField(copy, key, *place);
        node = std::move(copy);
        return;
    }
    for (JsonMember& member : node.members) {
        if (member.value.isObject()) expression(member.value);
        for (JsonValue& item : member.value.items)
            if (item.isObject()) expression(item);
    }
    spreadArguments(node);
    methodAsFunction(node);
    dictionary(node);
    if (auto value = evaluated(node)) node = *std::move(value);
}

/// `x is None` of a value that is one.
std::optional<bool> Simplifier::tensorIsNone(const JsonValue& node) const {
    const auto &bounds = fieldList(node, "comparators"), &ops = fieldList(node, "ops");
    const JsonValue* left = isNode(node, "Compare") ? node.find("left") : nullptr;
    if (left == nullptr || bounds.size() != 1 || ops.size() != 1 || fieldText(bounds[0], "kind") != "none" ||
        !isNode(*left, "Name") || m_notNone.count(dottedName(*left)) == 0)
        return std::nullopt;
    if (ops[0].text == "Is") return false;
    return ops[0].text == "IsNot" ? std::optional(true) : std::nullopt;
}

bool Simplifier::takeElement(JsonValue& node) {
    const JsonValue* value = node.find("value");
    const JsonValue* list = isCollectionNode(*value) ? value : lookup(dottedName(*value));
    if (list == nullptr) return false;
    const JsonValue& key = *node.find("slice");
    const JsonValue* found = nullptr;
    if (isNode(*list, "Dict")) {
        const auto &keys = fieldList(*list, "keys"), &values = fieldList(*list, "values");
        for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i)
            if (isConstantNode(key) && sameConstant(keys[i], key) == true) found = &values[i];
    } else if (isNode(key, "Slice")) {
        auto part = sliceOf(fieldList(*list, "elts"), key);
        if (!part) return false;
        node = listNode(node, *std::move(part), fieldText(*list, "t"));
        return true;
    } else if (const auto at = numberIn(key); at && at->isInteger) {
        const auto& elements = fieldList(*list, "elts");
        const auto size = static_cast<std::int64_t>(elements.size());
        const std::int64_t place = at->integer < 0 ? at->integer + size : at->integer;
        if (place >= 0 && place < size) found = &elements[static_cast<std::size_t>(place)];
    }
    if (found == nullptr || !affordable(*found)) return false;
    JsonValue copy = *found;
    node = std::move(copy);
    return true;
}

/// x.shape[1] of a parameter whose annotation says it.
bool Simplifier::takeLength(JsonValue& node) const {
    const JsonValue &shape = *node.find("value"), &key = *node.find("slice");
    const JsonValue* owner =
        isNode(shape, "Attribute") && fieldText(shape, "attr") == "shape" ? shape.find("value") : nullptr;
    const auto known = owner == nullptr ? m_lengths.end() : m_lengths.find(dottedName(*owner));
    const auto axis = numberIn(key);
    if (known == m_lengths.end() || !axis || !axis->isInteger) return false;
    const auto rank = static_cast<std::int64_t>(known->second.size());
    const std::int64_t at = axis->integer < 0 ? axis->integer + rank : axis->integer;
    const std::int64_t length = at >= 0 && at < rank ? known->second[static_cast<std::size_t>(at)] : 0;
    if (length <= 0) return false;
    node = constantNode(node, {true, length, 0});
    return true;
}

/// x.shape[:2] is [x.shape[0], x.shape[1]].
bool Simplifier::takeShape(JsonValue& node) const {
    const JsonValue shape = *node.find("value"), key = *node.find("slice");
    if (!isNode(shape, "Attribute") || fieldText(shape, "attr") != "shape" || !isNode(key, "Slice")) return false;
    if (const JsonValue* step = key.find("step"); step != nullptr && step->isObject()) return false;
    const auto first = boundOf(key, "lower", 0), last = boundOf(key, "upper", first.value_or(0) < 0 ? 0 : -1);
    if (!first || !last || *last - *first < 1 || *last - *first > 8 || (*first < 0) != (*last <= 0)) return false;
    std::vector<JsonValue> parts;
    for (std::int64_t axis = *first; axis < *last; ++axis) {
        JsonValue part = nodeLike(node, "Subscript");
        part.add("value", shape);
        part.add("slice", constantNode(node, {true, axis, 0}));
        parts.push_back(std::move(part));
    }
    node = listNode(node, std::move(parts));
    return true;
}

/// A list of numbers that is known under another name than one of the module gets a statement of its own.
void Simplifier::keepList(JsonValue& node) {
    JsonValue* value = node.find("value");
    const std::string name = dottedName(*value);
    const JsonValue& list = *lookup(name);
    const auto& elements = fieldList(list, "elts");
    const bool numbers = !elements.empty() && std::all_of(elements.begin(), elements.end(), [](const JsonValue& each) {
        const auto number = numberIn(each);
        return number && number->isInteger;
    });
    if (!numbers || m_moduleLists.count(name) != 0 || m_assigned.count(name) != 0) return;
    std::string flat = name.substr(name.rfind('.') + 1);
    if (m_assigned.count(flat) != 0) {
        flat = name;
        std::replace(flat.begin(), flat.end(), '.', '_');
    }
    const auto kept = m_lists.try_emplace(flat, list).first;
    if (kept->second == list) *value = nameNode(node, flat);
}

/// f(*known, **known) and [*known]
void Simplifier::spreadArguments(JsonValue& node) const {
    const bool call = isNode(node, "Call");
    if (!call && !isNode(node, "List") && !isNode(node, "Tuple")) return;
    const char* part = call ? "args" : "elts";
    JsonValue arguments = JsonValue::array();
    bool spread = false;
    for (const JsonValue& each : fieldList(node, part)) {
        const JsonValue* value = isNode(each, "Starred") ? each.find("value") : nullptr;
        const auto turns = value == nullptr ? std::nullopt : turnsOf(*value);
        spread = spread || turns;
        if (!turns)
            arguments.push(each);
        else
            for (const JsonValue& turn : *turns) arguments.push(turn);
    }
    if (spread) setField(node, part, std::move(arguments));
    if (!call) return;
    JsonValue keywords = JsonValue::array();
    spread = false;
    for (const JsonValue& each : fieldList(node, "keywords")) {
        const JsonValue* value = each.find("value");
        const auto &keys = fieldList(*value, "keys"), &values = fieldList(*value, "values");
        const bool texts =
            fieldText(each, "arg").empty() && isNode(*value, "Dict") &&
            std::all_of(keys.begin(), keys.end(), [](const JsonValue& key) { return fieldText(key, "kind") == "str"; });
        if (!texts) {
            keywords.push(each);
            continue;
        }
        spread = true;
        for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
            JsonValue keyword = nodeLike(each, "keyword");
            keyword.add("arg", JsonValue::fromString(std::string(fieldText(keys[i], "value"))));
            keyword.add("value", values[i]);
            keywords.push(std::move(keyword));
        }
    }
    if (spread) setField(node, "keywords", std::move(keywords));
}

/// Turns of one generator of a comprehension, and those inside of it.
bool Simplifier::generated(const JsonValue& node, std::size_t generator, std::vector<JsonValue>& keys,
                           std::vector<JsonValue>& values) {
    const auto& generators = fieldList(node, "generators");
    if (generator == generators.size()) {
        if (values.size() >= 1024) return false;
        for (const auto& [field, into] :
             {std::pair{"key", &keys}, std::pair{"value", &values}, std::pair{"elt", &values}})
            if (const JsonValue* part = node.find(field); part != nullptr && part->isObject()) {
                if (!affordable(*part)) return false;
                into->push_back(*part);
                expression(into->back());
            }
        return true;
    }
    JsonValue iterator = *generators[generator].find("iter");
    expression(iterator);
    const auto turns = turnsOf(iterator);
    const JsonValue target = *generators[generator].find("target");
    if (!turns || turns->size() > 1024) return false;
    for (const JsonValue& turn : *turns) {
        if (!bindTo(target, turn)) return false;
        bool taken = true;
        for (const JsonValue& each : fieldList(generators[generator], "ifs")) {
            JsonValue test = each;
            if (!affordable(test)) return false;
            expression(test);
            const auto truth = truthOf(test);
            if (!truth) return false;
            taken = taken && *truth;
        }
        if (taken && !generated(node, generator + 1, keys, values)) return false;
    }
    return true;
}

/// [f(i) for i in range(4)]: its elements, written out.
bool Simplifier::comprehension(JsonValue& node) {
    auto state = std::tie(m_constants, m_mentions, m_shared, m_tensors, m_notNone);
    const auto before = std::apply([](const auto&... each) { return std::make_tuple(each...); }, state);
    std::vector<JsonValue> keys, values;
    const bool dict = isNode(node, "DictComp");
    bool known = generated(node, 0, keys, values);
    state = before;
    for (const JsonValue& each : keys) known = known && isConstantNode(each);
    if (!known) return false;
    if (!dict) {
        node = listNode(node, std::move(values));
        return true;
    }
    JsonValue made = nodeLike(node, "Dict"), ownKeys = JsonValue::array(), ownValues = JsonValue::array();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto same = std::find_if(ownKeys.items.begin(), ownKeys.items.end(),
                                       [&](const JsonValue& each) { return sameConstant(each, keys[i]) == true; });
        if (same != ownKeys.items.end()) {  // the last one counts
            ownValues.items[static_cast<std::size_t>(same - ownKeys.items.begin())] = values[i];
            continue;
        }
        ownKeys.push(keys[i]);
        ownValues.push(values[i]);
    }
    made.add("keys", std::move(ownKeys));
    made.add("values", std::move(ownValues));
    node = std::move(made);
    return true;
}

std::optional<std::vector<JsonValue>> Simplifier::turnsOf(const JsonValue& iterator) const {
    if (isCollectionNode(iterator)) return fieldList(iterator, isNode(iterator, "Dict") ? "keys" : "elts");
    if (!isNode(iterator, "Call")) return std::nullopt;
    const std::string function = dottedName(*iterator.find("func"));
    const auto& arguments = fieldList(iterator, "args");
    Statements turns;
    constexpr std::int64_t kMost = 4096;
    if (!fieldList(iterator, "keywords").empty() && function != "enumerate") return std::nullopt;
    if (function == "reversed" && arguments.size() == 1) {
        auto inner = turnsOf(arguments[0]);
        if (inner) std::reverse(inner->begin(), inner->end());
        return inner;
    }
    if (function == "range") {
        std::vector<std::int64_t> bounds;
        for (const JsonValue& each : arguments) {
            const auto number = numberIn(each);
            if (!number || !number->isInteger) return std::nullopt;
            bounds.push_back(number->integer);
        }
        if (bounds.empty() || bounds.size() > 3) return std::nullopt;
        const std::int64_t first = bounds.size() > 1 ? bounds[0] : 0, last = bounds[bounds.size() > 1 ? 1 : 0];
        const std::int64_t step = bounds.size() > 2 ? bounds[2] : 1;
        constexpr std::int64_t kFar = std::int64_t{1} << 60;
        for (const std::int64_t each : bounds)
            if (each < -kFar || each > kFar) return std::nullopt;
        if (step == 0 || (last - first) / step > kMost) return std::nullopt;
        for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step)
            turns.push_back(constantNode(iterator, {true, i, 0}));
        return turns;
    }
    if (function != "enumerate" && function != "zip") return std::nullopt;
    std::vector<Statements> several;
    std::int64_t start = 0;
    for (std::size_t i = 0; i < arguments.size() + fieldList(iterator, "keywords").size(); ++i) {
        // enumerate(list, 1), enumerate(list, start=1)
        const JsonValue* keyword =
            i < arguments.size() ? nullptr : &fieldList(iterator, "keywords")[i - arguments.size()];
        const JsonValue& each = keyword == nullptr ? arguments[i] : *keyword->find("value");
        if (keyword != nullptr && fieldText(*keyword, "arg") != "start") return std::nullopt;
        if (function == "enumerate" && i > 0) {
            const auto number = numberIn(each);
            if (i > 1 || !number || !number->isInteger || std::abs(number->integer) > (std::int64_t{1} << 40))
                return std::nullopt;
            start = number->integer;
            continue;
        }
        auto inner = turnsOf(each);
        if (!inner) return std::nullopt;
        several.push_back(*std::move(inner));
    }
    if (several.empty() || (function == "enumerate" && several.size() != 1)) return std::nullopt;
    std::size_t length = several[0].size();
    for (const auto& each : several) length = std::min(length, each.size());
    for (std::size_t i = 0; i < length; ++i) {
        std::vector<JsonValue> parts;
        if (function == "enumerate")
            parts.push_back(constantNode(iterator, {true, static_cast<std::int64_t>(i) + start, 0}));
        for (const auto& each : several) parts.push_back(each[i]);
        turns.push_back(listNode(iterator, std::move(parts), "Tuple"));
    }
    return turns;
}

}  // namespace cubist::pypto

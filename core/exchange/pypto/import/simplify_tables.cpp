// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kMostKeys = 64;

/// Keys from the smallest; empty where one is no integer.
std::vector<std::int64_t> integerKeys(const JsonValue& dict) {
    std::vector<std::int64_t> out;
    for (const JsonValue& each : fieldList(dict, "keys")) {
        const auto key = each.isObject() ? numberIn(each) : std::nullopt;
        if (!key || !key->isInteger || out.size() == kMostKeys) return {};
        out.push_back(key->integer);
    }
    std::sort(out.begin(), out.end());
    return out;
}

void putNumber(JsonValue& node, const std::string& name, std::int64_t value) {
    if (isNode(node, "Name") && fieldText(node, "id") == name) {
        node = constantNode(node, {true, value, 0});
        return;
    }
    for (JsonMember& member : node.members) {
        if (member.value.isObject()) putNumber(member.value, name, value);
        for (JsonValue& item : member.value.items)
            if (item.isObject()) putNumber(item, name, value);
    }
}

JsonValue listOf(JsonValue item) {
    JsonValue list = JsonValue::array();
    list.push(std::move(item));
    return list;
}

}  // namespace

/// TILES of `TILES[u]`: a dictionary with integers as keys, where u is known only when the kernel runs.
const JsonValue* Simplifier::tableOf(const JsonValue& node) const {
    if (!isNode(node, "Subscript") || !isNode(*node.find("slice"), "Name")) return nullptr;
    const JsonValue& value = *node.find("value");
    const JsonValue* dict = isNode(value, "Dict") ? &value : lookup(dottedName(value));
    return dict != nullptr && isNode(*dict, "Dict") && !integerKeys(*dict).empty() ? dict : nullptr;
}

const JsonValue* Simplifier::findTable(const JsonValue& node) const {
    if (tableOf(node) != nullptr) return &node;
    for (const JsonMember& member : node.members) {
        if (member.value.isObject())
            if (const JsonValue* found = findTable(member.value)) return found;
        for (const JsonValue& item : member.value.items)
            if (item.isObject())
                if (const JsonValue* found = findTable(item)) return found;
    }
    return nullptr;
}

/// `tile = TILES[u]` and `m, k, n = TILES[u]` are put in where the names are used.
bool Simplifier::takeTableEntry(const JsonValue& node) {
    const auto& targets = fieldList(node, "targets");
    const JsonValue value = *node.find("value");
    const JsonValue* dict = targets.size() == 1 ? tableOf(value) : nullptr;
    if (dict == nullptr) return false;
    const JsonValue target = targets[0];
    if (isNode(target, "Name")) {
        know(std::string(fieldText(target, "id")), value);
        return true;
    }
    const auto &names = fieldList(target, "elts"), &entries = fieldList(*dict, "values");
    const bool named = !names.empty() && std::all_of(names.begin(), names.end(),
                                                     [](const JsonValue& each) { return isNode(each, "Name"); });
    const bool fit = std::all_of(entries.begin(), entries.end(), [&](const JsonValue& each) {
        return isCollectionNode(each) && fieldList(each, "elts").size() == names.size();
    });
    if (!named || !fit) return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
        JsonValue entry = nodeLike(value, "Subscript");
        entry.add("value", value);
        entry.add("slice", constantNode(value, {true, static_cast<std::int64_t>(i), 0}));
        know(std::string(fieldText(names[i], "id")), entry);
    }
    return true;
}

/// `set_cube_tile_shapes(*TILES[u])` as `if u >= 64: set_..(..) else: ..`, which the readers of tiles know.
bool Simplifier::tilesByKey(const JsonValue& node, Statements& out) {
    const JsonValue& call = *node.find("value");
    const std::string name = isNode(call, "Call") ? dottedName(*call.find("func")) : std::string();
    if (name != "pypto.set_cube_tile_shapes" && name != "pypto.set_vec_tile_shapes") return false;
    const JsonValue* entry = findTable(call);
    if (entry == nullptr) return false;
    const JsonValue key = *entry->find("slice");
    JsonValue chain;
    for (const std::int64_t each : integerKeys(*tableOf(*entry))) {
        JsonValue branch = node, own = call;
        putNumber(own, std::string(fieldText(key, "id")), each);
        expression(own);
        setField(branch, "value", std::move(own));
        if (chain.isObject()) {
            JsonValue test = nodeLike(node, "Compare"), condition = nodeLike(node, "If");
            test.add("left", key);
            test.add("ops", listOf(JsonValue::fromString("GtE")));
            test.add("comparators", listOf(constantNode(key, {true, each, 0})));
            condition.add("test", std::move(test));
            condition.add("body", listOf(std::move(branch)));
            condition.add("orelse", listOf(std::move(chain)));
            branch = std::move(condition);
        }
        chain = std::move(branch);
    }
    out.push_back(std::move(chain));
    return true;
}

}  // namespace cubist::pypto

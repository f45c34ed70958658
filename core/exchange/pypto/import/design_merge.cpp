// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/design_merge.h"

#include <algorithm>

namespace cubist::pypto {
namespace {

void put(JsonValue& object, const std::string& key, const JsonValue& value) {
    if (JsonValue* found = object.find(key))
        *found = value;
    else
        object.add(key, value);
}

JsonValue mergedObjects(const JsonValue& own, const JsonValue& base, const JsonValue& theirs) {
    JsonValue out = own;
    for (const JsonMember& member : theirs.members) {
        const JsonValue* before = base.find(member.key);
        if (before != nullptr && *before == member.value) continue;
        const JsonValue* mine = own.find(member.key);
        put(out, member.key,
            before != nullptr && mine != nullptr ? merged(*mine, *before, member.value) : member.value);
    }
    // What is gone from theirs goes back to its default.
    std::erase_if(out.members, [&](const JsonMember& member) {
        return base.find(member.key) != nullptr && theirs.find(member.key) == nullptr;
    });
    return out;
}

JsonValue mergedLists(const JsonValue& own, const JsonValue& base, const JsonValue& theirs) {
    JsonValue out = JsonValue::array();
    const bool parallel = own.items.size() == base.items.size();
    for (std::size_t i = 0; i < theirs.items.size(); ++i) {
        const JsonValue& item = theirs.items[i];
        if (!parallel) {
            out.push(item);
            continue;
        }
        if (base.items.size() == theirs.items.size()) {
            out.push(merged(own.items[i], base.items[i], item));
            continue;
        }
        const auto same = std::find(base.items.begin(), base.items.end(), item);
        out.push(same == base.items.end() ? item : own.items[static_cast<std::size_t>(same - base.items.begin())]);
    }
    return out;
}

}  // namespace

JsonValue merged(const JsonValue& own, const JsonValue& base, const JsonValue& theirs) {
    if (base == theirs) return own;
    if (own.isObject() && base.isObject() && theirs.isObject()) return mergedObjects(own, base, theirs);
    if (own.isArray() && base.isArray() && theirs.isArray()) return mergedLists(own, base, theirs);
    return theirs;
}

}  // namespace cubist::pypto

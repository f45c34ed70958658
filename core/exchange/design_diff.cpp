// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/design_diff.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/exchange/design_json.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

using Ids = std::vector<std::string>;

/// The ids of a list whose elements all have different ones; nothing for other lists. An id of digits only would be
/// taken for an index.
std::optional<Ids> idsOf(const JsonValue& list) {
    Ids ids;
    std::set<std::string> seen;
    for (const JsonValue& item : list.items) {
        const JsonValue* const id = item.find("id");
        if (id == nullptr || !id->isString() || !seen.insert(id->text).second) return std::nullopt;
        if (id->text.find_first_not_of("0123456789") == std::string::npos) return std::nullopt;
        ids.push_back(id->text);
    }
    return ids;
}

Ids commonIds(const Ids& ids, const Ids& others) {
    Ids common;
    for (const std::string& id : ids)
        if (std::find(others.begin(), others.end(), id) != others.end()) common.push_back(id);
    return common;
}

std::string listText(const Ids& ids) {
    JsonValue list = JsonValue::array();
    for (const std::string& id : ids) list.push(JsonValue::fromString(id));
    return compactJson(list);
}

class Comparison {
public:
    std::vector<DesignChange> changes;

    void values(const JsonValue& before, const JsonValue& after, const std::string& where) {
        if (before == after) return;
        if (before.isObject() && after.isObject()) return objects(before, after, where);
        if (!before.isArray() || !after.isArray()) return changed(&before, &after, where);
        const std::optional<Ids> beforeIds = idsOf(before);
        const std::optional<Ids> afterIds = idsOf(after);
        if (beforeIds && afterIds)
            elementsById(before, *beforeIds, after, *afterIds, where);
        else
            elementsByPosition(before, after, where);
    }

private:
    void changed(const JsonValue* before, const JsonValue* after, const std::string& where) {
        changes.push_back(
            {where, before == nullptr ? "" : compactJson(*before), after == nullptr ? "" : compactJson(*after)});
    }

    void objects(const JsonValue& before, const JsonValue& after, const std::string& where) {
        for (const auto& [key, value] : before.members) {
            const std::string inner = where + "/" + escapePointerStep(key);
            if (const JsonValue* const other = after.find(key))
                values(value, *other, inner);
            else
                changed(&value, nullptr, inner);
        }
        for (const auto& [key, value] : after.members)
            if (before.find(key) == nullptr) changed(nullptr, &value, where + "/" + escapePointerStep(key));
        // Equal keys and values in another order: free keys and unknown ones keep the order of the file.
        const auto sameKey = [](const JsonMember& a, const JsonMember& b) { return a.key == b.key; };
        if (before.members.size() == after.members.size() && keysMatch(before, after) &&
            !std::equal(before.members.begin(), before.members.end(), after.members.begin(), sameKey))
            changes.push_back({where, listText(keysOf(before)), listText(keysOf(after))});
    }

    static Ids keysOf(const JsonValue& object) {
        Ids keys;
        for (const JsonMember& member : object.members) keys.push_back(member.key);
        return keys;
    }

    static bool keysMatch(const JsonValue& a, const JsonValue& b) {
        return std::all_of(a.members.begin(), a.members.end(),
                           [&](const JsonMember& member) { return b.find(member.key) != nullptr; });
    }

    void elementsById(const JsonValue& before, const Ids& beforeIds, const JsonValue& after, const Ids& afterIds,
                      const std::string& where) {
        const auto place = [](const Ids& ids, const std::string& id) {
            return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
        };
        for (std::size_t i = 0; i < beforeIds.size(); ++i) {
            const std::string inner = where + "/" + escapePointerStep(beforeIds[i]);
            if (const std::size_t j = place(afterIds, beforeIds[i]); j < afterIds.size())
                values(before.items[i], after.items[j], inner);
            else
                changed(&before.items[i], nullptr, inner);
        }
        for (std::size_t j = 0; j < afterIds.size(); ++j)
            if (place(beforeIds, afterIds[j]) == beforeIds.size())
                changed(nullptr, &after.items[j], where + "/" + escapePointerStep(afterIds[j]));
        const Ids stayed = commonIds(beforeIds, afterIds);
        const Ids order = commonIds(afterIds, beforeIds);
        if (stayed != order) changes.push_back({where, listText(stayed), listText(order)});
    }

    void elementsByPosition(const JsonValue& before, const JsonValue& after, const std::string& where) {
        for (std::size_t i = 0; i < std::max(before.items.size(), after.items.size()); ++i) {
            const std::string inner = where + "/" + std::to_string(i);
            if (i >= after.items.size())
                changed(&before.items[i], nullptr, inner);
            else if (i >= before.items.size())
                changed(nullptr, &after.items[i], inner);
            else
                values(before.items[i], after.items[i], inner);
        }
    }
};

}  // namespace

std::vector<DesignChange> diffDesigns(const Design& before, const Design& after) {
    Comparison comparison;
    comparison.values(fullDesignJson(before), fullDesignJson(after), {});
    return std::move(comparison.changes);
}

}  // namespace cubist

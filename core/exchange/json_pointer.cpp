// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/json_pointer.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/design/resolve.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

std::optional<std::size_t> asIndex(const std::string& step) {
    std::size_t index = 0;
    const char* const last = step.data() + step.size();
    const auto [end, status] = std::from_chars(step.data(), last, index);
    // RFC 6901: no leading zeros.
    if (status != std::errc() || end != last || (step.size() > 1 && step[0] == '0')) return std::nullopt;
    return index;
}

const std::string* idOf(const JsonValue& value) {
    const JsonValue* const id = value.find("id");
    return id != nullptr && id->isString() ? &id->text : nullptr;
}

const JsonValue* child(const JsonValue& parent, const std::string& step) {
    if (parent.isObject()) return parent.find(step);
    if (const auto index = asIndex(step)) return *index < parent.items.size() ? &parent.items[*index] : nullptr;
    for (const JsonValue& item : parent.items)
        if (const std::string* const id = idOf(item); id != nullptr && *id == step) return &item;
    return nullptr;
}

Unexpected noSuchStep(const JsonValue& parent, const std::string& step, const std::string& where) {
    if (!parent.isObject() && !parent.isArray())
        return unexpected(ErrorCode::UnknownName, describe(parent) + " has no part " + quotedForMessage(step), where);
    std::vector<std::string> names;
    for (const JsonMember& member : parent.members) names.push_back(member.key);
    for (const JsonValue& item : parent.items)
        if (const std::string* const id = idOf(item)) names.push_back(*id);
    std::string hint;
    if (const std::string near = nearestName(step, names); !near.empty()) hint = "did you mean '" + near + "'?";
    constexpr std::size_t kListed = 16;
    std::string listed;
    for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) listed += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kListed) listed += ", ...";
    if (names.empty() && parent.isArray()) listed = std::to_string(parent.items.size()) + " elements, counted from 0";
    if (!listed.empty()) hint += (hint.empty() ? "there: " : " There: ") + listed;
    const std::string place = where.empty() ? "the top level" : where;
    return unexpected(ErrorCode::UnknownName, "nothing called " + quotedForMessage(step) + " at " + place, where, hint);
}

}  // namespace

std::string escapePointerStep(std::string_view step) {
    std::string text;
    for (const char c : step) {
        if (c == '~')
            text += "~0";
        else if (c == '/')
            text += "~1";
        else
            text += c;
    }
    return text;
}

Result<std::vector<std::string>> splitPointer(std::string_view pointer) {
    std::vector<std::string> steps;
    if (pointer.empty()) return steps;
    if (pointer[0] != '/')
        return unexpected(ErrorCode::Syntax, quotedForMessage(pointer) + " is not a path: it must start with '/'");
    for (std::size_t at = 0; at < pointer.size(); ++at) {
        const char c = pointer[at];
        if (c == '/') {
            steps.emplace_back();
        } else if (c != '~') {
            steps.back() += c;
        } else {
            const char code = at + 1 < pointer.size() ? pointer[at + 1] : ' ';
            if (code != '0' && code != '1')
                return unexpected(ErrorCode::Syntax, quotedForMessage(pointer) + " is not a path: '~' is written ~0");
            steps.back() += code == '0' ? '~' : '/';
            ++at;
        }
    }
    return steps;
}

Result<const JsonValue*> findPointer(const JsonValue& root, std::string_view pointer) {
    CUBIST_TRY(const std::vector<std::string> steps, splitPointer(pointer));
    const JsonValue* value = &root;
    std::string where;
    for (const std::string& step : steps) {
        const JsonValue* const next = child(*value, step);
        if (next == nullptr) return noSuchStep(*value, step, where);
        where += "/" + escapePointerStep(step);
        value = next;
    }
    return value;
}

Result<JsonValue> replaceAt(JsonValue root, std::string_view pointer, JsonValue value) {
    CUBIST_TRY(const std::vector<std::string> steps, splitPointer(pointer));
    if (steps.empty()) return value;
    const std::string_view parentPointer = pointer.substr(0, pointer.rfind('/'));
    CUBIST_TRY(const JsonValue* const found, findPointer(root, parentPointer));
    auto* const parent = const_cast<JsonValue*>(found);  // a part of `root`, which is ours
    const std::string& last = steps.back();
    if (const JsonValue* const old = child(*parent, last))
        *const_cast<JsonValue*>(old) = std::move(value);
    else if (parent->isObject())
        parent->add(last, std::move(value));
    else if (parent->isArray() && (last == "-" || asIndex(last) == parent->items.size()))
        parent->push(std::move(value));
    else
        return noSuchStep(*parent, last, std::string(parentPointer));
    return root;
}

}  // namespace cubist

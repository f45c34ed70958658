// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/case_settings.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/design/binding.h"
#include "core/exchange/design_json.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

/// What a case may change: everything that is not about the document or its cases.
constexpr std::array<std::string_view, 7> kRoots{"chip",    "tensors",   "blocks", "options",
                                                 "profile", "tolerance", "seed"};

std::string settingPointer(std::size_t caseIndex, const std::string& path) {
    return "/cases/" + std::to_string(caseIndex) + "/set/" + escapePointerStep(path);
}

/// The pointer with list indices instead of ids, so that two spellings of one place compare equal.
Result<std::string> withIndices(const JsonValue& root, std::string_view pointer) {
    CUBIST_TRY(const std::vector<std::string> steps, splitPointer(pointer));
    std::string plain;
    for (const std::string& step : steps) {
        CUBIST_TRY(const JsonValue* const parent, findPointer(root, plain));
        std::string next = escapePointerStep(step);
        for (std::size_t i = 0; i < parent->items.size(); ++i) {
            const JsonValue* const id = parent->items[i].find("id");
            if (id != nullptr && id->isString() && id->text == step) next = std::to_string(i);
        }
        plain += "/" + next;
    }
    CUBIST_TRY(const JsonValue* const found, findPointer(root, plain));
    static_cast<void>(found);
    return plain;
}

Result<void> checkPath(const std::string& path) {
    CUBIST_TRY(const std::vector<std::string> steps, splitPointer(path));
    const bool known = !steps.empty() && std::find(kRoots.begin(), kRoots.end(), steps.front()) != kRoots.end();
    if (known) return {};
    std::string roots;
    for (const std::string_view root : kRoots) roots += (roots.empty() ? "/" : ", /") + std::string(root);
    return unexpected(ErrorCode::BadValue, "a case cannot set " + quotedForMessage(path), {},
                      "it may set values below " + roots);
}

}  // namespace

Result<Design> designOfCase(const Design& design, const std::string& caseName) {
    CUBIST_TRY(const Case* const chosen, findCase(design, caseName));
    if (chosen == nullptr || chosen->set.empty()) return design;
    const auto index = static_cast<std::size_t>(chosen - design.cases.data());
    const JsonValue before = fullDesignJson(design);
    Dictionary<JsonText> restored;
    Design changed = design;
    for (const auto& [path, value] : chosen->set.entries) {
        const auto at = [&, name = path](Error error) {
            error.where = settingPointer(index, name);
            return unexpected(std::move(error));
        };
        if (auto allowed = checkPath(path); !allowed) return at(std::move(allowed).error());
        const auto old = findPointer(before, path);
        if (!old) return at(old.error());
        restored.set(path, JsonText{compactJson(**old)});
        Result<Design> edited = setAt(changed, path, value.text);
        if (!edited) return at(std::move(edited).error());
        changed = *std::move(edited);
    }
    std::reverse(restored.entries.begin(), restored.entries.end());
    for (std::size_t i = 0; i < changed.cases.size(); ++i) {
        Dictionary<JsonText>& settings = changed.cases[i].set;
        if (i == index) {
            settings = {};
            continue;
        }
        Dictionary<JsonText> all = restored;
        for (const auto& [path, value] : settings.entries) {
            std::erase_if(all.entries, [&, name = path](const auto& entry) { return entry.key == name; });
            all.entries.push_back({path, value});
        }
        settings = std::move(all);
    }
    return changed;
}

Result<Design> setInCase(const Design& design, const std::string& caseName, std::string_view pointer,
                         std::string_view jsonText) {
    CUBIST_TRY(const Case* const chosen, findCase(design, caseName));
    if (chosen == nullptr || chosen->set.empty()) return setAt(design, pointer, jsonText);
    const JsonValue root = fullDesignJson(design);
    const auto wanted = withIndices(root, pointer);
    const auto index = static_cast<std::size_t>(chosen - design.cases.data());
    // The last setting that covers the place is the one that counts.
    for (auto entry = chosen->set.entries.rbegin(); wanted && entry != chosen->set.entries.rend(); ++entry) {
        const auto place = withIndices(root, entry->key);
        if (!place || (*wanted != *place && !wanted->starts_with(*place + "/"))) continue;
        CUBIST_TRY(JsonValue whole, parseJson(entry->value.text));
        CUBIST_TRY(JsonValue part, parseJson(jsonText));
        CUBIST_TRY(whole, replaceAt(std::move(whole), wanted->substr(place->size()), std::move(part)));
        Design edited = design;
        edited.cases[index].set.set(entry->key, JsonText{compactJson(whole)});
        CUBIST_TRY(const Design applied, designOfCase(edited, chosen->id.text));
        static_cast<void>(applied);
        return edited;
    }
    return setAt(design, pointer, jsonText);
}

}  // namespace cubist

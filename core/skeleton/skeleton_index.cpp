// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/skeleton/skeleton_index.h"

#include <algorithm>

namespace cubist {
namespace {

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> pattern) {
    std::sort(pattern.begin(), pattern.end());
    pattern.erase(std::unique(pattern.begin(), pattern.end()), pattern.end());
    return pattern;
}

/// Is every wanted pattern among those of the template? A template of more patterns fits too.
bool covers(const std::vector<std::int64_t>& offered, const std::vector<std::int64_t>& wanted) {
    return std::includes(offered.begin(), offered.end(), wanted.begin(), wanted.end());
}

std::string templatesText(const std::vector<const SkeletonTemplate*>& templates) {
    std::string text;
    for (const SkeletonTemplate* entry : templates) {
        const std::string name = combinationText(entry->variant, entry->pattern) + " (" + entry->kind + ")";
        text += (text.empty() ? "available: " : "; ") + name;
    }
    return text;
}

std::vector<const SkeletonTemplate*> ofVariant(const SkeletonIndex& index, Variant variant) {
    std::vector<const SkeletonTemplate*> found;
    for (const SkeletonTemplate& entry : index.templates)
        if (entry.variant == variant) found.push_back(&entry);
    return found;
}

/// Kinds that a template of BF16 is turned into (`withDType`).
bool isMadeFromBf16(const std::string& kind) {
    return kind == toText(DType::FP16) || kind == toText(DType::FP32);
}

Error noSuchCombination(const SkeletonIndex& index, Variant variant, const std::vector<std::int64_t>& pattern) {
    Error error{ErrorCode::Unsupported, "there is no template of " + combinationText(variant, pattern), {}, {}};
    for (const MissingTemplate& missing : index.missing)
        if (missing.variant == variant && std::find(pattern.begin(), pattern.end(), missing.pattern) != pattern.end())
            error.message += ": " + missing.reason.en;
    error.hint = templatesText(ofVariant(index, variant));
    std::vector<const SkeletonTemplate*> others;
    for (const SkeletonTemplate& entry : index.templates)
        if (entry.variant != variant && covers(entry.pattern, pattern)) others.push_back(&entry);
    if (!others.empty()) error.hint += "; with this pattern: " + templatesText(others).substr(11);
    return error;
}

}  // namespace

const SkeletonCard* SkeletonIndex::skeleton(const std::string& id) const {
    const auto found =
        std::find_if(skeletons.begin(), skeletons.end(), [&](const SkeletonCard& card) { return card.id == id; });
    return found == skeletons.end() ? nullptr : &*found;
}

std::string combinationText(Variant variant, const std::vector<std::int64_t>& pattern) {
    std::string text = "variant " + std::string(toText(variant));
    if (pattern.empty()) return text + " without a pattern";
    text += pattern.size() == 1 ? " with pattern " : " with patterns ";
    for (std::size_t i = 0; i < pattern.size(); ++i) text += (i == 0 ? "" : " and ") + std::to_string(pattern[i]);
    return text;
}

Result<SkeletonTemplate> selectTemplate(const SkeletonIndex& index, const TemplateQuery& query) {
    std::vector<const SkeletonTemplate*> fitting = ofVariant(index, query.variant);
    if (fitting.empty()) {
        std::vector<const SkeletonTemplate*> all;
        for (const SkeletonTemplate& entry : index.templates) all.push_back(&entry);
        return unexpected(ErrorCode::Unsupported,
                          "there is no template of variant " + std::string(toText(query.variant)), {},
                          all.empty() ? "no templates are installed" : templatesText(all));
    }
    if (!query.pattern.empty()) {
        const std::vector<std::int64_t> wanted = sorted(query.pattern);
        std::erase_if(fitting, [&](const SkeletonTemplate* entry) { return !covers(entry->pattern, wanted); });
        if (fitting.empty()) return unexpected(noSuchCombination(index, query.variant, wanted));
        std::stable_sort(fitting.begin(), fitting.end(), [](const SkeletonTemplate* a, const SkeletonTemplate* b) {
            return a->pattern.size() < b->pattern.size();
        });
    }
    const std::vector<const SkeletonTemplate*> beforeKind = fitting;
    const std::string name = combinationText(query.variant, fitting.front()->pattern);
    if (!query.kind.empty()) {
        const std::string kind = upper(query.kind);
        std::erase_if(fitting, [&](const SkeletonTemplate* entry) { return upper(entry->kind) != kind; });
        const auto convertible = std::find_if(beforeKind.begin(), beforeKind.end(), [](const SkeletonTemplate* entry) {
            return entry->kind == toText(DType::BF16);
        });
        if (fitting.empty() && convertible != beforeKind.end() && isMadeFromBf16(kind)) {
            SkeletonTemplate converted = **convertible;
            converted.kind = kind;
            return converted;
        }
        if (fitting.empty())
            return unexpected(ErrorCode::Unsupported, "there is no template of " + name + " for " + kind, {},
                              templatesText(beforeKind));
    }
    if (query.chip == nullptr) return *fitting.front();
    const auto usable = std::find_if(fitting.begin(), fitting.end(), [&](const SkeletonTemplate* entry) {
        return entry->arch.empty() || entry->arch == query.chip->arch;
    });
    if (usable != fitting.end()) return **usable;
    std::vector<const SkeletonTemplate*> onThisChip;
    for (const SkeletonTemplate* entry : ofVariant(index, query.variant))
        if (entry->arch.empty() || entry->arch == query.chip->arch) onThisChip.push_back(entry);
    return unexpected(ErrorCode::Unsupported,
                      "the template of " + name + " (" + fitting.front()->kind + ") needs a chip of architecture " +
                          fitting.front()->arch + (fitting.front()->arch == "3510" ? " (Ascend 950); " : "; ") +
                          query.chip->id.text + " has " + query.chip->arch,
                      {}, onThisChip.empty() ? "" : "on this chip " + templatesText(onThisChip));
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge_settings.h"

#include <charconv>

namespace cubist {
namespace {

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

template <class Key>
std::optional<std::int64_t> lookUp(const std::map<Key, std::int64_t>& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

MergeKey parseMergeKey(std::string_view key) {
    if (const auto number = wholeNumber(key); number && std::to_string(*number) == key)
        return {MergeKey::Kind::Integer, *number, 0};
    if (key == "DEFAULT") return {MergeKey::Kind::Default, 0, 0};
    constexpr std::string_view kFunction = "func";
    const std::size_t line = key.find('_');
    if (key.starts_with(kFunction) && line != std::string_view::npos) {
        const auto function = wholeNumber(key.substr(kFunction.size(), line - kFunction.size()));
        const auto order = wholeNumber(key.substr(line + 1));
        if (function && order && *function >= 0 && *order >= 0) return {MergeKey::Kind::Function, *order, *function};
    }
    return {};
}

MergeSetting::MergeSetting(const Dictionary<std::int64_t>& dictionary) {
    for (const auto& [key, value] : dictionary.entries) {
        const MergeKey parsed = parseMergeKey(key);
        switch (parsed.kind) {
            case MergeKey::Kind::Integer: m_integers[parsed.order] = value; break;
            case MergeKey::Kind::Default: m_default = value; break;
            case MergeKey::Kind::Function: m_functions[{parsed.function, parsed.order}] = value; break;
            case MergeKey::Kind::Label: m_labels[key] = value; break;
        }
    }
}

bool MergeSetting::offButLabels() const {
    if (byFunction()) return m_functions.empty() && m_default == 1;
    return m_integers.size() == 1 && integer(-1) == 1;
}

bool MergeSetting::off() const {
    return m_labels.empty() && offButLabels();
}

std::optional<std::int64_t> MergeSetting::integer(std::int64_t key) const {
    return lookUp(m_integers, key);
}

std::optional<std::int64_t> MergeSetting::countFor(std::optional<std::int64_t> function, std::int64_t order) const {
    if (byFunction()) {
        const auto exact = function ? lookUp(m_functions, std::pair(*function, order)) : std::nullopt;
        return exact ? exact : m_default;
    }
    const auto exact = integer(order);
    return exact ? exact : integer(-1);
}

std::optional<std::int64_t> MergeSetting::countForLabel(const std::string& label) const {
    return lookUp(m_labels, label);
}

}  // namespace cubist

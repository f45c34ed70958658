// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/edit_settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/design/expression.h"

namespace cubist::detail {
namespace {

/// Keys of the file format that hold expressions.
constexpr std::array<std::string_view, 13> kExpressionKeys{
    "shape", "offset", "valid", "matrix_size", "range", "axis", "tile", "value", "m", "k", "n", "modulo", "total"};
/// Keys that name a value, a tensor's data among them.
constexpr std::array<std::string_view, 14> kValueKeys{
    "of",  "from", "index", "a", "b", "scale_a", "scale_b", "bias", "in", "scale_tensor", "ready_on_host_tensors",
    "out", "out2", "id"};

template <std::size_t N>
bool isOneOf(const std::array<std::string_view, N>& keys, std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool isDigits(std::string_view step) {
    return !step.empty() && std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The text of a JSON string without its quotes; nothing where it has \u escapes, which names do not need.
std::optional<std::string> unescaped(std::string_view raw) {
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\') {
            out += raw[i];
            continue;
        }
        if (++i == raw.size() || (raw[i] != '"' && raw[i] != '\\' && raw[i] != '/')) return std::nullopt;
        out += raw[i];
    }
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::vector<std::string> stepsOf(const std::string& path) {
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] == '/') {
            steps.emplace_back();
        } else if (!steps.empty()) {
            if (path[i] == '~' && i + 1 < path.size())
                steps.back() += path[++i] == '1' ? '/' : '~';
            else
                steps.back() += path[i];
        }
    }
    return steps;
}

std::string pathOf(const std::vector<std::string>& steps) {
    std::string path;
    for (const std::string& step : steps) {
        path += '/';
        for (const char c : step) path += c == '~' ? "~0" : (c == '/' ? "~1" : std::string(1, c));
    }
    return path;
}

/// Does the path lead into the body of that loop?
bool leadsInto(const std::vector<Block>& top, const std::vector<std::string>& steps, const BlockId& loop) {
    const std::vector<Block>* blocks = &top;
    for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
        if (steps[i] != (i == 0 ? "blocks" : "body")) return false;
        const std::string& step = steps[i + 1];
        const auto named = [&](const Block& block) { return block.id().text == step; };
        auto found = std::find_if(blocks->begin(), blocks->end(), named);
        if (found == blocks->end() && isDigits(step) && step.size() < 9) {
            const auto place = std::stoul(step);
            if (place < blocks->size()) found = blocks->begin() + static_cast<std::ptrdiff_t>(place);
        }
        const auto* inner = found == blocks->end() ? nullptr : std::get_if<Loop>(&found->content);
        if (inner == nullptr) return false;
        if (inner->id == loop) return i + 2 < steps.size() && steps[i + 2] == "body";
        blocks = &inner->body;
    }
    return false;
}

bool hasIndex(const std::vector<Block>& blocks, std::string_view name) {
    return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
        const auto* loop = std::get_if<Loop>(&block.content);
        return loop != nullptr && (loop->index == name || hasIndex(loop->body, name));
    });
}

class SettingRenamer {
public:
    SettingRenamer(const Design& design, SettingName kind, const std::string& from, const std::string& to)
        : m_kind(kind), m_from(from), m_to(to), m_indexOfLoop(hasIndex(design.blocks, from)) {}

    [[nodiscard]] std::vector<std::string> path(std::vector<std::string> steps) const {
        for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
            const bool block = (steps[i] == "blocks" && i == 0) || steps[i] == "body";
            const bool tensor = steps[i] == "tensors" && i == 0;
            if (steps[i + 1] == m_from &&
                ((block && m_kind == SettingName::Block) || (tensor && m_kind == SettingName::Tensor)))
                steps[i + 1] = m_to;
        }
        return steps;
    }

    [[nodiscard]] std::string string(std::string_view key, const std::string& value) const {
        if (m_kind == SettingName::Expression)
            return isOneOf(kExpressionKeys, key) ? Expression(value).renamed(m_from, m_to).text() : value;
        if (value != m_from) return value;
        bool ours = false;
        if (m_kind == SettingName::List) ours = key == "list";
        if (m_kind == SettingName::Block) ours = key == "id";
        if (m_kind == SettingName::Value) ours = isOneOf(kValueKeys, key) && key != "id";
        if (m_kind == SettingName::Tensor) ours = isOneOf(kValueKeys, key) || key == "to";
        // A loop's own index has the same key as the index of a store.
        if (key == "index" && m_indexOfLoop) ours = false;
        return ours ? m_to : value;
    }

private:
    SettingName m_kind;
    const std::string& m_from;
    const std::string& m_to;
    bool m_indexOfLoop;
};

}  // namespace

std::string withStrings(std::string_view json, std::string_view key,
                        const std::function<std::string(std::string_view key, const std::string& value)>& replaced) {
    std::string out;
    std::vector<std::string> outer;
    std::string current(key);
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (c == '{' || c == '[') outer.push_back(current);
        if ((c == '}' || c == ']') && !outer.empty()) {
            current = outer.back();
            outer.pop_back();
        }
        if (c != '"') {
            out += c;
            continue;
        }
        std::size_t end = i + 1;
        while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? std::size_t{2} : std::size_t{1};
        if (end >= json.size()) return std::string(json);
        const std::string_view raw = json.substr(i + 1, end - i - 1);
        const std::optional<std::string> text = unescaped(raw);
        const std::size_t next = json.find_first_not_of(" \t\r\n", end + 1);
        if (next != std::string_view::npos && json[next] == ':') {
            current = text.value_or(std::string());
            out += json.substr(i, end + 1 - i);
        } else {
            out += '"' + (text ? escaped(replaced(current, *text)) : std::string(raw)) + '"';
        }
        i = end;
    }
    return out;
}

void renameInSettings(Design& design, SettingName kind, const std::string& from, const std::string& to,
                      const BlockId& within) {
    const SettingRenamer renamer(design, kind, from, to);
    for (Case& entry : design.cases)
        for (auto& setting : entry.set.entries) {
            const std::vector<std::string> steps = stepsOf(setting.key);
            if (!within.empty() && !leadsInto(design.blocks, steps, within)) continue;
            std::string key;
            for (const std::string& step : steps)
                if (!isDigits(step)) key = step;
            setting.value.text =
                withStrings(setting.value.text, key,
                            [&](std::string_view at, const std::string& value) { return renamer.string(at, value); });
            setting.key = pathOf(renamer.path(steps));
        }
}

}  // namespace cubist::detail

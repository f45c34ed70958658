// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/tuner_config.h"

#include <algorithm>
#include <charconv>

#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/pypto_snippet.h"

namespace cubist::pypto {
namespace {

JsonValue numbers(const std::vector<std::int64_t>& values) {
    JsonValue list = JsonValue::array();
    for (const std::int64_t value : values) list.push(JsonValue::fromInteger(value));
    return list;
}

bool take(const JsonValue& list, std::vector<std::int64_t>& out) {
    for (const JsonValue& item : list.items) {
        if (!item.isNumber()) return false;
        const char* const end = item.text.data() + item.text.size();
        const auto [at, status] = std::from_chars(item.text.data(), end, out.emplace_back());
        if (status != std::errc() || at != end) return false;
    }
    return list.isArray();
}

/// Sizes, as a tile has them.
bool takeSizes(const JsonValue& list, std::vector<std::int64_t>& out) {
    return take(list, out) && std::all_of(out.begin(), out.end(), [](std::int64_t each) { return each >= 1; });
}

}  // namespace

TunerConfig tunerConfigOf(const std::string& file, std::string_view source) {
    TunerConfig config{file, {}};
    std::int64_t line = 0;
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        std::string_view text = source.substr(0, end);
        source.remove_prefix(std::min(end + 1, source.size()));
        ++line;
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        if (!text.starts_with("pypto.set_cube_tile_shapes(")) continue;
        const auto snippet = parseSnippet(text);
        if (!snippet || snippet->stages.size() != 1 || !snippet->stages[0].cube) continue;
        const CubeTile& tile = *snippet->stages[0].cube;
        config.matmuls.push_back({line, std::string(text), tile.m, tile.k, tile.n});
    }
    return config;
}

std::string tunerConfigText(const TunerConfig& config) {
    JsonValue root = JsonValue::object(), files = JsonValue::array(), lines = JsonValue::array(),
              texts = JsonValue::array();
    files.push(JsonValue::fromString(config.file));
    for (const TunerEntry& entry : config.matmuls) {
        lines.push(JsonValue::fromInteger(entry.line));
        texts.push(JsonValue::fromString(entry.text));
    }
    root.add("files", std::move(files));
    root.add("line", std::move(lines));
    root.add("string", std::move(texts));
    for (std::size_t i = 0; i < config.matmuls.size(); ++i) {
        JsonValue tile = JsonValue::array();
        tile.push(numbers(config.matmuls[i].m));
        tile.push(numbers(config.matmuls[i].k));
        tile.push(numbers(config.matmuls[i].n));
        root.add("mm" + std::to_string(i + 1), std::move(tile));
    }
    return prettyJson(root);
}

Result<TunerConfig> parseTunerConfig(std::string_view text) {
    CUBIST_TRY(const JsonValue root, parseJson(text));
    const JsonValue* files = root.find("files");
    const JsonValue* lines = root.find("line");
    const JsonValue* texts = root.find("string");
    if (files == nullptr || lines == nullptr || texts == nullptr)
        return unexpected(ErrorCode::MissingKey, "a tuner's config has the keys files, line and string");
    TunerConfig config;
    std::vector<std::int64_t> places;
    if (files->items.size() != 1 || !take(*lines, places) || texts->items.size() != places.size())
        return unexpected(ErrorCode::WrongType, "one file, and as many lines as strings", "/line");
    config.file = files->items[0].text;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::string key = "mm" + std::to_string(i + 1);
        const JsonValue* tile = root.find(key);
        TunerEntry entry{places[i], texts->items[i].text, {}, {}, {}};
        if (tile == nullptr) return unexpected(ErrorCode::MissingKey, "there is no " + key);
        if (tile->items.size() != 3 || !takeSizes(tile->items[0], entry.m) || !takeSizes(tile->items[1], entry.k) ||
            !takeSizes(tile->items[2], entry.n))
            return unexpected(ErrorCode::WrongType, "a tile is three lists of integers above zero", "/" + key);
        config.matmuls.push_back(std::move(entry));
    }
    return config;
}

}  // namespace cubist::pypto

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/run_settings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/exchange/design_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/result_values.h"
#include "core/exchange/sha256.h"

namespace cubist {
namespace {

/// Of a stage: its place in the design and its operations. The hash speaks for them.
constexpr std::array kWiring{"id", "kind", "a", "b", "out", "bias", "ops", "tile_by", "notes"};

void addStages(const JsonValue& blocks, JsonValue& stages) {
    for (const JsonValue& block : blocks.items) {
        if (const JsonValue* body = block.find("body")) addStages(*body, stages);
        const JsonValue* const kind = block.find("kind");
        const JsonValue* const id = block.find("id");
        if (kind == nullptr || id == nullptr || (kind->text != "cube" && kind->text != "vector")) continue;
        JsonValue stage = JsonValue::object();
        for (const JsonMember& member : block.members)
            if (std::ranges::find(kWiring, std::string_view(member.key)) == kWiring.end())
                stage.add(member.key, member.value);
        if (stages.find(id->text) == nullptr) stages.add(id->text, std::move(stage));
    }
}

void flatten(const JsonValue& value, const std::string& path, std::vector<RunSetting>& settings) {
    if (!value.isObject()) return settings.push_back({path, value.isString() ? value.text : compactJson(value)});
    for (const JsonMember& member : value.members)
        flatten(member.value, path.empty() ? member.key : path + "/" + member.key, settings);
}

}  // namespace

JsonValue settingsJson(const RunReport& report) {
    JsonValue json = JsonValue::object();
    if (report.launch == LaunchProfile::Bare) put(json, "block_order", orderText(report.order));
    JsonValue& symbols = put(json, "symbols", JsonValue::object());
    for (const auto& symbol : report.symbols.entries) put(symbols, symbol.key, symbol.value);
    JsonValue& lists = put(json, "lists", JsonValue::object());
    for (const auto& list : report.lists.entries) put(lists, list.key, list.value);
    JsonValue& tensors = put(json, "tensors", JsonValue::object());
    for (const auto& tensor : report.tensorShapes.entries) put(tensors, tensor.key, tensor.value);
    if (report.used == nullptr) return json;
    const JsonValue design = fullDesignJson(*report.used);
    if (const JsonValue* options = design.find("options")) put(json, "options", *options);
    JsonValue& stages = put(json, "stages", JsonValue::object());
    if (const JsonValue* blocks = design.find("blocks")) addStages(*blocks, stages);
    put(json, kDesignHash, sha256(writeDesign(*report.used)));
    return json;
}

std::vector<RunSetting> settingsIn(const JsonValue& settings) {
    std::vector<RunSetting> list;
    flatten(settings, "", list);
    return list;
}

}  // namespace cubist

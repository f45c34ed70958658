// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/catalogue.h"

#include <algorithm>

#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/result_values.h"

namespace cubist {
namespace {

/// The case that a run takes when none is named.
const Case* defaultCase(const Design& design) {
    for (const Case& candidate : design.cases)
        if (candidate.id == design.defaultCase) return &candidate;
    return design.cases.empty() ? nullptr : &design.cases.front();
}

JsonValue sampleJson(const Catalogue::Entry& sample) {
    JsonValue json = JsonValue::object();
    put(json, "id", sample.id);
    put(json, "title", sample.design.title);
    JsonValue& cases = put(json, "cases", JsonValue::array());
    for (const Case& entry : sample.design.cases) {
        JsonValue& object = cases.push(JsonValue::object());
        put(object, "id", entry.id.text);
        put(object, "aliases", entry.aliases);
        put(object, "default", &entry == defaultCase(sample.design));
    }
    JsonValue& symbols = put(json, "symbols", JsonValue::array());
    for (const Symbol& symbol : sample.design.symbols) symbols.push(JsonValue::fromString(symbol.id.text));
    JsonValue& tensors = put(json, "tensors", JsonValue::array());
    for (const Tensor& tensor : sample.design.tensors) {
        JsonValue& object = tensors.push(JsonValue::object());
        put(object, "name", tensor.id.text);
        put(object, "role", toText(tensor.role));
        put(object, "dtype", toText(tensor.dtype));
        JsonValue& shape = put(object, "shape", JsonValue::array());
        for (const Expression& extent : tensor.shape) {
            const auto literal = extent.literal();
            shape.push(literal ? JsonValue::fromInteger(*literal) : JsonValue::fromString(extent.text()));
        }
    }
    return json;
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 2, width), ' ');
    return text;
}

std::string casesText(const Design& design) {
    std::string text;
    for (const Case& entry : design.cases) {
        text += (text.empty() ? "cases " : ", ") + entry.id.text;
        std::string more;
        for (const std::string& alias : entry.aliases) more += (more.empty() ? "" : ", ") + alias;
        if (&entry == defaultCase(design)) more += more.empty() ? "default" : ", default";
        if (!more.empty()) text += " (" + more + ")";
    }
    return text;
}

std::string shapeText(const std::vector<Expression>& shape) {
    std::string text;
    for (const Expression& extent : shape) text += (text.empty() ? "" : ", ") + extent.text();
    return "[" + text + "]";
}

}  // namespace

std::string catalogueJson(const Catalogue& catalogue) {
    JsonValue json = JsonValue::object();
    JsonValue& samples = put(json, "samples", JsonValue::array());
    for (const Catalogue::Entry& sample : catalogue.samples) samples.push(sampleJson(sample));
    JsonValue& chips = put(json, "chips", JsonValue::array());
    for (const ChipSpec& chip : catalogue.chips) chips.push(JsonValue::fromString(chip.id.text));
    JsonValue& skeletons = put(json, "skeletons", JsonValue::array());
    for (const Catalogue::Entry& skeleton : catalogue.skeletons) skeletons.push(JsonValue::fromString(skeleton.id));
    JsonValue& rules = put(json, "rules", JsonValue::array());
    for (const Catalogue::Rule& rule : catalogue.rules) rules.push(JsonValue::fromString(rule.id));
    return prettyJson(json);
}

std::string catalogueText(const Catalogue& catalogue) {
    constexpr std::size_t width = 24;
    std::string text = "samples\n";
    for (const Catalogue::Entry& sample : catalogue.samples) {
        text += "  " + padded(sample.id, width) + sample.design.title + "\n";
        const std::string indent(width + 2, ' ');
        if (const std::string cases = casesText(sample.design); !cases.empty()) text += indent + cases + "\n";
        for (const Tensor& tensor : sample.design.tensors)
            text += indent + std::string(toText(tensor.role)) + " " + tensor.id.text + " " +
                    std::string(toText(tensor.dtype)) + " " + shapeText(tensor.shape) + "\n";
    }
    text += "\nchips\n";
    for (const ChipSpec& chip : catalogue.chips) text += "  " + padded(chip.id.text, width) + chip.title + "\n";
    text += "\nskeletons\n";
    for (const Catalogue::Entry& skeleton : catalogue.skeletons)
        text += "  " + padded(skeleton.id, width) + skeleton.design.title + "\n";
    text += "\nrules\n";
    for (const Catalogue::Rule& rule : catalogue.rules) text += "  " + padded(rule.id, width) + rule.title + "\n";
    return text;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/catalogue.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/exchange/field_writer.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/result_values.h"

namespace cubist {
namespace {

constexpr std::string_view kGeneralMatmul = "SK-14";

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 2, width), ' ');
    return text;
}

/// "name" and "name_zh".
void putBoth(JsonValue& object, std::string_view key, const BilingualText& text) {
    put(object, key, text.en);
    put(object, std::string(key) + "_zh", text.zh);
}

JsonValue patternJson(const std::vector<std::int64_t>& pattern) {
    if (pattern.empty()) return JsonValue();
    return pattern.size() == 1 ? JsonValue::fromInteger(pattern.front()) : resultValue(pattern);
}

JsonValue templateJson(const SkeletonTemplate& entry) {
    JsonValue json = JsonValue::object();
    put(json, "id", entry.id);
    put(json, "variant", toText(entry.variant));
    put(json, "pattern", patternJson(entry.pattern));
    put(json, "kind", entry.kind);
    put(json, "arch", entry.arch.empty() ? JsonValue() : JsonValue::fromString(entry.arch));
    putBoth(json, "title", entry.title);
    putBoth(json, "summary", entry.summary);
    return json;
}

/// What only SK-14 has: the forms that a design of it can take.
void putForms(JsonValue& json, const SkeletonIndex& index) {
    JsonValue& variants = put(json, "variants", JsonValue::array());
    for (const VariantCard& card : index.variants) {
        JsonValue& object = variants.push(JsonValue::object());
        put(object, "variant", toText(card.variant));
        putBoth(object, "title", card.title);
        putBoth(object, "text", card.text);
    }
    JsonValue& patterns = put(json, "patterns", JsonValue::array());
    for (const PatternCard& card : index.patterns) {
        JsonValue& object = patterns.push(JsonValue::object());
        put(object, "pattern", card.pattern);
        putBoth(object, "title", card.title);
        putBoth(object, "text", card.text);
    }
    JsonValue& templates = put(json, "templates", JsonValue::array());
    for (const SkeletonTemplate& entry : index.templates) templates.push(templateJson(entry));
    JsonValue& missing = put(json, "missing", JsonValue::array());
    for (const MissingTemplate& entry : index.missing) {
        JsonValue& object = missing.push(JsonValue::object());
        put(object, "variant", toText(entry.variant));
        put(object, "pattern", entry.pattern);
        putBoth(object, "reason", entry.reason);
    }
}

JsonValue skeletonJson(const SkeletonCard& card, const SkeletonIndex& index) {
    JsonValue json = JsonValue::object();
    put(json, "id", card.id);
    putBoth(json, "name", card.name);
    put(json, "tags", card.tags);
    put(json, "flow_pattern", card.flow);
    putBoth(json, "choose", card.choose);
    putBoth(json, "start", card.start);
    JsonValue& options = put(json, "options", JsonValue::object());
    addFields(options, card.options, Defaults::Omit);
    if (card.id == kGeneralMatmul) putForms(json, index);
    return json;
}

std::string skeletonsText(const SkeletonIndex& index, std::size_t width) {
    const std::string indent(width + 2, ' ');
    std::string text;
    for (const SkeletonCard& card : index.skeletons)
        text += "  " + padded(card.id, width) + card.name.en + ": " + card.flow + "\n" + indent + "when " +
                card.choose.en + "\n" + indent + "start " + card.start.en + "\n";
    text += "\ntemplates of SK-14 (new --variant V --pattern P)\n";
    for (const SkeletonTemplate& entry : index.templates)
        text += "  " + padded(entry.id, width) + entry.title.en + " (" + entry.kind + ")\n";
    for (const MissingTemplate& entry : index.missing)
        text += "  " + padded("none", width) + combinationText(entry.variant, {entry.pattern}) + ": " +
                entry.reason.en + "\n";
    return text;
}

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
    put(json, "title_zh", sample.titleZh.empty() ? sample.design.title : sample.titleZh);
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

/// Null where a rule is silent or has nothing of the kind.
JsonValue textOrNull(std::string_view text) {
    return text.empty() ? JsonValue() : JsonValue::fromString(std::string(text));
}

JsonValue severityJson(const std::optional<Severity>& severity) {
    return severity ? JsonValue::fromString(std::string(toText(*severity))) : JsonValue();
}

JsonValue ruleJson(const Rule& rule) {
    JsonValue json = JsonValue::object();
    put(json, "id", rule.id);
    put(json, "family", toText(rule.family));
    JsonValue& severity = put(json, "severity", JsonValue::object());
    put(severity, "enforced", severityJson(rule.enforced));
    put(severity, "documented", severityJson(rule.documented));
    put(json, "title", rule.title);
    put(json, "title_zh", rule.titleZh);
    put(json, "explanation", rule.explanation);
    put(json, "explanation_zh", rule.explanationZh);
    put(json, "formula", textOrNull(rule.formula));
    put(json, "formula_id", textOrNull(rule.formulaId));
    put(json, "source", rule.source);
    put(json, "pypto", textOrNull(rule.pyptoCode));
    put(json, "silent", rule.compilerSilent);
    return json;
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
    for (const SkeletonCard& card : catalogue.skeletons.skeletons)
        skeletons.push(skeletonJson(card, catalogue.skeletons));
    JsonValue& rules = put(json, "rules", JsonValue::array());
    for (const Rule& rule : catalogue.rules) rules.push(ruleJson(rule));
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
    text += "\nskeletons\n" + skeletonsText(catalogue.skeletons, width);
    text += "\nrules\n";
    for (const Rule& rule : catalogue.rules)
        text += "  " + padded(std::string(rule.id), width) + std::string(rule.title) + "\n";
    return text;
}

}  // namespace cubist

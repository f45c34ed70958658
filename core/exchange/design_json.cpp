// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/design_json.h"

#include <algorithm>
#include <utility>

#include "core/exchange/field_reader.h"
#include "core/exchange/field_writer.h"
#include "core/exchange/files.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"
#include "core/exchange/migrate.h"

namespace cubist {
namespace {

constexpr const char* kVersionKey = "cubist";

JsonValue designJson(const Design& design, Defaults defaults) {
    JsonValue root = JsonValue::object();
    root.add(kVersionKey, JsonValue::fromInteger(Design::kFormatVersion));
    addFields(root, design, defaults);
    return root;
}

Result<LoadedDesign> designFrom(JsonValue document) {
    // Version 1 is the first: there is nothing to migrate from yet.
    const FormatHistory history{kVersionKey, Design::kFormatVersion, {}};
    CUBIST_TRY(const JsonValue current, migrate(std::move(document), history));
    ReadState state;
    LoadedDesign loaded;
    if (!readStruct(state, current, loaded.design, {kVersionKey})) return unexpected(*std::move(state.error));
    loaded.warnings = std::move(state.warnings);
    return loaded;
}

}  // namespace

Result<LoadedDesign> readDesign(std::string_view text) {
    CUBIST_TRY(JsonValue document, parseJson(text));
    return designFrom(std::move(document));
}

std::string writeDesign(const Design& design) {
    return prettyJson(designJson(design, Defaults::Omit));
}

Result<LoadedDesign> loadDesign(const std::string& path) {
    CUBIST_TRY(const std::string text, readFile(path, JsonLimits{}.bytes));
    Result<LoadedDesign> loaded = readDesign(text);
    if (loaded || !loaded.error().where.empty()) return loaded;
    Error error = std::move(loaded).error();
    error.where = path;
    return unexpected(std::move(error));
}

Result<void> saveDesign(const Design& design, const std::string& path) {
    const std::string text = writeDesign(design);
    if (const Result<LoadedDesign> again = readDesign(text); !again)
        return unexpected(ErrorCode::BadValue, "the design cannot be saved: " + again.error().message,
                          again.error().where);
    return writeFileAtomically(path, text);
}

JsonValue fullDesignJson(const Design& design) {
    return designJson(design, Defaults::Write);
}

Result<Design> setAt(const Design& design, std::string_view pointer, std::string_view jsonText) {
    const auto at = [&](Error error) {
        if (error.where.empty()) error.where = std::string(pointer);
        return unexpected(std::move(error));
    };
    Result<JsonValue> value = parseJson(jsonText);
    if (!value) {
        Error error = std::move(value).error();
        error.message = quotedForMessage(jsonText) + " is not JSON: " + error.message;
        error.where = std::string(pointer);
        if (error.hint.empty()) error.hint = "text needs quotes: \"" + std::string(jsonText.substr(0, 40)) + "\"";
        return unexpected(std::move(error));
    }
    Result<JsonValue> edited = replaceAt(fullDesignJson(design), pointer, *std::move(value));
    if (!edited) return at(std::move(edited).error());
    Result<LoadedDesign> loaded = designFrom(*std::move(edited));
    if (!loaded) return at(std::move(loaded).error());
    // A key that the reader does not know is fine in a file from a newer version, but an edit that adds one is a typo.
    CUBIST_TRY(const LoadedDesign before, designFrom(fullDesignJson(design)));
    for (const Finding& warning : loaded->warnings) {
        const bool old = std::any_of(before.warnings.begin(), before.warnings.end(),
                                     [&](const Finding& known) { return known.where == warning.where; });
        if (!old)
            return unexpected(ErrorCode::UnknownName,
                              warning.message.substr(0, warning.message.find(": it has no effect")), warning.where);
    }
    return std::move(loaded->design);
}

}  // namespace cubist

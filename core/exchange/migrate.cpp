// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/migrate.h"

#include <utility>

#include "core/exchange/field_reader.h"
#include "core/exchange/json_pointer.h"

namespace cubist {
namespace {

Result<std::int64_t> versionOf(const JsonValue& document, const FormatHistory& history) {
    ReadState state;
    const JsonValue* const version = document.find(history.versionKey);
    if (!document.isObject()) {
        state.wrongType("an object", document);
        return unexpected(*std::move(state.error));
    }
    const PathStep step(state, history.versionKey);
    std::int64_t value = 0;
    if (version == nullptr)
        state.fail(ErrorCode::MissingKey, "required key is missing: it holds the version of the file format",
                   "write \"" + history.versionKey + "\": " + std::to_string(history.current) + " as the first key");
    else if (readValue(state, *version, value))
        return value;
    return unexpected(*std::move(state.error));
}

}  // namespace

Result<JsonValue> migrate(JsonValue document, const FormatHistory& history) {
    const std::string where = "/" + escapePointerStep(history.versionKey);
    CUBIST_TRY(std::int64_t version, versionOf(document, history));
    if (version > history.current)
        return unexpected(ErrorCode::Unsupported,
                          "the file has format version " + std::to_string(version) + "; this program reads up to " +
                              std::to_string(history.current),
                          where, "open it with a newer Cubist");
    for (const Migration& migration : history.migrations) {
        if (migration.from != version) continue;
        CUBIST_TRY(document, migration.step(std::move(document)));
        ++version;
        if (JsonValue* const stored = document.find(history.versionKey)) *stored = JsonValue::fromInteger(version);
    }
    if (version != history.current)
        return unexpected(ErrorCode::Unsupported,
                          "the file has format version " + std::to_string(version) + ", which is not known", where);
    return document;
}

}  // namespace cubist

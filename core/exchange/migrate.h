// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/exchange/json_value.h"

namespace cubist {

/// One step from a format version to the next. A key that is new and has a default needs none.
struct Migration {
    std::int64_t from = 0;  ///< turns a document of this version into one of version from + 1
    Result<JsonValue> (*step)(JsonValue document) = nullptr;
};

/// The versions of one kind of document.
struct FormatHistory {
    std::string versionKey;  ///< "cubist": the key that holds the version, first in the file
    std::int64_t current = 1;
    std::span<const Migration> migrations;  ///< sorted by `from`; a version without a step cannot be read any more
};

/// Brings a document to the current version; its version key then says so.
/// Errors: WrongType (no object, version no integer), MissingKey (no version), Unsupported (newer than this program, or
/// too old), and what a step reports.
[[nodiscard]] Result<JsonValue> migrate(JsonValue document, const FormatHistory& history);

}  // namespace cubist

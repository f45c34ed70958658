// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/exchange/json_value.h"

namespace cubist {

/// What the reader accepts at most. A design has some thousand values; the limits keep a hostile file from using up
/// memory or the stack: values may take 32 MiB, each its place in a container and the characters of its text and key.
/// Long strings and numbers are found before they are read.
struct JsonLimits {
    int depth = 128;  ///< containers inside each other
    std::size_t bytes = std::size_t{16} << 20;
    std::size_t values = 250'000;  ///< scalars and containers together
    std::size_t stringBytes = std::size_t{1} << 20;
    std::size_t numberBytes = 400;
};

/// Reads strict JSON (RFC 8259): UTF-8, no comments, no trailing commas, no NaN or Infinity; a byte order mark is
/// skipped. Errors: Syntax (the message starts with "line 3, column 7: "), DuplicateKey (`where` is the JSON pointer),
/// BadValue (a limit is passed, or a number beyond the range of doubles).
[[nodiscard]] Result<JsonValue> parseJson(std::string_view text, const JsonLimits& limits = {});

/// The same for a document of many items, none of which is kept: `take` gets every element of the list at `key` of the
/// root object, or of the root list when `key` is empty, and then drops it. The limit on values counts for one item and
/// for what stands beside the list. Errors: as `parseJson`, those of `take`; MissingKey when there is no such list.
[[nodiscard]] Result<void> parseJsonItems(std::string_view text, std::string_view key, const JsonLimits& limits,
                                          const std::function<Result<void>(const JsonValue&)>& take);

/// On one line, with a blank after ':' and ','.
[[nodiscard]] std::string compactJson(const JsonValue& value);

/// The house style for files: two blanks per level, one entry per line, but what is small and simple (a list of
/// numbers, a tile, a tensor) on one line of at most 116 columns. Ends with a line feed.
[[nodiscard]] std::string prettyJson(const JsonValue& value);

/// Containers inside each other, the value itself included; 0 for a scalar.
[[nodiscard]] int jsonDepth(const JsonValue& value);

/// The text as a JSON string, cut to a length that fits a message.
[[nodiscard]] std::string quotedForMessage(std::string_view text);

}  // namespace cubist

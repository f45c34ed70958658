// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/json_value.h"

namespace cubist {

/// One step of a JSON pointer as it is written: '~' is "~0", '/' is "~1".
[[nodiscard]] std::string escapePointerStep(std::string_view step);

/// The steps of a JSON pointer (RFC 6901). "" has none: the whole document.
/// Errors: Syntax when the text is not empty and does not start with '/', or '~' stands alone.
[[nodiscard]] Result<std::vector<std::string>> splitPointer(std::string_view pointer);

/// The value at `pointer`. A step into a list is an index, or the "id" of one of its objects:
/// "/blocks/rows/body/gate/tile/k/0".
/// Errors: Syntax as `splitPointer`; UnknownName (`where` is the part that exists, the hint names what is there).
[[nodiscard]] Result<const JsonValue*> findPointer(const JsonValue& root, std::string_view pointer);

/// A copy of `root` with the value at `pointer` replaced. The last step may also be a new key of an object, or '-' or
/// the length of a list to append to it. Errors: as `findPointer`.
[[nodiscard]] Result<JsonValue> replaceAt(JsonValue root, std::string_view pointer, JsonValue value);

}  // namespace cubist

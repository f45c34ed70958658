// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/exchange/json_value.h"
#include "core/rules/finding.h"

namespace cubist {

/// A design and what the reader has to say about its text.
struct LoadedDesign {
    Design design;
    std::vector<Finding> warnings;  ///< DOC-01: a key that this version does not know; kept on save
};

/// Reads a design file (docs/design-format.md). The value is not checked against rules and names need not resolve.
/// Errors: as `parseJson`; WrongType, MissingKey, BadValue (unknown spelling), Syntax (expression) with the JSON
/// pointer; Unsupported (another format version).
[[nodiscard]] Result<LoadedDesign> readDesign(std::string_view text);

/// The text of a design file. `readDesign(writeDesign(d))` gives d back, and text in this style is reproduced exactly.
[[nodiscard]] std::string writeDesign(const Design& design);

/// Errors: as `readDesign`; BadFile. `where` is the path for errors that have no JSON pointer.
[[nodiscard]] Result<LoadedDesign> loadDesign(const std::string& path);

/// Writes the file atomically (see files.h). Errors: BadFile; BadValue when the design could not be read back (a number
/// that is not finite, nesting beyond the reader's limit), and then nothing is written.
[[nodiscard]] Result<void> saveDesign(const Design& design, const std::string& path);

/// The design as a JSON document, with every field that has its default value written out: what paths refer to.
[[nodiscard]] JsonValue fullDesignJson(const Design& design);

/// The design with the value at a JSON pointer replaced: `--set PATH=JSON`, the fixes of rules. A step into a list is
/// an index or an id: "/blocks/rows/body/gate/tile/k/0". Pure; keys that a file may leave out exist all the same.
/// Errors: Syntax (path or JSON), UnknownName (the path leads nowhere; the hint has the nearest name), and what
/// `readDesign` reports about the new value.
[[nodiscard]] Result<Design> setAt(const Design& design, std::string_view pointer, std::string_view jsonText);

}  // namespace cubist

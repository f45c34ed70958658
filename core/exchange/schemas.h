// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace cubist {

/// JSON Schema (draft 2020-12) of a design file: resources/design.schema.json. Made from the same field lists that the
/// reader uses. It allows unknown keys, as the reader does.
[[nodiscard]] std::string designSchema();

/// The same for chip files: resources/chip.schema.json.
[[nodiscard]] std::string chipSchema();

}  // namespace cubist

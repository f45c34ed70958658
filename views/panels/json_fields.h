// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

#include "core/design/design.h"

/// Pieces of a design that a form shows as they stand in the file: what has too many parts for fields of its own.
namespace cubist {

/// One line of JSON; empty for nothing.
[[nodiscard]] QString fieldText(const std::optional<TileTable>& table);
[[nodiscard]] QString fieldText(const Dictionary<JsonText>& settings);

/// Takes over what was typed; an empty text is nothing. False, and nothing changed, when it cannot be read or has keys
/// that mean nothing.
[[nodiscard]] bool takeFieldText(std::optional<TileTable>& table, const QString& text);
[[nodiscard]] bool takeFieldText(Dictionary<JsonText>& settings, const QString& text);

}  // namespace cubist

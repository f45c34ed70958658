// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/design/design.h"
#include "core/design/edit_structure.h"
#include "views/theme.h"

namespace cubist {

/// Something that can be put on the canvas.
struct CatalogEntry {
    enum class Kind : std::uint8_t { Cube, Vector, Tensor, Move, Loop, Note } kind = Kind::Cube;
    QString key;  ///< stable: "cube/matmul", "vector/silu", "tensor/input", "view", "store", "loop", "note"
    QString title;
    QString subtitle;
    QString keywords;          ///< other words under which it is found
    bool inLibrary = false;    ///< shown in the library's list, not only when searched for
    bool takesValue = true;    ///< has an input that a wire can lead to
    bool handsValueOn = true;  ///< has a result
};

/// Everything, in the order of the library; texts in the language of the moment.
[[nodiscard]] std::vector<CatalogEntry> stageCatalog();
/// Letter and colour of an entry's badge.
[[nodiscard]] QString badgeLetter(CatalogEntry::Kind kind);
[[nodiscard]] Token badgeToken(CatalogEntry::Kind kind);

/// How well a text typed so far fits titles and keywords: 0 not at all; the beginning of the title is best.
[[nodiscard]] int matchScore(const QString& typed, const QString& title, const QString& keywords);

/// What an entry becomes in a design.
struct NewElement {
    std::optional<Tensor> tensor;
    std::optional<Block> block;
    std::string input;  ///< key of the port that a wire is connected to first; empty: none
};

/// Makes the element under names that `names` has free. Empty for notes and unknown keys.
[[nodiscard]] NewElement makeElement(const QString& key, FreeNames& names);

/// A vector tile that fits a value: last axes up to 64, those in front up to 2.
[[nodiscard]] std::vector<std::int64_t> startTile(const std::vector<std::int64_t>& shape, DType dtype);
/// A cube tile for the sizes of a matmul, within what every chip holds.
[[nodiscard]] CubeTile startTile(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype);
/// Whether a tile is still the one that a new stage gets.
[[nodiscard]] bool isStartTile(const CubeTile& tile);

}  // namespace cubist

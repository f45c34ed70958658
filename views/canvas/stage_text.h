// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

#include "core/design/design.h"

namespace cubist {

/// "32×5120".
[[nodiscard]] QString shapeText(const std::vector<std::int64_t>& shape);
[[nodiscard]] QString shapeText(const std::vector<Expression>& shape);

/// "cast(c * scale, BF16)": the operations of a stage as one formula; intermediate results that are read once are
/// written in place.
[[nodiscard]] QString formulaText(const VectorStage& stage);

/// "[32,32] [512,1024] [16,16]", "(32, 160)".
[[nodiscard]] QString tileText(const CubeTile& tile);
[[nodiscard]] QString tileText(const std::vector<std::int64_t>& tile);

/// "[i*32 : +32, :]": which part of `whole` lies at `offset`. `whole` may be empty when its shape is not known.
[[nodiscard]] QString sliceText(const std::vector<Expression>& offset, const std::vector<QString>& extent,
                                const std::vector<QString>& whole);

}  // namespace cubist

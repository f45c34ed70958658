// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <Qt>

#include <cstdint>
#include <vector>

namespace cubist {

enum class Alignment : std::uint8_t { Left, Centre, Right, Top, Middle, Bottom };

/// New upper left corners for cards so that their edges or middles are in one line: that of all of them together.
[[nodiscard]] std::vector<QPointF> aligned(const std::vector<QRectF>& cards, Alignment alignment);

/// New upper left corners with equal gaps between the first and the last card along an axis.
[[nodiscard]] std::vector<QPointF> distributed(const std::vector<QRectF>& cards, Qt::Orientation along);

}  // namespace cubist

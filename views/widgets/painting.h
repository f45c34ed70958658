// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QString>

#include "views/theme.h"

namespace cubist {

/// A colour between two: `part` of `top` over `base`. Range: part 0..1.
[[nodiscard]] QColor blend(const QColor& base, const QColor& top, double part);

/// Soft fill behind text of a strong colour: verdict banners, prediction box.
[[nodiscard]] QColor softFill(const Theme& theme, Token token);

/// A rounded bar; a stroke of `border` if valid.
void drawBar(QPainter& painter, const QRectF& rect, const QBrush& fill, double radius = 3.0, const QColor& border = {});

/// Fills with the waiting stripes.
void drawHatch(QPainter& painter, const QRectF& rect, const Theme& theme, double radius = 0.0);

/// 1536 -> "1.5 KB", 65536 -> "64 KB": binary kilobytes, at most one decimal.
[[nodiscard]] QString kilobytes(std::int64_t bytes);

/// Microseconds with three significant digits: "8.28 us", "41.7 us", "1 234 us".
[[nodiscard]] QString microsecondsText(double microseconds);

/// Time on this computer: "4 ms", "1.3 s".
[[nodiscard]] QString secondsText(double seconds);

/// 12288 -> "12 288" with thin spaces.
[[nodiscard]] QString grouped(std::int64_t number);

/// "1 wave", "3 waves": `many` has %1 for the grouped number. Two texts, since no language file is needed for English.
[[nodiscard]] QString counted(std::int64_t number, const QString& one, const QString& many);

/// A measured number: three significant digits, "3.1e-7" below 1e-3 and from 1e5 on; "nan", "inf".
[[nodiscard]] QString shortNumber(double value, int digits = 3);

}  // namespace cubist

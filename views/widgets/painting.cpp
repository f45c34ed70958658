// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/painting.h"

#include <algorithm>
#include <cmath>

namespace cubist {

QColor blend(const QColor& base, const QColor& top, double part) {
    const auto mix = [&](float a, float b) { return a + (b - a) * static_cast<float>(part); };
    return QColor::fromRgbF(mix(base.redF(), top.redF()), mix(base.greenF(), top.greenF()),
                            mix(base.blueF(), top.blueF()));
}

QColor softFill(const Theme& theme, Token token) {
    return blend(theme.color(Token::Surface), theme.color(token), theme.isDark() ? 0.18 : 0.11);
}

void drawBar(QPainter& painter, const QRectF& rect, const QBrush& fill, double radius, const QColor& border) {
    if (rect.width() <= 0.0) return;
    const double r = std::min(radius, rect.width() / 2.0);
    painter.setPen(border.isValid() ? QPen(border, 1.0) : QPen(Qt::NoPen));
    painter.setBrush(fill);
    painter.drawRoundedRect(border.isValid() ? rect.adjusted(0.5, 0.5, -0.5, -0.5) : rect, r, r);
}

void drawHatch(QPainter& painter, const QRectF& rect, const Theme& theme, double radius) {
    if (rect.width() <= 0.0) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.hatch());
    painter.drawRoundedRect(rect, radius, radius);
}

QString kilobytes(std::int64_t bytes) {
    const double kb = static_cast<double>(bytes) / 1024.0;
    const bool whole = bytes % 1024 == 0 || kb >= 100.0;
    return QStringLiteral("%1 KB").arg(QString::number(kb, 'f', whole ? 0 : 1));
}

QString microsecondsText(double microseconds) {
    if (!std::isfinite(microseconds)) return QStringLiteral("-");
    const int decimals = microseconds < 10.0 ? 2 : microseconds < 100.0 ? 1 : 0;
    if (microseconds >= 10000.0) return grouped(std::llround(microseconds)) + QStringLiteral(" us");
    return QString::number(microseconds, 'f', decimals) + QStringLiteral(" us");
}

QString secondsText(double seconds) {
    if (seconds < 0.9995) return QStringLiteral("%1 ms").arg(std::max(1L, std::lround(seconds * 1000.0)));
    return QStringLiteral("%1 s").arg(QString::number(seconds, 'f', seconds < 10.0 ? 1 : 0));
}

QString grouped(std::int64_t number) {
    QString digits = QString::number(number < 0 ? -number : number);
    for (qsizetype i = digits.size() - 3; i > 0; i -= 3) digits.insert(i, QChar(0x202F));
    return number < 0 ? QLatin1Char('-') + digits : digits;
}

QString counted(std::int64_t number, const QString& one, const QString& many) {
    return number == 1 ? one : many.arg(grouped(number));
}

QString shortNumber(double value, int digits) {
    if (std::isnan(value)) return QStringLiteral("nan");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    if (value == 0.0) return QStringLiteral("0");
    const double size = std::abs(value);
    if (size < 1e-3 || size >= 1e5) {
        QString text = QString::number(value, 'e', digits - 1);
        text.replace(QLatin1String("e-0"), QLatin1String("e-")).replace(QLatin1String("e+0"), QLatin1String("e"));
        return text.replace(QLatin1String("e+"), QLatin1String("e"));
    }
    return QString::number(value, 'g', digits);
}

}  // namespace cubist

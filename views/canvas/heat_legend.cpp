// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/heat_legend.h"

#include <QLinearGradient>
#include <QPainter>

#include "views/canvas/heat_color.h"
#include "views/theme.h"

namespace cubist {
namespace {

constexpr int kHeight = 28;
constexpr int kPadding = 12;
constexpr int kGap = 8;
constexpr int kBarWidth = 72;
constexpr int kBarHeight = 10;

int widthOf(FontRole role, const QString& text) {
    return text.isEmpty() ? 0 : QFontMetrics(Theme::font(role)).horizontalAdvance(text) + 2;
}

}  // namespace

HeatLegend::HeatLegend(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("heatLegend"));
    setFixedHeight(kHeight);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void HeatLegend::showScale(HeatMode mode, const HeatScale& scale) {
    m_mode = mode;
    m_scale = scale;
    setVisible(mode != HeatMode::Off && !scale.what.isEmpty());
    setAccessibleName(text());
    adjustSize();
    update();
}

QString HeatLegend::text() const {
    if (m_mode == HeatMode::Off) return {};
    return m_scale.to.isEmpty() ? m_scale.what : tr("%1: %2 to %3").arg(m_scale.what, m_scale.from, m_scale.to);
}

QSize HeatLegend::sizeHint() const {
    int width = 2 * kPadding + widthOf(FontRole::UiSmall, m_scale.what);
    if (!m_scale.to.isEmpty())
        width += kGap + widthOf(FontRole::MonoSmall, m_scale.from) + kGap + kBarWidth + kGap +
                 widthOf(FontRole::MonoSmall, m_scale.to);
    return {width, kHeight};
}

void HeatLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.color(Token::Border));
    painter.setBrush(m_theme.color(Token::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kHeight / 2.0 - 0.5, kHeight / 2.0 - 0.5);

    int x = kPadding;
    const auto write = [&](FontRole role, Token token, const QString& text) {
        painter.setFont(Theme::font(role));
        painter.setPen(m_theme.color(token));
        painter.drawText(QRect(x, 0, widthOf(role, text), kHeight), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += widthOf(role, text) + kGap;
    };
    write(FontRole::UiSmall, Token::Text, m_scale.what);
    if (m_scale.to.isEmpty()) return;
    write(FontRole::MonoSmall, Token::Muted, m_scale.from);
    const QRectF bar(x + 0.5, (kHeight - kBarHeight) / 2 + 0.5, kBarWidth - 1, kBarHeight - 1);
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    gradient.setColorAt(0.0, heatColor(m_theme, m_mode, 0.0));
    gradient.setColorAt(1.0, heatColor(m_theme, m_mode, 1.0));
    painter.setPen(m_theme.color(Token::Border));
    painter.setBrush(gradient);
    painter.drawRoundedRect(bar, 3.0, 3.0);
    x += kBarWidth + kGap;
    write(FontRole::MonoSmall, Token::Muted, m_scale.to);
}

}  // namespace cubist

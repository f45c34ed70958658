// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/zoom_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include <cmath>

#include "views/icons.h"
#include "views/theme.h"

namespace cubist {

namespace {

constexpr int kHeight = 28;

}  // namespace

ZoomBar::ZoomBar(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 0, 6, 0);
    layout->setSpacing(0);
    setFixedHeight(kHeight);
    setCursor(Qt::ArrowCursor);

    const auto button = [&](const QString& name, const QString& tip) {
        auto* made = new QToolButton(this);
        made->setObjectName(name);
        made->setAutoRaise(true);
        made->setFocusPolicy(Qt::NoFocus);  // the canvas has keys for all of them
        made->setIconSize(QSize(14, 14));
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        made->setProperty("flat", true);
        layout->addWidget(made);
        return made;
    };
    QToolButton* out = button(QStringLiteral("zoomOut"), tr("Zoom out (−)"));
    out->setIcon(themedIcon(theme, Icon::Remove, Token::Muted));
    m_percent = button(QStringLiteral("zoomReset"), tr("Zoom to 100 % (0)"));
    m_percent->setFont(Theme::font(FontRole::UiSmall));
    m_percent->setMinimumWidth(52);
    QToolButton* in = button(QStringLiteral("zoomIn"), tr("Zoom in (+)"));
    in->setIcon(themedIcon(theme, Icon::Add, Token::Muted));
    QToolButton* fit = button(QStringLiteral("zoomFit"), tr("Show everything (F)"));
    fit->setFont(Theme::font(FontRole::UiSmall));
    fit->setText(tr("Fit"));

    connect(out, &QToolButton::clicked, this, &ZoomBar::zoomOutRequested);
    connect(m_percent, &QToolButton::clicked, this, &ZoomBar::resetRequested);
    connect(in, &QToolButton::clicked, this, &ZoomBar::zoomInRequested);
    connect(fit, &QToolButton::clicked, this, &ZoomBar::fitRequested);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    setZoom(1.0);
}

void ZoomBar::setZoom(double zoom) {
    m_percent->setText(tr("%1 %").arg(std::lround(zoom * 100)));
}

void ZoomBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.color(Token::Border));
    painter.setBrush(m_theme.color(Token::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kHeight / 2.0 - 0.5, kHeight / 2.0 - 0.5);
}

}  // namespace cubist

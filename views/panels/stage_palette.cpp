// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/stage_palette.h"

#include <QApplication>
#include <QDrag>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "views/canvas/canvas_tools.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {

PaletteItem::PaletteItem(const Theme& theme, const CatalogEntry& entry, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_key(entry.key), m_kind(entry.kind) {
    setObjectName(QStringLiteral("palette_") + entry.key);
    setText(entry.title);
    setToolTip(tr("%1\nDrag it onto the canvas, or press to add it beside the selection").arg(entry.subtitle));
    setAccessibleName(entry.title);
    setAccessibleDescription(entry.subtitle);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::OpenHandCursor);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PaletteItem::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(1, 1, -1, -1);
    if (underMouse() || isDown()) drawBar(painter, frame, m_theme.color(Token::Grid), Theme::kRadiusSmall);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(Token::Accent), 1.0));
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), Theme::kRadiusSmall, Theme::kRadiusSmall);
    }
    const QRectF badge(11, (height() - 18) / 2.0, 18, 18);
    const QColor color = m_theme.color(badgeToken(m_kind));
    painter.setPen(QPen(color, 1.0));
    painter.setBrush(blend(m_theme.color(Token::Surface), color, 0.14));
    painter.drawRoundedRect(badge, 5.0, 5.0);
    painter.setFont(Theme::font(FontRole::UiStrong));
    painter.setPen(color);
    painter.drawText(badge, Qt::AlignCenter, badgeLetter(m_kind));
    const QRect line = rect().adjusted(42, 0, -8, 0);
    painter.setFont(Theme::font(FontRole::Ui));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, line.width()));
}

QPixmap PaletteItem::picture() const {
    QPixmap pixmap(QSize(132, 32) * devicePixelRatioF());
    pixmap.setDevicePixelRatio(devicePixelRatioF());
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    drawBar(painter, QRectF(1, 1, 130, 30), m_theme.color(Token::Surface), Theme::kRadiusSmall,
            m_theme.color(badgeToken(m_kind)));
    painter.setFont(Theme::font(FontRole::UiStrong));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(QRectF(10, 0, 114, 32), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, 114));
    return pixmap;
}

void PaletteItem::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->position().toPoint();
    QAbstractButton::mousePressEvent(event);
}

void PaletteItem::mouseMoveEvent(QMouseEvent* event) {
    const QPoint way = event->position().toPoint() - m_pressed;
    if (!event->buttons().testFlag(Qt::LeftButton) || way.manhattanLength() < QApplication::startDragDistance())
        return QAbstractButton::mouseMoveEvent(event);
    setDown(false);
    auto* mime = new QMimeData;
    mime->setData(QString::fromLatin1(CanvasTools::kMimeType), m_key.toUtf8());
    auto* drag = new QDrag(this);
    drag->setMimeData(mime);
    drag->setPixmap(picture());
    drag->setHotSpot(QPoint(16, 16));
    drag->exec(Qt::CopyAction);
}

StagePalette::StagePalette(const Theme& theme, QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* title = new SectionLabel(theme, tr("Stages"));
    title->setContentsMargins(8, 2, 0, 6);
    layout->addWidget(title);
    for (const CatalogEntry& entry : stageCatalog()) {
        if (!entry.inLibrary) continue;
        auto* item = new PaletteItem(theme, entry);
        layout->addWidget(item);
        m_items.push_back(item);
        connect(item, &QAbstractButton::clicked, this, [this, key = entry.key] { emit chosen(key); });
    }
}

PaletteItem* StagePalette::item(const QString& key) const {
    for (PaletteItem* item : m_items)
        if (item->key() == key) return item;
    return nullptr;
}

}  // namespace cubist

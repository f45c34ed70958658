// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/note_item.h"

#include <QFontMetricsF>
#include <QGraphicsSceneMouseEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

#include "views/canvas/canvas_scene.h"
#include "views/document_model.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr double kPadding = 12.0;
constexpr double kLeastHeight = 40.0;
constexpr double kNoteZ = -15.0;
constexpr int kTextFlags = Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop;

}  // namespace

NoteItem::NoteItem(CanvasScene& canvas, std::size_t index) : m_canvas(canvas), m_index(index) {
    setFlags(ItemIsSelectable);
    setAcceptedMouseButtons(Qt::LeftButton);
    setZValue(kNoteZ);
}

void NoteItem::setNote(const CanvasNote& note) {
    prepareGeometryChange();
    m_note = note;
    const double width = std::max(80.0, note.width);
    const QFontMetricsF metrics(Theme::font(FontRole::Ui));
    const QRectF text =
        metrics.boundingRect(QRectF(0, 0, width - 2 * kPadding, 1.0e4), kTextFlags, QString::fromStdString(note.text));
    m_size = QSizeF(width, std::max(kLeastHeight, text.height() + 2 * kPadding));
    setToolTip({});
    setPos(note.x, note.y);
    update();
}

QRectF NoteItem::boundingRect() const {
    return QRectF(QPointF(), m_size).adjusted(-2, -2, 2, 2);
}

void NoteItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    const Theme& theme = m_canvas.theme();
    const QRectF rect(QPointF(), m_size);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.color(isSelected() ? Token::Select : Token::Border), isSelected() ? 2.0 : 1.0));
    painter->setBrush(blend(theme.color(Token::Surface), theme.color(Token::Warn), 0.12));
    painter->drawRoundedRect(rect, 4.0, 4.0);
    painter->setFont(Theme::font(FontRole::Ui));
    const bool empty = m_note.text.empty();
    painter->setPen(theme.color(empty ? Token::Muted : Token::Text));
    painter->drawText(rect.adjusted(kPadding, kPadding, -kPadding, -kPadding), kTextFlags,
                      empty ? CanvasScene::tr("Double-click to write") : QString::fromStdString(m_note.text));
}

void NoteItem::mouseMoveEvent(QGraphicsSceneMouseEvent* event) {
    // Moved by itself: cards that are selected too stay where they are.
    const QPointF way = event->scenePos() - event->buttonDownScenePos(Qt::LeftButton);
    if (way.manhattanLength() < geometry::kSnap) return;
    setPos(m_canvas.snapped(QPointF(m_note.x, m_note.y) + way));
}

void NoteItem::mouseReleaseEvent(QGraphicsSceneMouseEvent* event) {
    QGraphicsItem::mouseReleaseEvent(event);
    if (pos() == QPointF(m_note.x, m_note.y)) return;
    Design edited = *m_canvas.document().design();
    if (m_index >= edited.canvasNotes.size()) return;
    edited.canvasNotes[m_index].x = pos().x();
    edited.canvasNotes[m_index].y = pos().y();
    m_canvas.document().apply([] { return CanvasScene::tr("Move note"); }, std::move(edited));
}

}  // namespace cubist

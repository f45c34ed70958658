// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>

#include "core/design/design.h"

namespace cubist {

class CanvasScene;

/// A text on the canvas, like a sheet of paper. Dragging moves it; a double click edits its text.
class NoteItem : public QGraphicsItem {
public:
    NoteItem(CanvasScene& canvas, std::size_t index);

    void setNote(const CanvasNote& note);
    [[nodiscard]] const CanvasNote& note() const { return m_note; }
    [[nodiscard]] std::size_t index() const { return m_index; }

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* viewport) override;

protected:
    void mouseMoveEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;

private:
    CanvasScene& m_canvas;
    std::size_t m_index;
    CanvasNote m_note;
    QSizeF m_size;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QPainterPath>

#include <optional>
#include <vector>

#include "views/theme.h"

namespace cubist {

/// What a gesture draws over the design: the wire being pulled, the stroke that cuts, where something would go.
class CanvasOverlay : public QGraphicsItem {
public:
    struct Mark {
        QPointF at;
        Token token = Token::Ok;
        bool filled = true;
    };
    struct Picture {
        QPainterPath line;
        Token lineToken = Token::Select;
        bool dashed = false;
        std::vector<Mark> marks;                ///< at ports
        std::vector<QPainterPath> highlighted;  ///< wires
        Token highlightToken = Token::Select;
        std::optional<QRectF> outline;  ///< around a card or frame
        Token outlineToken = Token::Select;
    };

    explicit CanvasOverlay(const Theme& theme);

    void show(Picture picture);
    void clear() { show({}); }
    [[nodiscard]] const Picture& picture() const { return m_picture; }

    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    [[nodiscard]] QPainterPath shape() const override { return {}; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* viewport) override;

private:
    const Theme& m_theme;
    Picture m_picture;
    QRectF m_bounds;
};

}  // namespace cubist

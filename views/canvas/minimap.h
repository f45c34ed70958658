// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QTransform>
#include <QWidget>

namespace cubist {

class CanvasScene;
class CanvasView;
class Theme;

/// The whole canvas in small, with the part in sight; pressing or dragging moves that part.
class Minimap : public QWidget {
    Q_OBJECT

public:
    Minimap(CanvasView& view, const CanvasScene& scene, const Theme& theme);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    /// From the scene to this widget.
    [[nodiscard]] QTransform sceneTransform() const;
    void centreAt(const QPointF& point);
    void forget();
    [[nodiscard]] QPixmap drawnContent(const QTransform& transform) const;

    CanvasView& m_view;
    const CanvasScene& m_scene;
    const Theme& m_theme;
    QPixmap m_content;  ///< frames and nodes, drawn anew when they change and not when the view moves
    QTransform m_contentTransform;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>

#include "views/canvas/canvas_content.h"

namespace cubist {

class CanvasEmptyState;
class CanvasScene;
class DocumentModel;
class Minimap;
class SelectionModel;
class Theme;
class ZoomBar;

/// The canvas: the scene with its navigation. Zoom: wheel, pinch, + - 0; pan: middle button, space and drag, two
/// fingers; F fits everything. Tab and arrows move the selection, Alt and arrows what is selected.
class CanvasView : public QGraphicsView {
    Q_OBJECT

public:
    static constexpr double kMinZoom = 0.05;
    static constexpr double kMaxZoom = 4.0;
    static constexpr double kZoomStep = 1.25;

    CanvasView(DocumentModel& document, SelectionModel& selection, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] CanvasScene& canvas() { return *m_canvas; }
    [[nodiscard]] double zoom() const { return transform().m11(); }
    /// The part of the scene in sight.
    [[nodiscard]] QRectF visibleScene() const;

    /// Predicted times for the stage cards; an empty table removes them.
    void setStageTimes(const StageTimes& times);

public slots:
    void zoomIn();
    void zoomOut();
    void resetZoom();
    /// Shows everything, at most at 100 %.
    void fitAll();
    void centreAt(const QPointF& scenePoint);
    /// Scrolls as far as is needed to have the element in sight.
    void reveal(const cubist::Element& element);

signals:
    void viewChanged();
    void openSampleRequested();
    void openFileRequested();
    void newDesignRequested();

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// Zooms so that the scene point under `at` (in the viewport) stays there.
    void zoomAt(const QPointF& at, double factor);
    void panBy(const QPointF& pixels);
    void placeOverlays();
    void moved();
    void documentReplaced();
    bool handleKey(const QKeyEvent& event);
    bool handleArrow(const QKeyEvent& event);

    DocumentModel& m_document;
    const Theme& m_theme;
    CanvasScene* m_canvas;
    ZoomBar* m_zoomBar;
    Minimap* m_minimap;
    CanvasEmptyState* m_emptyState;
    bool m_spaceHeld = false;
    bool m_panning = false;
    bool m_fitPending = true;  ///< a document was opened before the view had its size
    bool m_fitted = false;     ///< shows everything and keeps doing so until the user goes elsewhere
    QPointF m_panFrom;
};

}  // namespace cubist

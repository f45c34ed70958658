// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>

#include <functional>

#include <cstdint>
#include <optional>

#include "views/canvas/canvas_content.h"
#include "views/canvas/canvas_editor.h"

namespace cubist {

class CanvasTools;
class Chooser;
class HeatLegend;
class InPlaceEditor;

class CanvasEmptyState;
class CanvasStartHint;
class CanvasScene;
class DocumentModel;
class Minimap;
class SelectionModel;
class Theme;
class ZoomBar;

/// The canvas: the scene with its navigation and everything that edits the design on it. Zoom: wheel, pinch, + - 0;
/// pan: middle button, space and drag, two fingers; F fits everything. Tab or a double click adds, arrows move the
/// selection, Alt and arrows what is selected, Enter goes to the inspector; `canvasKeys` lists all keys.
class CanvasView : public QGraphicsView {
    Q_OBJECT

public:
    static constexpr double kMinZoom = 0.05;
    static constexpr double kMaxZoom = 4.0;
    static constexpr double kZoomStep = 1.25;

    CanvasView(DocumentModel& document, SelectionModel& selection, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] CanvasScene& canvas() { return *m_canvas; }
    [[nodiscard]] CanvasEditor& editor() { return *m_editor; }
    [[nodiscard]] Chooser& chooser() { return *m_chooser; }
    [[nodiscard]] InPlaceEditor& inPlace() { return *m_inPlace; }
    [[nodiscard]] double zoom() const { return transform().m11(); }
    /// The part of the scene in sight.
    [[nodiscard]] QRectF visibleScene() const;

    /// Predicted times for the stage cards; an empty table removes them.
    void setStageTimes(const StageTimes& times, const HeatScale& scale = {});
    /// What stages added to the error, for colouring by error.
    void setStageErrors(const StageHeats& errors, const HeatScale& scale = {});
    [[nodiscard]] const HeatLegend& heatLegend() const { return *m_heatLegend; }

    /// The window has commands for these actions and their keys: the canvas leaves such keys alone.
    void leaveKeysToCommands() { m_commandKeys = true; }
    /// Keys and gestures of the canvas that are no commands of the window, "Tab\tAdd after the selection", one line
    /// each.
    [[nodiscard]] static QString canvasKeys();

public slots:
    /// Offers what can be added: after what is selected and connected to it, else at the pointer.
    void quickAdd();
    void quickAddAt(const QPointF& viewportPoint);
    /// Adds an entry of the catalog as quick-add would.
    void addFromLibrary(const QString& key);
    void deleteSelection();
    void cut();
    void copy();
    void paste();
    void duplicate();
    void selectAll();
    /// Offers what the selected element can be connected to, in both directions.
    void connectSelected();
    /// Offers what can take the selected stage's place.
    void swapSelected();
    /// Name, type, shape, tile of the selected element beside its card.
    void editInPlace();
    void find();
    void wrapInLoop();
    void dissolveLoop();
    void align(cubist::Alignment alignment);
    void distribute(Qt::Orientation along);
    void tidy();
    void setHeat(cubist::HeatMode mode);
    void setSnapping(bool on);

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
    void heatChanged();
    void snappingChanged(bool on);
    void openSampleRequested();
    void openFileRequested();
    void newDesignRequested();
    void emptyDesignRequested();
    /// Enter: on to the inspector of what is selected.
    void inspectorRequested();
    /// The badge of a group list was pressed.
    void groupsRequested(const QString& list);

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
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
    /// Hands an event on, with Shift meaning "extend the selection".
    void withExtending(QMouseEvent& event, const std::function<void(QMouseEvent*)>& handle);
    void revealSelection();
    void revealNote(std::size_t note);
    void add(const QString& key, CanvasEditor::Target target);
    /// Zooms so that the scene point under `at` (in the viewport) stays there.
    void zoomAt(const QPointF& at, double factor);
    void panBy(const QPointF& pixels);
    void placeOverlays();
    void showHeatLegend();
    void moved();
    void contentChanged();
    /// Says what is selected to those who cannot see it.
    void describeSelection();
    bool handleKey(const QKeyEvent& event);
    bool handleArrow(const QKeyEvent& event);
    [[nodiscard]] bool takesKey(const QKeyEvent& event) const;
    bool handleEditKey(const QKeyEvent& event);
    void makeTools();
    void offer(const CanvasEditor::Target& target, const QPointF& at, const QString& prompt);
    void choose(const QString& key);
    /// Why a new element could not read a value; empty: it can.
    [[nodiscard]] QString refusal(const WireSource& source, const QString& key);
    void editNote(std::size_t note);
    [[nodiscard]] QPointF pointerOrCentre() const;
    [[nodiscard]] CanvasEditor::Target targetAfterSelection() const;
    [[nodiscard]] QPoint besideSelection() const;

    /// What the chooser was opened for.
    enum class Asking : std::uint8_t { Add, Connect, Swap, Find };

    DocumentModel& m_document;
    SelectionModel& m_selection;
    const Theme& m_theme;
    CanvasScene* m_canvas;
    ZoomBar* m_zoomBar;
    HeatLegend* m_heatLegend;
    Minimap* m_minimap;
    CanvasEmptyState* m_emptyState;
    CanvasStartHint* m_startHint;
    CanvasEditor* m_editor;
    CanvasTools* m_tools;
    Chooser* m_chooser;
    InPlaceEditor* m_inPlace;
    Asking m_asking = Asking::Add;
    CanvasEditor::Target m_addTarget;
    std::vector<std::pair<WireSource, WireTarget>> m_offered;  ///< of connectSelected, by number
    HeatScale m_timeScale;
    HeatScale m_errorScale;
    bool m_commandKeys = false;
    bool m_spaceHeld = false;
    bool m_panning = false;
    bool m_fitPending = true;  ///< a document was opened before the view had its size
    bool m_fitted = false;     ///< shows everything and keeps doing so until the user goes elsewhere
    QPointF m_panFrom;
};

}  // namespace cubist

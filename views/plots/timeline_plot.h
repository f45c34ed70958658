// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "views/plots/lane_painter.h"
#include "views/plots/plot_widget.h"

class QScrollBar;

namespace cubist {

class TimelineCanvas;

/// The swimlane: cores x pipes over time. Wheel zooms at the cursor, dragging pans, a double click shows everything,
/// Shift+wheel or the scroll bar moves over the cores. The keyboard does the same: + - arrows F.
class TimelinePlot : public PlotWidget {
    Q_OBJECT

public:
    explicit TimelinePlot(const Theme& theme, QWidget* parent = nullptr);
    ~TimelinePlot() override;

    /// Shows the time of a report, or nothing when it has none. The visible range is kept for a report of equal length.
    void setReport(std::shared_ptr<const RunReport> report);
    /// The chip of the report: hovering then tells how a duration comes about. With Ctrl also the constants' sources.
    void setChip(std::optional<ChipSpec> chip) { m_chip = std::move(chip); }
    /// Also shows cores that got no task.
    void setAllCores(bool all);
    [[nodiscard]] bool showsAllCores() const { return m_allCores; }
    void setSelectedStage(const std::string& id);

    void fit();
    /// Zooms by `factor` (above 1: in) and keeps the time under `anchor` (0..1 of the width) in place.
    void zoom(double factor, double anchor = 0.5);
    void pan(double partOfWidth);
    /// Shows a stretch of time, in microseconds.
    void showRange(double from, double to) { setRange(from, to); }
    /// Scrolls a lane into sight.
    void showLane(CoreRef core, Pipe pipe);

    /// Visible time in microseconds.
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    [[nodiscard]] const std::vector<LaneRow>& rows() const { return m_rows; }
    [[nodiscard]] const TimelineLanes& lanes() const { return m_lanes; }

    struct Hit {
        LaneRow row;
        LaneInterval stretch;
    };
    /// What lies at a point of the widget.
    [[nodiscard]] std::optional<Hit> hitAt(const QPointF& point) const;
    /// The text that hovering shows.
    [[nodiscard]] QString hoverText(const Hit& hit) const;
    /// Place of a lane's instant in the widget, for tests and for jumping there.
    [[nodiscard]] QPointF pointOf(std::size_t row, double microseconds) const;

    void paintOn(QPaintDevice& device) override;
    [[nodiscard]] TableData table() const override;
    [[nodiscard]] QString fileName() const override { return QStringLiteral("timeline"); }

    [[nodiscard]] QSize sizeHint() const override { return {700, 240}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {260, 76}; }

signals:
    void stageClicked(const std::string& id);

protected:
    void addMenuEntries(QMenu& menu) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuildRows();
    void setRange(double from, double to);
    void updateScroll();
    void refresh();
    void hover(const QPointF& point, const QPoint& global);
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] double timeAt(double x) const;
    [[nodiscard]] Ticks ticksAt(double microseconds) const;
    [[nodiscard]] LaneView view() const;

    std::unique_ptr<TimelineCanvas> m_canvas;
    QScrollBar* m_scroll;
    std::shared_ptr<const RunReport> m_report;
    std::optional<ChipSpec> m_chip;
    TimelineLanes m_lanes;
    std::vector<LaneRow> m_rows;
    std::string m_selectedStage;
    std::optional<Ticks> m_cursor;
    bool m_allCores = false;
    double m_kernelUs = 0.0;
    double m_from = 0.0;
    double m_to = 1.0;
    std::optional<QPointF> m_dragFrom;
    bool m_dragged = false;
};

}  // namespace cubist

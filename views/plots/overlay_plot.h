// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/exchange/trace_overlay.h"
#include "core/run/run.h"
#include "views/plots/plot_widget.h"

namespace cubist {

/// A measured swimlane over the emulated one: for each kind of core a band of the emulated tasks and under it one of
/// the measured ones, a row for each core, all on one time axis. Wheel zooms at the cursor, dragging pans, a double
/// click shows everything; + - arrows F do the same.
class OverlayPlot : public PlotWidget {
    Q_OBJECT

public:
    explicit OverlayPlot(const Theme& theme, QWidget* parent = nullptr);

    /// `report` has the program and the time that the overlay was made of; null: nothing.
    void setOverlay(std::shared_ptr<const RunReport> report, std::shared_ptr<const TraceOverlay> overlay);

    struct Bar {
        double start = 0, end = 0;  ///< microseconds
        std::optional<StageIndex> stage;
        QString name;
    };
    struct Row {
        QString core;
        std::vector<Bar> bars;
    };
    /// The rows of one kind of core from one source.
    struct Band {
        QString title;
        TaskKind kind = TaskKind::Aic;
        bool measured = false;
        std::vector<Row> rows;
    };
    [[nodiscard]] const std::vector<Band>& bands() const { return m_bands; }
    /// Visible time in microseconds.
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    void zoom(double factor, double anchor = 0.5);
    void pan(double partOfWidth);
    void fit();

    void paintOn(QPaintDevice& device) override;
    [[nodiscard]] TableData table() const override;
    [[nodiscard]] QString fileName() const override { return QStringLiteral("measured"); }
    [[nodiscard]] QSize sizeHint() const override { return {760, 320}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 160}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void addEmulated(TaskKind kind);
    void addMeasured(TaskKind kind);
    void setRange(double from, double to);
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] std::vector<QRectF> bandRects() const;
    [[nodiscard]] double xOf(double microseconds) const;
    [[nodiscard]] double timeAt(double x) const;
    [[nodiscard]] QString textAt(const QPointF& point) const;
    void paintBand(QPainter& painter, const Band& band, const QRectF& rect) const;
    void paintAxis(QPainter& painter) const;

    std::shared_ptr<const RunReport> m_report;
    std::shared_ptr<const TraceOverlay> m_overlay;
    std::vector<Band> m_bands;
    double m_length = 1.0;
    double m_from = 0.0;
    double m_to = 1.0;
    QPointF m_dragFrom;
};

}  // namespace cubist

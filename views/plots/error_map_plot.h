// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QRectF>

#include <memory>
#include <optional>

#include "core/accuracy/compare.h"
#include "views/plots/plot_widget.h"

namespace cubist {

/// |error| of one output as a matrix of cells on the tile grid: a logarithmic colour scale, cells with elements beyond
/// the tolerance in warm colours, tile borders as lines. The largest error under each pixel is what is drawn, so a
/// single bad element stays visible at every size.
class ErrorMapPlot : public PlotWidget {
    Q_OBJECT

public:
    explicit ErrorMapPlot(const Theme& theme, QWidget* parent = nullptr);

    /// `metrics` may be null: nothing is shown.
    void setMetrics(std::shared_ptr<const OutputMetrics> metrics);

    struct CellAt {
        std::int64_t row = 0, column = 0;        ///< of the grid
        std::int64_t firstRow = 0, lastRow = 0;  ///< elements, inclusive
        std::int64_t firstColumn = 0, lastColumn = 0;
        double maxAbs = 0;
        std::int64_t outside = 0;
    };
    [[nodiscard]] std::optional<CellAt> cellAt(const QPointF& point) const;
    [[nodiscard]] QString hoverText(const CellAt& cell) const;
    /// Where the matrix is drawn.
    [[nodiscard]] QRectF mapRect(const QSize& size) const;

    void paintOn(QPaintDevice& device) override;
    [[nodiscard]] TableData table() const override;
    [[nodiscard]] QString fileName() const override { return QStringLiteral("error_map"); }

    [[nodiscard]] QSize sizeHint() const override { return {420, 240}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 140}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void paint(QPainter& painter, const QSize& size, bool withHover);
    void paintMap(QPainter& painter, const QRectF& map);
    void paintAxes(QPainter& painter, const QRectF& map) const;
    void paintLegend(QPainter& painter, const QRectF& map) const;
    /// Place of an error on the colour scale, 0..1.
    [[nodiscard]] double scalePosition(double error) const;
    [[nodiscard]] QColor insideColor(double position) const;
    [[nodiscard]] QColor outsideColor(double position) const;

    std::shared_ptr<const OutputMetrics> m_metrics;
    double m_low = 0.0;  ///< smallest and largest error on the scale
    double m_high = 0.0;
    QImage m_cache;  ///< the cells at the size of the last drawing
    std::optional<CellAt> m_hover;
};

}  // namespace cubist

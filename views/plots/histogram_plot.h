// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSharedPointer>

#include <memory>

#include "core/accuracy/compare.h"
#include "views/plots/plot_widget.h"

class QCPAxisTickerFixed;
class QCPBars;
class QLabel;

namespace cubist {

/// How many elements have an error of which size: bars over log2 |error|, exact elements apart.
class HistogramPlot : public PlotWidget {
    Q_OBJECT

public:
    explicit HistogramPlot(const Theme& theme, QWidget* parent = nullptr);
    ~HistogramPlot() override;

    /// `metrics` may be null: nothing is shown.
    void setMetrics(std::shared_ptr<const OutputMetrics> metrics);

    void paintOn(QPaintDevice& device) override;
    [[nodiscard]] TableData table() const override;
    [[nodiscard]] QString fileName() const override { return QStringLiteral("error_histogram"); }

    [[nodiscard]] QSize sizeHint() const override { return {280, 200}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {180, 120}; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyTheme();

    QCustomPlot* m_plot;
    QLabel* m_exact;  ///< in place of the plot when there is no error
    QCPBars* m_bars;
    QSharedPointer<QCPAxisTickerFixed> m_exponents;
    std::shared_ptr<const OutputMetrics> m_metrics;
};

}  // namespace cubist

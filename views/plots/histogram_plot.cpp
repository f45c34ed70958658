// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/histogram_plot.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QMouseEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kFirstExponent = -64;  // of bin 0, see OutputMetrics::histogram

}  // namespace

HistogramPlot::HistogramPlot(const Theme& theme, QWidget* parent)
    : PlotWidget(theme, parent),
      m_plot(new QCustomPlot(this)),
      m_exact(new QLabel(this)),
      m_bars(new QCPBars(m_plot->xAxis, m_plot->yAxis)),
      m_exponents(QSharedPointer<QCPAxisTickerFixed>::create()) {
    m_plot->installEventFilter(this);
    m_plot->setMouseTracking(true);
    m_plot->setContextMenuPolicy(Qt::NoContextMenu);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->xAxis->setLabel(tr("log2 |error|"));
    m_plot->xAxis->setLabelPadding(2);
    m_plot->xAxis->grid()->setVisible(false);
    m_plot->yAxis->setNumberFormat(QStringLiteral("gb"));
    m_plot->yAxis->ticker()->setTickCount(4);
    m_plot->xAxis->setTicker(m_exponents);
    m_plot->xAxis->setTickLength(0, 4);
    m_plot->yAxis->setTickLength(0, 4);
    m_plot->axisRect()->setMinimumMargins(QMargins(44, 8, 12, 4));
    m_bars->setWidth(0.82);
    setAccessibleName(tr("Error histogram"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    layout->addWidget(m_exact);
    m_exact->setProperty("role", QStringLiteral("muted"));
    m_exact->setAlignment(Qt::AlignCenter);
    m_exact->setWordWrap(true);
    m_exact->hide();
    connect(&theme, &Theme::changed, this, &HistogramPlot::applyTheme);
    applyTheme();
}

HistogramPlot::~HistogramPlot() = default;

void HistogramPlot::applyTheme() {
    applyPlotStyle(*m_plot, theme());
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(theme().color(Token::Cube));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void HistogramPlot::setMetrics(std::shared_ptr<const OutputMetrics> metrics) {
    m_metrics = std::move(metrics);
    QVector<double> keys;
    QVector<double> values;
    double largest = 0.0;
    if (m_metrics) {
        const std::vector<std::int64_t>& bins = m_metrics->histogram;
        for (std::size_t i = 0; i < bins.size(); ++i) {
            if (bins[i] == 0) continue;
            keys << kFirstExponent + static_cast<double>(i) + 0.5;
            values << static_cast<double>(bins[i]);
            largest = std::max(largest, values.back());
        }
    }
    m_bars->setData(keys, values, true);
    const bool allExact = m_metrics && keys.isEmpty() && m_metrics->exact > 0;
    if (allExact)
        m_exact->setText(tr("All %1 elements are exact: there is no error to show.").arg(grouped(m_metrics->exact)));
    m_exact->setVisible(allExact);
    m_plot->setVisible(!allExact);
    const double low = keys.isEmpty() ? -24.0 : keys.front() - 2.5;
    const double high = keys.isEmpty() ? 0.0 : keys.back() + 2.5;
    const double end = std::max(high, low + 8.0);
    m_plot->xAxis->setRange(low, end);
    m_exponents->setTickStep(std::max(1.0, std::round((end - low) / 6.0)));
    m_plot->yAxis->setRange(0.0, largest > 0.0 ? largest * 1.08 : 1.0);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

bool HistogramPlot::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_plot && event->type() == QEvent::MouseMove && m_metrics) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const auto bin =
            static_cast<std::int64_t>(std::floor(m_plot->xAxis->pixelToCoord(mouse->position().x()))) - kFirstExponent;
        if (bin >= 0 && bin < static_cast<std::int64_t>(m_metrics->histogram.size()) &&
            m_metrics->histogram[static_cast<std::size_t>(bin)] > 0)
            QToolTip::showText(mouse->globalPosition().toPoint(),
                               tr("2^%1 to 2^%2 (%3 to %4): %5 elements")
                                   .arg(bin + kFirstExponent)
                                   .arg(bin + kFirstExponent + 1)
                                   .arg(shortNumber(std::exp2(static_cast<double>(bin + kFirstExponent))),
                                        shortNumber(std::exp2(static_cast<double>(bin + kFirstExponent + 1))),
                                        grouped(m_metrics->histogram[static_cast<std::size_t>(bin)])),
                               m_plot);
        else
            QToolTip::hideText();
    }
    return PlotWidget::eventFilter(watched, event);
}

void HistogramPlot::paintOn(QPaintDevice& device) {
    paintPlotOn(*m_plot, device);
}

TableData HistogramPlot::table() const {
    TableData result;
    result.title = tr("Error histogram");
    result.headers = {tr("From (log2)"), tr("To (log2)"), tr("Elements")};
    if (!m_metrics) return result;
    const auto number = [](std::int64_t value) {
        return Cell{
            QString::number(value), true, Token::Text, false, QVariant::fromValue(static_cast<qlonglong>(value)), {}};
    };
    if (m_metrics->exact > 0)
        result.rows.push_back({Cell{tr("exact"), true}, Cell{tr("exact"), true}, number(m_metrics->exact)});
    for (std::size_t i = 0; i < m_metrics->histogram.size(); ++i)
        if (m_metrics->histogram[i] > 0) {
            const std::int64_t exponent = kFirstExponent + static_cast<std::int64_t>(i);
            result.rows.push_back({number(exponent), number(exponent + 1), number(m_metrics->histogram[i])});
        }
    return result;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/overlay_plot.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/exchange/trace_source.h"
#include "views/qt_text.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr double kLeft = 112.0;  // titles of the bands
constexpr double kRight = 12.0;
constexpr double kTop = 8.0;
constexpr double kAxis = 26.0;
constexpr double kGap = 8.0;
constexpr double kLeastRange = 0.01;  // us

/// 1, 2 or 5 times a power of ten, so that about `count` steps fill the range.
double niceStep(double range, double count) {
    const double raw = range / count;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= raw) return power * factor;
    return power * 10.0;
}

}  // namespace

OverlayPlot::OverlayPlot(const Theme& theme, QWidget* parent) : PlotWidget(theme, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Measured and emulated swimlane"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void OverlayPlot::setOverlay(std::shared_ptr<const RunReport> report, std::shared_ptr<const TraceOverlay> overlay) {
    m_report = std::move(report);
    m_overlay = std::move(overlay);
    m_bands.clear();
    m_length = 1.0;
    if (m_report && m_overlay) {
        for (const TaskKind kind : {TaskKind::Aic, TaskKind::Aiv}) {
            addEmulated(kind);
            addMeasured(kind);
        }
        std::erase_if(m_bands, [](const Band& band) { return band.rows.empty(); });
        m_length = std::max({m_overlay->emulatedTotal.spanUs, m_overlay->measuredTotal.spanUs, kLeastRange});
    }
    fit();
}

void OverlayPlot::addEmulated(TaskKind kind) {
    Band band{tr("%1 emulated").arg(qText(kindName(kind))), kind, false, {}};
    const TraceSource source(*m_report->program, *m_report->trace);
    double first = source.microseconds(source.kernel());
    for (const TraceTask& task : source.tasks()) first = std::min(first, source.microseconds(task.start));
    for (std::size_t place = 0; place < source.cores().size(); ++place) {
        const CoreRef core = source.coreAt(place);
        if (core.kind != kind || source.cores()[place].empty()) continue;
        Row row{QStringLiteral("%1 %2").arg(qText(kindName(kind))).arg(core.index), {}};
        for (const TaskIndex index : source.cores()[place]) {
            const TraceTask& task = source.tasks()[index.value];
            row.bars.push_back({source.microseconds(task.start) - first, source.microseconds(task.end) - first,
                                task.stage, QString::fromStdString(source.label(task))});
        }
        band.rows.push_back(std::move(row));
    }
    m_bands.push_back(std::move(band));
}

void OverlayPlot::addMeasured(TaskKind kind) {
    Band band{tr("%1 measured").arg(qText(kindName(kind))), kind, true, {}};
    std::map<std::string, std::size_t> rows;
    const std::vector<MeasuredTask>& tasks = m_overlay->measured.tasks;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const MeasuredTask& task = tasks[i];
        if (task.kind != kind) continue;
        const auto [row, isNew] = rows.emplace(task.core, band.rows.size());
        if (isNew) band.rows.push_back({QString::fromStdString(task.core), {}});
        band.rows[row->second].bars.push_back({task.startUs, task.endUs, m_overlay->stageOf[i],
                                               QString::fromStdString(task.label.empty() ? task.name : task.label)});
    }
    m_bands.push_back(std::move(band));
}

void OverlayPlot::setRange(double from, double to) {
    const double range = std::clamp(to - from, kLeastRange, m_length);
    m_from = std::clamp(from, 0.0, m_length - range);
    m_to = m_from + range;
    update();
}

void OverlayPlot::fit() {
    m_from = 0.0;
    m_to = m_length;
    update();
}

void OverlayPlot::zoom(double factor, double anchor) {
    const double range = (m_to - m_from) / factor;
    const double fixed = m_from + (m_to - m_from) * anchor;
    setRange(fixed - range * anchor, fixed + range * (1.0 - anchor));
}

void OverlayPlot::pan(double partOfWidth) {
    const double distance = (m_to - m_from) * partOfWidth;
    setRange(m_from + distance, m_to + distance);
}

QRectF OverlayPlot::area() const {
    return {kLeft, kTop, std::max(1.0, width() - kLeft - kRight), std::max(1.0, height() - kTop - kAxis)};
}

double OverlayPlot::xOf(double microseconds) const {
    const QRectF whole = area();
    return whole.left() + (microseconds - m_from) / (m_to - m_from) * whole.width();
}

double OverlayPlot::timeAt(double x) const {
    const QRectF whole = area();
    return m_from + (x - whole.left()) / whole.width() * (m_to - m_from);
}

std::vector<QRectF> OverlayPlot::bandRects() const {
    std::size_t rows = 0;
    for (const Band& band : m_bands) rows += band.rows.size();
    const QRectF whole = area();
    const double room = whole.height() - kGap * static_cast<double>(m_bands.size());
    std::vector<QRectF> rects;
    double top = whole.top();
    for (const Band& band : m_bands) {
        // No row is higher than a bar should be, however few cores there are.
        const double share =
            static_cast<double>(band.rows.size()) / static_cast<double>(std::max<std::size_t>(1, rows));
        const double height = std::min(room * share, 18.0 * static_cast<double>(band.rows.size()));
        rects.emplace_back(whole.left(), top, whole.width(), height);
        top += height + kGap;
    }
    return rects;
}

void OverlayPlot::paintEvent(QPaintEvent*) {
    paintOn(*this);
}

void OverlayPlot::paintOn(QPaintDevice& device) {
    QPainter painter(&device);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().color(Token::Surface));
    paintAxis(painter);
    const std::vector<QRectF> rects = bandRects();
    for (std::size_t i = 0; i < m_bands.size(); ++i) paintBand(painter, m_bands[i], rects[i]);
}

void OverlayPlot::paintBand(QPainter& painter, const Band& band, const QRectF& rect) const {
    painter.setPen(theme().color(band.measured ? Token::Muted : Token::Text));
    painter.setFont(Theme::font(FontRole::UiSmall));
    painter.drawText(QRectF(8, rect.top(), kLeft - 16, std::max(16.0, rect.height())),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, band.title);
    const QColor strong = theme().color(band.kind == TaskKind::Aic ? Token::Cube : Token::Vector);
    const double height = rect.height() / static_cast<double>(band.rows.size());
    const double inset = height > 4.0 ? 1.0 : 0.0;
    painter.save();
    painter.setClipRect(rect);
    for (std::size_t i = 0; i < band.rows.size(); ++i) {
        const double top = rect.top() + height * static_cast<double>(i);
        for (const Bar& bar : band.rows[i].bars) {
            if (bar.end < m_from || bar.start > m_to) continue;
            const double left = xOf(bar.start);
            const QRectF box(left, top + inset / 2, std::max(1.0, xOf(bar.end) - left - 0.5), height - inset);
            // Stages that follow each other differ in strength; tasks of no stage are grey.
            const bool even = bar.stage && bar.stage->value % 2 == 0;
            const QColor fill = !bar.stage ? theme().color(Token::Muted)
                                : even     ? strong
                                           : blend(theme().color(Token::Surface), strong, 0.6);
            painter.fillRect(box, fill);
            // Texture besides colour: measured bars are striped.
            if (band.measured) painter.fillRect(box, QBrush(theme().color(Token::Surface), Qt::BDiagPattern));
        }
    }
    painter.restore();
}

void OverlayPlot::paintAxis(QPainter& painter) const {
    if (m_bands.empty()) return;
    const QRectF whole = area();
    painter.setFont(Theme::font(FontRole::MonoSmall));
    const double step = niceStep(m_to - m_from, std::max(2.0, whole.width() / 110.0));
    for (double time = std::ceil(m_from / step) * step; time <= m_to; time += step) {
        const double x = xOf(time);
        painter.setPen(theme().color(Token::Grid));
        painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()));
        painter.setPen(theme().color(Token::Muted));
        painter.drawText(QRectF(x - 60, whole.bottom() + 4, 120, kAxis - 6), Qt::AlignHCenter | Qt::AlignTop,
                         QStringLiteral("%1 us").arg(shortNumber(time)));
    }
}

QString OverlayPlot::textAt(const QPointF& point) const {
    const std::vector<QRectF> rects = bandRects();
    for (std::size_t i = 0; i < m_bands.size(); ++i) {
        if (!rects[i].contains(point)) continue;
        const double height = rects[i].height() / static_cast<double>(m_bands[i].rows.size());
        const auto place = static_cast<std::size_t>((point.y() - rects[i].top()) / height);
        const Row& row = m_bands[i].rows[std::min(place, m_bands[i].rows.size() - 1)];
        const double time = timeAt(point.x());
        for (const Bar& bar : row.bars)
            if (time >= bar.start && time <= bar.end)
                return tr("%1 on %2\n%3 to %4, %5")
                    .arg(bar.name, row.core, microsecondsText(bar.start), microsecondsText(bar.end),
                         microsecondsText(bar.end - bar.start));
        return row.core;
    }
    return {};
}

TableData OverlayPlot::table() const {
    TableData twin;
    twin.title = tr("Measured and emulated tasks");
    twin.headers = {tr("Source"), tr("Core"), tr("Task"), tr("Start, us"), tr("End, us")};
    for (const Band& band : m_bands)
        for (const Row& row : band.rows)
            for (const Bar& bar : row.bars) {
                const auto number = [](double value) {
                    return Cell{shortNumber(value), true, Token::Text, false, QVariant(value)};
                };
                twin.rows.push_back({Cell{band.measured ? tr("measured") : tr("emulated")}, Cell{row.core},
                                     Cell{bar.name}, number(bar.start), number(bar.end)});
            }
    return twin;
}

bool OverlayPlot::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return PlotWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), textAt(help->pos()), this);
    return true;
}

void OverlayPlot::wheelEvent(QWheelEvent* event) {
    const QRectF whole = area();
    const double anchor = std::clamp((event->position().x() - whole.left()) / whole.width(), 0.0, 1.0);
    zoom(std::pow(1.25, event->angleDelta().y() / 120.0), anchor);
    event->accept();
}

void OverlayPlot::mousePressEvent(QMouseEvent* event) {
    m_dragFrom = event->position();
}

void OverlayPlot::mouseMoveEvent(QMouseEvent* event) {
    if (!event->buttons().testFlag(Qt::LeftButton)) return;
    pan((m_dragFrom.x() - event->position().x()) / area().width());
    m_dragFrom = event->position();
}

void OverlayPlot::mouseDoubleClickEvent(QMouseEvent*) {
    fit();
}

void OverlayPlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoom(1.5); return;
        case Qt::Key_Minus: zoom(1.0 / 1.5); return;
        case Qt::Key_Left: pan(-0.1); return;
        case Qt::Key_Right: pan(0.1); return;
        case Qt::Key_F: fit(); return;
        default: PlotWidget::keyPressEvent(event);
    }
}

}  // namespace cubist

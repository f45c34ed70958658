// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/timeline_plot.h"

#include <qcustomplot.h>

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/timing/derivation.h"
#include "core/timing/listeners/describe.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kLabelWidth = 104;
constexpr int kAxisHeight = 24;
constexpr double kRowHeight = 24.0;
constexpr double kLeastSpanUs = 0.002;
constexpr std::size_t kMaxTableRows = 100'000;

/// "5 us": the unit stands at every tick.
class MicrosecondTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
        return QCPAxisTicker::getTickLabel(tick, locale, format, precision) + QStringLiteral(" us");
    }
};

/// All lanes as one plottable: items per bar would be far too many.
class LanesPlottable : public QCPAbstractPlottable {
public:
    using Paint = std::function<void(QPainter&)>;

    LanesPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, Paint paint)
        : QCPAbstractPlottable(keyAxis, valueAxis), m_paint(std::move(paint)) {}

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1.0; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
        found = false;
        return {};
    }

protected:
    /// The names of the lanes stand left of the axes.
    QRect clipRect() const override { return keyAxis()->axisRect()->outerRect(); }
    void draw(QCPPainter* painter) override { m_paint(*painter); }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    Paint m_paint;
};

}  // namespace

class TimelineCanvas : public QCustomPlot {
public:
    using QCustomPlot::QCustomPlot;
};

TimelinePlot::TimelinePlot(const Theme& theme, QWidget* parent)
    : PlotWidget(theme, parent),
      m_canvas(std::make_unique<TimelineCanvas>(this)),
      m_scroll(new QScrollBar(Qt::Vertical)) {
    m_canvas->installEventFilter(this);
    m_canvas->setMouseTracking(true);
    m_canvas->setFocusPolicy(Qt::NoFocus);
    m_canvas->setContextMenuPolicy(Qt::NoContextMenu);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Swimlane of cores and pipes"));

    QCPAxisRect* rect = m_canvas->axisRect();
    rect->setAutoMargins(QCP::msNone);
    rect->setMargins(QMargins(kLabelWidth, 2, 10, kAxisHeight));
    m_canvas->yAxis->setVisible(false);
    m_canvas->yAxis->grid()->setVisible(false);
    m_canvas->xAxis->setTicker(QSharedPointer<MicrosecondTicker>::create());
    m_canvas->xAxis->setTickLength(0, 4);
    m_canvas->xAxis->setNumberFormat(QStringLiteral("g"));
    m_canvas->xAxis->setNumberPrecision(6);
    m_canvas->xAxis->ticker()->setTickCount(8);
    // The plottable belongs to the plot.
    new LanesPlottable(m_canvas->xAxis, m_canvas->yAxis, [this](QPainter& painter) {
        const LaneView shown = view();
        paintLanes(painter, shown, m_lanes, m_rows, this->theme());
        paintLaneLabels(painter, shown, m_rows, this->theme());
    });

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_canvas.get(), 1);
    layout->addWidget(m_scroll);
    connect(m_scroll, &QScrollBar::valueChanged, this, &TimelinePlot::refresh);
    connect(&theme, &Theme::changed, this, [this] {
        applyPlotStyle(*m_canvas, this->theme());
        refresh();
    });
    applyPlotStyle(*m_canvas, theme);
}

TimelinePlot::~TimelinePlot() = default;

void TimelinePlot::setReport(std::shared_ptr<const RunReport> report) {
    m_report = std::move(report);
    m_cursor.reset();
    const double before = m_kernelUs;
    if (m_report && m_report->trace && m_report->program) {
        m_lanes = TimelineLanes(m_report->program, *m_report->trace);
        m_kernelUs = m_report->trace->microseconds(m_lanes.kernel());
    } else {
        m_lanes = TimelineLanes();
        m_kernelUs = 0.0;
    }
    rebuildRows();
    if (m_kernelUs != before)
        fit();
    else
        refresh();
}

void TimelinePlot::setAllCores(bool all) {
    if (all == m_allCores) return;
    m_allCores = all;
    rebuildRows();
    refresh();
}

void TimelinePlot::setSelectedStage(const std::string& id) {
    if (id == m_selectedStage) return;
    m_selectedStage = id;
    refresh();
}

void TimelinePlot::rebuildRows() {
    m_rows = laneRows(m_allCores ? m_lanes.cores() : m_lanes.usedCores());
    updateScroll();
}

void TimelinePlot::fit() {
    setRange(0.0, std::max(m_kernelUs, kLeastSpanUs));
}

void TimelinePlot::zoom(double factor, double anchor) {
    const double span = m_to - m_from;
    const double next = std::clamp(span / factor, kLeastSpanUs, std::max(m_kernelUs, kLeastSpanUs));
    const double fixed = m_from + anchor * span;
    setRange(fixed - anchor * next, fixed + (1.0 - anchor) * next);
}

void TimelinePlot::pan(double partOfWidth) {
    const double shift = (m_to - m_from) * partOfWidth;
    setRange(m_from + shift, m_to + shift);
}

void TimelinePlot::showLane(CoreRef core, Pipe pipe) {
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [&](const LaneRow& row) { return row.core == core && row.pipe == pipe; });
    if (found == m_rows.end()) return;
    const double top = static_cast<double>(found - m_rows.begin()) * kRowHeight;
    if (top < m_scroll->value() || top + kRowHeight > m_scroll->value() + area().height())
        m_scroll->setValue(static_cast<int>(top - kRowHeight));
}

void TimelinePlot::setRange(double from, double to) {
    const double span = std::min(to - from, std::max(m_kernelUs, kLeastSpanUs));
    m_from = std::clamp(from, 0.0, std::max(0.0, m_kernelUs - span));
    m_to = m_from + span;
    refresh();
}

void TimelinePlot::refresh() {
    m_canvas->xAxis->setRange(m_from, m_to);
    m_canvas->replot(QCustomPlot::rpQueuedReplot);
}

QRectF TimelinePlot::area() const {
    // From the widget, not from the axis rect: that one is laid out only when the plot is drawn.
    const QSize size = m_canvas->viewport().size();
    return QRectF(kLabelWidth, 2, std::max(1, size.width() - kLabelWidth - 10),
                  std::max(1, size.height() - 2 - kAxisHeight));
}

void TimelinePlot::updateScroll() {
    const double content = static_cast<double>(m_rows.size()) * kRowHeight;
    const int hidden = static_cast<int>(std::ceil(std::max(0.0, content - area().height())));
    m_scroll->setRange(0, hidden);
    m_scroll->setPageStep(std::max(1, static_cast<int>(area().height())));
    m_scroll->setSingleStep(static_cast<int>(kRowHeight));
    m_scroll->setVisible(hidden > 0);
}

LaneView TimelinePlot::view() const {
    LaneView shown;
    shown.area = area();
    shown.labelWidth = kLabelWidth;
    shown.from = ticksAt(m_from);
    shown.to = ticksAt(m_to);
    shown.scroll = m_scroll->value();
    shown.rowHeight = kRowHeight;
    // Only stages of the program make others pale.
    if (const Program* program = m_lanes.program().get())
        for (const ProgramStage& stage : program->stages)
            if (stage.id.text == m_selectedStage && program->stages.size() > 1) shown.selectedStage = m_selectedStage;
    shown.cursor = m_cursor;
    return shown;
}

double TimelinePlot::timeAt(double x) const {
    const QRectF bars = area();
    return m_from + (x - bars.left()) / bars.width() * (m_to - m_from);
}

Ticks TimelinePlot::ticksAt(double microseconds) const {
    if (!m_report || !m_report->trace) return Ticks{0};
    const double ticks = microseconds * m_report->trace->cyclesPerMicrosecond * static_cast<double>(kTicksPerCycle);
    return Ticks{static_cast<std::int64_t>(std::llround(ticks))};
}

std::optional<TimelinePlot::Hit> TimelinePlot::hitAt(const QPointF& point) const {
    const QPointF local = point - QPointF(m_canvas->pos());
    const QRectF bars = area();
    if (!bars.contains(local)) return std::nullopt;
    const auto row = static_cast<std::size_t>((local.y() - bars.top() + m_scroll->value()) / kRowHeight);
    if (row >= m_rows.size()) return std::nullopt;
    const std::optional<LaneInterval> stretch =
        m_lanes.at(m_rows[row].core, m_rows[row].pipe, ticksAt(timeAt(local.x())));
    if (!stretch) return std::nullopt;
    return Hit{m_rows[row], *stretch};
}

QPointF TimelinePlot::pointOf(std::size_t row, double microseconds) const {
    const QRectF bars = area();
    const double x = bars.left() + (microseconds - m_from) / (m_to - m_from) * bars.width();
    const double y = bars.top() + (static_cast<double>(row) + 0.5) * kRowHeight - m_scroll->value();
    return QPointF(x, y) + QPointF(m_canvas->pos());
}

QString TimelinePlot::hoverText(const Hit& hit) const {
    const Trace& trace = *m_report->trace;
    const double start = trace.microseconds(hit.stretch.start);
    const double end = trace.microseconds(hit.stretch.end);
    QString text = QStringLiteral("%1 %2").arg(coreText(hit.row.core), pipeText(hit.row.pipe));
    if (hit.stretch.task) {
        const Program& program = *m_lanes.program();
        const Task& task = program.tasks[hit.stretch.task->value];
        const TaskMember& member = program.membersOf(task).front();
        text += tr(", %1, task %2, block %3,%4", "stage, number, block coordinates")
                    .arg(QString::fromStdString(program.stages[member.stage.value].id.text))
                    .arg(hit.stretch.task->value)
                    .arg(member.blockM)
                    .arg(member.blockN);
        if (task.memberCount > 1) text += tr(", %1 blocks merged").arg(task.memberCount);
    }
    text += QLatin1Char('\n') + QString::fromStdString(describe(*m_lanes.program(), hit.stretch));
    text += QLatin1Char('\n') + tr("%1 to %2 us, %3 us", "start, end, duration")
                                    .arg(QString::number(start, 'f', 3), QString::number(end, 'f', 3),
                                         QString::number(end - start, 'f', 3));
    if (!m_chip || !hit.stretch.task || hit.stretch.cause != Cause::Busy) return text;
    std::vector<DerivationStep> steps =
        deriveInstruction(*m_lanes.program(), trace, *m_chip, *hit.stretch.task, hit.stretch.instruction);
    if ((QGuiApplication::keyboardModifiers() & Qt::ControlModifier) == 0)
        for (DerivationStep& step : steps) step.constants.clear();
    text += QLatin1Char('\n') + QString::fromStdString(derivationText(steps));
    return text;
}

void TimelinePlot::hover(const QPointF& point, const QPoint& global) {
    const std::optional<Hit> hit = hitAt(point);
    const std::optional<Ticks> cursor =
        hit && isHatched(hit->stretch.cause) ? std::optional(ticksAt(timeAt(point.x() - m_canvas->x()))) : std::nullopt;
    if (cursor != m_cursor) {
        m_cursor = cursor;
        refresh();
    }
    if (hit)
        QToolTip::showText(global, hoverText(*hit), m_canvas.get());
    else
        QToolTip::hideText();
}

bool TimelinePlot::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_canvas.get()) return PlotWidget::eventFilter(watched, event);
    const auto inWidget = [&](const QMouseEvent& mouse) { return mouse.position() + QPointF(m_canvas->pos()); };
    switch (static_cast<int>(event->type())) {
        case QEvent::Wheel: {
            auto* wheel = static_cast<QWheelEvent*>(event);
            const double steps = (wheel->angleDelta().y() + wheel->angleDelta().x()) / 120.0;
            if (wheel->modifiers() & Qt::ShiftModifier)
                m_scroll->setValue(m_scroll->value() - static_cast<int>(steps * kRowHeight * 2.0));
            else
                zoom(std::pow(1.25, steps),
                     std::clamp((wheel->position().x() - area().left()) / area().width(), 0.0, 1.0));
            wheel->accept();
            return true;
        }
        case QEvent::MouseButtonPress: {
            auto* mouse = static_cast<QMouseEvent*>(event);
            if (mouse->button() != Qt::LeftButton) return false;
            setFocus(Qt::MouseFocusReason);
            m_dragFrom = mouse->position();
            m_dragged = false;
            return true;
        }
        case QEvent::MouseMove: {
            auto* mouse = static_cast<QMouseEvent*>(event);
            if (!m_dragFrom) {
                hover(inWidget(*mouse), mouse->globalPosition().toPoint());
                return true;
            }
            const QPointF moved = mouse->position() - *m_dragFrom;
            if (!m_dragged && moved.manhattanLength() < 4.0) return true;
            m_dragged = true;
            m_canvas->setCursor(Qt::ClosedHandCursor);
            pan(-moved.x() / area().width());
            m_scroll->setValue(m_scroll->value() - static_cast<int>(moved.y()));
            m_dragFrom = mouse->position();
            return true;
        }
        case QEvent::MouseButtonRelease: {
            auto* mouse = static_cast<QMouseEvent*>(event);
            const bool click = m_dragFrom && !m_dragged;
            m_dragFrom.reset();
            m_canvas->unsetCursor();
            if (!click || mouse->button() != Qt::LeftButton) return true;
            if (const std::optional<Hit> hit = hitAt(inWidget(*mouse)); hit && hit->stretch.task) {
                const Program& program = *m_lanes.program();
                emit stageClicked(
                    program.stages[program.stageOf(program.tasks[hit->stretch.task->value]).value].id.text);
            }
            return true;
        }
        case QEvent::MouseButtonDblClick: fit(); return true;
        case QEvent::Leave:
            m_cursor.reset();
            refresh();
            return false;
        case QEvent::Resize: updateScroll(); return false;
        default: return false;
    }
}

void TimelinePlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_W: zoom(1.25); return;
        case Qt::Key_Minus:
        case Qt::Key_S: zoom(0.8); return;
        case Qt::Key_Left:
        case Qt::Key_A: pan(-0.1); return;
        case Qt::Key_Right:
        case Qt::Key_D: pan(0.1); return;
        case Qt::Key_Up: m_scroll->setValue(m_scroll->value() - static_cast<int>(kRowHeight)); return;
        case Qt::Key_Down: m_scroll->setValue(m_scroll->value() + static_cast<int>(kRowHeight)); return;
        case Qt::Key_F: fit(); return;
        default: PlotWidget::keyPressEvent(event);
    }
}

void TimelinePlot::resizeEvent(QResizeEvent* event) {
    PlotWidget::resizeEvent(event);
    updateScroll();
}

void TimelinePlot::addMenuEntries(QMenu& menu) {
    menu.addAction(tr("Show everything"), QKeySequence(Qt::Key_F), this, &TimelinePlot::fit);
    QAction* all = menu.addAction(tr("Cores without tasks too"));
    all->setCheckable(true);
    all->setChecked(m_allCores);
    connect(all, &QAction::toggled, this, &TimelinePlot::setAllCores);
}

void TimelinePlot::paintOn(QPaintDevice& device) {
    paintPlotOn(*m_canvas, device);
}

TableData TimelinePlot::table() const {
    TableData result;
    result.title = tr("Tasks");
    result.headers = {tr("Task"),       tr("Stage"),      tr("Block M"),  tr("Block N"),      tr("Core"),
                      tr("Ready (us)"), tr("Start (us)"), tr("End (us)"), tr("Duration (us)")};
    if (!m_report || !m_report->trace || !m_lanes.program()) return result;
    const Trace& trace = *m_report->trace;
    const Program& program = *m_lanes.program();
    const auto number = [](double value, int decimals) {
        return Cell{QString::number(value, 'f', decimals), true, Token::Text, false, value, {}};
    };
    for (const TaskInterval& task : trace.tasks) {
        if (result.rows.size() >= kMaxTableRows) break;
        const Task& planned = program.tasks[task.task.value];
        const TaskMember& member = program.membersOf(planned).front();
        QString stage = QString::fromStdString(program.stages[member.stage.value].id.text);
        if (planned.memberCount > 1) stage += tr(" (%1 blocks)").arg(planned.memberCount);
        result.rows.push_back({number(task.task.value, 0), Cell{stage}, number(member.blockM, 0),
                               number(member.blockN, 0), Cell{coreText(task.core)},
                               number(trace.microseconds(task.ready), 3), number(trace.microseconds(task.start), 3),
                               number(trace.microseconds(task.end), 3),
                               number(trace.microseconds(task.end - task.start), 3)});
    }
    return result;
}

}  // namespace cubist

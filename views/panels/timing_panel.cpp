// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/timing_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "core/timing/derivation.h"
#include "core/timing/listeners/describe.h"
#include "views/icons.h"
#include "views/models/report_text.h"
#include "views/models/time_shares.h"
#include "views/plots/timeline_plot.h"
#include "views/qt_text.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"
#include "views/widgets/time_bars.h"

namespace cubist {
namespace {

/// The kernel's time, what can be said of it, and the controls. Where all of that is too much for one line the sentence
/// stands below.
class Header : public QWidget {
public:
    Header(QWidget* title, QWidget* sentence, const QList<QWidget*>& controls)
        : m_sentence(sentence), m_grid(new QGridLayout(this)) {
        m_grid->setContentsMargins(12, 6, 8, 4);
        m_grid->setHorizontalSpacing(6);
        m_grid->setVerticalSpacing(2);
        m_grid->addWidget(title, 0, 0);
        m_grid->setColumnMinimumWidth(1, 6);
        m_grid->setColumnStretch(kSentence, 1);
        for (int i = 0; i < controls.size(); ++i) m_grid->addWidget(controls[i], 0, kSentence + 1 + i);
        place();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        if (m_below != (width() < kRoomForOneLine)) {
            m_below = !m_below;
            place();
        }
    }

private:
    static constexpr int kRoomForOneLine = 700;
    static constexpr int kSentence = 2;  ///< its column in the first line

    void place() {
        m_grid->removeWidget(m_sentence);
        if (m_below)
            m_grid->addWidget(m_sentence, 1, 0, 1, m_grid->columnCount());
        else
            m_grid->addWidget(m_sentence, 0, kSentence);
    }

    QWidget* m_sentence;
    QGridLayout* m_grid;
    bool m_below = false;
};

}  // namespace

TimingPanel::TimingPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(session.theme(), {}, {})),
      m_emptyButton(m_empty->addButton(tr("Show problems"))),
      m_timeline(new TimelinePlot(session.theme())),
      m_stages(new StageBars(session.theme())),
      m_path(new ShareBar(session.theme())),
      m_lanes(new ShareBar(session.theme())),
      m_kernel(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_headline(new TextLabel(session.theme(), FontRole::Ui, Token::Muted)),
      m_cores(new ChoiceBox(tr("Cores shown"))),
      m_wait(new LinkButton(session.theme(), {})) {
    auto* left = new QWidget;
    auto* leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->setSpacing(0);
    leftLayout->addWidget(makeHeader());
    leftLayout->addWidget(m_timeline, 1);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(left);
    splitter->addWidget(makeSide());
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setSizes({900, 380});
    auto* empty = new QScrollArea;
    empty->setWidgetResizable(true);
    empty->setFrameShape(QFrame::NoFrame);
    empty->setFocusPolicy(Qt::NoFocus);
    empty->setWidget(m_empty);
    m_stack->addWidget(empty);
    m_stack->addWidget(splitter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(&session, &Session::predictionChanged, this, &TimingPanel::refresh);
    connect(&session, &Session::findingsChanged, this, &TimingPanel::refresh);
    connect(m_emptyButton, &QPushButton::clicked, this, &TimingPanel::problemsRequested);
    connect(m_cores, &QComboBox::currentIndexChanged, m_timeline,
            [this](int index) { m_timeline->setAllCores(index == 1); });
    connect(m_wait, &QPushButton::clicked, this, &TimingPanel::zoomToWait);
    const auto select = [this](const std::string& stage) { m_session.selection().select(Element(BlockId(stage))); };
    connect(m_timeline, &TimelinePlot::stageClicked, this, select);
    connect(m_stages, &StageBars::clicked, this, select);
    connect(&session.selection(), &SelectionModel::selectionChanged, this, [this](const Element& element) {
        m_timeline->setSelectedStage(element.block().text);
        m_stages->setSelected(element.block().text);
    });
    refresh();
}

QWidget* TimingPanel::makeHeader() {
    m_cores->addItems({tr("Used cores"), tr("All cores")});
    m_cores->fitToItems();
    auto* zoomIn = new QPushButton;
    auto* zoomOut = new QPushButton;
    auto* fit = new QPushButton;
    const auto button = [&](QPushButton* target, Icon icon, const QString& tip) {
        target->setIcon(themedIcon(m_session.theme(), icon));
        target->setToolTip(tip);
        target->setAccessibleName(tip);
        target->setFixedSize(28, 26);
    };
    button(zoomIn, Icon::ZoomIn, tr("Zoom in (wheel, +)"));
    button(zoomOut, Icon::ZoomOut, tr("Zoom out (wheel, -)"));
    button(fit, Icon::Fit, tr("Show everything (double click, F)"));
    connect(zoomIn, &QPushButton::clicked, m_timeline, [this] { m_timeline->zoom(1.5); });
    connect(zoomOut, &QPushButton::clicked, m_timeline, [this] { m_timeline->zoom(1.0 / 1.5); });
    connect(fit, &QPushButton::clicked, m_timeline, &TimelinePlot::fit);

    m_headline->setWordWrap(true);
    return new Header(m_kernel, m_headline, {m_cores, zoomOut, zoomIn, fit});
}

QWidget* TimingPanel::makeSide() {
    const Theme& theme = m_session.theme();
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(6);
    layout->addWidget(new SectionLabel(theme, tr("Stages")));
    layout->addWidget(m_stages);
    layout->addSpacing(6);
    layout->addWidget(new SectionLabel(theme, tr("Where the time goes: critical path")));
    layout->addWidget(m_path);
    layout->addSpacing(6);
    layout->addWidget(new SectionLabel(theme, tr("Lanes of the used cores")));
    layout->addWidget(m_lanes);
    layout->addWidget(m_wait);
    layout->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(260);
    scroll->setWidget(content);
    return scroll;
}

QString TimingPanel::headline() const {
    return m_stack->currentIndex() == 1 ? m_kernel->text() + QLatin1Char(' ') + m_headline->text() : QString();
}

void TimingPanel::showEmpty() {
    m_timeline->setReport(nullptr);
    m_shown.reset();
    m_longest.reset();
    const DocumentModel& document = m_session.document();
    bool problems = false;
    if (!document.hasDesign()) {
        m_empty->setTexts(tr("No design is open"),
                          tr("Open a sample from the library on the left, or a file (Ctrl+O)."));
    } else if (!m_session.hasWork()) {
        m_empty->setTexts(tr("Nothing to time yet"),
                          tr("The times of the stages stand here as soon as there is one on the canvas."));
    } else if (m_session.predictionError()) {
        m_empty->setTexts(tr("No time can be predicted"), QString::fromStdString(m_session.predictionError()->message));
        problems = true;
    } else if (m_session.runs().prediction() || document.problem()) {
        m_empty->setTexts(tr("No time can be predicted"),
                          tr("The design breaks rules that keep it from running. Fix them to see its time."));
        problems = true;
    } else {
        m_empty->setTexts(tr("Predicting ..."), tr("The time of this design is being worked out."));
    }
    m_emptyButton->setVisible(problems);
    m_stack->setCurrentIndex(0);
}

void TimingPanel::refresh() {
    const RunReportPtr& report = m_session.runs().prediction();
    if (m_session.timeState() != Session::TimeState::Timed) {
        showEmpty();
        return;
    }
    if (report == m_shown) return;
    m_shown = report;
    const Trace& trace = *report->trace;
    m_timeline->setReport(report);
    m_kernel->setText(tr("kernel %1").arg(kernelText(*report)));
    const QString headline =
        QStringList{tr("utilisation %1 %").arg(QString::number(report->utilisation * 100.0, 'f', 1)),
                    boundSentence(*report), tr("emulated, %1").arg(confidenceText(report->confidence))}
            .join(QStringLiteral(" \u00b7 "));
    m_headline->setText(headline);

    std::vector<StageBars::Row> rows;
    for (const StageTiming& timing : trace.stages) {
        const ProgramStage& stage = report->program->stages[timing.stage.value];
        StageBars::Row row;
        row.id = stage.id.text;
        row.name = QString::fromStdString(stage.id.text);
        row.color = stage.kind == TaskKind::Aic ? Token::Cube : Token::Vector;
        row.value = trace.microseconds(timing.span);
        row.text = microsecondsText(row.value);
        row.toolTip = tr("%1, busy %2 summed over cores, %3 on the critical path")
                          .arg(counted(timing.tasks, tr("1 task"), tr("%1 tasks")),
                               microsecondsText(trace.microseconds(timing.busy)),
                               microsecondsText(trace.microseconds(timing.critical)));
        rows.push_back(std::move(row));
    }
    m_stages->setRows(std::move(rows));
    m_stages->setSelected(m_session.selection().current().block().text);
    if (const Result<ChipSpec> chip = m_session.document().chips().find(report->chip.text)) {
        m_path->setParts(criticalShares(*report, *chip));
        const Options* runtime =
            report->launch == LaunchProfile::Pypto && report->used ? &report->used->options : nullptr;
        m_path->setToolTip(QString::fromStdString(derivationText(deriveKernel(trace, *chip, runtime))));
        m_timeline->setChip(*chip);
    }
    m_lanes->setParts(laneShares(*report));

    m_longest = longestWait(*report);
    m_wait->setVisible(m_longest.has_value());
    if (m_longest) {
        const QString what = QString::fromStdString(describe(*report->program, *m_longest));
        const QString duration = microsecondsText(trace.microseconds(m_longest->end - m_longest->start));
        QString place = pipeText(m_longest->pipe);
        if (m_longest->task) place = coreText(trace.tasks[m_longest->task->value].core) + QLatin1Char(' ') + place;
        m_wait->setText(
            m_longest->cause == Cause::WaitSlot
                ? tr("Longest wait: %1 for a buffer slot, %2", "core and pipe, duration").arg(place, duration)
                : tr("Longest wait: %1 for data, %2", "core and pipe, duration").arg(place, duration));
        m_wait->setToolTip(tr("%1 %2", "core and pipe, what it waits for").arg(place, what));
    }
    m_stack->setCurrentIndex(1);
}

void TimingPanel::zoomToWait() {
    const RunReportPtr& report = m_session.runs().prediction();
    if (!m_longest || !report || !report->trace) return;
    const double start = report->trace->microseconds(m_longest->start);
    const double end = report->trace->microseconds(m_longest->end);
    m_timeline->showRange(start - (end - start), end + (end - start));
    if (m_longest->task) {
        const CoreRef core = report->trace->tasks[m_longest->task->value].core;
        m_timeline->showLane(core, m_longest->pipe);
    }
}

}  // namespace cubist

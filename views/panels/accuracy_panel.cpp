// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/accuracy_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "views/choice_text.h"
#include "views/models/report_text.h"
#include "views/models/rows_model.h"
#include "views/plots/error_map_plot.h"
#include "views/plots/histogram_plot.h"
#include "views/qt_text.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"
#include "views/widgets/rows_table.h"

namespace cubist {
namespace {

QString indexText(const std::vector<std::int64_t>& index) {
    QStringList parts;
    for (const std::int64_t i : index) parts << QString::number(i);
    return QLatin1Char('[') + parts.join(QLatin1String(", ")) + QLatin1Char(']');
}

/// Tile that a matrix element lies in; leading axes are folded into rows as the error map does.
QString tileText(const OutputMetrics& output, const std::vector<std::int64_t>& index) {
    if (index.empty()) return {};
    std::int64_t row = 0;
    for (std::size_t axis = 0; axis + 1 < index.size(); ++axis) row = row * output.shape[axis] + index[axis];
    return QStringLiteral("%1,%2")
        .arg(row / std::max<std::int64_t>(1, output.map.tileRows))
        .arg(index.back() / std::max<std::int64_t>(1, output.map.tileCols));
}

}  // namespace

AccuracyPanel::AccuracyPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(session.theme(), {}, {})),
      m_emptyButton(m_empty->addButton({})),
      m_map(new ErrorMapPlot(session.theme())),
      m_histogram(new HistogramPlot(session.theme())),
      m_metrics(new RowsModel(session.theme(), {tr("Metric"), tr("Value")}, this)),
      m_worst(
          new RowsModel(session.theme(), {tr("Element"), tr("Tile"), tr("Got"), tr("Golden"), tr("|error|")}, this)),
      m_metricsTable(new RowsTable),
      m_worstTable(new RowsTable),
      m_outputs(new ChoiceBox(tr("Output"))),
      m_banner(new SoftBox(session.theme(), Token::Ok)),
      m_verdict(new TextLabel(session.theme(), FontRole::Title, Token::Ok)),
      m_sentence(new TextLabel(session.theme(), FontRole::Ui, Token::Text)),
      m_context(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_outdated(new QWidget) {
    m_metricsTable->setRowsModel(m_metrics);
    m_metricsTable->setStretchColumn(0);
    m_metricsTable->setAccessibleName(tr("Metrics"));
    m_worstTable->setRowsModel(m_worst);
    m_worstTable->setStretchColumn(4);
    m_worstTable->setAccessibleName(tr("Worst elements"));
    m_emptyButton->setObjectName(QStringLiteral("accuracyRunButton"));
    m_emptyButton->setProperty("primary", true);

    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setChildrenCollapsible(false);
    auto* mapHolder = new QWidget;
    auto* mapLayout = new QVBoxLayout(mapHolder);
    mapLayout->setContentsMargins(8, 6, 4, 4);
    mapLayout->addWidget(m_map);
    splitter->addWidget(mapHolder);
    splitter->addWidget(makeVerdictColumn());
    splitter->addWidget(makeDetailColumn());
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 4);
    splitter->setStretchFactor(2, 4);
    splitter->setSizes({480, 380, 420});

    m_stack->addWidget(m_empty);
    m_stack->addWidget(splitter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(m_outputs, &QComboBox::activated, this, &AccuracyPanel::showOutput);
    connect(m_emptyButton, &QPushButton::clicked, this,
            [this] { m_emptyShowsProblems ? emit problemsRequested() : emit runRequested(); });
    connect(&session, &Session::runChanged, this, &AccuracyPanel::refresh);
    connect(&session.runs(), &RunController::stateChanged, this, &AccuracyPanel::refresh);
    refresh();
}

QWidget* AccuracyPanel::makeVerdictColumn() {
    m_sentence->setWordWrap(true);
    m_context->setWordWrap(true);
    auto* head = new QHBoxLayout;
    head->addWidget(m_verdict);
    head->addStretch(1);
    head->addWidget(m_outputs);
    m_banner->setOutlined(true);
    m_banner->box()->addLayout(head);
    m_banner->box()->addWidget(m_sentence);
    m_banner->box()->addWidget(m_context);
    auto* outdatedLayout = new QHBoxLayout(m_outdated);
    outdatedLayout->setContentsMargins(0, 0, 0, 0);
    outdatedLayout->addWidget(
        new TextLabel(m_session.theme(), FontRole::UiSmall, Token::Warn, tr("The design changed after this run.")));
    auto* again = new LinkButton(m_session.theme(), tr("Run again"));
    connect(again, &QPushButton::clicked, this, &AccuracyPanel::runRequested);
    outdatedLayout->addWidget(again);
    outdatedLayout->addStretch(1);
    m_banner->box()->addWidget(m_outdated);

    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(8, 8, 8, 4);
    layout->setSpacing(8);
    layout->addWidget(m_banner);
    layout->addWidget(m_metricsTable, 1);
    return column;
}

QWidget* AccuracyPanel::makeDetailColumn() {
    auto* column = new QSplitter(Qt::Vertical);
    column->setChildrenCollapsible(false);
    const auto add = [&](const QString& title, QWidget* content) {
        auto* part = new QWidget;
        auto* layout = new QVBoxLayout(part);
        layout->setContentsMargins(8, 8, 8, 4);
        layout->setSpacing(4);
        layout->addWidget(new SectionLabel(m_session.theme(), title));
        layout->addWidget(content, 1);
        column->addWidget(part);
    };
    add(tr("Worst elements"), m_worstTable);
    add(tr("Error histogram"), m_histogram);
    return column;
}

QString AccuracyPanel::verdict() const {
    return m_stack->currentIndex() == 1 ? m_verdict->text() : QString();
}

void AccuracyPanel::refresh() {
    const RunReportPtr& report = m_session.runs().report();
    if (report && !m_session.runError() && !report->accuracy.outputs.empty())
        showReport(*report);
    else
        showEmpty();
}

void AccuracyPanel::showEmpty() {
    const RunReportPtr& report = m_session.runs().report();
    const QString name =
        m_session.document().hasDesign() ? QString::fromStdString(m_session.document().design()->name) : QString();
    const bool busy = m_session.runs().busy();
    m_emptyShowsProblems = false;
    m_emptyButton->setText(tr("Run"));
    if (!m_session.document().hasDesign()) {
        m_empty->setTexts(tr("No design is open"),
                          tr("Open a sample from the library on the left, or a file (Ctrl+O)."));
    } else if (!m_session.hasWork()) {
        m_empty->setTexts(tr("Nothing to run yet"), tr("Add stages on the canvas first, then run them."));
    } else if (busy) {
        m_empty->setTexts(tr("Running %1 ...").arg(name),
                          tr("Values are computed on the emulated core and compared with the golden."));
    } else if (m_session.runError()) {
        const Error& error = *m_session.runError();
        QString text = QString::fromStdString(error.message);
        if (!error.where.empty()) text += QStringLiteral("\n") + QString::fromStdString(error.where);
        if (!error.hint.empty()) text += QStringLiteral("\n") + QString::fromStdString(error.hint);
        m_empty->setTexts(tr("The run failed"), text);
        m_emptyButton->setText(tr("Show problems"));
        m_emptyShowsProblems = true;
    } else if (report && !report->ran) {
        m_empty->setTexts(tr("The run stopped before it began"),
                          counted(report->errorCount(), tr("The design breaks a rule. Fix it, then run again."),
                                  tr("The design breaks %1 rules. Fix them, then run again.")));
        m_emptyButton->setText(tr("Show problems"));
        m_emptyShowsProblems = true;
    } else {
        m_empty->setTexts(tr("Nothing to compare yet"),
                          tr("Press Run (Ctrl+R) to compare %1 with its golden.").arg(name));
    }
    m_emptyButton->setVisible(m_session.hasWork() && !busy);
    m_stack->setCurrentIndex(0);
}

void AccuracyPanel::showReport(const RunReport& report) {
    const int count = static_cast<int>(report.accuracy.outputs.size());
    const QString chosen = m_outputs->currentText();
    m_outputs->clear();
    for (const OutputMetrics& output : report.accuracy.outputs) m_outputs->addItem(QString::fromStdString(output.name));
    m_outputs->setCurrentIndex(std::max(0, m_outputs->findText(chosen)));
    m_outputs->fitToItems();
    m_outputs->setVisible(count > 1);
    m_outdated->setVisible(m_session.runIsOutdated());
    showOutput(m_outputs->currentIndex());
    m_stack->setCurrentIndex(1);
}

QString AccuracyPanel::goldenText(const OutputMetrics& output) const {
    if (!output.goldenFile.empty()) return tr("golden from %1").arg(QString::fromStdString(output.goldenFile));
    return tr("%1 golden").arg(choiceWord(toText(output.limits.golden)));
}

void AccuracyPanel::showOutput(int index) {
    const RunReportPtr& report = m_session.runs().report();
    if (!report || index < 0 || index >= static_cast<int>(report->accuracy.outputs.size())) return;
    const OutputMetrics& output = report->accuracy.outputs[static_cast<std::size_t>(index)];
    // The plots keep the report alive, not a copy of its numbers.
    const std::shared_ptr<const OutputMetrics> shared(report, &output);
    m_map->setMetrics(shared);
    m_histogram->setMetrics(shared);

    const Tolerance& tolerance = output.limits;
    m_banner->setToken(verdictToken(output.verdict));
    m_verdict->setToken(verdictToken(output.verdict));
    m_verdict->setText(verdictText(output.verdict));
    m_sentence->setText(verdictSentence(output, tolerance));
    QStringList context;
    if (!report->caseId.empty()) context << tr("case %1").arg(QString::fromStdString(report->caseId.text));
    context << QString::fromStdString(report->chip.text) << goldenText(output)
            << tr("values in %1, golden in %2")
                   .arg(secondsText(report->host.valuesSeconds), secondsText(report->host.goldenSeconds));
    if (report->accuracy.sampled) context << tr("%1 elements sampled").arg(grouped(*report->accuracy.sampled));
    m_context->setText(context.join(QStringLiteral(" \u00b7 ")));

    const auto row = [](const QString& name, const QString& value, Token color = Token::Text, const QString& tip = {}) {
        return std::vector<Cell>{Cell{name, false, Token::Muted, false, {}, tip},
                                 Cell{value, true, color, color != Token::Text}};
    };
    std::vector<std::vector<Cell>> rows;
    rows.push_back(row(criterionText(tolerance), tr("%1 outside").arg(grouped(output.outside)),
                       verdictToken(output.verdict), criterionMeaning(tolerance.criterion)));
    if (output.orderBound && tolerance.criterion != Criterion::OrderBound)
        rows.push_back(row(tr("order of the sum"), tr("%1 outside").arg(grouped(output.orderBound->outside)),
                           verdictToken(output.orderBound->verdict), criterionMeaning(Criterion::OrderBound)));
    if (output.threeWay) {
        rows.push_back(row(tr("MARE / benchmark"), shortNumber(output.threeWay->mare, 3)));
        rows.push_back(row(tr("MERE / benchmark"), shortNumber(output.threeWay->mere, 3)));
        rows.push_back(row(tr("RMSE / benchmark"), shortNumber(output.threeWay->rmse, 3)));
    }
    rows.push_back(row(tr("max |error|"), shortNumber(output.maxAbs, 4)));
    rows.push_back(
        row(tr("max relative"), shortNumber(output.maxRel, 4), Token::Text, tr("over golden elements that are not 0")));
    rows.push_back(row(tr("mean |error|"), shortNumber(output.meanAbs, 4)));
    rows.push_back(row(tr("RMSE"), shortNumber(output.rmse, 4)));
    rows.push_back(row(tr("max ULP"), shortNumber(output.maxUlp, 4), Token::Text,
                       tr("steps between neighbouring %1 values").arg(qText(toText(output.dtype)))));
    rows.push_back(row(tr("cosine"), QString::number(output.cosine, 'f', 9)));
    rows.push_back(row(tr("exact elements"), tr("%1 of %2").arg(grouped(output.exact), grouped(output.elements))));
    if (output.nanCount + output.infCount > 0)
        rows.push_back(
            row(tr("NaN / inf"), tr("%1 / %2").arg(grouped(output.nanCount), grouped(output.infCount)), Token::Error));
    for (const StageError& stage : report->stageErrors)
        rows.push_back(row(tr("stage %1 added / inherited").arg(QString::fromStdString(stage.id.text)),
                           QStringLiteral("%1 / %2").arg(shortNumber(stage.added), shortNumber(stage.inherited))));
    m_metrics->setRows(std::move(rows));

    std::vector<std::vector<Cell>> worst;
    for (const WorstElement& element : output.worst)
        worst.push_back({Cell{.text = indexText(element.index), .mono = true},
                         Cell{tileText(output, element.index), true, Token::Muted},
                         Cell{shortNumber(element.actual, 8), true, Token::Text, false, element.actual, {}},
                         Cell{shortNumber(element.golden, 8), true, Token::Text, false, element.golden, {}},
                         Cell{shortNumber(element.error),
                              true,
                              verdictToken(output.verdict) == Token::Error ? Token::Error : Token::Text,
                              true,
                              element.error,
                              {}}});
    m_worst->setRows(std::move(worst));
}

}  // namespace cubist

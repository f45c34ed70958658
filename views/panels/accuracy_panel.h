// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;
class QStackedWidget;

namespace cubist {

class ChoiceBox;
class EmptyState;
class ErrorMapPlot;
class HistogramPlot;
class LinkButton;
class RowsModel;
class RowsTable;
class Session;
class SoftBox;
class TextLabel;
struct OutputMetrics;
struct RunReport;

/// How the newest run compares with its golden: verdict, metrics, error map, worst elements, histogram.
class AccuracyPanel : public QWidget {
    Q_OBJECT

public:
    explicit AccuracyPanel(Session& session, QWidget* parent = nullptr);

    [[nodiscard]] ErrorMapPlot* errorMap() const { return m_map; }
    [[nodiscard]] RowsModel* metrics() const { return m_metrics; }
    /// The text of the verdict banner: "Pass", "Fail"; empty while there is nothing to judge.
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] EmptyState* emptyState() const { return m_empty; }

signals:
    void runRequested();
    void problemsRequested();

private:
    void refresh();
    void showEmpty();
    void showReport(const RunReport& report);
    [[nodiscard]] QString goldenText(const OutputMetrics& output) const;
    void showOutput(int index);
    [[nodiscard]] QWidget* makeVerdictColumn();
    [[nodiscard]] QWidget* makeDetailColumn();

    Session& m_session;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QPushButton* m_emptyButton;
    bool m_emptyShowsProblems = false;
    ErrorMapPlot* m_map;
    HistogramPlot* m_histogram;
    RowsModel* m_metrics;
    RowsModel* m_worst;
    RowsTable* m_metricsTable;
    RowsTable* m_worstTable;
    ChoiceBox* m_outputs;
    SoftBox* m_banner;
    TextLabel* m_verdict;
    TextLabel* m_sentence;
    TextLabel* m_context;
    QWidget* m_outdated;
};

}  // namespace cubist

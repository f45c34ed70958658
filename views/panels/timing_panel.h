// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <memory>
#include <optional>

#include "core/timing/listeners/timeline.h"

class QPushButton;
class QStackedWidget;

namespace cubist {

class ChoiceBox;
class EmptyState;
class LinkButton;
class Session;
class ShareBar;
class StageBars;
class TextLabel;
class TimelinePlot;
struct RunReport;

/// The predicted time, always that of the design as it stands: swimlane, stages, and where the time goes.
class TimingPanel : public QWidget {
    Q_OBJECT

public:
    explicit TimingPanel(Session& session, QWidget* parent = nullptr);

    [[nodiscard]] TimelinePlot* timeline() const { return m_timeline; }
    [[nodiscard]] StageBars* stageBars() const { return m_stages; }
    [[nodiscard]] QString headline() const;
    [[nodiscard]] EmptyState* emptyState() const { return m_empty; }

signals:
    void problemsRequested();

private:
    void refresh();
    void showEmpty();
    void zoomToWait();
    [[nodiscard]] QWidget* makeHeader();
    [[nodiscard]] QWidget* makeSide();

    Session& m_session;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QPushButton* m_emptyButton;
    TimelinePlot* m_timeline;
    StageBars* m_stages;
    ShareBar* m_path;
    ShareBar* m_lanes;
    TextLabel* m_kernel;
    TextLabel* m_headline;
    ChoiceBox* m_cores;
    LinkButton* m_wait;
    std::optional<LaneInterval> m_longest;
    std::shared_ptr<const RunReport> m_shown;
};

}  // namespace cubist

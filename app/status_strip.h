// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStatusBar>

class QProgressBar;
class QToolButton;

namespace cubist {

class Session;
class ElidedLabel;
class TextLabel;

/// The line at the bottom: verdict, chip and case, predicted time, progress of a run, saved state.
class StatusStrip : public QStatusBar {
    Q_OBJECT

public:
    explicit StatusStrip(Session& session, QWidget* parent = nullptr);

    [[nodiscard]] QString verdictLine() const;
    [[nodiscard]] QString predictionLine() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void showRun();
    /// Why an edit was refused: until the next key, press of the pointer, edit or run, some seconds at most.
    void showRefusal(const QString& reason);
    void forgetRefusal();

    Session& m_session;
    QWidget* m_dot;
    ElidedLabel* m_verdict;
    ElidedLabel* m_target;
    TextLabel* m_prediction;
    TextLabel* m_phase;
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    TextLabel* m_saved;
    QString m_refusal;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status_strip.h"

#include <QApplication>
#include <QPainter>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

#include "views/choice_text.h"
#include "views/icons.h"
#include "views/models/report_text.h"
#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kProgressSteps = 1000;
constexpr int kRefusalMs = 6000;

/// A dot in the colour of the verdict.
class VerdictDot : public QWidget {
public:
    explicit VerdictDot(const Theme& theme) : m_theme(theme) { setFixedSize(16, 12); }
    void setToken(Token token) {
        m_token = token;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(m_token));
        painter.drawEllipse(QRectF(6, 2, 8, 8));
    }

private:
    const Theme& m_theme;
    Token m_token = Token::Wait;
};

}  // namespace

StatusStrip::StatusStrip(Session& session, QWidget* parent)
    : QStatusBar(parent),
      m_session(session),
      m_dot(new VerdictDot(session.theme())),
      m_verdict(new ElidedLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_target(new ElidedLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_prediction(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_phase(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_progress(new QProgressBar),
      m_cancel(new QToolButton),
      m_saved(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)) {
    setSizeGripEnabled(false);
    m_verdict->setObjectName(QStringLiteral("verdictLine"));
    m_progress->setObjectName(QStringLiteral("runProgress"));
    m_progress->setRange(0, kProgressSteps);
    m_progress->setFixedWidth(160);
    m_progress->setFixedHeight(12);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_cancel->setIcon(themedIcon(session.theme(), Icon::Close));
    m_cancel->setAutoRaise(true);
    m_cancel->setToolTip(tr("Stop the run (Ctrl+.)"));
    m_cancel->setAccessibleName(m_cancel->toolTip());
    addWidget(m_dot);
    addWidget(m_verdict, 1);
    addPermanentWidget(m_phase);
    addPermanentWidget(m_progress);
    addPermanentWidget(m_cancel);
    m_target->setMaximumWidth(320);  // of a case with a long name: what is left says how it went
    addPermanentWidget(m_target);
    addPermanentWidget(m_prediction);
    addPermanentWidget(m_saved);
    m_saved->setContentsMargins(0, 0, 8, 0);

    connect(m_cancel, &QToolButton::clicked, &session.runs(), &RunController::cancel);
    connect(&session.runs(), &RunController::stateChanged, this, &StatusStrip::showRun);
    connect(&session.runs(), &RunController::progressed, this, [this](double fraction, const QString& phase) {
        m_progress->setValue(static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kProgressSteps));
        m_phase->setText(choiceWord(phase.toStdString()));
    });
    connect(&session, &Session::runChanged, this, &StatusStrip::refresh);
    connect(&session, &Session::predictionChanged, this, &StatusStrip::refresh);
    connect(&session.document(), &DocumentModel::modifiedChanged, this, &StatusStrip::refresh);
    connect(&session.document(), &DocumentModel::pathChanged, this, &StatusStrip::refresh);
    connect(&session.document(), &DocumentModel::findingsChanged, this, &StatusStrip::refresh);
    connect(&session.document(), &DocumentModel::designChanged, this, &StatusStrip::forgetRefusal);
    connect(&session.document(), &DocumentModel::editRejected, this, &StatusStrip::showRefusal);
    showRun();
    refresh();
}

void StatusStrip::showRefusal(const QString& reason) {
    showMessage(reason, kRefusalMs);
    m_refusal = reason;
    qApp->installEventFilter(this);
}

void StatusStrip::forgetRefusal() {
    qApp->removeEventFilter(this);
    if (!m_refusal.isEmpty() && currentMessage() == m_refusal) clearMessage();
    m_refusal.clear();
}

bool StatusStrip::eventFilter(QObject* watched, QEvent* event) {
    // What was refused is of no interest once something else is begun.
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::KeyPress) forgetRefusal();
    return QStatusBar::eventFilter(watched, event);
}

void StatusStrip::showRun() {
    forgetRefusal();
    const RunController::State state = m_session.runs().state();
    const bool busy = state != RunController::State::Idle;
    if (state == RunController::State::Running) {
        m_progress->setValue(0);
        m_phase->setText(tr("running"));
    } else if (state == RunController::State::Cancelling) {
        m_phase->setText(tr("stopping"));
    }
    m_phase->setVisible(busy);
    m_progress->setVisible(busy);
    m_cancel->setVisible(busy);
    m_cancel->setEnabled(state == RunController::State::Running);
}

void StatusStrip::refresh() {
    const DocumentModel& document = m_session.document();
    const RunReportPtr& run = m_session.runs().report();
    Token token = Token::Wait;
    QString verdict = tr("not run yet");
    if (!document.hasDesign()) {
        verdict = tr("no design");
    } else if (m_session.runError()) {
        token = Token::Error;
        verdict = tr("run failed: %1").arg(QString::fromStdString(m_session.runError()->message));
    } else if (run && !run->ran) {
        token = Token::Error;
        verdict = counted(run->errorCount(), tr("run stopped by 1 problem"), tr("run stopped by %1 problems"));
    } else if (run) {
        token = verdictToken(run->accuracy.verdict);
        QStringList parts{tr("Accuracy %1").arg(verdictText(run->accuracy.verdict).toLower())};
        double worst = 0.0;
        for (const OutputMetrics& output : run->accuracy.outputs) worst = std::max(worst, output.maxAbs);
        if (!run->accuracy.outputs.empty()) parts << tr("max |error| %1").arg(shortNumber(worst));
        if (m_session.runIsOutdated()) {
            token = Token::Wait;
            parts << tr("of an earlier state");
        }
        verdict = parts.join(QStringLiteral(" \u00b7 "));
    }
    static_cast<VerdictDot*>(m_dot)->setToken(token);
    m_verdict->setWholeText(verdict);

    QStringList target;
    if (document.chip()) target << QString::fromStdString(document.chip()->id.text);
    if (document.binding() && !document.binding()->caseId.empty())
        target << QString::fromStdString(document.binding()->caseId.text);
    m_target->setWholeText(target.join(QStringLiteral(" \u00b7 ")));

    const RunReportPtr& prediction = m_session.runs().prediction();
    const bool timed = m_session.timeState() == Session::TimeState::Timed;
    m_prediction->setText(timed
                              ? tr("%1, bound by %2").arg(kernelText(*prediction), boundText(prediction->trace->bound))
                              : tr("no time"));
    m_prediction->setVisible(document.hasDesign());
    m_saved->setText(document.isModified()       ? tr("unsaved changes")
                     : document.path().isEmpty() ? tr("not a file yet")
                                                 : tr("saved"));
    m_saved->setVisible(document.hasDesign());
}

QString StatusStrip::verdictLine() const {
    return m_verdict->wholeText();
}

QString StatusStrip::predictionLine() const {
    return m_prediction->text();
}

}  // namespace cubist

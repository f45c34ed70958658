// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/prediction_box.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "views/models/report_text.h"
#include "views/session.h"
#include "views/widgets/painting.h"

namespace cubist {

PredictionBox::PredictionBox(Session& session, QWidget* parent)
    : SoftBox(session.theme(), Token::Cube, parent),
      m_session(session),
      m_sentence(new TextLabel(session.theme(), FontRole::UiStrong, Token::Text)),
      m_time(new TextLabel(session.theme(), FontRole::Mono, Token::Text)),
      m_delta(new TextLabel(session.theme(), FontRole::MonoStrong, Token::Ok)),
      m_note(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_problems(new LinkButton(session.theme(), tr("Show problems"))) {
    m_sentence->setWordWrap(true);
    m_note->setWordWrap(true);
    m_delta->setToolTip(tr("Change against the prediction before"));
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(m_time);
    line->addWidget(m_delta);
    line->addStretch(1);
    box()->addWidget(m_sentence);
    box()->addLayout(line);
    box()->addWidget(m_note);
    box()->addWidget(m_problems);
    setAccessibleName(tr("Live prediction"));
    connect(m_problems, &QPushButton::clicked, this, &PredictionBox::problemsRequested);
    connect(&session, &Session::predictionChanged, this, &PredictionBox::refresh);
    connect(&session, &Session::findingsChanged, this, &PredictionBox::refresh);
    refresh();
}

void PredictionBox::refresh() {
    using State = Session::TimeState;
    const RunReportPtr& report = m_session.runs().prediction();
    const State state = m_session.timeState();
    m_problems->setVisible(state == State::Blocked);
    m_time->setVisible(state == State::Timed);
    m_delta->setVisible(false);
    setToken(state == State::Blocked ? Token::Error : Token::Cube);
    if (state != State::Timed) {
        m_sentence->setText(state == State::Blocked  ? tr("No time: the design cannot run as it stands.")
                            : state == State::NoWork ? tr("Nothing to run yet")
                                                     : tr("Predicting ..."));
        m_note->setText(state == State::NoWork ? tr("The first stage brings its time.") : QString());
        m_note->setVisible(!m_note->text().isEmpty() && !m_compact);
        return;
    }
    m_sentence->setText(boundSentence(*report));
    m_time->setText(tr("kernel %1").arg(kernelText(*report)));
    if (m_session.timedBefore()) {
        const auto microseconds = [](const RunReport& r) { return r.trace->microseconds(r.trace->kernel); };
        const double before = microseconds(*m_session.timedBefore());
        const double now = microseconds(*report);
        const QString delta = deltaText(before, now);
        m_delta->setText(delta.isEmpty() ? delta : tr("%1 us").arg(delta));
        m_delta->setToken(now > before ? Token::Error : Token::Ok);
        m_delta->setVisible(!delta.isEmpty());
    }
    m_note->setText(tr("emulated, %1; predicted in %2 ms")
                        .arg(confidenceText(report->confidence),
                             QString::number(m_session.runs().predictionMilliseconds(), 'f', 1)));
    m_note->setVisible(!m_compact);
}

void PredictionBox::setCompact(bool compact) {
    if (compact == m_compact) return;
    m_compact = compact;
    refresh();
}

}  // namespace cubist

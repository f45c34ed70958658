// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/fit_page.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include "views/language.h"
#include "views/widgets/labels.h"
#include "views/widgets/wrap_check_box.h"

namespace cubist {
namespace {

QString textOf(const BilingualText& text) {
    return inLanguage(text.en, text.zh);
}

/// The rows of the out-of-box table that are asked for: "cube_nbuffer_setting: {-1: 2}".
QString tableText(const StartingTable& table) {
    QStringList lines;
    for (const TableSetting& setting : table.settings)
        lines << QStringLiteral("%1: %2").arg(QString::fromStdString(setting.id), textOf(setting.value));
    return lines.join(QLatin1Char('\n'));
}

QScrollArea* scrolled(QWidget* content) {
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(content);
    return scroll;
}

}  // namespace

FitPage::FitPage(const SkeletonIndex& index, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_index(index), m_theme(theme) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 16, 16, 16);
    row->setSpacing(24);
    row->addWidget(scrolled(makeQuestions()), 1);
    row->addWidget(scrolled(makeVerdict()), 1);
    showAdvice();
}

QWidget* FitPage::makeQuestions() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    auto* title = new TextLabel(m_theme, FontRole::Title, Token::Text, tr("What is the operator like?"));
    auto* help = new TextLabel(m_theme, FontRole::Ui, Token::Muted,
                               tr("Tick what is true of it. The answers tell whether the general multi-matmul "
                                  "skeleton (SK-14) fits, or which one fits better."));
    for (TextLabel* label : {title, help}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addSpacing(4);
    for (std::size_t i = 0; i < kSkeletonQuestions; ++i) {
        const auto question = static_cast<SkeletonQuestion>(i);
        auto* box = new WrapCheckBox(textOf(statementOf(question)));
        box->setObjectName(QStringLiteral("question%1").arg(i));
        box->setChecked(m_answers[question]);
        connect(box, &QCheckBox::toggled, this, [this, question](bool on) {
            m_answers.set(question, on);
            showAdvice();
        });
        m_boxes[i] = box;
        column->addWidget(box);
    }
    column->addStretch(1);
    return part;
}

QWidget* FitPage::makeVerdict() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    m_verdict = new SoftBox(m_theme, Token::Ok);
    m_title = new TextLabel(m_theme, FontRole::Title, Token::Text);
    m_reason = new TextLabel(m_theme, FontRole::Ui, Token::Text);
    m_verdict->box()->addWidget(m_title);
    m_verdict->box()->addWidget(m_reason);
    column->addWidget(m_verdict);
    m_name = new TextLabel(m_theme, FontRole::UiStrong, Token::Text);
    column->addSpacing(4);
    column->addWidget(m_name);
    const auto section = [&](const QString& caption, TextLabel*& text, FontRole role) {
        column->addWidget(new SectionLabel(m_theme, caption));
        text = new TextLabel(m_theme, role, Token::Text);
        column->addWidget(text);
        column->addSpacing(4);
    };
    section(tr("When it is chosen"), m_choose, FontRole::Ui);
    section(tr("Stages in order"), m_flow, FontRole::Mono);
    section(tr("Where it starts"), m_start, FontRole::Ui);
    m_note = new TextLabel(m_theme, FontRole::Ui, Token::Muted,
                           tr("The templates here are those of SK-14. You can go on with one and change it, or build "
                              "the other skeleton from an empty canvas."));
    column->addWidget(m_note);
    for (TextLabel* label : {m_title, m_reason, m_name, m_choose, m_flow, m_start, m_note}) label->setWordWrap(true);
    column->addStretch(1);
    return part;
}

void FitPage::showAdvice() {
    for (std::size_t i = 0; i < kSkeletonQuestions; ++i)
        m_boxes[i]->setVisible(isAsked(static_cast<SkeletonQuestion>(i), m_answers));
    const SkeletonAdvice chosen = advice();
    const bool fits = chosen.skeleton == "SK-14";
    const QString id = QString::fromStdString(chosen.skeleton);
    m_verdict->setToken(fits ? Token::Ok : Token::Warn);
    m_title->setText(fits ? tr("SK-14 fits") : tr("%1 fits better").arg(id));
    m_reason->setText(textOf(chosen.reason));
    const SkeletonCard* card = m_index.skeleton(chosen.skeleton);
    m_name->setText(card ? QStringLiteral("%1  %2").arg(id, textOf(card->name)) : id);
    m_choose->setText(card ? textOf(card->choose) : QString());
    m_flow->setText(card ? QString::fromStdString(card->flow) : QString());
    // The table of SK-14 has rows of its own; other cards say it in a sentence.
    m_start->setText(fits ? tableText(m_index.start) : card ? textOf(card->start) : QString());
    m_note->setVisible(!fits);
    m_verdict->setAccessibleName(verdict());
}

QString FitPage::verdict() const {
    return m_title->text() + QLatin1String(": ") + m_reason->text();
}

}  // namespace cubist

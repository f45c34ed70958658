// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/design_check.h"

#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "core/skeleton/checklist.h"
#include "views/document_model.h"
#include "views/language.h"
#include "views/models/fix_all.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

constexpr qsizetype kShownErrors = 3;

}  // namespace

DesignCheckPanel::DesignCheckPanel(const SkeletonIndex& index, DocumentModel& document, const Theme& theme,
                                   QWidget* parent)
    : QWidget(parent),
      m_index(index),
      m_document(document),
      m_box(new SoftBox(theme, Token::Ok)),
      m_title(new TextLabel(theme, FontRole::UiStrong, Token::Text)),
      m_text(new TextLabel(theme, FontRole::Ui, Token::Text)),
      m_skeleton(new TextLabel(theme, FontRole::UiSmall, Token::Muted)),
      m_fix(new QPushButton(tr("&Fix what has a safe fix"))) {
    m_fix->setObjectName(QStringLiteral("wizardFix"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    for (TextLabel* label : {m_title, m_text, m_skeleton}) {
        label->setWordWrap(true);
        m_box->box()->addWidget(label);
    }
    m_box->box()->addWidget(m_fix, 0, Qt::AlignLeft);
    column->addWidget(m_box);
    connect(m_fix, &QPushButton::clicked, this, &DesignCheckPanel::fix);
    connect(&document, &DocumentModel::findingsChanged, this, &DesignCheckPanel::refresh);
    refresh();
}

void DesignCheckPanel::refresh() {
    const bool before = m_runnable;
    showRules();
    showSkeleton();
    if (before != m_runnable) emit runnableChanged();
}

void DesignCheckPanel::setAdvice(const SkeletonAdvice& advice) {
    m_advice = advice;
    showSkeleton();
}

void DesignCheckPanel::showRules() {
    QStringList errors;
    bool fixable = false;
    for (const Finding& finding : m_document.findings()) {
        if (finding.severity != Severity::Error) continue;
        errors << messageOf(finding);
        fixable = fixable || hasSafeFix(finding);
    }
    m_runnable = m_document.hasDesign() && m_document.resolved() && errors.isEmpty();
    m_box->setToken(m_runnable ? Token::Ok : Token::Error);
    m_fix->setVisible(fixable);
    if (!m_document.hasDesign()) {
        m_title->setText(tr("No template is chosen"));
        m_text->setText({});
    } else if (m_runnable) {
        m_title->setText(tr("It runs as it is"));
        m_text->setText(tr("No rule objects."));
    } else {
        m_title->setText(errors.size() == 1 ? tr("1 error") : tr("%1 errors").arg(errors.size()));
        QStringList shown = errors.mid(0, kShownErrors);
        if (errors.size() > kShownErrors) shown << tr("and %1 more").arg(errors.size() - kShownErrors);
        m_text->setText(shown.join(QLatin1Char('\n')));
    }
    m_text->setVisible(!m_text->text().isEmpty());
}

void DesignCheckPanel::showSkeleton() {
    const ResolvedDesign* resolved = m_document.resolved();
    const ChipSpec* chip = m_document.chip();
    m_skeleton->setVisible(resolved && chip);
    if (!resolved || !chip) return;
    const Checklist checklist = evaluateChecklist(*resolved, *chip);
    const QString reason = inLanguage(checklist.reason.en, checklist.reason.zh);
    const QString id = QString::fromStdString(checklist.recommended);
    const SkeletonCard* card = m_index.skeleton(checklist.recommended);
    const QString name = card ? inLanguage(card->name.en, card->name.zh) : QString();
    QStringList lines{checklist.isGeneralMatmul() ? tr("By its arithmetic SK-14 fits: %1").arg(reason)
                                                  : tr("%1 (%2) fits better: %3").arg(id, name, reason)};
    if (m_advice && m_advice->skeleton != "SK-14") {
        const SkeletonCard* advised = m_index.skeleton(m_advice->skeleton);
        lines.prepend(tr("By the answers of step 1 %1 (%2) fits better: %3")
                          .arg(QString::fromStdString(m_advice->skeleton),
                               advised ? inLanguage(advised->name.en, advised->name.zh) : QString(),
                               inLanguage(m_advice->reason.en, m_advice->reason.zh)));
    }
    m_skeleton->setText(lines.join(QLatin1Char('\n')));
}

void DesignCheckPanel::fix() {
    if (!m_document.resolved() || !m_document.chip() || !m_document.binding()) return;
    FixedDesign fixed = applySafeFixes(*m_document.design(), *m_document.chip(), *m_document.binding());
    if (fixed.fixes > 0) m_document.apply([] { return tr("Fix problems"); }, std::move(fixed.design));
}

QString DesignCheckPanel::text() const {
    return m_title->text() + QLatin1Char('\n') + m_text->text() + QLatin1Char('\n') + m_skeleton->text();
}

}  // namespace cubist

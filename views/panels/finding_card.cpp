// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/finding_card.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/rules/registry.h"
#include "views/language.h"
#include "views/models/findings_model.h"
#include "views/qt_text.h"
#include "views/session.h"

namespace cubist {
namespace {

TextLabel* wrapped(const Theme& theme, FontRole role, Token token, const QString& content) {
    auto* label = new TextLabel(theme, role, token, content);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    return label;
}

}  // namespace

FindingCard::FindingCard(Session& session, const Finding& finding, Detail detail, QWidget* parent)
    : SoftBox(session.theme(), severityToken(finding.severity), parent), m_session(session), m_finding(finding) {
    const Theme& theme = session.theme();
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    head->addWidget(new IconLabel(theme, severityIcon(finding.severity), severityToken(finding.severity)), 0,
                    Qt::AlignTop);
    const Rule* rule = findRule(finding.ruleId);
    QString title = QString::fromStdString(finding.ruleId);
    if (rule && detail == Detail::Full) title += QStringLiteral("  ") + inLanguage(rule->title, rule->titleZh);
    auto* name = wrapped(theme, FontRole::UiStrong, severityToken(finding.severity), title);
    head->addWidget(name, 1);
    if (!finding.pyptoCode.empty()) {
        auto* code = new TextLabel(theme, FontRole::MonoSmall, Token::Muted,
                                   tr("PyPTO %1").arg(QString::fromStdString(finding.pyptoCode)));
        code->setToolTip(tr("The error code that PyPTO itself reports"));
        head->addWidget(code);
    }
    box()->addLayout(head);
    box()->addWidget(wrapped(theme, FontRole::Ui, Token::Text, messageOf(finding)));
    if (detail == Detail::Full) addRule();
    for (const Fix& fix : finding.fixes) {
        auto* button = new QPushButton(titleOf(fix));
        button->setIcon(themedIcon(theme, Icon::Fix));
        button->setObjectName(QStringLiteral("fixButton"));
        button->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
        // Queued: the edit replaces the card that holds the button.
        connect(
            button, &QPushButton::clicked, &session.document(),
            [&document = session.document(), fix] { document.applyFix(fix); }, Qt::QueuedConnection);
        box()->addWidget(button);
    }
}

void FindingCard::addRule() {
    const Rule* rule = findRule(m_finding.ruleId);
    if (!rule) return;
    const Theme& theme = m_session.theme();
    if (!rule->explanation.empty())
        box()->addWidget(
            wrapped(theme, FontRole::Ui, Token::Muted, inLanguage(rule->explanation, rule->explanationZh)));
    if (!rule->formula.empty()) {
        QString formula = qText(rule->formula);
        if (!rule->formulaId.empty()) formula += QStringLiteral("   (%1)").arg(qText(rule->formulaId));
        box()->addWidget(wrapped(theme, FontRole::Mono, Token::Text, formula));
    }
    if (!rule->source.empty())
        box()->addWidget(wrapped(theme, FontRole::UiSmall, Token::Muted, tr("Source: %1").arg(qText(rule->source))));
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/inspector_form.h"

#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QStyle>

#include <utility>

#include "views/panels/finding_card.h"
#include "views/session.h"
#include "views/widgets/document_undo.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

constexpr int kNameWidth = 64;
constexpr int kFieldHeight = 28;

/// Commas inside parentheses belong to a function call.
QStringList splitOutsideParentheses(const QString& text) {
    QStringList parts;
    QString part;
    int depth = 0;
    for (const QChar c : text) {
        if (c == QLatin1Char('(')) ++depth;
        if (c == QLatin1Char(')')) --depth;
        if (c == QLatin1Char(',') && depth == 0) {
            parts << part.trimmed();
            part.clear();
        } else {
            part += c;
        }
    }
    parts << part.trimmed();
    return parts;
}

/// The style outlines a field in this state.
void markRefused(QLineEdit* line, bool refused) {
    if ((line->property("state") == QLatin1String("error")) == refused) return;
    line->setProperty("state", refused ? QStringLiteral("error") : QString());
    line->style()->unpolish(line);
    line->style()->polish(line);
}

class CommittedLine : public QLineEdit {
public:
    std::function<bool(const QString&)> commit;
    QString before;

protected:
    void focusInEvent(QFocusEvent* event) override {
        before = text();
        QLineEdit::focusInEvent(event);
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Escape && isModified()) {
            setText(before);
            setModified(false);
            return;
        }
        QLineEdit::keyPressEvent(event);
    }
};

}  // namespace

InspectorForm::InspectorForm(Session& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(16, 4, 16, 16);
    m_column->setSpacing(6);
}

void InspectorForm::setElement(const Element& element) {
    m_element = element;
    m_session.document().endEditRun();
}

const Design& InspectorForm::design() const {
    return *m_session.document().design();
}

bool InspectorForm::apply(const QString& label, Result<Design> edited, const QString& mergeKey) {
    const QString key =
        mergeKey.isEmpty() ? mergeKey : QString::fromStdString(m_element.id) + QLatin1Char('/') + mergeKey;
    return m_session.document().apply(label, std::move(edited), key);
}

void InspectorForm::addCaption(const QString& title) {
    m_column->addSpacing(8);
    m_column->addWidget(new SectionLabel(m_session.theme(), title));
}

QFormLayout* InspectorForm::addSection(const QString& title) {
    addCaption(title);
    auto* form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_column->addLayout(form);
    return form;
}

void InspectorForm::addField(QFormLayout* form, const QString& name, QWidget* field) {
    auto* label = new QLabel(name);
    label->setProperty("role", "muted");
    label->setMinimumSize(kNameWidth, kFieldHeight);
    label->setBuddy(field);
    form->addRow(label, field);
}

void InspectorForm::addFindingsHere() {
    m_findingsHolder = new QWidget;
    auto* layout = new QVBoxLayout(m_findingsHolder);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(6);
    m_column->addWidget(m_findingsHolder);
    m_findingsHolder->hide();
}

void InspectorForm::showFindings(const std::vector<Finding>& findings) {
    if (!m_findingsHolder || findings == m_shownFindings) return;
    m_shownFindings = findings;
    QLayout* layout = m_findingsHolder->layout();
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* card = item->widget()) {
            card->hide();
            card->deleteLater();
        }
        delete item;
    }
    for (const Finding& finding : findings)
        layout->addWidget(new FindingCard(m_session, finding, FindingCard::Detail::Brief));
    m_findingsHolder->setVisible(!findings.empty());
}

QLineEdit* InspectorForm::makeLine(const QString& name, bool mono) {
    auto* line = new QLineEdit;
    line->setAccessibleName(name);
    if (mono) line->setFont(Theme::font(FontRole::Mono));
    return line;
}

QLineEdit* InspectorForm::makeTypedLine(const QString& name, const std::function<void(const QString&)>& typed) {
    QLineEdit* line = makeLine(name);
    useDocumentUndo(line);
    connect(line, &QLineEdit::textEdited, this, typed);
    connect(line, &QLineEdit::editingFinished, this, [this] { m_session.document().endEditRun(); });
    return line;
}

QLineEdit* InspectorForm::makeCommittedLine(const QString& name, const std::function<bool(const QString&)>& commit) {
    auto* line = new CommittedLine;
    line->setAccessibleName(name);
    line->setFont(Theme::font(FontRole::Mono));
    line->setProperty("committed", true);
    useDocumentUndo(line);
    connect(line, &QLineEdit::textEdited, this, [line] { markRefused(line, false); });
    connect(line, &QLineEdit::editingFinished, this, [this, line, commit] {
        if (!line->isModified()) return;
        line->setModified(false);
        // A refused text stays, so that it can be corrected; leaving the field a second time shows what is stored.
        const bool taken = commit(line->text());
        markRefused(line, !taken);
        if (!taken) return;
        line->before = line->text();
        m_session.document().endEditRun();
    });
    return line;
}

QComboBox* InspectorForm::makeBox(const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setFocusPolicy(Qt::StrongFocus);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(6);
    return box;
}

void showText(QLineEdit* line, const QString& text) {
    if (line->text() == text || (line->hasFocus() && line->isModified())) return;
    line->setText(text);
    // A long text shows its beginning.
    if (!line->hasFocus()) line->setCursorPosition(0);
}

QString expressionsText(const std::vector<Expression>& expressions) {
    QStringList parts;
    for (const Expression& expression : expressions) parts << QString::fromStdString(expression.text());
    return parts.join(QLatin1String(", "));
}

Result<std::vector<Expression>> parseExpressions(const QString& text) {
    std::vector<Expression> expressions;
    if (text.trimmed().isEmpty()) return expressions;
    for (const QString& part : splitOutsideParentheses(text)) {
        Expression expression(part.toStdString());
        if (const auto names = expression.names(); !names) return unexpected(names.error());
        expressions.push_back(std::move(expression));
    }
    return expressions;
}

}  // namespace cubist

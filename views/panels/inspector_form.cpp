// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/inspector_form.h"

#include <QFormLayout>

#include <utility>

#include "core/design/edit_structure.h"
#include "views/models/design_names.h"
#include "views/panels/finding_card.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"

namespace cubist {
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

bool InspectorForm::apply(const LocalText& label, Result<Design> edited, const QString& mergeKey) {
    const QString run = mergeKey.isEmpty() ? ChoiceBox::runKey() : mergeKey;
    const QString key = run.isEmpty() ? run : QString::fromStdString(m_element.id) + QLatin1Char('/') + run;
    return m_session.document().apply(label, std::move(edited), key);
}

bool InspectorForm::rename(const QString& name) {
    const std::string id = name.trimmed().toStdString();
    const Element before = m_element;
    Result<Design> renamed =
        before.isTensor() ? renameTensor(design(), before.tensor(), id) : renameBlock(design(), before.block(), id);
    m_session.document().endEditRun();
    if (!renamed) return apply([] { return tr("Rename"); }, std::move(renamed));
    const Element after = before.isTensor() ? Element(TensorId(id)) : Element(BlockId(id));
    const bool taken = m_session.document().apply(
        [name = QString::fromStdString(before.id)] { return tr("Rename %1").arg(name); }, std::move(renamed));
    if (taken) m_session.selection().select(after);
    return taken;
}

void InspectorForm::addCaption(const QString& title) {
    m_column->addSpacing(8);
    m_column->addWidget(new SectionLabel(m_session.theme(), title));
}

QFormLayout* InspectorForm::addSection(const QString& title) {
    if (!title.isEmpty()) addCaption(title);
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
    addFieldLine(form, name, field);
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

QLineEdit* InspectorForm::makeTypedLine(const QString& name, const std::function<void(const QString&)>& typed) {
    return typedLine(name, typed, endRun());
}

QLineEdit* InspectorForm::makeCommittedLine(const QString& name, const std::function<bool(const QString&)>& commit) {
    return committedLine(name, commit, endRun());
}

const Theme& InspectorForm::theme() const {
    return m_session.theme();
}

std::function<void()> InspectorForm::endRun() {
    return [&document = m_session.document()] { document.endEditRun(); };
}

std::function<QStringList()> InspectorForm::knownValues() const {
    // A text that is shown still may ask after the design was closed.
    return [this] { return session().document().hasDesign() ? valueNames(design()) : QStringList(); };
}

std::function<QStringList()> InspectorForm::knownTensors() const {
    return [this] { return tensorNames(design()); };
}

std::function<QStringList()> InspectorForm::knownLists() const {
    return [this] { return listNames(design()); };
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/sizes_page.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "app/wizard/design_check.h"
#include "app/wizard/design_choices.h"
#include "app/wizard/template_picture.h"
#include "core/design/edit_ops.h"
#include "core/skeleton/retype.h"
#include "views/document_model.h"
#include "views/panels/group_editor.h"
#include "views/qt_text.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {
namespace {

constexpr int kFieldsWidth = 320;

/// Sizes worth stepping through: halves and doubles of 16.
std::vector<std::int64_t> sizeSteps() {
    std::vector<std::int64_t> steps;
    for (std::int64_t size = 16; size <= 16384; size *= 2) {
        steps.push_back(size);
        if (size >= 128) steps.push_back(size + size / 2);
    }
    return steps;
}

QString joined(const std::vector<std::string>& names) {
    QStringList list;
    for (const std::string& name : names) list << QString::fromStdString(name);
    return list.join(QLatin1String(", "));
}

bool sameLists(const Design& a, const Design& b) {
    return a.lists == b.lists && std::equal(a.cases.begin(), a.cases.end(), b.cases.begin(), b.cases.end(),
                                            [](const Case& one, const Case& other) {
                                                return one.id == other.id && one.lists == other.lists;
                                            });
}

void takeLists(Design& design, const Design& from) {
    design.lists = from.lists;
    for (std::size_t i = 0; i < std::min(design.cases.size(), from.cases.size()); ++i)
        design.cases[i].lists = from.cases[i].lists;
}

QFormLayout* makeForm() {
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(8);
    return form;
}

}  // namespace

SizesPage::SizesPage(const SkeletonLibrary& library, DocumentModel& document, const Theme& theme, CanvasScene& scene,
                     QWidget* parent)
    : QWidget(parent), m_library(library), m_document(document), m_theme(theme) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 16, 16, 16);
    row->setSpacing(16);
    row->addWidget(makeFields());
    row->addWidget(makeOverview(scene), 1);
    connect(&document, &DocumentModel::findingsChanged, this, &SizesPage::showTensors);
}

QWidget* SizesPage::makeFields() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(8);
    m_name = new QLineEdit;
    m_name->setObjectName(QStringLiteral("wizardName"));
    m_name->setAccessibleName(tr("Name"));
    m_types = new ChoiceBox(tr("Operand types"));
    m_types->setObjectName(QStringLiteral("wizardTypes"));
    m_chip = new ChoiceBox(tr("Chip"));
    m_chip->setObjectName(QStringLiteral("wizardChip"));
    for (QComboBox* box : {m_types, m_chip}) box->setMinimumContentsLength(8);
    QFormLayout* form = makeForm();
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Chip"), m_chip);
    form->addRow(tr("Types"), m_types);
    column->addLayout(form);
    column->addSpacing(4);
    column->addWidget(new SectionLabel(m_theme, tr("Shapes")));
    m_shapes = makeForm();
    column->addLayout(m_shapes);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFixedWidth(kFieldsWidth);
    scroll->setWidget(part);
    connect(m_types, &QComboBox::currentIndexChanged, this, &SizesPage::useTypes);
    connect(m_chip, &QComboBox::activated, this, [this](int index) {
        if (!m_document.hasDesign()) return;
        m_document.apply([] { return tr("Change chip"); },
                         setChip(*m_document.design(), ChipId(m_chip->itemData(index).toString().toStdString())));
    });
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_ownName = text.trimmed();
        if (!m_document.hasDesign() || m_ownName.isEmpty()) return;
        Design copy = *m_document.design();
        copy.name = m_ownName.toStdString();
        m_document.apply([] { return tr("Rename"); }, std::move(copy));
    });
    return scroll;
}

QWidget* SizesPage::makeOverview(CanvasScene& scene) {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    auto* picture = new FittedView(scene, m_theme);
    picture->setAccessibleName(tr("Picture of the design"));
    column->addWidget(picture, 3);
    m_tensors = new QTreeWidget;
    m_tensors->setObjectName(QStringLiteral("wizardTensors"));
    m_tensors->setAccessibleName(tr("Tensors"));
    m_tensors->setHeaderLabels({tr("Tensor"), tr("Shape"), tr("Type"), tr("Size")});
    m_tensors->setRootIsDecorated(false);
    m_tensors->setFrameShape(QFrame::NoFrame);
    m_tensors->setUniformRowHeights(true);
    m_tensors->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_tensors->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    m_tensors->header()->setStretchLastSection(false);
    m_tensors->headerItem()->setTextAlignment(3, Qt::AlignRight | Qt::AlignVCenter);
    column->addWidget(m_tensors, 2);
    m_check = new DesignCheckPanel(m_library.index(), m_document, m_theme);
    column->addWidget(m_check);
    return part;
}

bool SizesPage::isClean(Design design) const {
    DocumentModel scratch(m_document.chips());
    scratch.newDesign(std::move(design));
    const std::vector<Finding>& findings = scratch.findings();
    return scratch.resolved() && std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
               return finding.severity == Severity::Error;
           });
}

void SizesPage::addTypes(const SkeletonTemplate& entry) {
    m_choices.push_back({entry.id, std::nullopt});
    m_types->addItem(QString::fromStdString(entry.kind));
    const Design* design = m_library.design(entry.id);
    if (!design || entry.kind != toText(DType::BF16)) return;
    for (const DType other : {DType::FP16, DType::FP32}) {
        if (!isClean(withDType(*design, DType::BF16, other))) continue;
        m_choices.push_back({entry.id, std::pair{DType::BF16, other}});
        m_types->addItem(qText(toText(other)));
    }
}

void SizesPage::setTemplate(const SkeletonTemplate* entry) {
    {
        const QSignalBlocker quiet(m_types);
        m_types->clear();
        m_choices.clear();
        if (entry)
            for (const SkeletonTemplate& other : m_library.index().templates)
                if (other.variant == entry->variant && other.pattern == entry->pattern) addTypes(other);
        m_types->setCurrentIndex(m_choices.empty() ? -1 : 0);
    }
    useTypes();
}

void SizesPage::useTypes() {
    const int row = m_types->currentIndex();
    const Types* chosen = row >= 0 ? &m_choices[static_cast<std::size_t>(row)] : nullptr;
    const Design* made = chosen ? m_library.design(chosen->templateId) : nullptr;
    if (!made) {
        m_document.close();
        return;
    }
    m_arch.clear();
    for (const SkeletonTemplate& entry : m_library.index().templates)
        if (entry.id == chosen->templateId) m_arch = entry.arch;
    Design design = *made;
    if (chosen->replaced) design = withDType(design, chosen->replaced->first, chosen->replaced->second);
    if (!m_ownName.isEmpty()) design.name = m_ownName.toStdString();
    m_base = m_stretched = design;
    m_document.newDesign(std::move(design));
    m_name->setText(QString::fromStdString(m_document.design()->name));
    fillChips();
    fillShapes();
}

void SizesPage::fillChips() {
    m_chip->clear();
    for (const ChipSpec& chip : m_document.chips().chips())
        if (m_arch.empty() || chip.arch == m_arch)
            m_chip->addItem(QString::fromStdString(chip.id.text), QString::fromStdString(chip.id.text));
    const ChipSpec* chip = m_document.chip();
    m_chip->setCurrentIndex(chip ? m_chip->findData(QString::fromStdString(chip->id.text)) : -1);
}

void SizesPage::fillShapes() {
    while (m_shapes->rowCount() > 0) m_shapes->removeRow(0);
    addSymbols();
    addExtents();
    addLists();
}

void SizesPage::addSymbols() {
    for (const Symbol& symbol : m_document.design()->symbols) {
        const QString name = QString::fromStdString(symbol.id.text);
        auto* field = new StepSpinBox(m_theme, {});
        field->setObjectName(QStringLiteral("symbol_") + name);
        field->setAccessibleName(name);
        field->setToolTip(QString::fromStdString(symbol.notes));
        field->setSteps(sizeSteps());
        const Binding* binding = m_document.binding();
        const std::int64_t* bound = binding ? binding->symbols.find(symbol.id.text) : nullptr;
        field->setValue(bound ? *bound : symbol.value);
        m_shapes->addRow(name, field);
        connect(field, &StepSpinBox::edited, this, [this, id = symbol.id](std::optional<std::int64_t> value, bool) {
            if (value && *value >= 1) setSymbol(id, *value);
        });
    }
}

void SizesPage::setSymbol(const SymbolId& symbol, std::int64_t value) {
    Design design = *m_document.design();
    // Groups that somebody else set, in the group editor, are the new proportions.
    if (!sameLists(design, m_stretched)) m_base = design;
    takeLists(design, m_base);
    const Binding* now = m_document.binding();
    m_stretched = withSymbol(std::move(design), now ? now->caseId : m_document.design()->defaultCase, symbol, value);
    m_document.apply([] { return tr("Change shape"); }, m_stretched);
}

void SizesPage::addExtents() {
    const ResolvedDesign* resolved = m_document.resolved();
    for (const FixedExtent& extent : fixedExtents(*m_document.design())) {
        auto* field = new StepSpinBox(m_theme, {});
        const QString tensors = joined(extent.tensors);
        field->setObjectName(QStringLiteral("extent_%1").arg(extent.value));
        field->setAccessibleName(tr("Extent of %1").arg(tensors));
        field->setSteps(sizeSteps());
        field->setValue(extent.value);
        auto* label = new ElidedLabel(m_theme, FontRole::Ui, Token::Text);
        const QString letters = resolved ? QString::fromStdString(axisLetters(*resolved, extent.value)) : QString();
        label->setObjectName(QStringLiteral("extentLabel_%1").arg(extent.value));
        label->setWholeText(letters.isEmpty() ? tensors : QStringLiteral("%1: %2").arg(letters, tensors));
        label->setFixedWidth(kFieldsWidth / 2 - 24);
        m_shapes->addRow(label, field);
        connect(field, &StepSpinBox::edited, this, [this, extent](std::optional<std::int64_t> value, bool) {
            if (value && *value >= 1)
                m_document.apply([] { return tr("Change shape"); }, withExtent(*m_document.design(), extent, *value));
        });
    }
}

void SizesPage::addLists() {
    for (const List& list : m_document.design()->lists) {
        if (list.form == ListForm::Plain) continue;
        auto* button = new QPushButton(tr("Groups of %1...").arg(QString::fromStdString(list.id.text)));
        connect(button, &QPushButton::clicked, this,
                [this, id = list.id] { GroupEditor::edit(m_document, m_theme, id, window()); });
        m_shapes->addRow(QString(), button);
    }
}

void SizesPage::showTensors() {
    m_tensors->clear();
    const ResolvedDesign* resolved = m_document.resolved();
    if (!resolved) return;
    for (const Tensor& tensor : m_document.design()->tensors) {
        const ResolvedValue* value = resolved->value(ValueId(tensor.id.text));
        if (!value) continue;
        QStringList extents;
        std::int64_t elements = 1;
        for (const std::int64_t extent : value->shape) {
            extents << QString::number(extent);
            elements *= extent;
        }
        auto* item = new QTreeWidgetItem(
            m_tensors, {QString::fromStdString(tensor.id.text), extents.join(QStringLiteral(" \u00d7 ")),
                        qText(toText(tensor.dtype)), kilobytes(deviceBytes(tensor.dtype, elements))});
        item->setTextAlignment(3, Qt::AlignRight | Qt::AlignVCenter);
    }
}

}  // namespace cubist

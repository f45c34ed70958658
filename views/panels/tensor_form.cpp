// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/tensor_form.h"

#include <QCheckBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <utility>

#include "views/icons.h"
#include "views/panels/tolerance_fields.h"
#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

/// What `low` and `high` mean for a generator; empty: not used.
struct ParameterNames {
    QString low, high;
};

ParameterNames parameterNames(Generator generator) {
    switch (generator) {
        case Generator::Uniform: return {TensorForm::tr("from"), TensorForm::tr("below")};
        case Generator::Normal: return {TensorForm::tr("mean"), TensorForm::tr("deviation")};
        case Generator::Integers: return {TensorForm::tr("from"), TensorForm::tr("up to")};
        case Generator::Constant: return {TensorForm::tr("value"), {}};
        case Generator::Arange: return {TensorForm::tr("first"), TensorForm::tr("step")};
    }
    return {};
}

QString roleText(TensorRole role) {
    switch (role) {
        case TensorRole::Input: return TensorForm::tr("input");
        case TensorRole::Output: return TensorForm::tr("output");
        case TensorRole::InOut: return TensorForm::tr("in and out");
        case TensorRole::Workspace: return TensorForm::tr("workspace");
    }
    return {};
}

QFormLayout* formIn(QVBoxLayout* column) {
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    column->addLayout(form);
    return form;
}

}  // namespace

TensorForm::TensorForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_name(new ElidedLabel(session.theme(), FontRole::Title, Token::Text)),
      m_role(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_size(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_data(new QWidget),
      m_tolerance(new QWidget) {
    auto* head = new QHBoxLayout;
    head->addWidget(m_name, 1);
    head->addWidget(m_role);
    column()->addLayout(head);
    m_size->setWordWrap(true);
    column()->addWidget(m_size);
    m_fields = std::make_unique<FieldsOf<Tensor>>(
        theme(), endRun(), [this] { return tensor(); },
        [this](const LocalText& label, const std::function<void(Tensor&)>& edit, const QString& mergeKey) {
            return changeTensor(label, edit, mergeKey);
        });
    m_limits = std::make_unique<FieldsOf<Tolerance>>(
        theme(), endRun(),
        [this] {
            const Tensor* shown = tensor();
            return shown && shown->tolerance ? &*shown->tolerance : nullptr;
        },
        [this](const LocalText& label, const std::function<void(Tolerance&)>& edit, const QString& mergeKey) {
            return changeTensor(
                label,
                [&](Tensor& changed) { edit(changed.tolerance.emplace(changed.tolerance.value_or(Tolerance()))); },
                mergeKey);
        });
    addFields();
    addFindingsHere();
    addData();
    addTolerance();
    m_fields->into(addSection(tr("Notes")));
    m_fields->text(
        "notes", [] { return tr("notes"); }, &Tensor::notes);
    column()->addStretch(1);
}

void TensorForm::addFields() {
    QFormLayout* form = addSection(tr("Tensor"));
    m_id = makeCommittedLine(tr("Name"), [this](const QString& text) { return rename(text); });
    m_id->setProperty("key", "id");
    addField(form, tr("name"), m_id);
    FieldsOf<Tensor>& fields = *m_fields;
    fields.into(form);
    fields
        .choice<TensorRole>(
            "role", [] { return tr("role"); }, &Tensor::role)
        .tip(tr("inout holds data before the kernel and is written in place; workspace is the kernel's own memory"));
    fields
        .choice<DType>(
            "dtype", [] { return tr("type"); }, &Tensor::dtype)
        .widget()
        ->setAccessibleName(tr("Element type"));
    QLineEdit* shape = makeCommittedLine(tr("Shape"), [this](const QString& text) {
        Result<std::vector<Expression>> parsed = parseExpressions(text);
        return apply([] { return tr("Change shape"); },
                     parsed ? setTensorShape(design(), this->element().tensor(), *parsed)
                            : Result<Design>(unexpected(parsed.error())));
    });
    shape->setProperty("key", "shape");
    shape->setObjectName(QStringLiteral("tensorShape"));
    shape->setToolTip(tr("1 to 4 extents: integers and formulas over symbols, as in T, 5120"));
    addField(form, tr("shape"), shape);
    fields
        .choice<Format>(
            "format", [] { return tr("format"); }, &Tensor::format)
        .widget()
        ->setAccessibleName(tr("Format"));
    fields
        .choice<CachePolicy>(
            "cache", [] { return tr("L2"); }, &Tensor::cache)
        .tip(tr("none_cacheable keeps what is read once out of L2 (set_cache_policy)"));
}

void TensorForm::addData() {
    auto* layout = new QVBoxLayout(m_data);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(new SectionLabel(theme(), tr("Data")));
    m_dataForm = formIn(layout);
    FieldsOf<Tensor>& fields = *m_fields;
    fields.into(m_dataForm);
    const auto ofData = [](auto member) {
        return [member](auto& tensor) -> auto& {
            return std::invoke(member, tensor.data);
        };
    };
    const auto generated = [this] {
        const Tensor* shown = tensor();
        return shown && !shown->data.file && shown->data.list.empty();
    };
    fields
        .choice<Generator>(
            "generator", [] { return tr("generator"); }, ofData(&DataSource::generator))
        .onlyIf(generated)
        .widget()
        ->setAccessibleName(tr("Generator"));
    m_low = static_cast<QLineEdit*>(fields
                                        .number(
                                            "low", [] { return tr("Low"); }, ofData(&DataSource::low))
                                        .onlyIf(generated)
                                        .widget());
    m_high = static_cast<QLineEdit*>(fields
                                         .number(
                                             "high", [] { return tr("High"); }, ofData(&DataSource::high))
                                         .widget());
    fields
        .expression(
            "modulo", [] { return tr("modulo"); }, ofData(&DataSource::modulo))
        .tip(tr("0: none; otherwise the counted values start again after so many"))
        .onlyIf(generated);
    m_lowLabel = qobject_cast<QLabel*>(m_dataForm->labelForField(m_low));
    m_highLabel = qobject_cast<QLabel*>(m_dataForm->labelForField(m_high));

    m_file = makeCommittedLine(tr("File"), [this](const QString& text) {
        return changeTensor([] { return tr("Change data file"); },
                            [&](Tensor& changed) {
                                changed.data.file = text.trimmed().isEmpty()
                                                        ? std::nullopt
                                                        : std::optional(text.trimmed().toStdString());
                            });
    });
    m_file->setProperty("key", "file");
    m_file->setPlaceholderText(tr("none: generated"));
    m_file->setToolTip(
        tr("A .npy, .npz#name, .safetensors#name or raw file, relative to the design's folder; it replaces "
           "the generator"));
    auto* choose = new QPushButton(themedIcon(theme(), Icon::Folder), {});
    choose->setToolTip(tr("Choose a file"));
    choose->setAccessibleName(choose->toolTip());
    m_clearFile = new QPushButton(themedIcon(theme(), Icon::Close), {});
    m_clearFile->setToolTip(tr("Use the generator"));
    m_clearFile->setAccessibleName(m_clearFile->toolTip());
    for (QPushButton* button : {choose, m_clearFile}) button->setFixedSize(30, 28);
    m_fileRow = new QWidget;
    auto* row = new QHBoxLayout(m_fileRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(m_file, 1);
    row->addWidget(choose);
    row->addWidget(m_clearFile);
    addField(m_dataForm, tr("file"), m_fileRow);
    fields
        .reference(
            "list", [] { return tr("list"); }, ofData(&DataSource::list), knownLists())
        .tip(tr("The tensor holds the values of this list, as the host reads them; it replaces file and generator"));
    m_groups = new QPushButton(tr("Edit groups..."));
    m_groups->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_dataForm->addRow(m_groups);
    column()->addWidget(m_data);
    connect(choose, &QPushButton::clicked, this, &TensorForm::chooseFile);
    connect(m_clearFile, &QPushButton::clicked, this, [this] {
        changeTensor([] { return tr("Remove data file"); }, [](Tensor& changed) { changed.data.file.reset(); });
    });
    connect(m_groups, &QPushButton::clicked, this, [this] {
        if (const Tensor* shown = tensor()) emit groupsRequested(shown->data.list);
    });
}

void TensorForm::addTolerance() {
    auto* layout = new QVBoxLayout(m_tolerance);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(new SectionLabel(theme(), tr("How it is judged")));
    m_ownTolerance = new WrapCheckBox(tr("by its own tolerance, not the design's"));
    m_ownTolerance->setProperty("key", "tolerance");
    layout->addWidget(m_ownTolerance);
    m_ownPart = new QWidget;
    auto* part = new QVBoxLayout(m_ownPart);
    part->setContentsMargins(0, 0, 0, 0);
    m_limits->into(formIn(part));
    addToleranceFields(*m_limits);
    layout->addWidget(m_ownPart);
    column()->addWidget(m_tolerance);
    connect(m_ownTolerance, &QCheckBox::clicked, this, [this](bool own) {
        changeTensor(
            [] { return tr("Change tolerance"); },
            [&](Tensor& changed) { changed.tolerance = own ? std::optional(design().tolerance) : std::nullopt; });
    });
}

bool TensorForm::changeTensor(const LocalText& label, const std::function<void(Tensor&)>& edit,
                              const QString& mergeKey) {
    Design copy = design();
    for (Tensor& candidate : copy.tensors) {
        if (candidate.id != element().tensor()) continue;
        edit(candidate);
        return apply(label, std::move(copy), mergeKey);
    }
    return false;
}

void TensorForm::chooseFile() {
    const QString folder = session().document().folder();
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Data of %1").arg(m_name->wholeText()), folder,
                                     tr("Tensor files (*.npy *.npz *.safetensors *.bin *.data *.raw);;All files (*)"));
    if (path.isEmpty()) return;
    // Paths inside of the design's folder are kept relative, so that the folder can be moved.
    QString stored = path;
    if (!folder.isEmpty()) {
        const QString relative = QDir(folder).relativeFilePath(path);
        if (!relative.startsWith(QLatin1String(".."))) stored = relative;
    }
    changeTensor([] { return tr("Change data file"); },
                 [&](Tensor& changed) { changed.data.file = stored.toStdString(); });
}

void TensorForm::refresh() {
    const Tensor* shown = tensor();
    if (!shown) return;
    m_name->setWholeText(QString::fromStdString(shown->id.text));
    m_role->setText(roleText(shown->role));
    showText(m_id, QString::fromStdString(shown->id.text));
    for (QLineEdit* line : findChildren<QLineEdit*>(QStringLiteral("tensorShape")))
        showText(line, expressionsText(shown->shape));
    const ResolvedDesign* resolved = session().document().resolved();
    const ResolvedValue* value = resolved ? resolved->value(ValueId(shown->id.text)) : nullptr;
    m_size->setVisible(value != nullptr);
    if (value) {
        QStringList shape;
        double count = 1.0;
        for (const std::int64_t extent : value->shape) {
            shape << QString::number(extent);
            count *= static_cast<double>(extent);
        }
        m_size->setText(
            tr("[%1], %2")
                .arg(shape.join(QLatin1String(", ")),
                     kilobytes(static_cast<std::int64_t>(std::min(count * bitsPerElement(shown->dtype) / 8.0, 9e18)))));
    }
    m_data->setVisible(shown->role == TensorRole::Input || shown->role == TensorRole::InOut);
    m_tolerance->setVisible(shown->role == TensorRole::Output || shown->role == TensorRole::InOut);
    m_ownTolerance->setChecked(shown->tolerance.has_value());
    m_ownPart->setVisible(shown->tolerance.has_value());
    m_fields->refresh();
    m_limits->refresh();
    showData(*shown);
}

void TensorForm::showData(const Tensor& shown) {
    const DataSource& source = shown.data;
    const ParameterNames names = parameterNames(source.generator);
    m_lowLabel->setText(names.low);
    m_highLabel->setText(names.high);
    const bool generated = !source.file && source.list.empty();
    m_dataForm->setRowVisible(m_high, generated && !names.high.isEmpty());
    showText(m_file, source.file ? QString::fromStdString(*source.file) : QString());
    m_dataForm->setRowVisible(m_fileRow, source.list.empty());
    m_clearFile->setEnabled(source.file.has_value());
    m_dataForm->setRowVisible(m_groups, !source.list.empty());
}

}  // namespace cubist

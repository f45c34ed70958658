// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/tensor_form.h"

#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>

#include <algorithm>
#include <initializer_list>

#include "views/icons.h"
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

QString numberText(double value) {
    return QString::number(value, 'g', 12);
}

}  // namespace

TensorForm::TensorForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_name(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_role(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_size(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_data(new QWidget),
      m_lowLabel(new TextLabel(session.theme(), FontRole::Ui, Token::Muted)),
      m_highLabel(new TextLabel(session.theme(), FontRole::Ui, Token::Muted)) {
    auto* head = new QHBoxLayout;
    head->addWidget(m_name, 1);
    head->addWidget(m_role);
    column()->addLayout(head);
    m_size->setWordWrap(true);
    column()->addWidget(m_size);

    QFormLayout* form = addSection(tr("Tensor"));
    m_dtype = makeEnum<DType>(tr("Element type"), [this](DType type) {
        apply(tr("Change element type"), setTensorDType(design(), this->element().tensor(), type));
    });
    addField(form, tr("type"), m_dtype);
    m_shape = makeCommittedLine(tr("Shape"), [this](const QString& text) {
        Result<std::vector<Expression>> shape = parseExpressions(text);
        return apply(tr("Change shape"), shape ? setTensorShape(design(), this->element().tensor(), *shape)
                                               : Result<Design>(unexpected(shape.error())));
    });
    m_shape->setToolTip(tr("1 to 4 extents: integers and formulas over symbols, as in T, 5120"));
    addField(form, tr("shape"), m_shape);
    m_format = makeEnum<Format>(tr("Format"), [this](Format format) {
        apply(tr("Change format"), setTensorFormat(design(), this->element().tensor(), format));
    });
    addField(form, tr("format"), m_format);
    addFindingsHere();

    auto* dataLayout = new QVBoxLayout(m_data);
    dataLayout->setContentsMargins(0, 8, 0, 0);
    dataLayout->setSpacing(6);
    dataLayout->addWidget(new SectionLabel(session.theme(), tr("Data")));
    auto* dataForm = new QFormLayout;
    dataForm->setHorizontalSpacing(12);
    dataForm->setVerticalSpacing(6);
    dataForm->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    dataLayout->addLayout(dataForm);
    m_generator = makeEnum<Generator>(tr("Generator"), [this](Generator generator) {
        changeData(tr("Change generator"), [&](DataSource& source) { source.generator = generator; });
    });
    addField(dataForm, tr("generator"), m_generator);
    const auto number = [this](const QString& name, double DataSource::*member) {
        return makeCommittedLine(name, [this, member](const QString& text) {
            bool valid = false;
            const double value = QLocale::c().toDouble(text.trimmed(), &valid);
            if (!valid)
                return apply(tr("Change data"),
                             unexpected(ErrorCode::BadValue, "'" + text.toStdString() + "' is no number"));
            return changeData(tr("Change data"), [&](DataSource& source) { source.*member = value; });
        });
    };
    m_low = number(tr("Low"), &DataSource::low);
    m_high = number(tr("High"), &DataSource::high);
    dataForm->addRow(m_lowLabel, m_low);
    dataForm->addRow(m_highLabel, m_high);
    m_file = makeCommittedLine(tr("File"), [this](const QString& text) {
        return changeData(tr("Change data file"), [&](DataSource& source) {
            source.file = text.trimmed().isEmpty() ? std::nullopt : std::optional(text.trimmed().toStdString());
        });
    });
    m_file->setPlaceholderText(tr("none: generated"));
    m_file->setToolTip(tr("A .npy file, relative to the design's folder; it replaces the generator"));
    auto* choose = new QPushButton(themedIcon(session.theme(), Icon::Folder), {});
    choose->setToolTip(tr("Choose a .npy file"));
    choose->setAccessibleName(choose->toolTip());
    m_clearFile = new QPushButton(themedIcon(session.theme(), Icon::Close), {});
    m_clearFile->setToolTip(tr("Use the generator again"));
    m_clearFile->setAccessibleName(m_clearFile->toolTip());
    for (QPushButton* button : {choose, m_clearFile}) button->setFixedSize(28, 28);
    connect(choose, &QPushButton::clicked, this, &TensorForm::chooseFile);
    connect(m_clearFile, &QPushButton::clicked, this,
            [this] { changeData(tr("Remove data file"), [](DataSource& source) { source.file.reset(); }); });
    auto* fileField = new QWidget;
    auto* fileRow = new QHBoxLayout(fileField);
    fileRow->setContentsMargins(0, 0, 0, 0);
    fileRow->setSpacing(4);
    fileRow->addWidget(m_file, 1);
    fileRow->addWidget(choose);
    fileRow->addWidget(m_clearFile);
    addField(dataForm, tr("file"), fileField);
    column()->addWidget(m_data);

    QFormLayout* notes = addSection(tr("Notes"));
    m_notes = makeTypedLine(tr("Notes"), [this](const QString& text) {
        Design copy = design();
        for (Tensor& candidate : copy.tensors)
            if (candidate.id == this->element().tensor()) candidate.notes = text.toStdString();
        apply(tr("Change notes"), std::move(copy), QStringLiteral("notes"));
    });
    notes->addRow(m_notes);
    column()->addStretch(1);
}

bool TensorForm::changeData(const QString& label, const std::function<void(DataSource&)>& edit) {
    const Tensor* shown = tensor();
    if (!shown) return false;
    DataSource source = shown->data;
    edit(source);
    return apply(label, setTensorData(design(), element().tensor(), source));
}

void TensorForm::chooseFile() {
    const QString folder = session().document().folder();
    const QString path = QFileDialog::getOpenFileName(this, tr("Choose data"), folder, tr("NumPy arrays (*.npy)"));
    if (path.isEmpty()) return;
    QString stored = path;
    if (!folder.isEmpty()) {
        const QString relative = QDir(folder).relativeFilePath(path);
        if (!relative.startsWith(QLatin1String(".."))) stored = relative;
    }
    changeData(tr("Change data file"), [&](DataSource& source) { source.file = stored.toStdString(); });
}

void TensorForm::refresh() {
    const Tensor* shown = tensor();
    if (!shown) return;
    m_name->setText(QString::fromStdString(shown->id.text));
    m_role->setText(qText(toText(shown->role)));
    showEnum(m_dtype, shown->dtype);
    showEnum(m_format, shown->format);
    showText(m_shape, expressionsText(shown->shape));
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
    m_data->setVisible(shown->role == TensorRole::Input);
    showData(*shown);
    showText(m_notes, QString::fromStdString(shown->notes));
}

void TensorForm::showData(const Tensor& shown) {
    const DataSource& source = shown.data;
    const ParameterNames names = parameterNames(source.generator);
    showEnum(m_generator, source.generator);
    m_lowLabel->setText(names.low);
    m_highLabel->setText(names.high);
    m_highLabel->setVisible(!names.high.isEmpty());
    m_high->setVisible(!names.high.isEmpty());
    showText(m_low, numberText(source.low));
    showText(m_high, numberText(source.high));
    showText(m_file, source.file ? QString::fromStdString(*source.file) : QString());
    m_clearFile->setEnabled(source.file.has_value());
    for (QWidget* field : std::initializer_list<QWidget*>{m_generator, m_low, m_high}) field->setEnabled(!source.file);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/op_attributes.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>

#include <utility>

#include "views/theme.h"

namespace cubist {
namespace {

void showLine(QLineEdit* line, bool visible, const QString& text) {
    line->setVisible(visible);
    if (line->text() != text && !(line->hasFocus() && line->isModified())) line->setText(text);
}

}  // namespace

OpAttributes::OpAttributes(QWidget* parent) : QWidget(parent) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_dim = addLine(tr("Axis"), tr("axis (-1: the last)"));
    m_dims = addLine(tr("Axes that change places"), tr("two axes"));
    m_shape = addLine(tr("Shape of the result"), tr("shape"));
    m_offset = addLine(tr("Offset"), tr("offset (empty: zeros)"));
    m_epsilon = addLine(tr("Epsilon"), tr("epsilon"));
    m_keepDim = new QCheckBox(tr("keep axis"));
    m_keepDim->setToolTip(tr("The reduced axis stays, with extent 1"));
    layout->addWidget(m_keepDim);

    const auto onText = [this](QLineEdit* line, auto edit) {
        connect(line, &QLineEdit::editingFinished, this, [this, line, edit] {
            if (!line->isModified()) return;
            line->setModified(false);
            VectorOp op = m_op;
            edit(op, line->text());
            commit(std::move(op), tr("Change %1").arg(line->accessibleName().toLower()));
            setOp(m_op);  // what was no number goes back to the value
        });
    };
    onText(m_dim, [](VectorOp& op, const QString& text) {
        const auto values = parseIntegers(text);
        if (values && values->size() < 2) op.dim = values->empty() ? std::nullopt : std::optional(values->front());
    });
    onText(m_dims, [](VectorOp& op, const QString& text) { op.dims = parseIntegers(text).value_or(op.dims); });
    onText(m_shape, [](VectorOp& op, const QString& text) { op.shape = parseIntegers(text).value_or(op.shape); });
    onText(m_offset, [](VectorOp& op, const QString& text) { op.offset = parseIntegers(text).value_or(op.offset); });
    onText(m_epsilon, [](VectorOp& op, const QString& text) {
        bool isNumber = false;
        const double value = QLocale::c().toDouble(text.trimmed(), &isNumber);
        if (isNumber) op.epsilon = value;
    });
    connect(m_keepDim, &QCheckBox::clicked, this, [this](bool keep) {
        VectorOp op = m_op;
        op.keepDim = keep;
        commit(std::move(op), tr("Change kept axis"));
    });
}

QLineEdit* OpAttributes::addLine(const QString& name, const QString& hint) {
    auto* line = new QLineEdit;
    line->setFont(Theme::font(FontRole::Mono));
    line->setAccessibleName(name);
    line->setPlaceholderText(hint);
    line->setToolTip(name);
    layout()->addWidget(line);
    return line;
}

void OpAttributes::setOp(const VectorOp& op) {
    m_op = op;
    const OpFields fields = opFields(op.op);
    showLine(m_dim, fields.dim, op.dim ? QString::number(*op.dim) : QString());
    showLine(m_dims, fields.dims, integersText(op.dims));
    showLine(m_shape, fields.shape, integersText(op.shape));
    showLine(m_offset, fields.offset, integersText(op.offset));
    showLine(m_epsilon, fields.epsilon, QString::number(op.epsilon, 'g', 17));
    m_keepDim->setVisible(fields.keepDim);
    m_keepDim->setChecked(op.keepDim);
    OpFields none;
    none.rounding = fields.rounding;
    setVisible(fields != none);
}

void OpAttributes::commit(VectorOp op, const QString& label) {
    if (op != m_op) emit edited(op, label);
}

void dropForeignFields(VectorOp& op) {
    const OpFields fields = opFields(op.op);
    const VectorOp plain;
    if (!fields.dim) op.dim = plain.dim;
    if (!fields.keepDim) op.keepDim = plain.keepDim;
    if (!fields.dims) op.dims = plain.dims;
    if (!fields.shape) op.shape = plain.shape;
    if (!fields.offset) op.offset = plain.offset;
    if (!fields.epsilon) op.epsilon = plain.epsilon;
    if (!fields.second) op.out2 = plain.out2;
    if (!fields.count) op.count = plain.count;
    if (!fields.largest) op.largest = plain.largest;
    if (!fields.accumulate) op.accumulate = plain.accumulate;
    if (!fields.alpha) op.alpha = plain.alpha;
    if (!fields.reduce) op.reduce = plain.reduce;
    if (!fields.range) op.range = plain.range;
    if (!fields.scaleRounding) op.scaleRounding = plain.scaleRounding;
    if (!fields.interleaved) op.interleaved = plain.interleaved;
    if (fields.count && op.count < 1) op.count = 1;
    if (fields.range && op.range.empty()) op.range = {Expression(1)};
    if (!fields.rounding) {
        op.round = plain.round;
        op.saturate = plain.saturate;
    }
    if (fields.dims && op.dims.size() != 2) op.dims = {-2, -1};
}

QString integersText(const std::vector<std::int64_t>& values) {
    QStringList parts;
    for (const std::int64_t value : values) parts << QString::number(value);
    return parts.join(QLatin1String(", "));
}

std::optional<std::vector<std::int64_t>> parseIntegers(const QString& text) {
    std::vector<std::int64_t> values;
    if (text.trimmed().isEmpty()) return values;
    for (const QString& part : text.split(QLatin1Char(','))) {
        bool isInteger = false;
        values.push_back(part.trimmed().toLongLong(&isInteger));
        if (!isInteger) return std::nullopt;
    }
    return values;
}

}  // namespace cubist

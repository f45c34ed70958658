// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/ops_editor.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

#include "views/choice_text.h"
#include "views/icons.h"
#include "views/panels/op_attributes.h"
#include "views/qt_text.h"
#include "views/theme.h"

namespace cubist {
namespace {

constexpr int kSameType = -1;

}  // namespace

QString operandsText(const std::vector<Operand>& operands) {
    QStringList parts;
    for (const Operand& operand : operands) {
        if (const ValueId* value = operand.value())
            parts << QString::fromStdString(value->text);
        else if (const double* number = operand.number())
            parts << QString::number(*number, 'g', 17);
    }
    return parts.join(QLatin1String(", "));
}

std::vector<Operand> parseOperands(const QString& text) {
    std::vector<Operand> operands;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QString name = part.trimmed();
        if (name.isEmpty()) continue;
        bool isNumber = false;
        const double number = QLocale::c().toDouble(name, &isNumber);
        Operand operand;
        if (isNumber)
            operand.source = number;
        else
            operand.source = ValueId(name.toStdString());
        operands.push_back(std::move(operand));
    }
    return operands;
}

OpsEditor::OpsEditor(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_list(new QVBoxLayout) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_list->setSpacing(8);
    layout->addLayout(m_list);
    auto* addButton = new QPushButton(themedIcon(theme, Icon::Add), tr("Add operation"));
    addButton->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    layout->addWidget(addButton);
    connect(addButton, &QPushButton::clicked, this, &OpsEditor::add);
}

OpsEditor::Row OpsEditor::makeRow(std::size_t index) {
    Row row{new QWidget,   choiceBox(tr("Operation")),          new QLineEdit,
            new QLineEdit, choiceBox(tr("Type of the result")), new OpAttributes(m_theme)};
    for (const auto& [code, name] : EnumTable<VectorOpCode>::entries)
        row.op->addItem(choiceText(name), static_cast<int>(code));
    row.dtype->addItem(tr("same type"), kSameType);
    for (const auto& [type, name] : EnumTable<DType>::entries) row.dtype->addItem(qText(name), static_cast<int>(type));
    for (QLineEdit* line : {row.out, row.operands}) line->setFont(Theme::font(FontRole::Mono));
    row.out->setAccessibleName(tr("Result"));
    row.out->setPlaceholderText(tr("result"));
    row.operands->setAccessibleName(tr("Operands"));
    row.operands->setPlaceholderText(tr("values, numbers"));
    row.operands->setToolTip(tr("Values or numbers, separated by commas"));
    row.op->setProperty("key", "op");
    row.out->setProperty("key", "out");
    row.operands->setProperty("key", "in");
    row.dtype->setProperty("key", "dtype");
    auto* removeButton = new QToolButton;
    removeButton->setIcon(themedIcon(m_theme, Icon::Remove));
    removeButton->setAutoRaise(true);
    removeButton->setToolTip(tr("Remove this operation"));
    removeButton->setAccessibleName(tr("Remove this operation"));

    auto* layout = new QVBoxLayout(row.widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto* upper = new QHBoxLayout;
    upper->addWidget(row.out, 3);
    upper->addWidget(row.op, 3);
    upper->addWidget(removeButton);
    auto* lower = new QHBoxLayout;
    lower->addWidget(row.operands, 3);
    lower->addWidget(row.dtype, 2);
    layout->addLayout(upper);
    layout->addLayout(lower);
    layout->addWidget(row.attributes);

    connect(row.op, &QComboBox::activated, this, [this, index, box = row.op](int) {
        change(
            index, [] { return tr("Change operation"); },
            [&](VectorOp& op) {
                op.op = static_cast<VectorOpCode>(box->currentData().toInt());
                dropForeignFields(op);
            });
    });
    connect(row.dtype, &QComboBox::activated, this, [this, index, box = row.dtype](int) {
        const int type = box->currentData().toInt();
        change(
            index, [] { return tr("Change result type"); },
            [&](VectorOp& op) {
                op.dtype = type == kSameType ? std::nullopt : std::optional(static_cast<DType>(type));
            });
    });
    const auto commit = [this](QLineEdit* line, auto edit) {
        connect(line, &QLineEdit::editingFinished, this, [line, edit] {
            if (!line->isModified()) return;
            line->setModified(false);
            edit(line->text());
        });
    };
    commit(row.out, [this, index](const QString& text) {
        change(
            index, [] { return tr("Rename result"); },
            [&](VectorOp& op) { op.out = ValueId(text.trimmed().toStdString()); });
    });
    commit(row.operands, [this, index](const QString& text) {
        change(
            index, [] { return tr("Change operands"); }, [&](VectorOp& op) { op.in = parseOperands(text); });
    });
    connect(row.attributes, &OpAttributes::edited, this, [this, index](const VectorOp& edited, const LocalText& label) {
        change(index, label, [&](VectorOp& op) { op = edited; });
    });
    // Queued: the edit may delete the row that holds the button.
    connect(
        removeButton, &QToolButton::clicked, this, [this, index] { remove(index); }, Qt::QueuedConnection);
    return row;
}

void OpsEditor::setOps(const std::vector<VectorOp>& ops) {
    m_ops = ops;
    while (m_rows.size() > ops.size()) {
        m_rows.back().widget->hide();
        m_rows.back().widget->deleteLater();
        m_rows.pop_back();
    }
    while (m_rows.size() < ops.size()) {
        m_rows.push_back(makeRow(m_rows.size()));
        m_list->addWidget(m_rows.back().widget);
    }
    for (std::size_t i = 0; i < ops.size(); ++i) show(m_rows[i], ops[i]);
}

void OpsEditor::show(const Row& row, const VectorOp& op) const {
    row.op->setCurrentIndex(row.op->findData(static_cast<int>(op.op)));
    row.dtype->setCurrentIndex(row.dtype->findData(op.dtype ? static_cast<int>(*op.dtype) : kSameType));
    showText(row.out, QString::fromStdString(op.out.text));
    showText(row.operands, operandsText(op.in));
    row.attributes->setOp(op);
}

void OpsEditor::change(std::size_t index, const LocalText& label, const std::function<void(VectorOp&)>& edit) {
    if (index >= m_ops.size()) return;
    std::vector<VectorOp> ops = m_ops;
    edit(ops[index]);
    if (ops != m_ops) emit edited(ops, label);
}

void OpsEditor::add() {
    std::vector<VectorOp> ops = m_ops;
    VectorOp op;
    op.op = VectorOpCode::Relu;
    Operand operand;
    operand.source = ops.empty() ? ValueId("x") : ops.back().out;
    op.in.push_back(std::move(operand));
    // What the stage hands on keeps its name: the new operation takes it over, the one before gets another.
    if (ops.empty()) {
        op.out = ValueId("y");
    } else {
        op.out = ops.back().out;
        ops.back().out = ValueId(op.out.text + "_" + std::to_string(ops.size()));
        op.in.front().source = ops.back().out;
    }
    ops.push_back(std::move(op));
    emit edited(ops, [] { return tr("Add operation"); });
}

void OpsEditor::remove(std::size_t index) {
    if (index >= m_ops.size()) return;
    std::vector<VectorOp> ops = m_ops;
    const ValueId removed = ops[index].out;
    const bool last = index + 1 == ops.size();
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(index));
    // As with adding: what the stage hands on keeps its name.
    if (last && !ops.empty()) ops.back().out = removed;
    emit edited(ops, [] { return tr("Remove operation"); });
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/stage_text.h"

#include <QStringList>

#include <map>
#include <string>
#include <utility>

#include "core/design/vector_op_info.h"

namespace cubist {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString listText(const std::vector<std::int64_t>& values, const QString& separator) {
    QStringList texts;
    for (const std::int64_t value : values) texts << QString::number(value);
    return texts.join(separator);
}

QString shortNumber(double value) {
    return QString::number(value, 'g', 6);
}

/// A formula and whether it must be put in parentheses as an operand.
struct Term {
    QString text;
    bool compound = false;

    [[nodiscard]] QString operand() const { return compound ? QLatin1Char('(') + text + QLatin1Char(')') : text; }
};

QString infix(VectorOpCode op) {
    using enum VectorOpCode;
    for (const auto& [code, sign] :
         {std::pair{Add, " + "}, std::pair{Sub, " - "}, std::pair{Mul, " * "}, std::pair{Div, " / "},
          std::pair{Eq, " == "}, std::pair{Ne, " != "}, std::pair{Lt, " < "}, std::pair{Le, " <= "},
          std::pair{Gt, " > "}, std::pair{Ge, " >= "}})
        if (code == op) return QLatin1String(sign);
    return {};
}

QString listInBrackets(const std::vector<std::int64_t>& values) {
    return QLatin1Char('[') + listText(values, QStringLiteral(", ")) + QLatin1Char(']');
}

/// "[:64, 24:48]"
QString windowText(const VectorOp& op) {
    QStringList axes;
    for (std::size_t axis = 0; axis < op.shape.size(); ++axis) {
        const std::int64_t start = axis < op.offset.size() ? op.offset[axis] : 0;
        axes << (start == 0 ? QString() : QString::number(start)) + QLatin1Char(':') +
                    QString::number(start + op.shape[axis]);
    }
    return QLatin1Char('[') + axes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

Term operationTerm(const VectorOp& op, const std::vector<Term>& operands) {
    const QString between = infix(op.op);
    if (!between.isEmpty() && operands.size() == 2)
        return {operands[0].operand() + between + operands[1].operand(), true};
    if (op.op == VectorOpCode::Slice && operands.size() == 1) return {operands[0].operand() + windowText(op), false};
    QStringList arguments;
    for (const Term& operand : operands) arguments << operand.text;
    const OpFields fields = opFields(op.op);
    if (op.op == VectorOpCode::Cast && op.dtype) arguments << fromUtf8(toText(*op.dtype));
    if (fields.dims)
        for (const std::int64_t axis : op.dims) arguments << QString::number(axis);
    if (fields.shape) arguments << listInBrackets(op.shape);
    if (fields.dim) arguments << QStringLiteral("dim=%1").arg(op.dim.value_or(-1));
    if (fields.keepDim && op.keepDim) arguments << QStringLiteral("keepdim");
    if (fields.epsilon) arguments << QStringLiteral("epsilon=") + shortNumber(op.epsilon);
    return {fromUtf8(toText(op.op)) + QLatin1Char('(') + arguments.join(QStringLiteral(", ")) + QLatin1Char(')'),
            false};
}

}  // namespace

QString shapeText(const std::vector<std::int64_t>& shape) {
    return listText(shape, QStringLiteral("×"));
}

QString shapeText(const std::vector<Expression>& shape) {
    QStringList texts;
    for (const Expression& axis : shape) texts << QString::fromStdString(axis.text());
    return texts.join(QStringLiteral("×"));
}

QString formulaText(const VectorStage& stage) {
    std::map<std::string, int> reads;
    for (const VectorOp& op : stage.ops)
        for (const Operand& operand : op.in)
            if (const ValueId* value = operand.value()) ++reads[value->text];

    std::map<std::string, Term> terms;
    Term last;
    for (const VectorOp& op : stage.ops) {
        std::vector<Term> operands;
        for (const Operand& operand : op.in) {
            if (const double* number = operand.number()) operands.push_back({shortNumber(*number), false});
            const ValueId* value = operand.value();
            if (!value) continue;
            const auto inlined = terms.find(value->text);
            operands.push_back(
                inlined != terms.end() && reads[value->text] == 1
                    ? inlined->second
                    : Term{value->empty() ? QStringLiteral("?") : QString::fromStdString(value->text), false});
        }
        last = operationTerm(op, operands);
        terms[op.out.text] = last;
    }
    return last.text;
}

QString tileText(const CubeTile& tile) {
    const auto group = [](const std::vector<std::int64_t>& values) {
        return QLatin1Char('[') + listText(values, QStringLiteral(",")) + QLatin1Char(']');
    };
    return group(tile.m) + QLatin1Char(' ') + group(tile.k) + QLatin1Char(' ') + group(tile.n);
}

QString tileText(const std::vector<std::int64_t>& tile) {
    return QLatin1Char('(') + listText(tile, QStringLiteral(", ")) + QLatin1Char(')');
}

QString sliceText(const std::vector<Expression>& offset, const std::vector<QString>& extent,
                  const std::vector<QString>& whole) {
    QStringList axes;
    for (std::size_t axis = 0; axis < extent.size(); ++axis) {
        const QString start = axis < offset.size() ? QString::fromStdString(offset[axis].text()) : QStringLiteral("0");
        if (start != QLatin1String("0"))
            axes << start + QStringLiteral(" : +") + extent[axis];
        else if (axis < whole.size() && whole[axis] == extent[axis])
            axes << QStringLiteral(":");
        else
            axes << QStringLiteral(":") + extent[axis];
    }
    return QLatin1Char('[') + axes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

}  // namespace cubist

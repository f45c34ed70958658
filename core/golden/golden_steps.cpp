// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_steps.h"

#include <algorithm>

#include "core/design/op_numbers.h"

namespace cubist::golden {

namespace {

/// Reads the attributes of an operation in right-aligned axes.
void readAttributes(Step& step, std::size_t operandRank, std::size_t resultRank) {
    const VectorOp& op = *step.op;
    const auto aligned = [](std::size_t axis, std::size_t rank) { return axis + 4 - rank; };
    if (op.op == VectorOpCode::Unsqueeze)
        step.axis = aligned(axisOf(op, resultRank).value_or(0), resultRank);
    else
        step.axis = aligned(axisOf(op, operandRank).value_or(0), operandRank);
    step.drops = step.family == OpFamily::Reduction && resultRank < operandRank;
    if (const auto axes = transposedAxes(op, operandRank))
        step.swapped = {aligned(axes->first, operandRank), aligned(axes->second, operandRank)};
    if (!op.offset.empty()) step.offset = rightAligned(op.offset, 0);
}

/// Numbers are elements of the type beside them; scales and zero points of floats are FP32.
void roundNumbers(const ResolvedDesign& design, Step& step) {
    for (std::size_t i = 0; i < step.sources.size(); ++i) {
        std::optional<double>& number = step.sources[i].number;
        if (!number) continue;
        const DType own = isFloat(step.operandType) ? DType::FP32 : step.operandType;
        number = numberIn(typeOfNumber(design, *step.op, i).value_or(own), *number);
    }
}

}  // namespace

bool sameRows(const Axes& a, const Axes& b) {
    return std::equal(a.begin(), a.begin() + kLast, b.begin());
}

bool readsOwnRow(const Step& step, const Source& source) {
    if (step.family == OpFamily::Whole) return false;
    if (step.family == OpFamily::Reduction) return step.axis == kLast && !step.drops;
    if (step.family == OpFamily::Normalise) return step.axis == kLast && sameRows(step.shape, source.shape);
    const VectorOpCode op = step.op->op;
    if (op == VectorOpCode::Slice) return sameRows(step.offset, Axes{0, 0, 0, 0});
    if (op == VectorOpCode::Concat) return step.axis == kLast;
    if (op == VectorOpCode::Transpose || op == VectorOpCode::Unsqueeze || op == VectorOpCode::Reshape) return false;
    return sameRows(step.shape, source.shape);
}

Axes rowIn(const Axes& shape, Axes row) {
    for (std::size_t axis = 0; axis < kLast; ++axis)
        if (shape[axis] == 1) row[axis] = 0;
    row[kLast] = 0;
    return row;
}

Axes withAxis(const Step& step, const Axes& at) {
    Axes from = at;
    if (step.drops)
        for (std::size_t axis = 0; axis < step.axis; ++axis) from[axis] = at[axis + 1];
    from[step.axis] = 0;
    return from;
}

Axes movedFrom(const Step& step, const Axes& at) {
    const Axes& shape = step.sources[0].shape;
    Axes from = at;
    if (step.op->op == VectorOpCode::Slice) {
        for (std::size_t axis = 0; axis < from.size(); ++axis) from[axis] += step.offset[axis];
    } else if (step.op->op == VectorOpCode::Transpose) {
        std::swap(from[step.swapped.first], from[step.swapped.second]);
    } else if (step.op->op == VectorOpCode::Unsqueeze) {
        for (std::size_t axis = step.axis; axis > 0; --axis) from[axis] = at[axis - 1];
        from[0] = 0;
    } else if (step.op->op == VectorOpCode::Reshape) {
        const Axes& own = step.shape;
        const std::int64_t i = ((at[0] * own[1] + at[1]) * own[2] + at[2]) * own[3] + at[3];
        from = {i / (shape[1] * shape[2] * shape[3]), i / (shape[2] * shape[3]) % shape[1], i / shape[3] % shape[2],
                i % shape[3]};
    } else {
        for (std::size_t axis = 0; axis < from.size(); ++axis)
            if (shape[axis] == 1) from[axis] = 0;
    }
    return from;
}

bool movesRows(const Step& step) {
    if (step.op->op == VectorOpCode::Transpose) return step.swapped.first != kLast && step.swapped.second != kLast;
    return step.op->op != VectorOpCode::Reshape && (step.op->op != VectorOpCode::Unsqueeze || step.axis != kLast);
}

Result<std::vector<Step>> stepsOf(const ResolvedDesign& design, const VectorStage& stage, const Wanted& wanted,
                                  GoldenKind kind, const WindowOf& windowOf, const IndexValues& indices) {
    std::vector<Step> steps(wanted.valids.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Step& step = steps[i];
        step.op = &stage.ops[i];
        step.value = design.value(step.op->out);
        step.family = opInfo(step.op->op).family;
        step.shape = rightAligned(step.value->shape, 1);
        step.valid = wanted.valids[i];
        if (wanted.rows) wanted.rows->cut(step.shape, step.valid);
        if (!step.op->out2.empty()) {
            CUBIST_TRY(const auto valid, validShape(design, step.op->out2, indices));
            step.second.base = step.second.shape = rightAligned(design.value(step.op->out2)->shape, 1);
            step.second.valid = rightAligned(valid, 1);
        }
        if (!step.op->range.empty()) {
            CUBIST_TRY(step.range, evaluateAll(step.op->range, step.op->range.size(), lookupWith(design, indices),
                                               design.block(stage.id)->where + "/ops"));
        }
        const ResolvedValue* first = nullptr;
        for (const Operand& operand : step.op->in) {
            Source source;
            if (const double* number = operand.number()) {
                source.number = *number;
            } else {
                const ResolvedValue& value = *design.value(*operand.value());
                source.shape = rightAligned(value.shape, 1);
                if (Axes valid = source.shape; wanted.rows) wanted.rows->cut(source.shape, valid);
                source.dtype = value.dtype;
                source.rank = value.shape.size();
                source.second = value.second;
                if (first == nullptr) first = &value;
                if (value.kind == ResolvedValue::Kind::OpResult && value.producer == stage.id)
                    source.step = value.op;
                else
                    source.window = &windowOf(*operand.value());
            }
            step.sources.push_back(source);
        }
        if (first == nullptr) continue;
        step.operandType = first->dtype;
        readAttributes(step, first->shape.size(), step.value->shape.size());
        if (kind == GoldenKind::Framework) roundNumbers(design, step);
    }
    return steps;
}

}  // namespace cubist::golden

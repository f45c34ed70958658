// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_vector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "core/base/integer_math.h"
#include "core/base/parallel.h"
#include "core/golden/golden_types.h"

namespace cubist::golden {

namespace {

constexpr std::int64_t kJobElements = 1 << 14;

/// Larger (or smaller) of two numbers; NaN wins.
double extreme(double a, double b, bool larger) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    return (a > b) == larger ? a : b;
}

double apply(VectorOpCode op, double a, double b) {
    switch (op) {
        case VectorOpCode::Cast: return a;
        case VectorOpCode::Add: return a + b;
        case VectorOpCode::Sub: return a - b;
        case VectorOpCode::Mul: return a * b;
        case VectorOpCode::Div: return a / b;
        case VectorOpCode::Maximum: return extreme(a, b, true);
        case VectorOpCode::Minimum: return extreme(a, b, false);
        case VectorOpCode::Neg: return -a;
        case VectorOpCode::Abs: return std::abs(a);
        case VectorOpCode::Relu: return extreme(a, 0.0, true);
    }
    return a;
}

/// Where an operand comes from.
struct Source {
    std::optional<double> number;
    std::size_t step = 0;  ///< an earlier operation of the stage, when there is neither number nor window
    const Window* window = nullptr;
    std::int64_t columns = 1;  ///< 1: the same for all columns
};

struct Step {
    const VectorOp* op = nullptr;
    const ResolvedValue* value = nullptr;
    DType operandType = DType::FP32;
    Axes shape{1, 1, 1, 1};
    std::vector<Source> sources;
};

/// Row of an operand that goes with a row of the result: axes of extent 1 stand still.
Axes rowIn(const Axes& shape, const Axes& row) {
    Axes at = row;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (shape[axis] == 1) at[axis] = 0;
    return at;
}

/// Buffers of one worker.
struct Scratch {
    std::vector<std::vector<double>> results;  ///< a row per step
    std::vector<double> first, second;
};

std::span<const double> readOperand(const Source& source, const Axes& row, const Scratch& scratch,
                                    std::vector<double>& buffer) {
    if (source.number) {
        buffer.assign(1, *source.number);
    } else if (source.window != nullptr) {
        const Axes at = rowIn(source.window->shape, row);
        buffer.resize(static_cast<std::size_t>(source.columns));
        source.window->readRow(at[0], at[1], at[2], 0, buffer);
    } else {
        return scratch.results[source.step];
    }
    return buffer;
}

void computeStep(const Step& step, std::size_t index, const Axes& row, GoldenKind kind, Scratch& scratch) {
    std::vector<double>& out = scratch.results[index];
    out.resize(static_cast<std::size_t>(step.shape[3]));
    const std::span<const double> a = readOperand(step.sources[0], row, scratch, scratch.first);
    const std::span<const double> b =
        step.sources.size() > 1 ? readOperand(step.sources[1], row, scratch, scratch.second) : a;
    const std::size_t strideA = a.size() == 1 ? 0 : 1, strideB = b.size() == 1 ? 0 : 1;
    const VectorOpCode op = step.op->op;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = apply(op, a[i * strideA], b[i * strideB]);
    if (op == VectorOpCode::Cast)
        castValues(kind, step.operandType, step.value->dtype, step.op->round, step.op->saturate, out);
    else
        roundResult(kind, step.value->dtype, out);
}

std::vector<Step> stepsUpTo(const ResolvedDesign& design, const VectorStage& stage, std::size_t last, GoldenKind kind,
                            const WindowOf& windowOf) {
    std::vector<Step> steps(last + 1);
    for (std::size_t i = 0; i <= last; ++i) {
        Step& step = steps[i];
        step.op = &stage.ops[i];
        step.value = design.value(step.op->out);
        step.shape = rightAligned(step.value->shape, 1);
        bool typed = false;
        for (const Operand& operand : step.op->in) {
            Source source;
            if (const double* number = operand.number()) {
                double value = *number;
                roundResult(kind, DType::FP32, std::span(&value, 1));
                source.number = value;
            } else {
                const ResolvedValue& value = *design.value(*operand.value());
                source.columns = rightAligned(value.shape, 1)[3];
                if (!typed) step.operandType = value.dtype;
                typed = true;
                const bool own = value.kind == ResolvedValue::Kind::OpResult && value.producer == stage.id;
                if (own)
                    source.step = value.op;
                else
                    source.window = &windowOf(*operand.value());
            }
            step.sources.push_back(source);
        }
    }
    return steps;
}

}  // namespace

bool computeVector(const ResolvedDesign& design, const VectorStage& stage, const ResolvedValue& target,
                   const Axes& valid, GoldenKind kind, const WindowOf& windowOf, std::vector<double>& result,
                   Meter& meter) {
    const std::vector<Step> steps = stepsUpTo(design, stage, target.op, kind, windowOf);
    const Axes shape = rightAligned(target.shape, 1);
    const std::int64_t rows = rowsOf(valid);
    const double rowWork = static_cast<double>(valid[3]) * Meter::kElementWork * static_cast<double>(steps.size());
    const std::int64_t jobRows = std::max<std::int64_t>(1, kJobElements / std::max<std::int64_t>(1, shape[3]));
    return parallelFor(meter.threads(), ceilDiv(rows, jobRows), [&](std::int64_t job, int worker) {
        Scratch scratch;
        scratch.results.resize(steps.size());
        const std::int64_t end = std::min(rows, (job + 1) * jobRows);
        for (std::int64_t r = job * jobRows; r < end; ++r) {
            if (meter.cancelled()) return false;
            const Axes row{r / (valid[1] * valid[2]), r / valid[2] % valid[1], r % valid[2], 0};
            for (std::size_t i = 0; i < steps.size(); ++i) computeStep(steps[i], i, row, kind, scratch);
            const std::int64_t to = ((row[0] * shape[1] + row[1]) * shape[2] + row[2]) * shape[3];
            std::copy_n(scratch.results.back().begin(), valid[3], result.begin() + to);
            meter.add(rowWork, worker);
        }
        return true;
    });
}

}  // namespace cubist::golden

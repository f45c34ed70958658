// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_vector.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/integer_math.h"
#include "core/base/number_formats.h"
#include "core/base/parallel.h"
#include "core/design/vector_op_info.h"
#include "core/golden/golden_ops.h"
#include "core/golden/golden_steps.h"
#include "core/golden/golden_types.h"
#include "core/golden/golden_whole.h"

namespace cubist::golden {

namespace {

constexpr std::int64_t kJobElements = 1 << 14;

/// Buffers of one worker.
struct Scratch {
    struct Row {
        std::optional<Axes> at;  ///< which row `values` holds
        std::vector<double> values;
        std::vector<std::vector<double>> operands;
    };
    std::vector<Row> steps;
};

/// The operations of one stage, each row made from the rows it needs.
class StageEvaluation {
public:
    StageEvaluation(std::vector<Step> steps, GoldenKind kind, Meter& meter)
        : m_steps(std::move(steps)), m_kind(kind), m_meter(meter) {
        m_steps.back().needed = true;
        for (std::size_t i = m_steps.size(); i-- > 0;) {
            if (!m_steps[i].needed) continue;
            for (const Source& source : m_steps[i].sources) {
                if (source.number || source.window != nullptr) continue;
                Step& made = m_steps[source.step];
                made.needed = true;
                made.whole = made.whole || acrossRows(made) || made.family == OpFamily::Whole ||
                             !readsOwnRow(m_steps[i], source);
            }
        }
    }

    /// What stopped `run`, when it was not the user.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

    /// Makes a result of the last operation. Returns false when cancelled, or with an error.
    [[nodiscard]] bool run(GoldenValues& result, bool second) {
        for (std::size_t i = 0; i + 1 < m_steps.size(); ++i) {
            Step& step = m_steps[i];
            if (!step.needed || !step.whole) continue;
            auto values = std::make_shared<GoldenValues>(static_cast<std::size_t>(rowsOf(step.shape) * step.shape[3]));
            if (!make(i, *values)) return false;
            step.result.values = std::move(values);
            step.result.base = step.result.shape = step.shape;
            step.result.valid = step.valid;
        }
        if (!make(m_steps.size() - 1, result)) return false;
        if (second) result = *m_steps.back().second.values;
        return true;
    }

private:
    /// Softmax along another axis than the last.
    static bool acrossRows(const Step& step) { return step.family == OpFamily::Normalise && step.axis != kLast; }

    bool make(std::size_t index, GoldenValues& values) {
        if (m_steps[index].family == OpFamily::Whole) return makeWhole(m_steps[index], values);
        const Step& step = m_steps[index];
        // Of an operation across rows, one unit of work is all rows along the axis.
        Axes units = step.valid;
        if (acrossRows(step)) units[step.axis] = 1;
        const std::int64_t jobRows = std::max<std::int64_t>(1, kJobElements / std::max<std::int64_t>(1, step.shape[3]));
        const std::int64_t rows = rowsOf(units);
        return parallelFor(m_meter.threads(), ceilDiv(rows, jobRows), [&](std::int64_t job, int worker) {
            Scratch scratch;
            scratch.steps.resize(m_steps.size());
            const std::int64_t end = std::min(rows, (job + 1) * jobRows);
            for (std::int64_t r = job * jobRows; r < end; ++r) {
                if (m_meter.cancelled()) return false;
                const Axes row{r / (units[1] * units[2]), r / units[2] % units[1], r % units[2], 0};
                if (acrossRows(step)) {
                    softmaxAcross(index, row, scratch, worker, values);
                } else {
                    const std::span<const double> made = rowOf(index, row, scratch, worker);
                    std::copy_n(made.begin(), step.valid[3], values.begin() + placeOf(step.shape, row));
                }
            }
            return !m_meter.cancelled();
        });
    }

    /// An operation that has its own rule on whole tensors.
    bool makeWhole(Step& step, GoldenValues& values) {
        std::vector<WholeTensor> operands;
        double elements = static_cast<double>(values.size());
        for (const Source& source : step.sources) {
            WholeTensor& operand = operands.emplace_back();
            operand.number = source.number;
            if (source.number) continue;
            const Window& window = windowOf(source);
            operand.dtype = source.dtype;
            operand.rank = source.rank;
            operand.shape = source.shape;
            operand.valid = window.valid;
            if (step.op->op == VectorOpCode::IndexSelect && &source == &step.sources[0]) {
                operand.rows = &window;
                continue;
            }
            const auto length = static_cast<std::size_t>(source.shape[kLast]);
            operand.values = GoldenValues(static_cast<std::size_t>(rowsOf(source.shape)) * length);
            elements += static_cast<double>(operand.values.size());
            for (std::int64_t r = 0; r < rowsOf(source.shape); ++r) {
                if (m_meter.cancelled()) return false;
                window.readRow(r / (source.shape[1] * source.shape[2]), r / source.shape[2] % source.shape[1],
                               r % source.shape[2], 0,
                               std::span(operand.values).subspan(static_cast<std::size_t>(r) * length, length));
            }
        }
        WholeTensor result, second;
        result.dtype = step.value->dtype;
        result.shape = step.shape;
        result.valid = step.valid;
        result.values = std::move(values);
        second.shape = step.second.shape;
        second.values = GoldenValues(static_cast<std::size_t>(rowsOf(second.shape) * second.shape[kLast]));
        const bool hasSecond = !step.op->out2.empty();
        const auto done = computeWhole(*step.op, m_kind, step.range, operands, result, hasSecond ? &second : nullptr);
        if (!done) m_error = done.error();
        values = std::move(result.values);
        if (hasSecond) step.second.values = std::make_shared<const GoldenValues>(std::move(second.values));
        m_meter.add(elements * Meter::kElementWork, 0);
        return done.has_value() && !m_meter.cancelled();
    }

    /// What a source that is no number shows, as a whole.
    const Window& windowOf(const Source& source) const {
        if (source.window != nullptr) return *source.window;
        return source.second ? m_steps[source.step].second : m_steps[source.step].result;
    }

    static std::int64_t placeOf(const Axes& shape, const Axes& at) {
        return ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
    }

    /// A row of an operand; a number and a column give one element. Valid until the same operand is read again.
    std::span<const double> operand(std::size_t index, std::size_t number, const Axes& at, Scratch& scratch,
                                    int worker) const {
        const Source& source = m_steps[index].sources[number];
        const bool made = !source.number && source.window == nullptr;
        if (made && !m_steps[source.step].whole) return rowOf(source.step, rowIn(source.shape, at), scratch, worker);
        Scratch::Row& own = scratch.steps[index];
        if (own.operands.size() <= number) own.operands.resize(number + 1);
        std::vector<double>& buffer = own.operands[number];
        if (source.number) {
            buffer.assign(1, *source.number);
            return buffer;
        }
        const Window& window = windowOf(source);
        const Axes row = rowIn(source.shape, at);
        buffer.resize(static_cast<std::size_t>(source.shape[3]));
        window.readRow(row[0], row[1], row[2], 0, buffer);
        return buffer;
    }

    double element(std::size_t index, const Axes& at) const {
        const Source& source = m_steps[index].sources[0];
        const Window& window = windowOf(source);
        double value = 0.0;
        window.readRow(at[0], at[1], at[2], at[3], std::span(&value, 1));
        return value;
    }

    /// How much of an operand is valid along an axis.
    std::int64_t validOf(const Source& source, std::size_t axis) const {
        if (source.window != nullptr) return source.window->valid[axis];
        return source.second ? m_steps[source.step].second.valid[axis] : m_steps[source.step].valid[axis];
    }

    std::span<const double> rowOf(std::size_t index, const Axes& row, Scratch& scratch, int worker) const {
        const Step& step = m_steps[index];
        Scratch::Row& own = scratch.steps[index];
        if (own.at == row) return own.values;
        own.at = row;
        own.values.assign(static_cast<std::size_t>(step.shape[3]), 0.0);
        const std::span<double> out(own.values);
        switch (step.family) {
            case OpFamily::Elementwise:
            case OpFamily::Compare: elementwise(index, row, out, scratch, worker); break;
            case OpFamily::Reduction: reduce(index, row, out, scratch, worker); break;
            case OpFamily::Normalise: normalise(index, row, out, scratch, worker); break;
            case OpFamily::Movement: move(index, row, out, scratch, worker); break;
            case OpFamily::Whole: break;  // made at once, before any row is asked for
        }
        finish(step, out);
        return own.values;
    }

    /// Are operands and result integers, so that the operation keeps the low bits whatever their size?
    static bool isInteger(const Step& step) {
        if (isFloat(step.value->dtype)) return false;
        const bool known = step.family == OpFamily::Reduction || hasIntegerForm(step.op->op);
        return known && std::all_of(step.sources.begin(), step.sources.end(),
                                    [](const Source& source) { return source.number || !isFloat(source.dtype); });
    }

    /// Rounds to the declared type; what is not valid reads as zero.
    void finish(const Step& step, std::span<double> out) const {
        if (step.op->op == VectorOpCode::Cast)
            castValues(m_kind, step.operandType, step.value->dtype,
                       castRounding(step.operandType, step.value->dtype, step.op->round), step.op->saturate, out);
        else if (step.family != OpFamily::Movement && !isInteger(step))
            roundResult(m_kind, step.value->dtype, out);
        std::fill(out.begin() + std::min(step.valid[3], step.shape[3]), out.end(), 0.0);
    }

    void count(std::size_t elements, int worker) const {
        m_meter.add(static_cast<double>(elements) * Meter::kElementWork, worker);
    }

    void elementwise(std::size_t index, const Axes& row, std::span<double> out, Scratch& scratch, int worker) const {
        const Step& step = m_steps[index];
        std::array<std::span<const double>, 3> in;
        std::array<std::size_t, 3> stride{};
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = i < step.sources.size() ? operand(index, i, row, scratch, worker) : in[0];
            stride[i] = in[i].size() == 1 ? 0 : 1;
        }
        const VectorOpCode op = step.op->op;
        if (isInteger(step)) {
            const auto integer = [&](std::size_t number, std::size_t i) {
                const Source& source = step.sources[number < step.sources.size() ? number : 0];
                const double value = in[number][i * stride[number]];
                return source.number ? toInteger(DType::INT64, value) : integerOf(source.dtype, value);
            };
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = carried(step.value->dtype, integerElementOf(op, integer(0, i), integer(1, i), integer(2, i)));
        } else {
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = golden::elementOf(op, in[0][i * stride[0]], in[1][i * stride[1]], in[2][i * stride[2]]);
        }
        count(out.size(), worker);
    }

    void reduceIntegers(std::size_t index, const Axes& row, std::span<double> out, Scratch& scratch, int worker) const {
        const Step& step = m_steps[index];
        const DType from = step.sources[0].dtype;
        const std::int64_t length = validOf(step.sources[0], step.axis);
        std::vector<std::int64_t> totals(out.size(), neutralInteger(step.op->op));
        const auto add = [&](std::int64_t& total, double x) {
            total = accumulated(step.op->op, total, integerOf(from, x));
        };
        if (step.axis != kLast) {
            Axes at = withAxis(step, row);
            for (; at[step.axis] < length && !m_meter.cancelled(); ++at[step.axis]) {
                const auto in = operand(index, 0, at, scratch, worker);
                for (std::size_t c = 0; c < totals.size(); ++c) add(totals[c], in[c]);
            }
        } else {
            for (std::size_t c = 0; c < totals.size() && !m_meter.cancelled(); ++c) {
                Axes at = row;
                at[3] = static_cast<std::int64_t>(c);
                const auto in = operand(index, 0, withAxis(step, at), scratch, worker);
                for (const double x : in.first(static_cast<std::size_t>(length))) add(totals[c], x);
            }
        }
        for (std::size_t c = 0; c < totals.size(); ++c) out[c] = carried(step.value->dtype, totals[c]);
        count(out.size() * static_cast<std::size_t>(length), worker);
    }

    void reduce(std::size_t index, const Axes& row, std::span<double> out, Scratch& scratch, int worker) const {
        const Step& step = m_steps[index];
        if (isInteger(step)) return reduceIntegers(index, row, out, scratch, worker);
        const VectorOpCode op = step.op->op;
        const std::int64_t length = validOf(step.sources[0], step.axis);
        std::fill(out.begin(), out.end(), neutral(op));
        if (step.axis != kLast) {
            Axes from = withAxis(step, row);
            for (; from[step.axis] < length && !m_meter.cancelled(); ++from[step.axis])
                accumulate(op, operand(index, 0, from, scratch, worker), out);
            count(out.size() * static_cast<std::size_t>(length), worker);
            return;
        }
        for (std::size_t c = 0; c < out.size() && !m_meter.cancelled(); ++c) {
            Axes at = row;
            at[3] = static_cast<std::int64_t>(c);
            const auto in = operand(index, 0, withAxis(step, at), scratch, worker);
            for (const double& x : in.first(static_cast<std::size_t>(length)))
                accumulate(op, std::span(&x, 1), out.subspan(c, 1));
            count(in.size(), worker);
        }
    }

    void normalise(std::size_t index, const Axes& row, std::span<double> out, Scratch& scratch, int worker) const {
        const Step& step = m_steps[index];
        const auto in = operand(index, 0, row, scratch, worker);
        std::copy(in.begin(), in.end(), out.begin());
        const std::span<double> valid = out.first(static_cast<std::size_t>(validOf(step.sources[0], kLast)));
        if (step.op->op == VectorOpCode::Softmax) {
            softmax(valid);
        } else {
            rmsNorm(valid, step.op->epsilon);
            if (step.sources.size() > 1) {
                const auto gamma = operand(index, 1, row, scratch, worker);
                for (std::size_t i = 0; i < valid.size(); ++i) valid[i] *= gamma[gamma.size() == 1 ? 0 : i];
            }
        }
        count(out.size(), worker);
    }

    void softmaxAcross(std::size_t index, Axes row, Scratch& scratch, int worker, std::span<double> values) const {
        const Step& step = m_steps[index];
        const auto length = static_cast<std::size_t>(step.valid[step.axis]);
        const auto columns = static_cast<std::size_t>(step.shape[3]);
        std::vector<double> lines(length * columns);  // transposed: one line for each column
        for (std::size_t i = 0; i < length && !m_meter.cancelled(); ++i) {
            row[step.axis] = static_cast<std::int64_t>(i);
            const auto in = operand(index, 0, row, scratch, worker);
            for (std::size_t c = 0; c < columns; ++c) lines[c * length + i] = in[c];
        }
        for (std::size_t c = 0; c < columns && !m_meter.cancelled(); ++c)
            softmax(std::span(lines).subspan(c * length, length));
        std::vector<double> out(columns);
        for (std::size_t i = 0; i < length && !m_meter.cancelled(); ++i) {
            row[step.axis] = static_cast<std::int64_t>(i);
            for (std::size_t c = 0; c < columns; ++c) out[c] = lines[c * length + i];
            finish(step, out);
            std::copy(out.begin(), out.end(), values.begin() + placeOf(step.shape, row));
        }
        count(lines.size(), worker);
    }

    void move(std::size_t index, const Axes& row, std::span<double> out, Scratch& scratch, int worker) const {
        const Step& step = m_steps[index];
        if (step.op->op == VectorOpCode::Concat) {
            join(index, row, out, scratch, worker);
        } else if (movesRows(step)) {
            const Axes from = movedFrom(step, row);
            const auto in = operand(index, 0, from, scratch, worker);
            const auto first = static_cast<std::size_t>(from[3]);
            for (std::size_t c = 0; c < out.size(); ++c) out[c] = in.size() == 1 ? in[0] : in[first + c];
        } else {
            Axes at = row;
            for (; at[3] < step.valid[3]; ++at[3])
                out[static_cast<std::size_t>(at[3])] = element(index, movedFrom(step, at));
        }
        count(out.size(), worker);
    }

    void join(std::size_t index, const Axes& row, std::span<double> out, Scratch& scratch, int worker) const {
        const Step& step = m_steps[index];
        std::int64_t start = 0;
        for (std::size_t i = 0; i < step.sources.size(); ++i) {
            const std::int64_t extent = step.sources[i].shape[step.axis];
            Axes from = row;
            if (step.axis != kLast) from[step.axis] -= start;
            if (step.axis == kLast || (from[step.axis] >= 0 && from[step.axis] < extent)) {
                const auto in = operand(index, i, from, scratch, worker);
                std::copy(in.begin(), in.end(), out.begin() + (step.axis == kLast ? start : 0));
            }
            start += extent;
        }
    }

    std::vector<Step> m_steps;
    GoldenKind m_kind;
    Meter& m_meter;
    std::optional<Error> m_error;
};

}  // namespace

Result<void> computeVector(const ResolvedDesign& design, const VectorStage& stage, const Wanted& wanted,
                           GoldenKind kind, const WindowOf& windowOf, const IndexValues& indices, GoldenValues& result,
                           Meter& meter) {
    CUBIST_TRY(auto steps, stepsOf(design, stage, wanted, kind, windowOf, indices));
    StageEvaluation evaluation(std::move(steps), kind, meter);
    if (evaluation.run(result, wanted.second)) return {};
    if (!evaluation.error()) return cancelledError();
    Error error = *evaluation.error();
    error.where = design.block(stage.id)->where;
    return unexpected(std::move(error));
}

}  // namespace cubist::golden

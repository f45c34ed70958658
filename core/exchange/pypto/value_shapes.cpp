// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/value_shapes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/design/vector_op_info.h"

namespace cubist::pypto {
namespace {

using Axes = std::vector<Axis>;

bool isOne(const Axis& axis) {
    return literal(axis.extent) == 1;
}

class ShapePlanner {
public:
    ShapePlanner(const ResolvedDesign& design, const KernelPlan& plan, std::map<std::string, Axes>& axes,
                 std::vector<ExportProblem>& problems)
        : m_design(design), m_plan(plan), m_axes(axes), m_problems(problems) {}

    void run() {
        for (const Tensor& tensor : m_design.design->tensors) {
            Axes& axes = m_axes[tensor.id.text];
            for (const SymbolicPtr& extent : m_plan.tensorShape(tensor)) axes.push_back({extent, nullptr});
        }
        for (const ResolvedBlock& block : m_design.blocks) {
            m_block = &block;
            if (const auto* view = std::get_if<View>(&block.block->content)) planView(*view);
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) planCube(*cube);
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) planVector(*vector);
        }
    }

private:
    void planView(const View& view) {
        Axes axes;
        for (std::size_t i = 0; i < view.shape.size(); ++i) {
            const SymbolicPtr extent = m_plan.fold(view.shape[i]);
            if (i >= view.valid.size()) {
                axes.push_back({extent, nullptr});
                continue;
            }
            SymbolicPtr valid = m_plan.fold(view.valid[i]);
            if (m_plan.isCompileTime(valid))
                axes.push_back({std::move(valid), nullptr});
            else
                axes.push_back({extent, std::move(valid)});
        }
        m_axes[view.out.text] = std::move(axes);
    }

    void planCube(const CubeStage& stage) {
        const Axes& a = of(stage.a);
        const Axes& b = of(stage.b);
        if (a.size() < 2 || b.size() < 2) return;
        Axes out;
        for (std::size_t i = 0; i + 2 < std::max(a.size(), b.size()); ++i)
            out.push_back(i + 2 < a.size() && !isOne(a[i]) ? a[i] : i + 2 < b.size() ? b[i] : a[i]);
        out.push_back(a[a.size() - (stage.aTrans ? 1 : 2)]);
        out.push_back(b[b.size() - (stage.bTrans ? 2 : 1)]);
        m_axes[stage.out.text] = std::move(out);
    }

    void planVector(const VectorStage& stage) {
        m_stage = &stage;
        for (m_index = 0; m_index < stage.ops.size(); ++m_index) {
            const VectorOp& op = stage.ops[m_index];
            m_axes[op.out.text] = resultOf(op);
            if (!op.out2.empty()) m_axes[op.out2.text] = secondOf(op);
        }
    }

    [[nodiscard]] const Axes& of(const ValueId& id) const {
        static const Axes nothing;
        const auto found = m_axes.find(id.text);
        return found == m_axes.end() ? nothing : found->second;
    }
    [[nodiscard]] const Axes& operand(const VectorOp& op, std::size_t i) const {
        static const Axes nothing;
        const ValueId* id = i < op.in.size() ? op.in[i].value() : nullptr;
        return id == nullptr ? nothing : of(*id);
    }
    [[nodiscard]] const std::vector<std::int64_t>& declared(const VectorOp& op, std::size_t i) const {
        static const std::vector<std::int64_t> nothing;
        const ValueId* id = i < op.in.size() ? op.in[i].value() : nullptr;
        const ResolvedValue* value = id == nullptr ? nullptr : m_design.value(*id);
        return value == nullptr ? nothing : value->shape;
    }

    Axes resultOf(const VectorOp& op) {
        using enum VectorOpCode;
        const OpFamily family = opInfo(op.op).family;
        const Axes& first = operand(op, 0);
        if (family == OpFamily::Elementwise || family == OpFamily::Compare) return broadcast(op);
        if (family == OpFamily::Reduction) {
            Axes out = first;
            const auto axis = axisOf(op, first.size());
            if (!axis) return out;
            if (op.keepDim)
                out[*axis] = {number(1), nullptr};
            else
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
            return out;
        }
        if (op.op == Slice) return sliced(op);
        if (op.op == Concat) return joined(op);
        if (op.op == Transpose) {
            Axes out = first;
            if (const auto axes = transposedAxes(op, out.size())) std::swap(out[axes->first], out[axes->second]);
            return out;
        }
        if (op.op == ExpandClone) return stretched(op);
        if (op.op == Unsqueeze) {
            Axes out = first;
            if (const auto axis = axisOf(op, first.size() + 1))
                out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), {number(1), nullptr});
            return out;
        }
        if (op.op == Reshape) return reshaped(op);
        if (op.op == Full) return likeNeighbours(op.shape);
        if (op.op == Arange) return literalAxes(m_design.value(op.out));
        if (op.op == FillPad) {
            Axes out = first;
            for (Axis& axis : out) axis.valid = nullptr;
            return out;
        }
        if (op.op == Gather) return operand(op, 1);
        if (op.op == IndexSelect) {
            Axes out = first;
            const auto axis = axisOf(op, first.size());
            if (!axis) return out;
            const auto place = out.begin() + static_cast<std::ptrdiff_t>(*axis);
            const Axes& index = operand(op, 1);
            out.insert(out.erase(place), index.begin(), index.end());
            return out;
        }
        if (op.op == TopK) {
            Axes out = first;
            if (!out.empty()) out.back() = {number(op.count), nullptr};
            return out;
        }
        return first;  // normalise, rope, scatter, index_add, index_put, argsort, cumsum, quantisations
    }

    Axes secondOf(const VectorOp& op) {
        Axes out = operand(op, 0);
        if (out.empty()) return out;
        if (op.op == VectorOpCode::TopK) {
            out.back() = {number(op.count), nullptr};
            return out;
        }
        // The exponents of quant_mx: ceil(d / 64) along its axis, then 2.
        Axis& along = out[std::min(axisOf(op, out.size()).value_or(out.size() - 1), out.size() - 1)];
        const auto extent = literal(along.extent);
        along = {number(extent ? (*extent + 63) / 64 : 1), nullptr};
        out.push_back({number(2), nullptr});
        return out;
    }

    static Axes literalAxes(const ResolvedValue* value) {
        Axes out;
        if (value != nullptr)
            for (const std::int64_t extent : value->shape) out.push_back({number(extent), nullptr});
        return out;
    }

    Axes broadcast(const VectorOp& op) const {
        Axes out;
        for (std::size_t i = 0; i < op.in.size(); ++i) {
            const Axes& axes = operand(op, i);
            if (axes.size() > out.size()) out.insert(out.begin(), axes.size() - out.size(), {number(1), nullptr});
            for (std::size_t j = 0; j < axes.size(); ++j) {
                Axis& place = out[out.size() - axes.size() + j];
                if (isOne(place) || (!place.valid && axes[j].valid && !isOne(axes[j]))) place = axes[j];
            }
        }
        return out;
    }

    Axes sliced(const VectorOp& op) {
        const Axes& from = operand(op, 0);
        const std::vector<std::int64_t>& extents = declared(op, 0);
        Axes out;
        for (std::size_t i = 0; i < op.shape.size() && i < from.size(); ++i) {
            const std::int64_t offset = i < op.offset.size() ? op.offset[i] : 0;
            if (offset == 0 && op.shape[i] == extents[i]) {
                out.push_back(from[i]);
                continue;
            }
            const auto have = literal(from[i].extent);
            std::int64_t extent = op.shape[i];
            if (have)
                extent = std::min(extent, *have - offset);
            else
                problem("the slice '" + op.out.text + "' cuts an axis whose length follows a loop",
                        "切片 '" + op.out.text + "' 切分的轴长度随循环变化");
            if (extent < 1) {
                extent = 1;
                problem("the slice '" + op.out.text + "' lies outside of what is valid in this case",
                        "切片 '" + op.out.text + "' 超出此用例的有效范围");
            }
            SymbolicPtr valid;
            if (from[i].valid)
                valid = binary(Symbolic::Kind::Min,
                               offset == 0 ? from[i].valid : binary(Symbolic::Kind::Sub, from[i].valid, number(offset)),
                               number(extent));
            out.push_back({number(extent), std::move(valid)});
        }
        return out;
    }

    Axes joined(const VectorOp& op) {
        Axes out = operand(op, 0);
        const auto axis = axisOf(op, out.size());
        if (!axis) return out;
        std::int64_t total = 0;
        for (std::size_t i = 0; i < op.in.size(); ++i) {
            const Axes& axes = operand(op, i);
            const auto extent = *axis < axes.size() ? literal(axes[*axis].extent) : std::nullopt;
            if (!extent || axes[*axis].valid)
                problem("the axis that '" + op.out.text + "' joins along is not known when the kernel is compiled",
                        "'" + op.out.text + "' 的拼接轴在编译时未知");
            total += extent.value_or(1);
        }
        out[*axis] = {number(total), nullptr};
        return out;
    }

    Axes stretched(const VectorOp& op) {
        const Axes& from = operand(op, 0);
        const std::vector<std::int64_t>& extents = declared(op, 0);
        Axes out = likeNeighbours(op.shape);
        for (std::size_t i = 0; i < out.size() && i < from.size(); ++i)
            if (extents[i] == op.shape[i]) out[i] = from[i];
        return out;
    }

    /// A shape given in numbers takes the axes of another value of the stage that is declared with the same numbers.
    [[nodiscard]] Axes likeNeighbours(const std::vector<std::int64_t>& shape) const {
        Axes out;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            Axis axis{number(shape[i]), nullptr};
            for (const VectorOp& op : m_stage->ops)
                for (std::size_t k = 0; k < op.in.size(); ++k) {
                    const Axes& axes = operand(op, k);
                    const std::vector<std::int64_t>& extents = declared(op, k);
                    const bool same = extents.size() == shape.size() && axes.size() == shape.size() &&
                                      extents[i] == shape[i] && shape[i] != 1;
                    if (same && (axes[i].valid || literal(axes[i].extent) != shape[i])) axis = axes[i];
                }
            out.push_back(axis);
        }
        return out;
    }

    /// Leading and trailing axes that stay keep what they are; those between must be plain numbers.
    Axes reshaped(const VectorOp& op) {
        const Axes& from = operand(op, 0);
        const std::vector<std::int64_t>& extents = declared(op, 0);
        const std::vector<std::int64_t>& result = m_design.value(op.out)->shape;  // without -1
        Axes out;
        for (const std::int64_t extent : result) out.push_back({number(extent), nullptr});
        std::size_t front = 0, back = 0;
        while (front < out.size() && front < from.size() && extents[front] == result[front]) {
            out[front] = from[front];
            ++front;
        }
        const std::size_t most = std::min(out.size(), from.size()) - front;
        while (back < most && extents[extents.size() - 1 - back] == result[result.size() - 1 - back]) {
            out[out.size() - 1 - back] = from[from.size() - 1 - back];
            ++back;
        }
        for (std::size_t i = front; i + back < from.size(); ++i)
            if (from[i].valid || literal(from[i].extent) != extents[i]) {
                problem("the reshape '" + op.out.text + "' merges an axis with a tail",
                        "重塑 '" + op.out.text + "' 合并了带尾块的轴");
                break;
            }
        return out;
    }

    void problem(std::string message, std::string zh) {
        m_problems.push_back({"EXP-02", m_block->where + "/ops/" + std::to_string(m_index), m_block->block->id(),
                              std::move(message), std::move(zh)});
    }

    const ResolvedDesign& m_design;
    const KernelPlan& m_plan;
    std::map<std::string, Axes>& m_axes;
    std::vector<ExportProblem>& m_problems;
    const ResolvedBlock* m_block = nullptr;
    const VectorStage* m_stage = nullptr;
    std::size_t m_index = 0;
};

}  // namespace

void planValueShapes(const ResolvedDesign& design, const KernelPlan& plan,
                     std::map<std::string, std::vector<Axis>>& axes, std::vector<ExportProblem>& problems) {
    ShapePlanner(design, plan, axes, problems).run();
}

}  // namespace cubist::pypto

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/vector_plan.h"

#include <algorithm>
#include <map>

#include "core/design/vector_op_info.h"

namespace cubist::detail {
namespace {

constexpr std::uint16_t kNone = PlanOp::kNumber;

class Planner {
public:
    Planner(const ResolvedDesign& design, const IndexValues& indices) : m_design(design), m_indices(indices) {}

    Result<VectorPlan> plan(const VectorStage& stage) {
        m_where = m_design.block(stage.id)->where + "/ops";
        for (; m_index < stage.ops.size(); ++m_index) CUBIST_CHECK_OK(add(stage.ops[m_index]));
        return std::move(m_plan);
    }

private:
    Result<std::uint16_t> valueOf(const ValueId& id) {
        if (const auto found = m_byName.find(id.text); found != m_byName.end()) return found->second;
        const ResolvedValue& value = *m_design.value(id);
        CUBIST_TRY(auto valid, validShape(m_design, id, m_indices));
        m_plan.values.push_back({id, value.shape, std::move(valid), value.dtype});
        return m_byName[id.text] = static_cast<std::uint16_t>(m_plan.values.size() - 1);
    }

    /// A value in between with the shape of `like`.
    std::uint16_t temporary(std::uint16_t like) {
        PlanValue value = m_plan.values[like];
        value.name.reset();
        m_plan.values.push_back(std::move(value));
        return static_cast<std::uint16_t>(m_plan.values.size() - 1);
    }

    std::uint16_t reducedTemporary(std::uint16_t like, std::size_t axis) {
        const std::uint16_t value = temporary(like);
        m_plan.values[value].shape[axis] = 1;
        m_plan.values[value].valid[axis] = 1;
        return value;
    }

    void emit(VectorOpCode op, std::vector<std::uint16_t> in, std::uint16_t out,
              std::array<std::optional<double>, kMaxPlanOperands> number = {}) {
        PlanOp planned;
        planned.op = op;
        planned.in = std::move(in);
        planned.number = number;
        planned.out = out;
        m_plan.ops.push_back(std::move(planned));
    }

    void emitReduction(VectorOpCode op, std::uint16_t in, std::uint16_t out, std::size_t axis) {
        emit(op, {in}, out);
        m_plan.ops.back().axis = axis;
    }

    Result<void> add(const VectorOp& op) {
        std::vector<std::uint16_t> in;
        std::array<std::optional<double>, kMaxPlanOperands> number;
        for (std::size_t i = 0; i < op.in.size(); ++i) {
            const ValueId* id = op.in[i].value();
            if (id == nullptr) {
                number[i] = *op.in[i].number();
                in.push_back(kNone);
                continue;
            }
            const std::size_t known = m_plan.values.size();
            CUBIST_TRY(const std::uint16_t value, valueOf(*id));
            if (m_plan.values.size() > known) m_plan.inputs.push_back(value);
            in.push_back(value);
        }
        CUBIST_TRY(const std::uint16_t out, valueOf(op.out));
        if (op.op == VectorOpCode::Sigmoid) return addSigmoid(in[0], out);
        if (op.op == VectorOpCode::Clip) return addClip(in, number, out);
        if (op.op == VectorOpCode::Softmax) return addSoftmax(op, in[0], out);
        if (op.op == VectorOpCode::RmsNorm) return addRmsNorm(op, in, out);
        if (opInfo(op.op).family == OpFamily::Reduction) return addReduction(op, in[0], out);
        if (op.op == VectorOpCode::Reshape && m_plan.values[in[0]].valid != m_plan.values[in[0]].shape)
            return unexpected(
                ErrorCode::Unsupported,
                "the reshape '" + op.out.text + "' meets a tail: elements beyond the valid part would move",
                m_where + "/" + std::to_string(m_index), "reshape before the view that cuts the axis");
        emit(op.op, in, out, number);
        PlanOp& planned = m_plan.ops.back();
        planned.round = op.round;
        planned.saturate = op.saturate;
        if (op.op == VectorOpCode::Concat) planned.axis = *axisOf(op, m_plan.values[out].shape.size());
        if (op.op == VectorOpCode::Unsqueeze) planned.axis = *axisOf(op, m_plan.values[out].shape.size());
        if (op.op == VectorOpCode::Transpose) planned.swapped = *transposedAxes(op, m_plan.values[out].shape.size());
        if (op.op == VectorOpCode::Slice) {
            planned.offset = op.offset;
            planned.offset.resize(op.shape.size(), 0);
        }
        return {};
    }

    Result<void> addSigmoid(std::uint16_t x, std::uint16_t out) {
        const std::uint16_t negated = temporary(x);
        const std::uint16_t power = temporary(x);
        const std::uint16_t sum = temporary(x);
        emit(VectorOpCode::Mul, {x, kNone}, negated, {std::nullopt, -1.0});
        emit(VectorOpCode::Exp, {negated}, power);
        emit(VectorOpCode::Add, {power, kNone}, sum, {std::nullopt, 1.0});
        emit(VectorOpCode::Div, {kNone, sum}, out, {1.0});
        return {};
    }

    Result<void> addClip(const std::vector<std::uint16_t>& in,
                         const std::array<std::optional<double>, kMaxPlanOperands>& number, std::uint16_t out) {
        const std::uint16_t raised = temporary(out);
        emit(VectorOpCode::Maximum, {in[0], in[1]}, raised, {number[0], number[1]});
        emit(VectorOpCode::Minimum, {raised, in[2]}, out, {std::nullopt, number[2]});
        return {};
    }

    Result<void> addSoftmax(const VectorOp& op, std::uint16_t x, std::uint16_t out) {
        const std::size_t axis = *axisOf(op, m_plan.values[x].shape.size());
        const std::uint16_t largest = reducedTemporary(x, axis);
        const std::uint16_t shifted = temporary(x);
        const std::uint16_t power = temporary(x);
        const std::uint16_t sum = reducedTemporary(x, axis);
        emitReduction(VectorOpCode::Amax, x, largest, axis);
        emit(VectorOpCode::Sub, {x, largest}, shifted);
        emit(VectorOpCode::Exp, {shifted}, power);
        emitReduction(VectorOpCode::Sum, power, sum, axis);
        emit(VectorOpCode::Div, {power, sum}, out);
        return {};
    }

    Result<void> addRmsNorm(const VectorOp& op, const std::vector<std::uint16_t>& in, std::uint16_t out) {
        const std::size_t axis = m_plan.values[in[0]].shape.size() - 1;
        const std::int64_t count = m_plan.values[in[0]].valid[axis];
        const std::uint16_t square = temporary(in[0]);
        const std::uint16_t share = temporary(in[0]);
        const std::uint16_t mean = reducedTemporary(in[0], axis);
        const std::uint16_t padded = temporary(mean);
        const std::uint16_t root = temporary(mean);
        emit(VectorOpCode::Mul, {in[0], in[0]}, square);
        emit(VectorOpCode::Mul, {square, kNone}, share,
             {std::nullopt, 1.0 / static_cast<double>(std::max<std::int64_t>(1, count))});
        emitReduction(VectorOpCode::Sum, share, mean, axis);
        emit(VectorOpCode::Add, {mean, kNone}, padded, {std::nullopt, op.epsilon});
        emit(VectorOpCode::Sqrt, {padded}, root);
        const std::uint16_t scaled = in.size() == 2 ? temporary(in[0]) : out;
        emit(VectorOpCode::Div, {in[0], root}, scaled);
        if (in.size() == 2) emit(VectorOpCode::Mul, {scaled, in[1]}, out);
        return {};
    }

    /// A dropped axis is reduced to extent 1 first; the result's elements then keep their order.
    Result<void> addReduction(const VectorOp& op, std::uint16_t x, std::uint16_t out) {
        const std::size_t axis = *axisOf(op, m_plan.values[x].shape.size());
        if (m_plan.values[out].shape.size() == m_plan.values[x].shape.size()) {
            emitReduction(op.op, x, out, axis);
            return {};
        }
        const std::uint16_t kept = reducedTemporary(x, axis);
        m_plan.values[kept].dtype = m_plan.values[out].dtype;
        emitReduction(op.op, x, kept, axis);
        emit(VectorOpCode::Reshape, {kept}, out);
        m_plan.ops.back().axis = axis;
        m_plan.ops.back().dropsAxis = true;
        return {};
    }

    const ResolvedDesign& m_design;
    const IndexValues& m_indices;
    VectorPlan m_plan;
    std::string m_where;
    std::size_t m_index = 0;
    std::map<std::string, std::uint16_t> m_byName;
};

Region whole(const PlanValue& value) {
    return {std::vector<std::int64_t>(value.shape.size(), 0), value.shape};
}

void include(std::optional<Region>& region, const Region& more) {
    if (!region) {
        region = more;
        return;
    }
    for (std::size_t axis = 0; axis < more.offset.size(); ++axis) {
        const std::int64_t end =
            std::max(region->offset[axis] + region->extent[axis], more.offset[axis] + more.extent[axis]);
        region->offset[axis] = std::min(region->offset[axis], more.offset[axis]);
        region->extent[axis] = end - region->offset[axis];
    }
}

/// The part of operand number `operand` of `op` that makes `out` of the result; nothing if it is not touched.
std::optional<Region> operandRegion(const VectorPlan& plan, const PlanOp& op, std::size_t operand, const Region& out) {
    const PlanValue& in = plan.values[op.in[operand]];
    Region region = out;
    const OpFamily family = opInfo(op.op).family;
    if (family == OpFamily::Elementwise || family == OpFamily::Compare || op.op == VectorOpCode::ExpandClone) {
        for (std::size_t axis = 0; axis < in.shape.size(); ++axis)
            if (in.shape[axis] == 1) region.offset[axis] = 0, region.extent[axis] = 1;
        return region;
    }
    if (family == OpFamily::Reduction) {
        region.offset[op.axis] = 0;
        region.extent[op.axis] = in.shape[op.axis];
        return region;
    }
    const auto axis = static_cast<std::ptrdiff_t>(op.axis);
    if (op.op == VectorOpCode::Slice) {
        for (std::size_t i = 0; i < op.offset.size(); ++i) region.offset[i] += op.offset[i];
    } else if (op.op == VectorOpCode::Transpose) {
        std::swap(region.offset[op.swapped.first], region.offset[op.swapped.second]);
        std::swap(region.extent[op.swapped.first], region.extent[op.swapped.second]);
    } else if (op.op == VectorOpCode::Unsqueeze) {
        region.offset.erase(region.offset.begin() + axis);
        region.extent.erase(region.extent.begin() + axis);
    } else if (op.dropsAxis) {
        region.offset.insert(region.offset.begin() + axis, 0);
        region.extent.insert(region.extent.begin() + axis, 1);
    } else if (op.op == VectorOpCode::Reshape) {
        region = whole(in);
    } else {  // concat
        std::int64_t start = 0;
        for (std::size_t i = 0; i < operand; ++i) start += plan.values[op.in[i]].shape[op.axis];
        const std::int64_t begin = std::max(out.offset[op.axis] - start, std::int64_t{0});
        const std::int64_t end = std::min(out.offset[op.axis] + out.extent[op.axis] - start, in.shape[op.axis]);
        if (begin >= end) return std::nullopt;
        region.offset[op.axis] = begin;
        region.extent[op.axis] = end - begin;
    }
    return region;
}

}  // namespace

std::optional<std::uint16_t> VectorPlan::find(const ValueId& name) const {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].name == name) return static_cast<std::uint16_t>(i);
    return std::nullopt;
}

Result<VectorPlan> planVector(const VectorStage& stage, const ResolvedDesign& design, const IndexValues& indices) {
    return Planner(design, indices).plan(stage);
}

std::vector<std::int64_t> outputSpace(const VectorPlan& plan, const std::vector<std::uint16_t>& outputs) {
    const auto size = [&](std::uint16_t value) {
        std::int64_t count = 1;
        for (const std::int64_t extent : plan.values[value].shape) count *= extent;
        return count;
    };
    const auto largest = std::max_element(outputs.begin(), outputs.end(),
                                          [&](std::uint16_t a, std::uint16_t b) { return size(a) < size(b); });
    return plan.values[*largest].shape;
}

std::vector<std::int64_t> outputTile(const VectorStage& stage, const VectorPlan& plan, std::size_t rank) {
    std::vector<std::int64_t> tile = stage.tile;
    for (const PlanOp& op : plan.ops)
        if (op.dropsAxis && tile.size() == rank + 1 && op.axis < tile.size())
            tile.erase(tile.begin() + static_cast<std::ptrdiff_t>(op.axis));
    tile.resize(rank, 1);
    return tile;
}

std::optional<Region> outputRegion(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& space,
                                   const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& tile) {
    Region region;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool cutHere = shape[axis] == space[axis];
        if (!cutHere && at[axis] != 0) return std::nullopt;
        region.offset.push_back(cutHere ? at[axis] : 0);
        region.extent.push_back(cutHere ? std::min(tile[axis], shape[axis] - at[axis]) : shape[axis]);
    }
    return region;
}

std::vector<std::optional<Region>> demand(const VectorPlan& plan, std::vector<std::optional<Region>> wanted) {
    for (auto op = plan.ops.rbegin(); op != plan.ops.rend(); ++op) {
        if (!wanted[op->out]) continue;
        // A reshape in general is made as a whole.
        if (op->op == VectorOpCode::Reshape && !op->dropsAxis) wanted[op->out] = whole(plan.values[op->out]);
        for (std::size_t i = 0; i < op->in.size(); ++i)
            if (op->in[i] != kNone)
                if (const auto region = operandRegion(plan, *op, i, *wanted[op->out]))
                    include(wanted[op->in[i]], *region);
    }
    return wanted;
}

}  // namespace cubist::detail

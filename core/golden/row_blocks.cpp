// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <variant>
#include <vector>

#include "core/design/vector_op_info.h"
#include "core/golden/reference.h"
#include "core/golden/window.h"

namespace cubist {
namespace {

using golden::Axes;
using golden::cutAxisOf;
using golden::rightAligned;

/// Which designs can be made row by row.
class RowsApart {
public:
    explicit RowsApart(const ResolvedDesign& design) : m_design(design) {}

    [[nodiscard]] bool holds() {
        if (!findStore()) return false;
        return std::all_of(m_design.blocks.begin(), m_design.blocks.end(), [&](const ResolvedBlock& block) {
            if (std::holds_alternative<View>(block.block->content)) return true;
            if (block.loops != m_write->loops) return false;
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) return product(*cube);
            if (const auto* stage = std::get_if<VectorStage>(&block.block->content)) return vector(*stage);
            return true;
        });
    }

private:
    /// The only store: of what a stage makes, into the only tensor that is written.
    [[nodiscard]] bool findStore() {
        for (const ResolvedBlock& block : m_design.blocks) {
            if (!std::holds_alternative<Store>(block.block->content)) continue;
            if (m_write != nullptr) return false;
            m_write = &block;
        }
        if (m_write == nullptr) return false;
        const auto& store = std::get<Store>(m_write->block->content);
        const ResolvedValue* from = m_design.value(store.from);
        if ((store.op != StoreOp::Slice && store.op != StoreOp::Assemble) || from == nullptr || isInput(*from) ||
            from->shape.size() < 2)
            return false;
        for (const Tensor& tensor : m_design.design->tensors)
            if (tensor.role != TensorRole::Input && (tensor.role != TensorRole::Output || tensor.id != store.to))
                return false;
        const Axes shape = rightAligned(from->shape, 1);
        m_axis = cutAxisOf(shape);
        m_extent = shape[m_axis];
        const std::vector<std::int64_t>& to = m_design.values.at(store.to.text).shape;
        if (m_axis == 2) return m_extent > 1 && to.size() >= 2;
        // Whole matrices, one behind the other.
        return rowUnit(m_design) > 1 && to.size() == from->shape.size() && cutAxisOf(rightAligned(to, 1)) == m_axis &&
               std::equal(shape.begin() + static_cast<std::ptrdiff_t>(m_axis) + 1, shape.end(),
                          rightAligned(to, 1).begin() + static_cast<std::ptrdiff_t>(m_axis) + 1);
    }

    static bool isInput(const ResolvedValue& value) {
        return value.tensor != nullptr && value.tensor->role == TensorRole::Input;
    }

    [[nodiscard]] std::int64_t extentOf(const ResolvedValue& value) const {
        return rightAligned(value.shape, 1)[m_axis];
    }

    [[nodiscard]] bool hasRows(const ValueId& id) const {
        const ResolvedValue* const value = m_design.value(id);
        return value != nullptr && extentOf(*value) == m_extent && value->shape.size() + m_axis >= 4;
    }

    /// Rows of the left operand make rows of the result, matrices of both make matrices; everything else is the same
    /// for all of them.
    [[nodiscard]] bool product(const CubeStage& cube) const {
        if (!hasRows(cube.out) || (m_axis == 2 && m_design.value(cube.out)->shape.size() != 2)) return false;
        if (m_axis != 2 && !cube.scaleA.empty()) return false;
        for (const ValueId& operand : operandsOf(cube)) {
            const ResolvedValue* const value = m_design.value(operand);
            if (value == nullptr) return false;
            if (isInput(*value)) continue;
            const bool left = operand == cube.a && operand != cube.b && !cube.aTrans && value->shape.size() == 2;
            const bool matrices = m_axis != 2 && (operand == cube.a || operand == cube.b);
            if (!hasRows(operand) || !(m_axis == 2 ? left : matrices)) return false;
        }
        return true;
    }

    [[nodiscard]] bool vector(const VectorStage& stage) const {
        return std::all_of(stage.ops.begin(), stage.ops.end(), [&](const VectorOp& op) { return operation(op); });
    }

    [[nodiscard]] bool operation(const VectorOp& op) const {
        if (!hasRows(op.out) || !op.out2.empty()) return false;
        const std::size_t rank = m_design.value(op.out)->shape.size();
        if (m_axis == 2 && rank != 2) return false;
        for (const Operand& operand : op.in)
            if (const ValueId* id = operand.value()) {
                const ResolvedValue* const value = m_design.value(*id);
                if (value == nullptr || value->shape.size() > rank ||
                    (extentOf(*value) != m_extent && extentOf(*value) != 1))
                    return false;
            }
        const OpFamily family = opInfo(op.op).family;
        if (family == OpFamily::Elementwise || family == OpFamily::Compare) return true;
        const auto isWhole = [&](const Operand& operand) {
            return operand.value() != nullptr && hasRows(*operand.value()) &&
                   m_design.value(*operand.value())->shape.size() == rank;
        };
        if (op.in.empty() || !isWhole(op.in.front())) return false;
        const auto axis = axisOf(op, rank);
        const bool inner = op.op == VectorOpCode::RmsNorm || (axis && *axis + 4 - rank > m_axis);
        if (family == OpFamily::Reduction) return inner && op.keepDim;
        if (family == OpFamily::Normalise) return inner;
        const std::size_t own = m_axis + rank - 4;
        if (op.op == VectorOpCode::Slice) return op.offset.size() <= own || op.offset[own] == 0;
        return op.op == VectorOpCode::Concat && inner && std::all_of(op.in.begin(), op.in.end(), isWhole);
    }

    const ResolvedDesign& m_design;
    const ResolvedBlock* m_write = nullptr;
    std::size_t m_axis = 2;     ///< along which every result is cut
    std::int64_t m_extent = 0;  ///< of every result along it
};

}  // namespace

const CubeStage* oneProduct(const ResolvedDesign& design) {
    const ResolvedBlock *product = nullptr, *write = nullptr;
    for (const ResolvedBlock& block : design.blocks) {
        if (std::holds_alternative<View>(block.block->content)) continue;
        const bool cube = std::holds_alternative<CubeStage>(block.block->content);
        if (!cube && !std::holds_alternative<Store>(block.block->content)) return nullptr;
        const ResolvedBlock*& place = cube ? product : write;
        if (place != nullptr) return nullptr;
        place = &block;
    }
    if (product == nullptr || write == nullptr || product->loops != write->loops) return nullptr;
    const auto& cube = std::get<CubeStage>(product->block->content);
    const auto& store = std::get<Store>(write->block->content);
    if (store.from != cube.out || (store.op != StoreOp::Slice && store.op != StoreOp::Assemble)) return nullptr;
    for (const Tensor& tensor : design.design->tensors) {
        const bool written = tensor.role == TensorRole::Output || tensor.role == TensorRole::InOut;
        if (written && (tensor.role != TensorRole::Output || tensor.id != store.to)) return nullptr;
    }
    for (const ValueId& operand : operandsOf(cube)) {
        const ResolvedValue* value = design.value(operand);
        if (value == nullptr || value->tensor == nullptr || value->tensor->role != TensorRole::Input) return nullptr;
    }
    const bool matrices = design.value(cube.out)->shape.size() == 2;
    return matrices && design.values.at(store.to.text).shape.size() >= 2 ? &cube : nullptr;
}

bool rowsAreApart(const ResolvedDesign& design) {
    return oneProduct(design) != nullptr || RowsApart(design).holds();
}

std::int64_t rowUnit(const ResolvedDesign& design) {
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr) continue;
        const Axes from = rightAligned(design.value(store->from)->shape, 1);
        std::int64_t rows = 1;
        for (std::size_t axis = cutAxisOf(from) + 1; axis < 3; ++axis) rows *= from[axis];
        return rows;
    }
    return 1;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <variant>
#include <vector>

#include "core/design/vector_op_info.h"
#include "core/golden/reference.h"

namespace cubist {
namespace {

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
    /// The only store: of a matrix that a stage makes, into the only tensor that is written.
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
            from->shape.size() != 2)
            return false;
        m_rows = from->shape.front();
        for (const Tensor& tensor : m_design.design->tensors)
            if (tensor.role != TensorRole::Input && (tensor.role != TensorRole::Output || tensor.id != store.to))
                return false;
        return m_rows > 1 && m_design.values.at(store.to.text).shape.size() >= 2;
    }

    static bool isInput(const ResolvedValue& value) {
        return value.tensor != nullptr && value.tensor->role == TensorRole::Input;
    }

    /// Does the value have the rows, or one that goes with all of them?
    [[nodiscard]] bool isByRows(const ResolvedValue& value) const {
        const std::vector<std::int64_t>& shape = value.shape;
        return shape.size() == 2 ? shape.front() == m_rows || shape.front() == 1 : shape.size() == 1;
    }

    /// Rows of the left operand make rows of the result; everything else is the same for all of them.
    [[nodiscard]] bool product(const CubeStage& cube) const {
        const ResolvedValue* const out = m_design.value(cube.out);
        if (out == nullptr || out->shape.size() != 2 || out->shape.front() != m_rows) return false;
        for (const ValueId& operand : operandsOf(cube)) {
            const ResolvedValue* const value = m_design.value(operand);
            if (value == nullptr) return false;
            const bool made = operand == cube.a && operand != cube.b && !cube.aTrans && value->shape.size() == 2 &&
                              value->shape.front() == m_rows;
            if (!made && !isInput(*value)) return false;
        }
        return true;
    }

    [[nodiscard]] bool vector(const VectorStage& stage) const {
        return std::all_of(stage.ops.begin(), stage.ops.end(), [&](const VectorOp& op) { return operation(op); });
    }

    [[nodiscard]] bool operation(const VectorOp& op) const {
        const ResolvedValue* const out = m_design.value(op.out);
        if (out == nullptr || out->shape.size() != 2 || out->shape.front() != m_rows || !op.out2.empty()) return false;
        for (const Operand& operand : op.in)
            if (const ValueId* id = operand.value()) {
                const ResolvedValue* const value = m_design.value(*id);
                if (value == nullptr || !isByRows(*value)) return false;
            }
        const OpFamily family = opInfo(op.op).family;
        if (family == OpFamily::Elementwise || family == OpFamily::Compare) return true;
        const auto hasRows = [&](const Operand& operand) {
            const ResolvedValue* const value = operand.value() == nullptr ? nullptr : m_design.value(*operand.value());
            return value != nullptr && value->shape.size() == 2 && value->shape.front() == m_rows;
        };
        if (op.in.empty() || !hasRows(op.in.front())) return false;
        const bool lastAxis = op.op == VectorOpCode::RmsNorm || axisOf(op, 2) == std::size_t{1};
        if (family == OpFamily::Reduction) return lastAxis && op.keepDim;
        if (family == OpFamily::Normalise) return lastAxis;
        if (op.op == VectorOpCode::Slice) return op.offset.empty() || op.offset.front() == 0;
        return op.op == VectorOpCode::Concat && lastAxis && std::all_of(op.in.begin(), op.in.end(), hasRows);
    }

    const ResolvedDesign& m_design;
    const ResolvedBlock* m_write = nullptr;
    std::int64_t m_rows = 0;  ///< of every result
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

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/compiled_shapes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/design/vector_op_info.h"

namespace cubist {
namespace {

using Flags = std::vector<bool>;

/// An axis counted from the end, 1 is the last one. Axes that a value does not have stretch: they are known.
bool fromEnd(const Flags& flags, std::size_t axis) {
    return axis > flags.size() || flags[flags.size() - axis];
}

bool all(const Flags& flags) {
    return std::find(flags.begin(), flags.end(), false) == flags.end();
}

/// Does every axis of the result come from the same axis, counted from the end, of the operands?
bool keepsAxes(const VectorOp& op) {
    const OpFamily family = opInfo(op.op).family;
    return family == OpFamily::Elementwise || family == OpFamily::Compare || family == OpFamily::Normalise ||
           (family == OpFamily::Reduction && op.keepDim);
}

}  // namespace

CompiledShapes::CompiledShapes(const ResolvedDesign& design) : m_design(&design) {
    for (const Tensor& tensor : design.design->tensors) m_known[tensor.id.text] = ofTensor(tensor);
    for (const ResolvedBlock& block : design.blocks) {
        if (const auto* view = std::get_if<View>(&block.block->content))
            m_known[view->out.text] = Flags(view->shape.size(), true);
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) addCube(*cube);
        if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) addVector(*vector);
    }
}

std::vector<bool> CompiledShapes::known(const ValueId& value) const {
    const auto found = m_known.find(value.text);
    return found == m_known.end() ? Flags{} : found->second;
}

std::vector<bool> CompiledShapes::ofTensor(const Tensor& tensor) const {
    Flags flags;
    for (const Expression& extent : tensor.shape) {
        const auto names = extent.names();
        const auto lists = extent.lists();
        flags.push_back(names && lists && lists->empty() &&
                        std::all_of(names->begin(), names->end(),
                                    [&](const std::string& name) { return isStaticSymbol(*m_design->design, name); }));
    }
    return flags;
}

void CompiledShapes::addCube(const CubeStage& stage) {
    const Flags a = known(stage.a), b = known(stage.b);
    Flags out;
    for (std::size_t axis = std::max(a.size(), b.size()); axis > 2; --axis)
        out.push_back(fromEnd(a, axis) && fromEnd(b, axis));
    out.push_back(fromEnd(a, stage.aTrans ? 1 : 2));
    out.push_back(fromEnd(b, stage.bTrans ? 2 : 1));
    m_known[stage.out.text] = std::move(out);
}

void CompiledShapes::addVector(const VectorStage& stage) {
    for (const VectorOp& op : stage.ops) {
        std::vector<Flags> operands;
        for (const Operand& operand : op.in)
            if (const ValueId* id = operand.value()) operands.push_back(known(*id));
        const bool whole = std::all_of(operands.begin(), operands.end(), all);
        for (const ValueId* made : {&op.out, &op.out2}) {
            const ResolvedValue* value = made->empty() ? nullptr : m_design->value(*made);
            if (value == nullptr) continue;
            Flags out(value->shape.size(), whole);
            for (std::size_t axis = 1; keepsAxes(op) && axis <= out.size(); ++axis)
                out[out.size() - axis] = std::all_of(operands.begin(), operands.end(),
                                                     [&](const Flags& each) { return fromEnd(each, axis); });
            m_known[made->text] = std::move(out);
        }
    }
}

MatmulSize CompiledShapes::knownSize(const ResolvedBlock& cube) const {
    constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
    MatmulSize size{kUnknown, kUnknown, kUnknown};
    const auto* stage = std::get_if<CubeStage>(&cube.block->content);
    if (stage == nullptr || !cube.matmul) return size;
    const Flags a = known(stage->a), b = known(stage->b);
    if (fromEnd(a, stage->aTrans ? 1 : 2)) size.m = cube.matmul->m;
    if (fromEnd(b, stage->bTrans ? 2 : 1)) size.n = cube.matmul->n;
    // Both operands have the same K: it is enough to know it of one.
    if (fromEnd(a, stage->aTrans ? 2 : 1) || fromEnd(b, stage->bTrans ? 1 : 2)) size.k = cube.matmul->k;
    return size;
}

CubeTile CompiledShapes::cutTile(const CubeTile& tile, const ResolvedBlock& cube) const {
    const MatmulSize size = knownSize(cube);
    CubeTile cut = tile;
    if (!cut.m.empty()) cut.m[0] = std::min(cut.m[0], size.m);
    if (!cut.n.empty()) cut.n[0] = std::min(cut.n[0], size.n);
    for (std::int64_t& depth : cut.k) depth = std::min(depth, size.k);
    return cut;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
// How a new stage takes after its operands.
#include "views/canvas/stage_fit.h"

#include <algorithm>
#include <utility>

#include "core/design/block_values.h"
#include "core/design/edit_structure.h"
#include "core/design/vector_op_info.h"
#include "views/canvas/stage_catalog.h"

namespace cubist {
namespace {

bool isInteger(DType type) {
    return type == DType::INT4 || type == DType::INT8 || type == DType::INT16 || type == DType::INT32;
}

void fit(CubeStage& cube, const KnownDesign& known) {
    const ResolvedValue* a = known.value(cube.a);
    const ResolvedValue* b = known.value(cube.b);
    if (const ResolvedValue* one = a != nullptr ? a : b) {
        if (isInteger(one->dtype) && cube.outDType == DType::FP32) cube.outDType = DType::INT32;
        if (!isInteger(one->dtype) && cube.outDType == DType::INT32) cube.outDType = DType::FP32;
    }
    if (a == nullptr || b == nullptr || a->shape.size() < 2 || b->shape.size() < 2) return;
    const auto end = [](const ResolvedValue* value, std::size_t fromEnd) {
        return value->shape[value->shape.size() - fromEnd];
    };
    const std::int64_t m = end(a, cube.aTrans ? 1 : 2);
    const std::int64_t k = end(a, cube.aTrans ? 2 : 1);
    const std::int64_t n = end(b, cube.bTrans ? 2 : 1);
    if (isStartTile(cube.tile)) cube.tile = startTile(m, k, n, a->dtype);
    // NZ operands with batch axes have to say their sizes.
    const bool nz = (a->tensor != nullptr && a->tensor->format == Format::NZ) ||
                    (b->tensor != nullptr && b->tensor->format == Format::NZ);
    if (cube.matrixSize.empty() && nz && (a->shape.size() > 2 || b->shape.size() > 2)) cube.matrixSize = {m, k, n};
}

void fit(VectorStage& stage, const KnownDesign& known) {
    const ResolvedValue* largest = nullptr;
    const auto look = [&](const ValueId& id) {
        const ResolvedValue* value = id.empty() ? nullptr : known.value(id);
        if (value == nullptr) return;
        if (largest == nullptr || value->shape.size() > largest->shape.size()) largest = value;
    };
    for (VectorOp& op : stage.ops) {
        for (const Operand& operand : op.in)
            if (const ValueId* id = operand.value()) look(*id);
        // Shapes that an operation states start as those of its operand.
        const ValueId* first = op.in.empty() ? nullptr : op.in.front().value();
        const ResolvedValue* in = first == nullptr || first->empty() ? nullptr : known.value(*first);
        const bool startShape = op.shape == std::vector<std::int64_t>{64, 64};
        if (in != nullptr && startShape && opFields(op.op).shape) op.shape = in->shape;
        look(op.out);
    }
    if (largest == nullptr) return;
    const bool start = stage.tile == std::vector<std::int64_t>{64, 64};
    if (start || stage.tile.size() < largest->shape.size()) stage.tile = startTile(largest->shape, largest->dtype);
}

void fit(View& view, const KnownDesign& known) {
    const ResolvedValue* of = known.value(view.of);
    if (of == nullptr || view.offset.size() == of->shape.size()) return;
    view.shape.clear();
    for (const std::int64_t extent : of->shape) view.shape.emplace_back(extent);
    view.offset.assign(of->shape.size(), Expression(0));
    view.valid.clear();
}

}  // namespace

Design fittedTo(Design design, const BlockId& stage, const KnownDesign& known) {
    visitTree(design.blocks, [&](Block& block) {
        if (block.id() != stage) return;
        std::visit(
            [&](auto& content) {
                if constexpr (requires { fit(content, known); }) fit(content, known);
            },
            block.content);
    });
    return design;
}

}  // namespace cubist

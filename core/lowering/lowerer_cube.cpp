// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/lowering/group_key.h"
#include "core/lowering/lowerer.h"

namespace cubist::detail {
namespace {

/// The part of a box that starts at (row, col) and has at most the given extent.
Box subBox(Box box, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
    const auto cut = [](Box& b, std::size_t axis, std::int64_t at, std::int64_t extent) {
        b.offset[axis] += at;
        b.valid[axis] = std::clamp(b.valid[axis] - at, std::int64_t{0}, extent);
        b.extent[axis] = std::min(extent, b.extent[axis] - at);
    };
    cut(box, 2, row, rows);
    cut(box, 3, col, cols);
    return box;
}

}  // namespace

Result<void> Lowerer::emitCube(const ResolvedBlock& block, const CubeStage& stage) {
    const MatmulSize size = *block.matmul;
    const StageIndex stageIndex = m_stageOf.at(m_blockOf.at(block.block));
    const ResolvedValue& result = *m_design.value(stage.out);
    CUBIST_TRY(const Box a, placeOf(stage.a));
    CUBIST_TRY(const Box b, placeOf(stage.b));
    std::vector<Box> destinations;
    std::vector<bool> accumulates;
    CubeLeafSpec spec;
    for (const Destination& destination : m_results.at(stage.out.text)) {
        CUBIST_TRY(const Box box, destinationBox(destination, result));
        destinations.push_back(box);
        spec.outTypes.push_back(m_program.tensors[box.tensor.value].dtype);
        accumulates.push_back(destination.store != nullptr && destination.store->op == StoreOp::AtomicAdd);
    }
    if (std::find(accumulates.begin(), accumulates.end(), true) == accumulates.end()) accumulates.clear();
    spec.outAtomic = accumulates;
    const std::size_t outerA = stage.aTrans ? 3 : 2;
    const std::size_t outerB = stage.bTrans ? 2 : 3;
    const std::int64_t validM = a.valid[outerA];
    const std::int64_t validN = b.valid[outerB];
    spec.stage = stageIndex;
    spec.kValidA = a.valid[5 - outerA];
    spec.kValidB = b.valid[5 - outerB];
    spec.k = std::min(size.k, std::max(spec.kValidA, spec.kValidB));
    spec.mTile = stage.tile.mL0();
    spec.nTile = stage.tile.nL0();
    spec.mSize = size.m;
    spec.nSize = size.n;
    spec.kL0 = stage.tile.kL0();
    spec.kAL1 = stage.tile.kAL1();
    spec.kBL1 = stage.tile.kBL1();
    spec.aTrans = stage.aTrans;
    spec.bTrans = stage.bTrans;
    spec.aType = m_design.value(stage.a)->dtype;
    spec.bType = m_design.value(stage.b)->dtype;
    spec.accType = isFloat(spec.aType) ? DType::FP32 : DType::INT32;
    spec.slotCount = stage.slotCount.value_or(0);
    const std::uint64_t groupKey = cubeGroupKey(spec, size.k);

    std::vector<Box> boxes;
    for (std::int64_t n = 0; n < validN; n += stage.tile.nL0()) {
        for (std::int64_t m = 0; m < validM; m += stage.tile.mL0()) {
            if (m_program.tasks.size() % 1024 == 1023 && m_context.cancelled()) return cancelledError();
            spec.m = std::min(stage.tile.mL0(), validM - m);
            spec.n = std::min(stage.tile.nL0(), validN - n);
            CUBIST_TRY(const LeafIndex leaf,
                       leafFor(m_cubeLeaves, spec, groupKey, block.where + "/tile", buildCubeLeaf));
            boxes.clear();
            boxes.push_back(stage.aTrans ? subBox(a, 0, size.k, m, stage.tile.mL0())
                                         : subBox(a, m, stage.tile.mL0(), 0, size.k));
            boxes.push_back(stage.bTrans ? subBox(b, n, stage.tile.nL0(), 0, size.k)
                                         : subBox(b, 0, size.k, n, stage.tile.nL0()));
            for (const Box& destination : destinations)
                boxes.push_back(subBox(destination, m, stage.tile.mL0(), n, stage.tile.nL0()));
            emitTask(leaf, boxes, 2,
                     {stageIndex, static_cast<std::uint32_t>(m / stage.tile.mL0()),
                      static_cast<std::uint32_t>(n / stage.tile.nL0()), 0, 0},
                     accumulates);
        }
    }
    return {};
}

}  // namespace cubist::detail

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/lowering/lowerer.h"

namespace cubist::detail {
namespace {

/// A vector tile for the sum of partials: as PyPTO picks it, [mL0, nL0] where two of them fit UB, else 128 x 128.
std::pair<std::int64_t, std::int64_t> combineTile(const CubeStage& stage, DType partialType, DType sumType,
                                                  const ChipSpec& chip) {
    const std::int64_t m = stage.tile.mL0(), n = stage.tile.nL0(), ub = chip.ubBytes.integer();
    const auto bytes = [&](std::int64_t rows, std::int64_t cols) {
        const Extent4 shape{1, 1, rows, cols};
        return 2 * ubTileBytes(partialType, shape) + (partialType != sumType ? ubTileBytes(sumType, shape) : 0);
    };
    return bytes(m, n) <= ub ? std::pair{m, n}
                             : std::pair{std::min<std::int64_t>(m, 128), std::min<std::int64_t>(n, 128)};
}

}  // namespace

/// K in slices of min(kAL1, kBL1). FP32: every slice gives partial results, which a chain of vector additions sums in
/// order. INT32: every slice adds to zeros. Source: F-62.
Result<void> Lowerer::emitSplitK(const ResolvedBlock& block, const CubeStage& stage, const CubeLeafSpec& whole,
                                 const CubeBoxes& boxes, const Extent4& batch) {
    const bool integers = whole.accType == DType::INT32;
    const std::int64_t depth = std::min(whole.kAL1, whole.kBL1);
    const std::int64_t slices = std::max<std::int64_t>(1, ceilDiv(whole.k, depth));
    const ResolvedValue& result = *m_design.value(stage.out);
    const std::int64_t matrices = block.matmul->batches();
    const std::int64_t planes = matrices * (integers ? 1 : ceilDiv(block.matmul->k, depth));
    const std::string name = std::string(kPartialPrefix) + stage.out.text;
    if (!m_gm.contains(name)) {
        GmTensor gm;
        gm.name = name;
        gm.role = GmRole::Workspace;
        gm.dtype = integers ? DType::INT32 : stage.partialDType;
        gm.rank = 3;
        const auto all = checkedMul(m_design.executions(block), planes);
        if (!all || !checkedMul(*all, result.shape.back() * result.shape[result.shape.size() - 2] * 8))
            return unexpected(ErrorCode::DoesNotFit,
                              "the partial results of '" + stage.out.text + "' cannot be counted",
                              block.where + "/tile/split_k");
        gm.shape = {1, *all, block.matmul->m, block.matmul->n};
        gm.initial = integers ? InitialState::Zero : InitialState::Poison;
        addGmTensor(std::move(gm));
    }
    const GmIndex workspace = m_gm.at(name);
    CubeLeafSpec spec = whole;
    spec.outTypes = {m_program.tensors[workspace.value].dtype};
    const auto [tileM, tileN] = combineTile(stage, spec.outTypes[0], whole.accType, m_chip);
    const std::int64_t validM = boxes.a.valid[stage.aTrans ? 3 : 2], validN = boxes.b.valid[stage.bTrans ? 2 : 3];
    const std::int64_t instance = currentExecution(block.loops);
    Box plane;
    plane.tensor = workspace;
    plane.extent = {1, 1, block.matmul->m, block.matmul->n};
    plane.valid = {1, 1, validM, validN};
    for (std::int64_t first = 0; first < batch[0]; ++first)
        for (std::int64_t second = 0; second < batch[1]; ++second)
            for (std::int64_t n = 0; n < validN; n += spec.nTile)
                for (std::int64_t m = 0; m < validM; m += spec.mTile) {
                    if (m_context.cancelled()) return cancelledError();
                    const std::int64_t matrix = first * block.matmul->batch[1] + second;
                    std::vector<Box> partials;
                    for (std::int64_t s = 0; s < slices; ++s) {
                        if (!integers || s == 0) {
                            plane.offset[1] = instance * planes + matrix * (planes / matrices) + s;
                            partials.push_back(plane);
                        }
                        CubeBoxes parts = boxes;
                        parts.destinations = {plane};
                        parts.accumulates = parts.unordered = {integers};
                        CUBIST_CHECK_OK(
                            emitCubeTask(block, stage, spec, parts, {first, second, m, n, s * depth, depth, s}));
                    }
                    CUBIST_CHECK_OK(
                        emitCombine(block, spec, boxes, partials, {first, second, m, n, 0, 0, 0}, tileM, tileN));
                }
    return {};
}

/// The sum of one block, in pieces of the vector tile.
Result<void> Lowerer::emitCombine(const ResolvedBlock& block, const CubeLeafSpec& cube, const CubeBoxes& boxes,
                                  const std::vector<Box>& partials, const CubePlace& place, std::int64_t tileM,
                                  std::int64_t tileN) {
    const std::int64_t rows = std::min(cube.mTile, partials.front().valid[2] - place.m);
    const std::int64_t cols = std::min(cube.nTile, partials.front().valid[3] - place.n);
    CombineLeafSpec spec;
    spec.stage = cube.stage;
    spec.partials = static_cast<std::int64_t>(partials.size());
    spec.partialType = cube.outTypes.front();
    spec.sumType = cube.accType;
    spec.destinations = boxes.destinations.size();
    spec.outAtomic = boxes.accumulates;
    const std::uint64_t groupKey = (std::uint64_t{cube.stage.value} + 1) * 0xD1B54A32D192ED03ULL;
    for (std::int64_t m = 0; m < rows; m += tileM)
        for (std::int64_t n = 0; n < cols; n += tileN) {
            spec.rows = std::min(tileM, rows - m);
            spec.cols = std::min(tileN, cols - n);
            CUBIST_TRY(const LeafIndex leaf,
                       leafFor(m_combineLeaves, spec, groupKey, block.where + "/tile", buildCombineLeaf));
            CubePlace piece = place;
            piece.m += m;
            piece.n += n;
            std::vector<Box> used;
            for (const Box& partial : partials) used.push_back(matrixPart(partial, piece, spec.rows, spec.cols));
            for (const Box& destination : boxes.destinations)
                used.push_back(matrixPart(destination, piece, spec.rows, spec.cols));
            emitTask(leaf, used, partials.size(), memberOf(cube, boxes, place), boxes.unordered);
        }
    return {};
}

}  // namespace cubist::detail

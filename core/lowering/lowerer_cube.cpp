// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/lowering/group_key.h"
#include "core/lowering/lowerer.h"

namespace cubist::detail {
namespace {

/// Keeps [at, at + extent) of one axis of a box.
void cutAxis(Box& box, std::size_t axis, std::int64_t at, std::int64_t extent) {
    box.offset[axis] += at;
    box.valid[axis] = std::clamp(box.valid[axis] - at, std::int64_t{0}, extent);
    box.extent[axis] = std::min(extent, box.extent[axis] - at);
}

/// The part of a box that starts at (row, col) and has at most the given extent.
Box subBox(Box box, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
    cutAxis(box, 2, row, rows);
    cutAxis(box, 3, col, cols);
    return box;
}

/// One matrix of a batch; an axis of extent 1 serves the whole batch.
Box matrixOf(Box box, std::int64_t first, std::int64_t second) {
    cutAxis(box, 0, box.extent[0] == 1 ? 0 : first, 1);
    cutAxis(box, 1, box.extent[1] == 1 ? 0 : second, 1);
    return box;
}

}  // namespace

Box matrixPart(const Box& box, const CubePlace& place, std::int64_t rows, std::int64_t cols) {
    return subBox(matrixOf(box, place.first, place.second), place.m, rows, place.n, cols);
}

TaskMember Lowerer::memberOf(const CubeLeafSpec& spec, const CubeBoxes& boxes, const CubePlace& place) {
    const auto narrow = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    return {spec.stage, narrow(place.m / spec.mTile), narrow(place.n / spec.nTile), narrow(place.slice),
            narrow(place.first * boxes.batchColumns + place.second)};
}

/// What does not depend on the block: types, tile, FIXPIPE, and how the cube adds.
Result<CubeLeafSpec> Lowerer::cubeSpec(const ResolvedBlock& block, const CubeStage& stage) {
    CubeLeafSpec spec;
    spec.stage = m_stageOf.at(m_blockOf.at(block.block));
    spec.mTile = stage.tile.mL0();
    spec.nTile = stage.tile.nL0();
    spec.mSize = block.matmul->m;
    spec.nSize = block.matmul->n;
    spec.kL0 = stage.tile.kL0();
    spec.kAL1 = stage.tile.kAL1();
    spec.kBL1 = stage.tile.kBL1();
    if (!m_shapes) m_shapes.emplace(m_design);
    const MatmulSize known = m_shapes->knownSize(block);
    spec.mKnown = known.m;
    spec.nKnown = known.n;
    spec.kKnown = known.k;
    spec.aTrans = stage.aTrans;
    spec.bTrans = stage.bTrans;
    spec.aType = m_design.value(stage.a)->dtype;
    spec.bType = m_design.value(stage.b)->dtype;
    spec.accType = isFloat(spec.aType) ? DType::FP32 : DType::INT32;
    spec.slotCount = stage.slotCount.value_or(0);
    spec.byHand = m_byHand;
    const auto isNz = [&](const ValueId& id) {
        const Tensor* tensor = m_design.value(id)->tensor;
        return tensor != nullptr && tensor->format == Format::NZ;
    };
    spec.nzA = isNz(stage.a);
    spec.nzB = isNz(stage.b);
    spec.relu = stage.relu;
    if (stage.scale) spec.scale = fixpipeScale(static_cast<float>(*stage.scale));
    if (!stage.bias.empty()) spec.biasType = m_design.value(stage.bias)->dtype;
    if (!stage.scaleTensor.empty()) spec.channelScaleType = m_design.value(stage.scaleTensor)->dtype;
    if (spec.scale && spec.channelScaleType)
        return unexpected(ErrorCode::BadValue, "the FIXPIPE takes one scale or a row of scales, not both",
                          block.where + "/scale");
    spec.scaled = stage.op == CubeOp::ScaledMm;
    spec.scaleATrans = stage.scaleATrans;
    spec.scaleBTrans = stage.scaleBTrans;
    if (spec.scaled && (spec.kL0 % 64 != 0 || spec.kAL1 % 64 != 0 || spec.kBL1 % 64 != 0))
        return unexpected(ErrorCode::BadValue, "the K tiles of scaled_mm are multiples of 64", block.where + "/tile/k");
    CUBIST_CHECK_OK(checkCubeTypes(block, stage, spec));
    spec.accumulation = spec.accType == DType::FP32 ? stage.accumulation : Accumulation::Element;
    if (spec.accumulation == Accumulation::MxGroup && !spec.scaled)
        return unexpected(ErrorCode::BadValue, "sums per MX group need a scaled_mm", block.where + "/accumulation");
    if (spec.accumulation == Accumulation::Fractal) {
        const CubeRate* rate = m_chip.cubeRate(spec.aType);
        spec.fractalK = static_cast<std::uint8_t>(rate != nullptr ? rate->k0 : 256 / bitsPerElement(spec.aType));
    }
    if (stage.fp32Mode != Fp32Mode::Ieee) {
        if (spec.aType != DType::FP32)
            return unexpected(ErrorCode::BadValue, "the FP32 mode is for FP32 operands", block.where + "/fp32_mode");
        spec.hf32MantissaBits = m_chip.arch == "2201" ? 11 : 10;
        spec.hf32TiesAway = stage.fp32Mode == Fp32Mode::Round;
    }
    return spec;
}

/// Combinations that the emulated cube cannot compute at all; the rules know which of the others a chip lacks.
Result<void> Lowerer::checkCubeTypes(const ResolvedBlock& block, const CubeStage& stage,
                                     const CubeLeafSpec& spec) const {
    const auto refuse = [&](const std::string& key, const std::string& message) {
        return unexpected(ErrorCode::Unsupported, message, block.where + key);
    };
    const auto name = [](DType type) { return std::string(toText(type)); };
    const auto integer = [](DType type) { return type == DType::INT8 || type == DType::INT4; };
    for (const auto& [key, type] : {std::pair{"/a", spec.aType}, std::pair{"/b", spec.bType}})
        if (type == DType::FP8E8M0 || !(isFloat(type) || integer(type)))
            return refuse(key, "the cube cannot multiply " + name(type));
    if (isFloat(spec.aType) != isFloat(spec.bType)) return refuse("/b", "the cube multiplies floats or integers");
    const auto scalable = [](DType type) {
        return type == DType::FP8E4M3 || type == DType::FP8E5M2 || type == DType::FP4E2M1 || type == DType::FP4E1M2;
    };
    if (spec.scaled) {
        if (!scalable(spec.aType)) return refuse("/a", "scaled_mm takes FP8 or FP4, not " + name(spec.aType));
        if (!scalable(spec.bType)) return refuse("/b", "scaled_mm takes FP8 or FP4, not " + name(spec.bType));
        for (const auto& [key, id] : {std::pair{"/scale_a", stage.scaleA}, std::pair{"/scale_b", stage.scaleB}})
            if (m_design.value(id)->dtype != DType::FP8E8M0) return refuse(key, "the scales of scaled_mm are FP8E8M0");
    }
    if (spec.biasType) {
        const bool fits =
            spec.accType == DType::INT32
                ? *spec.biasType == DType::INT32
                : *spec.biasType == DType::FP32 || *spec.biasType == DType::FP16 || *spec.biasType == DType::BF16;
        if (!fits) return refuse("/bias", "the bias cannot be " + name(*spec.biasType));
    }
    if (spec.channelScaleType && *spec.channelScaleType != DType::INT64 && *spec.channelScaleType != DType::FP32 &&
        *spec.channelScaleType != DType::BF16)
        return refuse("/scale_tensor", "the row of scales cannot be " + name(*spec.channelScaleType));
    return {};
}

Result<void> Lowerer::emitCube(const ResolvedBlock& block, const CubeStage& stage) {
    const MatmulSize size = *block.matmul;
    const ResolvedValue& result = *m_design.value(stage.out);
    CUBIST_TRY(CubeLeafSpec spec, cubeSpec(block, stage));
    CubeBoxes boxes;
    CUBIST_TRY(boxes.a, placeOf(stage.a));
    CUBIST_TRY(boxes.b, placeOf(stage.b));
    for (const Destination& destination : m_results.at(stage.out.text)) {
        CUBIST_TRY(const Box box, destinationBox(destination, result));
        boxes.destinations.push_back(box);
        spec.outTypes.push_back(m_program.tensors[box.tensor.value].dtype);
        boxes.accumulates.push_back(destination.store != nullptr && destination.store->op == StoreOp::AtomicAdd);
        boxes.unordered.push_back(destination.store != nullptr && isUnordered(*destination.store));
    }
    const std::size_t outerA = stage.aTrans ? 3 : 2;
    const std::size_t outerB = stage.bTrans ? 2 : 3;
    spec.kValidA = boxes.a.valid[5 - outerA];
    spec.kValidB = boxes.b.valid[5 - outerB];
    spec.k = std::min(size.k, std::max(spec.kValidA, spec.kValidB));
    const std::int64_t validM = boxes.a.valid[outerA];
    const std::int64_t validN = boxes.b.valid[outerB];
    if (spec.scaled) {
        CUBIST_TRY(boxes.scaleA, scalesBox(block, stage.scaleA, "/scale_a", stage.scaleATrans, validM, spec.kValidA));
        CUBIST_TRY(boxes.scaleB, scalesBox(block, stage.scaleB, "/scale_b", !stage.scaleBTrans, validN, spec.kValidB));
    }
    CUBIST_TRY(boxes.bias, rowBox(block, stage.bias, "/bias", validN));
    CUBIST_TRY(boxes.channelScales, rowBox(block, stage.scaleTensor, "/scale_tensor", validN));
    CUBIST_TRY(const auto valid, m_valids.of(stage.out, m_indices));
    const Extent4 batch = rightAligned(valid);
    boxes.batchColumns = size.batch[1];

    if (stage.tile.splitK) {
        const bool plain = !spec.biasType && !spec.channelScaleType && !spec.scale && !spec.relu;
        if (!plain || stage.outDType != spec.accType)
            return unexpected(ErrorCode::Unsupported,
                              "split-K gives FP32 or INT32 without bias, scale and ReLU, as the sums are added in "
                              "global memory",
                              block.where + "/tile/split_k");
        return emitSplitK(block, stage, spec, boxes, batch);
    }
    for (std::int64_t first = 0; first < batch[0]; ++first)
        for (std::int64_t second = 0; second < batch[1]; ++second)
            for (std::int64_t n = 0; n < validN; n += spec.nTile)
                for (std::int64_t m = 0; m < validM; m += spec.mTile) {
                    if (m_program.tasks.size() % 1024 == 1023 && m_context.cancelled()) return cancelledError();
                    const CubePlace place{first, second, m, n, 0, size.k, 0};
                    CUBIST_CHECK_OK(emitCubeTask(block, stage, spec, boxes, place));
                }
    return {};
}

/// One task: the block at `place` over a stretch of K.
Result<void> Lowerer::emitCubeTask(const ResolvedBlock& block, const CubeStage& stage, CubeLeafSpec spec,
                                   const CubeBoxes& boxes, const CubePlace& place) {
    const Box a = matrixOf(boxes.a, place.first, place.second);
    const Box b = matrixOf(boxes.b, place.first, place.second);
    spec.m = std::min(spec.mTile, a.valid[stage.aTrans ? 3 : 2] - place.m);
    spec.n = std::min(spec.nTile, b.valid[stage.bTrans ? 2 : 3] - place.n);
    const auto cutK = [&](std::int64_t k) { return std::clamp(k - place.k, std::int64_t{0}, place.depth); };
    spec.k = cutK(spec.k);
    spec.kValidA = cutK(spec.kValidA);
    spec.kValidB = cutK(spec.kValidB);
    spec.outAtomic = boxes.accumulates;
    const std::uint64_t groupKey = cubeGroupKey(spec, block.matmul->k);
    CUBIST_TRY(const LeafIndex leaf, leafFor(m_cubeLeaves, spec, groupKey, block.where + "/tile", buildCubeLeaf));
    std::vector<Box> used;
    constexpr std::size_t kMostReads = 6;
    used.reserve(kMostReads + boxes.destinations.size());
    used.push_back(stage.aTrans ? subBox(a, place.k, place.depth, place.m, spec.mTile)
                                : subBox(a, place.m, spec.mTile, place.k, place.depth));
    used.push_back(stage.bTrans ? subBox(b, place.n, spec.nTile, place.k, place.depth)
                                : subBox(b, place.k, place.depth, place.n, spec.nTile));
    if (spec.scaled) {
        const auto scales = [&](Box box, bool pairsFirst, std::int64_t outer, std::int64_t extent) {
            cutAxis(box, pairsFirst ? 2 : 1, outer, extent);
            cutAxis(box, pairsFirst ? 1 : 2, place.k / 64, ceilDiv(place.depth, 64));
            return box;
        };
        used.push_back(scales(boxes.scaleA, stage.scaleATrans, place.m, spec.mTile));
        used.push_back(scales(boxes.scaleB, !stage.scaleBTrans, place.n, spec.nTile));
    }
    for (const std::optional<Box>* row : {&boxes.bias, &boxes.channelScales})
        if (*row) used.push_back(subBox(matrixOf(**row, place.first, place.second), 0, 1, place.n, spec.nTile));
    const std::size_t reads = used.size();
    for (const Box& destination : boxes.destinations)
        used.push_back(matrixPart(destination, place, spec.mTile, spec.nTile));
    emitTask(leaf, used, reads, memberOf(spec, boxes, place), boxes.unordered);
    return {};
}

/// The box of E8M0 scales, which must cover every valid element of the operand.
Result<Box> Lowerer::scalesBox(const ResolvedBlock& block, const ValueId& id, const std::string& key, bool pairsFirst,
                               std::int64_t outer, std::int64_t k) {
    CUBIST_TRY(const Box box, placeOf(id));
    if (box.valid[pairsFirst ? 2 : 1] < outer || box.valid[pairsFirst ? 1 : 2] < ceilDiv(k, 64) || box.valid[3] != 2)
        return unexpected(ErrorCode::BadValue,
                          "the scales '" + id.text + "' do not cover the valid part of their operand",
                          block.where + key);
    return box;
}

Result<std::optional<Box>> Lowerer::rowBox(const ResolvedBlock& block, const ValueId& id, const std::string& key,
                                           std::int64_t n) {
    if (id.empty()) return std::optional<Box>();
    CUBIST_TRY(const Box box, placeOf(id));
    if (box.valid[3] < n || box.valid[2] < 1)
        return unexpected(ErrorCode::BadValue, "'" + id.text + "' does not cover the valid columns of the result",
                          block.where + key);
    return std::optional(box);
}

}  // namespace cubist::detail

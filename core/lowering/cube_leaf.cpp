// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/lowering/cube_leaf_parts.h"
#include "core/lowering/leaf_builder.h"

namespace cubist {
namespace {

using detail::checkFits;
using detail::CubeSide;
using detail::kFractal;
using detail::panelBytes;
using detail::TileRing;

constexpr std::int64_t kScalePair = 64;       ///< elements of K that two E8M0 scales cover
constexpr std::int64_t kMxAddressRatio = 16;  ///< L0 address of a tile : L0_MX address of its scales

class CubeLeafBuilder : detail::CubeLeafParts {
public:
    CubeLeafBuilder(const CubeLeafSpec& spec, const ChipSpec& chip) : CubeLeafParts(chip), m_spec(spec) {}

    Result<Leaf> build() {
        m_leaf.stage = m_spec.stage;
        m_leaf.parameters = static_cast<std::uint16_t>(m_spec.inputs() + m_spec.outTypes.size());
        CUBIST_CHECK_OK(planBuffers());
        addRows();
        const std::uint16_t accumulator = allocateAccumulator(m_spec);
        std::int64_t k = 0;
        do {
            CUBIST_CHECK_OK(checkRoom(12));
            const std::int64_t step = stepAt(m_spec, k);
            addStep(k, step, accumulator);
            k += step;
        } while (k < m_spec.k);
        endBlock();
        for (std::size_t i = 0; i < m_spec.outTypes.size(); ++i) addStore(accumulator, i);
        return finish();
    }

private:
    Result<void> planBuffers() {
        const CubeTileBytes declared = declaredBytes(m_spec);
        padBlock(m_spec);
        const std::int64_t m = m_paddedM;
        const std::int64_t n = m_paddedN;
        const std::int64_t l1A = panelBytes(m_spec.aType, m, std::min(m_spec.kAL1, m_spec.k));
        const std::int64_t l1B = panelBytes(m_spec.bType, n, std::min(m_spec.kBL1, m_spec.k));
        const std::int64_t rows = rowBytes(m_spec.biasType, n) + rowBytes(m_spec.channelScaleType, n);
        const std::int64_t scales = m_spec.scaled ? scaleBytes(m, std::min(m_spec.kAL1, m_spec.k)) +
                                                        scaleBytes(n, std::min(m_spec.kBL1, m_spec.k))
                                                  : 0;
        CUBIST_CHECK_OK(planRows(n));
        const std::int64_t l1 = m_chip.l1Bytes.integer() - rows;
        CUBIST_CHECK_OK(checkFits("A's tile", l1A + scales, "L1", l1));
        CUBIST_CHECK_OK(checkFits("B's tile", l1B + scales, "L1", l1));
        m_reload = l1A + l1B + scales > l1;
        const std::int64_t set = (m_reload ? std::max(l1A, l1B) : l1A + l1B) + scales;
        const std::int64_t l1Slots =
            m_reload ? 1 : slotsFor(m_spec, saturatingAdd(declared.l1(), scales), set, l1, m_spec.byHand.l1Slots);
        const auto firstSlot = [&](std::int64_t ring) { return static_cast<std::uint16_t>(ring * l1Slots); };
        m_l1A = {Buffer::L1, l1Slots, set, rows, 0, 0};
        m_l1B = {Buffer::L1, l1Slots, set, rows + (m_reload ? 0 : l1A), firstSlot(1), 0};
        m_l1End = m_chip.l1Bytes.integer() - scales;
        m_scalesA = {Buffer::L1, l1Slots, set, m_reload ? m_l1End : rows + set - scales, firstSlot(2), 0};
        m_scalesB = m_scalesA;
        m_scalesB.base += scaleBytes(m, std::min(m_spec.kAL1, m_spec.k));
        m_scalesB.firstSlot = firstSlot(3);
        m_rowSlot = firstSlot(4);
        const bool chosen = m_spec.slotCount > 0 || m_spec.byHand.l1Slots > 0;
        if (l1Slots == 1 && !m_reload && !m_spec.scaled && !chosen) doubleOne(declared, l1A, l1B, l1);
        return planL0(m_spec, declared);
    }

    /// Where A and B do not fit twice, one of them may: first the one that is loaded more often.
    void doubleOne(const CubeTileBytes& declared, std::int64_t l1A, std::int64_t l1B, std::int64_t l1) {
        const auto fit = [&](std::int64_t once, std::int64_t twice) {
            return saturatingAdd(once, saturatingMul(twice, 2)) <= l1;
        };
        const bool left = fit(declared.l1B, declared.l1A) && fit(l1B, l1A);
        const bool right = fit(declared.l1A, declared.l1B) && fit(l1A, l1B);
        if (!left && !right) return;
        const bool oftener = ceilDiv(m_spec.k, m_spec.kBL1) >= ceilDiv(m_spec.k, m_spec.kAL1);
        TileRing& doubled = right && (oftener || !left) ? m_l1B : m_l1A;
        doubled.count = 2;
        m_l1A.stride = l1A;
        m_l1B.stride = l1B;
        m_l1B.base = m_l1A.base + m_l1A.count * l1A;
        m_l1B.firstSlot = static_cast<std::uint16_t>(m_l1A.count);
    }

    /// Bytes of the E8M0 scales of `outer` rows or columns (already padded) over `k`.
    [[nodiscard]] static std::int64_t scaleBytes(std::int64_t outer, std::int64_t k) {
        return outer * 2 * ceilDiv(std::max<std::int64_t>(k, 1), kScalePair);
    }

    /// Bytes in L1 of a row of n elements that some leaves need.
    [[nodiscard]] static std::int64_t rowBytes(const std::optional<DType>& type, std::int64_t n) {
        return type ? roundUp(deviceBytes(*type, n), 64) : 0;
    }

    Result<void> planRows(std::int64_t n) {
        if (m_spec.biasType)
            CUBIST_CHECK_OK(checkFits("the bias", deviceBytes(m_spec.accType, n), "BT", m_chip.btBytes.integer()));
        if (m_spec.channelScaleType)
            CUBIST_CHECK_OK(
                checkFits("the row of scales", deviceBytes(DType::INT64, n), "FB", m_chip.fbBytes.integer()));
        return {};
    }

    /// The index of a detail, kNone for one that says nothing. Neighbouring instructions share theirs.
    std::uint16_t detailOf(const CubeDetail& detail) {
        if (detail == CubeDetail{}) return Instruction::kNone;
        std::vector<CubeDetail>& all = m_leaf.cubeDetails;
        if (all.empty() || all.back() != detail) all.push_back(detail);
        return static_cast<std::uint16_t>(all.size() - 1);
    }

    /// What a side has in L1.
    struct L1Tiles {
        std::uint16_t data = 0;
        std::uint16_t scales = Instruction::kNone;
    };

    /// The bias and the channel scales on their way to BT and FB.
    void addRows() {
        const std::int64_t n = roundUp(m_spec.n, kFractal);
        std::int64_t at = 0;
        auto box = static_cast<std::uint16_t>(m_spec.scaled ? 4 : 2);
        const auto bring = [&](DType type, Opcode op, Pipe pipe, Buffer buffer, DType kept, std::int64_t slot) {
            const std::uint16_t row = place(Buffer::L1, m_rowSlot + slot, at, type, 1, n);
            at += rowBytes(type, n);
            Instruction load;
            load.op = Opcode::LoadL1;
            load.pipe = Pipe::MTE2;
            load.dtype = type;
            load.dst = row;
            load.box = box++;
            load.extent = {1, static_cast<std::uint32_t>(m_spec.n)};
            push(load);
            Instruction move;
            move.op = op;
            move.pipe = pipe;
            move.dtype = type;
            move.src0 = row;
            move.extent = load.extent;
            move.dst = place(buffer, 0, 0, kept, 1, n);
            push(move);
            return move.dst;
        };
        if (m_spec.biasType)
            m_bias = bring(*m_spec.biasType, Opcode::MoveBt, Pipe::MTE1, Buffer::BT, m_spec.accType, 0);
        if (m_spec.channelScaleType)
            m_channelScales = bring(*m_spec.channelScaleType, Opcode::MoveFb, Pipe::FIX, Buffer::FB, DType::INT64, 1);
    }

    L1Tiles loadTiles(const CubeSide& s, std::int64_t kStart) {
        L1Tiles tiles;
        tiles.data = load(m_spec, s, kStart, s.a ? 0 : 1);
        if (!m_spec.scaled) return tiles;
        const std::int64_t depth = std::min(s.depth, m_spec.k - kStart);
        const std::int64_t pairs = ceilDiv(std::max<std::int64_t>(depth, 1), kScalePair);
        tiles.scales = allocate(s.a ? m_scalesA : m_scalesB, DType::FP8E8M0, roundUp(s.outer, kFractal), 2 * pairs);
        const bool pairsFirst = s.a ? m_spec.scaleATrans : !m_spec.scaleBTrans;
        Instruction scales;
        scales.op = Opcode::LoadScales;
        scales.pipe = Pipe::MTE2;
        scales.dtype = DType::FP8E8M0;
        scales.flags = pairsFirst ? kFlagTransposed : 0;
        scales.dst = tiles.scales;
        scales.box = s.a ? 2 : 3;
        scales.extent = {static_cast<std::uint32_t>(s.outer), static_cast<std::uint32_t>(ceilDiv(depth, kScalePair))};
        scales.at = {0, static_cast<std::uint32_t>(kStart / kScalePair)};
        push(scales);
        return tiles;
    }

    /// Returns the tile in L0 and, for MX, that of its scales.
    std::array<std::uint16_t, 2> moveTiles(const CubeSide& s, const L1Tiles& tiles, std::int64_t kInTile,
                                           std::int64_t step) {
        const std::uint16_t l0 = move(s, tiles.data, kInTile, step);
        if (!m_spec.scaled) return {l0, Instruction::kNone};
        const Allocation& data = m_leaf.allocations[l0];
        const std::int64_t pairs = ceilDiv(std::max<std::int64_t>(step, 1), kScalePair);
        const std::uint16_t scales =
            place(s.a ? Buffer::L0AMx : Buffer::L0BMx, data.slot, data.offset / kMxAddressRatio, DType::FP8E8M0,
                  roundUp(s.outer, kFractal), 2 * pairs);
        Instruction moveScales;
        moveScales.op = s.a ? Opcode::MoveScalesA : Opcode::MoveScalesB;
        moveScales.pipe = Pipe::MTE1;
        moveScales.dtype = DType::FP8E8M0;
        moveScales.dst = scales;
        moveScales.src0 = tiles.scales;
        moveScales.extent = {static_cast<std::uint32_t>(s.outer),
                             static_cast<std::uint32_t>(ceilDiv(step, kScalePair))};
        moveScales.at = {0, static_cast<std::uint32_t>(kInTile / kScalePair)};
        push(moveScales);
        return {l0, scales};
    }

    /// Where the tiles of this step do not fit L1 together, each move loads its operand again.
    void addStep(std::int64_t k, std::int64_t step, std::uint16_t accumulator) {
        const CubeSide a = side(m_spec, true);
        const CubeSide b = side(m_spec, false);
        const std::int64_t startA = k - k % a.depth;
        const std::int64_t startB = k - k % b.depth;
        const std::int64_t room = m_l1End - chunkBytes(m_spec, b, m_paddedN, startB);
        const bool apart = m_reload && m_l1A.base + chunkBytes(m_spec, a, m_paddedM, startA) > room;
        if (apart) {
            m_l1B.base = m_l1A.base;
            m_residentA = m_residentB = -1;
        } else if (m_reload) {
            m_l1B.base = room;
        }
        // Where B alone has two places its next tile need not wait, in the queue of MTE2, for the place of A's.
        if (k > 0 && !apart && m_residentB != startB && m_l1A.count < m_l1B.count) {
            m_tilesB = loadTiles(b, startB);
            m_residentB = startB;
        }
        if (m_residentA != startA) m_tilesA = loadTiles(a, startA);
        if (!apart && m_residentB != startB) m_tilesB = loadTiles(b, startB);
        const auto [l0a, l0aScales] = moveTiles(a, m_tilesA, k - startA, step);
        if (apart) m_tilesB = loadTiles(b, startB);
        const auto [l0b, l0bScales] = moveTiles(b, m_tilesB, k - startB, step);
        m_residentA = apart ? -1 : startA;
        m_residentB = apart ? -1 : startB;
        CubeDetail detail;
        detail.scalesA = l0aScales;
        detail.scalesB = l0bScales;
        if (k == 0) detail.bias = m_bias;
        detail.accumulation = m_spec.accumulation;
        detail.fractalK = m_spec.fractalK;
        detail.hf32MantissaBits = m_spec.hf32MantissaBits;
        detail.hf32TiesAway = m_spec.hf32TiesAway;
        mmad(m_spec, accumulator, l0a, l0b, k, step, detailOf(detail));
    }

    void addStore(std::uint16_t accumulator, std::size_t destination) {
        CubeDetail detail;
        detail.relu = m_spec.relu;
        detail.scale = m_spec.scale;
        detail.channelScales = m_channelScales;
        Instruction store = storeOf(m_spec, accumulator, destination);
        if (!m_spec.outAtomic.empty() && m_spec.outAtomic[destination]) store.flags |= kFlagAtomic;
        store.detail = detailOf(detail);
        store.box = static_cast<std::uint16_t>(m_spec.inputs() + destination);
        push(store);
    }

    const CubeLeafSpec& m_spec;
    TileRing m_scalesA{}, m_scalesB{};
    std::int64_t m_rowSlot = 0;  ///< slot of the bias in L1; the channel scales have the next one
    std::int64_t m_l1End = 0;    ///< where the tiles of A and B end in L1
    L1Tiles m_tilesA, m_tilesB;
    std::uint16_t m_bias = Instruction::kNone, m_channelScales = Instruction::kNone;
};

}  // namespace

HandWritten::HandWritten(const Options& options) : unitFlag(options.unitFlag) {
    const auto slots = [&](const char* buffer) {
        const std::int64_t* const count = options.bufferSlots.find(buffer);
        return count == nullptr ? std::int64_t{0} : *count;
    };
    l1Slots = slots("L1");
    l0aSlots = slots("L0A");
    l0bSlots = slots("L0B");
    l0cSlots = slots("L0C");
}

Result<Leaf> buildCubeLeaf(const CubeLeafSpec& spec, const ChipSpec& chip) {
    return CubeLeafBuilder(spec, chip).build();
}

}  // namespace cubist

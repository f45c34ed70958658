// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/base/nz_format.h"
#include "core/chip/slots.h"
#include "core/lowering/leaf_builder.h"
#include "core/lowering/tile_ring.h"

namespace cubist {
namespace {

using detail::kFractal;
using detail::kMaxAllocations;
using detail::TileRing;

constexpr std::int64_t kScalePair = 64;       ///< elements of K that two E8M0 scales cover
constexpr std::int64_t kMxAddressRatio = 16;  ///< L0 address of a tile : L0_MX address of its scales

class CubeLeafBuilder {
public:
    CubeLeafBuilder(const CubeLeafSpec& spec, const ChipSpec& chip) : m_spec(spec), m_chip(chip) {}

    Result<Leaf> build() {
        m_leaf.kind = TaskKind::Aic;
        m_leaf.stage = m_spec.stage;
        m_leaf.parameters = static_cast<std::uint16_t>(m_spec.inputs() + m_spec.outTypes.size());
        CUBIST_CHECK_OK(planBuffers());
        addRows();
        const std::uint16_t accumulator =
            allocate(m_l0c, m_spec.accType, roundUp(m_spec.m, kFractal), roundUp(m_spec.n, kFractal));
        std::int64_t k = 0;
        do {
            std::int64_t step = std::min(m_spec.kL0, m_spec.k - k);
            step = std::min(step, untilNext(k, m_spec.kAL1));
            step = std::min(step, untilNext(k, m_spec.kBL1));
            if (m_leaf.allocations.size() + 12 > kMaxAllocations)
                return unexpected(ErrorCode::Unsupported,
                                  "one block of the matmul takes more than 65 000 buffer tiles; use a larger kL0");
            addStep(k, step, accumulator);
            k += step;
        } while (k < m_spec.k);
        m_leaf.instructions[m_lastMmad].flags |= kFlagLast;
        for (std::size_t i = 0; i < m_spec.outTypes.size(); ++i) addStore(accumulator, i);
        for (const TileRing* ring : {&m_l1A, &m_l1B, &m_l0a, &m_l0b, &m_l0c})
            if (!m_reload || ring->buffer != Buffer::L1) m_leaf.rings.push_back(ring->places());
        return std::move(m_leaf);
    }

private:
    static std::int64_t untilNext(std::int64_t k, std::int64_t period) { return period - k % period; }

    Result<void> planBuffers() {
        const CubeTileBytes declared =
            cubeTileBytes(m_spec.mTile, m_spec.kL0, m_spec.kAL1, m_spec.kBL1, m_spec.nTile, m_spec.aType, m_spec.bType);
        const std::int64_t m = roundUp(std::min(m_spec.mTile, m_spec.mSize), kFractal);
        const std::int64_t n = roundUp(std::min(m_spec.nTile, m_spec.nSize), kFractal);
        m_paddedM = m;
        m_paddedN = n;
        const std::int64_t l1A = panelBytes(m_spec.aType, m, std::min(m_spec.kAL1, m_spec.k));
        const std::int64_t l1B = panelBytes(m_spec.bType, n, std::min(m_spec.kBL1, m_spec.k));
        const std::int64_t rows = rowBytes(m_spec.biasType, n) + rowBytes(m_spec.channelScaleType, n);
        const std::int64_t scales = m_spec.scaled ? scaleBytes(m, std::min(m_spec.kAL1, m_spec.k)) +
                                                        scaleBytes(n, std::min(m_spec.kBL1, m_spec.k))
                                                  : 0;
        CUBIST_CHECK_OK(planRows(n));
        const std::int64_t l1 = m_chip.l1Bytes.integer() - rows;
        CUBIST_CHECK_OK(fits("A's tile", l1A + scales, "L1", l1));
        CUBIST_CHECK_OK(fits("B's tile", l1B + scales, "L1", l1));
        m_reload = l1A + l1B + scales > l1;
        const std::int64_t set = (m_reload ? std::max(l1A, l1B) : l1A + l1B) + scales;
        const std::int64_t l1Slots =
            m_reload ? 1 : slotsFor(saturatingAdd(declared.l1(), scales), set, l1, m_spec.byHand.l1Slots);
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
        const std::int64_t k0 = std::min(m_spec.kL0, m_spec.k);
        const HandWritten& own = m_spec.byHand;
        CUBIST_CHECK_OK(
            ring(m_l0a, Buffer::L0A, declared.l0A, panelBytes(m_spec.aType, m, k0), m_chip.l0aBytes, own.l0aSlots));
        CUBIST_CHECK_OK(
            ring(m_l0b, Buffer::L0B, declared.l0B, panelBytes(m_spec.bType, n, k0), m_chip.l0bBytes, own.l0bSlots));
        return ring(m_l0c, Buffer::L0C, declared.l0C, deviceBytes(m_spec.accType, m * n), m_chip.l0cBytes,
                    own.l0cSlots);
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
            CUBIST_CHECK_OK(fits("the bias", deviceBytes(m_spec.accType, n), "BT", m_chip.btBytes.integer()));
        if (m_spec.channelScaleType)
            CUBIST_CHECK_OK(fits("the row of scales", deviceBytes(DType::INT64, n), "FB", m_chip.fbBytes.integer()));
        return {};
    }

    /// Bytes of `outer` rows or columns (already padded) by `k`, which is padded to whole 32-byte blocks.
    [[nodiscard]] static std::int64_t panelBytes(DType type, std::int64_t outer, std::int64_t k) {
        return deviceBytes(type, outer * roundUp(std::max<std::int64_t>(k, 1), blockElements(type)));
    }

    /// The declared tile decides about double buffering, the real one about what is possible.
    [[nodiscard]] std::int64_t slotsFor(std::int64_t declared, std::int64_t real, std::int64_t capacity,
                                        std::int64_t ofBuffer) const {
        const std::int64_t asked = ofBuffer > 0 ? ofBuffer : m_spec.slotCount;
        const auto wanted = asked > 0 ? std::optional(asked) : std::nullopt;
        return std::clamp<std::int64_t>(slotCount(declared, capacity, wanted), 1, capacity / real);
    }

    Result<void> ring(TileRing& out, Buffer buffer, std::int64_t declared, std::int64_t real, const Constant& size,
                      std::int64_t ofBuffer) const {
        CUBIST_CHECK_OK(fits("the tile", real, std::string(bufferName(buffer)), size.integer()));
        out = {buffer, slotsFor(declared, real, size.integer(), ofBuffer), real, 0, 0, 0};
        return {};
    }

    static Result<void> fits(const std::string& what, std::int64_t bytes, const std::string& buffer,
                             std::int64_t capacity) {
        if (bytes <= capacity) return {};
        return unexpected(ErrorCode::DoesNotFit, what + " takes " + std::to_string(bytes) + " B of " + buffer +
                                                     ", which has " + std::to_string(capacity) + " B");
    }

    std::uint16_t allocate(TileRing& ring, DType type, std::int64_t rows, std::int64_t cols) {
        const std::int64_t turn = ring.next;
        ring.next = (ring.next + 1) % ring.count;
        return place(ring.buffer, ring.firstSlot + turn, ring.base + turn * ring.stride, type, rows, cols);
    }

    std::uint16_t place(Buffer buffer, std::int64_t slot, std::int64_t offset, DType type, std::int64_t rows,
                        std::int64_t cols) {
        Allocation allocation;
        allocation.buffer = buffer;
        allocation.slot = static_cast<std::uint16_t>(slot);
        allocation.offset = static_cast<std::uint32_t>(offset);
        allocation.bytes = static_cast<std::uint32_t>(deviceBytes(type, rows * cols));
        allocation.rows = static_cast<std::uint32_t>(rows);
        allocation.cols = static_cast<std::uint32_t>(cols);
        allocation.dtype = type;
        allocation.first = allocation.last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        m_leaf.allocations.push_back(allocation);
        return static_cast<std::uint16_t>(m_leaf.allocations.size() - 1);
    }

    void touch(std::uint16_t allocation) {
        m_leaf.allocations[allocation].last = static_cast<std::uint32_t>(m_leaf.instructions.size());
    }

    std::uint32_t push(const Instruction& instruction) {
        for (const std::uint16_t used : {instruction.dst, instruction.src0, instruction.src1})
            if (used != Instruction::kNone) touch(used);
        if (instruction.detail != Instruction::kNone) {
            const CubeDetail& detail = m_leaf.cubeDetails[instruction.detail];
            for (const std::uint16_t used : {detail.scalesA, detail.scalesB, detail.bias, detail.channelScales})
                if (used != Instruction::kNone) touch(used);
        }
        m_leaf.instructions.push_back(instruction);
        return static_cast<std::uint32_t>(m_leaf.instructions.size() - 1);
    }

    /// The index of a detail, kNone for one that says nothing. Neighbouring instructions share theirs.
    std::uint16_t detailOf(const CubeDetail& detail) {
        if (detail == CubeDetail{}) return Instruction::kNone;
        std::vector<CubeDetail>& all = m_leaf.cubeDetails;
        if (all.empty() || all.back() != detail) all.push_back(detail);
        return static_cast<std::uint16_t>(all.size() - 1);
    }

    /// One operand on its way from GM to L0: what differs between A and B.
    struct Side {
        bool a = true;
        bool transposed = false;
        bool nz = false;
        bool scalesTransposed = false;  ///< the pairs come first
        DType type = DType::FP32;
        std::int64_t outer = 0;  ///< m or n
        std::int64_t depth = 0;  ///< kAL1 or kBL1
        std::int64_t kValid = 0;
    };

    /// What a side has in L1.
    struct L1Tiles {
        std::uint16_t data = 0;
        std::uint16_t scales = Instruction::kNone;
    };

    [[nodiscard]] Side side(bool a) const {
        return a ? Side{true,         m_spec.aTrans, m_spec.nzA,  m_spec.scaleATrans,
                        m_spec.aType, m_spec.m,      m_spec.kAL1, m_spec.kValidA}
                 : Side{false,        m_spec.bTrans, m_spec.nzB,  !m_spec.scaleBTrans,
                        m_spec.bType, m_spec.n,      m_spec.kBL1, m_spec.kValidB};
    }

    /// Stored orders: A is [m, K], transposed [K, m]; B is [K, n], transposed [n, K].
    static bool outerFirst(const Side& s) { return s.a != s.transposed; }

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

    L1Tiles load(const Side& s, std::int64_t kStart) {
        const std::int64_t depth = std::min(s.depth, m_spec.k - kStart);
        const std::int64_t outer = roundUp(s.outer, kFractal);
        const std::int64_t inner = roundUp(std::max<std::int64_t>(depth, 1), blockElements(s.type));
        L1Tiles tiles;
        tiles.data =
            allocate(s.a ? m_l1A : m_l1B, s.type, outerFirst(s) ? outer : inner, outerFirst(s) ? inner : outer);
        const auto kExtent = static_cast<std::uint32_t>(std::clamp(s.kValid - kStart, std::int64_t{0}, depth));
        const auto outerExtent = static_cast<std::uint32_t>(s.outer);
        const auto kAt = static_cast<std::uint32_t>(kStart);
        Instruction load;
        load.op = Opcode::LoadL1;
        load.pipe = Pipe::MTE2;
        load.dtype = s.type;
        load.flags = static_cast<std::uint16_t>((s.transposed ? kFlagTransposed : 0) | (s.nz ? kFlagNz : 0));
        load.dst = tiles.data;
        load.box = s.a ? 0 : 1;
        load.extent = outerFirst(s) ? std::array{outerExtent, kExtent} : std::array{kExtent, outerExtent};
        load.at = outerFirst(s) ? std::array{0U, kAt} : std::array{kAt, 0U};
        push(load);
        if (!m_spec.scaled) return tiles;
        const std::int64_t pairs = ceilDiv(std::max<std::int64_t>(depth, 1), kScalePair);
        tiles.scales = allocate(s.a ? m_scalesA : m_scalesB, DType::FP8E8M0, outer, 2 * pairs);
        Instruction scales;
        scales.op = Opcode::LoadScales;
        scales.pipe = Pipe::MTE2;
        scales.dtype = DType::FP8E8M0;
        scales.flags = s.scalesTransposed ? kFlagTransposed : 0;
        scales.dst = tiles.scales;
        scales.box = s.a ? 2 : 3;
        scales.extent = {outerExtent, static_cast<std::uint32_t>(ceilDiv(depth, kScalePair))};
        scales.at = {0, static_cast<std::uint32_t>(kStart / kScalePair)};
        push(scales);
        return tiles;
    }

    /// Returns the tile in L0 and, for MX, that of its scales.
    std::array<std::uint16_t, 2> move(const Side& s, const L1Tiles& tiles, std::int64_t kInTile, std::int64_t step) {
        const std::int64_t outer = roundUp(s.outer, kFractal);
        const std::int64_t inner = roundUp(std::max<std::int64_t>(step, 1), blockElements(s.type));
        const std::uint16_t l0 = allocate(s.a ? m_l0a : m_l0b, s.type, s.a ? outer : inner, s.a ? inner : outer);
        const auto extentK = static_cast<std::uint32_t>(step);
        const auto extentOuter = static_cast<std::uint32_t>(s.outer);
        const auto atK = static_cast<std::uint32_t>(kInTile);
        Instruction move;
        move.op = s.a ? Opcode::MoveL0A : Opcode::MoveL0B;
        move.pipe = Pipe::MTE1;
        move.dtype = s.type;
        move.flags = s.transposed ? kFlagTransposed : 0;
        move.dst = l0;
        move.src0 = tiles.data;
        move.extent = outerFirst(s) ? std::array{extentOuter, extentK} : std::array{extentK, extentOuter};
        move.at = outerFirst(s) ? std::array{0U, atK} : std::array{atK, 0U};
        push(move);
        if (!m_spec.scaled) return {l0, Instruction::kNone};
        const Allocation& data = m_leaf.allocations[l0];
        const std::int64_t pairs = ceilDiv(std::max<std::int64_t>(step, 1), kScalePair);
        const std::uint16_t scales = place(s.a ? Buffer::L0AMx : Buffer::L0BMx, data.slot,
                                           data.offset / kMxAddressRatio, DType::FP8E8M0, outer, 2 * pairs);
        Instruction moveScales;
        moveScales.op = s.a ? Opcode::MoveScalesA : Opcode::MoveScalesB;
        moveScales.pipe = Pipe::MTE1;
        moveScales.dtype = DType::FP8E8M0;
        moveScales.dst = scales;
        moveScales.src0 = tiles.scales;
        moveScales.extent = {extentOuter, static_cast<std::uint32_t>(ceilDiv(step, kScalePair))};
        moveScales.at = {0, static_cast<std::uint32_t>(kInTile / kScalePair)};
        push(moveScales);
        return {l0, scales};
    }

    /// What the tile that begins at `start` takes of L1.
    [[nodiscard]] std::int64_t chunkBytes(const Side& s, std::int64_t outer, std::int64_t start) const {
        return panelBytes(s.type, outer, std::min(s.depth, m_spec.k - start));
    }

    /// Where the tiles of this step do not fit L1 together, each move loads its operand again.
    void addStep(std::int64_t k, std::int64_t step, std::uint16_t accumulator) {
        const Side a = side(true);
        const Side b = side(false);
        const std::int64_t startA = k - k % a.depth;
        const std::int64_t startB = k - k % b.depth;
        const std::int64_t room = m_l1End - chunkBytes(b, m_paddedN, startB);
        const bool apart = m_reload && m_l1A.base + chunkBytes(a, m_paddedM, startA) > room;
        if (apart) {
            m_l1B.base = m_l1A.base;
            m_residentA = m_residentB = -1;
        } else if (m_reload) {
            m_l1B.base = room;
        }
        // Where B alone has two places its next tile need not wait, in the queue of MTE2, for the place of A's.
        if (k > 0 && !apart && m_residentB != startB && m_l1A.count < m_l1B.count) {
            m_tilesB = load(b, startB);
            m_residentB = startB;
        }
        if (m_residentA != startA) m_tilesA = load(a, startA);
        if (!apart && m_residentB != startB) m_tilesB = load(b, startB);
        const auto [l0a, l0aScales] = move(a, m_tilesA, k - startA, step);
        if (apart) m_tilesB = load(b, startB);
        const auto [l0b, l0bScales] = move(b, m_tilesB, k - startB, step);
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
        Instruction mmad;
        mmad.op = Opcode::Mmad;
        mmad.pipe = Pipe::M;
        mmad.dtype = m_spec.aType;
        mmad.flags = k == 0 ? kFlagInit : 0;
        mmad.detail = detailOf(detail);
        mmad.dst = accumulator;
        mmad.src0 = l0a;
        mmad.src1 = l0b;
        mmad.extent = {static_cast<std::uint32_t>(m_spec.m), static_cast<std::uint32_t>(m_spec.n)};
        mmad.at = {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(k)};
        m_lastMmad = push(mmad);
    }

    void addStore(std::uint16_t accumulator, std::size_t destination) {
        CubeDetail detail;
        detail.relu = m_spec.relu;
        detail.scale = m_spec.scale;
        detail.channelScales = m_channelScales;
        Instruction store;
        store.op = Opcode::StoreL0C;
        store.pipe = Pipe::FIX;
        store.dtype = m_spec.outTypes[destination];
        if (m_spec.byHand.unitFlag) store.flags |= kFlagUnit;
        if (!m_spec.outAtomic.empty() && m_spec.outAtomic[destination]) store.flags |= kFlagAtomic;
        store.detail = detailOf(detail);
        store.src0 = accumulator;
        store.box = static_cast<std::uint16_t>(m_spec.inputs() + destination);
        store.extent = {static_cast<std::uint32_t>(m_spec.m), static_cast<std::uint32_t>(m_spec.n)};
        push(store);
    }

    const CubeLeafSpec& m_spec;
    const ChipSpec& m_chip;
    Leaf m_leaf;
    TileRing m_l1A{}, m_l1B{}, m_scalesA{}, m_scalesB{}, m_l0a{}, m_l0b{}, m_l0c{};
    std::int64_t m_rowSlot = 0;                       ///< slot of the bias in L1; the channel scales have the next one
    std::int64_t m_l1End = 0;                         ///< where the tiles of A and B end in L1
    std::int64_t m_paddedM = 0, m_paddedN = 0;        ///< rows of A and columns of B that a buffer has to hold
    bool m_reload = false;                            ///< whole tiles of A and B do not fit L1 together
    std::int64_t m_residentA = -1, m_residentB = -1;  ///< places along K of the tiles in L1
    L1Tiles m_tilesA, m_tilesB;
    std::uint16_t m_bias = Instruction::kNone, m_channelScales = Instruction::kNone;
    std::uint32_t m_lastMmad = 0;
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

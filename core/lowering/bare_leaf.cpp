// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/base/nz_format.h"
#include "core/chip/slots.h"
#include "core/lowering/bare_leaf.h"
#include "core/lowering/tile_ring.h"

namespace cubist {
namespace {

using detail::kFractal;
using detail::kMaxAllocations;
using detail::TileRing;

class BareLeafBuilder {
public:
    BareLeafBuilder(std::span<const BareBlockSpec> blocks, const ChipSpec& chip)
        : m_blocks(blocks), m_spec(blocks.front()), m_chip(chip) {}

    Result<Leaf> build() {
        m_leaf.kind = TaskKind::Aic;
        m_leaf.stage = m_spec.stage;
        CUBIST_CHECK_OK(planBuffers());
        for (const BareBlockSpec& block : m_blocks) {
            m_spec = block;
            m_firstBox = m_leaf.parameters;
            m_leaf.parameters = static_cast<std::uint16_t>(m_leaf.parameters + 2 + m_spec.outTypes.size());
            m_residentA = m_residentB = -1;
            CUBIST_CHECK_OK(addBlock());
        }
        for (const TileRing* ring : {&m_l1A, &m_l1B, &m_l0a, &m_l0b, &m_l0c})
            if (!m_reload || ring->buffer != Buffer::L1) m_leaf.rings.push_back(ring->places());
        return std::move(m_leaf);
    }

private:
    Result<void> addBlock() {
        const std::uint16_t accumulator =
            allocate(m_l0c, m_spec.accType, roundUp(m_spec.m, kFractal), roundUp(m_spec.n, kFractal));
        std::int64_t k = 0;
        do {
            std::int64_t step = std::min(m_spec.kL0, m_spec.k - k);
            step = std::min(step, untilNext(k, m_spec.kAL1));
            step = std::min(step, untilNext(k, m_spec.kBL1));
            if (m_leaf.allocations.size() + 8 > kMaxAllocations)
                return unexpected(ErrorCode::Unsupported,
                                  "one block of the matmul takes more than 65 000 buffer tiles; use a larger kL0");
            addStep(k, step, accumulator);
            k += step;
        } while (k < m_spec.k);
        m_leaf.instructions[m_lastMmad].flags |= kFlagLast;
        for (std::size_t i = 0; i < m_spec.outTypes.size(); ++i)
            if (m_spec.throughUb)
                addStoreThroughUb(accumulator, i);
            else
                addStore(accumulator, i);
        return {};
    }

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
        const std::int64_t l1 = m_chip.l1Bytes.integer();
        CUBIST_CHECK_OK(fits("A's tile", l1A, "L1", l1));
        CUBIST_CHECK_OK(fits("B's tile", l1B, "L1", l1));
        m_reload = l1A + l1B > l1;
        const std::int64_t l1Slots = m_reload ? 1 : slotsFor(declared.l1(), l1A + l1B, l1, m_spec.byHand.l1Slots);
        m_l1A = {Buffer::L1, l1Slots, l1A + l1B, 0, 0, 0};
        m_l1B = {Buffer::L1, l1Slots, l1A + l1B, m_reload ? 0 : l1A, static_cast<std::uint16_t>(l1Slots), 0};
        const std::int64_t k0 = std::min(m_spec.kL0, m_spec.k);
        CUBIST_CHECK_OK(ring(m_l0a, Buffer::L0A, declared.l0A, panelBytes(m_spec.aType, m, k0), m_chip.l0aBytes,
                             m_spec.byHand.l0aSlots));
        CUBIST_CHECK_OK(ring(m_l0b, Buffer::L0B, declared.l0B, panelBytes(m_spec.bType, n, k0), m_chip.l0bBytes,
                             m_spec.byHand.l0bSlots));
        CUBIST_CHECK_OK(planUb(m, n));
        return ring(m_l0c, Buffer::L0C, declared.l0C, deviceBytes(m_spec.accType, m * n), m_chip.l0cBytes,
                    m_spec.byHand.l0cSlots);
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
        Allocation allocation;
        allocation.buffer = ring.buffer;
        allocation.slot = static_cast<std::uint16_t>(ring.firstSlot + ring.next);
        allocation.offset = static_cast<std::uint32_t>(ring.base + ring.next * ring.stride);
        allocation.bytes = static_cast<std::uint32_t>(deviceBytes(type, rows * cols));
        allocation.rows = static_cast<std::uint32_t>(rows);
        allocation.cols = static_cast<std::uint32_t>(cols);
        allocation.dtype = type;
        allocation.first = allocation.last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        ring.next = (ring.next + 1) % ring.count;
        m_leaf.allocations.push_back(allocation);
        return static_cast<std::uint16_t>(m_leaf.allocations.size() - 1);
    }

    void touch(std::uint16_t allocation) {
        m_leaf.allocations[allocation].last = static_cast<std::uint32_t>(m_leaf.instructions.size());
    }

    std::uint32_t push(const Instruction& instruction) {
        for (const std::uint16_t used : {instruction.dst, instruction.src0, instruction.src1})
            if (used != Instruction::kNone) touch(used);
        m_leaf.instructions.push_back(instruction);
        return static_cast<std::uint32_t>(m_leaf.instructions.size() - 1);
    }

    /// One operand on its way from GM to L0: what differs between A and B.
    struct Side {
        bool a = true;
        bool transposed = false;
        DType type = DType::FP32;
        std::int64_t outer = 0;  ///< m or n
        std::int64_t depth = 0;  ///< kAL1 or kBL1
        std::int64_t kValid = 0;
    };

    [[nodiscard]] Side side(bool a) const {
        return a ? Side{true, m_spec.aTrans, m_spec.aType, m_spec.m, m_spec.kAL1, m_spec.kValidA}
                 : Side{false, m_spec.bTrans, m_spec.bType, m_spec.n, m_spec.kBL1, m_spec.kValidB};
    }

    /// Stored orders: A is [m, K], transposed [K, m]; B is [K, n], transposed [n, K].
    static bool outerFirst(const Side& s) { return s.a != s.transposed; }

    std::uint16_t load(const Side& s, std::int64_t kStart) {
        const std::int64_t depth = std::min(s.depth, m_spec.k - kStart);
        const std::int64_t outer = roundUp(s.outer, kFractal);
        const std::int64_t inner = roundUp(std::max<std::int64_t>(depth, 1), blockElements(s.type));
        const std::uint16_t tile =
            allocate(s.a ? m_l1A : m_l1B, s.type, outerFirst(s) ? outer : inner, outerFirst(s) ? inner : outer);
        const auto kExtent = static_cast<std::uint32_t>(std::clamp(s.kValid - kStart, std::int64_t{0}, depth));
        const auto outerExtent = static_cast<std::uint32_t>(s.outer);
        const auto kAt = static_cast<std::uint32_t>(kStart);
        Instruction load;
        load.op = Opcode::LoadL1;
        load.pipe = Pipe::MTE2;
        load.dtype = s.type;
        load.flags =
            static_cast<std::uint16_t>((s.transposed ? kFlagTransposed : 0) | (m_spec.scaled ? kFlagScaled : 0) |
                                       ((s.a ? m_spec.aNz : m_spec.bNz) ? kFlagNz : 0));
        load.dst = tile;
        load.box = static_cast<std::uint16_t>(m_firstBox + (s.a ? 0 : 1));
        load.extent = outerFirst(s) ? std::array{outerExtent, kExtent} : std::array{kExtent, outerExtent};
        load.at = outerFirst(s) ? std::array{0U, kAt} : std::array{kAt, 0U};
        push(load);
        return tile;
    }

    std::uint16_t move(const Side& s, std::uint16_t tile, std::int64_t kInTile, std::int64_t step) {
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
        move.flags =
            static_cast<std::uint16_t>((s.transposed ? kFlagTransposed : 0) | (m_spec.scaled ? kFlagScaled : 0));
        move.dst = l0;
        move.src0 = tile;
        move.extent = outerFirst(s) ? std::array{extentOuter, extentK} : std::array{extentK, extentOuter};
        move.at = outerFirst(s) ? std::array{0U, atK} : std::array{atK, 0U};
        push(move);
        return l0;
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
        std::uint16_t l0a = 0;
        std::uint16_t l0b = 0;
        const std::int64_t room = m_chip.l1Bytes.integer() - chunkBytes(b, m_paddedN, startB);
        if (m_reload && chunkBytes(a, m_paddedM, startA) > room) {
            m_l1B.base = 0;
            m_residentA = m_residentB = -1;
            m_tileA = load(a, startA);
            l0a = move(a, m_tileA, k - startA, step);
            m_tileB = load(b, startB);
            l0b = move(b, m_tileB, k - startB, step);
        } else {
            if (m_reload) m_l1B.base = room;
            if (m_residentA != startA) m_tileA = load(a, startA);
            if (m_residentB != startB) m_tileB = load(b, startB);
            m_residentA = startA;
            m_residentB = startB;
            l0a = move(a, m_tileA, k - startA, step);
            l0b = move(b, m_tileB, k - startB, step);
        }
        Instruction mmad;
        mmad.op = Opcode::Mmad;
        mmad.pipe = Pipe::M;
        mmad.dtype = m_spec.aType;
        mmad.flags = k == 0 ? kFlagInit : 0;
        mmad.dst = accumulator;
        mmad.src0 = l0a;
        mmad.src1 = l0b;
        mmad.extent = {static_cast<std::uint32_t>(m_spec.m), static_cast<std::uint32_t>(m_spec.n)};
        mmad.at = {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(k)};
        m_lastMmad = push(mmad);
    }

    void addStore(std::uint16_t accumulator, std::size_t destination) {
        Instruction store;
        store.op = Opcode::StoreL0C;
        store.pipe = Pipe::FIX;
        store.dtype = m_spec.outTypes[destination];
        store.src0 = accumulator;
        store.flags = m_spec.byHand.unitFlag ? kFlagUnit : 0;
        store.box = static_cast<std::uint16_t>(m_firstBox + 2 + destination);
        store.extent = {static_cast<std::uint32_t>(m_spec.m), static_cast<std::uint32_t>(m_spec.n)};
        push(store);
    }

    /// UB of each vector core holds pieces of as many rows as fit twice, at most half a block.
    Result<void> planUb(std::int64_t m, std::int64_t n) {
        if (!m_spec.throughUb) return {};
        const std::int64_t row = deviceBytes(m_spec.outTypes.front(), n);
        m_ubRows = std::min((m + 1) / 2, m_chip.ubBytes.integer() / 2 / row);
        if (m_ubRows < 1) return unexpected(ErrorCode::DoesNotFit, "two rows of a block do not fit UB");
        for (TileRing& ring : m_ub) ring = {Buffer::UB, 2, m_ubRows * row, 0, 0, 0};
        return {};
    }

    void addStoreThroughUb(std::uint16_t accumulator, std::size_t destination) {
        const std::int64_t half = (m_spec.m + 1) / 2;
        for (std::int64_t at = 0; at < half; at += m_ubRows)
            for (std::size_t v = 0; v < 2; ++v) {
                const std::int64_t first = at + (v == 0 ? 0 : half);
                const std::int64_t rows = std::min({m_ubRows, half - at, m_spec.m - first});
                if (rows > 0) addPieceThroughUb(accumulator, destination, v, first, rows);
            }
    }

    void addPieceThroughUb(std::uint16_t accumulator, std::size_t destination, std::size_t v, std::int64_t first,
                           std::int64_t rows) {
        const SubCore core = v == 0 ? SubCore::Aiv0 : SubCore::Aiv1;
        const std::uint16_t tile = allocate(m_ub[v], m_spec.outTypes[destination], rows, roundUp(m_spec.n, kFractal));
        m_leaf.allocations[tile].core = core;
        Instruction move;
        move.op = Opcode::MoveUb;
        move.pipe = Pipe::FIX;
        move.dtype = m_spec.outTypes[destination];
        move.flags = m_spec.byHand.unitFlag ? kFlagUnit : 0;
        move.src0 = accumulator;
        move.dst = tile;
        move.extent = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(m_spec.n)};
        move.at = {static_cast<std::uint32_t>(first), 0};
        push(move);
        Instruction store;
        store.op = Opcode::StoreUb;
        store.core = core;
        store.pipe = Pipe::MTE3;
        store.dtype = move.dtype;
        store.flags = kFlagPart;
        store.src0 = tile;
        store.box = static_cast<std::uint16_t>(m_firstBox + 2 + destination);
        store.extent = move.extent;
        store.at = move.at;
        push(store);
    }

    std::span<const BareBlockSpec> m_blocks;
    BareBlockSpec m_spec;  ///< of the current block
    const ChipSpec& m_chip;
    Leaf m_leaf;
    std::uint16_t m_firstBox = 0;
    TileRing m_l1A{}, m_l1B{}, m_l0a{}, m_l0b{}, m_l0c{};
    std::int64_t m_paddedM = 0, m_paddedN = 0;        ///< rows of A and columns of B that a buffer has to hold
    bool m_reload = false;                            ///< whole tiles of A and B do not fit L1 together
    std::int64_t m_residentA = -1, m_residentB = -1;  ///< places along K of the tiles in L1
    std::array<TileRing, 2> m_ub{};
    std::int64_t m_ubRows = 0;
    std::uint16_t m_tileA = 0, m_tileB = 0;
    std::uint32_t m_lastMmad = 0;
};

}  // namespace

Result<Leaf> buildBareLeaf(std::span<const BareBlockSpec> blocks, const ChipSpec& chip) {
    return BareLeafBuilder(blocks, chip).build();
}

}  // namespace cubist

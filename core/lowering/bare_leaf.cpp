// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/bare_leaf.h"

#include <algorithm>
#include <array>

#include "core/base/integer_math.h"
#include "core/lowering/cube_leaf_parts.h"

namespace cubist {
namespace {

using detail::checkFits;
using detail::CubeSide;
using detail::kFractal;
using detail::panelBytes;
using detail::TileRing;

class BareLeafBuilder : detail::CubeLeafParts {
public:
    BareLeafBuilder(std::span<const BareBlockSpec> blocks, const ChipSpec& chip)
        : CubeLeafParts(chip), m_blocks(blocks), m_spec(blocks.front()) {}

    Result<Leaf> build() {
        m_leaf.stage = m_spec.stage;
        CUBIST_CHECK_OK(planBuffers());
        for (const BareBlockSpec& block : m_blocks) {
            m_spec = block;
            m_firstBox = m_leaf.parameters;
            m_leaf.parameters = static_cast<std::uint16_t>(m_leaf.parameters + 2 + m_spec.outTypes.size());
            m_residentA = m_residentB = -1;
            CUBIST_CHECK_OK(addBlock());
        }
        return finish();
    }

private:
    Result<void> addBlock() {
        const std::uint16_t accumulator = allocateAccumulator(m_spec);
        std::int64_t k = 0;
        do {
            CUBIST_CHECK_OK(checkRoom(8));
            const std::int64_t step = stepAt(m_spec, k);
            addStep(k, step, accumulator);
            k += step;
        } while (k < m_spec.k);
        endBlock();
        for (std::size_t i = 0; i < m_spec.outTypes.size(); ++i)
            if (m_spec.throughUb)
                addStoreThroughUb(accumulator, i);
            else
                addStore(accumulator, i);
        return {};
    }

    Result<void> planBuffers() {
        const CubeTileBytes declared = declaredBytes(m_spec);
        padBlock(m_spec);
        const std::int64_t l1A = panelBytes(m_spec.aType, m_paddedM, std::min(m_spec.kAL1, m_spec.k));
        const std::int64_t l1B = panelBytes(m_spec.bType, m_paddedN, std::min(m_spec.kBL1, m_spec.k));
        const std::int64_t l1 = m_chip.l1Bytes.integer();
        CUBIST_CHECK_OK(checkFits("A's tile", l1A, "L1", l1));
        CUBIST_CHECK_OK(checkFits("B's tile", l1B, "L1", l1));
        m_reload = l1A + l1B > l1;
        const std::int64_t l1Slots =
            m_reload ? 1 : slotsFor(m_spec, declared.l1(), l1A + l1B, l1, m_spec.byHand.l1Slots);
        m_l1A = {Buffer::L1, l1Slots, l1A + l1B, 0, 0, 0};
        m_l1B = {Buffer::L1, l1Slots, l1A + l1B, m_reload ? 0 : l1A, static_cast<std::uint16_t>(l1Slots), 0};
        CUBIST_CHECK_OK(planUb());
        return planL0(m_spec, declared);
    }

    [[nodiscard]] std::uint16_t flags() const { return m_spec.scaled ? kFlagScaled : 0; }

    std::uint16_t loadTile(const CubeSide& s, std::int64_t start) {
        return load(m_spec, s, start, static_cast<std::uint16_t>(m_firstBox + (s.a ? 0 : 1)), flags());
    }

    /// Where the tiles of this step do not fit L1 together, each move loads its operand again.
    void addStep(std::int64_t k, std::int64_t step, std::uint16_t accumulator) {
        const CubeSide a = side(m_spec, true);
        const CubeSide b = side(m_spec, false);
        const std::int64_t startA = k - k % a.depth;
        const std::int64_t startB = k - k % b.depth;
        std::uint16_t l0a = 0;
        std::uint16_t l0b = 0;
        const std::int64_t room = m_chip.l1Bytes.integer() - chunkBytes(m_spec, b, m_paddedN, startB);
        if (m_reload && chunkBytes(m_spec, a, m_paddedM, startA) > room) {
            m_l1B.base = 0;
            m_residentA = m_residentB = -1;
            m_tileA = loadTile(a, startA);
            l0a = move(a, m_tileA, k - startA, step, flags());
            m_tileB = loadTile(b, startB);
            l0b = move(b, m_tileB, k - startB, step, flags());
        } else {
            if (m_reload) m_l1B.base = room;
            if (m_residentA != startA) m_tileA = loadTile(a, startA);
            if (m_residentB != startB) m_tileB = loadTile(b, startB);
            m_residentA = startA;
            m_residentB = startB;
            l0a = move(a, m_tileA, k - startA, step, flags());
            l0b = move(b, m_tileB, k - startB, step, flags());
        }
        mmad(m_spec, accumulator, l0a, l0b, k, step);
    }

    void addStore(std::uint16_t accumulator, std::size_t destination) {
        Instruction store = storeOf(m_spec, accumulator, destination);
        store.box = static_cast<std::uint16_t>(m_firstBox + 2 + destination);
        push(store);
    }

    /// UB of each vector core holds pieces of as many rows as fit twice, at most half a block.
    Result<void> planUb() {
        if (!m_spec.throughUb) return {};
        const std::int64_t row = deviceBytes(m_spec.outTypes.front(), m_paddedN);
        m_ubRows = std::min((m_paddedM + 1) / 2, m_chip.ubBytes.integer() / 2 / row);
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
    std::uint16_t m_firstBox = 0;
    std::array<TileRing, 2> m_ub{};
    std::int64_t m_ubRows = 0;
    std::uint16_t m_tileA = 0, m_tileB = 0;
};

}  // namespace

Result<Leaf> buildBareLeaf(std::span<const BareBlockSpec> blocks, const ChipSpec& chip) {
    return BareLeafBuilder(blocks, chip).build();
}

}  // namespace cubist

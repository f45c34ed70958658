// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/cube_leaf_parts.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace cubist::detail {
namespace {

constexpr std::size_t kMaxAllocations = Instruction::kNone - 1;

std::array<std::uint32_t, 2> inStoredOrder(const CubeSide& s, std::int64_t outer, std::int64_t k) {
    const auto narrow = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    return s.outerFirst() ? std::array{narrow(outer), narrow(k)} : std::array{narrow(k), narrow(outer)};
}

/// K of a tile as a buffer keeps it: whole blocks of 32 bytes, at least one.
std::int64_t paddedDepth(DType type, std::int64_t k) {
    return roundUp(std::max<std::int64_t>(k, 1), blockElements(type));
}

}  // namespace

std::int64_t panelBytes(DType type, std::int64_t outer, std::int64_t k) {
    return deviceBytes(type, outer * paddedDepth(type, k));
}

Result<void> checkFits(const std::string& what, std::int64_t bytes, const std::string& buffer, std::int64_t capacity) {
    if (bytes <= capacity) return {};
    return unexpected(ErrorCode::DoesNotFit, what + " takes " + std::to_string(bytes) + " B of " + buffer +
                                                 ", which has " + std::to_string(capacity) + " B");
}

std::int64_t CubeLeafParts::stepAt(const CubeBlockSpec& block, std::int64_t k) {
    return std::min({block.kL0, block.k - k, block.kAL1 - k % block.kAL1, block.kBL1 - k % block.kBL1});
}

Result<void> CubeLeafParts::checkRoom(std::size_t more) const {
    if (m_leaf.allocations.size() + more <= kMaxAllocations) return {};
    return unexpected(ErrorCode::Unsupported,
                      "one block of the matmul takes more than 65 000 buffer tiles; use a larger kL0");
}

std::int64_t CubeLeafParts::slotsFor(const CubeBlockSpec& block, std::int64_t declared, std::int64_t real,
                                     std::int64_t capacity, std::int64_t ofBuffer) const {
    const std::int64_t asked = ofBuffer > 0 ? ofBuffer : block.slotCount;
    const auto wanted = asked > 0 ? std::optional(asked) : std::nullopt;
    return std::clamp<std::int64_t>(slotCount(declared, capacity, wanted), 1, capacity / real);
}

CubeTileBytes CubeLeafParts::declaredBytes(const CubeBlockSpec& block) {
    const auto depth = [&](std::int64_t k) { return std::min(k, block.kKnown); };
    return cubeTileBytes(std::min(block.mTile, block.mKnown), depth(block.kL0), depth(block.kAL1), depth(block.kBL1),
                         std::min(block.nTile, block.nKnown), block.aType, block.bType);
}

void CubeLeafParts::padBlock(const CubeBlockSpec& block) {
    m_paddedM = roundUp(std::min(block.mTile, block.mSize), kFractal);
    m_paddedN = roundUp(std::min(block.nTile, block.nSize), kFractal);
}

Result<void> CubeLeafParts::plan(const CubeBlockSpec& block, TileRing& ring, Buffer buffer, std::int64_t declared,
                                 std::int64_t real, const Constant& size, std::int64_t ofBuffer) const {
    CUBIST_CHECK_OK(checkFits("the tile", real, std::string(bufferName(buffer)), size.integer()));
    ring = {buffer, slotsFor(block, declared, real, size.integer(), ofBuffer), real, 0, 0, 0};
    return {};
}

Result<void> CubeLeafParts::planL0(const CubeBlockSpec& block, const CubeTileBytes& declared) {
    const std::int64_t k0 = std::min(block.kL0, block.k);
    const HandWritten& own = block.byHand;
    CUBIST_CHECK_OK(plan(block, m_l0a, Buffer::L0A, declared.l0A, panelBytes(block.aType, m_paddedM, k0),
                         m_chip.l0aBytes, own.l0aSlots));
    CUBIST_CHECK_OK(plan(block, m_l0b, Buffer::L0B, declared.l0B, panelBytes(block.bType, m_paddedN, k0),
                         m_chip.l0bBytes, own.l0bSlots));
    return plan(block, m_l0c, Buffer::L0C, declared.l0C, deviceBytes(block.accType, m_paddedM * m_paddedN),
                m_chip.l0cBytes, own.l0cSlots);
}

CubeSide CubeLeafParts::side(const CubeBlockSpec& block, bool a) {
    return a ? CubeSide{true, block.aTrans, block.nzA, block.aType, block.m, block.kAL1, block.kValidA}
             : CubeSide{false, block.bTrans, block.nzB, block.bType, block.n, block.kBL1, block.kValidB};
}

std::uint16_t CubeLeafParts::allocate(TileRing& ring, DType type, std::int64_t rows, std::int64_t cols) {
    const std::int64_t turn = ring.next;
    ring.next = (ring.next + 1) % ring.count;
    return place(ring.buffer, ring.firstSlot + turn, ring.base + turn * ring.stride, type, rows, cols);
}

std::uint16_t CubeLeafParts::place(Buffer buffer, std::int64_t slot, std::int64_t offset, DType type, std::int64_t rows,
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

std::uint32_t CubeLeafParts::push(const Instruction& instruction) {
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

std::uint16_t CubeLeafParts::allocateAccumulator(const CubeBlockSpec& block) {
    return allocate(m_l0c, block.accType, roundUp(block.m, kFractal), roundUp(block.n, kFractal));
}

std::uint16_t CubeLeafParts::load(const CubeBlockSpec& block, const CubeSide& s, std::int64_t start, std::uint16_t box,
                                  std::uint16_t flags) {
    const std::int64_t depth = std::min(s.depth, block.k - start);
    const std::int64_t outer = roundUp(s.outer, kFractal);
    const std::int64_t inner = paddedDepth(s.type, depth);
    Instruction load;
    load.op = Opcode::LoadL1;
    load.pipe = Pipe::MTE2;
    load.dtype = s.type;
    load.flags = static_cast<std::uint16_t>((s.transposed ? kFlagTransposed : 0) | (s.nz ? kFlagNz : 0) | flags);
    load.dst = allocate(s.a ? m_l1A : m_l1B, s.type, s.outerFirst() ? outer : inner, s.outerFirst() ? inner : outer);
    load.box = box;
    load.extent = inStoredOrder(s, s.outer, std::clamp(s.kValid - start, std::int64_t{0}, depth));
    load.at = inStoredOrder(s, 0, start);
    push(load);
    return load.dst;
}

std::uint16_t CubeLeafParts::move(const CubeSide& s, std::uint16_t tile, std::int64_t kInTile, std::int64_t step,
                                  std::uint16_t flags) {
    const std::int64_t outer = roundUp(s.outer, kFractal);
    const std::int64_t inner = paddedDepth(s.type, step);
    Instruction move;
    move.op = s.a ? Opcode::MoveL0A : Opcode::MoveL0B;
    move.pipe = Pipe::MTE1;
    move.dtype = s.type;
    move.flags = static_cast<std::uint16_t>((s.transposed ? kFlagTransposed : 0) | flags);
    move.dst = allocate(s.a ? m_l0a : m_l0b, s.type, s.a ? outer : inner, s.a ? inner : outer);
    move.src0 = tile;
    move.extent = inStoredOrder(s, s.outer, step);
    move.at = inStoredOrder(s, 0, kInTile);
    push(move);
    return move.dst;
}

void CubeLeafParts::mmad(const CubeBlockSpec& block, std::uint16_t accumulator, std::uint16_t l0a, std::uint16_t l0b,
                         std::int64_t k, std::int64_t step, std::uint16_t detail) {
    Instruction mmad;
    mmad.op = Opcode::Mmad;
    mmad.pipe = Pipe::M;
    mmad.dtype = block.aType;
    mmad.flags = k == 0 ? kFlagInit : 0;
    mmad.detail = detail;
    mmad.dst = accumulator;
    mmad.src0 = l0a;
    mmad.src1 = l0b;
    mmad.extent = {static_cast<std::uint32_t>(block.m), static_cast<std::uint32_t>(block.n)};
    mmad.at = {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(k)};
    m_lastMmad = push(mmad);
}

Instruction CubeLeafParts::storeOf(const CubeBlockSpec& block, std::uint16_t accumulator, std::size_t destination) {
    Instruction store;
    store.op = Opcode::StoreL0C;
    store.pipe = Pipe::FIX;
    store.dtype = block.outTypes[destination];
    store.flags = block.byHand.unitFlag ? kFlagUnit : 0;
    store.src0 = accumulator;
    store.extent = {static_cast<std::uint32_t>(block.m), static_cast<std::uint32_t>(block.n)};
    return store;
}

std::int64_t CubeLeafParts::chunkBytes(const CubeBlockSpec& block, const CubeSide& s, std::int64_t outer,
                                       std::int64_t start) {
    return panelBytes(s.type, outer, std::min(s.depth, block.k - start));
}

Leaf CubeLeafParts::finish() {
    for (const TileRing* ring : {&m_l1A, &m_l1B, &m_l0a, &m_l0b, &m_l0c})
        if (!m_reload || ring->buffer != Buffer::L1) m_leaf.rings.push_back(ring->places());
    return std::move(m_leaf);
}

}  // namespace cubist::detail

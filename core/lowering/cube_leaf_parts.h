// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/nz_format.h"
#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/chip/slots.h"
#include "core/lowering/leaf_builder.h"
#include "core/lowering/program.h"

/// What the builders of cube leaves share.
namespace cubist::detail {

inline constexpr std::int64_t kFractal = 16;  ///< rows of a fractal

/// Hands out the places of one buffer's tiles in turn.
struct TileRing {
    Buffer buffer;
    std::int64_t count = 1;
    std::int64_t stride = 0;  ///< bytes from one slot to the next
    std::int64_t base = 0;
    std::uint16_t firstSlot = 0;
    std::int64_t next = 0;

    [[nodiscard]] SlotRing places() const {
        return {.buffer = buffer,
                .firstSlot = firstSlot,
                .count = static_cast<std::uint16_t>(count),
                .base = static_cast<std::uint32_t>(base),
                .stride = static_cast<std::uint32_t>(stride)};
    }
};

/// One operand on its way from GM to L0: what differs between A and B.
struct CubeSide {
    bool a = true;
    bool transposed = false;
    bool nz = false;
    DType type = DType::FP32;
    std::int64_t outer = 0;  ///< m or n
    std::int64_t depth = 0;  ///< kAL1 or kBL1
    std::int64_t kValid = 0;

    /// Stored orders: A is [m, K], transposed [K, m]; B is [K, n], transposed [n, K].
    [[nodiscard]] bool outerFirst() const { return a != transposed; }
};

/// Bytes of `outer` rows or columns (already padded) by `k`, which is padded to whole 32-byte blocks.
[[nodiscard]] std::int64_t panelBytes(DType type, std::int64_t outer, std::int64_t k);

/// Errors: DoesNotFit, naming `what` and the buffer.
[[nodiscard]] Result<void> checkFits(const std::string& what, std::int64_t bytes, const std::string& buffer,
                                     std::int64_t capacity);

/// A leaf of the cube in the making: its places in the buffers, the instructions that all such leaves have, and which
/// tiles of A and B are in L1.
class CubeLeafParts {
protected:
    explicit CubeLeafParts(const ChipSpec& chip) : m_chip(chip) { m_leaf.kind = TaskKind::Aic; }

    /// How much of K the step at `k` takes: up to kL0, never across the end of a tile in L1.
    [[nodiscard]] static std::int64_t stepAt(const CubeBlockSpec& block, std::int64_t k);

    /// Room of a step for `more` further places. Errors: Unsupported.
    [[nodiscard]] Result<void> checkRoom(std::size_t more) const;

    /// Slots of a buffer: the declared tile decides about double buffering, the real one about what is possible.
    /// `ofBuffer` is what the author of a hand-written kernel asks for, 0 for nothing.
    [[nodiscard]] std::int64_t slotsFor(const CubeBlockSpec& block, std::int64_t declared, std::int64_t real,
                                        std::int64_t capacity, std::int64_t ofBuffer) const;

    /// Sets m_paddedM and m_paddedN, and plans L0A, L0B and L0C. Errors: DoesNotFit.
    [[nodiscard]] Result<void> planL0(const CubeBlockSpec& block, const CubeTileBytes& declared);
    void padBlock(const CubeBlockSpec& block);

    [[nodiscard]] static CubeTileBytes declaredBytes(const CubeBlockSpec& block);
    [[nodiscard]] static CubeSide side(const CubeBlockSpec& block, bool a);

    std::uint16_t allocate(TileRing& ring, DType type, std::int64_t rows, std::int64_t cols);
    std::uint16_t place(Buffer buffer, std::int64_t slot, std::int64_t offset, DType type, std::int64_t rows,
                        std::int64_t cols);
    /// Appends, and keeps the places in use that it names. Returns its number.
    std::uint32_t push(const Instruction& instruction);
    std::uint16_t allocateAccumulator(const CubeBlockSpec& block);

    /// The tile of A or B that begins at `start` into L1, with `flags` beside those of the side. Returns its place.
    std::uint16_t load(const CubeBlockSpec& block, const CubeSide& s, std::int64_t start, std::uint16_t box,
                       std::uint16_t flags = 0);
    /// `step` of K of a tile in L1, `kInTile` into it, to L0. Returns its place.
    std::uint16_t move(const CubeSide& s, std::uint16_t tile, std::int64_t kInTile, std::int64_t step,
                       std::uint16_t flags = 0);
    void mmad(const CubeBlockSpec& block, std::uint16_t accumulator, std::uint16_t l0a, std::uint16_t l0b,
              std::int64_t k, std::int64_t step, std::uint16_t detail = Instruction::kNone);
    [[nodiscard]] static Instruction storeOf(const CubeBlockSpec& block, std::uint16_t accumulator,
                                             std::size_t destination);

    /// What the tile that begins at `start` takes of L1.
    [[nodiscard]] static std::int64_t chunkBytes(const CubeBlockSpec& block, const CubeSide& s, std::int64_t outer,
                                                 std::int64_t start);

    void endBlock() { m_leaf.instructions[m_lastMmad].flags |= kFlagLast; }
    /// The finished leaf, with the rings whose places keep their order.
    [[nodiscard]] Leaf finish();

    const ChipSpec& m_chip;
    Leaf m_leaf;
    TileRing m_l1A{}, m_l1B{}, m_l0a{}, m_l0b{}, m_l0c{};
    std::int64_t m_paddedM = 0, m_paddedN = 0;        ///< rows of A and columns of B that a buffer has to hold
    bool m_reload = false;                            ///< whole tiles of A and B do not fit L1 together
    std::int64_t m_residentA = -1, m_residentB = -1;  ///< places along K of the tiles in L1

private:
    Result<void> plan(const CubeBlockSpec& block, TileRing& ring, Buffer buffer, std::int64_t declared,
                      std::int64_t real, const Constant& size, std::int64_t ofBuffer) const;
    void touch(std::uint16_t allocation) {
        m_leaf.allocations[allocation].last = static_cast<std::uint32_t>(m_leaf.instructions.size());
    }

    std::uint32_t m_lastMmad = 0;
};

}  // namespace cubist::detail

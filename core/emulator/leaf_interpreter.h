// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/emulator/cube_arithmetic.h"
#include "core/emulator/gm_memory.h"
#include "core/emulator/indexed_writes.h"
#include "core/emulator/memory_check.h"
#include "core/emulator/vector_store.h"
#include "core/emulator/vector_unit.h"
#include "core/lowering/program.h"

namespace cubist {

/// Executes the instructions of one task in order on the buffers of one emulated core. One interpreter serves one
/// thread; its buffers stay allocated from task to task.
/// Layouts: L1 tiles are row-major in stored order, L0A is [m, k], L0B is [k, n], L0C is [m, n], scales
/// are [m or n, groups], BT and FB hold one row; rows are as long as the allocation's columns. Host storage of 4-bit
/// types is a byte per code, so every device offset is doubled here.
class LeafInterpreter {
public:
    /// With `poison`, memory that a tile's valid part does not cover holds NaN (or the lowest integer) instead of zero,
    /// and so does an accumulator before its first mmad.
    /// `check` looks at every instruction first; one that would leave the memory is then left out.
    LeafInterpreter(const CubeKernel& kernel, const GmMemory& gm, bool poison, MemoryCheck* check = nullptr)
        : m_kernel(kernel), m_gm(gm), m_poison(poison), m_check(check) {}

    /// Runs `count` instructions from `first` on; the buffers keep what was there. Errors: DoesNotFit; BadValue (an
    /// index out of range).
    [[nodiscard]] Result<void> run(const Leaf& leaf, std::span<const Box> boxes, std::size_t first, std::size_t count);

    /// Where index_put without accumulate has put slices since the last call; the tasks are the caller's to fill in.
    [[nodiscard]] std::vector<IndexedWrite> takeIndexed() { return std::exchange(m_indexed, {}); }
    /// A place that an index_put in UB has put twice since the last call, numbered within the picked axes.
    [[nodiscard]] std::optional<std::int64_t> takeRepeated() { return std::exchange(m_vectorScratch.repeated, {}); }
    /// What wrapped around or was clamped since the last call.
    [[nodiscard]] ValueLosses takeLosses() { return std::exchange(m_vectorScratch.losses, {}); }
    /// What quant_mx has clipped since the last call.
    [[nodiscard]] ClippedElements takeClipped() { return std::exchange(m_vectorScratch.clipped, {}); }

private:
    [[nodiscard]] std::byte* tile(const Leaf& leaf, std::uint16_t allocation);
    void poisonTiles(const Leaf& leaf);
    void fill(const Allocation& allocation, std::byte* data, std::int64_t validRows, std::int64_t validCols) const;
    void load(const Leaf& leaf, const Instruction& i, const Box& box);
    void move(const Leaf& leaf, const Instruction& i);
    void loadScales(const Leaf& leaf, const Instruction& i, const Box& box);
    void moveScales(const Leaf& leaf, const Instruction& i);
    void moveRow(const Leaf& leaf, const Instruction& i);
    Result<bool> mmad(const Leaf& leaf, const Instruction& i);
    void startAccumulator(const Leaf& leaf, const Instruction& i, const CubeDetail& detail);
    /// `from`: first row and column of the accumulator that goes out.
    void storeAccumulator(const Leaf& leaf, const Instruction& i, const Box& box,
                          std::array<std::uint32_t, 2> from = {0, 0});
    void moveUb(const Leaf& leaf, const Instruction& i, const Box& box);
    [[nodiscard]] MayTouch mayTouch(const Instruction& i, const Box& box);
    [[nodiscard]] std::optional<BadIndex> loadUb(const Leaf& leaf, const Instruction& i, const Box& box);
    [[nodiscard]] std::optional<BadIndex> storeUb(const Leaf& leaf, const Instruction& i, const Box& box);
    [[nodiscard]] UbTile view(const Leaf& leaf, std::uint16_t allocation, const TilePart& part);
    [[nodiscard]] static Error indexError(const Leaf& leaf, std::uint16_t index, std::span<const Box> boxes,
                                          const BadIndex& bad);
    Result<void> vector(const Leaf& leaf, const Instruction& i, std::span<const Box> boxes);

    const CubeKernel& m_kernel;
    const GmMemory& m_gm;
    bool m_poison;
    MemoryCheck* m_check;
    std::array<std::vector<std::byte>, kBufferCount> m_buffers;
    CubeStepScratch m_cubeScratch;
    VectorScratch m_vectorScratch;
    std::vector<IndexedWrite> m_indexed;
};

}  // namespace cubist

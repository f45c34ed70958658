// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/emulator/gm_memory.h"
#include "core/lowering/program.h"

namespace cubist {

/// The memory of a tensor that a checked run writes: behind every row lies a guard that nobody may touch, and more of
/// it around the whole. A write that leaves its row shows there even when the address belongs to the tensor's memory.
class GuardedTensor {
public:
    static constexpr std::int64_t kRowGuardBytes = 64;  ///< at most; never more than the row itself has
    static constexpr std::int64_t kZoneBytes = 512;     ///< in front of the first row and behind the last one

    explicit GuardedTensor(const GmTensor& tensor);

    [[nodiscard]] std::byte* data() { return m_memory.data() + kZoneBytes; }  ///< first element
    [[nodiscard]] Extent4 stride() const;                                     ///< elements

    void fill(InitialState state);  ///< zeros or poison
    void copyFrom(const HostTensor& values);
    void copyTo(HostTensor& values) const;

    /// The first of the rows [first, first + count) behind which the guard is damaged; -1 stands for the zone in front
    /// of row 0. What is damaged is whole again afterwards. Rows count over all axes but the last.
    [[nodiscard]] std::optional<std::int64_t> takeDamage(std::int64_t first, std::int64_t count);

private:
    struct Zone {
        std::int64_t begin = 0, bytes = 0;
    };
    [[nodiscard]] Zone zoneBehind(std::int64_t row) const;

    DType m_dtype;
    Extent4 m_shape;
    std::int64_t m_rows = 0, m_elementBytes = 1, m_guardBytes = 0, m_rowBytes = 0;
    std::byte m_filler;  ///< a NaN that no operation makes, or an odd integer
    std::vector<std::byte> m_memory;
};

/// The guarded tensors of a program: all that are not inputs.
class GuardedMemory {
public:
    GuardedMemory() = default;
    explicit GuardedMemory(const Program& program);

    [[nodiscard]] GuardedTensor& of(GmIndex tensor) { return *m_tensors[tensor.value]; }
    void release(GmIndex tensor) { m_tensors[tensor.value].reset(); }

    /// The element in front of the first damaged guard next to the rows of a box, in the tensor's axes; its last axis
    /// is -1 for the zone in front of the tensor.
    [[nodiscard]] std::optional<Extent4> takeDamage(const Box& box);

private:
    const Program* m_program = nullptr;
    std::vector<std::optional<GuardedTensor>> m_tensors;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/emulator/cube_operand.h"
#include "core/emulator/vector_unit.h"

/// Finite operands that give an infinite result: what checked runs look for after each step. Source: F-55, F-58
namespace cubist {

/// Rows of an accumulator in L0C.
struct SumsOfTile {
    std::int64_t rows = 0, cols = 0, depth = 0;  ///< of the step: m, n, k
    std::int64_t stride = 0;                     ///< elements between rows of `before` and of `after`
    const float* before = nullptr;               ///< what the step added to
    const float* after = nullptr;
};

/// Sums that a step of a product made infinite (or NaN, where infinities of both signs met) from finite ones and from
/// finite rows of A and columns of B.
void noteInfiniteSums(const SumsOfTile& sums, const CubeOperand& a, const CubeOperand& b, ValueLosses& losses);

/// What an operation reads, kept where it works in place.
class VectorOperands {
public:
    /// `sources` as they are before the operation; those that share memory with `dst` are copied.
    VectorOperands(const UbTile& dst, const VectorSources& sources);
    [[nodiscard]] const VectorSources& sources() const { return m_sources; }

private:
    VectorSources m_sources;
    std::vector<std::vector<std::byte>> m_copies;
};

/// Elements of an FP32, FP16 or BF16 result that are infinite while what they are made from is finite: the operands'
/// elements in the same place where the operation goes element by element, else all of them. Casts are noted by
/// themselves (F-58).
void noteInfiniteResults(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources,
                         ValueLosses& losses);

}  // namespace cubist

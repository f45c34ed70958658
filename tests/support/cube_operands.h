// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/emulator/cube_kernel.h"

/// Operands for tests of the cube's product, and the product by its definition.
namespace cubist::test {

/// An operand with its own memory, stored either way round, with gaps between rows.
struct Operand {
    std::vector<std::byte> memory;
    std::vector<std::uint8_t> scales;
    CubeOperand view;
    std::vector<float> values;  ///< [i][k], decoded one by one
    std::int64_t k = 0;

    [[nodiscard]] float value(std::int64_t i, std::int64_t step) const {
        return values[static_cast<std::size_t>(i * k + step)];
    }
};

[[nodiscard]] std::uint32_t randomWord(std::uint64_t seed, std::uint64_t index);

/// Writes an element, rounded to the operand's type.
void setElement(Operand& operand, std::int64_t i, std::int64_t step, double value);

/// Signed values of very different sizes (integers: the whole range); storedByK: k is the contiguous axis.
[[nodiscard]] Operand makeOperand(DType type, std::int64_t count, std::int64_t k, bool storedByK, std::uint64_t seed);

/// Scales low..high in the layout [count, ceil(k/64), 2] (by rows) or [ceil(k/64), count, 2].
void addScales(Operand& operand, std::int64_t count, bool byRows, std::uint64_t seed, int low, int high);

/// What a product is added to.
[[nodiscard]] std::vector<float> startValues(std::int64_t m, std::int64_t n);

[[nodiscard]] float canonical(float value);

/// The definition: one ordered chain of fused multiply-adds per element.
[[nodiscard]] std::vector<float> orderedProduct(const Operand& a, const Operand& b, std::int64_t m, std::int64_t n,
                                                std::vector<float> c);

/// RN(sum + product * 2^exponent) by long double; the product has at most 8 bits.
[[nodiscard]] float addExactly(float sum, double product, int exponent);

/// Empty when equal to the bit, else the first difference.
[[nodiscard]] std::string firstDifference(const std::vector<float>& got, const std::vector<float>& want);

/// The kernel of an instruction set that this host has.
[[nodiscard]] CubeKernel kernelOf(Isa isa, CubeMath math = {});

}  // namespace cubist::test

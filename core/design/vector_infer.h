// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/design/vector_op_info.h"

/// Inside of vector_op_info: the operations of the family Whole.
namespace cubist::detail {

constexpr std::int64_t kMxGroupElements = 32;  ///< elements with one exponent
constexpr std::int64_t kMxPairElements = 64;   ///< elements of the two exponents that are stored together

void inferWhole(const VectorOp& op, std::span<const OperandType> operands, std::int64_t rangeCount,
                OpResultType& result);

[[nodiscard]] std::vector<std::int64_t> validOfWhole(const VectorOp& op, std::span<const OperandType> operands,
                                                     std::span<const std::vector<std::int64_t>> valids,
                                                     const std::vector<std::int64_t>& resultShape);

}  // namespace cubist::detail

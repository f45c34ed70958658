// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "core/design/design.h"

/// Which types PyPTO's pages allow for the operands of vector operations.
namespace cubist::rules {

/// Types of the operands that are neither an index nor the condition of `where`; empty: no limit of its own.
/// Source: hicann/pypto, pages of the operations and its table of types by architecture
[[nodiscard]] std::vector<DType> operandTypes(std::string_view arch, const VectorOp& op);

/// Is operand number `operand` an index?
[[nodiscard]] bool isIndexOperand(const VectorOp& op, std::size_t operand);

/// Types that an operation can give which chooses the type of its result; empty: it does not choose, or it is a cast.
[[nodiscard]] std::vector<DType> resultTypes(VectorOpCode op);

/// Types that index_add and index_put write, and that any store can add to what is there: the atomic adds of the chip.
/// Source: hicann/pypto, pages of the operations
[[nodiscard]] std::vector<DType> indexStoreTypes(bool accumulates);

}  // namespace cubist::rules

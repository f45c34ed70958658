// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/chip/chip_spec.h"

/// Which types go together on which architecture ("2201" for A2/A3, "3510" for 950).
namespace cubist::rules {

/// May a matmul read this type at all?
[[nodiscard]] bool isMatmulOperand(std::string_view arch, DType type);
/// May A and B have these types together?
[[nodiscard]] bool isMatmulPair(DType a, DType b);
/// Types that a matmul of this operand type can give, without or with a FIXPIPE scale; empty for a type it cannot read.
[[nodiscard]] std::vector<DType> matmulOutputs(std::string_view arch, DType operand, bool scale = false);
/// Types that a product of `operand` can give in a kernel written by hand alone: INT4 on chips whose cube multiplies
/// it, INT32 in L0C and what FIXPIPE makes of it, as of INT8. Empty: PyPTO's matmul takes the type, or no cube does.
[[nodiscard]] std::vector<DType> handWrittenOutputs(const ChipSpec& chip, DType operand, bool scale);
/// Types that its bias may have; empty for a type it cannot read (FP4: of scaled_mm).
[[nodiscard]] std::vector<DType> biasTypes(std::string_view arch, DType operand);

/// Is there a cast instruction for the pair? A cast to the same type is a copy and always there.
[[nodiscard]] bool isCastPair(std::string_view arch, DType from, DType to);
/// Shortest chain of casts, both ends included; empty when there is none.
[[nodiscard]] std::vector<DType> castPath(std::string_view arch, DType from, DType to);

}  // namespace cubist::rules

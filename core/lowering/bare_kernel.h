// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/block_order.h"
#include "core/lowering/program.h"

/// Programs of hand-written kernels, for comparison with published measurements: no design, no task runtime.
namespace cubist {

struct BareMatmul {
    std::int64_t m = 0, k = 0, n = 0;
    DType operand = DType::FP16, out = DType::FP16;
    bool scaled = false;  ///< MX: E8M0 scales per 32 elements of K come with both operands
    std::int64_t mTile = 0, nTile = 0, kL0 = 0, kAL1 = 0, kBL1 = 0;
    bool aTrans = false, bTrans = false;
    bool aNz = false, bNz = false;
    std::int64_t l1Slots = 0, l0aSlots = 0, l0bSlots = 0, l0cSlots = 0;  ///< 0: two where two fit, else one
    bool unitFlag = false;
    bool throughUb = false;  ///< L0C->UB->GM
    BlockOrder order;
    std::int64_t cores = 0;
    bool runtime = false;  ///< one task per block for the task runtime instead of one task per core
};

/// A matrix that all cores read together, tile by tile, without using it.
struct BareCopy {
    std::int64_t rows = 0, columns = 0;
    DType dtype = DType::FP16;
    std::int64_t tileRows = 0, tileColumns = 0;
    bool toL1 = false;  ///< GM->L1 with ND to NZ; else GM->UB
    std::int64_t passes = 1;
    std::int64_t parts = 1;  ///< all passes over one of so many parts of the rows before the next
    std::int64_t cores = 0;
};

struct BareKernel {
    Program program;
    std::vector<std::uint16_t> coreOf;  ///< by task; empty for the task runtime
};

/// Errors: BadValue, DoesNotFit (a tile exceeds its buffer), Unsupported (the chip lacks a path or type, a core has
/// more work than a leaf can hold). Source: F-24, F-27.
[[nodiscard]] Result<BareKernel> bareMatmul(const BareMatmul& kernel, const ChipSpec& chip);
[[nodiscard]] Result<BareKernel> bareCopy(const BareCopy& kernel, const ChipSpec& chip);

}  // namespace cubist

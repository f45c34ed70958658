// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/emulator/cube_kernel.h"
#include "core/emulator/value_losses.h"
#include "core/lowering/program.h"

/// What a CubeDetail asks of the cube and of the FIXPIPE, for whoever has the operands at hand.
namespace cubist {

/// Memory of one thread.
struct CubeStepScratch {
    CubeScratch kernel;
    std::vector<float> sums;  ///< of one fractal or MX group
    std::vector<float> row;   ///< on its way through the FIXPIPE
};

/// C[m,n] += A * B over k steps that begin at the start of a fractal and of an MX group. Without options one fused
/// multiply-add per element; sums per fractal: s = RN(s + a * b) from zero, then C = RN(C + s); sums per MX group: the
/// same without the scales, then C = RN(C + s * 2^(eA + eB - 254)).
/// Range: `kernel` has the math of the detail. Source: F-53, F-56, F-59. Errors: DoesNotFit.
[[nodiscard]] Result<void> accumulate(const CubeKernel& kernel, const CubeDetail& detail, std::int64_t m,
                                      std::int64_t n, std::int64_t k, const CubeOperand& a, const CubeOperand& b,
                                      float* c, std::int64_t cStride, CubeStepScratch& scratch);

/// How the FIXPIPE turns a row of the accumulator into the type of the output.
struct Fixpipe {
    DType accumulator = DType::FP32;  ///< FP32 or INT32
    DType output = DType::FP32;
    bool relu = false;
    std::optional<float> scale;
    std::span<const std::int64_t> channelScales;  ///< one per column; empty: none
    bool atomic = false;                          ///< adds the result to the target
};

/// What a row lost on its way out.
struct FixpipeLosses {
    std::optional<std::size_t> wrapped;  ///< the first column whose atomic integer addition wrapped around
    /// Columns that were lost in a way.
    struct Columns {
        std::size_t count = 0, first = 0;
        double value = 0;  ///< of the first, before
    };
    Columns clamped;      ///< by INT8, or by FP16 out of INT32
    Columns nans;         ///< that became 0
    Columns overflowed;   ///< finite sums that became infinite on their way: by the scale, or in FP16 and BF16
    bool clamps = false;  ///< this row goes to a type that clamps

    /// Adds them to those of a block: the row lies at (row, col) of it and is stored at `target` of the tensor.
    void note(ValueLosses& losses, DType type, std::size_t columns, std::array<std::int64_t, 2> at, GmIndex tensor,
              const Extent4& target) const;
};

/// One row: ReLU, times the scale in FP32 (low 13 mantissa bits of a channel's dropped), rounded to the output once; to
/// INT8: clipped to [-256, 255], rounded half to even, plus the channel's offset (bits 37..45), clamped; INT32 to FP16
/// saturates. NaN stays NaN (0 in INT8), ReLU included. What is added to the target is this result, as `storeRow` adds.
/// Source: F-64, F-72
[[nodiscard]] FixpipeLosses fixpipeRow(const Fixpipe& fixpipe, const void* sums, std::size_t count, void* target,
                                       std::vector<float>& scratch);

/// A row of channel scales as FB holds them: INT64 as it is, floats in the low half of a word.
void channelWords(DType from, const void* source, std::span<std::int64_t> words, std::vector<float>& scratch);

/// The math that a detail asks for.
[[nodiscard]] inline CubeMath mathOf(const CubeDetail& detail) {
    return {detail.hf32MantissaBits, detail.hf32TiesAway};
}

}  // namespace cubist

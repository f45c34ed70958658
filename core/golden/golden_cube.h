// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/design/resolve.h"
#include "core/golden/golden_matmul.h"
#include "core/golden/meter.h"
#include "core/golden/needed_parts.h"
#include "core/golden/window.h"

namespace cubist::golden {

/// Reference of one cube stage, kept from one loop iteration to the next: batches, MX scales, bias, ReLU, FIXPIPE
/// scale. The order of sums, split-K and the rounding of FP32 operands (HF32, TF32) are the chip's business and not
/// part of a reference; the dropped mantissa bits of a scale and the quantisation to integers are.
class CubeReference {
public:
    /// What the stage reads in this iteration.
    struct Operands {
        const Window* a = nullptr;
        const Window* b = nullptr;
        const Window* scaleA = nullptr;  ///< ScaledMm
        const Window* scaleB = nullptr;
        const Window* bias = nullptr;           ///< null: none
        const Window* channelScales = nullptr;  ///< null: none
        DType channelType = DType::FP32;        ///< of the channel scales
    };

    /// Fills `values` (row-major, the result's shape) where `result.valid` says so, of a sampled golden at least the
    /// crossings of the needed rows and columns. Returns false when cancelled.
    [[nodiscard]] bool compute(const CubeStage& stage, DType accumulator, GoldenKind kind, const Operands& operands,
                               const Window& result, const std::optional<NeededPart>& needed, std::span<double> values,
                               Meter& meter);

private:
    Matmul m_matmul;
};

}  // namespace cubist::golden

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/lowering/program.h"

/// What the arithmetic of a block loses because its types end.
namespace cubist {

/// The first integer of a block that wrapped around.
struct WrappedInteger {
    VectorOpCode op = VectorOpCode::Add;  ///< that made it in UB
    std::optional<GmIndex> tensor;        ///< what a store added to, then `op` means nothing
    Extent4 at{0, 0, 0, 0};               ///< right-aligned: place in the tensor, or in the tile in UB
    DType type = DType::INT32;
};

/// Elements that a saturating conversion took to the end of its type (or NaN to 0): casts, and the FIXPIPE to INT8 and
/// from INT32 to FP16.
struct ClampedElements {
    struct First {
        Extent4 at{0, 0, 0, 0};  ///< right-aligned place in the tile
        double value = 0;        ///< before
        DType type = DType::FP16;
    };
    std::int64_t count = 0;
    std::int64_t all = 0;  ///< elements that such conversions made
    std::optional<First> first;

    void add(const ClampedElements& later) {
        count += later.count;
        all += later.all;
        if (!first) first = later.first;
    }
};

struct ValueLosses {
    bool accumulatorWrapped = false;  ///< an INT32 accumulator of the cube
    std::optional<WrappedInteger> wrapped;
    ClampedElements clamped;

    void wrap(const WrappedInteger& found) {
        if (!wrapped) wrapped = found;
    }
    void clamp(const ClampedElements::First& found) {
        ++clamped.count;
        if (!clamped.first) clamped.first = found;
    }
};

}  // namespace cubist

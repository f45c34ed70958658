// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
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

/// What a conversion does to an element beyond rounding it.
enum class ElementLoss : std::uint8_t {
    Clamped,     ///< taken to the end of the range: saturating casts, FP4, FP8E8M0, the FIXPIPE to INT8 and FP16
    NanToZero,   ///< a NaN that saturation, or a type without NaN, makes 0
    Overflowed,  ///< made infinite or NaN by a conversion without saturation
    Infinite,    ///< made infinite by arithmetic on finite numbers; checked runs only
};
inline constexpr std::size_t kElementLosses = 4;

/// Elements that were lost in one way.
struct LostElements {
    struct First {
        Extent4 at{0, 0, 0, 0};  ///< right-aligned place in the tile
        double value = 0;        ///< before; Infinite: after
        DType type = DType::FP16;
        std::optional<VectorOpCode> op = {};  ///< Infinite: what made it in UB; absent: a sum in L0C
    };
    std::int64_t count = 0;
    std::optional<First> first;

    void add(const LostElements& later) {
        count += later.count;
        if (!first) first = later.first;
    }
};

struct ValueLosses {
    bool accumulatorWrapped = false;  ///< an INT32 accumulator of the cube
    std::optional<WrappedInteger> wrapped;
    std::array<LostElements, kElementLosses> lost;  ///< by ElementLoss
    std::int64_t saturating = 0;                    ///< elements that saturating conversions made

    void wrap(const WrappedInteger& found) {
        if (!wrapped) wrapped = found;
    }
    [[nodiscard]] LostElements& of(ElementLoss loss) { return lost[static_cast<std::size_t>(loss)]; }
    void lose(ElementLoss loss, const LostElements::First& found) { of(loss).add({1, found}); }
};

}  // namespace cubist

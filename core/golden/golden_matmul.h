// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/golden/meter.h"
#include "core/golden/window.h"

namespace cubist::golden {

/// Plain matrix products in FP64, K ascending. One object per cube stage: it keeps the converted right operand as long
/// as that stays the same from one loop iteration to the next.
class Matmul {
public:
    struct Sizes {
        std::int64_t m = 0, k = 0, n = 0;  ///< valid extents
    };

    /// result[i * stride + j] = sum over k of op(a)[i, k] * op(b)[k, j]; transposed operands are stored [K, M], [N, K].
    /// Returns false when cancelled.
    [[nodiscard]] bool multiply(const Window& a, bool aTrans, const Window& b, bool bTrans, const Sizes& sizes,
                                std::int64_t stride, std::vector<double>& result, Meter& meter);

private:
    [[nodiscard]] bool packB(const Window& b, bool bTrans, const Sizes& sizes, std::int64_t column,
                             std::int64_t columns, Meter& meter);

    std::optional<Window> m_packedWindow;  ///< what m_packedB holds as a whole
    std::vector<double> m_packedB;
    std::vector<double> m_packedA;
};

}  // namespace cubist::golden

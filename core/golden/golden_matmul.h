// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/golden/meter.h"
#include "core/golden/window.h"

namespace cubist::golden {

/// How sums of products are kept: in FP64, or rounded to FP32 after every addition.
enum class SumType : std::uint8_t { Double, Single };

/// Plain matrix products, K ascending. One object per cube stage: it keeps the converted right operand as long
/// as that stays the same from one loop iteration to the next.
class Matmul {
public:
    /// Which elements to compute: every crossing of these rows and columns, both ascending.
    struct Part {
        std::vector<std::int64_t> rows, cols;
        std::int64_t k = 0;  ///< valid extent

        [[nodiscard]] static Part whole(std::int64_t m, std::int64_t k, std::int64_t n);
    };

    /// result[i * stride + j] = sum over k of op(a)[i, k] * op(b)[k, j]; transposed operands are stored [K, M], [N, K].
    /// Other elements of the result are left alone. Returns false when cancelled.
    [[nodiscard]] bool multiply(const Window& a, bool aTrans, const Window& b, bool bTrans, const Part& part,
                                std::int64_t stride, std::vector<double>& result, Meter& meter,
                                SumType sums = SumType::Double);

private:
    [[nodiscard]] bool packB(const Window& b, bool bTrans, const Part& part, std::span<const std::int64_t> columns,
                             Meter& meter);

    std::optional<Window> m_packedWindow;  ///< what m_packedB holds as a whole, or its columns below
    std::vector<std::int64_t> m_packedColumns;
    std::vector<double> m_packedB;
    std::vector<double> m_packedA;
};

}  // namespace cubist::golden

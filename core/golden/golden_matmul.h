// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/golden/meter.h"
#include "core/golden/window.h"

namespace cubist::golden {

/// How the products of an element are summed.
enum class SumKind : std::uint8_t {
    Fp64,  ///< one after the other, K ascending; exact for integers
    Fp32,  ///< as a framework does on FP32. Source: F-69
};

/// Plain matrix products. One object per cube stage: it keeps the converted right operand as long as that stays the
/// same from one loop iteration to the next.
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
                                SumKind sums, std::int64_t stride, std::span<double> result, Meter& meter);

private:
    /// Operands as the sums take them.
    template <class T>
    struct Packed {
        std::optional<Window> window;  ///< what `b` holds as a whole, or its columns below
        std::vector<std::int64_t> columns;
        std::vector<T> a, b;
    };
    enum class Outcome : std::uint8_t { Done, Cancelled, Inexact };

    template <class Kind>
    [[nodiscard]] Outcome multiplyWith(Packed<typename Kind::Operand>& packed, const Window& a, bool aTrans,
                                       const Window& b, bool bTrans, const Part& part, std::int64_t stride,
                                       std::span<double> result, Meter& meter);

    Packed<double> m_wide;
    Packed<float> m_single;
};

}  // namespace cubist::golden

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/dtype.h"
#include "core/base/integer_math.h"
#include "core/base/tensor.h"

namespace cubist {

/// Elements of a 32-byte block, the inner width of a fractal: 8 for 4-byte types, 16 for 2-byte, 32 for 1-byte, 64 for
/// 4-bit ones.
[[nodiscard]] constexpr std::int64_t blockElements(DType type) {
    return 256 / bitsPerElement(type);
}

/// Where the elements of a matrix [rows, cols] lie in FRACTAL_NZ: padded to 16 rows and whole blocks of C0 columns, and
/// stored as [cols / C0, rows, C0]. Axes in front of the last two stay outside. Units: elements. Source: F-65.
class NzLayout {
public:
    constexpr NzLayout(DType type, std::int64_t rows, std::int64_t cols)
        : m_c0(blockElements(type)), m_rows(roundUp(rows, 16)), m_cols(roundUp(cols, m_c0)) {}

    [[nodiscard]] constexpr std::int64_t c0() const { return m_c0; }
    [[nodiscard]] constexpr std::int64_t paddedRows() const { return m_rows; }
    [[nodiscard]] constexpr std::int64_t paddedCols() const { return m_cols; }
    /// Elements of one matrix, padding included.
    [[nodiscard]] constexpr std::int64_t count() const { return m_rows * m_cols; }
    /// Range: inside of the padded matrix.
    [[nodiscard]] constexpr std::int64_t offset(std::int64_t row, std::int64_t col) const {
        return (col / m_c0 * m_rows + row) * m_c0 + col % m_c0;
    }

private:
    std::int64_t m_c0, m_rows, m_cols;
};

/// The tensor in NZ order, shape [.., paddedRows, paddedCols] (as that many elements, not as that matrix), padding
/// zero. Errors: BadValue for fewer than two axes; DoesNotFit.
[[nodiscard]] Result<HostTensor> toNz(const HostTensor& logical);

/// The inverse: `stored` holds the elements of a tensor of logical shape `shape` in NZ order, in any shape of as many
/// elements as the padded form has. Errors: BadValue when the counts differ; DoesNotFit.
[[nodiscard]] Result<HostTensor> fromNz(const HostTensor& stored, const Shape& shape);

}  // namespace cubist

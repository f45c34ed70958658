// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/nz_format.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace cubist {
namespace {

/// Calls visit(position in row-major order, position in NZ order, run) for runs of elements that are contiguous in
/// both.
template <class Visit>
void forEachRun(DType type, const Shape& shape, Visit&& visit) {
    const std::int64_t rows = shape[shape.size() - 2];
    const std::int64_t cols = shape.back();
    const NzLayout layout(type, rows, cols);
    std::int64_t matrices = 1;
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) matrices *= shape[axis];
    for (std::int64_t matrix = 0; matrix < matrices; ++matrix)
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t col = 0; col < cols; col += layout.c0())
                visit((matrix * rows + row) * cols + col, matrix * layout.count() + layout.offset(row, col),
                      std::min(layout.c0(), cols - col));
}

Shape paddedShape(DType type, Shape shape) {
    const NzLayout layout(type, shape[shape.size() - 2], shape.back());
    shape[shape.size() - 2] = layout.paddedRows();
    shape.back() = layout.paddedCols();
    return shape;
}

Result<void> checkRank(const Shape& shape) {
    if (shape.size() >= 2) return {};
    return unexpected(ErrorCode::BadValue, "the NZ format needs at least two axes");
}

std::size_t bytesOf(DType type, std::int64_t count) {
    return static_cast<std::size_t>(count * hostBytesPerElement(type));
}

}  // namespace

Result<HostTensor> toNz(const HostTensor& logical) {
    CUBIST_CHECK_OK(checkRank(logical.shape()));
    const DType type = logical.dtype();
    CUBIST_TRY(HostTensor stored, HostTensor::zeros(type, paddedShape(type, logical.shape())));
    std::byte* const target = stored.writableData();
    forEachRun(type, logical.shape(), [&](std::int64_t from, std::int64_t to, std::int64_t run) {
        std::memcpy(target + bytesOf(type, to), logical.data() + bytesOf(type, from), bytesOf(type, run));
    });
    return stored;
}

Result<HostTensor> fromNz(const HostTensor& stored, const Shape& shape) {
    CUBIST_CHECK_OK(checkRank(shape));
    const DType type = stored.dtype();
    CUBIST_TRY(const std::int64_t expected, elementCount(paddedShape(type, shape)));
    if (stored.count() != expected)
        return unexpected(ErrorCode::BadValue, "NZ data of this shape have " + std::to_string(expected) +
                                                   " elements (padded to whole fractals), not " +
                                                   std::to_string(stored.count()));
    CUBIST_TRY(HostTensor logical, HostTensor::zeros(type, shape));
    std::byte* const target = logical.writableData();
    forEachRun(type, shape, [&](std::int64_t to, std::int64_t from, std::int64_t run) {
        std::memcpy(target + bytesOf(type, to), stored.data() + bytesOf(type, from), bytesOf(type, run));
    });
    return logical;
}

}  // namespace cubist

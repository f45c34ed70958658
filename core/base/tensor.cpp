// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/tensor.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/base/large_memory.h"
#include "core/base/number_formats.h"

namespace cubist {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kMostElements = std::int64_t{1} << 62;
/// One TiB: no host has more, and an allocator asked for more may stop the program rather than say no.
constexpr std::size_t kMostBytes = std::size_t{1} << 40;

std::string shapeText(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(shape[i]);
    }
    text += ']';
    return text;
}

Unexpected tooLarge(DType dtype, const Shape& shape) {
    return unexpected(ErrorCode::DoesNotFit,
                      "no memory for a tensor of " + std::string(toText(dtype)) + " " + shapeText(shape));
}

}  // namespace

Result<std::int64_t> elementCount(const Shape& shape) {
    std::int64_t count = 1;
    bool empty = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0) return unexpected(ErrorCode::BadValue, "a negative extent in the shape " + shapeText(shape));
        if (extent == 0) empty = true;
    }
    if (empty) return std::int64_t{0};
    for (const std::int64_t extent : shape) {
        if (count > kMostElements / extent)
            return unexpected(ErrorCode::DoesNotFit, "the shape " + shapeText(shape) + " has too many elements");
        count *= extent;
    }
    return count;
}

Shape rowMajorStrides(const Shape& shape) {
    Shape strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
}

Result<HostTensor> HostTensor::allocate(DType dtype, Shape shape, bool zero) {
    CUBIST_TRY(const std::int64_t count, elementCount(shape));
    const auto elementBytes = static_cast<std::size_t>(hostBytesPerElement(dtype));
    if (static_cast<std::size_t>(count) > (kMostBytes - kAlignment) / elementBytes) return tooLarge(dtype, shape);
    const std::size_t bytes = static_cast<std::size_t>(count) * elementBytes + kAlignment;
    HostTensor tensor;
    void* aligned = nullptr;
    if (bytes >= kLargeBlockBytes) {
        const std::shared_ptr<std::byte> block = largeBlock(bytes);
        if (!block) return tooLarge(dtype, shape);
        aligned = block.get();
        tensor.m_owner = block;
    } else {
        tensor.m_memory.reset(zero ? std::calloc(1, bytes) : std::malloc(bytes));
        if (!tensor.m_memory) return tooLarge(dtype, shape);
        aligned = tensor.m_memory.get();
        std::size_t space = bytes;
        std::align(kAlignment, bytes - kAlignment, aligned, space);
    }
    tensor.m_dtype = dtype;
    tensor.m_shape = std::move(shape);
    tensor.m_count = count;
    tensor.m_writable = static_cast<std::byte*>(aligned);
    tensor.m_data = tensor.m_writable;
    return tensor;
}

Result<HostTensor> HostTensor::zeros(DType dtype, Shape shape) {
    return allocate(dtype, std::move(shape), true);
}

Result<HostTensor> HostTensor::uninitialised(DType dtype, Shape shape) {
    return allocate(dtype, std::move(shape), false);
}

Result<HostTensor> HostTensor::wrap(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                    std::shared_ptr<const void> owner) {
    CUBIST_TRY(const std::int64_t count, elementCount(shape));
    const auto elementBytes = static_cast<std::size_t>(hostBytesPerElement(dtype));
    if (bytes.size() % elementBytes != 0 || static_cast<std::size_t>(count) != bytes.size() / elementBytes)
        return unexpected(ErrorCode::BadValue, std::to_string(bytes.size()) + " bytes do not hold a tensor of " +
                                                   std::string(toText(dtype)) + " " + shapeText(shape));
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % elementBytes != 0)
        return unexpected(ErrorCode::BadValue, "the memory of a tensor is not aligned to its element");
    HostTensor tensor;
    tensor.m_dtype = dtype;
    tensor.m_shape = std::move(shape);
    tensor.m_count = count;
    tensor.m_data = bytes.data();
    tensor.m_owner = std::move(owner);
    return tensor;
}

Result<HostTensor> HostTensor::clone() const {
    CUBIST_TRY(HostTensor copy, uninitialised(m_dtype, m_shape));
    if (byteCount() > 0) std::memcpy(copy.m_writable, m_data, byteCount());
    return copy;
}

const std::byte* HostTensor::element(std::int64_t index) const {
    assert(index >= 0 && index <= m_count && "position outside the tensor");
    return m_data + static_cast<std::size_t>(index) * static_cast<std::size_t>(hostBytesPerElement(m_dtype));
}

double HostTensor::at(std::int64_t index) const {
    double value = 0;
    toFloat64(index, std::span(&value, 1));
    return value;
}

void HostTensor::set(std::int64_t index, double value) {
    assert(index >= 0 && index < m_count && "position outside the tensor");
    encodeRow(m_dtype, std::span<const double>(&value, 1), writableData() + (element(index) - m_data));
}

void HostTensor::toFloat64(std::int64_t first, std::span<double> values) const {
    assert(static_cast<std::int64_t>(values.size()) <= m_count - first && "range outside the tensor");
    if (!values.empty()) decodeRow(m_dtype, element(first), values);
}

void HostTensor::toFloat32(std::int64_t first, std::span<float> values) const {
    assert(static_cast<std::int64_t>(values.size()) <= m_count - first && "range outside the tensor");
    if (!values.empty()) decodeRow(m_dtype, element(first), values);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/result.h"

namespace cubist {

using Shape = std::vector<std::int64_t>;

/// Product of the extents; 1 for the empty shape, 0 if any extent is 0.
/// Errors: BadValue for a negative extent, DoesNotFit when the product passes 2^62.
[[nodiscard]] Result<std::int64_t> elementCount(const Shape& shape);

/// Distance in elements between neighbours along each axis of a row-major tensor.
[[nodiscard]] Shape rowMajorStrides(const Shape& shape);

/// A whole tensor in the host's memory: row-major, 64-byte aligned, one code per element.
/// Storage: FP32 as float; FP16 and BF16 as uint16 codes; 8-bit floats as uint8 codes; 4-bit floats as one uint8 code
/// (0..15) per element; INT4 and INT8 as int8; UINT8 and BOOL as uint8; the other integers as themselves.
/// Moves but does not copy by accident; `clone` copies. A wrapped tensor borrows memory and is read-only.
class HostTensor {
public:
    HostTensor() = default;

    /// Errors: as `elementCount`, and DoesNotFit when the memory cannot be had.
    [[nodiscard]] static Result<HostTensor> zeros(DType dtype, Shape shape);
    [[nodiscard]] static Result<HostTensor> uninitialised(DType dtype, Shape shape);
    /// Uses `bytes` in place, read-only; `owner` keeps it alive (it may be empty for memory that outlives the tensor).
    /// Errors: as `elementCount`; BadValue when the size or the element's alignment does not match.
    [[nodiscard]] static Result<HostTensor> wrap(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                                 std::shared_ptr<const void> owner);
    [[nodiscard]] Result<HostTensor> clone() const;

    [[nodiscard]] DType dtype() const { return m_dtype; }
    [[nodiscard]] const Shape& shape() const { return m_shape; }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::size_t byteCount() const {
        return static_cast<std::size_t>(m_count) * static_cast<std::size_t>(hostBytesPerElement(m_dtype));
    }
    [[nodiscard]] bool writable() const { return m_data == nullptr || m_writable != nullptr; }

    [[nodiscard]] const std::byte* data() const { return m_data; }
    [[nodiscard]] std::byte* writableData() {
        assert(writable() && "a wrapped tensor is read-only");
        return m_writable;
    }

    /// The codes as elements of T, whose size must be that of the storage (float for FP32, uint16_t for BF16 ...).
    template <class T>
    [[nodiscard]] std::span<const T> codes() const {
        checkElement<T>();
        return {reinterpret_cast<const T*>(m_data), static_cast<std::size_t>(m_count)};
    }
    template <class T>
    [[nodiscard]] std::span<T> writableCodes() {
        checkElement<T>();
        return {reinterpret_cast<T*>(writableData()), static_cast<std::size_t>(m_count)};
    }

    /// Value of the element at a row-major position; exact but for INT64 beyond 2^53.
    [[nodiscard]] double at(std::int64_t index) const;
    /// Writes an element: floats rounded to nearest even, integers truncated with their low bits kept.
    void set(std::int64_t index, double value);
    /// Values of `values.size()` elements from position `first` on.
    void toFloat64(std::int64_t first, std::span<double> values) const;
    void toFloat32(std::int64_t first, std::span<float> values) const;

private:
    template <class T>
    void checkElement() const {
        static_assert(std::is_trivially_copyable_v<T>);
        assert(sizeof(T) == static_cast<std::size_t>(hostBytesPerElement(m_dtype)) && "T is not the storage element");
    }
    [[nodiscard]] static Result<HostTensor> allocate(DType dtype, Shape shape, bool zero);
    [[nodiscard]] const std::byte* element(std::int64_t index) const;

    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    DType m_dtype = DType::FP32;
    Shape m_shape = {0};
    std::int64_t m_count = 0;
    const std::byte* m_data = nullptr;
    std::byte* m_writable = nullptr;
    std::unique_ptr<void, Free> m_memory;
    std::shared_ptr<const void> m_owner;
};

}  // namespace cubist

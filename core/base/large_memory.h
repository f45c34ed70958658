// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace cubist {

/// From this size on memory is worth having in pages of its own.
constexpr std::size_t kLargeBlockBytes = std::size_t{4} << 20;

/// Zeroed memory straight from the system, in huge pages where it has them: filling it costs one page fault for every
/// 2 MiB rather than one for every 4 KiB, which would take as long as a tenth of a large matrix product. Aligned to
/// 2 MiB; the system takes it back with the last owner. Empty when it cannot be had.
[[nodiscard]] std::shared_ptr<std::byte> largeBlock(std::size_t bytes);

/// Tells the operating system that these bytes, not used yet, will all be used: where it can, it gives large pages, so
/// that a million tasks do not cost a page fault every 4 KB. Nothing else depends on it.
void expectAllUsed(void* begin, std::size_t bytes);

/// Reserves room in an empty vector that will be filled.
template <class T>
void reserveAll(std::vector<T>& values, std::size_t count) {
    values.reserve(count);
    expectAllUsed(values.data(), count * sizeof(T));
}

/// The same, filled with `value`.
template <class T>
void resizeAll(std::vector<T>& values, std::size_t count, const T& value = {}) {
    reserveAll(values, count);
    values.resize(count, value);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace cubist {

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

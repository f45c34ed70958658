// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/large_memory.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cubist {

#if defined(__linux__)
void expectAllUsed(void* begin, std::size_t bytes) {
    constexpr std::uintptr_t kPage = 4096;
    constexpr std::size_t kWorthIt = std::size_t{4} << 20;  // two large pages
    if (begin == nullptr || bytes < kWorthIt) return;
    const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
    // Only advice: what it returns changes nothing.
    (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}
#else
void expectAllUsed(void*, std::size_t) {}
#endif

}  // namespace cubist

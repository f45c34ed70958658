// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/large_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <limits>

namespace cubist {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::byte* map(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

/// Gives back what lies before and behind the aligned part of a mapping.
std::byte* trim(std::byte* memory, std::size_t mapped, std::size_t wanted) {
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory) % kHugePage;
    const std::size_t before = beyond == 0 ? 0 : kHugePage - beyond;
    if (before > 0) munmap(memory, before);
    const std::size_t behind = mapped - before - wanted;
    if (behind > 0) munmap(memory + before + wanted, behind);
    return memory + before;
}

}  // namespace

void expectAllUsed(void* begin, std::size_t bytes) {
    if (begin == nullptr || bytes < kLargeBlockBytes) return;
#ifdef MADV_HUGEPAGE
    // A wish only: without huge pages the memory is the same, and slower to fill.
    const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
    static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
#endif
}

std::shared_ptr<std::byte> largeBlock(std::size_t bytes) {
    if (bytes == 0 || bytes > std::numeric_limits<std::size_t>::max() - 2 * kHugePage) return {};
    const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    std::byte* const memory = map(whole + kHugePage);
    if (memory == nullptr) return {};
    std::byte* const aligned = trim(memory, whole + kHugePage, whole);
    expectAllUsed(aligned, whole);
    return {aligned, [whole](std::byte* block) { munmap(block, whole); }};
}

}  // namespace cubist

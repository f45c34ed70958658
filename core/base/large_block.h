// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>

namespace cubist {

/// From this size on memory is worth having in pages of its own.
constexpr std::size_t kLargeBlockBytes = std::size_t{4} << 20;

/// Zeroed memory straight from the system, in huge pages where it has them: filling it costs one page fault for every
/// 2 MiB rather than one for every 4 KiB, which would take as long as a tenth of a large matrix product. Aligned to
/// 2 MiB; the system takes it back with the last owner. Empty when it cannot be had.
[[nodiscard]] std::shared_ptr<std::byte> largeBlock(std::size_t bytes);

}  // namespace cubist

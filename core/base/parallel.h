// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

namespace cubist {

/// Calls `work(index, worker)` once for every index in 0..count-1 on up to `threads` threads, the calling one included,
/// and returns when all are done. Which worker gets which index is not fixed, so results must not depend on it; worker
/// is below `threads` and never used by two calls at a time (for scratch memory). `work` must not throw. `work` returns
/// false to stop early; indices not yet begun are then left out. Returns false if any call did.
bool parallelFor(int threads, std::int64_t count, const std::function<bool(std::int64_t index, int worker)>& work);

}  // namespace cubist

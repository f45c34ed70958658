// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "core/exchange/trace_overlay.h"
#include "core/run/run.h"
#include "core/skeleton/checklist.h"

namespace cubist {

/// Links of the critical path in a result.
inline constexpr std::size_t kMostPathLinks = 512;

/// The result of a run as JSON, ending in a line break. Equal reports give equal text; only `host` depends on the
/// machine. Metrics and microseconds have nine significant digits, ticks and counts are exact; a non-finite metric is
/// the string "inf", "-inf" or "nan". Parts that were not computed are null or empty; `accuracy.verdict` is then
/// "none". Without a launch head in the model end_to_end_us equals kernel_us, and every byte between a core and global
/// memory counts for both L2 and HBM.
/// `timing.critical_path` lists the steps of the executed critical path, of a longer one the last `kMostPathLinks`.
/// A checklist of SK-14 goes under "skeleton".
[[nodiscard]] std::string resultJson(const RunReport& report, bool withHost, const TraceOverlay* overlay = nullptr,
                                     const Checklist* checklist = nullptr);

}  // namespace cubist

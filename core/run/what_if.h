// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/lowering/block_order.h"
#include "core/timing/trace.h"

namespace cubist {

/// The prediction with more of one resource and everything else as it was.
struct WhatIf {
    std::string id;  ///< "hbm", "slot"
    std::string change, changeZh;
    Ticks kernel, endToEnd;
    Ticks gain;  ///< kernel time saved; below zero: list scheduling made it slower, which is real and not hidden
};

/// Predicts the design once per resource: rates 10 % up, one more core, one more slot in L1, AICPUs twice as fast.
/// Each is lowered and predicted anew, so that merging and slots follow the change. `bare`: the order of the blocks in
/// launch `bare`; null: launch `pypto`. Largest gain first; of equals in a fixed order. Errors: as `lower` and
/// `predict` of the design itself; a change that cannot run is left out, and so is "slot" where the rules accept
/// another slot in no stage.
[[nodiscard]] Result<std::vector<WhatIf>> whatIf(const Design& design, const Binding& binding, const ChipSpec& chip,
                                                 const Trace& base, const RunContext& context,
                                                 const BlockOrder* bare = nullptr);

}  // namespace cubist

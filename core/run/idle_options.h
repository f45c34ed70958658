// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/design/design.h"
#include "core/design/resolve.h"
#include "core/lowering/program.h"
#include "core/rules/finding.h"

namespace cubist {

/// Options that are set and do not reach this prediction, as hints. OPT-03: merge and runtime options of a hand-written
/// kernel (`bare`), merges of stages that there are none of, stitching with one root function, sides of keys that merge
/// nothing, options of hand-written kernels where PyPTO compiles, slots that do not fit, main blocks that there are
/// none of, more stitching than root functions. LOOP-01 and LOOP-05, with the sizes of this run: parallel loops of one
/// iteration, factors that are longer than their loop, submit_before_loop with nothing in front. Range: `program` is
/// made from `design`.
[[nodiscard]] std::vector<Finding> idleOptions(const ResolvedDesign& design, const Program& program,
                                               const Options& options, bool bare);

}  // namespace cubist

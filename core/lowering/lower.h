// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/design/resolve.h"
#include "core/lowering/program.h"

namespace cubist {

/// Counts known before anything is allocated, from closed formulas.
struct Estimate {
    std::int64_t inputBytes = 0;
    std::int64_t outputBytes = 0;
    std::int64_t workspaceBytes = 0;
    std::int64_t tasks = 0;
    std::int64_t macs = 0;
    std::int64_t programBytes = 0;  ///< host memory of the Program itself

    [[nodiscard]] std::int64_t tensorBytes() const { return inputBytes + outputBytes + workspaceBytes; }
};

/// Sizes the work. Errors: as `lower`, and DoesNotFit (with the arithmetic) when a count leaves 64 bits.
[[nodiscard]] Result<Estimate> estimate(const Design& design, const Binding& binding, const ChipSpec& chip);
[[nodiscard]] Result<Estimate> estimate(const ResolvedDesign& design);

/// Turns a design into the program of one chip. Pure; the same inputs give the same program.
/// The design may carry rule findings of any severity as long as it can be executed; what cannot be is an error.
/// Errors: UnknownName, BadValue, WrongType, Cycle, Unsupported, DoesNotFit, Cancelled; `where` is a JSON pointer.
[[nodiscard]] Result<Program> lower(const Design& design, const Binding& binding, const ChipSpec& chip,
                                    const RunContext& context = {});

/// The same when the design has been resolved; `options` take the place of the design's.
[[nodiscard]] Result<Program> lower(const ResolvedDesign& design, const Options& options, const ChipSpec& chip,
                                    const RunContext& context = {});
/// The same when its size is known too: `counts` are its `estimate`.
[[nodiscard]] Result<Program> lower(const ResolvedDesign& design, const Estimate& counts, const Options& options,
                                    const ChipSpec& chip, const RunContext& context);

}  // namespace cubist

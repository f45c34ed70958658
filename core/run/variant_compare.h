// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/run/run.h"
#include "core/skeleton/skeleton_index.h"

namespace cubist {

/// A form that a design could take instead.
struct DesignVariant {
    std::string id;  ///< "as_is", "groups_parallel_4", "groups_serial", "groups_static", "tokens_unroll_1",
                     ///< "rows_unroll_4_2", "rows_by_128"
    BilingualText title;
    Design design;
};

/// The design itself and its other forms: each outermost run-time loop parallel (with the design's parallelism, or 4)
/// or serial, written out at compile time or not; each unrolled loop without unrolling; each innermost run-time loop
/// unrolled with factors, in steps of several tiles and, where its windows allow it, of rows (`unrolledForms`).
[[nodiscard]] std::vector<DesignVariant> designVariants(const Design& design);

/// What a form costs: to compile, on the chip, and in time.
struct VariantFigures {
    std::string id;
    BilingualText title;
    std::optional<Error> error;  ///< it cannot be lowered; the numbers are 0 then
    std::int64_t errors = 0, warnings = 0;
    std::string firstFinding;    ///< the first error or warning: "LOOP-03 message"
    std::string firstFindingZh;  ///< the same in Simplified Chinese

    std::int64_t compiledStages =
        0;                    ///< stages written out in all root functions: static loops and unroll factors count
    std::int64_t leaves = 0;  ///< leaf functions
    std::int64_t leafInstructions = 0;                    ///< instructions of all leaf functions
    std::int64_t expressions = 0;                         ///< tiles * (1 + inputs) over all compiled vector operations
    std::int64_t largestExpression = 0;                   ///< of one operation; PyPTO's limit is 18000. Source: VEC-04
    std::int64_t roots = 0, tasks = 0, instructions = 0;  ///< of one run

    std::array<std::int64_t, kBufferCount> bufferBytes{};  ///< fullest moment of any leaf, by buffer
    std::int64_t workspaces = 0, workspaceBytes = 0;       ///< intermediates in memory; times the iterations in flight
    std::int64_t usedAic = 0, usedAiv = 0;

    double kernelUs = 0, endToEndUs = 0;  ///< predicted; 0 when errors stopped it
};

/// Checks, lowers and predicts every form; a form that fails keeps its reason. Errors: Cancelled; as `bind` for the
/// request's own case.
[[nodiscard]] Result<std::vector<VariantFigures>> compareVariants(const RunRequest& request,
                                                                  const std::vector<DesignVariant>& variants,
                                                                  const RunContext& context);

}  // namespace cubist

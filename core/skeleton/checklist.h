// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"
#include "core/skeleton/skeleton_index.h"

namespace cubist {

/// One criterion of SK-14, answered for a design.
struct ChecklistItem {
    std::string id;          ///< "has_matmul", "matmul_count", "not_sk01" ... "not_sk07", "cube_dominates"
    BilingualText question;  ///< "At least one matmul"
    bool holds = true;       ///< in favour of SK-14
    BilingualText evidence;  ///< one sentence with stage ids and numbers
    std::vector<BlockId> stages;
};

/// How much work cube and vector stages are. Two measures: arithmetic (cycles of all instructions, shared by all cores
/// of their kind, no transfers) or a prediction (time of the executed critical path).
struct WorkShare {
    bool predicted = false;
    double cube = 0, vector = 0;          ///< AI-core cycles, or microseconds when predicted
    double cubeBusy = 0, vectorBusy = 0;  ///< predicted only: microseconds of all tasks, by the cores that ran them
    double kernel = 0;                    ///< predicted only: microseconds
    std::int64_t switches = 0;            ///< changes between cube and vector from stage to stage
    std::vector<std::pair<BlockId, double>> stages;  ///< the part of each stage, in program order
};

/// Whether the vector work is still light, and where to go when it is not.
struct FusionExit {
    enum class Advice : std::uint8_t { Stay, Lighten, Leave } advice = Advice::Stay;
    WorkShare share;
    BilingualText text;  ///< one sentence with the numbers
};

struct Checklist {
    std::vector<ChecklistItem> items;
    std::string recommended;  ///< "SK-14", or the skeleton that fits better
    BilingualText reason;     ///< why
    FusionExit exit;          ///< to SK-15

    [[nodiscard]] bool isGeneralMatmul() const { return recommended == "SK-14"; }
};

/// Cycles by arithmetic: mmad of every matmul and every vector operation over whole values. Source: F-10, F-16.
[[nodiscard]] WorkShare workShare(const ResolvedDesign& design, const ChipSpec& chip);

/// The exit from SK-14 to SK-15: vector work is heavy when it takes more than the cube's. With three or more switches
/// between cube and vector the design leaves; with fewer it should lighten its vector stages, or move them behind the
/// loop. Source: hicann/pypto-gym, cards SK-14 and SK-15.
[[nodiscard]] FusionExit fusionExit(WorkShare share);

/// Answers the criteria of SK-14. `predicted` replaces the arithmetic where a prediction was made.
/// Source: hicann/pypto-gym, skeleton index and card SK-14.
[[nodiscard]] Checklist evaluateChecklist(const ResolvedDesign& design, const ChipSpec& chip,
                                          const std::optional<WorkShare>& predicted = std::nullopt);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/golden/sample.h"
#include "core/run/run.h"
#include "core/run/stage_errors.h"

namespace cubist {

/// Rows and columns of the block that an output is stored in, the output seen as a matrix.
using TileOfOutput = std::function<std::pair<std::int64_t, std::int64_t>(const std::string&)>;

/// The samples of the outputs whose golden is to be computed: empty when the program has no more multiply-adds than the
/// request allows for whole goldens.
[[nodiscard]] std::map<std::string, OutputSample> goldenSamples(const RunRequest& request, const RunReport& report,
                                                                const ComputedTensors& computed,
                                                                const TileOfOutput& tileOf);

/// A hint for every product that the sampled golden had to compute whole.
void noteWholeProducts(const GoldenSet& golden, RunReport& report);

}  // namespace cubist

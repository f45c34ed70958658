// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run.h"
#include "views/canvas/canvas_content.h"

namespace cubist {

/// The relative error at which cards are hottest: the narrowest relative tolerance of the outputs of a run; where none
/// has one, the largest error that a stage added. 0: nothing was compared, or all of it is exact.
[[nodiscard]] double hottestError(const RunReport& report);

/// What each stage of a run added to the error, for the colours of the cards: four decades below `hottestError` and
/// less are cold, on a logarithmic scale in between. Empty without results.
[[nodiscard]] StageHeats stageHeats(const RunReport& report);

/// What the colours by error mean. `report` may be null: nothing was run.
[[nodiscard]] HeatScale errorScale(const RunReport* report);
/// What the colours by time mean: a stage is as hot as its span is long, against a kernel of this time.
[[nodiscard]] HeatScale timeScale(double kernelMicroseconds);

}  // namespace cubist

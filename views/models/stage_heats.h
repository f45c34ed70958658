// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run.h"
#include "views/canvas/canvas_content.h"

namespace cubist {

/// What each stage of a run added to the error, by the largest of them, for the colours of the cards. Stages without
/// an error are cold; empty without results.
[[nodiscard]] StageHeats stageHeats(const RunReport& report);

}  // namespace cubist

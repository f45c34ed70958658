// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// Time the chip's cubes would need for the program's useful multiply-adds at their peak rates, by the predicted time;
/// each operand type counts with its own peak. Range: 0..1. Source: F-22.
[[nodiscard]] double cubeUtilisation(const Program& program, const ChipSpec& chip, const Trace& trace);

/// The weakest confidence behind a prediction: Estimate when an estimated constant is on its critical path, else
/// CostModel, because the way tasks are scheduled is a model whatever the constants are.
[[nodiscard]] Confidence predictionConfidence(const Trace& trace);

}  // namespace cubist

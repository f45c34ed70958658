// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"
#include "core/design/resolve.h"

namespace cubist {

/// A whole tensor of reference values, row-major.
struct GoldenTensor {
    std::vector<std::int64_t> shape;
    std::vector<double> values;
};

/// Golden of every output tensor and, for blame, of every stage result (by value name, all loop iterations stacked along
/// the first axis as the emulator's workspaces are).
struct GoldenSet {
    std::map<std::string, GoldenTensor> outputs;
};

/// Computes golden outputs by plain whole-tensor mathematics, written independently of lowering and emulator.
/// Ideal: FP64, float casts ignored. Framework: FP32 with every declared cast. `inputs` by tensor id.
/// K ascending, one rounding per step; identical on every host.
/// Errors: Cancelled, Unsupported, WrongType.
[[nodiscard]] Result<GoldenSet> computeGolden(const ResolvedDesign& design, const std::map<std::string, const HostTensor*>& inputs,
                                              GoldenKind kind, const RunContext& context);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/accuracy/compare.h"
#include "core/design/resolve.h"
#include "core/run/stage_errors.h"

/// Sums of |a| |b|, from which the bound on rounding errors comes: the golden on the inputs without their signs.
namespace cubist {

/// Below this the bound is computed for every run, below the other one when an output fails.
inline constexpr std::int64_t kAlwaysBoundFlops = std::int64_t{1} << 27;
inline constexpr std::int64_t kBoundOnFailureFlops = std::int64_t{1} << 33;
/// More bytes of inputs are not copied for a bound that nobody asked for: mapped files stay on the disk.
inline constexpr std::int64_t kMostBoundBytes = std::int64_t{1} << 28;

/// How the sums behind each output are made that is stored from a matmul of floats without anything in between.
[[nodiscard]] std::map<std::string, SumOrder> productOrders(const ResolvedDesign& design,
                                                            const ComputedTensors& computed);

/// Is a bound that nobody asked for worth its time and memory?
[[nodiscard]] bool boundIsCheap(const ComputedTensors& computed, std::int64_t flops, std::int64_t mostFlops);

/// Inputs without their signs; what has none is as it was, and must outlive this.
struct PositiveInputs {
    std::map<std::string, HostTensor> own;
    std::map<std::string, const HostTensor*> all;
};
[[nodiscard]] Result<PositiveInputs> positiveInputs(const ComputedTensors& computed);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/design/design.h"

/// Designs that other skeletons than SK-14 describe: the blocks of each as JSON.
namespace cubist::test {

/// A design of blocks on x [64, 128] BF16, w [128, 64] and v [64, 64] BF16, f [64, 128] FP32, with an inout tensor
/// `state` [64, 1] and the output y [64, 64].
[[nodiscard]] Design designOf(const std::string& blocks);

[[nodiscard]] std::string vectorOnly(bool topk);
[[nodiscard]] std::string normThenMatmul();
/// A stage "choose" picks from the result of "router".
[[nodiscard]] std::string choosesExperts();
/// A stage "online" carries a maximum from iteration to iteration.
[[nodiscard]] std::string runningMaximum();

}  // namespace cubist::test

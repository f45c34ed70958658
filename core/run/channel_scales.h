// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"

namespace cubist {

/// Inputs that stages read as scale_tensor and that hold scales which FIXPIPE does not take: zero, subnormal, infinite
/// or NaN (VAL-12), one finding for each stage with the first such column. Scales are FP32, BF16 or words whose low
/// half is an FP32; scales that the kernel computes itself are not looked at. VAL-13: words that ask for a shift or for
/// unsigned results. Source: F-64.
[[nodiscard]] std::vector<Finding> channelScaleFindings(const ResolvedDesign& design,
                                                        const std::map<std::string, const HostTensor*>& inputs);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/golden_sample.h"

namespace cubist {

std::map<std::string, OutputSample> goldenSamples(const RunRequest& request, const RunReport& report,
                                                  const ComputedTensors& computed, const TileOfOutput& tileOf) {
    std::map<std::string, OutputSample> samples;
    if (report.flops / 2 <= request.goldenLimit) return samples;
    for (const auto& [name, tensor] : computed.outputs) {
        if (request.goldens.contains(name)) continue;
        const auto [rows, cols] = tileOf(name);
        samples[name] =
            drawSample(tensor->shape(), rows, cols, kSampleElements, static_cast<std::uint64_t>(report.seed), name);
    }
    return samples;
}

}  // namespace cubist

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

void noteWholeProducts(const GoldenSet& golden, RunReport& report) {
    for (const ProgramStage& stage : report.program->stages) {
        if (!golden.wholeProducts.contains(stage.result.text)) continue;
        Finding finding;
        finding.ruleId = "VAL-08";
        finding.severity = Severity::Hint;
        finding.where = stage.where;
        finding.block = stage.id;
        finding.message = "the golden of '" + stage.result.text +
                          "' was computed whole although it is sampled: what reads it needs all of its elements";
        finding.messageZh =
            "'" + stage.result.text + "' 的 golden 虽为抽样，但读取它的操作需要全部元素，因此被完整计算";
        report.findings.push_back(std::move(finding));
    }
}

}  // namespace cubist

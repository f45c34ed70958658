// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/judge.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "core/run/golden_sample.h"
#include "core/run/part_context.h"

namespace cubist {
namespace {

/// Block size of the stage that an output is stored from, as rows and columns of the output seen as a matrix.
std::pair<std::int64_t, std::int64_t> tileOfOutput(const ResolvedDesign& design, const Program& program,
                                                   const std::string& output) {
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to.text != output) continue;
        for (const ProgramStage& stage : program.stages)
            if (stage.result == store->from) return {stage.tile[2], stage.tile[3]};
    }
    return {1, 1};
}

/// Replaces computed goldens by those that the user gave.
Result<void> takeGivenGoldens(const RunRequest& request, const ComputedTensors& computed, GoldenSet& golden) {
    for (const auto& [name, file] : request.goldens) {
        const auto output = computed.outputs.find(name);
        if (output == computed.outputs.end()) continue;
        if (!request.readers.golden) return unexpected(ErrorCode::Unsupported, "no reader for tensor files", file);
        const HostTensor& actual = *output->second;
        CUBIST_TRY(std::vector<double> values, request.readers.golden(file, actual.dtype(), actual.shape()));
        golden.outputs[name] = {actual.shape(), std::move(values)};
    }
    return {};
}

}  // namespace

Result<void> judgeOutputs(const RunRequest& request, const ResolvedDesign& design, const ComputedTensors& computed,
                          RunReport& report, const RunContext& context) {
    const GoldenKind kind = request.design->tolerance.golden;
    const bool allGiven = std::all_of(computed.outputs.begin(), computed.outputs.end(),
                                      [&](const auto& output) { return request.goldens.contains(output.first); });
    // Without computed goldens there is nothing to say about what happens between the stages.
    const auto tileOf = [&](const std::string& output) { return tileOfOutput(design, *report.program, output); };
    const std::map<std::string, OutputSample> samples = goldenSamples(request, report, computed, tileOf);
    const bool blame =
        samples.empty() && canBlameStages(design, computed) && (!allGiven || computed.workspaces.empty());
    GoldenSet golden;
    if (!allGiven) {
        GoldenRequest wanted;
        wanted.kind = kind;
        wanted.samples = samples;
        wanted.stageResults = blame && !computed.workspaces.empty();
        CUBIST_TRY(golden, computeGolden(design, computed.inputs, wanted, partOf(context, 0.0, 0.6)));
    }
    CUBIST_CHECK_OK(takeGivenGoldens(request, computed, golden));

    report.accuracy.verdict = Verdict::Pass;
    const RunContext comparing = partOf(context, 0.6, 0.8);
    const auto outputs = static_cast<double>(computed.outputs.size());
    for (const Tensor& tensor : request.design->tensors) {
        const auto output = computed.outputs.find(tensor.id.text);
        if (output == computed.outputs.end()) continue;
        const auto done = static_cast<double>(report.accuracy.outputs.size());
        const auto [rows, cols] = tileOf(tensor.id.text);
        const auto sample = samples.find(tensor.id.text);
        const auto positions = sample == samples.end() ? std::span<const std::int64_t>()
                                                       : std::span<const std::int64_t>(sample->second.positions);
        CUBIST_TRY(OutputMetrics metrics,
                   compareOutput(tensor.id.text, *output->second, golden.outputs.at(tensor.id.text).values,
                                 request.design->tolerance, rows, cols,
                                 partOf(comparing, done / outputs, (done + 1) / outputs), positions));
        if (!positions.empty())
            report.accuracy.sampled = report.accuracy.sampled.value_or(0) + static_cast<std::int64_t>(positions.size());
        if (metrics.verdict == Verdict::Fail) report.accuracy.verdict = Verdict::Fail;
        report.accuracy.outputs.push_back(std::move(metrics));
    }
    if (blame) {
        CUBIST_TRY(report.stageErrors, stageErrors(design, computed, golden, kind, partOf(context, 0.8, 1.0)));
    }
    return {};
}

}  // namespace cubist

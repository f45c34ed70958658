// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/run/golden_sample.h"
#include "core/run/judge_rows.h"
#include "core/run/part_context.h"
#include "core/run/product_sums.h"
#include "core/run/value_findings.h"

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
        if (!request.readers.golden) return unexpected(ErrorCode::Unsupported, "no reader for tensor files", file.path);
        const HostTensor& actual = *output->second;
        const TensorTarget target{name, actual.dtype(), actual.shape()};
        CUBIST_TRY(std::vector<double> values, request.readers.golden(file, target));
        GoldenTensor& given = golden.outputs[name] = {actual.shape(), GoldenValues(values), {}};
        if (actual.dtype() != DType::INT64 || !request.readers.input) continue;
        // A file of other numbers than whole ones of INT64 has nothing that FP64 would lose.
        const Result<HostTensor> integers = request.readers.input(file, target);
        if (!integers) continue;
        const auto codes = integers->codes<std::int64_t>();
        given.integers.assign(codes.begin(), codes.end());
    }
    return {};
}

/// Sums of |a| |b| for the outputs that are plain products: the golden on the inputs without their signs, of the
/// elements that are compared.
struct ProductSums {
    std::map<std::string, GoldenValues> sums;
    std::map<std::string, SumOrder> order;
};

Result<ProductSums> productSums(const ResolvedDesign& design, const ComputedTensors& computed,
                                const std::map<std::string, OutputSample>& samples, const RunContext& context) {
    ProductSums out;
    out.order = productOrders(design, computed);
    if (out.order.empty()) return out;
    CUBIST_TRY(const PositiveInputs positive, positiveInputs(computed));
    GoldenRequest wanted;
    wanted.samples = samples;
    CUBIST_TRY(GoldenSet golden, computeGolden(design, positive.all, wanted, context));
    for (const auto& [name, order] : out.order) out.sums[name] = std::move(golden.outputs.at(name).values);
    return out;
}

/// What each output is judged by.
const Tolerance& toleranceOf(const Design& design, const Tensor& tensor) {
    return tensor.tolerance ? *tensor.tolerance : design.tolerance;
}

}  // namespace

Result<void> judgeOutputs(const RunRequest& request, const ResolvedDesign& design, const ComputedTensors& computed,
                          RunReport& report, const RunContext& context) {
    const GoldenKind kind = request.design->tolerance.golden;
    std::array<bool, 2> wantedKinds{kind == GoldenKind::Ideal, kind == GoldenKind::Framework};
    bool wantsBound = false;
    for (const Tensor& tensor : request.design->tensors) {
        if (!computed.outputs.contains(tensor.id.text)) continue;
        const Tolerance& tolerance = toleranceOf(*request.design, tensor);
        if (!request.goldens.contains(tensor.id.text)) wantedKinds[static_cast<std::size_t>(tolerance.golden)] = true;
        // The benchmark of the three-way criterion is the framework's result.
        if (tolerance.criterion == Criterion::ThreeWay) wantedKinds = {true, true};
        wantsBound = wantsBound || tolerance.criterion == Criterion::OrderBound;
    }
    const bool allGiven = std::all_of(computed.outputs.begin(), computed.outputs.end(),
                                      [&](const auto& output) { return request.goldens.contains(output.first); });
    // Without computed goldens there is nothing to say about what happens between the stages.
    const auto tileOf = [&](const std::string& output) { return tileOfOutput(design, *report.program, output); };
    const std::map<std::string, OutputSample> samples = goldenSamples(request, report, computed, tileOf);
    const bool oneGolden = !allGiven && samples.empty() && wantedKinds[0] != wantedKinds[1];
    if (oneGolden && canJudgeByRows(design, computed)) {
        const std::string& name = computed.outputs.begin()->first;
        const Tensor& tensor = *std::find_if(request.design->tensors.begin(), request.design->tensors.end(),
                                             [&](const Tensor& t) { return t.id.text == name; });
        return judgeByRows({design, computed, wantedKinds[0] ? GoldenKind::Ideal : GoldenKind::Framework, tileOf(name),
                            toleranceOf(*request.design, tensor)},
                           report, context);
    }
    const bool blame =
        samples.empty() && canBlameStages(design, computed) && (!allGiven || computed.workspaces.empty());
    std::array<GoldenSet, 2> goldens;
    for (const GoldenKind wantedKind : {GoldenKind::Ideal, GoldenKind::Framework}) {
        const auto k = static_cast<std::size_t>(wantedKind);
        const bool needed = wantedKinds[k] && (!allGiven || wantedKinds[1 - k]);
        if (!needed) continue;
        GoldenRequest wanted;
        wanted.kind = wantedKind;
        wanted.samples = samples;
        wanted.stageResults = wantedKind == kind && blame && !computed.workspaces.empty();
        CUBIST_TRY(goldens[k], computeGolden(design, computed.inputs, wanted, partOf(context, 0.0, 0.6)));
    }
    const GoldenSet benchmark = wantedKinds[0] && wantedKinds[1] ? goldens[1] : GoldenSet{};
    for (GoldenSet& golden : goldens) CUBIST_CHECK_OK(takeGivenGoldens(request, computed, golden));
    for (Finding& finding : goldenFindings(request, computed.outputs, goldens[0].outputs))
        report.findings.push_back(std::move(finding));
    ProductSums products;
    if (wantsBound || (samples.empty() && boundIsCheap(computed, report.flops, kAlwaysBoundFlops))) {
        CUBIST_TRY(products, productSums(design, computed, samples, partOf(context, 0.6, 0.65)));
    }
    noteWholeProducts(goldens[static_cast<std::size_t>(kind)], report);

    const auto compare = [&](const Tensor& tensor, const HostTensor& actual,
                             const RunContext& comparing) -> Result<OutputMetrics> {
        const auto [rows, cols] = tileOf(tensor.id.text);
        const Tolerance& tolerance = toleranceOf(*request.design, tensor);
        Companions companions;
        if (const auto found = benchmark.outputs.find(tensor.id.text); found != benchmark.outputs.end())
            companions.benchmark = found->second.values;
        if (const auto found = products.sums.find(tensor.id.text); found != products.sums.end()) {
            companions.sumOfProducts = found->second;
            companions.order = products.order.at(tensor.id.text);
        }
        if (const auto sample = samples.find(tensor.id.text); sample != samples.end())
            companions.sample = sample->second.positions;
        const GoldenTensor& golden = goldens[static_cast<std::size_t>(tolerance.golden)].outputs.at(tensor.id.text);
        companions.integers = golden.integers;
        CUBIST_TRY(OutputMetrics metrics,
                   compareOutput(tensor.id.text, actual, golden.values, tolerance, rows, cols, comparing, companions));
        if (const auto given = request.goldens.find(tensor.id.text); given != request.goldens.end())
            metrics.goldenFile = given->second.path;
        return metrics;
    };
    report.accuracy.verdict = computed.outputs.empty() ? Verdict::None : Verdict::Pass;
    const RunContext comparing = partOf(context, 0.65, 0.8);
    const auto outputs = static_cast<double>(computed.outputs.size());
    for (const Tensor& tensor : request.design->tensors) {
        const auto output = computed.outputs.find(tensor.id.text);
        if (output == computed.outputs.end()) continue;
        const auto done = static_cast<double>(report.accuracy.outputs.size());
        const RunContext part = partOf(comparing, done / outputs, (done + 1) / outputs);
        CUBIST_TRY(OutputMetrics metrics, compare(tensor, *output->second, part));
        if (const auto sample = samples.find(tensor.id.text); sample != samples.end())
            report.accuracy.sampled =
                report.accuracy.sampled.value_or(0) + static_cast<std::int64_t>(sample->second.positions.size());
        if (metrics.verdict == Verdict::Fail) {
            report.accuracy.verdict = Verdict::Fail;
            // Whether the order of the sum explains a failure is worth another pass.
            if (samples.empty() && products.order.empty() &&
                boundIsCheap(computed, report.flops, kBoundOnFailureFlops)) {
                CUBIST_TRY(products, productSums(design, computed, samples, part));
                CUBIST_TRY(metrics, compare(tensor, *output->second, part));
            }
        }
        report.accuracy.outputs.push_back(std::move(metrics));
    }
    if (blame) {
        CUBIST_TRY(report.stageErrors, stageErrors(design, computed, goldens[static_cast<std::size_t>(kind)], kind,
                                                   partOf(context, 0.8, 1.0)));
    }
    return {};
}

}  // namespace cubist

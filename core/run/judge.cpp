// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/run/golden_sample.h"
#include "core/run/part_context.h"

namespace cubist {
namespace {

/// Below this the bound on rounding errors is computed for every run, below the other one when an output fails.
constexpr std::int64_t kAlwaysBoundFlops = std::int64_t{1} << 27;
constexpr std::int64_t kBoundOnFailureFlops = std::int64_t{1} << 33;

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
        CUBIST_TRY(std::vector<double> values, request.readers.golden(file, {name, actual.dtype(), actual.shape()}));
        golden.outputs[name] = {actual.shape(), std::move(values)};
    }
    return {};
}

/// The matmul that an output is stored from without anything in between, when its sums are plain ones of FP32.
const CubeStage* plainProduct(const ResolvedDesign& design, const std::string& output) {
    const CubeStage* found = nullptr;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to.text != output) continue;
        const ResolvedValue* value = design.value(store->from);
        if (value == nullptr || value->kind != ResolvedValue::Kind::CubeResult || store->op != StoreOp::Slice)
            return nullptr;
        const auto* stage = std::get_if<CubeStage>(&design.blocks[value->block].block->content);
        if (found != nullptr && stage != found) return nullptr;
        found = stage;
    }
    if (found == nullptr || found->op != CubeOp::Matmul || found->relu || found->scale || !found->scaleTensor.empty() ||
        found->fp32Mode != Fp32Mode::Ieee || found->partialDType != DType::FP32 || !isFloat(found->outDType))
        return nullptr;
    for (const ValueId& operand : {found->a, found->b}) {
        const ResolvedValue* value = design.value(operand);
        const bool given = value != nullptr && value->tensor != nullptr && value->tensor->role == TensorRole::Input;
        if (!given || !isFloat(value->dtype)) return nullptr;
    }
    return found;
}

/// Sums of |a| |b| for the outputs that are plain products: the golden on the inputs without their signs.
struct ProductSums {
    std::map<std::string, std::vector<double>> sums;
    std::map<std::string, std::int64_t> depth;
};

Result<ProductSums> productSums(const ResolvedDesign& design, const ComputedTensors& computed,
                                const RunContext& context) {
    ProductSums out;
    for (const auto& [name, tensor] : computed.outputs) {
        if (const CubeStage* stage = plainProduct(design, name)) {
            // Bias and split-K add a few terms to the sum.
            const std::int64_t k = design.block(stage->id)->matmul->k;
            out.depth[name] = k + 1 + (stage->tile.splitK ? k : 0);
        }
    }
    if (out.depth.empty()) return out;
    std::map<std::string, HostTensor> positive;
    std::map<std::string, const HostTensor*> inputs = computed.inputs;
    for (auto& [name, tensor] : inputs) {
        if (!isFloat(tensor->dtype())) continue;
        CUBIST_TRY(HostTensor copy, HostTensor::zeros(tensor->dtype(), tensor->shape()));
        for (std::int64_t e = 0; e < copy.count(); ++e) copy.set(e, std::abs(tensor->at(e)));
        tensor = &positive.emplace(name, std::move(copy)).first->second;
    }
    CUBIST_TRY(GoldenSet golden, computeGolden(design, inputs, GoldenKind::Ideal, context));
    for (const auto& [name, depth] : out.depth) out.sums[name] = std::move(golden.outputs.at(name).values);
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
    ProductSums products;
    if (samples.empty() && (wantsBound || report.flops <= kAlwaysBoundFlops)) {
        CUBIST_TRY(products, productSums(design, computed, partOf(context, 0.6, 0.65)));
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
            companions.depth = products.depth.at(tensor.id.text);
        }
        if (const auto sample = samples.find(tensor.id.text); sample != samples.end())
            companions.sample = sample->second.positions;
        const GoldenSet& golden = goldens[static_cast<std::size_t>(tolerance.golden)];
        return compareOutput(tensor.id.text, actual, golden.outputs.at(tensor.id.text).values, tolerance, rows, cols,
                             comparing, companions);
    };
    report.accuracy.verdict = Verdict::Pass;
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
            if (samples.empty() && products.depth.empty() && report.flops <= kBoundOnFailureFlops) {
                CUBIST_TRY(products, productSums(design, computed, part));
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

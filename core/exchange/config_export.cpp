// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/config_export.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/design/binding.h"
#include "core/design/resolve.h"
#include "core/design/tile_choice.h"
#include "core/exchange/design_json.h"
#include "core/exchange/field_reader.h"
#include "core/exchange/field_writer.h"
#include "core/exchange/json_text.h"
#include "core/exchange/migrate.h"
#include "core/exchange/result_values.h"

namespace cubist {
namespace {

constexpr const char* kVersionKey = "cubist_config";

DType dtypeOf(const ResolvedDesign& resolved, const ValueId& id) {
    const ResolvedValue* value = resolved.value(id);
    return value == nullptr ? DType::FP32 : value->dtype;
}

ConfigMatmul matmulConfig(const ResolvedDesign& resolved, const ResolvedBlock& block, const CubeStage& stage) {
    ConfigMatmul matmul;
    if (block.matmul) {
        matmul.m = block.matmul->m;
        matmul.k = block.matmul->k;
        matmul.n = block.matmul->n;
    }
    matmul.aDType = dtypeOf(resolved, stage.a);
    matmul.bDType = dtypeOf(resolved, stage.b);
    matmul.outDType = stage.outDType;
    matmul.aTrans = stage.aTrans;
    matmul.bTrans = stage.bTrans;
    matmul.tile = stage.tile;
    matmul.tile.unknown.clear();
    matmul.op = stage.op;
    matmul.scaleA = stage.scaleA;
    matmul.scaleB = stage.scaleB;
    matmul.bias = stage.bias;
    matmul.scaleTensor = stage.scaleTensor;
    matmul.scale = stage.scale;
    matmul.relu = stage.relu;
    matmul.fp32Mode = stage.fp32Mode;
    matmul.accumulation = stage.accumulation;
    matmul.partialDType = stage.partialDType;
    return matmul;
}

ConfigVector vectorConfig(const ResolvedDesign& resolved, const VectorStage& stage) {
    ConfigVector vector;
    for (const VectorOp& op : stage.ops) {
        vector.ops.push_back(op.op);
        vector.operations.push_back(op);
        vector.operations.back().unknown.clear();
    }
    if (!stage.ops.empty())
        if (const ResolvedValue* result = resolved.value(stage.ops.back().out)) {
            vector.shape = result->shape;
            vector.outDType = result->dtype;
        }
    vector.tile = stage.tile;
    return vector;
}

/// The stage with the tile that it states itself, where a table has picked another.
template <class Stage>
Stage withOwnTile(const ResolvedDesign& resolved, const Stage& stage) {
    Stage own = stage;
    if (const TileChoice* choice = resolved.tileChoice(stage.id)) {
        if constexpr (std::is_same_v<Stage, CubeStage>)
            own.tile = choice->ownCube;
        else
            own.tile = choice->ownVector;
    }
    return own;
}

/// The factors of the innermost unrolled loop around a stage, as they run.
Result<std::vector<ConfigFactor>> factorsOf(const ResolvedDesign& resolved, const ResolvedBlock& block) {
    constexpr std::int64_t kMost = 1 << 16;
    std::vector<ConfigFactor> factors;
    std::string name;
    for (const std::size_t number : block.loops)
        if (resolved.loops[number].loop->form == LoopKind::Unroll) name = resolved.loops[number].loop->factor;
    if (name.empty() || resolved.executions(block) > kMost) return factors;
    const auto* cube = std::get_if<CubeStage>(&block.block->content);
    const auto* vector = std::get_if<VectorStage>(&block.block->content);
    const ValueId result = cube != nullptr ? cube->out : vector->ops.back().out;
    for (const IndexValues& indices : someExecutions(resolved, block.loops, kMost)) {
        const std::int64_t factor = indices.at(name);
        const auto known = std::find_if(factors.begin(), factors.end(),
                                        [&](const ConfigFactor& entry) { return entry.factor == factor; });
        if (known != factors.end()) {
            ++known->executions;
            continue;
        }
        ConfigFactor entry;
        entry.factor = factor;
        CUBIST_TRY(entry.shape, validShape(resolved, result, indices));
        const Expression::Lookup lookup = lookupWith(resolved, indices);
        if (cube != nullptr) {
            CUBIST_TRY(entry.cubeTile, tileOf(withOwnTile(resolved, *cube), lookup, block.where));
            entry.cubeTile->unknown.clear();
        } else {
            CUBIST_TRY(entry.vecTile, tileOf(withOwnTile(resolved, *vector), lookup, block.where));
        }
        factors.push_back(std::move(entry));
    }
    std::sort(factors.begin(), factors.end(),
              [](const ConfigFactor& a, const ConfigFactor& b) { return a.factor > b.factor; });
    return factors;
}

/// What the stage is for the largest factor that runs, in place of the largest one that is declared.
void takeLargestFactor(ConfigStage& stage) {
    if (stage.byFactor.empty()) return;
    const ConfigFactor& largest = stage.byFactor.front();
    if (stage.matmul && largest.shape.size() >= 2) {
        stage.matmul->m = largest.shape[largest.shape.size() - 2];
        stage.matmul->n = largest.shape.back();
        stage.matmul->tile = *largest.cubeTile;
    }
    if (stage.vector) {
        stage.vector->shape = largest.shape;
        stage.vector->tile = largest.vecTile;
    }
}

/// The number that its nine digits in a result file read back as, so that a config is equal to its own text.
double asWritten(double value) {
    const JsonValue written = resultValue(value);
    double read = value;
    ReadState state;
    readValue(state, written, read);
    return read;
}

}  // namespace

std::string designHash(const Design& design) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : writeDesign(design)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "fnv1a64:";
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(hash >> shift) & 0xFU];
    return text;
}

Result<KernelConfig> kernelConfig(const RunRequest& request, const RunReport& report, const std::string& version) {
    const Design& design = *request.design;
    // The lists of the report: files of host-read tensors may have given them.
    CUBIST_TRY(const Binding binding, bindWith(design, request.caseName, Overrides{request.symbols, report.lists}));
    CUBIST_TRY(const ResolvedDesign resolved, resolve(design, binding));

    KernelConfig config;
    config.design = design.name;
    config.chip = request.chip.id;
    config.caseId = binding.caseId;
    config.symbols = binding.symbols;
    for (const auto& list : binding.lists.entries) config.lists.set(list.key, list.value.values);
    // What the predicted time holds for.
    config.launch = report.trace ? report.launch : request.launch;
    if (config.launch == LaunchProfile::Bare)
        config.blockOrder = orderText(report.trace ? report.order : request.order);
    config.profile = report.profile;
    config.skeleton = design.skeleton;
    config.skeleton.unknown.clear();
    for (const Tensor& tensor : design.tensors) {
        const ResolvedValue* value = resolved.value(ValueId(tensor.id.text));
        config.tensors.push_back({tensor.id, tensor.role, tensor.dtype, tensor.format, value ? value->shape : Shape{}});
    }
    for (const ResolvedLoop& loop : resolved.loops)
        config.loops.push_back(
            {loop.loop->id, loop.loop->index, loop.axis, loop.tile, loop.iterations, loop.loop->parallel});
    for (const ResolvedBlock& block : resolved.blocks) {
        ConfigStage stage;
        stage.id = block.block->id();
        stage.executions = resolved.executions(block);
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            stage.kind = ConfigStageKind::C;
            stage.label = cube->label.empty() ? cube->id.text : cube->label;
            stage.matmul = matmulConfig(resolved, block, *cube);
        } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
            stage.kind = ConfigStageKind::V;
            stage.label = vector->label.empty() ? vector->id.text : vector->label;
            stage.vector = vectorConfig(resolved, *vector);
        } else {
            continue;
        }
        CUBIST_TRY(stage.byFactor, factorsOf(resolved, block));
        takeLargestFactor(stage);
        config.stages.push_back(std::move(stage));
    }
    config.options = design.options;
    config.options.unknown.clear();
    if (report.trace)
        config.predicted = ConfigPrediction{asWritten(report.trace->microseconds(report.trace->kernel)),
                                            report.trace->kernel.value, report.trace->bound, report.confidence};
    config.provenance = {"cubist", version, designHash(design)};
    return config;
}

std::string kernelConfigText(const KernelConfig& config) {
    JsonValue root = JsonValue::object();
    root.add(kVersionKey, JsonValue::fromInteger(KernelConfig::kFormatVersion));
    addFields(root, config, Defaults::Write);
    // A vector stage has no matmul and the other way round: absent reads better than null.
    const auto isAbsent = [](const JsonMember& member) {
        return member.value.kind == JsonValue::Kind::Null ||
               (member.value.kind == JsonValue::Kind::Array && member.value.items.empty() && member.key != "shape");
    };
    if (config.blockOrder.empty())
        std::erase_if(root.members, [](const JsonMember& member) { return member.key == "block_order"; });
    for (JsonValue& stage : root.find("stages")->items) {
        std::erase_if(stage.members, isAbsent);
        if (JsonValue* factors = stage.find("by_factor"))
            for (JsonValue& factor : factors->items) std::erase_if(factor.members, isAbsent);
    }
    return prettyJson(root);
}

Result<KernelConfig> parseKernelConfig(std::string_view text) {
    CUBIST_TRY(JsonValue document, parseJson(text));
    CUBIST_TRY(const JsonValue current, migrate(std::move(document), {kVersionKey, KernelConfig::kFormatVersion, {}}));
    ReadState state;
    KernelConfig config;
    if (!readStruct(state, current, config, {kVersionKey})) return unexpected(*std::move(state.error));
    return config;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/document_parts.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"
#include "core/design/vector_tiles.h"
#include "core/exchange/pypto/host_writer.h"
#include "core/exchange/pypto/test_writer.h"
#include "core/exchange/pypto/tile_writer.h"

namespace cubist::pypto {
namespace {

/// "float32": the spelling of torch, which the checks of the documents know.
std::string dtypeName(DType type) {
    switch (type) {
        case DType::FP32: return "float32";
        case DType::FP16: return "float16";
        case DType::BF16: return "bfloat16";
        case DType::INT8: return "int8";
        case DType::INT16: return "int16";
        case DType::INT32: return "int32";
        case DType::INT64: return "int64";
        case DType::UINT8: return "uint8";
        case DType::BOOL: return "bool";
        case DType::FP8E4M3: return "float8_e4m3fn";
        case DType::FP8E5M2: return "float8_e5m2";
        case DType::FP8E8M0: return "float8_e8m0fnu";
        case DType::HF8:
        case DType::FP4E2M1:
        case DType::FP4E1M2:
        case DType::INT4: break;
    }
    return std::string(toText(type));
}

}  // namespace

std::string listText(const std::vector<std::int64_t>& values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
}

std::string cell(std::string text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string frontMatter(const std::string& name, const FrontMatter& fields) {
    std::string out = "---\nschema_version: \"2.1\"\nop_name: " + name + "\n";
    for (const auto& [key, value] : fields) out += key + ": " + value + "\n";
    return out + "---\n\n";
}

std::string typesText(const KernelPlan& plan) {
    std::string text;
    std::set<std::string> seen;
    for (const Tensor& tensor : plan.design().tensors)
        if (tensor.role != TensorRole::Workspace && seen.insert(dtypeName(tensor.dtype)).second)
            text += (text.empty() ? "\"" : ", \"") + dtypeName(tensor.dtype) + "\"";
    return "[" + text + "]";
}

std::pair<double, double> strictestLimits(const KernelPlan& plan) {
    std::optional<std::pair<double, double>> strictest;
    for (const Tensor& tensor : plan.design().tensors) {
        if (!isReturned(tensor)) continue;
        const TestLimits own = testLimits(tensor.tolerance.value_or(plan.design().tolerance), tensor.dtype);
        const std::pair<double, double> limits{own.rtol, own.atol};
        if (!strictest || limits < *strictest) strictest = limits;
    }
    return strictest.value_or(std::pair{0.0, 0.0});
}

std::vector<std::int64_t> extentsOf(const Tensor& tensor, const Binding& binding) {
    std::vector<std::int64_t> out;
    for (const Expression& extent : tensor.shape) out.push_back(extent.evaluate(binding.lookup()).value_or(1));
    return out;
}

std::string symbolTable(const KernelPlan& plan) {
    if (plan.runtimeSymbols().empty()) return "All axes are constants of the compilation.\n\n";
    std::string out = "| symbol | read from | type |\n|---|---|---|\n";
    for (const SymbolSource& source : plan.runtimeSymbols())
        out += "| " + plan.scalar(source.symbol) + " | " + plan.python(TensorId(source.tensor)) + ".shape[" +
               std::to_string(source.axis) + "] | SymbolicScalar |\n";
    return out + "\n";
}

std::string loopForm(const Loop& loop) {
    const char* form = loop.form == LoopKind::Static   ? "range"
                       : loop.form == LoopKind::Unroll ? "pypto.loop_unroll"
                                                       : "pypto.loop";
    return std::string(form) + (loop.parallel ? ", parallel" : "") +
           (loop.submitBeforeLoop ? ", submit_before_loop" : "");
}

std::string tileText(const CubeStage& stage) {
    return "m" + listText(stage.tile.m) + " k" + listText(stage.tile.k) + " n" + listText(stage.tile.n) +
           (stage.tile.splitK ? " split-K" : "");
}

std::int64_t mostPieces(const KernelPlan& plan, const VectorStage& stage) {
    const auto axes = tileAxes(stage, [&](const ValueId& id) { return plan.axes(id).size(); });
    std::int64_t most = 0;
    for (std::size_t i = 0; i < stage.ops.size(); ++i) {
        const ResolvedValue* value = plan.resolved().value(stage.ops[i].out);
        const std::vector<std::int64_t> tile = tileAlong(stage.tile, axes[i].out);
        auto pieces = static_cast<std::int64_t>(1 + stage.ops[i].in.size());
        for (std::size_t axis = 0; value && axis < value->shape.size() && axis < tile.size(); ++axis)
            pieces = saturatingMul(pieces, ceilDiv(value->shape[axis], std::max<std::int64_t>(1, tile[axis])));
        most = std::max(most, pieces);
    }
    return most;
}

std::string tileCallsText(const KernelPlan& plan) {
    std::string out;
    const auto line = [&](const std::string& call, const BlockId& id, const std::string& when) {
        out += call + ")  # " + id.text + (when.empty() ? "" : ", " + when) + "\n";
    };
    for (const ResolvedBlock& block : plan.resolved().blocks) {
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
            for (const StageTile<CubeTile>& each : tilesOf(plan, block, *cube))
                line("pypto.set_cube_tile_shapes(" + listText(each.tile.m) + ", " + listText(each.tile.k) + ", " +
                         listText(each.tile.n) + (each.tile.splitK ? ", enable_split_k=True" : ""),
                     cube->id, each.when());
        if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
            for (const auto& each : tilesOf(plan, block, *vector)) {
                const std::string values = listText(each.tile);
                line("pypto.set_vec_tile_shapes(" + values.substr(1, values.size() - 2), vector->id, each.when());
            }
    }
    return out;
}

}  // namespace cubist::pypto

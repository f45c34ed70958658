// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/numerics_finder.h"

#include <memory>
#include <utility>

#include "core/base/enum_table.h"
#include "core/exchange/design_json.h"

namespace cubist {
namespace {

constexpr std::int64_t kMostFlops = std::int64_t{1} << 36;
constexpr std::size_t kMostTries = 64;

/// Collects what a block's arithmetic could be instead.
class NumericsOf {
public:
    std::vector<OtherNumerics> all;

    void blocks(const std::vector<Block>& blocks, const std::string& where) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const std::string at = where + "/" + std::to_string(i);
            if (const auto* loop = std::get_if<Loop>(&blocks[i].content)) this->blocks(loop->body, at + "/body");
            if (const auto* cube = std::get_if<CubeStage>(&blocks[i].content)) stage(*cube, at);
            if (const auto* vector = std::get_if<VectorStage>(&blocks[i].content)) stage(*vector, at);
        }
    }

private:
    template <class Enum>
    void others(const std::string& path, Enum current) {
        for (const auto& [value, name] : EnumTable<Enum>::entries)
            if (value != current) all.push_back({path, "\"" + std::string(name) + "\""});
    }

    void stage(const CubeStage& cube, const std::string& at) {
        others(at + "/fp32_mode", cube.fp32Mode);
        others(at + "/accumulation", cube.accumulation);
        if (cube.tile.splitK)
            for (const DType type : {DType::FP32, DType::FP16, DType::BF16})
                if (type != cube.partialDType)
                    all.push_back({at + "/partial_dtype", "\"" + std::string(toText(type)) + "\""});
    }

    void stage(const VectorStage& vector, const std::string& at) {
        for (std::size_t i = 0; i < vector.ops.size(); ++i) {
            const VectorOp& op = vector.ops[i];
            const std::string where = at + "/ops/" + std::to_string(i);
            if (op.op == VectorOpCode::QuantMx) others(where + "/scale_rounding", op.scaleRounding);
            if (op.op != VectorOpCode::Cast) continue;
            for (const auto& [mode, name] : EnumTable<RoundMode>::entries)  // NONE is one of the others
                if (mode != op.round && mode != RoundMode::None)
                    all.push_back({where + "/round", "\"" + std::string(name) + "\""});
            all.push_back({where + "/saturate", op.saturate ? "false" : "true"});
        }
    }
};

}  // namespace

std::vector<OtherNumerics> otherNumerics(const Design& design) {
    NumericsOf numerics;
    numerics.blocks(design.blocks, "/blocks");
    return std::move(numerics.all);
}

Result<std::optional<OtherNumerics>> findOtherNumerics(const RunRequest& request, const RunReport& report,
                                                       const std::string& output, const RunContext& context) {
    if (!request.goldens.contains(output) || !report.outputs.contains(output) || report.flops > kMostFlops)
        return std::optional<OtherNumerics>();
    std::size_t tries = 0;
    for (const OtherNumerics& other : otherNumerics(*request.design)) {
        if (context.cancelled()) return cancelledError();
        if (++tries > kMostTries) break;
        auto changed = setAt(*request.design, other.path, other.value);
        if (!changed) continue;
        RunRequest again = request;
        again.design = std::make_shared<const Design>(*std::move(changed));
        again.timing = again.whatIf = again.keepStages = again.checked = false;
        const Result<RunReport> judged = run(again, context);
        if (!judged) {
            if (judged.error().code == ErrorCode::Cancelled) return cancelledError();
            continue;
        }
        for (const OutputMetrics& metrics : judged->accuracy.outputs)
            if (metrics.name == output && metrics.verdict == Verdict::Pass) return std::optional<OtherNumerics>(other);
    }
    return std::optional<OtherNumerics>();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/judge_rows.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "core/base/integer_math.h"
#include "core/run/part_context.h"
#include "core/run/product_sums.h"

namespace cubist {
namespace {

constexpr std::int64_t kBlockElements = std::int64_t{1} << 23;  // 64 MiB of golden

/// The golden of the rows, and with `positive` the sums of their products.
class Blocks {
public:
    Blocks(const RowsRequest& request, const PositiveInputs* positive, const RunContext& context)
        : m_request(request), m_positive(positive), m_context(context) {}

    Result<GoldenRows> make(const std::string& name, std::int64_t first, std::int64_t count, std::int64_t rows) {
        const auto part = [&](double from, double to) {
            const auto begin = static_cast<double>(first) / static_cast<double>(rows);
            const auto share = static_cast<double>(count) / static_cast<double>(rows);
            return partOf(m_context, begin + from * share, begin + to * share);
        };
        GoldenRows block;
        GoldenRequest wanted;
        wanted.kind = m_request.kind;
        // Whole matrices where they are made together.
        const std::int64_t unit = rowUnit(m_request.design), begin = first / unit * unit;
        const std::int64_t cols = m_request.computed.outputs.at(name)->shape().back();
        wanted.rows = RowRange{begin, roundUp(first + count, unit) - begin};
        const auto own = [&](const GoldenValues& values) {
            const double* const from = values.begin() + (first - begin) * cols;
            return std::vector<double>(from, from + count * cols);
        };
        CUBIST_TRY(GoldenSet golden,
                   computeGolden(m_request.design, m_request.computed.inputs, wanted, part(0.0, 0.5)));
        block.golden = own(golden.outputs.at(name).values);
        if (m_positive == nullptr) return block;
        wanted.kind = GoldenKind::Ideal;
        CUBIST_TRY(GoldenSet sums, computeGolden(m_request.design, m_positive->all, wanted, part(0.5, 1.0)));
        block.sumOfProducts = own(sums.outputs.at(name).values);
        return block;
    }

private:
    const RowsRequest& m_request;
    const PositiveInputs* m_positive;
    const RunContext& m_context;
};

std::optional<BlockId> onlyStage(const ResolvedDesign& design) {
    std::optional<BlockId> only;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* cube = std::get_if<CubeStage>(&block.block->content);
        const auto* vector = std::get_if<VectorStage>(&block.block->content);
        if (cube == nullptr && vector == nullptr) continue;
        if (only) return std::nullopt;
        only = cube != nullptr ? cube->id : vector->id;
    }
    return only;
}

}  // namespace

bool canJudgeByRows(const ResolvedDesign& design, const ComputedTensors& computed) {
    if (computed.outputs.size() != 1 || computed.outputs.begin()->second->count() <= kBlockElements) return false;
    // Blocks of a golden are FP64, which does not hold every INT64.
    if (computed.outputs.begin()->second->dtype() == DType::INT64) return false;
    return rowsAreApart(design) && (onlyStage(design) || !canBlameStages(design, computed));
}

Result<void> judgeByRows(const RowsRequest& request, RunReport& report, const RunContext& context) {
    const auto& [name, actual] = *request.computed.outputs.begin();
    const std::int64_t cols = actual->shape().back(), rows = actual->count() / cols;
    const auto orders = productOrders(request.design, request.computed);
    const SumOrder order = orders.empty() ? SumOrder{} : orders.begin()->second;
    std::optional<PositiveInputs> positive;
    StageErrorSum stage;
    const auto compare = [&](const RunContext& part) -> Result<OutputMetrics> {
        Blocks blocks(request, positive ? &*positive : nullptr, part);
        stage = {};
        const auto goldenOf = [&, &output = name, &values = *actual](std::int64_t first,
                                                                     std::int64_t count) -> Result<GoldenRows> {
            CUBIST_TRY(GoldenRows block, blocks.make(output, first, count, rows));
            stage.add(values, first * cols, block.golden);
            return block;
        };
        return compareByRows(name, *actual, goldenOf, kBlockElements, positive ? order : SumOrder{}, request.tolerance,
                             request.tile.first, request.tile.second, part);
    };
    const auto bound = [&]() -> Result<void> {
        CUBIST_TRY(positive, positiveInputs(request.computed));
        return {};
    };
    const bool always = request.tolerance.criterion == Criterion::OrderBound ||
                        boundIsCheap(request.computed, report.flops, kAlwaysBoundFlops);
    if (order.terms > 0 && always) CUBIST_CHECK_OK(bound());
    CUBIST_TRY(OutputMetrics metrics, compare(partOf(context, 0.0, 0.8)));
    // Whether the order of the sum explains a failure is worth another pass.
    if (metrics.verdict == Verdict::Fail && order.terms > 0 && !positive &&
        boundIsCheap(request.computed, report.flops, kBoundOnFailureFlops)) {
        CUBIST_CHECK_OK(bound());
        CUBIST_TRY(metrics, compare(partOf(context, 0.8, 1.0)));
    }
    report.accuracy.verdict = metrics.verdict == Verdict::Fail ? Verdict::Fail : Verdict::Pass;
    report.accuracy.outputs.push_back(std::move(metrics));
    if (const auto only = onlyStage(request.design)) report.stageErrors = {stage.of(*only)};
    return {};
}

}  // namespace cubist

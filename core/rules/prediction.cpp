// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/prediction.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"
#include "core/rules/checker.h"
#include "core/rules/families.h"
#include "core/rules/prediction_rule_texts.h"
#include "core/rules/tile_splits.h"
#include "core/skeleton/checklist.h"
#include "core/skeleton/stage_graph.h"

namespace cubist {

namespace rules {

std::span<const Rule> predictionRules() {
    return kPredictionRules;
}

std::span<const Rule> programRules() {
    return kProgramRules;
}

}  // namespace rules

namespace {

using namespace rules;

/// As errorsIn: (rule, place).
using Errors = std::set<std::pair<std::string, std::string>>;

constexpr double kFill = 0.8;
constexpr std::size_t kMostTrials = 6, kMostFixes = 3;  ///< predictions of a run, and what it keeps of them
constexpr std::size_t kMostOffers = 2 * kMostTrials;    ///< some of them the rules refuse
constexpr std::int64_t kFractal = 16;                   ///< rows and columns
constexpr double kPadding = 0.1;

std::string tenths(double value) {
    const auto scaled = static_cast<std::int64_t>(value * 10 + 0.5);
    return text(scaled / 10) + "." + text(scaled % 10);
}

std::string hundredths(double value) {
    const auto scaled = static_cast<std::int64_t>(value * 100 + 0.5);
    return text(scaled / 100) + "." + (scaled % 100 < 10 ? "0" : "") + text(scaled % 100);
}

/// An axis of a product, cut into tiles of which each is filled up to whole fractals.
struct PaddedAxis {
    std::string_view name;
    std::int64_t extent = 0, tile = 1, granule = 1;

    [[nodiscard]] std::int64_t padded() const {
        if (tile < 1 || extent < 1) return extent;
        const auto filled = [&](std::int64_t elements) { return saturatingMul(ceilDiv(elements, granule), granule); };
        return saturatingAdd(saturatingMul(extent / tile, filled(tile)), filled(extent % tile));
    }
    [[nodiscard]] double waste() const {
        const std::int64_t all = padded();
        return all < 1 ? 0.0 : static_cast<double>(all - extent) / static_cast<double>(all);
    }
};

class PredictionCheck {
public:
    PredictionCheck(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile,
                    const Prediction& prediction, const TryFill& tryFill)
        : m_context(design, chip, profile), m_prediction(prediction), m_tryFill(tryFill) {}

    std::vector<Finding> run() {
        for (const PredictedStage& stage : m_prediction.stages) {
            checkFill(stage);
            checkReloads(stage);
            checkRows(stage);
            checkPadding(stage);
        }
        checkBalance();
        std::vector<Finding> findings;
        std::optional<Errors> before;
        for (Reported& entry : m_context.reported) {
            placeInTables(entry);
            offer(entry, before);
            findings.push_back(std::move(entry.finding));
        }
        std::stable_sort(findings.begin(), findings.end(),
                         [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
        return findings;
    }

private:
    /// PERF-01.
    void checkFill(const PredictedStage& stage) {
        const std::int64_t cores = stage.cube ? m_prediction.aicCount : m_prediction.aivCount;
        if (checkOrder(stage, cores)) return;
        if (!stage.cube || stage.tasks < 1 || cores < 1 || fillOf(stage.tasks, cores) >= kFill) return;
        const std::int64_t waves = ceilDiv(stage.tasks, cores);
        const std::string sum = text(stage.tasks) + " / " + text(waves * cores);
        Reported* entry = m_context.report(
            "PERF-01", stage.where + "/tile", stage.id,
            {text(stage.tasks) + " tasks on " + text(cores) + " cores in " + text(waves) + " waves: " + sum + " = " +
                 percent(stage.tasks, waves * cores) + " of the cores have work",
             text(stage.tasks) + " 个任务在 " + text(cores) + " 个核上分 " + text(waves) + " 波：" + sum + " = " +
                 percent(stage.tasks, waves * cores) + " 的核有工作"});
        if (entry == nullptr) return;
        entry->finding.measured = fillOf(stage.tasks, cores);
        entry->finding.limit = kFill;
        const ResolvedBlock* block = m_context.design.block(stage.id);
        const auto* cube = block != nullptr ? std::get_if<CubeStage>(&block->block->content) : nullptr;
        if (cube == nullptr || !block->matmul || stage.merged != 1 || cube->tile.splitK) return;
        if (!m_tryFill) return;
        const TileSplits splits = tileSplits(m_context.design, *block, m_context.chip, cores, kFill, kMostOffers);
        m_filling[stage.id.text] = splits.filling;
        for (const TileSplit& split : splits.best) {
            const CubeTile& tile = split.tile;
            Text title{"Set the tile to m " + text(tile.m), "将切分设为 m " + text(tile.m)};
            FixCandidate candidate{{}, {{stage.where + "/tile/m", tile.m}}};
            if (tile.k != cube->tile.k) {
                title += {", k " + text(tile.k), "、k " + text(tile.k)};
                candidate.edits.push_back({stage.where + "/tile/k", tile.k});
            }
            candidate.edits.push_back({stage.where + "/tile/n", tile.n});
            const std::string tasks = text(split.tasks);
            title +=
                {", n " + text(tile.n) + ": " + tasks + " blocks", "、n " + text(tile.n) + "：" + tasks + " 个分块"};
            candidate.title = std::move(title);
            entry->candidates.push_back(std::move(candidate));
        }
    }

    /// PERF-01 of a hand-written kernel: blocks enough, but the order deals them to few cores. Another tile would not
    /// help.
    bool checkOrder(const PredictedStage& stage, std::int64_t cores) {
        const std::int64_t could = std::min(stage.blocks, cores);
        if (!stage.cube || m_prediction.order.empty() || could < 1 || stage.cores < 1) return false;
        if (static_cast<double>(stage.cores) >= kFill * static_cast<double>(could)) return false;
        const std::string& order = m_prediction.order;
        Reported* entry = m_context.report(
            "PERF-01", stage.where, stage.id,
            {"the order " + order + " deals " + text(stage.blocks) + " blocks to " + text(stage.cores) + " of " +
                 text(cores) + " cores; its sizes are blocks, not elements",
             "顺序 " + order + " 将 " + text(stage.blocks) + " 个分块只分给 " + text(cores) + " 个核中的 " +
                 text(stage.cores) + " 个；其尺寸以分块计，不是元素"});
        if (entry == nullptr) return true;
        entry->finding.measured = static_cast<double>(stage.cores) / static_cast<double>(could);
        entry->finding.limit = kFill;
        return true;
    }

    /// PERF-03.
    void checkReloads(const PredictedStage& stage) {
        if (!stage.cube || stage.loads <= stage.distinct) return;
        Reported* entry =
            m_context.report("PERF-03", stage.where + "/tile", stage.id,
                             {"a task of '" + stage.id.text + "' loads " + text(stage.loads) +
                                  " blocks into L1 instead of " + text(stage.distinct) + "; the compiler stays silent",
                              "'" + stage.id.text + "' 的一个任务向 L1 搬运 " + text(stage.loads) + " 次，而不是 " +
                                  text(stage.distinct) + " 次；编译器不会报错"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(stage.loads);
        entry->finding.limit = static_cast<double>(stage.distinct);
    }

    /// PERF-04.
    void checkRows(const PredictedStage& stage) {
        const std::int64_t line = m_context.chip.l2LineBytes.integer();
        if (!stage.cube || stage.shortestRow == 0 || stage.shortestRow >= line) return;
        Reported* entry = m_context.report("PERF-04", stage.where + "/tile", stage.id,
                                           {"copies of '" + stage.id.text + "' read rows of " +
                                                text(stage.shortestRow) + " B, a cache line has " + text(line) + " B",
                                            "'" + stage.id.text + "' 的搬运每行 " + text(stage.shortestRow) +
                                                " B，cache line 为 " + text(line) + " B"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(stage.shortestRow);
        entry->finding.limit = static_cast<double>(line);
    }

    /// PERF-05: the axis with the largest share.
    void checkPadding(const PredictedStage& stage) {
        const ResolvedBlock* block = m_context.design.block(stage.id);
        const auto* cube = block != nullptr ? std::get_if<CubeStage>(&block->block->content) : nullptr;
        if (cube == nullptr || !block->matmul) return;
        const std::int64_t k0 = 256 / bitsPerElement(m_context.design.value(cube->a)->dtype);
        const std::array axes{PaddedAxis{"M", block->matmul->m, cube->tile.mL0(), kFractal},
                              PaddedAxis{"K", block->matmul->k, cube->tile.kL0(), k0},
                              PaddedAxis{"N", block->matmul->n, cube->tile.nL0(), kFractal}};
        const PaddedAxis& worst = *std::max_element(axes.begin(), axes.end(),
                                                    [](const auto& a, const auto& b) { return a.waste() < b.waste(); });
        if (worst.waste() < kPadding) return;
        const std::int64_t all = worst.padded(), padding = all - worst.extent;
        const std::string share = hundredths(100.0 * worst.waste()), name(worst.name);
        Reported* entry = m_context.report(
            "PERF-05", stage.where + "/tile", stage.id,
            {name + " = " + text(worst.extent) + " in blocks of whole fractals of " + text(worst.granule) + ": " +
                 text(padding) + " of " + text(all) + " (" + share + " %) that the cube multiplies are padding",
             name + " = " + text(worst.extent) + "，按 " + text(worst.granule) + " 的完整分形计算：cube 计算的 " +
                 text(all) + " 中有 " + text(padding) + "（" + share + " %）是填充"});
        if (entry == nullptr) return;
        entry->finding.measured = worst.waste();
        entry->finding.limit = kPadding;
    }

    /// PERF-02.
    void checkBalance() {
        double cube = 0, vector = 0;
        WorkShare share;
        share.predicted = true;
        share.switches = StageGraph(m_context.design).switches();
        const PredictedStage* longest = nullptr;
        for (const PredictedStage& stage : m_prediction.stages) {
            (stage.cube ? cube : vector) += stage.busyUs;
            (stage.cube ? share.cube : share.vector) += stage.criticalUs;
            if (!stage.cube && (longest == nullptr || stage.busyUs > longest->busyUs)) longest = &stage;
        }
        if (longest == nullptr || cube <= 0 || m_prediction.aicCount < 1 || m_prediction.aivCount < 1) return;
        const double perAic = cube / static_cast<double>(m_prediction.aicCount);
        const double perAiv = vector / static_cast<double>(m_prediction.aivCount);
        const FusionExit exit = fusionExit(std::move(share));
        if (perAiv <= perAic || exit.advice == FusionExit::Advice::Stay) return;
        Reported* entry = m_context.report(
            "PERF-02", longest->where, longest->id,
            {exit.text.en + "; vector cores are busy for " + tenths(perAiv) + " us each, cube cores for " +
                 tenths(perAic) + " us, most of it with '" + longest->id.text + "'",
             exit.text.zh + "；每个向量核忙 " + tenths(perAiv) + " us，每个 cube 核忙 " + tenths(perAic) + " us，'" +
                 longest->id.text + "' 占比最大"});
        if (entry == nullptr) return;
        entry->finding.measured = perAiv;
        entry->finding.limit = perAic;
    }

    /// Findings and edits where the tables of the design have put their tiles.
    void placeInTables(Reported& entry) const {
        for (const TileChoice& choice : m_context.design.tileChoices) {
            entry.finding.where = choice.place(entry.finding.where);
            for (FixCandidate& candidate : entry.candidates)
                for (Edit& edit : candidate.edits) edit.where = choice.place(edit.where);
        }
    }

    /// Keeps the candidates that break no rule and that the run predicts to be faster, the fastest first. They make
    /// enough blocks; what merging leaves of them only the prediction shows.
    /// `before`: the errors of the design as it is, looked up once, for checking all rules is what takes time here.
    void offer(Reported& entry, std::optional<Errors>& before) const {
        const ResolvedDesign& design = m_context.design;
        std::vector<std::pair<double, Fix>> found;
        Tried tried;
        for (const FixCandidate& candidate : entry.candidates) {
            if (tried.predicted == kMostTrials) break;
            Design edited = withOwnTiles(*design.design, design.tileChoices);
            bool applied = true;
            for (const Edit& edit : candidate.edits) applied = applied && applyEdit(edited, edit);
            if (!applied) continue;
            const FillTrial trial = m_tryFill(edited, entry.finding.block);
            ++(trial.predicted ? tried.predicted : tried.refused);
            if (!trial.us || *trial.us >= m_prediction.kernelUs) continue;
            const auto resolved = resolve(edited, design.binding);
            if (!resolved) continue;
            // The candidates change tiles only; rows of a table for further factors may keep values of the stage's own.
            const bool further = std::any_of(resolved->tileChoices.begin(), resolved->tileChoices.end(),
                                             [](const TileChoice& choice) { return choice.followsFactor; });
            const ErrorScope scope = further ? ErrorScope::All : ErrorScope::Tiles;
            if (!before) before = errorsIn(design, m_context.chip, m_context.profile, scope);
            const auto after = errorsIn(*resolved, m_context.chip, m_context.profile, scope);
            if (!std::includes(before->begin(), before->end(), after.begin(), after.end())) {
                ++tried.broken;
                continue;
            }
            const std::string now = hundredths(m_prediction.kernelUs), then = hundredths(*trial.us);
            Fix fix;
            fix.title = candidate.title.en + ", " + then + " us instead of " + now + " us";
            fix.titleZh = candidate.title.zh + "，" + then + " us，原为 " + now + " us";
            for (const Edit& edit : candidate.edits) fix.steps.push_back({edit.where, toJson(edit.value)});
            found.emplace_back(*trial.us, std::move(fix));
        }
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        if (found.size() > kMostFixes) found.resize(kMostFixes);
        for (auto& [us, fix] : found) entry.finding.fixes.push_back(std::move(fix));
        if (found.empty()) sayWhatWasTried(entry.finding, tried);
    }

    /// What became of the tiles that were tried for a stage.
    struct Tried {
        std::size_t predicted = 0;
        std::size_t refused = 0;  ///< without a prediction: the design or the tile has errors
        std::size_t broken = 0;   ///< faster ones that break a rule
    };

    /// Of a stage whose tiles were looked at.
    void sayWhatWasTried(Finding& finding, const Tried& trials) const {
        const auto filling = m_filling.find(finding.block.text);
        if (finding.ruleId != "PERF-01" || filling == m_filling.end()) return;
        if (filling->second == 0) {
            finding.message += "; no tile that fits cuts it into blocks that fill them";
            finding.messageZh += "；没有放得下的切分能使分块占满核";
            return;
        }
        const std::string all = text(filling->second), tried = text(static_cast<std::int64_t>(trials.predicted));
        if (trials.predicted == 0) {
            const std::string refused = text(static_cast<std::int64_t>(trials.refused));
            finding.message += "; " + all + " pairs of m and n fill them, but none is predicted: with each of the " +
                               refused + " that were tried the design has errors";
            finding.messageZh +=
                "；能占满核的 m、n 组合共 " + all + " 个，但均未预测：所尝试的 " + refused + " 个都使设计存在错误";
            return;
        }
        if (trials.broken > 0) {
            const std::string broken = text(static_cast<std::int64_t>(trials.broken));
            finding.message += "; of " + all + " pairs of m and n that fill them the " + tried +
                               " with the shortest estimates were predicted, " + broken +
                               " of them are faster but break a rule";
            finding.messageZh += "；能占满核的 m、n 组合共 " + all + " 个，已预测估计时间最短的 " + tried +
                                 " 个，其中 " + broken + " 个更快但违反规则";
            return;
        }
        finding.message += "; of " + all + " pairs of m and n that fill them the " + tried +
                           " with the shortest estimates were predicted, none is faster";
        finding.messageZh += "；能占满核的 m、n 组合共 " + all + " 个，已预测估计时间最短的 " + tried + " 个，均不更快";
    }

    CheckContext m_context;
    const Prediction& m_prediction;
    const TryFill& m_tryFill;
    std::map<std::string, std::int64_t> m_filling;  ///< pairs of m and n that fill the cores, by stage
};

}  // namespace

std::vector<Finding> checkPrediction(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile,
                                     const Prediction& prediction, const TryFill& tryFill) {
    return PredictionCheck(design, chip, profile, prediction, tryFill).run();
}

}  // namespace cubist

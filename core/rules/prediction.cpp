// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/prediction.h"

#include <algorithm>
#include <array>
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
constexpr std::size_t kMostOffers = 6, kMostFixes = 3;  ///< a run keeps what its own prediction confirms
constexpr std::int64_t kCacheLine = 512;
constexpr std::int64_t kFractal = 16;  ///< rows and columns
constexpr double kPadding = 0.1;

double fillOf(std::int64_t tasks, std::int64_t cores) {
    return static_cast<double>(tasks) / static_cast<double>(ceilDiv(tasks, cores) * cores);
}

std::string tenths(double value) {
    const auto scaled = static_cast<std::int64_t>(value * 10 + 0.5);
    return text(scaled / 10) + "." + text(scaled % 10);
}

/// Output blocks of a stage over all its executions, with another tile.
std::int64_t blocksOf(const ResolvedDesign& design, const ResolvedBlock& block, std::int64_t mL0, std::int64_t nL0) {
    const MatmulSize& size = *block.matmul;
    const std::int64_t each = saturatingMul(ceilDiv(size.m, mL0), ceilDiv(size.n, nL0));
    return saturatingMul(saturatingMul(each, size.batches()), design.executions(block));
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
        // Larger blocks first: they load less.
        std::vector<std::pair<std::int64_t, std::int64_t>> tiles;
        for (std::int64_t m = cube->tile.mL0(); m >= 16; m /= 2)
            for (std::int64_t n = cube->tile.nL0(); n >= 16; n /= 2) tiles.emplace_back(m, n);
        std::stable_sort(tiles.begin(), tiles.end(),
                         [](const auto& a, const auto& b) { return a.first * a.second > b.first * b.second; });
        for (const auto& [m, n] : tiles) {
            const std::int64_t tasks = blocksOf(m_context.design, *block, m, n);
            if (fillOf(tasks, cores) < kFill) continue;
            entry->candidates.push_back(
                {{"Set the tile to m " + text({m, m}) + ", n " + text({n, n}) + ": " + text(tasks) + " blocks",
                  "将切分设为 m " + text({m, m}) + "、n " + text({n, n}) + "：" + text(tasks) + " 个分块"},
                 {{stage.where + "/tile/m", std::vector<std::int64_t>{m, m}},
                  {stage.where + "/tile/n", std::vector<std::int64_t>{n, n}}}});
            if (entry->candidates.size() == kMostOffers) break;
        }
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
        if (!stage.cube || stage.shortestRow == 0 || stage.shortestRow >= kCacheLine) return;
        Reported* entry =
            m_context.report("PERF-04", stage.where + "/tile", stage.id,
                             {"copies of '" + stage.id.text + "' read rows of " + text(stage.shortestRow) +
                                  " B, a cache line has " + text(kCacheLine) + " B",
                              "'" + stage.id.text + "' 的搬运每行 " + text(stage.shortestRow) + " B，cache line 为 " +
                                  text(kCacheLine) + " B"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(stage.shortestRow);
        entry->finding.limit = static_cast<double>(kCacheLine);
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
        const PredictedStage* longest = nullptr;
        for (const PredictedStage& stage : m_prediction.stages) {
            (stage.cube ? cube : vector) += stage.busyUs;
            if (!stage.cube && (longest == nullptr || stage.busyUs > longest->busyUs)) longest = &stage;
        }
        if (longest == nullptr || cube <= 0 || m_prediction.aicCount < 1 || m_prediction.aivCount < 1) return;
        const double perAic = cube / static_cast<double>(m_prediction.aicCount);
        const double perAiv = vector / static_cast<double>(m_prediction.aivCount);
        if (perAiv <= perAic) return;
        Reported* entry = m_context.report(
            "PERF-02", longest->where, longest->id,
            {"vector cores are busy for " + tenths(perAiv) + " us each, cube cores for " + tenths(perAic) + " us; '" +
                 longest->id.text + "' takes most of it: compare with SK-15",
             "每个向量核忙 " + tenths(perAiv) + " us，每个 cube 核忙 " + tenths(perAic) + " us；'" + longest->id.text +
                 "' 占比最大：请与 SK-15 比较"});
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

    /// Keeps the candidates that break no rule. They make enough blocks; what merging leaves of them, and whether the
    /// kernel gets faster, the run tries.
    /// `before`: the errors of the design as it is, looked up once, for checking all rules is what takes time here.
    void offer(Reported& entry, std::optional<Errors>& before) const {
        const ResolvedDesign& design = m_context.design;
        std::vector<std::pair<double, Fix>> found;
        bool tried = false;
        for (const FixCandidate& candidate : entry.candidates) {
            Design edited = withOwnTiles(*design.design, design.tileChoices);
            bool applied = true;
            for (const Edit& edit : candidate.edits) applied = applied && applyEdit(edited, edit);
            if (!applied) continue;
            Text title = candidate.title;
            std::optional<double> us;
            if (m_tryFill) {
                us = m_tryFill(edited, entry.finding.block);
                if (!us) continue;
                tried = true;
                if (*us >= m_prediction.kernelUs) continue;
                const std::string now = hundredths(m_prediction.kernelUs), then = hundredths(*us);
                title += {", " + then + " us instead of " + now + " us", "，" + then + " us，原为 " + now + " us"};
            }
            const auto resolved = resolve(edited, design.binding);
            if (!resolved) continue;
            // The candidates change tiles only; rows of a table for further factors may keep values of the stage's own.
            const bool further = std::any_of(resolved->tileChoices.begin(), resolved->tileChoices.end(),
                                             [](const TileChoice& choice) { return choice.followsFactor; });
            const ErrorScope scope = further ? ErrorScope::All : ErrorScope::Tiles;
            if (!before) before = errorsIn(design, m_context.chip, m_context.profile, scope);
            const auto after = errorsIn(*resolved, m_context.chip, m_context.profile, scope);
            if (!std::includes(before->begin(), before->end(), after.begin(), after.end())) continue;
            Fix fix;
            fix.title = title.en;
            fix.titleZh = title.zh;
            for (const Edit& edit : candidate.edits) fix.steps.push_back({edit.where, toJson(edit.value)});
            found.emplace_back(us.value_or(0.0), std::move(fix));
        }
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        if (found.size() > kMostFixes) found.resize(kMostFixes);
        for (auto& [us, fix] : found) entry.finding.fixes.push_back(std::move(fix));
        if (!tried || !found.empty()) return;
        entry.finding.message += "; tiles that fill them were tried, none is predicted to be faster";
        entry.finding.messageZh += "；已试过能占满核的切分，预测均不更快";
    }

    CheckContext m_context;
    const Prediction& m_prediction;
    const TryFill& m_tryFill;
};

}  // namespace

std::vector<Finding> checkPrediction(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile,
                                     const Prediction& prediction, const TryFill& tryFill) {
    return PredictionCheck(design, chip, profile, prediction, tryFill).run();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/skeleton/checklist.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/integer_math.h"
#include "core/chip/formulas.h"
#include "core/design/op_patterns.h"
#include "core/design/vector_op_info.h"
#include "core/skeleton/stage_graph.h"

namespace cubist {
namespace {

constexpr std::int64_t kFusionSwitches = 3;
constexpr std::int64_t kAttentionPattern = 4;
constexpr int kBitsPerByte = 8;

std::string number(std::int64_t value) {
    return std::to_string(value);
}

/// One decimal, without locale.
std::string decimal(double value) {
    const auto tenths = static_cast<std::int64_t>(value * 10 + 0.5);
    return number(tenths / 10) + "." + number(tenths % 10);
}

std::string names(const StageGraph& graph, const std::vector<std::size_t>& nodes) {
    std::string text;
    for (const std::size_t node : nodes) text += (text.empty() ? "" : ", ") + graph.nodes()[node].id().text;
    return text;
}

class Evaluator {
public:
    Evaluator(const ResolvedDesign& design, const StageGraph& graph)
        : m_design(design), m_graph(graph), m_cubes(graph.cubes()) {}

    std::vector<ChecklistItem> items() {
        std::vector<ChecklistItem> list;
        list.push_back(hasMatmul());
        list.push_back(matmulCount());
        list.push_back(onlineAttention());
        list.push_back(singlePassAttention());
        list.push_back(normAndLinear());
        list.push_back(prolog());
        list.push_back(swiglu());
        list.push_back(experts());
        return list;
    }

    /// The skeleton of a design without matmuls.
    std::pair<std::string, BilingualText> pureVector() const {
        const auto& nodes = m_graph.nodes();
        if (std::any_of(nodes.begin(), nodes.end(), [](const StageNode& node) { return node.traits.order; }))
            return {"SK-12", {"vector work that chooses experts (topk)", "选择专家（topk）的向量计算"}};
        const std::size_t loops = m_design.loops.size();
        const bool simple = std::none_of(nodes.begin(), nodes.end(),
                                         [](const StageNode& node) { return node.traits.softmax || node.traits.norm; });
        if (simple && loops == 1) return {"SK-08", {"element-wise work along one axis", "沿一个轴的逐元素计算"}};
        if (loops > 1)
            return {"SK-09",
                    {"vector work cut by " + number(static_cast<std::int64_t>(loops)) + " loops",
                     "由 " + number(static_cast<std::int64_t>(loops)) + " 层循环切分的向量计算"}};
        return {"SK-13", {"vector stages alone", "只有向量阶段"}};
    }

    /// Skeletons beside those of the card's second criterion, from the most special to the least; nothing fits mostly.
    std::optional<std::pair<std::string, BilingualText>> furtherSkeleton() const {
        for (const auto& candidate : {attentionBackward(), preAttention(), recurrence(), cacheCompressor()})
            if (candidate) return candidate;
        return std::nullopt;
    }

private:
    using Nodes = std::vector<std::size_t>;
    using Candidate = std::optional<std::pair<std::string, BilingualText>>;

    [[nodiscard]] bool behindMatmul(std::size_t node) const {
        return std::any_of(m_cubes.begin(), m_cubes.end(),
                           [&](std::size_t cube) { return m_graph.reaches(cube, node); });
    }

    /// Probabilities made again from saved maxima and sums: exponentials between matmuls without a sum of their own.
    Candidate attentionBackward() const {
        constexpr std::size_t kBackwardMatmuls = 5;
        if (m_cubes.size() < kBackwardMatmuls) return std::nullopt;
        const auto& nodes = m_graph.nodes();
        if (std::any_of(nodes.begin(), nodes.end(), [](const StageNode& node) { return node.traits.softmax; }))
            return std::nullopt;
        const Nodes found = where([&](std::size_t i, const StageNode& node) {
            return node.traits.exponential && node.readsInput && m_graph.betweenMatmuls(i);
        });
        if (found.empty()) return std::nullopt;
        const std::string count = number(static_cast<std::int64_t>(m_cubes.size()));
        return std::pair{std::string("SK-16"),
                         BilingualText{count + " matmuls, and " + names(m_graph, found) +
                                           " makes probabilities again from saved inputs: attention backward",
                                       count + " 个矩阵乘，且 " + names(m_graph, found) +
                                           " 由保存的输入重新计算概率：attention 反向"}};
    }

    /// A projection behind a norm feeds attention in the same kernel.
    Candidate preAttention() const {
        const Nodes running = runningMaxima(), softmax = running.empty() ? softmaxes() : running;
        const Nodes found = where([&](std::size_t i, const StageNode& node) {
            return node.traits.norm && !node.traits.softmax &&
                   std::any_of(m_cubes.begin(), m_cubes.end(), [&](std::size_t projection) {
                       return m_graph.reaches(i, projection) &&
                              std::any_of(m_cubes.begin(), m_cubes.end(), [&](std::size_t scores) {
                                  return m_graph.reaches(projection, scores) &&
                                         std::any_of(softmax.begin(), softmax.end(), [&](std::size_t attention) {
                                             return m_graph.reaches(scores, attention);
                                         });
                              });
                   });
        });
        if (found.empty()) return std::nullopt;
        return std::pair{
            std::string("SK-05"),
            BilingualText{"the norm in " + names(m_graph, found) + " and its projection feed the softmax in " +
                              names(m_graph, softmax) + ": two phases in one kernel",
                          names(m_graph, found) + " 的归一化及其投影进入 " + names(m_graph, softmax) +
                              " 的 softmax：同一 kernel 内的两个阶段"}};
    }

    /// A matmul of what the last iteration has left, whose result is left for the next one.
    Candidate recurrence() const {
        if (!runningMaxima().empty()) return std::nullopt;
        Nodes found;
        for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
            const StageNode& node = m_graph.nodes()[i];
            if (!node.carriesState) continue;
            const bool multiplied =
                node.cube != nullptr ||
                std::any_of(m_cubes.begin(), m_cubes.end(), [&](std::size_t cube) { return m_graph.reaches(i, cube); });
            if (multiplied) found.push_back(i);
        }
        if (found.empty()) return std::nullopt;
        return std::pair{
            std::string("SK-10"),
            BilingualText{names(m_graph, found) + " reads what the iteration before has left, for a matmul",
                          names(m_graph, found) + " 读取上一次迭代留下的状态并用于矩阵乘"}};
    }

    /// What a matmul gives is reduced and put into rows of a cache.
    Candidate cacheCompressor() const {
        const Nodes found = where([&](std::size_t i, const StageNode& node) {
            return node.writesCache && node.traits.reduction && behindMatmul(i);
        });
        if (found.empty()) return std::nullopt;
        return std::pair{
            std::string("SK-11"),
            BilingualText{names(m_graph, found) + " reduces the result of a matmul and writes it to a cache",
                          names(m_graph, found) + " 归约矩阵乘的结果并写入 cache"}};
    }

    ChecklistItem item(std::string id, BilingualText question, const Nodes& found, BilingualText no,
                       BilingualText yes) const {
        ChecklistItem result{std::move(id), std::move(question), found.empty(), {}, {}};
        result.evidence = found.empty() ? std::move(no) : std::move(yes);
        for (const std::size_t node : found) result.stages.push_back(m_graph.nodes()[node].id());
        return result;
    }

    Nodes where(const std::function<bool(std::size_t, const StageNode&)>& fits) const {
        Nodes found;
        for (std::size_t i = 0; i < m_graph.nodes().size(); ++i)
            if (m_graph.nodes()[i].vector != nullptr && fits(i, m_graph.nodes()[i])) found.push_back(i);
        return found;
    }

    ChecklistItem hasMatmul() const {
        ChecklistItem result{"has_matmul", {"There is a matmul", "存在矩阵乘"}, !m_cubes.empty(), {}, {}};
        const std::string count = number(static_cast<std::int64_t>(m_cubes.size()));
        result.evidence = m_cubes.empty() ? BilingualText{"no stage multiplies matrices", "没有阶段做矩阵乘"}
                                          : BilingualText{count + " cube stages: " + names(m_graph, m_cubes),
                                                          count + " 个 C 阶段：" + names(m_graph, m_cubes)};
        for (const std::size_t node : m_cubes) result.stages.push_back(m_graph.nodes()[node].id());
        return result;
    }

    ChecklistItem matmulCount() const {
        std::int64_t runs = 0;
        for (const std::size_t node : m_cubes)
            runs = checkedAdd(runs, m_design.executions(*m_graph.nodes()[node].block))
                       .value_or(std::numeric_limits<std::int64_t>::max());
        ChecklistItem result{"matmul_count", {"matmul_count is 1 or more", "matmul_count 至少为 1"}, runs >= 1, {}, {}};
        result.evidence = {
            "matmul_count = " + number(static_cast<std::int64_t>(m_cubes.size())) + ", executed " + number(runs) +
                " times",
            "matmul_count = " + number(static_cast<std::int64_t>(m_cubes.size())) + "，共执行 " + number(runs) + " 次"};
        return result;
    }

    Nodes softmaxes() const {
        return where(
            [&](std::size_t i, const StageNode& node) { return node.traits.softmax && m_graph.betweenMatmuls(i); });
    }

    Nodes runningMaxima() const {
        return where([&](std::size_t, const StageNode& node) {
            return node.carriesState && node.traits.maximum && node.traits.activation;
        });
    }

    ChecklistItem onlineAttention() const {
        const Nodes found = runningMaxima();
        return item("not_sk01", {"No softmax accumulated over tiles (SK-01)", "没有逐块累积的 softmax（SK-01）"}, found,
                    {"no stage carries a running maximum from iteration to iteration", "没有阶段在迭代间传递最大值"},
                    {"running maximum and sum in " + names(m_graph, found),
                     names(m_graph, found) + " 在迭代间传递最大值与累加和"});
    }

    ChecklistItem singlePassAttention() const {
        const Nodes found = runningMaxima().empty() ? softmaxes() : Nodes{};
        const auto& pattern = m_design.design->skeleton.pattern;
        const std::string list = names(m_graph, found);
        ChecklistItem result =
            item("not_sk02", {"No softmax between two matmuls (SK-02)", "两个矩阵乘之间没有 softmax（SK-02）"}, found,
                 {"no softmax stands between matmuls", "矩阵乘之间没有 softmax"},
                 {list + " is a softmax between two matmuls", list + " 是两个矩阵乘之间的 softmax"});
        if (!found.empty() && std::find(pattern.begin(), pattern.end(), kAttentionPattern) != pattern.end()) {
            result.holds = true;
            result.evidence.en +=
                "; the design declares pattern 4, non-standard attention, which is SK-14's own. With "
                "a fixed number of keys whose scores fit UB compare the card SK-02";
            result.evidence.zh +=
                "；设计声明了模式 4（非标准 attention），属于 SK-14。若 key 数固定且得分能放进 UB，"
                "请对照 SK-02 卡片";
        }
        return result;
    }

    Nodes normsBefore(std::size_t cube) const {
        return where(
            [&](std::size_t i, const StageNode& node) { return node.traits.norm && m_graph.reaches(i, cube); });
    }

    ChecklistItem normAndLinear() const {
        const Nodes found = m_cubes.size() == 1 ? normsBefore(m_cubes.front()) : Nodes{};
        return item("not_sk03",
                    {"Not one norm that feeds one linear layer (SK-03)", "不是一个归一化接一个线性层（SK-03）"}, found,
                    {"no norm feeds a lone matmul", "没有归一化接单个矩阵乘"},
                    {names(m_graph, found) + " feeds the only matmul", names(m_graph, found) + " 接唯一的矩阵乘"});
    }

    ChecklistItem prolog() const {
        const Nodes found = where([&](std::size_t i, const StageNode& node) {
            return (node.traits.norm || node.traits.rope) && !node.traits.softmax && m_graph.betweenMatmuls(i);
        });
        return item("not_sk04", {"No norm or RoPE between projections (SK-04)", "投影之间没有归一化或 RoPE（SK-04）"},
                    found, {"no norm or RoPE stands between matmuls", "矩阵乘之间没有归一化或 RoPE"},
                    {names(m_graph, found) + " stands between projections", names(m_graph, found) + " 位于投影之间"});
    }

    [[nodiscard]] bool hasGroups() const { return !m_design.design->lists.empty(); }

    ChecklistItem swiglu() const {
        Nodes found, merges;
        if (m_cubes.size() == 2 &&
            isSameWindow(m_design, m_graph.nodes()[m_cubes[0]].cube->a, m_graph.nodes()[m_cubes[1]].cube->a))
            merges = where([&](std::size_t i, const StageNode& node) {
                return node.traits.gate && m_graph.reaches(m_cubes[0], i) && m_graph.reaches(m_cubes[1], i);
            });
        if (!hasGroups()) found = merges;
        BilingualText no{"no two matmuls alone share their input and merge", "没有仅由两个共享输入的矩阵乘汇合的结构"};
        if (!merges.empty())
            no = {names(m_graph, merges) + " merges two matmuls, but for the groups of a list",
                  names(m_graph, merges) + " 汇合两个矩阵乘，但按列表分组"};
        else if (m_cubes.size() > 2)
            no = {number(static_cast<std::int64_t>(m_cubes.size())) + " matmuls: more than a gate and an up projection",
                  number(static_cast<std::int64_t>(m_cubes.size())) + " 个矩阵乘：不只是 gate 与 up"};
        return item(
            "not_sk06",
            {"Not only two matmuls that merge in a SwiGLU (SK-06)", "不是仅由两个矩阵乘在 SwiGLU 汇合（SK-06）"}, found,
            std::move(no),
            {names(m_graph, m_cubes) + " share their input and merge in " + names(m_graph, found),
             names(m_graph, m_cubes) + " 共享输入并在 " + names(m_graph, found) + " 汇合"});
    }

    ChecklistItem experts() const {
        const Nodes found = where([&](std::size_t i, const StageNode& node) {
            const auto gates = static_cast<std::size_t>(std::count_if(
                m_cubes.begin(), m_cubes.end(), [&](std::size_t cube) { return m_graph.reaches(cube, i); }));
            return node.traits.order && gates > 0 && gates < m_cubes.size();
        });
        return item(
            "not_sk07",
            {"No gate with top-k and experts in one kernel (SK-07)", "同一 kernel 内没有门控 top-k 与专家（SK-07）"},
            found, {"no stage chooses experts from the result of a matmul", "没有阶段从矩阵乘结果中选择专家"},
            {names(m_graph, found) + " chooses from the result of a matmul",
             names(m_graph, found) + " 从矩阵乘结果中选择"});
    }

    const ResolvedDesign& m_design;
    const StageGraph& m_graph;
    Nodes m_cubes;
};

double cubeCycles(const ResolvedDesign& design, const ChipSpec& chip, const StageNode& node) {
    if (!node.block->matmul) return 0;
    const ResolvedValue* a = design.value(node.cube->a);
    const CubeRate* rate = a == nullptr ? nullptr : chip.cubeRate(a->dtype);
    if (rate == nullptr) return 0;
    const MatmulSize& size = *node.block->matmul;
    return formula::mmadCycles(chip, *rate, size.m, size.k, size.n).toDouble() * static_cast<double>(size.batches());
}

double vectorCycles(const ResolvedDesign& design, const ChipSpec& chip, const StageNode& node) {
    double cycles = 0;
    for (const VectorOp& op : node.vector->ops) {
        const ResolvedValue* widest = design.value(op.out);
        double elements = 0;
        int bits = kBitsPerByte;
        const auto take = [&](const ResolvedValue* value) {
            if (value == nullptr) return;
            double count = 1;
            for (const std::int64_t extent : value->shape) count *= static_cast<double>(extent);
            elements = std::max(elements, count);
            bits = std::max(bits, bitsPerElement(value->dtype));
        };
        take(widest);
        for (const Operand& operand : op.in)
            if (operand.value() != nullptr && opInfo(op.op).family != OpFamily::Whole)
                take(design.value(*operand.value()));
        const Bytes bytes(static_cast<std::int64_t>(elements * bits / kBitsPerByte));
        const OpFamily family = opInfo(op.op).family;
        const bool number = (family == OpFamily::Elementwise || family == OpFamily::Compare) &&
                            std::ranges::any_of(op.in, [](const Operand& in) { return in.number() != nullptr; });
        const std::string name = number ? formula::withNumber(chip, toText(op.op)) : std::string(toText(op.op));
        if (bytes.value > 0) cycles += formula::vectorCycles(chip, name, bits, bytes).toDouble();
    }
    return cycles;
}

}  // namespace

WorkShare workShare(const ResolvedDesign& design, const ChipSpec& chip) {
    const StageGraph graph(design);
    WorkShare share;
    share.switches = graph.switches();
    for (const StageNode& node : graph.nodes()) {
        const auto runs = static_cast<double>(design.executions(*node.block));
        const bool isCube = node.cube != nullptr;
        const double one = isCube ? cubeCycles(design, chip, node) : vectorCycles(design, chip, node);
        const Constant& cores = isCube ? chip.aicCount : chip.aivCount;
        const double cycles = one * runs / static_cast<double>(cores.integer());
        (isCube ? share.cube : share.vector) += cycles;
        share.stages.emplace_back(node.id(), cycles);
    }
    return share;
}

FusionExit fusionExit(WorkShare share) {
    FusionExit exit;
    const std::string unit = share.predicted ? " us" : " cycles", unitZh = share.predicted ? " us" : " 周期";
    const std::string cube = decimal(share.cube), vector = decimal(share.vector), count = number(share.switches);
    exit.text.en = "vector stages take " + vector + unit + ", cube stages " + cube + unit +
                   (share.predicted ? " of the predicted critical path" : " by arithmetic") + "; " + count +
                   (share.switches == 1 ? " switch between cube and vector" : " switches between cube and vector");
    exit.text.zh = "V 阶段 " + vector + unitZh + "，C 阶段 " + cube + unitZh +
                   (share.predicted ? "（预测关键路径）" : "（按算术估算）") + "；C/V 切换 " + count + " 次";
    if (share.vector > share.cube) {
        exit.advice = share.switches >= kFusionSwitches ? FusionExit::Advice::Leave : FusionExit::Advice::Lighten;
        const bool leave = exit.advice == FusionExit::Advice::Leave;
        exit.text.en += leave ? "; V is heavy: SK-15 (3 or more switches) fits better"
                              : "; V is heavy, but SK-15 asks for 3 switches: lighten V, or move it behind the loop";
        exit.text.zh += leave ? "；V 较重：更适合 SK-15（切换 3 次及以上）"
                              : "；V 较重，但 SK-15 要求切换 3 次：请减轻 V 或移到循环之后";
    } else {
        exit.text.en += "; V is light";
        exit.text.zh += "；V 较轻";
    }
    exit.share = std::move(share);
    return exit;
}

Checklist evaluateChecklist(const ResolvedDesign& design, const ChipSpec& chip,
                            const std::optional<WorkShare>& predicted) {
    const StageGraph graph(design);
    Evaluator evaluator(design, graph);
    Checklist checklist;
    checklist.items = evaluator.items();
    checklist.exit = fusionExit(predicted ? *predicted : workShare(design, chip));
    ChecklistItem dominates{"cube_dominates",
                            {"The cube dominates, V is light", "C 占主导，V 较轻"},
                            checklist.exit.advice == FusionExit::Advice::Stay,
                            checklist.exit.text,
                            {}};
    checklist.items.push_back(std::move(dominates));

    if (graph.cubes().empty()) {
        auto [skeleton, reason] = evaluator.pureVector();
        checklist.recommended = std::move(skeleton);
        checklist.reason = std::move(reason);
        return checklist;
    }
    if (auto further = evaluator.furtherSkeleton()) {
        checklist.recommended = std::move(further->first);
        checklist.reason = std::move(further->second);
        return checklist;
    }
    // An earlier skeleton of the index is more special than a later one, and a gate more than what it chooses from.
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOthers{{{"not_sk07", "SK-07"},
                                                                                           {"not_sk01", "SK-01"},
                                                                                           {"not_sk02", "SK-02"},
                                                                                           {"not_sk04", "SK-04"},
                                                                                           {"not_sk03", "SK-03"},
                                                                                           {"not_sk06", "SK-06"}}};
    for (const auto& [id, skeleton] : kOthers)
        for (const ChecklistItem& item : checklist.items)
            if (item.id == id && !item.holds) {
                checklist.recommended = skeleton;
                checklist.reason = item.evidence;
                return checklist;
            }
    checklist.recommended = checklist.exit.advice == FusionExit::Advice::Leave ? "SK-15" : "SK-14";
    checklist.reason = checklist.exit.text;
    return checklist;
}

}  // namespace cubist

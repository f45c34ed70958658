// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/design/op_patterns.h"
#include "core/rules/families.h"
#include "core/rules/static/block_rule_texts.h"
#include "core/rules/static/data_flow.h"

namespace cubist::rules {

namespace {

using enum VectorOpCode;

bool isShaping(VectorOpCode op) {
    constexpr std::array kOps{Cast, Full, Arange, Reshape, Transpose, Unsqueeze, Slice, Concat, ExpandClone, FillPad};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

/// Neither dequantisation, quantisation and activation nor what the rules of other skeletons speak about: norms,
/// softmax, topk.
bool isHeavy(VectorOpCode op) {
    constexpr std::array kOps{Sum,    Prod,   Log,         Pow,     Rope,     Argsort,
                              CumSum, Gather, IndexSelect, Scatter, IndexAdd, IndexPut};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

bool isNorm(VectorOpCode op) {
    return op == RmsNorm;
}

/// The first operation of a stage for which `test` holds.
template <class Test>
std::optional<std::size_t> firstOp(const VectorStage& stage, Test test) {
    const auto found =
        std::find_if(stage.ops.begin(), stage.ops.end(), [&](const VectorOp& op) { return test(op.op); });
    if (found == stage.ops.end()) return std::nullopt;
    return static_cast<std::size_t>(found - stage.ops.begin());
}

constexpr std::int64_t kFusionSwitches = 3;

class BlockCheck {
public:
    explicit BlockCheck(CheckContext& context)
        : m_context(context),
          m_design(context.design),
          m_flow(context.design),
          m_patterns(findPatterns(context.design)) {}

    void run() {
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i)
            if (const VectorStage* stage = stageAt(i)) checkStage(i, *stage);
        checkPosts();
        checkNorm();
        checkGate();
        checkAttention();
        checkRouting();
        checkFusion();
    }

private:
    [[nodiscard]] const VectorStage* stageAt(std::size_t block) const {
        return std::get_if<VectorStage>(&m_design.blocks[block].block->content);
    }
    [[nodiscard]] const CubeStage& cubeAt(std::size_t block) const {
        return *std::get_if<CubeStage>(&m_design.blocks[block].block->content);
    }
    [[nodiscard]] std::string opPlace(std::size_t block, std::size_t op) const {
        return m_design.blocks[block].where + "/ops/" + text(static_cast<std::int64_t>(op));
    }

    /// BLK-01, BLK-02, BLK-05.
    void checkStage(std::size_t i, const VectorStage& stage) {
        const VectorRole role = m_flow.roleOf(i);
        if (role == VectorRole::Prep) {
            // A norm in front of the only matmul is APP-01.
            const bool toldElsewhere = m_flow.cubes().size() == 1 && m_patterns.stages[i].partOfNorm;
            const auto op = firstOp(stage, [](VectorOpCode code) { return !isShaping(code); });
            if (op && !toldElsewhere) {
                const std::string name(toText(stage.ops[*op].op));
                m_context.report(
                    "BLK-01", opPlace(i, *op), stage.id,
                    {name + " in front of the first matmul: a preparation casts, makes constants and shapes",
                     "第一个矩阵乘之前有 " + name + "：准备阶段只做类型转换、常量和形状变换"});
            }
            if (repeats(i))
                m_context.report("BLK-05", m_design.blocks[i].where, stage.id,
                                 {"'" + stage.id.text + "' makes the same values in every iteration",
                                  "'" + stage.id.text + "' 在每次迭代中产生相同的值"});
        }
        if (role != VectorRole::Inter || hasOp(i, Exp) || m_patterns.stages[i].softmax) return;  // APP-03
        auto op = firstOp(stage, isHeavy);
        // Of norms in a kernel with many switches APP-05 speaks.
        if (!op && !fusedNorm()) op = firstOp(stage, isNorm);
        if (op) {
            const std::string name(toText(stage.ops[*op].op));
            m_context.report("BLK-02", opPlace(i, *op), stage.id,
                             {name + " between two matmuls: V_inter dequantises, quantises, splits and activates",
                              "两个矩阵乘之间有 " + name + "：V_inter 只做反量化、量化、拆分和激活"});
        }
    }

    /// Does a stage in a loop read nothing that depends on it?
    [[nodiscard]] bool repeats(std::size_t i) const {
        const ResolvedBlock& block = m_design.blocks[i];
        if (block.loops.empty()) return false;
        const auto depends = [&](const ValueId& id) {
            const ResolvedValue* value = m_design.value(id);
            if (value == nullptr || value->kind == ResolvedValue::Kind::Tensor) return false;
            if (value->block == i) return false;  // of this stage itself
            return !m_design.blocks[value->block].loops.empty();
        };
        const std::vector<ValueId> reads = readsOf(*block.block);
        const bool written = std::any_of(reads.begin(), reads.end(), [&](const ValueId& id) {
            const ResolvedValue* value = m_design.value(id);
            return value != nullptr && value->tensor != nullptr && value->tensor->role != TensorRole::Input;
        });
        if (written || std::any_of(reads.begin(), reads.end(), depends)) return false;
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        return std::all_of(stage->ops.begin(), stage->ops.end(), [](const VectorOp& op) { return op.range.empty(); });
    }

    /// BLK-03 and BLK-04, once per loop body.
    void checkPosts() {
        std::set<std::vector<std::size_t>> several, early;
        std::map<std::vector<std::size_t>, std::vector<std::size_t>> posts;  // by loop body
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            const VectorStage* stage = stageAt(i);
            if (stage == nullptr || m_flow.roleOf(i) != VectorRole::Post) continue;
            const ResolvedBlock& block = m_design.blocks[i];
            const auto sameBody = [&](std::size_t other) { return m_design.blocks[other].loops == block.loops; };
            const auto& cubes = m_flow.cubes();
            const auto later =
                std::find_if(cubes.begin(), cubes.end(), [&](std::size_t cube) { return cube > i && sameBody(cube); });
            if (later != cubes.end() && early.insert(block.loops).second)
                m_context.report(
                    "BLK-04", block.where, stage->id,
                    {"'" + stage->id.text + "' stands in front of the matmul '" + cubeAt(*later).id.text +
                         "', which does not read it",
                     "'" + stage->id.text + "' 位于不读取它的矩阵乘 '" + cubeAt(*later).id.text + "' 之前"});
            std::size_t first = i;
            std::vector<std::size_t>& before = posts[block.loops];
            for (const std::size_t other : before)
                if (m_flow.reaches(other, i)) first = std::min(first, other);
            before.push_back(i);
            if (first != i && several.insert(block.loops).second)
                m_context.report("BLK-03", block.where, stage->id,
                                 {"'" + stageAt(first)->id.text + "' and '" + stage->id.text +
                                      "' both follow the last matmul: values pass between them through global memory",
                                  "'" + stageAt(first)->id.text + "' 与 '" + stage->id.text +
                                      "' 都在最后一个矩阵乘之后：数据经全局内存传递"});
        }
    }

    [[nodiscard]] bool hasOp(std::size_t block, VectorOpCode code) const {
        const VectorStage* stage = stageAt(block);
        return stage != nullptr && firstOp(*stage, [&](VectorOpCode op) { return op == code; });
    }

    /// APP-01.
    void checkNorm() {
        if (m_flow.cubes().size() != 1) return;
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i)
            if (m_patterns.stages[i].norm && m_flow.roleOf(i) == VectorRole::Prep)
                m_context.report("APP-01", m_design.blocks[i].where, stageAt(i)->id,
                                 {"the norm in '" + stageAt(i)->id.text + "' feeds the only matmul: SK-03",
                                  "'" + stageAt(i)->id.text + "' 中的归一化接唯一的矩阵乘：SK-03"});
    }

    /// APP-02.
    void checkGate() {
        if (m_patterns.gates.empty()) return;
        const GatedProduct& gate = m_patterns.gates.front();
        const VectorStage& stage = *stageAt(gate.block);
        const CubeStage& first = cubeAt(std::min(gate.activated, gate.other));
        const CubeStage& second = cubeAt(std::max(gate.activated, gate.other));
        m_context.report("APP-02", m_design.blocks[gate.block].where, stage.id,
                         {"'" + first.id.text + "' and '" + second.id.text + "' share the input '" + first.a.text +
                              "' and merge in '" + stage.id.text + "': SK-06, or SK-14 pattern 2",
                          "'" + first.id.text + "' 与 '" + second.id.text + "' 共用输入 '" + first.a.text +
                              "'，并在 '" + stage.id.text + "' 合并：SK-06，或 SK-14 模式 2"});
    }

    /// APP-03.
    void checkAttention() {
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            if (!m_patterns.stages[i].softmax || m_flow.roleOf(i) != VectorRole::Inter) continue;
            m_context.report(
                "APP-03", m_design.blocks[i].where, stageAt(i)->id,
                {"softmax in '" + stageAt(i)->id.text + "' between two matmuls: SK-01, SK-02, or SK-14 pattern 4",
                 "'" + stageAt(i)->id.text + "' 中的 softmax 位于两个矩阵乘之间：SK-01、SK-02，或 SK-14 模式 4"});
            return;
        }
    }

    /// APP-04. The experts read what the gate chose, or the host gives them their rows by the choice that is stored.
    void checkRouting() {
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            if (!hasOp(i, TopK)) continue;
            const VectorRole role = m_flow.roleOf(i);
            const auto& cubes = m_flow.cubes();
            const bool experts =
                std::any_of(cubes.begin(), cubes.end(), [&](std::size_t cube) { return !m_flow.reaches(cube, i); });
            if (role != VectorRole::Inter && (role != VectorRole::Post || !experts)) continue;
            const std::string name = "'" + stageAt(i)->id.text + "'";
            m_context.report(
                "APP-04", m_design.blocks[i].where, stageAt(i)->id,
                role == VectorRole::Inter
                    ? Text{"topk in " + name + " chooses what later matmuls read: SK-07",
                           name + " 中的 topk 决定后续矩阵乘读取的内容：SK-07"}
                    : Text{"topk in " + name + " chooses from the result of a matmul, beside other matmuls: SK-07",
                           name + " 中的 topk 从矩阵乘结果中选择，同一 kernel 还有其他矩阵乘：SK-07"});
            return;
        }
    }

    /// How often cube and vector stages alternate.
    [[nodiscard]] std::int64_t switches() const {
        std::int64_t count = 0;
        std::optional<bool> cube;
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            const bool isCube = std::holds_alternative<CubeStage>(m_design.blocks[i].block->content);
            if (!isCube && stageAt(i) == nullptr) continue;
            if (cube && *cube != isCube) ++count;
            cube = isCube;
        }
        return count;
    }

    /// The norm that APP-05 is about, if any.
    [[nodiscard]] std::optional<std::size_t> fusedNorm() const {
        if (switches() < kFusionSwitches) return std::nullopt;
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i)
            if (m_patterns.stages[i].norm && m_flow.roleOf(i) == VectorRole::Inter) return i;
        return std::nullopt;
    }

    /// APP-05.
    void checkFusion() {
        const std::optional<std::size_t> norm = fusedNorm();
        if (!norm) return;
        const std::int64_t count = switches();
        Reported* entry = m_context.report(
            "APP-05", m_design.blocks[*norm].where, stageAt(*norm)->id,
            {text(count) + " switches between cube and vector, with a norm between matmuls: compare with SK-15",
             "C/V 切换 " + text(count) + " 次，且矩阵乘之间有归一化：请与 SK-15 比较"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(count);
        entry->finding.limit = 2;
    }

    CheckContext& m_context;
    const ResolvedDesign& m_design;
    DataFlow m_flow;
    OpPatterns m_patterns;
};

}  // namespace

std::span<const Rule> blockRules() {
    return kBlockRules;
}

void checkBlocks(CheckContext& context) {
    BlockCheck(context).run();
}

}  // namespace cubist::rules

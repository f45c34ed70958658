// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <optional>

#include "core/chip/slots.h"
#include "core/design/block_values.h"
#include "core/design/tiles_of_factor.h"
#include "core/rules/families.h"
#include "core/rules/static/tile_rule_texts.h"
#include "core/rules/tile_fixes.h"

namespace cubist::rules {

namespace {

/// A cube stage whose tile is looked at.
struct Stage {
    CheckContext& context;
    const ResolvedBlock& block;
    const CubeStage& cube;
    const ResolvedValue* a = nullptr;
    const ResolvedValue* b = nullptr;

    [[nodiscard]] const CubeTile& tile() const { return cube.tile; }
    [[nodiscard]] const std::vector<std::int64_t>& values(char axis) const {
        return axis == 'm' ? tile().m : (axis == 'k' ? tile().k : tile().n);
    }
    [[nodiscard]] std::string where(char axis) const { return block.where + "/tile/" + axis; }
    [[nodiscard]] std::string where(char axis, std::size_t index) const {
        return where(axis) + "/" + text(std::int64_t(index));
    }
    [[nodiscard]] DType operandOf(char axis) const {
        const ResolvedValue* operand = axis == 'n' ? b : a;
        return operand != nullptr ? operand->dtype : DType::FP32;
    }
};

constexpr std::array kAxes{'m', 'k', 'n'};

/// Bytes of one element as PyPTO's alignment checks count them: 4-bit types count one byte.
std::int64_t checkedBytes(DType type) {
    return hostBytesPerElement(type);
}

/// A fractal of INT4, which no matmul of PyPTO takes: a row of it holds 64 elements.
Text fourBitClause(std::int64_t value) {
    const std::string sum =
        text(value) + " x 4 bit = " + text(value / 2) + " B, " + text(value / 2) + " mod 32 = " + text(value / 2 % 32);
    return {"of 32 bytes (" + sum + ")", " 32 字节的整数倍（" + sum + "）"};
}

/// value * bytes is a multiple of 32 exactly when value is a multiple of this.
std::int64_t elementsPer32Bytes(DType type) {
    return 32 / std::min<std::int64_t>(32, checkedBytes(type));
}

Text elementsClause(std::int64_t value, std::int64_t multiple) {
    const std::string rest = text(value) + " mod " + text(multiple) + " = " + text(value % multiple);
    return {"of " + text(multiple) + " elements (" + rest + ")",
            " " + text(multiple) + " 个元素的整数倍（" + rest + "）"};
}

Text bytesClause(std::int64_t value, DType type) {
    const std::int64_t bytes = checkedBytes(type);
    const std::string sum = text(value) + " x " + text(bytes) + " B = " + text(saturatingMul(value, bytes)) + " B, " +
                            text(saturatingMul(value, bytes)) + " mod 32 = " + text(value % 32 * bytes % 32);
    return {"of 32 bytes (" + sum + ")", " 32 字节的整数倍（" + sum + "）"};
}

/// The broken rules of one value, said in one message.
class BrokenRules {
public:
    /// A clause about something that follows from the value.
    void addConsequence(std::string_view rule, const Text& clause) {
        alsoBreaks(rule);
        m_consequences += {"; " + clause.en, "；" + clause.zh};
    }
    void add(std::string_view rule, const Text& clause) {
        if (m_first.empty())
            m_first = rule;
        else
            alsoBreaks(rule);
        m_clauses +=
            {(m_clauses.en.empty() ? "" : " and ") + clause.en, (m_clauses.zh.empty() ? "" : "，且为") + clause.zh};
    }
    [[nodiscard]] bool any() const { return !m_first.empty(); }
    [[nodiscard]] std::string_view first() const { return m_first; }
    [[nodiscard]] Text message(const std::string& name, std::int64_t value) const {
        const std::string head = name + " = " + text(value);
        Text out{head + " must be a multiple " + m_clauses.en, head + " 必须为" + m_clauses.zh};
        out += m_consequences;
        if (!m_also.empty()) out += {"; also breaks " + m_also, "；同时违反 " + m_also};
        return out;
    }

private:
    void alsoBreaks(std::string_view rule) {
        if (m_also.ends_with(rule)) return;
        m_also += std::string(m_also.empty() ? "" : ", ") + std::string(rule);
    }

    std::string_view m_first;
    std::string m_also;
    Text m_clauses, m_consequences;
};

/// TILE-01 of a stage for which no tile was set: the compiler sees zeros.
void reportNoTile(const Stage& stage) {
    Reported* entry = stage.context.report(
        "TILE-01", stage.block.where + "/tile", stage.cube.id,
        {"the stage has no tile; PyPTO finds zeros in all of its values", "该阶段没有设置切分，PyPTO 读到的值全为 0"});
    if (entry == nullptr) return;
    const std::int64_t m = cubePadding(stage.operandOf('m')), n = cubePadding(stage.operandOf('n'));
    CubeTile changed = stage.tile();
    changed.m = {m, m};
    changed.k = {std::max(m, n), std::max(m, n)};
    changed.n = {n, n};
    entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
}

/// TILE-02. Returns whether the counts are right.
bool checkCounts(const Stage& stage) {
    if (stage.values('m').empty() && stage.values('k').empty() && stage.values('n').empty()) {
        reportNoTile(stage);
        return false;
    }
    bool right = true;
    for (const char axis : kAxes) {
        const std::vector<std::int64_t>& values = stage.values(axis);
        const std::size_t most = axis == 'k' ? 3 : 2;
        if (values.size() >= 2 && values.size() <= most) continue;
        right = false;
        const std::string count = text(static_cast<std::int64_t>(values.size()));
        const std::string name(1, axis);
        Reported* entry = stage.context.report(
            "TILE-02", stage.where(axis), stage.cube.id,
            {name + " takes " + (axis == 'k' ? "2 or 3 values ([kL0, kL1] or [kL0, kAL1, kBL1])" : "exactly 2 values") +
                 ", got " + count,
             name + (axis == 'k' ? " 需要 2 或 3 个值（[kL0, kL1] 或 [kL0, kAL1, kBL1]）" : " 恰好需要 2 个值") +
                 "，实际为 " + count + " 个"});
        if (entry == nullptr) continue;
        CubeTile changed = stage.tile();
        std::vector<std::int64_t>& list = axis == 'm' ? changed.m : (axis == 'k' ? changed.k : changed.n);
        if (list.empty()) list = {16};
        list.resize(std::clamp<std::size_t>(list.size(), 2, most), list.front());
        entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
    }
    return right;
}

/// TILE-01. Returns whether all values are above zero.
bool checkPositive(const Stage& stage) {
    bool positive = true;
    for (const char axis : kAxes)
        for (std::size_t i = 0; i < stage.values(axis).size(); ++i) {
            const std::int64_t value = stage.values(axis)[i];
            if (value > 0) continue;
            positive = false;
            const std::string name = tileValueName(stage.tile(), axis, i) + " = " + text(value);
            Reported* entry = stage.context.report("TILE-01", stage.where(axis, i), stage.cube.id,
                                                   {name + " must be at least 1", name + " 必须至少为 1"});
            if (entry == nullptr) continue;
            entry->finding.measured = static_cast<double>(value);
            entry->finding.limit = 1;
            const std::int64_t granule = cubePadding(stage.operandOf(axis));
            CubeTile changed = stage.tile();
            std::vector<std::int64_t>& list = axis == 'm' ? changed.m : (axis == 'k' ? changed.k : changed.n);
            list[i] = i > 0 && list[0] > 0 ? list[0] : (i == 0 && list[1] > 0 ? std::min(granule, list[1]) : granule);
            entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
        }
    return positive;
}

/// The legal neighbours of an L0 value, L1 following.
void offerMultiples(Reported& entry, const Stage& stage, char axis, std::int64_t granule) {
    const std::int64_t value = stage.values(axis).front();
    const std::int64_t below = value / granule * granule;
    for (const std::int64_t legal : {below, saturatingAdd(below, granule)})
        if (legal > 0) {
            CubeTile changed = withL0(stage.tile(), axis, legal);
            entry.candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
        }
}

/// "kL1 = 100 must be a multiple of kL0 = 64 (100 mod 64 = 36)"
Text multipleClause(const Stage& stage, char axis, std::size_t index) {
    const std::int64_t l1 = stage.values(axis)[index], l0 = stage.values(axis)[0];
    const std::string name = tileValueName(stage.tile(), axis, index) + " = " + text(l1);
    const std::string base = tileValueName(stage.tile(), axis, 0) + " = " + text(l0);
    const std::string rest = text(l1) + " mod " + text(l0) + " = " + text(l1 % l0);
    return {name + " must be a multiple of " + base + " (" + rest + ")",
            name + " 必须是 " + base + " 的整数倍（" + rest + "）"};
}

/// TILE-03 to TILE-06 and TILE-09: what one L0 value has to be a multiple of. Returns whether it is. One message says
/// all that is wrong with the value, so that nobody mends one rule to meet the next.
bool checkL0Value(const Stage& stage, char axis, BrokenRules broken, std::int64_t granule) {
    if (!broken.any()) return true;
    for (std::size_t i = 1; i < stage.values(axis).size(); ++i)
        if (stage.values(axis)[i] % stage.values(axis)[0] != 0)
            broken.addConsequence("TILE-07", multipleClause(stage, axis, i));
    const std::int64_t value = stage.values(axis).front();
    Reported* entry = stage.context.report(broken.first(), stage.where(axis, 0), stage.cube.id,
                                           broken.message(tileValueName(stage.tile(), axis, 0), value));
    if (entry != nullptr) {
        entry->finding.measured = static_cast<double>(value);
        entry->finding.limit = static_cast<double>(granule);
        offerMultiples(*entry, stage, axis, granule);
    }
    return false;
}

bool checkAlignment(const Stage& stage, char axis) {
    const std::int64_t value = stage.values(axis).front();
    const DType type = stage.operandOf(axis);
    const std::int64_t per32Bytes = elementsPer32Bytes(type);
    BrokenRules broken;
    if (axis == 'm') {
        const bool nd = stage.a == nullptr || stage.a->tensor == nullptr || stage.a->tensor->format == Format::ND;
        if (stage.cube.aTrans && nd && value % per32Bytes != 0) broken.add("TILE-09", bytesClause(value, type));
        return checkL0Value(stage, axis, broken, per32Bytes);
    }
    if (value % 16 != 0) broken.add(axis == 'k' ? "TILE-03" : "TILE-04", elementsClause(value, 16));
    const bool fourBits = axis == 'k' && type == DType::INT4;
    if (fourBits && value % cubePadding(type) != 0)
        broken.add("TILE-05", fourBitClause(value));
    else if (value % per32Bytes != 0)
        broken.add(axis == 'k' ? "TILE-05" : "TILE-06", bytesClause(value, type));
    // What is offered suits scaled_mm too, which CUBE-09 would send on.
    const bool wide = fourBits || (axis == 'k' && stage.cube.op == CubeOp::ScaledMm);
    return checkL0Value(stage, axis, broken, std::max<std::int64_t>(wide ? 64 : 16, per32Bytes));
}

/// TILE-07: L1 values are multiples of their L0 value. Returns whether they are.
bool checkL1Multiples(const Stage& stage, char axis) {
    bool fine = true;
    const std::vector<std::int64_t>& values = stage.values(axis);
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i] % values[0] == 0) continue;
        fine = false;
        Reported* entry =
            stage.context.report("TILE-07", stage.where(axis, i), stage.cube.id, multipleClause(stage, axis, i));
        if (entry == nullptr) continue;
        const std::int64_t below = values[i] / values[0] * values[0];
        for (const std::int64_t legal : {below, saturatingAdd(below, values[0])}) {
            if (legal <= 0) continue;
            CubeTile changed = stage.tile();
            (axis == 'm' ? changed.m : (axis == 'k' ? changed.k : changed.n))[i] = legal;
            entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
        }
    }
    return fine;
}

/// TILE-08: the depths of A and B in L1.
void checkDepths(const Stage& stage) {
    if (!stage.block.matmul) return;
    const std::int64_t k = stage.block.matmul->k;
    const std::int64_t deep = std::max(stage.tile().kAL1(), stage.tile().kBL1());
    const std::int64_t flat = std::min(stage.tile().kAL1(), stage.tile().kBL1());
    if (deep >= k || deep % flat == 0) return;
    const std::size_t index = stage.tile().kAL1() == deep ? 1 : 2;
    const std::string rest = text(deep) + " mod " + text(flat) + " = " + text(deep % flat);
    const std::string name = tileValueName(stage.tile(), 'k', index) + " = " + text(deep);
    Reported* entry = stage.context.report(
        "TILE-08", stage.where('k', index), stage.cube.id,
        {name + " must reach K = " + text(k) + " or be a multiple of the other depth, " + text(flat) + " (" + rest +
             ")",
         name + " 必须达到 K = " + text(k) + "，或为另一深度 " + text(flat) + " 的整数倍（" + rest + "）"});
    if (entry == nullptr) return;
    for (const std::int64_t legal : {deep / flat * flat, saturatingAdd(deep / flat * flat, flat)}) {
        CubeTile changed = stage.tile();
        changed.k[index] = legal;
        entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
    }
}

/// TILE-10: the documentation wants all values aligned; the compiler checks fewer.
void checkDocumentedAlignment(const Stage& stage, char axis, bool l0IsFine) {
    const DType type = stage.operandOf(axis);
    const std::int64_t granule = elementsPer32Bytes(type);
    for (std::size_t i = l0IsFine ? 0 : 1; i < stage.values(axis).size(); ++i) {
        const std::int64_t value = stage.values(axis)[i];
        if (value % granule == 0) continue;
        const std::string name = tileValueName(stage.tile(), axis, i) + " = " + text(value);
        const Text clause = bytesClause(value, type);
        Reported* entry =
            stage.context.report("TILE-10", stage.where(axis, i), stage.cube.id,
                                 {name + " should be a multiple " + clause.en + "; the compiler stays silent",
                                  name + " 应为" + clause.zh + "；编译器不会报错"});
        if (entry == nullptr) continue;
        for (const std::int64_t legal : {nearestMultiple(value, granule), multipleAbove(value, granule)}) {
            CubeTile changed = i == 0 ? withL0(stage.tile(), axis, legal) : stage.tile();
            if (i > 0) {
                std::vector<std::int64_t>& list = axis == 'm' ? changed.m : (axis == 'k' ? changed.k : changed.n);
                if (list[0] == list[i]) list[0] = legal;
                list[i] = legal;
            }
            entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
        }
    }
}

/// TILE-11: mL1 and nL1 are stored and never used.
void checkIdleL1(const Stage& stage, char axis) {
    const std::vector<std::int64_t>& values = stage.values(axis);
    if (values[1] == values[0]) return;
    const std::string l1 = tileValueName(stage.tile(), axis, 1), l0 = tileValueName(stage.tile(), axis, 0);
    Reported* entry =
        stage.context.report("TILE-11", stage.where(axis, 1), stage.cube.id,
                             {l1 + " = " + text(values[1]) + " has no effect: L1 copies are as wide as " + l0 + " = " +
                                  text(values[0]) + "; reuse across blocks comes from cube_l1_reuse_setting",
                              l1 + " = " + text(values[1]) + " 不起作用：L1 搬入的宽度等于 " + l0 + " = " +
                                  text(values[0]) + "；跨块复用由 cube_l1_reuse_setting 决定"});
    if (entry == nullptr) return;
    CubeTile changed = stage.tile();
    (axis == 'm' ? changed.m : changed.n)[1] = values[0];
    entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
}

/// TILE-14: two depths in L1, as the performance guide has them.
void checkThreeDepths(const Stage& stage) {
    const std::vector<std::int64_t>& k = stage.values('k');
    if (k.size() != 3) return;
    Reported* entry = stage.context.report("TILE-14", stage.where('k', 2), stage.cube.id,
                                           {"k = " + text(k) +
                                                " has three values, the documentation knows two; the "
                                                "compiler stays silent",
                                            "k = " + text(k) + " 有三个值，文档只认两个；编译器不会报错"});
    if (entry == nullptr) return;
    for (const std::int64_t depth : {std::min(k[1], k[2]), std::max(k[1], k[2])}) {
        CubeTile changed = stage.tile();
        changed.k = {k[0], depth};
        entry->candidates.push_back(tileCandidate(stage.block.where, stage.tile(), changed));
    }
}

/// TILE-12: partial sums are added in FP32 or INT32 only.
void checkSplitK(const Stage& stage) {
    const DType type = stage.cube.outDType;
    if (!stage.tile().splitK || type == DType::FP32 || type == DType::INT32) return;
    const std::string name(toText(type));
    Reported* entry = stage.context.report("TILE-12", stage.block.where + "/tile/split_k", stage.cube.id,
                                           {"split-K adds partial results in FP32 or INT32, the output is " + name,
                                            "split-K 只能以 FP32 或 INT32 累加部分和，输出却是 " + name});
    if (entry == nullptr) return;
    entry->candidates.push_back(
        {{"Switch split-K off", "关闭 split-K"}, {{stage.block.where + "/tile/split_k", false}}});
}

void checkStage(const Stage& stage) {
    checkSplitK(stage);
    const bool counted = checkCounts(stage);
    if (!checkPositive(stage) || !counted) return;
    checkThreeDepths(stage);
    bool depthsAreFine = true;
    for (const char axis : kAxes) {
        const bool aligned = checkAlignment(stage, axis);
        const bool multiples = aligned && checkL1Multiples(stage, axis);
        checkDocumentedAlignment(stage, axis, aligned);
        if (axis != 'k' && multiples) checkIdleL1(stage, axis);
        if (axis == 'k') depthsAreFine = multiples;
    }
    if (depthsAreFine) checkDepths(stage);
}

/// TILE-13. `block` has the tile that was picked, `table` is the one that was asked.
void sayChoice(CheckContext& context, const TileChoice& choice, const Block& block, const TileTable& table,
               const Text& factor) {
    const auto* cube = std::get_if<CubeStage>(&block.content);
    const auto* vector = std::get_if<VectorStage>(&block.content);
    const std::string tile = cube != nullptr
                                 ? "m " + text(cube->tile.m) + ", k " + text(cube->tile.k) + ", n " + text(cube->tile.n)
                                 : text(vector->tile);
    const std::string head = table.value.text() + " = " + text(choice.value);
    const std::string largest = text(table.rows.back().upTo);
    const Text why = choice.row
                         ? Text{"row " + text(static_cast<std::int64_t>(*choice.row)) + " of the tile table (up to " +
                                    text(table.rows[*choice.row].upTo) + ") gives ",
                                "切分表第 " + text(static_cast<std::int64_t>(*choice.row)) + " 行（至 " +
                                    text(table.rows[*choice.row].upTo) + "）给出 "}
                         : Text{"beyond the last row (up to " + largest + ") the stage's own tile counts: ",
                                "超出最后一行（至 " + largest + "），使用阶段自身的切分："};
    context.report("TILE-13", choice.where + "/tile_by", choice.block,
                   {head + ": " + why.en + tile + factor.en, head + "：" + why.zh + tile + factor.zh});
}

const TileTable& tableOf(const Block& block) {
    const auto* cube = std::get_if<CubeStage>(&block.content);
    return cube != nullptr ? *cube->tileBy : *std::get_if<VectorStage>(&block.content)->tileBy;
}

/// The unrolled loop around a block whose largest factor is too large for its axis; null when there is none.
const ResolvedLoop* shortLoop(const ResolvedDesign& design, const ResolvedBlock& block) {
    for (const std::size_t number : block.loops) {
        const ResolvedLoop& loop = design.loops[number];
        if (!loop.factors.empty() && loop.axis < loop.factors.front()) return &loop;
    }
    return nullptr;
}

/// A design with the tiles of one factor, and what its tables gave.
struct OtherFactor {
    const ResolvedLoop* loop = nullptr;
    Design design;
    std::vector<TileChoice> choices;
};

/// Says the choice of the largest factor that runs.
void sayChoices(CheckContext& context) {
    const ResolvedDesign& design = context.design;
    OtherFactor other;
    for (const TileChoice& choice : design.tileChoices) {
        const ResolvedBlock& block = *design.block(choice.block);
        const TileTable& table = tableOf(*block.block);
        const ResolvedLoop* loop = choice.followsFactor ? shortLoop(design, block) : nullptr;
        if (loop == nullptr) {
            const Text factor =
                choice.followsFactor ? Text{" for the largest unroll factor", "（最大展开因子）"} : Text{};
            sayChoice(context, choice, *block.block, table, factor);
            continue;
        }
        const auto runs = std::find_if(loop->factors.begin(), loop->factors.end(),
                                       [&](std::int64_t factor) { return factor <= loop->axis; });
        if (runs == loop->factors.end()) continue;  // no iteration at all
        if (other.loop != loop) {
            other = {loop, {}, {}};
            auto cut = withTilesOfFactor(withOwnTiles(*design.design, design.tileChoices), design.binding,
                                         loop->loop->id, *runs, other.choices);
            if (!cut) continue;  // resolve() of the design itself says why
            other.design = *std::move(cut);
        }
        const auto picked = std::find_if(other.choices.begin(), other.choices.end(),
                                         [&](const TileChoice& entry) { return entry.block == choice.block; });
        if (picked == other.choices.end()) continue;
        visitTree(other.design.blocks, [&](const Block& cut) {
            if (cut.id() == choice.block)
                sayChoice(context, *picked, cut, table,
                          {" for the largest unroll factor that runs", "（实际运行的最大展开因子）"});
        });
    }
}

}  // namespace

std::span<const Rule> tileRules() {
    return kTileRules;
}

void checkTiles(CheckContext& context) {
    sayChoices(context);
    for (const ResolvedBlock& block : context.design.blocks)
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content); cube && context.looksAt(block))
            checkStage({context, block, *cube, context.design.value(cube->a), context.design.value(cube->b)});
}

}  // namespace cubist::rules

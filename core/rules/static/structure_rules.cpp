// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "core/design/op_patterns.h"
#include "core/design/python_names.h"
#include "core/rules/buffer_use.h"
#include "core/rules/families.h"
#include "core/rules/static/data_flow.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "STR-01",
         .family = RuleFamily::Structure,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A design without a matmul is not SK-14",
         .titleZh = "没有矩阵乘的设计不属于 SK-14",
         .explanation =
             "SK-14 (General Multi-MatMul) needs at least one matmul. A design of vector stages alone is SK-13, or "
             "SK-08, SK-09 or SK-12 where their criteria fit.",
         .explanationZh = "SK-14（General Multi-MatMul）至少需要一个矩阵乘。只有 V 阶段的设计属于 SK-13，"
                          "或在满足条件时属于 SK-08、SK-09、SK-12。",
         .formula = "matmul_count >= 1",
         .source = "hicann/pypto-gym, skeleton index, card SK-14"},
    Rule{.id = "STR-02",
         .family = RuleFamily::Structure,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "The blocks do not have the form of the variant",
         .titleZh = "块结构与骨架变体不符",
         .explanation =
             "A: matmuls outside of loops. B: a loop with one or two matmuls an iteration. B': groups unrolled at "
             "compile time; their rows may be a loop. C: a loop with one matmul an iteration. D: a loop with two "
             "or more.",
         .explanationZh =
             "A：矩阵乘在循环之外。B：循环，每次迭代一到两个矩阵乘。B'：编译期展开的分组，组内的行可以是循环。"
             "C：循环，每次迭代一个矩阵乘。D：循环，每次迭代两个以上。",
         .formula = "A: loops = 0; B: 1..2 matmuls in a loop; B': in groups written out; C: 1; D: >= 2",
         .source = "hicann/pypto-gym, card SK-14, loop variants"},
    Rule{.id = "STR-04",
         .family = RuleFamily::Structure,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "The blocks do not have the declared data-flow pattern",
         .titleZh = "块结构与声明的数据流模式不符",
         .explanation =
             "SK-14 has four patterns. 1: a matmul feeds another one. 2: two matmuls that do not feed each other, or "
             "two parts of one, meet in a stage. 3: groups of a loop, cut by a list, by the matrix of each group or by "
             "an index. 4: a "
             "softmax between two matmuls of one loop. A declared pattern switches tests of the checklist, so it has "
             "to be there; others may be there too.",
         .explanationZh =
             "SK-14 "
             "有四种模式。1：一个矩阵乘的结果进入另一个。2：互不依赖的两个矩阵乘（或一个矩阵乘的两部分）在一个阶段汇合"
             "。3：循环中的分组，"
             "由列表、各组的矩阵或索引切分。4：同一循环的两个矩阵乘之间有 softmax。声明的模式会影响检查表的判断，因此"
             "必须实际存在；也可以同时有其他模式。",
         .formula = "declared patterns in 1..4, each once and found in the flow",
         .source = "hicann/pypto-gym, card SK-14, data-flow patterns"},
    Rule{.id = "STR-03",
         .family = RuleFamily::Structure,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The result of a stage is neither read nor stored",
         .titleZh = "阶段的结果既未读取也未写出",
         .explanation =
             "Such a stage has no place to write to. Store its result into an output tensor, let another stage read "
             "it, or remove the stage.",
         .explanationZh = "这样的阶段没有写出的位置。请将结果写入输出张量、由其他阶段读取，或删除该阶段。",
         .formula = "readers of a result >= 1",
         .source = "definition of the block tree"},
    Rule{.id = "NAME-01",
         .family = RuleFamily::Name,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A name that Python cannot use",
         .titleZh = "Python 无法使用的名称",
         .explanation =
             "Names of the design, tensors, values, symbols and loop indices become names of the exported PyPTO "
             "kernel: letters (of any script), digits and underscores, not beginning with a digit, and no keyword.",
         .explanationZh =
             "设计、张量、值、符号和循环下标的名称会成为导出的 PyPTO kernel 中的名称：只能用字母（含汉字等）、"
             "数字和下划线，不以数字开头，且不是关键字。",
         .formula = "(letter | _) (letter | digit | _)*, no keyword",
         .source = "Python language reference, identifiers and keywords"},
};

struct Matmuls {
    std::size_t inLoops = 0, outside = 0;
    std::size_t inGroups = 0;  ///< of those in loops: within a loop that is written out
};

Matmuls countMatmuls(const ResolvedDesign& design) {
    Matmuls count;
    for (const ResolvedBlock& block : design.blocks)
        if (std::holds_alternative<CubeStage>(block.block->content)) {
            // What a static loop holds is written out: it stands outside.
            const bool inLoop = std::any_of(block.loops.begin(), block.loops.end(), [&](std::size_t loop) {
                return design.loops[loop].loop->form != LoopKind::Static;
            });
            ++(inLoop ? count.inLoops : count.outside);
            const bool inGroup = std::any_of(block.loops.begin(), block.loops.end(), [&](std::size_t loop) {
                return design.loops[loop].loop->form == LoopKind::Static;
            });
            if (inLoop && inGroup) ++count.inGroups;
        }
    return count;
}

bool fits(Variant variant, const Matmuls& count) {
    switch (variant) {
        case Variant::A: return count.inLoops == 0;
        case Variant::BStatic: return count.inLoops == count.inGroups;
        case Variant::B: return count.outside == 0 && count.inLoops >= 1 && count.inLoops <= 2;
        case Variant::C: return count.outside == 0 && count.inLoops == 1;
        case Variant::D: return count.inLoops >= 2;
    }
    return true;
}

void checkVariant(CheckContext& context) {
    const Matmuls count = countMatmuls(context.design);
    const Variant variant = context.design.design->skeleton.variant;
    if (count.inLoops + count.outside == 0) {
        context.report("STR-01", "/blocks", BlockId(),
                       {"the design has no matmul, so it is not SK-14; vector stages alone are SK-13",
                        "设计中没有矩阵乘，因此不属于 SK-14；只有 V 阶段的设计属于 SK-13"});
        return;
    }
    if (fits(variant, count)) return;
    const std::string name(toText(variant));
    const std::string inLoops = text(static_cast<std::int64_t>(count.inLoops));
    const std::string outside = text(static_cast<std::int64_t>(count.outside));
    Reported* entry =
        context.report("STR-02", "/skeleton/variant", BlockId(),
                       {"variant " + name + " does not fit: the design has " + inLoops + " matmuls in loops and " +
                            outside + " outside",
                        "变体 " + name + " 不符：循环内有 " + inLoops + " 个矩阵乘，循环外有 " + outside + " 个"});
    if (entry == nullptr) return;
    for (const auto& [candidate, spelling] : EnumTable<Variant>::entries)
        if (fits(candidate, count)) {
            const std::string to(spelling);
            entry->candidates.push_back(
                {{"Set the variant to " + to, "将变体设为 " + to}, {{"/skeleton/variant", to}}});
        }
}

/// Which of the four patterns the flow of the blocks has.
class FlowPatterns {
public:
    explicit FlowPatterns(const ResolvedDesign& design) : m_design(design), m_flow(design) {}

    [[nodiscard]] bool has(std::int64_t pattern) const {
        switch (pattern) {
            case 1: return feeds();
            case 2: return meets() || partsMeet();
            case 3: return grouped();
            case 4: return attends();
            default: return false;
        }
    }

private:
    [[nodiscard]] bool feeds() const {
        const auto& cubes = m_flow.cubes();
        return std::any_of(cubes.begin(), cubes.end(), [&](std::size_t to) {
            return std::any_of(cubes.begin(), cubes.end(),
                               [&](std::size_t from) { return from < to && m_flow.reaches(from, to); });
        });
    }

    [[nodiscard]] bool meets() const {
        const auto& cubes = m_flow.cubes();
        for (const std::size_t a : cubes)
            for (const std::size_t b : cubes) {
                if (a >= b || m_flow.reaches(a, b)) continue;
                for (std::size_t i = b + 1; i < m_design.blocks.size(); ++i)
                    if (std::holds_alternative<VectorStage>(m_design.blocks[i].block->content) &&
                        m_flow.reaches(a, i) && m_flow.reaches(b, i))
                        return true;
            }
        return false;
    }

    /// One matmul for two: its result is cut in parts, which an operation of two values puts together again.
    [[nodiscard]] bool partsMeet() const {
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            const auto* stage = std::get_if<VectorStage>(&m_design.blocks[i].block->content);
            if (stage == nullptr) continue;
            const auto slices = std::count_if(stage->ops.begin(), stage->ops.end(),
                                              [](const VectorOp& op) { return op.op == VectorOpCode::Slice; });
            const auto reads = readsOf(*m_design.blocks[i].block);
            std::set<std::string> parts;  // views of one result
            for (const ValueId& id : reads) {
                const ResolvedValue* value = m_design.value(id);
                if (value != nullptr && value->kind == ResolvedValue::Kind::View && value->tensor == nullptr)
                    parts.insert(id.text);
            }
            if (slices < 2 && parts.size() < 2) continue;
            if (std::any_of(m_flow.cubes().begin(), m_flow.cubes().end(),
                            [&](std::size_t cube) { return m_flow.reaches(cube, i); }))
                return true;
        }
        return false;
    }

    [[nodiscard]] bool grouped() const {
        const auto& cubes = m_flow.cubes();
        if (std::all_of(cubes.begin(), cubes.end(), [&](std::size_t i) { return m_design.blocks[i].loops.empty(); }))
            return false;
        if (!m_design.design->lists.empty()) return true;
        return std::any_of(m_design.blocks.begin(), m_design.blocks.end(), [&](const ResolvedBlock& block) {
            using enum VectorOpCode;
            if (const auto* store = std::get_if<Store>(&block.block->content)) return !store->index.empty();
            if (const auto* view = std::get_if<View>(&block.block->content)) {
                const ResolvedValue* of = m_design.value(view->of);
                return of != nullptr && of->shape.size() > 2 && !block.loops.empty();
            }
            const auto* stage = std::get_if<VectorStage>(&block.block->content);
            return stage != nullptr && std::any_of(stage->ops.begin(), stage->ops.end(), [](const VectorOp& op) {
                       return op.op == Gather || op.op == IndexSelect || op.op == Scatter || op.op == IndexAdd ||
                              op.op == IndexPut;
                   });
        });
    }

    [[nodiscard]] bool attends() const {
        const OpPatterns patterns = findPatterns(m_design);
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i)
            if (patterns.stages[i].softmax && m_flow.roleOf(i) == VectorRole::Inter &&
                !m_design.blocks[i].loops.empty())
                return true;
        return false;
    }

    const ResolvedDesign& m_design;
    DataFlow m_flow;
};

/// STR-04, once.
void checkPattern(CheckContext& context) {
    const std::vector<std::int64_t>& declared = context.design.design->skeleton.pattern;
    if (declared.empty()) return;
    const FlowPatterns flow(context.design);
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const std::string number = text(declared[i]);
        const bool known = declared[i] >= 1 && declared[i] <= 4;
        const bool twice =
            std::count(declared.begin(), declared.begin() + static_cast<std::ptrdiff_t>(i), declared[i]) > 0;
        if (known && !twice && flow.has(declared[i])) continue;
        Reported* entry = context.report(
            "STR-04", "/skeleton/pattern", BlockId(),
            !known ? Text{number + " is no pattern: SK-14 has 1, 2, 3 and 4", number + " 不是模式：SK-14 有 1、2、3、4"}
            : twice
                ? Text{"pattern " + number + " is declared twice", "模式 " + number + " 声明了两次"}
                : Text{"the blocks do not have the declared pattern " + number, "块结构没有所声明的模式 " + number});
        if (entry == nullptr) return;
        std::vector<std::int64_t> there;
        for (const std::int64_t pattern : declared)
            if (flow.has(pattern) && std::find(there.begin(), there.end(), pattern) == there.end())
                there.push_back(pattern);
        entry->candidates.push_back({{"Declare what is there: " + text(there), "只声明实际存在的模式：" + text(there)},
                                     {{"/skeleton/pattern", there}}});
        return;
    }
}

void checkUse(CheckContext& context, const ResolvedBlock& block, const ReadElsewhere& read) {
    std::vector<ValueId> results;
    std::string where = block.where + "/out";
    if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) results.push_back(cube->out);
    if (const auto* stage = std::get_if<VectorStage>(&block.block->content)) {
        for (const VectorOp& op : stage->ops) {
            if (!op.out2.empty()) results.push_back(op.out2);
            results.push_back(op.out);
        }
        where = block.where + "/ops/" + text(static_cast<std::int64_t>(stage->ops.size()) - 1) + "/out";
    }
    if (results.empty()) return;
    if (std::any_of(results.begin(), results.end(), [&](const ValueId& id) { return read.contains(id); })) return;
    const std::string name = "'" + results.back().text + "'";
    context.report("STR-03", where, block.block->id(),
                   {"the result " + name + " is neither read nor stored", "结果 " + name + " 既未读取也未写出"});
}

void checkName(CheckContext& context, const std::string& name, const std::string& where, const BlockId& block) {
    if (isPythonName(name)) return;
    context.report("NAME-01", where, block,
                   {"'" + name + "' is no Python name; the exported kernel needs one",
                    "'" + name + "' 不是合法的 Python 名称，导出的 kernel 需要"});
}

void checkNames(CheckContext& context) {
    const Design& design = *context.design.design;
    const auto at = [](const std::string& list, std::size_t i) {
        return list + "/" + text(static_cast<std::int64_t>(i));
    };
    checkName(context, design.name, "/name", BlockId());
    for (std::size_t i = 0; i < design.symbols.size(); ++i)
        checkName(context, design.symbols[i].id.text, at("/symbols", i) + "/id", BlockId());
    for (std::size_t i = 0; i < design.tensors.size(); ++i)
        checkName(context, design.tensors[i].id.text, at("/tensors", i) + "/id", BlockId());
    for (std::size_t i = 0; i < design.lists.size(); ++i)
        checkName(context, design.lists[i].id.text, at("/lists", i) + "/id", BlockId());
    for (const ResolvedLoop& loop : context.design.loops) {
        checkName(context, loop.loop->index, loop.where + "/index", loop.loop->id);
        if (loop.loop->form == LoopKind::Unroll)
            checkName(context, loop.loop->factor, loop.where + "/factor", loop.loop->id);
    }
    for (const ResolvedBlock& block : context.design.blocks) {
        const BlockId& id = block.block->id();
        if (const auto* view = std::get_if<View>(&block.block->content))
            checkName(context, view->out.text, block.where + "/out", id);
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
            checkName(context, cube->out.text, block.where + "/out", id);
        if (const auto* stage = std::get_if<VectorStage>(&block.block->content))
            for (std::size_t i = 0; i < stage->ops.size(); ++i)
                checkName(context, stage->ops[i].out.text, at(block.where + "/ops", i) + "/out", id);
    }
}

}  // namespace

std::span<const Rule> structureRules() {
    return kRules;
}

void checkStructure(CheckContext& context) {
    checkVariant(context);
    checkPattern(context);
    const ReadElsewhere read(context.design);
    for (const ResolvedBlock& block : context.design.blocks) checkUse(context, block, read);
    checkNames(context);
}

}  // namespace cubist::rules

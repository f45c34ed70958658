// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "core/chip/slots.h"
#include "core/design/vector_op_info.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "SHAPE-01",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "Ranks do not fit",
         .titleZh = "维数不匹配",
         .explanation = "A matmul takes matrices, or batches of them with up to two axes in front and the same rank, "
                        "and what is stored has at most as many axes as its tensor.",
         .explanationZh =
             "矩阵乘的操作数必须是矩阵，或前面最多有两个 batch 轴且维数相同；写出的值的维数不得多于目标张量。",
         .formula = "2 <= rank(A) = rank(B) <= 4; rank(value) <= rank(tensor)",
         .source = "hicann/pypto, matmul and assemble pages"},
    Rule{.id = "SHAPE-02",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The inner axes of a matmul differ",
         .titleZh = "矩阵乘的 K 轴不一致",
         .explanation =
             "K of A and K of B must be equal. Check the transposition: with a_trans A is stored [K, M], with b_trans "
             "B is stored [N, K].",
         .explanationZh = "A 与 B 的 K 必须相等。请检查转置：a_trans 时 A 存储为 [K, M]，b_trans 时 B 存储为 [N, K]。",
         .formula = "K(A) = K(B)",
         .source = "hicann/pypto, matmul page"},
    Rule{.id = "SHAPE-03",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "Operands do not broadcast",
         .titleZh = "操作数无法广播",
         .explanation = "Axes of the operands of an element-wise operation, and the batch axes of a matmul, are equal "
                        "or 1, and the ranks are equal.",
         .explanationZh = "逐元素运算的操作数以及矩阵乘的 batch 轴相等或为 1，维数相同。",
         .formula = "extent(a) = extent(b), or one of them is 1",
         .source = "hicann/pypto, pages of the element-wise operations"},
    Rule{.id = "SHAPE-04",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A window lies outside of its tensor",
         .titleZh = "窗口超出张量范围",
         .explanation = "The valid part of a view or store must lie inside of its tensor in every iteration.",
         .explanationZh = "在每次迭代中，view 或写出的有效部分都必须位于张量之内。",
         .formula = "0 <= offset, offset + valid <= extent",
         .source = "hicann/pypto, view and assemble pages"},
    Rule{.id = "SHAPE-05",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A stored value has another type than its tensor",
         .titleZh = "写出的值与张量类型不同",
         .explanation = "Cast the value in a vector stage before it is stored.",
         .explanationZh = "请在写出之前用 V 阶段转换类型。",
         .formula = "type(value) = type(tensor)",
         .source = "hicann/pypto, assemble page"},
    Rule{.id = "SHAPE-06",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The shape of a view is not constant",
         .titleZh = "view 的 shape 不是常量",
         .explanation =
             "PyPTO takes plain integers for the shape of a view. Let the shape be the largest one and give the part "
             "that varies as valid_shape. In a loop that is written out at compile time its index, and with it a group "
             "list, is an integer of each copy and may stand there.",
         .explanationZh = "PyPTO 的 view 只接受整数 shape。请将 shape 设为最大值，变化的部分用 valid_shape 给出。"
                          "在编译时展开的循环中，下标（以及分组列表）在每份拷贝中都是整数，可以用于 shape。",
         .formula =
             "symbols, indices and lists in the shape = 0, but for static symbols, factors and indices of static "
             "loops, and lists in these",
         .source = "hicann/pypto, view page"},
    Rule{.id = "SHAPE-07",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "These axes cannot be exchanged",
         .titleZh = "不支持交换这两个轴",
         .explanation = "Of four axes only (0, 2), (1, 2), (1, 3) and (2, 3) change places. Two transpositions, or a "
                        "reshape before, give the others.",
         .explanationZh = "四维张量只能交换 (0, 2)、(1, 2)、(1, 3)、(2, 3)。其余情况请分两次转置或先 reshape。",
         .formula = "4 axes: (0, 2), (1, 2), (1, 3), (2, 3)",
         .source = "hicann/pypto, transpose page"},
    Rule{
        .id = "SHAPE-08",
        .family = RuleFamily::TensorShape,
        .enforced = Severity::Error,
        .documented = Severity::Error,
        .title = "Scales or bias of a matmul have another shape",
        .titleZh = "矩阵乘的 scale 或 bias 形状不符",
        .explanation =
            "scaled_mm takes one pair of E8M0 scales for 64 elements along K: scale_a [M, ceil(K/64), 2] (transposed "
            "[ceil(K/64), M, 2]), scale_b [ceil(K/64), N, 2] (transposed [N, ceil(K/64), 2]), without batch axes. A "
            "bias is [1, N], with three axes also [B, 1, N]; a scale_tensor is [1, N].",
        .explanationZh =
            "scaled_mm 沿 K 每 64 个元素有一对 E8M0 scale：scale_a 为 [M, ceil(K/64), 2]（转置为 [ceil(K/64), M, 2]），"
            "scale_b 为 [ceil(K/64), N, 2]（转置为 [N, ceil(K/64), 2]），没有 batch 轴。bias 为 [1, N]，三维时还可为 "
            "[B, 1, N]；scale_tensor 为 [1, N]。",
        .formula =
            "scale_a = [M, ceil(K / 64), 2], scale_b = [ceil(K / 64), N, 2], bias = [1, N], scale_tensor = [1, N]",
        .source = "hicann/pypto, matmul and scaled_mm pages"},
    Rule{.id = "SHAPE-09",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An operand has an axis that only a run knows",
         .titleZh = "操作数含有运行时才知道的轴",
         .explanation =
             "Operands of operations have static shapes: PyPTO refuses an axis that is declared DYNAMIC. Look at the "
             "tensor through a view in a loop, or let the symbol be static: then each value is compiled for itself.",
         .explanationZh =
             "运算的操作数必须是静态 shape：PyPTO 拒绝声明为 DYNAMIC 的轴。请在循环中通过 view 读取张量，或将符号设为 "
             "static，此时每个值单独编译。",
         .formula = "symbols in the shape of an operand = 0, but for static ones",
         .source = "hicann/pypto, matmul page and the tutorials on dynamic axes",
         .pyptoCode = "F0000A"},
    Rule{.id = "SHAPE-10",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The operation does not take this many axes",
         .titleZh = "该运算不支持这么多轴",
         .explanation = "fillpad takes tensors of one or two axes.",
         .explanationZh = "fillpad 仅支持一维或二维张量。",
         .formula = "rank(operand) <= 2 for fillpad",
         .source = "hicann/pypto, fillpad page"},
    Rule{.id = "TAIL-01",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A tail without valid_shape",
         .titleZh = "尾块缺少 valid_shape",
         .explanation =
             "The axis is not a whole number of tiles, so the last iteration reaches beyond the tensor. Say how much "
             "of it is valid; the rest then reads as zero and is not stored.",
         .explanationZh =
             "该轴不是切分的整数倍，最后一次迭代会越过张量末尾。请给出有效长度；其余部分读为零，且不会写出。",
         .formula = "valid = min(extent - offset, tile)",
         .source = "hicann/pypto, view page and the tutorials on dynamic axes"},
    Rule{.id = "TAIL-03",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The valid part is larger than the window, or negative",
         .titleZh = "valid 大于窗口或为负",
         .explanation =
             "valid_shape is at most the shape of the view: what lies beyond it is never read, and its results "
             "are missing. Use a larger window, or a loop over pieces of the group. A negative extent is none: the "
             "iteration lies behind the end of the axis.",
         .explanationZh =
             "valid_shape 不能超过 view 的 shape：超出部分不会被读取，其结果会缺失。请增大窗口，或对分组再循环切块。"
             "负的长度没有意义：该次迭代已在轴末尾之后。",
         .formula = "0 <= valid <= shape",
         .source = "hicann/pypto, view page; pypto-gym, lint rules (valid_shape through .min(TILE))"},
};

std::size_t symbolIndex(const Design& design, const std::string& name) {
    std::size_t index = 0;
    while (index < design.symbols.size() && design.symbols[index].id.text != name) ++index;
    return index;
}

/// SHAPE-09: an operand that is a whole tensor with an axis that only a run knows.
void checkDynamic(CheckContext& context, const ResolvedBlock& block, const ValueId& id, const std::string& place) {
    const Design& design = *context.design.design;
    const ResolvedValue* value = context.design.value(id);
    if (value == nullptr || value->kind != ResolvedValue::Kind::Tensor) return;
    std::string axes, symbols;
    std::vector<Edit> edits;
    for (const Expression& extent : value->tensor->shape) {
        const auto names = extent.names();
        if (!names) return;
        for (const std::string& name : *names) {
            const std::size_t index = symbolIndex(design, name);
            if (index == design.symbols.size() || design.symbols[index].isStatic) continue;
            axes += (axes.empty() ? "" : ", ") + extent.text();
            const Edit edit{"/symbols/" + text(static_cast<std::int64_t>(index)) + "/static", true};
            const bool known =
                std::any_of(edits.begin(), edits.end(), [&](const Edit& other) { return other.where == edit.where; });
            if (known) continue;
            symbols += (symbols.empty() ? "" : ", ") + name;
            edits.push_back(edit);
        }
    }
    if (edits.empty()) return;
    Reported* entry =
        context.report("SHAPE-09", block.where + place, block.block->id(),
                       {"'" + id.text + "' has an axis of " + axes +
                            ", which is known when the kernel runs: look at it through a view in a loop, or let " +
                            symbols + " be static (each value is compiled for itself)",
                        "'" + id.text + "' 有长度为 " + axes + " 的轴，运行时才知道：请在循环中通过 view 读取，或将 " +
                            symbols + " 设为 static（每个值单独编译）"});
    if (entry != nullptr)
        entry->candidates.push_back({{"Let " + symbols + " be static", "将 " + symbols + " 设为 static"}, edits});
}

void checkDynamicOperands(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            checkDynamic(context, block, cube->a, "/a");
            checkDynamic(context, block, cube->b, "/b");
            checkDynamic(context, block, cube->scaleA, "/scale_a");
            checkDynamic(context, block, cube->scaleB, "/scale_b");
            checkDynamic(context, block, cube->bias, "/bias");
            checkDynamic(context, block, cube->scaleTensor, "/scale_tensor");
        }
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        for (std::size_t i = 0; stage != nullptr && i < stage->ops.size(); ++i)
            for (std::size_t k = 0; k < stage->ops[i].in.size(); ++k) {
                const ValueId* id = stage->ops[i].in[k].value();
                // Rows of a tensor in global memory are picked one by one.
                if (id == nullptr || (stage->ops[i].op == VectorOpCode::IndexSelect && k == 0)) continue;
                checkDynamic(
                    context, block, *id,
                    "/ops/" + text(static_cast<std::int64_t>(i)) + "/in/" + text(static_cast<std::int64_t>(k)));
            }
    }
}

/// SHAPE-10.
void checkRanks(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        for (std::size_t i = 0; stage != nullptr && i < stage->ops.size(); ++i) {
            const VectorOp& op = stage->ops[i];
            const auto rank = static_cast<std::int64_t>(context.design.value(op.out)->shape.size());
            if (op.op != VectorOpCode::FillPad || rank <= 2) continue;
            context.report(
                "SHAPE-10", block.where + "/ops/" + text(static_cast<std::int64_t>(i)) + "/in/0", stage->id,
                {"fillpad takes 1 or 2 axes, not " + text(rank), "fillpad 仅支持 1 或 2 个轴，实际为 " + text(rank)});
        }
    }
}

/// Does the expression ask a list? Then every iteration may be another case; else the first and the last show all.
bool asksList(const Expression& expression) {
    return expression.text().find_first_of("[") != std::string::npos ||
           expression.text().find("count(") != std::string::npos ||
           expression.text().find("start(") != std::string::npos;
}

/// Is the shape of the window the same everywhere?
bool isFixed(const View& view) {
    return std::all_of(view.shape.begin(), view.shape.end(),
                       [](const Expression& extent) { return extent.literal().has_value(); });
}

/// TAIL-03, the first iteration that shows it. Without a valid part the window itself is what is valid.
void checkValidPart(CheckContext& context, const ResolvedBlock& block, const View& view) {
    constexpr std::int64_t kMost = 4096;
    const std::vector<Expression>& given = view.valid.empty() ? view.shape : view.valid;
    const std::string key = view.valid.empty() ? "/shape/" : "/valid/";
    const bool lists = std::any_of(given.begin(), given.end(), asksList);
    for (const IndexValues& indices : someExecutions(context.design, block.loops, lists ? kMost : 0)) {
        const auto lookup = lookupWith(context.design, indices);
        const auto valid = evaluateAll(given, given.size(), lookup, block.where);
        const auto shape = evaluateAll(view.shape, view.shape.size(), lookup, block.where);
        if (!valid || !shape || valid->size() != shape->size()) return;  // other rules say why
        for (std::size_t axis = 0; axis < shape->size(); ++axis) {
            const std::int64_t extent = (*valid)[axis], most = std::max<std::int64_t>((*shape)[axis], 0);
            if (extent >= 0 && extent <= most) continue;
            std::string at, number = text(static_cast<std::int64_t>(axis));
            for (const auto& [name, value] : indices) at += (at.empty() ? "" : ", ") + name + " = " + text(value);
            const std::string what = view.valid.empty() ? "the shape" : "valid",
                              whatZh = view.valid.empty() ? "shape" : "valid";
            const std::string en = what + " on axis " + number + (at.empty() ? "" : " at " + at) + ": " + text(extent);
            const std::string zh =
                "第 " + number + " 轴的 " + whatZh + (at.empty() ? "" : "（" + at + "）") + "：" + text(extent);
            const std::string lost = text(extent < 0 ? 0 : extent - most);
            Reported* entry = context.report(
                "TAIL-03", block.where + key + number, view.id,
                extent < 0 ? Text{en + " < 0; a negative extent counts as 0", zh + " < 0；负的长度按 0 处理"}
                           : Text{en + " > " + text(most) + ", the extent of the window; " + lost + " of it are lost",
                                  zh + " > " + text(most) + "（窗口长度），丢失 " + lost});
            if (entry == nullptr) return;
            entry->finding.measured = static_cast<double>(extent);
            entry->finding.limit = static_cast<double>(extent < 0 ? 0 : most);
            return;
        }
    }
}

/// All loops in their last iteration; nothing when one has none.
IndexValues lastIteration(const ResolvedDesign& design, const ResolvedBlock& block) {
    const std::vector<IndexValues> some = someExecutions(design, block.loops, 0);
    return some.empty() ? IndexValues{} : some.back();
}

/// The number that follows `key` in a pointer.
std::size_t indexAfter(const std::string& where, std::string_view key) {
    const std::size_t at = where.find(key);
    std::size_t index = 0;
    if (at != std::string::npos) std::from_chars(where.data() + at + key.size(), where.data() + where.size(), index);
    return index;
}

const View* viewOf(const ResolvedBlock* block) {
    return block != nullptr ? std::get_if<View>(&block->block->content) : nullptr;
}

/// A view inside a loop that says nothing about its tail.
bool isTail(const ResolvedDesign& design, const ShapeProblem& problem) {
    const ResolvedBlock* block = design.block(problem.block);
    const View* view = viewOf(block);
    if (problem.kind != ShapeProblem::Kind::Bounds || view == nullptr || !view->valid.empty() || block->loops.empty())
        return false;
    const std::size_t axis = indexAfter(problem.where, block->where + "/offset/");
    const IndexValues last = lastIteration(design, *block);
    const auto offset =
        evaluateAll(view->offset, view->offset.size(), lookupWith(design, last), block->where + "/offset");
    const std::size_t rank = design.value(view->of)->shape.size();
    if (rank != view->shape.size() || axis >= rank) return false;  // axes that the view drops have no tail
    const std::int64_t extent = design.value(view->of)->shape[axis];
    const std::int64_t window = design.value(view->out)->shape[axis];
    return offset && (*offset)[axis] >= 0 && (*offset)[axis] < extent &&
           saturatingAdd((*offset)[axis], window) > extent;
}

void reportTail(CheckContext& context, const ShapeProblem& problem) {
    const ResolvedBlock& block = *context.design.block(problem.block);
    const View& view = *viewOf(&block);
    const ResolvedValue& of = *context.design.value(view.of);
    const std::size_t axis = indexAfter(problem.where, block.where + "/offset/");
    const IndexValues last = lastIteration(context.design, block);
    const auto offset = evaluateAll(view.offset, view.offset.size(), lookupWith(context.design, last), block.where);
    const std::int64_t at = (*offset)[axis], extent = of.shape[axis];
    const std::int64_t tile = context.design.value(view.out)->shape[axis];
    const std::string beyond = text(at) + " + " + text(tile) + " = " + text(at + tile) + " > " + text(extent);
    Reported* entry = context.report(
        "TAIL-01", block.where + "/valid", view.id,
        {"the last iteration reads beyond '" + view.of.text + "' on axis " + text(static_cast<std::int64_t>(axis)) +
             ": " + beyond + "; only " + text(extent - at) + " of " + text(tile) + " are valid",
         "最后一次迭代在第 " + text(static_cast<std::int64_t>(axis)) + " 轴上越过 '" + view.of.text + "'：" + beyond +
             "；" + text(tile) + " 个中只有 " + text(extent - at) + " 个有效"});
    if (entry == nullptr) return;
    entry->finding.measured = static_cast<double>(at + tile);
    entry->finding.limit = static_cast<double>(extent);
    if (of.kind != ResolvedValue::Kind::Tensor) return;
    std::vector<Expression> valid = view.shape;
    valid[axis] = Expression("min(" + of.tensor->shape[axis].text() + " - (" + view.offset[axis].text() + "), " +
                             view.shape[axis].text() + ")");
    entry->candidates.push_back({{"Set valid_shape to " + valid[axis].text() + " on that axis",
                                  "将该轴的 valid_shape 设为 " + valid[axis].text()},
                                 {{block.where + "/valid", valid}}});
}

std::string quotedShape(const CheckContext& context, const ValueId& id) {
    return "'" + id.text + "' " + text(context.design.value(id)->shape);
}

std::string rankZh(const CheckContext& context, const Block& block) {
    if (const auto* cube = std::get_if<CubeStage>(&block.content))
        return "矩阵乘的操作数必须是矩阵：" + quotedShape(context, cube->a) + "，" + quotedShape(context, cube->b);
    if (const auto* store = std::get_if<Store>(&block.content))
        return "维数不同：" + quotedShape(context, store->from) + "，" + quotedShape(context, ValueId(store->to.text));
    return "维数不匹配";
}

std::string innerZh(const CheckContext& context, const Block& block) {
    const auto* cube = std::get_if<CubeStage>(&block.content);
    if (cube == nullptr) return "K 轴不一致";
    const std::string transA = cube->aTrans ? "（转置）" : "", transB = cube->bTrans ? "（转置）" : "";
    return "K 轴不一致：" + quotedShape(context, cube->a) + transA + "，" + quotedShape(context, cube->b) + transB;
}

std::string broadcastZh(const CheckContext& context, const Block& block, const std::string& where) {
    std::string shapes;
    if (const auto* cube = std::get_if<CubeStage>(&block.content))
        shapes = quotedShape(context, cube->a) + "，" + quotedShape(context, cube->b);
    if (const auto* stage = std::get_if<VectorStage>(&block.content))
        for (const Operand& operand : stage->ops[indexAfter(where, "/ops/")].in)
            if (operand.value() != nullptr)
                shapes += (shapes.empty() ? "" : "，") + quotedShape(context, *operand.value());
    return "无法广播：" + shapes + "；各轴必须相等或为 1";
}

std::string dtypeZh(const CheckContext& context, const Block& block) {
    const auto* store = std::get_if<Store>(&block.content);
    if (store == nullptr) return "数据类型不同";
    const auto named = [&](const std::string& id) {
        return "'" + id + "' 为 " + std::string(toText(context.design.value(ValueId(id))->dtype));
    };
    return named(store->from.text) + "，" + named(store->to.text) + "：请在写出之前转换类型";
}

/// Scales, bias and the like of a cube stage.
std::string operandZh(const CheckContext& context, const Block& block, const std::string& where) {
    const auto* cube = std::get_if<CubeStage>(&block.content);
    if (cube == nullptr) return "操作数的形状不符";
    const std::string key = where.substr(where.rfind('/') + 1);
    const ValueId& id = key == "scale_a"   ? cube->scaleA
                        : key == "scale_b" ? cube->scaleB
                        : key == "bias"    ? cube->bias
                                           : cube->scaleTensor;
    return key + " 的形状不符：" + quotedShape(context, id);
}

std::string boundsZh(const CheckContext& context, const ResolvedBlock& block, const std::string& where) {
    const std::size_t axis = indexAfter(where, block.where + "/offset/");
    std::string name;
    if (const View* view = viewOf(&block)) name = quotedShape(context, view->of);
    if (const auto* store = std::get_if<Store>(&block.block->content))
        name = quotedShape(context, ValueId(store->to.text));
    return "窗口在第 " + text(static_cast<std::int64_t>(axis)) + " 轴上超出 " + name;
}

void reportProblem(CheckContext& context, const ShapeProblem& problem) {
    const ResolvedBlock& resolved = *context.design.block(problem.block);
    const Block& block = *resolved.block;
    const auto report = [&](std::string_view rule, std::string zh) {
        return context.report(rule, problem.where, problem.block, {problem.message, std::move(zh)});
    };
    switch (problem.kind) {
        case ShapeProblem::Kind::Rank: report("SHAPE-01", rankZh(context, block)); break;
        case ShapeProblem::Kind::Inner: {
            Reported* entry = report("SHAPE-02", innerZh(context, block));
            const auto* cube = std::get_if<CubeStage>(&block.content);
            if (entry == nullptr || cube == nullptr) break;
            entry->candidates.push_back({{cube->bTrans ? "Read B as [K, N]" : "Read B as [N, K]",
                                          cube->bTrans ? "按 [K, N] 读取 B" : "按 [N, K] 读取 B"},
                                         {{resolved.where + "/b_trans", !cube->bTrans}}});
            entry->candidates.push_back({{cube->aTrans ? "Read A as [M, K]" : "Read A as [K, M]",
                                          cube->aTrans ? "按 [M, K] 读取 A" : "按 [K, M] 读取 A"},
                                         {{resolved.where + "/a_trans", !cube->aTrans}}});
            break;
        }
        case ShapeProblem::Kind::Broadcast: report("SHAPE-03", broadcastZh(context, block, problem.where)); break;
        case ShapeProblem::Kind::Bounds: report("SHAPE-04", boundsZh(context, resolved, problem.where)); break;
        case ShapeProblem::Kind::DType: {
            const auto* store = std::get_if<Store>(&block.content);
            if (store != nullptr && problem.where == resolved.where + "/index") {
                // The same fault as an operand of index_add or index_put.
                const std::string type(toText(context.design.value(store->index)->dtype)), op(toText(store->op));
                context.report("DTYPE-07", problem.where, problem.block,
                               {"the index of " + op + " is " + type + ", it must be INT32 or INT64",
                                op + " 的索引为 " + type + "，必须为 INT32 或 INT64"});
                break;
            }
            Reported* entry = report("SHAPE-05", dtypeZh(context, block));
            if (entry == nullptr || store == nullptr) break;
            const ResolvedValue& from = *context.design.value(store->from);
            const std::string wanted(toText(context.design.value(ValueId(store->to.text))->dtype));
            if (from.kind == ResolvedValue::Kind::CubeResult)
                entry->candidates.push_back({{"Let the matmul give " + wanted, "让矩阵乘输出 " + wanted},
                                             {{context.design.blocks[from.block].where + "/out_dtype", wanted}}});
            break;
        }
        case ShapeProblem::Kind::NotConstant:
            report("SHAPE-06", "view 的 shape 必须是常量；请将变化的部分写入 valid");
            break;
        case ShapeProblem::Kind::Operand: report("SHAPE-08", operandZh(context, block, problem.where)); break;
        case ShapeProblem::Kind::Coverage: report("STORE-01", "输出没有被完整写入"); break;
    }
}

/// SHAPE-07.
void checkTransposes(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        for (std::size_t i = 0; stage != nullptr && i < stage->ops.size(); ++i) {
            const VectorOp& op = stage->ops[i];
            if (op.op != VectorOpCode::Transpose || context.design.value(op.out)->shape.size() != 4) continue;
            const auto axes = transposedAxes(op, 4);
            if (!axes) continue;
            const auto [low, high] = std::minmax(axes->first, axes->second);
            const bool refused = low == 0 && (high == 1 || high == 3);
            if (!refused) continue;
            const std::string pair =
                "(" + text(static_cast<std::int64_t>(low)) + ", " + text(static_cast<std::int64_t>(high)) + ")";
            context.report("SHAPE-07", block.where + "/ops/" + text(static_cast<std::int64_t>(i)) + "/dims", stage->id,
                           {"axes " + pair + " of a tensor with four cannot be exchanged in one step",
                            "四维张量不能一步交换 " + pair + " 轴"});
        }
    }
}

}  // namespace

std::span<const Rule> shapeRules() {
    return kRules;
}

void checkShapes(CheckContext& context) {
    checkTransposes(context);
    checkDynamicOperands(context);
    checkRanks(context);
    if (!groupState(context.design).broken)
        for (const ResolvedBlock& block : context.design.blocks)
            if (const auto* view = std::get_if<View>(&block.block->content);
                view != nullptr && (!view->valid.empty() || !isFixed(*view)))
                checkValidPart(context, block, *view);
    // A store that overruns only because its view has no tail says nothing new.
    const bool groupsBroken = groupState(context.design).broken;
    std::set<std::vector<std::size_t>> loopsWithTail;
    for (const ShapeProblem& problem : context.design.problems)
        if (isTail(context.design, problem) && !groupsBroken) {
            loopsWithTail.insert(context.design.block(problem.block)->loops);
            reportTail(context, problem);
        }
    for (const ShapeProblem& problem : context.design.problems) {
        if (isTail(context.design, problem)) continue;
        const ResolvedBlock& block = *context.design.block(problem.block);
        // What a wrong group list does to windows is said where the list is.
        if (problem.kind == ShapeProblem::Kind::Bounds && groupsBroken && !block.loops.empty()) continue;
        const bool store = std::holds_alternative<Store>(block.block->content);
        if (problem.kind == ShapeProblem::Kind::Bounds && store && loopsWithTail.contains(block.loops)) continue;
        reportProblem(context, problem);
    }
}

}  // namespace cubist::rules

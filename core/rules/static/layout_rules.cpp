// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <set>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"
#include "core/design/valid_memo.h"
#include "core/design/vector_op_info.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "STORE-09",
         .family = RuleFamily::Store,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An output cannot be in NZ",
         .titleZh = "输出不能使用 NZ",
         .explanation = "Results of matmuls and vector stages are written in ND; only inputs may be declared NZ.",
         .explanationZh = "矩阵乘和 V 阶段的结果以 ND 写出，只有输入可以声明为 NZ。",
         .formula = "format = ND for outputs",
         .source = "hicann/pypto, matmul page (c_matrix_nz); run on the PyPTO frontend",
         .pyptoCode = "F00002"},
    Rule{.id = "STORE-10",
         .family = RuleFamily::Store,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "Two tasks write into one block of 32 bytes",
         .titleZh = "两个任务写入同一个 32 字节块",
         .explanation =
             "Copies out of UB and L0C move blocks of 32 bytes. Where a tile ends inside of one, the next task "
             "writes the rest of it: each copy takes a partial burst, and both cores share the line.",
         .explanationZh = "从 UB 和 L0C 搬出以 32 字节块为单位。若 tile 在块内结束，剩余部分由下一个任务写入：每次搬运"
                          "都有不完整的 burst，两个核共享同一行。",
         .formula = "bytes of a tile's row mod 32 = 0, or of all its whole rows, where a cut goes through",
         .source = "hicann/pypto, set_vec_tile_shapes page; CANN DataCopyPad page",
         .compilerSilent = true},
    Rule{.id = "STORE-11",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "An indexed store covers only a part of its other axes",
         .titleZh = "按索引写出未覆盖其他轴的全部范围",
         .explanation =
             "index_add_ and index_put_ take slices that are whole along the axes that the index does not pick "
             "from; a window there is not supported.",
         .explanationZh = "index_add_ 和 index_put_ 的切片在索引轴以外必须完整，不支持窗口。",
         .formula = "extent of the value = extent of the tensor, on every other axis",
         .source = "hicann/pypto, index_add_ page"},
    Rule{.id = "VEC-10",
         .family = RuleFamily::Vector,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A vector operation reads a tensor in NZ",
         .titleZh = "V 算子读取 NZ 格式的张量",
         .explanation = "NZ is the order in which the cube reads. Nearly all vector operations refuse it: declare the "
                        "tensor ND, or let a matmul alone read it.",
         .explanationZh = "NZ 是 Cube 读取的排布，几乎所有 V 算子都不接受。请声明为 ND，或仅由矩阵乘读取该张量。",
         .formula = "format = ND for operands of vector operations",
         .source = "hicann/pypto, pages of the vector operations"},
    Rule{.id = "TAIL-02",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "A reduction along an axis with an invalid part",
         .titleZh = "沿含无效部分的轴归约",
         .explanation =
             "The emulated core reduces the valid elements only. On the chip, casts and row operations may lose "
             "the valid shape, and what lies beyond joins the sum: fill it with the neutral element (fillpad) "
             "or mask it first.",
         .explanationZh = "仿真核只归约有效元素。在芯片上，cast 和行操作可能丢失 valid_shape，无效部分会参与求和："
                          "请先用 fillpad 填入中性元素，或做掩码。",
         .formula = "valid(axis) = shape(axis)",
         .source = "hicann/pypto-gym, AT-20 (reductions need care)",
         .compilerSilent = true},
};

bool reduces(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array kOps{Sum, Prod, Amax, Amin, Softmax, RmsNorm, CumSum, TopK, Argsort};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

/// TAIL-02.
void checkReductions(CheckContext& context, const ResolvedBlock& block, const VectorStage& stage) {
    const std::vector<IndexValues> executions = someExecutions(context.design, block.loops, 64);
    for (std::size_t i = 0; i < stage.ops.size(); ++i) {
        const VectorOp& op = stage.ops[i];
        if (!reduces(op.op) || op.in.empty() || op.in[0].value() == nullptr) continue;
        const ResolvedValue& operand = *context.design.value(*op.in[0].value());
        const auto rank = static_cast<std::int64_t>(operand.shape.size());
        const std::int64_t dim = op.op == VectorOpCode::RmsNorm ? -1 : op.dim.value_or(-1);
        const std::int64_t axis = dim < 0 ? dim + rank : dim;
        if (axis < 0 || axis >= rank) continue;
        ValidMemo valids(context.design);
        for (const IndexValues& at : executions) {
            const auto valid = valids.of(operand.name, at);
            if (!valid) break;
            const std::int64_t present = (*valid)[static_cast<std::size_t>(axis)];
            const std::int64_t declared = operand.shape[static_cast<std::size_t>(axis)];
            if (present >= declared) continue;
            const std::string name = "'" + operand.name.text + "'";
            const std::string numbers = text(present) + " / " + text(declared);
            Reported* entry =
                context.report("TAIL-02", block.where + "/ops/" + text(static_cast<std::int64_t>(i)), stage.id,
                               {std::string(toText(op.op)) + " along axis " + text(axis) + " of " + name +
                                    ", of which " + numbers + " elements are valid; the compiler stays silent",
                                std::string(toText(op.op)) + " 沿 " + name + " 的第 " + text(axis) +
                                    " 轴归约，其中只有 " + numbers + " 个元素有效；编译器不会报错"});
            if (entry == nullptr) return;
            entry->finding.measured = static_cast<double>(present);
            entry->finding.limit = static_cast<double>(declared);
            return;
        }
    }
}

/// Extents of the block that one task of the producer writes, last two axes; nothing where it cannot be known.
std::optional<std::array<std::int64_t, 2>> taskTile(const ResolvedDesign& design, const ResolvedValue& value) {
    const Block& producer = *design.blocks[value.block].block;
    if (const auto* cube = std::get_if<CubeStage>(&producer.content)) return {{cube->tile.mL0(), cube->tile.nL0()}};
    const auto* stage = std::get_if<VectorStage>(&producer.content);
    if (stage == nullptr || stage->tile.size() < value.shape.size() || value.shape.size() < 2) return std::nullopt;
    return {{stage->tile[value.shape.size() - 2], stage->tile[value.shape.size() - 1]}};
}

/// STORE-10.
void checkSharing(CheckContext& context, const ResolvedBlock& block, const Store& store) {
    const ResolvedDesign& design = context.design;
    const ResolvedValue* value = design.value(store.from);
    const ResolvedValue* target = design.value(ValueId(store.to.text));
    if (value == nullptr || target == nullptr || isIndexed(store.op) || value->shape.size() < 2) return;
    if (value->kind != ResolvedValue::Kind::CubeResult && value->kind != ResolvedValue::Kind::OpResult) return;
    const auto tile = taskTile(design, *value);
    if (!tile || (*tile)[0] < 1 || (*tile)[1] < 1) return;
    const std::int64_t bits = bitsPerElement(target->dtype);
    const auto broken = [&](std::int64_t elements) { return saturatingMul(elements, bits) % 256 != 0; };
    const std::int64_t rows = value->shape[value->shape.size() - 2], columns = value->shape.back();
    // The rows of a vector tile are VEC-03.
    const bool cube = value->kind == ResolvedValue::Kind::CubeResult;
    const bool columnsCut = cube && columns > (*tile)[1] && broken((*tile)[1]);
    // Whole rows lie one behind the other: what counts is where the last one of a task ends.
    const std::int64_t taken = saturatingMul(std::min((*tile)[0], rows), columns);
    const bool rowsCut = rows > (*tile)[0] || design.executions(block) > 1;
    const bool endBroken = columns == target->shape.back() && columns <= (*tile)[1] && rowsCut && broken(taken);
    if (!columnsCut && !endBroken) return;
    const std::int64_t elements = columnsCut ? (*tile)[1] : taken;
    const std::int64_t bytes = saturatingMul(elements, bits) / 8;
    const std::string sum = text(elements) + " x " + text(bits) + " bit = " + text(bytes) + " B";
    Reported* entry =
        context.report("STORE-10", block.where + "/to", store.id,
                       {"tasks that write '" + store.to.text + "' share blocks of 32 bytes: each ends after " + sum +
                            ", " + text(bytes) + " mod 32 = " + text(bytes % 32),
                        "写入 '" + store.to.text + "' 的任务共享 32 字节块：各自结束于 " + sum + "，" + text(bytes) +
                            " mod 32 = " + text(bytes % 32)});
    if (entry == nullptr) return;
    entry->finding.measured = static_cast<double>(bytes);
    entry->finding.limit = 32;
}

/// STORE-11.
void checkIndexed(CheckContext& context, const ResolvedBlock& block, const Store& store) {
    if (!isIndexed(store.op)) return;
    const ResolvedValue* value = context.design.value(store.from);
    const ResolvedValue* target = context.design.value(ValueId(store.to.text));
    if (value == nullptr || target == nullptr || value->shape.size() != target->shape.size()) return;
    const auto axis = storeAxis(store, target->shape.size());
    for (std::size_t i = 0; axis && i < target->shape.size(); ++i) {
        if (i == *axis || value->shape[i] == target->shape[i]) continue;
        Reported* entry =
            context.report("STORE-11", block.where + "/from", store.id,
                           {"'" + store.from.text + "' " + text(value->shape) + " covers " + text(value->shape[i]) +
                                " of " + text(target->shape[i]) + " elements of axis " +
                                text(static_cast<std::int64_t>(i)) + " of '" + store.to.text + "'",
                            "'" + store.from.text + "' " + text(value->shape) + " 只覆盖 '" + store.to.text + "' 第 " +
                                text(static_cast<std::int64_t>(i)) + " 轴的 " + text(value->shape[i]) + " / " +
                                text(target->shape[i]) + " 个元素"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(value->shape[i]);
        entry->finding.limit = static_cast<double>(target->shape[i]);
        return;
    }
}

/// VEC-10, once for a tensor and stage.
void checkFormats(CheckContext& context, const ResolvedBlock& block, const VectorStage& stage) {
    std::set<const Tensor*> said;
    for (std::size_t i = 0; i < stage.ops.size(); ++i)
        for (std::size_t k = 0; k < stage.ops[i].in.size(); ++k) {
            const ValueId* id = stage.ops[i].in[k].value();
            const ResolvedValue* value = id != nullptr ? context.design.value(*id) : nullptr;
            const Tensor* tensor = value != nullptr ? value->tensor : nullptr;
            if (tensor == nullptr || tensor->format != Format::NZ || !said.insert(tensor).second) continue;
            const std::string name(toText(stage.ops[i].op)), of = "'" + tensor->id.text + "'";
            Reported* entry =
                context.report("VEC-10",
                               block.where + "/ops/" + text(static_cast<std::int64_t>(i)) + "/in/" +
                                   text(static_cast<std::int64_t>(k)),
                               stage.id, {name + " reads " + of + ", which is in NZ", name + " 读取 NZ 格式的 " + of});
            const auto index = static_cast<std::int64_t>(tensor - context.design.design->tensors.data());
            if (entry != nullptr)
                entry->candidates.push_back({{"Declare " + of + " ND", "将 " + of + " 声明为 ND"},
                                             {{"/tensors/" + text(index) + "/format", std::string("ND")}}});
        }
}

}  // namespace

std::span<const Rule> layoutRules() {
    return kRules;
}

void checkLayout(CheckContext& context) {
    const std::vector<Tensor>& tensors = context.design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].role == TensorRole::Input || tensors[i].format != Format::NZ) continue;
        const std::string where = "/tensors/" + text(static_cast<std::int64_t>(i)) + "/format";
        const std::string name = "'" + tensors[i].id.text + "'";
        if (Reported* entry = context.report(
                "STORE-09", where, BlockId(),
                {name + " is written by the kernel and cannot be in NZ", name + " 由 kernel 写入，不能使用 NZ"}))
            entry->candidates.push_back({{"Declare it ND", "声明为 ND"}, {{where, std::string("ND")}}});
    }
    for (const ResolvedBlock& block : context.design.blocks) {
        if (const auto* stage = std::get_if<VectorStage>(&block.block->content)) {
            checkReductions(context, block, *stage);
            checkFormats(context, block, *stage);
        }
        if (const auto* store = std::get_if<Store>(&block.block->content)) {
            checkSharing(context, block, *store);
            checkIndexed(context, block, *store);
        }
    }
}

}  // namespace cubist::rules

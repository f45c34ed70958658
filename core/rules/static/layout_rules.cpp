// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <set>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"
#include "core/design/indexed_store.h"
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
    Rule{.id = "TAIL-04",
         .family = RuleFamily::TensorShape,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "An operation takes elements that are not valid",
         .titleZh = "运算取用了无效元素",
         .explanation =
             "What lies beyond the valid part is copied into a result that counts as valid, or dropped: concat does "
             "not close the gap behind a shorter piece, a row that is stretched has to be there, an index needs one "
             "slice for each entry, and both operands of a product the same part of K. The emulated core reads zeros; "
             "the chip reads what happens to lie there. A checked run names the first element.",
         .explanationZh = "有效区域之外的内容被复制到视为有效的结果中，或被丢弃：concat "
                          "不会补上较短片段之后的空隙，被广播的行必须存在，"
                          "索引的每个元素都需要一个切片，乘积的两个操作数在 K "
                          "上的有效部分须相同。仿真核读到零，芯片读到该处的任意内容。检查模式会指出第一个元素。",
         .formula = "valid(axis) = shape(axis)",
         .source = "hicann/pypto, concat and expand_clone pages (the valid shape of a tail is not inferred)",
         .compilerSilent = true},
};

bool reduces(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array kOps{Sum, Prod, Amax, Amin, Softmax, RmsNorm, CumSum, TopK, Argsort};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

/// TAIL-02.
void checkReductions(CheckContext& context, const ResolvedBlock& block, const VectorStage& stage, ValidMemo& valids) {
    const std::vector<IndexValues> executions = someExecutions(context.design, block.loops, 64);
    for (std::size_t i = 0; i < stage.ops.size(); ++i) {
        const VectorOp& op = stage.ops[i];
        if (!reduces(op.op) || op.in.empty() || op.in[0].value() == nullptr) continue;
        const ResolvedValue& operand = *context.design.value(*op.in[0].value());
        const auto rank = static_cast<std::int64_t>(operand.shape.size());
        const std::int64_t dim = op.op == VectorOpCode::RmsNorm ? -1 : op.dim.value_or(-1);
        const std::int64_t axis = dim < 0 ? dim + rank : dim;
        if (axis < 0 || axis >= rank) continue;
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

/// The first element that an operand has not got.
struct Missing {
    std::size_t operand = 0, axis = 0;
    std::int64_t present = 0, wanted = 0;
};

/// What an operation knows of its operands in one iteration; numbers have no axes.
struct OperandParts {
    std::vector<std::vector<std::int64_t>> shapes, valids;
    std::vector<std::int64_t> outShape, outValid;
};

/// A row that is stretched although it is not there.
std::optional<Missing> missingRow(const OperandParts& parts, std::size_t first) {
    for (std::size_t k = first; k < parts.shapes.size(); ++k)
        for (std::size_t axis = 0; axis < parts.shapes[k].size(); ++axis)
            if (parts.shapes[k][axis] == 1 && parts.valids[k][axis] == 0) return Missing{k, axis, 0, 1};
    return std::nullopt;
}

/// Slices and the entries of the index that name them.
std::optional<Missing> missingSlices(const VectorOp& op, const OperandParts& parts) {
    const std::size_t source = parts.shapes.size() - 1, indices = source - 1;
    const std::size_t rank = parts.shapes[0].size();
    const std::size_t axis = indices > 1 ? 0 : axisOf(op, rank).value_or(0);
    if (parts.valids[source].empty() || parts.valids[source].size() + indices != rank + 1 || parts.valids[1].empty() ||
        parts.outValid.size() != rank)
        return std::nullopt;
    const std::int64_t slices = parts.valids[source][axis], entries = parts.valids[1].back();
    if (slices < entries) return Missing{source, axis, slices, entries};
    if (entries < slices) return Missing{1, 0, entries, slices};
    for (std::size_t a = 0; a < parts.valids[source].size(); ++a) {
        const std::size_t to = a > axis ? a + indices - 1 : a;
        if (a != axis && parts.valids[source][a] < parts.outValid[to])
            return Missing{source, a, parts.valids[source][a], parts.outValid[to]};
    }
    return std::nullopt;
}

std::optional<Missing> missingElements(const VectorOp& op, const OperandParts& parts) {
    using enum VectorOpCode;
    const auto isZero = [](std::int64_t extent) { return extent == 0; };
    const OpFamily family = opInfo(op.op).family;
    if (op.op == Slice) {
        const auto gone = std::find(parts.outValid.begin(), parts.outValid.end(), 0);
        if (gone == parts.outValid.end() || parts.valids[0].size() != parts.outValid.size() ||
            std::any_of(parts.valids[0].begin(), parts.valids[0].end(), isZero))
            return std::nullopt;
        const auto axis = static_cast<std::size_t>(gone - parts.outValid.begin());
        const std::int64_t from = op.offset.empty() ? 0 : op.offset[axis];
        return Missing{0, axis, parts.valids[0][axis], saturatingAdd(from, parts.outShape[axis])};
    }
    if (std::any_of(parts.outValid.begin(), parts.outValid.end(), isZero)) return std::nullopt;
    if (family == OpFamily::Elementwise || family == OpFamily::Compare || op.op == ExpandClone)
        return missingRow(parts, 0);
    if (op.op == Rope || op.op == RmsNorm) return missingRow(parts, 1);
    if (op.op == IndexAdd || op.op == IndexPut) return missingSlices(op, parts);
    if (op.op == Scatter && parts.shapes.size() > 2 && parts.shapes[2].size() == parts.shapes[1].size())
        for (std::size_t axis = 0; axis < parts.valids[1].size(); ++axis)
            if (parts.valids[2][axis] < parts.valids[1][axis])
                return Missing{2, axis, parts.valids[2][axis], parts.valids[1][axis]};
    if (op.op != Concat) return std::nullopt;
    const std::size_t axis = axisOf(op, parts.outShape.size()).value_or(0);
    for (std::size_t k = 0; k < parts.shapes.size(); ++k)
        if (axis < parts.shapes[k].size() && parts.valids[k][axis] < parts.shapes[k][axis])
            return Missing{k, axis, parts.valids[k][axis], parts.shapes[k][axis]};
    return std::nullopt;
}

std::optional<OperandParts> partsOf(const ResolvedDesign& design, ValidMemo& valids, const VectorOp& op,
                                    const IndexValues& at) {
    OperandParts parts;
    for (const Operand& operand : op.in) {
        parts.shapes.emplace_back();
        parts.valids.emplace_back();
        const ValueId* id = operand.value();
        if (id == nullptr) continue;
        auto valid = valids.of(*id, at);
        if (!valid) return std::nullopt;
        parts.shapes.back() = design.value(*id)->shape;
        parts.valids.back() = *std::move(valid);
    }
    auto valid = valids.of(op.out, at);
    if (!valid) return std::nullopt;
    parts.outShape = design.value(op.out)->shape;
    parts.outValid = *std::move(valid);
    return parts;
}

Text missingText(const std::string& name, const ValueId& operand, const Missing& missing) {
    const std::string of = "'" + operand.text + "'", axis = text(static_cast<std::int64_t>(missing.axis));
    const std::string first = text(missing.present), end = text(missing.wanted);
    return {name + " takes elements " + first + " to " + text(missing.wanted - 1) + " along axis " + axis + " of " +
                of + ", of which " + first + " / " + end + " are valid; the compiler stays silent",
            name + " 取用 " + of + " 第 " + axis + " 轴的元素 " + first + " 至 " + text(missing.wanted - 1) +
                "，其中只有 " + first + " / " + end + " 有效；编译器不会报错"};
}

/// TAIL-04. A slice may lie beyond the tail in some iterations, if it does not in all.
void checkMissing(CheckContext& context, const ResolvedBlock& block, const VectorStage& stage, ValidMemo& valids) {
    const std::vector<IndexValues> executions = someExecutions(context.design, block.loops, 64);
    for (std::size_t i = 0; i < stage.ops.size(); ++i) {
        const VectorOp& op = stage.ops[i];
        std::optional<Missing> found;
        for (const IndexValues& at : executions) {
            const auto parts = partsOf(context.design, valids, op, at);
            if (!parts) break;
            const auto missing = missingElements(op, *parts);
            if (op.op == VectorOpCode::Slice && !missing) {
                found.reset();
                break;
            }
            if (!found) found = missing;
            if (found && op.op != VectorOpCode::Slice) break;
        }
        if (!found) continue;
        Reported* entry =
            context.report("TAIL-04",
                           block.where + "/ops/" + text(static_cast<std::int64_t>(i)) + "/in/" +
                               text(static_cast<std::int64_t>(found->operand)),
                           stage.id, missingText(std::string(toText(op.op)), *op.in[found->operand].value(), *found));
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(found->present);
        entry->finding.limit = static_cast<double>(found->wanted);
    }
}

/// TAIL-04 of a product: both operands bring the same part of K.
void checkDepths(CheckContext& context, const ResolvedBlock& block, const CubeStage& stage, ValidMemo& valids) {
    for (const IndexValues& at : someExecutions(context.design, block.loops, 64)) {
        const auto a = valids.of(stage.a, at), b = valids.of(stage.b, at);
        if (!a || !b || a->size() < 2 || b->size() < 2) return;
        const std::size_t axisA = a->size() - (stage.aTrans ? 2 : 1), axisB = b->size() - (stage.bTrans ? 1 : 2);
        const auto isZero = [](std::int64_t extent) { return extent == 0; };
        const bool empty = std::any_of(a->begin(), a->end(), isZero) || std::any_of(b->begin(), b->end(), isZero);
        const std::vector<std::int64_t>& shapeA = context.design.value(stage.a)->shape;
        const std::vector<std::int64_t>& shapeB = context.design.value(stage.b)->shape;
        if (shapeA[axisA] != shapeB[axisB]) return;  // said elsewhere
        if (empty || (*a)[axisA] == (*b)[axisB]) continue;
        const bool first = (*a)[axisA] < (*b)[axisB];
        const Missing missing{0, first ? axisA : axisB, std::min((*a)[axisA], (*b)[axisB]),
                              std::max((*a)[axisA], (*b)[axisB])};
        Reported* entry =
            context.report("TAIL-04", block.where + (first ? "/a" : "/b"), stage.id,
                           missingText(std::string(toText(stage.op)), first ? stage.a : stage.b, missing));
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(missing.present);
        entry->finding.limit = static_cast<double>(missing.wanted);
        return;
    }
}

/// TAIL-04 of a store: entries of the index and slices of the value.
void checkEntries(CheckContext& context, const ResolvedBlock& block, const Store& store, ValidMemo& valids) {
    const ResolvedValue* value = context.design.value(store.from);
    const ResolvedValue* target = context.design.value(ValueId(store.to.text));
    const ResolvedValue* index = context.design.value(store.index);
    if (!isIndexed(store.op) || value == nullptr || target == nullptr || index == nullptr) return;
    const auto axis = storeAxis(store, target->shape.size());
    const std::size_t shift = target->shape.size() - std::min(target->shape.size(), value->shape.size());
    const std::size_t picked = indexedAxes(*index);
    if (!axis || *axis + picked < shift + 1 || *axis + picked - 1 - shift >= value->shape.size()) return;
    const std::size_t entriesAxis = *axis + picked - 1 - shift;
    for (const IndexValues& at : someExecutions(context.design, block.loops, 64)) {
        const auto slices = valids.of(store.from, at), entries = valids.of(store.index, at);
        if (!slices || !entries || entries->empty()) return;
        const std::int64_t given = (*slices)[entriesAxis], named = entries->back();
        if (given == named) continue;
        const bool lacksSlices = given < named;
        const Missing missing{0, lacksSlices ? entriesAxis : entries->size() - 1, std::min(given, named),
                              std::max(given, named)};
        Reported* entry =
            context.report("TAIL-04", block.where + (lacksSlices ? "/from" : "/index"), store.id,
                           missingText(std::string(toText(store.op)), lacksSlices ? store.from : store.index, missing));
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(missing.present);
        entry->finding.limit = static_cast<double>(missing.wanted);
        return;
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
    const ResolvedValue* index = context.design.value(store.index);
    if (value == nullptr || target == nullptr || index == nullptr) return;
    const auto axis = storeAxis(store, target->shape.size());
    const std::size_t picked = indexedAxes(*index);
    if (!axis || value->shape.size() + picked != target->shape.size() + 1) return;
    for (std::size_t i = 0; i < target->shape.size(); ++i) {
        const std::size_t own = i < *axis ? i : i + 1 - picked;
        if ((i >= *axis && i < *axis + picked) || value->shape[own] == target->shape[i]) continue;
        Reported* entry =
            context.report("STORE-11", block.where + "/from", store.id,
                           {"'" + store.from.text + "' " + text(value->shape) + " covers " + text(value->shape[own]) +
                                " of " + text(target->shape[i]) + " elements of axis " +
                                text(static_cast<std::int64_t>(i)) + " of '" + store.to.text + "'",
                            "'" + store.from.text + "' " + text(value->shape) + " 只覆盖 '" + store.to.text + "' 第 " +
                                text(static_cast<std::int64_t>(i)) + " 轴的 " + text(value->shape[own]) + " / " +
                                text(target->shape[i]) + " 个元素"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(value->shape[own]);
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
    ValidMemo valids(context.design);
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
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
            checkDepths(context, block, *cube, valids);
        if (const auto* stage = std::get_if<VectorStage>(&block.block->content)) {
            checkReductions(context, block, *stage, valids);
            checkMissing(context, block, *stage, valids);
            checkFormats(context, block, *stage);
        }
        if (const auto* store = std::get_if<Store>(&block.block->content)) {
            checkSharing(context, block, *store);
            checkIndexed(context, block, *store);
            checkEntries(context, block, *store, valids);
        }
    }
}

}  // namespace cubist::rules

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"
#include "core/rules/families.h"
#include "core/rules/static/coding_rule_texts.h"
#include "core/rules/static/data_flow.h"
#include "core/rules/static/store_writes.h"

namespace cubist::rules {

namespace {

constexpr std::int64_t kLargeWeight = std::int64_t{4} << 20;  // bytes

bool isNarrow(DType type) {
    return type == DType::FP8E4M3 || type == DType::FP8E5M2 || type == DType::HF8 || type == DType::FP4E2M1 ||
           type == DType::FP4E1M2;
}

/// CODE-01.
void checkWidened(CheckContext& context, const DataFlow& flow, std::size_t i, const VectorStage& stage) {
    if (flow.roleOf(i) != VectorRole::Prep) return;
    for (std::size_t op = 0; op < stage.ops.size(); ++op) {
        const VectorOp& cast = stage.ops[op];
        const ValueId* id = cast.op == VectorOpCode::Cast && !cast.in.empty() ? cast.in[0].value() : nullptr;
        if (id == nullptr || !cast.dtype || isNarrow(*cast.dtype)) continue;
        const DType from = context.design.value(*id)->dtype;
        if (!isNarrow(from)) continue;
        const std::string types = std::string(toText(from)) + " -> " + std::string(toText(*cast.dtype));
        context.report("CODE-01", context.design.blocks[i].where + "/ops/" + text(static_cast<std::int64_t>(op)),
                       stage.id,
                       {"'" + stage.id.text + "' casts '" + id->text + "' " + types +
                            " for a matmul; the cube multiplies it as it is, with scales by scaled_mm",
                        "'" + stage.id.text + "' 为矩阵乘将 '" + id->text + "' 转换 " + types +
                            "；cube 可以直接相乘，带缩放时用 scaled_mm"});
        return;
    }
}

bool accumulates(const Store& store) {
    return store.op == StoreOp::IndexAdd || store.op == StoreOp::AtomicAdd ||
           (store.op == StoreOp::IndexPut && store.accumulate);
}

/// CODE-02: a post stage of a loop whose result is added to an output, in a loop that also multiplies.
void checkPostLoop(CheckContext& context, const DataFlow& flow, std::size_t i, const VectorStage& stage) {
    const ResolvedDesign& design = context.design;
    const ResolvedBlock& block = design.blocks[i];
    if (block.loops.empty() || flow.roleOf(i) != VectorRole::Post) return;
    const Loop& loop = *design.loops[block.loops.back()].loop;
    // In a parallel loop the order of the sums is the larger matter: STORE-08.
    if (loop.form != LoopKind::Runtime || loop.parallel) return;
    const bool multiplies = std::any_of(flow.cubes().begin(), flow.cubes().end(), [&](std::size_t cube) {
        return design.blocks[cube].loops == block.loops && flow.reaches(cube, i);
    });
    if (!multiplies) return;
    for (const ResolvedBlock& other : design.blocks) {
        const auto* store = std::get_if<Store>(&other.block->content);
        if (store == nullptr || !accumulates(*store) || other.loops != block.loops) continue;
        const ResolvedValue* from = design.value(store->from);
        if (from == nullptr || from->producer != stage.id) continue;
        context.report("CODE-02", block.where, stage.id,
                       {"'" + stage.id.text + "' adds to '" + store->to.text +
                            "' in every iteration; a workspace and one stage after the loop do it at once",
                        "'" + stage.id.text + "' 在每次迭代中累加到 '" + store->to.text +
                            "'；可用 workspace 加循环后的一个阶段一次完成"});
        return;
    }
}

/// CODE-03.
void checkColumns(CheckContext& context, const VectorStage& stage) {
    if (context.design.design->options.combineAxis) return;
    for (std::size_t op = 0; op < stage.ops.size(); ++op)
        for (const Operand& operand : stage.ops[op].in) {
            const ValueId* id = operand.value();
            if (id == nullptr) continue;
            const std::vector<std::int64_t>& shape = context.design.value(*id)->shape;
            const std::vector<std::int64_t>& result = context.design.value(stage.ops[op].out)->shape;
            const bool column = shape.size() >= 2 && shape.back() == 1 && shape[shape.size() - 2] > 1;
            if (!column || result.size() != shape.size() || result.back() == 1) continue;
            Reported* entry =
                context.report("CODE-03", "/options/combine_axis", stage.id,
                               {"'" + id->text + "' " + text(shape) + " is stretched along its last axis in '" +
                                    stage.id.text + "' while combine_axis is off",
                                "'" + id->text + "' " + text(shape) + " 在 '" + stage.id.text +
                                    "' 中沿最后一轴广播，但未打开 combine_axis"});
            if (entry != nullptr)
                entry->candidates.push_back(
                    {{"Switch combine_axis on", "打开 combine_axis"}, {{"/options/combine_axis", true}}});
            return;
        }
}

/// CODE-04: once per tensor.
void checkWeights(CheckContext& context, const DataFlow& flow) {
    const std::vector<Tensor>& tensors = context.design.design->tensors;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        const Tensor& tensor = tensors[t];
        if (tensor.role != TensorRole::Input || tensor.format != Format::ND) continue;
        const ResolvedValue& value = *context.design.value(ValueId(tensor.id.text));
        if (value.shape.size() < 2) continue;
        std::int64_t bytes = hostBytesPerElement(tensor.dtype);
        for (const std::int64_t extent : value.shape) bytes = saturatingMul(bytes, extent);
        if (bytes < kLargeWeight) continue;
        const bool weight = std::any_of(flow.cubes().begin(), flow.cubes().end(), [&](std::size_t cube) {
            const auto& stage = std::get<CubeStage>(context.design.blocks[cube].block->content);
            const ResolvedValue* b = context.design.value(stage.b);
            return stage.op == CubeOp::Matmul && b != nullptr && b->tensor == &tensor;
        });
        if (!weight) continue;
        const std::string where = "/tensors/" + text(static_cast<std::int64_t>(t)) + "/format";
        const std::string size = text(bytes / (1 << 20)) + " MiB";
        Reported* entry = context.report("CODE-04", where, BlockId(),
                                         {"the weight '" + tensor.id.text + "' has " + size + " in ND",
                                          "权重 '" + tensor.id.text + "' 以 ND 存放，共 " + size});
        if (entry == nullptr) continue;
        entry->finding.measured = static_cast<double>(bytes);
        entry->finding.limit = static_cast<double>(kLargeWeight);
        entry->candidates.push_back({{"Declare it NZ", "声明为 NZ"}, {{where, std::string("NZ")}}});
    }
}

/// The outermost loop around a block whose iterations are independent by declaration.
std::optional<std::size_t> parallelLoopOf(const ResolvedDesign& design, const ResolvedBlock& block) {
    for (const std::size_t loop : block.loops)
        if (design.loops[loop].loop->parallel && design.loops[loop].loop->form == LoopKind::Runtime) return loop;
    return std::nullopt;
}

/// Does another iteration of the parallel loop read what the store writes? Blocks that take the whole tensor do; of
/// the windows of views the places are compared.
bool readsBeside(const ResolvedDesign& design, const ResolvedBlock& writer, const Store& store,
                 const ResolvedBlock& reader, std::size_t parallel) {
    const ValueId tensor(store.to.text);
    if (std::find(reader.loops.begin(), reader.loops.end(), parallel) == reader.loops.end()) return false;
    const auto* view = std::get_if<View>(&reader.block->content);
    if (view == nullptr) {
        const std::vector<ValueId> reads = readsOf(*reader.block);
        return std::find(reads.begin(), reads.end(), tensor) != reads.end();
    }
    if (view->of != tensor || (store.op != StoreOp::Slice && store.op != StoreOp::Assemble)) return false;
    if (saturatingAdd(design.executions(writer), design.executions(reader)) > kQuickWrites) return false;
    const std::vector<std::int64_t>& shape = design.value(tensor)->shape;
    std::vector<Write> writes, reads;
    return writesOf(design, writer, store, shape.size(), writes) && readsOf(design, reader, *view, reads) &&
           allInside(writes, shape) && allInside(reads, shape) && unorderedRead(writes, reads, shape.size());
}

/// CODE-05.
void checkIndependence(CheckContext& context) {
    const ResolvedDesign& design = context.design;
    for (const ResolvedBlock& writer : design.blocks) {
        const auto* store = std::get_if<Store>(&writer.block->content);
        const auto parallel = store != nullptr ? parallelLoopOf(design, writer) : std::nullopt;
        if (!parallel) continue;
        const auto reader = std::find_if(design.blocks.begin(), design.blocks.end(), [&](const ResolvedBlock& block) {
            return readsBeside(design, writer, *store, block, *parallel);
        });
        if (reader == design.blocks.end()) continue;
        const Loop& loop = *design.loops[*parallel].loop;
        Reported* entry = context.report(
            "CODE-05", reader->where, reader->block->id(),
            {"'" + reader->block->id().text + "' reads '" + store->to.text + "', which '" + store->id.text +
                 "' writes in other iterations of the parallel loop '" + loop.id.text + "'",
             "'" + reader->block->id().text + "' 读取 '" + store->to.text + "'，而 '" + store->id.text +
                 "' 在并行循环 '" + loop.id.text + "' 的其他迭代中写入它"});
        if (entry != nullptr)
            entry->candidates.push_back(
                {{"Make the loop serial", "改为串行循环"}, {{design.loops[*parallel].where + "/parallel", false}}});
        return;
    }
}

}  // namespace

std::span<const Rule> codingRules() {
    return kCodingRules;
}

void checkCoding(CheckContext& context) {
    const DataFlow flow(context.design);
    bool columns = false;
    for (std::size_t i = 0; i < context.design.blocks.size(); ++i) {
        const auto* stage = std::get_if<VectorStage>(&context.design.blocks[i].block->content);
        if (stage == nullptr) continue;
        checkWidened(context, flow, i, *stage);
        checkPostLoop(context, flow, i, *stage);
        const std::size_t before = context.reported.size();
        if (!columns) checkColumns(context, *stage);
        columns = columns || context.reported.size() != before;
    }
    checkWeights(context, flow);
    checkIndependence(context);
}

}  // namespace cubist::rules

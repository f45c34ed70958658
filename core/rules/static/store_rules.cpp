// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "core/chip/slots.h"
#include "core/rules/families.h"
#include "core/rules/static/index_entries.h"
#include "core/rules/static/store_coverage.h"
#include "core/rules/static/store_writes.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "STORE-01",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Elements of an output are never written",
         .titleZh = "输出中有元素从未写入",
         .explanation =
             "What no store covers keeps whatever the memory held; the emulated core starts from zeros. More than 1024 "
             "writes are looked at by a run, which says so where it does not know.",
         .explanationZh =
             "未被写出覆盖的元素保留内存原有内容；仿真核从零开始。超过 1024 次写出时由运行检查，无法判断时会说明。",
         .formula = "sum of written elements = elements of the tensor",
         .source = "hicann/pypto, assemble page"},
    Rule{.id = "STORE-02",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Elements of an output are written twice",
         .titleZh = "输出中有元素被写入两次",
         .explanation =
             "The later write wins, and overlapping writes make iterations wait for each other. More than 1024 writes "
             "are looked at by a run.",
         .explanationZh = "后一次写入生效，重叠的写入还会使迭代相互等待。超过 1024 次写出时由运行检查。",
         .formula = "writes of each element <= 1",
         .source = "hicann/pypto, assemble page"},
    Rule{.id = "STORE-03",
         .family = RuleFamily::Store,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An output is never written",
         .titleZh = "输出从未写入",
         .explanation =
             "No store of the design goes into the tensor, so the kernel would hand back what the memory held.",
         .explanationZh = "设计中没有任何写出指向该张量，kernel 会返回内存原有内容。",
         .formula = "stores into the tensor >= 1",
         .source = "hicann/pypto, assemble page"},
    Rule{.id = "STORE-04",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "Parallel iterations write the same elements",
         .titleZh = "并行迭代写入相同元素",
         .explanation =
             "Iterations of a parallel loop are declared independent, so which of them wins is not defined. The "
             "emulated core keeps the program's order. More than 1024 writes are looked at by a run.",
         .explanationZh = "并行循环的迭代被声明为相互独立，重叠写入的结果未定义；仿真核按程序顺序执行。超过 1024 "
                          "次写出时由运行检查。",
         .formula = "writes of each element by parallel iterations <= 1",
         .source = "hicann/pypto, loop and assemble pages",
         .compilerSilent = true},
    Rule{.id = "STORE-05",
         .family = RuleFamily::Store,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A tensor is viewed and assembled in one root function",
         .titleZh = "同一根函数内既 view 又 assemble 同一张量",
         .explanation = "Reading a window of a tensor and writing windows of it in one loop body makes a dependency "
                        "cycle. Split reading and writing by a loop.",
         .explanationZh = "在同一循环体内读取并写入同一张量的窗口会形成依赖环。请用循环将读写分开。",
         .formula = "a tensor is viewed or assembled in a root function, not both",
         .source = "hicann/pypto, view and assemble pages",
         .pyptoCode = "F21009"},
    Rule{
        .id = "STORE-06",
        .family = RuleFamily::Store,
        .enforced = Severity::Warning,
        .documented = Severity::Warning,
        .title = "A workspace is of no use",
        .titleZh = "workspace 未起作用",
        .explanation = "A workspace that nothing writes reads as zeros; one that nothing reads is written for nothing.",
        .explanationZh = "从未写入的 workspace 读出全零；从未读取的 workspace 白白写出。",
        .formula = "stores into the workspace >= 1, readers >= 1",
        .source = "hicann/pypto-gym, grouped operators with a workspace"},
    Rule{
        .id = "STORE-07",
        .family = RuleFamily::Store,
        .enforced = Severity::Hint,
        .documented = Severity::Warning,
        .title = "index_put without accumulate: equal entries have no order",
        .titleZh = "index_put 未累加：重复的索引没有确定顺序",
        .explanation =
            "When two entries of the index are equal, the hardware keeps either slice. The emulated core lets the last "
            "one win. Use accumulate or index_add, or make sure that the entries differ. Where the data is known to "
            "have equal entries, this is a warning even under the checks of the compiler, and an error under all that "
            "is documented.",
        .explanationZh = "索引中有相同元素时，硬件保留哪一个切片不确定；仿真核心以最后一个为准。请使用 accumulate 或 "
                         "index_add，或保证索引互不相同。已知数据中有相同元素时，在编译器检查的规则集下为警告，在全部"
                         "文档规则下为错误。",
        .formula = "entries of the index are pairwise different",
        .source = "hicann/pypto, index_put_ page",
        .compilerSilent = true,
        .formulaId = "F-72"},
    Rule{.id = "STORE-08",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Parallel iterations add to one output in no fixed order",
         .titleZh = "并行迭代以不确定的顺序累加到同一输出",
         .explanation =
             "Sums of floats depend on their order, which a parallel loop does not fix; two runs on the "
             "hardware may differ. The emulated core adds in the order of the iterations. Rows without an index "
             "that lie apart are no sums; checked for up to 1024 writes.",
         .explanationZh =
             "浮点和与顺序有关，而并行循环不固定顺序，硬件上两次运行的结果可能不同。仿真核心按迭代顺序累加。"
             "不带索引且互不重叠的行不构成求和；最多检查 1024 次写出。",
         .formula = "additions to each element by parallel iterations <= 1",
         .source = "hicann/pypto, atomic_add and loop pages",
         .compilerSilent = true,
         .formulaId = "F-72"},
};

/// STORE-02 or STORE-04, once per output.
void reportOverlap(CheckContext& context, const Tensor& tensor, const std::vector<Write>& writes,
                   const Coverage& coverage) {
    const std::optional<WritePair>& pair = coverage.unordered ? coverage.unordered : coverage.overlap;
    if (!pair) return;
    const Write &earlier = writes[pair->earlier], &later = writes[pair->later];
    const std::string places = earlier.place() + " and " + later.place();
    const std::string placesZh = earlier.place() + " 与 " + later.place();
    context.report(coverage.unordered ? "STORE-04" : "STORE-02", later.block->where + "/offset",
                   later.block->block->id(),
                   {"writes into '" + tensor.id.text + "' overlap: " + places,
                    "对 '" + tensor.id.text + "' 的写入重叠：" + placesZh});
}

std::int64_t elementsOf(const std::vector<std::int64_t>& shape) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) elements = saturatingMul(elements, extent);
    return elements;
}

std::vector<ValueId> operandsOf(const Block& block) {
    if (const auto* view = std::get_if<View>(&block.content)) return {view->of};
    if (const auto* store = std::get_if<Store>(&block.content)) return {store->from, store->index};
    if (const auto* cube = std::get_if<CubeStage>(&block.content))
        return {cube->a, cube->b, cube->scaleA, cube->scaleB, cube->bias, cube->scaleTensor};
    std::vector<ValueId> operands;
    if (const auto* stage = std::get_if<VectorStage>(&block.content))
        for (const VectorOp& op : stage->ops)
            for (const Operand& operand : op.in)
                if (const ValueId* id = operand.value()) operands.push_back(*id);
    return operands;
}

bool hasStore(const ResolvedDesign& design, const Tensor& tensor) {
    return std::any_of(design.blocks.begin(), design.blocks.end(), [&](const ResolvedBlock& block) {
        const auto* store = std::get_if<Store>(&block.block->content);
        return store != nullptr && store->to == tensor.id;
    });
}

/// The tensor at the bottom of a view; empty when it is none.
TensorId viewedTensor(const ResolvedDesign& design, const Block& block) {
    const auto* view = std::get_if<View>(&block.content);
    const ResolvedValue* value = view != nullptr ? design.value(view->out) : nullptr;
    return value != nullptr && value->tensor != nullptr ? value->tensor->id : TensorId();
}

/// The loops that open root functions around a block.
std::vector<std::size_t> rootOf(const ResolvedDesign& design, const ResolvedBlock& block) {
    std::vector<std::size_t> loops;
    for (const std::size_t loop : block.loops)
        if (design.loops[loop].loop->form != LoopKind::Static) loops.push_back(loop);
    return loops;
}

/// STORE-05, once per tensor.
void checkCycle(CheckContext& context, const Tensor& tensor) {
    for (const ResolvedBlock& writer : context.design.blocks) {
        const auto* store = std::get_if<Store>(&writer.block->content);
        if (store == nullptr || store->to != tensor.id) continue;
        if (store->op != StoreOp::Slice && store->op != StoreOp::Assemble) continue;
        for (const ResolvedBlock& reader : context.design.blocks) {
            if (viewedTensor(context.design, *reader.block) != tensor.id) continue;
            if (rootOf(context.design, reader) != rootOf(context.design, writer)) continue;
            const std::string name = "'" + tensor.id.text + "'";
            const std::string view = "'" + reader.block->id().text + "'", put = "'" + store->id.text + "'";
            context.report("STORE-05", reader.where + "/of", reader.block->id(),
                           {view + " reads a window of " + name + " that " + put + " writes in the same loop body",
                            view + " 读取 " + name + " 的窗口，而 " + put + " 在同一循环体内写入该张量"});
            return;
        }
    }
}

bool isRead(const ResolvedDesign& design, const Tensor& tensor) {
    const ValueId id(tensor.id.text);
    return std::any_of(design.blocks.begin(), design.blocks.end(), [&](const ResolvedBlock& block) {
        const std::vector<ValueId> read = operandsOf(*block.block);
        return std::find(read.begin(), read.end(), id) != read.end();
    });
}

/// STORE-06.
void checkWorkspace(CheckContext& context, const Tensor& tensor, std::size_t index) {
    const bool written = hasStore(context.design, tensor);
    if (written && isRead(context.design, tensor)) return;
    context.report("STORE-06", "/tensors/" + text(static_cast<std::int64_t>(index)), BlockId(),
                   {"the workspace '" + tensor.id.text + (written ? "' is never read" : "' is never written"),
                    "workspace '" + tensor.id.text + (written ? "' 从未读取" : "' 从未写入")});
}

/// Says that STORE-01, 02 and 04 have not been looked at.
void reportUnknown(CheckContext& context, const Tensor& tensor, std::size_t index, std::int64_t count, bool tooMany) {
    const std::string name = "'" + tensor.id.text + "'", number = text(count);
    Reported* entry =
        context.report("STORE-01", "/tensors/" + text(static_cast<std::int64_t>(index)), BlockId(),
                       {"not checked: whether the " + number + " writes into " + name + " cover it and lie apart; " +
                            (tooMany ? "at most " + text(kMostWrites) + " are looked at" : "they lie too irregularly"),
                        "未检查：对 " + name + " 的 " + number + " 次写出是否覆盖全部元素且互不重叠；" +
                            (tooMany ? "最多检查 " + text(kMostWrites) + " 次" : "其位置过于不规则")});
    if (entry != nullptr) entry->finding.severity = Severity::Hint;
}

/// STORE-01, STORE-02 and STORE-04.
void checkWrites(CheckContext& context, const Tensor& tensor, std::size_t index) {
    // What a wrong group list does to writes is said where the list is.
    const GroupState groups = groupState(context.design);
    if (groups.broken) return;
    const std::int64_t count = writeCount(context.design, tensor).value_or(0);
    if (count > kMostWrites) return reportUnknown(context, tensor, index, count, true);
    std::vector<Write> writes;
    const std::vector<std::int64_t>& shape = context.design.value(ValueId(tensor.id.text))->shape;
    if (!writesInto(context.design, tensor, writes) || !allInside(writes, shape)) return;
    const std::optional<Coverage> coverage = coverageOf(writes, shape.size());
    if (!coverage) return reportUnknown(context, tensor, index, count, false);
    reportOverlap(context, tensor, writes, *coverage);
    // An inout tensor keeps what is not written; rows of no group are a matter of the list.
    if (tensor.role != TensorRole::Output || groups.leavesOut) return;
    const std::int64_t elements = elementsOf(shape), unwritten = elements - coverage->covered;
    if (unwritten == 0) return;
    const std::string missing = text(unwritten), all = text(elements);
    Reported* entry =
        context.report("STORE-01", "/tensors/" + text(static_cast<std::int64_t>(index)), BlockId(),
                       {missing + " of " + all + " elements of '" + tensor.id.text + "' are never written",
                        "'" + tensor.id.text + "' 的 " + all + " 个元素中有 " + missing + " 个从未写入"});
    if (entry == nullptr) return;
    entry->finding.measured = static_cast<double>(elements - unwritten);
    entry->finding.limit = static_cast<double>(elements);
}

void checkOutput(CheckContext& context, const Tensor& tensor, std::size_t index) {
    if (!hasStore(context.design, tensor)) {
        context.report(
            "STORE-03", "/tensors/" + text(static_cast<std::int64_t>(index)), BlockId(),
            {"the output '" + tensor.id.text + "' is never written", "输出 '" + tensor.id.text + "' 从未写入"});
        return;
    }
    if (const auto count = writeCount(context.design, tensor); count && *count <= kQuickWrites)
        checkWrites(context, tensor, index);
}

/// Do iterations that nothing orders surely write apart from each other into the tensor of the store?
bool addsApart(const ResolvedDesign& design, const Store& store) {
    std::vector<Write> writes;
    std::int64_t expected = 0;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* other = std::get_if<Store>(&block.block->content);
        if (other == nullptr || other->to != store.to) continue;
        expected = saturatingAdd(expected, design.executions(block));
        const std::size_t rank = design.value(ValueId(store.to.text))->shape.size();
        if (!other->index.empty() || expected > kQuickWrites || !writesOf(design, block, *other, rank, writes))
            return false;
    }
    return apartWhereUnordered(writes, design.value(ValueId(store.to.text))->shape.size());
}

/// Two equal entries of an index whose data the design itself gives: a list, or one number everywhere.
std::optional<EqualEntries> knownToRepeat(const ResolvedDesign& design, const Store& store) {
    const ResolvedValue* index = design.value(store.index);
    if (index == nullptr || index->kind != ResolvedValue::Kind::Tensor || index->tensor == nullptr) return std::nullopt;
    const Tensor& tensor = *index->tensor;
    if (tensor.role != TensorRole::Input || tensor.data.file) return std::nullopt;
    const auto entries = static_cast<std::size_t>(index->shape.back());
    if (!tensor.data.list.empty()) {
        const IntegerList* list = design.binding.lists.find(tensor.data.list.text);
        if (list == nullptr || index->shape.size() != 1) return std::nullopt;
        return equalEntries({list->values.begin(), list->values.end()}, entries);
    }
    if (tensor.data.generator != Generator::Constant || entries < 2) return std::nullopt;
    return EqualEntries{0, 1};
}

/// STORE-07 and STORE-08.
void checkOrder(CheckContext& context, const ResolvedBlock& block, const Store& store) {
    if (store.op == StoreOp::IndexPut && !store.accumulate) {
        const std::optional<EqualEntries> known = knownToRepeat(context.design, store);
        Reported* entry = context.report(
            "STORE-07", block.where + "/op", store.id,
            known ? repeatedText(store, *known)
                  : Text{"equal entries of '" + store.index.text + "' leave open which slice '" + store.to.text +
                             "' keeps",
                         "'" + store.index.text + "' 中的重复元素使 '" + store.to.text + "' 保留哪个切片不确定"});
        if (entry != nullptr && known)
            entry->finding.severity = context.profile == RuleProfile::Enforced ? Severity::Warning : Severity::Error;
    }
    const bool adds = store.op == StoreOp::IndexAdd || store.op == StoreOp::AtomicAdd || store.accumulate;
    // PyPTO has `parallel` in pypto.loop only: of other forms LOOP-05 says that it is not there.
    const bool parallel = std::any_of(block.loops.begin(), block.loops.end(), [&](std::size_t number) {
        const Loop& loop = *context.design.loops[number].loop;
        return loop.parallel && loop.form == LoopKind::Runtime;
    });
    if (!adds || !parallel || !isFloat(context.design.value(ValueId(store.to.text))->dtype)) return;
    if (addsApart(context.design, store)) return;
    context.report("STORE-08", block.where + "/op", store.id,
                   {"iterations of a parallel loop add to '" + store.to.text + "' in no fixed order",
                    "并行循环的迭代以不确定的顺序累加到 '" + store.to.text + "'"});
}

}  // namespace

std::optional<std::int64_t> unwrittenElements(const ResolvedDesign& design, const Tensor& tensor) {
    std::vector<Write> writes;
    const std::vector<std::int64_t>& shape = design.value(ValueId(tensor.id.text))->shape;
    const auto count = writeCount(design, tensor);
    if (!count || *count > kMostWrites || !writesInto(design, tensor, writes) || !allInside(writes, shape))
        return std::nullopt;
    const std::optional<Coverage> coverage = coverageOf(writes, shape.size());
    if (!coverage) return std::nullopt;
    return elementsOf(shape) - coverage->covered;
}

std::vector<Finding> findingsOfManyWrites(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile) {
    CheckContext context(design, chip, profile);
    const std::vector<Tensor>& tensors = design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].role == TensorRole::Input || tensors[i].role == TensorRole::Workspace) continue;
        if (writeCount(design, tensors[i]).value_or(0) > kQuickWrites) checkWrites(context, tensors[i], i);
    }
    std::vector<Finding> findings;
    for (Reported& each : context.reported) findings.push_back(std::move(each.finding));
    return findings;
}

std::span<const Rule> storeRules() {
    return kRules;
}

void checkStores(CheckContext& context) {
    const std::vector<Tensor>& tensors = context.design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].role == TensorRole::Input) continue;
        checkCycle(context, tensors[i]);
        if (tensors[i].role == TensorRole::Workspace)
            checkWorkspace(context, tensors[i], i);
        else
            checkOutput(context, tensors[i], i);
    }
    for (const ResolvedBlock& block : context.design.blocks)
        if (const auto* store = std::get_if<Store>(&block.block->content)) checkOrder(context, block, *store);
}

}  // namespace cubist::rules

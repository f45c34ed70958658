// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <limits>

#include "core/chip/slots.h"
#include "core/design/valid_memo.h"
#include "core/rules/families.h"
#include "core/rules/static/store_coverage.h"

namespace cubist::rules {

namespace {

/// Writes looked at per output; a design with more iterations is not checked, to keep editing fast.
constexpr std::int64_t kMaxWrites = 256;

constexpr std::array kRules{
    Rule{.id = "STORE-01",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Elements of an output are never written",
         .titleZh = "输出中有元素从未写入",
         .explanation =
             "What no store covers keeps whatever the memory held; the emulated core starts from zeros. Checked for "
             "up to 256 writes.",
         .explanationZh = "未被写出覆盖的元素保留内存原有内容；仿真核从零开始。最多检查 256 次写出。",
         .formula = "sum of written elements = elements of the tensor",
         .source = "hicann/pypto, assemble page"},
    Rule{.id = "STORE-02",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Elements of an output are written twice",
         .titleZh = "输出中有元素被写入两次",
         .explanation =
             "The later write wins, and overlapping writes make iterations wait for each other. Checked for up to 256 "
             "writes.",
         .explanationZh = "后一次写入生效，重叠的写入还会使迭代相互等待。最多检查 256 次写出。",
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
             "emulated core keeps the program's order. Checked for up to 256 writes.",
         .explanationZh =
             "并行循环的迭代被声明为相互独立，重叠写入的结果未定义；仿真核按程序顺序执行。最多检查 256 次写出。",
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
            "one win. Use accumulate or index_add, or make sure that the entries differ.",
        .explanationZh = "索引中有相同元素时，硬件保留哪一个切片不确定；仿真核心以最后一个为准。请使用 accumulate 或 "
                         "index_add，或保证索引互不相同。",
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
             "that lie apart are no sums; checked for up to 256 writes.",
         .explanationZh =
             "浮点和与顺序有关，而并行循环不固定顺序，硬件上两次运行的结果可能不同。仿真核心按迭代顺序累加。"
             "不带索引且互不重叠的行不构成求和；最多检查 256 次写出。",
         .formula = "additions to each element by parallel iterations <= 1",
         .source = "hicann/pypto, atomic_add and loop pages",
         .compilerSilent = true,
         .formulaId = "F-72"},
};

struct Write {
    const ResolvedBlock* block = nullptr;
    std::vector<std::int64_t> offset, extent;
    std::vector<std::int64_t> parallel;  ///< indices of the enclosing loops down to the parallel one; empty: serial

    [[nodiscard]] std::int64_t elements() const {
        std::int64_t count = 1;
        for (const std::int64_t n : extent) count = saturatingMul(count, n);
        return count;
    }
    /// Behind the last element; the end of the range where an offset was typed that no tensor has.
    [[nodiscard]] std::int64_t end(std::size_t axis) const {
        std::int64_t sum = 0;
        return __builtin_add_overflow(offset[axis], extent[axis], &sum) ? std::numeric_limits<std::int64_t>::max()
                                                                        : sum;
    }
    [[nodiscard]] bool overlaps(const Write& other) const {
        for (std::size_t axis = 0; axis < offset.size(); ++axis)
            if (offset[axis] >= other.end(axis) || other.offset[axis] >= end(axis)) return false;
        return elements() > 0 && other.elements() > 0;
    }
    [[nodiscard]] std::string place() const {
        std::string out = "[";
        for (std::size_t axis = 0; axis < offset.size(); ++axis)
            out += (axis == 0 ? "" : ", ") + text(offset[axis]) + ":" + text(end(axis));
        return out + "]";
    }
};

/// Indices of the loops around a block as far as the outermost parallel one.
std::vector<std::int64_t> parallelPlace(const ResolvedDesign& design, const ResolvedBlock& block,
                                        const IndexValues& indices) {
    std::vector<std::int64_t> place;
    for (const std::size_t number : block.loops) {
        const Loop& loop = *design.loops[number].loop;
        place.push_back(indices.at(loop.index));
        if (loop.parallel && loop.form == LoopKind::Runtime) return place;
    }
    return {};
}

/// Is the order of the two writes left open?
bool unordered(const Write& a, const Write& b) {
    if (a.parallel.empty() || a.block->loops.front() != b.block->loops.front()) return false;
    return a.parallel.size() == b.parallel.size() && a.parallel != b.parallel &&
           std::equal(a.parallel.begin(), a.parallel.end() - 1, b.parallel.begin());
}

/// Appends every execution of a store without an index. False when a place cannot be evaluated.
bool writesOf(const ResolvedDesign& design, const ResolvedBlock& block, const Store& store, std::size_t rank,
              std::vector<Write>& writes) {
    if (design.value(store.from)->shape.size() > rank) return false;
    ValidMemo valids(design);
    const auto complete = forEachExecution(design, block.loops, [&](const IndexValues& at) {
        const auto offset = evaluateAll(store.offset, rank, lookupWith(design, at), block.where + "/offset");
        const auto valid = valids.of(store.from, at);
        if (!offset || !valid) return false;
        // Axes in front that the value does not have count as 1.
        std::vector<std::int64_t> extent(rank - valid->size(), 1);
        extent.insert(extent.end(), valid->begin(), valid->end());
        writes.push_back({&block, *offset, std::move(extent), parallelPlace(design, block, at)});
        return true;
    });
    return complete && *complete;
}

/// All writes into a tensor. Empty-handed (false) when they are too many or do not fit the tensor.
bool writesInto(const ResolvedDesign& design, const Tensor& tensor, std::vector<Write>& writes) {
    std::int64_t expected = 0;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to != tensor.id) continue;
        // What accumulates may overlap, and an index says only at run time where it goes.
        if (store->op != StoreOp::Slice && store->op != StoreOp::Assemble) return false;
        expected = saturatingAdd(expected, design.executions(block));
        if (expected > kMaxWrites) return false;
        if (!writesOf(design, block, *store, tensor.shape.size(), writes)) return false;
    }
    return true;
}

bool isInside(const Write& write, const std::vector<std::int64_t>& shape) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (write.offset[axis] < 0 || write.extent[axis] > shape[axis] - write.offset[axis]) return false;
    return true;
}

/// STORE-02 or STORE-04, once per output.
void reportOverlap(CheckContext& context, const Tensor& tensor, const std::vector<Write>& writes) {
    for (std::size_t later = 0; later < writes.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            if (!writes[later].overlaps(writes[earlier])) continue;
            const std::string places = writes[earlier].place() + " and " + writes[later].place();
            const std::string placesZh = writes[earlier].place() + " 与 " + writes[later].place();
            const std::string_view rule = unordered(writes[earlier], writes[later]) ? "STORE-04" : "STORE-02";
            context.report(rule, writes[later].block->where + "/offset", writes[later].block->block->id(),
                           {"writes into '" + tensor.id.text + "' overlap: " + places,
                            "对 '" + tensor.id.text + "' 的写入重叠：" + placesZh});
            return;
        }
}

/// Elements that at least one of the writes covers: slabs between the cuts of one axis after the other.
std::int64_t coveredElements(const std::vector<const Write*>& writes, std::size_t axis, std::size_t rank) {
    if (writes.empty()) return 0;
    if (axis == rank) return 1;
    std::vector<std::int64_t> cuts;
    for (const Write* write : writes) {
        cuts.push_back(write->offset[axis]);
        cuts.push_back(write->end(axis));
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::int64_t covered = 0;
    std::vector<const Write*> across;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        across.clear();
        for (const Write* write : writes)
            if (write->offset[axis] <= cuts[i] && cuts[i + 1] <= write->end(axis)) across.push_back(write);
        covered = saturatingAdd(covered, saturatingMul(cuts[i + 1] - cuts[i], coveredElements(across, axis + 1, rank)));
    }
    return covered;
}

bool allInside(const std::vector<Write>& writes, const std::vector<std::int64_t>& shape) {
    return std::all_of(writes.begin(), writes.end(), [&](const Write& write) { return isInside(write, shape); });
}

std::int64_t elementsOf(const std::vector<std::int64_t>& shape) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) elements = saturatingMul(elements, extent);
    return elements;
}

/// Elements that none of the writes covers.
std::int64_t missingElements(const std::vector<Write>& writes, const std::vector<std::int64_t>& shape) {
    std::vector<const Write*> filled;
    for (const Write& write : writes)
        if (write.elements() > 0) filled.push_back(&write);
    return elementsOf(shape) - coveredElements(filled, 0, shape.size());
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

void checkOutput(CheckContext& context, const Tensor& tensor, std::size_t index) {
    if (!hasStore(context.design, tensor)) {
        context.report(
            "STORE-03", "/tensors/" + text(static_cast<std::int64_t>(index)), BlockId(),
            {"the output '" + tensor.id.text + "' is never written", "输出 '" + tensor.id.text + "' 从未写入"});
        return;
    }
    std::vector<Write> writes;
    const std::vector<std::int64_t>& shape = context.design.value(ValueId(tensor.id.text))->shape;
    if (!writesInto(context.design, tensor, writes)) return;
    if (!allInside(writes, shape)) return;
    // What a wrong group list does to writes is said where the list is.
    const GroupState groups = groupState(context.design);
    if (groups.broken) return;
    reportOverlap(context, tensor, writes);
    // An inout tensor keeps what is not written; rows of no group are a matter of the list.
    if (tensor.role != TensorRole::Output || groups.leavesOut) return;
    const std::int64_t unwritten = missingElements(writes, shape), elements = elementsOf(shape);
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

/// Do iterations that nothing orders surely write apart from each other into the tensor of the store?
bool addsApart(const ResolvedDesign& design, const Store& store) {
    std::vector<Write> writes;
    std::int64_t expected = 0;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* other = std::get_if<Store>(&block.block->content);
        if (other == nullptr || other->to != store.to) continue;
        expected = saturatingAdd(expected, design.executions(block));
        const std::size_t rank = design.value(ValueId(store.to.text))->shape.size();
        if (!other->index.empty() || expected > kMaxWrites || !writesOf(design, block, *other, rank, writes))
            return false;
    }
    for (std::size_t later = 0; later < writes.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier)
            if (unordered(writes[later], writes[earlier]) && writes[later].overlaps(writes[earlier])) return false;
    return true;
}

/// STORE-07 and STORE-08.
void checkOrder(CheckContext& context, const ResolvedBlock& block, const Store& store) {
    if (store.op == StoreOp::IndexPut && !store.accumulate)
        context.report(
            "STORE-07", block.where + "/op", store.id,
            {"equal entries of '" + store.index.text + "' leave open which slice '" + store.to.text + "' keeps",
             "'" + store.index.text + "' 中的重复元素使 '" + store.to.text + "' 保留哪个切片不确定"});
    const bool adds = store.op == StoreOp::IndexAdd || store.op == StoreOp::AtomicAdd || store.accumulate;
    const bool parallel = std::any_of(block.loops.begin(), block.loops.end(),
                                      [&](std::size_t loop) { return context.design.loops[loop].loop->parallel; });
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
    if (!writesInto(design, tensor, writes) || !allInside(writes, shape)) return std::nullopt;
    return missingElements(writes, shape);
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

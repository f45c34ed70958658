// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <functional>

#include "core/chip/slots.h"
#include "core/rules/families.h"

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
         .source = "hicann/pypto, assemble page"},
    Rule{
        .id = "STORE-04",
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
        .source = "hicann/pypto, index_put_ page",
        .compilerSilent = true,
        .formulaId = "F-72"},
    Rule{.id = "STORE-05",
         .family = RuleFamily::Store,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Parallel iterations add to one output in no fixed order",
         .titleZh = "并行迭代以不确定的顺序累加到同一输出",
         .explanation = "Sums of floats depend on their order, which a parallel loop does not fix; two runs on the "
                        "hardware may differ. The emulated core adds in the order of the iterations.",
         .explanationZh =
             "浮点和与顺序有关，而并行循环不固定顺序，硬件上两次运行的结果可能不同。仿真核心按迭代顺序累加。",
         .source = "hicann/pypto, atomic_add and loop pages",
         .compilerSilent = true,
         .formulaId = "F-72"},
};

struct Write {
    const ResolvedBlock* block = nullptr;
    std::vector<std::int64_t> offset, extent;

    [[nodiscard]] std::int64_t elements() const {
        std::int64_t count = 1;
        for (const std::int64_t n : extent) count = saturatingMul(count, n);
        return count;
    }
    [[nodiscard]] bool overlaps(const Write& other) const {
        for (std::size_t axis = 0; axis < offset.size(); ++axis)
            if (offset[axis] >= other.offset[axis] + other.extent[axis] ||
                other.offset[axis] >= offset[axis] + extent[axis])
                return false;
        return elements() > 0 && other.elements() > 0;
    }
    [[nodiscard]] std::string place() const {
        std::string out = "[";
        for (std::size_t axis = 0; axis < offset.size(); ++axis)
            out += (axis == 0 ? "" : ", ") + text(offset[axis]) + ":" + text(offset[axis] + extent[axis]);
        return out + "]";
    }
};

/// Calls `visit` for every combination of the loops' indices, outermost slowest, until it returns false.
bool forEachIteration(const ResolvedDesign& design, const std::vector<std::size_t>& loops, std::size_t depth,
                      IndexValues& indices, const std::function<bool(const IndexValues&)>& visit) {
    if (depth == loops.size()) return visit(indices);
    const ResolvedLoop& loop = design.loops[loops[depth]];
    for (std::int64_t i = 0; i < loop.iterations; ++i) {
        indices[loop.loop->index] = i;
        if (!forEachIteration(design, loops, depth + 1, indices, visit)) return false;
    }
    return true;
}

/// All writes into a tensor. Empty-handed (false) when they are too many or do not fit the tensor.
bool writesInto(const ResolvedDesign& design, const Tensor& tensor, std::vector<Write>& writes) {
    std::int64_t expected = 0;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to != tensor.id) continue;
        if (isIndexed(store->op) || store->op == StoreOp::AtomicAdd) return false;  // data decide what it covers
        expected = saturatingAdd(expected, design.executions(block));
        if (expected > kMaxWrites) return false;
        const std::size_t rank = tensor.shape.size();
        if (design.value(store->from)->shape.size() != rank) return false;
        IndexValues indices;
        const bool complete = forEachIteration(design, block.loops, 0, indices, [&](const IndexValues& at) {
            const auto offset = evaluateAll(store->offset, rank, lookupWith(design, at), block.where + "/offset");
            const auto extent = validShape(design, store->from, at);
            if (!offset || !extent) return false;
            writes.push_back({&block, *offset, *extent});
            return true;
        });
        if (!complete) return false;
    }
    return true;
}

bool isInside(const Write& write, const std::vector<std::int64_t>& shape) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (write.offset[axis] < 0 || write.offset[axis] + write.extent[axis] > shape[axis]) return false;
    return true;
}

/// STORE-02, once per output.
void reportOverlap(CheckContext& context, const Tensor& tensor, const std::vector<Write>& writes) {
    for (std::size_t later = 0; later < writes.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            if (!writes[later].overlaps(writes[earlier])) continue;
            const std::string places = writes[earlier].place() + " and " + writes[later].place();
            const std::string placesZh = writes[earlier].place() + " 与 " + writes[later].place();
            context.report("STORE-02", writes[later].block->where + "/offset", writes[later].block->block->id(),
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
        cuts.push_back(write->offset[axis] + write->extent[axis]);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::int64_t covered = 0;
    std::vector<const Write*> across;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        across.clear();
        for (const Write* write : writes)
            if (write->offset[axis] <= cuts[i] && cuts[i + 1] <= write->offset[axis] + write->extent[axis])
                across.push_back(write);
        covered = saturatingAdd(covered, saturatingMul(cuts[i + 1] - cuts[i], coveredElements(across, axis + 1, rank)));
    }
    return covered;
}

bool hasStore(const ResolvedDesign& design, const Tensor& tensor) {
    return std::any_of(design.blocks.begin(), design.blocks.end(), [&](const ResolvedBlock& block) {
        const auto* store = std::get_if<Store>(&block.block->content);
        return store != nullptr && store->to == tensor.id;
    });
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
    const auto inside = [&](const Write& write) { return isInside(write, shape); };
    if (!std::all_of(writes.begin(), writes.end(), inside)) return;
    reportOverlap(context, tensor, writes);
    std::vector<const Write*> filled;
    for (const Write& write : writes)
        if (write.elements() > 0) filled.push_back(&write);
    const std::int64_t written = coveredElements(filled, 0, shape.size());
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) elements = saturatingMul(elements, extent);
    if (written == elements) return;
    const std::string missing = text(elements - written), all = text(elements);
    Reported* entry =
        context.report("STORE-01", "/tensors/" + text(static_cast<std::int64_t>(index)), BlockId(),
                       {missing + " of " + all + " elements of '" + tensor.id.text + "' are never written",
                        "'" + tensor.id.text + "' 的 " + all + " 个元素中有 " + missing + " 个从未写入"});
    if (entry == nullptr) return;
    entry->finding.measured = static_cast<double>(written);
    entry->finding.limit = static_cast<double>(elements);
}

/// STORE-04 and STORE-05.
void checkOrder(CheckContext& context, const ResolvedBlock& block, const Store& store) {
    if (store.op == StoreOp::IndexPut && !store.accumulate)
        context.report(
            "STORE-04", block.where + "/op", store.id,
            {"equal entries of '" + store.index.text + "' leave open which slice '" + store.to.text + "' keeps",
             "'" + store.index.text + "' 中的重复元素使 '" + store.to.text + "' 保留哪个切片不确定"});
    const bool adds = store.op == StoreOp::IndexAdd || store.op == StoreOp::AtomicAdd || store.accumulate;
    const bool parallel = std::any_of(block.loops.begin(), block.loops.end(),
                                      [&](std::size_t loop) { return context.design.loops[loop].loop->parallel; });
    if (!adds || !parallel || !isFloat(context.design.value(ValueId(store.to.text))->dtype)) return;
    context.report("STORE-05", block.where + "/op", store.id,
                   {"iterations of a parallel loop add to '" + store.to.text + "' in no fixed order",
                    "并行循环的迭代以不确定的顺序累加到 '" + store.to.text + "'"});
}

}  // namespace

std::span<const Rule> storeRules() {
    return kRules;
}

void checkStores(CheckContext& context) {
    const std::vector<Tensor>& tensors = context.design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (tensors[i].role == TensorRole::Output) checkOutput(context, tensors[i], i);
    for (const ResolvedBlock& block : context.design.blocks)
        if (const auto* store = std::get_if<Store>(&block.block->content)) checkOrder(context, block, *store);
}

}  // namespace cubist::rules

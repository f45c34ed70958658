// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/skeleton/stage_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/design/op_patterns.h"

namespace cubist {
namespace {

/// Every operation, one bit each.
class OpSet {
public:
    explicit OpSet(const VectorStage& stage) {
        for (const VectorOp& op : stage.ops) m_ops.insert(op.op);
    }
    [[nodiscard]] bool has(std::initializer_list<VectorOpCode> any) const {
        return std::any_of(any.begin(), any.end(), [&](VectorOpCode op) { return m_ops.count(op) > 0; });
    }

private:
    std::set<VectorOpCode> m_ops;
};

VectorTraitsOfStage traitsOf(const VectorStage& stage, const OpPatterns& patterns, std::size_t block) {
    using enum VectorOpCode;
    const OpSet ops(stage);
    VectorTraitsOfStage traits;
    traits.softmax = patterns.stages[block].softmax;
    traits.norm = patterns.stages[block].norm;
    traits.rope = ops.has({Rope});
    traits.activation = ops.has({Silu, Gelu, Sigmoid, Exp});
    traits.order = ops.has({TopK, Argsort});
    traits.maximum = ops.has({Maximum});
    traits.exponential = ops.has({Exp});
    traits.reduction = ops.has({Sum, Amax, Amin, Softmax});
    traits.gate = std::any_of(patterns.gates.begin(), patterns.gates.end(),
                              [&](const GatedProduct& gate) { return gate.block == block; });
    return traits;
}

std::vector<ValueId> readsOf(const StageNode& node) {
    if (node.cube != nullptr) return operandsOf(*node.cube);
    std::vector<ValueId> values;
    for (const VectorOp& op : node.vector->ops)
        for (const Operand& operand : op.in)
            if (operand.value() != nullptr) values.push_back(*operand.value());
    return values;
}

/// The memory or result at the bottom of a value's views.
std::string originOf(const ResolvedDesign& design, const ValueId& id) {
    const ResolvedValue* value = design.value(id);
    if (value == nullptr) return id.text;
    return value->kind == ResolvedValue::Kind::View && value->tensor != nullptr ? value->tensor->id.text : id.text;
}

/// The bottom of a view of a stage's result.
std::string resultUnder(const ResolvedDesign& design, std::string name) {
    for (const ResolvedValue* value = design.value(ValueId(name));
         value != nullptr && value->kind == ResolvedValue::Kind::View && value->tensor == nullptr;
         value = design.value(ValueId(name)))
        name = value->view->of.text;
    return name;
}

}  // namespace

StageGraph::StageGraph(const ResolvedDesign& design) {
    std::map<std::string, std::size_t> makers;             // value -> stage
    std::map<std::string, std::set<std::size_t>> memory;   // tensor -> stages whose results are stored there
    std::map<std::string, std::set<std::size_t>> written;  // tensor -> loops in which it is written
    for (const ResolvedBlock& block : design.blocks)
        if (const auto* store = std::get_if<Store>(&block.block->content))
            written[store->to.text].insert(block.loops.begin(), block.loops.end());
    const OpPatterns patterns = findPatterns(design);
    for (std::size_t place = 0; place < design.blocks.size(); ++place) {
        const ResolvedBlock& block = design.blocks[place];
        if (const auto* store = std::get_if<Store>(&block.block->content)) {
            const auto maker = makers.find(resultUnder(design, store->from.text));
            if (maker == makers.end()) continue;
            memory[store->to.text].insert(maker->second);
            const ResolvedValue* to = design.value(ValueId(store->to.text));
            m_nodes[maker->second].writesCache |= store->op == StoreOp::IndexPut && !store->accumulate &&
                                                  to != nullptr && to->tensor != nullptr &&
                                                  to->tensor->role == TensorRole::InOut;
            continue;
        }
        StageNode node;
        node.block = &block;
        node.cube = std::get_if<CubeStage>(&block.block->content);
        node.vector = std::get_if<VectorStage>(&block.block->content);
        if (node.cube == nullptr && node.vector == nullptr) continue;
        std::set<std::size_t> reads;
        for (const ValueId& id : readsOf(node)) {
            const std::string origin = resultUnder(design, originOf(design, id));
            const ResolvedValue* value = design.value(ValueId(origin));
            node.readsInput |= value != nullptr && value->tensor != nullptr && value->tensor->role == TensorRole::Input;
            if (const auto maker = makers.find(origin); maker != makers.end()) reads.insert(maker->second);
            const auto stored = memory.find(origin);
            if (stored != memory.end()) reads.insert(stored->second.begin(), stored->second.end());
            const auto loops = written.find(origin);
            if (loops == written.end()) continue;
            for (const std::size_t loop : block.loops) node.carriesState |= loops->second.count(loop) > 0;
        }
        const std::size_t index = m_nodes.size();
        reads.erase(index);
        node.reads.assign(reads.begin(), reads.end());
        if (node.vector != nullptr) {
            node.traits = traitsOf(*node.vector, patterns, place);
            for (const VectorOp& op : node.vector->ops) {
                makers[op.out.text] = index;
                if (!op.out2.empty()) makers[op.out2.text] = index;
            }
        } else {
            makers[node.cube->out.text] = index;
        }
        m_nodes.push_back(std::move(node));
    }
    m_reaches.assign(m_nodes.size(), std::vector<bool>(m_nodes.size(), false));
    for (std::size_t to = 0; to < m_nodes.size(); ++to)
        for (const std::size_t from : m_nodes[to].reads)
            for (std::size_t far = 0; far < m_nodes.size(); ++far)
                if (far == from || m_reaches[far][from]) m_reaches[far][to] = true;
}

std::vector<std::size_t> StageGraph::cubes() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i].cube != nullptr) found.push_back(i);
    return found;
}

bool StageGraph::betweenMatmuls(std::size_t node) const {
    bool before = false, behind = false;
    for (const std::size_t cube : cubes()) {
        before |= reaches(cube, node);
        behind |= reaches(node, cube);
    }
    return before && behind;
}

std::int64_t StageGraph::switches() const {
    std::int64_t count = 0;
    for (std::size_t i = 1; i < m_nodes.size(); ++i)
        count += (m_nodes[i].cube == nullptr) != (m_nodes[i - 1].cube == nullptr) ? 1 : 0;
    return count;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/known_design.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/design/block_values.h"
#include "core/design/edit_structure.h"
#include "views/element_lookup.h"

namespace cubist {
namespace {

/// Attempts to resolve; each leaves one block more out.
constexpr int kMostAttempts = 64;

/// Leaves out what reads nothing, or something that is not made by what stays.
void prune(std::vector<Block>& blocks, std::set<std::string>& known) {
    std::erase_if(blocks, [&](Block& block) {
        bool complete = true;
        visitReads(block, [&](const ValueId& value) { complete = complete && known.contains(value.text); });
        if (const auto* store = std::get_if<Store>(&block.content))
            complete = complete && known.contains(store->to.text);
        if (const auto* vector = std::get_if<VectorStage>(&block.content)) {
            std::set<std::string> inside = known;
            complete = !vector->ops.empty();
            for (const VectorOp& op : vector->ops) {
                for (const Operand& operand : op.in)
                    if (const ValueId* value = operand.value()) complete = complete && inside.contains(value->text);
                inside.insert(op.out.text);
                if (!op.out2.empty()) inside.insert(op.out2.text);
            }
        }
        if (!complete) return true;
        visitResults(block, [&](const ValueId& value) { known.insert(value.text); });
        if (auto* loop = std::get_if<Loop>(&block.content)) prune(loop->body, known);
        return false;
    });
}

bool removeBlock(std::vector<Block>& blocks, const BlockId& id) {
    const auto count = std::erase_if(blocks, [&](const Block& block) { return block.id() == id; });
    if (count > 0) return true;
    return std::any_of(blocks.begin(), blocks.end(), [&](Block& block) {
        auto* loop = std::get_if<Loop>(&block.content);
        return loop != nullptr && removeBlock(loop->body, id);
    });
}

}  // namespace

KnownDesign::KnownDesign(const Design& design, const std::string& caseName, const Dictionary<std::int64_t>& overrides)
    : m_design(std::make_unique<Design>(design)) {
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        std::set<std::string> known;
        for (const Tensor& tensor : m_design->tensors) known.insert(tensor.id.text);
        prune(m_design->blocks, known);
        const auto binding = cubist::bind(*m_design, caseName, overrides);
        if (!binding) return;
        auto resolved = resolve(*m_design, *binding);
        if (resolved) {
            m_resolved = std::move(resolved).value();
            return;
        }
        const Element guilty = elementAt(*m_design, resolved.error().where);
        if (guilty.isBlock()) {
            removeBlock(m_design->blocks, guilty.block());
        } else if (guilty.isTensor()) {
            std::erase_if(m_design->tensors, [&](const Tensor& tensor) { return tensor.id == guilty.tensor(); });
        } else {
            m_design->blocks.clear();
            if (attempt > 0) return;
        }
    }
}

}  // namespace cubist

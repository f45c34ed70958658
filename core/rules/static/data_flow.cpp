// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/static/data_flow.h"

#include <algorithm>
#include <map>
#include <string>

namespace cubist::rules {

std::vector<ValueId> readsOf(const Block& block) {
    if (const auto* view = std::get_if<View>(&block.content)) return {view->of};
    if (const auto* cube = std::get_if<CubeStage>(&block.content)) return operandsOf(*cube);
    std::vector<ValueId> ids;
    if (const auto* store = std::get_if<Store>(&block.content)) {
        ids.push_back(store->from);
        if (!store->index.empty()) ids.push_back(store->index);
    } else if (const auto* stage = std::get_if<VectorStage>(&block.content)) {
        for (const VectorOp& op : stage->ops)
            for (const Operand& operand : op.in)
                if (const ValueId* id = operand.value()) ids.push_back(*id);
    }
    return ids;
}

DataFlow::DataFlow(const ResolvedDesign& design) {
    const std::size_t count = design.blocks.size();
    std::map<std::string, std::vector<std::size_t>> makers;  // of values, and of tensors that stores write
    for (std::size_t i = 0; i < count; ++i) {
        const Block& block = *design.blocks[i].block;
        if (const auto* view = std::get_if<View>(&block.content)) makers[view->out.text].push_back(i);
        if (const auto* store = std::get_if<Store>(&block.content)) makers[store->to.text].push_back(i);
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            makers[cube->out.text].push_back(i);
            m_cubes.push_back(i);
        }
        if (const auto* stage = std::get_if<VectorStage>(&block.content))
            for (const VectorOp& op : stage->ops) {
                makers[op.out.text].push_back(i);
                if (!op.out2.empty()) makers[op.out2.text].push_back(i);
            }
    }
    // Blocks stand in execution order, and only what stands in front feeds a block.
    const std::size_t words = count / 64 + 1;
    m_upstream.assign(count, std::vector<std::uint64_t>(words, 0));
    for (std::size_t i = 0; i < count; ++i)
        for (const ValueId& id : readsOf(*design.blocks[i].block)) {
            const auto found = makers.find(id.text);
            if (found == makers.end()) continue;
            for (const std::size_t maker : found->second) {
                if (maker >= i) continue;
                for (std::size_t word = 0; word < words; ++word) m_upstream[i][word] |= m_upstream[maker][word];
                m_upstream[i][maker / 64] |= std::uint64_t{1} << (maker % 64);
            }
        }
    std::vector<bool> feeds(count, false);
    for (const std::size_t cube : m_cubes)
        for (std::size_t i = 0; i < cube; ++i)
            if (reaches(i, cube)) feeds[i] = true;
    for (std::size_t i = 0; i < count; ++i) {
        const bool fed =
            std::any_of(m_cubes.begin(), m_cubes.end(), [&](std::size_t cube) { return cube < i && reaches(cube, i); });
        if (fed)
            m_roles.push_back(feeds[i] ? VectorRole::Inter : VectorRole::Post);
        else
            m_roles.push_back(feeds[i] ? VectorRole::Prep : VectorRole::Alone);
    }
}

}  // namespace cubist::rules

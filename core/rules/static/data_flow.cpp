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
    m_reaches.assign(count, std::vector<bool>(count, false));
    for (std::size_t i = 0; i < count; ++i)
        for (const ValueId& id : readsOf(*design.blocks[i].block)) {
            const auto found = makers.find(id.text);
            if (found == makers.end()) continue;
            for (const std::size_t maker : found->second) {
                if (maker >= i) continue;
                m_reaches[maker][i] = true;
                for (std::size_t before = 0; before < maker; ++before)
                    if (m_reaches[before][maker]) m_reaches[before][i] = true;
            }
        }
}

VectorRole DataFlow::roleOf(std::size_t block) const {
    const bool fed =
        std::any_of(m_cubes.begin(), m_cubes.end(), [&](std::size_t cube) { return reaches(cube, block); });
    const bool feeds =
        std::any_of(m_cubes.begin(), m_cubes.end(), [&](std::size_t cube) { return reaches(block, cube); });
    if (fed) return feeds ? VectorRole::Inter : VectorRole::Post;
    return feeds ? VectorRole::Prep : VectorRole::Alone;
}

}  // namespace cubist::rules

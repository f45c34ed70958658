// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/plan_cache.h"

#include <utility>

namespace cubist {
namespace {

/// Of the sizes and a few instructions; equality looks at everything.
std::uint64_t hashOf(const Leaf& leaf) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3ULL; };
    mix(leaf.instructions.size());
    mix(leaf.allocations.size());
    mix(leaf.details.size());
    const std::size_t step = leaf.instructions.size() / 16 + 1;
    for (std::size_t i = 0; i < leaf.instructions.size(); i += step) {
        const Instruction& instruction = leaf.instructions[i];
        mix(static_cast<std::uint64_t>(instruction.op));
        mix(std::uint64_t{instruction.extent[0]} << 32 | instruction.extent[1]);
        mix(std::uint64_t{instruction.at[0]} << 32 | instruction.at[1]);
    }
    return hash;
}

}  // namespace

bool sameInstructions(const Leaf& a, const Leaf& b) {
    return a.kind == b.kind && a.instructions == b.instructions && a.allocations == b.allocations &&
           a.details == b.details && a.cubeDetails == b.cubeDetails;
}

void PlanCache::begin(const ChipSpec& chip) {
    ++m_prediction;
    if (m_chip != chip) {
        m_entries.clear();
        m_chip = chip;
    }
    std::erase_if(m_entries, [&](const auto& entry) { return entry.second.lastUse + 2 < m_prediction; });
}

std::shared_ptr<const LeafPlan> PlanCache::find(const Leaf& leaf, const LeafSetting& setting) {
    const auto [first, last] = m_entries.equal_range(hashOf(leaf));
    for (auto at = first; at != last; ++at) {
        Entry& entry = at->second;
        if (entry.setting != setting || !sameInstructions(entry.leaf, leaf)) continue;
        entry.lastUse = m_prediction;
        ++m_found;
        return entry.plan;
    }
    return nullptr;
}

void PlanCache::add(const Leaf& leaf, const LeafSetting& setting, std::shared_ptr<const LeafPlan> plan) {
    m_entries.emplace(hashOf(leaf), Entry{leaf, setting, std::move(plan), m_prediction});
}

}  // namespace cubist

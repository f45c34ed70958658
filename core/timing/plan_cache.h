// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/leaf_plan.h"

namespace cubist {

/// Equal instructions on equal tiles: equal plans on the same chip.
[[nodiscard]] bool sameInstructions(const Leaf& a, const Leaf& b);

/// Plans of leaves by what is in the leaves, from one prediction to the next. Those that two predictions in a row have
/// not asked for are dropped; another chip drops all. For one thread at a time.
class PlanCache {
public:
    /// A prediction on `chip` begins.
    void begin(const ChipSpec& chip);
    /// The plan of an equal leaf of the same setting; null: not known.
    [[nodiscard]] std::shared_ptr<const LeafPlan> find(const Leaf& leaf, const LeafSetting& setting);
    void add(const Leaf& leaf, const LeafSetting& setting, std::shared_ptr<const LeafPlan> plan);

    /// Plans that `find` has returned.
    [[nodiscard]] std::int64_t found() const { return m_found; }

private:
    struct Entry {
        Leaf leaf;
        LeafSetting setting;
        std::shared_ptr<const LeafPlan> plan;
        std::uint64_t lastUse = 0;
    };
    ChipSpec m_chip;
    std::unordered_multimap<std::uint64_t, Entry> m_entries;
    std::uint64_t m_prediction = 0;
    std::int64_t m_found = 0;
};

}  // namespace cubist

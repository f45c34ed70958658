// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/lowering/program.h"

/// Inside of the merge passes: the tasks of one root and which of them have become one.
namespace cubist {

[[nodiscard]] constexpr std::uint64_t mixKey(std::uint64_t hash, std::uint64_t value) {
    return (hash ^ (value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2))) * 0xFF51AFD7ED558CCDULL;
}

/// Tasks of one root by their place in it. A colour is a set of tasks that will be one task: PyPTO's word.
class MergeGraph {
public:
    MergeGraph(const Program& program, RootIndex root);

    [[nodiscard]] std::size_t taskCount() const { return m_colourOf.size(); }
    [[nodiscard]] TaskIndex task(std::uint32_t place) const { return TaskIndex(std::size_t{m_first} + place); }
    /// Structure of a task and of what it is computed from inside the root: equal keys are isomorphic subgraphs. What
    /// depends on another task has another key, so that tasks of equal key never wait for each other.
    [[nodiscard]] std::uint64_t key(std::uint32_t place) const { return m_keys[place]; }
    /// Length of the longest chain of tasks of the root that a task waits for.
    [[nodiscard]] std::uint32_t depth(std::uint32_t place) const { return m_depths[place]; }

    [[nodiscard]] std::size_t colourCount() const { return m_tasks.size(); }
    [[nodiscard]] std::span<const std::uint32_t> tasksOf(std::uint32_t colour) const { return m_tasks[colour]; }
    [[nodiscard]] std::uint32_t colourOf(std::uint32_t place) const { return m_colourOf[place]; }
    /// Colours that `colour` waits for, each once, ascending.
    [[nodiscard]] std::vector<std::uint32_t> producersOf(std::uint32_t colour) const;
    [[nodiscard]] std::vector<std::uint32_t> consumersOf(std::uint32_t colour) const;

    /// Makes `into` take all tasks of `from`, which is empty afterwards.
    void merge(std::uint32_t into, std::uint32_t from);
    /// From now on the tasks of each colour share what they load; colours that merge later each load their own.
    void shareLoads();
    /// The first place of those that a place shares its loads with.
    [[nodiscard]] std::uint32_t sharesWith(std::uint32_t place) const { return m_sharesWith[place]; }
    /// Drops empty colours and numbers the others in a legal order that keeps to the ids of the first tasks where it
    /// can.
    void renumber();

private:
    /// By place other places, one behind the other.
    struct Links {
        std::vector<std::uint32_t> first;  ///< by place, one more at the end
        std::vector<std::uint32_t> others;
        [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t place) const {
            return std::span(others).subspan(first[place], first[place + 1] - first[place]);
        }
    };
    [[nodiscard]] std::vector<std::uint32_t> neighbours(std::uint32_t colour, const Links& of) const;

    bool m_merged = false;  ///< since the numbers were given
    std::uint32_t m_first = 0;
    std::vector<std::uint64_t> m_keys;
    std::vector<std::uint32_t> m_depths;
    Links m_producers, m_consumers;
    std::vector<std::uint32_t> m_colourOf;            ///< by place
    std::vector<std::uint32_t> m_sharesWith;          ///< by place
    std::vector<std::vector<std::uint32_t>> m_tasks;  ///< by colour, ascending places
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge_graph.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <queue>

namespace cubist {

MergeGraph::MergeGraph(const Program& program, RootIndex root) {
    const auto rootOf = [&](const Task& task) { return task.root; };
    const auto range = std::ranges::equal_range(program.tasks, root, {}, rootOf);
    m_first = static_cast<std::uint32_t>(range.begin() - program.tasks.begin());
    const auto count = static_cast<std::uint32_t>(range.size());
    m_keys.resize(count);
    m_depths.resize(count);
    m_colourOf.resize(count);
    m_tasks.resize(count);
    m_sharesWith.resize(count);
    m_consumers.first.push_back(0);
    m_producers.first.assign(count + std::size_t{1}, 0);
    for (std::uint32_t place = 0; place < count; ++place) {
        for (const Edge& edge : program.edgesOf(program.tasks[m_first + place])) {
            const std::uint32_t to = edge.to.value - m_first;
            if (to >= count) continue;  // in a later root
            m_consumers.others.push_back(to);
            ++m_producers.first[to + std::size_t{1}];
        }
        m_consumers.first.push_back(static_cast<std::uint32_t>(m_consumers.others.size()));
    }
    std::partial_sum(m_producers.first.begin(), m_producers.first.end(), m_producers.first.begin());
    m_producers.others.resize(m_consumers.others.size());
    std::vector<std::uint32_t> next(m_producers.first.begin(), m_producers.first.end() - 1);
    for (std::uint32_t place = 0; place < count; ++place)
        for (const std::uint32_t to : m_consumers[place]) m_producers.others[next[to]++] = place;
    std::vector<std::uint64_t> upstream;
    for (std::uint32_t place = 0; place < count; ++place) {
        m_colourOf[place] = m_sharesWith[place] = place;
        m_tasks[place] = {place};
        upstream.clear();
        for (const std::uint32_t producer : m_producers[place]) {
            upstream.push_back(m_keys[producer]);
            m_depths[place] = std::max(m_depths[place], m_depths[producer] + 1);
        }
        std::sort(upstream.begin(), upstream.end());
        upstream.erase(std::unique(upstream.begin(), upstream.end()), upstream.end());
        std::uint64_t key = program.leafOf(program.tasks[m_first + place]).groupKey;
        for (const std::uint64_t one : upstream) key = mixKey(key, one);
        m_keys[place] = key;
    }
}

std::vector<std::uint32_t> MergeGraph::neighbours(std::uint32_t colour, const Links& of) const {
    std::vector<std::uint32_t> out;
    std::size_t most = 0;
    for (const std::uint32_t place : m_tasks[colour]) most += of[place].size();
    out.reserve(most);
    for (const std::uint32_t place : m_tasks[colour])
        for (const std::uint32_t other : of[place])
            if (m_colourOf[other] != colour) out.push_back(m_colourOf[other]);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

void MergeGraph::shareLoads() {
    for (const std::vector<std::uint32_t>& places : m_tasks)
        for (const std::uint32_t place : places) m_sharesWith[place] = places.front();
}

std::vector<std::uint32_t> MergeGraph::producersOf(std::uint32_t colour) const {
    return neighbours(colour, m_producers);
}

std::vector<std::uint32_t> MergeGraph::consumersOf(std::uint32_t colour) const {
    return neighbours(colour, m_consumers);
}

void MergeGraph::merge(std::uint32_t into, std::uint32_t from) {
    assert(into != from && "a colour takes the tasks of another one");
    for (const std::uint32_t place : m_tasks[from]) m_colourOf[place] = into;
    std::vector<std::uint32_t>& target = m_tasks[into];
    const auto middle = static_cast<std::ptrdiff_t>(target.size());
    target.insert(target.end(), m_tasks[from].begin(), m_tasks[from].end());
    std::inplace_merge(target.begin(), target.begin() + middle, target.end());
    m_tasks[from].clear();
    m_merged = true;
}

void MergeGraph::renumber() {
    if (!m_merged) return;  // tasks stand behind their producers: the order would be the one that there is
    m_merged = false;
    using Entry = std::pair<std::uint32_t, std::uint32_t>;  // first task, colour
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    std::vector<std::size_t> waits(m_tasks.size());
    for (std::uint32_t colour = 0; colour < m_tasks.size(); ++colour) {
        if (m_tasks[colour].empty()) continue;
        waits[colour] = producersOf(colour).size();
        if (waits[colour] == 0) ready.emplace(m_tasks[colour].front(), colour);
    }
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
        const std::uint32_t colour = ready.top().second;
        ready.pop();
        order.push_back(colour);
        for (const std::uint32_t consumer : consumersOf(colour))
            if (--waits[consumer] == 0) ready.emplace(m_tasks[consumer].front(), consumer);
    }
    std::vector<std::vector<std::uint32_t>> tasks;
    tasks.reserve(order.size());
    for (const std::uint32_t colour : order) tasks.push_back(std::move(m_tasks[colour]));
    m_tasks = std::move(tasks);
    for (std::uint32_t colour = 0; colour < m_tasks.size(); ++colour)
        for (const std::uint32_t place : m_tasks[colour]) m_colourOf[place] = colour;
}

}  // namespace cubist

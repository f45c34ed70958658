// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/ready_queue.h"

#include <algorithm>

namespace cubist {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

}  // namespace

void ReadyQueue::add(Ticks ready, TaskIndex task) {
    if (m_instants.size() == m_firstInstant || m_instants.back().ready != ready)
        m_instants.push_back({ready, m_entries.size(), m_entries.size()});
    m_entries.push_back({task, false});
    Instant& instant = m_instants.back();
    // Mostly tasks come in the order of their ids already.
    for (std::size_t at = instant.end; at > instant.first && task < m_entries[at - 1].task; --at)
        std::swap(m_entries[at], m_entries[at - 1]);
    ++instant.end;
    ++m_left;
}

void ReadyQueue::remove(Ticks ready, TaskIndex task) {
    const std::size_t oldest = m_instants[m_firstInstant].first;
    const std::size_t at = m_entries[oldest].task == task ? oldest : placeOf(ready, task);
    if (at == kNowhere) return;
    m_entries[at].gone = true;
    --m_left;
    tidy();
}

bool ReadyQueue::contains(Ticks ready, TaskIndex task) const {
    return placeOf(ready, task) != kNowhere;
}

std::pair<Ticks, TaskIndex> ReadyQueue::oldest() const {
    const Instant& instant = m_instants[m_firstInstant];
    return {instant.ready, m_entries[instant.first].task};
}

std::pair<Ticks, TaskIndex> ReadyQueue::newest() const {
    const Instant& instant = m_instants.back();
    return {instant.ready, m_entries[instant.first].task};
}

std::size_t ReadyQueue::placeOf(Ticks ready, TaskIndex task) const {
    const auto begin = m_instants.begin() + static_cast<std::ptrdiff_t>(m_firstInstant);
    const auto instant =
        std::lower_bound(begin, m_instants.end(), ready, [](const Instant& a, Ticks time) { return a.ready < time; });
    if (instant == m_instants.end() || instant->ready != ready) return kNowhere;
    const auto first = m_entries.begin() + static_cast<std::ptrdiff_t>(instant->first);
    const auto end = m_entries.begin() + static_cast<std::ptrdiff_t>(instant->end);
    const auto entry =
        std::lower_bound(first, end, task, [](const Entry& a, TaskIndex wanted) { return a.task < wanted; });
    if (entry == end || entry->task != task || entry->gone) return kNowhere;
    return static_cast<std::size_t>(entry - m_entries.begin());
}

/// The instants at both ends begin with a task that is left.
void ReadyQueue::tidy() {
    const auto skip = [&](Instant& instant) {
        while (instant.first < instant.end && m_entries[instant.first].gone) ++instant.first;
        return instant.first == instant.end;
    };
    while (m_instants.size() > m_firstInstant && skip(m_instants.back())) m_instants.pop_back();
    while (m_firstInstant < m_instants.size() && skip(m_instants[m_firstInstant])) ++m_firstInstant;
    if (m_left > 0) return;
    m_entries.clear();
    m_instants.clear();
    m_firstInstant = 0;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/lowering/program.h"

namespace cubist {

/// Tasks that are ready, by instant, of one instant by task id. Tasks become ready in time order, so that a million of
/// them need no tree: they are appended, and each instant counts on from its first task that is left.
class ReadyQueue {
public:
    /// Range: `ready` is not before that of any task added earlier.
    void add(Ticks ready, TaskIndex task);
    /// Precondition: the task is in the queue.
    void remove(Ticks ready, TaskIndex task);
    [[nodiscard]] bool contains(Ticks ready, TaskIndex task) const;
    [[nodiscard]] bool empty() const { return m_left == 0; }
    /// The oldest task; of several the first. Precondition: not empty.
    [[nodiscard]] std::pair<Ticks, TaskIndex> oldest() const;
    /// The first task of the newest instant. Precondition: not empty.
    [[nodiscard]] std::pair<Ticks, TaskIndex> newest() const;

private:
    /// The tasks [first, end) that became ready at one instant; those before `first` have gone.
    struct Instant {
        Ticks ready;
        std::size_t first = 0, end = 0;
    };
    struct Entry {
        TaskIndex task;
        bool gone = false;
    };
    [[nodiscard]] std::size_t placeOf(Ticks ready, TaskIndex task) const;
    void tidy();

    std::vector<Entry> m_entries;
    std::vector<Instant> m_instants;
    std::size_t m_firstInstant = 0;  ///< those before it are empty
    std::size_t m_left = 0;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace cubist {

bool parallelFor(int threads, std::int64_t count, const std::function<bool(std::int64_t, int)>& work) {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stopped{false};
    const auto run = [&](int worker) {
        while (!stopped.load(std::memory_order_relaxed)) {
            const std::int64_t index = next.fetch_add(1, std::memory_order_relaxed);
            if (index >= count) return;
            if (!work(index, worker)) stopped.store(true, std::memory_order_relaxed);
        }
    };
    const auto helpers = static_cast<int>(std::min<std::int64_t>(threads, count)) - 1;
    std::vector<std::jthread> pool;
    try {
        for (int worker = 1; worker <= helpers; ++worker) pool.emplace_back(run, worker);
    } catch (const std::system_error&) {
        // The system gives no more threads: those that run do all the work.
    }
    run(0);
    pool.clear();
    return !stopped.load();
}

}  // namespace cubist

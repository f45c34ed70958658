// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/run_context.h"

namespace cubist::golden {

/// Progress of one golden computation, in multiply-adds (an element of a vector operation counts as `kElementWork`).
class Meter {
public:
    static constexpr double kElementWork = 16;

    Meter(const RunContext& context, double total) : m_context(context), m_total(total > 0 ? total : 1) {}

    [[nodiscard]] bool cancelled() const { return m_context.cancelled(); }
    [[nodiscard]] int threads() const { return m_context.threads; }

    /// Callable from any worker; only worker 0, which is the caller's thread, reports.
    void add(double work, int worker) {
        const double done = m_done.fetch_add(work, std::memory_order_relaxed) + work;
        if (worker != 0 || done < m_reported + m_total / 1000) return;
        m_reported = done;
        m_context.report(done < m_total ? done / m_total : 1.0, "golden");
    }

private:
    const RunContext& m_context;
    double m_total;
    double m_reported = 0;
    std::atomic<double> m_done{0};
};

}  // namespace cubist::golden

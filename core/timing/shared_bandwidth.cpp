// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/shared_bandwidth.h"

#include <algorithm>

namespace cubist {
namespace {

/// Rounded up. Range: 0 <= ticks < 2^63.
Ticks wholeTicks(double ticks) {
    const auto whole = static_cast<std::int64_t>(ticks);
    return Ticks(static_cast<double>(whole) < ticks ? whole + 1 : whole);
}

}  // namespace

std::int64_t& SharedBandwidth::waiting(const Flow& flow) {
    Waiting& waiting = m_waiting[flow.kind.store ? 1 : 0];
    return flow.speed < 1.0 ? waiting.server : flow.kind.back ? waiting.back : waiting.port;
}

void SharedBandwidth::advance(Ticks now) {
    const std::int64_t ticks = (now - m_last).value;
    m_last = now;
    if (ticks <= 0) return;
    const auto passed = static_cast<double>(ticks);
    // Whole numbers: one product is the sum of all of them.
    for (std::size_t i = 0; i < m_waited.size(); ++i) {
        m_waited[i].port += static_cast<double>(ticks * m_waiting[i].port);
        m_waited[i].server += static_cast<double>(ticks * m_waiting[i].server);
        m_waited[i].back += static_cast<double>(ticks * m_waiting[i].back);
    }
    Waited loads = m_waited[0], stores = m_waited[1];
    for (Flow& flow : m_flows) {
        const double moved = passed * flow.speed;
        flow.left -= moved;
        const double work = moved * flow.demand * flow.shares;
        const double ofHbm = work * flow.kind.hbm;
        loads.work += work * flow.loads;
        loads.ofHbm += ofHbm * flow.loads;
        stores.work += work * (1.0 - flow.loads);
        stores.ofHbm += ofHbm * (1.0 - flow.loads);
    }
    m_waited = {loads, stores};
}

TransferTimes SharedBandwidth::times(bool stores) const {
    const Waited& waited = m_waited[stores ? 1 : 0];
    const double hbm = waited.work > 0 ? waited.server * (waited.ofHbm / waited.work) : 0.0;
    return {waited.port, waited.server - hbm, waited.back + hbm};
}

void SharedBandwidth::start(std::uint32_t owner, Ticks now, Ticks least, double service, const Kind& kind) {
    advance(now);
    const auto ticks = static_cast<double>(least.value);
    m_flows.push_back({owner, ticks, service / ticks, 1.0, 0.0, kind.store ? 0.0 : 1.0, Ticks(), kind});
    ++waiting(m_flows.back());
    m_changed = true;
}

void SharedBandwidth::takeEnded(Ticks now, std::vector<std::uint32_t>& owners) {
    if (now < m_nextEnd) return;
    advance(now);
    std::erase_if(m_flows, [&](const Flow& flow) {
        if (flow.end > now) return false;
        owners.push_back(flow.owner);
        --waiting(flow);
        return true;
    });
    m_changed = true;
}

void SharedBandwidth::settle(Ticks now) {
    if (!m_changed) return;
    m_changed = false;
    advance(now);
    double demand = 0;
    for (const Flow& flow : m_flows) demand += flow.demand;
    // Water filling: flows that need less than the share keep their speed, the rest share what these leave.
    double share = 1.0;
    if (demand > 1.0) {
        share = 1.0 / static_cast<double>(m_flows.size());
        for (;;) {
            double taken = 0;
            std::size_t small = 0;
            for (const Flow& flow : m_flows) {
                const bool fits = flow.demand <= share;
                taken += fits ? flow.demand : 0.0;
                small += fits ? 1U : 0U;
            }
            if (small == m_flows.size()) break;
            const double next = (1.0 - taken) / static_cast<double>(m_flows.size() - small);
            if (next <= share) break;
            share = next;
        }
    }
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    const double most = demand > 1.0 ? share : std::numeric_limits<double>::infinity();
    for (Flow& flow : m_flows) {
        const double speed = flow.demand > most ? most / flow.demand : 1.0;
        if ((speed < 1.0) != (flow.speed < 1.0)) {
            --waiting(flow);
            flow.shares = 1.0 - flow.shares;
            flow.speed = speed;
            ++waiting(flow);
        }
        flow.speed = speed;
        flow.end = now + wholeTicks(std::max(flow.left, 0.0) / speed);
        next = std::min(next, flow.end.value);
    }
    m_nextEnd = Ticks(next);
}

}  // namespace cubist

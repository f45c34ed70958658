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

void SharedBandwidth::advance(Ticks now) {
    const auto passed = static_cast<double>((now - m_last).value);
    if (passed > 0) {
        for (Flow& flow : m_flows) {
            const double moved = passed * flow.speed;
            flow.left -= moved;
            Waited& waited = m_waited[flow.kind.store ? 1 : 0];
            if (flow.speed < 1.0) {
                const double work = moved * flow.demand;
                waited.server += passed;
                waited.work += work;
                waited.ofHbm += work * flow.kind.hbm;
            } else {
                (flow.kind.back ? waited.back : waited.port) += passed;
            }
        }
    }
    m_last = now;
}

TransferTimes SharedBandwidth::times(bool stores) const {
    const Waited& waited = m_waited[stores ? 1 : 0];
    const double hbm = waited.work > 0 ? waited.server * (waited.ofHbm / waited.work) : 0.0;
    return {waited.port, waited.server - hbm, waited.back + hbm};
}

void SharedBandwidth::start(std::uint32_t owner, Ticks now, Ticks least, double service, const Kind& kind) {
    advance(now);
    const auto ticks = static_cast<double>(least.value);
    m_flows.push_back({owner, ticks, service / ticks, 1.0, Ticks(), kind});
    m_changed = true;
}

void SharedBandwidth::takeEnded(Ticks now, std::vector<std::uint32_t>& owners) {
    if (now < m_nextEnd) return;
    advance(now);
    const auto ended = [&](const Flow& flow) { return flow.end <= now; };
    for (const Flow& flow : m_flows)
        if (ended(flow)) owners.push_back(flow.owner);
    std::erase_if(m_flows, ended);
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
                if (flow.demand > share) continue;
                taken += flow.demand;
                ++small;
            }
            if (small == m_flows.size()) break;
            const double next = (1.0 - taken) / static_cast<double>(m_flows.size() - small);
            if (next <= share) break;
            share = next;
        }
    }
    m_nextEnd = Ticks(std::numeric_limits<std::int64_t>::max());
    for (Flow& flow : m_flows) {
        flow.speed = demand > 1.0 && flow.demand > share ? share / flow.demand : 1.0;
        flow.end = now + wholeTicks(std::max(flow.left, 0.0) / flow.speed);
        m_nextEnd = std::min(m_nextEnd, flow.end);
    }
}

}  // namespace cubist

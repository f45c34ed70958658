// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/units.h"
#include "core/timing/trace.h"

namespace cubist {

/// The memory system as one server that all transfers in flight share. A transfer needs `least` ticks at the rate of
/// its own port and `service` ticks of the whole server; it runs at the smaller of its port's speed and a fair share,
/// and what a slow port leaves over goes to the others. Hits and misses differ in `service`, so bytes of both kinds add
/// up as hit bytes / L2 rate + miss bytes / HBM rate. Shares change at every start and end. Source: F-03.
class SharedBandwidth {
public:
    /// What a transfer is, for the times: it changes none of them.
    struct Kind {
        double hbm = 0;  ///< part of its service that HBM gives, the rest is L2's
        bool store = false;
        bool back = false;  ///< `least` is how long HBM takes for what leaves L2
    };
    /// Precondition: `now` is not before any time seen earlier; least > 0.
    void start(std::uint32_t owner, Ticks now, Ticks least, double service, const Kind& kind);
    void start(std::uint32_t owner, Ticks now, Ticks least, double service) { start(owner, now, least, service, {}); }
    /// Works out the shares after all starts and ends of the instant `now`.
    void settle(Ticks now);
    /// When the next transfer ends; the largest value when none is in flight. Valid after `settle`.
    [[nodiscard]] Ticks nextEnd() const { return m_nextEnd; }
    /// Removes the transfers that end at `now` and appends their owners, in the order of their starts.
    void takeEnded(Ticks now, std::vector<std::uint32_t>& owners);
    [[nodiscard]] bool changed() const { return m_changed; }
    /// What the loads and the stores so far waited for. Where they shared the server, their time is divided as its
    /// work was. Source: F-80.
    [[nodiscard]] TransferTimes times(bool stores) const;

private:
    struct Flow {
        std::uint32_t owner = 0;
        double left = 0;    ///< ticks still needed at the port's speed
        double demand = 0;  ///< part of the server that the port's speed takes
        double speed = 1;   ///< of the port's
        // Factors of 0 or 1, so that sums over all flows have no branches.
        double shares = 0;  ///< is slower than its port
        double loads = 1;   ///< is no store
        Ticks end;
        Kind kind;
    };
    struct Waited {
        double port = 0, server = 0, back = 0;  ///< ticks
        double work = 0, ofHbm = 0;             ///< of the server, while they shared it
    };
    /// Flows of one direction by what they wait for.
    struct Waiting {
        std::int64_t port = 0, server = 0, back = 0;
    };
    void advance(Ticks now);
    /// The counter of what a flow waits for.
    [[nodiscard]] std::int64_t& waiting(const Flow& flow);

    std::vector<Flow> m_flows;
    std::array<Waiting, 2> m_waiting;  ///< loads, stores
    std::array<Waited, 2> m_waited;    ///< loads, stores
    Ticks m_last;
    Ticks m_nextEnd{std::numeric_limits<std::int64_t>::max()};
    bool m_changed = false;
};

}  // namespace cubist

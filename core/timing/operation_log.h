// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/base/zeroed_array.h"
#include "core/timing/trace.h"

namespace cubist {

/// A DispatchLink in four bytes. Range: indices below 2^30.
class PackedLink {
public:
    PackedLink() = default;
    PackedLink(DispatchLink link) : m_bits(static_cast<std::uint32_t>(link.kind) << kIndexBits | link.index) {}
    operator DispatchLink() const {
        constexpr std::uint32_t kIndex = (std::uint32_t{1} << kIndexBits) - 1;
        return {static_cast<DispatchLink::Kind>(m_bits >> kIndexBits), m_bits & kIndex};
    }

private:
    static constexpr int kIndexBits = 30;
    std::uint32_t m_bits = 0;
};

/// The work of all AICPUs. Every task is handed out once and resolved once, so that these two are kept by task, in half
/// of the memory that a list of operations takes: with a million tasks most of the time went into that memory.
class OperationLog {
public:
    /// Room for `tasks`, of which each dispatch takes `dispatch`.
    void prepare(std::size_t tasks, Ticks dispatch) {
        m_dispatch = dispatch;
        m_dispatches = ZeroedArray<Ticks>(tasks);
        m_resolves = ZeroedArray<Span>(tasks);
        m_dispatchBecause = ZeroedArray<PackedLink>(tasks);
        m_resolveBecause = ZeroedArray<PackedLink>(tasks);
    }
    /// Returns its number. Precondition: a dispatch takes as long as `prepare` says.
    std::uint32_t add(const SchedulerOperation& operation);
    [[nodiscard]] SchedulerOperation at(std::uint32_t number) const;

private:
    struct Span {
        Ticks begin, end;
    };
    Ticks m_dispatch;
    ZeroedArray<Ticks> m_dispatches;  ///< by task: begin
    ZeroedArray<Span> m_resolves;     ///< by task
    ZeroedArray<PackedLink> m_dispatchBecause, m_resolveBecause;
    std::vector<SchedulerOperation> m_others;  ///< of the control AICPU
};

}  // namespace cubist

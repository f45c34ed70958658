// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/design/resolve.h"

namespace cubist {

/// What can be known about a design that is not finished: blocks with open ports, and those that depend on them, are
/// left out, and so is whatever the resolver refuses. Shapes and types of all the rest are there.
class KnownDesign {
public:
    /// Never fails; the worst outcome is a design without blocks, or nothing at all when symbols cannot be bound.
    explicit KnownDesign(const Design& design, const std::string& caseName = {},
                         const Dictionary<std::int64_t>& overrides = {});

    /// Points into a design of its own, which lives as long as this object. Null when nothing is known.
    [[nodiscard]] const ResolvedDesign* resolved() const { return m_resolved ? &*m_resolved : nullptr; }
    [[nodiscard]] const ResolvedValue* value(const ValueId& id) const {
        return m_resolved ? m_resolved->value(id) : nullptr;
    }

private:
    std::unique_ptr<Design> m_design;
    std::optional<ResolvedDesign> m_resolved;
};

}  // namespace cubist

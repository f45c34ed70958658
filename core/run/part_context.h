// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_context.h"

namespace cubist {

/// A part of a long call: its progress 0..1 shows as from..to of the whole, which must outlive it.
[[nodiscard]] inline RunContext partOf(const RunContext& whole, double from, double to) {
    RunContext part{whole.stop, {}, whole.threads};
    if (whole.progress)
        part.progress = [&whole, from, to](double fraction, std::string_view phase) {
            whole.report(from + (to - from) * fraction, phase);
        };
    return part;
}

}  // namespace cubist

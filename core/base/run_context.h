// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "core/base/result.h"

namespace cubist {

/// What every long call takes: a way to be stopped and a way to say how far it is.
/// Long calls poll `cancelled()` at least every 10 ms of work and report progress in steps of at least 0.1 %.
struct RunContext {
    std::stop_token stop = {};
    /// Called from the thread that runs the long call (never concurrently) with a fraction 0..1 and the name of the
    /// phase.
    std::function<void(double fraction, std::string_view phase)> progress = {};
    /// Worker threads a long call may use, itself included. Never changes a result.
    int threads = 1;

    [[nodiscard]] bool cancelled() const { return stop.stop_requested(); }
    void report(double fraction, std::string_view phase) const {
        if (progress) progress(fraction, phase);
    }
};

[[nodiscard]] inline Unexpected cancelledError() {
    return unexpected(ErrorCode::Cancelled, "cancelled");
}

}  // namespace cubist

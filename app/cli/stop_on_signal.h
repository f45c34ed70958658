// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace cubist::cli {

/// Turns SIGINT and SIGTERM into a stop request. Work that has not stopped 30 ms later is cut off: the process ends
/// with status 3. One object per process, made before any other thread.
class StopOnSignal {
public:
    StopOnSignal();
    ~StopOnSignal();
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

    /// From here on the process ends by itself: results are being written, and a signal no longer cuts that short.
    /// Returns false if a stop was requested before.
    [[nodiscard]] bool beginFinish();
    /// The work has stopped as requested: the caller ends the process itself. Does not return when it was too late.
    void stopped();

private:
    void watch(const std::stop_token& over);

    enum class State : int { Working, Stopping, Stopped, Finishing };
    std::atomic<State> m_state{State::Working};
    std::stop_source m_stop;
    std::jthread m_watcher;  // last: its end comes before that of what it uses
};

}  // namespace cubist::cli

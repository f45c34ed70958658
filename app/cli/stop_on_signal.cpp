// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stop_on_signal.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace cubist::cli {
namespace {

constexpr std::chrono::milliseconds kGrace{30};
constexpr std::chrono::milliseconds kTick{5};

sigset_t stopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

void ignore(int) {}

}  // namespace

StopOnSignal::StopOnSignal() {
    // A shell starts background jobs with SIGINT ignored, and an ignored signal never arrives, blocked or not.
    struct sigaction action {};
    action.sa_handler = &ignore;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    const sigset_t signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_watcher = std::jthread([this](const std::stop_token& over) { watch(over); });
}

StopOnSignal::~StopOnSignal() = default;

bool StopOnSignal::beginFinish() {
    State working = State::Working;
    return m_state.compare_exchange_strong(working, State::Finishing);
}

void StopOnSignal::stopped() {
    State stopping = State::Stopping;
    if (!m_state.compare_exchange_strong(stopping, State::Stopped) && stopping == State::Stopped) m_watcher.join();
}

void StopOnSignal::watch(const std::stop_token& over) {
    const sigset_t signals = stopSignals();
    constexpr timespec tick{0, std::chrono::nanoseconds(kTick).count()};
    while (!over.stop_requested()) {
        if (sigtimedwait(&signals, nullptr, &tick) < 0) continue;
        State working = State::Working;
        if (!m_state.compare_exchange_strong(working, State::Stopping)) continue;
        m_stop.request_stop();
        for (auto left = kGrace; left.count() > 0 && !over.stop_requested(); left -= kTick)
            std::this_thread::sleep_for(kTick);
        State stopping = State::Stopping;
        if (!m_state.compare_exchange_strong(stopping, State::Stopped)) return;
        constexpr std::string_view message = "cubist-cli: cancelled\n";
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
        std::_Exit(3);
    }
}

}  // namespace cubist::cli

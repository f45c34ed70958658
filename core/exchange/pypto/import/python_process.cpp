// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/python_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <utility>

namespace cubist::pypto {
namespace {

constexpr std::size_t kMaxSource = std::size_t{256} << 10;  // as the script has it
constexpr std::size_t kMaxAnswer = std::size_t{32} << 20;
constexpr rlim_t kMaxMemory = rlim_t{96} << 20;
constexpr rlim_t kMaxSeconds = 2;
// A file of the largest size takes less than a second of a processor. What has had one for that long, or sleeps when it
// should work, is ended after two seconds; what is kept from working by a busy machine is waited for, up to eight: a
// helper that by then had less than an eighth of a processor shows a machine that serves nobody.
constexpr std::chrono::milliseconds kDeadline{2000};
constexpr std::chrono::milliseconds kLastDeadline{8000};

/// Closes a file descriptor when it goes.
class Handle {
public:
    explicit Handle(int fd = -1) : m_fd(fd) {}
    ~Handle() { close(); }
    Handle(Handle&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Handle& operator=(Handle&& other) noexcept {
        close();
        m_fd = std::exchange(other.m_fd, -1);
        return *this;
    }
    [[nodiscard]] int get() const { return m_fd; }
    void close() {
        if (m_fd >= 0) ::close(m_fd);
        m_fd = -1;
    }

private:
    int m_fd;
};

/// A process that is ended and waited for when it goes.
class Child {
public:
    explicit Child(pid_t pid) : m_pid(pid) {}
    ~Child() {
        if (m_pid > 0) {
            kill(m_pid, SIGKILL);
            wait();
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    int wait() {
        int status = 0;
        while (waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
        }
        m_pid = -1;
        return status;
    }

private:
    pid_t m_pid;
};

Unexpected failed(const std::string& what) {
    return unexpected(ErrorCode::BadFile, what + ": " + std::strerror(errno));
}

void limit(pid_t pid) {
    const auto set = [pid](__rlimit_resource kind, rlim_t value) {
        const rlimit bounds{value, value};
        prlimit(pid, kind, &bounds, nullptr);
    };
    set(RLIMIT_AS, kMaxMemory);
    set(RLIMIT_CPU, kMaxSeconds);
    set(RLIMIT_CORE, 0);
    set(RLIMIT_FSIZE, 0);
}

/// How long a process has had a processor; nothing where that cannot be asked.
std::optional<std::chrono::milliseconds> worked(pid_t pid) {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::seconds(time.tv_sec) +
                                                                 std::chrono::nanoseconds(time.tv_nsec));
}

/// Would a process work if it were let: does it wait for a processor or a disk? One that sleeps or is stopped would
/// not.
bool wantsToWork(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name = text.rfind(") ");  // the name before it may hold anything
    if (name == std::string::npos || name + 2 >= text.size()) return false;
    return text[name + 2] == 'R' || text[name + 2] == 'D';
}

/// The error of a helper that is late, nothing for one that is to be waited for. `waited`: since it was started.
std::optional<Error> lateness(pid_t pid, std::chrono::milliseconds waited) {
    const auto work = worked(pid);
    const bool starved = work && *work < kDeadline / 2 && wantsToWork(pid);
    if (starved && waited < kLastDeadline) return std::nullopt;
    Error error{ErrorCode::DoesNotFit, "Python takes too long to parse the file", {}, {}};
    if (starved)
        error = {ErrorCode::DoesNotFit,
                 "Python could not work: within " + std::to_string(waited.count() / 1000) +
                     " s it had a processor for " + std::to_string(work->count()) + " ms",
                 {},
                 "the machine is busy; try again"};
    return error;
}

/// Sends the source and takes the answer, whichever is ready. A process that gets no processor is waited for longer.
Result<std::string> converse(pid_t pid, int fd, std::string_view source) {
    const auto start = std::chrono::steady_clock::now();
    auto end = start + kDeadline;
    std::string answer;
    std::array<char, 1 << 16> buffer{};
    bool sending = true;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            if (std::optional<Error> late =
                    lateness(pid, std::chrono::duration_cast<std::chrono::milliseconds>(end - start)))
                return Unexpected(*std::move(late));
            end += kDeadline;
            continue;
        }
        const short wanted = static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN);
        pollfd waiting{fd, wanted, 0};
        if (poll(&waiting, 1, static_cast<int>(left.count())) < 0) {
            if (errno == EINTR) continue;
            return failed("waiting for Python");
        }
        if (sending && (waiting.revents & POLLOUT) != 0) {
            const ssize_t sent = send(fd, source.data(), source.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) source.remove_prefix(static_cast<std::size_t>(sent));
            if (source.empty() || (sent < 0 && errno != EAGAIN && errno != EINTR)) {
                shutdown(fd, SHUT_WR);
                sending = false;
            }
        }
        if ((waiting.revents & (POLLIN | POLLHUP)) != 0) {
            const ssize_t got = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (got == 0) return answer;
            if (got < 0 && errno != EAGAIN && errno != EINTR) return failed("reading from Python");
            if (got > 0) answer.append(buffer.data(), static_cast<std::size_t>(got));
            if (answer.size() > kMaxAnswer)
                return unexpected(ErrorCode::DoesNotFit, "the syntax tree of the file is too large");
        }
    }
}

}  // namespace

Result<std::string> syntaxTreeText(std::string_view source) {
    if (source.size() > kMaxSource)
        return unexpected(ErrorCode::DoesNotFit, "the file has more than 256 KiB, which no kernel needs");
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return failed("starting Python");
    Handle ours(ends[0]), theirs(ends[1]);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string program = "python3", isolated = "-I", bare = "-S", command = "-c", script(kernelAstScript());
    std::array<char*, 6> arguments{program.data(), isolated.data(), bare.data(),
                                   command.data(), script.data(),   nullptr};
    std::string locale = "LC_ALL=C.UTF-8", path = "PATH=/usr/bin:/bin:/usr/local/bin";
    std::array<char*, 3> environment{locale.data(), path.data(), nullptr};
    pid_t pid = 0;
    int status = ENOENT;
    // Debian's interpreter first, then whatever the search path has.
    for (const char* candidate : {"/usr/bin/python3", "python3"}) {
        status = posix_spawnp(&pid, candidate, &actions, nullptr, arguments.data(), environment.data());
        if (status == 0) break;
    }
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0)
        return unexpected(ErrorCode::Unsupported, "reading Python needs python3, which is not installed", {},
                          "install the package python3");
    Child child(pid);
    limit(pid);
    theirs.close();
    CUBIST_TRY(std::string answer, converse(pid, ours.get(), source));
    const int ended = child.wait();
    if (answer.empty() || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return unexpected(ErrorCode::DoesNotFit, "Python cannot parse the file within its limits of time and memory");
    return answer;
}

}  // namespace cubist::pypto

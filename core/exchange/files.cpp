// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <deque>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

namespace cubist {
namespace {

Unexpected fileError(const std::string& what, int code, const std::string& path) {
    return unexpected(ErrorCode::BadFile, what + ": " + std::generic_category().message(code), path);
}

/// open() that is not cut short by a signal.
int openRetrying(const std::string& path, int flags, mode_t mode = 0) {
    int handle = -1;
    do {
        handle = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    } while (handle < 0 && errno == EINTR);
    return handle;
}

/// Follows symbolic links of the last component, also to a file that does not exist yet.
Result<std::string> resolveLinks(const std::string& path) {
    namespace fs = std::filesystem;
    constexpr int kMaxLinks = 40;
    fs::path current(path);
    for (int i = 0; i < kMaxLinks; ++i) {
        std::error_code code;
        const fs::path next = fs::read_symlink(current, code);
        if (code) return current.string();
        current = next.is_absolute() ? next : current.parent_path() / next;
    }
    return fileError("cannot write the file", ELOOP, path);
}

std::string folderOf(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

std::string temporaryName(const std::string& folder) {
    std::random_device random;
    constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz012345";
    std::string name = folder + "/.cubist-";
    for (int i = 0; i < 12; ++i) name += kLetters[random() % 32];
    return name + ".tmp";
}

}  // namespace

InputFile::InputFile(std::string path, int handle, std::int64_t size)
    : m_path(std::move(path)), m_handle(handle), m_size(size) {}

InputFile::InputFile(InputFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_handle(std::exchange(other.m_handle, -1)), m_size(other.m_size) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
    std::swap(m_path, other.m_path);
    std::swap(m_handle, other.m_handle);
    std::swap(m_size, other.m_size);
    return *this;
}

InputFile::~InputFile() {
    if (m_handle >= 0) ::close(m_handle);
}

Result<InputFile> InputFile::open(const std::string& path) {
    if (path.find('\0') != std::string::npos) return fileError("cannot open the file", EINVAL, path);
    // Opening a named pipe that nobody writes to would wait for ever; one that the shell made is read as any stream.
    const bool stream = path.starts_with("/dev/") || path.starts_with("/proc/");
    const int handle = openRetrying(path, stream ? O_RDONLY : O_RDONLY | O_NONBLOCK);
    if (handle < 0) return fileError("cannot open the file", errno, path);
    InputFile file(path, handle, -1);
    struct stat status {};
    if (::fstat(handle, &status) != 0) return fileError("cannot open the file", errno, path);
    if (S_ISDIR(status.st_mode)) return fileError("cannot read the file", EISDIR, path);
    if (S_ISFIFO(status.st_mode) && !stream)
        return unexpected(ErrorCode::BadFile, "cannot read the file: it is a named pipe", path,
                          "write what comes out of it to a file first");
    if (S_ISREG(status.st_mode)) file.m_size = status.st_size;
    return file;
}

Result<std::size_t> InputFile::read(void* buffer, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t step = std::min<std::size_t>(bytes - done, std::size_t{1} << 30);
        const ssize_t got = ::read(m_handle, static_cast<char*>(buffer) + done, step);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fileError("cannot read the file", errno, m_path);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<std::size_t> InputFile::readAt(std::int64_t offset, void* buffer, std::size_t bytes) const {
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t step = std::min<std::size_t>(bytes - done, std::size_t{1} << 30);
        const ssize_t got = ::pread(m_handle, static_cast<char*>(buffer) + done, step,
                                    static_cast<off_t>(offset) + static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fileError("cannot read the file", errno, m_path);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<MappedBytes> InputFile::map(std::int64_t offset, std::size_t bytes) const {
    if (bytes == 0) return MappedBytes{};
    const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
    const std::int64_t first = offset / page * page;
    const auto before = static_cast<std::size_t>(offset - first);
    const std::size_t length = bytes + before;
    void* const memory = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, m_handle, static_cast<off_t>(first));
    if (memory == MAP_FAILED) return fileError("cannot map the file", errno, m_path);
    std::shared_ptr<const void> owner(memory, [length](void* address) { ::munmap(address, length); });
    return MappedBytes{{static_cast<const std::byte*>(memory) + before, bytes}, std::move(owner)};
}

Result<std::string> readFile(const std::string& path, std::size_t maxBytes) {
    CUBIST_TRY(InputFile file, InputFile::open(path));
    const auto tooLarge = [&] {
        return unexpected(ErrorCode::BadFile, "the file has more than " + std::to_string(maxBytes) + " bytes", path);
    };
    if (file.size() >= 0 && static_cast<std::size_t>(file.size()) > maxBytes) return tooLarge();
    std::string text;
    if (file.size() >= 0) {
        text.resize(static_cast<std::size_t>(file.size()) + 1);
        CUBIST_TRY(const std::size_t got, file.read(text.data(), text.size()));
        const bool end = got < text.size();
        text.resize(got);
        if (end) return text;
    }
    // How long a pipe or device is only reading tells: in parts, since a text that grows is there twice.
    std::deque<std::string> parts;
    std::size_t bytes = text.size();
    for (bool end = false; !end;) {
        constexpr std::size_t kStep = std::size_t{1} << 20;
        std::string part(kStep, '\0');
        CUBIST_TRY(const std::size_t got, file.read(part.data(), part.size()));
        end = got < part.size();
        part.resize(got);
        bytes += got;
        if (bytes > maxBytes) return tooLarge();
        if (got > 0) parts.push_back(std::move(part));
    }
    text.reserve(bytes);
    for (; !parts.empty(); parts.pop_front()) text += parts.front();
    return text;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_target(std::move(other.m_target)),
      m_temporary(std::exchange(other.m_temporary, {})),
      m_handle(std::exchange(other.m_handle, -1)) {}

AtomicFile::~AtomicFile() {
    if (m_handle >= 0) ::close(m_handle);
    if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) return fileError("cannot write the file", EINVAL, path);
    AtomicFile file;
    file.m_path = path;
    CUBIST_TRY(file.m_target, resolveLinks(path));
    struct stat old {};
    const bool exists = ::stat(file.m_target.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return fileError("cannot write the file", EISDIR, path);
    if (exists && ::access(file.m_target.c_str(), W_OK) != 0) return fileError("cannot write the file", errno, path);
    if (exists && !S_ISREG(old.st_mode)) {
        file.m_handle = openRetrying(file.m_target, O_WRONLY);
        if (file.m_handle < 0) return fileError("cannot write the file", errno, path);
        return file;
    }
    for (int attempt = 0; file.m_handle < 0; ++attempt) {
        const std::string name = temporaryName(folderOf(file.m_target));
        file.m_handle = openRetrying(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (file.m_handle >= 0)
            file.m_temporary = name;
        else if (errno != EEXIST || attempt == 100)
            return fileError("cannot write the file", errno, path);
    }
    constexpr mode_t kPermissions = 07777;
    if (exists && ::fchmod(file.m_handle, old.st_mode & kPermissions) != 0)
        return fileError("cannot keep the file's permissions", errno, path);
    return file;
}

Result<void> AtomicFile::write(const void* data, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t step = std::min<std::size_t>(bytes - done, std::size_t{1} << 30);
        const ssize_t written = ::write(m_handle, static_cast<const char*>(data) + done, step);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fileError("cannot write the file", errno, m_path);
        done += static_cast<std::size_t>(written);
    }
    return {};
}

Result<void> AtomicFile::commit() {
    // A pipe or a terminal cannot be synchronised, and need not be.
    if (!m_temporary.empty() && ::fsync(m_handle) != 0) return fileError("cannot write the file", errno, m_path);
    if (::close(std::exchange(m_handle, -1)) != 0) return fileError("cannot write the file", errno, m_path);
    if (m_temporary.empty()) return {};
    if (::rename(m_temporary.c_str(), m_target.c_str()) != 0)
        return fileError("cannot replace the file", errno, m_path);
    m_temporary.clear();
    // The new contents are in place; a folder that cannot be synchronised (some network file systems) is no failure.
    if (const int folder = openRetrying(folderOf(m_target), O_RDONLY | O_DIRECTORY); folder >= 0) {
        ::fsync(folder);
        ::close(folder);
    }
    return {};
}

Result<void> writeFileAtomically(const std::string& path, std::string_view contents) {
    CUBIST_TRY(AtomicFile file, AtomicFile::create(path));
    CUBIST_CHECK_OK(file.write(contents.data(), contents.size()));
    return file.commit();
}

}  // namespace cubist

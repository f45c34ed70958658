// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cubist {

/// A part of a file as memory. Pages are read when they are touched. Whoever cuts the file short while it is in use
/// takes the memory away (the system ends the process), which is why only large files are mapped.
struct MappedBytes {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;  ///< keeps the mapping
};

/// A file being read front to back. Errors: BadFile with the path in `where`.
class InputFile {
public:
    [[nodiscard]] static Result<InputFile> open(const std::string& path);
    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;
    ~InputFile();

    /// Bytes of a regular file; -1 for a pipe or device, whose length only reading tells.
    [[nodiscard]] std::int64_t size() const { return m_size; }
    /// Fills `buffer` as far as the file goes and returns the number of bytes.
    [[nodiscard]] Result<std::size_t> read(void* buffer, std::size_t bytes);
    /// The same from a place of a regular file; the position of `read` stays.
    [[nodiscard]] Result<std::size_t> readAt(std::int64_t offset, void* buffer, std::size_t bytes) const;
    /// Part of a regular file, read-only; it outlives the InputFile. Precondition: the file has these bytes.
    [[nodiscard]] Result<MappedBytes> map(std::int64_t offset, std::size_t bytes) const;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    InputFile(std::string path, int handle, std::int64_t size);
    std::string m_path;
    int m_handle = -1;
    std::int64_t m_size = -1;
};

/// A whole file. Errors: BadFile (cannot be read, or has more than `maxBytes`).
[[nodiscard]] Result<std::string> readFile(const std::string& path, std::size_t maxBytes);

/// A file that replaces an older one of the same name in one step: readers see the old or the new contents, never a
/// part, and a crash at any moment leaves one of the two. Writes a temporary in the same folder, then fsync, rename,
/// fsync of the folder. Symbolic links are followed and the old file's permissions kept; without `commit` nothing
/// changes and the temporary is removed. Something that is no regular file (a pipe, /dev/null) is written directly.
class AtomicFile {
public:
    /// Errors: BadFile (folder missing, no permission, a folder of that name, an existing file that is read-only).
    [[nodiscard]] static Result<AtomicFile> create(const std::string& path);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&& other) = delete;
    ~AtomicFile();

    [[nodiscard]] Result<void> write(const void* data, std::size_t bytes);
    [[nodiscard]] Result<void> commit();

private:
    AtomicFile() = default;
    std::string m_path;       ///< as the caller named it
    std::string m_target;     ///< symbolic links resolved
    std::string m_temporary;  ///< empty: written directly
    int m_handle = -1;
};

/// Errors: as AtomicFile.
[[nodiscard]] Result<void> writeFileAtomically(const std::string& path, std::string_view contents);

}  // namespace cubist

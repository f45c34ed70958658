// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/exchange/files.h"

namespace cubist {

/// Bytes that come one after the other: a file, a part of one, a compressed entry of an archive.
class ByteSource {
public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    /// Fills `buffer` as far as the bytes go. Fewer than asked for: that was the end, and it was found to be sound.
    [[nodiscard]] virtual Result<std::size_t> read(void* buffer, std::size_t bytes) = 0;
    /// All bytes together; -1 when only reading tells.
    [[nodiscard]] virtual std::int64_t size() const = 0;
    /// All bytes as memory; nothing when they are not in a regular file as they are.
    [[nodiscard]] virtual std::optional<MappedBytes> map() const { return std::nullopt; }
};

/// A whole file, or `bytes` of it from `first` on.
class FileSource : public ByteSource {
public:
    [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(const std::string& path);
    FileSource(std::shared_ptr<InputFile> file, std::int64_t first, std::int64_t bytes)
        : m_file(std::move(file)), m_first(first), m_bytes(bytes) {}

    [[nodiscard]] Result<std::size_t> read(void* buffer, std::size_t bytes) override;
    [[nodiscard]] std::int64_t size() const override { return m_bytes; }
    [[nodiscard]] std::optional<MappedBytes> map() const override;

private:
    std::shared_ptr<InputFile> m_file;
    std::int64_t m_first = 0;
    std::int64_t m_bytes = -1;
    std::int64_t m_at = 0;
};

}  // namespace cubist

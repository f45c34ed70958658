// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/files.h"

namespace cubist {

/// Writes a ZIP archive: entries stored without compression, no times, so that equal contents give equal bytes. The
/// file appears on `commit` (see AtomicFile).
class ZipWriter {
public:
    using Parts = std::vector<std::span<const std::byte>>;

    /// Errors: as AtomicFile.
    [[nodiscard]] static Result<ZipWriter> create(const std::string& path);

    /// Adds an entry that consists of `parts`, one after the other. Precondition: the name is a plain relative path
    /// that was not added before. Errors: BadFile.
    [[nodiscard]] Result<void> add(const std::string& name, const Parts& parts);
    [[nodiscard]] Result<void> add(const std::string& name, std::string_view text);
    [[nodiscard]] Result<void> commit();

private:
    explicit ZipWriter(AtomicFile file) : m_file(std::move(file)) {}
    [[nodiscard]] Result<void> write(std::string_view bytes);

    struct Entry {
        std::string name;
        std::uint64_t bytes = 0, offset = 0;
        std::uint32_t crc = 0;
    };
    AtomicFile m_file;
    std::vector<Entry> m_entries;
    std::uint64_t m_at = 0;
};

}  // namespace cubist

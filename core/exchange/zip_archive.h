// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/byte_source.h"

namespace cubist {

struct ZipEntry {
    std::string name;  ///< relative, with '/' between folders; never "..", never twice in an archive
    std::int64_t bytes = 0;
    std::int64_t storedBytes = 0;
    std::int64_t offset = 0;  ///< of the entry's header in the file
    std::uint32_t crc = 0;
    bool deflated = false;
};

/// A ZIP archive (with ZIP64) for reading: `.npz` files and bundles. What it holds is not trusted: the table of
/// contents is limited to 16 MiB and 65 536 entries; names that lead out of a folder, that occur twice or are no plain
/// text, symbolic links, encrypted entries and entries that lie on top of each other are refused; an entry may claim at
/// most what its compressed bytes can give, and giving more or less than it claims is an error, as is a wrong checksum.
class ZipArchive {
public:
    /// Errors: BadFile (not a ZIP archive, damaged, hostile), Unsupported (another compression, encryption, several
    /// volumes).
    [[nodiscard]] static Result<ZipArchive> open(const std::string& path);

    /// In the order of the table of contents; folders are left out.
    [[nodiscard]] const std::vector<ZipEntry>& entries() const { return m_entries; }
    [[nodiscard]] const ZipEntry* find(std::string_view name) const;

    /// The entry's bytes, decompressed while they are read. Errors: BadFile.
    [[nodiscard]] Result<std::unique_ptr<ByteSource>> source(const ZipEntry& entry) const;
    /// All of a small entry. Errors: as `source`; BadFile when it has more than `maxBytes`.
    [[nodiscard]] Result<std::string> text(const ZipEntry& entry, std::size_t maxBytes) const;

private:
    explicit ZipArchive(std::shared_ptr<InputFile> file) : m_file(std::move(file)) {}
    [[nodiscard]] Result<void> readContents();

    std::shared_ptr<InputFile> m_file;
    std::vector<ZipEntry> m_entries;
};

/// Whether a file begins like a ZIP archive. False for what cannot be read.
[[nodiscard]] bool looksLikeZip(const std::string& path);

}  // namespace cubist

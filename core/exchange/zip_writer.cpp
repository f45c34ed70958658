// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/zip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

namespace cubist {
namespace {

constexpr std::uint64_t kLarge = 0xFFFFFFFF;  ///< from here on the values stand in a ZIP64 field
constexpr std::uint16_t kPlainVersion = 20, kLargeVersion = 45;
constexpr std::uint16_t kUtf8Name = 0x0800;
constexpr std::uint16_t kFirstDay = 0x0021;  ///< 1 January 1980

void append(std::string& out, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

std::uint64_t capped(std::uint64_t value) {
    return std::min(value, kLarge);
}

/// What local and central header have in common.
void appendCommon(std::string& out, bool large, std::uint32_t crc, std::uint64_t bytes, std::size_t nameBytes,
                  std::size_t extraBytes) {
    append(out, large ? kLargeVersion : kPlainVersion, 2);
    append(out, kUtf8Name, 2);
    append(out, 0, 2);  // stored
    append(out, 0, 2);  // midnight
    append(out, kFirstDay, 2);
    append(out, crc, 4);
    append(out, capped(bytes), 4);
    append(out, capped(bytes), 4);
    append(out, nameBytes, 2);
    append(out, extraBytes, 2);
}

}  // namespace

Result<ZipWriter> ZipWriter::create(const std::string& path) {
    CUBIST_TRY(AtomicFile file, AtomicFile::create(path));
    return ZipWriter(std::move(file));
}

Result<void> ZipWriter::write(std::string_view bytes) {
    m_at += bytes.size();
    return m_file.write(bytes.data(), bytes.size());
}

Result<void> ZipWriter::add(const std::string& name, std::string_view text) {
    return add(name, Parts{std::as_bytes(std::span(text))});
}

Result<void> ZipWriter::add(const std::string& name, const Parts& parts) {
    Entry entry{name, 0, m_at, 0};
    uLong crc = 0;
    for (const std::span<const std::byte> part : parts) {
        if (part.empty()) continue;  // zlib takes a null pointer for a wish to start again
        crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
        entry.bytes += part.size();
    }
    entry.crc = static_cast<std::uint32_t>(crc);
    const bool large = entry.bytes >= kLarge;
    std::string extra;
    if (large) {
        append(extra, 1, 2);
        append(extra, 16, 2);
        append(extra, entry.bytes, 8);
        append(extra, entry.bytes, 8);
    }
    std::string header("PK\x03\x04");
    appendCommon(header, large, entry.crc, entry.bytes, name.size(), extra.size());
    CUBIST_CHECK_OK(write(header + name + extra));
    for (const std::span<const std::byte> part : parts)
        CUBIST_CHECK_OK(write({reinterpret_cast<const char*>(part.data()), part.size()}));
    m_entries.push_back(std::move(entry));
    return {};
}

Result<void> ZipWriter::commit() {
    const std::uint64_t contentsAt = m_at;
    for (const Entry& entry : m_entries) {
        std::string extra;
        if (entry.bytes >= kLarge || entry.offset >= kLarge) {
            append(extra, 1, 2);
            append(extra, (entry.bytes >= kLarge ? 16U : 0U) + (entry.offset >= kLarge ? 8U : 0U), 2);
            if (entry.bytes >= kLarge) {
                append(extra, entry.bytes, 8);
                append(extra, entry.bytes, 8);
            }
            if (entry.offset >= kLarge) append(extra, entry.offset, 8);
        }
        constexpr std::uint16_t kUnix = 3U << 8U;
        constexpr std::uint64_t kRegularFile = std::uint64_t{0100644} << 16U;
        std::string header("PK\x01\x02");
        append(header, kUnix | kLargeVersion, 2);
        appendCommon(header, !extra.empty(), entry.crc, entry.bytes, entry.name.size(), extra.size());
        append(header, 0, 2);  // comment
        append(header, 0, 2);  // volume
        append(header, 0, 2);  // internal attributes
        append(header, kRegularFile, 4);
        append(header, capped(entry.offset), 4);
        CUBIST_CHECK_OK(write(header + entry.name + extra));
    }
    const std::uint64_t contentsBytes = m_at - contentsAt;
    std::string end;
    if (m_entries.size() >= 0xFFFF || contentsBytes >= kLarge || contentsAt >= kLarge) {
        const std::uint64_t endAt = m_at;
        end += "PK\x06\x06";
        append(end, 44, 8);  // bytes that follow
        append(end, kLargeVersion, 2);
        append(end, kLargeVersion, 2);
        append(end, 0, 4);
        append(end, 0, 4);
        append(end, m_entries.size(), 8);
        append(end, m_entries.size(), 8);
        append(end, contentsBytes, 8);
        append(end, contentsAt, 8);
        end += "PK\x06\x07";
        append(end, 0, 4);
        append(end, endAt, 8);
        append(end, 1, 4);
    }
    end += "PK\x05\x06";
    append(end, 0, 2);
    append(end, 0, 2);
    append(end, std::min<std::uint64_t>(m_entries.size(), 0xFFFF), 2);
    append(end, std::min<std::uint64_t>(m_entries.size(), 0xFFFF), 2);
    append(end, capped(contentsBytes), 4);
    append(end, capped(contentsAt), 4);
    append(end, 0, 2);
    CUBIST_CHECK_OK(write(end));
    return m_file.commit();
}

}  // namespace cubist

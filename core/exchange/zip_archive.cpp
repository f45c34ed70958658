// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/exchange/json_text.h"

namespace cubist {
namespace {

constexpr std::uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr std::int64_t kMaxContentsBytes = 16 << 20;
constexpr std::int64_t kMaxEntries = 65536;
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint32_t kElsewhere32 = 0xFFFFFFFF;  ///< the value stands in the ZIP64 part
constexpr std::uint16_t kElsewhere16 = 0xFFFF;

Unexpected damaged(const std::string& why, const std::string& path) {
    return unexpected(ErrorCode::BadFile, "damaged archive: " + why, path);
}

/// Little-endian integer of `bytes` bytes.
std::uint64_t integerAt(std::string_view data, std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8U | static_cast<unsigned char>(data[at + i]);
    return value;
}
std::uint16_t shortAt(std::string_view data, std::size_t at) {
    return static_cast<std::uint16_t>(integerAt(data, at, 2));
}
std::uint32_t wordAt(std::string_view data, std::size_t at) {
    return static_cast<std::uint32_t>(integerAt(data, at, 4));
}

/// Why a name must not be in an archive; empty when it may.
std::string nameProblem(const std::string& name) {
    if (name.empty()) return "an entry without a name";
    if (name.size() > kMaxNameBytes) return "an entry's name has " + std::to_string(name.size()) + " bytes";
    const std::string quoted = quotedForMessage(name);
    const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == '\x7f' || c == '\\' || c == ':';
    });
    if (!plain || name[0] == '/') return "the entry " + quoted + " is no plain relative path";
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        const std::string part = name.substr(at, end - at);
        if (part.empty() || part == "." || part == "..") return "the entry " + quoted + " leads out of its folder";
        at = end + 1;
    }
    return {};
}

struct ContentsPlace {
    std::int64_t offset = 0, bytes = 0, entries = 0;
};

class ContentsFinder {
public:
    explicit ContentsFinder(const InputFile& file) : m_file(file) {}

    Result<ContentsPlace> find() {
        const std::int64_t size = m_file.size();
        const std::string& path = m_file.path();
        if (size < static_cast<std::int64_t>(kEndBytes)) return unexpected(ErrorCode::BadFile, "not an archive", path);
        // The end record stands at the end, but for a comment of at most 65 535 bytes.
        const std::int64_t tailBytes = std::min<std::int64_t>(size, kEndBytes + 0xFFFF);
        CUBIST_TRY(const std::string tail, read(size - tailBytes, static_cast<std::size_t>(tailBytes)));
        std::size_t at = tail.size() - kEndBytes;
        while (wordAt(tail, at) != kEndMark || at + kEndBytes + shortAt(tail, at + 20) != tail.size())
            if (at-- == 0)
                return unexpected(ErrorCode::BadFile, "not an archive, or a truncated one: it has no end record", path);
        const std::string_view end = std::string_view(tail).substr(at);
        if (shortAt(end, 4) != 0 || shortAt(end, 6) != 0)
            return unexpected(ErrorCode::Unsupported, "an archive of several volumes", path);
        m_endsAt = size - tailBytes + static_cast<std::int64_t>(at);
        ContentsPlace place{wordAt(end, 16), wordAt(end, 12), shortAt(end, 10)};
        const bool large = place.entries == kElsewhere16 || place.bytes == kElsewhere32 || place.offset == kElsewhere32;
        if (large) CUBIST_CHECK_OK(readLarge(place));
        if (place.entries > kMaxEntries) return damaged(std::to_string(place.entries) + " entries", path);
        if (place.bytes < 0 || place.bytes > kMaxContentsBytes)
            return damaged("a table of contents of " + std::to_string(place.bytes) + " bytes", path);
        if (place.offset < 0 || place.offset > m_endsAt - place.bytes)
            return damaged("the table of contents lies outside of the file", path);
        return place;
    }

    Result<std::string> read(std::int64_t offset, std::size_t bytes) {
        std::string data(bytes, '\0');
        CUBIST_TRY(const std::size_t got, m_file.readAt(offset, data.data(), bytes));
        if (got < bytes) return damaged("it ends too early", m_file.path());
        return data;
    }

private:
    Result<void> readLarge(ContentsPlace& place) {
        const std::int64_t locatorAt = m_endsAt - static_cast<std::int64_t>(kLocatorBytes);
        if (locatorAt < 0) return {};  // exactly 65 535 entries or 2^32 - 1 bytes: then the values are real
        CUBIST_TRY(const std::string locator, read(locatorAt, kLocatorBytes));
        if (wordAt(locator, 0) != kLocator64Mark) return {};
        const std::uint64_t at = integerAt(locator, 8, 8);
        if (at > static_cast<std::uint64_t>(locatorAt) || static_cast<std::uint64_t>(locatorAt) - at < kEnd64Bytes)
            return damaged("the ZIP64 end record lies outside of the file", m_file.path());
        CUBIST_TRY(const std::string end, read(static_cast<std::int64_t>(at), kEnd64Bytes));
        if (wordAt(end, 0) != kEnd64Mark) return damaged("no ZIP64 end record", m_file.path());
        constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
        place.entries = static_cast<std::int64_t>(std::min(integerAt(end, 32, 8), kMost));
        place.bytes = static_cast<std::int64_t>(std::min(integerAt(end, 40, 8), kMost));
        place.offset = static_cast<std::int64_t>(std::min(integerAt(end, 48, 8), kMost));
        m_endsAt = static_cast<std::int64_t>(at);
        return {};
    }

    const InputFile& m_file;
    std::int64_t m_endsAt = 0;  ///< where the records behind the table of contents begin
};

/// Takes the 64-bit values of an entry from its extra fields.
bool takeLargeValues(std::string_view extra, std::uint64_t& bytes, std::uint64_t& stored, std::uint64_t& offset) {
    if (bytes != kElsewhere32 && stored != kElsewhere32 && offset != kElsewhere32) return true;
    for (std::size_t at = 0; at + 4 <= extra.size();) {
        const std::size_t length = shortAt(extra, at + 2);
        if (at + 4 + length > extra.size()) return false;
        if (shortAt(extra, at) == 1) {
            std::string_view values = extra.substr(at + 4, length);
            for (std::uint64_t* const value : {&bytes, &stored, &offset}) {
                if (*value != kElsewhere32) continue;
                if (values.size() < 8) return false;
                *value = integerAt(values, 0, 8);
                values.remove_prefix(8);
            }
            return true;
        }
        at += 4 + length;
    }
    return false;
}

Result<ZipEntry> entryFrom(std::string_view record, std::string_view extra, std::string name, const std::string& path) {
    const std::string quoted = quotedForMessage(name);
    const std::uint16_t flags = shortAt(record, 8), method = shortAt(record, 10);
    if ((flags & 1U) != 0) return unexpected(ErrorCode::Unsupported, "the entry " + quoted + " is encrypted", path);
    if (method != kStored && method != kDeflated)
        return unexpected(ErrorCode::Unsupported,
                          "the entry " + quoted + " has the compression method " + std::to_string(method), path);
    constexpr std::uint32_t kTypeMask = 0170000, kLink = 0120000;
    if ((wordAt(record, 38) >> 16U & kTypeMask) == kLink) return damaged(quoted + " is a symbolic link", path);
    std::uint64_t bytes = wordAt(record, 24), stored = wordAt(record, 20), offset = wordAt(record, 42);
    if (!takeLargeValues(extra, bytes, stored, offset)) return damaged("the sizes of " + quoted + " are missing", path);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
    if (bytes > kMost || stored > kMost || offset > kMost) return damaged("impossible sizes of " + quoted, path);
    // Deflate gives at most 258 bytes for two bits.
    constexpr std::uint64_t kDeflateGain = 1032;
    const bool possible = method == kStored ? bytes == stored : bytes <= stored * kDeflateGain;
    if (!possible)
        return damaged(
            "the entry " + quoted + " claims " + std::to_string(bytes) + " bytes from " + std::to_string(stored), path);
    return ZipEntry{std::move(name),
                    static_cast<std::int64_t>(bytes),
                    static_cast<std::int64_t>(stored),
                    static_cast<std::int64_t>(offset),
                    wordAt(record, 16),
                    method == kDeflated};
}

/// Checks length and checksum while the bytes go by.
class EntrySource : public ByteSource {
public:
    EntrySource(ZipEntry entry, std::shared_ptr<InputFile> file, std::int64_t dataAt)
        : m_entry(std::move(entry)), m_path(file->path()), m_raw(std::move(file), dataAt, m_entry.storedBytes) {}
    ~EntrySource() override {
        if (m_inflating) inflateEnd(&m_stream);
    }

    [[nodiscard]] std::int64_t size() const override { return m_entry.bytes; }

    [[nodiscard]] Result<std::size_t> read(void* buffer, std::size_t bytes) override {
        CUBIST_TRY(const std::size_t got, m_entry.deflated ? inflated(buffer, bytes) : m_raw.read(buffer, bytes));
        m_done += static_cast<std::int64_t>(got);
        // zlib takes a null pointer for a wish to start again.
        if (got > 0) m_crc = crc32_z(m_crc, static_cast<const Bytef*>(buffer), got);
        if (m_done > m_entry.bytes) return problem("has more bytes than it claims");
        if (got == bytes) return got;
        if (m_done < m_entry.bytes) return problem("has fewer bytes than it claims");
        if (m_crc != m_entry.crc) return problem("has a wrong checksum");
        return got;
    }

private:
    Unexpected problem(const std::string& what) const {
        return damaged("the entry " + quotedForMessage(m_entry.name) + " " + what, m_path);
    }

    Result<std::size_t> inflated(void* buffer, std::size_t bytes) {
        constexpr int kRawDeflate = -15;
        if (!m_inflating) {
            if (inflateInit2(&m_stream, kRawDeflate) != Z_OK)
                return unexpected(ErrorCode::DoesNotFit, "no memory to unpack the archive", m_path);
            m_inflating = true;
        }
        std::size_t done = 0;
        while (done < bytes && !m_ended) {
            if (m_stream.avail_in == 0) {
                CUBIST_TRY(const std::size_t got, m_raw.read(m_packed.data(), m_packed.size()));
                if (got == 0) return problem("ends too early");
                m_stream.next_in = m_packed.data();
                m_stream.avail_in = static_cast<uInt>(got);
            }
            constexpr std::size_t kStep = std::size_t{1} << 30U;
            const auto step = static_cast<uInt>(std::min(bytes - done, kStep));
            m_stream.next_out = static_cast<Bytef*>(buffer) + done;
            m_stream.avail_out = step;
            const int status = inflate(&m_stream, Z_NO_FLUSH);
            done += step - m_stream.avail_out;
            m_ended = status == Z_STREAM_END;
            if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return problem("cannot be unpacked");
        }
        return done;
    }

    ZipEntry m_entry;
    std::string m_path;
    FileSource m_raw;
    std::array<Bytef, 1U << 16U> m_packed{};
    z_stream m_stream{};
    bool m_inflating = false, m_ended = false;
    std::int64_t m_done = 0;
    uLong m_crc = 0;
};

}  // namespace

Result<ZipArchive> ZipArchive::open(const std::string& path) {
    CUBIST_TRY(InputFile file, InputFile::open(path));
    if (file.size() < 0) return unexpected(ErrorCode::BadFile, "an archive cannot be read from a pipe", path);
    ZipArchive archive(std::make_shared<InputFile>(std::move(file)));
    CUBIST_CHECK_OK(archive.readContents());
    return archive;
}

Result<void> ZipArchive::readContents() {
    const std::string& path = m_file->path();
    ContentsFinder finder(*m_file);
    CUBIST_TRY(const ContentsPlace place, finder.find());
    CUBIST_TRY(const std::string text, finder.read(place.offset, static_cast<std::size_t>(place.bytes)));
    const std::string_view contents = text;
    std::unordered_set<std::string> names;
    std::vector<std::pair<std::int64_t, std::int64_t>> occupied;  // first byte, first byte behind
    std::size_t at = 0;
    for (std::int64_t i = 0; i < place.entries; ++i) {
        if (at + kCentralBytes > contents.size() || wordAt(contents, at) != kCentralMark)
            return damaged("its table of contents is cut short", path);
        const std::string_view record = contents.substr(at, kCentralBytes);
        const std::size_t nameBytes = shortAt(record, 28), extraBytes = shortAt(record, 30);
        const std::size_t next = at + kCentralBytes + nameBytes + extraBytes + shortAt(record, 32);
        if (next > contents.size()) return damaged("its table of contents is cut short", path);
        std::string name(contents.substr(at + kCentralBytes, nameBytes));
        const bool folder = name.ends_with('/');
        if (folder) name.pop_back();
        if (std::string problem = nameProblem(name); !problem.empty()) return damaged(problem, path);
        if (!names.insert(name).second) return damaged("the entry " + quotedForMessage(name) + " occurs twice", path);
        CUBIST_TRY(ZipEntry entry,
                   entryFrom(record, contents.substr(at + kCentralBytes + nameBytes, extraBytes), name, path));
        const auto header = static_cast<std::int64_t>(kLocalBytes + nameBytes);
        occupied.emplace_back(entry.offset, entry.offset + header + entry.storedBytes);
        if (!folder) m_entries.push_back(std::move(entry));
        at = next;
    }
    std::sort(occupied.begin(), occupied.end());
    occupied.emplace_back(place.offset, place.offset);
    for (std::size_t i = 0; i + 1 < occupied.size(); ++i)
        if (occupied[i].second > occupied[i + 1].first) return damaged("entries lie on top of each other", path);
    return {};
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
    const auto found =
        std::find_if(m_entries.begin(), m_entries.end(), [&](const ZipEntry& entry) { return entry.name == name; });
    return found == m_entries.end() ? nullptr : &*found;
}

Result<std::unique_ptr<ByteSource>> ZipArchive::source(const ZipEntry& entry) const {
    ContentsFinder reader(*m_file);
    CUBIST_TRY(const std::string header, reader.read(entry.offset, kLocalBytes));
    const std::size_t nameBytes = shortAt(header, 26);
    CUBIST_TRY(const std::string name, reader.read(entry.offset + static_cast<std::int64_t>(kLocalBytes), nameBytes));
    if (wordAt(header, 0) != kLocalMark || name != entry.name)
        return damaged("the entry " + quotedForMessage(entry.name) + " is not where it should be", m_file->path());
    const auto dataAt = entry.offset + static_cast<std::int64_t>(kLocalBytes + nameBytes + shortAt(header, 28));
    if (dataAt + entry.storedBytes > m_file->size())
        return damaged("the entry " + quotedForMessage(entry.name) + " is cut short", m_file->path());
    return std::unique_ptr<ByteSource>(std::make_unique<EntrySource>(entry, m_file, dataAt));
}

Result<std::string> ZipArchive::text(const ZipEntry& entry, std::size_t maxBytes) const {
    if (entry.bytes > static_cast<std::int64_t>(maxBytes))
        return damaged(
            "the entry " + quotedForMessage(entry.name) + " has more than " + std::to_string(maxBytes) + " bytes",
            m_file->path());
    CUBIST_TRY(const std::unique_ptr<ByteSource> bytes, source(entry));
    std::string text(static_cast<std::size_t>(entry.bytes), '\0');
    CUBIST_TRY(const std::size_t got, bytes->read(text.data(), text.size()));
    char extra = 0;
    CUBIST_TRY(const std::size_t more, bytes->read(&extra, 1));  // the end, where the checksum is compared
    if (got < text.size() || more > 0) return damaged("an entry's length is wrong", m_file->path());
    return text;
}

bool looksLikeZip(const std::string& path) {
    const Result<InputFile> file = InputFile::open(path);
    std::array<char, 4> mark{};
    if (!file || file->size() < static_cast<std::int64_t>(kEndBytes)) return false;
    const Result<std::size_t> got = file->readAt(0, mark.data(), mark.size());
    if (!got || *got < mark.size()) return false;
    const std::uint32_t found = wordAt(std::string_view(mark.data(), mark.size()), 0);
    return found == kLocalMark || found == kEndMark;
}

}  // namespace cubist

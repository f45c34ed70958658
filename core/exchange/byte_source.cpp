// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/byte_source.h"

#include <algorithm>
#include <utility>

namespace cubist {

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
    CUBIST_TRY(InputFile file, InputFile::open(path));
    const std::int64_t bytes = file.size();
    return std::make_unique<FileSource>(std::make_shared<InputFile>(std::move(file)), 0, bytes);
}

Result<std::size_t> FileSource::read(void* buffer, std::size_t bytes) {
    if (m_bytes < 0) return m_file->read(buffer, bytes);
    const auto wanted = std::min(bytes, static_cast<std::size_t>(m_bytes - m_at));
    CUBIST_TRY(const std::size_t got, m_file->readAt(m_first + m_at, buffer, wanted));
    m_at += static_cast<std::int64_t>(got);
    return got;
}

std::optional<MappedBytes> FileSource::map() const {
    if (m_bytes < 0) return std::nullopt;
    Result<MappedBytes> mapped = m_file->map(m_first, static_cast<std::size_t>(m_bytes));
    if (!mapped) return std::nullopt;
    return *std::move(mapped);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cubist {

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
class Sha256 {
public:
    void add(std::span<const std::byte> bytes);
    /// The hash of all bytes added, as 64 hex digits. The object is used up.
    [[nodiscard]] std::string finish();

private:
    void block(const std::byte* bytes);

    std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> m_rest{};
    std::size_t m_restBytes = 0;
    std::uint64_t m_bytes = 0;
};

[[nodiscard]] std::string sha256(std::string_view text);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cubist {
namespace {

constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

}  // namespace

void Sha256::block(const std::byte* bytes) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 4; ++j) w[i] = w[i] << 8U | std::to_integer<std::uint32_t>(bytes[4 * i + j]);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t low = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3U;
        const std::uint32_t high = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10U;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    std::array<std::uint32_t, 8> s = m_state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
        const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const std::uint32_t first = s[7] + e + choice + kRound[i] + w[i];
        const std::uint32_t a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
        const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        s = {first + a + majority, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) m_state[i] += s[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
    m_bytes += bytes.size();
    while (!bytes.empty()) {
        if (m_restBytes == 0 && bytes.size() >= m_rest.size()) {
            block(bytes.data());
            bytes = bytes.subspan(m_rest.size());
            continue;
        }
        const std::size_t step = std::min(bytes.size(), m_rest.size() - m_restBytes);
        std::memcpy(m_rest.data() + m_restBytes, bytes.data(), step);
        m_restBytes += step;
        bytes = bytes.subspan(step);
        if (m_restBytes < m_rest.size()) break;
        block(m_rest.data());
        m_restBytes = 0;
    }
}

std::string Sha256::finish() {
    const std::uint64_t bits = m_bytes * 8;
    std::array<std::byte, 72> end{std::byte{0x80}};
    const std::size_t zeros = (119 - m_restBytes) % 64;  // up to 8 bytes before the end of a block
    for (std::size_t i = 0; i < 8; ++i) end[1 + zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i) & 0xFFU);
    add(std::span(end).first(1 + zeros + 8));
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint32_t word : m_state)
        for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 0xFU];
    return text;
}

std::string sha256(std::string_view text) {
    Sha256 hash;
    hash.add(std::as_bytes(std::span(text)));
    return hash.finish();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cubist {

/// An exact fraction, always reduced, denominator > 0. Chip constants such as 79.5 B/cycle are decimals in their files
/// and stay exact, so that a duration never depends on floating-point rounding.
/// Range: numerator and denominator fit 64 bits after reduction; products are formed in 128 bits. Overflow is a bug of
/// the caller (constants are bounded by the chip schema) and asserts.
class Rational {
public:
    constexpr Rational() = default;
    constexpr Rational(std::int64_t integer) : m_num(integer) {}
    Rational(std::int64_t numerator, std::int64_t denominator);

    [[nodiscard]] std::int64_t numerator() const { return m_num; }
    [[nodiscard]] std::int64_t denominator() const { return m_den; }

    friend Rational operator+(const Rational& a, const Rational& b);
    friend Rational operator-(const Rational& a, const Rational& b);
    friend Rational operator*(const Rational& a, const Rational& b);
    /// Precondition: b is not zero.
    friend Rational operator/(const Rational& a, const Rational& b);
    friend bool operator==(const Rational& a, const Rational& b) = default;
    friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

    /// Smallest integer not below the value.
    [[nodiscard]] std::int64_t ceil() const;
    [[nodiscard]] double toDouble() const;
    /// Shortest exact decimal where there is one ("79.5"), else "a/b".
    [[nodiscard]] std::string toText() const;

private:
    std::int64_t m_num = 0;
    std::int64_t m_den = 1;
};

/// Reads a JSON number ("3.6", "1.6e12", "-2") exactly. Errors: Syntax, or BadValue when it does not fit.
[[nodiscard]] Result<Rational> parseDecimal(std::string_view text);

}  // namespace cubist

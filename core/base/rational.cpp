// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/rational.h"

#include <cctype>
#include <limits>

namespace cubist {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kMax = std::numeric_limits<std::int64_t>::max();

Wide gcd(Wide a, Wide b) {
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

Rational reduced(Wide num, Wide den) {
    assert(den != 0 && "a fraction needs a non-zero denominator");
    if (den < 0) {
        num = -num;
        den = -den;
    }
    if (const Wide common = gcd(num, den); common > 1) {
        num /= common;
        den /= common;
    }
    assert(num <= kMax && num >= -kMax && den <= kMax && "fraction does not fit 64 bits");
    return Rational(static_cast<std::int64_t>(num), static_cast<std::int64_t>(den));
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) : m_num(numerator), m_den(denominator) {
    assert(denominator != 0 && "a fraction needs a non-zero denominator");
    if (m_den < 0 || gcd(m_num, m_den) > 1) *this = reduced(numerator, denominator);
}

Rational operator+(const Rational& a, const Rational& b) {
    return reduced(Wide{a.m_num} * b.m_den + Wide{b.m_num} * a.m_den, Wide{a.m_den} * b.m_den);
}

Rational operator-(const Rational& a, const Rational& b) {
    return reduced(Wide{a.m_num} * b.m_den - Wide{b.m_num} * a.m_den, Wide{a.m_den} * b.m_den);
}

Rational operator*(const Rational& a, const Rational& b) {
    return reduced(Wide{a.m_num} * b.m_num, Wide{a.m_den} * b.m_den);
}

Rational operator/(const Rational& a, const Rational& b) {
    return reduced(Wide{a.m_num} * b.m_den, Wide{a.m_den} * b.m_num);
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    return Wide{a.m_num} * b.m_den <=> Wide{b.m_num} * a.m_den;
}

std::int64_t Rational::ceil() const {
    const std::int64_t quotient = m_num / m_den;
    return m_num > 0 && m_num % m_den != 0 ? quotient + 1 : quotient;
}

double Rational::toDouble() const {
    return static_cast<double>(m_num) / static_cast<double>(m_den);
}

std::string Rational::toText() const {
    if (m_den == 1) return std::to_string(m_num);
    std::int64_t rest = m_den;
    int twos = 0;
    int fives = 0;
    for (; rest % 2 == 0; rest /= 2) ++twos;
    for (; rest % 5 == 0; rest /= 5) ++fives;
    const int digits = twos > fives ? twos : fives;
    if (rest != 1 || digits > 12) return std::to_string(m_num) + "/" + std::to_string(m_den);
    Wide scaled = m_num < 0 ? -Wide{m_num} : Wide{m_num};
    for (int i = 0; i < digits; ++i) scaled *= 10;
    scaled /= m_den;
    std::string text;
    for (int i = 0; i < digits; ++i, scaled /= 10)
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(scaled % 10)));
    text.insert(0, ".");
    do {
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(scaled % 10)));
        scaled /= 10;
    } while (scaled != 0);
    if (m_num < 0) text.insert(0, "-");
    return text;
}

Result<Rational> parseDecimal(std::string_view text) {
    const auto bad = [&](ErrorCode code, const char* why) {
        return unexpected(code, "'" + std::string(text.substr(0, 40)) + "' " + why);
    };
    std::size_t at = 0;
    const bool negative = !text.empty() && text[0] == '-';
    if (negative) at = 1;
    Wide mantissa = 0;
    int exponent = 0;
    int digits = 0;
    bool fraction = false;
    for (; at < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || (text[at] == '.' && !fraction));
         ++at) {
        if (text[at] == '.') {
            fraction = true;
            continue;
        }
        ++digits;
        if (mantissa > kMax) return bad(ErrorCode::BadValue, "has too many digits");
        mantissa = mantissa * 10 + (text[at] - '0');
        if (fraction) --exponent;
    }
    if (digits == 0) return bad(ErrorCode::Syntax, "is not a number");
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        const bool down = at < text.size() && text[at] == '-';
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        int written = 0;
        const std::size_t first = at;
        for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at)
            if (written < 1000) written = written * 10 + (text[at] - '0');
        if (at == first) return bad(ErrorCode::Syntax, "is not a number");
        exponent += down ? -written : written;
    }
    if (at != text.size()) return bad(ErrorCode::Syntax, "is not a number");
    for (; mantissa != 0 && exponent < 0 && mantissa % 10 == 0; ++exponent) mantissa /= 10;
    if (mantissa == 0) return Rational();
    Wide den = 1;
    for (; exponent > 0; --exponent) {
        if (mantissa > kMax / 10) return bad(ErrorCode::BadValue, "is too large");
        mantissa *= 10;
    }
    for (; exponent < 0; ++exponent) {
        if (den > kMax / 10) return bad(ErrorCode::BadValue, "has too many decimals");
        den *= 10;
    }
    const Wide common = gcd(mantissa, den);
    mantissa /= common;
    den /= common;
    if (mantissa > kMax || den > kMax) return bad(ErrorCode::BadValue, "does not fit 64 bits");
    const auto num = static_cast<std::int64_t>(negative ? -mantissa : mantissa);
    return Rational(num, static_cast<std::int64_t>(den));
}

}  // namespace cubist

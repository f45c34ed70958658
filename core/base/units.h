// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace cubist {

/// An integer amount of one unit. Amounts of different units do not mix; scaling by plain integers is allowed.
template <class Unit>
struct Quantity {
    std::int64_t value = 0;

    constexpr Quantity() = default;
    constexpr explicit Quantity(std::int64_t v) : value(v) {}
    constexpr auto operator<=>(const Quantity&) const = default;

    constexpr Quantity& operator+=(Quantity other) {
        value += other.value;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        value -= other.value;
        return *this;
    }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
    friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity{a.value * n}; }
    friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return Quantity{a.value * n}; }
};

using Bytes = Quantity<struct BytesUnit>;
/// Time inside the emulated chip: 1/1024 of one AI-core cycle. Source: F-01.
using Ticks = Quantity<struct TicksUnit>;

inline constexpr std::int64_t kTicksPerCycle = 1024;

}  // namespace cubist

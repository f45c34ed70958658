// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/result_values.h"

#include <array>
#include <charconv>
#include <cmath>

namespace cubist {

JsonValue resultValue(double value) {
    if (!std::isfinite(value)) return JsonValue::fromDouble(value);
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 9).ptr;
    double rounded = 0.0;
    std::from_chars(text.data(), end, rounded);
    return JsonValue::fromDouble(rounded == 0.0 ? 0.0 : rounded);
}

}  // namespace cubist

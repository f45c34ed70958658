// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/json_numbers.h"

#include <array>
#include <charconv>
#include <cmath>

namespace cubist {

nlohmann::ordered_json resultNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 9).ptr;
    double rounded = 0.0;
    std::from_chars(text.data(), end, rounded);
    return rounded == 0.0 ? 0.0 : rounded;  // no minus zero
}

}  // namespace cubist

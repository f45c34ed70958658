// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cubist::cli {
namespace {

std::string nameOf(OptionId id) {
    return std::string(optionSpec(id).name);
}

/// Shift of a unit: "", "B", "K", "KB", "KiB" ... "T"; -1 for anything else.
int unitShift(std::string unit) {
    if (unit.ends_with("iB") && unit.size() == 3)
        unit.resize(1);
    else if (unit.ends_with("B"))
        unit.pop_back();
    if (unit.empty()) return 0;
    const std::size_t place = std::string("KMGT").find(static_cast<char>(std::toupper(unit[0])));
    return unit.size() == 1 && place != std::string::npos ? static_cast<int>(10 * (place + 1)) : -1;
}

}  // namespace

Result<std::int64_t> integerOption(const std::string& name, const std::string& text, std::int64_t low,
                                   std::int64_t high) {
    std::int64_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, value);
    if (text.empty() || end != last || status == std::errc::invalid_argument)
        return unexpected(ErrorCode::BadValue, name + " wants an integer, not '" + text + "'");
    if (status != std::errc() || value < low || value > high)
        return unexpected(ErrorCode::BadValue,
                          name + " " + text + " is outside " + std::to_string(low) + ".." + std::to_string(high));
    return value;
}

Result<std::int64_t> sizeOption(OptionId id, const std::string& text) {
    double value = 0;
    const char* last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
    const int shift = status == std::errc() ? unitShift(std::string(end, last)) : -1;
    if (shift < 0 || !std::isfinite(value))
        return unexpected(ErrorCode::BadValue, nameOf(id) + " wants a size, not '" + text + "'", {},
                          "for example 512M, 2G or 1.5GiB");
    const double bytes = std::floor(std::ldexp(value, shift));
    if (bytes < 1 || bytes >= std::ldexp(1.0, 62))
        return unexpected(ErrorCode::BadValue, nameOf(id) + " " + text + " is not a size that memory can have");
    return static_cast<std::int64_t>(bytes);
}

Result<double> percentOption(OptionId id, const std::string& text) {
    double value = 0;
    const char* const last = text.data() + text.size() - (text.ends_with('%') ? 1 : 0);
    const auto [end, status] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
    if (text.empty() || status != std::errc() || end != last || !(value >= 0 && value <= 1e6))
        return unexpected(ErrorCode::BadValue, nameOf(id) + " wants a percentage, not '" + text + "'");
    return value;
}

Result<std::vector<std::pair<std::string, std::string>>> namedOptions(const Arguments& arguments, OptionId id,
                                                                      bool repeatNames) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& text : arguments.values(id)) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            return unexpected(ErrorCode::BadValue,
                              nameOf(id) + " wants " + std::string(optionSpec(id).value) + ", not '" + text + "'");
        std::string name = text.substr(0, equals);
        const bool again =
            std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
        if (again && !repeatNames) return unexpected(ErrorCode::BadValue, nameOf(id) + " " + name + " is given twice");
        pairs.emplace_back(std::move(name), text.substr(equals + 1));
    }
    return pairs;
}

std::string availableText(const std::vector<std::string>& known) {
    std::string all;
    for (const std::string& spelling : known) all += (all.empty() ? "available: " : ", ") + spelling;
    return all;
}

Error unknownSpelling(OptionId id, const std::string& text, const std::vector<std::string>& known) {
    const std::string near = nearestName(text, known);
    return {ErrorCode::UnknownName,
            nameOf(id) + " has no '" + text + "'",
            {},
            (near.empty() ? "" : "did you mean " + near + "? ") + availableText(known)};
}

}  // namespace cubist::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

namespace cubist {

/// A number as results carry it: rounded to nine significant digits; a non-finite one is the string "inf", "-inf" or
/// "nan".
[[nodiscard]] nlohmann::ordered_json resultNumber(double value);

}  // namespace cubist

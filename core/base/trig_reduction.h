// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace cubist::elementary {

/// x = quadrant * pi/2 + high + low (mod 2 pi), |high| <= pi/4 plus a rounding, low below the last place of high.
struct ReducedAngle {
    unsigned quadrant;  ///< modulo 4
    double high;
    double low;
};

/// Range: x is finite. The sum high + low is right to at least 70 bits of its own size for every double.
[[nodiscard]] ReducedAngle reduceByHalfPi(double x);

}  // namespace cubist::elementary

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

/// Elementary functions whose results are the same bits on every host: additions, multiplications, divisions and square
/// roots of IEEE 754 in a fixed order, no libm. In double the error is below 1 unit of the last place (below 2 for the
/// functions marked so). The float result of a double evaluation is therefore within 0.51 units, and correctly rounded
/// but for about one argument in 10^8. Special values follow IEEE 754 and C; every NaN result is the canonical one.
/// Source: F-55
namespace cubist::elementary {

[[nodiscard]] double exp(double x);
[[nodiscard]] double expm1(double x);  ///< exp(x) - 1 without cancellation; below 2 units
[[nodiscard]] double log(double x);
[[nodiscard]] double log1p(double x);  ///< log(1 + x) without cancellation; below 2 units
[[nodiscard]] double sin(double x);
[[nodiscard]] double cos(double x);
[[nodiscard]] double tanh(double x);     ///< below 3 units
[[nodiscard]] double sigmoid(double x);  ///< 1 / (1 + exp(-x)), small results kept; below 3 units

/// x to the power y with C's special cases. Beyond 2^+-8 the result loses a few bits of double (relative error below
/// 2^-43), which a result rounded to float does not show but for one argument in 10^5.
[[nodiscard]] double pow(double x, double y);

struct SinCos {
    double sin;
    double cos;
};
/// sin(2 pi t) and cos(2 pi t), exact at multiples of 1/4; below 2 units. Range: |t| < 2^50
[[nodiscard]] SinCos sinCosOfTurns(double t);

/// Rows of float values, each the double function rounded to float. The spans have equal length; in place is allowed.
void expRow(std::span<const float> x, std::span<float> y);
void logRow(std::span<const float> x, std::span<float> y);
void sinRow(std::span<const float> x, std::span<float> y);
void cosRow(std::span<const float> x, std::span<float> y);
void tanhRow(std::span<const float> x, std::span<float> y);
void sigmoidRow(std::span<const float> x, std::span<float> y);

}  // namespace cubist::elementary

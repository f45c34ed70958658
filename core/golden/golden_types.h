// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/design/design.h"

/// What a declared type does to reference values.
namespace cubist::golden {

/// FP32, FP16 and BF16: the types whose rounding the ideal golden ignores.
[[nodiscard]] constexpr bool isPlainFloat(DType type) {
    return type == DType::FP32 || type == DType::FP16 || type == DType::BF16;
}

/// Rounds the results of an operation (not of a cast) that is declared to give `type`.
void roundResult(GoldenKind kind, DType type, std::span<double> values);

/// Casts values of type `from`.
void castValues(GoldenKind kind, DType from, DType to, RoundMode mode, bool saturate, std::span<double> values);

}  // namespace cubist::golden

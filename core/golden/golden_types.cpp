// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_types.h"

#include "core/base/number_formats.h"

namespace cubist::golden {

namespace {

double roundTo(DType type, double value, RoundMode mode, Saturation saturation) {
    if (isFloat(type)) return static_cast<double>(decode(type, encode(type, value, mode, saturation)));
    return static_cast<double>(toInteger(type, value, mode, saturation));
}

}  // namespace

void roundResult(GoldenKind kind, DType type, std::span<double> values) {
    if (kind == GoldenKind::Ideal && isPlainFloat(type)) return;
    for (double& value : values) {
        if (kind == GoldenKind::Framework && isFloat(type))
            value = roundTo(DType::FP32, value, RoundMode::None, Saturation::Off);
        if (type != DType::FP32) value = roundTo(type, value, RoundMode::None, Saturation::Off);
    }
}

void castValues(GoldenKind kind, DType from, DType to, RoundMode mode, bool saturate, std::span<double> values) {
    if (from == to || (kind == GoldenKind::Ideal && isPlainFloat(to))) return;
    const Saturation saturation = saturate ? Saturation::On : Saturation::Off;
    if (!isFloat(from) && !isFloat(to)) {
        for (double& value : values)
            value = static_cast<double>(narrowInteger(to, static_cast<std::int64_t>(value), saturation));
        return;
    }
    for (double& value : values) value = roundTo(to, value, mode, saturation);
}

}  // namespace cubist::golden

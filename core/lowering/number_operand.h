// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <optional>

#include "core/design/vector_op_info.h"
#include "core/lowering/program.h"

namespace cubist {

/// An element-wise operation or comparison of which one operand is a number. Source: F-16.
[[nodiscard]] inline bool takesNumber(const VectorDetail& detail) {
    const OpFamily family = opInfo(detail.op).family;
    return (family == OpFamily::Elementwise || family == OpFamily::Compare) &&
           std::ranges::any_of(detail.number, [](const std::optional<double>& number) { return number.has_value(); });
}

}  // namespace cubist

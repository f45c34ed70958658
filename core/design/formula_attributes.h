// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/design/design.h"
#include "core/design/vector_op_info.h"

/// The attributes of operations as formulas write them.
namespace cubist::formula {

/// Keys that an operation takes, in the order of the design format.
[[nodiscard]] std::vector<std::string_view> attributeKeys(VectorOpCode op);

/// Sets an attribute from its text ("-1", "true", "RINT", "[16, 64]"). What is wrong with the value, if anything.
[[nodiscard]] std::optional<std::string> setAttribute(VectorOp& op, std::string_view key, std::string_view value);

/// "dim=-1", "keepdim=true": the attributes that do not have their default.
[[nodiscard]] std::vector<std::string> attributeTexts(const VectorOp& op);

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string numberText(double value);

}  // namespace cubist::formula

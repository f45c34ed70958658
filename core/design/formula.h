// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/design/design.h"

namespace cubist {

/// What is wrong with a formula: bytes [begin, end) of the text.
struct FormulaProblem {
    std::string message;
    std::size_t begin = 0, end = 0;
};

/// The operations of a vector stage, or why the text gives none (then `ops` is empty).
struct Formula {
    std::vector<VectorOp> ops;
    std::optional<FormulaProblem> problem;
};

/// Reads operations from a formula:
///   gated = silu(gate) * up
///   cast(gated, BF16, round=RINT)
/// One line (or text between semicolons) gives one named value, `a, b = topk(x, count=8)` two. Operators: + - * /,
/// == != < <= > >= (one of them), unary -; functions are the vector operations by their names in design files, their
/// attributes by the same keys (`dim=-1`, `shape=[16, 64]`), a type name alone is `dtype`. Parts without a name get
/// t1, t2 ... The last line is what the stage hands on; without a name it is called `resultName`. Names with other
/// characters stand between backquotes. A '#' begins a comment. Shapes and types of operands are not looked at.
[[nodiscard]] Formula parseFormula(std::string_view text, const std::string& resultName);

/// The formula of some operations. `parseFormula` gives them back, but for the numbers in the names t1, t2 ...
[[nodiscard]] std::string formulaText(const std::vector<VectorOp>& ops);

/// "cast(a, dtype=, round=, saturate=)": how an operation is written.
[[nodiscard]] std::string formulaSignature(VectorOpCode op);

}  // namespace cubist

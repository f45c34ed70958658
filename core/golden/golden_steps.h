// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/design/resolve.h"
#include "core/design/vector_op_info.h"
#include "core/golden/golden_vector.h"
#include "core/golden/window.h"

/// The operations of a vector stage with all that their evaluation asks for, axes right-aligned.
namespace cubist::golden {

constexpr std::size_t kLast = 3;

/// Where an operand comes from.
struct Source {
    std::optional<double> number;
    std::size_t step = 0;  ///< an earlier operation of the stage, when there is neither number nor window
    bool second = false;   ///< its second result
    DType dtype = DType::FP32;
    std::size_t rank = 1;
    const Window* window = nullptr;
    Axes shape{1, 1, 1, 1};
};

struct Step {
    const VectorOp* op = nullptr;
    const ResolvedValue* value = nullptr;
    OpFamily family = OpFamily::Elementwise;
    DType operandType = DType::FP32;
    Axes shape{1, 1, 1, 1};
    Axes valid{1, 1, 1, 1};
    std::vector<Source> sources;
    std::size_t axis = kLast;                     ///< in the operand; of unsqueeze in the result
    bool drops = false;                           ///< a reduction whose result has lost the axis
    std::pair<std::size_t, std::size_t> swapped;  ///< transpose
    Axes offset{0, 0, 0, 0};                      ///< slice
    bool needed = false;
    bool whole = false;               ///< its rows do not go with the rows of all that read it, so it is made at once
    Window result;                    ///< of a whole step
    Window second;                    ///< its second result, if it has one
    std::vector<std::int64_t> range;  ///< arange
};

[[nodiscard]] bool sameRows(const Axes& a, const Axes& b);

/// Does row r of the result read row r of this operand and no other?
[[nodiscard]] bool readsOwnRow(const Step& step, const Source& source);

/// Row of an operand that goes with a row of the result: axes of extent 1 stand still.
[[nodiscard]] Axes rowIn(const Axes& shape, Axes row);

/// Place of the operand of a reduction without the reduced axis.
[[nodiscard]] Axes withAxis(const Step& step, const Axes& at);

/// The element that a movement within one operand puts at `at`.
[[nodiscard]] Axes movedFrom(const Step& step, const Axes& at);

/// Does the last axis stay where it is, so that rows move as a whole?
[[nodiscard]] bool movesRows(const Step& step);

/// The first `wanted.valids.size()` operations. Errors: as evaluating expressions.
[[nodiscard]] Result<std::vector<Step>> stepsOf(const ResolvedDesign& design, const VectorStage& stage,
                                                const Wanted& wanted, GoldenKind kind, const WindowOf& windowOf,
                                                const IndexValues& indices);

}  // namespace cubist::golden

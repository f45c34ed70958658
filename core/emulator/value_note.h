// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/emulator/task_part.h"
#include "core/lowering/program.h"

namespace cubist {

/// Something the hardware does silently and the designer should know.
struct ValueNote {
    enum class Kind : std::uint8_t {
        IntegerOverflow,  ///< an integer wrapped around: accumulator, vector operation, cast or adding store
        UnorderedAccess,  ///< two tasks without an ordering path touch the same element, and one of them writes it
        NanScale,         ///< an MX scale that takes part in a product is NaN
        Clipped,          ///< quant_mx clipped elements to the largest value of their type
        Saturated,        ///< a cast or the FIXPIPE clamped elements to the range of their type
        NanToZero,        ///< a cast or the FIXPIPE made NaN 0
        Overflowed,       ///< a conversion made elements infinite or NaN
        // Found by checked runs only:
        Infinite,       ///< finite operands gave an infinite sum or result
        UnwrittenRead,  ///< an element is read that nobody wrote: padding, an accumulator without a start, a workspace
        OutsideAccess,  ///< an access beyond a tile, a tensor or the valid part of a box
        SumsLost,       ///< an accumulator is started again before its sums were stored
        OverCapacity,   ///< a tile ends beyond its buffer
        ZeroRead,       ///< an element of a declared workspace is read that nobody wrote; it is zero
    };
    Kind kind = Kind::IntegerOverflow;
    TaskIndex task;  ///< the first task it happened in, by id
    StageIndex stage;
    std::string message, messageZh;  ///< stage, block, instruction, buffer and element
    bool operator==(const ValueNote&) const = default;
};

/// "'C1' block (0,1)": the stage and which of its blocks a member of a task computes; with the K slice and group where
/// not 0.
[[nodiscard]] std::string blockText(const Program& program, TaskPart part, bool chinese);

/// "0,5": an element of a tensor or tile; the last `rank` axes, and all before them from the first that is not 0 on.
[[nodiscard]] std::string coordinates(const Extent4& at, int rank);

enum class ElementLoss : std::uint8_t;
struct LostElements;
struct ClippedElements;

/// How many elements the conversions of a stage lost in a way, and the first of them. `saturating`: elements that its
/// saturating conversions made. Range: elements.count > 0
[[nodiscard]] ValueNote lossNote(const Program& program, TaskPart first, ElementLoss loss, const LostElements& elements,
                                 std::int64_t saturating);

/// How many elements a stage clipped, and how many the other rounding of its shared exponents would clip.
[[nodiscard]] ValueNote clippedNote(const Program& program, TaskIndex first, StageIndex stage,
                                    const ClippedElements& clipped);

}  // namespace cubist

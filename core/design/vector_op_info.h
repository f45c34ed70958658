// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/design/design.h"
#include "core/design/vector_traits.h"

/// What each vector operation takes and gives: the one place that resolve, rules, lowering and golden ask.
namespace cubist {

enum class OpFamily : std::uint8_t {
    Elementwise,  ///< one result element from the elements at the same place; axes of extent 1 stretch
    Compare,      ///< elementwise, BOOL result
    Reduction,    ///< amax, amin, sum along one axis
    Normalise,    ///< softmax, rms_norm: shape kept, every element depends on its whole row
    Movement,     ///< elements change place, not value
    Whole,        ///< rope, full, arange, fillpad, index operations, sorts, sums on the way, quantisations
};

struct OpInfo {
    OpFamily family = OpFamily::Elementwise;
    int minOperands = 1;
    int maxOperands = 1;
};

[[nodiscard]] OpInfo opInfo(VectorOpCode op);

/// Which fields of VectorOp mean something to an operation, besides `in`, `out` and `dtype`.
struct OpFields {
    bool dim = false, keepDim = false, dims = false, shape = false, offset = false, epsilon = false, rounding = false;
    bool second = false, count = false, largest = false, accumulate = false, alpha = false, reduce = false;
    bool range = false, scaleRounding = false, interleaved = false;
    bool operator==(const OpFields&) const = default;
};

[[nodiscard]] OpFields opFields(VectorOpCode op);

/// Shape and type of an operand; a number has an empty shape.
struct OperandType {
    std::vector<std::int64_t> shape;
    DType dtype = DType::FP32;
    bool number = false;
};

/// Why an operation cannot take its operands. `key` is the field of the operation to blame ("in/1", "dim").
struct OpProblem {
    enum class Kind : std::uint8_t { Count, Attribute, Rank, Broadcast } kind = Kind::Attribute;
    std::string key;
    std::string message;
};

struct OpResultType {
    std::vector<std::int64_t> shape;
    DType dtype = DType::FP32;
    std::optional<OpProblem> problem;  ///< shape and dtype are a best guess then
    std::vector<std::int64_t> shape2;  ///< of the second result
    DType dtype2 = DType::INT32;
};

/// Shape and type of the result. `operands` has one entry per entry of `op.in`; `rangeCount`: elements of an arange.
[[nodiscard]] OpResultType inferOp(const VectorOp& op, std::span<const OperandType> operands,
                                   std::int64_t rangeCount = 1);

/// How much of the result is valid when the operands are valid up to `valids` (one entry per operand, empty for
/// numbers).
[[nodiscard]] std::vector<std::int64_t> validOfOp(const VectorOp& op, std::span<const OperandType> operands,
                                                  std::span<const std::vector<std::int64_t>> valids,
                                                  const std::vector<std::int64_t>& resultShape);

/// The same for the second result, from the valid part of the first operand.
[[nodiscard]] std::vector<std::int64_t> validOfSecond(const VectorOp& op,
                                                      const std::vector<std::int64_t>& operandValid);

/// Must every tile of the result hold a whole axis (`axisOf` in the first operand)? Such an axis is never cut.
[[nodiscard]] bool keepsAxisWhole(VectorOpCode op);

/// UB bytes that an elementary operation takes beside its operands and its result, from the operand's tile: a row sum
/// keeps 64 lanes of 4 bytes for each row, a sort a second list of pairs, a transpose of the last axis a copy with its
/// last two axes padded. Source: F-75
[[nodiscard]] std::int64_t workspaceBytes(VectorOpCode op, VectorStep step, DType operand, bool alongLastAxis,
                                          std::span<const std::int64_t> tile);

/// Number of elements of start, start + step, ... before `end`; nothing when step is 0.
[[nodiscard]] std::optional<std::int64_t> rangeLength(std::int64_t start, std::int64_t end, std::int64_t step);

/// Start, end and step of an arange from one, two or three values.
struct Range {
    std::int64_t start = 0, end = 0, step = 1;
};
[[nodiscard]] Range rangeOf(std::span<const std::int64_t> values);

/// `op.dim` as an axis of a tensor of this rank (absent: the last one; of index_put the first one, as in PyPTO);
/// nothing when it is out of range.
[[nodiscard]] std::optional<std::size_t> axisOf(const VectorOp& op, std::size_t rank);

/// The two axes a transpose exchanges; nothing unless `dims` names two axes of the rank.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> transposedAxes(const VectorOp& op, std::size_t rank);

/// May the result take the place of an operand that is read here for the last time? Every element depends on the
/// elements in its own place alone, as far as no operand is stretched. Source: F-44.
[[nodiscard]] bool worksInPlace(VectorOpCode op);

}  // namespace cubist

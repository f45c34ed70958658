// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/design/design.h"
#include "core/exchange/pypto/import/ast_node.h"
#include "core/exchange/pypto/import/kernel_scope.h"

namespace cubist::pypto {

/// The table from PyPTO's calls back to operations of a vector stage. Nested calls become operations of their own, and
/// the compositions that exports write are put together again.
class VectorReader {
public:
    /// Makes a block of an operand that no vector stage has: a view, a matmul. False: it is none; nothing is made where
    /// it cannot be read.
    using OwnBlock = std::function<bool(const AstNode& node, std::optional<ValueId>& made)>;
    VectorReader(KernelScope& scope, std::function<ValueId(const std::string&)> fresh, OwnBlock ownBlock)
        : m_scope(scope), m_fresh(std::move(fresh)), m_ownBlock(std::move(ownBlock)) {}

    /// The operations of `target = node`, the last one giving `out` (and `out2`); nothing when it is no vector
    /// operation that a design has, `why` then says what was in the way.
    [[nodiscard]] std::optional<std::vector<VectorOp>> read(const AstNode& node, const ValueId& out,
                                                            const ValueId& out2, std::string& why);
    /// What is not quite the same as what was read since the last call, for the user to know.
    [[nodiscard]] std::vector<std::string> takeGuesses() { return std::exchange(m_guesses, {}); }

private:
    bool expression(const AstNode& node, const ValueId& out, const ValueId& out2);
    bool call(const AstNode& node, const std::string& name, std::vector<AstNode> arguments, const ValueId& out,
              const ValueId& out2);
    bool comparison(const AstNode& node, const ValueId& out, const ValueId& out2);
    /// x[a:b, c:d] of a value
    bool slice(const AstNode& node, const ValueId& out);
    void alignRanks(VectorOp& op);
    /// A list of numbers that are known now.
    bool fixedNumbers(const AstNode& list, std::vector<std::int64_t>& into);
    /// Is each extent of a shape a number, or as long as the axis of the operand?
    bool wholeOrFixed(const AstNode& shape, const AstNode& input);
    /// Is a valid part the whole shape, or one that a window of the kernel has?
    bool validFits(const AstNode& valid, const AstNode& shape);
    /// The operation is read: keeps the shape of its result.
    void push(VectorOp op);
    bool composition(const AstNode& node, const std::string& name, const std::vector<AstNode>& arguments,
                     const ValueId& out);
    [[nodiscard]] std::optional<Operand> operand(const AstNode& node);
    bool fail(const std::string& why);

    KernelScope& m_scope;
    std::function<ValueId(const std::string&)> m_fresh;
    OwnBlock m_ownBlock;
    std::vector<VectorOp> m_ops;
    std::string m_why;
    std::vector<std::string> m_guesses;
    std::string m_target;
    int m_depth = 0;
};

/// "pypto.DT_BF16" and "pypto.DataType.DT_BF16".
[[nodiscard]] std::optional<DType> dtypeOf(const AstNode& node);
/// A list or tuple of integers.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integersOf(const AstNode& node);
/// What a subscript says of each axis, x[.., 0:64] too; nodes that do not exist stand for whole axes.
[[nodiscard]] std::vector<AstNode> slicedAxes(const AstNode& key, std::size_t rank);
/// Why PyPTO refuses a subscript of a value of so many axes: it has integers, slices and one `...`, for no more axes
/// than the value has. Empty: it takes it. `parts`: as `slicedAxes` gives them.
[[nodiscard]] std::string subscriptProblem(const std::vector<AstNode>& parts, std::size_t rank);
/// The name of a function of the module `pypto`: "matmul" of `pypto.matmul(..)`; empty for others.
[[nodiscard]] std::string pyptoFunction(const AstNode& call);

}  // namespace cubist::pypto

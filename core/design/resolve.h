// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/binding.h"
#include "core/design/design.h"

namespace cubist {

/// What a name of the design stands for, with numbers instead of symbols.
struct ResolvedValue {
    enum class Kind : std::uint8_t { Tensor, View, CubeResult, OpResult } kind = Kind::Tensor;
    ValueId name;
    DType dtype = DType::FP32;
    std::vector<std::int64_t> shape;  ///< declared shape; a tail makes fewer elements valid, never the shape smaller
    const Tensor* tensor = nullptr;   ///< Kind::Tensor: the tensor; Kind::View: the tensor at the bottom of the views
    const View* view = nullptr;       ///< Kind::View
    BlockId producer;                 ///< stage or view that makes it; empty for tensors
    std::size_t block = 0;            ///< index of the producer in ResolvedDesign::blocks; unused for tensors
    std::size_t op = 0;               ///< Kind::OpResult: index of the operation in its stage
    bool second = false;              ///< Kind::OpResult: the operation's second result
};

struct ResolvedLoop {
    const Loop* loop = nullptr;
    std::string where;  ///< JSON pointer
    std::int64_t axis = 0;
    std::int64_t tile = 1;
    std::int64_t iterations = 0;
};

/// Sizes of a matmul: out[M,N] = a[M,K] * b[K,N] for one execution of the stage.
struct MatmulSize {
    std::int64_t m = 0, k = 0, n = 0;
    bool operator==(const MatmulSize&) const = default;
};

/// A block of the tree in execution order, with its place.
struct ResolvedBlock {
    const Block* block = nullptr;
    std::string where;                 ///< JSON pointer: "/blocks/0/body/1"
    std::vector<std::size_t> loops;    ///< indices into ResolvedDesign::loops, outermost first
    std::optional<MatmulSize> matmul;  ///< cube stages
};

/// A shape or type that does not fit together. The rules turn these into findings; lowering refuses them.
struct ShapeProblem {
    enum class Kind : std::uint8_t { Rank, Inner, Broadcast, Bounds, DType, NotConstant, Coverage } kind = Kind::Rank;
    std::string where;
    BlockId block;
    std::string message;
};

/// A design with every name looked up and every constant expression evaluated. Holds pointers into the design, which
/// must outlive it.
struct ResolvedDesign {
    const Design* design = nullptr;
    Binding binding;
    std::vector<ResolvedLoop> loops;
    std::vector<ResolvedBlock> blocks;            ///< views, stages and stores; loops are listed in `loops`
    std::map<std::string, ResolvedValue> values;  ///< by name
    std::vector<ShapeProblem> problems;

    [[nodiscard]] const ResolvedValue* value(const ValueId& id) const {
        const auto found = values.find(id.text);
        return found == values.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const ResolvedBlock* block(const BlockId& id) const;
    /// How often the stage runs: the product of its loops' iterations. Saturates at the largest int64.
    [[nodiscard]] std::int64_t executions(const ResolvedBlock& block) const;
};

/// Errors: UnknownName (an operand, tensor, symbol), DuplicateKey (an id used twice), Cycle (stages feed each other;
/// the message names the circle), Syntax (an expression), BadValue (a shape below 1 or beyond 64
/// bits, a negative tolerance).
[[nodiscard]] Result<ResolvedDesign> resolve(const Design& design, const Binding& binding);

/// Looks up symbols and the given loop indices.
using IndexValues = std::map<std::string, std::int64_t>;
[[nodiscard]] Expression::Lookup lookupWith(const ResolvedDesign& design, const IndexValues& indices);

/// How much of a value is valid in one iteration: a view's `valid`, a matmul's valid M and N, the broadcast of an
/// operation's operands. Shapes: one entry per axis, at most the declared shape, at least 0.
/// Errors: as Expression::evaluate, with `where` set to the view's expression.
[[nodiscard]] Result<std::vector<std::int64_t>> validShape(const ResolvedDesign& design, const ValueId& value,
                                                           const IndexValues& indices);

/// Offset of a view or store in one iteration; zeros where the list is empty. Errors: as Expression::evaluate.
[[nodiscard]] Result<std::vector<std::int64_t>> evaluateAll(const std::vector<Expression>& expressions,
                                                            std::size_t rank, const Expression::Lookup& lookup,
                                                            const std::string& where);

/// Does the store write where an index says?
[[nodiscard]] constexpr bool isIndexed(StoreOp op) {
    return op == StoreOp::IndexAdd || op == StoreOp::IndexPut;
}
/// `store.dim` as an axis of a tensor of this rank; nothing when it is out of range.
[[nodiscard]] std::optional<std::size_t> storeAxis(const Store& store, std::size_t rank);

/// Errors: BadValue (a negative tolerance, a share beyond 1).
[[nodiscard]] Result<void> checkTolerance(const Tolerance& tolerance, const std::string& where);

/// The candidate most like `name`, for "did you mean"; empty when nothing is near.
[[nodiscard]] std::string nearestName(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace cubist

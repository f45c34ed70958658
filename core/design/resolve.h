// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/design/tile_choice.h"

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
    bool sound = true;                ///< Kind::OpResult: the operands fit the operation; otherwise all of it is valid
};

/// One iteration of a loop: the value of its index, and the factor (1 unless the loop is unrolled).
struct LoopStep {
    std::int64_t index = 0, factor = 1;
    bool operator==(const LoopStep&) const = default;
};

struct ResolvedLoop {
    const Loop* loop = nullptr;
    std::string where;                  ///< JSON pointer
    std::vector<std::size_t> outer;     ///< enclosing loops, outermost first
    std::int64_t axis = 0;              ///< of a loop whose length depends on enclosing ones: the largest
    std::int64_t tile = 1;              ///< 1 for unrolled loops
    std::int64_t iterations = 0;        ///< of one execution; where that varies: the largest
    std::int64_t total = 0;             ///< iterations of all executions together; saturates
    std::vector<std::int64_t> factors;  ///< unrolled loops: from the largest down to 1
    /// Loops whose length depends on enclosing ones: iterations before each execution, and then all of them.
    std::vector<std::int64_t> starts;

    [[nodiscard]] bool varies() const { return !starts.empty(); }
};

/// Sizes of a matmul: out[M,N] = a[M,K] * b[K,N] for one execution of the stage, for every element of the batch.
struct MatmulSize {
    std::int64_t m = 0, k = 0, n = 0;
    std::array<std::int64_t, 2> batch{1, 1};  ///< axes in front of the matrix, right-aligned
    [[nodiscard]] std::int64_t batches() const { return batch[0] * batch[1]; }
    bool operator==(const MatmulSize&) const = default;
};

/// A block of the tree in execution order, with its place.
struct ResolvedBlock {
    const Block* block = nullptr;
    std::string where;                     ///< JSON pointer: "/blocks/0/body/1"
    std::vector<std::size_t> loops;        ///< indices into ResolvedDesign::loops, outermost first
    std::optional<MatmulSize> matmul;      ///< cube stages
    std::vector<std::int64_t> matrixSize;  ///< cube stages: `set_matrix_size`, empty when it is not called
};

/// A shape or type that does not fit together. The rules turn these into findings; lowering refuses them.
struct ShapeProblem {
    enum class Kind : std::uint8_t {
        Rank,
        Inner,
        Broadcast,
        Bounds,
        DType,
        NotConstant,
        Coverage,
        Operand
    } kind = Kind::Rank;
    std::string where;
    BlockId block;
    std::string message;
};

/// A design with every name looked up and every constant expression evaluated. Holds pointers into the design, which
/// must outlive it.
struct ResolvedDesign {
    /// The design; where tiles follow the shape, a copy of it whose tiles are the ones that were picked.
    const Design* design = nullptr;
    std::shared_ptr<const Design> chosen;  ///< owns that copy
    std::vector<TileChoice> tileChoices;   ///< one per stage with a tile table
    Binding binding;
    std::vector<ResolvedLoop> loops;
    std::vector<ResolvedBlock> blocks;            ///< views, stages and stores; loops are listed in `loops`
    std::map<std::string, ResolvedValue> values;  ///< by name
    std::vector<ShapeProblem> problems;
    std::map<std::string, std::int64_t> listTotals;  ///< List::total, by list; those that have one

    [[nodiscard]] const ResolvedValue* value(const ValueId& id) const {
        const auto found = values.find(id.text);
        return found == values.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const ResolvedBlock* block(const BlockId& id) const;
    [[nodiscard]] const TileChoice* tileChoice(const BlockId& id) const;
    /// How often the stage runs, over all iterations of its loops. Saturates at the largest int64.
    [[nodiscard]] std::int64_t executions(const ResolvedBlock& block) const;
    /// Number of an execution among all, in program order, from the iteration that each of its loops is in.
    [[nodiscard]] std::int64_t execution(const std::vector<std::size_t>& loops,
                                         const std::vector<std::int64_t>& iterations) const;
};

/// Errors: UnknownName (an operand, tensor, symbol, list), DuplicateKey (an id used twice), Cycle (stages feed each
/// other; the message names the circle), Syntax (an expression), BadValue (a shape below 1 or beyond 64 bits, a
/// negative tolerance, a factor below 1, a tile table), DoesNotFit (more than 2^22 executions of a loop whose length
/// varies).
[[nodiscard]] Result<ResolvedDesign> resolve(const Design& design, const Binding& binding);

/// Is it the name of a static symbol (Symbol::isStatic)?
[[nodiscard]] bool isStaticSymbol(const Design& design, std::string_view name);

/// Every value that a cube stage reads: a, b, and of scales, bias and channel scales those that are given.
[[nodiscard]] std::vector<ValueId> operandsOf(const CubeStage& stage);

/// Looks up symbols and the given loop indices.
using IndexValues = std::map<std::string, std::int64_t>;  ///< indices and factors of loops by name
[[nodiscard]] Expression::Lookup lookupWith(const ResolvedDesign& design, const IndexValues& indices);

/// The iterations of one execution of a loop.
class LoopRange {
public:
    LoopRange(const ResolvedLoop& loop, std::int64_t axis);
    [[nodiscard]] std::int64_t count() const { return m_count; }
    /// Range: 0 <= iteration < count().
    [[nodiscard]] LoopStep at(std::int64_t iteration) const;

private:
    const ResolvedLoop* m_loop;
    std::int64_t m_axis;
    std::int64_t m_count;
};

/// Errors: as Expression::evaluate, BadValue (an axis below 0).
[[nodiscard]] Result<LoopRange> rangeOf(const ResolvedDesign& design, const ResolvedLoop& loop,
                                        const IndexValues& outer);
/// Gives the loop's index and factor their values in one iteration, or takes them away.
void setStep(IndexValues& indices, const Loop& loop, const LoopStep& step);
void clearStep(IndexValues& indices, const Loop& loop);

/// Calls `visit` with the indices of every execution of what stands in these loops, in program order, until it returns
/// false. Returns whether it got to the end. Errors: as rangeOf.
[[nodiscard]] Result<bool> forEachExecution(const ResolvedDesign& design, const std::vector<std::size_t>& loops,
                                            const std::function<bool(const IndexValues&)>& visit);
/// All executions when they are at most `most`, else those in which every loop is in its first or every loop is in its
/// last iteration (as far as there are such).
[[nodiscard]] std::vector<IndexValues> someExecutions(const ResolvedDesign& design,
                                                      const std::vector<std::size_t>& loops, std::int64_t most);

/// How much of a value is valid in one iteration: a view's `valid`, a matmul's valid M and N, the broadcast of an
/// operation's operands. Shapes: one entry per axis, at most the declared shape, at least 0.
/// Errors: as Expression::evaluate, with `where` set to the view's expression.
[[nodiscard]] Result<std::vector<std::int64_t>> validShape(const ResolvedDesign& design, const ValueId& value,
                                                           const IndexValues& indices);

/// The same for many values of one iteration: each is worked out once. Design and indices outlive this.
class ValidShapes {
public:
    ValidShapes(const ResolvedDesign& design, const IndexValues& indices) : m_design(&design), m_indices(&indices) {}

    [[nodiscard]] Result<std::vector<std::int64_t>> of(const ValueId& value);
    /// The indices have changed.
    void clear() { m_known.clear(); }

private:
    Result<std::vector<std::int64_t>> workOut(const ResolvedValue& value);
    Result<std::vector<std::int64_t>> ofView(const ResolvedValue& value) const;
    Result<std::vector<std::int64_t>> ofCube(const ResolvedValue& value);
    Result<std::vector<std::int64_t>> ofOperation(const ResolvedValue& value);

    const ResolvedDesign* m_design;
    const IndexValues* m_indices;
    std::map<const ResolvedValue*, std::vector<std::int64_t>> m_known;
};

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

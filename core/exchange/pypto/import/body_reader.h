// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/design/vector_tiles.h"
#include "core/exchange/pypto/import/kernel_reader.h"
#include "core/exchange/pypto/import/kernel_scope.h"
#include "core/exchange/pypto/import/module_reader.h"
#include "core/exchange/pypto/import/vector_reader.h"

namespace cubist::pypto {

/// Reads the statements of a kernel into blocks.
class BodyReader {
public:
    BodyReader(ReadKernel& out, KernelScope& scope, std::string_view source)
        : m_out(out),
          m_scope(scope),
          m_vectors(
              scope, [this](const std::string& base) { return fresh(base); },
              [this](const AstNode& node, std::optional<ValueId>& made) { return makeOwnBlock(node, made); }) {
        std::size_t at = 0;
        while (at <= source.size()) {
            const std::size_t end = std::min(source.find('\n', at), source.size());
            m_lines.push_back(source.substr(at, end - at));
            at = end + 1;
        }
    }

    void read(const AstNode& kernel) {
        for (const auto& tensor : m_out.design.tensors) {
            m_ids.insert(tensor.id.text);
            m_blockIds.insert(tensor.id.text);
        }
        statements(kernel.list("body"), m_out.design.blocks, 0);
        noteUnusedTile();
    }

    struct Written {
        std::string tensor;
        std::vector<SymbolicPtr> offset;
        std::vector<const void*> loops;
    };
    [[nodiscard]] const TensorUses& uses() const { return m_uses; }
    /// Names that a statement assigns, nested ones too.
    [[nodiscard]] static std::set<std::string> assignedNames(const AstNode& node);

private:
    using Variable = KernelScope::Variable;

    void note(const AstNode& node, const std::string& why);
    /// The beginning of a node's line, as the source has it.
    [[nodiscard]] std::string lineOf(const AstNode& node) const;
    /// A tile that no vector stage has taken before the next one is set: where it was changed, that is told.
    void noteUnusedTile();

    ValueId fresh(const std::string& base);
    BlockId blockId(const std::string& base);

    /// `ofLoop`: the statements are the whole body of a loop, so that `continue` leaves all of them.
    void statements(const std::vector<AstNode>& list, std::vector<Block>& blocks, int depth, bool ofLoop = false);

    void statement(const AstNode& node, std::vector<Block>& blocks, int depth);
    /// Notes for the statements inside of one that is not understood; what they assign is unknown afterwards.
    void leaveOut(const AstNode& node, int depth);
    void leaveOut(const AstNode& node, const std::vector<AstNode>& list, int depth);

    // Conditions of a run ------------------------------------------------------------------------------------------

    void condition(const AstNode& node, std::vector<Block>& blocks, int depth);
    /// What a condition compares, where that is a number already when the kernel is read.
    [[nodiscard]] std::optional<bool> decided(const AstNode& test);
    /// The size that is more than zero where a condition (or its opposite) holds: n of `n > 0`, b - a of `a < b`.
    [[nodiscard]] std::optional<SymbolicPtr> guardOf(const AstNode& test, bool opposite);
    /// Reads statements that run where `bound` is more than zero, provided that they write nothing where it is zero:
    /// then a design that has no conditions says the same. Else nothing is read.
    bool guarded(const SymbolicPtr& bound, const std::vector<AstNode>& body, std::vector<Block>& blocks, int depth);
    // Loops --------------------------------------------------------------------------------------------------------

    void readLoop(const AstNode& node, std::vector<Block>& blocks, int depth);
    /// `start = start + COUNTS[g]` at the end of a static loop over g, where start was 0 before: the name of the
    /// running sum, which is then the start of group g; empty: there is none.
    std::string readRunningSum(const AstNode& node, const std::string& index, const SymbolicPtr& group);

    // Calls without a result -----------------------------------------------------------------------------------------

    /// True or False; notes what is neither.
    bool flagOf(const AstNode& node, const AstNode& value, const std::string& name);
    void effect(const AstNode& call, std::vector<Block>& blocks);
    /// Does it change from one turn of an open loop to the next?
    [[nodiscard]] bool followsTurn(const SymbolicPtr& tree) const;

    Tensor* tensorOf(const AstNode& node);
    /// `acc = pypto.tensor([..], pypto.DT_FP32)`: memory of the kernel.
    bool makeWorkspace(const AstNode& node, const AstNode& call, const std::string& name);
    /// x of `x.clone()` where x is a result, which nothing can change; else the node.
    [[nodiscard]] AstNode withoutClone(const AstNode& node);

    // Tiles ----------------------------------------------------------------------------------------------------------

    /// Numbers, or names of constants of the module.
    std::optional<std::vector<std::int64_t>> numbersOf(const AstNode& list);
    std::optional<CubeTile> cubeTileOf(const AstNode& call);
    std::optional<std::vector<std::int64_t>> vectorTileOf(const AstNode& call);
    /// `set_cube_tile_shapes([u, u], ..)` in an unrolled loop: a tile that is computed from the factor.
    bool takeFactorTile(const AstNode& call);
    void takeVectorTile(std::vector<std::int64_t> tile, std::optional<TileTable> table);
    /// `if factor >= 64: set_..(..) else: set_..(..)`: a tile that follows the factor of an unrolled loop.
    bool readTilesByFactor(const AstNode& node);

    /// The value of an operand: a name, or an expression that gets a stage or view of its own.
    std::optional<std::string> valueOf(const AstNode& given, std::vector<Block>& blocks);

    void store(const AstNode& node, StoreOp op, AstNode from, const AstNode& to, std::vector<SymbolicPtr> offset,
               std::vector<Block>& blocks, bool parallel) {
        Tensor* tensor = tensorOf(to);
        if (tensor == nullptr) {
            note(node, "a write into something that is no tensor of the kernel");
            return;
        }
        if (addsLeadingAxes(from)) {
            if (from.argument(1, "shape").list("elts").size() > tensor->shape.size()) {
                note(node, "a write of a value with more axes than its tensor");
                return;
            }
            from = from.argument(0, "input");
        }
        const auto value = valueOf(from, blocks);
        if (!value || std::find(offset.begin(), offset.end(), nullptr) != offset.end()) {
            note(node, "a write whose value or place is not known");
            return;
        }
        if (offset.size() > tensor->shape.size()) {
            note(node, "a write at a place of " + std::to_string(offset.size()) + " axes; the tensor has " +
                           std::to_string(tensor->shape.size()));
            return;
        }
        m_openVector = false;
        Store store;
        store.id = blockId("write_" + tensor->id.text);
        store.op = op;
        store.from = ValueId(*value);
        store.to = tensor->id;
        store.parallel = parallel;
        const bool zero = std::all_of(offset.begin(), offset.end(),
                                      [](const SymbolicPtr& each) { return literal(tidied(each)) == 0; });
        if (!zero)
            for (const SymbolicPtr& each : offset) store.offset.push_back(expressionOf(each));
        m_uses.written.insert(tensor->id.text);
        if (op == StoreOp::AtomicAdd) m_uses.added.insert(tensor->id.text);
        takeLengths(node, *tensor, offset);
        blocks.push_back({std::move(store)});
    }
    /// The length of the axes of an output that only the caller knows: that of an input that is read at the same place,
    /// or what the loop that walks along the axis covers.
    void takeLengths(const AstNode& node, const Tensor& tensor, const std::vector<SymbolicPtr>& offset);
    /// The same of an input: that of another one that is read at the same place, or what the loop around covers.
    void takeLengthsOfInput(const AstNode& node, const Variable& of, const std::vector<SymbolicPtr>& shape,
                            const std::vector<SymbolicPtr>& offset);
    void guess(const AstNode& node, const std::string& what);
    /// Notes keywords of a call that nothing here takes.
    void noteOtherKeywords(const AstNode& call, const std::vector<std::string_view>& known);
    /// The same; are there any? Then the line says something else than what would be read of it.
    bool otherKeywords(const AstNode& call, const std::vector<std::string_view>& known) {
        const std::size_t noted = m_out.notes.size();
        noteOtherKeywords(call, known);
        return m_out.notes.size() != noted;
    }
    /// Notes a view that takes the bytes of its value as another type.
    bool reinterprets(const AstNode& node, const AstNode& view);

    void indexedStore(const AstNode& call, bool adds, std::vector<Block>& blocks);

    // Assignments ----------------------------------------------------------------------------------------------------

    void assignment(const AstNode& node, const AstNode& target, const AstNode& given, std::vector<Block>& blocks);

    void sliceStore(const AstNode& node, const AstNode& target, const AstNode& value, std::vector<Block>& blocks);

    /// Is a place the end of an axis of so many elements (0: not known)?
    static bool isEndOf(const SymbolicPtr& place, std::int64_t extent);

    /// Extents of the value that the last block stores, where it is a store and they are known.
    const std::vector<std::int64_t>* storedExtents(const std::vector<Block>& blocks) const;

    /// Is a slice of this length no place for a value that is declared with the other (0: not known)?
    [[nodiscard]] bool isOtherLength(std::int64_t length, std::int64_t declared) const;

    /// Notes that the last block moves a value into a tensor of another shape.
    void noteOtherShape(const AstNode& node, const std::vector<std::int64_t>& extents,
                        const std::vector<Block>& blocks);

    /// Notes slices that are longer or shorter than the value that the last block stores there.
    void noteOtherLengths(const AstNode& node, const std::vector<std::optional<std::int64_t>>& lengths,
                          const std::vector<Block>& blocks);

    /// A block that makes `out`; the declared shape of views goes to m_shape.
    bool produce(const AstNode& node, const AstNode& value, const ValueId& out, const ValueId& out2,
                 std::vector<Block>& blocks);
    /// Is an operand a view or a matmul? `made` is its value then; nothing where it cannot be read.
    bool makeOwnBlock(const AstNode& node, std::optional<ValueId>& made);
    /// A reshape of a window that drops leading axes of one element, or may do so.
    bool dropsLeadingAxes(const AstNode& value);
    /// A reshape of a value that puts axes of one element in front, which a store does anyway.
    bool addsLeadingAxes(const AstNode& value);

    /// The operation joins the vector stage that is open, unless its tile lies otherwise there.
    void addVectorOp(VectorOp op, std::vector<Block>& blocks);

    /// The stage's id is its label, where one was set.
    BlockId stageId(const char* kind, std::string& label);

    /// A view of a tensor, or of a view, or one whose place follows a loop; other views are slices of a vector stage.
    bool isWindow(const AstNode& value) { return isWindowOf(value.argument(0, "input")); }
    bool isWindowOf(const AstNode& input);

    bool window(const AstNode& node, const AstNode& view, const AstNode& reshaped, const ValueId& out,
                std::vector<Block>& blocks) {
        if (otherKeywords(view, {"input", "shape", "offsets", "valid_shape", "dtype"}) || reinterprets(node, view))
            return false;
        const Variable* of = m_scope.find(view.argument(0, "input").dotted());
        if (of == nullptr || of->kind == Variable::Kind::Scalar) {
            note(node, "a view of something that is not known");
            return false;
        }
        View block;
        block.of = ValueId(of->id);
        if (of->kind == Variable::Kind::Tensor) m_uses.read.insert(of->id);
        std::vector<SymbolicPtr> shape, offset, valid;
        const auto trees = [&](const AstNode& list, std::vector<SymbolicPtr>& into) {
            for (const AstNode& each : list.list("elts")) {
                const auto tree = m_scope.scalar(each);
                if (!tree) return false;
                into.push_back(*tree);
            }
            return true;
        };
        if (!trees(view.argument(1, "shape"), shape) || !trees(view.argument(2, "offsets"), offset) ||
            !trees(view.argument(3, "valid_shape"), valid) || shape.empty() || shape.size() != offset.size()) {
            note(node, "a view whose shape or place is not known");
            return false;
        }
        if (!of->extents.empty() && shape.size() != of->extents.size()) {
            note(node, "a view of " + std::to_string(shape.size()) + " axes; the value has " +
                           std::to_string(of->extents.size()));
            return false;
        }
        const AstNode part = view.argument(3, "valid_shape");
        if (part.exists() && part.text("kind") != "none" && valid.size() != shape.size()) {
            note(node, "a view whose valid part is not known");
            return false;
        }
        if (valid.size() != shape.size()) valid = shape;
        std::size_t dropped = 0;
        if (reshaped.exists()) dropped = shape.size() - std::min(shape.size(), reshaped.list("elts").size());
        addWindow(node, std::move(block), {shape.begin() + static_cast<std::ptrdiff_t>(dropped), shape.end()}, offset,
                  {valid.begin() + static_cast<std::ptrdiff_t>(dropped), valid.end()}, out, blocks);
        return true;
    }

    void addWindow(const AstNode& node, View block, const std::vector<SymbolicPtr>& shape,
                   const std::vector<SymbolicPtr>& offset, const std::vector<SymbolicPtr>& valid, const ValueId& out,
                   std::vector<Block>& blocks) {
        m_openVector = false;
        if (const Variable* of = m_scope.find(block.of.text); of != nullptr && of->kind == Variable::Kind::Tensor)
            takeLengthsOfInput(node, *of, shape, offset);
        block.id = blockId("view_" + out.text);
        block.out = out;
        bool tail = false;
        m_shape.clear();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const auto fixed = literal(tidied(shape[i]));
            const auto declared = m_scope.declaredExtent(shape[i]);
            m_shape.push_back(declared.value_or(1));
            if (fixed || m_scope.followsFactor(tidied(shape[i])) || isOfCopy(shape[i])) {
                block.shape.push_back(expressionOf(shape[i]));
                tail = tail || !(expressionOf(valid[i]) == block.shape.back());
            } else {
                // A size that follows a group: declared with the largest, valid up to it.
                if (!declared) note(node, "the size of a view is not known; it is declared with 1");
                block.shape.emplace_back(m_shape.back());
                tail = true;
            }
            m_scope.addValidPart(valid[i]);
            block.valid.push_back(expressionOf(valid[i]));
        }
        if (!tail) block.valid.clear();
        for (const SymbolicPtr& each : offset) block.offset.push_back(expressionOf(each));
        m_views.insert(out.text);
        const auto window = m_windowOf.find(block.of.text);
        m_windowOf[out.text] = window == m_windowOf.end() ? block.of.text : window->second;
        m_scope.setExtents(out.text, m_shape);
        if (const auto type = m_scope.typeOf(block.of.text)) m_scope.setType(out.text, *type);
        blocks.push_back({std::move(block)});
    }

    /// Is it a number in each copy of a loop that Python runs?
    [[nodiscard]] bool isOfCopy(const SymbolicPtr& extent) const;

    /// A place along an axis: the offset, and the loops that its names belong to.
    [[nodiscard]] std::string placeKey(const SymbolicPtr& offset) const;

    /// x[a:b, c:d], reshaped to fewer axes where leading ones have one element
    bool slicedWindow(const AstNode& node, const AstNode& value, const AstNode& reshaped, const ValueId& out,
                      std::vector<Block>& blocks);
    bool noteSlice(const AstNode& node);
    /// A bound of a slice; negative ones count from the end of the axis.
    [[nodiscard]] SymbolicPtr placeOf(const AstNode& bound, std::int64_t extent);
    [[nodiscard]] static bool hasStep(const AstNode& slice);
    /// upper - lower, with what both have in common taken off; the parts of a least bound each for itself.
    [[nodiscard]] static SymbolicPtr lengthBetween(const SymbolicPtr& lower, const SymbolicPtr& upper);

    bool matmul(const AstNode& node, const AstNode& call, bool scaled, const ValueId& out, std::vector<Block>& blocks);

    /// The declared shape of the result, as far as the operands' are known.
    void takeProductExtents(const CubeStage& stage);
    void extras(const AstNode& node, const AstNode& dict, CubeStage& stage, std::vector<Block>& blocks);

    ReadKernel& m_out;
    KernelScope& m_scope;
    std::vector<std::string_view> m_lines;
    std::set<std::string> m_ids, m_blockIds, m_views;
    std::map<std::string, std::string> m_windowOf;           ///< the tensor that a view lies in
    std::map<std::string, int> m_idNumbers, m_blockNumbers;  ///< the last of each base
    TensorUses m_uses;
    VectorReader m_vectors;
    struct OpenLoop {
        std::string id, index;
        Expression axis, tile;
        bool unrolled = false;
        bool writtenOut = false;
    };
    std::vector<OpenLoop> m_loops;
    /// Axes of inputs whose length only the caller knows, by the place that was read.
    std::map<std::string, std::pair<std::string, std::size_t>> m_readAt;
    std::set<std::string> m_runningSums;
    std::optional<std::string> m_label;  ///< holds until the next one
    std::optional<CubeTile> m_cubeTile;
    std::vector<std::int64_t> m_vectorTile;
    AstNode m_tileSet;  ///< the call that has set it, while no stage has taken it
    std::optional<TileTable> m_cubeTable, m_vectorTable;
    TileAxes m_setAxes;                    ///< values of m_vectorTile that the call which was last has set
    std::vector<TileAxes> m_frames;        ///< those that results of the open vector stage are cut by
    std::optional<TileAxes> m_otherFrame;  ///< of the last result, while another tile is set
    std::optional<std::vector<Expression>> m_matrixSize;
    std::vector<std::int64_t> m_shape;
    std::vector<Block>* m_blocks = nullptr;  ///< where blocks of operands go
    int m_stages = 0;
    int m_scopes = 0;  ///< open loops of PyPTO
    bool m_openVector = false;
};

}  // namespace cubist::pypto

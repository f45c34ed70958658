// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/kernel_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/exchange/pypto/import/kernel_scope.h"
#include "core/exchange/pypto/import/module_reader.h"
#include "core/exchange/pypto/import/vector_reader.h"

namespace cubist::pypto {
namespace {

using Variable = KernelScope::Variable;

std::string asId(const std::string& text) {
    std::string out;
    for (const char c : text) out += (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') ? c : '_';
    return out.empty() ? "stage" : out;
}

/// Reads the statements of a kernel into blocks.
class BodyReader {
public:
    BodyReader(ReadKernel& out, KernelScope& scope, std::string_view source)
        : m_out(out), m_scope(scope), m_vectors(scope, [this](const std::string& base) { return fresh(base); }) {
        std::size_t at = 0;
        while (at <= source.size()) {
            const std::size_t end = std::min(source.find('\n', at), source.size());
            m_lines.push_back(source.substr(at, end - at));
            at = end + 1;
        }
    }

    void read(const AstNode& kernel) {
        for (const auto& tensor : m_out.design.tensors) m_ids.insert(tensor.id.text);
        statements(kernel.list("body"), m_out.design.blocks, 0);
    }

    struct Written {
        std::string tensor;
        std::vector<SymbolicPtr> offset;
        std::vector<const void*> loops;
    };
    [[nodiscard]] const std::set<std::string>& readTensors() const { return m_readTensors; }
    [[nodiscard]] const std::set<std::string>& writtenTensors() const { return m_writtenTensors; }
    /// For an axis of a written tensor the length of the loop that walks along it.
    [[nodiscard]] const std::map<std::pair<std::string, std::size_t>, Expression>& lengths() const { return m_lengths; }

private:
    void note(const AstNode& node, const std::string& why) {
        const auto line = node.line();
        std::string text;
        if (line > 0 && static_cast<std::size_t>(line) <= m_lines.size()) {
            std::string_view shown = m_lines[static_cast<std::size_t>(line - 1)];
            shown.remove_prefix(std::min(shown.find_first_not_of(" \t"), shown.size()));
            text = std::string(shown.substr(0, 80));
        }
        m_out.notes.push_back({line, why + (text.empty() ? "" : ": " + text)});
    }

    ValueId fresh(const std::string& base) {
        std::string id = asId(base);
        for (int i = 2; !m_ids.insert(id).second; ++i) id = asId(base) + "_" + std::to_string(i);
        return ValueId(id);
    }
    BlockId blockId(const std::string& base) {
        std::string id = asId(base);
        for (int i = 2; !m_blockIds.insert(id).second; ++i) id = asId(base) + "_" + std::to_string(i);
        return BlockId(id);
    }

    void statements(const std::vector<AstNode>& list, std::vector<Block>& blocks, int depth) {
        if (depth > 16) return;
        for (const AstNode& node : list) statement(node, blocks, depth);
    }

    void statement(const AstNode& node, std::vector<Block>& blocks, int depth) {
        if (node.is("Pass")) return;
        if (node.is("For")) {
            m_openVector = false;
            readLoop(node, blocks, depth);
            return;
        }
        if (node.is("If")) {
            // A group without rows: `if GROUP_LIST[g] > 0:`.
            const AstNode test = node["test"];
            const auto bounds = test.list("comparators");
            const bool guard = test.is("Compare") && bounds.size() == 1 && bounds[0].integer() == 0 &&
                               node.list("orelse").empty() && m_scope.scalar(test["left"]);
            if (!guard) note(node, "a condition, which designs do not have");
            if (guard) statements(node.list("body"), blocks, depth + 1);
            return;
        }
        if (node.is("Expr")) {
            const AstNode value = node["value"];
            if (value.is("Call"))
                effect(value, blocks);
            else if (!value.string())
                note(node, "a statement without effect");
            return;
        }
        if (node.is("Assign")) {
            const auto targets = node.list("targets");
            if (targets.size() == 1) {
                assignment(node, targets[0], node["value"], blocks);
                return;
            }
        }
        if (node.is("AugAssign") && node["target"].is("Subscript")) {
            note(node, "an update in place, which designs write as a vector stage and a store");
            return;
        }
        note(node, "a statement that designs do not have");
    }

    // Loops --------------------------------------------------------------------------------------------------------

    void readLoop(const AstNode& node, std::vector<Block>& blocks, int depth) {
        const AstNode iterator = node["iter"];
        const std::string function = iterator["func"].dotted();
        Loop loop;
        const bool unrolled = function == "pypto.loop_unroll";
        if (!iterator.is("Call") || (function != "range" && function != "pypto.loop" && !unrolled)) {
            note(node, "a loop over something else than range, pypto.loop or pypto.loop_unroll");
            return;
        }
        std::vector<SymbolicPtr> bounds;
        for (const AstNode& each : iterator.list("args")) {
            const auto value = m_scope.scalar(each);
            if (!value) {
                note(node, "the length of a loop is not known");
                return;
            }
            bounds.push_back(*value);
        }
        if (bounds.empty()) {
            note(node, "a loop without a length");
            return;
        }
        const SymbolicPtr start = bounds.size() > 1 ? bounds[0] : number(0);
        SymbolicPtr length = tidied(bounds.size() > 1 ? bounds[1] : bounds[0]);
        const auto step = bounds.size() > 2 ? literal(tidied(bounds[2])) : std::optional<std::int64_t>(1);
        if (literal(tidied(start)) != 0) length = tidied(binary(Symbolic::Kind::Sub, length, start));
        loop.form = function == "range" ? LoopKind::Static : unrolled ? LoopKind::Unroll : LoopKind::Runtime;

        std::vector<std::string> names;
        const AstNode target = node["target"];
        if (target.is("Name"))
            names.emplace_back(target.text("id"));
        else
            for (const AstNode& each : target.list("elts")) names.emplace_back(each.text("id"));
        if (names.size() != (unrolled ? 2U : 1U) || !step || *step < 1) {
            note(node, "the index or the step of a loop is not regular");
            return;
        }
        if (const auto factors = integersOf(iterator.keyword("unroll_list"))) {
            if (unrolled)
                loop.unroll = *factors;
            else if (*factors != std::vector<std::int64_t>{1})
                note(node, "unroll_list of pypto.loop is left out");
        }
        loop.index = names[0];
        SymbolicPtr index = pypto::name(names[0]);
        if (length->kind == Symbolic::Kind::CeilDiv && *step == 1 && !unrolled) {
            loop.axis = expressionOf(length->arg[0]);
            loop.tile = expressionOf(length->arg[1]);
        } else {
            loop.axis = expressionOf(length);
            if (*step != 1) {
                loop.tile = *step;
                index = binary(Symbolic::Kind::Mul, index, number(*step));
            }
        }
        if (literal(tidied(start)) != 0) index = binary(Symbolic::Kind::Add, index, start);
        if (unrolled) {
            loop.factor = names[1];
            m_scope.define(names[1], {Variable::Kind::Scalar, {}, pypto::name(names[1]), {}});
            m_scope.defineFactor(names[1],
                                 loop.unroll.empty() ? 1 : *std::max_element(loop.unroll.begin(), loop.unroll.end()));
        }
        m_scope.define(names[0], {Variable::Kind::Scalar, {}, index, {}});
        loop.parallel = iterator.keyword("parallel").boolean().value_or(false);
        loop.submitBeforeLoop = iterator.keyword("submit_before_loop").boolean().value_or(false);
        const auto given = iterator.keyword("name").string();
        loop.id = blockId(given ? *given : names[0] + "_loop");
        m_loops.emplace_back(names[0], loop.axis);
        statements(node.list("body"), loop.body, depth + 1);
        m_loops.pop_back();
        m_openVector = false;
        blocks.push_back({std::move(loop)});
    }

    // Calls without a result -----------------------------------------------------------------------------------------

    void effect(const AstNode& call, std::vector<Block>& blocks) {
        const std::string function = pyptoFunction(call);
        if (function == "set_semantic_label") {
            m_label = call.argument(0, "label").string();
            m_openVector = false;
        } else if (function == "set_cube_tile_shapes") {
            const auto m = integersOf(call.argument(0, "m")), k = integersOf(call.argument(1, "k")),
                       n = integersOf(call.argument(2, "n"));
            if (!m || !k || !n) {
                note(call, "a tile that is not made of numbers");
                return;
            }
            CubeTile tile;
            tile.m = *m;
            tile.k = *k;
            tile.n = *n;
            tile.splitK = call.argument(3, "enable_split_k").boolean().value_or(false);
            m_cubeTile = std::move(tile);
        } else if (function == "set_vec_tile_shapes") {
            std::vector<std::int64_t> tile;
            for (const AstNode& each : call.list("args")) {
                const auto value = each.integer();
                if (!value) {
                    note(call, "a tile that is not made of numbers");
                    return;
                }
                tile.push_back(*value);
            }
            m_vectorTile = std::move(tile);
            m_openVector = false;
        } else if (function == "set_matrix_size") {
            m_matrixSize = integersOf(call.argument(0, "size"));
        } else if (function == "experimental.set_operation_options") {
            m_out.design.options.combineAxis = call.keyword("combine_axis").boolean().value_or(false);
        } else if (function == "set_pass_options") {
            takePassOptions(call, m_out.design.options, [&](const std::string& why) { note(call, why); });
        } else if (function == "assemble" || function == "atomic_add") {
            const AstNode from = call.argument(0, "input"), to = call.argument(2, "out");
            std::vector<SymbolicPtr> offset;
            for (const AstNode& each : call.argument(1, "offsets").list("elts"))
                offset.push_back(m_scope.scalar(each).value_or(nullptr));
            const bool parallel = call.argument(3, "parallel").boolean().value_or(false);
            store(call, function == "assemble" ? StoreOp::Assemble : StoreOp::AtomicAdd, from, to, offset, blocks,
                  parallel);
        } else if (function == "index_add_" || function == "index_put_") {
            indexedStore(call, function == "index_add_", blocks);
        } else if (call["func"].is("Attribute") && call["func"].text("attr") == "set_cache_policy") {
            if (Tensor* tensor = tensorOf(call["func"]["value"])) tensor->cache = CachePolicy::NoneCacheable;
        } else if (call["func"].is("Attribute") && call["func"].text("attr") == "move") {
            store(call, StoreOp::Slice, call.argument(0, "value"), call["func"]["value"], {}, blocks, false);
        } else {
            note(call, "a call that is not understood");
        }
    }

    Tensor* tensorOf(const AstNode& node) {
        const Variable* variable = m_scope.find(node.dotted());
        if (variable == nullptr || variable->kind != Variable::Kind::Tensor) return nullptr;
        for (Tensor& tensor : m_out.design.tensors)
            if (tensor.id.text == variable->id) return &tensor;
        return nullptr;
    }

    /// The value of an operand: a name, or an expression that gets a stage or view of its own.
    std::optional<std::string> valueOf(const AstNode& node, std::vector<Block>& blocks) {
        if (node.is("Name")) {
            const Variable* variable = m_scope.find(std::string(node.text("id")));
            if (variable == nullptr || variable->kind == Variable::Kind::Scalar) return std::nullopt;
            if (variable->kind == Variable::Kind::Tensor) m_readTensors.insert(variable->id);
            return variable->id;
        }
        const ValueId id = fresh(m_label.value_or("value"));
        if (!produce(node, node, id, ValueId(), blocks)) return std::nullopt;
        return id.text;
    }

    void store(const AstNode& node, StoreOp op, AstNode from, const AstNode& to, std::vector<SymbolicPtr> offset,
               std::vector<Block>& blocks, bool parallel) {
        Tensor* tensor = tensorOf(to);
        if (tensor == nullptr) {
            note(node, "a write into something that is no tensor of the kernel");
            return;
        }
        if (from.is("Call") && pyptoFunction(from) == "reshape") from = from.argument(0, "input");  // leading axes
        const auto value = valueOf(from, blocks);
        if (!value || std::find(offset.begin(), offset.end(), nullptr) != offset.end()) {
            note(node, "a write whose value or place is not known");
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
        m_writtenTensors.insert(tensor->id.text);
        for (std::size_t i = 0; i < offset.size(); ++i)
            for (const auto& [index, axis] : m_loops) {
                const auto names = namesIn(offset[i]);
                if (std::find(names.begin(), names.end(), index) != names.end())
                    m_lengths.try_emplace({tensor->id.text, i}, axis);
            }
        blocks.push_back({std::move(store)});
    }

    void indexedStore(const AstNode& call, bool adds, std::vector<Block>& blocks) {
        Tensor* tensor = tensorOf(call.argument(0, "input"));
        AstNode index = call.argument(adds ? 2 : 1, "index");
        if (!adds && index.is("Tuple") && index.list("elts").size() == 1) index = index.list("elts")[0];
        const auto from = valueOf(call.argument(adds ? 3 : 2, "source"), blocks);
        const auto places = valueOf(index, blocks);
        if (tensor == nullptr || !from || !places) {
            note(call, "a write by an index whose parts are not known");
            return;
        }
        m_openVector = false;
        Store store;
        store.id = blockId("write_" + tensor->id.text);
        store.op = adds ? StoreOp::IndexAdd : StoreOp::IndexPut;
        store.from = ValueId(*from);
        store.to = tensor->id;
        store.index = ValueId(*places);
        if (adds) store.dim = call.argument(1, "dim").integer().value_or(0);
        if (const auto alpha = call.keyword("alpha").number()) store.alpha = *alpha;
        store.accumulate = !adds && call.argument(3, "accumulate").boolean().value_or(false);
        m_writtenTensors.insert(tensor->id.text);
        blocks.push_back({std::move(store)});
    }

    // Assignments ----------------------------------------------------------------------------------------------------

    void assignment(const AstNode& node, const AstNode& target, const AstNode& value, std::vector<Block>& blocks) {
        if (target.is("Subscript")) {
            sliceStore(node, target, value, blocks);
            return;
        }
        std::vector<std::string> names;
        if (target.is("Name"))
            names.emplace_back(target.text("id"));
        else
            for (const AstNode& each : target.list("elts")) names.emplace_back(each.text("id"));
        if (names.empty() || names.size() > 2 || names[0].empty()) {
            note(node, "an assignment to something else than a name");
            return;
        }
        if (names.size() == 1) {
            // T = x.shape[0]: the symbol takes the name of the variable.
            if (value.is("Subscript") && value["value"].is("Attribute") && value["value"].text("attr") == "shape") {
                const Variable* tensor = m_scope.find(value["value"]["value"].dotted());
                const auto axis = value["slice"].integer();
                if (tensor != nullptr && tensor->kind == Variable::Kind::Tensor && axis && *axis >= 0 &&
                    *axis < static_cast<std::int64_t>(tensor->extents.size()) &&
                    tensor->extents[static_cast<std::size_t>(*axis)] == 0)
                    (void)m_scope.symbolOf(tensor->id, static_cast<std::size_t>(*axis), names[0]);
            }
            // E = w.shape[0] // 2048: the axis is E * 2048.
            const AstNode axisOf = value["left"];
            const auto divisor = value.is("BinOp") ? value["right"].integer() : std::nullopt;
            if (divisor && *divisor > 0 && axisOf.is("Subscript") && axisOf["value"].is("Attribute")) {
                const Variable* tensor = m_scope.find(axisOf["value"]["value"].dotted());
                const auto axis = axisOf["slice"].integer();
                const std::string_view op = value.text("op");
                const char* inverse = op == "FloorDiv" ? " * " : op == "Sub" ? " + " : op == "Add" ? " - " : nullptr;
                if (tensor != nullptr && tensor->kind == Variable::Kind::Tensor && inverse != nullptr && axis &&
                    *axis >= 0 && *axis < static_cast<std::int64_t>(tensor->extents.size()) &&
                    tensor->extents[static_cast<std::size_t>(*axis)] == 0) {
                    const std::string shape = names[0] + inverse + std::to_string(*divisor);
                    if (m_scope.symbolOf(tensor->id, static_cast<std::size_t>(*axis), shape) == shape) {
                        m_scope.define(names[0], {Variable::Kind::Scalar, {}, pypto::name(names[0]), {}});
                        return;
                    }
                }
            }
            if (const auto tree = m_scope.scalar(value)) {
                m_scope.define(names[0], {Variable::Kind::Scalar, {}, *tree, {}});
                return;
            }
            if (value.is("Name"))
                if (const Variable* alias = m_scope.find(std::string(value.text("id")))) {
                    const Variable copy = *alias;
                    m_scope.define(names[0], copy);
                    return;
                }
        }
        const ValueId out = fresh(names[0]);
        const ValueId out2 = names.size() > 1 ? fresh(names[1]) : ValueId();
        m_shape.clear();
        if (!produce(node, value, out, out2, blocks)) {
            m_ids.erase(out.text);
            return;
        }
        m_scope.define(names[0], {Variable::Kind::Value, out.text, nullptr, m_shape});
        if (names.size() > 1) m_scope.define(names[1], {Variable::Kind::Value, out2.text, nullptr, {}});
    }

    void sliceStore(const AstNode& node, const AstNode& target, const AstNode& value, std::vector<Block>& blocks) {
        const AstNode key = target["slice"];
        std::vector<AstNode> parts = key.is("Tuple") ? key.list("elts") : std::vector<AstNode>{key};
        std::vector<SymbolicPtr> offset;
        for (const AstNode& part : parts) {
            if (part.is("Slice"))
                offset.push_back(part["lower"].exists() ? m_scope.scalar(part["lower"]).value_or(nullptr) : number(0));
            else
                offset.push_back(m_scope.scalar(part).value_or(nullptr));
        }
        store(node, StoreOp::Slice, value, target["value"], std::move(offset), blocks, false);
    }

    /// A block that makes `out`; the declared shape of views goes to m_shape.
    bool produce(const AstNode& node, const AstNode& value, const ValueId& out, const ValueId& out2,
                 std::vector<Block>& blocks) {
        const std::string function = value.is("Call") ? pyptoFunction(value) : std::string();
        if (function == "matmul" || function == "scaled_mm")
            return matmul(node, value, function == "scaled_mm", out, blocks);
        if (function == "reshape" && pyptoFunction(value.argument(0, "input")) == "view")
            return window(node, value.argument(0, "input"), value.argument(1, "shape"), out, blocks);
        if (function == "view" && isWindow(value)) return window(node, value, AstNode(), out, blocks);
        if (value.is("Subscript")) return slicedWindow(node, value, out, blocks);
        std::string why;
        auto ops = m_vectors.read(value, out, out2, why);
        if (!ops) {
            note(node, why.empty() ? "an expression that is not understood" : why);
            return false;
        }
        for (const VectorOp& op : *ops)
            for (const Operand& each : op.in)
                if (const ValueId* id = each.value())
                    for (const Tensor& tensor : m_out.design.tensors)
                        if (tensor.id.text == id->text) m_readTensors.insert(id->text);
        if (!m_openVector || blocks.empty() || !std::holds_alternative<VectorStage>(blocks.back().content)) {
            VectorStage stage;
            stage.id = stageId("v", stage.label);
            stage.tile = m_vectorTile;
            blocks.push_back({std::move(stage)});
            m_openVector = true;
        }
        auto& stage = std::get<VectorStage>(blocks.back().content);
        stage.ops.insert(stage.ops.end(), ops->begin(), ops->end());
        return true;
    }

    /// The stage's id is its label, where one was set.
    BlockId stageId(const char* kind, std::string& label) {
        const std::string wanted = m_label ? *m_label : kind + std::to_string(++m_stages);
        const BlockId id = blockId(wanted);
        if (m_label && id.text != *m_label) label = *m_label;
        m_label.reset();
        return id;
    }

    /// A view of a tensor, or of a view, or one whose place follows a loop; other views are slices of a vector stage.
    bool isWindow(const AstNode& value) {
        const Variable* of = m_scope.find(value.argument(0, "input").dotted());
        if (of == nullptr) return false;
        return of->kind == Variable::Kind::Tensor || m_views.count(of->id) != 0;
    }

    bool window(const AstNode& node, const AstNode& view, const AstNode& reshaped, const ValueId& out,
                std::vector<Block>& blocks) {
        const Variable* of = m_scope.find(view.argument(0, "input").dotted());
        if (of == nullptr || of->kind == Variable::Kind::Scalar) {
            note(node, "a view of something that is not known");
            return false;
        }
        View block;
        block.of = ValueId(of->id);
        if (of->kind == Variable::Kind::Tensor) m_readTensors.insert(of->id);
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
        block.id = blockId("view_" + out.text);
        block.out = out;
        bool tail = false;
        m_shape.clear();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const auto fixed = literal(tidied(shape[i]));
            const auto declared = m_scope.declaredExtent(shape[i]);
            m_shape.push_back(declared.value_or(1));
            if (fixed || m_scope.isFactor(tidied(shape[i]))) {
                block.shape.push_back(expressionOf(shape[i]));
                tail = tail || !(expressionOf(valid[i]) == block.shape.back());
            } else {
                // A size that follows a group: declared with the largest, valid up to it.
                if (!declared) note(node, "the size of a view is not known; it is declared with 1");
                block.shape.emplace_back(m_shape.back());
                tail = true;
            }
            block.valid.push_back(expressionOf(valid[i]));
        }
        if (!tail) block.valid.clear();
        for (const SymbolicPtr& each : offset) block.offset.push_back(expressionOf(each));
        m_views.insert(out.text);
        blocks.push_back({std::move(block)});
    }

    /// x[a:b, c:d]
    bool slicedWindow(const AstNode& node, const AstNode& value, const ValueId& out, std::vector<Block>& blocks) {
        const Variable* of = m_scope.find(value["value"].dotted());
        if (of == nullptr || of->kind == Variable::Kind::Scalar) {
            note(node, "a slice of something that is not known");
            return false;
        }
        const AstNode key = value["slice"];
        const std::vector<AstNode> parts = key.is("Tuple") ? key.list("elts") : std::vector<AstNode>{key};
        std::vector<SymbolicPtr> shape, offset;
        for (std::size_t i = 0; i < of->extents.size(); ++i) {
            if (i >= parts.size()) {
                shape.push_back(number(of->extents[i]));
                offset.push_back(number(0));
                continue;
            }
            const AstNode part = parts[i];
            if (!part.is("Slice")) {
                const auto at = m_scope.scalar(part);
                if (!at || i > 0) return noteSlice(node);
                offset.push_back(*at);
                continue;  // the axis goes
            }
            const SymbolicPtr lower =
                part["lower"].exists() ? m_scope.scalar(part["lower"]).value_or(nullptr) : number(0);
            const SymbolicPtr upper =
                part["upper"].exists() ? m_scope.scalar(part["upper"]).value_or(nullptr) : number(of->extents[i]);
            const auto extent = lower && upper ? difference(upper, lower) : std::nullopt;
            if (!extent || *extent < 1) return noteSlice(node);
            shape.push_back(number(*extent));
            offset.push_back(lower);
        }
        View block;
        block.of = ValueId(of->id);
        if (of->kind == Variable::Kind::Tensor) m_readTensors.insert(of->id);
        if (of->kind != Variable::Kind::Tensor && m_views.count(of->id) == 0) return noteSlice(node);
        addWindow(node, std::move(block), shape, offset, shape, out, blocks);
        return true;
    }
    bool noteSlice(const AstNode& node) {
        note(node, "a slice whose extent is not known");
        return false;
    }

    bool matmul(const AstNode& node, const AstNode& call, bool scaled, const ValueId& out, std::vector<Block>& blocks) {
        CubeStage stage;
        const auto operandOf = [&](std::size_t place, std::string_view name, ValueId& into) {
            const auto value = valueOf(call.argument(place, name), blocks);
            if (value) into = ValueId(*value);
            return value.has_value();
        };
        bool known =
            operandOf(0, scaled ? "mat_a" : "input", stage.a) && operandOf(1, scaled ? "mat_b" : "mat2", stage.b);
        if (scaled) known = known && operandOf(3, "scale_a", stage.scaleA) && operandOf(4, "scale_b", stage.scaleB);
        const auto type = dtypeOf(call.argument(2, "out_dtype"));
        if (!known || !type) {
            note(node, "a matmul whose operands or type are not known");
            return false;
        }
        const auto flag = [&](std::string_view name) { return call.keyword(name).boolean().value_or(false); };
        stage.op = scaled ? CubeOp::ScaledMm : CubeOp::Matmul;
        stage.outDType = *type;
        stage.aTrans = flag("a_trans");
        stage.bTrans = flag("b_trans");
        stage.scaleATrans = flag("scale_a_trans");
        stage.scaleBTrans = flag("scale_b_trans");
        extras(node, call.keyword("extend_params"), stage, blocks);
        m_openVector = false;
        stage.id = stageId("c", stage.label);
        stage.out = out;
        if (m_cubeTile)
            stage.tile = *m_cubeTile;
        else
            note(node, "a matmul before any set_cube_tile_shapes; it has a default tile");
        const auto size = std::exchange(m_matrixSize, std::nullopt);
        if (size)
            for (const std::int64_t each : *size) stage.matrixSize.emplace_back(each);
        blocks.push_back({std::move(stage)});
        return true;
    }

    void extras(const AstNode& node, const AstNode& dict, CubeStage& stage, std::vector<Block>& blocks) {
        const auto keys = dict.list("keys"), values = dict.list("values");
        for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
            const std::string key = keys[i].string().value_or("");
            const std::string dotted = values[i].dotted();
            if (key == "bias_tensor" || key == "scale_tensor") {
                const auto value = valueOf(values[i], blocks);
                if (value) (key == "bias_tensor" ? stage.bias : stage.scaleTensor) = ValueId(*value);
            } else if (key == "scale") {
                stage.scale = values[i].number();
            } else if (key == "relu_type") {
                stage.relu = dotted.ends_with(".RELU");
            } else if (key == "trans_mode") {
                stage.fp32Mode = dotted.ends_with("CAST_RINT")    ? Fp32Mode::Rint
                                 : dotted.ends_with("CAST_ROUND") ? Fp32Mode::Round
                                                                  : Fp32Mode::Ieee;
            } else {
                note(node, "extend_params has the unknown key " + key);
            }
        }
    }

    ReadKernel& m_out;
    KernelScope& m_scope;
    std::vector<std::string_view> m_lines;
    std::set<std::string> m_ids, m_blockIds, m_views, m_readTensors, m_writtenTensors;
    VectorReader m_vectors;
    std::vector<std::pair<std::string, Expression>> m_loops;
    std::map<std::pair<std::string, std::size_t>, Expression> m_lengths;
    std::optional<std::string> m_label;
    std::optional<CubeTile> m_cubeTile;
    std::vector<std::int64_t> m_vectorTile;
    std::optional<std::vector<std::int64_t>> m_matrixSize;
    std::vector<std::int64_t> m_shape;
    int m_stages = 0;
    bool m_openVector = false;
};

}  // namespace

Result<ReadKernel> readKernel(const std::vector<AstNode>& module, std::string_view source, const std::string& name) {
    ReadKernel out;
    KernelScope scope;
    CUBIST_TRY(const ModuleParts parts, readModule(module, name, scope, out));
    BodyReader body(out, scope, source);
    body.read(parts.kernel);
    finishDesign(parts, scope, body.readTensors(), body.writtenTensors(), body.lengths(), out.design);
    std::stable_sort(out.notes.begin(), out.notes.end(),
                     [](const ImportNote& a, const ImportNote& b) { return a.line < b.line; });
    return out;
}

}  // namespace cubist::pypto

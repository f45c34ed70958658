// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/kernel_writer.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/base/integer_math.h"
#include "core/exchange/pypto/tile_writer.h"
#include "core/exchange/pypto/vector_calls.h"

namespace cubist::pypto {
namespace {

using Items = std::vector<PyExpr>;

const std::string& labelOf(const BlockId& id, const std::string& label) {
    return label.empty() ? id.text : label;
}

bool hasExtreme(const SymbolicPtr& tree) {
    return tree->kind == Symbolic::Kind::Min || tree->kind == Symbolic::Kind::Max ||
           std::any_of(tree->arg.begin(), tree->arg.end(), hasExtreme);
}

bool isTrivial(const SymbolicPtr& tree) {
    return tree->kind == Symbolic::Kind::Number || tree->kind == Symbolic::Kind::Name;
}

class KernelWriter {
public:
    KernelWriter(KernelPlan& plan, PythonWriter& out) : m_plan(plan), m_out(out) {}

    void body() {
        const Design& design = m_plan.design();
        const std::size_t before = m_out.text().size();
        if (design.options.combineAxis) m_out.line("pypto.experimental.set_operation_options(combine_axis=True)");
        for (const Tensor& tensor : design.tensors)
            if (tensor.cache == CachePolicy::NoneCacheable)
                m_out.line(m_plan.python(tensor.id) + ".set_cache_policy(pypto.CachePolicy.NONE_CACHEABLE, True)");
        const std::string said = blocksText();
        for (const SymbolSource& source : m_plan.runtimeSymbols()) {
            if (!names(said, m_plan.scalar(source.symbol))) continue;  // a length that only arguments have
            std::string text = m_plan.python(TensorId(source.tensor)) + ".shape[" + std::to_string(source.axis) + "]";
            switch (source.inverse) {
                case SymbolSource::Inverse::None: break;
                case SymbolSource::Inverse::Divide: text += " // " + std::to_string(source.by); break;
                case SymbolSource::Inverse::Subtract: text += " - " + std::to_string(source.by); break;
                case SymbolSource::Inverse::Add: text += " + " + std::to_string(source.by); break;
            }
            m_out.line(m_plan.scalar(source.symbol) + " = " + text);
        }
        m_first = m_out.text().size() == before;
        blocks(design.blocks);
    }

private:
    /// The blocks alone, to see what they name.
    [[nodiscard]] std::string blocksText() const {
        KernelPlan plan = m_plan;
        PythonWriter out;
        KernelWriter(plan, out).blocks(plan.design().blocks);
        return out.text();
    }
    /// Is the identifier a word of the text?
    static bool names(const std::string& text, const std::string& identifier) {
        const auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
        for (std::size_t at = text.find(identifier); at != std::string::npos; at = text.find(identifier, at + 1)) {
            const std::size_t end = at + identifier.size();
            if ((at == 0 || !inWord(text[at - 1])) && (end == text.size() || !inWord(text[end]))) return true;
        }
        return false;
    }

    void blocks(const std::vector<Block>& list) {
        std::vector<SymbolicPtr> bound;
        m_tileRank = 0;  // in a loop, that of the step before is none to rely on
        bindVariables(list, bound);
        prepareShapes(list);
        for (const Block& block : list) {
            if (const auto* loop = std::get_if<Loop>(&block.content)) writeLoop(*loop);
            if (const auto* view = std::get_if<View>(&block.content)) writeView(*view);
            if (const auto* cube = std::get_if<CubeStage>(&block.content)) writeCube(*cube);
            if (const auto* vector = std::get_if<VectorStage>(&block.content)) writeVector(*vector);
            if (const auto* store = std::get_if<Store>(&block.content)) writeStore(*store);
        }
        m_tileRank = 0;
        for (const SymbolicPtr& tree : bound) m_plan.forgetVariable(tree);
    }

    /// Reshapes go by the vector tile: a body whose windows change ranks sets one of its own first (the shape prep of
    /// SK-14).
    void prepareShapes(const std::vector<Block>& list) {
        std::size_t rank = 0;
        std::int64_t bytes = 1;
        for (const Block& block : list) {
            const auto* view = std::get_if<View>(&block.content);
            if (view == nullptr || m_plan.axes(view->of).size() <= m_plan.axes(view->out).size()) continue;
            rank = std::max(rank, m_plan.axes(view->of).size());
            bytes = std::max(bytes, bytesOf(view->of));
        }
        needTileOf(rank, bytes);
    }

    [[nodiscard]] std::int64_t bytesOf(const ValueId& id) const {
        const ResolvedValue* value = m_plan.resolved().value(id);
        return value == nullptr ? 1 : std::max<std::int64_t>(1, hostBytesPerElement(value->dtype));
    }

    /// A reshape from or to this rank follows: it needs a vector tile with as many values.
    void needTileOf(std::size_t rank, std::int64_t bytes) {
        if (rank < 2 || rank <= m_tileRank) return;
        Items tile(rank, 1);
        // At most 64 KiB, the last axis at least 32 bytes; an operand of lower rank goes by the first values.
        if (rank > 3) tile[rank - 3] = 8;
        tile[rank - 2] = rank > 3 ? 256 / bytes : 64;
        tile[rank - 1] = rank > 3 ? 32 : 512 / bytes;
        m_out.statement({}, PyExpr::call("pypto.set_vec_tile_shapes", std::move(tile)));
        m_tileRank = rank;
        m_first = false;
    }

    /// Offsets that are used more than once, and lengths of tails, get a name at the head of the body.
    void bindVariables(const std::vector<Block>& list, std::vector<SymbolicPtr>& bound) {
        std::vector<SymbolicPtr> offsets, lengths;
        for (const Block& block : list) {
            if (const auto* view = std::get_if<View>(&block.content)) {
                for (const Expression& each : view->offset) offsets.push_back(m_plan.fold(each));
                for (const Axis& axis : m_plan.axes(view->out))
                    lengths.push_back(axis.valid ? axis.valid : axis.extent);
            }
            if (const auto* store = std::get_if<Store>(&block.content))
                for (const Expression& each : store->offset) offsets.push_back(m_plan.fold(each));
        }
        const auto count = [&](const std::string& key) {
            std::size_t uses = 0;
            for (const SymbolicPtr& tree : offsets)
                if (m_plan.key(tree) == key) ++uses;
            std::vector<std::string> seen;  // a length gets a name of its own: it counts once
            for (const SymbolicPtr& tree : lengths) {
                const std::string text = m_plan.key(tree);
                if (std::find(seen.begin(), seen.end(), text) != seen.end()) continue;
                seen.push_back(text);
                uses += occurrences(tree, key);
            }
            return uses;
        };
        const auto bind = [&](const SymbolicPtr& tree, const char* suffix) {
            const std::string text = m_plan.text(tree);
            if (isTrivial(tree) || text.find_first_of(" [(.") == std::string::npos) return;
            const std::string variable = m_plan.unique(m_plan.innermostIndex(tree, m_loops) + suffix);
            m_out.line(variable + " = " + text);
            m_plan.bindVariable(tree, variable);
            bound.push_back(tree);
        };
        for (const SymbolicPtr& tree : offsets)
            if (!isTrivial(tree) && count(m_plan.key(tree)) > 1) bind(tree, "_start");
        for (const SymbolicPtr& tree : lengths)
            if (!isTrivial(tree)) bind(tree, "_size");
    }

    [[nodiscard]] std::size_t occurrences(const SymbolicPtr& tree, const std::string& key) const {
        std::size_t uses = m_plan.key(tree) == key ? 1 : 0;
        for (const SymbolicPtr& argument : tree->arg) uses += occurrences(argument, key);
        return uses;
    }

    void writeLoop(const Loop& loop) {
        separate();
        if (!loop.notes.empty()) m_out.comment(loop.notes);
        const SymbolicPtr axis = m_plan.fold(loop.axis);
        const SymbolicPtr tile = m_plan.fold(loop.tile);
        const SymbolicPtr count = folded(
            binary(Symbolic::Kind::CeilDiv, axis, tile), [](const auto&) { return std::nullopt; },
            [](const auto&, const auto&) { return nullptr; });
        const std::string index = m_plan.scalar(loop.index);
        Items items;
        std::string head = "for " + index + " in ";
        if (loop.form == LoopKind::Static) {
            if (!m_plan.isCompileTime(count))
                problem("EXP-04", loop.id,
                        "the loop '" + loop.id.text + "' is expanded when the kernel is compiled, but its length '" +
                            loop.axis.text() + "' is only known when it runs",
                        "循环 '" + loop.id.text + "' 在编译时展开，但其长度在运行时才知道");
            items.emplace_back(m_plan.text(count));
            m_out.statement(head, PyExpr::call("range", std::move(items)), ":");
        } else {
            const bool unrolled = loop.form == LoopKind::Unroll;
            if (unrolled) {
                head = "for " + index + ", " + m_plan.scalar(loop.factor) + " in ";
                items = {0, m_plan.text(axis), 1};
            } else {
                items.emplace_back(m_plan.text(count));
            }
            items.push_back(PyExpr::named("name", pythonString(loop.id.text)));
            items.push_back(PyExpr::named("idx_name", pythonString(index)));
            if (unrolled) {
                Items factors;
                for (const std::int64_t each : loop.unroll) factors.emplace_back(each);
                items.push_back(PyExpr::named("unroll_list", PyExpr::list(std::move(factors))));
            }
            if (loop.parallel) items.push_back(PyExpr::named("parallel", "True"));
            if (loop.submitBeforeLoop) items.push_back(PyExpr::named("submit_before_loop", "True"));
            if (unrolled && loop.parallel)
                problem("EXP-04", loop.id, "loop_unroll has no parallel form: '" + loop.id.text + "' cannot be both",
                        "loop_unroll 没有并行形式");
            m_out.statement(head, PyExpr::call(unrolled ? "pypto.loop_unroll" : "pypto.loop", std::move(items)), ":");
        }
        constexpr std::size_t kMostNested = 20;  // blocks of a Python function inside each other
        if (m_loops.size() == kMostNested)
            problem("EXP-04", loop.id,
                    "the loop '" + loop.id.text + "' lies in " + std::to_string(kMostNested) +
                        " others, and Python nests no more loops than that",
                    "循环 '" + loop.id.text + "' 外层已有 " + std::to_string(kMostNested) + " 层，Python 不能再嵌套");
        const PythonIndent inner(m_out);
        m_loops.push_back(&loop);
        m_first = true;
        const bool guarded = loop.form == LoopKind::Static && guardEmptyGroup(loop);
        if (guarded) m_out.indent();
        if (loop.body.empty()) m_out.line("pass");
        blocks(loop.body);
        if (guarded) m_out.dedent();
        m_loops.pop_back();
        m_first = false;
    }

    /// A group without rows multiplies nothing: a view of no rows would be refused.
    bool guardEmptyGroup(const Loop& loop) {
        const auto axis = literal(m_plan.fold(loop.axis)), tile = literal(m_plan.fold(loop.tile));
        if (!axis || !tile || *tile < 1) return false;
        const std::int64_t count = ceilDiv(*axis, *tile);
        for (const Block& block : loop.body) {
            const auto* view = std::get_if<View>(&block.content);
            if (view == nullptr) continue;
            for (const Axis& extent : m_plan.axes(view->out)) {
                if (isTrivial(extent.extent)) continue;
                for (std::int64_t i = 0; i < count; ++i) {
                    const SymbolicPtr value = m_plan.atSteps(extent.extent, {{loop.index, i}});
                    if (literal(value).value_or(1) > 0) continue;
                    m_out.statement("if ", m_plan.text(extent.extent) + " > 0", ":");
                    return true;
                }
            }
        }
        return false;
    }

    void writeView(const View& view) {
        const std::vector<Axis>& axes = m_plan.axes(view.out);
        Items offsets;
        for (const Expression& each : view.offset) offsets.emplace_back(m_plan.text(m_plan.fold(each)));
        const std::size_t parent = m_plan.axes(view.of).size();
        for (const Axis& axis : axes)
            if (hasExtreme(axis.extent))
                problem(
                    "EXP-04", view.id,
                    "the shape of the view '" + view.id.text +
                        "' takes a min or max of lengths that are known when "
                        "the kernel is compiled: PyPTO gives no number for it, and its steps are too many for a table",
                    "视图 '" + view.id.text + "' 的形状含有编译期长度的 min 或 max，PyPTO 无法得到整数");
            else if (!m_plan.isCompileTime(axis.extent))
                problem("EXP-04", view.id,
                        "the shape of the view '" + view.id.text +
                            "' is only known when the kernel runs: PyPTO takes integers; give it as valid_shape",
                        "视图 '" + view.id.text + "' 的形状在运行时才知道，PyPTO 只接受整数；请用 valid_shape 给出");
        m_first = false;
        if (parent != axes.size()) needTileOf(std::max(parent, axes.size()), bytesOf(view.of));
        if (parent <= axes.size()) {
            m_out.assign(m_plan.python(view.out), viewCall(m_plan, m_plan.python(view.of), axes, std::move(offsets)));
            return;
        }
        std::vector<Axis> whole(parent - axes.size(), Axis{number(1), nullptr});
        whole.insert(whole.end(), axes.begin(), axes.end());
        PyExpr window = viewCall(m_plan, m_plan.python(view.of), whole, std::move(offsets));
        m_out.assign(m_plan.python(view.out), reshapeCall(m_plan, std::move(window), axes));
    }

    void stageHead(const BlockId& id, const std::string& label, const std::string& notes) {
        separate();
        if (!notes.empty()) m_out.comment(notes);
        m_out.statement({}, PyExpr::call("pypto.set_semantic_label", {pythonString(labelOf(id, label))}));
    }

    /// One matrix of a stack in NZ: its view is reshaped, and the matmul behind that wants to be told its sizes.
    [[nodiscard]] bool takesReshapedFractals(const CubeStage& stage) const {
        const auto reshaped = [&](const ValueId& id) {
            const ResolvedValue* value = m_plan.resolved().value(id);
            return value != nullptr && value->tensor != nullptr && value->tensor->format == Format::NZ &&
                   value->tensor->shape.size() > m_plan.axes(id).size();
        };
        return m_plan.axes(stage.a).size() == 2 && m_plan.axes(stage.b).size() == 2 &&
               (reshaped(stage.a) || reshaped(stage.b));
    }

    void writeCube(const CubeStage& stage) {
        stageHead(stage.id, stage.label, stage.notes);
        writeCubeTile(m_plan, stage, m_loops, m_out);
        if (!stage.matrixSize.empty()) {
            Items size;
            for (const Expression& each : stage.matrixSize) size.emplace_back(m_plan.text(m_plan.fold(each)));
            m_out.statement({}, PyExpr::call("pypto.set_matrix_size", {PyExpr::list(std::move(size))}));
        } else if (takesReshapedFractals(stage)) {
            const std::vector<Axis>&a = m_plan.axes(stage.a), &b = m_plan.axes(stage.b);
            Items size;
            for (const Axis* axis : {&a[stage.aTrans ? 1 : 0], &a[stage.aTrans ? 0 : 1], &b[stage.bTrans ? 0 : 1]})
                size.emplace_back(m_plan.text(axis->extent));
            m_out.statement({}, PyExpr::call("pypto.set_matrix_size", {PyExpr::list(std::move(size))}));
        }
        const bool scaled = stage.op == CubeOp::ScaledMm;
        Items items{m_plan.python(stage.a), m_plan.python(stage.b), pyptoType(stage.outDType)};
        if (scaled) {
            items.emplace_back(m_plan.python(stage.scaleA));
            items.emplace_back(m_plan.python(stage.scaleB));
        }
        const auto flag = [&](const char* name, bool value) {
            if (value) items.push_back(PyExpr::named(name, "True"));
        };
        flag("a_trans", stage.aTrans);
        flag("b_trans", stage.bTrans);
        flag("scale_a_trans", stage.scaleATrans);
        flag("scale_b_trans", stage.scaleBTrans);
        Items extra;
        if (!stage.bias.empty()) extra.push_back(PyExpr::entry("bias_tensor", m_plan.python(stage.bias)));
        if (stage.scale) extra.push_back(PyExpr::entry("scale", pythonFloat(*stage.scale)));
        if (!stage.scaleTensor.empty())
            extra.push_back(PyExpr::entry("scale_tensor", m_plan.python(stage.scaleTensor)));
        if (stage.relu) extra.push_back(PyExpr::entry("relu_type", "pypto.ReLuType.RELU"));
        if (stage.fp32Mode != Fp32Mode::Ieee)
            extra.push_back(PyExpr::entry("trans_mode", stage.fp32Mode == Fp32Mode::Rint
                                                            ? "pypto.TransMode.CAST_RINT"
                                                            : "pypto.TransMode.CAST_ROUND"));
        if (stage.tile.splitK && stage.partialDType != DType::FP32)
            problem("EXP-05", stage.id, "partial sums of split-K are FP32 or INT32: '" + stage.id.text + "' has others",
                    "split-K 的部分和只能是 FP32 或 INT32：'" + stage.id.text + "' 不是");
        if (!extra.empty() && m_plan.axes(stage.a).size() > 2)
            problem("EXP-05", stage.id,
                    "bias, scale, ReLU and rounding of operands belong to matmuls without batch axes: '" +
                        stage.id.text + "' has them",
                    "'" + stage.id.text + "' 带批次轴，不能使用偏置、缩放、ReLU 或操作数舍入");
        if (!extra.empty()) items.push_back(PyExpr::named("extend_params", PyExpr::dict(std::move(extra))));
        m_out.assign(m_plan.python(stage.out),
                     PyExpr::call(scaled ? "pypto.scaled_mm" : "pypto.matmul", std::move(items)));
    }

    void writeVector(const VectorStage& stage) {
        stageHead(stage.id, stage.label, stage.notes);
        TileAxes set = firstTileAxes(stage.tile.size());
        writeVectorTile(m_plan, stage, m_loops, set, m_out);
        m_tileRank = set.size();
        const ResolvedBlock* block = m_plan.resolved().block(stage.id);
        const auto axes = tileAxes(stage, [&](const ValueId& id) { return m_plan.axes(id).size(); });
        std::vector<ExportProblem> found;
        for (std::size_t i = 0; block != nullptr && i < stage.ops.size(); ++i) {
            // A rank that changes needs a tile of that rank (amax without keepdim, a vector beside a matrix), axes that
            // a transpose has exchanged need theirs in the new order.
            const VectorOp& op = stage.ops[i];
            if (needsOtherTile(stage, op, axes[i].cut, set)) {
                const bool shapeOnly =
                    op.op == VectorOpCode::Slice || op.op == VectorOpCode::Unsqueeze || op.op == VectorOpCode::Reshape;
                set = shapeOnly ? firstTileAxes(stage.tile.size()) : axes[i].cut;
                writeVectorTile(m_plan, stage, m_loops, set, m_out);
                m_tileRank = set.size();
            }
            if (op.op == VectorOpCode::Reshape && !op.in.empty() && op.in[0].value() != nullptr) {
                const std::size_t from = m_plan.axes(*op.in[0].value()).size(), to = m_plan.axes(op.out).size();
                if (from != to) needTileOf(std::max(from, to), bytesOf(op.out));
                if (m_tileRank > set.size()) set = firstTileAxes(m_tileRank);
            }
            for (const PyLine& line : vectorLines(m_plan, *block, i, found))
                m_out.statement(line.target.empty() ? "" : line.target + " = ", line.value);
        }
        for (ExportProblem& each : found) m_plan.problem(std::move(each));
    }

    void writeStore(const Store& store) {
        m_first = false;
        const std::string to = m_plan.python(store.to);
        const std::size_t rank = m_plan.axes(ValueId(store.to.text)).size();
        std::vector<Axis> axes = m_plan.axes(store.from);
        PyExpr from = m_plan.python(store.from);
        if (isIndexed(store.op)) {
            writeIndexed(store, to, rank);
            return;
        }
        if (axes.size() < rank) {
            needTileOf(rank, bytesOf(store.from));
            axes.insert(axes.begin(), rank - axes.size(), Axis{number(1), nullptr});
            from = reshapeCall(m_plan, std::move(from), axes);
        }
        std::vector<SymbolicPtr> offset(rank, number(0));
        for (std::size_t i = 0; i < store.offset.size() && i < rank; ++i) offset[i] = m_plan.fold(store.offset[i]);
        if (store.op == StoreOp::Slice) {
            // out[:], unless that would be more than the value.
            const std::vector<Axis>& all = m_plan.axes(ValueId(store.to.text));
            bool whole = m_loops.empty();
            for (std::size_t i = 0; i < rank; ++i) {
                const auto part = literal(axes[i].extent), length = literal(all[i].extent);
                whole = whole && literal(offset[i]) == 0 && (!part || !length || *part == *length);
            }
            std::string key;
            for (const SymbolicPtr& each : offset) key += (key.empty() ? "" : ", ") + m_plan.text(each) + ":";
            m_out.assign(to + "[" + (whole ? ":" : key) + "]", from);
            return;
        }
        if (store.op == StoreOp::AtomicAdd)
            for (const Axis& axis : axes)
                if (axis.valid) {
                    problem("EXP-08", store.id,
                            "the tail of '" + store.from.text + "': atomic_add takes all " + m_plan.text(axis.extent) +
                                " that are declared, which may lie outside of '" + store.to.text + "'",
                            "'" + store.from.text + "' 带尾块：atomic_add 写入全部声明的 " + m_plan.text(axis.extent) +
                                "，可能超出 '" + store.to.text + "'");
                    break;
                }
        Items offsets;
        for (const SymbolicPtr& each : offset) offsets.emplace_back(m_plan.text(each));
        PyExpr at = PyExpr::list(std::move(offsets));
        if (store.op == StoreOp::Assemble && store.parallel) {
            // Only the form that takes a list of parts can be told so.
            PyExpr part = PyExpr::tuple({std::move(from), std::move(at)});
            m_out.statement({}, PyExpr::call("pypto.assemble",
                                             {PyExpr::list({std::move(part)}), to, PyExpr::named("parallel", "True")}));
            return;
        }
        m_out.statement({}, PyExpr::call(store.op == StoreOp::Assemble ? "pypto.assemble" : "pypto.atomic_add",
                                         {std::move(from), std::move(at), to}));
    }

    void writeIndexed(const Store& store, const std::string& to, std::size_t rank) {
        const bool moved = std::any_of(store.offset.begin(), store.offset.end(),
                                       [&](const Expression& each) { return literal(m_plan.fold(each)) != 0; });
        const bool severalIndices = m_plan.axes(store.index).size() != 1;
        if (moved || (!severalIndices && m_plan.axes(store.from).size() != rank))
            problem(
                "EXP-06", store.id,
                "an indexed store writes whole rows: '" + store.id.text + "' has an offset or a value of lower rank",
                "带索引的写入只能写整行：'" + store.id.text + "' 带有偏移或秩更低");
        const bool adds = store.op == StoreOp::IndexAdd || store.accumulate;
        if (severalIndices)
            problem("EXP-06", store.id,
                    "index_put_ takes one tensor for each axis that it picks along, '" + store.index.text +
                        "' holds all of them; use the operation index_put",
                    "index_put_ 的每个轴需要单独的一维索引，'" + store.index.text +
                        "' 将其合在一起；请使用 index_put 运算");
        if (!adds && store.dim != 0)
            problem("EXP-06", store.id,
                    "index_put_ picks along the first axis only, '" + store.id.text + "' along " +
                        std::to_string(store.dim),
                    "index_put_ 只支持第一个轴");
        if (!adds) {
            m_out.statement({}, PyExpr::call("pypto.index_put_", {to, PyExpr::tuple({m_plan.python(store.index)}),
                                                                  m_plan.python(store.from)}));
            return;
        }
        // index_put_ with accumulate=True is left alone: its order is undefined inside of one call.
        Items items{to, store.dim, m_plan.python(store.index), m_plan.python(store.from)};
        if (store.op == StoreOp::IndexAdd && store.alpha != 1.0)
            items.push_back(PyExpr::named("alpha", alphaOf(store)));
        m_out.statement({}, PyExpr::call("pypto.index_add_", std::move(items)));
    }

    /// Integers want a whole factor as an integer.
    [[nodiscard]] PyExpr alphaOf(const Store& store) const {
        const ResolvedValue* value = m_plan.resolved().value(store.from);
        const bool whole = std::floor(store.alpha) == store.alpha && std::fabs(store.alpha) < 1e15;
        if (value == nullptr || isFloat(value->dtype) || !whole) return pythonFloat(store.alpha);
        return static_cast<std::int64_t>(store.alpha);
    }

    /// A blank line between stages, none at the head of a body.
    void separate() {
        if (!m_first) m_out.blank();
        m_first = false;
    }

    void problem(std::string rule, const BlockId& id, std::string message, std::string zh) {
        std::string where;
        if (const ResolvedBlock* block = m_plan.resolved().block(id)) where = block->where;
        for (const ResolvedLoop& loop : m_plan.resolved().loops)
            if (loop.loop->id == id) where = loop.where;
        m_plan.problem({std::move(rule), where, id, std::move(message), std::move(zh)});
    }

    KernelPlan& m_plan;
    PythonWriter& m_out;
    std::vector<const Loop*> m_loops;
    std::size_t m_tileRank = 0;  ///< values of the vector tile that is set; 0: none that is known
    bool m_first = true;
};

PyExpr annotation(const std::vector<SymbolicPtr>& shape, DType type, Format format) {
    Items axes;
    for (const SymbolicPtr& extent : shape) {
        const auto value = literal(extent);
        axes.push_back(value ? PyExpr(*value) : PyExpr("pypto.DYNAMIC"));
    }
    Items items{PyExpr::list(std::move(axes)), pyptoType(type)};
    if (format == Format::NZ) items.push_back(PyExpr::named("format", "pypto.TileOpFormat.TILEOP_NZ"));
    return PyExpr::call("pypto.Tensor", std::move(items));
}

}  // namespace

void writeListConstants(const KernelPlan& plan, PythonWriter& out) {
    for (const auto& [id, list] : plan.lists()) {
        if (list.source != PlannedList::Source::Constant) continue;
        Items values, starts;
        for (const std::int64_t each : list.values.values) values.emplace_back(each);
        out.assign(list.python, PyExpr::tuple(std::move(values)));
        if (list.list->form == ListForm::Plain) continue;
        for (std::int64_t g = 0; g <= list.values.groups(); ++g) starts.emplace_back(list.values.start(g));
        out.assign(list.python + "_STARTS", PyExpr::tuple(std::move(starts)));
    }
}

void writeKernel(KernelPlan& plan, const std::string& chip, KeyDialect dialect, PythonWriter& out) {
    Items arguments = jitArguments(plan, chip, dialect);
    if (arguments.empty())
        out.line("@pypto.frontend.jit");
    else
        out.statement("@", PyExpr::call("pypto.frontend.jit", std::move(arguments)));
    out.line("def " + plan.moduleName() + "_kernel(");
    {
        const PythonIndent inner(out);
        for (const Tensor& tensor : plan.design().tensors)
            out.statement(plan.python(tensor.id) + ": ",
                          annotation(plan.tensorShape(tensor), plan.argumentType(tensor), tensor.format), ",");
        for (const auto& [id, list] : plan.lists()) {
            if (list.source != PlannedList::Source::Parameter) continue;
            const bool plain = list.list->form == ListForm::Plain;
            const std::int64_t length =
                plain ? static_cast<std::int64_t>(list.values.values.size()) : list.values.groups() + 1;
            out.statement(list.python + ": ", annotation({number(length)}, DType::INT32, Format::ND), ",");
        }
    }
    out.line("):");
    const PythonIndent inner(out);
    KernelWriter(plan, out).body();
}

}  // namespace cubist::pypto

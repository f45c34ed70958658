// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/golden_body.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/base/number_formats.h"
#include "core/design/op_numbers.h"
#include "core/design/vector_op_info.h"
#include "core/exchange/pypto/host_writer.h"
#include "core/exchange/pypto/tile_writer.h"

namespace cubist::pypto {
namespace {

using Items = std::vector<PyExpr>;

bool isPlainFloat(DType type) {
    return type == DType::FP32 || type == DType::FP16 || type == DType::BF16;
}

PyExpr torch(const std::string& function, Items items) {
    return PyExpr::call("torch." + function, std::move(items));
}

class GoldenWriter {
public:
    GoldenWriter(const KernelPlan& plan, PythonWriter& out) : m_plan(plan), m_out(out) {
        m_framework = plan.design().tolerance.golden == GoldenKind::Framework;
        for (const Tensor& tensor : plan.design().tensors)
            if (tensor.tolerance && tensor.tolerance->golden == GoldenKind::Framework) m_framework = true;
    }

    void body() {
        const Design& design = m_plan.design();
        writeSymbols(m_plan, m_out);
        for (const Tensor& tensor : design.tensors) {
            const std::string name = m_plan.python(tensor.id);
            if (tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut) {
                PyExpr value = PyExpr::call("to_values", {name, pythonString(toText(tensor.dtype))});
                m_out.statement(name + " = ", value, tensor.role == TensorRole::InOut ? ".clone()" : "");
            } else {
                m_out.assign(name, torch("zeros", {elementShape(m_plan, tensor),
                                                   PyExpr::named("dtype", computeType(tensor.dtype))}));
            }
        }
        for (const auto& [id, list] : m_plan.lists()) {
            if (list.source == PlannedList::Source::Tensor) m_out.line(list.python + " = " + list.python + ".tolist()");
            if (list.source == PlannedList::Source::Parameter) startsOf(list);
        }
        takeNames();
        blocks(design.blocks);
        std::string results;
        for (const Tensor& tensor : design.tensors)
            if (isReturned(tensor)) results += (results.empty() ? "" : ", ") + m_plan.python(tensor.id);
        m_out.line("return " + results);
    }

    [[nodiscard]] bool framework() const { return m_framework; }

private:
    void startsOf(const PlannedList& list) {
        const std::string& name = list.parameter;
        m_out.line(list.python + " = list(" + name + ".tolist() if hasattr(" + name + ", \"tolist\") else " + name +
                   ")");
        if (list.list->form == ListForm::Counts)
            m_out.line(list.python + " = [sum(" + list.python + "[:g]) for g in range(len(" + list.python + ") + 1)]");
        if (list.list->form == ListForm::PrefixSums) m_out.line(list.python + " = [0] + " + list.python);
        if (list.list->form == ListForm::Rows)
            m_out.line(list.python + " = [sum(r < g for r in " + list.python + ") for g in range(" +
                       std::to_string(list.values.groups() + 1) + ")]");
    }

    void blocks(const std::vector<Block>& list) {
        const std::vector<std::string> bound = bindWindows(list);
        for (const Block& block : list) {
            if (const auto* loop = std::get_if<Loop>(&block.content)) writeLoop(*loop);
            if (const auto* view = std::get_if<View>(&block.content)) writeView(*view);
            if (const auto* cube = std::get_if<CubeStage>(&block.content)) writeCube(*cube);
            if (const auto* vector = std::get_if<VectorStage>(&block.content))
                for (const VectorOp& op : vector->ops) writeOp(op);
            if (const auto* store = std::get_if<Store>(&block.content)) writeStore(*store);
        }
        for (const std::string& key : bound) m_bound.erase(key);
    }

    /// Starts and lengths of windows that are more than a name or a number get a name, as in the kernel. Returns their
    /// keys.
    std::vector<std::string> bindWindows(const std::vector<Block>& list) {
        std::vector<SymbolicPtr> starts, lengths;
        for (const Block& block : list) {
            if (const auto* view = std::get_if<View>(&block.content)) {
                for (const Expression& each : view->offset) starts.push_back(m_plan.fold(each));
                for (const Axis& axis : m_plan.axes(view->out)) lengths.push_back(extent(axis));
            }
            const auto* store = std::get_if<Store>(&block.content);
            if (store != nullptr && !isIndexed(store->op))
                for (const Expression& each : store->offset) starts.push_back(m_plan.fold(each));
        }
        std::vector<std::string> keys;
        const auto bind = [&](const SymbolicPtr& tree, const char* suffix) {
            const std::string value = text(tree);
            if (value.find_first_of(" [(.") == std::string::npos) return;
            const std::string variable = unique(m_plan.innermostIndex(tree, m_loops) + suffix);
            m_out.line(variable + " = " + value);
            keys.push_back(m_plan.key(tree));
            m_bound[keys.back()] = variable;
        };
        for (const SymbolicPtr& tree : starts) bind(tree, "_start");
        for (const SymbolicPtr& tree : lengths) bind(tree, "_size");
        return keys;
    }

    std::string unique(const std::string& wanted) {
        std::string free = wanted;
        for (int number = 2; !m_taken.insert(free).second; ++number) free = wanted + "_" + std::to_string(number);
        return free;
    }

    void takeNames() {
        const ResolvedDesign& design = m_plan.resolved();
        for (const auto& entry : design.values) m_taken.insert(m_plan.python(ValueId(entry.first)));
        for (const Tensor& tensor : m_plan.design().tensors) m_taken.insert(m_plan.python(tensor.id));
        for (const Symbol& symbol : m_plan.design().symbols) m_taken.insert(m_plan.scalar(symbol.id.text));
        for (const ResolvedLoop& loop : design.loops) {
            m_taken.insert(m_plan.scalar(loop.loop->index));
            if (!loop.loop->factor.empty()) m_taken.insert(m_plan.scalar(loop.loop->factor));
        }
        for (const auto& [id, list] : m_plan.lists()) m_taken.insert({list.python, list.parameter});
    }

    [[nodiscard]] SymbolicPtr withBound(const SymbolicPtr& tree) const {
        if (const auto found = m_bound.find(m_plan.key(tree)); found != m_bound.end()) return name(found->second);
        if (tree->arg.empty()) return tree;
        Symbolic copy = *tree;
        for (SymbolicPtr& argument : copy.arg) argument = withBound(argument);
        return std::make_shared<const Symbolic>(std::move(copy));
    }

    void writeLoop(const Loop& loop) {
        const SymbolicPtr axis = m_plan.fold(loop.axis);
        const std::string index = m_plan.scalar(loop.index);
        if (loop.form == LoopKind::Unroll) {
            // The steps that loop_unroll takes: the largest factor that still fits.
            Items factors;
            for (const std::int64_t each : factorsOf(loop)) factors.emplace_back(each);
            m_out.statement("for " + index + ", " + m_plan.scalar(loop.factor) + " in ",
                            PyExpr::call("unrolled", {text(axis), PyExpr::list(std::move(factors))}), ":");
        } else {
            const SymbolicPtr count = folded(
                binary(Symbolic::Kind::CeilDiv, axis, m_plan.fold(loop.tile)), [](const auto&) { return std::nullopt; },
                [](const auto&, const auto&) { return nullptr; });
            m_out.statement("for " + index + " in ", PyExpr::call("range", {text(count)}), ":");
        }
        const PythonIndent inner(m_out);
        if (loop.body.empty()) m_out.line("pass");
        m_loops.push_back(&loop);
        blocks(loop.body);
        m_loops.pop_back();
    }

    void writeView(const View& view) {
        const std::vector<Axis>& axes = m_plan.axes(view.out);
        const std::size_t parent = m_plan.axes(view.of).size();
        Items key;
        for (std::size_t i = 0; i < parent; ++i) {
            const SymbolicPtr offset = i < view.offset.size() ? m_plan.fold(view.offset[i]) : number(0);
            const bool dropped = i + axes.size() < parent;
            key.emplace_back(dropped ? text(offset) : window(offset, extent(axes[i + axes.size() - parent])));
        }
        m_out.assign(m_plan.python(view.out), PyExpr::subscript(m_plan.python(view.of), std::move(key)));
    }

    /// A slice with blanks around its colon where a bound is more than a name or a number.
    [[nodiscard]] std::string window(const SymbolicPtr& offset, const SymbolicPtr& size) const {
        const auto isPlain = [](const std::string& bound) { return bound.find_first_of(" [(.-") == std::string::npos; };
        if (literal(offset) == 0) {
            const std::string end = text(size);
            return (isPlain(end) ? ":" : ": ") + end;
        }
        const bool named = m_bound.count(m_plan.key(offset)) != 0 || m_bound.count(m_plan.key(size)) != 0;
        const SymbolicPtr end = binary(Symbolic::Kind::Add, withBound(offset), withBound(size));
        const std::string from = text(offset), to = text(named ? end
                                                               : folded(
                                                                     end, [](const auto&) { return std::nullopt; },
                                                                     [](const auto&, const auto&) { return nullptr; }));
        return from + (isPlain(from) && isPlain(to) ? ":" : " : ") + to;
    }

    [[nodiscard]] static SymbolicPtr extent(const Axis& axis) { return axis.valid ? axis.valid : axis.extent; }
    /// Whether the axis that an operation reduces has a length that only the data knows, as that of a group.
    [[nodiscard]] bool mayBeEmpty(const VectorOp& op) const {
        const ValueId* id = op.in[0].value();
        if (id == nullptr) return false;
        const std::vector<Axis>& axes = m_plan.axes(*id);
        const auto axis = axisOf(op, axes.size());
        return axis && *axis < axes.size() && !literal(extent(axes[*axis]));
    }
    [[nodiscard]] std::string text(const SymbolicPtr& tree) const {
        return pythonText(withBound(tree), {[&](const std::string& each) { return m_plan.scalar(each); }, false});
    }
    [[nodiscard]] PyExpr extents(const ValueId& id) const {
        Items items;
        for (const Axis& axis : m_plan.axes(id)) items.emplace_back(text(extent(axis)));
        return PyExpr::list(std::move(items));
    }
    [[nodiscard]] DType typeOf(const ValueId& id) const {
        const ResolvedValue* value = m_plan.resolved().value(id);
        return value == nullptr ? DType::FP32 : value->dtype;
    }
    [[nodiscard]] static std::string computeType(DType type) {
        return type == DType::BOOL ? "torch.bool" : isFloat(type) ? "COMPUTE" : "torch.int64";
    }

    void writeCube(const CubeStage& stage) {
        const bool integers = !isFloat(typeOf(stage.a));
        std::string a = m_plan.python(stage.a), b = m_plan.python(stage.b);
        PyExpr left = a, right = b;
        if (stage.op == CubeOp::ScaledMm) {
            left = PyExpr::call("mx_operand",
                                {a, m_plan.python(stage.scaleA), stage.aTrans ? 0 : 1, stage.scaleATrans ? 0 : 1});
            right = PyExpr::call("mx_operand",
                                 {b, m_plan.python(stage.scaleB), stage.bTrans ? 1 : 0, stage.scaleBTrans ? 1 : 0});
        }
        const auto turned = [](PyExpr value, bool turn) {
            return turn ? PyExpr(value.flat() + ".transpose(-1, -2)") : value;
        };
        left = turned(std::move(left), stage.aTrans);
        right = turned(std::move(right), stage.bTrans);
        const std::string out = m_plan.python(stage.out);
        m_out.assign(out, integers ? PyExpr::call("integer_product", {left, right}) : torch("matmul", {left, right}));
        if (!stage.bias.empty()) m_out.line(out + " = " + out + " + " + m_plan.python(stage.bias));
        if (stage.relu) m_out.line(out + " = torch.relu(" + out + ")");
        if (stage.scale) m_out.line(out + " = " + out + " * fixpipe_scale(" + pythonFloat(*stage.scale) + ")");
        if (!stage.scaleTensor.empty())
            m_out.line(out + " = " + out + " * fixpipe_scales(" + m_plan.python(stage.scaleTensor) + ")");
        const bool scaled = stage.scale || !stage.scaleTensor.empty();
        if (scaled && stage.outDType == DType::INT8)
            m_out.line(out + " = torch.round(" + out + ".clamp(-128, 127)).long()");
        else
            round(stage.out, stage.outDType);
    }

    /// Float types that `cast_to` of the golden rounds to.
    static bool hasModes(DType type) {
        return type == DType::FP16 || type == DType::BF16 || type == DType::FP8E4M3 || type == DType::FP8E5M2 ||
               isPaired(type);
    }

    /// What an operation's result loses in its type.
    void round(const ValueId& id, DType type) {
        if (!isFloat(type) || (isPlainFloat(type) && (!m_framework || type == DType::FP32))) return;
        const std::string name = m_plan.python(id);
        if (type == DType::HF8) {
            m_out.line(name + " = to_hifloat8(" + name + ")");
            return;
        }
        m_out.line(name + (hasModes(type) && isCoded(type) ? " = cast_to(" : " = store_as(") + name + ", " +
                   pythonString(toText(type)) + ")");
    }

    [[nodiscard]] std::string operand(const VectorOp& op, std::size_t i) const {
        if (const ValueId* id = op.in[i].value()) return m_plan.python(*id);
        const std::optional<DType> beside =
            m_framework ? typeOfNumber(m_plan.resolved(), op, i) : std::optional<DType>();
        const double value =
            beside && *beside != DType::FP32 ? numberIn(*beside, *op.in[i].number()) : *op.in[i].number();
        if (std::isnan(value)) return "float(\"nan\")";
        if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
        const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
        bool integers = false;
        for (const Operand& each : op.in)
            if (each.value() != nullptr) integers = !isFloat(typeOf(*each.value()));
        return integers && whole ? std::to_string(static_cast<std::int64_t>(value)) : pythonFloat(value);
    }

    void writeOp(const VectorOp& op) {
        using enum VectorOpCode;
        const std::string out = m_plan.python(op.out);
        const auto in = [&](std::size_t i) { return operand(op, i); };
        const auto infix = [&](const char* sign) { m_out.line(out + " = " + in(0) + " " + sign + " " + in(1)); };
        const auto function = [&](const std::string& name, Items items) {
            m_out.assign(out, PyExpr::call(name, std::move(items)));
        };
        const std::string dim = std::to_string(op.dim.value_or(-1));
        const std::string dim0 = std::to_string(op.dim.value_or(0));
        const DType type = typeOf(op.out);
        switch (op.op) {
            case Cast: cast(op); return;
            case Add: infix("+"); break;
            case Sub: infix("-"); break;
            case Mul: infix("*"); break;
            case Div:
                // torch takes `number / tensor` as the reciprocal times the number: two roundings instead of one.
                if (m_framework && op.in[0].number() != nullptr && *op.in[0].number() != 1.0)
                    function("torch.div", {asTensor(op, 0), in(1)});
                else if (dividesIntegers(op))
                    m_out.line(out + " = " + in(0) + ".to(COMPUTE) / " + in(1));
                else
                    infix("/");
                break;
            case Eq: infix("=="); break;
            case Ne: infix("!="); break;
            case Lt: infix("<"); break;
            case Le: infix("<="); break;
            case Gt: infix(">"); break;
            case Ge: infix(">="); break;
            case Maximum:
            case Minimum: {
                const std::size_t value = op.in[0].number() != nullptr ? 1 : 0;
                if (op.in[1 - value].number() != nullptr)
                    m_out.line(out + " = " + in(value) + (op.op == Maximum ? ".clamp(min=" : ".clamp(max=") +
                               in(1 - value) + ")");
                else
                    function(op.op == Maximum ? "torch.maximum" : "torch.minimum", {in(0), in(1)});
                break;
            }
            case Neg: m_out.line(out + " = -" + in(0)); break;
            case Abs:
            case Relu:
            case Exp:
            case Log:
            case Sqrt:
            case Rsqrt:
            case Reciprocal:
            case Sigmoid: function("torch." + std::string(toText(op.op)), {in(0)}); break;
            case Silu: m_out.line(out + " = " + in(0) + " / (1.0 + torch.exp(-" + in(0) + "))"); break;
            case Gelu:
                m_out.line(out + " = " + in(0) + " / (1.0 + torch.exp(-1.5957691216057308 * (" + in(0) +
                           " + 0.044715 * " + in(0) + "**3)))");
                break;
            case Pow: function("torch.pow", {in(0), in(1)}); break;
            case Clip:
                if (op.in[1].number() != nullptr && op.in[2].number() != nullptr)
                    function("torch.clamp", {in(0), in(1), in(2)});
                else
                    function("torch.minimum", {torch("maximum", {in(0), asTensor(op, 1)}), asTensor(op, 2)});
                break;
            case Where: function("torch.where", {in(0), asTensor(op, 1), asTensor(op, 2)}); break;
            case Amax:
            case Amin:
            case Sum:
            case Prod: {
                Items items{in(0), PyExpr::named("dim", dim)};
                if (op.keepDim) items.push_back(PyExpr::named("keepdim", "True"));
                const std::string name = "torch." + std::string(toText(op.op));
                if ((op.op == Amax || op.op == Amin) && mayBeEmpty(op)) {
                    items.insert(items.begin(), PyExpr(name));
                    function("extreme", std::move(items));
                } else {
                    function(name, std::move(items));
                }
                break;
            }
            case Softmax: function("torch.softmax", {in(0), PyExpr::named("dim", dim)}); break;
            case RmsNorm:
                m_out.line(out + " = torch.sqrt(torch.mean(" + in(0) + " * " + in(0) + ", dim=-1, keepdim=True) + " +
                           pythonFloat(op.epsilon) + ")");
                m_out.line(out + " = " + in(0) + " / " + out + (op.in.size() > 1 ? " * " + in(1) : ""));
                break;
            case Slice: {
                Items key;
                const std::vector<Axis>& axes = m_plan.axes(op.out);
                for (std::size_t i = 0; i < axes.size(); ++i) {
                    const std::int64_t offset = i < op.offset.size() ? op.offset[i] : 0;
                    key.emplace_back(window(number(offset), extent(axes[i])));
                }
                m_out.assign(out, PyExpr::subscript(in(0), std::move(key)));
                break;
            }
            case Concat: {
                Items parts;
                for (std::size_t i = 0; i < op.in.size(); ++i) parts.emplace_back(in(i));
                function("torch.cat", {PyExpr::list(std::move(parts)), PyExpr::named("dim", dim)});
                break;
            }
            case Transpose: {
                const auto swapped = transposedAxes(op, m_plan.axes(op.out).size());
                if (swapped)
                    function("torch.transpose", {in(0), static_cast<std::int64_t>(swapped->first),
                                                 static_cast<std::int64_t>(swapped->second)});
                break;
            }
            case ExpandClone: m_out.statement(out + " = " + in(0) + ".expand(", extents(op.out), ")"); break;
            case Unsqueeze: function("torch.unsqueeze", {in(0), dim}); break;
            case Reshape: function("torch.reshape", {in(0), extents(op.out)}); break;
            case Full:
                function("torch.full", {extents(op.out), in(0), PyExpr::named("dtype", computeType(type))});
                break;
            case Arange: {
                Items items;
                for (const Expression& each : op.range) items.emplace_back(text(m_plan.fold(each)));
                function("torch.arange", std::move(items));
                break;
            }
            case FillPad: {
                Items shape;
                for (const Axis& axis : m_plan.axes(op.out)) shape.emplace_back(text(axis.extent));
                function("filled", {in(0), PyExpr::list(std::move(shape)), in(1)});
                break;
            }
            case Gather: function("torch.gather", {in(0), dim0, in(1)}); break;
            case IndexSelect: indexSelect(op, dim0); break;
            case Scatter: {
                Items items{dim0, in(1), in(2)};
                if (op.reduce != ScatterReduce::None)
                    items.push_back(PyExpr::named("reduce", pythonString(toText(op.reduce))));
                function(in(0) + ".clone().scatter_", std::move(items));
                break;
            }
            case IndexAdd: {
                Items items{in(0), dim0, in(1), in(2)};
                if (op.alpha != 1.0) items.push_back(PyExpr::named("alpha", alphaText(op.alpha, type)));
                function("torch.index_add", std::move(items));
                break;
            }
            case IndexPut: {
                Items places;
                for (std::size_t i = 1; i + 1 < op.in.size(); ++i) places.push_back(in(i));
                function(in(0) + ".clone().index_put_",
                         {PyExpr::tuple(std::move(places)), in(op.in.size() - 1), op.accumulate ? "True" : "False"});
                break;
            }
            case TopK:
                m_out.line(out + ", " + (op.out2.empty() ? out + "_places" : m_plan.python(op.out2)) +
                           " = torch.topk(" + in(0) + ", " + std::to_string(op.count) +
                           ", dim=-1, largest=" + (op.largest ? "True" : "False") + ")");
                return;
            case Argsort:
                function("torch.argsort", {in(0), PyExpr::named("dim", dim),
                                           PyExpr::named("descending", op.largest ? "True" : "False")});
                return;
            case CumSum: function("torch.cumsum", {in(0), PyExpr::named("dim", dim)}); break;
            case Rope: {
                const std::vector<Axis>& axes = m_plan.axes(op.out);
                const auto width = axes.empty() ? std::nullopt : literal(axes.back().extent);
                const std::string half = std::to_string(width.value_or(2) / 2);
                m_out.line(out + "_turned = torch.cat([-" + in(0) + "[..., " + half + ":], " + in(0) +
                           "[..., :" + half + "]], dim=-1)");
                m_out.line(out + " = " + in(0) + " * " + in(1) + " + " + out + "_turned * " + in(2));
                break;
            }
            case Quantize:
            case Dequantize: quantised(op, dim); return;
            case QuantMx:
                m_out.line(out + ", " + (op.out2.empty() ? out + "_scales" : m_plan.python(op.out2)) + " = quant_mx(" +
                           in(0) + ", " + pythonString(toText(op.dtype.value_or(DType::FP8E4M3))) +
                           (op.scaleRounding == ScaleRounding::Up ? ", up=True" : "") +
                           (alongLast(op) ? ")" : ", axis=-2)"));
                return;
        }
        round(op.out, type);
    }

    /// torch divides integers in its default type, which is not that of the golden.
    [[nodiscard]] bool dividesIntegers(const VectorOp& op) const {
        return op.in[0].value() != nullptr && !isFloat(typeOf(*op.in[0].value()));
    }
    /// A whole factor of integers is an integer: torch refuses another one.
    static std::string alphaText(double alpha, DType type) {
        const bool whole = !isFloat(type) && std::floor(alpha) == alpha && std::fabs(alpha) < 1e15;
        return whole ? std::to_string(static_cast<std::int64_t>(alpha)) : pythonFloat(alpha);
    }

    [[nodiscard]] bool alongLast(const VectorOp& op) const {
        const std::size_t rank = m_plan.axes(op.out).size();
        const auto axis = axisOf(op, rank);
        return !axis || *axis + 1 == rank;
    }

    [[nodiscard]] PyExpr asTensor(const VectorOp& op, std::size_t i) const {
        if (op.in[i].value() != nullptr) return operand(op, i);
        return torch("tensor", {operand(op, i), PyExpr::named("dtype", computeType(typeOf(op.out)))});
    }

    void indexSelect(const VectorOp& op, const std::string& dim) {
        const std::string out = m_plan.python(op.out);
        const bool flat = op.in[1].value() == nullptr || m_plan.axes(*op.in[1].value()).size() < 2;
        const std::string index = operand(op, 1);
        if (flat) {
            m_out.assign(out, torch("index_select", {operand(op, 0), dim, index}));
            return;
        }
        m_out.assign(out, torch("index_select", {operand(op, 0), dim, index + ".reshape(-1)"}));
        m_out.statement(out + " = " + out + ".reshape(", extents(op.out), ")");
    }

    void quantised(const VectorOp& op, const std::string& dim) {
        const std::string out = m_plan.python(op.out);
        const auto wide = [&](std::size_t i) {
            return op.in[i].number() != nullptr ? operand(op, i) : operand(op, i) + ".unsqueeze(" + dim + ")";
        };
        const bool shifted = op.in.size() > 2;
        if (op.op == VectorOpCode::Dequantize) {
            m_out.line(out + " = " + (shifted ? "(" + operand(op, 0) + " + " + wide(2) + ")" : operand(op, 0)) + " * " +
                       wide(1));
            return;
        }
        const bool isSigned = typeOf(op.out) == DType::INT8;
        m_out.line(out + " = " + operand(op, 0) + " * " + wide(1) + (shifted ? " + " + wide(2) : ""));
        m_out.line(out + " = to_integer(" + out + ", \"RINT\", 8, True, signed=" + (isSigned ? "True" : "False") + ")");
    }

    void cast(const VectorOp& op) {
        const std::string out = m_plan.python(op.out), x = operand(op, 0);
        const DType from = op.in[0].value() != nullptr ? typeOf(*op.in[0].value()) : DType::FP32;
        const DType to = op.dtype.value_or(DType::FP32);
        RoundMode mode = castRounding(from, to, op.round);
        if (mode == RoundMode::None) mode = isFloat(to) ? RoundMode::Rint : RoundMode::Trunc;
        if (to == DType::BOOL) {
            m_out.line(out + " = " + x + " != 0");
        } else if (!isFloat(to)) {
            m_out.line(out + " = to_integer(" + x + ", \"" + std::string(toText(mode)) + "\", " +
                       std::to_string(bitsPerElement(to)) + ", " + (op.saturate ? "True" : "False") +
                       (to == DType::UINT8 ? ", signed=False" : "") + ")");
        } else if (to == DType::HF8 && from != to) {
            m_out.line(out + " = to_hifloat8(" + x + (op.saturate ? ", saturate=True)" : ")"));
        } else if (hasModes(to) && from != to &&
                   (isCoded(to) || (m_framework && (op.saturate || mode != RoundMode::Rint)))) {
            m_out.line(out + " = cast_to(" + x + ", " + pythonString(toText(to)) + ", " + pythonString(toText(mode)) +
                       (op.saturate ? ", saturate=True)" : ")"));
        } else if (op.saturate && !m_framework && from != to && (to == DType::FP16 || to == DType::BF16)) {
            // The ideal golden does not round, but keeps to the range as the cast does.
            const std::string most = to == DType::FP16 ? "65504.0" : "255 * 2.0**120";
            m_out.line(out + " = " + x + (isFloat(from) ? "" : ".to(COMPUTE)"));
            m_out.line(out + " = torch.where(torch.isnan(" + out + "), torch.zeros_like(" + out + "), " + out +
                       ").clamp(min=-" + most + ", max=" + most + ")");
        } else if (!isFloat(from)) {
            m_out.line(out + " = " + x + ".to(COMPUTE)");
            round(op.out, to);
        } else if (isCoded(to) || (m_framework && to != DType::FP32 && from != to)) {
            m_out.line(out + " = store_as(" + x + ", " + pythonString(toText(to)) + ")");
        } else {
            m_out.line(out + " = " + x);
        }
    }

    void writeStore(const Store& store) {
        const std::string to = m_plan.python(store.to), from = m_plan.python(store.from);
        const std::vector<Axis>& axes = m_plan.axes(store.from);
        const std::size_t rank = m_plan.axes(ValueId(store.to.text)).size();
        if (isIndexed(store.op)) {
            const std::string index = m_plan.python(store.index);
            const std::string dim = std::to_string(store.dim);
            if (store.op == StoreOp::IndexAdd || store.accumulate)
                m_out.line(to + ".index_add_(" + dim + ", " + index + ", " + from +
                           (store.alpha != 1.0 ? ", alpha=" + alphaText(store.alpha, typeOf(store.from)) : "") + ")");
            else
                m_out.line(to + ".index_put_((" + index + ",), " + from + ")");
            return;
        }
        Items key;
        for (std::size_t i = 0; i < rank; ++i) {
            const SymbolicPtr offset = i < store.offset.size() ? m_plan.fold(store.offset[i]) : number(0);
            const bool dropped = i + axes.size() < rank;
            key.emplace_back(dropped ? text(offset) : window(offset, extent(axes[i + axes.size() - rank])));
        }
        m_out.statement({}, PyExpr::subscript(to, std::move(key)),
                        (store.op == StoreOp::AtomicAdd ? " += " : " = ") + from);
    }

    const KernelPlan& m_plan;
    PythonWriter& m_out;
    bool m_framework = false;
    std::vector<const Loop*> m_loops;
    std::map<std::string, std::string> m_bound;  ///< names of starts and lengths, by key
    std::set<std::string> m_taken;
};

}  // namespace

GoldenBody goldenBody(const KernelPlan& plan) {
    PythonWriter out;
    GoldenWriter writer(plan, out);
    {
        const PythonIndent inner(out);
        writer.body();
    }
    return {out.text(), writer.framework()};
}

}  // namespace cubist::pypto

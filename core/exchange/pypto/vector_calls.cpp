// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/vector_calls.h"

#include <cmath>
#include <utility>

#include "core/design/vector_op_info.h"

namespace cubist::pypto {
namespace {

using Items = std::vector<PyExpr>;

PyExpr call(const std::string& function, Items items) {
    return PyExpr::call("pypto." + function, std::move(items));
}

std::string castMode(RoundMode mode) {
    return "pypto.CastMode.CAST_" + std::string(toText(mode));
}

/// Comparison with the operands exchanged.
VectorOpCode mirrored(VectorOpCode op) {
    using enum VectorOpCode;
    return op == Lt ? Gt : op == Le ? Ge : op == Gt ? Lt : op == Ge ? Le : op;
}

class OpWriter {
public:
    OpWriter(const KernelPlan& plan, const ResolvedBlock& block, std::size_t index,
             std::vector<ExportProblem>& problems)
        : m_plan(plan),
          m_block(block),
          m_index(index),
          m_op(std::get<VectorStage>(block.block->content).ops[index]),
          m_problems(problems) {}

    std::vector<PyLine> run() {
        using enum VectorOpCode;
        if (m_op.op == TopK) return topk();
        if (m_op.op == QuantMx) return quantMx();
        if (m_op.op == Rope) return rope();
        if (m_op.op == Scatter || m_op.op == IndexAdd || m_op.op == IndexPut) return inPlace();
        PyExpr value = result();
        if (m_op.dtype && !takesType() && resultType(m_op.out) != operandType())
            value = call("cast", {std::move(value), pyptoType(*m_op.dtype)});
        return {{m_plan.python(m_op.out), std::move(value)}};
    }

private:
    PyExpr result() {
        using enum VectorOpCode;
        const std::string name(toText(m_op.op));
        const auto in = [&](std::size_t i) { return operand(i); };
        switch (m_op.op) {
            case Cast: return cast();
            case Add:
            case Mul:
            case Maximum:
            case Minimum: return isNumber(0) ? call(name, {in(1), in(0)}) : call(name, {in(0), in(1)});
            case Sub:
                // number - x; written as a sum because PyPTO subtracts from tensors only.
                if (isNumber(0)) return call("add", {call("neg", {in(1)}), in(0)});
                return call(name, {in(0), in(1)});
            case Div:
                if (!isNumber(0)) return call(name, {in(0), in(1)});
                return call(name, {fullLike(*m_op.in[0].number(), *m_op.in[1].value()), in(1)});
            case Pow:
                if (isNumber(0)) return call(name, {fullLike(*m_op.in[0].number(), *m_op.in[1].value()), in(1)});
                return call(name, {in(0), in(1)});
            case Eq:
            case Ne:
            case Lt:
            case Le:
            case Gt:
            case Ge:
                if (isNumber(0)) return call(std::string(toText(mirrored(m_op.op))), {in(1), floatOf(0)});
                return call(name, {in(0), isNumber(1) ? floatOf(1) : in(1)});
            case Neg:
            case Abs:
            case Relu:
            case Exp:
            case Log:
            case Sqrt:
            case Rsqrt:
            case Reciprocal: return call(name, {in(0)});
            case Sigmoid:
                if (operandType() == DType::FP32) return call(name, {in(0)});
                // PyPTO has it for FP32 only; the steps round as the emulated core does.
                return call("reciprocal", {call("add", {call("exp", {call("mul", {in(0), "-1.0"})}), "1.0"})});
            case Silu: return divided(in(0), call("mul", {in(0), "-1.0"}));
            case Gelu: return gelu();
            case Clip:
                // PyPTO takes two numbers or two tensors as the bounds.
                if (isNumber(1) == isNumber(2)) return call(name, {in(0), in(1), in(2)});
                return call(name, {in(0), asTensor(1, *m_op.in[0].value()), asTensor(2, *m_op.in[0].value())});
            case Where: return call(name, {in(0), chosen(1), chosen(2)});
            case Amax:
            case Amin:
            case Sum:
            case Prod: {
                Items items{in(0), dim(-1)};
                if (m_op.keepDim) items.push_back(PyExpr::named("keepdim", "True"));
                return call(name, std::move(items));
            }
            case Softmax: return call(name, {in(0), dim(-1)});
            case RmsNorm: {
                PyExpr norm = call(name, {in(0), PyExpr::named("epsilon", pythonFloat(m_op.epsilon))});
                return m_op.in.size() < 2 ? norm : call("mul", {std::move(norm), in(1)});
            }
            case Slice: {
                Items offsets;
                for (std::size_t i = 0; i < m_op.shape.size(); ++i)
                    offsets.emplace_back(i < m_op.offset.size() ? m_op.offset[i] : 0);
                return viewCall(m_plan, in(0), axes(m_op.out), std::move(offsets));
            }
            case Concat: return concat();
            case Transpose: {
                const auto swapped = transposedAxes(m_op, axes(m_op.out).size());
                return call(name, {in(0), swapped ? static_cast<std::int64_t>(swapped->first) : 0,
                                   swapped ? static_cast<std::int64_t>(swapped->second) : 1});
            }
            case ExpandClone: return withValid(name, {in(0), extentList(m_plan, axes(m_op.out))});
            case Unsqueeze: return call(name, {in(0), dim(-1)});
            case Reshape: return reshapeCall(m_plan, in(0), axes(m_op.out));
            case Full:
                return withValid(name, {extentList(m_plan, axes(m_op.out)), in(0), pyptoType(resultType(m_op.out))});
            case Arange: return arange();
            case FillPad:
                if (axes(m_op.out).size() > 2)
                    problem("fillpad fills values of one or two axes only", "fillpad 只支持一维或二维的值");
                return call(name, {in(0), "\"constant\"", floatOf(1)});
            case Gather:
            case IndexSelect: return call(name, {in(0), dim(0), in(1)});
            case Argsort: return call(name, {in(0), dim(-1), m_op.largest ? "True" : "False"});
            case CumSum: return call(name, {in(0), dim(-1)});
            case Quantize:
            case Dequantize: return quantised(name);
            case TopK:
            case QuantMx:
            case Rope:
            case Scatter:
            case IndexAdd:
            case IndexPut: break;
        }
        return "None";
    }

    [[nodiscard]] bool takesType() const {
        using enum VectorOpCode;
        return m_op.op == Cast || m_op.op == Full || m_op.op == Quantize || m_op.op == Dequantize || m_op.op == Arange;
    }
    [[nodiscard]] bool isNumber(std::size_t i) const { return m_op.in[i].number() != nullptr; }
    [[nodiscard]] DType resultType(const ValueId& id) const {
        const ResolvedValue* value = m_plan.resolved().value(id);
        return value == nullptr ? DType::FP32 : value->dtype;
    }
    [[nodiscard]] DType operandType() const {
        for (const Operand& each : m_op.in)
            if (const ValueId* id = each.value()) return resultType(*id);
        return m_op.dtype.value_or(DType::FP32);
    }
    [[nodiscard]] const std::vector<Axis>& axes(const ValueId& id) const { return m_plan.axes(id); }

    [[nodiscard]] PyExpr operand(std::size_t i) const {
        if (const ValueId* id = m_op.in[i].value()) return m_plan.python(*id);
        return literalOf(*m_op.in[i].number(), m_op.op == VectorOpCode::Full ? resultType(m_op.out) : operandType());
    }
    [[nodiscard]] static PyExpr literalOf(double value, DType type) {
        constexpr double kExact = 9007199254740992.0;
        if (!std::isfinite(value))
            return std::isnan(value) ? "float(\"nan\")" : value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
        if (!isFloat(type) && std::floor(value) == value && std::fabs(value) <= kExact)
            return static_cast<std::int64_t>(value);
        return pythonFloat(value);
    }
    [[nodiscard]] PyExpr floatOf(std::size_t i) const { return literalOf(*m_op.in[i].number(), DType::FP32); }
    [[nodiscard]] PyExpr dim(std::int64_t fallback) const { return m_op.dim.value_or(fallback); }

    [[nodiscard]] PyExpr withValid(const std::string& name, Items items) const {
        if (const auto valid = validList(m_plan, axes(m_op.out))) items.push_back(PyExpr::named("valid_shape", *valid));
        return call(name, std::move(items));
    }

    [[nodiscard]] PyExpr fullLike(double value, const ValueId& like) const {
        return filledWith(value, axes(like), resultType(like));
    }
    [[nodiscard]] PyExpr filledWith(double value, const std::vector<Axis>& shape, DType type) const {
        Items items{extentList(m_plan, shape), literalOf(value, type), pyptoType(type)};
        if (const auto valid = validList(m_plan, shape)) items.push_back(PyExpr::named("valid_shape", *valid));
        return call("full", std::move(items));
    }
    [[nodiscard]] PyExpr asTensor(std::size_t i, const ValueId& like) const {
        return isNumber(i) ? fullLike(*m_op.in[i].number(), like) : operand(i);
    }
    /// A number that where() picks: PyPTO takes it as FP32, whatever it is picked against.
    [[nodiscard]] PyExpr chosen(std::size_t i) const {
        const DType type = resultType(m_op.out);
        if (!isNumber(i)) return operand(i);
        return type == DType::FP32 ? floatOf(i) : filledWith(*m_op.in[i].number(), axes(m_op.out), type);
    }

    PyExpr cast() {
        if (isPaired(m_op.dtype.value_or(DType::FP32)) || isPaired(operandType()))
            problem("cast has FP4 in packed pairs only, which no other operation of a kernel takes or makes",
                    "cast 的 FP4 成对存放，内核中没有其他操作可以接收或产生");
        Items items{operand(0), pyptoType(m_op.dtype.value_or(DType::FP32))};
        if (m_op.round != RoundMode::None) items.push_back(PyExpr::named("mode", castMode(m_op.round)));
        if (m_op.saturate) items.push_back(PyExpr::named("satmode", "pypto.SaturationMode.ON"));
        return call("cast", std::move(items));
    }

    /// x / (1 + exp(negated))
    [[nodiscard]] static PyExpr divided(const PyExpr& x, PyExpr negated) {
        return call("div", {x, call("add", {call("exp", {std::move(negated)}), "1.0"})});
    }

    [[nodiscard]] PyExpr gelu() const {
        const PyExpr x = operand(0);
        const PyExpr cube = call("mul", {call("mul", {x, x}), x});
        const PyExpr inner = call("add", {x, call("mul", {cube, "0.044715"})});
        return divided(x, call("mul", {inner, "-1.5957691216057308"}));
    }

    [[nodiscard]] PyExpr concat() const {
        Items parts;
        for (std::size_t i = 0; i < m_op.in.size(); ++i) parts.push_back(operand(i));
        return joined(PyExpr::list(std::move(parts)), dim(-1), axes(m_op.out));
    }
    /// concat does not know the valid part of what it joins: a view of the whole says it.
    [[nodiscard]] PyExpr joined(PyExpr parts, PyExpr axis, const std::vector<Axis>& shape) const {
        PyExpr whole = call("concat", {std::move(parts), std::move(axis)});
        if (!validList(m_plan, shape)) return whole;
        return viewCall(m_plan, std::move(whole), shape, Items(shape.size(), 0));
    }

    PyExpr arange() {
        Items items;
        for (const Expression& each : m_op.range) {
            const SymbolicPtr tree = m_plan.fold(each);
            if (!m_plan.isCompileTime(tree))
                problem("arange wants numbers that are known when the kernel is compiled, '" + each.text() + "' is not",
                        "arange 的参数必须在编译时已知");
            items.emplace_back(m_plan.text(tree));
        }
        PyExpr value = call("arange", std::move(items));
        const DType type = resultType(m_op.out);
        return type == DType::INT32 ? value : call("cast", {std::move(value), pyptoType(type)});
    }

    PyExpr quantised(const std::string& name) {
        for (std::size_t i = 1; i < m_op.in.size(); ++i)
            if (isNumber(i))
                problem(name + " takes its scale and zero points as tensors, not as numbers",
                        name + " 的缩放和零点必须是张量");
        Items items{operand(0), operand(1), pyptoType(resultType(m_op.out)), dim(-1)};
        if (m_op.in.size() > 2) items.push_back(operand(2));
        if (m_op.op == VectorOpCode::Quantize && (resultType(m_op.out) == DType::UINT8) != (m_op.in.size() > 2))
            problem("quantize makes INT8 without zero points and UINT8 with them",
                    "quantize 无零点时输出 INT8，有零点时输出 UINT8");
        return call(name, std::move(items));
    }

    std::vector<PyLine> topk() {
        const std::string indices = m_op.out2.empty() ? m_plan.python(m_op.out) + "_places" : m_plan.python(m_op.out2);
        return {{m_plan.python(m_op.out) + ", " + indices,
                 call("topk", {operand(0), m_op.count, -1, m_op.largest ? "True" : "False"})}};
    }

    std::vector<PyLine> quantMx() {
        const std::string scales = m_op.out2.empty() ? m_plan.python(m_op.out) + "_scales" : m_plan.python(m_op.out2);
        const DType type = m_op.dtype.value_or(DType::FP8E4M3);
        if (type != DType::FP8E4M3)
            problem("quant_mx makes FP4 in pairs, which no other operation of a kernel takes: only FP8E4M3 can be used",
                    "quant_mx 的 FP4 结果成对存放，内核中没有其他操作可以接收：只能使用 FP8E4M3");
        const ValueId& from = *m_op.in[0].value();
        const std::vector<Axis>& shape = axes(from);
        const std::size_t along = axisOf(m_op, shape.size()).value_or(shape.size());
        const bool last = along + 1 == shape.size();
        const auto extent = along < shape.size() ? literal(shape[along].extent) : std::nullopt;
        if (!extent || *extent % 64 != 0 || shape[along].valid)
            problem("quant_mx takes an axis that is a whole multiple of 64", "quant_mx 要求量化轴是 64 的整数倍");
        Items items{operand(0), pyptoType(DType::FP8E4M3)};
        if (m_op.scaleRounding == ScaleRounding::Up)
            items.push_back(PyExpr::named("mode", "pypto.DequantScaleRoundingMode.ROUND_UP"));
        if (!last) items.push_back(PyExpr::named("axis", "-2"));
        if (!last || !quantisesFast(from, extent.value_or(0)))
            items.push_back(PyExpr::named("performance_mode", "False"));
        return {{m_plan.python(m_op.out) + ", " + scales, call("quant_mx", std::move(items))}};
    }
    /// The default of quant_mx wants no tail, a last axis of whole 256 bytes, and a tile of the operand's rank that has
    /// all of that axis.
    [[nodiscard]] bool quantisesFast(const ValueId& from, std::int64_t last) const {
        const std::vector<std::int64_t>& tile = std::get<VectorStage>(m_block.block->content).tile;
        return !validList(m_plan, axes(from)) && tile.size() == axes(from).size() && tile.back() == last &&
               last * hostBytesPerElement(resultType(from)) % 256 == 0;
    }

    /// out = x * cos + turned * sin, where turned puts -b beside a for each pair (a, b).
    std::vector<PyLine> rope() {
        const std::string out = m_plan.python(m_op.out);
        std::vector<Axis> half = axes(m_op.out);
        const auto width = half.empty() ? std::nullopt : literal(half.back().extent);
        if (m_op.interleaved || !width || *width % 2 != 0) {
            problem("rope of neighbouring pairs has no PyPTO operation; only halves can be turned",
                    "PyPTO 没有相邻成对的 rope 操作，只支持前后两半");
            return {{out, "None"}};
        }
        half.back() = {number(*width / 2), nullptr};
        Items first(half.size(), 0), second(half.size(), 0);
        second.back() = *width / 2;
        const PyExpr a = viewCall(m_plan, operand(0), half, std::move(first));
        const PyExpr b = viewCall(m_plan, operand(0), half, std::move(second));
        return {
            {out + "_turned", joined(PyExpr::list({call("neg", {b}), a}), -1, axes(m_op.out))},
            {out, call("add", {call("mul", {operand(0), operand(1)}), call("mul", {out + "_turned", operand(2)})})}};
    }

    /// scatter_, index_add_ and index_put_ change their operand: the design's value must not be read afterwards.
    std::vector<PyLine> inPlace() {
        const ValueId* target = m_op.in[0].value();
        const ResolvedValue* value = target == nullptr ? nullptr : m_plan.resolved().value(*target);
        const bool own = value != nullptr && (value->kind == ResolvedValue::Kind::OpResult ||
                                              value->kind == ResolvedValue::Kind::CubeResult);
        if (!own || usedAgain(*target))
            problem(std::string(toText(m_op.op)) + " writes into its first operand in PyPTO, which is " +
                        (own ? "read again" : "no result of the kernel"),
                    "PyPTO 的此操作原地修改第一个操作数");
        const std::string out = m_plan.python(m_op.out);
        if (m_op.op == VectorOpCode::IndexPut) {
            if (m_op.dim.value_or(0) != 0)
                problem("index_put_ picks along the first axis only", "index_put_ 只支持第一个轴");
            const bool several = m_op.in.size() > 3;
            if (!m_op.accumulate || several) {
                Items places;
                for (std::size_t i = 1; i + 1 < m_op.in.size(); ++i) places.push_back(operand(i));
                Items items{operand(0), PyExpr::tuple(std::move(places)), operand(m_op.in.size() - 1)};
                if (m_op.accumulate) items.push_back(PyExpr::named("accumulate", "True"));
                return {{{}, call("index_put_", std::move(items))}, {out, operand(0)}};
            }
        }
        Items items{operand(0), dim(0), operand(1), operand(2)};
        if (m_op.op == VectorOpCode::Scatter) {
            if (m_op.reduce != ScatterReduce::None)
                items.push_back(PyExpr::named("reduce", pythonString(toText(m_op.reduce))));
            return {{out, call("scatter_", std::move(items))}};
        }
        if (m_op.op == VectorOpCode::IndexAdd && m_op.alpha != 1.0)
            items.push_back(PyExpr::named("alpha", literalOf(m_op.alpha, operandType())));
        return {{out, call("index_add_", std::move(items))}};
    }

    [[nodiscard]] bool usedAgain(const ValueId& id) const {
        int uses = 0;
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
                for (const VectorOp& op : vector->ops)
                    for (const Operand& each : op.in)
                        if (each.value() != nullptr && *each.value() == id) ++uses;
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                for (const ValueId& each : operandsOf(*cube))
                    if (each == id) ++uses;
            if (const auto* view = std::get_if<View>(&block.block->content))
                if (view->of == id) ++uses;
            if (const auto* store = std::get_if<Store>(&block.block->content))
                if (store->from == id || store->index == id) ++uses;
        }
        return uses > 1;
    }

    void problem(std::string message, std::string zh) {
        m_problems.push_back({"EXP-03", m_block.where + "/ops/" + std::to_string(m_index), m_block.block->id(),
                              std::move(message), std::move(zh)});
    }

    const KernelPlan& m_plan;
    const ResolvedBlock& m_block;
    std::size_t m_index;
    const VectorOp& m_op;
    std::vector<ExportProblem>& m_problems;
};

}  // namespace

std::string pyptoType(DType type) {
    if (type == DType::FP4E2M1) return "pypto.DT_FP4_E2M1";
    if (type == DType::FP4E1M2) return "pypto.DT_FP4_E1M2";
    return "pypto.DT_" + std::string(toText(type));
}

PyExpr extentList(const KernelPlan& plan, const std::vector<Axis>& axes) {
    Items items;
    for (const Axis& axis : axes) items.emplace_back(plan.text(axis.extent));
    return PyExpr::list(std::move(items));
}

std::optional<PyExpr> validList(const KernelPlan& plan, const std::vector<Axis>& axes) {
    bool tail = false;
    Items items;
    for (const Axis& axis : axes) {
        tail = tail || axis.valid;
        items.emplace_back(plan.text(axis.valid ? axis.valid : axis.extent));
    }
    return tail ? std::optional(PyExpr::list(std::move(items))) : std::nullopt;
}

PyExpr viewCall(const KernelPlan& plan, PyExpr value, const std::vector<Axis>& axes, std::vector<PyExpr> offsets) {
    Items items{std::move(value), extentList(plan, axes), PyExpr::list(std::move(offsets))};
    if (const auto valid = validList(plan, axes)) items.push_back(PyExpr::named("valid_shape", *valid));
    return call("view", std::move(items));
}

PyExpr reshapeCall(const KernelPlan& plan, PyExpr value, const std::vector<Axis>& axes) {
    Items items{std::move(value), extentList(plan, axes)};
    if (const auto valid = validList(plan, axes)) items.push_back(PyExpr::named("valid_shape", *valid));
    return call("reshape", std::move(items));
}

std::vector<PyLine> vectorLines(const KernelPlan& plan, const ResolvedBlock& block, std::size_t op,
                                std::vector<ExportProblem>& problems) {
    return OpWriter(plan, block, op, problems).run();
}

}  // namespace cubist::pypto

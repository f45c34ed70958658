// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/formula_text.h"

#include <map>
#include <string_view>
#include <utility>

#include "core/exchange/json_value.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kLongest = 160;  // characters of LaTeX that may still be put into another equation

enum class Binds : std::uint8_t { Sum, Product, Atom };

struct Term {
    std::string text;
    Binds binds = Binds::Atom;
};

std::string escaped(std::string_view name) {
    std::string out;
    for (const char c : name) out += c == '_' ? std::string("\\_") : std::string(1, c);
    return out;
}

std::string mathName(const std::string& name) {
    return "\\mathrm{" + escaped(name) + "}";
}

std::string within(const Term& term, Binds least) {
    return term.binds < least ? "\\left(" + term.text + "\\right)" : term.text;
}

std::string function(const char* name, const std::string& arguments) {
    return std::string("\\operatorname{") + name + "}\\left(" + arguments + "\\right)";
}

class FormulaWriter {
public:
    explicit FormulaWriter(const KernelPlan& plan) : m_plan(plan) {
        for (const ResolvedBlock& block : plan.resolved().blocks) {
            if (const auto* view = std::get_if<View>(&block.block->content)) use(view->of, nullptr);
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                for (const ValueId& id : operandsOf(*cube)) use(id, nullptr);
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
                for (const VectorOp& op : vector->ops)
                    for (const Operand& each : op.in)
                        if (each.value() != nullptr) use(*each.value(), vector);
            if (const auto* store = std::get_if<Store>(&block.block->content)) use(store->from, nullptr);
        }
    }

    std::string run() {
        m_out =
            "Products of matrices are written as dots, those of elements as circled dots; the index of a max or sum is "
            "its axis.\n\n";
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) writeCube(*cube);
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) writeVector(*vector);
            if (const auto* store = std::get_if<Store>(&block.block->content)) writeStore(*store);
        }
        return m_out;
    }

private:
    struct Uses {
        int count = 0;
        const VectorStage* only = nullptr;  ///< the stage of all uses; null: a use that is no vector operation
    };

    void use(const ValueId& id, const VectorStage* stage) {
        Uses& uses = m_uses[id.text];
        uses.only = uses.count == 0 || uses.only == stage ? stage : nullptr;
        ++uses.count;
    }

    void equation(const std::string& left, const std::string& right, const char* sign = "=") {
        m_out += "$$" + left + " " + sign + " " + right + "$$\n\n";
    }
    void head(const std::string& stage, const char* kind) { m_out += "`" + stage + "` (" + kind + "):\n\n"; }
    [[nodiscard]] std::string named(const ValueId& id) const { return mathName(m_plan.python(id)); }

    void writeCube(const CubeStage& stage) {
        head(stage.label.empty() ? stage.id.text : stage.label,
             stage.op == CubeOp::ScaledMm ? "C, scaled_mm" : "C, matmul");
        const auto side = [&](const ValueId& id, bool turned, const ValueId& scale) {
            std::string text = named(id);
            if (!scale.empty()) text = "\\left(" + text + " \\odot 2^{" + named(scale) + "}\\right)";
            return turned ? text + "^{\\mathsf T}" : text;
        };
        std::string right =
            side(stage.a, stage.aTrans, stage.scaleA) + " \\cdot " + side(stage.b, stage.bTrans, stage.scaleB);
        if (!stage.bias.empty()) right += " + " + named(stage.bias);
        if (stage.relu) right = "\\max\\left(" + right + ",\\ 0\\right)";
        const bool scaled = stage.scale || !stage.scaleTensor.empty();
        if (scaled && !stage.relu && !stage.bias.empty()) right = "\\left(" + right + "\\right)";
        if (stage.scale) right += " \\cdot " + numberText(*stage.scale);
        if (!stage.scaleTensor.empty()) right += " \\odot " + named(stage.scaleTensor);
        equation(named(stage.out), right);
    }

    void writeVector(const VectorStage& stage) {
        head(stage.label.empty() ? stage.id.text : stage.label, "V");
        m_inline.clear();
        for (const VectorOp& op : stage.ops) {
            const Term right = termOf(op);
            const auto uses = m_uses.find(op.out.text);
            const bool inside = uses != m_uses.end() && uses->second.count == 1 && uses->second.only == &stage;
            if (inside && op.out2.empty() && right.text.size() <= kLongest) {
                m_inline[op.out.text] = right;
                continue;
            }
            equation(named(op.out) + (op.out2.empty() ? "" : ",\\ " + named(op.out2)), right.text);
        }
    }

    void writeStore(const Store& store) {
        const bool replaces = store.op == StoreOp::Slice || store.op == StoreOp::Assemble ||
                              (store.op == StoreOp::IndexPut && !store.accumulate);
        const std::string rows = store.index.empty() ? "" : "\\left[" + named(store.index) + "\\right]";
        equation(named(ValueId(store.to.text)) + rows, named(store.from), replaces ? "\\leftarrow" : "\\mathrel{+}=");
    }

    [[nodiscard]] Term operand(const VectorOp& op, std::size_t i) const {
        if (const double* number = op.in[i].number())
            return {numberText(*number), *number < 0 ? Binds::Sum : Binds::Atom};
        const ValueId& id = *op.in[i].value();
        const auto found = m_inline.find(id.text);
        return found == m_inline.end() ? Term{named(id)} : found->second;
    }

    [[nodiscard]] Term infix(const VectorOp& op, const char* sign, Binds binds) const {
        const Binds right = binds == Binds::Sum && op.op == VectorOpCode::Add ? Binds::Sum
                            : op.op == VectorOpCode::Mul                      ? Binds::Product
                                                                              : Binds::Atom;
        return {within(operand(op, 0), binds) + sign + within(operand(op, 1), right), binds};
    }

    [[nodiscard]] std::string all(const VectorOp& op) const {
        std::string text;
        for (std::size_t i = 0; i < op.in.size(); ++i) text += (i == 0 ? "" : ",\\ ") + operand(op, i).text;
        return text;
    }

    [[nodiscard]] Term reduced(const VectorOp& op, const char* sign) const {
        return {std::string(sign) + "_{" + std::to_string(op.dim.value_or(-1)) + "}\\left(" + operand(op, 0).text +
                "\\right)"};
    }

    [[nodiscard]] Term termOf(const VectorOp& op) const {
        using enum VectorOpCode;
        const auto in = [&](std::size_t i) { return operand(op, i); };
        switch (op.op) {
            case Cast: {
                std::string name(toText(op.dtype.value_or(DType::FP32)));
                std::string mode = op.round == RoundMode::None ? "" : std::string(toText(op.round));
                if (op.saturate) mode += mode.empty() ? "sat" : ", sat";
                return {"\\operatorname{" + name + "}" + (mode.empty() ? "" : "_{\\mathrm{" + mode + "}}") + "\\left(" +
                        in(0).text + "\\right)"};
            }
            case Add: return infix(op, " + ", Binds::Sum);
            case Sub: return infix(op, " - ", Binds::Sum);
            case Mul: {
                const bool number = op.in[0].number() != nullptr || op.in[1].number() != nullptr;
                return infix(op, number ? " \\cdot " : " \\odot ", Binds::Product);
            }
            case Div: return {"\\frac{" + in(0).text + "}{" + in(1).text + "}"};
            case Reciprocal: return {"\\frac{1}{" + in(0).text + "}"};
            case Neg: return {"-" + within(in(0), Binds::Product), Binds::Sum};
            case Abs: return {"\\left|" + in(0).text + "\\right|"};
            case Exp: return {"\\exp\\left(" + in(0).text + "\\right)"};
            case Log: return {"\\ln\\left(" + in(0).text + "\\right)"};
            case Sqrt: return {"\\sqrt{" + in(0).text + "}"};
            case Rsqrt: return {"\\frac{1}{\\sqrt{" + in(0).text + "}}"};
            case Sigmoid: return {"\\sigma\\left(" + in(0).text + "\\right)"};
            case Silu: {
                const std::string x = within(in(0), Binds::Product);
                return {x + " \\odot \\sigma\\left(" + in(0).text + "\\right)", Binds::Product};
            }
            case Relu: return {"\\max\\left(" + in(0).text + ",\\ 0\\right)"};
            case Maximum: return {"\\max\\left(" + all(op) + "\\right)"};
            case Minimum: return {"\\min\\left(" + all(op) + "\\right)"};
            case Pow: return {"{" + within(in(0), Binds::Atom) + "}^{" + in(1).text + "}"};
            case Amax: return reduced(op, "\\max");
            case Amin: return reduced(op, "\\min");
            case Sum: return reduced(op, "\\sum");
            case Prod: return reduced(op, "\\prod");
            case RmsNorm: {
                const std::string x = in(0).text;
                const std::string norm = "\\frac{" + x + "}{\\sqrt{\\operatorname{mean}_{-1}\\left({" +
                                         within(in(0), Binds::Atom) + "}^{2}\\right) + " + numberText(op.epsilon) +
                                         "}}";
                return op.in.size() < 2 ? Term{norm}
                                        : Term{norm + " \\odot " + within(in(1), Binds::Product), Binds::Product};
            }
            case Slice: {
                std::string window;
                const std::vector<Axis>& axes = m_plan.axes(op.out);
                for (std::size_t i = 0; i < axes.size(); ++i) {
                    const std::int64_t from = i < op.offset.size() ? op.offset[i] : 0;
                    const auto size = literal(axes[i].extent);
                    window += i == 0 ? "" : ",\\ ";
                    window += from == 0 ? "" : std::to_string(from);
                    window += ":" + (size ? std::to_string(from + *size)
                                          : (from == 0 ? "" : std::to_string(from) + " + ") + "\\mathrm{" +
                                                escaped(m_plan.text(axes[i].extent)) + "}");
                }
                return {within(in(0), Binds::Atom) + "\\left[" + window + "\\right]"};
            }
            case Unsqueeze:
            case Reshape: return in(0);  // the same numbers
            case Transpose: return {"{" + within(in(0), Binds::Atom) + "}^{\\mathsf T}"};
            case Eq: return infix(op, " = ", Binds::Sum);
            case Ne: return infix(op, " \\ne ", Binds::Sum);
            case Lt: return infix(op, " < ", Binds::Sum);
            case Le: return infix(op, " \\le ", Binds::Sum);
            case Gt: return infix(op, " > ", Binds::Sum);
            case Ge: return infix(op, " \\ge ", Binds::Sum);
            case Full: return {in(0).text};
            case Concat: return {"\\left[" + all(op) + "\\right]"};
            case Gelu:
            case Clip:
            case Where:
            case Softmax:
            case ExpandClone:
            case Arange:
            case FillPad:
            case Gather:
            case IndexSelect:
            case Scatter:
            case IndexAdd:
            case IndexPut:
            case TopK:
            case Argsort:
            case CumSum:
            case Rope:
            case Quantize:
            case Dequantize:
            case QuantMx: break;
        }
        return {function(escaped(toText(op.op)).c_str(), all(op))};
    }

    const KernelPlan& m_plan;
    std::map<std::string, Uses> m_uses;
    std::map<std::string, Term> m_inline;  ///< of the stage at hand
    std::string m_out;
};

}  // namespace

std::string formulaText(const KernelPlan& plan) {
    return FormulaWriter(plan).run();
}

}  // namespace cubist::pypto

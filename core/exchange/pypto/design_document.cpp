// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/design_document.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>
#include <utility>

#include "core/base/integer_math.h"
#include "core/design/vector_op_info.h"
#include "core/exchange/json_value.h"
#include "core/exchange/pypto/document_parts.h"
#include "core/exchange/pypto/formula_text.h"
#include "core/exchange/pypto/host_writer.h"
#include "core/exchange/pypto/self_check.h"
#include "core/exchange/pypto/test_writer.h"
#include "core/exchange/pypto/tiling_section.h"

namespace cubist::pypto {
namespace {

constexpr int kLinesOfModule = 30, kLeastLinesOfModule = 12;
constexpr double kSingleModule = 1.3;

std::string shapeText(const KernelPlan& plan, const std::vector<Axis>& axes) {
    std::string text;
    for (const Axis& axis : axes) {
        text += (text.empty() ? "" : ", ") + plan.text(axis.extent);
        if (axis.valid) text += " (" + plan.text(axis.valid) + ")";
    }
    return "[" + text + "]";
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

bool isHeavy(const VectorOp& op) {
    const OpFamily family = opInfo(op.op).family;
    return family == OpFamily::Reduction || family == OpFamily::Normalise;
}

/// Is `word` in the text, not as a part of a longer name?
bool mentions(const std::string& text, const std::string& word) {
    const auto isName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isName(text[at - 1])) && (end >= text.size() || !isName(text[end]))) return true;
    }
    return false;
}

class DesignDocument {
public:
    DesignDocument(const KernelPlan& plan, const PyptoExportRequest& request, const std::string& implementation,
                   const std::string& golden)
        : m_plan(plan), m_request(request), m_design(plan.design()), m_name(plan.moduleName()) {
        cutKernel(implementation);
        countGolden(golden);
    }

    std::string text() const {
        const auto limits = strictestLimits(m_plan);
        std::string out = frontMatter(m_name, {{"status", "draft"},
                                               {"last_updated", "null  # equal designs give equal files"},
                                               {"compute_kind", computeKind()},
                                               {"dtypes", typesText(m_plan)},
                                               {"dynamic_axes", dynamicAxes()},
                                               {"precision", "{\"rtol\": " + pythonFloat(limits.first) +
                                                                 ", \"atol\": " + pythonFloat(limits.second) + "}"}});
        out += "# " + m_name + ": design\n\n## 0. 分解 (Decomposition)\n\n" + decomposition();
        out +=
            "## 1. 计算图与 API 映射 (Graph and precision)\n\n### 1.1 API 调用序列 (Steps)\n\n"
            "| step | result | API | dtype in | dtype out | shape (valid) |\n|---|---|---|---|---|---|\n" +
            steps() + "\n### 1.2 精度路由 (Precision route)\n\n" + casts() +
            "### 1.3 替代方案 (Rejected alternatives)\n\n" + rejected();
        out += "## 2. 数据 (Data)\n\n### 2.1 Kernel 函数签名 (Signature)\n\n```python\n" + m_signature +
               "```\n\n### 2.2 轴 (Axes)\n\n" + symbolAxes() + "### 2.3 值类型 (Types of values)\n\n" + valueTypes();
        out += "## 3. Tiling\n\n" + tilingSection(m_plan, m_request.chip);
        out +=
            "## 4. 循环与数据流 (Loops and data flow)\n\n### 4.1 维度判定 (Axes and loops)\n\n"
            "| loop | form | axis | step | iterations |\n|---|---|---|---|---|\n" +
            loops() + "\n### 4.2 伪代码 (Pseudocode)\n\n```python\n" + m_body +
            "```\n\n### 4.3 跨迭代状态 (State across iterations)\n\n" + state() + "### 4.4 尾块处理 (Tails)\n\n" +
            tails();
        out += "## 5. 约束自检清单 (Self-check)\n\n" + boxes();
        return out + "\n## 6. 验证方案 (Verification)\n\n" + verification();
    }

private:
    template <class Stage, class Visit>
    void forEach(const Visit& visit) const {
        for (const ResolvedBlock& block : m_plan.resolved().blocks)
            if (const auto* stage = std::get_if<Stage>(&block.block->content)) visit(block, *stage);
    }

    void cutKernel(const std::string& implementation) {
        const std::size_t first = implementation.find("@pypto.frontend.jit");
        const std::size_t end = implementation.find("\n\n\ndef check_tensor", std::min(first, implementation.size()));
        if (first == std::string::npos || end == std::string::npos) return;
        m_kernel = implementation.substr(first, end + 1 - first);
        const std::size_t body = m_kernel.find("\n):\n");
        if (body == std::string::npos) return;
        m_signature = m_kernel.substr(0, body + 4) + "    ...\n";
        std::set<std::string> symbolic;
        for (const std::string& line : linesOf(m_kernel.substr(body + 4)))
            m_body += typed(line.size() > 4 ? line.substr(4) : line, symbolic) + "\n";
    }

    /// The line with the kind of the scalar that it makes.
    std::string typed(const std::string& line, std::set<std::string>& symbolic) const {
        const std::size_t start = line.find_first_not_of(' ');
        if (start == std::string::npos) return line;
        if (line.compare(start, 4, "for ") == 0) {
            const std::size_t end = line.find_first_of(", ", start + 4);
            if (line.find(" in pypto.") != std::string::npos) symbolic.insert(line.substr(start + 4, end - start - 4));
            return line;
        }
        const std::size_t equals = line.find(" = ", start);
        if (equals == std::string::npos) return line;
        const std::string target = line.substr(start, equals - start), value = line.substr(equals + 3);
        const bool extreme = value.starts_with("pypto.min(") || value.starts_with("pypto.max(");
        const bool isName = target.find_first_of("[ ,.") == std::string::npos;
        if (!isName || (value.find("pypto.") != std::string::npos && !extreme)) return line;
        const bool reads = value.find(".shape[") != std::string::npos || extreme ||
                           std::any_of(symbolic.begin(), symbolic.end(),
                                       [&](const std::string& each) { return mentions(value, each); });
        if (reads) symbolic.insert(target);
        return line + (reads ? "  # SymbolicScalar" : "  # int");
    }

    /// Lines of the golden that compute something.
    void countGolden(const std::string& golden) {
        bool inside = false, head = false;  // of the function; in its parameters
        for (const std::string& line : linesOf(golden)) {
            if (line.starts_with("def ")) {
                inside = line.starts_with("def " + m_name + "_golden(");
                head = true;
            }
            if (head) {
                head = !line.ends_with(":");
                continue;
            }
            if (!inside || line.find_first_not_of(' ') == std::string::npos) continue;
            const bool frame = line.find("\"\"\"") != std::string::npos ||
                               line.find("to_values(") != std::string::npos || line.starts_with("    return ");
            if (!frame) ++m_goldenLines;
        }
    }

    std::string dynamicAxes() const {
        if (m_plan.runtimeSymbols().empty()) return "[]";
        std::string text;
        for (const Tensor& tensor : m_design.tensors) {
            const std::vector<SymbolicPtr> shape = m_plan.tensorShape(tensor);
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                if (!literal(shape[axis]))
                    text +=
                        (text.empty() ? "\"" : ", \"") + m_plan.python(tensor.id) + "." + std::to_string(axis) + "\"";
        }
        return "[" + text + "]";
    }

    std::int64_t count(BlockKind kind) const {
        const auto& blocks = m_plan.resolved().blocks;
        return std::count_if(blocks.begin(), blocks.end(),
                             [&](const ResolvedBlock& block) { return block.block->kind() == kind; });
    }
    std::string computeKind() const {
        return count(BlockKind::Cube) == 0 ? "vector" : count(BlockKind::Vector) == 0 ? "cube" : "mixed";
    }

    /// Reductions along an axis that the tile cuts.
    std::int64_t crossTileReductions() const {
        std::int64_t found = 0;
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            for (const VectorOp& op : stage.ops) {
                if (!isHeavy(op) || op.in.empty() || op.in[0].value() == nullptr) continue;
                const ResolvedValue* value = m_plan.resolved().value(*op.in[0].value());
                if (value == nullptr || value->shape.empty()) continue;
                const auto rank = static_cast<std::int64_t>(value->shape.size());
                const std::int64_t dim = op.dim.value_or(-1), axis = dim < 0 ? dim + rank : dim;
                if (axis < 0 || axis >= rank || static_cast<std::size_t>(axis) >= stage.tile.size()) continue;
                if (stage.tile[static_cast<std::size_t>(axis)] < value->shape[static_cast<std::size_t>(axis)]) ++found;
            }
        });
        return found;
    }

    /// The workflow's numbers: lines / 30, states, (matmuls + reductions across tiles) / 3; below 1.3 one module.
    std::string decomposition() const {
        const auto states = static_cast<std::int64_t>(carried().size());
        const std::int64_t matmuls = count(BlockKind::Cube), reductions = crossTileReductions();
        const double l = static_cast<double>(m_goldenLines) / kLinesOfModule, s = static_cast<double>(states);
        const double o = static_cast<double>(matmuls + reductions) / 3.0, total = std::max({l, s, o});
        const auto shown = [](double value) { return numberText(std::round(value * 100) / 100); };
        std::int64_t modules = 1;
        if (total >= kSingleModule)
            modules = std::min(static_cast<std::int64_t>(std::floor(total + 0.5)),
                               ceilDiv(m_goldenLines, std::int64_t{kLeastLinesOfModule}));
        std::string out = formulaText(m_plan) + "### 0.1 复杂度信号 (Signals)\n\n| signal | value |\n|---|---|\n";
        out += "| effective_lines | " + std::to_string(m_goldenLines) + " |\n| loop_carried_state_groups | " +
               std::to_string(states) + " |\n| matmul_count | " + std::to_string(matmuls) +
               " |\n| cross_tile_reduce_count | " + std::to_string(reductions) + " |\n\n";
        out += "### 0.2 总复杂度 (Complexity)\n\n```text\nL = " + std::to_string(m_goldenLines) +
               " / 30 = " + shown(l) + "\nS = " + shown(s) + "\nO = (" + std::to_string(matmuls) + " + " +
               std::to_string(reductions) + ") / 3 = " + shown(o) + "\ntotal = max(L, S, O) = " + shown(total) +
               "\n```\n\n";
        out +=
            "### 0.3 module_count 决策 (Decision)\n\nThe formula gives " + std::to_string(modules) +
            (modules == 1 ? " module." : " modules; the kernel is written as one all the same, as the design has it.") +
            "\n\n**Decision**: `module_count = 1`, skeleton SK-14, variant " +
            std::string(toText(m_design.skeleton.variant)) + ", pattern " +
            (m_design.skeleton.pattern.empty() ? std::string("none") : listText(m_design.skeleton.pattern)) + "\n\n";
        out += "### 0.4 Heavy / light operations\n\n" + weights() + "\n### 0.5 数据流断点 (Cut points)\n\n" +
               cuts(modules);
        return out + "\n";
    }

    std::string weights() const {
        std::set<std::string> heavy, light;
        forEach<CubeStage>([&](const ResolvedBlock&, const CubeStage& stage) {
            heavy.insert(stage.op == CubeOp::ScaledMm ? "scaled_mm" : "matmul");
        });
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            for (const VectorOp& op : stage.ops) (isHeavy(op) ? heavy : light).insert(std::string(toText(op.op)));
        });
        forEach<View>([&](const ResolvedBlock&, const View&) { light.insert("view"); });
        forEach<Store>([&](const ResolvedBlock&, const Store& store) {
            light.insert(store.op == StoreOp::Slice || store.op == StoreOp::Assemble ? "assemble"
                                                                                     : std::string(toText(store.op)));
        });
        std::string out = "| operation | weight |\n|---|---|\n";
        for (const std::string& each : heavy) out += "| " + each + " | heavy |\n";
        for (const std::string& each : light) out += "| " + each + " | light |\n";
        return out;
    }

    std::string cuts(std::int64_t modules) const {
        if (modules < 2) return "N/A: a single module covers the kernel.\n";
        std::string out =
            "Where it could be cut, behind these results:\n\n| result | made by | shape |\n|---|---|---|\n";
        forEach<CubeStage>([&](const ResolvedBlock&, const CubeStage& stage) {
            out += "| " + m_plan.python(stage.out) + " | " + stage.id.text + " | " +
                   cell(shapeText(m_plan, m_plan.axes(stage.out))) + " |\n";
        });
        return out;
    }

    [[nodiscard]] std::string typeOf(const ValueId& id) const {
        const ResolvedValue* value = m_plan.resolved().value(id);
        return value == nullptr ? std::string() : std::string(toText(value->dtype));
    }

    std::string steps() const {
        std::string out;
        std::size_t step = 0;
        const auto row = [&](const std::string& api, const std::string& from, const ValueId& result) {
            out += "| " + std::to_string(++step) + " | " + cell(m_plan.python(result)) + " | " + api + " | " + from +
                   " | " + typeOf(result) + " | " + cell(shapeText(m_plan, m_plan.axes(result))) + " |\n";
        };
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* view = std::get_if<View>(&block.block->content))
                row("pypto.view", typeOf(view->of), view->out);
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                row(cube->op == CubeOp::ScaledMm ? "pypto.scaled_mm" : "pypto.matmul",
                    typeOf(cube->a) + ", " + typeOf(cube->b), cube->out);
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
                for (const VectorOp& op : vector->ops) row(std::string(toText(op.op)), operandTypes(op), op.out);
            if (const auto* store = std::get_if<Store>(&block.block->content))
                row(std::string(toText(store->op)) + " of " + m_plan.python(store->from), typeOf(store->from),
                    ValueId(store->to.text));
        }
        return out;
    }

    [[nodiscard]] std::string operandTypes(const VectorOp& op) const {
        std::vector<std::string> types;
        for (const Operand& each : op.in) {
            if (each.value() == nullptr) continue;
            const std::string type = typeOf(*each.value());
            if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
        }
        std::string text;
        for (const std::string& each : types) text += (text.empty() ? "" : ", ") + each;
        return text;
    }

    std::string casts() const {
        std::string out;
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            for (const VectorOp& op : stage.ops)
                if (op.op == VectorOpCode::Cast)
                    out += "| " + m_plan.python(op.out) + " in " + stage.id.text + " | " + operandTypes(op) + " to " +
                           typeOf(op.out) + " | " + std::string(toText(op.round)) +
                           (op.saturate ? ", saturating" : "") + " | " + reasonOf(op) + " |\n";
        });
        return out.empty() ? "No casts.\n\n"
                           : "| where | from, to | rounding | why |\n|---|---|---|---|\n" + out + "\n";
    }

    [[nodiscard]] std::string reasonOf(const VectorOp& op) const {
        const ResolvedValue* to = m_plan.resolved().value(op.out);
        const ResolvedValue* from =
            op.in.empty() || op.in[0].value() == nullptr ? nullptr : m_plan.resolved().value(*op.in[0].value());
        if (to == nullptr || from == nullptr) return "";
        if (to->dtype == DType::FP32)
            return isFloat(from->dtype) ? "the steps behind it compute in FP32" : "sums of integers go on as numbers";
        if (from->dtype == DType::FP32 && to->dtype == DType::INT32)
            return "the way from FP32 to INT8 leads over INT32";
        if (from->dtype == DType::INT32 && to->dtype == DType::FP16)
            return "the way from INT32 to INT8 leads over FP16";
        if (!isFloat(to->dtype)) return "codes of the quantisation";
        return "the type of the result, or of the matmul behind it";
    }

    std::string rejected() const {
        std::string out;
        const auto row = [&](const std::string& what, const std::string& why) {
            out += "| " + what + " | " + why + " |\n";
        };
        bool twoWay = false, adds = false, split = false, byHand = false;
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            for (const VectorOp& op : stage.ops)
                twoWay |= op.op == VectorOpCode::Cast && typeOf(op.out) == "INT8" && operandTypes(op) == "FP16";
        });
        forEach<Store>([&](const ResolvedBlock&, const Store& store) {
            adds |= store.op == StoreOp::IndexAdd || store.accumulate;
        });
        forEach<CubeStage>([&](const ResolvedBlock&, const CubeStage& stage) {
            split |= stage.tile.splitK;
            byHand |= !stage.tile.splitK;
        });
        if (twoWay) row("FP32 to INT8 in one cast", "no such cast: FP32 to INT32 to FP16 to INT8");
        if (adds) row("index_put_ with accumulate=True", "its order within one call is not defined; index_add_ is");
        if (split) row("one pass along K", "too few blocks of M and N: K is cut by enable_split_k and added in FP32");
        if (byHand && !split) row("enable_split_k", "partial sums would pass through global memory");
        return (out.empty() ? std::string("None.\n") : "| alternative | why not |\n|---|---|\n" + out) + "\n";
    }

    std::string symbolAxes() const {
        std::string out = "| axis | known | here | declared |\n|---|---|---|---|\n";
        for (const Symbol& symbol : m_design.symbols) {
            const bool runtime = m_plan.isRuntime(symbol.id.text);
            const std::int64_t* value = m_plan.resolved().binding.symbols.find(symbol.id.text);
            out += "| " + m_plan.scalar(symbol.id.text) + " | " + (runtime ? "run time" : "compile time") + " | " +
                   (value == nullptr ? std::string() : std::to_string(*value)) + " | " +
                   (runtime ? "`pypto.DYNAMIC`" : "number") + " |\n";
        }
        return (m_design.symbols.empty() ? std::string("Every extent is a number of the design.\n") : out) + "\n";
    }

    std::string valueTypes() const {
        std::string out = "| name | from | type |\n|---|---|---|\n";
        for (const SymbolSource& source : m_plan.runtimeSymbols())
            out += "| " + m_plan.scalar(source.symbol) + " | " + m_plan.python(TensorId(source.tensor)) + ".shape[" +
                   std::to_string(source.axis) + "] | SymbolicScalar |\n";
        std::set<std::string> seen;
        for (const ResolvedLoop& loop : m_plan.resolved().loops) {
            const std::string index = m_plan.scalar(loop.loop->index);
            if (seen.insert(index).second)
                out += "| " + index + " | loop " + loop.loop->id.text + " | " +
                       (loop.loop->form == LoopKind::Static ? "int" : "SymbolicScalar") + " |\n";
            if (loop.loop->form != LoopKind::Unroll) continue;
            const std::string factor = m_plan.scalar(loop.loop->factor);
            if (seen.insert(factor).second) out += "| " + factor + " | factor of " + loop.loop->id.text + " | int |\n";
        }
        const bool none = m_plan.runtimeSymbols().empty() && seen.empty();
        return (none ? std::string("None: neither loops nor axes of the run time.\n") : out) + "\n";
    }

    std::string loops() const {
        std::string out;
        for (const ResolvedLoop& loop : m_plan.resolved().loops)
            out += "| " + loop.loop->id.text + " | " + loopForm(*loop.loop) + " | " + cell(loop.loop->axis.text()) +
                   " | " +
                   (loop.loop->form == LoopKind::Unroll ? listText(loop.loop->unroll) : cell(loop.loop->tile.text())) +
                   " | " + std::to_string(loop.iterations) + " |\n";
        return out.empty() ? "| none | implicit loop(1) | | | 1 |\n" : out;
    }

    struct State {
        std::string name, start, update, submit;
    };
    /// What several iterations add to.
    [[nodiscard]] std::vector<State> carried() const {
        std::vector<State> states;
        forEach<Store>([&](const ResolvedBlock& block, const Store& store) {
            if (store.op != StoreOp::AtomicAdd && store.op != StoreOp::IndexAdd && !store.accumulate) return;
            const std::string name = m_plan.python(store.to);
            const std::string update = std::string(toText(store.op)) + " of " + m_plan.python(store.from);
            const bool submits = std::any_of(block.loops.begin(), block.loops.end(), [&](std::size_t each) {
                return m_plan.resolved().loops[each].loop->submitBeforeLoop;
            });
            const auto known =
                std::find_if(states.begin(), states.end(), [&](const State& each) { return each.name == name; });
            if (known != states.end()) {
                known->update += ", " + update;
                if (!submits) known->submit = "no";
                return;
            }
            const bool given = std::any_of(m_design.tensors.begin(), m_design.tensors.end(), [&](const Tensor& each) {
                return each.id == store.to && each.role == TensorRole::InOut;
            });
            states.push_back({name, given ? "given by the caller" : "zeros", update, submits ? "yes" : "no"});
        });
        return states;
    }

    std::string state() const {
        const std::vector<State> states = carried();
        if (states.empty()) return "None: each iteration writes a window of its own.\n\n";
        std::string out = "| state | at the start | update | submit_before_loop |\n|---|---|---|---|\n";
        for (const State& each : states)
            out += "| " + each.name + " | " + each.start + " | " + each.update + " | " + each.submit + " |\n";
        return out + "\n";
    }

    std::string tails() const {
        if (m_kernel.find("valid_shape=") != std::string::npos)
            return "Views keep their declared shape and carry `valid_shape`; what follows computes on the whole "
                   "tile.\n\n";
        const auto& all = m_plan.resolved().loops;
        if (std::any_of(all.begin(), all.end(), [](const auto& loop) { return loop.loop->form == LoopKind::Unroll; }))
            return "None: the factors of the unrolled loop end in 1, so that every row is in a whole step.\n\n";
        return "None: windows are cut exactly when the kernel is compiled, or divide their axis.\n\n";
    }

    std::string boxes() const {
        std::string out, open;
        std::size_t number = 0, problem = 0;
        for (const CheckBox& box : selfCheck(m_plan, m_request.chip, m_kernel)) {
            out +=
                std::string("- [") + (box.holds ? "x" : " ") + "] " + std::to_string(++number) + ". " + box.text + "\n";
            if (!box.holds)
                open += "| " + std::to_string(++problem) + " | " + box.text + ": not in " + cell(box.why) + " |\n";
        }
        return out + "\n### 开放问题 (Open)\n\n" + (open.empty() ? "None.\n" : "| # | what |\n|---|---|\n" + open);
    }

    std::string verification() const {
        std::string out = "`test_" + m_name + ".py`: seed " + std::to_string(m_design.seed) + ", reference `" + m_name +
                          "_golden.py` (torch alone), on the device `TILE_FWK_DEVICE_ID`.\n\n"
                          "### 6.1 测试配置 (Cases)\n\n| case | inputs | dtype |\n|---|---|---|\n";
        for (const ExportedCase& each : exportedCases(m_plan)) {
            std::string shapes, types;
            for (const Tensor& tensor : m_design.tensors) {
                if (tensor.role != TensorRole::Input && tensor.role != TensorRole::InOut) continue;
                shapes += (shapes.empty() ? "" : ", ") + m_plan.python(tensor.id) + " " +
                          listText(extentsOf(tensor, each.binding));
                types += (types.empty() ? "" : ", ") + std::string(toText(tensor.dtype));
            }
            out += "| " + each.id + " | " + shapes + " | " + types + " |\n";
        }
        out +=
            "\n### 6.2 精度容忍度 (Tolerance)\n\n| output | dtype | criterion | rtol | atol | share outside |\n"
            "|---|---|---|---|---|---|\n";
        for (const Tensor& tensor : m_design.tensors) {
            if (!isReturned(tensor)) continue;
            const Tolerance tolerance = tensor.tolerance.value_or(m_design.tolerance);
            const TestLimits limits = testLimits(tolerance, tensor.dtype);
            out += "| " + m_plan.python(tensor.id) + " | " + std::string(toText(tensor.dtype)) + " | " +
                   std::string(toText(tolerance.criterion)) + " | " + pythonFloat(limits.rtol) + " | " +
                   pythonFloat(limits.atol) + " | " + numberText(limits.ratio) + " |\n";
        }
        return out;
    }

    const KernelPlan& m_plan;
    const PyptoExportRequest& m_request;
    const Design& m_design;
    std::string m_name, m_kernel, m_signature, m_body;
    std::int64_t m_goldenLines = 0;
};

}  // namespace

std::string designDocument(const KernelPlan& plan, const PyptoExportRequest& request, const std::string& implementation,
                           const std::string& golden) {
    return DesignDocument(plan, request, implementation, golden).text();
}

}  // namespace cubist::pypto

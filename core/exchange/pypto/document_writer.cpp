// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/document_writer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/pypto/host_writer.h"
#include "core/exchange/pypto/test_writer.h"
#include "core/exchange/pypto/vector_calls.h"

namespace cubist::pypto {
namespace {

constexpr const char* kSchemaVersion = "2.1";

std::string shapeText(const KernelPlan& plan, const std::vector<Axis>& axes) {
    std::string text;
    for (const Axis& axis : axes) {
        text += (text.empty() ? "" : ", ") + plan.text(axis.extent);
        if (axis.valid) text += " (" + plan.text(axis.valid) + ")";
    }
    return "[" + text + "]";
}

std::string list(const std::vector<std::int64_t>& values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
}

/// "float32": the spelling of torch, which the checks of the documents know.
std::string dtypeName(DType type) {
    switch (type) {
        case DType::FP32: return "float32";
        case DType::FP16: return "float16";
        case DType::BF16: return "bfloat16";
        case DType::INT8: return "int8";
        case DType::INT16: return "int16";
        case DType::INT32: return "int32";
        case DType::INT64: return "int64";
        case DType::UINT8: return "uint8";
        case DType::BOOL: return "bool";
        case DType::FP8E4M3: return "float8_e4m3fn";
        case DType::FP8E5M2: return "float8_e5m2";
        case DType::FP8E8M0: return "float8_e8m0fnu";
        case DType::HF8:
        case DType::FP4E2M1:
        case DType::FP4E1M2:
        case DType::INT4: break;
    }
    return std::string(toText(type));
}

std::string cell(std::string text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

class DocumentWriter {
public:
    DocumentWriter(const KernelPlan& plan, const PyptoExportRequest& request)
        : m_plan(plan), m_request(request), m_design(plan.design()), m_name(plan.moduleName()) {}

    std::string spec() const {
        std::string out = frontMatter({{"supported_dtypes", dtypes()},
                                       {"p0_shapes", shapes()},
                                       {"tolerance", "{\"atol\": " + pythonFloat(strictest().second) +
                                                         ", \"rtol\": " + pythonFloat(strictest().first) + "}"}});
        out += "# " + m_name + "\n\n" + title() + "\n\n";
        if (!m_design.notes.empty()) out += m_design.notes + "\n\n";
        out += "## 1. 数学公式 (Formula)\n\n```text\n" + formula() + "```\n\n";
        out +=
            "## 2. 输入输出规格 (Inputs and outputs)\n\n| name | role | dtype | shape | format "
            "|\n|---|---|---|---|---|\n";
        for (const Tensor& tensor : m_design.tensors)
            out += "| " + m_plan.python(tensor.id) + " | " + std::string(toText(tensor.role)) + " | " +
                   std::string(toText(tensor.dtype)) + " | " + elementShape(m_plan, tensor).flat() + " | " +
                   std::string(toText(tensor.format)) + " |\n";
        out += "\n" + symbols();
        out +=
            "## 3. 精度要求 (Precision)\n\n| output | criterion | rtol | atol | reference |\n|---|---|---|---|---|\n";
        for (const Tensor& tensor : m_design.tensors) {
            if (!isReturned(tensor)) continue;
            const Tolerance& tolerance = tensor.tolerance ? *tensor.tolerance : m_design.tolerance;
            const TestLimits limits = testLimits(tolerance, tensor.dtype);
            out += "| " + m_plan.python(tensor.id) + " | " + std::string(toText(tolerance.criterion)) +
                   (limits.replaced ? " (the test compares every element)" : "") + " | " + pythonFloat(limits.rtol) +
                   " | " + pythonFloat(limits.atol) + " | " + std::string(toText(tolerance.golden)) + " |\n";
        }
        out += "\n## 4. 测试用例 (Cases)\n\n| case | shapes |\n|---|---|\n";
        for (const ExportedCase& each : exportedCases(m_plan)) {
            std::string text;
            for (const Tensor& tensor : m_design.tensors)
                if (tensor.role != TensorRole::Workspace)
                    text += (text.empty() ? "" : ", ") + m_plan.python(tensor.id) + " " + list(extents(tensor, each));
            out += "| " + each.id + " | " + text + " |\n";
        }
        return out;
    }

    std::string design() const {
        std::string out = frontMatter({{"status", "draft"},
                                       {"compute_kind", computeKind()},
                                       {"dtypes", dtypes()},
                                       {"dynamic_axes", dynamicAxes()},
                                       {"precision", "{\"rtol\": " + pythonFloat(strictest().first) +
                                                         ", \"atol\": " + pythonFloat(strictest().second) + "}"}});
        out += "# " + m_name + ": design\n\n";
        out += "## 0. 分解 (Decomposition)\n\n- Skeleton: SK-14, variant " +
               std::string(toText(m_design.skeleton.variant)) + ", pattern " +
               (m_design.skeleton.pattern.empty() ? std::string("none") : list(m_design.skeleton.pattern)) +
               "\n- Matmul stages: " + std::to_string(count(BlockKind::Cube)) +
               ", vector stages: " + std::to_string(count(BlockKind::Vector)) + "\n- Decision: module_count = 1\n\n";
        out +=
            "## 1. 计算图与 API 映射 (Graph)\n\n| step | operation | API | dtype | shape (valid) "
            "|\n|---|---|---|---|---|\n" +
            steps() + "\n";
        out += "## 2. 数据 (Data)\n\n" + symbols();
        out += "## 3. Tiling\n\n| stage | M, K, N | tile |\n|---|---|---|\n" + tiles() + "\n```python\n" + tileCalls() +
               "```\n\n";
        out += "## 4. 循环与数据流 (Loops)\n\n| loop | form | axis | tile | iterations |\n|---|---|---|---|---|\n" +
               loops() +
               "\nTails: views keep their declared shape and carry `valid_shape`; what is known when the kernel is "
               "compiled "
               "is cut exactly.\n\n";
        out += "## 5. 自检 (Self-check)\n\n" + boxes();
        out += "\n## 6. 验证方案 (Verification)\n\n- `test_" + m_name + ".py`: seed " + std::to_string(m_design.seed) +
               ", reference `" + m_name + "_golden.py` (torch alone), tolerance as in SPEC.md.\n";
        return out;
    }

    std::string apiReport() const {
        std::set<std::string> calls;
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                calls.insert(cube->op == CubeOp::ScaledMm ? "pypto.scaled_mm" : "pypto.matmul");
            if (std::holds_alternative<View>(block.block->content)) calls.insert("pypto.view");
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
                std::vector<ExportProblem> ignored;
                for (std::size_t i = 0; i < vector->ops.size(); ++i)
                    for (const PyLine& line : vectorLines(m_plan, block, i, ignored))
                        collectCalls(line.value.flat(), calls);
            }
        }
        std::string out = frontMatter({});
        out += "# " + m_name + ": API report\n\n## 1. API 映射 (API mapping)\n\n| API | available |\n|---|---|\n";
        for (const std::string& each : calls) out += "| " + each + " | yes |\n";
        out +=
            "\n## 2. 约束 (Constraints)\n\n- Operands of compute operations have static shapes; tails are "
            "`valid_shape`.\n"
            "- Outputs are written in place; the host allocates them.\n\n## 3. Tiling\n\n```python\n" +
            tileCalls() + "```\n";
        return out;
    }

    std::string readme() const {
        std::string out = "# " + m_name + "\n\n" + title() + "\n\n| file | what it holds |\n|---|---|\n";
        out += "| " + m_name + "_impl.py | kernel (`" + m_name + "_kernel`) and host wrapper (`" + m_name +
               "_wrapper`) |\n";
        out += "| " + m_name + "_golden.py | reference in torch alone |\n";
        out += "| test_" + m_name + ".py | test of the wrapper against the reference |\n";
        out += "| SPEC.md, DESIGN.md, API_REPORT.md | specification, design, calls used |\n\n";
        out += "```sh\nTILE_FWK_DEVICE_ID=0 python3 test_" + m_name + ".py\n```\n\nMade by Cubist" +
               (m_request.version.empty() ? "" : " " + m_request.version) + " for " + m_request.chip.id.text +
               (m_plan.resolved().binding.caseId.empty() ? "" : ", case " + m_plan.resolved().binding.caseId.text) +
               ". `cubist-cli import " + m_name + "_impl.py -o DESIGN` reads the kernel back.\n";
        return out;
    }

private:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    std::string frontMatter(const Fields& fields) const {
        std::string out = "---\nschema_version: \"" + std::string(kSchemaVersion) + "\"\nop_name: " + m_name + "\n";
        for (const auto& [key, value] : fields) out += key + ": " + value + "\n";
        return out + "---\n\n";
    }
    std::string title() const { return m_design.title.empty() ? m_design.name : m_design.title; }

    std::string dtypes() const {
        std::string text;
        std::set<std::string> seen;
        for (const Tensor& tensor : m_design.tensors)
            if (tensor.role != TensorRole::Workspace && seen.insert(dtypeName(tensor.dtype)).second)
                text += (text.empty() ? "\"" : ", \"") + dtypeName(tensor.dtype) + "\"";
        return "[" + text + "]";
    }

    std::vector<std::int64_t> extents(const Tensor& tensor, const ExportedCase& each) const {
        std::vector<std::int64_t> out;
        for (const Expression& extent : tensor.shape) out.push_back(extent.evaluate(each.binding.lookup()).value_or(1));
        return out;
    }

    std::string shapes() const {
        std::string text;
        const ExportedCase own{"", m_plan.resolved().binding};
        for (const Tensor& tensor : m_design.tensors)
            if (tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut)
                text += (text.empty() ? "" : ", ") + list(extents(tensor, own));
        return "[" + text + "]";
    }

    std::pair<double, double> strictest() const {
        std::pair<double, double> limits{0.0, 0.0};
        bool first = true;
        for (const Tensor& tensor : m_design.tensors) {
            if (!isReturned(tensor)) continue;
            const TestLimits own = testLimits(tensor.tolerance.value_or(m_design.tolerance), tensor.dtype);
            const std::pair<double, double> each{own.rtol, own.atol};
            limits = first ? each : std::min(limits, each);  // both of one output
            first = false;
        }
        return limits;
    }

    std::string formula() const {
        std::string out;
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
                const auto side = [&](const ValueId& id, bool turned, const ValueId& scale) {
                    std::string text = m_plan.python(id);
                    if (!scale.empty()) text = "(" + text + " * " + m_plan.python(scale) + ")";
                    return text + (turned ? "^T" : "");
                };
                const std::string sum = side(cube->a, cube->aTrans, cube->scaleA) + " . " +
                                        side(cube->b, cube->bTrans, cube->scaleB) +
                                        (cube->bias.empty() ? "" : " + " + m_plan.python(cube->bias));
                out += m_plan.python(cube->out) + " = " + (cube->relu ? "relu(" + sum + ")" : sum) +
                       (cube->scale ? " * " + pythonFloat(*cube->scale) : "") +
                       (cube->scaleTensor.empty() ? "" : " * " + m_plan.python(cube->scaleTensor)) + "\n";
            }
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
                for (const VectorOp& op : vector->ops) {
                    std::string operands;
                    for (const Operand& each : op.in)
                        operands += (operands.empty() ? "" : ", ") +
                                    (each.value() ? m_plan.python(*each.value()) : numberText(*each.number()));
                    out += m_plan.python(op.out) + " = " + std::string(toText(op.op)) + "(" + operands + ")\n";
                }
            if (const auto* store = std::get_if<Store>(&block.block->content))
                out += m_plan.python(store->to) +
                       (store->op == StoreOp::Slice || store->op == StoreOp::Assemble ? " = " : " += ") +
                       m_plan.python(store->from) + "\n";
        }
        return out;
    }

    std::string symbols() const {
        if (m_plan.runtimeSymbols().empty()) return "All axes are static.\n\n";
        std::string out = "| symbol | read from | type |\n|---|---|---|\n";
        for (const SymbolSource& source : m_plan.runtimeSymbols())
            out += "| " + m_plan.scalar(source.symbol) + " | " + m_plan.python(TensorId(source.tensor)) + ".shape[" +
                   std::to_string(source.axis) + "] | SymbolicScalar |\n";
        return out + "\n";
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

    std::size_t count(BlockKind kind) const {
        return static_cast<std::size_t>(
            std::count_if(m_plan.resolved().blocks.begin(), m_plan.resolved().blocks.end(),
                          [&](const ResolvedBlock& block) { return block.block->kind() == kind; }));
    }
    std::string computeKind() const {
        return count(BlockKind::Cube) == 0 ? "vector" : count(BlockKind::Vector) == 0 ? "cube" : "mixed";
    }

    std::string steps() const {
        std::string out;
        std::size_t step = 0;
        const auto row = [&](const std::string& operation, const std::string& api, const ValueId& result) {
            const ResolvedValue* value = m_plan.resolved().value(result);
            out += "| " + std::to_string(++step) + " | " + cell(operation) + " | " + api + " | " +
                   std::string(value ? toText(value->dtype) : "") + " | " +
                   cell(shapeText(m_plan, m_plan.axes(result))) + " |\n";
        };
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* view = std::get_if<View>(&block.block->content))
                row(m_plan.python(view->out), "pypto.view", view->out);
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                row(m_plan.python(cube->out), cube->op == CubeOp::ScaledMm ? "pypto.scaled_mm" : "pypto.matmul",
                    cube->out);
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
                for (const VectorOp& op : vector->ops) row(m_plan.python(op.out), std::string(toText(op.op)), op.out);
        }
        return out;
    }

    std::string tiles() const {
        std::string out;
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
                const auto& size = block.matmul;
                out += "| " + cube->id.text + " | " +
                       (size ? std::to_string(size->m) + ", " + std::to_string(size->k) + ", " + std::to_string(size->n)
                             : std::string()) +
                       " | m" + list(cube->tile.m) + " k" + list(cube->tile.k) + " n" + list(cube->tile.n) +
                       (cube->tile.splitK ? " split-K" : "") + " |\n";
            }
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
                out += "| " + vector->id.text + " | | " + list(vector->tile) + " |\n";
        }
        return out;
    }

    std::string tileCalls() const {
        std::string out;
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                out += "pypto.set_cube_tile_shapes(" + list(cube->tile.m) + ", " + list(cube->tile.k) + ", " +
                       list(cube->tile.n) + (cube->tile.splitK ? ", enable_split_k=True" : "") + ")  # " +
                       cube->id.text + "\n";
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
                std::string values = list(vector->tile);
                out += "pypto.set_vec_tile_shapes(" + values.substr(1, values.size() - 2) + ")  # " + vector->id.text +
                       "\n";
            }
        }
        return out;
    }

    std::string loops() const {
        std::string out;
        for (const ResolvedLoop& loop : m_plan.resolved().loops) {
            const char* form = loop.loop->form == LoopKind::Static   ? "range"
                               : loop.loop->form == LoopKind::Unroll ? "pypto.loop_unroll"
                                                                     : "pypto.loop";
            out += "| " + loop.loop->id.text + " | " + form + (loop.loop->parallel ? ", parallel" : "") + " | " +
                   cell(loop.loop->axis.text()) + " | " +
                   (loop.loop->form == LoopKind::Unroll ? list(loop.loop->unroll) : cell(loop.loop->tile.text())) +
                   " | " + std::to_string(loop.iterations) + " |\n";
        }
        return out;
    }

    std::string boxes() const {
        const bool unrolled = std::any_of(m_plan.resolved().loops.begin(), m_plan.resolved().loops.end(),
                                          [](const ResolvedLoop& loop) { return loop.loop->unroll.size() > 1; });
        std::string out;
        for (const char* text :
             {"sums are accumulated in FP32 or INT32", "operands of a matmul have equal types",
              "a tile is set before every cube and vector stage", "a semantic label marks every stage",
              "outputs are written explicitly, in place", "unroll_list stands on the innermost loop only",
              "what follows a tail carries valid_shape", "no Python min or max on symbolic values"})
            out += "- [x] " + std::string(text) + "\n";
        out += std::string("- [") + (readsWhatItWrites() ? " " : "x") +
               "] no tensor is read and written in one function\n";
        if (!m_plan.runtimeSymbols().empty()) out += "- [x] run-time axes are declared pypto.DYNAMIC\n";
        out += std::string("- [") + (unrolled ? " " : "x") + "] unroll_list has a single value\n";
        return out;
    }

    /// Does a stage take a tensor as it is that a store of the same loop body writes? (Views of it are refused.)
    bool readsWhatItWrites() const {
        const ResolvedDesign& design = m_plan.resolved();
        const auto writes = [&](const ResolvedBlock& reader, const ValueId& id) {
            return std::any_of(design.blocks.begin(), design.blocks.end(), [&](const ResolvedBlock& writer) {
                const auto* store = std::get_if<Store>(&writer.block->content);
                return store != nullptr && store->to.text == id.text && writer.loops == reader.loops;
            });
        };
        for (const ResolvedBlock& block : design.blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                for (const ValueId& id : operandsOf(*cube))
                    if (writes(block, id)) return true;
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
                for (const VectorOp& op : vector->ops)
                    for (const Operand& each : op.in)
                        if (each.value() != nullptr && writes(block, *each.value())) return true;
        }
        return false;
    }

    static void collectCalls(const std::string& text, std::set<std::string>& calls) {
        std::size_t at = 0;
        while ((at = text.find("pypto.", at)) != std::string::npos) {
            const std::size_t end = text.find_first_of("(),] }", at);
            if (end != std::string::npos && text[end] == '(') calls.insert(text.substr(at, end - at));
            at += 6;
        }
    }

    const KernelPlan& m_plan;
    const PyptoExportRequest& m_request;
    const Design& m_design;
    std::string m_name;
};

}  // namespace

std::map<std::string, std::string> documents(const KernelPlan& plan, const PyptoExportRequest& request) {
    const DocumentWriter writer(plan, request);
    return {{"SPEC.md", writer.spec()},
            {"DESIGN.md", writer.design()},
            {"API_REPORT.md", writer.apiReport()},
            {"README.md", writer.readme()}};
}

}  // namespace cubist::pypto

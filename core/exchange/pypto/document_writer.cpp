// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/document_writer.h"

#include <algorithm>
#include <set>

#include "core/exchange/pypto/design_document.h"
#include "core/exchange/pypto/document_parts.h"
#include "core/exchange/pypto/formula_text.h"
#include "core/exchange/pypto/host_writer.h"
#include "core/exchange/pypto/test_writer.h"
#include "core/exchange/pypto/vector_calls.h"

namespace cubist::pypto {
namespace {

class DocumentWriter {
public:
    DocumentWriter(const KernelPlan& plan, const PyptoExportRequest& request)
        : m_plan(plan), m_request(request), m_design(plan.design()), m_name(plan.moduleName()) {}

    std::string spec() const {
        std::string out =
            frontMatter(m_name, {{"supported_dtypes", typesText(m_plan)},
                                 {"p0_shapes", shapes()},
                                 {"tolerance", "{\"atol\": " + pythonFloat(strictestLimits(m_plan).second) +
                                                   ", \"rtol\": " + pythonFloat(strictestLimits(m_plan).first) + "}"}});
        out += "# " + m_name + "\n\n" + title() + "\n\n";
        if (!m_design.notes.empty()) out += m_design.notes + "\n\n";
        out += "## 1. 数学公式 (Formula)\n\n" + formulaText(m_plan);
        out +=
            "## 2. 输入输出规格 (Inputs and outputs)\n\n| name | role | dtype | shape | format "
            "|\n|---|---|---|---|---|\n";
        for (const Tensor& tensor : m_design.tensors)
            out += "| " + m_plan.python(tensor.id) + " | " + std::string(toText(tensor.role)) + " | " +
                   std::string(toText(tensor.dtype)) + " | " + elementShape(m_plan, tensor).flat() + " | " +
                   std::string(toText(tensor.format)) + " |\n";
        out += listRows() + "\n" + symbolTable(m_plan);
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
                    text += (text.empty() ? "" : ", ") + m_plan.python(tensor.id) + " " +
                            listText(extentsOf(tensor, each.binding));
            for (const auto& [id, list] : m_plan.lists())
                if (const IntegerList* values = each.binding.lists.find(id);
                    values != nullptr && list.source != PlannedList::Source::Tensor)
                    text += ", " + (list.parameter.empty() ? id + " values" : list.parameter) + " " +
                            listText(values->values);
            out += "| " + each.id + " | " + text + " |\n";
        }
        return out;
    }

    std::string apiReport() const {
        std::set<std::string> calls;
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
                calls.insert(cube->op == CubeOp::ScaledMm ? "pypto.scaled_mm" : "pypto.matmul");
            if (const auto* view = std::get_if<View>(&block.block->content)) {
                calls.insert("pypto.view");
                if (m_plan.axes(view->of).size() > m_plan.axes(view->out).size()) calls.insert("pypto.reshape");
            }
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
                std::vector<ExportProblem> ignored;
                for (std::size_t i = 0; i < vector->ops.size(); ++i)
                    for (const PyLine& line : vectorLines(m_plan, block, i, ignored))
                        collectCalls(line.value.flat(), calls);
            }
        }
        std::string out = frontMatter(m_name, {});
        out += "# " + m_name + ": API report\n\n## 1. API 映射 (API mapping)\n\n| API | available |\n|---|---|\n";
        for (const std::string& each : calls) out += "| " + each + " | yes |\n";
        out +=
            "\n## 2. 约束 (Constraints)\n\n- Operands of compute operations have static shapes; tails are "
            "`valid_shape`.\n"
            "- Outputs are written in place; the host allocates them.\n\n## 3. Tiling\n\n```python\n" +
            tileCallsText(m_plan) + "```\n";
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
    std::string title() const { return m_design.title.empty() ? m_design.name : m_design.title; }

    /// Lists of the wrapper, in its order: integers of the host, no tensors.
    std::string listRows() const {
        std::string out;
        for (const HostParameter& each : hostParameters(m_plan)) {
            if (each.list == nullptr) continue;
            const List& list = *each.list->list;
            const char* form = "";
            switch (list.form) {
                case ListForm::Plain: form = "entries"; break;
                case ListForm::Counts: form = "rows of each group, none below 0"; break;
                case ListForm::PrefixSums: form = "end of each group, ascending"; break;
                case ListForm::Rows: form = "group of each row, ascending"; break;
            }
            const bool fixed = each.list->source == PlannedList::Source::Constant;
            out += "| " + each.name + " | " + (fixed ? "list, fixed when the kernel is compiled" : "list") + ": " +
                   form + (list.total ? ", in all " + cell(list.total->text()) : "") + " | integers | [" +
                   (list.form == ListForm::Rows && list.total ? cell(list.total->text())
                                                              : std::to_string(each.list->values.values.size())) +
                   "] | host |\n";
        }
        return out;
    }

    std::string shapes() const {
        std::string text;
        for (const Tensor& tensor : m_design.tensors)
            if (tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut)
                text += (text.empty() ? "" : ", ") + listText(extentsOf(tensor, m_plan.resolved().binding));
        return "[" + text + "]";
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

std::map<std::string, std::string> documents(const KernelPlan& plan, const PyptoExportRequest& request,
                                             const std::string& implementation, const std::string& golden) {
    const DocumentWriter writer(plan, request);
    return {{"SPEC.md", writer.spec()},
            {"DESIGN.md", designDocument(plan, request, implementation, golden)},
            {"API_REPORT.md", writer.apiReport()},
            {"README.md", writer.readme()}};
}

}  // namespace cubist::pypto

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/pypto_export.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/exchange/case_settings.h"
#include "core/exchange/design_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/pypto/document_writer.h"
#include "core/exchange/pypto/golden_writer.h"
#include "core/exchange/pypto/host_writer.h"
#include "core/exchange/pypto/kernel_writer.h"
#include "core/exchange/pypto/test_writer.h"
#include "core/exchange/pypto/tuner_config.h"
#include "core/rules/registry.h"

namespace cubist {
namespace {

using namespace pypto;

/// A tensor that one root function looks at and writes is a cycle in its graph (F21009).
void findCycles(KernelPlan& plan) {
    const ResolvedDesign& design = plan.resolved();
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || isIndexed(store->op) || store->op == StoreOp::AtomicAdd) continue;
        for (const ResolvedBlock& other : design.blocks) {
            const auto* view = std::get_if<View>(&other.block->content);
            if (view == nullptr || other.loops != block.loops) continue;
            const ResolvedValue* value = design.value(view->out);
            if (value == nullptr || value->tensor == nullptr || value->tensor->id != store->to) continue;
            plan.problem({"EXP-01", block.where, store->id,
                          "'" + view->id.text + "' looks at '" + store->to.text + "' in the loop in which '" +
                              store->id.text + "' writes it: a cycle in the graph of one function",
                          "'" + view->id.text + "' 与 '" + store->id.text + "' 在同一循环中读写张量 '" +
                              store->to.text + "'，形成依赖环"});
        }
    }
}

/// What torch has no tensor for cannot be handed to a kernel.
void findForeignTensors(KernelPlan& plan) {
    const Design& design = plan.design();
    const bool given = std::any_of(design.tensors.begin(), design.tensors.end(), [](const Tensor& tensor) {
        return tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
    });
    if (!given)
        plan.problem({"EXP-09",
                      "/tensors",
                      {},
                      "the design has no input: a host function takes its device and shapes from its arguments",
                      "设计没有输入：主机函数从参数得到设备和形状"});
    for (std::size_t i = 0; i < design.tensors.size(); ++i) {
        const Tensor& tensor = design.tensors[i];
        if (tensor.dtype != DType::INT4) continue;
        plan.problem(
            {"EXP-07",
             "/tensors/" + std::to_string(i) + "/dtype",
             {},
             "torch has no tensor of INT4 that PyPTO would take: '" + tensor.id.text + "' cannot be an argument",
             "torch 没有 PyPTO 可接受的 INT4 张量：'" + tensor.id.text + "' 不能作为参数"});
    }
}

Finding findingOf(const ExportProblem& problem) {
    const Rule* rule = findRule(problem.rule);
    Finding finding;
    finding.ruleId = problem.rule;
    finding.severity = Severity::Error;
    finding.where = problem.where;
    finding.block = problem.block;
    finding.message = problem.message;
    finding.messageZh = problem.messageZh;
    if (rule != nullptr) finding.pyptoCode = std::string(rule->pyptoCode);
    return finding;
}

/// What `import` reads back: the design, and how it was exported.
void writeRecord(const PyptoExportRequest& request, const Binding& binding, PythonWriter& out) {
    JsonValue record = JsonValue::object();
    record.add("case", JsonValue::fromString(binding.caseId.text));
    record.add("keys", JsonValue::fromString(std::string(toText(request.keys))));
    record.add("chip", JsonValue::fromString(request.chip.id.text));
    JsonValue symbols = JsonValue::object(), lists = JsonValue::object();
    for (const auto& entry : request.overrides.symbols.entries)
        symbols.add(entry.key, JsonValue::fromInteger(entry.value));
    for (const auto& entry : request.overrides.lists.entries) {
        JsonValue values = JsonValue::array();
        for (const std::int64_t each : entry.value) values.push(JsonValue::fromInteger(each));
        lists.add(entry.key, std::move(values));
    }
    if (!symbols.members.empty()) record.add("symbols", std::move(symbols));
    if (!lists.members.empty()) record.add("lists", std::move(lists));
    if (auto design = parseJson(writeDesign(*request.design))) record.add("design", *std::move(design));
    out.blank(2);
    out.comment("What a kernel cannot say of its design: cases, data, notes. `cubist-cli import` reads it.");
    out.assign("CUBIST", PyExpr::string(compactJson(record)));
}

std::string implementation(KernelPlan& plan, const PyptoExportRequest& request, const Binding& binding) {
    PythonWriter out;
    const Design& design = plan.design();
    std::vector<std::string> origin{"Made by Cubist from the design " + design.name +
                                    (binding.caseId.empty() ? "" : ", case " + binding.caseId.text) + ", for " +
                                    request.chip.id.text + "."};
    out.docString((design.title.empty() ? design.name : design.title) + ": PyPTO kernel and host wrapper.", origin);
    out.blank();
    writeImports(plan, out);
    writeListConstants(plan, out);
    out.blank(2);
    writeKernel(plan, request.chip.id.text, request.keys, out);
    out.blank(2);
    writeHost(plan, out);
    writeRecord(request, binding, out);
    return out.text();
}

}  // namespace

Result<PyptoExport> exportPypto(const PyptoExportRequest& request) {
    CUBIST_TRY(Design ofCase, designOfCase(*request.design, request.caseName));
    const auto design = std::make_shared<const Design>(std::move(ofCase));
    CUBIST_TRY(const Binding binding, bindWith(*design, request.caseName, request.overrides));
    CUBIST_TRY(KernelPlan plan, KernelPlan::make(design, binding));
    PyptoExport out;
    const std::string& name = plan.moduleName();
    for (std::size_t i = 0; i < design->tensors.size(); ++i) {
        const Tensor& tensor = design->tensors[i];
        if (!tensor.data.file || !tensor.data.list.empty()) continue;
        if (!tensor.data.file->ends_with(".npy"))
            return unexpected(ErrorCode::Unsupported,
                              "the test of an export loads data from .npy files, not from '" + *tensor.data.file + "'",
                              "/tensors/" + std::to_string(i) + "/data/file");
        out.dataFiles.emplace_back(*tensor.data.file, fileNameOf(*tensor.data.file));
    }
    findCycles(plan);
    findForeignTensors(plan);
    const std::string kernel = implementation(plan, request, binding);
    for (const ExportProblem& problem : plan.problems()) {
        Finding finding = findingOf(problem);
        if (std::find(out.findings.begin(), out.findings.end(), finding) == out.findings.end())
            out.findings.push_back(std::move(finding));
    }
    if (!out.findings.empty()) return out;
    out.files[name + "_impl.py"] = kernel;
    out.files["config.json"] = tunerConfigText(tunerConfigOf(name + "_impl.py", kernel));
    const std::string golden = goldenModule(plan);
    out.files[name + "_golden.py"] = golden;
    out.files["test_" + name + ".py"] = testModule(plan);
    for (auto& [file, text] : documents(plan, request, kernel, golden)) out.files[file] = std::move(text);
    return out;
}

}  // namespace cubist

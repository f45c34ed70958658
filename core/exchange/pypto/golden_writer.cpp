// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/golden_writer.h"

#include <algorithm>
#include <cassert>

#include "core/exchange/pypto/golden_body.h"
#include "core/exchange/pypto/golden_helpers.h"
#include "core/exchange/pypto/host_writer.h"
#include "core/exchange/pypto/kernel_writer.h"

namespace cubist::pypto {
namespace {

std::string smallFloatsWithHifloat8() {
    std::string text(kSmallFloats);
    for (const HelperChange& change : kHifloat8Changes) {
        const std::size_t at = text.find(change.from);
        assert(at != std::string::npos && "the helper has another text");
        text.replace(at, change.from.size(), change.to);
    }
    return text;
}

}  // namespace

std::string goldenModule(const KernelPlan& plan) {
    const Design& design = plan.design();
    const GoldenBody body = goldenBody(plan);
    std::vector<PyExpr> parameters;
    for (const HostParameter& each : hostParameters(plan)) {
        const bool fixed = each.list != nullptr && each.list->source == PlannedList::Source::Constant;
        parameters.push_back(fixed ? PyExpr::named(each.name, each.list->python) : PyExpr(each.name));
    }
    PythonWriter out;
    out.docString(design.name + ": reference values in torch alone.",
                  {body.framework ? "FP32 with every rounding that the kernel declares."
                                  : "FP64; roundings to float types are left out."});
    out.blank();
    out.line("import torch");
    out.blank();
    out.line(std::string("COMPUTE = ") + (body.framework ? "torch.float32" : "torch.float64"));
    writeListConstants(plan, out);

    const std::string& text = body.text;
    const auto calls = [&](const char* function) {
        return text.find(std::string(function) + "(") != std::string::npos;
    };
    const bool coded = std::any_of(plan.resolved().values.begin(), plan.resolved().values.end(),
                                   [](const auto& entry) { return isCoded(entry.second.dtype); });
    const auto add = [&](std::string_view helper) {
        out.blank(2);
        std::string block(helper);
        while (!block.empty() && block.back() == '\n') block.pop_back();
        std::size_t at = 0;
        while (at <= block.size()) {
            const std::size_t end = std::min(block.find('\n', at), block.size());
            out.line(block.substr(at, end - at));
            at = end + 1;
        }
    };
    const bool paired = std::any_of(design.tensors.begin(), design.tensors.end(),
                                    [](const Tensor& tensor) { return isPaired(tensor.dtype); });
    const bool hifloat8 = std::any_of(plan.resolved().values.begin(), plan.resolved().values.end(),
                                      [](const auto& entry) { return entry.second.dtype == DType::HF8; });
    if (coded) add(hifloat8 ? smallFloatsWithHifloat8() : std::string(kSmallFloats));
    if (hifloat8) add(kHifloat8);
    if (paired) add(kPackPairs);
    add(std::string(kToValues) + (paired ? std::string(kToValuesPairs) : std::string()) +
        (coded ? std::string(kToValuesCodes) : std::string()) + std::string(kToValuesEnd));
    if (calls("store_as") || calls("quant_mx")) add(coded ? kRounded : kRoundedPlain);
    if (calls("cast_to")) add(kCastTo);
    if (calls("to_integer")) add(kToInteger);
    if (calls("integer_product")) add(kIntegerProduct);
    if (calls("mx_operand")) add(kMxOperand);
    if (calls("fixpipe_scale")) add(kFixpipeScale);
    if (calls("fixpipe_scales")) add(kFixpipeScales);
    if (calls("extreme")) add(kExtreme);
    if (calls("filled")) add(kFilled);
    if (calls("quant_mx")) add(kQuantMx);
    if (calls("unrolled")) {
        out.blank(2);
        writeUnrolled(out);
    }
    out.blank(2);
    out.statement("def " + plan.moduleName() + "_golden", PyExpr::call({}, std::move(parameters)), ":");
    {
        const PythonIndent inner(out);
        out.docString("Takes what the wrapper takes; returns the values of its outputs.");
    }
    return out.text() + text;
}

}  // namespace cubist::pypto

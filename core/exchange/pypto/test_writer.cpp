// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/test_writer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/accuracy/criterion.h"
#include "core/exchange/pypto/host_writer.h"

namespace cubist::pypto {
namespace {

using Items = std::vector<PyExpr>;

bool isGiven(const Tensor& tensor) {
    return tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
}

std::string numberOf(double value, DType type) {
    const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
    return !isFloat(type) && whole ? std::to_string(static_cast<std::int64_t>(value)) : pythonFloat(value);
}

/// A difference of two decimals without the noise of its last bits: 0.2, not 0.20000000000000007.
double decimal(double value) {
    const double rounded = std::round(value * 1e12) / 1e12;
    return std::fabs(rounded - value) < 1e-15 * std::fabs(value) + 1e-15 ? rounded : value;
}

/// Numbers of a generator as torch draws them; those that count lie in one row still.
PyExpr drawn(const Tensor& tensor, const std::string& shape, const std::string& modulo) {
    const DataSource& data = tensor.data;
    const auto affine = [&](const char* function) {
        std::string text = std::string("torch.") + function + "(" + shape + ")";
        const double factor = data.generator == Generator::Normal ? data.high : decimal(data.high - data.low);
        if (factor != 1.0) text += " * " + pythonFloat(factor);
        if (data.low != 0.0) text += (data.low < 0.0 ? " - " : " + ") + pythonFloat(std::fabs(data.low));
        return text;
    };
    switch (data.generator) {
        case Generator::Uniform: return affine("rand");
        case Generator::Normal: return affine("randn");
        case Generator::Integers:
            return "torch.randint(" + std::to_string(static_cast<std::int64_t>(data.low)) + ", " +
                   std::to_string(static_cast<std::int64_t>(data.high) + 1) + ", " + shape + ")";
        case Generator::Constant: return "torch.full(" + shape + ", " + numberOf(data.low, tensor.dtype) + ")";
        case Generator::Arange: break;
    }
    std::string text = "torch.arange(math.prod(" + shape + "))";
    if (!modulo.empty()) text += " % " + modulo;
    if (data.high != 1.0) text += " * " + numberOf(data.high, tensor.dtype);
    if (data.low != 0.0) text += (data.low < 0.0 ? " - " : " + ") + numberOf(std::fabs(data.low), tensor.dtype);
    return text;
}

class TestWriter {
public:
    explicit TestWriter(const KernelPlan& plan) : m_plan(plan) {}

    std::string run() {
        const Design& design = m_plan.design();
        const std::string& name = m_plan.moduleName();
        const bool coded = std::any_of(design.tensors.begin(), design.tensors.end(), [](const Tensor& tensor) {
            return isGiven(tensor) && isCoded(tensor.dtype) && tensor.data.list.empty();
        });
        const bool nz = std::any_of(design.tensors.begin(), design.tensors.end(), [](const Tensor& tensor) {
            return isGiven(tensor) && tensor.format == Format::NZ;
        });
        m_out.docString(
            "Test of " + name + ": the kernel through its wrapper against the golden.",
            {"Runs on the NPU TILE_FWK_DEVICE_ID where torch_npu is installed. Elsewhere PyPTO's simulator runs "
             "the kernel, which computes times but no values: nothing is compared then."});
        m_out.blank();
        if (usesArange()) m_out.line("import math");
        m_out.line("import os");
        m_out.blank();
        if (readsFiles()) m_out.line("import numpy");
        m_out.line("import torch");
        m_out.blank();
        const bool paired = std::any_of(design.tensors.begin(), design.tensors.end(), [](const Tensor& tensor) {
            return isGiven(tensor) && isPaired(tensor.dtype) && tensor.data.list.empty();
        });
        importGolden(coded, paired);
        m_out.line("from " + name + "_impl import " + name + "_wrapper");
        m_out.blank();
        m_out.line("try:");
        m_out.line("    import torch_npu");
        m_out.line("except ImportError:  # no NPU on this host");
        m_out.line("    torch_npu = None");
        m_out.blank();
        m_out.line("SEED = " + std::to_string(design.seed));
        if (nz) m_out.line("FRACTAL_NZ = 29");
        if (coded) writeFloat8Names(m_plan, m_out);
        cases();
        outputs();
        m_out.blank(2);
        device();
        m_out.blank(2);
        if (readsFiles()) {
            fileReader();
            m_out.blank(2);
        }
        inputs(coded);
        m_out.blank(2);
        comparison();
        m_out.blank(2);
        check(nz);
        const std::vector<ExportedCase> list = exportedCases(m_plan);
        m_out.blank(2);
        m_out.line("def test_" + name + "_l0():");
        m_out.line("    check(" + pythonString(list.front().id) + ")");
        m_out.blank(2);
        m_out.line("def test_" + name + "_l1():");
        m_out.line("    for case in CASES:");
        m_out.line("        check(case)");
        m_out.blank(2);
        m_out.line("if __name__ == \"__main__\":");
        m_out.line("    test_" + name + "_l0()");
        m_out.line("    test_" + name + "_l1()");
        return m_out.text();
    }

private:
    void importGolden(bool coded, bool paired) {
        const std::string head = "from " + m_plan.moduleName() + "_golden import ";
        std::vector<std::string> names{m_plan.moduleName() + "_golden", "to_values"};
        if (coded) names.emplace_back("encode");
        if (paired) names.emplace_back("pack_pairs");
        std::sort(names.begin(), names.end());
        std::string together;
        for (const std::string& each : names) together += (together.empty() ? "" : ", ") + each;
        if (head.size() + together.size() <= PythonWriter::kColumns) {
            m_out.line(head + together);
            return;
        }
        m_out.line(head + "(");
        for (const std::string& each : names) m_out.line("    " + each + ",");
        m_out.line(")");
    }

    [[nodiscard]] bool readsFiles() const {
        const auto& tensors = m_plan.design().tensors;
        return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
            return isGiven(tensor) && tensor.data.file && tensor.data.list.empty();
        });
    }
    [[nodiscard]] bool usesArange() const {
        const auto& tensors = m_plan.design().tensors;
        return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
            return isGiven(tensor) && tensor.data.generator == Generator::Arange && tensor.data.list.empty();
        });
    }

    [[nodiscard]] bool usesExact() const {
        const auto& tensors = m_plan.design().tensors;
        return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
            const Tolerance& tolerance = tensor.tolerance ? *tensor.tolerance : m_plan.design().tolerance;
            return isReturned(tensor) && tolerance.criterion == Criterion::Exact;
        });
    }

    void cases() {
        m_out.comment("Shapes of the arguments in every case that this compilation fits.");
        Items entries;
        for (const ExportedCase& each : exportedCases(m_plan)) {
            Items shapes;
            for (const Tensor& tensor : m_plan.design().tensors) {
                if (!isGiven(tensor)) continue;
                Items extents;
                for (const Expression& extent : tensor.shape)
                    extents.emplace_back(extent.evaluate(each.binding.lookup()).value_or(1));
                shapes.push_back(PyExpr::entry(m_plan.python(tensor.id), PyExpr::list(std::move(extents))));
            }
            for (const Tensor& tensor : m_plan.design().tensors)
                if (isGiven(tensor) && tensor.data.modulo.literal() != 0)
                    shapes.push_back(PyExpr::entry(m_plan.python(tensor.id) + " modulo",
                                                   tensor.data.modulo.evaluate(each.binding.lookup()).value_or(1)));
            for (const HostParameter& parameter : hostParameters(m_plan)) listEntry(each, parameter, shapes);
            for (const Tensor& tensor : m_plan.design().tensors)
                if (isGiven(tensor) && !tensor.data.list.empty())
                    if (const IntegerList* list = each.binding.lists.find(tensor.data.list.text))
                        shapes.push_back(PyExpr::entry(m_plan.python(tensor.id) + " values", values(*list)));
            entries.push_back(PyExpr::entry(each.id, PyExpr::dict(std::move(shapes))));
        }
        m_out.assign("CASES", PyExpr::dict(std::move(entries)));
    }

    static PyExpr values(const IntegerList& list) {
        Items items;
        for (const std::int64_t each : list.values) items.emplace_back(each);
        return PyExpr::list(std::move(items));
    }

    static void listEntry(const ExportedCase& each, const HostParameter& parameter, Items& shapes) {
        if (parameter.list == nullptr) return;
        if (const IntegerList* list = each.binding.lists.find(parameter.list->list->id.text))
            shapes.push_back(PyExpr::entry(parameter.name, values(*list)));
    }

    void outputs() {
        m_out.comment(
            "Name, type, rtol, atol and the share of elements that may be outside, in the order of the results.");
        for (const Tensor& tensor : m_plan.design().tensors) {
            const Tolerance& tolerance = tensor.tolerance ? *tensor.tolerance : m_plan.design().tolerance;
            if (!isReturned(tensor) || !testLimits(tolerance, tensor.dtype).replaced) continue;
            m_out.comment("The design judges by " + std::string(toText(tolerance.criterion)) +
                          ", which needs more than a golden: here every element is compared.");
            break;
        }
        Items rows;
        for (const Tensor& tensor : m_plan.design().tensors) {
            if (!isReturned(tensor)) continue;
            const TestLimits limits = testLimits(tensor.tolerance.value_or(m_plan.design().tolerance), tensor.dtype);
            rows.push_back(
                PyExpr::tuple({pythonString(m_plan.python(tensor.id)), pythonString(toText(tensor.dtype)),
                               pythonFloat(limits.rtol), pythonFloat(limits.atol), pythonFloat(limits.ratio)}));
        }
        m_out.assign("OUTPUTS", PyExpr::list(std::move(rows)));
    }

    void device() {
        m_out.line("def get_device():");
        const PythonIndent body(m_out);
        m_out.line("if torch_npu is None:");
        m_out.line("    return \"cpu\"");
        m_out.line("device_id = int(os.environ.get(\"TILE_FWK_DEVICE_ID\", \"0\"))");
        m_out.line("torch.npu.set_device(device_id)");
        m_out.line("return f\"npu:{device_id}\"");
    }

    void fileReader() {
        m_out.line("def load_input(name, shape, dtype):");
        const PythonIndent body(m_out);
        m_out.docString("An array beside this file: numbers, or the codes of a type that numpy has not.");
        m_out.line("array = numpy.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), name))");
        m_out.line("array = numpy.ascontiguousarray(array.astype(array.dtype.newbyteorder(\"=\")))");
        m_out.line("if list(array.shape) != shape:");
        m_out.line("    raise ValueError(f\"{name}: wanted shape {shape}, got {list(array.shape)}\")");
        m_out.line("width = torch.empty(0, dtype=dtype).element_size()");
        m_out.line("if array.dtype.kind == \"u\" and array.dtype.itemsize == width:");
        m_out.line("    signed = array.view(numpy.dtype(f\"i{width}\"))");
        m_out.line("    return torch.from_numpy(signed).view(dtype)");
        m_out.line("if width == 1 and array.dtype.kind == \"f\":");
        m_out.line("    raise ValueError(f\"{name}: the type {dtype} wants codes of one byte\")");
        m_out.line("return torch.from_numpy(array).to(dtype)");
    }

    void inputs(bool coded) {
        m_out.line("def make_inputs(case):");
        const PythonIndent body(m_out);
        m_out.docString("Arguments of the wrapper, on the host; the same at every call.");
        m_out.line("shapes = CASES[case]");
        m_out.line("torch.manual_seed(SEED)");
        Items arguments;
        for (const Tensor& tensor : m_plan.design().tensors) {
            if (!isGiven(tensor)) continue;
            const std::string name = m_plan.python(tensor.id);
            const std::string shape = "shapes[" + pythonString(name) + "]";
            if (!tensor.data.list.empty()) {
                m_out.line(name + " = torch.tensor(shapes[" + pythonString(name + " values") +
                           "], dtype=" + torchType(tensor.dtype) + ")");
            } else if (tensor.data.file) {
                PyExpr read = PyExpr::call(
                    "load_input", {pythonString(fileNameOf(*tensor.data.file)), shape, torchType(tensor.dtype)});
                if (isPaired(tensor.dtype)) read = PyExpr::call("pack_pairs", {std::move(read)});
                m_out.statement(name + " = ", read);
            } else {
                drawInput(tensor, name, shape, coded && isCoded(tensor.dtype));
            }
            arguments.emplace_back(name);
        }
        for (const HostParameter& parameter : hostParameters(m_plan))
            if (parameter.list != nullptr) arguments.emplace_back("shapes[" + pythonString(parameter.name) + "]");
        m_out.statement("return ", PyExpr::list(std::move(arguments)));
    }

    void drawInput(const Tensor& tensor, const std::string& name, const std::string& shape, bool coded) {
        PyExpr values = drawn(tensor, shape, moduloOf(tensor));
        if (tensor.data.generator == Generator::Arange) {
            m_out.assign(name, values);
            values = name + ".reshape(" + shape + ")";
        }
        if (!coded) {
            m_out.line(name + " = " + typed(values.flat(), tensor));
            return;
        }
        PyExpr codes = PyExpr::call("encode", {values, pythonString(toText(tensor.dtype))});
        if (isPaired(tensor.dtype)) codes = PyExpr::call("pack_pairs", {std::move(codes)});
        const std::string type = torchType(tensor.dtype);
        const std::string view = type.starts_with("FP8") ? ".view(" + type + ")" : "";
        const bool fits = 4 + name.size() + 3 + codes.flat().size() + view.size() <= PythonWriter::kColumns;
        m_out.statement(name + " = ", codes, fits ? view : "");
        if (!fits && !view.empty()) m_out.line(name + " = " + name + view);
    }

    /// In cases the index may count modulo another number each: the entry "NAME modulo" of CASES.
    [[nodiscard]] std::string moduloOf(const Tensor& tensor) const {
        if (tensor.data.modulo.literal() == 0) return {};
        return "shapes[" + pythonString(m_plan.python(tensor.id) + " modulo") + "]";
    }

    static std::string typed(const std::string& text, const Tensor& tensor) {
        const bool counted = tensor.data.generator == Generator::Integers || tensor.data.generator == Generator::Arange;
        if (!counted && tensor.dtype == DType::FP32) return text;
        const bool sum = text.find_first_of("*+") != std::string::npos || text.find(" - ") != std::string::npos;
        return (sum ? "(" + text + ")" : text) + ".to(" + torchType(tensor.dtype) + ")";
    }

    /// What a golden alone can judge by.
    static Criterion judgeOf(const Tolerance& tolerance) {
        switch (tolerance.criterion) {
            case Criterion::AllCloseActual:
            case Criterion::TwoThreshold:
            case Criterion::ErrorRatio: return tolerance.criterion;
            case Criterion::AllClose:
            case Criterion::ThreeWay:
            case Criterion::Exact:
            case Criterion::OrderBound: break;
        }
        return Criterion::AllClose;
    }
    [[nodiscard]] Criterion judgeOf(const Tensor& tensor) const {
        return judgeOf(tensor.tolerance.value_or(m_plan.design().tolerance));
    }

    /// The comparison that most outputs share is the design's, where one of them has it.
    [[nodiscard]] Criterion sharedJudge() const {
        std::optional<Criterion> first;
        const Criterion own = judgeOf(m_plan.design().tolerance);
        for (const Tensor& tensor : m_plan.design().tensors) {
            if (!isReturned(tensor)) continue;
            if (judgeOf(tensor) == own) return own;
            if (!first) first = judgeOf(tensor);
        }
        return first.value_or(own);
    }

    [[nodiscard]] bool sharesOne() const {
        const auto& tensors = m_plan.design().tensors;
        return std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
            return !isReturned(tensor) || judgeOf(tensor) == sharedJudge();
        });
    }

    void comparison() {
        comparisonBy(sharedJudge(), "detailed_tensor_compare");
        std::vector<Criterion> written{sharedJudge()};
        Items others;
        for (const Tensor& tensor : m_plan.design().tensors) {
            if (!isReturned(tensor) || judgeOf(tensor) == sharedJudge()) continue;
            const std::string function = "compare_" + std::string(toText(judgeOf(tensor)));
            others.push_back(PyExpr::entry(m_plan.python(tensor.id), function));
            if (std::find(written.begin(), written.end(), judgeOf(tensor)) != written.end()) continue;
            written.push_back(judgeOf(tensor));
            m_out.blank(2);
            comparisonBy(judgeOf(tensor), function);
        }
        if (others.empty()) return;
        m_out.blank(2);
        m_out.comment("Outputs that are judged in another way than the rest.");
        m_out.assign("COMPARISONS", PyExpr::dict(std::move(others)));
    }

    void comparisonBy(Criterion criterion, const std::string& function) {
        m_out.line("def " + function + "(name, actual, golden, rtol, atol, max_error_ratio):");
        const PythonIndent body(m_out);
        if (criterion == Criterion::TwoThreshold) {
            twoThresholds();
            return;
        }
        const bool actual = criterion == Criterion::AllCloseActual, finite = criterion == Criterion::ErrorRatio;
        m_out.docString(std::string(finite ? "Finite, and every" : "Every") + " element within atol + rtol * |" +
                        (actual ? "actual" : "golden") + "|, but for a share of max_error_ratio.");
        m_out.line("assert actual.shape == golden.shape, f\"{name}: shape {actual.shape}, not {golden.shape}\"");
        m_out.line("actual, golden = actual.double(), golden.double()");
        if (finite) m_out.line("assert bool(actual.isfinite().all()), f\"{name}: NaN or infinity in the output\"");
        m_out.line("difference = (actual - golden).abs()");
        const std::string within =
            "difference <= atol + rtol * " + std::string(actual ? "actual" : "golden") + ".abs()";
        m_out.line("inside = " + (finite ? within : "(" + within + ") | (actual.isnan() & golden.isnan())"));
        m_out.line("outside = int((~inside).sum())");
        m_out.line("worst = float(difference.nan_to_num().max()) if difference.numel() else 0.0");
        m_out.line(
            "print(f\"{name}: {outside} of {golden.numel()} elements outside, largest difference {worst:.6g}\")");
        m_out.line(
            "assert outside <= round(max_error_ratio * golden.numel()), f\"{name}: {outside} elements outside\"");
    }

    void twoThresholds() {
        m_out.docString("No element beyond 128 times warn = (|actual| + |golden|) * rtol / 2 + atol, few beyond warn.");
        m_out.line("assert actual.shape == golden.shape, f\"{name}: shape {actual.shape}, not {golden.shape}\"");
        m_out.line("actual, golden = actual.double(), golden.double()");
        m_out.line("warn = (actual.abs() + golden.abs()) * rtol / 2 + atol");
        m_out.line("difference = (actual - golden).abs()");
        m_out.line("count = int(((actual != 0) | (golden != 0)).sum())");
        m_out.line("allowed = min(max(16, int(count**0.5) // 2), int(count * min(rtol, atol)))");
        m_out.line("outside = int((~(difference <= warn)).sum())");
        m_out.line("print(f\"{name}: {outside} of {count} elements beyond the warning, {allowed} allowed\")");
        m_out.line("assert bool((difference <= 128 * warn).all()), f\"{name}: elements far outside\"");
        m_out.line("assert outside <= allowed, f\"{name}: {outside} elements outside\"");
    }

    void check(bool nz) {
        const std::string& name = m_plan.moduleName();
        m_out.line("def check(case):");
        const PythonIndent body(m_out);
        m_out.line("arguments = make_inputs(case)");
        m_out.line("golden = " + name + "_golden(*arguments)");
        m_out.line("device = get_device()");
        m_out.line("on_device = [a.to(device) if isinstance(a, torch.Tensor) else a for a in arguments]");
        if (nz) {
            std::size_t index = 0;
            std::string places;
            for (const HostParameter& each : hostParameters(m_plan)) {
                if (each.tensor != nullptr && each.tensor->format == Format::NZ)
                    places += (places.empty() ? "" : ", ") + std::to_string(index);
                ++index;
            }
            m_out.line("if torch_npu is not None:");
            m_out.line("    for i in [" + places + "]:");
            m_out.line("        on_device[i] = torch_npu.npu_format_cast(on_device[i], FRACTAL_NZ)");
        }
        m_out.line("actual = " + name + "_wrapper(*on_device)");
        m_out.line("if torch_npu is None:");
        m_out.line("    print(f\"{case}: simulated, no values to compare\")");
        m_out.line("    return");
        m_out.line("torch.npu.synchronize()");
        m_out.line("actual = actual if isinstance(actual, tuple) else (actual,)");
        m_out.line("golden = golden if isinstance(golden, tuple) else (golden,)");
        m_out.line("for (name, kind, rtol, atol, ratio), a, g in zip(OUTPUTS, actual, golden):");
        if (usesExact()) {
            m_out.line("    if rtol == atol == 0 and a.dtype in (torch.float32, torch.float16, torch.bfloat16):");
            m_out.line("        g = g.to(a.dtype).to(g.dtype)  # equal means equal in the output's own type");
        }
        if (sharesOne()) {
            m_out.line("    detailed_tensor_compare(name, to_values(a, kind), g, rtol, atol, ratio)");
            return;
        }
        m_out.line("    if name in COMPARISONS:");
        m_out.line("        COMPARISONS[name](name, to_values(a, kind), g, rtol, atol, ratio)");
        m_out.line("    else:");
        m_out.line("        detailed_tensor_compare(name, to_values(a, kind), g, rtol, atol, ratio)");
    }

    const KernelPlan& m_plan;
    PythonWriter m_out;
};

std::int64_t work(const ExportedCase& each) {
    std::int64_t total = 0;
    for (const auto& entry : each.binding.symbols.entries) total += entry.value;
    return total;
}

}  // namespace

std::string fileNameOf(const std::string& path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

TestLimits testLimits(const Tolerance& tolerance, DType type) {
    const ElementJudge judge(tolerance, type);
    TestLimits limits{judge.rtol(), judge.atol(), 0.0, false};
    if (tolerance.criterion == Criterion::ErrorRatio) limits.ratio = tolerance.maxErrorRatio;
    if (tolerance.criterion == Criterion::Exact) limits.rtol = limits.atol = 0;
    limits.replaced = tolerance.criterion == Criterion::ThreeWay || tolerance.criterion == Criterion::OrderBound;
    return limits;
}

std::vector<ExportedCase> exportedCases(const KernelPlan& plan) {
    const Design& design = plan.design();
    const Binding& own = plan.resolved().binding;
    const auto fits = [&](const Binding& other) {
        for (const Symbol& symbol : design.symbols) {
            if (plan.isRuntime(symbol.id.text)) continue;
            const std::int64_t* a = own.symbols.find(symbol.id.text);
            const std::int64_t* b = other.symbols.find(symbol.id.text);
            if (a == nullptr || b == nullptr || *a != *b) return false;
        }
        for (const auto& [id, list] : plan.lists()) {
            const IntegerList* values = other.lists.find(id);
            if (values == nullptr) return false;
            const bool fixed = list.source == PlannedList::Source::Constant;
            if (fixed ? !(values->values == list.values.values) : values->values.size() != list.values.values.size())
                return false;
        }
        return true;
    };
    std::vector<ExportedCase> cases;
    for (const Case& each : design.cases) {
        if (each.id == own.caseId) {
            cases.push_back({each.id.text, own});
            continue;
        }
        if (auto binding = bindWith(design, each.id.text, {}); binding && fits(*binding))
            cases.push_back({each.id.text, *std::move(binding)});
    }
    if (cases.empty()) cases.push_back({own.caseId.empty() ? "default" : own.caseId.text, own});
    std::stable_sort(cases.begin(), cases.end(),
                     [](const ExportedCase& a, const ExportedCase& b) { return work(a) < work(b); });
    return cases;
}

std::string testModule(const KernelPlan& plan) {
    return TestWriter(plan).run();
}

}  // namespace cubist::pypto

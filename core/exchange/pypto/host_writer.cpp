// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/host_writer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/pypto/list_checks.h"
#include "core/rules/static/store_coverage.h"

namespace cubist::pypto {
namespace {

using Items = std::vector<PyExpr>;

bool isGiven(const Tensor& tensor) {
    return tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
}

/// Types that a caller may pass for a tensor.
PyExpr acceptedTypes(const KernelPlan& plan, const Tensor& tensor) {
    const DType declared = tensor.dtype, argument = plan.argumentType(tensor);
    Items items;
    if (!plan.isPackedScale(tensor)) items.emplace_back(torchType(argument));
    if (argument != declared) items.emplace_back(torchType(declared));
    const bool codes = declared == DType::FP8E4M3 || declared == DType::FP8E5M2 || declared == DType::FP8E8M0;
    if (codes) items.emplace_back("torch.uint8");
    return PyExpr::tuple(std::move(items));
}

PyExpr text(const KernelPlan& plan, const SymbolicPtr& tree) {
    return pythonText(tree, {[&](const std::string& each) { return plan.scalar(each); }, false});
}

class HostWriter {
public:
    HostWriter(const KernelPlan& plan, PythonWriter& out)
        : m_plan(plan), m_out(out), m_parameters(hostParameters(plan)) {}

    void helpers() {
        const Design& design = m_plan.design();
        m_out.line("def check_tensor(name, tensor, shape, dtypes, nz=False):");
        {
            const PythonIndent body(m_out);
            m_out.docString("Raises TypeError or ValueError for an argument that the kernel was not compiled for.");
            m_out.line("if not isinstance(tensor, torch.Tensor):");
            m_out.line("    raise TypeError(f\"{name}: wanted a tensor, got {type(tensor).__name__}\")");
            m_out.line("if tensor.dtype not in dtypes:");
            m_out.line("    raise TypeError(f\"{name}: wanted {dtypes[0]}, got {tensor.dtype}\")");
            m_out.line("if list(tensor.shape) != shape:");
            m_out.line("    raise ValueError(f\"{name}: wanted shape {shape}, got {list(tensor.shape)}\")");
            m_out.line("if torch_npu is not None and tensor.device.type == \"npu\":");
            m_out.line("    if (torch_npu.get_npu_format(tensor) == FRACTAL_NZ) != nz:");
            m_out.line("        raise ValueError(f\"{name}: wanted format {'NZ' if nz else 'ND'}\")");
            m_out.line("elif not tensor.is_contiguous():");
            m_out.line("    raise ValueError(f\"{name}: wanted a contiguous tensor\")");
        }
        m_out.blank(2);
        PythonWriter checks;
        writeListChecks(m_plan, checks);
        const bool lists = usesLists() || checks.text().find("list_of(") != std::string::npos;
        if (lists) {
            m_out.line("def list_of(values):");
            const PythonIndent body(m_out);
            m_out.docString("Integers of a list, a tuple or a tensor, on the host.");
            m_out.line("return tuple(values.tolist() if isinstance(values, torch.Tensor) else values)");
        }
        if (lists) m_out.blank(2);
        if (std::any_of(design.tensors.begin(), design.tensors.end(),
                        [&](const Tensor& tensor) { return m_plan.isPackedScale(tensor); })) {
            m_out.line("def scale_words(scales):");
            {
                const PythonIndent body(m_out);
                m_out.docString("Scales of columns as PyPTO takes them: 64-bit words with an FP32 in the low half.");
                m_out.line("words = scales.to(torch.float32).contiguous().view(torch.int32)");
                m_out.line("return words.to(torch.int64) & 0xFFFFFFFF");
            }
            m_out.blank(2);
        }
        for (const auto& [id, list] : m_plan.lists())
            if (list.source == PlannedList::Source::Parameter && list.list->form != ListForm::Plain) {
                startsOf(list);
                m_out.blank(2);
            }
        if (checks.text().find(" in unrolled(") != std::string::npos) {
            writeUnrolled(m_out);
            m_out.blank(2);
        }
        m_out.statement("def check_args", PyExpr::call({}, argumentItems()), ":");
        const PythonIndent body(m_out);
        m_out.docString("Shape, dtype and format of every argument against what the kernel declares.");
        std::set<std::string> asked;
        for (const SymbolSource& source : m_plan.runtimeSymbols()) {
            if (!asked.insert(source.tensor).second) continue;
            const Tensor* tensor = tensorOf(source.tensor);
            const std::string name = m_plan.python(TensorId(source.tensor));
            const auto rank = std::to_string(tensor->shape.size());
            m_out.line("if " + name + ".dim() != " + rank + ":");
            m_out.line("    raise ValueError(f\"" + name + ": wanted " + rank + " axes, got {" + name + ".dim()}\")");
        }
        writeSymbols(m_plan, m_out);
        for (const Tensor& tensor : design.tensors) {
            if (!isGiven(tensor)) continue;
            Items items{pythonString(m_plan.python(tensor.id)), m_plan.python(tensor.id), hostShape(m_plan, tensor),
                        acceptedTypes(m_plan, tensor)};
            if (tensor.format == Format::NZ) items.push_back(PyExpr::named("nz", "True"));
            m_out.statement({}, PyExpr::call("check_tensor", std::move(items)));
        }
        for (const HostParameter& each : m_parameters) {
            if (each.list == nullptr) continue;
            if (each.list->source == PlannedList::Source::Constant) {
                m_out.line("if list_of(" + each.name + ") != " + each.list->python + ":");
                m_out.line("    raise ValueError(f\"" + each.name + ": the kernel was compiled for {" +
                           each.list->python + "}\")");
            } else {
                const auto length = lengthOf(*each.list);
                if (!length) continue;
                m_out.line("if len(list_of(" + each.name + ")) != " + *length + ":");
                m_out.line("    raise ValueError(" + std::string(literalText(*length) ? "" : "f") + "\"" + each.name +
                           ": wanted " + (literalText(*length) ? *length : "{" + *length + "}") + " entries\")");
            }
        }
        writeListChecks(m_plan, m_out);
    }

    void wrapper() {
        const Design& design = m_plan.design();
        m_out.line("@allow_in_graph");
        m_out.statement("def " + m_plan.moduleName() + "_wrapper", PyExpr::call({}, parameterItems()), ":");
        const PythonIndent body(m_out);
        m_out.docString((design.title.empty() ? design.name : design.title) + ".", described(),
                        PythonWriter::DocLines::Tight);
        writeSymbols(m_plan, m_out);
        const std::string device = deviceOf();
        for (const Tensor& tensor : design.tensors) {
            if (isGiven(tensor)) continue;
            const bool zero = tensor.role == TensorRole::Workspace || startsFromZero(m_plan, tensor);
            m_out.assign(m_plan.python(tensor.id),
                         PyExpr::call(zero ? "torch.zeros" : "torch.empty",
                                      {hostShape(m_plan, tensor), PyExpr::named("dtype", torchType(tensor.dtype)),
                                       PyExpr::named("device", device)}));
        }
        const std::string result = results();
        m_out.blank();
        m_out.line("if isinstance(" + firstGiven() + ", FakeTensor):");
        m_out.line("    return " + result + "  # torch.compile only asks for the shapes");
        m_out.statement("", PyExpr::call("check_args", argumentItems()));
        Items arguments;
        for (const Tensor& tensor : design.tensors) {
            std::string name = m_plan.python(tensor.id);
            if (m_plan.isPackedScale(tensor))
                name = "scale_words(" + name + ")";
            else if (m_plan.argumentType(tensor) != tensor.dtype)
                name += ".to(" + torchType(m_plan.argumentType(tensor)) + ")";
            arguments.emplace_back(name);
        }
        for (const auto& [id, list] : m_plan.lists()) {
            if (list.source != PlannedList::Source::Parameter) continue;
            const std::string& parameter = list.parameter;
            const std::string values = list.list->form == ListForm::Plain ? "list_of(" + parameter + ")"
                                                                          : list.startsOf + "(" + parameter + ")";
            m_out.assign(list.python == parameter ? parameter : list.python,
                         PyExpr::call("torch.tensor", {values, PyExpr::named("dtype", "torch.int32"),
                                                       PyExpr::named("device", device)}));
            arguments.emplace_back(list.python);
        }
        m_out.statement("", PyExpr::call(m_plan.moduleName() + "_kernel", std::move(arguments)));
        m_out.line("return " + result);
    }

private:
    void startsOf(const PlannedList& list) {
        m_out.line("def " + list.startsOf + "(values):");
        const PythonIndent body(m_out);
        m_out.docString("First row of each group, then the end of the last one.");
        switch (list.list->form) {
            case ListForm::Counts: m_out.line("return [0, *accumulate(list_of(values))]"); break;
            case ListForm::PrefixSums: m_out.line("return [0, *list_of(values)]"); break;
            case ListForm::Rows:
                m_out.line("rows = list_of(values)");
                m_out.line("return [sum(row < group for row in rows) for group in range(" +
                           std::to_string(list.values.groups() + 1) + ")]");
                break;
            case ListForm::Plain: break;
        }
    }

    /// How many entries a list must have. One of form `rows` has an entry for each row of the axis that it cuts, which
    /// may be known at run time only.
    [[nodiscard]] std::optional<std::string> lengthOf(const PlannedList& list) const {
        const std::string now = std::to_string(list.values.values.size());
        if (list.list->form != ListForm::Rows) return now;
        if (list.list->total) return text(m_plan, m_plan.fold(*list.list->total)).flat();
        return m_plan.runtimeSymbols().empty() ? std::optional(now) : std::nullopt;
    }
    static bool literalText(const std::string& text) {
        return text.find_first_not_of("0123456789") == std::string::npos;
    }

    [[nodiscard]] bool usesLists() const {
        return std::any_of(m_parameters.begin(), m_parameters.end(),
                           [](const HostParameter& each) { return each.list != nullptr; });
    }
    [[nodiscard]] const Tensor* tensorOf(const std::string& id) const {
        for (const Tensor& tensor : m_plan.design().tensors)
            if (tensor.id.text == id) return &tensor;
        return nullptr;
    }
    [[nodiscard]] std::string firstGiven() const {
        for (const HostParameter& each : m_parameters)
            if (each.tensor != nullptr) return each.name;
        return "None";
    }
    [[nodiscard]] std::string deviceOf() const {
        const std::string first = firstGiven();
        return first == "None" ? "None" : first + ".device";
    }
    [[nodiscard]] std::string results() const {
        std::string out;
        for (const Tensor& tensor : m_plan.design().tensors)
            if (isReturned(tensor)) out += (out.empty() ? "" : ", ") + m_plan.python(tensor.id);
        return out;
    }
    [[nodiscard]] Items parameterItems() const {
        Items items;
        for (const HostParameter& each : m_parameters) {
            const bool fixed = each.list != nullptr && each.list->source == PlannedList::Source::Constant;
            items.push_back(fixed ? PyExpr::named(each.name, each.list->python) : PyExpr(each.name));
        }
        return items;
    }
    [[nodiscard]] Items argumentItems() const {
        Items items;
        for (const HostParameter& each : m_parameters) items.emplace_back(each.name);
        return items;
    }
    [[nodiscard]] std::vector<std::string> described() const {
        std::vector<std::string> out;
        for (const HostParameter& each : m_parameters) {
            std::string line = each.name + ": ";
            if (each.tensor != nullptr) {
                line += std::string(toText(each.tensor->dtype)) + " " + elementShape(m_plan, *each.tensor).flat();
                if (isPaired(each.tensor->dtype)) line += ", two values in a byte";
                if (each.tensor->format == Format::NZ) line += ", FRACTAL_NZ";
                if (each.tensor->role == TensorRole::InOut) line += ", written in place";
            } else {
                line += each.list->source == PlannedList::Source::Constant ? "fixed when the kernel is compiled"
                                                                           : "integers, read by the host";
            }
            out.push_back(line);
        }
        return out;
    }

    const KernelPlan& m_plan;
    PythonWriter& m_out;
    std::vector<HostParameter> m_parameters;
};

/// Does it go by a list that the caller gives? Its groups may leave rows out.
bool followsGivenList(const KernelPlan& plan, const Store& store) {
    const std::function<bool(const SymbolicPtr&)> entry = [&](const SymbolicPtr& tree) {
        const bool given = tree->kind == Symbolic::Kind::Entry && !plan.isConstantList(tree->name);
        return given || std::any_of(tree->arg.begin(), tree->arg.end(), entry);
    };
    return std::any_of(store.offset.begin(), store.offset.end(),
                       [&](const Expression& each) { return entry(plan.fold(each)); });
}

/// Do the stores that replace values walk over whole axes? Anything less plain counts as no.
bool isFilled(const KernelPlan& plan, const Tensor& tensor) {
    std::map<std::string, std::vector<std::string>> walked;  // by index, the axes of its loops
    const std::function<void(const std::vector<Block>&)> walk = [&](const std::vector<Block>& blocks) {
        for (const Block& block : blocks)
            if (const auto* loop = std::get_if<Loop>(&block.content)) {
                walked[loop->index].push_back(plan.key(plan.fold(loop->axis)));
                walk(loop->body);
            }
    };
    walk(plan.design().blocks);
    const auto fills = [&](const Store& store) {
        if (!store.offset.empty() && store.offset.size() != tensor.shape.size()) return false;
        const std::vector<Axis>& axes = plan.axes(store.from);
        const std::size_t dropped = tensor.shape.size() - std::min(axes.size(), tensor.shape.size());
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
            const SymbolicPtr offset = store.offset.empty() ? number(0) : plan.fold(store.offset[i]);
            const std::string extent = plan.key(plan.fold(tensor.shape[i]));
            if (literal(offset) == 0) {
                const std::string size = i < dropped ? "1"
                                                     : plan.key(axes[i - dropped].valid ? axes[i - dropped].valid
                                                                                        : axes[i - dropped].extent);
                const bool once = literal(plan.fold(tensor.shape[i])) == 1;
                if (!once && size != extent) return false;
                continue;
            }
            const std::vector<std::string> names = namesIn(symbolic(store.offset[i]));
            const bool whole = std::any_of(names.begin(), names.end(), [&](const std::string& each) {
                const auto found = walked.find(each);
                return found != walked.end() && std::all_of(found->second.begin(), found->second.end(),
                                                            [&](const std::string& axis) { return axis == extent; });
            });
            if (!whole) return false;
        }
        return true;
    };
    for (const ResolvedBlock& block : plan.resolved().blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store != nullptr && store->to == tensor.id && fills(*store)) return true;
    }
    return false;
}

}  // namespace

bool isCoded(DType type) {
    return isFloat(type) && type != DType::FP32 && type != DType::FP16 && type != DType::BF16;
}

std::string torchType(DType type) {
    switch (type) {
        case DType::FP32: return "torch.float32";
        case DType::FP16: return "torch.float16";
        case DType::BF16: return "torch.bfloat16";
        case DType::FP8E4M3: return "FP8_E4M3";
        case DType::FP8E5M2: return "FP8_E5M2";
        case DType::FP8E8M0: return "FP8_E8M0";
        case DType::HF8:
        case DType::FP4E2M1:
        case DType::FP4E1M2:
        case DType::INT4:
        case DType::UINT8: return "torch.uint8";
        case DType::INT8: return "torch.int8";
        case DType::INT16: return "torch.int16";
        case DType::INT32: return "torch.int32";
        case DType::INT64: return "torch.int64";
        case DType::BOOL: return "torch.bool";
    }
    return "torch.float32";
}

PyExpr elementShape(const KernelPlan& plan, const Tensor& tensor) {
    Items items;
    for (const SymbolicPtr& extent : plan.tensorShape(tensor)) items.push_back(text(plan, extent));
    return PyExpr::list(std::move(items));
}

PyExpr hostShape(const KernelPlan& plan, const Tensor& tensor) {
    Items items;
    std::vector<SymbolicPtr> extents = plan.tensorShape(tensor);
    if (isPaired(tensor.dtype) && !extents.empty())
        extents.back() = folded(
            binary(Symbolic::Kind::Div, extents.back(), number(2)), [](const auto&) { return std::nullopt; },
            [](const auto&, const auto&) { return nullptr; });
    for (const SymbolicPtr& extent : extents) items.push_back(text(plan, extent));
    return PyExpr::list(std::move(items));
}

void writeUnrolled(PythonWriter& out) {
    out.line("def unrolled(length, factors):");
    const PythonIndent inner(out);
    out.docString("Steps of an unrolled loop: the largest factor that still fits.");
    out.line("at = 0");
    out.line("while at < length:");
    out.line("    factor = next(each for each in factors if at + each <= length)");
    out.line("    yield at, factor");
    out.line("    at += factor");
}

void writeSymbols(const KernelPlan& plan, PythonWriter& out) {
    for (const SymbolSource& source : plan.runtimeSymbols()) {
        std::string value = plan.python(TensorId(source.tensor)) + ".shape[" + std::to_string(source.axis) + "]";
        if (source.inverse == SymbolSource::Inverse::Divide) value += " // " + std::to_string(source.by);
        if (source.inverse == SymbolSource::Inverse::Subtract) value += " - " + std::to_string(source.by);
        if (source.inverse == SymbolSource::Inverse::Add) value += " + " + std::to_string(source.by);
        out.line(plan.scalar(source.symbol) + " = " + value);
    }
}

bool isReturned(const Tensor& tensor) {
    return tensor.role == TensorRole::Output || tensor.role == TensorRole::InOut;
}

bool startsFromZero(const KernelPlan& plan, const Tensor& tensor) {
    for (const ResolvedBlock& block : plan.resolved().blocks)
        if (const auto* store = std::get_if<Store>(&block.block->content))
            if (store->to == tensor.id &&
                ((store->op != StoreOp::Slice && store->op != StoreOp::Assemble) || followsGivenList(plan, *store)))
                return true;
    // What no store is known to fill starts from zero, as the golden does. Without sizes that are read at run time the
    // case says it; with them the stores have to walk over all of each axis.
    const auto unwritten = rules::unwrittenElements(plan.resolved(), tensor);
    if (unwritten.value_or(0) > 0) return true;
    return !(unwritten && plan.runtimeSymbols().empty()) && !isFilled(plan, tensor);
}

std::vector<HostParameter> hostParameters(const KernelPlan& plan) {
    std::vector<HostParameter> out;
    for (const Tensor& tensor : plan.design().tensors)
        if (isGiven(tensor)) out.push_back({plan.python(tensor.id), &tensor, nullptr});
    for (const bool fixed : {false, true})
        for (const auto& [id, list] : plan.lists()) {
            const bool constant = list.source == PlannedList::Source::Constant;
            if ((constant || list.source == PlannedList::Source::Parameter) && constant == fixed)
                out.push_back({list.parameter, nullptr, &list});
        }
    return out;
}

void writeImports(const KernelPlan& plan, PythonWriter& out) {
    for (const auto& [id, list] : plan.lists())
        if (list.source == PlannedList::Source::Parameter && list.list->form == ListForm::Counts) {
            out.line("from itertools import accumulate");
            out.blank();
            break;
        }
    out.line("import pypto");
    out.line("import torch");
    out.line("from torch._subclasses.fake_tensor import FakeTensor");
    out.blank();
    out.line("try:");
    out.line("    import torch_npu");
    out.line("except ImportError:  # no NPU on this host");
    out.line("    torch_npu = None");
    out.blank();
    out.line("try:");
    out.line("    from torch._dynamo import allow_in_graph");
    out.line("except ImportError:  # torch 1.x has no torch.compile");
    out.blank();
    out.line("    def allow_in_graph(function):");
    out.line("        return function");
    out.blank(2);
    out.line("FRACTAL_NZ = 29");
    writeFloat8Names(plan, out);
}

void writeFloat8Names(const KernelPlan& plan, PythonWriter& out) {
    const auto alias = [&](DType type, const char* name) {
        const bool used = std::any_of(plan.design().tensors.begin(), plan.design().tensors.end(),
                                      [&](const Tensor& tensor) { return tensor.dtype == type; });
        if (used) out.line(torchType(type) + " = getattr(torch, \"" + name + "\", torch.uint8)");
    };
    alias(DType::FP8E4M3, "float8_e4m3fn");
    alias(DType::FP8E5M2, "float8_e5m2");
    alias(DType::FP8E8M0, "float8_e8m0fnu");
}

void writeHost(const KernelPlan& plan, PythonWriter& out) {
    HostWriter writer(plan, out);
    writer.helpers();
    out.blank(2);
    writer.wrapper();
}

}  // namespace cubist::pypto

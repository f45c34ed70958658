// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/module_reader.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/exchange/pypto/import/host_lists.h"
#include "core/exchange/pypto/import/vector_reader.h"

namespace cubist::pypto {
namespace {

using Variable = KernelScope::Variable;
using Note = std::function<void(const std::string&)>;

constexpr const char* kDefaultChip = "Ascend910B1";
constexpr std::int64_t kStaticLength = 64;
constexpr const char* kNewerChip = "Ascend950PR_958x";

/// The call or bare decorator `pypto.frontend.jit` of a function; an empty node when it has none.
AstNode jitOf(const AstNode& function) {
    for (const AstNode& each : function.list("decorator_list")) {
        const AstNode called = each.is("Call") ? each["func"] : each;
        const std::string name = called.dotted();
        if (name == "pypto.frontend.jit" || name == "pypto.jit" || name == "frontend.jit" || name == "jit") return each;
    }
    return AstNode();
}

/// Key and value of a dictionary, or of a call's keywords.
std::vector<std::pair<std::string, AstNode>> entriesOf(const AstNode& node) {
    std::vector<std::pair<std::string, AstNode>> out;
    if (node.is("Call"))
        for (const AstNode& each : node.list("keywords")) out.emplace_back(each.text("arg"), each["value"]);
    const auto keys = node.list("keys"), values = node.list("values");
    for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
        const auto number = keys[i].integer();
        out.emplace_back(number ? std::to_string(*number) : keys[i].string().value_or(""), values[i]);
    }
    return out;
}

void takeSetting(const AstNode& dict, Dictionary<std::int64_t>& counts, Dictionary<std::string>* sides,
                 const Note& note) {
    if (dict.is("Dict") || dict.is("Call"))
        counts.entries.clear();  // {} is a value of its own: automatic
    else
        note("a setting that is not written out is left out");
    for (const auto& [key, value] : entriesOf(dict)) {
        if (const auto count = value.integer()) {
            counts.set(key, *count);
            continue;
        }
        const auto parts = value.list("elts");
        if (parts.size() != 2 || !parts[0].integer()) {
            note("the value of the key '" + key + "' of a setting is not a number; it is left out");
            continue;
        }
        counts.set(key, *parts[0].integer());
        if (sides != nullptr) sides->set(key, parts[1].string().value_or("auto"));
    }
}

void takeRuntimeOptions(const AstNode& dict, Options& options, const Note& note) {
    for (const auto& [key, value] : entriesOf(dict)) {
        const auto number = value.integer();
        const auto into = [&](std::int64_t& field) {
            if (number)
                field = *number;
            else
                note("the value of the runtime option " + key + " is not a number; it is left out");
        };
        if (key == "device_sched_mode")
            into(options.deviceSchedMode);
        else if (key == "device_sched_parallelism")
            into(options.deviceSchedParallelism);
        else if (key == "stitch_function_max_num")
            into(options.stitchFunctionMaxNum);
        else if (key == "max_workspace_kb")
            into(options.maxWorkspaceKb);
        else if (key == "launch_sched_aicpu_num")
            into(options.launchSchedAicpuNum);
        else if (key == "launch_early_mode")
            options.launchEarlyMode = number;
        else if (key == "valid_shape_optimize")
            options.validShapeOptimize = number.value_or(0) != 0 || value.boolean().value_or(false);
        else if (key == "ready_on_host_tensors")
            for (const AstNode& each : value.list("elts"))
                options.readyOnHostTensors.emplace_back(each.string().value_or(""));
        else if (key.empty())
            note("runtime options behind ** are left out");
        else if (key != "run_mode")
            note("the runtime option " + key + " is not known");
    }
}

/// An axis whose length only the caller knows?
bool isDynamic(const AstNode& extent) {
    const std::string name = extent.dotted();
    if (extent.is("Constant") && extent.text("kind") == "ellipsis") return true;
    return extent.integer() == -1 || name == "pypto.DYNAMIC" || name == "pypto.DYN" || name == "pypto.STATIC";
}

std::optional<Tensor> tensorOf(const AstNode& parameter, KernelScope& scope, std::vector<std::int64_t>& extents,
                               const Note& note) {
    const AstNode annotation = parameter["annotation"];
    AstNode shape, type, format;
    const std::string kind = annotation.is("Call") ? annotation["func"].dotted() : std::string();
    if (kind == "pypto.Tensor" || kind == "pypto.tensor") {
        shape = annotation.argument(0, "shape");
        type = annotation.argument(1, "dtype");
        format = annotation.keyword("format");
    } else if (annotation.is("Subscript") && annotation["value"].dotted() == "pypto.Tensor") {
        const AstNode key = annotation["slice"];
        const auto parts = key.is("Tuple") ? key.list("elts") : std::vector<AstNode>{key};
        if (!parts.empty()) shape = parts[0];
        if (parts.size() > 1) type = parts[1];
        if (parts.size() > 2) format = parts[2];
    } else {
        return std::nullopt;
    }
    Tensor tensor;
    tensor.id = TensorId(std::string(parameter.text("arg")));
    const auto dtype = dtypeOf(type);
    if (!dtype) note("the type of the parameter " + tensor.id.text + " is not known; it is FP32 here");
    tensor.dtype = dtype.value_or(DType::FP32);
    const std::string layout = format.exists() ? format.dotted() : std::string("TILEOP_ND");
    if (layout.ends_with("TILEOP_NZ"))
        tensor.format = Format::NZ;
    else if (!layout.ends_with("TILEOP_ND"))
        note("the format of the parameter " + tensor.id.text + " is not known; it is ND here");
    for (const AstNode& each : shape.list("elts")) {
        // The name of a length that belongs to the function around the kernel.
        if (each.is("Name")) {
            const std::string length(each.text("id"));
            (void)scope.symbolOf(tensor.id.text, extents.size(), length);
            scope.defineStatic(length, kStaticLength);
        } else if (!each.integer() && !isDynamic(each))
            note("the length of axis " + std::to_string(extents.size()) + " of " + tensor.id.text +
                 " is no number here; it is taken as one that the caller gives");
        extents.push_back(std::max<std::int64_t>(0, each.integer().value_or(0)));
    }
    return tensor;
}

bool hasLoop(const std::vector<Block>& blocks, const std::function<bool(const Loop&)>& wanted) {
    return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
        const auto* loop = std::get_if<Loop>(&block.content);
        return loop != nullptr && (wanted(*loop) || hasLoop(loop->body, wanted));
    });
}

std::size_t cubesIn(const std::vector<Block>& blocks) {
    std::size_t count = 0;
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) count += cubesIn(loop->body);
        if (std::holds_alternative<CubeStage>(block.content)) ++count;
    }
    return count;
}

}  // namespace

void takePassOptions(const AstNode& call, Options& options, const Note& note) {
    for (const auto& [key, value] : entriesOf(call)) {
        if (key == "cube_l1_reuse_setting")
            takeSetting(value, options.cubeL1Reuse, &options.cubeL1ReuseSide, note);
        else if (key == "cube_nbuffer_setting")
            takeSetting(value, options.cubeNBuffer, nullptr, note);
        else if (key == "vec_nbuffer_setting")
            takeSetting(value, options.vecNBuffer, nullptr, note);
        else if (key == "auto_mix_partition")
            options.autoMixPartition = value.integer().value_or(0) != 0 || value.boolean().value_or(false);
        else if (key.empty())
            note("pass options behind ** are left out");
        else
            note("the pass option " + key + " is not known");
    }
}

void takeOptions(const AstNode& call, const std::string& function, Design& design, const Note& note) {
    for (const auto& [key, value] : entriesOf(call)) {
        if (key == "pass_options") takePassOptions(value, design.options, note);
        if (key == "runtime_options") takeRuntimeOptions(value, design.options, note);
        if (key == "codegen_options") {
            for (const auto& [option, setting] : entriesOf(value))
                if (const auto soc = setting.string(); soc && option == "soc_version") {
                    if (*soc != "A2A3") design.chip = ChipId("Ascend" + *soc);
                } else {
                    note("the codegen option " + option + " is not known");
                }
        }
        constexpr std::array<std::string_view, 8> kRead{"pass_options", "runtime_options",          "codegen_options",
                                                        "host_options", "verify_options",           "debug_options",
                                                        "new_ir",       "create_new_logical_tensor"};
        if (std::find(kRead.begin(), kRead.end(), key) == kRead.end())
            note(key.empty() ? "options of " + function + " behind ** are left out"
                             : "the option " + key + " of " + function + " is not known");
        const bool settings = key == "pass_options" || key == "runtime_options" || key == "codegen_options";
        if (settings && !value.is("Dict") && !value.is("Call"))
            note("the " + key + " of " + function + " are not written out; they are left out");
    }
}

Result<ModuleParts> readModule(const std::vector<AstNode>& module, const std::string& name, KernelScope& scope,
                               ReadKernel& out) {
    ModuleParts parts;
    for (const AstNode& node : module) {
        const auto targets = node.list("targets");
        if (node.is("Assign") && targets.size() == 1 && targets[0].is("Name")) {
            const std::string id(targets[0].text("id"));
            const AstNode value = node["value"];
            if (const auto text = value.string(); text && id == "CUBIST") out.record = *text;
            if (const auto number = value.integer())
                scope.define(id, {Variable::Kind::Scalar, {}, pypto::number(*number), {}});
            if (const auto numbers = integersOf(value)) scope.defineTuple(id, *numbers);
        }
        if (!node.is("FunctionDef")) continue;
        const std::string function(node.text("name"));
        if (jitOf(node).exists()) {
            if (parts.kernel.exists())
                out.notes.push_back({node.line(), "a second kernel, which is left out: " + function});
            else
                parts.kernel = node;
        } else if (function.ends_with("_wrapper")) {
            for (const AstNode& each : node["args"].list("args")) parts.given.emplace(each.text("arg"));
            for (const AstNode& each : node.list("body")) {
                if (!each.is("Return")) continue;
                const AstNode value = each["value"];
                if (value.is("Name")) parts.returned.emplace(value.text("id"));
                for (const AstNode& part : value.list("elts")) parts.returned.emplace(part.text("id"));
            }
        }
    }
    if (!parts.kernel.exists())
        return unexpected(ErrorCode::Syntax, "there is no function decorated with pypto.frontend.jit");

    Design& design = out.design;
    const Note note = [&](const std::string& why) { out.notes.push_back({parts.kernel.line(), why}); };
    constexpr std::string_view kSuffix = "_kernel";
    std::string kernel(parts.kernel.text("name"));
    if (kernel.ends_with(kSuffix)) kernel.resize(kernel.size() - kSuffix.size());
    design.name = kernel.empty() ? name : kernel;
    design.chip = ChipId(kDefaultChip);
    takeOptions(jitOf(parts.kernel), "jit", design, note);
    for (const AstNode& parameter : parts.kernel["args"].list("args")) {
        std::vector<std::int64_t> extents;
        const std::int64_t line = parameter.line();
        auto tensor = tensorOf(parameter, scope, extents, [&](const std::string& why) {
            out.notes.push_back({line, why});
        });
        parts.lines[std::string(parameter.text("arg"))] = line;
        if (!tensor || extents.empty()) {
            out.notes.push_back(
                {parameter.line(), "the parameter " + std::string(parameter.text("arg")) +
                                       " has no annotation pypto.Tensor with a shape, and nothing in the file "
                                       "says one: write pypto.Tensor([..], pypto.DT_..), or import the "
                                       "file that calls the kernel; it is left out"});
            continue;
        }
        scope.define(tensor->id.text, {Variable::Kind::Tensor, tensor->id.text, nullptr, extents});
        scope.setType(tensor->id.text, tensor->dtype);
        for (const std::int64_t extent : extents) tensor->shape.emplace_back(extent);
        design.tensors.push_back(*std::move(tensor));
    }
    return parts;
}

/// What only the 950 computes: products with scales, and numbers of 8 bits with an exponent or less.
bool needs950(const Design& design) {
    const std::function<bool(const std::vector<Block>&)> scaled = [&](const std::vector<Block>& blocks) {
        return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
            const auto* loop = std::get_if<Loop>(&block.content);
            const auto* cube = std::get_if<CubeStage>(&block.content);
            return (loop != nullptr && scaled(loop->body)) || (cube != nullptr && cube->op == CubeOp::ScaledMm);
        });
    };
    using enum DType;
    const std::set<DType> newer{FP8E4M3, FP8E5M2, FP8E8M0, HF8, FP4E2M1, FP4E1M2};
    return scaled(design.blocks) || std::any_of(design.tensors.begin(), design.tensors.end(),
                                                [&](const Tensor& each) { return newer.count(each.dtype) != 0; });
}

void finishDesign(const ModuleParts& parts, const KernelScope& scope, const TensorUses& uses, ReadKernel& out) {
    Design& design = out.design;
    const auto guess = [&](const std::string& tensor, const std::string& what) {
        const auto line = parts.lines.find(tensor);
        out.guesses.push_back({line == parts.lines.end() ? 0 : line->second, what, true});
    };
    std::map<std::string, std::string> symbols;  // what each is the length of
    for (Tensor& tensor : design.tensors) {
        const std::string& id = tensor.id.text;
        if (uses.written.count(id) != 0 && tensor.role != TensorRole::Workspace) {
            const bool given = parts.given.count(id) != 0;
            const bool returned = parts.returned.count(id) != 0;
            tensor.role = given                                  ? TensorRole::InOut
                          : !parts.returned.empty() && !returned ? TensorRole::Workspace
                          : (uses.read.count(id) != 0 || uses.added.count(id) != 0) && parts.given.empty()
                              ? TensorRole::InOut
                              : TensorRole::Output;
        }
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
            if (tensor.shape[axis].literal() != 0) continue;
            const auto named = scope.symbols().find({id, axis});
            const auto length = uses.lengths.find({id, axis});
            if (named != scope.symbols().end())
                tensor.shape[axis] = Expression(named->second);
            else if (length != uses.lengths.end())
                tensor.shape[axis] = length->second;
            else if (std::find(scope.hostTensors().begin(), scope.hostTensors().end(), id) != scope.hostTensors().end())
                tensor.shape[axis] = Expression("len(" + scope.hostList(id) + ")");
            else
                tensor.shape[axis] = Expression(id + "_" + std::to_string(axis));
            if (auto names = tensor.shape[axis].names())
                for (const std::string& each : *names) symbols.try_emplace(each, id);
        }
    }
    for (const auto& [place, extent] : scope.symbols())
        if (auto names = Expression(extent).names())
            for (const std::string& each : *names) symbols.try_emplace(each, place.first);
    for (const auto& [name, values] : scope.usedLists()) {
        List list;
        list.id = ListId(name);
        list.form = scope.countLists().count(name) != 0 ? ListForm::Counts : ListForm::Plain;
        list.value = values;
        design.lists.push_back(std::move(list));
    }
    const HostLists host(design, scope);
    for (const auto& [each, tensor] : symbols) {
        Symbol symbol;
        symbol.id = SymbolId(each);
        const auto fixed = scope.statics().find(each);
        symbol.isStatic = fixed != scope.statics().end();
        symbol.value = symbol.isStatic ? fixed->second : host.sizeOf(each);
        guess(tensor, each + " = " + std::to_string(symbol.value) + ": the shape of " + tensor +
                          " is known when the kernel is called, not from its text");
        design.symbols.push_back(std::move(symbol));
    }
    host.addTo(design, guess);

    if (design.chip.text == kDefaultChip && needs950(design)) {
        design.chip = ChipId(kNewerChip);
        out.guesses.push_back({parts.kernel.line(),
                               std::string("the chip is taken as ") + kNewerChip +
                                   ": the kernel does not name one, and the 910B has neither scaled_mm nor FP8",
                               true});
    }
    // A kernel does not say how it is judged; what is rounded to 8 or 11 bits is not held to 1e-3.
    for (const Tensor& tensor : design.tensors)
        if (uses.written.count(tensor.id.text) != 0 && (tensor.dtype == DType::BF16 || tensor.dtype == DType::FP16))
            design.tolerance.dtypeDefaults = true;

    design.skeleton.variant = Variant::A;
    if (hasLoop(design.blocks, [](const Loop&) { return true; }))
        design.skeleton.variant = cubesIn(design.blocks) > 1 ? Variant::D : Variant::C;
    if (hasLoop(design.blocks, [](const Loop& loop) { return loop.parallel; })) design.skeleton.variant = Variant::B;
    // Groups written out, unless another loop walks along an axis that only the caller knows.
    const bool walks = hasLoop(design.blocks, [](const Loop& loop) {
        const auto names = loop.axis.names();
        return loop.form != LoopKind::Static && names && !names->empty();
    });
    if (!walks && hasLoop(design.blocks, [](const Loop& loop) { return loop.form == LoopKind::Static; }))
        design.skeleton.variant = Variant::BStatic;
}

}  // namespace cubist::pypto

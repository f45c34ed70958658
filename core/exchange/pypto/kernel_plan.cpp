// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/kernel_plan.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/exchange/pypto/value_shapes.h"

namespace cubist::pypto {
namespace {

void walk(const std::vector<Block>& blocks,
          const std::function<void(const Expression&, ExpressionPlace, const Loop*)>& visit, const Loop* around) {
    const auto all = [&](const std::vector<Expression>& list, ExpressionPlace place) {
        for (const Expression& expression : list) visit(expression, place, around);
    };
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            visit(loop->axis, ExpressionPlace::LoopAxis, loop);
            visit(loop->tile, ExpressionPlace::LoopTile, loop);
            walk(loop->body, visit, loop);
        } else if (const auto* view = std::get_if<View>(&block.content)) {
            all(view->shape, ExpressionPlace::ViewShape);
            all(view->offset, ExpressionPlace::ViewOffset);
            all(view->valid, ExpressionPlace::ViewValid);
        } else if (const auto* store = std::get_if<Store>(&block.content)) {
            all(store->offset, ExpressionPlace::StoreOffset);
        } else if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            all(cube->matrixSize, ExpressionPlace::Other);
        } else if (const auto* vector = std::get_if<VectorStage>(&block.content)) {
            for (const VectorOp& op : vector->ops) all(op.range, ExpressionPlace::Other);
        }
    }
}

/// Calls `visit` for every use of a list in a tree.
void listUses(const SymbolicPtr& tree, const std::function<void(const Symbolic&)>& visit) {
    if (tree->kind == Symbolic::Kind::Entry || tree->kind == Symbolic::Kind::OfList) visit(*tree);
    for (const SymbolicPtr& argument : tree->arg) listUses(argument, visit);
}

void collectLoops(const std::vector<Block>& blocks, std::vector<const Loop*>& loops) {
    for (const Block& block : blocks)
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            loops.push_back(loop);
            collectLoops(loop->body, loops);
        }
}

bool isFromCaller(const Tensor& tensor) {
    return tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
}

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

/// Is the group at least the second one, whatever the loops do? (`e + 1`)
bool isShifted(const SymbolicPtr& group) {
    if (const auto value = literal(group)) return *value >= 1;
    if (group->kind != Symbolic::Kind::Add) return false;
    const auto added = literal(group->arg[1]);
    return added && *added >= 1 && group->arg[0]->kind == Symbolic::Kind::Name;
}

SymbolicPtr entryOf(const std::string& list, SymbolicPtr index) {
    return std::make_shared<const Symbolic>(Symbolic{Symbolic::Kind::Entry, 0, list, {}, {std::move(index)}});
}

SymbolicPtr plus(const SymbolicPtr& tree, std::int64_t value) {
    return folded(
        binary(Symbolic::Kind::Add, tree, number(value)), [](const auto&) { return std::nullopt; },
        [](const auto&, const auto&) { return nullptr; });
}

/// The number that an expression's only symbol is multiplied by or moved by.
std::optional<SymbolSource> solved(const SymbolicPtr& tree, const std::string& symbol) {
    using Kind = Symbolic::Kind;
    const auto is = [&](const SymbolicPtr& side) { return side->kind == Kind::Name && side->name == symbol; };
    SymbolSource source;
    source.symbol = symbol;
    if (is(tree)) return source;
    if (tree->arg.size() != 2) return std::nullopt;
    const auto other = is(tree->arg[0])   ? literal(tree->arg[1])
                       : is(tree->arg[1]) ? literal(tree->arg[0])
                                          : std::nullopt;
    if (!other) return std::nullopt;
    source.by = *other;
    if (tree->kind == Kind::Mul && *other > 0) {
        source.inverse = SymbolSource::Inverse::Divide;
        return source;
    }
    if (tree->kind == Kind::Add) {
        source.inverse = SymbolSource::Inverse::Subtract;
        return source;
    }
    if (tree->kind == Kind::Sub && is(tree->arg[0])) {
        source.inverse = SymbolSource::Inverse::Add;
        return source;
    }
    return std::nullopt;
}

}  // namespace

bool isPaired(DType type) {
    return type == DType::FP4E2M1 || type == DType::FP4E1M2;
}

void forEachExpression(const std::vector<Block>& blocks,
                       const std::function<void(const Expression&, ExpressionPlace, const Loop*)>& visit) {
    walk(blocks, visit, nullptr);
}

Result<KernelPlan> KernelPlan::make(std::shared_ptr<const Design> design, const Binding& binding) {
    KernelPlan plan;
    plan.m_design = std::move(design);
    CUBIST_TRY(plan.m_resolved, resolve(*plan.m_design, binding));
    plan.m_module = identifier(plan.m_design->name);
    std::vector<const Loop*> loops;
    collectLoops(plan.m_design->blocks, loops);
    for (const Loop* loop : loops) {
        (loop->form == LoopKind::Static ? plan.m_compileTime : plan.m_runtimeIndices).insert(loop->index);
        if (loop->form == LoopKind::Unroll) plan.m_compileTime.insert(loop->factor);
    }
    plan.classifyScales();
    plan.classifyLists();
    plan.classifySymbols();
    plan.findSingleSteps(loops);
    plan.nameEverything();
    planValueShapes(plan.m_resolved, plan, plan.m_axes, plan.m_problems);
    return plan;
}

/// scale_tensor wants words: a float tensor of the caller is packed by the host; what the kernel computes cannot be.
void KernelPlan::classifyScales() {
    std::map<std::string, int> uses;  // as anything else than a scale
    const auto root = [&](const ValueId& id) -> const Tensor* {
        const ResolvedValue* value = m_resolved.value(id);
        return value == nullptr ? nullptr : value->tensor;
    };
    const auto use = [&](const ValueId& id) {
        if (const Tensor* tensor = root(id)) ++uses[tensor->id.text];
    };
    std::vector<const ResolvedBlock*> scaled;
    for (const ResolvedBlock& block : m_resolved.blocks) {
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            for (const ValueId* id : {&cube->a, &cube->b, &cube->scaleA, &cube->scaleB, &cube->bias})
                if (!id->empty()) use(*id);
            if (!cube->scaleTensor.empty()) scaled.push_back(&block);
        }
        if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
            for (const VectorOp& op : vector->ops)
                for (const Operand& operand : op.in)
                    if (const ValueId* id = operand.value()) use(*id);
        if (const auto* store = std::get_if<Store>(&block.block->content)) {
            use(store->from);
            if (const Tensor* tensor = root(ValueId(store->to.text))) ++uses[tensor->id.text];
        }
    }
    for (const ResolvedBlock* block : scaled) {
        const ValueId& id = std::get<CubeStage>(block->block->content).scaleTensor;
        const ResolvedValue* value = m_resolved.value(id);
        if (value == nullptr || !isFloat(value->dtype)) continue;
        if (value->tensor != nullptr && isFromCaller(*value->tensor) && uses[value->tensor->id.text] == 0) {
            m_scaleTensors.insert(value->tensor->id.text);
            continue;
        }
        m_problems.push_back(
            {"EXP-05", block->where + "/scale_tensor", block->block->id(),
             "a matmul takes scale_tensor as words of 64 bits, which the host makes of an input: '" + id.text +
                 "' is computed by the kernel or used elsewhere too",
             "matmul 的 scale_tensor 须为 64 位字，由主机从输入转换：'" + id.text + "' 由内核计算得到或另有他用"});
    }
}

void KernelPlan::classifyLists() {
    for (const List& list : m_design->lists) {
        PlannedList planned;
        planned.list = &list;
        if (const IntegerList* values = m_resolved.binding.lists.find(list.id.text)) planned.values = *values;
        m_lists[list.id.text] = planned;
    }
    const auto tensorOfList = [&](const std::string& list) -> const Tensor* {
        for (const Tensor& tensor : m_design->tensors)
            if (tensor.data.list.text == list && tensor.dtype == DType::INT32 && isFromCaller(tensor)) return &tensor;
        return nullptr;
    };
    std::map<std::string, bool> shifted;  // every use of a group at run time is of `x + 1`
    const auto note = [&](const Symbolic& use) {
        const auto found = m_lists.find(use.name);
        if (found == m_lists.end() || use.arg.empty()) return;
        PlannedList& list = found->second;
        const std::vector<std::string> names = namesIn(use.arg[0]);
        const bool runtime = std::any_of(names.begin(), names.end(),
                                         [&](const std::string& each) { return m_runtimeIndices.count(each) != 0; });
        if (!runtime) {
            if (list.source == PlannedList::Source::Unused) list.source = PlannedList::Source::Constant;
            return;
        }
        const auto entry = shifted.try_emplace(use.name, true).first;
        if (use.kind != Symbolic::Kind::Entry && !isShifted(use.arg[0])) entry->second = false;
        list.source = PlannedList::Source::Parameter;
    };
    forEachExpression(m_design->blocks, [&](const Expression& expression, ExpressionPlace, const Loop*) {
        listUses(symbolic(expression), note);
    });
    for (auto& [id, list] : m_lists) {
        if (list.source != PlannedList::Source::Parameter) continue;
        const Tensor* tensor = tensorOfList(id);
        const bool plain = list.list->form == ListForm::Plain;
        if (tensor != nullptr && (plain || (list.list->form == ListForm::PrefixSums && shifted[id]))) {
            list.source = PlannedList::Source::Tensor;
            list.python = tensor->id.text;
        }
    }
}

void KernelPlan::classifySymbols() {
    std::set<std::string> forced, cut, used;
    const auto force = [&](const Expression& expression) {
        for (const std::string& each : namesIn(symbolic(expression))) forced.insert(each);
    };
    const auto forceTensor = [&](const ValueId& id) {
        const ResolvedValue* value = m_resolved.value(id);
        if (value == nullptr || value->kind != ResolvedValue::Kind::Tensor || value->tensor == nullptr) return;
        for (const Expression& extent : value->tensor->shape) force(extent);
    };
    for (const ResolvedBlock& block : m_resolved.blocks) {
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
            for (const ValueId& id : operandsOf(*cube)) forceTensor(id);
        if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
            for (const VectorOp& op : vector->ops) {
                for (const Operand& operand : op.in)
                    if (const ValueId* id = operand.value()) forceTensor(*id);
                for (const Expression& each : op.range) force(each);
            }
        if (const auto* store = std::get_if<Store>(&block.block->content)) {
            forceTensor(store->from);
            if (!store->index.empty()) forceTensor(store->index);
        }
    }
    forEachExpression(m_design->blocks, [&](const Expression& expression, ExpressionPlace place, const Loop* loop) {
        const std::vector<std::string> names = namesIn(symbolic(expression));
        const bool ofLoop = place == ExpressionPlace::LoopAxis || place == ExpressionPlace::LoopTile;
        for (const std::string& each : names) {
            if (ofLoop && loop->form == LoopKind::Static) forced.insert(each);
            if (place == ExpressionPlace::LoopTile || place == ExpressionPlace::ViewShape) forced.insert(each);
            if (place == ExpressionPlace::LoopAxis && loop->form != LoopKind::Static) cut.insert(each);
            if (place == ExpressionPlace::Other) forced.insert(each);
            used.insert(each);
        }
    });
    for (const auto& [id, list] : m_lists)
        if (list.source == PlannedList::Source::Constant && list.list->total) force(*list.list->total);

    for (const Symbol& symbol : m_design->symbols) {
        const std::string& id = symbol.id.text;
        if (m_design->skeleton.variant == Variant::BStatic || symbol.isStatic || forced.count(id) != 0) continue;
        if (cut.count(id) == 0 && used.count(id) != 0) continue;
        const auto constants = [&](const std::string& other) -> std::optional<std::int64_t> {
            if (other == id) return std::nullopt;
            const std::int64_t* value = m_resolved.binding.symbols.find(other);
            return value == nullptr ? std::nullopt : std::optional(*value);
        };
        std::optional<SymbolSource> best;
        for (const Tensor& tensor : m_design->tensors) {
            if (!isFromCaller(tensor)) continue;
            // The last axis of pairs has half its length on the host.
            const std::size_t axes = tensor.shape.size() - (isPaired(tensor.dtype) && !tensor.shape.empty() ? 1 : 0);
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const SymbolicPtr tree =
                    folded(symbolic(tensor.shape[axis]), constants, [](const auto&, const auto&) { return nullptr; });
                auto source = solved(tree, id);
                if (!source) continue;
                const bool exact = source->inverse == SymbolSource::Inverse::None;
                if (best && (!exact || best->inverse == SymbolSource::Inverse::None)) continue;
                source->tensor = tensor.id.text;
                source->axis = axis;
                best = source;
            }
        }
        if (best) m_runtime.push_back(*best);
    }
}

bool KernelPlan::isConstantList(const std::string& name) const {
    return std::none_of(m_lists.begin(), m_lists.end(), [&](const auto& each) {
        return each.second.python == name && each.second.source != PlannedList::Source::Constant;
    });
}

bool KernelPlan::isRuntime(const std::string& symbol) const {
    return std::any_of(m_runtime.begin(), m_runtime.end(),
                       [&](const SymbolSource& source) { return source.symbol == symbol; });
}

std::string KernelPlan::unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !m_taken.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
    return name;
}

void KernelPlan::nameEverything() {
    m_taken.insert(m_module + "_kernel");
    m_taken.insert(m_module + "_wrapper");
    for (const Tensor& tensor : m_design->tensors) m_values[tensor.id.text] = unique(identifier(tensor.id.text));
    for (auto& [id, list] : m_lists) {
        if (list.source != PlannedList::Source::Constant && list.source != PlannedList::Source::Parameter) continue;
        list.parameter = unique(identifier(id));
        list.startsOf = unique("starts_of_" + list.parameter);
    }
    for (const SymbolSource& source : m_runtime) m_scalars[source.symbol] = unique(identifier(source.symbol));
    for (const auto* names : {&m_runtimeIndices, &m_compileTime})
        for (const std::string& each : *names) m_scalars[each] = unique(identifier(each));
    for (auto& [id, list] : m_lists) {
        if (list.source == PlannedList::Source::Constant) list.python = unique(upper(identifier(id)));
        if (list.source == PlannedList::Source::Tensor) list.python = m_values[list.python];
        if (list.source == PlannedList::Source::Parameter)
            list.python = list.list->form == ListForm::Plain ? list.parameter : unique(list.parameter + "_starts");
    }
    const auto add = [&](const ValueId& value) {
        if (!value.empty()) m_values[value.text] = unique(identifier(value.text));
    };
    for (const ResolvedBlock& block : m_resolved.blocks) {
        if (const auto* view = std::get_if<View>(&block.block->content)) add(view->out);
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) add(cube->out);
        if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
            for (const VectorOp& op : vector->ops) {
                add(op.out);
                add(op.out2);
            }
        if (const auto* store = std::get_if<Store>(&block.block->content))
            if (const ResolvedValue* index = store->index.empty() ? nullptr : m_resolved.value(store->index))
                if (index->tensor != nullptr) m_indexTensors.insert(index->tensor->id.text);
    }
}

const std::string& KernelPlan::python(const ValueId& value) const {
    static const std::string nothing;
    const auto found = m_values.find(value.text);
    return found == m_values.end() ? nothing : found->second;
}

std::string KernelPlan::scalar(const std::string& name) const {
    const auto found = m_scalars.find(name);
    return found == m_scalars.end() ? name : found->second;
}

std::string KernelPlan::innermostIndex(const SymbolicPtr& tree, const std::vector<const Loop*>& loops) const {
    const std::vector<std::string> names = namesIn(tree);
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
        if (std::find(names.begin(), names.end(), (*loop)->index) != names.end()) return scalar((*loop)->index);
    return "axis";
}

SymbolicPtr KernelPlan::listTree(const Symbolic& use, const SymbolicPtr& argument) const {
    const auto found = m_lists.find(use.name);
    if (found == m_lists.end()) return nullptr;
    const PlannedList& list = found->second;
    const auto& values = list.values;
    if (use.function == "len") return number(static_cast<std::int64_t>(values.values.size()));
    if (use.function == "groups") return number(values.groups());
    const bool atRuntime = list.source == PlannedList::Source::Tensor || list.source == PlannedList::Source::Parameter;
    if (use.function == "sum") {
        if (!atRuntime) return number(values.sum());
        if (list.source == PlannedList::Source::Tensor)
            return entryOf(list.python, number(static_cast<std::int64_t>(values.values.size()) - 1));
        return entryOf(list.python, number(values.groups()));
    }
    const auto at = literal(argument);
    if (at && !atRuntime) {
        if (use.kind == Symbolic::Kind::Entry) {
            const bool inside = *at >= 0 && *at < static_cast<std::int64_t>(values.values.size());
            return number(inside ? values.values[static_cast<std::size_t>(*at)] : 0);
        }
        return number(use.function == "start" ? values.start(*at) : values.count(*at));
    }
    if (use.kind == Symbolic::Kind::Entry) return entryOf(list.python, argument);
    const bool counts = list.list->form == ListForm::Counts;
    if (list.source == PlannedList::Source::Constant) {
        const std::string starts = list.python + "_STARTS";
        if (use.function == "start") return entryOf(starts, argument);
        if (counts) return entryOf(list.python, argument);
        return binary(Symbolic::Kind::Sub, entryOf(starts, plus(argument, 1)), entryOf(starts, argument));
    }
    const std::int64_t shift = list.source == PlannedList::Source::Tensor ? -1 : 0;
    const SymbolicPtr first = entryOf(list.python, plus(argument, shift));
    if (use.function == "start") return first;
    return binary(Symbolic::Kind::Sub, entryOf(list.python, plus(argument, shift + 1)), first);
}

SymbolicPtr KernelPlan::fold(const Expression& expression) const {
    return byStep(folded(
        symbolic(expression),
        [&](const std::string& each) -> std::optional<std::int64_t> {
            if (m_zeroIndices.count(each) != 0) return 0;
            if (isRuntime(each) || m_runtimeIndices.count(each) != 0 || m_compileTime.count(each) != 0)
                return std::nullopt;
            const std::int64_t* value = m_resolved.binding.symbols.find(each);
            return value == nullptr ? std::nullopt : std::optional(*value);
        },
        [&](const Symbolic& use, const SymbolicPtr& argument) { return listTree(use, argument); }));
}

bool KernelPlan::isCompileTime(const SymbolicPtr& tree) const {
    using Kind = Symbolic::Kind;
    if (tree->kind == Kind::Name) return m_compileTime.count(tree->name) != 0;
    if (tree->kind == Kind::Min || tree->kind == Kind::Max) return false;  // pypto.min makes a symbolic scalar
    if (tree->kind == Kind::Entry && !isConstantList(tree->name)) return false;
    return std::all_of(tree->arg.begin(), tree->arg.end(),
                       [&](const SymbolicPtr& each) { return isCompileTime(each); });
}

std::string KernelPlan::key(const SymbolicPtr& tree) const {
    return pythonText(tree, {[&](const std::string& each) { return scalar(each); }, true,
                             [&](const SymbolicPtr& each) { return isCompileTime(each); }});
}

SymbolicPtr KernelPlan::withVariables(const SymbolicPtr& tree) const {
    const auto found = m_variables.find(key(tree));
    if (found != m_variables.end()) return name(found->second);
    if (tree->arg.empty()) return tree;
    Symbolic copy = *tree;
    for (SymbolicPtr& argument : copy.arg) argument = withVariables(argument);
    return std::make_shared<const Symbolic>(std::move(copy));
}

std::string KernelPlan::text(const SymbolicPtr& tree) const {
    return key(m_variables.empty() ? tree : withVariables(tree));
}

void KernelPlan::bindVariable(const SymbolicPtr& tree, const std::string& variable) {
    m_variables[key(tree)] = variable;
}

void KernelPlan::forgetVariable(const SymbolicPtr& tree) {
    m_variables.erase(key(tree));
}

const std::vector<Axis>& KernelPlan::axes(const ValueId& value) const {
    static const std::vector<Axis> nothing;
    const auto found = m_axes.find(value.text);
    return found == m_axes.end() ? nothing : found->second;
}

std::vector<SymbolicPtr> KernelPlan::tensorShape(const Tensor& tensor) const {
    std::vector<SymbolicPtr> shape;
    for (const Expression& extent : tensor.shape) shape.push_back(fold(extent));
    return shape;
}

DType KernelPlan::argumentType(const Tensor& tensor) const {
    if (isPackedScale(tensor)) return DType::INT64;
    const bool index = m_indexTensors.count(tensor.id.text) != 0 && tensor.role == TensorRole::Input;
    return index && tensor.dtype == DType::INT32 ? DType::INT64 : tensor.dtype;
}

}  // namespace cubist::pypto

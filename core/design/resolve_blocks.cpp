// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/resolve_blocks.h"

#include <algorithm>

#include "core/design/indexed_store.h"
#include "core/design/vector_op_info.h"

namespace cubist {
namespace detail {

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

/// What to do about a window [at, at + valid) that is not inside of [0, extent).
static std::string adviceOnBounds(std::int64_t at, std::int64_t extent) {
    if (at < 0) return "; an offset is 0 or more: let the first iteration begin at 0";
    if (at >= extent) return "; it begins beyond the end: let the loop run less often";
    return "; give the last iteration a smaller valid shape";
}

Result<void> Resolver::resolveBlock(std::size_t index) {
    m_block = &m_design.blocks[index];
    m_index = index;
    const auto& content = m_block->block->content;
    if (const auto* view = std::get_if<View>(&content)) return resolveView(*view);
    if (const auto* cube = std::get_if<CubeStage>(&content)) return resolveCube(*cube);
    if (const auto* vector = std::get_if<VectorStage>(&content)) return resolveVector(*vector);
    if (const auto* store = std::get_if<Store>(&content)) return resolveStore(*store);
    return unexpected(ErrorCode::Internal, "a loop is not a leaf of the block tree", m_block->where);
}

Result<void> Resolver::resolveView(const View& view) {
    const std::string& where = m_block->where;
    CUBIST_TRY(const ResolvedValue* of, operand(view.of, where + "/of"));
    if (of->kind != ResolvedValue::Kind::Tensor && of->kind != ResolvedValue::Kind::View)
        return unexpected(ErrorCode::Unsupported,
                          "a view of the stage result '" + view.of.text + "' is not supported; view a tensor",
                          where + "/of");
    CUBIST_CHECK_OK(checkNames(view.offset, where + "/offset"));
    CUBIST_CHECK_OK(checkNames(view.shape, where + "/shape"));
    CUBIST_CHECK_OK(checkNames(view.valid, where + "/valid"));
    const std::size_t rank = of->shape.size();
    ResolvedValue value;
    value.kind = ResolvedValue::Kind::View;
    value.name = view.out;
    value.dtype = of->dtype;
    value.tensor = of->tensor;
    value.view = &view;
    value.producer = view.id;
    value.block = m_index;
    CUBIST_TRY(value.shape, roomOf(view));
    for (std::size_t axis = 0; axis < value.shape.size(); ++axis)
        if (value.shape[axis] < 1)
            return unexpected(ErrorCode::BadValue,
                              "an axis of the view is " + std::to_string(value.shape[axis]) + ", it must be at least 1",
                              where + "/shape/" + std::to_string(axis));
    const std::vector<std::int64_t> parent = of->shape;
    const std::size_t axes = view.shape.size();
    if (axes == 0 || axes > rank || (!view.valid.empty() && view.valid.size() != axes))
        return unexpected(ErrorCode::BadValue,
                          "shape and valid of a view have as many entries as '" + view.of.text + "' has axes (" +
                              std::to_string(rank) + "), or fewer: the axes in front are then dropped",
                          where + (axes == 0 || axes > rank ? "/shape" : "/valid"));
    if (view.offset.size() != rank)
        return unexpected(ErrorCode::BadValue,
                          "the offset of a view has as many entries as '" + view.of.text + "' has axes (" +
                              std::to_string(rank) + ")",
                          where + "/offset");
    for (std::size_t axis = 0; axis < axes; ++axis) {
        CUBIST_TRY(const bool constant, isConstant(view.shape[axis]));
        if (!constant)
            problem(ShapeProblem::Kind::NotConstant, where + "/shape/" + std::to_string(axis),
                    "the shape of a view is constant: '" + view.shape[axis].text() +
                        "' varies; put it into 'valid', or declare its symbols static");
    }
    CUBIST_CHECK_OK(define(std::move(value), where + "/out"));
    return checkBounds(view.offset, parent, view.out, "the view");
}

Result<std::vector<std::int64_t>> Resolver::roomOf(const View& view) {
    const std::string where = m_block->where + "/shape";
    const IndexValues factors = largestFactors();
    std::vector<std::int64_t> room(view.shape.size(), 1);
    for (std::size_t axis = 0; axis < room.size(); ++axis) {
        const std::string at = where + "/" + std::to_string(axis);
        const auto blame = [&](Error error) {
            error.where = at;
            return unexpected(std::move(error));
        };
        CUBIST_TRY(const auto names, view.shape[axis].names());
        const std::vector<std::size_t> loops = loopsOf(names);
        if (loops.empty()) {
            auto extent = view.shape[axis].evaluate(lookupWith(m_design, factors));
            if (!extent) return blame(std::move(extent).error());
            room[axis] = *extent;
            continue;
        }
        CUBIST_TRY(const bool constant, isConstant(view.shape[axis]));
        constexpr std::int64_t kMost = 4096, kMostCopies = 1 << 20;
        for (IndexValues indices : someExecutions(m_design, loops, constant ? kMostCopies : kMost)) {
            indices.insert(factors.begin(), factors.end());
            auto extent = view.shape[axis].evaluate(lookupWith(m_design, indices));
            if (!extent) return blame(std::move(extent).error());
            room[axis] = std::max(room[axis], *extent);
        }
    }
    return room;
}

std::vector<std::size_t> Resolver::loopsOf(const std::vector<std::string>& names) const {
    std::vector<std::size_t> loops;
    std::vector<std::string> ofAxes;
    const auto in = [](const std::vector<std::string>& list, const std::string& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (auto number = m_block->loops.rbegin(); number != m_block->loops.rend(); ++number) {
        const ResolvedLoop& loop = m_design.loops[*number];
        const bool sets = in(names, loop.loop->index) || in(ofAxes, loop.loop->index) ||
                          (loop.loop->form == LoopKind::Unroll && in(ofAxes, loop.loop->factor));
        if (!sets) continue;
        loops.insert(loops.begin(), *number);
        // How often it runs may depend on loops around it.
        if (const auto more = loop.loop->axis.names()) ofAxes.insert(ofAxes.end(), more->begin(), more->end());
    }
    return loops;
}

/// A factor is a constant of the code path that is made for it, the index of a loop that is written out one of the
/// copy, and there a list is one too; a static symbol is a constant of the compilation.
Result<bool> Resolver::isConstant(const Expression& expression) const {
    if (expression.literal()) return true;
    CUBIST_TRY(const auto names, expression.names());
    CUBIST_TRY(const auto lists, expression.lists());
    const auto anyLoop = [&](const auto& matches) {
        return std::any_of(m_block->loops.begin(), m_block->loops.end(),
                           [&](std::size_t number) { return matches(*m_design.loops[number].loop); });
    };
    const auto isWrittenOut = [](const Loop& loop) { return loop.form == LoopKind::Static; };
    if (!lists.empty() && !anyLoop(isWrittenOut)) return false;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return isStaticSymbol(*m_design.design, name) || anyLoop([&](const Loop& loop) {
                   return (isWrittenOut(loop) && loop.index == name) ||
                          (loop.form == LoopKind::Unroll && loop.factor == name);
               });
    });
}

Result<void> Resolver::resolveVector(const VectorStage& stage) {
    if (stage.ops.empty())
        return unexpected(ErrorCode::BadValue, "a vector stage needs at least one operation", m_block->where + "/ops");
    for (std::size_t i = 0; i < stage.ops.size(); ++i) {
        const VectorOp& op = stage.ops[i];
        const std::string where = m_block->where + "/ops/" + std::to_string(i);
        std::vector<OperandType> operands;
        for (std::size_t j = 0; j < op.in.size(); ++j) {
            OperandType type;
            type.number = op.in[j].value() == nullptr;
            if (!type.number) {
                CUBIST_TRY(const ResolvedValue* in, operand(*op.in[j].value(), where + "/in/" + std::to_string(j)));
                type.shape = in->shape;
                type.dtype = in->dtype;
            }
            operands.push_back(std::move(type));
        }
        std::int64_t rangeCount = 1;
        if (op.op == VectorOpCode::Arange) {
            CUBIST_TRY(rangeCount, elementsOfRange(op, where + "/range"));
        }
        OpResultType result = inferOp(op, operands, rangeCount);
        if (result.problem) {
            const OpProblem& found = *result.problem;
            switch (found.kind) {
                case OpProblem::Kind::Count:
                    return unexpected(ErrorCode::BadValue, found.message, where + "/" + found.key);
                case OpProblem::Kind::Attribute:
                    return unexpected(op.op == VectorOpCode::Cast ? ErrorCode::MissingKey : ErrorCode::BadValue,
                                      found.message, where + "/" + found.key);
                case OpProblem::Kind::Rank:
                    problem(ShapeProblem::Kind::Rank, where + "/" + found.key, found.message);
                    break;
                case OpProblem::Kind::Broadcast:
                    problem(ShapeProblem::Kind::Broadcast, where + "/" + found.key, found.message);
                    break;
            }
        }
        ResolvedValue value;
        value.kind = ResolvedValue::Kind::OpResult;
        value.name = op.out;
        value.producer = stage.id;
        value.block = m_index;
        value.op = i;
        value.sound = !result.problem;
        value.shape = std::move(result.shape);
        value.dtype = result.dtype;
        ResolvedValue second = value;
        CUBIST_CHECK_OK(define(std::move(value), where + "/out"));
        if (op.out2.empty()) continue;
        second.name = op.out2;
        second.second = true;
        second.shape = std::move(result.shape2);
        second.dtype = result.dtype2;
        CUBIST_CHECK_OK(define(std::move(second), where + "/out2"));
    }
    return {};
}

/// The length has to be the same in all iterations: it is part of a shape.
Result<std::int64_t> Resolver::elementsOfRange(const VectorOp& op, const std::string& where) {
    CUBIST_CHECK_OK(checkNames(op.range, where));
    std::optional<std::int64_t> count;
    for (const IndexValues& indices : checkedIterations()) {
        CUBIST_TRY(const auto values, evaluateAll(op.range, op.range.size(), lookupWith(m_design, indices), where));
        if (values.empty() || values.size() > 3) return 1;  // inferOp says what is wrong
        const Range range = rangeOf(values);
        const auto length = rangeLength(range.start, range.end, range.step);
        if (length && *length > 0x7FFFFFFF)
            return unexpected(ErrorCode::BadValue, "the range has more elements than a tensor may have", where);
        if (count && length.value_or(0) != *count)
            problem(ShapeProblem::Kind::NotConstant, where,
                    "the range has " + std::to_string(*count) + " elements in one iteration and " +
                        std::to_string(length.value_or(0)) + " in another; its length is part of a shape");
        if (!count) count = length.value_or(0);
    }
    return count.value_or(1);
}

Result<void> Resolver::resolveStore(const Store& store) {
    const std::string& where = m_block->where;
    CUBIST_TRY(const ResolvedValue* from, operand(store.from, where + "/from"));
    CUBIST_TRY(const ResolvedValue* to, operand(ValueId(store.to.text), where + "/to"));
    if (to->kind != ResolvedValue::Kind::Tensor || to->tensor->role == TensorRole::Input)
        return unexpected(ErrorCode::BadValue, "'" + store.to.text + "' is not a tensor that a kernel writes",
                          where + "/to", "store into an output, an inout or a workspace");
    CUBIST_CHECK_OK(checkNames(store.offset, where + "/offset"));
    CUBIST_CHECK_OK(checkStoreFields(store));
    if (from->shape.size() > to->shape.size()) {
        problem(ShapeProblem::Kind::Rank, where + "/from",
                "'" + store.from.text + "' is " + shapeText(from->shape) + ", '" + store.to.text + "' is " +
                    shapeText(to->shape) + ": it has too many axes");
        return {};
    }
    if (!store.offset.empty() && store.offset.size() != to->shape.size())
        return unexpected(ErrorCode::BadValue, "the offset needs " + std::to_string(to->shape.size()) + " entries",
                          where + "/offset");
    if (from->dtype != to->dtype)
        problem(ShapeProblem::Kind::DType, where + "/from",
                "'" + store.from.text + "' is " + std::string(toText(from->dtype)) + ", '" + store.to.text + "' is " +
                    std::string(toText(to->dtype)) + ": cast before the store");
    if (!isIndexed(store.op)) return checkBounds(store.offset, to->shape, store.from, "the store");
    CUBIST_TRY(const ResolvedValue* index, operand(store.index, where + "/index"));
    const auto axis = storeAxis(store, to->shape.size());
    if (!axis)
        return unexpected(ErrorCode::BadValue, "'dim' is not an axis of '" + store.to.text + "'", where + "/dim");
    const std::size_t picked = indexedAxes(*index);
    const bool tuple = index->shape.size() == 2;
    if (tuple && store.op != StoreOp::IndexPut)
        return unexpected(ErrorCode::BadValue, "only index_put picks along several axes", where + "/index");
    if (picked < 1 || picked > 4 || *axis + picked > to->shape.size())
        return unexpected(ErrorCode::BadValue,
                          "'" + store.index.text + "' has " + std::to_string(picked) + " rows for the axes of '" +
                              store.to.text + "' from 'dim' on",
                          where + "/index", "one row for each axis, at most four");
    // All picked axes are one axis of the value: that of its slices.
    const std::size_t missing = to->shape.size() - from->shape.size();
    const std::size_t last = *axis + picked - 1;
    if (last < missing)
        return unexpected(ErrorCode::BadValue,
                          "'dim' is an axis of '" + store.to.text + "' that '" + store.from.text + "' does not have",
                          where + "/dim");
    const std::int64_t slices = from->shape[last - missing];
    if (index->dtype != DType::INT32 && index->dtype != DType::INT64)
        problem(ShapeProblem::Kind::DType, where + "/index",
                "the index '" + store.index.text + "' is " + std::string(toText(index->dtype)) +
                    ", it must be INT32 or INT64");
    if (index->shape.empty() || index->shape.size() > 2 || index->shape.back() != slices)
        problem(ShapeProblem::Kind::Rank, where + "/index",
                "the index '" + store.index.text + "' is " + shapeText(index->shape) +
                    "; one entry is needed for each of the " + std::to_string(slices) + " slices of '" +
                    store.from.text + "' along axis " + std::to_string(last - missing));
    if (tuple && from->shape.size() + picked != to->shape.size() + 1)
        problem(ShapeProblem::Kind::Rank, where + "/from",
                "'" + store.from.text + "' is " + shapeText(from->shape) + "; with " + std::to_string(picked) +
                    " indices into '" + store.to.text + "' " + shapeText(to->shape) + " it needs " +
                    std::to_string(to->shape.size() + 1 - picked) + " axes");
    return checkBounds(store.offset, to->shape, store.from, "the store", *axis, picked);
}

/// A field that means nothing to the operation is an error: it would be ignored in silence.
Result<void> Resolver::checkStoreFields(const Store& store) {
    const std::string& where = m_block->where;
    const std::string name(toText(store.op));
    if (isIndexed(store.op) && store.index.empty())
        return unexpected(ErrorCode::MissingKey, name + " needs an index", where + "/index");
    if (!isIndexed(store.op) && (!store.index.empty() || store.dim != 0))
        return unexpected(ErrorCode::BadValue, name + " has no index",
                          where + (store.index.empty() ? "/dim" : "/index"));
    if (store.op != StoreOp::IndexAdd && store.alpha != 1.0)
        return unexpected(ErrorCode::BadValue, "only index_add has a factor", where + "/alpha");
    if (store.op != StoreOp::IndexPut && store.accumulate)
        return unexpected(ErrorCode::BadValue, "only index_put has 'accumulate'", where + "/accumulate");
    if (store.op != StoreOp::Assemble && store.parallel)
        return unexpected(ErrorCode::BadValue, "only assemble has 'parallel'", where + "/parallel");
    return {};
}

Result<const ResolvedValue*> Resolver::operand(const ValueId& id, const std::string& where) {
    if (id.empty())
        return unexpected(ErrorCode::UnknownName, "nothing is connected here", where, "connect a tensor or a result");
    const auto found = m_design.values.find(id.text);
    if (found == m_design.values.end()) {
        std::vector<std::string> names;
        for (const auto& [name, value] : m_design.values) names.push_back(name);
        const std::string near = nearestName(id.text, names);
        return unexpected(ErrorCode::UnknownName,
                          "'" + id.text + "' is not a tensor and is not made by an earlier block", where,
                          near.empty() ? "" : "did you mean '" + near + "'?");
    }
    const ResolvedValue& value = found->second;
    if (value.kind != ResolvedValue::Kind::Tensor) {
        const std::vector<std::size_t>& made = m_design.blocks[value.block].loops;
        const bool visible =
            made.size() <= m_block->loops.size() && std::equal(made.begin(), made.end(), m_block->loops.begin());
        if (!visible)
            return unexpected(ErrorCode::UnknownName,
                              "'" + id.text + "' is made inside a loop and is not known outside of it", where,
                              "store it into a tensor inside the loop");
    }
    return &value;
}

Result<void> Resolver::define(ResolvedValue value, const std::string& where) {
    const std::string name = value.name.text;
    if (name.empty()) return unexpected(ErrorCode::BadValue, "a result needs a name", where);
    if (!m_design.values.emplace(name, std::move(value)).second)
        return unexpected(ErrorCode::DuplicateKey, "the name '" + name + "' is used twice", where);
    return {};
}

Result<void> Resolver::checkNames(const std::vector<Expression>& expressions, const std::string& where) {
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        const std::string at = where + "/" + std::to_string(i);
        auto names = expressions[i].names();
        if (!names) {
            Error error = std::move(names).error();
            error.where = at;
            return unexpected(std::move(error));
        }
        for (const std::string& name : *names) {
            const bool index = std::any_of(m_block->loops.begin(), m_block->loops.end(), [&](std::size_t number) {
                const Loop& loop = *m_design.loops[number].loop;
                return loop.index == name || (loop.form == LoopKind::Unroll && loop.factor == name);
            });
            if (!index && m_design.binding.symbols.find(name) == nullptr)
                return unexpected(ErrorCode::UnknownName,
                                  "'" + name + "' is neither a symbol nor the index of an enclosing loop", at,
                                  m_design.binding.lists.find(name) != nullptr
                                      ? "it is a list: take an entry, " + name + "[0], or len(" + name + ")"
                                      : "");
        }
        CUBIST_TRY(const auto lists, expressions[i].lists());
        for (const std::string& name : lists)
            if (m_design.binding.lists.find(name) == nullptr)
                return unexpected(ErrorCode::UnknownName, "the design has no list '" + name + "'", at);
    }
    return {};
}

IndexValues Resolver::largestFactors() const {
    IndexValues factors;
    for (const std::size_t number : m_block->loops) {
        const ResolvedLoop& loop = m_design.loops[number];
        if (loop.loop->form == LoopKind::Unroll) factors[loop.loop->factor] = loop.factors.front();
    }
    return factors;
}

const std::vector<IndexValues>& Resolver::checkedIterations() {
    if (m_iterated == m_block->loops) return m_iterations;
    constexpr std::int64_t kMost = 1024;
    const bool irregular = !m_design.binding.lists.empty() ||
                           std::any_of(m_block->loops.begin(), m_block->loops.end(), [&](std::size_t number) {
                               const ResolvedLoop& loop = m_design.loops[number];
                               return loop.varies() || !loop.factors.empty();
                           });
    m_iterations = someExecutions(m_design, m_block->loops, irregular ? kMost : 1);
    m_iterated = m_block->loops;
    return m_iterations;
}

Result<void> Resolver::checkBounds(const std::vector<Expression>& offset, const std::vector<std::int64_t>& parent,
                                   const ValueId& value, const std::string& what, std::size_t firstIndexed,
                                   std::size_t indexedCount) {
    if (!m_bounds) return {};
    CUBIST_TRY(std::vector<std::string> names, m_valids.namesOf(value));
    CUBIST_CHECK_OK(m_valids.addNames(offset, names));
    const std::string where = m_block->where + "/offset";
    std::optional<NamedPlaces> last;
    for (const IndexValues& indices : checkedIterations()) {
        // Nothing that offset and shape are made from is different.
        NamedPlaces places = placesOf(names, indices);
        if (last == places) continue;
        last = std::move(places);
        CUBIST_TRY(auto at, evaluateAll(offset, parent.size(), lookupWith(m_design, indices), where));
        CUBIST_TRY(auto valid, m_valids.of(value, indices));
        // Axes in front that the value does not have count as 1.
        if (valid.size() < parent.size()) valid.insert(valid.begin(), parent.size() - valid.size(), 1);
        for (std::size_t axis = 0; axis < parent.size(); ++axis) {
            if (axis >= firstIndexed && axis < firstIndexed + indexedCount) {
                if (at[axis] == 0) continue;
                problem(ShapeProblem::Kind::Bounds, where + "/" + std::to_string(axis),
                        "along its index a store has no offset; add it to the index");
                return {};
            }
            if (at[axis] >= 0 && at[axis] <= parent[axis] && valid[axis] <= parent[axis] - at[axis]) continue;
            problem(ShapeProblem::Kind::Bounds, where + "/" + std::to_string(axis),
                    what + " covers [" + std::to_string(at[axis]) + ", " + std::to_string(at[axis]) + " + " +
                        std::to_string(valid[axis]) + ") of an axis of " + std::to_string(parent[axis]) +
                        adviceOnBounds(at[axis], parent[axis]));
            return {};
        }
    }
    return {};
}

void Resolver::problem(ShapeProblem::Kind kind, const std::string& where, std::string message) {
    m_design.problems.push_back({kind, where, m_block->block->id(), std::move(message)});
}

}  // namespace detail

Result<std::vector<std::int64_t>> validShape(const ResolvedDesign& design, const ValueId& value,
                                             const IndexValues& indices) {
    return ValidShapes(design, indices).of(value);
}

Result<std::vector<std::int64_t>> ValidShapes::of(const ValueId& name) {
    const ResolvedValue* value = m_design->value(name);
    if (value == nullptr) return unexpected(ErrorCode::Internal, "validShape of the unknown value '" + name.text + "'");
    if (value->kind == ResolvedValue::Kind::Tensor) return value->shape;
    const auto known = m_known.find(value);
    if (known != m_known.end()) return known->second;
    CUBIST_TRY(auto valid, workOut(*value));
    return m_known.emplace(value, std::move(valid)).first->second;
}

Result<std::vector<std::int64_t>> ValidShapes::workOut(const ResolvedValue& value) {
    switch (value.kind) {
        case ResolvedValue::Kind::Tensor: return value.shape;
        case ResolvedValue::Kind::View: return ofView(value);
        case ResolvedValue::Kind::CubeResult: return ofCube(value);
        case ResolvedValue::Kind::OpResult: return ofOperation(value);
    }
    return unexpected(ErrorCode::Internal, "validShape of an unknown kind of value");
}

Result<std::vector<std::int64_t>> ValidShapes::ofView(const ResolvedValue& value) const {
    const View& view = *value.view;
    const ResolvedBlock& block = m_design->blocks[value.block];
    const std::size_t rank = value.shape.size();
    const auto lookup = lookupWith(*m_design, *m_indices);
    std::vector<std::int64_t> shape = value.shape;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (view.shape[axis].literal()) continue;
        // The window of this factor, or of this copy of the loop.
        auto extent = view.shape[axis].evaluate(lookup);
        if (!extent) {
            Error error = std::move(extent).error();
            error.where = block.where + "/shape/" + std::to_string(axis);
            return unexpected(std::move(error));
        }
        shape[axis] = std::min(*extent, value.shape[axis]);
    }
    std::vector<std::int64_t> valid = shape;
    if (!view.valid.empty()) {
        CUBIST_TRY(valid, evaluateAll(view.valid, rank, lookup, block.where + "/valid"));
    }
    for (std::size_t axis = 0; axis < rank; ++axis)
        valid[axis] = std::clamp(valid[axis], std::int64_t{0}, std::max<std::int64_t>(shape[axis], 0));
    return valid;
}

Result<std::vector<std::int64_t>> ValidShapes::ofOperation(const ResolvedValue& value) {
    if (!value.sound) return value.shape;
    const auto* stage = std::get_if<VectorStage>(&m_design->blocks[value.block].block->content);
    const VectorOp& op = stage->ops[value.op];
    std::vector<OperandType> operands;
    std::vector<std::vector<std::int64_t>> valids;
    for (const Operand& operand : op.in) {
        const ValueId* id = operand.value();
        operands.push_back(
            {id == nullptr ? std::vector<std::int64_t>{} : m_design->value(*id)->shape, DType::FP32, id == nullptr});
        valids.emplace_back();
        if (id == nullptr) continue;
        CUBIST_TRY(valids.back(), of(*id));
    }
    return value.second ? validOfSecond(op, valids[0]) : validOfOp(op, operands, valids, value.shape);
}

}  // namespace cubist

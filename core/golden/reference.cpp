// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/reference.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/design/indexed_store.h"
#include "core/golden/golden_cube.h"
#include "core/golden/golden_store.h"
#include "core/golden/golden_types.h"
#include "core/golden/golden_vector.h"
#include "core/golden/meter.h"
#include "core/golden/needed_parts.h"
#include "core/golden/window.h"

namespace cubist {

namespace {

using namespace golden;

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
    return text + "]";
}

/// Elements that an operation touches: those of its largest operand or of its result; it may pick rows of an operand.
double elementsOf(const ResolvedDesign& design, const VectorOp& op) {
    const auto count = [&](const ValueId& id) {
        double elements = 1;
        for (const std::int64_t extent : design.value(id)->shape) elements *= static_cast<double>(extent);
        return elements;
    };
    double largest = count(op.out);
    if (op.op == VectorOpCode::IndexSelect) return largest;
    for (const Operand& operand : op.in)
        if (const ValueId* id = operand.value()) largest = std::max(largest, count(*id));
    return largest;
}

double workOf(const ResolvedDesign& design) {
    double total = 0;
    for (const ResolvedBlock& block : design.blocks) {
        double work = 0;
        if (block.matmul)
            work = static_cast<double>(block.matmul->m) * static_cast<double>(block.matmul->k) *
                   static_cast<double>(block.matmul->n) * static_cast<double>(block.matmul->batches());
        if (const auto* stage = std::get_if<VectorStage>(&block.block->content)) {
            for (const VectorOp& op : stage->ops) work += Meter::kElementWork * elementsOf(design, op);
        }
        total += work * static_cast<double>(design.executions(block));
    }
    return total;
}

/// Walks the block tree as it is written, one loop iteration after the other.
class Evaluation {
public:
    Evaluation(const ResolvedDesign& design, const std::map<std::string, const HostTensor*>& inputs,
               const GoldenRequest& request, const RunContext& context)
        : m_design(design),
          m_inputs(inputs),
          m_request(request),
          m_needed(design, request.samples, &Evaluation::reads),
          m_meter(context, workOf(design)) {}

    Result<GoldenSet> run() {
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            m_blockIndex[m_design.blocks[i].block] = i;
            for (const ValueId& id : reads(*m_design.blocks[i].block)) m_lastReader[id.text] = i;
        }
        CUBIST_CHECK_OK(takeTensors());
        CUBIST_CHECK_OK(walk(m_design.design->blocks));
        for (const Tensor& tensor : m_design.design->tensors) {
            if (tensor.role != TensorRole::Output && tensor.role != TensorRole::InOut) continue;
            const std::string& id = tensor.id.text;
            GoldenTensor& output = m_result.outputs[id];
            output = {ownShape(id), std::move(*m_memory.at(id)), {}};
            allocate(output.shape, output.values);
            output.integers = toNumbers(tensor.dtype, output.values);
        }
        for (auto& [name, stage] : m_result.stages)
            stage.integers = toNumbers(m_design.value(ValueId(name))->dtype, stage.values);
        return std::move(m_result);
    }

private:
    /// Shape of an output: with only the rows that are wanted.
    std::vector<std::int64_t> ownShape(const std::string& id) const {
        const std::vector<std::int64_t>& shape = m_design.values.at(id).shape;
        if (!m_request.rows) return shape;
        const std::int64_t unit = rowUnit(m_design);
        if (unit == 1) return {m_request.rows->count, shape.back()};
        // Some of the matrices.
        std::vector<std::int64_t> own = shape;
        own[cutAxisOf(rightAligned(shape, 1)) + own.size() - 4] = m_request.rows->count / unit;
        return own;
    }

    /// Which rows the stages of this iteration make, by where the store puts them; nothing: all.
    Result<std::optional<RowCut>> wantedRows() const {
        if (!m_request.rows) return std::optional<RowCut>();
        for (const ResolvedBlock& block : m_design.blocks) {
            const auto* store = std::get_if<Store>(&block.block->content);
            if (store == nullptr) continue;
            const std::vector<std::int64_t>& shape = m_design.values.at(store->to.text).shape;
            CUBIST_TRY(const Axes offset, offsetAxes(store->offset, shape.size(), block.where));
            const Axes to = rightAligned(shape, 1);
            const std::int64_t place = (offset[0] * to[1] + offset[1]) * to[2] + offset[2];
            const Axes from = rightAligned(m_design.value(store->from)->shape, 1);
            RowCut cut;
            cut.axis = cutAxisOf(from);
            cut.unit = rowUnit(m_design);
            cut.full = from[cut.axis];
            // Both are whole numbers of units.
            const std::int64_t wanted = m_request.rows->first - place;
            cut.first = std::clamp<std::int64_t>(wanted / cut.unit, 0, cut.full);
            const std::int64_t end =
                std::clamp<std::int64_t>((wanted + m_request.rows->count) / cut.unit, cut.first, cut.full);
            cut.count = end - cut.first;
            return std::optional<RowCut>(cut);
        }
        return std::optional<RowCut>();
    }

    /// What stands for a result of which no row is wanted.
    void skip(const ValueId& id) {
        Window none = emptyResult(id);
        none.shape[2] = 0;
        m_values[id.text] = none;
    }

    Result<void> takeTensors() {
        for (const Tensor& tensor : m_design.design->tensors) {
            const std::string& id = tensor.id.text;
            const std::vector<std::int64_t>& shape = m_design.values.at(id).shape;
            Window window;
            window.base = window.shape = window.valid = rightAligned(shape, 1);
            window.rank = shape.size();
            if (tensor.role != TensorRole::Input) {
                m_memory[id] = std::make_shared<GoldenValues>();
                // Of an output that nothing reads the values come with the first store.
                if (tensor.role != TensorRole::Output || m_lastReader.contains(id)) allocate(shape, *m_memory[id]);
                window.values = m_memory[id];
                window.changing = true;
                m_values[id] = window;
                if (tensor.role != TensorRole::InOut) continue;
            }
            const auto found = m_inputs.find(id);
            if (found == m_inputs.end() || found->second == nullptr)
                return unexpected(ErrorCode::UnknownName, "the golden needs the input '" + id + "'");
            const HostTensor& data = *found->second;
            if (data.dtype() != tensor.dtype || data.shape() != shape)
                return unexpected(ErrorCode::WrongType, "the input '" + id + "' is " +
                                                            std::string(toText(data.dtype())) +
                                                            shapeText(data.shape()) + ", the design has " +
                                                            std::string(toText(tensor.dtype)) + shapeText(shape));
            if (tensor.role == TensorRole::InOut) {
                readValues(data, 0, *m_memory[id]);
                continue;
            }
            window.tensor = &data;
            m_values[id] = window;
        }
        return {};
    }

    static std::vector<ValueId> reads(const Block& block) {
        if (const auto* view = std::get_if<View>(&block.content)) return {view->of};
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) return operandsOf(*cube);
        if (const auto* store = std::get_if<Store>(&block.content)) {
            if (store->index.empty()) return {store->from};
            return {store->from, store->index};
        }
        std::vector<ValueId> ids;
        if (const auto* stage = std::get_if<VectorStage>(&block.content))
            for (const VectorOp& op : stage->ops)
                for (const Operand& operand : op.in)
                    if (const ValueId* id = operand.value()) ids.push_back(*id);
        return ids;
    }

    Result<void> walk(const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            if (m_meter.cancelled()) return cancelledError();
            if (const auto* loop = std::get_if<Loop>(&block.content)) {
                CUBIST_CHECK_OK(iterate(*loop));
                continue;
            }
            const std::size_t index = m_blockIndex.at(&block);
            CUBIST_CHECK_OK(execute(m_design.blocks[index]));
            release(index);
        }
        return {};
    }

    Result<void> iterate(const Loop& loop) {
        const auto found = std::find_if(m_design.loops.begin(), m_design.loops.end(),
                                        [&](const ResolvedLoop& candidate) { return candidate.loop == &loop; });
        CUBIST_TRY(const LoopRange range, rangeOf(m_design, *found, m_indices));
        m_iterations.push_back(0);
        for (std::int64_t i = 0; i < range.count(); ++i) {
            m_iterations.back() = i;
            setStep(m_indices, loop, range.at(i));
            CUBIST_CHECK_OK(walk(loop.body));
        }
        m_iterations.pop_back();
        clearStep(m_indices, loop);
        return {};
    }

    /// Forgets operands that nothing reads any more.
    void release(std::size_t index) {
        const ResolvedBlock& block = m_design.blocks[index];
        for (const ValueId& id : reads(*block.block)) {
            const ResolvedValue& value = *m_design.value(id);
            const bool sameLevel =
                value.kind != ResolvedValue::Kind::Tensor && m_design.blocks[value.block].loops == block.loops;
            if (sameLevel && m_lastReader.at(id.text) == index) m_values.erase(id.text);
        }
    }

    Result<void> execute(const ResolvedBlock& block) {
        if (const auto* view = std::get_if<View>(&block.block->content)) return look(*view, block);
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) return multiply(*cube, block);
        if (const auto* stage = std::get_if<VectorStage>(&block.block->content)) return compute(*stage, block);
        if (const auto* store = std::get_if<Store>(&block.block->content)) return write(*store, block);
        return {};
    }

    Result<Axes> validAxes(const ValueId& id) const {
        CUBIST_TRY(const auto valid, validShape(m_design, id, m_indices));
        return rightAligned(valid, 1);
    }

    Result<Axes> offsetAxes(const std::vector<Expression>& offset, std::size_t rank, const std::string& where) const {
        CUBIST_TRY(const auto values, evaluateAll(offset, rank, lookupWith(m_design, m_indices), where + "/offset"));
        return rightAligned(values, 0);
    }

    Result<void> look(const View& view, const ResolvedBlock& block) {
        const ResolvedValue& value = *m_design.value(view.out);
        Window window = m_values.at(view.of.text);
        CUBIST_TRY(const Axes offset, offsetAxes(view.offset, window.rank, block.where));
        CUBIST_TRY(const Axes valid, validAxes(view.out));
        for (std::size_t axis = 0; axis < offset.size(); ++axis) {
            // What the view beneath declares invalid stays invalid.
            const std::int64_t left = std::max<std::int64_t>(0, window.valid[axis] - offset[axis]);
            if (offset[axis] < 0 || offset[axis] + valid[axis] > window.shape[axis])
                return unexpected(ErrorCode::BadValue,
                                  "the view '" + view.out.text + "' ends at " +
                                      std::to_string(offset[axis] + valid[axis]) + " of an axis of " +
                                      std::to_string(window.shape[axis]),
                                  block.where + "/offset");
            window.offset[axis] += offset[axis];
            window.valid[axis] = std::min(valid[axis], left);
        }
        window.shape = rightAligned(value.shape, 1);
        window.rank = value.shape.size();
        m_values[view.out.text] = window;
        return {};
    }

    Result<void> multiply(const CubeStage& stage, const ResolvedBlock& block) {
        if (m_request.given.contains(stage.out.text)) return take(stage.out, block);
        if (!block.matmul)
            return unexpected(ErrorCode::Unsupported, "the golden of a matmul takes operands that fit", block.where);
        const auto window = [&](const ValueId& id) { return id.empty() ? nullptr : &m_values.at(id.text); };
        CUBIST_TRY(const std::optional<RowCut> cut, wantedRows());
        if (cut && cut->count == 0) {
            skip(stage.out);
            return {};
        }
        Window a = m_values.at(stage.a.text), b = m_values.at(stage.b.text), scalesA, bias;
        if (!stage.scaleA.empty()) scalesA = m_values.at(stage.scaleA.text);
        if (!stage.bias.empty()) bias = m_values.at(stage.bias.text);
        if (cut && cut->axis != 2) {
            for (Window* operand : {&a, &b, &bias}) cut->cut(*operand);
        } else if (cut) {
            cutAxis(a, stage.aTrans ? 3 : 2, *cut);
            if (!stage.scaleA.empty()) cutAxis(scalesA, stage.scaleATrans ? 2 : 1, *cut);
        }
        const CubeReference::Operands operands{
            &a,
            &b,
            stage.scaleA.empty() ? nullptr : &scalesA,
            window(stage.scaleB),
            stage.bias.empty() ? nullptr : &bias,
            window(stage.scaleTensor),
            stage.scaleTensor.empty() ? DType::FP32 : m_design.value(stage.scaleTensor)->dtype};
        Window result = emptyResult(stage.out);
        CUBIST_TRY(result.valid, validAxes(stage.out));
        if (cut) cut->cut(result.shape, result.valid);
        // Results of stages are kept as they are declared; others have no memory for rows that are not valid.
        std::size_t count = result.restart();
        if (m_request.stageResults) {
            result.base = result.shape;
            count = static_cast<std::size_t>(rowsOf(result.shape) * result.shape[3]);
        }
        auto values = std::make_shared<GoldenValues>(count);
        const DType accumulator = isFloat(m_design.value(stage.a)->dtype) ? DType::FP32 : DType::INT32;
        std::optional<NeededPart> needed;
        if (!m_request.samples.empty()) {
            CUBIST_TRY(needed, m_needed.of(stage.out, m_indices));
            const auto rows = NeededPart::numbers(needed->rows, rowsOf(result.shape));
            const auto columns = NeededPart::numbers(needed->cols, result.valid[3]);
            const auto elements = static_cast<std::int64_t>(rows.size() * columns.size());
            if (elements > kSampleElements && elements >= rowsOf(result.valid) * result.valid[3])
                m_result.wholeProducts.insert(stage.out.text);
        }
        if (!m_cubes[&stage].compute(stage, accumulator, m_request.kind, operands, result, needed, *values, m_meter))
            return cancelledError();
        result.values = std::move(values);
        return handOn(stage.out, std::move(result), block);
    }

    Result<void> compute(const VectorStage& stage, const ResolvedBlock& block) {
        CUBIST_TRY(const std::optional<RowCut> cut, wantedRows());
        if (cut && cut->count == 0) {
            for (const VectorOp& op : stage.ops) skip(op.out);
            return {};
        }
        std::vector<Axes> valids;
        for (const VectorOp& op : stage.ops) {
            const bool last = &op == &stage.ops.back();
            CUBIST_TRY(const Axes valid, validAxes(op.out));
            valids.push_back(valid);
            if (last && m_request.given.contains(op.out.text)) {
                CUBIST_CHECK_OK(take(op.out, block));
            } else if (last || isReadElsewhere(op.out, block)) {
                CUBIST_TRY(Window result, computed(stage, op.out, {valids, false, cut}));
                if (last)
                    CUBIST_CHECK_OK(handOn(op.out, std::move(result), block));
                else
                    m_values[op.out.text] = std::move(result);
            }
            if (op.out2.empty() || !isReadElsewhere(op.out2, block)) continue;
            CUBIST_TRY(m_values[op.out2.text], computed(stage, op.out2, {valids, true, cut}));
        }
        return {};
    }

    bool isReadElsewhere(const ValueId& id, const ResolvedBlock& block) const {
        const auto reader = m_lastReader.find(id.text);
        return reader != m_lastReader.end() && m_design.blocks[reader->second].block != block.block;
    }

    Result<Window> computed(const VectorStage& stage, const ValueId& id, const Wanted& wanted) {
        Window result = emptyResult(id);
        CUBIST_TRY(result.valid, validAxes(id));
        // A second result has a shape of its own and is put in the place of the first.
        const ResolvedValue& first = *m_design.value(stage.ops[wanted.valids.size() - 1].out);
        Axes shape = rightAligned(first.shape, 1), whole = shape;
        std::map<std::string, Window> cutOperands;
        if (wanted.rows) {
            wanted.rows->cut(result.shape, result.valid);
            result.base = result.shape;
            wanted.rows->cut(shape, whole);
        }
        auto values = std::make_shared<GoldenValues>(static_cast<std::size_t>(rowsOf(shape) * shape[3]));
        const auto windowOf = [&](const ValueId& name) -> const Window& {
            const Window& window = m_values.at(name.text);
            if (!wanted.rows || window.shape[wanted.rows->axis] != wanted.rows->full) return window;
            Window& cut = cutOperands[name.text] = window;
            wanted.rows->cut(cut);
            return cut;
        };
        CUBIST_CHECK_OK(computeVector(m_design, stage, wanted, m_request.kind, windowOf, m_indices, *values, m_meter));
        result.values = std::move(values);
        return result;
    }

    Window emptyResult(const ValueId& id) const {
        const ResolvedValue& value = *m_design.value(id);
        Window window;
        window.base = window.shape = rightAligned(value.shape, 1);
        window.rank = value.shape.size();
        return window;
    }

    /// Place of the current execution among all executions of a block.
    std::int64_t execution(const ResolvedBlock& block) const { return m_design.execution(block.loops, m_iterations); }

    /// Leaves the wanted rows of an operand whose rows lie along any axis; those of a stage are cut already.
    static void cutAxis(Window& window, std::size_t axis, const RowCut& cut) {
        if (window.shape[axis] != cut.full) return;
        window.offset[axis] += cut.first;
        window.shape[axis] = cut.count;
        window.valid[axis] = std::clamp<std::int64_t>(window.valid[axis] - cut.first, 0, cut.count);
    }

    /// Uses the given result of a stage.
    Result<void> take(const ValueId& id, const ResolvedBlock& block) {
        const HostTensor& data = *m_request.given.at(id.text);
        const ResolvedValue& value = *m_design.value(id);
        std::vector<std::int64_t> stacked = value.shape;
        stacked[0] *= m_design.executions(block);
        if (data.shape() != stacked)
            return unexpected(ErrorCode::WrongType, "the given result '" + id.text + "' is " + shapeText(data.shape()) +
                                                        ", expected is " + shapeText(stacked));
        Window window = emptyResult(id);
        window.tensor = &data;
        window.base = rightAligned(stacked, 1);
        window.offset[4 - value.shape.size()] = execution(block) * value.shape[0];
        CUBIST_TRY(window.valid, validAxes(id));
        m_values[id.text] = window;
        return {};
    }

    Result<void> handOn(const ValueId& id, Window result, const ResolvedBlock& block) {
        if (m_request.stageResults) {
            GoldenTensor& stage = m_result.stages[id.text];
            const std::size_t count = result.values->size();
            if (stage.values.empty()) {
                stage.shape = m_design.value(id)->shape;
                stage.shape[0] *= m_design.executions(block);
                stage.values = GoldenValues(count * static_cast<std::size_t>(m_design.executions(block)));
            }
            std::copy(result.values->begin(), result.values->end(),
                      stage.values.begin() + execution(block) * static_cast<std::int64_t>(count));
        }
        m_values[id.text] = std::move(result);
        return {};
    }

    static void allocate(const std::vector<std::int64_t>& shape, GoldenValues& values) {
        const Axes axes = rightAligned(shape, 1);
        if (values.empty()) values = GoldenValues(static_cast<std::size_t>(rowsOf(axes) * axes[3]));
    }

    /// A result that fills the whole output and is not read again becomes the output without a copy.
    bool handOver(const Store& store, const ResolvedBlock& block, const Axes& offset, const Axes& shape,
                  GoldenValues& to) {
        Window& from = m_values.at(store.from.text);
        const bool whole = offset == Axes{0, 0, 0, 0} && from.offset == offset && from.base == shape &&
                           from.shape == shape && from.valid == shape;
        if (!whole || from.changing || !to.empty() || from.values.use_count() != 1) return false;
        const bool plain = store.op == StoreOp::Slice || store.op == StoreOp::Assemble;
        const bool sameLoops = m_design.blocks[m_design.value(store.from)->block].loops == block.loops;
        if (!plain || !sameLoops || m_lastReader.at(store.from.text) != m_blockIndex.at(block.block)) return false;
        to = std::move(*std::const_pointer_cast<GoldenValues>(from.values));
        return true;
    }

    /// Rows of an output that are compared, where nothing in the design reads it and no others matter.
    const std::vector<std::int64_t>* sampledRows(const TensorId& id) const {
        const auto sample = m_request.samples.find(id.text);
        return sample == m_request.samples.end() || m_lastReader.contains(id.text) ? nullptr : &sample->second.rows;
    }

    Result<void> write(const Store& store, const ResolvedBlock& block) {
        const Window& from = m_values.at(store.from.text);
        GoldenValues& to = *m_memory.at(store.to.text);
        const std::vector<std::int64_t>& fullShape = m_design.values.at(store.to.text).shape;
        const std::vector<std::int64_t> toShape = ownShape(store.to.text);
        const Axes shape = rightAligned(toShape, 1);
        CUBIST_TRY(Axes offset, offsetAxes(store.offset, fullShape.size(), block.where));
        if (m_request.rows) {
            if (from.shape[2] == 0) return {};
            CUBIST_TRY(const std::optional<RowCut> cut, wantedRows());
            const Axes full = rightAligned(fullShape, 1);
            const std::int64_t place = (offset[0] * full[1] + offset[1]) * full[2] + offset[2];
            const std::int64_t column = offset[3];
            offset = {0, 0, 0, column};
            offset[cut->axis] = (place - m_request.rows->first) / cut->unit + cut->first;
        }
        if (handOver(store, block, offset, shape, to)) return {};
        allocate(toShape, to);
        const StoreTarget target{to,
                                 offset,
                                 shape,
                                 toShape.size(),
                                 m_design.value(ValueId(store.to.text))->dtype,
                                 m_request.kind,
                                 block.where,
                                 sampledRows(store.to)};
        if (isIndexed(store.op))
            return storeByIndex(store, from, m_values.at(store.index.text), m_design.value(store.index)->dtype,
                                indexedAxes(*m_design.value(store.index)), target, m_meter);
        return storeWindow(store, from, target);
    }

    const ResolvedDesign& m_design;
    const std::map<std::string, const HostTensor*>& m_inputs;
    const GoldenRequest& m_request;
    NeededParts m_needed;
    Meter m_meter;
    IndexValues m_indices;
    std::vector<std::int64_t> m_iterations;                         ///< of the enclosing loops, outermost first
    std::map<std::string, std::shared_ptr<GoldenValues>> m_memory;  ///< tensors that stores write
    std::map<std::string, Window> m_values;                         ///< what each name shows in the current iteration
    std::map<std::string, std::size_t> m_lastReader;
    std::map<const Block*, std::size_t> m_blockIndex;
    std::map<const CubeStage*, CubeReference> m_cubes;
    GoldenSet m_result;
};

}  // namespace

Result<GoldenSet> computeGolden(const ResolvedDesign& design, const std::map<std::string, const HostTensor*>& inputs,
                                const GoldenRequest& request, const RunContext& context) {
    return Evaluation(design, inputs, request, context).run();
}

Result<GoldenSet> computeGolden(const ResolvedDesign& design, const std::map<std::string, const HostTensor*>& inputs,
                                GoldenKind kind, const RunContext& context) {
    GoldenRequest request;
    request.kind = kind;
    return computeGolden(design, inputs, request, context);
}

}  // namespace cubist

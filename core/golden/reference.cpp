// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/reference.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/golden/golden_cube.h"
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

/// Elements that an operation touches: those of its largest operand or of its result.
double elementsOf(const ResolvedDesign& design, const VectorOp& op) {
    const auto count = [&](const ValueId& id) {
        double elements = 1;
        for (const std::int64_t extent : design.value(id)->shape) elements *= static_cast<double>(extent);
        return elements;
    };
    double largest = count(op.out);
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
        CUBIST_CHECK_OK(takeTensors());
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            m_blockIndex[m_design.blocks[i].block] = i;
            for (const ValueId& id : reads(*m_design.blocks[i].block)) {
                const Tensor* tensor = m_design.value(id)->tensor;
                if (tensor != nullptr && tensor->role == TensorRole::Output)
                    return unexpected(ErrorCode::Unsupported, "the golden cannot read the output '" + id.text + "'",
                                      m_design.blocks[i].where);
                m_lastReader[id.text] = i;
            }
        }
        CUBIST_CHECK_OK(walk(m_design.design->blocks));
        for (auto& [id, output] : m_result.outputs) allocate(output);
        return std::move(m_result);
    }

private:
    Result<void> takeTensors() {
        for (const Tensor& tensor : m_design.design->tensors) {
            const std::string& id = tensor.id.text;
            const std::vector<std::int64_t>& shape = m_design.values.at(id).shape;
            if (tensor.role == TensorRole::Output) {
                m_result.outputs[id] = {shape, {}};  // its values come with the first store
                continue;
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
            Window window;
            window.tensor = &data;
            window.base = window.shape = window.valid = rightAligned(shape, 1);
            window.rank = shape.size();
            m_values[id] = window;
        }
        return {};
    }

    static std::vector<ValueId> reads(const Block& block) {
        if (const auto* view = std::get_if<View>(&block.content)) return {view->of};
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) return operandsOf(*cube);
        if (const auto* store = std::get_if<Store>(&block.content)) return {store->from};
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
        for (std::int64_t i = 0; i < found->iterations; ++i) {
            m_indices[loop.index] = i;
            CUBIST_CHECK_OK(walk(loop.body));
        }
        m_indices.erase(loop.index);
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
        CUBIST_TRY(const Axes offset, offsetAxes(view.offset, value.shape.size(), block.where));
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
        m_values[view.out.text] = window;
        return {};
    }

    Result<void> multiply(const CubeStage& stage, const ResolvedBlock& block) {
        if (m_request.given.contains(stage.out.text)) return take(stage.out, block);
        if (!block.matmul)
            return unexpected(ErrorCode::Unsupported, "the golden of a matmul takes operands that fit", block.where);
        const auto window = [&](const ValueId& id) { return id.empty() ? nullptr : &m_values.at(id.text); };
        const CubeReference::Operands operands{window(stage.a),      window(stage.b),    window(stage.scaleA),
                                               window(stage.scaleB), window(stage.bias), window(stage.scaleTensor)};
        Window result = emptyResult(stage.out);
        CUBIST_TRY(result.valid, validAxes(stage.out));
        auto values =
            std::make_shared<std::vector<double>>(static_cast<std::size_t>(rowsOf(result.shape) * result.shape[3]));
        const DType accumulator = isFloat(m_design.value(stage.a)->dtype) ? DType::FP32 : DType::INT32;
        std::optional<NeededPart> needed;
        if (!m_request.samples.empty()) {
            CUBIST_TRY(needed, m_needed.of(stage.out, m_indices));
        }
        if (!m_cubes[&stage].compute(stage, accumulator, m_request.kind, operands, result, needed, *values, m_meter))
            return cancelledError();
        result.values = std::move(values);
        return handOn(stage.out, std::move(result), block);
    }

    Result<void> compute(const VectorStage& stage, const ResolvedBlock& block) {
        std::vector<Axes> valids;
        for (const VectorOp& op : stage.ops) {
            const bool last = &op == &stage.ops.back();
            CUBIST_TRY(const Axes valid, validAxes(op.out));
            valids.push_back(valid);
            if (last && m_request.given.contains(op.out.text)) return take(op.out, block);
            const auto reader = m_lastReader.find(op.out.text);
            if (!last && (reader == m_lastReader.end() || m_design.blocks[reader->second].block == block.block))
                continue;
            Window result = emptyResult(op.out);
            result.valid = valid;
            auto values =
                std::make_shared<std::vector<double>>(static_cast<std::size_t>(rowsOf(result.shape) * result.shape[3]));
            const auto windowOf = [&](const ValueId& id) -> const Window& { return m_values.at(id.text); };
            if (!computeVector(m_design, stage, valids, m_request.kind, windowOf, *values, m_meter))
                return cancelledError();
            result.values = std::move(values);
            if (last) return handOn(op.out, std::move(result), block);
            m_values[op.out.text] = std::move(result);
        }
        return {};
    }

    Window emptyResult(const ValueId& id) const {
        const ResolvedValue& value = *m_design.value(id);
        Window window;
        window.base = window.shape = rightAligned(value.shape, 1);
        window.rank = value.shape.size();
        return window;
    }

    /// Place of the current execution among all executions of a block.
    std::int64_t execution(const ResolvedBlock& block) const {
        std::int64_t place = 0;
        for (const std::size_t loop : block.loops)
            place = place * m_design.loops[loop].iterations + m_indices.at(m_design.loops[loop].loop->index);
        return place;
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
                stage.values.resize(count * static_cast<std::size_t>(m_design.executions(block)));
            }
            std::copy(result.values->begin(), result.values->end(),
                      stage.values.begin() + execution(block) * static_cast<std::int64_t>(count));
        }
        m_values[id.text] = std::move(result);
        return {};
    }

    static void allocate(GoldenTensor& output) {
        const Axes shape = rightAligned(output.shape, 1);
        output.values.resize(static_cast<std::size_t>(rowsOf(shape) * shape[3]));
    }

    /// A result that fills the whole output and is not read again becomes the output without a copy.
    bool handOver(const Store& store, const ResolvedBlock& block, const Axes& offset, GoldenTensor& to) {
        Window& from = m_values.at(store.from.text);
        const Axes shape = rightAligned(to.shape, 1);
        const bool whole = offset == Axes{0, 0, 0, 0} && from.offset == offset && from.base == shape &&
                           from.shape == shape && from.valid == shape;
        if (!whole || !to.values.empty() || from.values.use_count() != 1) return false;
        const bool plain = store.op == StoreOp::Slice || store.op == StoreOp::Assemble;
        const bool sameLoops = m_design.blocks[m_design.value(store.from)->block].loops == block.loops;
        if (!plain || !sameLoops || m_lastReader.at(store.from.text) != m_blockIndex.at(block.block)) return false;
        to.values = std::move(*std::const_pointer_cast<std::vector<double>>(from.values));
        return true;
    }

    Result<void> write(const Store& store, const ResolvedBlock& block) {
        const Window& from = m_values.at(store.from.text);
        GoldenTensor& to = m_result.outputs.at(store.to.text);
        const Axes shape = rightAligned(to.shape, 1);
        CUBIST_TRY(const Axes offset, offsetAxes(store.offset, to.shape.size(), block.where));
        if (handOver(store, block, offset, to)) return {};
        if (to.values.empty()) allocate(to);
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (offset[axis] < 0 || offset[axis] + from.valid[axis] > shape[axis])
                return unexpected(ErrorCode::BadValue,
                                  "the store into '" + store.to.text + "' ends at " +
                                      std::to_string(offset[axis] + from.valid[axis]) + " of an axis of " +
                                      std::to_string(shape[axis]),
                                  block.where + "/offset");
        for (std::int64_t i = 0; i < from.valid[0]; ++i)
            for (std::int64_t j = 0; j < from.valid[1]; ++j)
                for (std::int64_t k = 0; k < from.valid[2]; ++k) {
                    const std::int64_t row = ((offset[0] + i) * shape[1] + offset[1] + j) * shape[2] + offset[2] + k;
                    const auto first = static_cast<std::size_t>(row * shape[3] + offset[3]);
                    from.readRow(i, j, k, 0,
                                 std::span(to.values).subspan(first, static_cast<std::size_t>(from.valid[3])));
                }
        return {};
    }

    const ResolvedDesign& m_design;
    const std::map<std::string, const HostTensor*>& m_inputs;
    const GoldenRequest& m_request;
    NeededParts m_needed;
    Meter m_meter;
    IndexValues m_indices;
    std::map<std::string, Window> m_values;  ///< what each name shows in the current iteration
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

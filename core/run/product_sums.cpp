// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/product_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/integer_math.h"
#include "core/design/vector_op_info.h"

namespace cubist {
namespace {

/// The matmul whose elements a value holds, in whatever order: views and operations that only move elements change
/// none of them.
const CubeStage* rearrangedProduct(const ResolvedDesign& design, const ValueId& id) {
    const ResolvedValue* value = design.value(id);
    while (value != nullptr) {
        switch (value->kind) {
            case ResolvedValue::Kind::Tensor: return nullptr;
            case ResolvedValue::Kind::View: value = design.value(value->view->of); break;
            case ResolvedValue::Kind::CubeResult:
                return std::get_if<CubeStage>(&design.blocks[value->block].block->content);
            case ResolvedValue::Kind::OpResult: {
                const auto& stage = std::get<VectorStage>(design.blocks[value->block].block->content);
                const VectorOp& op = stage.ops[value->op];
                const ValueId* operand = op.in.empty() ? nullptr : op.in[0].value();
                const bool moves = opInfo(op.op).family == OpFamily::Movement && op.op != VectorOpCode::Concat;
                value = moves && operand != nullptr ? design.value(*operand) : nullptr;
                break;
            }
        }
    }
    return nullptr;
}

/// The matmul that an output is stored from, when its products are exact and its sums are of FP32 (in slices of
/// split-K, of the type of the partial results).
const CubeStage* plainProduct(const ResolvedDesign& design, const std::string& output) {
    const CubeStage* found = nullptr;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to.text != output) continue;
        const CubeStage* stage = rearrangedProduct(design, store->from);
        const bool copies = store->op == StoreOp::Slice || store->op == StoreOp::Assemble;
        if (stage == nullptr || !copies || (found != nullptr && stage != found)) return nullptr;
        found = stage;
    }
    if (found == nullptr || found->relu || found->scale || !found->scaleTensor.empty() ||
        found->fp32Mode != Fp32Mode::Ieee || !isFloat(found->outDType))
        return nullptr;
    for (const ValueId& operand : {found->a, found->b, found->scaleA, found->scaleB}) {
        if (operand.empty()) continue;
        const ResolvedValue* value = design.value(operand);
        const bool given = value != nullptr && value->tensor != nullptr && value->tensor->role == TensorRole::Input;
        if (!given || !isFloat(value->dtype)) return nullptr;
    }
    return found;
}

}  // namespace

std::map<std::string, SumOrder> productOrders(const ResolvedDesign& design, const ComputedTensors& computed) {
    std::map<std::string, SumOrder> orders;
    for (const auto& [name, tensor] : computed.outputs) {
        const CubeStage* stage = plainProduct(design, name);
        if (stage == nullptr) continue;
        const std::int64_t k = design.block(stage->id)->matmul->k;
        const std::int64_t slice = std::min(stage->tile.kAL1(), stage->tile.kBL1());
        SumOrder& order = orders[name];
        order.terms = k;
        if (stage->tile.splitK && slice > 0 && slice < k) {
            order.terms = slice;
            order.partials = ceilDiv(k, slice);
            order.partial = stage->partialDType;
        }
        order.terms += 1;  // a bias
    }
    return orders;
}

bool boundIsCheap(const ComputedTensors& computed, std::int64_t flops, std::int64_t mostFlops) {
    std::int64_t bytes = 0;
    for (const auto& [name, tensor] : computed.inputs)
        if (isFloat(tensor->dtype())) bytes += static_cast<std::int64_t>(tensor->byteCount());
    return flops <= mostFlops && bytes <= kMostBoundBytes;
}

Result<PositiveInputs> positiveInputs(const ComputedTensors& computed) {
    PositiveInputs positive;
    positive.all = computed.inputs;
    for (auto& [name, tensor] : positive.all) {
        if (!isFloat(tensor->dtype())) continue;
        CUBIST_TRY(HostTensor copy, HostTensor::zeros(tensor->dtype(), tensor->shape()));
        for (std::int64_t e = 0; e < copy.count(); ++e) copy.set(e, std::abs(tensor->at(e)));
        tensor = &positive.own.emplace(name, std::move(copy)).first->second;
    }
    return positive;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/product_sums.h"

#include <cmath>
#include <utility>

namespace cubist {
namespace {

/// The matmul that an output is stored from without anything in between, when its sums are plain ones of FP32.
const CubeStage* plainProduct(const ResolvedDesign& design, const std::string& output) {
    const CubeStage* found = nullptr;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to.text != output) continue;
        const ResolvedValue* value = design.value(store->from);
        if (value == nullptr || value->kind != ResolvedValue::Kind::CubeResult || store->op != StoreOp::Slice)
            return nullptr;
        const auto* stage = std::get_if<CubeStage>(&design.blocks[value->block].block->content);
        if (found != nullptr && stage != found) return nullptr;
        found = stage;
    }
    if (found == nullptr || found->op != CubeOp::Matmul || found->relu || found->scale || !found->scaleTensor.empty() ||
        found->fp32Mode != Fp32Mode::Ieee || found->partialDType != DType::FP32 || !isFloat(found->outDType))
        return nullptr;
    for (const ValueId& operand : {found->a, found->b}) {
        const ResolvedValue* value = design.value(operand);
        const bool given = value != nullptr && value->tensor != nullptr && value->tensor->role == TensorRole::Input;
        if (!given || !isFloat(value->dtype)) return nullptr;
    }
    return found;
}

}  // namespace

std::map<std::string, std::int64_t> productDepths(const ResolvedDesign& design, const ComputedTensors& computed) {
    std::map<std::string, std::int64_t> depths;
    for (const auto& [name, tensor] : computed.outputs) {
        if (const CubeStage* stage = plainProduct(design, name)) {
            // Bias and split-K add a few terms to the sum.
            const std::int64_t k = design.block(stage->id)->matmul->k;
            depths[name] = k + 1 + (stage->tile.splitK ? k : 0);
        }
    }
    return depths;
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

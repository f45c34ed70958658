// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/cast_modes.h"

#include "core/base/number_formats.h"
#include "core/design/binding.h"
#include "core/design/resolve.h"

namespace cubist {
namespace {

/// Empty where nothing is rounded: between integers, and into a wider type.
std::string modeText(DType from, DType to, RoundMode asked) {
    const bool toInteger = isFloat(from) && !isFloat(to);
    if (!toInteger && (!isFloat(to) || bitsPerElement(to) > bitsPerElement(from))) return {};
    const RoundMode mode = castRounding(from, to, asked);
    if (mode != RoundMode::None) return std::string(toText(mode));
    return std::string(toText(toInteger ? RoundMode::Trunc : to == DType::HF8 ? RoundMode::Round : RoundMode::Rint));
}

}  // namespace

Dictionary<std::string> castModesOf(const RunReport& report) {
    Dictionary<std::string> modes;
    if (report.used == nullptr) return modes;
    Overrides overrides;
    overrides.symbols = report.symbols;
    overrides.lists = report.lists;
    const auto binding = bindWith(*report.used, report.caseId.text, overrides);
    if (!binding) return modes;
    const auto resolved = resolve(*report.used, *binding);
    if (!resolved) return modes;
    for (const ResolvedBlock& block : resolved->blocks) {
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        for (std::size_t i = 0; stage != nullptr && i < stage->ops.size(); ++i) {
            const VectorOp& op = stage->ops[i];
            const ValueId* operand = op.op == VectorOpCode::Cast ? op.in[0].value() : nullptr;
            const ResolvedValue* from = operand != nullptr ? resolved->value(*operand) : nullptr;
            const ResolvedValue* to = resolved->value(op.out);
            if (from == nullptr || to == nullptr) continue;
            std::string text = modeText(from->dtype, to->dtype, op.round);
            if (op.saturate) text += text.empty() ? "saturating" : ", saturating";
            if (!text.empty()) modes.set(op.out.text, std::move(text));
        }
    }
    return modes;
}

}  // namespace cubist

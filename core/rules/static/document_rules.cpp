// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/static/document_rules.h"

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "core/design/vector_op_info.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "DOC-01",
         .family = RuleFamily::Document,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A key that this version does not know",
         .titleZh = "本版本不认识的键",
         .explanation =
             "The key may be misspelt or come from a newer version. It has no effect and is kept when the design is "
             "saved. With --strict the command line refuses the file.",
         .explanationZh = "该键可能拼写有误，或来自更新的版本。它不起作用，保存设计时会原样保留。命令行使用 --strict "
                          "时拒绝该文件。",
         .formula = "key in the schema",
         .source = "docs/design-format.md"},
    Rule{.id = "DOC-02",
         .family = RuleFamily::Document,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "An attribute that the operation does not have",
         .titleZh = "该运算没有的属性",
         .explanation =
             "Each operation has attributes of its own, such as round and saturate of a cast or count of topk. On "
             "another operation the attribute has no effect.",
         .explanationZh =
             "每个运算有自己的属性，例如 cast 的 round、saturate，topk 的 count。在其他运算上该属性不起作用。",
         .formula = "attribute in table(operation)",
         .source = "docs/design-format.md"},
    Rule{.id = "DOC-03",
         .family = RuleFamily::Document,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A chip that reaches more than its nominal rates",
         .titleZh = "芯片的有效速率高于标称速率",
         .explanation =
             "The prediction uses the effective bandwidths and the effective part of L2; the nominal ones say what the "
             "hardware can do at most. With an effective value above the nominal one the time lies below what the chip "
             "could reach. Change both in the chip file.",
         .explanationZh =
             "预测使用有效带宽和 L2 的有效容量；标称值是硬件的上限。有效值高于标称值时，预测时间会短于芯片所能达到的。"
             "请在芯片文件中同时修改二者。",
         .formula = "effective <= nominal: HBM bandwidth, L2 bandwidth, L2 bytes",
         .source = "docs/fidelity.md"},
};

/// The attributes that an operation was given and does not have, as keys of the file.
std::vector<std::string> strangers(const VectorOp& op) {
    const VectorOp plain;
    const OpFields has = opFields(op.op);
    std::vector<std::string> keys;
    const auto look = [&](bool known, bool given, const char* key) {
        if (!known && given) keys.emplace_back(key);
    };
    look(has.rounding, op.round != plain.round, "round");
    look(has.rounding, op.saturate, "saturate");
    look(has.dim || op.op == VectorOpCode::RmsNorm, op.dim.has_value(), "dim");
    look(has.keepDim, op.keepDim, "keepdim");
    look(has.dims, !op.dims.empty(), "dims");
    look(has.shape, !op.shape.empty(), "shape");
    look(has.offset, !op.offset.empty(), "offset");
    look(has.epsilon, op.epsilon != plain.epsilon, "epsilon");
    look(has.count, op.count != plain.count, "count");
    look(has.largest, op.largest != plain.largest, "largest");
    look(has.accumulate, op.accumulate, "accumulate");
    look(has.alpha, op.alpha != plain.alpha, "alpha");
    look(has.reduce, op.reduce != plain.reduce, "reduce");
    look(has.range, !op.range.empty(), "range");
    look(has.scaleRounding, op.scaleRounding != plain.scaleRounding, "scale_rounding");
    look(has.interleaved, op.interleaved, "interleaved");
    return keys;
}

}  // namespace

void checkAttributes(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        for (std::size_t i = 0; stage != nullptr && i < stage->ops.size(); ++i)
            for (const std::string& key : strangers(stage->ops[i])) {
                const std::string name(toText(stage->ops[i].op));
                context.report("DOC-02", block.where + "/ops/" + text(static_cast<std::int64_t>(i)) + "/" + key,
                               stage->id,
                               {name + " has no " + key + ": it has no effect here",
                                name + " 没有 " + key + " 属性：在此不起作用"});
            }
    }
}

void checkChipRates(CheckContext& context) {
    const ChipSpec& chip = context.chip;
    const auto compare = [&](const char* name, const Constant& effective, const char* nominalName,
                             const Constant& nominal) {
        if (effective.value <= nominal.value) return;
        const std::string more = std::string(name) + " " + effective.value.toText();
        const std::string most = std::string(nominalName) + " " + nominal.value.toText();
        context.report("DOC-03", "/chip", BlockId(),
                       {"chip " + chip.id.text + ": " + more + " is above " + most,
                        "芯片 " + chip.id.text + "：" + more + " 高于 " + most});
    };
    compare("hbm_effective_bytes_per_second", chip.hbmEffectiveBytesPerSecond, "hbm_bytes_per_second",
            chip.hbmBytesPerSecond);
    compare("l2_effective_bytes_per_second", chip.l2EffectiveBytesPerSecond, "l2_bytes_per_second",
            chip.l2BytesPerSecond);
    compare("l2_effective_bytes", chip.l2EffectiveBytes, "l2_bytes", chip.l2Bytes);
}

std::span<const Rule> documentRules() {
    return kRules;
}

}  // namespace cubist::rules

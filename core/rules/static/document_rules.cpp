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

std::span<const Rule> documentRules() {
    return kRules;
}

}  // namespace cubist::rules

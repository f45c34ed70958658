// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

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
         .source = "docs/design-format.md"},
};

}  // namespace

std::span<const Rule> documentRules() {
    return kRules;
}

}  // namespace cubist::rules

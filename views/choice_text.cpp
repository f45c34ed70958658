// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/choice_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

#include "views/qt_text.h"

namespace cubist {
namespace {

/// Every word of a list that the window shows; those that are names stay as they are.
constexpr std::array kWords{
    // tensors, lists, loops, rules
    QT_TRANSLATE_NOOP("cubist::Choice", "input"),
    QT_TRANSLATE_NOOP("cubist::Choice", "output"),
    QT_TRANSLATE_NOOP("cubist::Choice", "inout"),
    QT_TRANSLATE_NOOP("cubist::Choice", "workspace"),
    QT_TRANSLATE_NOOP("cubist::Choice", "default"),
    QT_TRANSLATE_NOOP("cubist::Choice", "none_cacheable"),
    QT_TRANSLATE_NOOP("cubist::Choice", "plain"),
    QT_TRANSLATE_NOOP("cubist::Choice", "counts"),
    QT_TRANSLATE_NOOP("cubist::Choice", "prefix_sums"),
    QT_TRANSLATE_NOOP("cubist::Choice", "rows"),
    QT_TRANSLATE_NOOP("cubist::Choice", "runtime"),
    QT_TRANSLATE_NOOP("cubist::Choice", "static"),
    QT_TRANSLATE_NOOP("cubist::Choice", "unroll"),
    QT_TRANSLATE_NOOP("cubist::Choice", "enforced"),
    QT_TRANSLATE_NOOP("cubist::Choice", "documented"),
    // arithmetic
    QT_TRANSLATE_NOOP("cubist::Choice", "ieee"),
    QT_TRANSLATE_NOOP("cubist::Choice", "rint"),
    QT_TRANSLATE_NOOP("cubist::Choice", "round"),
    QT_TRANSLATE_NOOP("cubist::Choice", "element"),
    QT_TRANSLATE_NOOP("cubist::Choice", "fractal"),
    QT_TRANSLATE_NOOP("cubist::Choice", "mx_group"),
    QT_TRANSLATE_NOOP("cubist::Choice", "down"),
    QT_TRANSLATE_NOOP("cubist::Choice", "up"),
    QT_TRANSLATE_NOOP("cubist::Choice", "none"),
    QT_TRANSLATE_NOOP("cubist::Choice", "multiply"),
    QT_TRANSLATE_NOOP("cubist::Choice", "NONE"),
    QT_TRANSLATE_NOOP("cubist::Choice", "RINT"),
    QT_TRANSLATE_NOOP("cubist::Choice", "ROUND"),
    QT_TRANSLATE_NOOP("cubist::Choice", "FLOOR"),
    QT_TRANSLATE_NOOP("cubist::Choice", "CEIL"),
    QT_TRANSLATE_NOOP("cubist::Choice", "TRUNC"),
    QT_TRANSLATE_NOOP("cubist::Choice", "ODD"),
    // data and criteria
    QT_TRANSLATE_NOOP("cubist::Choice", "uniform"),
    QT_TRANSLATE_NOOP("cubist::Choice", "normal"),
    QT_TRANSLATE_NOOP("cubist::Choice", "integers"),
    QT_TRANSLATE_NOOP("cubist::Choice", "constant"),
    QT_TRANSLATE_NOOP("cubist::Choice", "ideal"),
    QT_TRANSLATE_NOOP("cubist::Choice", "framework"),
    QT_TRANSLATE_NOOP("cubist::Choice", "allclose_actual"),
    QT_TRANSLATE_NOOP("cubist::Choice", "two_threshold"),
    QT_TRANSLATE_NOOP("cubist::Choice", "error_ratio"),
    QT_TRANSLATE_NOOP("cubist::Choice", "three_way"),
    QT_TRANSLATE_NOOP("cubist::Choice", "exact"),
    QT_TRANSLATE_NOOP("cubist::Choice", "order_bound"),
    QT_TRANSLATE_NOOP("cubist::Choice", "allclose"),
    // phases of a run
    QT_TRANSLATE_NOOP("cubist::Choice", "inputs"),
    QT_TRANSLATE_NOOP("cubist::Choice", "checks"),
    QT_TRANSLATE_NOOP("cubist::Choice", "lowering"),
    QT_TRANSLATE_NOOP("cubist::Choice", "program"),
    QT_TRANSLATE_NOOP("cubist::Choice", "values"),
    QT_TRANSLATE_NOOP("cubist::Choice", "compare"),
    QT_TRANSLATE_NOOP("cubist::Choice", "time"),
    QT_TRANSLATE_NOOP("cubist::Choice", "done"),
    // operations
    QT_TRANSLATE_NOOP("cubist::Choice", "cast"),
    QT_TRANSLATE_NOOP("cubist::Choice", "add"),
    QT_TRANSLATE_NOOP("cubist::Choice", "sub"),
    QT_TRANSLATE_NOOP("cubist::Choice", "mul"),
    QT_TRANSLATE_NOOP("cubist::Choice", "div"),
    QT_TRANSLATE_NOOP("cubist::Choice", "maximum"),
    QT_TRANSLATE_NOOP("cubist::Choice", "minimum"),
    QT_TRANSLATE_NOOP("cubist::Choice", "neg"),
    QT_TRANSLATE_NOOP("cubist::Choice", "abs"),
    QT_TRANSLATE_NOOP("cubist::Choice", "exp"),
    QT_TRANSLATE_NOOP("cubist::Choice", "log"),
    QT_TRANSLATE_NOOP("cubist::Choice", "sqrt"),
    QT_TRANSLATE_NOOP("cubist::Choice", "rsqrt"),
    QT_TRANSLATE_NOOP("cubist::Choice", "reciprocal"),
    QT_TRANSLATE_NOOP("cubist::Choice", "clip"),
    QT_TRANSLATE_NOOP("cubist::Choice", "where"),
    QT_TRANSLATE_NOOP("cubist::Choice", "eq"),
    QT_TRANSLATE_NOOP("cubist::Choice", "ne"),
    QT_TRANSLATE_NOOP("cubist::Choice", "lt"),
    QT_TRANSLATE_NOOP("cubist::Choice", "le"),
    QT_TRANSLATE_NOOP("cubist::Choice", "gt"),
    QT_TRANSLATE_NOOP("cubist::Choice", "ge"),
    QT_TRANSLATE_NOOP("cubist::Choice", "amax"),
    QT_TRANSLATE_NOOP("cubist::Choice", "amin"),
    QT_TRANSLATE_NOOP("cubist::Choice", "sum"),
    QT_TRANSLATE_NOOP("cubist::Choice", "slice"),
    QT_TRANSLATE_NOOP("cubist::Choice", "concat"),
    QT_TRANSLATE_NOOP("cubist::Choice", "transpose"),
    QT_TRANSLATE_NOOP("cubist::Choice", "expand_clone"),
    QT_TRANSLATE_NOOP("cubist::Choice", "unsqueeze"),
    QT_TRANSLATE_NOOP("cubist::Choice", "reshape"),
    QT_TRANSLATE_NOOP("cubist::Choice", "pow"),
    QT_TRANSLATE_NOOP("cubist::Choice", "prod"),
    QT_TRANSLATE_NOOP("cubist::Choice", "rope"),
    QT_TRANSLATE_NOOP("cubist::Choice", "full"),
    QT_TRANSLATE_NOOP("cubist::Choice", "arange"),
    QT_TRANSLATE_NOOP("cubist::Choice", "fillpad"),
    QT_TRANSLATE_NOOP("cubist::Choice", "gather"),
    QT_TRANSLATE_NOOP("cubist::Choice", "index_select"),
    QT_TRANSLATE_NOOP("cubist::Choice", "scatter"),
    QT_TRANSLATE_NOOP("cubist::Choice", "index_add"),
    QT_TRANSLATE_NOOP("cubist::Choice", "index_put"),
    QT_TRANSLATE_NOOP("cubist::Choice", "topk"),
    QT_TRANSLATE_NOOP("cubist::Choice", "argsort"),
    QT_TRANSLATE_NOOP("cubist::Choice", "cumsum"),
    QT_TRANSLATE_NOOP("cubist::Choice", "quantize"),
    QT_TRANSLATE_NOOP("cubist::Choice", "dequantize"),
    QT_TRANSLATE_NOOP("cubist::Choice", "quant_mx"),
    QT_TRANSLATE_NOOP("cubist::Choice", "rms_norm"),
    QT_TRANSLATE_NOOP("cubist::Choice", "assemble"),
    QT_TRANSLATE_NOOP("cubist::Choice", "atomic_add"),
    QT_TRANSLATE_NOOP("cubist::Choice", "matmul"),
    QT_TRANSLATE_NOOP("cubist::Choice", "scaled_mm"),
};

}  // namespace

QString choiceWord(std::string_view word) {
    const auto known =
        std::find_if(kWords.begin(), kWords.end(), [&](const char* candidate) { return word == candidate; });
    return known == kWords.end() ? qText(word) : QCoreApplication::translate("cubist::Choice", *known);
}

QString choiceText(std::string_view word) {
    const QString plain = qText(word);
    const QString meaning = choiceWord(word);
    return meaning == plain ? plain : QStringLiteral("%1 (%2)").arg(meaning, plain);
}

}  // namespace cubist

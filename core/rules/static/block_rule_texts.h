// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "core/rules/rule.h"

/// Texts of the rules about the blocks of SK-14 and about which skeleton a design belongs to.
namespace cubist::rules {

inline constexpr std::array kBlockRules{
    Rule{.id = "BLK-01",
         .family = RuleFamily::Block,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "The preparation computes more than casts and shapes",
         .titleZh = "准备阶段不止做类型转换和形状变换",
         .explanation =
             "In front of the first matmul SK-14 has a static preparation (casts, constants) and a shape preparation "
             "(reshape, transpose, merged or split axes). A norm there is SK-03 or SK-04, quantisation belongs to "
             "SK-04.",
         .explanationZh = "在第一个矩阵乘之前，SK-14 只有静态准备（类型转换、常量）和形状准备（reshape、转置、"
                          "合并或拆分轴）。归一化属于 SK-03 或 SK-04，量化属于 SK-04。",
         .formula =
             "operations in front of the first matmul: cast, full, arange, reshape, transpose, slice, concat, clone",
         .source = "hicann/pypto-gym, card SK-14, order of blocks",
         .compilerSilent = true},
    Rule{.id = "BLK-02",
         .family = RuleFamily::Block,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "A vector stage between matmuls does more than dequantise, activate or split",
         .titleZh = "矩阵乘之间的 V 阶段不止做反量化、激活或拆分",
         .explanation =
             "V_inter may dequantise, quantise, split, concatenate, cast and activate. Norms, softmax, sorting "
             "and sums between matmuls belong to SK-15 or to the attention skeletons.",
         .explanationZh =
             "V_inter 可以反量化、量化、拆分、拼接、转换类型和激活。矩阵乘之间的归一化、softmax、排序和求和"
             "属于 SK-15 或注意力骨架。",
         .formula = "operations between matmuls: dequantise, quantise, split, concat, cast, activation",
         .source = "hicann/pypto-gym, card SK-14, order of blocks",
         .compilerSilent = true},
    Rule{.id = "BLK-03",
         .family = RuleFamily::Block,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "More than one vector stage behind the last matmul",
         .titleZh = "最后一个矩阵乘之后有多个 V 阶段",
         .explanation = "V_post does not repeat: one stage after the last matmul reduces, casts and scatters. Several "
                        "stages pass their values through global memory.",
         .explanationZh = "V_post 不重复：最后一个矩阵乘之后由一个阶段完成归约、类型转换和散射。多个阶段之间的数据要"
                          "经过全局内存。",
         .formula = "count(V_post) <= 1 per loop body",
         .source = "hicann/pypto-gym, card SK-14, order of blocks",
         .compilerSilent = true},
    Rule{.id = "BLK-04",
         .family = RuleFamily::Block,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "V_post stands in front of a later matmul",
         .titleZh = "V_post 位于后面的矩阵乘之前",
         .explanation =
             "What no later matmul reads comes after the last matmul of its body, so that the cube cores are "
             "not kept waiting by work that they do not need.",
         .explanationZh = "后续矩阵乘不读取的内容应放在循环体内最后一个矩阵乘之后，以免 cube 核等待不需要的工作。",
         .formula = "position(V_post) > position(last C)",
         .source = "hicann/pypto-gym, card SK-14, order of blocks",
         .compilerSilent = true},
    Rule{.id = "BLK-05",
         .family = RuleFamily::Block,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A preparation that does not depend on the loop is repeated in it",
         .titleZh = "与循环无关的准备在循环内重复执行",
         .explanation =
             "StaticPrep and ShapePrep do not repeat. This stage reads nothing that changes from iteration to "
             "iteration: put it in front of the loop, with its result in a workspace.",
         .explanationZh = "StaticPrep 和 ShapePrep 不重复执行。该阶段读取的内容不随迭代变化：请移到循环之前，并将结果"
                          "放入 workspace。",
         .formula = "loops around the stage = loops that its operands depend on",
         .source = "hicann/pypto-gym, card SK-14, order of blocks",
         .compilerSilent = true},
    Rule{.id = "APP-01",
         .family = RuleFamily::Applicability,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "One norm feeds one matmul: this is SK-03",
         .titleZh = "一个归一化接一个矩阵乘：属于 SK-03",
         .explanation = "SK-14 takes what matches none of SK-01 to 04, 06 and 07. A norm in front of a single linear "
                        "projection is SK-03, with its own starting options.",
         .explanationZh = "SK-14 只接收不符合 SK-01 至 04、06、07 的设计。单个线性投影之前的归一化属于 SK-03，"
                          "它有自己的初始选项。",
         .formula = "matmul_count = 1 and norm -> matmul",
         .source = "hicann/pypto-gym, skeleton index and card SK-14, criterion 2"},
    Rule{.id = "APP-02",
         .family = RuleFamily::Applicability,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Gate and up merge through an activation: SK-06 describes it too",
         .titleZh = "gate 与 up 经激活合并：SK-06 也适用",
         .explanation = "Two matmuls of one input that meet in an activation are the FFN of SK-06. The card of SK-14 "
                        "counts them among its own (pattern 2); compare the starting options of both.",
         .explanationZh = "同一输入的两个矩阵乘经激活合并，是 SK-06 的 FFN。SK-14 的卡片也将其列为实例（模式 2）；"
                          "请比较两者的初始选项。",
         .formula = "two matmuls with one left operand, read by one activation stage",
         .source = "hicann/pypto-gym, skeleton index, cards SK-06 and SK-14"},
    Rule{.id = "APP-03",
         .family = RuleFamily::Applicability,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Softmax between two matmuls: attention has its own skeletons",
         .titleZh = "两个矩阵乘之间有 softmax：注意力有自己的骨架",
         .explanation =
             "SK-01 accumulates the softmax tile by tile, SK-02 has the whole row in UB. SK-14 pattern 4 is for "
             "what fits neither, such as sparse attention over gathered rows.",
         .explanationZh = "SK-01 按 tile 累积 softmax，SK-02 将整行放入 UB。SK-14 模式 4 用于二者都不适用的情况，"
                          "例如对收集行的稀疏注意力。",
         .formula = "softmaxes between two matmuls = 0",
         .source = "hicann/pypto-gym, skeleton index, cards SK-01, SK-02 and SK-14"},
    Rule{.id = "APP-04",
         .family = RuleFamily::Applicability,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Routing and experts in one kernel: this is SK-07",
         .titleZh = "路由与专家在同一 kernel：属于 SK-07",
         .explanation =
             "A gate whose topk chooses the rows of several expert matmuls is the MoE skeleton, also when the choice "
             "is only stored beside them. SK-14 takes the expert part, with the groups given from outside.",
         .explanationZh =
             "由 gate 的 topk 为多个专家矩阵乘选择行，属于 MoE 骨架；选择结果只写出、专家在同一 kernel 中时也是如此。"
             "SK-14 只承接专家部分，分组由外部给出。",
         .formula = "matmul -> topk, and a matmul that the topk does not read",
         .source = "hicann/pypto-gym, skeleton index, card SK-07"},
    Rule{.id = "APP-05",
         .family = RuleFamily::Applicability,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "Norm, activation and quantisation in one kernel: SK-15 may fit better",
         .titleZh = "归一化、激活和量化同在一个 kernel：SK-15 可能更合适",
         .explanation =
             "In SK-14 the matmuls dominate and vector stages are light. Three or more switches between cube and "
             "vector with a norm among them are general CV fusion: SK-15, labels at every switch, stitch 1024.",
         .explanationZh = "SK-14 以矩阵乘为主，V 阶段轻量。三次以上 C/V 切换且含归一化属于通用 CV 融合：SK-15，"
                          "每次切换加 label，stitch 1024。",
         .formula = "switches >= 3 and a norm between matmuls",
         .source = "hicann/pypto-gym, cards SK-14 (boundary) and SK-15"},
};

}  // namespace cubist::rules

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "core/rules/rule.h"

/// Texts of the rules about how an SK-14 kernel is written.
namespace cubist::rules {

inline constexpr std::array kCodingRules{
    Rule{.id = "CODE-01",
         .family = RuleFamily::Coding,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "FP8 or FP4 operands are widened in front of a matmul",
         .titleZh = "在矩阵乘之前放宽 FP8 或 FP4 操作数",
         .explanation =
             "The cube multiplies FP8 and FP4 itself; MXFP8 and MXFP4 go through scaled_mm, which applies the "
             "E8M0 scales there. Dequantising in a vector stage costs a pass through UB and global memory in a "
             "wider type, and a slower matmul.",
         .explanationZh =
             "cube 可以直接计算 FP8 和 FP4；MXFP8、MXFP4 应使用 scaled_mm，由 cube 应用 E8M0 缩放。在 V 阶段"
             "反量化要以更宽的类型经过 UB 和全局内存，矩阵乘也更慢。",
         .formula = "casts from FP8 or FP4 to a wider type whose result a matmul reads = 0",
         .source = "hicann/pypto-gym, card SK-14, coding features (scaled_mm is never split)",
         .compilerSilent = true},
    Rule{.id = "CODE-02",
         .family = RuleFamily::Coding,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Vector work of every iteration could follow the loop",
         .titleZh = "每次迭代的 V 工作可以移到循环之后",
         .explanation =
             "Adding up in each iteration of a loop leaves many small vector tasks that wait for each other. Keep the "
             "products in a workspace and scale, add and scatter once after the loop, as GMMFinalizeRouting does now. "
             "In a parallel loop the order of the sums is the larger matter (STORE-08); scaling what is stored to rows "
             "of its own is pattern 3 and stays.",
         .explanationZh =
             "在循环的每次迭代中累加会产生许多互相等待的小 V 任务。请将乘积放入 workspace，在循环之后一次完成"
             "缩放、累加和散射（GMMFinalizeRouting 现在的做法）。并行循环中更重要的是求和顺序（STORE-08）；写入各自行"
             "的缩放属于模式 3，可以保留。",
         .formula = "vector stages behind a matmul of a serial loop whose result is added to a tensor there = 0",
         .source = "hicann/pypto-gym, card SK-14 (post-loop V); history of GMMFinalizeRouting"},
    Rule{.id = "CODE-03",
         .family = RuleFamily::Coding,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "combine_axis is off where a column is stretched",
         .titleZh = "列广播时未打开 combine_axis",
         .explanation =
             "Without combine_axis a tile of shape [rows, 1] takes 32 bytes for each row in UB and one repeat of "
             "the vector unit each. The card of SK-14 has it as the first line of every kernel.",
         .explanationZh =
             "未打开 combine_axis 时，形状为 [行, 1] 的 tile 在 UB 中每行占 32 字节，向量单元每行一次 repeat。"
             "SK-14 卡片要求它是每个 kernel 的第一行。",
         .formula = "combine_axis = true where an operand [.., 1] is stretched",
         .source = "hicann/pypto-gym, card SK-14, out-of-box table",
         .compilerSilent = true},
    Rule{.id = "CODE-04",
         .family = RuleFamily::Coding,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "A large weight is not in NZ",
         .titleZh = "大的权重未使用 NZ",
         .explanation =
             "The cube reads fractals. A weight in ND is rearranged while it is loaded, in short rows; declared as "
             "NZ it is read in long ones. Inputs that are written once and read often gain most.",
         .explanationZh = "cube 按分形读取数据。ND 权重在搬入时以短行重排；声明为 NZ 后以长行读取。写一次、读多次的输入"
                          "收益最大。",
         .formula = "bytes(B) >= 4 MiB",
         .source = "hicann/pypto-gym, card SK-14 and tuning guide (F-12)"},
    Rule{.id = "CODE-05",
         .family = RuleFamily::Coding,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "Iterations of a parallel loop read what others write",
         .titleZh = "并行循环的迭代读取其他迭代写入的数据",
         .explanation =
             "parallel=True promises that iterations are independent. A tensor that one stores into and another "
             "reads, as a whole or through a window that meets what is stored, makes the result depend on the "
             "schedule. Windows are compared up to 1024 reads and writes; a run looks at all (VAL-07).",
         .explanationZh =
             "parallel=True "
             "承诺各迭代相互独立。若一次迭代写入的张量被另一次迭代整体读取，或通过与写入区域重叠的视图读取，"
             "结果将取决于调度。最多比较 1024 次读写；运行时检查全部（VAL-07）。",
         .formula = "tensors that iterations of a parallel loop store into and read = 0",
         .source = "hicann/pypto, loop page (parallel)",
         .compilerSilent = true},
};

}  // namespace cubist::rules

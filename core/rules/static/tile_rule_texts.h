// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "core/rules/rule.h"

namespace cubist::rules {

inline constexpr std::array kTileRules{
    Rule{
        .id = "TILE-01",
        .family = RuleFamily::Tile,
        .enforced = Severity::Error,
        .documented = Severity::Error,
        .title = "A tile value is zero or negative",
        .titleZh = "切分值为零或负数",
        .explanation =
            "Every value of set_cube_tile_shapes is a number of elements and must be at least 1. A stage without a "
            "tile is reported by PyPTO as all zeros.",
        .explanationZh = "set_cube_tile_shapes 的每个值都是元素个数，至少为 1。未设置切分的阶段会被 PyPTO 报告为全零。",
        .formula = "value >= 1",
        .source = "hicann/pypto, CheckCubeTiling; set_cube_tile_shapes page",
        .pyptoCode = "F0000C"},
    Rule{.id = "TILE-02",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A tile has the wrong number of values",
         .titleZh = "切分值的个数不对",
         .explanation = "m and n are [L0, L1]; k is [kL0, kL1] or [kL0, kAL1, kBL1], with separate depths for A and B.",
         .explanationZh = "m 和 n 为 [L0, L1]；k 为 [kL0, kL1]，或 A、B 深度分开的 [kL0, kAL1, kBL1]。",
         .formula = "count(m) = count(n) = 2, count(k) = 2 or 3",
         .source = "hicann/pypto, python config of set_cube_tile_shapes",
         .pyptoCode = "F00002"},
    Rule{.id = "TILE-03",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "kL0 is not a multiple of 16 elements",
         .titleZh = "kL0 不是 16 个元素的整数倍",
         .explanation =
             "The cube works in fractals of 16 rows and columns, so kL0 must be a multiple of 16 for every type. The "
             "problem's own K may be any number: only the tile is restricted.",
         .explanationZh = "Cube 以 16 行 16 列的分形计算，因此任何类型的 kL0 都必须是 16 的整数倍。矩阵本身的 K "
                          "可以是任意值，受限制的只是切分。",
         .formula = "kL0 mod 16 = 0",
         .source = "hicann/pypto, CheckCubeTiling; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "TILE-04",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "nL0 is not a multiple of 16 elements",
         .titleZh = "nL0 不是 16 个元素的整数倍",
         .explanation = "As for kL0: the cube works in fractals of 16 columns. The problem's own N may be any number.",
         .explanationZh = "与 kL0 相同：Cube 以 16 列的分形计算。矩阵本身的 N 可以是任意值。",
         .formula = "nL0 mod 16 = 0",
         .source = "hicann/pypto, CheckCubeTiling; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "TILE-05",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "kL0 is not a multiple of 32 bytes",
         .titleZh = "kL0 不是 32 字节的整数倍",
         .explanation =
             "Buffers are addressed in blocks of 32 bytes. For 1-byte operands this is stricter than 16 elements: "
             "kL0 must be a multiple of 32.",
         .explanationZh = "缓冲区按 32 字节的块寻址。对 1 字节的操作数，这比 16 个元素更严格：kL0 必须是 32 的整数倍。",
         .formula = "kL0 * bytes(A) mod 32 = 0",
         .source = "hicann/pypto, CheckCubeTiling; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "TILE-06",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "nL0 is not a multiple of 32 bytes",
         .titleZh = "nL0 不是 32 字节的整数倍",
         .explanation = "As for kL0, with the size of B's elements: for 1-byte operands nL0 must be a multiple of 32.",
         .explanationZh = "与 kL0 相同，按 B 的元素大小计算：1 字节操作数的 nL0 必须是 32 的整数倍。",
         .formula = "nL0 * bytes(B) mod 32 = 0",
         .source = "hicann/pypto, CheckCubeTiling; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "TILE-07",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An L1 value is not a multiple of its L0 value",
         .titleZh = "L1 值不是对应 L0 值的整数倍",
         .explanation =
             "An L1 tile is cut into whole L0 tiles, on every axis; with three values for k both depths count.",
         .explanationZh = "每个轴上的 L1 切分都要切成整数个 L0 切分；k 有三个值时，两个深度都要满足。",
         .formula = "L1 mod L0 = 0, L0 <= L1",
         .source = "hicann/pypto, CheckCubeTiling; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "TILE-08",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The L1 depths of A and B do not go together",
         .titleZh = "A 与 B 在 L1 的深度不匹配",
         .explanation =
             "When A and B are loaded to different depths, the deeper one must hold all of K or a whole number of the "
             "other's steps. PyPTO finds this only while compiling, without a source line.",
         .explanationZh = "A 与 B 搬入深度不同时，较深的一方必须装下整个 K，或为另一方步长的整数倍。PyPTO "
                          "在编译阶段才发现，且不给出源码行号。",
         .formula = "max(kAL1, kBL1) >= K or max(kAL1, kBL1) mod min(kAL1, kBL1) = 0",
         .source = "hicann/pypto, ConstructTileGraph; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "TILE-09",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "mL0 of a transposed A is not a multiple of 32 bytes",
         .titleZh = "A 转置时 mL0 不是 32 字节的整数倍",
         .explanation =
             "A transposed ND operand has M as its inner axis, so its tile must be aligned. When A is not transposed "
             "any mL0 is legal: shipped operators use 9 and even 1.",
         .explanationZh =
             "ND 格式的 A 转置后，M 成为内轴，切分必须对齐。A 不转置时 mL0 可取任意值：已发布的算子用过 9 甚至 1。",
         .formula = "a_trans: mL0 * bytes(A) mod 32 = 0",
         .source = "hicann/pypto, CheckCubeTiling; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "TILE-10",
         .family = RuleFamily::Tile,
         .enforced = std::nullopt,
         .documented = Severity::Error,
         .title = "A tile value is not 32-byte aligned as documented",
         .titleZh = "切分值未按文档要求 32 字节对齐",
         .explanation =
             "The documentation asks for 32-byte alignment of all six values. The compiler checks kL0 and nL0 only "
             "(and mL0 of a transposed A), and shipped operators rely on that.",
         .explanationZh =
             "文档要求六个值都 32 字节对齐。编译器只检查 kL0 和 nL0（以及 A 转置时的 mL0），已发布的算子也依赖这一点。",
         .formula = "value * bytes mod 32 = 0 for mL0, mL1, kL0, kL1, nL0, nL1",
         .source = "hicann/pypto, set_cube_tile_shapes page",
         .compilerSilent = true},
    Rule{.id = "TILE-11",
         .family = RuleFamily::Tile,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "mL1 or nL1 has no effect",
         .titleZh = "mL1 或 nL1 不起作用",
         .explanation =
             "The compiler stores mL1 and nL1 and never reads them again: blocks and L1 copies are mL0 x nL0, "
             "mL0 x kAL1 and kBL1 x nL0. Keep them equal to the L0 values.",
         .explanationZh = "编译器保存 mL1 和 nL1 后不再读取：分块与 L1 搬入的大小是 mL0 x nL0、mL0 x kAL1、kBL1 x nL0。"
                          "请让它们等于 L0 值。",
         .formula = "mL1 = mL0, nL1 = nL0",
         .source = "hicann/pypto, ConstructTileGraph",
         .compilerSilent = true},
    Rule{.id = "TILE-12",
         .family = RuleFamily::Tile,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "split-K with an output that is neither FP32 nor INT32",
         .titleZh = "split-K 的输出既非 FP32 也非 INT32",
         .explanation =
             "With split-K the partial results are added in global memory, which is possible in FP32 and INT32 only. "
             "Let the stage give FP32 and cast in a vector stage.",
         .explanationZh =
             "split-K 在全局内存中累加部分和，只支持 FP32 和 INT32。请让该阶段输出 FP32，再在 V 阶段转换类型。",
         .formula = "split_k: out_dtype in {FP32, INT32}",
         .source = "hicann/pypto, matmul page; run on the PyPTO frontend",
         .pyptoCode = "F00007"},
    Rule{.id = "TILE-13",
         .family = RuleFamily::Tile,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "The tile comes from a table",
         .titleZh = "切分取自查表",
         .explanation =
             "The stage has a table that picks its tile from the shape, as configuration objects of shipped kernels do "
             "(GMMFinalizeRouting: rows per expert). What the stage itself says counts only beyond the last row. "
             "The ecosystem's lint wants literals (OL48), which shipped operators waive.",
         .explanationZh = "该阶段用表按形状选择切分，与已发布内核的配置对象相同（GMMFinalizeRouting："
                          "按每个专家的行数）。阶段自身的切分只在超出最后一行时使用。生态的 lint "
                          "要求字面量（OL48），已发布的算子对此豁免。",
         .formula = "first row with value <= up_to",
         .source = "hicann/pypto-gym, configuration of GMMFinalizeRouting",
         .compilerSilent = true},
    Rule{.id = "TILE-14",
         .family = RuleFamily::Tile,
         .enforced = std::nullopt,
         .documented = Severity::Error,
         .title = "k has a depth for each operand",
         .titleZh = "k 为两个操作数分别给出深度",
         .explanation =
             "The page of the call and the ecosystem's lint (OL48) know two values, [kL0, kL1]. The compiler takes a "
             "third, the depth of B in L1, as the performance guide shows, and shipped operators rely on it.",
         .explanationZh =
             "接口文档与生态的 lint（OL48）只认两个值 [kL0, kL1]。编译器接受第三个值，即 B 在 L1 中的深度（见"
             "性能指南），已发布的算子也依赖这一点。",
         .formula = "k = [kL0, kL1]",
         .source = "hicann/pypto, set_cube_tile_shapes page; hicann/pypto-gym, lint rule OL48",
         .compilerSilent = true},
};

}  // namespace cubist::rules

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "core/rules/rule.h"

namespace cubist::rules {

inline constexpr std::array kCubeRules{
    Rule{.id = "CUBE-01",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "scaled_mm cannot have these types",
         .titleZh = "scaled_mm 不支持这些数据类型",
         .explanation =
             "scaled_mm exists on the 950 only. It takes FP8E4M3 and FP8E5M2 (mixed if wanted) or FP4E2M1 on "
             "both sides, with FP8E8M0 scales, and gives FP16, BF16 or FP32; with a FIXPIPE scale also INT8.",
         .explanationZh = "scaled_mm 仅 950 支持。操作数为 FP8E4M3 与 FP8E5M2（可混用），或两侧均为 "
                          "FP4E2M1；scale 为 FP8E8M0；输出 FP16、BF16 或 FP32，带 FIXPIPE scale 时还可输出 "
                          "INT8。",
         .formula = "arch = 3510; A, B in {FP8E4M3, FP8E5M2} or both FP4E2M1; scales FP8E8M0; out in {FP16, BF16, "
                    "FP32}, INT8 with a scale",
         .source = "hicann/pypto, scaled_mm page"},
    Rule{.id = "CUBE-02",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The bias has the wrong type",
         .titleZh = "bias 的数据类型不对",
         .explanation = "The bias of FP16 is FP16 or FP32, of BF16 BF16 or FP32 (on A2/A3 FP32 only), of FP32 FP32, of "
                        "INT8 INT32, of FP8 and HF8 FP16, BF16 or FP32.",
         .explanationZh = "FP16 的 bias 为 FP16 或 FP32，BF16 的为 BF16 或 FP32（A2/A3 仅 FP32），FP32 的为 "
                          "FP32，INT8 的为 INT32，FP8 和 HF8 的为 FP16、BF16 或 FP32。",
         .formula = "type(bias) in table(type(A), arch)",
         .source = "hicann/pypto, matmul page"},
    Rule{.id = "CUBE-03",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The FIXPIPE cannot use this scale",
         .titleZh = "FIXPIPE 不能使用该 scale",
         .explanation =
             "A stage has one scale for all or a row of scales, not both. The number is kept with 10 mantissa "
             "bits and must be a normal FP32 number. A scale_tensor is INT64; with scaled_mm only for "
             "matrices.",
         .explanationZh = "一个阶段要么有一个统一的 scale，要么有一行 "
                          "scale，不能同时有。数值保留 10 位尾数，必须是 FP32 "
                          "规格化数。scale_tensor 为 INT64；scaled_mm 仅二维时可用。",
         .formula = "scale or scale_tensor, not both; 2^-126 <= |scale| < infinity; scale_tensor INT64, FP32 or BF16",
         .source = "hicann/pypto, matmul and scaled_mm pages"},
    Rule{.id = "CUBE-04",
         .family = RuleFamily::Cube,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A scale_tensor that PyPTO does not take as it is",
         .titleZh = "PyPTO 不能直接使用的 scale_tensor",
         .explanation = "PyPTO takes a scale_tensor as 64-bit words with an FP32 number in the low half "
                        "(torch_npu.npu_trans_quant_param makes them). The emulated core packs floats itself; the "
                        "exported kernel needs them packed on the host.",
         .explanationZh = "PyPTO 的 scale_tensor 是 64 位字，低 32 位为 FP32（由 torch_npu.npu_trans_quant_param "
                          "生成）。仿真核会自行打包浮点数；导出的 kernel 需要在 host 侧打包。",
         .formula = "type(scale_tensor) = INT64",
         .source = "hicann/pypto, matmul page"},
    Rule{.id = "CUBE-05",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "split-K with something that comes after the sum",
         .titleZh = "split-K 与求和之后的处理同时使用",
         .explanation =
             "split-K adds partial results in global memory, so nothing can be done to the sum on its way out "
             "of L0C: no bias, scale, scale_tensor or ReLU. scaled_mm can be split for matrices only.",
         .explanationZh = "split-K 在全局内存中累加部分和，因此和在离开 L0C "
                          "时不能再做处理：不能有 bias、scale、scale_tensor 或 ReLU。scaled_mm "
                          "仅二维时可用 split-K。",
         .formula = "split_k and (bias or scale or scale_tensor or relu) = false",
         .source = "hicann/pypto, matmul page",
         .pyptoCode = "F00007"},
    Rule{.id = "CUBE-06",
         .family = RuleFamily::Cube,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Partial results of split-K are not FP32",
         .titleZh = "split-K 的部分和不是 FP32",
         .explanation = "PyPTO keeps partial results in FP32. Adding them in the type of the output makes sums that "
                        "cancel off by many per cent.",
         .explanationZh = "PyPTO 的部分和为 "
                          "FP32。用输出类型累加会使相消的和产生百分之几十的误差。",
         .formula = "type of partial results = FP32",
         .source = "triton, composable_kernel and modular issues on split-K"},
    Rule{.id = "CUBE-07",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The FP32 mode is not available",
         .titleZh = "不支持该 FP32 模式",
         .explanation =
             "trans_mode rounds the FP32 operands of a matmul to TF32 (10 mantissa bits) on the 950. On A2/A3 "
             "PyPTO has no such option, although the cube knows HF32 (11 bits); when forced, the emulated "
             "core computes HF32 there.",
         .explanationZh = "trans_mode 在 950 上将矩阵乘的 FP32 操作数舍入为 TF32（10 位尾数）。A2/A3 "
                          "上 PyPTO 没有该选项，尽管 Cube 支持 HF32（11 "
                          "位）；强制运行时，仿真核按 HF32 计算。",
         .formula = "fp32_mode = ieee, or A is FP32 and arch = 3510",
         .source = "hicann/pypto, matmul page; asc-devkit, HF32 mode page"},
    Rule{.id = "CUBE-08",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "Sums per MX group without MX operands",
         .titleZh = "没有 MX 操作数却按 MX 组求和",
         .explanation = "Only the operands of scaled_mm come in groups of 32 with a scale each.",
         .explanationZh = "只有 scaled_mm 的操作数按 32 个一组带 scale。",
         .formula = "accumulation = mx_group only with scaled_mm",
         .source = "definition of the option"},
    Rule{.id = "CUBE-09",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "kL0 of scaled_mm is not a multiple of 64",
         .titleZh = "scaled_mm 的 kL0 不是 64 的整数倍",
         .explanation = "Two scales for 32 elements each are stored and moved together, so a step along K takes whole "
                        "pairs.",
         .explanationZh = "每 32 个元素一个 scale，两个 scale 一起存储和搬运，因此 K "
                          "方向的每一步都是完整的一对。",
         .formula = "kL0 mod 64 = 0",
         .source = "hicann/pypto, CheckCubeTiling; run on the PyPTO frontend",
         .pyptoCode = "F0000C"},
    Rule{.id = "CUBE-10",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An odd number of 4-bit elements in a row",
         .titleZh = "每行 4 位元素的个数为奇数",
         .explanation = "Two 4-bit elements share a byte, so the last axis of the stored tensor is even.",
         .explanationZh = "两个 4 位元素共用一字节，因此存储张量的最后一轴必须为偶数。",
         .formula = "extent mod 2 = 0",
         .source = "hicann/pypto, scaled_mm page"},
    Rule{.id = "CUBE-11",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The operand cannot be in NZ",
         .titleZh = "该操作数不能使用 NZ",
         .explanation = "NZ is not for FP32, FP8E5M2, HF8 and FP4E1M2, not for a single row or column, and the matrix "
                        "must consist of whole fractals: rows of whole 32-byte blocks, a multiple of 16 rows.",
         .explanationZh = "FP32、FP8E5M2、HF8、FP4E1M2 不支持 NZ；单行或单列不支持 "
                          "NZ；矩阵必须由完整分形组成：每行为整数个 32 字节块，行数为 16 "
                          "的整数倍。",
         .formula = "inner mod C0 = 0, outer mod 16 = 0",
         .source = "hicann/pypto, matmul page; vllm-ascend issue 10014",
         .pyptoCode = "F0000D"},
    Rule{.id = "CUBE-12",
         .family = RuleFamily::Cube,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "set_matrix_size is missing or wrong",
         .titleZh = "缺少 set_matrix_size 或其值不对",
         .explanation = "NZ operands with batch axes, or reshaped ones, need set_matrix_size with m, k and n of the "
                        "matmul.",
         .explanationZh = "带 batch 轴或经过 reshape 的 NZ 操作数需要用 set_matrix_size 给出矩阵乘的 "
                          "m、k、n。",
         .formula = "matrix_size = [m, k, n]",
         .source = "hicann/pypto, set_matrix_size page"},
    Rule{.id = "CUBE-13",
         .family = RuleFamily::Cube,
         .enforced = {},
         .documented = Severity::Error,
         .title = "The inner axis of an ND operand is longer than documented",
         .titleZh = "ND 操作数的内轴超出文档限制",
         .explanation =
             "The documentation allows 65535 elements along the inner axis of an ND operand. Nothing of it is "
             "checked when the kernel is compiled. NZ has no such limit.",
         .explanationZh = "文档限制 ND 操作数的内轴不超过 65535 个元素，编译时并不检查。NZ 没有该限制。",
         .formula = "inner axis <= 65535",
         .source = "hicann/pypto, matmul page",
         .compilerSilent = true},
};

}  // namespace cubist::rules

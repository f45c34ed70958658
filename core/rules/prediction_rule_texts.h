// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "core/rules/rule.h"

/// Texts of the rules that need a prediction, and of what only the lowered program or the values show.
namespace cubist::rules {

inline constexpr std::array kPredictionRules{
    Rule{.id = "PERF-01",
         .family = RuleFamily::Performance,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Fewer than 80 % of the cores have work",
         .titleZh = "不到 80 % 的核有工作",
         .explanation =
             "The tasks of a stage go to the cores in waves. Where they do not fill the cores, a smaller tile "
             "makes more of them; where the last wave is thin, a tile whose tasks divide the cores does.",
         .explanationZh =
             "一个阶段的任务按波次分给各核。任务不足以占满核时，较小的切分可以产生更多任务；最后一波不满时，"
             "请选择任务数能整除核数的切分。",
         .formula = "tasks / (ceil(tasks / cores) * cores) >= 0.8",
         .source = "hicann/pypto, tuning guide (core usage)"},
    Rule{.id = "PERF-02",
         .family = RuleFamily::Performance,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "The vector stages take longer than the matmuls",
         .titleZh = "V 阶段的时间超过矩阵乘",
         .explanation =
             "SK-14 is for kernels in which the matmuls dominate. Where vector stages cover more of the critical path "
             "and keep their cores busy longer, make them lighter or move them behind the loop; with three switches "
             "between cube and vector or more, SK-15 fits better. The checklist of the skeleton looks at the path too.",
         .explanationZh =
             "SK-14 适用于以矩阵乘为主的 kernel。若 V 阶段占关键路径更多且向量核更忙，请减轻 V 阶段或移到循环之后；"
             "C/V 切换 3 次及以上时更适合 SK-15。骨架检查表同样使用关键路径。",
         .formula = "busy(V) / AIV cores <= busy(C) / AIC cores, or critical path of V <= critical path of C",
         .source = "hicann/pypto-gym, card SK-14, boundary with SK-15"},
    Rule{.id = "PERF-03",
         .family = RuleFamily::Performance,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "The same blocks are loaded again and again",
         .titleZh = "同样的数据块被反复搬运",
         .explanation =
             "Tiles of A and B that do not fit L1 together are evicted and loaded again at every step along K; the "
             "compiler says nothing (CAP-04 has the bytes, this rule the copies).",
         .explanationZh =
             "A 与 B 的 tile 无法同时放入 L1 时会被换出，并在沿 K 的每一步重新搬运；编译器不会报错（CAP-04 "
             "给出字节数，本规则给出搬运次数）。",
         .formula = "copies of a task = different blocks of a task",
         .source = "run on the PyPTO frontend (k-step reloads of the scheduler)",
         .compilerSilent = true},
    Rule{.id = "PERF-04",
         .family = RuleFamily::Performance,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Short rows in copies from global memory",
         .titleZh = "全局内存搬运的行过短",
         .explanation = "A copy reads whole cache lines (512 bytes on 2201, 128 on 3510). Rows shorter than that waste "
                        "bandwidth: a deeper L1 "
                        "tile along the inner axis, or NZ, makes them longer.",
         .explanationZh = "搬运以整条 cache line 为单位（2201 为 512 字节，3510 为 128 "
                          "字节）。行短于此会浪费带宽：请加深内轴方向的 L1 切分，或使用 NZ。",
         .formula = "row bytes >= l2_line_bytes of the chip",
         .source = "pypto-lib, tile budget tool (K * bytes >= 512 B)"},
    Rule{.id = "PERF-05",
         .family = RuleFamily::Performance,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "The cube multiplies padding",
         .titleZh = "cube 在计算填充",
         .explanation =
             "Every shape is allowed; the cube takes tiles in whole fractals of 16 rows, 16 columns and 32 bytes "
             "along K, and takes as long for the padding as for the rest.",
         .explanationZh = "任何形状都允许；cube 按 16 行、16 列、K 向 32 字节的完整分形计算 tile，填充部分耗时相同。",
         .formula = "padding / (extent + padding) < 0.1",
         .source = "hicann/pypto, cube tile page (fractals)"},
};

inline constexpr std::array kProgramRules{
    Rule{.id = "CAP-14",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Inputs and outputs do not fit HBM",
         .titleZh = "输入与输出超出 HBM 容量",
         .explanation =
             "All inputs and outputs of a kernel lie in global memory while it runs. Workspaces come on top; "
             "they are not counted, as the runtime shares them.",
         .explanationZh = "kernel 运行时所有输入和输出都在全局内存中。工作区另计：运行时会复用它们，因此不计入。",
         .formula = "bytes of inputs and outputs <= hbm_bytes of the chip",
         .source = "memory of the chip: vendor data sheets, see the chip file"},
    Rule{.id = "OPT-07",
         .family = RuleFamily::Option,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A key of a merge setting meets no group",
         .titleZh = "合图设置的键没有匹配的组",
         .explanation = "Group numbers are known only when the kernel is lowered. A key beyond them is ignored.",
         .explanationZh = "组号在 lowering 之后才知道。超出范围的键会被忽略。",
         .formula = "key < number of groups that the program has",
         .source = "hicann/pypto, NBufferMerge pass; run on the PyPTO frontend",
         .compilerSilent = true},
    Rule{.id = "VAL-01",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "An integer overflows",
         .titleZh = "整数溢出",
         .explanation = "Accumulators of the cube, results of vector operations, casts without saturation and stores "
                        "that add keep the low bits of an integer: it wraps around.",
         .explanationZh = "cube 累加器、向量运算的结果、不带饱和的转换以及累加写出只保留整数的低位，即回绕。",
         .formula = "least integer of the type <= exact value <= largest integer of the type",
         .source = "emulated run"},
    Rule{.id = "VAL-02",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "An output has NaN or infinite elements",
         .titleZh = "输出含 NaN 或无穷大",
         .explanation = "Infinity against infinity passes any tolerance, so it is said.",
         .explanationZh = "无穷大与无穷大比较总能通过容差，因此单独报告。",
         .formula = "count(NaN) + count(inf) = 0",
         .source = "emulated run"},
    Rule{.id = "VAL-03",
         .family = RuleFamily::Value,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An element is read before it was written",
         .titleZh = "在写入之前读取了元素",
         .explanation = "Found by a checked run, in which all buffers start poisoned.",
         .explanationZh = "由检查运行发现，检查运行中所有缓冲区初始为毒值。",
         .formula = "reads of an element before its first write = 0",
         .source = "emulated run, checked"},
    Rule{.id = "VAL-04",
         .family = RuleFamily::Value,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An access outside of its tile or tensor",
         .titleZh = "访问超出 tile 或张量",
         .explanation = "Found by a checked run.",
         .explanationZh = "由检查运行发现。",
         .formula = "0 <= offset, offset + extent <= extent of the tile or tensor",
         .source = "emulated run, checked"},
    Rule{.id = "VAL-05",
         .family = RuleFamily::Value,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "Partial sums are lost",
         .titleZh = "部分和丢失",
         .explanation = "The accumulator starts anew although nobody has stored what was in it.",
         .explanationZh = "累加器重新初始化，但其中的内容尚未写出。",
         .formula = "starts of an accumulator = stores of it",
         .source = "emulated run, checked"},
    Rule{.id = "VAL-06",
         .family = RuleFamily::Value,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A tile ends beyond its buffer",
         .titleZh = "tile 超出缓冲区",
         .explanation = "Found by a checked run.",
         .explanationZh = "由检查运行发现。",
         .formula = "offset + bytes <= capacity",
         .source = "emulated run, checked"},
    Rule{.id = "VAL-07",
         .family = RuleFamily::Value,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "Two accesses to one place have no order",
         .titleZh = "对同一位置的两次访问没有顺序",
         .explanation =
             "Nothing makes one of two tasks wait for the other, and at least one of them writes. Iterations of a "
             "parallel loop are independent by "
             "declaration where device_sched_parallelism lets them run beside each other. Where an index says what "
             "is written, the run looks at its entries.",
         .explanationZh = "两个任务之间没有等待关系，且至少有一个写入。device_sched_parallelism "
                          "允许并行迭代同时运行时，按声明各迭代相互独立。"
                          "由索引决定写入位置时，运行会检查索引的元素。",
         .formula = "one of two tasks that touch an element waits for the other",
         .source = "emulated run, checked"},
    Rule{.id = "VAL-08",
         .family = RuleFamily::Value,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "The golden is a sample and a stage was computed as a whole",
         .titleZh = "golden 为抽样，且某阶段被完整计算",
         .explanation = "Above the golden limit only a sample of each output is compared.",
         .explanationZh = "超过 golden 上限时，只比较每个输出的抽样元素。",
         .formula = "multiply-adds <= golden limit, or every stage is sampled",
         .source = "emulated run"},
    Rule{.id = "VAL-09",
         .family = RuleFamily::Value,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "quant_mx clips elements",
         .titleZh = "quant_mx 截断了元素",
         .explanation = "With the shared exponent rounded down the largest elements of a group may lie beyond the "
                        "largest value of the type; rounded up none does, and all lose a bit.",
         .explanationZh =
             "共享指数向下取整时，组内最大的元素可能超出该类型的最大值；向上取整则不会超出，但所有元素少一位精度。",
         .formula = "count(|x| / scale > largest value of the type) = 0",
         .source = "emulated run; hicann/pypto, quant_mx page"},
    Rule{.id = "VAL-11",
         .family = RuleFamily::Value,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "A given golden matches another reading or arithmetic",
         .titleZh = "给定的 golden 与另一种读取方式或运算方式一致",
         .explanation = "A file of another type, or in NZ order where ND is meant, looks like a wrong kernel, and so "
                        "does a golden that was rounded or summed in another way. After a verdict of fail against a "
                        "given golden the other readings of the files are tried, then other rounding, saturation and "
                        "order of sums.",
         .explanationZh = "类型不符或把 NZ 排布当作 ND 读取的文件，以及以其他方式舍入或累加得到的 golden，看上去都像 "
                          "kernel 有错。与给定 golden "
                          "比较失败后，会先尝试文件的其他读取方式，再尝试其他舍入、饱和与累加次序。",
         .formula = "outside(golden as given) = 0, or no other reading has outside = 0",
         .source = "emulated run"},
    Rule{.id = "VAL-12",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A scale of a column that FIXPIPE does not take",
         .titleZh = "FIXPIPE 不支持的列缩放因子",
         .explanation =
             "A scale_tensor holds normal numbers: zero, subnormal, infinite and NaN entries have no defined "
             "result on the chip. Found in the data of a run.",
         .explanationZh = "scale_tensor 的元素须为规格化数：0、非规格化数、无穷大和 NaN 在芯片上没有确定的结果。"
                          "由运行时的数据发现。",
         .formula = "2^-126 <= |scale| < infinity",
         .source = "Ascend fixpipe quantisation parameters"},
    Rule{.id = "VAL-13",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A word of a scale_tensor asks for what is not emulated",
         .titleZh = "scale_tensor 的某个字请求了未实现的功能",
         .explanation =
             "Of a 64-bit word the FP32 scale (bits 13 to 31) and the offset (bits 37 to 45) are used. Bits 32 to 36, "
             "a shift to 16 bits before the product, and bit 46 at 0, unsigned results of 8 bits, are not emulated: "
             "the chip gives other values. Found in the data of a run.",
         .explanationZh =
             "64 位字中使用 FP32 缩放因子（第 13 至 31 位）与偏移（第 37 至 45 位）。第 32 至 36 位（乘法前先移位到 16 "
             "位）以及为 0 的第 46 位（无符号 8 位结果）未实现，芯片上的结果会不同。由运行时的数据发现。",
         .formula = "bits 32 to 36 = 0, bit 46 = 1 for results of 8 bits",
         .source = "Ascend fixpipe quantisation parameters"},
    Rule{.id = "VAL-14",
         .family = RuleFamily::Value,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Zero is read or added to where nothing was written",
         .titleZh = "读取或累加了从未写入、值为零的元素",
         .explanation = "A workspace and an output that a store adds to are zero at the start, here and in an exported "
                        "wrapper, so the zeros are defined; a kernel that gets its memory uncleared reads, or adds to, "
                        "what was there before. Found by a checked run.",
         .explanationZh = "workspace 与被累加写出的输出初始为零（此处与导出的 wrapper 中均如此），因此这些零是确定的；"
                          "若 kernel 得到的内存未清零，则会读到或累加到原有内容上。由检查运行发现。",
         .formula = "every element read or added to was written before",
         .source = "emulated run, checked"},
    Rule{.id = "VAL-15",
         .family = RuleFamily::Value,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Elements saturate in a conversion",
         .titleZh = "转换时元素饱和",
         .explanation =
             "A cast with saturation, every cast to FP4 and FP8E8M0 (which has no sign and no zero), and the FIXPIPE "
             "on its way to INT8 or from INT32 to FP16 take what the type does not hold to the end of its range. The "
             "golden does the same, so no verdict shows it.",
         .explanationZh =
             "带饱和的转换、所有到 FP4 与 FP8E8M0（没有符号和 0）的转换，以及 FIXPIPE 到 INT8 或由 INT32 到 FP16 "
             "的转换，会把类型无法表示的值截到其范围端点。golden 同样处理，因此判定结果看不出来。",
         .formula = "count(saturated elements) = 0",
         .source = "emulated run"},
    Rule{.id = "VAL-16",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A conversion or a sum overflows, or a conversion makes NaN 0",
         .titleZh = "转换或累加溢出，或转换把 NaN 变为 0",
         .explanation =
             "Checked runs name the first sum in L0C and the first result of a vector operation that is infinite while "
             "everything it is made from is finite. "
             "Without saturation what a float type does not hold becomes infinite, in FP8E4M3 NaN. With saturation, "
             "and in integers and FP4, NaN becomes 0, as on the chip, and is gone from everything that follows. Casts "
             "to 8 bits and fewer are part of either golden, so no verdict shows it.",
         .explanationZh =
             "检查运行会指出 L0C 中首个由有限数得到的无穷大累加和，以及 vector 运算中首个这样的结果。"
             "不带饱和时，浮点类型无法表示的值变为无穷大（FP8E4M3 变为 NaN）。带饱和时，以及转换到整数与 FP4 时，NaN "
             "与芯片上一样变为 0，此后不再可见。两种 golden 都包含到 8 位及更窄类型的转换，因此判定结果看不出来。",
         .formula = "count(overflowed elements) + count(NaN made 0) = 0",
         .source = "emulated run"},
    Rule{
        .id = "VAL-17",
        .family = RuleFamily::Value,
        .enforced = Severity::Warning,
        .documented = Severity::Warning,
        .title = "Data or a golden lies beyond its type",
        .titleZh = "数据或 golden 超出其数据类型",
        .explanation =
            "A file with such elements is refused as an input. A golden is compared as it is, and the output, which "
            "has the type, cannot reach it; a generator with a wide distribution makes NaN or infinities, and integers "
            "that wrap around.",
        .explanationZh = "含此类元素的文件不能作为输入。golden 按原值比较，而输出受其类型限制，无法达到该值；"
                         "分布过宽的生成器会产生 NaN、无穷大或回绕的整数。",
        .formula = "lowest(type) <= element <= largest(type)",
        .source = "data of a run"},
};

}  // namespace cubist::rules

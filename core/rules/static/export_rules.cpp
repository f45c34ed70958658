// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "core/rules/families.h"

namespace cubist::rules {
namespace {

constexpr std::array kRules{
    Rule{.id = "EXP-01",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A kernel cannot look at and write the same tensor in one function",
         .titleZh = "内核不能在同一函数中既查看又写入同一张量",
         .explanation =
             "A view and a store of one tensor in the body of one loop make a cycle in that function's graph. "
             "Let one loop write the tensor and a later one read it.",
         .explanationZh =
             "同一循环体内对同一张量的视图与写入会在该函数的图中形成环。请由一个循环写入，再由后面的循环读取。",
         .formula = "views and stores of one tensor in one loop body = one kind",
         .source = "hicann/pypto, pypto-view.md and pypto-assemble.md; F21009",
         .pyptoCode = "F21009"},
    Rule{.id = "EXP-02",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The shape of an operation cannot follow a tail or a factor",
         .titleZh = "操作的形状无法随尾块或展开因子变化",
         .explanation =
             "The kernel declares shapes in numbers. A slice, concat or reshape of an axis whose length follows "
             "a loop or a group has none: cut or merge another axis.",
         .explanationZh = "内核用数字声明形状。若轴长随循环或分组变化，切片、拼接或重塑便无法写出：请换一个轴。",
         .formula = "extents of slice, concat and reshape are numbers",
         .source = "hicann/pypto, pypto-view.md, pypto-concat.md, pypto-reshape.md",
         .pyptoCode = "F0000A"},
    Rule{.id = "EXP-03",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "PyPTO has no such operation",
         .titleZh = "PyPTO 没有该操作",
         .explanation =
             "Most operations that PyPTO lacks are written out in steps (silu, gelu, rope by halves). What "
             "cannot be: rope of neighbouring pairs, scales that are numbers, an index operation whose first "
             "operand is read again (PyPTO writes into it), index_put along another axis than the first, casts of FP4, "
             "quant_mx to FP4 or of an axis that is no multiple of 64, fillpad of three axes, quantize to UINT8 "
             "without zero points.",
         .explanationZh =
             "PyPTO 缺少的多数操作会展开成若干步骤（silu、gelu、前后两半的 rope）。无法展开的有：相邻成对的 "
             "rope、以数字给出的缩放、第一个操作数之后还会被读取的索引操作（PyPTO 原地写入）、沿非首轴的 "
             "index_put、FP4 的 cast、输出 FP4 或尾轴不是 64 的倍数的 quant_mx、三维的 fillpad、没有零点却输出 UINT8 "
             "的 quantize。",
         .formula = "operation in PyPTO, or written out in steps",
         .source = "hicann/pypto, docs/zh/api/operation"},
    Rule{.id = "EXP-04",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A loop has no form in PyPTO",
         .titleZh = "循环在 PyPTO 中没有对应形式",
         .explanation = "A loop that is expanded at compile time wants a length that is known then; loop_unroll has no "
                        "parallel form; Python nests at most 20 loops.",
         .explanationZh = "编译时展开的循环需要当时已知的长度；loop_unroll 没有并行形式；Python 最多嵌套 20 层循环。",
         .formula =
             "length of an expanded loop is known; parallel only in pypto.loop; at most 20 loops inside each other",
         .source = "hicann/pypto, pypto-loop.md and pypto-loop_unroll.md"},
    Rule{.id = "EXP-05",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A matmul is told what PyPTO's cannot take",
         .titleZh = "矩阵乘带有 PyPTO 不接受的参数",
         .explanation =
             "extend_params (bias, scale, ReLU, rounding of operands) is refused for operands of three and four axes: "
             "loop over the batch, or apply them in a vector stage. scale_tensor is made of words that the host packs "
             "from an input of its own. Partial sums of split-K are FP32 or INT32.",
         .explanationZh = "操作数为三维或四维时不接受 extend_params（偏置、缩放、ReLU、操作数舍入）：请对批次循环，"
                          "或在向量阶段完成。scale_tensor 由主机从专用输入打包成 64 位字。split-K 的部分和只能是 FP32 "
                          "或 INT32。",
         .formula = "rank(A) = 2 where bias, scale, ReLU or a mode is given",
         .source = "hicann/pypto, python/pypto/op/matmul.py",
         .pyptoCode = "F00003"},
    Rule{.id = "EXP-06",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An indexed store writes whole rows",
         .titleZh = "带索引的写入只能写整行",
         .explanation = "index_add_ and index_put_ write into the whole tensor, with values of its rank and without an "
                        "offset; index_put_ picks along the first axis.",
         .explanationZh = "index_add_ 与 index_put_ 写入整个张量，值的秩相同且没有偏移；index_put_ 只沿首轴选取。",
         .formula = "rank(value) = rank(tensor), no offset, dim = 0 for index_put_",
         .source = "hicann/pypto, pypto-index_add_.md and pypto-index_put_.md"},
    Rule{.id = "EXP-07",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A kernel cannot be handed this tensor",
         .titleZh = "无法把该张量传给内核",
         .explanation =
             "Arguments of a kernel are torch tensors, and PyPTO knows a fixed list of their types. INT4 is not "
             "among them; FP4 is, as bytes that hold two values.",
         .explanationZh =
             "内核的参数是 torch 张量，PyPTO 只认识其中固定的类型。INT4 不在其中；FP4 以每字节两个值的形式传入。",
         .formula = "type in the types of PyPTO",
         .source = "hicann/pypto, python/pypto/frontend/parser/entry.py",
         .pyptoCode = "F00002"},
    Rule{.id = "EXP-08",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "atomic_add takes all of the declared shape",
         .titleZh = "atomic_add 按声明形状整块写入",
         .explanation =
             "atomic_add wants offset + declared shape inside of the tensor on each axis; the valid shape of a tail "
             "does not count, and what lies outside is undefined. Add rows with index_add, or choose a tile without "
             "a tail.",
         .explanationZh = "atomic_add 要求每个轴上偏移加声明形状不超出张量；尾块的有效形状不起作用，越界部分未定义。"
                          "请用 index_add 按行累加，或选择没有尾块的切块。",
         .formula = "offset + shape <= extent of the tensor",
         .source = "hicann/pypto, pypto-atomic_add.md"},
    Rule{.id = "EXP-09",
         .family = RuleFamily::Export,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An operator has no input",
         .titleZh = "算子没有输入",
         .explanation = "The host function takes the device and the shapes of its results from its arguments, and the "
                        "test draws them. A design without inputs has nothing of that.",
         .explanationZh = "主机函数从参数得到设备和结果形状，测试也据此生成数据。没有输入的设计无法导出。",
         .formula = "inputs >= 1",
         .source = "hicann/pypto, pypto-op-lint OL09 and OL40"},
};

}  // namespace

std::span<const Rule> exportRules() {
    return kRules;
}

}  // namespace cubist::rules

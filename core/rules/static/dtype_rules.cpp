// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <optional>

#include "core/rules/dtype_tables.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "DTYPE-01",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A matmul cannot have these types",
         .titleZh = "矩阵乘不支持这些数据类型",
         .explanation = "FP16 gives FP16 or FP32, BF16 gives BF16 or FP32, FP32 gives FP32, INT8 gives INT32, "
                        "with a FIXPIPE scale FP16; any of them gives INT8 with a scale. Both operands have "
                        "one type. INT4 exists on A2/A3 only. FP8 (E4M3 and E5M2 may be mixed) and HF8 exist on the "
                        "950 only and give FP16, BF16 or FP32. "
                        "For some wrong pairs the compiler stays silent up to code generation.",
         .explanationZh = "FP16 输出 FP16 或 FP32，BF16 输出 BF16 或 FP32，FP32 输出 FP32，INT8 输出 INT32，带 FIXPIPE "
                          "scale 时输出 FP16；"
                          "带 scale 时任何类型都可输出 INT8。两个操作数类型相同。INT4 仅 A2/A3 支持。"
                          "FP8（E4M3 与 E5M2 可混用）和 HF8 仅 950 支持，输出 FP16、BF16 或 FP32。对部分错误组合，"
                          "编译器直到代码生成都不会报错。",
         .source = "hicann/pypto, matmul page"},
    Rule{.id = "DTYPE-02",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The chip's data have no cube rate for this type",
         .titleZh = "芯片数据中没有该类型的 Cube 速率",
         .explanation =
             "Without a rate the emulated cube can compute values but predict no time. Add the rate to the chip file "
             "or use a type that the chip lists.",
         .explanationZh =
             "没有速率时，仿真 Cube 能计算数值，但无法预测时间。请在芯片文件中补充速率，或改用芯片列出的类型。",
         .source = "resources/chips"},
    Rule{.id = "DTYPE-03",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The chip has no such cast",
         .titleZh = "芯片没有该类型转换",
         .explanation =
             "Only some pairs of types have a cast instruction. Where a chain of casts exists it is named: on A2/A3 "
             "INT8 becomes FP32 through FP16.",
         .explanationZh = "只有部分类型组合有转换指令。若存在多步转换，会给出路径：A2/A3 上 INT8 经 FP16 转为 FP32。",
         .source = "hicann/pypto, cast page"},
    Rule{.id = "DTYPE-04",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The operands of a vector operation have different types",
         .titleZh = "V 算子的操作数类型不同",
         .explanation = "The operands of an operation have the same type, but for the condition of where. Cast one of "
                        "them first.",
         .explanationZh = "除 where 的条件外，一个运算的操作数类型必须相同。请先转换其中一个。",
         .source = "hicann/pypto, pages of the element-wise operations and of concat"},
    Rule{.id = "DTYPE-05",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The vector operation does not take this type",
         .titleZh = "V 算子不支持该类型",
         .explanation =
             "exp, log, sqrt, rsqrt and reciprocal take FP32, FP16 and BF16; sum takes FP32, BF16, INT32 and INT16 (no "
             "FP16); amax and amin take FP16 as well; the condition of where is BOOL. Cast the operand first.",
         .explanationZh = "exp、log、sqrt、rsqrt、reciprocal 支持 FP32、FP16、BF16；sum 支持 "
                          "FP32、BF16、INT32、INT16（不支持 FP16）；"
                          "amax、amin 还支持 FP16；where 的条件必须为 BOOL。请先转换操作数。",
         .source = "hicann/pypto, pages of the operations"},
    Rule{.id = "DTYPE-06",
         .family = RuleFamily::DType,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A composite operation outside of FP32",
         .titleZh = "复合算子未使用 FP32",
         .explanation = "sigmoid, softmax and rms_norm are made for FP32; in a shorter type every step rounds to that "
                        "type. Cast to FP32 before, and back after.",
         .explanationZh = "sigmoid、softmax、rms_norm 面向 FP32；使用更短的类型时每一步都会舍入到该类型。请先转换为 "
                          "FP32，之后再转换回来。",
         .source = "hicann/pypto, pages of the operations; pypto-gym lint rule OL28"},
};

std::string nameOf(DType type) {
    return std::string(toText(type));
}

std::string listOf(const std::vector<DType>& types, const std::string& separator) {
    std::string list;
    for (const DType type : types) list += (list.empty() ? "" : separator) + nameOf(type);
    return list;
}

/// Pairs that the table forbids and PyPTO accepts up to code generation.
bool isSilentlyAccepted(DType operand, DType output) {
    if (operand == DType::FP16) return output == DType::BF16;
    return operand == DType::INT8 && (output == DType::BF16 || output == DType::FP32);
}

void checkMatmul(CheckContext& context, const ResolvedBlock& block, const CubeStage& cube) {
    if (cube.op == CubeOp::ScaledMm) return;  // CUBE-01
    const std::string& arch = context.chip.arch;
    const bool scale = cube.scale.has_value() || !cube.scaleTensor.empty();
    const DType a = context.design.value(cube.a)->dtype, b = context.design.value(cube.b)->dtype;
    for (const auto& [key, type] : {std::pair{"/a", a}, std::pair{"/b", b}}) {
        if (isMatmulOperand(arch, type)) continue;
        context.report("DTYPE-01", block.where + key, cube.id,
                       {"a matmul on " + context.chip.id.text + " cannot read " + nameOf(type),
                        context.chip.id.text + " 的矩阵乘不能读取 " + nameOf(type)});
        return;
    }
    if (!isMatmulPair(a, b)) {
        context.report("DTYPE-01", block.where + "/b", cube.id,
                       {"A is " + nameOf(a) + " and B is " + nameOf(b) + "; both must have the same type",
                        "A 为 " + nameOf(a) + "，B 为 " + nameOf(b) + "，两者类型必须相同"});
        return;
    }
    if (context.chip.cubeRate(a) == nullptr)
        context.report("DTYPE-02", block.where + "/a", cube.id,
                       {"the data of " + context.chip.id.text + " have no cube rate for " + nameOf(a),
                        context.chip.id.text + " 的数据中没有 " + nameOf(a) + " 的 Cube 速率"});
    const std::vector<DType> outputs = matmulOutputs(arch, a, scale);
    if (std::find(outputs.begin(), outputs.end(), cube.outDType) != outputs.end()) return;
    const std::string pair = nameOf(a) + " x " + nameOf(b) + (scale ? " with a scale" : "");
    Text message{pair + " gives " + listOf(outputs, " or ") + ", not " + nameOf(cube.outDType),
                 pair + " 输出 " + listOf(outputs, " 或 ") + "，不能是 " + nameOf(cube.outDType)};
    if (isSilentlyAccepted(a, cube.outDType)) message += {"; the compiler stays silent", "；编译器不会报错"};
    Reported* entry = context.report("DTYPE-01", block.where + "/out_dtype", cube.id, std::move(message));
    if (entry == nullptr) return;
    for (const DType type : outputs)
        entry->candidates.push_back(
            {{"Give " + nameOf(type), "输出 " + nameOf(type)}, {{block.where + "/out_dtype", nameOf(type)}}});
}

void checkCast(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    const ValueId* id = op.in[0].value();
    if (id == nullptr || !op.dtype) return;
    const std::string& arch = context.chip.arch;
    const DType from = context.design.value(*id)->dtype, to = *op.dtype;
    if (isCastPair(arch, from, to)) return;
    const std::vector<DType> path = castPath(arch, from, to);
    Text message{context.chip.id.text + " has no cast from " + nameOf(from) + " to " + nameOf(to),
                 context.chip.id.text + " 没有从 " + nameOf(from) + " 到 " + nameOf(to) + " 的转换"};
    if (!path.empty()) message += {"; go " + listOf(path, " -> "), "；请分步转换 " + listOf(path, " -> ")};
    context.report("DTYPE-03", where + "/dtype", stage.id, std::move(message));
}

/// Types that the operation takes as PyPTO's pages have it; empty: no limit of its own.
std::vector<DType> operandTypes(VectorOpCode op) {
    using enum DType;
    switch (op) {
        case VectorOpCode::Exp:
        case VectorOpCode::Log:
        case VectorOpCode::Sqrt:
        case VectorOpCode::Rsqrt:
        case VectorOpCode::Reciprocal:
        case VectorOpCode::Sigmoid:
        case VectorOpCode::Softmax:
        case VectorOpCode::RmsNorm: return {FP32, FP16, BF16};
        case VectorOpCode::Sum: return {FP32, BF16, INT32, INT16};
        case VectorOpCode::Amax:
        case VectorOpCode::Amin: return {FP32, FP16, BF16, INT32, INT16};
        case VectorOpCode::Cast:
        case VectorOpCode::Add:
        case VectorOpCode::Sub:
        case VectorOpCode::Mul:
        case VectorOpCode::Div:
        case VectorOpCode::Maximum:
        case VectorOpCode::Minimum:
        case VectorOpCode::Neg:
        case VectorOpCode::Abs:
        case VectorOpCode::Relu:
        case VectorOpCode::Clip:
        case VectorOpCode::Where:
        case VectorOpCode::Eq:
        case VectorOpCode::Ne:
        case VectorOpCode::Lt:
        case VectorOpCode::Le:
        case VectorOpCode::Gt:
        case VectorOpCode::Ge:
        case VectorOpCode::Slice:
        case VectorOpCode::Concat:
        case VectorOpCode::Transpose:
        case VectorOpCode::ExpandClone:
        case VectorOpCode::Unsqueeze:
        case VectorOpCode::Reshape: return {};
    }
    return {};
}

bool isComposite(VectorOpCode op) {
    return op == VectorOpCode::Sigmoid || op == VectorOpCode::Softmax || op == VectorOpCode::RmsNorm;
}

/// DTYPE-05 and DTYPE-06, for the first operand.
void checkOperandType(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    const ValueId* id = op.in[0].value();
    if (id == nullptr) return;
    const DType type = context.design.value(*id)->dtype;
    const std::string name(toText(op.op));
    if (op.op == VectorOpCode::Where && type != DType::BOOL) {
        context.report("DTYPE-05", where + "/in/0", stage.id,
                       {"the condition of where is " + nameOf(type) + ", it must be BOOL",
                        "where 的条件为 " + nameOf(type) + "，必须为 BOOL"});
        return;
    }
    const std::vector<DType> types = operandTypes(op.op);
    if (types.empty()) return;
    if (std::find(types.begin(), types.end(), type) == types.end())
        context.report("DTYPE-05", where + "/in/0", stage.id,
                       {name + " takes " + listOf(types, ", ") + ", not " + nameOf(type),
                        name + " 支持 " + listOf(types, "、") + "，不支持 " + nameOf(type)});
    else if (isComposite(op.op) && type != DType::FP32)
        context.report(
            "DTYPE-06", where + "/in/0", stage.id,
            {name + " of " + nameOf(type) + ": every step rounds to " + nameOf(type) + "; cast to FP32 first",
             name + " 的操作数为 " + nameOf(type) + "：每一步都会舍入到 " + nameOf(type) + "；请先转换为 FP32"});
}

void checkOperands(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    std::optional<DType> first;
    for (std::size_t i = op.op == VectorOpCode::Where ? 1 : 0; i < op.in.size(); ++i) {
        const ValueId* id = op.in[i].value();
        if (id == nullptr) continue;
        const DType type = context.design.value(*id)->dtype;
        if (first && *first != type) {
            const std::string name(toText(op.op));
            context.report("DTYPE-04", where + "/in/" + text(static_cast<std::int64_t>(i)), stage.id,
                           {name + " of " + nameOf(*first) + " and " + nameOf(type) + ": cast one of them first",
                            name + " 的操作数为 " + nameOf(*first) + " 和 " + nameOf(type) + "：请先转换其中一个"});
        }
        if (!first) first = type;
    }
}

}  // namespace

std::span<const Rule> dtypeRules() {
    return kRules;
}

void checkDTypes(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) checkMatmul(context, block, *cube);
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        if (stage == nullptr) continue;
        for (std::size_t i = 0; i < stage->ops.size(); ++i) {
            const std::string where = block.where + "/ops/" + text(static_cast<std::int64_t>(i));
            if (stage->ops[i].op == VectorOpCode::Cast)
                checkCast(context, *stage, stage->ops[i], where);
            else
                checkOperands(context, *stage, stage->ops[i], where);
            checkOperandType(context, *stage, stage->ops[i], where);
        }
    }
}

}  // namespace cubist::rules

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/number_formats.h"
#include "core/design/formula_attributes.h"
#include "core/design/vector_op_info.h"
#include "core/rules/dtype_tables.h"
#include "core/rules/families.h"
#include "core/rules/op_types.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "DTYPE-01",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A matmul cannot have these types",
         .titleZh = "矩阵乘不支持这些数据类型",
         .explanation =
             "FP16 gives FP16 or FP32, BF16 gives BF16 or FP32, FP32 gives FP32, INT8 gives INT32, "
             "with a FIXPIPE scale FP16; any of them gives INT8 with a scale. Both operands have "
             "one type. FP8 (E4M3 and E5M2 may be mixed) and HF8 exist on the 950 only and give FP16, BF16 or "
             "FP32. The cube of A2/A3 also multiplies INT4, but PyPTO's matmul has no such pair: widen the "
             "operands to INT8, or write that kernel by hand. "
             "For some wrong pairs the compiler stays silent up to code generation.",
         .explanationZh =
             "FP16 输出 FP16 或 FP32，BF16 输出 BF16 或 FP32，FP32 输出 FP32，INT8 输出 INT32，带 FIXPIPE "
             "scale 时输出 FP16；"
             "带 scale 时任何类型都可输出 INT8。两个操作数类型相同。"
             "FP8（E4M3 与 E5M2 可混用）和 HF8 仅 950 支持，输出 FP16、BF16 或 FP32。A2/A3 的 Cube 还能"
             "计算 INT4，但 PyPTO 的 matmul 没有该组合：请将操作数扩展为 INT8，或手写该 kernel。对部分错误组合，"
             "编译器直到代码生成都不会报错。",
         .formula = "(type(A), type(B), type(out)) in table(arch, scale)",
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
         .formula = "type(A) in the cube rates of the chip",
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
         .formula = "(from, to) in the casts of the arch",
         .source = "hicann/pypto, cast page"},
    Rule{.id = "DTYPE-04",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The operands of a vector operation have different types",
         .titleZh = "V 算子的操作数类型不同",
         .explanation = "The operands of an operation have the same type, but for the condition of where. Cast one of "
                        "them first. A number beside integers is whole.",
         .explanationZh =
             "除 where 的条件外，一个运算的操作数类型必须相同。请先转换其中一个。与整数运算的数必须为整数。",
         .formula = "type(operand 0) = type(operand 1) = ..",
         .source = "hicann/pypto, pages of the element-wise operations and of concat"},
    Rule{.id = "DTYPE-05",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The vector operation does not take this type",
         .titleZh = "V 算子不支持该类型",
         .explanation =
             "Arithmetic, maximum, minimum, clip, relu and where take FP32, FP16, BF16, INT32 and INT16; exp, log, "
             "sqrt, "
             "rsqrt, reciprocal and abs the floats only (abs on the 950 integers too); comparisons FP32 and FP16, on "
             "the "
             "950 INT16; sum no FP16, prod neither FP16 nor BF16; topk FP32 (the 950 more), argsort FP32 and FP16. The "
             "950 adds INT8 and UINT8 to add, sub, where, amax, amin, maximum and minimum. The condition of where is "
             "BOOL. Stores that add take FP32, FP16, BF16, INT8, INT16 and INT32, index_put without accumulate also "
             "UINT8 and INT64. The message names the types of the operation on this chip. Cast the operand first.",
         .explanationZh =
             "算术、maximum、minimum、clip、relu、where 支持 FP32、FP16、BF16、INT32、INT16；exp、log、sqrt、rsqrt、"
             "reciprocal、abs 仅支持浮点（950 的 abs 还支持整数）；比较支持 FP32、FP16，950 另支持 INT16；sum 不支持 "
             "FP16，prod 不支持 FP16 和 BF16；topk 支持 FP32（950 支持更多类型），argsort 支持 FP32、FP16。950 的 "
             "add、sub、where、amax、amin、maximum、minimum 还支持 INT8 和 UINT8。where 的条件必须为 "
             "BOOL。累加写出支持 FP32、FP16、BF16、INT8、INT16、INT32，不累加的 index_put 还支持 UINT8 和 "
             "INT64。提示中列出该运算在此芯片上支持的类型。请先转换操作数。",
         .formula = "type(operand) in table(operation, arch)",
         .source = "hicann/pypto, pages of the operations and its table of types by architecture",
         .pyptoCode = "FC0001"},
    Rule{.id = "DTYPE-07",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An index is not INT32 or INT64",
         .titleZh = "索引不是 INT32 或 INT64",
         .explanation = "gather, index_select, scatter, index_add and index_put take their places from INT32 or INT64.",
         .explanationZh = "gather、index_select、scatter、index_add、index_put 的索引必须为 INT32 或 INT64。",
         .formula = "type(index) in {INT32, INT64}",
         .source = "hicann/pypto, pages of the operations",
         .pyptoCode = "F00001"},
    Rule{.id = "DTYPE-08",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The operation cannot give this type here",
         .titleZh = "该运算在此不能输出该类型",
         .explanation =
             "quantize gives INT8 or UINT8, dequantize FP32, quant_mx FP8E4M3 or FP4E2M1 (the latter from FP16 "
             "or BF16 only, and on the 950 only). UINT8 takes zero points, INT8 none. full makes no INT64, FP8 or FP4, "
             "arange INT32 or FP32.",
         .explanationZh =
             "quantize 输出 INT8 或 UINT8，dequantize 输出 FP32，quant_mx 输出 FP8E4M3 或 FP4E2M1（后者仅支持 "
             "FP16 或 BF16 输入，且仅 950 支持）。UINT8 需要零点，INT8 不带零点。full 不能输出 INT64、FP8、FP4，"
             "arange 输出 INT32 或 FP32。",
         .formula = "type(result) in table(operation, arch)",
         .source = "hicann/pypto, pages of quantize, dequantize, quant_mx, full and arange"},
    Rule{.id = "DTYPE-09",
         .family = RuleFamily::DType,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "The cast does not have this rounding mode",
         .titleZh = "该类型转换没有此舍入模式",
         .explanation = "ODD exists from FP32 to FP16 only, HF8 is rounded half away from zero. Another mode is "
                        "silently replaced by "
                        "the default: TRUNC from floats to integers, RINT else.",
         .explanationZh =
             "ODD 仅用于 FP32 到 FP16；HF8 仅支持向远离零方向舍入。其他模式会被静默替换为默认模式：浮点到整数为 "
             "TRUNC，其余为 RINT。",
         .formula = "round in modes(from, to)",
         .source = "hicann/pypto, cast and CastMode pages",
         .compilerSilent = true},
    Rule{.id = "DTYPE-06",
         .family = RuleFamily::DType,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A composite operation outside of FP32",
         .titleZh = "复合算子未使用 FP32",
         .explanation =
             "sigmoid, softmax and rms_norm are made for FP32; of a shorter type they cast to FP32, compute there and "
             "cast back, which takes room and time twice. silu and gelu round every step to the shorter type. Cast to "
             "FP32 before, and back after.",
         .explanationZh = "sigmoid、softmax、rms_norm 面向 FP32；使用更短的类型时会先转换为 "
                          "FP32、计算后再转换回来，占用更多空间和时间。silu、gelu 的每一步都会舍入到该类型。请先转换为 "
                          "FP32，之后再转换回来。",
         .formula = "type(operand) = FP32 for sigmoid, softmax, rms_norm, silu, gelu",
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

/// Of a type that the chip's cube multiplies and no matmul of PyPTO takes: what a kernel written by hand can do.
Text byHand(const std::vector<DType>& outputs, DType output) {
    const bool runs = std::find(outputs.begin(), outputs.end(), output) != outputs.end();
    const std::string what = runs ? "run it with --launch bare" : "it gives " + listOf(outputs, " or ");
    const std::string whatZh = runs ? "用 --launch bare 运行" : "输出 " + listOf(outputs, " 或 ");
    return {
        ": its cube multiplies it, but PyPTO's matmul has no such pair; only a hand-written kernel can (" + what + ")",
        "：其 Cube 能计算该类型，但 PyPTO 的 matmul 没有该组合，只有手写 kernel 可用（" + whatZh + "）"};
}

void checkMatmul(CheckContext& context, const ResolvedBlock& block, const CubeStage& cube) {
    if (cube.op == CubeOp::ScaledMm) return;  // CUBE-01
    const std::string& arch = context.chip.arch;
    const bool scale = cube.scale.has_value() || !cube.scaleTensor.empty();
    const DType a = context.design.value(cube.a)->dtype, b = context.design.value(cube.b)->dtype;
    for (const auto& [key, type] : {std::pair{"/a", a}, std::pair{"/b", b}}) {
        if (isMatmulOperand(arch, type)) continue;
        Text message{"a matmul on " + context.chip.id.text + " cannot read " + nameOf(type),
                     context.chip.id.text + " 的矩阵乘不能读取 " + nameOf(type)};
        if (const auto outputs = handWrittenOutputs(context.chip, type, scale); !outputs.empty())
            message += byHand(outputs, cube.outDType);
        context.report("DTYPE-01", block.where + key, cube.id, std::move(message));
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
    if (castRounding(from, to, op.round) != op.round && from != to)
        context.report("DTYPE-09", where + "/round", stage.id,
                       {"a cast from " + nameOf(from) + " to " + nameOf(to) + " has no mode " +
                            std::string(toText(op.round)) + "; the compiler silently uses the default",
                        nameOf(from) + " 到 " + nameOf(to) + " 的转换没有 " + std::string(toText(op.round)) +
                            " 模式；编译器静默使用默认模式"});
    if (isCastPair(arch, from, to)) return;
    const std::vector<DType> path = castPath(arch, from, to);
    Text message{context.chip.id.text + " has no cast from " + nameOf(from) + " to " + nameOf(to),
                 context.chip.id.text + " 没有从 " + nameOf(from) + " 到 " + nameOf(to) + " 的转换"};
    if (!path.empty()) message += {"; go " + listOf(path, " -> "), "；请分步转换 " + listOf(path, " -> ")};
    context.report("DTYPE-03", where + "/dtype", stage.id, std::move(message));
}

bool isComposite(VectorOpCode op) {
    return op == VectorOpCode::Sigmoid || op == VectorOpCode::Softmax || op == VectorOpCode::RmsNorm ||
           op == VectorOpCode::Gelu || op == VectorOpCode::Silu;
}

/// DTYPE-08, for operations whose type follows from their operands.
void checkOwnType(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    const OpFamily family = opInfo(op.op).family;
    const bool follows = family == OpFamily::Elementwise || family == OpFamily::Compare ||
                         family == OpFamily::Reduction || family == OpFamily::Normalise;
    if (!op.dtype || !follows || op.op == VectorOpCode::Cast) return;
    const ValueId* id = nullptr;
    for (std::size_t i = op.op == VectorOpCode::Where ? 1 : 0; i < op.in.size() && id == nullptr; ++i)
        id = op.in[i].value();
    if (id == nullptr) return;
    DType natural = context.design.value(*id)->dtype;
    if (op.op == VectorOpCode::Div && !isFloat(natural)) natural = DType::FP32;
    if (family == OpFamily::Compare) natural = DType::BOOL;
    if (natural == *op.dtype) return;
    const std::string name(toText(op.op));
    context.report("DTYPE-08", where + "/dtype", stage.id,
                   {name + " gives " + nameOf(natural) + " here and has no type of its own; cast its result to " +
                        nameOf(*op.dtype),
                    name + " 在此输出 " + nameOf(natural) + "，不能另行指定类型；请将结果转换为 " + nameOf(*op.dtype)});
}

/// DTYPE-08.
void checkResultType(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    checkOwnType(context, stage, op, where);
    const std::vector<DType> types = resultTypes(op.op);
    if (types.empty()) return;
    const std::string name(toText(op.op));
    const DType type = context.design.value(op.out)->dtype;
    const std::string key = where + (op.dtype ? "/dtype" : "/op");
    if (op.op == VectorOpCode::QuantMx && !isCastPair(context.chip.arch, DType::FP32, DType::FP8E4M3)) {
        context.report("DTYPE-08", where + "/op", stage.id,
                       {context.chip.id.text + " has no quant_mx; it exists on the 950 only",
                        context.chip.id.text + " 没有 quant_mx，仅 950 支持"});
    } else if (std::find(types.begin(), types.end(), type) == types.end()) {
        Reported* entry = context.report("DTYPE-08", key, stage.id,
                                         {name + " gives " + listOf(types, " or ") + ", not " + nameOf(type),
                                          name + " 输出 " + listOf(types, " 或 ") + "，不能是 " + nameOf(type)});
        if (entry != nullptr && op.dtype)
            for (const DType good : types)
                entry->candidates.push_back({{"Give " + nameOf(good), "输出 " + nameOf(good)}, {{key, nameOf(good)}}});
    } else if (op.op == VectorOpCode::Quantize && (type == DType::UINT8) != (op.in.size() > 2)) {
        context.report("DTYPE-08", key, stage.id,
                       type == DType::UINT8
                           ? Text{"quantize to UINT8 needs zero points", "quantize 到 UINT8 需要零点"}
                           : Text{"quantize to INT8 takes no zero points", "quantize 到 INT8 不带零点"});
    } else if (type == DType::FP4E2M1 && context.design.value(*op.in[0].value())->dtype == DType::FP32) {
        context.report(
            "DTYPE-08", key, stage.id,
            {"quant_mx gives FP4E2M1 from FP16 or BF16 only", "quant_mx 仅支持从 FP16 或 BF16 输出 FP4E2M1"});
    }
}

/// DTYPE-05 and DTYPE-06, for the condition of `where` and the first operand with data; that the others have the same
/// type is DTYPE-04.
void checkOperandType(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    const std::string name(toText(op.op));
    std::size_t first = 0;
    if (op.op == VectorOpCode::Where && !op.in.empty()) {
        const ValueId* condition = op.in[0].value();
        const DType type = condition == nullptr ? DType::BOOL : context.design.value(*condition)->dtype;
        if (type != DType::BOOL)
            context.report("DTYPE-05", where + "/in/0", stage.id,
                           {"the condition of where is " + nameOf(type) + ", it must be BOOL",
                            "where 的条件为 " + nameOf(type) + "，必须为 BOOL"});
        first = 1;
    }
    while (first < op.in.size() && op.in[first].value() == nullptr) ++first;
    if (first >= op.in.size()) return;
    const DType type = context.design.value(*op.in[first].value())->dtype;
    const std::string place = where + "/in/" + text(static_cast<std::int64_t>(first));
    const std::vector<DType> types = operandTypes(context.chip.arch, op);
    if (types.empty()) return;
    if (std::find(types.begin(), types.end(), type) == types.end())
        context.report(
            "DTYPE-05", place, stage.id,
            {name + " on " + context.chip.id.text + " takes " + listOf(types, ", ") + ", not " + nameOf(type),
             context.chip.id.text + " 上的 " + name + " 支持 " + listOf(types, "、") + "，不支持 " + nameOf(type)});
    else if (isComposite(op.op) && type != DType::FP32)
        context.report(
            "DTYPE-06", place, stage.id,
            op.op == VectorOpCode::Silu || op.op == VectorOpCode::Gelu
                ? Text{name + " of " + nameOf(type) + ": every step rounds to " + nameOf(type) + "; cast to FP32 first",
                       name + " 的操作数为 " + nameOf(type) + "：每一步都会舍入到 " + nameOf(type) +
                           "；请先转换为 FP32"}
                : Text{name + " of " + nameOf(type) + " casts to FP32 and back; cast once, beside the other casts",
                       name + " 的操作数为 " + nameOf(type) + "：会转换为 FP32 再转换回来；请与其他转换合并为一次"});
}

/// Operations that PyPTO gives the number of another operand as it is: a float beside integers is refused.
bool takesWholeNumbers(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array kOps{Add, Sub, Mul, Div, Maximum, Minimum};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

void checkOperands(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    std::optional<DType> first;
    for (std::size_t i = op.op == VectorOpCode::Where ? 1 : 0; i < op.in.size(); ++i) {
        const ValueId* id = op.in[i].value();
        if (id == nullptr) continue;
        const DType type = context.design.value(*id)->dtype;
        const std::string name(toText(op.op));
        if (isIndexOperand(op, i)) {
            if (type != DType::INT32 && type != DType::INT64)
                context.report("DTYPE-07", where + "/in/" + text(static_cast<std::int64_t>(i)), stage.id,
                               {"the index of " + name + " is " + nameOf(type) + ", it must be INT32 or INT64",
                                name + " 的索引为 " + nameOf(type) + "，必须为 INT32 或 INT64"});
            continue;
        }
        if (op.op == VectorOpCode::Dequantize && i == 0) {
            first = DType::FP32;  // what it turns its integers into
            continue;
        }
        if (first && *first != type) {
            context.report("DTYPE-04", where + "/in/" + text(static_cast<std::int64_t>(i)), stage.id,
                           {name + " of " + nameOf(*first) + " and " + nameOf(type) + ": cast one of them first",
                            name + " 的操作数为 " + nameOf(*first) + " 和 " + nameOf(type) + "：请先转换其中一个"});
        }
        if (!first) first = type;
    }
    // Numbers take the type of the operands that are values; integers have no fraction.
    if (!first || isFloat(*first) || !takesWholeNumbers(op.op)) return;
    for (std::size_t i = 0; i < op.in.size(); ++i) {
        const double* number = op.in[i].number();
        if (number == nullptr || *number == std::trunc(*number)) continue;
        const std::string value = formula::numberText(*number);
        context.report("DTYPE-04", where + "/in/" + text(static_cast<std::int64_t>(i)), stage.id,
                       {std::string(toText(op.op)) + " of " + nameOf(*first) + " and " + value +
                            ": a number beside integers is whole; cast to FP32 first",
                        std::string(toText(op.op)) + " 的操作数为 " + nameOf(*first) + " 和 " + value +
                            "：与整数运算的数必须为整数；请先转换为 FP32"},
                       "FC0001");
    }
}

/// DTYPE-05 for stores by an index and for those that add.
void checkStoreType(CheckContext& context, const ResolvedBlock& block, const Store& store) {
    if (store.op == StoreOp::Slice || store.op == StoreOp::Assemble) return;
    const bool adds = store.op != StoreOp::IndexPut || store.accumulate;
    const DType type = context.design.value(ValueId(store.to.text))->dtype;
    const std::vector<DType> types = indexStoreTypes(adds);
    if (std::find(types.begin(), types.end(), type) != types.end()) return;
    const std::string name(toText(store.op));
    context.report("DTYPE-05", block.where + "/to", store.id,
                   {name + (adds ? " adds to " : " writes ") + listOf(types, ", ") + ", not to " + nameOf(type),
                    name + (adds ? " 可累加到 " : " 可写入 ") + listOf(types, "、") + "，不支持 " + nameOf(type)});
}

}  // namespace

std::span<const Rule> dtypeRules() {
    return kRules;
}

void checkDTypes(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) checkMatmul(context, block, *cube);
        if (const auto* store = std::get_if<Store>(&block.block->content)) checkStoreType(context, block, *store);
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        if (stage == nullptr) continue;
        for (std::size_t i = 0; i < stage->ops.size(); ++i) {
            const std::string where = block.where + "/ops/" + text(static_cast<std::int64_t>(i));
            if (stage->ops[i].op == VectorOpCode::Cast)
                checkCast(context, *stage, stage->ops[i], where);
            else
                checkOperands(context, *stage, stage->ops[i], where);
            checkOperandType(context, *stage, stage->ops[i], where);
            checkResultType(context, *stage, stage->ops[i], where);
        }
    }
}

}  // namespace cubist::rules

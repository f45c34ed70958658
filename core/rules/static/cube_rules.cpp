// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/rules/dtype_tables.h"
#include "core/rules/families.h"
#include "core/rules/static/cube_rule_texts.h"
#include "core/rules/tile_fixes.h"

namespace cubist::rules {

namespace {

/// A cube stage that is looked at.
struct Stage {
    CheckContext& context;
    const ResolvedBlock& block;
    const CubeStage& cube;

    [[nodiscard]] const ResolvedValue& value(const ValueId& id) const { return *context.design.value(id); }
    [[nodiscard]] DType a() const { return value(cube.a).dtype; }
    [[nodiscard]] DType b() const { return value(cube.b).dtype; }
    [[nodiscard]] bool is950() const { return context.chip.arch == "3510"; }
    [[nodiscard]] bool scaled() const { return cube.op == CubeOp::ScaledMm; }
    [[nodiscard]] bool hasScale() const { return cube.scale.has_value() || !cube.scaleTensor.empty(); }
    Reported* report(std::string_view rule, const std::string& key, Text message) const {
        return context.report(rule, block.where + key, cube.id, std::move(message));
    }
};

std::string nameOf(DType type) {
    return std::string(toText(type));
}

bool isFp8(DType type) {
    return type == DType::FP8E4M3 || type == DType::FP8E5M2;
}

/// CUBE-01: scaled_mm, its operands, scales and output.
void checkScaledMm(const Stage& stage) {
    if (!stage.scaled()) return;
    const CubeStage& cube = stage.cube;
    const std::string& chip = stage.context.chip.id.text;
    if (!stage.is950()) {
        stage.context.report(
            "CUBE-01", stage.block.where + "/op", cube.id,
            {"scaled_mm exists on the 950 only, not on " + chip, "scaled_mm 仅 950 支持，" + chip + " 不支持"},
            "F00001");
        return;
    }
    const DType a = stage.a(), b = stage.b();
    const bool pair = (isFp8(a) && isFp8(b)) || (a == DType::FP4E2M1 && b == DType::FP4E2M1);
    if (!pair)
        stage.report("CUBE-01", "/b",
                     {"scaled_mm takes FP8E4M3 or FP8E5M2 (mixed if wanted), or FP4E2M1 with FP4E2M1, not " +
                          nameOf(a) + " with " + nameOf(b),
                      "scaled_mm 支持 FP8E4M3 与 FP8E5M2（可混用），或 FP4E2M1 与 FP4E2M1，不支持 " + nameOf(a) +
                          " 与 " + nameOf(b)});
    for (const auto& [key, id] : {std::pair{"/scale_a", &cube.scaleA}, std::pair{"/scale_b", &cube.scaleB}})
        if (const DType type = stage.value(*id).dtype; type != DType::FP8E8M0)
            stage.report("CUBE-01", key,
                         {"the scales '" + id->text + "' are " + nameOf(type) + ", they must be FP8E8M0",
                          "scale '" + id->text + "' 为 " + nameOf(type) + "，必须为 FP8E8M0"});
    const DType out = cube.outDType;
    const bool known =
        out == DType::FP32 || out == DType::FP16 || out == DType::BF16 || (out == DType::INT8 && stage.hasScale());
    if (pair && !known)
        stage.report("CUBE-01", "/out_dtype",
                     {"scaled_mm gives FP16, BF16 or FP32, with a scale also INT8, not " + nameOf(out),
                      "scaled_mm 输出 FP16、BF16 或 FP32，带 scale 时还可输出 INT8，不能是 " + nameOf(out)});
}

/// CUBE-02: the type of the bias.
void checkBias(const Stage& stage) {
    if (stage.cube.bias.empty()) return;
    const DType type = stage.value(stage.cube.bias).dtype;
    const std::vector<DType> types = biasTypes(stage.context.chip.arch, stage.a());
    if (std::find(types.begin(), types.end(), type) != types.end()) return;
    std::string list;
    for (const DType allowed : types) list += (list.empty() ? "" : " / ") + nameOf(allowed);
    if (list.empty()) return;  // the operands are wrong, which DTYPE-01 says
    stage.report("CUBE-02", "/bias",
                 {"the bias of a matmul of " + nameOf(stage.a()) + " is " + list + " on " + stage.context.chip.id.text +
                      ", not " + nameOf(type),
                  stage.context.chip.id.text + " 上 " + nameOf(stage.a()) + " 矩阵乘的 bias 为 " + list + "，不能是 " +
                      nameOf(type)});
}

/// CUBE-03. A scale that comes from outside can be brought in as FP32.
void reportScaleType(const Stage& stage, DType type) {
    const std::string& name = stage.cube.scaleTensor.text;
    Reported* entry = stage.report(
        "CUBE-03", "/scale_tensor",
        {"'" + name + "' is " + nameOf(type) + "; a scale_tensor is INT64, FP32 or BF16: cast it to FP32 first",
         "'" + name + "' 为 " + nameOf(type) + "；scale_tensor 为 INT64、FP32 或 BF16：请先转换为 FP32"});
    const std::vector<Tensor>& tensors = stage.context.design.design->tensors;
    for (std::size_t i = 0; entry != nullptr && i < tensors.size(); ++i)
        if (tensors[i].id.text == name && tensors[i].role == TensorRole::Input)
            entry->candidates.push_back(
                {{"Cast it to FP32 outside of the kernel: declare '" + name + "' as FP32",
                  "在 kernel 之外转换为 FP32：将 '" + name + "' 声明为 FP32"},
                 {{"/tensors/" + text(static_cast<std::int64_t>(i)) + "/dtype", std::string("FP32")}}});
}

/// CUBE-03 and CUBE-04: the scales of the FIXPIPE.
void checkScales(const Stage& stage) {
    const CubeStage& cube = stage.cube;
    if (cube.scale && !cube.scaleTensor.empty())
        stage.report("CUBE-03", "/scale",
                     {"the stage has a scale and a scale_tensor; the FIXPIPE takes one of them",
                      "该阶段同时有 scale 和 scale_tensor，FIXPIPE 只能使用其一"});
    if (cube.scale) {
        const auto value = static_cast<float>(*cube.scale);
        if (!std::isfinite(value) || std::fabs(value) < std::numeric_limits<float>::min())
            stage.report("CUBE-03", "/scale",
                         {"the scale must be a normal FP32 number: not zero, infinite, NaN or below 2^-126",
                          "scale 必须是 FP32 规格化数：不能为零、无穷、NaN 或小于 2^-126"});
    }
    if (cube.scaleTensor.empty()) return;
    const DType type = stage.value(cube.scaleTensor).dtype;
    if (type == DType::FP32 || type == DType::BF16)
        stage.report("CUBE-04", "/scale_tensor",
                     {"'" + cube.scaleTensor.text + "' is " + nameOf(type) +
                          "; PyPTO takes it as INT64 words with the FP32 in the low half",
                      "'" + cube.scaleTensor.text + "' 为 " + nameOf(type) + "；PyPTO 需要 INT64，低 32 位为 FP32"});
    else if (type != DType::INT64)
        reportScaleType(stage, type);
    if (stage.scaled() && stage.value(cube.a).shape.size() != 2)
        stage.report("CUBE-03", "/scale_tensor",
                     {"scaled_mm takes a scale_tensor with matrices only, not with batches",
                      "scaled_mm 只有二维操作数才能使用 scale_tensor"});
}

/// CUBE-05 and CUBE-06: split-K.
void checkSplitK(const Stage& stage) {
    const CubeStage& cube = stage.cube;
    if (!cube.tile.splitK) return;
    std::string with;
    const auto add = [&](bool present, const char* name) {
        if (present) with += std::string(with.empty() ? "" : ", ") + name;
    };
    add(!cube.bias.empty(), "bias");
    add(cube.scale.has_value(), "scale");
    add(!cube.scaleTensor.empty(), "scale_tensor");
    add(cube.relu, "relu");
    add(stage.scaled() && stage.value(cube.a).shape.size() != 2, "batches of scaled_mm");
    const std::string key = "/tile/split_k";
    if (!with.empty()) {
        Reported* entry = stage.report("CUBE-05", key,
                                       {"split-K adds partial results in global memory, it cannot go with " + with,
                                        "split-K 在全局内存中累加部分和，不能与 " + with + " 同时使用"});
        if (entry != nullptr)
            entry->candidates.push_back({{"Switch split-K off", "关闭 split-K"}, {{stage.block.where + key, false}}});
    }
    if (cube.partialDType == DType::FP32 || cube.outDType != DType::FP32) return;
    Reported* entry = stage.report(
        "CUBE-06", "/partial_dtype",
        {"partial results in " + nameOf(cube.partialDType) +
             ": every addition rounds to that type; sums that cancel lose most of their digits",
         "部分和为 " + nameOf(cube.partialDType) + "：每次累加都会舍入到该类型，相消的和会损失大部分有效位"});
    if (entry != nullptr)
        entry->candidates.push_back({{"Keep partial results in FP32", "部分和使用 FP32"},
                                     {{stage.block.where + "/partial_dtype", std::string("FP32")}}});
}

/// CUBE-07 and CUBE-08: the modes of the cube.
void checkModes(const Stage& stage) {
    const CubeStage& cube = stage.cube;
    if (cube.fp32Mode != Fp32Mode::Ieee) {
        Reported* entry = nullptr;
        if (stage.a() != DType::FP32)
            entry = stage.report("CUBE-07", "/fp32_mode",
                                 {"trans_mode rounds FP32 operands; these are " + nameOf(stage.a()),
                                  "trans_mode 只对 FP32 操作数有效，当前为 " + nameOf(stage.a())});
        else if (!stage.is950())
            entry = stage.report(
                "CUBE-07", "/fp32_mode",
                {"TF32 (trans_mode) exists on the 950 only; the cube of " + stage.context.chip.id.text +
                     " has HF32, which PyPTO does not offer",
                 "TF32（trans_mode）仅 950 支持；" + stage.context.chip.id.text + " 的 Cube 有 HF32，但 PyPTO 未提供"});
        if (entry != nullptr)
            entry->candidates.push_back(
                {{"Use FP32 as it is", "使用 FP32 原精度"}, {{stage.block.where + "/fp32_mode", std::string("ieee")}}});
    }
    if (cube.accumulation == Accumulation::MxGroup && !stage.scaled()) {
        Reported* entry = stage.report("CUBE-08", "/accumulation",
                                       {"only scaled_mm has MX groups to sum", "只有 scaled_mm 才有 MX 组"});
        if (entry != nullptr)
            entry->candidates.push_back({{"Sum element by element", "逐元素累加"},
                                         {{stage.block.where + "/accumulation", std::string("element")}}});
    }
}

/// CUBE-09: K tiles of scaled_mm; FP4 rows.
void checkScaledTile(const Stage& stage) {
    if (!stage.scaled()) return;
    const std::int64_t kL0 = stage.cube.tile.kL0();
    if (kL0 > 0 && kL0 % 64 != 0) {
        Reported* entry = stage.report("CUBE-09", "/tile/k/0",
                                       {"kL0 = " + text(kL0) + " of scaled_mm must be a multiple of 64 (" + text(kL0) +
                                            " mod 64 = " + text(kL0 % 64) + ")",
                                        "scaled_mm 的 kL0 = " + text(kL0) + " 必须是 64 的整数倍（" + text(kL0) +
                                            " mod 64 = " + text(kL0 % 64) + "）"});
        if (entry != nullptr)
            for (const std::int64_t legal : {kL0 / 64 * 64, kL0 / 64 * 64 + 64})
                if (legal > 0)
                    entry->candidates.push_back(
                        tileCandidate(stage.block.where, stage.cube.tile, withL0(stage.cube.tile, 'k', legal)));
    }
    for (const auto& [key, id] : {std::pair{"/a", &stage.cube.a}, std::pair{"/b", &stage.cube.b}}) {
        const ResolvedValue& value = stage.value(*id);
        if (bitsPerElement(value.dtype) != 4 || value.shape.back() % 2 == 0) continue;
        stage.report(
            "CUBE-10", key,
            {"the rows of '" + id->text + "' have " + text(value.shape.back()) +
                 " elements of 4 bits; two share a byte, so the number must be even",
             "'" + id->text + "' 每行有 " + text(value.shape.back()) + " 个 4 位元素；两个共用一字节，必须为偶数"});
    }
}

/// CUBE-11 and CUBE-12: operands in fractals.
void checkNz(const Stage& stage) {
    bool fractals = false;
    for (const auto& [key, id] : {std::pair{"/a", &stage.cube.a}, std::pair{"/b", &stage.cube.b}}) {
        const ResolvedValue& value = stage.value(*id);
        if (value.tensor == nullptr || value.tensor->format != Format::NZ || value.shape.size() < 2) continue;
        fractals = true;
        const std::int64_t outer = value.shape[value.shape.size() - 2], inner = value.shape.back();
        const std::int64_t c0 = 256 / bitsPerElement(value.dtype);  // a block of 32 bytes
        const DType type = value.dtype;
        Text why;
        if (type == DType::FP32 || type == DType::FP8E5M2 || type == DType::HF8 || type == DType::FP4E1M2)
            why = {"NZ is not for " + nameOf(type), nameOf(type) + " 不支持 NZ"};
        else if (outer == 1 || inner == 1)
            why = {"NZ is not for a matrix of one row or column", "只有一行或一列的矩阵不支持 NZ"};
        else if (inner % c0 != 0 || outer % 16 != 0)
            why = {"NZ needs rows of whole 32-byte blocks (" + text(c0) + " elements) and a multiple of 16 rows",
                   "NZ 要求每行为整数个 32 字节块（" + text(c0) + " 个元素），行数为 16 的整数倍"};
        if (why.en.empty()) continue;
        const std::string is = "'" + id->text + "' " + text(value.shape);
        Reported* entry = stage.report("CUBE-11", key, {is + ": " + why.en, is + "：" + why.zh});
        if (entry == nullptr) continue;
        const auto& tensors = stage.context.design.design->tensors;
        const auto index = value.tensor - tensors.data();
        entry->candidates.push_back(
            {{"Use ND", "使用 ND"},
             {{"/tensors/" + text(static_cast<std::int64_t>(index)) + "/format", std::string("ND")}}});
    }
    const std::vector<std::int64_t>& given = stage.block.matrixSize;
    if (!stage.block.matmul) return;
    const MatmulSize& size = *stage.block.matmul;
    const std::vector<std::int64_t> wanted{size.m, size.k, size.n};
    const bool batched = stage.value(stage.cube.a).shape.size() > 2;
    const auto offer = [&](Reported* entry) {
        if (entry == nullptr) return;
        std::vector<Expression> values;
        for (const std::int64_t extent : wanted) values.emplace_back(extent);
        entry->candidates.push_back({{"Set matrix_size to " + text(wanted), "将 matrix_size 设为 " + text(wanted)},
                                     {{stage.block.where + "/matrix_size", values}}});
    };
    if (given.empty() && fractals && batched)
        offer(stage.report("CUBE-12", "/matrix_size",
                           {"operands with batch axes in NZ need set_matrix_size(" + text(wanted) + ")",
                            "带 batch 轴的 NZ 操作数需要 set_matrix_size(" + text(wanted) + ")"}));
    else if (!given.empty() && given != wanted)
        offer(stage.report("CUBE-12", "/matrix_size",
                           {"set_matrix_size says " + text(given) + ", the matmul is " + text(wanted),
                            "set_matrix_size 为 " + text(given) + "，而矩阵乘为 " + text(wanted)}));
}

/// CUBE-13.
void checkInnerAxes(const Stage& stage) {
    constexpr std::int64_t kMost = 65535;
    for (const auto& [key, id] : {std::pair{"/a", &stage.cube.a}, std::pair{"/b", &stage.cube.b}}) {
        const ResolvedValue& operand = stage.value(*id);
        const bool fractals = operand.tensor != nullptr && operand.tensor->format == Format::NZ;
        if (fractals || operand.shape.empty() || operand.shape.back() <= kMost) continue;
        const std::string extent = text(operand.shape.back());
        Reported* entry =
            stage.report("CUBE-13", key,
                         {"the inner axis of '" + id->text + "' has " + extent + " elements, ND allows " + text(kMost),
                          "'" + id->text + "' 的内轴有 " + extent + " 个元素，ND 最多 " + text(kMost)});
        if (entry == nullptr) continue;
        entry->finding.measured = static_cast<double>(operand.shape.back());
        entry->finding.limit = static_cast<double>(kMost);
    }
}

}  // namespace

std::span<const Rule> cubeRules() {
    return kCubeRules;
}

void checkCubeStages(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        const auto* cube = std::get_if<CubeStage>(&block.block->content);
        if (cube == nullptr || !context.looksAt(block)) continue;
        const Stage stage{context, block, *cube};
        checkScaledMm(stage);
        checkBias(stage);
        checkScales(stage);
        checkSplitK(stage);
        checkModes(stage);
        checkScaledTile(stage);
        checkNz(stage);
        checkInnerAxes(stage);
    }
}

}  // namespace cubist::rules

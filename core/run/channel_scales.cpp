// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/channel_scales.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace cubist {
namespace {

/// What FIXPIPE multiplies a column by, as the tensor holds it.
float scaleAt(const HostTensor& scales, std::int64_t column) {
    if (scales.dtype() == DType::INT64)
        return std::bit_cast<float>(
            static_cast<std::uint32_t>(scales.codes<std::int64_t>()[static_cast<std::size_t>(column)]));
    return static_cast<float>(scales.at(column));
}

/// What it is where FIXPIPE does not take it, in English and Chinese.
std::optional<std::pair<std::string, std::string>> refusal(float scale) {
    switch (std::fpclassify(scale)) {
        case FP_NAN: return std::pair{"is NaN", "为 NaN"};
        case FP_INFINITE: return std::pair{"is infinite", "为无穷大"};
        case FP_ZERO: return std::pair{"is 0", "为 0"};
        case FP_SUBNORMAL: return std::pair{"is subnormal", "为非规格化数"};
        default: return std::nullopt;
    }
}

using Names = std::pair<std::string, std::string>;

/// What a 64-bit word asks for beside its scale and offset that the emulated FIXPIPE does not do. Integers of 8 bits
/// leave signed here, whatever bit 46 says.
std::optional<Names> unmodelled(std::int64_t word, DType output) {
    const auto bits = static_cast<std::uint64_t>(word);
    if (const std::uint64_t shift = bits >> 32 & 0x1F; shift != 0)
        return Names{"sets bits 32 to 36 (" + std::to_string(shift) + ": a shift to 16 bits before the product)",
                     "设置了第 32 至 36 位（" + std::to_string(shift) + "：乘法前先移位到 16 位）"};
    if (output == DType::INT8 && (bits >> 46 & 1) == 0)
        return Names{"has bit 46 at 0, which asks for unsigned results", "第 46 位为 0，表示无符号结果"};
    return std::nullopt;
}

/// The first column that `look` has something to say about, and how many there are.
template <class Look>
std::optional<Finding> columnFinding(const HostTensor& scales, const CubeStage& stage, const ResolvedBlock& block,
                                     const char* rule, const Names& what, Look&& look) {
    std::int64_t count = 0, first = -1;
    for (std::int64_t column = 0; column < scales.count(); ++column)
        if (look(column) && ++count == 1) first = column;
    if (count == 0) return std::nullopt;
    const auto [en, zh] = *look(first);
    const std::string at = std::to_string(first), all = std::to_string(count);
    Finding finding;
    finding.ruleId = rule;
    finding.severity = Severity::Warning;
    finding.where = block.where + "/scale_tensor";
    finding.block = stage.id;
    finding.message = "scale " + at + " of '" + stage.scaleTensor.text + "' " + en + what.first + all;
    finding.messageZh = "'" + stage.scaleTensor.text + "' 的第 " + at + " 个缩放因子" + zh + what.second + all + " 个";
    return finding;
}

}  // namespace

std::vector<Finding> channelScaleFindings(const ResolvedDesign& design,
                                          const std::map<std::string, const HostTensor*>& inputs) {
    std::vector<Finding> findings;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* stage = std::get_if<CubeStage>(&block.block->content);
        if (stage == nullptr || stage->scaleTensor.empty()) continue;
        const auto found = inputs.find(stage->scaleTensor.text);
        if (found == inputs.end()) continue;
        const HostTensor& scales = *found->second;
        if (auto finding = columnFinding(scales, *stage, block, "VAL-12",
                                         {", which FIXPIPE does not take; such scales in the tensor: ",
                                          "，FIXPIPE 不支持；该张量中此类缩放因子共 "},
                                         [&](std::int64_t column) { return refusal(scaleAt(scales, column)); }))
            findings.push_back(*std::move(finding));
        if (scales.dtype() != DType::INT64) continue;
        const auto words = scales.codes<std::int64_t>();
        if (auto finding = columnFinding(
                scales, *stage, block, "VAL-13",
                {", which is not emulated; such words in the tensor: ", "，仿真未实现；该张量中此类字共 "},
                [&](std::int64_t column) {
                    return unmodelled(words[static_cast<std::size_t>(column)], stage->outDType);
                }))
            findings.push_back(*std::move(finding));
    }
    return findings;
}

}  // namespace cubist

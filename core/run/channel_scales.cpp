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

/// Its name where FIXPIPE does not take it, in English and Chinese.
std::optional<std::pair<std::string, std::string>> refusal(float scale) {
    switch (std::fpclassify(scale)) {
        case FP_NAN: return std::pair{"NaN", "NaN"};
        case FP_INFINITE: return std::pair{"infinite", "无穷大"};
        case FP_ZERO: return std::pair{"0", "0"};
        case FP_SUBNORMAL: return std::pair{"subnormal", "非规格化数"};
        default: return std::nullopt;
    }
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
        std::int64_t count = 0, first = -1;
        for (std::int64_t column = 0; column < scales.count(); ++column)
            if (refusal(scaleAt(scales, column)) && ++count == 1) first = column;
        if (count == 0) continue;
        const auto [en, zh] = *refusal(scaleAt(scales, first));
        const std::string at = std::to_string(first), all = std::to_string(count);
        Finding finding;
        finding.ruleId = "VAL-12";
        finding.severity = Severity::Warning;
        finding.where = block.where + "/scale_tensor";
        finding.block = stage->id;
        finding.message = "scale " + at + " of '" + stage->scaleTensor.text + "' is " + en +
                          ", which FIXPIPE does not take; such scales in the tensor: " + all;
        finding.messageZh = "'" + stage->scaleTensor.text + "' 的第 " + at + " 个缩放因子为 " + zh +
                            "，FIXPIPE 不支持；该张量中此类缩放因子共 " + all + " 个";
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace cubist

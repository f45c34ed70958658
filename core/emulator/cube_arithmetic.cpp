// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cube_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/number_formats.h"
#include "core/emulator/vector_store.h"

namespace cubist {
namespace {

constexpr std::int64_t kGroup = 32;
constexpr int kMostExponent = 127;
constexpr int kLeastExponent = -149;

/// The operand from step k on; a fractal or group may start between two scales of a pair.
CubeOperand fromStep(const CubeOperand& operand, std::int64_t k) {
    CubeOperand part = operand;
    part.codes = operand.element(0, k);
    if (operand.scales != nullptr)
        part.scales = operand.scales + (k / (2 * kGroup)) * operand.scalePairStride + k / kGroup % 2;
    return part;
}

/// RN(sum + s * 2^(eA + eB - 254)): the power is shared out so that both factors are exact in FP32. Sums of products of
/// FP8 and FP4 are multiples of 2^-32, so that they lose nothing down to 2^-105; where a factor overflows, so does the
/// product.
float addScaled(float s, int scaleA, int scaleB, float sum) {
    if (scaleA == 255 || scaleB == 255) return canonicalNan(NAN);
    const int total = scaleA + scaleB - 254;
    const int power = std::clamp(total, kLeastExponent, kMostExponent);
    return canonicalNan(std::fma(std::ldexp(s, total - power), std::ldexp(1.0F, power), sum));
}

Result<void> accumulateInParts(const CubeKernel& kernel, Accumulation accumulation, std::int64_t part, std::int64_t m,
                               std::int64_t n, std::int64_t k, const CubeOperand& a, const CubeOperand& b, float* c,
                               std::int64_t cStride, CubeStepScratch& scratch) {
    const bool groups = accumulation == Accumulation::MxGroup;
    for (std::int64_t step = 0; step < k; step += part) {
        CubeOperand left = fromStep(a, step);
        CubeOperand right = fromStep(b, step);
        const std::uint8_t* const scalesA = left.scales;
        const std::uint8_t* const scalesB = right.scales;
        if (groups) left.scales = right.scales = nullptr;
        scratch.sums.assign(static_cast<std::size_t>(m * n), 0.0F);
        CUBIST_CHECK_OK(
            kernel.multiply(m, n, std::min(part, k - step), left, right, scratch.sums.data(), n, scratch.kernel));
        for (std::int64_t row = 0; row < m; ++row) {
            const float* const sums = scratch.sums.data() + row * n;
            float* const target = c + row * cStride;
            for (std::int64_t column = 0; column < n; ++column)
                target[column] = groups ? addScaled(sums[column], scalesA[row * a.scaleIStride],
                                                    scalesB[column * b.scaleIStride], target[column])
                                        : canonicalNan(target[column] + sums[column]);
        }
    }
    return {};
}

std::int8_t quantise(float value, std::int64_t offset, bool& clamped) {
    const float clipped = std::isnan(value) ? 0.0F : std::clamp(value, -256.0F, 255.0F);
    const std::int64_t rounded = toInteger(DType::INT16, static_cast<double>(clipped), RoundMode::Rint) + offset;
    const auto kept = static_cast<std::int8_t>(std::clamp<std::int64_t>(rounded, -128, 127));
    clamped = std::isnan(value) || kept != rounded || std::fabs(value - clipped) >= 0.5F;
    return kept;
}

/// Bits 37..45, a signed number.
std::int64_t offsetOf(std::int64_t channel) {
    const std::int64_t field = channel >> 37 & 0x1FF;
    return field >= 0x100 ? field - 0x200 : field;
}

float factorOf(std::int64_t channel) {
    return fixpipeScale(std::bit_cast<float>(static_cast<std::uint32_t>(channel & 0xFFFFFFFF)));
}

float relu(float value) {
    return value < 0.0F ? 0.0F : value;
}

}  // namespace

Result<void> accumulate(const CubeKernel& kernel, const CubeDetail& detail, std::int64_t m, std::int64_t n,
                        std::int64_t k, const CubeOperand& a, const CubeOperand& b, float* c, std::int64_t cStride,
                        CubeStepScratch& scratch) {
    if (detail.accumulation == Accumulation::Element) return kernel.multiply(m, n, k, a, b, c, cStride, scratch.kernel);
    const std::int64_t part = detail.accumulation == Accumulation::MxGroup ? kGroup : detail.fractalK;
    return accumulateInParts(kernel, detail.accumulation, part, m, n, k, a, b, c, cStride, scratch);
}

void channelWords(DType from, const void* source, std::span<std::int64_t> words, std::vector<float>& scratch) {
    if (!isFloat(from)) {
        convertRow(from, source, DType::INT64, words.data(), words.size());
        return;
    }
    scratch.resize(words.size());
    decodeRow(from, source, std::span<float>(scratch));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::bit_cast<std::uint32_t>(scratch[i]);
}

void FixpipeLosses::note(ValueLosses& losses, DType type, std::size_t columns, std::array<std::int64_t, 2> at,
                         GmIndex tensor, const Extent4& target) const {
    if (wrapped) {
        Extent4 place = target;
        place[3] += static_cast<std::int64_t>(*wrapped);
        losses.wrap({VectorOpCode::Add, tensor, place, type});
    }
    const auto add = [&](ElementLoss loss, const Columns& own) {
        if (own.count == 0) return;
        const Extent4 place{0, 0, at[0], at[1] + static_cast<std::int64_t>(own.first)};
        losses.of(loss).add({static_cast<std::int64_t>(own.count), LostElements::First{place, own.value, type}});
    };
    add(ElementLoss::Overflowed, overflowed);
    if (!clamps) return;
    losses.saturating += static_cast<std::int64_t>(columns);
    add(ElementLoss::Clamped, clamped);
    add(ElementLoss::NanToZero, nans);
}

namespace {

/// The least size that rounds to infinity: half a step beyond the largest number; of FP32 infinity itself.
float infiniteFrom(DType type) {
    return type == DType::FP16 ? 65520.0F : (type == DType::BF16 ? 0x1.FFp127F : INFINITY);
}

/// Notes what is finite in the accumulator and infinite in the output. `row`: what is converted, after the scale.
void noteOverflow(const Fixpipe& fixpipe, const void* sums, std::span<const float> row, FixpipeLosses& losses) {
    if (!isFloat(fixpipe.output)) return;
    const float end = infiniteFrom(fixpipe.output);
    bool any = false;
    for (const float value : row) any |= std::fabs(value) >= end;
    if (!any) return;
    const bool integers = fixpipe.accumulator == DType::INT32;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (!(std::fabs(row[i]) >= end) || (!integers && !std::isfinite(static_cast<const float*>(sums)[i]))) continue;
        if (losses.overflowed.count++ == 0) losses.overflowed = {1, i, static_cast<double>(row[i])};
    }
}

}  // namespace

FixpipeLosses fixpipeRow(const Fixpipe& fixpipe, const void* sums, std::size_t count, void* target,
                         std::vector<float>& scratch) {
    FixpipeLosses losses;
    if (fixpipe.atomic) {
        const bool plain = !fixpipe.relu && !fixpipe.scale && fixpipe.channelScales.empty();
        if (plain && fixpipe.accumulator == fixpipe.output) {
            losses.wrapped = storeRow(fixpipe.output, sums, fixpipe.output, target, count, true);
            return losses;
        }
        Fixpipe way = fixpipe;
        way.atomic = false;
        std::vector<std::byte> row(count * static_cast<std::size_t>(hostBytesPerElement(fixpipe.output)));
        losses = fixpipeRow(way, sums, count, row.data(), scratch);
        losses.wrapped = storeRow(fixpipe.output, row.data(), fixpipe.output, target, count, true);
        return losses;
    }
    const bool scaled = fixpipe.scale.has_value() || !fixpipe.channelScales.empty();
    const bool integers = fixpipe.accumulator == DType::INT32;
    if (!scaled && !fixpipe.relu) {
        convertRow(fixpipe.accumulator, sums, fixpipe.output, target, count);
        if (fixpipe.output != fixpipe.accumulator && !integers)
            noteOverflow(fixpipe, sums, {static_cast<const float*>(sums), count}, losses);
        if (fixpipe.output == DType::FP16 && integers) {
            scratch.resize(count);
            decodeRow(fixpipe.accumulator, sums, std::span<float>(scratch));
            noteOverflow(fixpipe, sums, scratch, losses);
        }
        return losses;
    }
    if (!scaled && integers && fixpipe.output == DType::INT32) {
        const auto* from = static_cast<const std::int32_t*>(sums);
        auto* to = static_cast<std::int32_t*>(target);
        for (std::size_t i = 0; i < count; ++i) to[i] = std::max(from[i], 0);
        return losses;
    }
    scratch.resize(count);
    const std::span<float> row(scratch.data(), count);
    decodeRow(fixpipe.accumulator, sums, row);
    if (fixpipe.relu)
        for (float& value : row) value = relu(value);
    for (std::size_t i = 0; i < count; ++i)
        if (scaled)
            row[i] = canonicalNan(
                row[i] * (fixpipe.channelScales.empty() ? *fixpipe.scale : factorOf(fixpipe.channelScales[i])));
    const auto clamp = [&](std::size_t i) {
        FixpipeLosses::Columns& own = std::isnan(row[i]) ? losses.nans : losses.clamped;
        if (own.count++ == 0) own = {1, i, static_cast<double>(row[i])};
    };
    if (fixpipe.output == DType::INT8) {
        losses.clamps = true;
        auto* to = static_cast<std::int8_t*>(target);
        for (std::size_t i = 0; i < count; ++i) {
            bool clamped = false;
            to[i] = quantise(row[i], fixpipe.channelScales.empty() ? 0 : offsetOf(fixpipe.channelScales[i]), clamped);
            if (clamped) clamp(i);
        }
        return losses;
    }
    const bool saturates = integers && fixpipe.output == DType::FP16;
    if (saturates) {
        losses.clamps = true;
        const float end = infiniteFrom(DType::FP16);
        for (std::size_t i = 0; i < count; ++i)
            if (std::fabs(row[i]) >= end) clamp(i);
    } else {
        noteOverflow(fixpipe, sums, row, losses);
    }
    encodeRow(fixpipe.output, std::span<const float>(row), target, RoundMode::None,
              saturates ? Saturation::OnKeepNan : Saturation::Off);
    return losses;
}

}  // namespace cubist

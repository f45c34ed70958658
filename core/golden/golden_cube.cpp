// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_cube.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/number_formats.h"
#include "core/golden/golden_types.h"

namespace cubist::golden {

namespace {

/// One matrix of a batch; an axis of extent 1 serves the whole batch.
Window matrixOf(Window window, std::int64_t first, std::int64_t second) {
    const std::array<std::int64_t, 2> at{first, second};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        window.offset[axis] += window.shape[axis] == 1 ? 0 : at[axis];
        window.valid[axis] = std::min<std::int64_t>(window.valid[axis], 1);
        window.shape[axis] = 1;
    }
    return window;
}

/// The operand times the scales of its groups, which it reads as they are wanted.
Window scaled(Window operand, const Window& scales, bool kIsRow, bool pairsFirst) {
    operand.scaling = std::make_shared<const Scaling>(Scaling{scales, kIsRow, pairsFirst});
    return operand;
}

/// A factor of the FIXPIPE: 1 sign, 8 exponent and 10 mantissa bits.
double keptFactor(float factor) {
    return static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(factor) & 0xFFFFE000U));
}

struct Channel {
    double factor = 1.0;
    double offset = 0.0;
};

/// A row of scales as numbers: words with an FP32 in the low half and an offset in bits 37..45, or floats.
std::vector<Channel> channelsOf(const Window& window, DType type, std::int64_t count) {
    std::vector<Channel> channels(static_cast<std::size_t>(count));
    std::vector<double> row(channels.size());
    window.readRow(0, 0, 0, 0, row);
    if (type == DType::INT64) {
        for (std::size_t c = 0; c < channels.size(); ++c) {
            const auto word = static_cast<std::uint64_t>(integerOf(type, row[c]));
            channels[c].factor = keptFactor(std::bit_cast<float>(static_cast<std::uint32_t>(word & 0xFFFFFFFFU)));
            const auto field = static_cast<double>(word >> 37 & 0x1FFU);
            channels[c].offset = field >= 256 ? field - 512 : field;
        }
        return channels;
    }
    for (std::size_t c = 0; c < row.size(); ++c) channels[c].factor = keptFactor(static_cast<float>(row[c]));
    return channels;
}

double toFp32(double value) {
    return static_cast<double>(static_cast<float>(value));
}

double quantised(double value, double offset) {
    if (std::isnan(value)) return std::clamp(offset, -128.0, 127.0);
    const double clipped = std::clamp(value, -256.0, 255.0);
    const double below = std::floor(clipped);
    const double rest = clipped - below;
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0.0);
    return std::clamp(below + (up ? 1.0 : 0.0) + offset, -128.0, 127.0);
}

}  // namespace

bool CubeReference::compute(const CubeStage& stage, DType accumulator, GoldenKind kind, const Operands& operands,
                            const Window& result, const std::optional<NeededPart>& needed, std::span<double> values,
                            Meter& meter) {
    const std::size_t axisKA = stage.aTrans ? 2 : 3, axisKB = stage.bTrans ? 3 : 2;
    Window a = *operands.a, b = *operands.b;
    const std::int64_t columns = result.valid[3];
    // Where one operand ends earlier it reads as zero, and zero times NaN is NaN: the sum ends with the longer one.
    const std::int64_t depth = std::min({a.shape[axisKA], b.shape[axisKB], std::max(a.valid[axisKA], b.valid[axisKB])});
    Matmul::Part part = Matmul::Part::whole(result.valid[2], depth, columns);
    if (needed) part.cols = NeededPart::numbers(needed->cols, columns);
    if (stage.op == CubeOp::ScaledMm) {
        a = scaled(a, *operands.scaleA, stage.aTrans, stage.scaleATrans);
        b = scaled(b, *operands.scaleB, !stage.bTrans, !stage.scaleBTrans);
    }
    const std::int64_t stride = result.shape[3];
    const bool framework = kind == GoldenKind::Framework;
    const SumKind sums = framework && accumulator == DType::FP32 ? SumKind::Fp32 : SumKind::Fp64;
    std::vector<double> bias(static_cast<std::size_t>(columns));
    std::vector<Channel> channels;
    if (operands.channelScales != nullptr)
        channels = channelsOf(*operands.channelScales, operands.channelType, columns);
    const bool scales = stage.scale.has_value() || !channels.empty();
    const double factor = stage.scale ? keptFactor(static_cast<float>(*stage.scale)) : 1.0;
    const bool single = result.shape[0] * result.shape[1] == 1;
    std::vector<double> own(single ? 0 : static_cast<std::size_t>(result.shape[2] * stride));
    const std::span<double> matrix = single ? values : std::span(own);
    for (std::int64_t first = 0; first < result.valid[0]; ++first)
        for (std::int64_t second = 0; second < result.valid[1]; ++second) {
            const std::int64_t firstRow = (first * result.shape[1] + second) * result.shape[2];
            if (needed) {
                const auto begin = needed->rows.begin() + firstRow;
                part.rows = NeededPart::numbers({begin, begin + result.shape[2]}, result.valid[2]);
            }
            std::fill(own.begin(), own.end(), 0.0);
            if (!m_matmul.multiply(matrixOf(a, first, second), stage.aTrans, matrixOf(b, first, second), stage.bTrans,
                                   part, sums, stride, matrix, meter))
                return false;
            if (operands.bias != nullptr) matrixOf(*operands.bias, first, second).readRow(0, 0, 0, 0, bias);
            for (const std::int64_t row : part.rows) {
                const std::span<double> line =
                    matrix.subspan(static_cast<std::size_t>(row * stride), static_cast<std::size_t>(columns));
                for (std::size_t c = 0; c < line.size(); ++c) {
                    double& value = line[c];
                    value += bias[c];
                    if (framework && accumulator == DType::FP32) value = toFp32(value);
                    if (stage.relu && value < 0.0) value = 0.0;
                    if (!scales) continue;
                    const Channel channel = channels.empty() ? Channel{factor, 0.0} : channels[c];
                    value *= channel.factor;
                    if (framework) value = toFp32(value);
                    if (stage.outDType == DType::INT8) value = quantised(value, channel.offset);
                    // Out of an INT32 sum FP16 saturates.
                    if (stage.outDType == DType::FP16 && accumulator == DType::INT32)
                        value = std::isnan(value) ? value : std::clamp(value, -65504.0, 65504.0);
                }
                roundResult(kind, stage.outDType, line);
                const std::int64_t at = (firstRow + row) * stride;
                if (!single) std::copy(line.begin(), line.end(), values.begin() + at);
            }
        }
    return true;
}

}  // namespace cubist::golden

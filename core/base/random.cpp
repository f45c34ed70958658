// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/elementary.h"
#include "core/base/number_formats.h"
#include "core/base/parallel.h"

namespace cubist {
namespace {

using Block = std::array<std::uint32_t, 4>;
using Values = std::array<double, 4>;

Block blockOf(const RandomStream& stream, std::uint64_t block) {
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
    return philox4x32({low(block), high(block), low(stream.tensor), high(stream.tensor)},
                      {low(stream.seed), high(stream.seed)});
}

/// Two independent normal values from two words (Box and Muller).
void normalPair(std::uint32_t first, std::uint32_t second, double& a, double& b) {
    const double radius = std::sqrt(-2.0 * elementary::log((static_cast<double>(first) + 0.5) * 0x1p-32));
    const elementary::SinCos angle = elementary::sinCosOfTurns(static_cast<double>(second) * 0x1p-32);
    a = radius * angle.cos;
    b = radius * angle.sin;
}

/// Elements 4 * block .. 4 * block + 3.
Values valuesOf(const GeneratorSpec& spec, const RandomStream& stream, std::uint64_t block) {
    Values values{};
    switch (spec.distribution) {
        case Distribution::Uniform: {
            const Block words = blockOf(stream, block);
            const double step = (spec.high - spec.low) * 0x1p-32;
            for (std::size_t i = 0; i < 4; ++i) values[i] = spec.low + static_cast<double>(words[i]) * step;
            break;
        }
        case Distribution::Normal: {
            const Block words = blockOf(stream, block);
            normalPair(words[0], words[1], values[0], values[1]);
            normalPair(words[2], words[3], values[2], values[3]);
            for (double& value : values) value = spec.low + value * spec.high;
            break;
        }
        case Distribution::Integers: {
            const Block words = blockOf(stream, block);
            const auto choices = static_cast<std::uint64_t>(spec.high - spec.low) + 1;
            for (std::size_t i = 0; i < 4; ++i) values[i] = spec.low + static_cast<double>((words[i] * choices) >> 32);
            break;
        }
        case Distribution::Constant: values.fill(spec.low); break;
        case Distribution::Arange:
            for (std::size_t i = 0; i < 4; ++i) {
                const std::uint64_t index = 4 * block + i;
                const auto place = spec.modulo > 0 ? index % static_cast<std::uint64_t>(spec.modulo) : index;
                values[i] = spec.low + static_cast<double>(place) * spec.high;
            }
            break;
    }
    return values;
}

/// Largest value of a type below `high`, or `high` where the type has none.
double largestBelow(DType type, double high) {
    if (!isFloat(type)) return high;
    const double floor = decode(type, encode(type, high, RoundMode::Floor, Saturation::On));
    if (floor < high) return floor;
    const double step = std::max(std::fabs(high) * 0x1p-30, 0x1p-200);
    return decode(type, encode(type, high - step, RoundMode::Floor, Saturation::On));
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{counter[0]} * 0xD2511F53u;
        const std::uint64_t b = std::uint64_t{counter[2]} * 0xCD9E8D57u;
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

RandomStream randomStream(std::uint64_t seed, std::string_view tensorName) {
    // FNV-1a, 64 bits.
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (const char c : tensorName) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return {seed, hash};
}

Result<void> checkGenerator(const GeneratorSpec& spec) {
    if (spec.modulo < 0) return unexpected(ErrorCode::BadValue, "the modulo of a generator is 0 or more");
    if (spec.modulo > 0 && spec.distribution != Distribution::Arange)
        return unexpected(ErrorCode::BadValue, "only an arange generator takes a modulo");
    if (!std::isfinite(spec.low) || !std::isfinite(spec.high))
        return unexpected(ErrorCode::BadValue, "a generator's low and high are finite numbers");
    switch (spec.distribution) {
        case Distribution::Uniform:
            if (!(spec.low < spec.high)) return unexpected(ErrorCode::BadValue, "a uniform generator wants low < high");
            if (!std::isfinite(spec.high - spec.low))
                return unexpected(ErrorCode::BadValue, "the range of a uniform generator is too large");
            break;
        case Distribution::Normal:
            if (spec.high < 0)
                return unexpected(ErrorCode::BadValue,
                                  "the standard deviation (high) of a normal generator is not negative");
            break;
        case Distribution::Integers:
            if (spec.low != std::floor(spec.low) || spec.high != std::floor(spec.high))
                return unexpected(ErrorCode::BadValue, "an integer generator wants whole numbers for low and high");
            if (!(spec.low <= spec.high) || !(spec.high - spec.low < 0x1p32) || std::fabs(spec.low) > 0x1p53 ||
                std::fabs(spec.high) > 0x1p53)
                return unexpected(ErrorCode::BadValue,
                                  "an integer generator wants low <= high with fewer than 2^32 choices below 2^53");
            break;
        case Distribution::Constant:
        case Distribution::Arange: break;
    }
    return {};
}

double generateElement(const GeneratorSpec& spec, const RandomStream& stream, std::int64_t index) {
    const auto position = static_cast<std::uint64_t>(index);
    return valuesOf(spec, stream, position / 4)[position % 4];
}

Result<void> fillTensor(HostTensor& tensor, const GeneratorSpec& spec, const RandomStream& stream,
                        const RunContext& context) {
    CUBIST_CHECK_OK(checkGenerator(spec));
    constexpr std::int64_t kChunk = 1 << 15;
    constexpr std::int64_t kRow = 256;
    const DType type = tensor.dtype();
    const bool uniform = spec.distribution == Distribution::Uniform;
    const double limit = uniform ? largestBelow(type, spec.high) : 0;
    std::byte* const storage = tensor.writableData();
    const std::int64_t count = tensor.count();
    const auto fillChunk = [&](std::int64_t chunk, int) {
        if (context.cancelled()) return false;
        const std::int64_t end = std::min(count, (chunk + 1) * kChunk);
        std::array<double, kRow> row;
        for (std::int64_t first = chunk * kChunk; first < end; first += kRow) {
            const auto size = static_cast<std::size_t>(std::min(kRow, end - first));
            for (std::size_t i = 0; i < size; i += 4) {
                const Values values = valuesOf(spec, stream, (static_cast<std::uint64_t>(first) + i) / 4);
                std::copy(values.begin(), values.end(), row.begin() + static_cast<std::ptrdiff_t>(i));
            }
            std::byte* const target = storage + first * hostBytesPerElement(type);
            if (uniform)
                for (std::size_t i = 0; i < size; ++i)
                    if (row[i] > limit) row[i] = limit;
            encodeRow(type, std::span<const double>(row.data(), size), target);
        }
        return true;
    };
    if (!parallelFor(context.threads, (count + kChunk - 1) / kChunk, fillChunk)) return cancelledError();
    return {};
}

}  // namespace cubist

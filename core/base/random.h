// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"

namespace cubist {

/// One block of the counter-based generator Philox 4x32 with 10 rounds (Salmon et al., SC 2011): four independent words
/// for each pair of counter and key.
/// Source: F-50
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key);

enum class Distribution : std::uint8_t {
    Uniform,   ///< low <= x < high, in steps of (high - low) / 2^32
    Normal,    ///< mean low, standard deviation high
    Integers,  ///< low..high inclusive, both integral, high - low < 2^32
    Constant,  ///< low
    Arange,    ///< low + index * high, or low + (index mod modulo) * high
};

struct GeneratorSpec {
    Distribution distribution = Distribution::Uniform;
    double low = 0.0;
    double high = 1.0;
    std::int64_t modulo = 0;  ///< Arange: the index counts modulo this; 0: it does not
    bool operator==(const GeneratorSpec&) const = default;
};

/// Names one stream of random numbers: every tensor of a run has its own, whatever the order of generation.
struct RandomStream {
    std::uint64_t seed = 0;
    std::uint64_t tensor = 0;  ///< hash of the tensor's name
};

[[nodiscard]] RandomStream randomStream(std::uint64_t seed, std::string_view tensorName);

/// Errors: BadValue, where the parameters give no distribution.
[[nodiscard]] Result<void> checkGenerator(const GeneratorSpec& spec);

/// Element `index` of a stream, before it is rounded to a tensor's type. Depends on nothing else.
/// Range: `spec` passes checkGenerator.
/// Source: F-51, F-52
[[nodiscard]] double generateElement(const GeneratorSpec& spec, const RandomStream& stream, std::int64_t index);

/// Fills a tensor with elements 0, 1, 2 ... of a stream in row-major order, rounded to nearest even (integer types:
/// truncated). A uniform value that would round up to `high` becomes the largest value of the type below it.
/// Errors: BadValue as checkGenerator, Cancelled.
[[nodiscard]] Result<void> fillTensor(HostTensor& tensor, const GeneratorSpec& spec, const RandomStream& stream,
                                      const RunContext& context);

}  // namespace cubist

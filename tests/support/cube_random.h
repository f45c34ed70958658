// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/emulator/emulator.h"
#include "tests/support/cube_stage.h"

/// Random cube stages, and how tests of one run it.
namespace cubist::test {

inline constexpr EmulatorOptions kChecked{.isa = Isa::Auto, .checked = true, .bufferBytes = {}};
inline constexpr EmulatorOptions kPortable{.isa = Isa::Portable, .checked = false, .bufferBytes = {}};

[[nodiscard]] CubeTile tile(std::vector<std::int64_t> m, std::vector<std::int64_t> k, std::vector<std::int64_t> n,
                            bool splitK = false);

/// Small numbers from a counter.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : m_seed(seed) {}
    std::int64_t from(std::int64_t low, std::int64_t high) {
        const auto word = philox4x32({m_count++, 0, 0, 0}, {m_seed, 7})[0];
        return low + static_cast<std::int64_t>(word % static_cast<std::uint32_t>(high - low + 1));
    }
    bool flip() { return from(0, 1) == 1; }

private:
    std::uint32_t m_seed;
    std::uint32_t m_count = 0;
};

[[nodiscard]] bool isInteger(DType type);

/// Types that go together, shapes with tails, batches, transposes, tiles, bias.
[[nodiscard]] CubeStageKnobs randomKnobs(Dice& dice);

[[nodiscard]] std::vector<double> valuesOf(const HostTensor& tensor);

}  // namespace cubist::test

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cubist {

/// How many elements of an output a sampled golden looks at.
inline constexpr std::int64_t kSampleElements = 65536;

/// A sample of an output seen as a matrix (leading axes folded into rows): some rows and some columns, and of their
/// crossings those at `positions`. Every block of the tile grid has at least one.
struct OutputSample {
    std::vector<std::int64_t> rows, cols;  ///< ascending
    std::vector<std::int64_t> positions;   ///< row-major element numbers, ascending
};

/// Draws `wanted` elements (all of a smaller output; one per block where there are more blocks). In every block the
/// rows and columns are drawn from equal strata of its extent by Philox, keyed by the seed and the output's name: the
/// sample depends on nothing else. Range: tiles at least 1. Source: F-68
[[nodiscard]] OutputSample drawSample(const std::vector<std::int64_t>& shape, std::int64_t tileRows,
                                      std::int64_t tileCols, std::int64_t wanted, std::uint64_t seed,
                                      const std::string& output);

}  // namespace cubist

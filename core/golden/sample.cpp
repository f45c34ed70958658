// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/sample.h"

#include <algorithm>

#include "core/base/integer_math.h"
#include "core/base/random.h"

namespace cubist {
namespace {

/// One axis of the sample: its extent, the tile that cuts it, and how many lines are wanted.
struct Axis {
    std::int64_t extent, tile, wanted;
};

/// A number below `limit`, the same for the same stream and index.
std::int64_t draw(const RandomStream& stream, std::int64_t index, std::int64_t limit) {
    const auto counter = static_cast<std::uint64_t>(index);
    const auto words =
        philox4x32({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                    static_cast<std::uint32_t>(stream.tensor), static_cast<std::uint32_t>(stream.tensor >> 32)},
                   {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)});
    return static_cast<std::int64_t>(words[0] % static_cast<std::uint64_t>(limit));
}

/// Lines of an axis: at least one in every tile, the wanted number (at most the extent) shared out by size.
std::vector<std::int64_t> drawLines(const Axis& axis, const RandomStream& stream) {
    std::vector<std::int64_t> lines;
    const std::int64_t tiles = ceilDiv(axis.extent, axis.tile);
    for (std::int64_t t = 0; t < tiles; ++t) {
        const std::int64_t first = t * axis.tile;
        const std::int64_t size = std::min(axis.tile, axis.extent - first);
        const std::int64_t share = axis.wanted * (first + size) / axis.extent - axis.wanted * first / axis.extent;
        const std::int64_t count = std::max<std::int64_t>(share, 1);
        for (std::int64_t s = 0; s < count; ++s) {
            const std::int64_t from = size * s / count, to = size * (s + 1) / count;
            lines.push_back(first + from + draw(stream, first + from, to - from));
        }
    }
    return lines;
}

/// Marks the first line of every tile.
std::vector<bool> firstOfTiles(const std::vector<std::int64_t>& lines, std::int64_t tile) {
    std::vector<bool> first;
    for (std::size_t i = 0; i < lines.size(); ++i) first.push_back(i == 0 || lines[i] / tile != lines[i - 1] / tile);
    return first;
}

}  // namespace

OutputSample drawSample(const std::vector<std::int64_t>& shape, std::int64_t tileRows, std::int64_t tileCols,
                        std::int64_t wanted, std::uint64_t seed, const std::string& output) {
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
    const std::int64_t cols = shape.empty() ? 1 : shape.back();
    OutputSample sample;
    if (rows == 0 || cols == 0) return sample;
    tileRows = std::min(tileRows, rows);
    tileCols = std::min(tileCols, cols);
    constexpr std::int64_t kRows = 256;  // few, because behind a row there may be whole rows of the stages before
    const std::int64_t fewRows = std::clamp(ceilDiv(wanted, cols), std::min(kRows, rows), rows);
    sample.rows = drawLines({rows, tileRows, fewRows}, randomStream(seed, "sampled rows of " + output));
    const auto rowCount = static_cast<std::int64_t>(sample.rows.size());
    sample.cols = drawLines({cols, tileCols, std::min(cols, ceilDiv(wanted, rowCount))},
                            randomStream(seed, "sampled columns of " + output));
    const auto colCount = static_cast<std::int64_t>(sample.cols.size());

    // Crossings beyond the wanted number are dropped evenly, but for one in every block.
    const std::vector<bool> rowKept = firstOfTiles(sample.rows, tileRows),
                            colKept = firstOfTiles(sample.cols, tileCols);
    const auto kept =
        std::count(rowKept.begin(), rowKept.end(), true) * std::count(colKept.begin(), colKept.end(), true);
    const std::int64_t optional = rowCount * colCount - kept;
    const std::int64_t dropped = std::clamp<std::int64_t>(rowCount * colCount - wanted, 0, optional);
    std::int64_t seen = 0;
    for (std::size_t r = 0; r < sample.rows.size(); ++r)
        for (std::size_t c = 0; c < sample.cols.size(); ++c) {
            if (!(rowKept[r] && colKept[c])) {
                const bool drop = dropped * (seen + 1) / optional != dropped * seen / optional;
                ++seen;
                if (drop) continue;
            }
            sample.positions.push_back(sample.rows[r] * cols + sample.cols[c]);
        }
    return sample;
}

}  // namespace cubist

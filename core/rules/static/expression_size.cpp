// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/static/expression_size.h"

#include <algorithm>
#include <limits>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"

namespace cubist::rules {

namespace {
using Values = std::vector<std::int64_t>;
}  // namespace

std::int64_t tileCount(const Values& shape, const Values& tile) {
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        count = saturatingMul(count, ceilDiv(shape[axis], tile[axis]));
    return count;
}

Values doubledTile(const Values& shape, const Values& tile, std::int64_t perTile) {
    Values best, trial = tile;
    std::int64_t bestArea = std::numeric_limits<std::int64_t>::max();
    const std::size_t last = shape.size() - 1;
    for (std::int64_t columns = tile[last];; columns = saturatingMul(columns, 2)) {
        trial = tile;
        trial[last] = columns;
        for (std::size_t axis = last; axis-- > 0;)
            while (trial[axis] < shape[axis] && saturatingMul(tileCount(shape, trial), perTile) >= kExpressionLimit)
                trial[axis] = saturatingMul(trial[axis], 2);
        std::int64_t area = 1;
        for (const std::int64_t value : trial) area = saturatingMul(area, value);
        if (saturatingMul(tileCount(shape, trial), perTile) < kExpressionLimit && area < bestArea) {
            best = trial;
            bestArea = area;
        }
        if (columns >= shape[last]) return best;
    }
}

Values smallestGrown(const Values& shape, const Values& tile, std::int64_t perTile, std::int64_t granule) {
    constexpr std::int64_t kMostSteps = 4096, kLongestAxis = std::int64_t{1} << 40;
    const std::size_t last = shape.size() - 1;
    if (std::max(shape[last], tile[last]) > kLongestAxis) return {};
    const std::int64_t first = roundUp(tile[last], granule), end = roundUp(shape[last], granule);
    const std::int64_t step = saturatingMul(granule, std::max<std::int64_t>(1, end / granule / kMostSteps));
    Values best, trial = tile;
    std::int64_t bestArea = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t columns = first; columns <= std::max(first, end); columns = saturatingAdd(columns, step)) {
        trial = tile;
        trial[last] = columns;
        if (last > 0) {
            trial[last - 1] = shape[last - 1];
            const std::int64_t around = saturatingMul(tileCount(shape, trial), perTile);
            const std::int64_t parts = (kExpressionLimit - 1) / around;
            if (parts < 1) continue;
            trial[last - 1] = std::max(tile[last - 1], ceilDiv(shape[last - 1], parts));
        }
        std::int64_t area = 1;
        for (const std::int64_t value : trial) area = saturatingMul(area, value);
        if (area >= bestArea || saturatingMul(tileCount(shape, trial), perTile) >= kExpressionLimit) continue;
        best = trial;
        bestArea = area;
    }
    return best;
}

}  // namespace cubist::rules

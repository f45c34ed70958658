// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/tile_fixes.h"

#include <algorithm>
#include <limits>

namespace cubist::rules {

namespace {

using Values = std::vector<std::int64_t>;

Values& valuesOf(CubeTile& tile, char axis) {
    return axis == 'm' ? tile.m : (axis == 'k' ? tile.k : tile.n);
}

void addAxis(FixCandidate& candidate, const std::string& where, const CubeTile& to, char axis, const Values& before,
             const Values& after) {
    if (before == after) return;
    const std::string pointer = where + "/tile/" + axis;
    const auto append = [&](const std::string& name, const std::string& value) {
        const bool first = candidate.title.en.empty();
        candidate.title +=
            {(first ? "Set " : " and ") + name + " to " + value, (first ? "将 " : "，") + name + " 设为 " + value};
    };
    if (before.size() != after.size()) {
        candidate.edits.push_back({pointer, after});
        append(std::string(1, axis), text(after));
        return;
    }
    for (std::size_t i = 0; i < after.size(); ++i)
        if (before[i] != after[i]) {
            candidate.edits.push_back({pointer + "/" + std::to_string(i), after[i]});
            append(tileValueName(to, axis, i), text(after[i]));
        }
}

}  // namespace

std::string tileValueName(const CubeTile& tile, char axis, std::size_t index) {
    if (index == 0) return axis + std::string("L0");
    if (axis == 'k' && tile.k.size() > 2) return index == 1 ? "kAL1" : "kBL1";
    return axis + std::string("L1");
}

std::int64_t multipleAbove(std::int64_t value, std::int64_t granule) {
    const std::int64_t below = value / granule * granule;
    return below > std::numeric_limits<std::int64_t>::max() - granule ? below : below + granule;
}

std::int64_t nearestMultiple(std::int64_t value, std::int64_t granule) {
    const std::int64_t below = value / granule * granule;
    const std::int64_t rest = value - below;
    return std::max(granule, rest >= granule - rest && rest != 0 ? multipleAbove(value, granule) : below);
}

CubeTile withL0(const CubeTile& tile, char axis, std::int64_t value) {
    CubeTile changed = tile;
    Values& values = valuesOf(changed, axis);
    values.front() = value;
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = nearestMultiple(values[i], value);
    return changed;
}

FixCandidate tileCandidate(const std::string& where, const CubeTile& from, const CubeTile& to) {
    FixCandidate candidate;
    addAxis(candidate, where, to, 'm', from.m, to.m);
    addAxis(candidate, where, to, 'k', from.k, to.k);
    addAxis(candidate, where, to, 'n', from.n, to.n);
    return candidate;
}

std::int64_t largestDivisor(std::int64_t limit, std::int64_t granule, const std::vector<std::int64_t>& multiples) {
    for (std::int64_t value = limit / granule * granule; value > 0; value -= granule)
        if (std::all_of(multiples.begin(), multiples.end(), [&](std::int64_t m) { return m % value == 0; }))
            return value;
    return 0;
}

}  // namespace cubist::rules

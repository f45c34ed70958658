// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/support/designs.h"
#include "tests/support/rule_cases.h"

/// Designs for rule cases: functions that make one.
namespace cubist::test::making {

using Values = std::vector<std::int64_t>;
using Make = std::function<Design()>;

struct Tile {
    Values m{64, 64}, k{64, 128}, n{64, 64};
};

[[nodiscard]] inline Make matmul(MatmulKnobs knobs, Tile tile) {
    knobs.mTile = std::move(tile.m);
    knobs.kTile = std::move(tile.k);
    knobs.nTile = std::move(tile.n);
    return [knobs] { return matmulDesign(knobs); };
}

/// A design changed by a function.
template <class Change>
[[nodiscard]] Make changed(Make make, Change change) {
    return [make = std::move(make), change] {
        Design design = make();
        change(design);
        return design;
    };
}

[[nodiscard]] inline Make vectorTile(Values tile, RowScaleKnobs knobs = {}) {
    knobs.vectorTile = std::move(tile);
    return [knobs] { return rowScale(knobs); };
}

inline const Make kMatmul = [] { return matmulDesign(); };
inline const Make kRowScale = [] { return rowScale(); };

/// GLMGate in small: no finding at all.
[[nodiscard]] inline GlmGateKnobs smallGate() {
    GlmGateKnobs knobs;
    knobs.k = 256;
    knobs.n = 64;
    knobs.kTile = {128, 256};
    return knobs;
}

inline const Make kGate = [] { return glmGate(smallGate()); };

}  // namespace cubist::test::making

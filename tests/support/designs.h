// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/design/design.h"

/// Small designs made in code, with knobs; all of them bind without a case and follow every rule by default.
namespace cubist::test {

/// One matmul without a loop: c[M,N] = op(a) * op(b). Variant A.
struct MatmulKnobs {
    std::int64_t m = 64, k = 128, n = 64;
    DType dtype = DType::FP16;
    DType out = DType::FP32;
    bool aTrans = false, bTrans = false;
    std::vector<std::int64_t> mTile{64, 64}, kTile{64, 128}, nTile{64, 64};
};
[[nodiscard]] Design matmulDesign(const MatmulKnobs& knobs = {});

/// out = relu(in), in tiles of 16 x 64.
[[nodiscard]] VectorStage relu(const std::string& id, const std::string& in, const std::string& out);

/// GLMGate: rows of x in tiles, one matmul with w[N,K]^T each. Symbol T; the published sizes by default. Variant C.
struct GlmGateKnobs {
    std::int64_t rows = 64, k = 5120, n = 160, rowTile = 32;
    DType dtype = DType::FP32;
    DType out = DType::FP32;
    std::vector<std::int64_t> mTile{32, 32}, kTile{512, 1024}, nTile{16, 16};
    bool valid = true;  ///< the view says how much of the last tile is valid
};
[[nodiscard]] Design glmGate(const GlmGateKnobs& knobs = {});

/// C -> V: y = cast(acc * scale), acc = x tile * w in FP32, one scale per row. Symbol T. Variant C.
struct RowScaleKnobs {
    std::int64_t rows = 128, k = 128, n = 128, rowTile = 64;
    DType operands = DType::BF16, scale = DType::FP32, out = DType::BF16;
    std::int64_t scaleColumns = 1;
    std::vector<std::int64_t> vectorTile{16, 128};
};
[[nodiscard]] Design rowScale(const RowScaleKnobs& knobs = {});

[[nodiscard]] VectorOp vectorOp(VectorOpCode code, const std::vector<const char*>& in, const char* out);

/// Row scale whose vector stage is a chain with four tiles of one size alive at once.
[[nodiscard]] Design fourAlive(RowScaleKnobs knobs);

/// The first block of a kind anywhere in the tree, to be changed. The design has one.
[[nodiscard]] Loop& loopOf(Design& design);
[[nodiscard]] View& viewOf(Design& design);
[[nodiscard]] CubeStage& cubeOf(Design& design);
[[nodiscard]] VectorStage& vectorOf(Design& design);
[[nodiscard]] Store& storeOf(Design& design);
[[nodiscard]] Tensor& tensorOf(Design& design, const std::string& id);

}  // namespace cubist::test

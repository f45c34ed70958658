// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cube_random.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cubist::test {

CubeTile tile(std::vector<std::int64_t> m, std::vector<std::int64_t> k, std::vector<std::int64_t> n, bool splitK) {
    return {std::move(m), std::move(k), std::move(n), splitK, {}};
}

bool isInteger(DType type) {
    return !isFloat(type);
}

/// A random stage: types that go together, shapes with tails, batches, transposes, tiles, bias.
CubeStageKnobs randomKnobs(Dice& dice) {
    struct Types {
        DType a, b;
        bool scaled;
    };
    static constexpr std::array kTypes{
        Types{DType::FP32, DType::FP32, false},       Types{DType::FP16, DType::FP16, false},
        Types{DType::BF16, DType::BF16, false},       Types{DType::INT8, DType::INT8, false},
        Types{DType::FP8E4M3, DType::FP8E5M2, false}, Types{DType::HF8, DType::HF8, false},
        Types{DType::FP8E5M2, DType::FP8E4M3, true},  Types{DType::FP4E2M1, DType::FP4E2M1, true},
        Types{DType::FP8E4M3, DType::FP8E4M3, true},  Types{DType::FP4E1M2, DType::FP4E1M2, true},
    };
    const Types& types = kTypes[static_cast<std::size_t>(dice.from(0, kTypes.size() - 1))];
    CubeStageKnobs knobs;
    knobs.a = types.a;
    knobs.b = types.b;
    knobs.scaled = types.scaled;
    knobs.out = isInteger(types.a) ? DType::INT32 : DType::FP32;
    knobs.m = dice.from(1, 40);
    knobs.k = dice.from(1, 300);
    knobs.n = dice.from(1, 70);
    const std::int64_t rank = types.scaled ? 0 : dice.from(0, 2);
    for (std::int64_t axis = 0; axis < rank; ++axis) {
        const std::int64_t extent = dice.from(1, 3);
        knobs.batchA.push_back(dice.flip() ? extent : 1);
        knobs.batchB.push_back(knobs.batchA.back() == 1 ? extent : (dice.flip() ? extent : 1));
    }
    knobs.aTrans = dice.flip();
    knobs.bTrans = dice.flip();
    knobs.scaleATrans = dice.flip();
    knobs.scaleBTrans = dice.flip();
    const std::int64_t kL0 = 64 * dice.from(1, 2);
    knobs.tile = tile({16 * dice.from(1, 2), 32}, {kL0, kL0 * dice.from(1, 3), kL0 * dice.from(1, 3)},
                      {32 * dice.from(1, 2), 64});
    if (dice.flip()) {
        knobs.bias = {1, knobs.n};
        if (rank == 1 && dice.flip()) knobs.bias = {std::max(knobs.batchA[0], knobs.batchB[0]), 1, knobs.n};
        knobs.biasType = isInteger(types.a) ? DType::INT32 : DType::FP32;
    }
    return knobs;
}

std::vector<double> valuesOf(const HostTensor& tensor) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < tensor.count(); ++i) out.push_back(tensor.at(i));
    return out;
}

}  // namespace cubist::test

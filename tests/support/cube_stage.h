// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/emulator/emulator.h"
#include "core/golden/reference.h"
#include "core/lowering/program.h"

/// One cube stage with all its extras as a design, its inputs, and what a plain loop over the numbers says.
namespace cubist::test {

struct CubeStageKnobs {
    std::vector<std::int64_t> batchA, batchB;  ///< axes in front of the matrices; equally many
    std::int64_t m = 16, k = 32, n = 16;
    DType a = DType::FP16, b = DType::FP16, out = DType::FP32;
    CubeTile tile{{16, 16}, {64, 64}, {16, 16}, false, {}};
    bool aTrans = false, bTrans = false;
    bool scaled = false, scaleATrans = false, scaleBTrans = false;
    std::vector<std::int64_t> bias;  ///< shape; empty: none
    DType biasType = DType::FP32;
    std::vector<std::int64_t> channelScales;  ///< shape; empty: none
    DType channelScaleType = DType::INT64;
    Format formatB = Format::ND;
    std::function<void(CubeStage&)> change;
};

/// Tensors a, b, sa, sb, bias, scales (those that are used) and c, stage "C1" with result "acc", stored into c.
[[nodiscard]] Design cubeStageDesign(const CubeStageKnobs& knobs);

/// A lowered stage with its inputs by name, to be filled and run.
class CubeRig {
public:
    CubeRig(const CubeStageKnobs& knobs, const std::string& chip = "Ascend950PR_958x");

    /// Integers low..high; E8M0 scales get the codes 127 + these.
    void fillIntegers(std::int64_t low, std::int64_t high, std::uint64_t seed);
    void fillUniform(double low, double high, std::uint64_t seed);
    [[nodiscard]] HostTensor& input(const std::string& name);
    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] const Program& program() const { return m_program; }
    [[nodiscard]] Program& program() { return m_program; }
    [[nodiscard]] const Design& design() const { return m_design; }
    [[nodiscard]] const CubeStageKnobs& knobs() const { return m_knobs; }

    [[nodiscard]] HostTensor run(const EmulatorOptions& options = {}, int threads = 1) const;
    [[nodiscard]] EmulatedValues runAll(const EmulatorOptions& options = {}, int threads = 1) const;
    [[nodiscard]] std::vector<double> golden(GoldenKind kind) const;

    /// op(a)[matrix, row, k] * 2^(scale - 127), op(b)[matrix, k, column] likewise; `matrix` counts the result's batch.
    [[nodiscard]] double elementA(std::int64_t matrix, std::int64_t row, std::int64_t k) const;
    [[nodiscard]] double elementB(std::int64_t matrix, std::int64_t k, std::int64_t column) const;
    [[nodiscard]] double bias(std::int64_t matrix, std::int64_t column) const;
    [[nodiscard]] std::int64_t matrices() const;
    /// bias + sum in FP64, for every element of the result.
    [[nodiscard]] std::vector<double> sums() const;
    /// One chain of FP32 fused multiply-adds, K ascending from `first` to `end`, starting at `start` (the bias).
    [[nodiscard]] float chain(std::int64_t matrix, std::int64_t row, std::int64_t column, std::int64_t first,
                              std::int64_t end, float start) const;

private:
    [[nodiscard]] const HostTensor& tensor(const std::string& name) const;
    [[nodiscard]] std::int64_t matrixOf(const std::vector<std::int64_t>& batch, std::int64_t matrix) const;

    CubeStageKnobs m_knobs;
    Design m_design;
    Program m_program;
    std::vector<HostTensor> m_inputs;
    std::vector<std::string> m_names;
};

}  // namespace cubist::test

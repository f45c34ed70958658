// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/lowering/merge_settings.h"
#include "core/lowering/program.h"

namespace cubist {

/// The settings of the three merge passes.
struct MergeOptions {
    explicit MergeOptions(const Options& options);

    MergeSetting l1Reuse, cubeNBuffer, vecNBuffer;
    bool autoMix = false;
    Dictionary<std::string> l1ReuseSide;  ///< key of the L1 reuse setting -> "left", "right" or "auto"
};

/// Which tasks of one root become one task.
struct MergePlan {
    std::vector<std::vector<TaskIndex>> tasks;  ///< in a legal order; members in the order they run in
    std::vector<MergeGroup> groups;
    std::vector<TaskIndex> sharesWith;  ///< by task of the root: the first of those that it shares its loads with
};

/// Runs PyPTO's passes over the tasks of one root in PyPTO's order: vector n-buffer, L1 reuse, cube n-buffer.
/// `function` is the compiler's id of the root's function where a key names it. Source: F-60.
[[nodiscard]] MergePlan planMerges(const Program& program, RootIndex root, std::optional<std::int64_t> function,
                                   const MergeOptions& options, const ChipSpec& chip);

/// A tile that a task loads from global memory to L1; equal loads bring equal bytes.
struct LoadSource {
    GmIndex tensor;
    Extent4 offset{};
    std::array<std::uint32_t, 2> extent{}, tile{};
    DType dtype = DType::FP32;
    bool transposed = false;
    bool operator==(const LoadSource&) const = default;
};

[[nodiscard]] LoadSource loadSource(const Leaf& leaf, const Instruction& load, const Box& box);

struct LoadSourceHash {
    [[nodiscard]] std::size_t operator()(const LoadSource& source) const noexcept;
};

}  // namespace cubist

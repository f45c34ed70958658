// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/units.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"

namespace cubist {

struct Options;

/// What an instruction of a leaf waits for besides its own pipe.
struct TimedDependency {
    std::uint32_t instruction = 0;
    bool slot = false;       ///< releases a buffer slot; else it produces data
    bool fromStart = false;  ///< counts from the other's start instead of its end (unit flag)
    Ticks delay;             ///< from there until the waiting pipe sees it. Source: F-06
};

/// Everything the engine needs to know about a leaf on one chip, worked out once. Instruction indices are
/// leaf-relative. Source: F-10 .. F-16, F-20.
struct LeafPlan {
    /// An in-order queue: a pipe of a sub-core, with its instructions.
    struct Unit {
        SubCore core = SubCore::Aic;
        Pipe pipe = Pipe::S;
        std::vector<std::uint32_t> queue;
    };
    /// A transfer that takes part in the sharing of bandwidth.
    struct Transfer {
        std::uint32_t instruction = 0;
        Ticks least;           ///< at the rate of the core's own port, overhead not counted
        double missTicks = 0;  ///< least that a byte from HBM takes this core; 0: no limit of its own
        std::int64_t bytes = 0;
        bool write = false;
        std::uint16_t box = 0;
        bool scales = false;  ///< pairs of scales: at and extent are {row, pair} of a box [rows, pairs, 2]
        bool turned = false;  ///< the box is [pairs, rows, 2]
        bool whole = false;   ///< the whole box (vector tiles); else rows x columns at a place in it
        bool picked = false;  ///< `bytes` of rows that an index picks anywhere in the box
        std::array<std::uint32_t, 2> at{0, 0}, extent{0, 0};
    };
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    std::vector<Unit> units;
    std::vector<std::uint8_t> unitOf;       ///< by instruction: place in `units`
    std::vector<Ticks> ticks;               ///< by instruction: duration; of a transfer the overhead only
    std::vector<std::uint32_t> transferOf;  ///< by instruction: place in `transfers`, or kNone
    std::vector<Transfer> transfers;        ///< in the order of the instructions
    std::vector<TimedDependency> dependencies;
    std::vector<std::uint32_t> firstDependency;  ///< by instruction, one more at the end
    /// Compiled for dynamic shapes: by instruction, when the S pipe of its sub-core has issued it, from the start of
    /// the task. Empty: compiled for static shapes. Source: F-29.
    std::vector<Ticks> issued;
    std::array<Ticks, 3> scalar{};  ///< by SubCore: time in which its S pipe issues all its instructions

    [[nodiscard]] std::span<const TimedDependency> dependenciesOf(std::size_t i) const {
        return std::span(dependencies).subspan(firstDependency[i], firstDependency[i + 1] - firstDependency[i]);
    }
};

/// What the plan of a leaf depends on besides its instructions.
struct LeafSetting {
    /// By box of the leaf, whether the rows of its tensor do not begin at multiples of 32 bytes; empty: they do.
    std::vector<bool> unaligned;
    bool dynamic = false;  ///< compiled for dynamic shapes
    bool used = true;      ///< a task has it; else it lives on as a member of merged leaves only
    bool operator==(const LeafSetting&) const = default;
};

/// By leaf, as its first task has it. Leaves in run-time loops are compiled for dynamic shapes; with
/// `valid_shape_optimize` those whose boxes are all valid as a whole (main blocks) are compiled for static ones. With
/// `runtime` null there is no compiler: nothing is dynamic. Source: F-29.
[[nodiscard]] std::vector<LeafSetting> leafSettings(const Program& program, const Options* runtime);

/// Precondition: the chip's cube supports the operand types.
[[nodiscard]] LeafPlan planLeaf(const ChipSpec& chip, const Leaf& leaf, const LeafSetting& setting = {});

}  // namespace cubist

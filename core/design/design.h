// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/visit.h"
#include "core/design/design_blocks.h"
#include "core/design/design_data.h"
#include "core/design/design_enums.h"

namespace cubist {

struct Skeleton {
    Variant variant = Variant::C;
    std::vector<std::int64_t> pattern;  ///< data-flow patterns 1..4; in JSON null, a number or a list
    UnknownFields unknown;
    bool operator==(const Skeleton&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("variant", self.variant);
        v.numberOrList("pattern", self.pattern);
        v.unknown(self.unknown);
    }
};

/// PyPTO's cube_nbuffer_setting where a kernel says nothing: {"DEFAULT": 1}, no merging.
[[nodiscard]] inline Dictionary<std::int64_t> usualCubeNBuffer() {
    Dictionary<std::int64_t> setting;
    setting.set("DEFAULT", 1);
    return setting;
}

/// `pass_options` and `runtime_options` of the kernel, by PyPTO's own names, and two of hand-written kernels. An empty
/// dictionary means automatic.
struct Options {
    Dictionary<std::int64_t> cubeL1Reuse;
    Dictionary<std::int64_t> cubeNBuffer = usualCubeNBuffer();
    Dictionary<std::int64_t> vecNBuffer;
    std::int64_t deviceSchedMode = 0;
    std::int64_t deviceSchedParallelism = 1;
    std::int64_t stitchFunctionMaxNum = 128;
    Dictionary<std::string> cubeL1ReuseSide;  ///< key of cubeL1Reuse -> "left", "right" or "auto"
    std::int64_t maxWorkspaceKb = 0;          ///< 0: stitching is driven by stitchFunctionMaxNum
    bool validShapeOptimize = false;          ///< main blocks compiled static, the tail dynamic
    std::vector<ValueId> readyOnHostTensors;
    std::int64_t launchSchedAicpuNum = 7;         ///< scheduler threads
    std::optional<std::int64_t> launchEarlyMode;  ///< absent: the chip's default
    bool autoMixPartition = false;                ///< 950: merge neighbouring cube and vector subgraphs
    bool combineAxis = false;
    bool unitFlag = false;  ///< launch `bare`: FIXPIPE follows the last mmad block by block. Source: F-27
    /// Launch `bare`: slots of L1, L0A, L0B and L0C, in place of what the stages ask for; as many as fit. Source: F-27
    Dictionary<std::int64_t> bufferSlots;
    UnknownFields unknown;
    bool operator==(const Options&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("cube_l1_reuse_setting", self.cubeL1Reuse);
        v.optional("cube_nbuffer_setting", self.cubeNBuffer, usualCubeNBuffer());
        v.optional("vec_nbuffer_setting", self.vecNBuffer);
        v.optional("device_sched_mode", self.deviceSchedMode, std::int64_t{0});
        v.optional("device_sched_parallelism", self.deviceSchedParallelism, std::int64_t{1});
        v.optional("stitch_function_max_num", self.stitchFunctionMaxNum, std::int64_t{128});
        v.optional("cube_l1_reuse_side", self.cubeL1ReuseSide);
        v.optional("max_workspace_kb", self.maxWorkspaceKb, std::int64_t{0});
        v.optional("valid_shape_optimize", self.validShapeOptimize, false);
        v.optional("ready_on_host_tensors", self.readyOnHostTensors);
        v.optional("launch_sched_aicpu_num", self.launchSchedAicpuNum, std::int64_t{7});
        v.optional("launch_early_mode", self.launchEarlyMode);
        v.optional("auto_mix_partition", self.autoMixPartition, false);
        v.optional("combine_axis", self.combineAxis, false);
        v.optional("unit_flag", self.unitFlag, false);
        v.optional("buffer_slots", self.bufferSlots);
        v.unknown(self.unknown);
    }
};

/// Where the user put an element on the canvas, in scene units. Elements without a position are laid out. A loop's
/// frame is at least as large as its content: x and y (without width and height) mean nothing to it.
struct Position {
    double x = 0.0;
    double y = 0.0;
    double width = 0.0;   ///< loops: the frame covers this rectangle too; 0: as its content needs
    double height = 0.0;  ///< as width
    UnknownFields unknown;
    bool operator==(const Position&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("x", self.x);
        v.required("y", self.y);
        v.optional("width", self.width, 0.0);
        v.optional("height", self.height, 0.0);
        v.unknown(self.unknown);
    }
};

/// A text that the user put on the canvas, in scene units. Its height follows from the text.
struct CanvasNote {
    std::string text;
    double x = 0.0;
    double y = 0.0;
    double width = 200.0;
    UnknownFields unknown;
    bool operator==(const CanvasNote&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("text", self.text);
        v.required("x", self.x);
        v.required("y", self.y);
        v.optional("width", self.width, 200.0);
        v.unknown(self.unknown);
    }
};

/// A whole kernel design: an immutable value; edits are the pure functions of edit_ops.h.
struct Design {
    static constexpr std::int64_t kFormatVersion = 1;

    std::string name;
    std::string title;
    std::string notes;
    ChipId chip;
    Skeleton skeleton;
    std::vector<Symbol> symbols;
    std::vector<List> lists;
    std::vector<Case> cases;
    CaseId defaultCase;  ///< empty: the first case, or the symbols' own values when there is none
    std::vector<Tensor> tensors;
    std::vector<Block> blocks;
    Options options;
    RuleProfile profile = RuleProfile::Enforced;
    Tolerance tolerance;
    std::int64_t seed = 0;
    Dictionary<Position> layout;          ///< canvas positions by block or tensor id
    std::vector<CanvasNote> canvasNotes;  ///< texts on the canvas
    UnknownFields unknown;
    bool operator==(const Design&) const = default;

    /// The key "cubist" (format version) is the reader's and writer's business and comes before these.
    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("name", self.name);
        v.optional("title", self.title);
        v.optional("notes", self.notes);
        v.required("chip", self.chip);
        v.required("skeleton", self.skeleton);
        v.optional("symbols", self.symbols);
        v.optional("lists", self.lists);
        v.optional("cases", self.cases);
        v.optional("default_case", self.defaultCase);
        v.required("tensors", self.tensors);
        v.required("blocks", self.blocks);
        v.optional("options", self.options);
        v.optional("profile", self.profile, RuleProfile::Enforced);
        v.optional("tolerance", self.tolerance);
        v.optional("seed", self.seed, std::int64_t{0});
        v.optional("layout", self.layout);
        v.optional("canvas_notes", self.canvasNotes);
        v.unknown(self.unknown);
    }
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/design/binding.h"
#include "core/design/design.h"

namespace cubist {

/// The tile of one stage as a kernel sets it.
struct SnippetStage {
    std::string label;                 ///< semantic label; the stage's id where it has none
    std::optional<CubeTile> cube;      ///< of a cube stage
    std::vector<std::int64_t> vector;  ///< of a vector stage
    bool operator==(const SnippetStage&) const = default;
};

/// The part of a design that a kernel author copies into an existing kernel: tiles and pass options.
struct PyptoSnippet {
    std::vector<SnippetStage> stages;  ///< in the order of the design
    /// Absent: the lines say nothing; empty: automatic.
    std::optional<Dictionary<std::int64_t>> cubeL1Reuse, cubeNBuffer, vecNBuffer;
    Dictionary<std::string> cubeL1ReuseSide;
    std::vector<std::string> left;  ///< what was read and does not fit: "line 3: .."; empty for one of a design
    bool operator==(const PyptoSnippet&) const = default;
};

/// With the tiles that the stages themselves state.
[[nodiscard]] PyptoSnippet snippetOf(const Design& design);
/// With the tiles that tables pick for these values; of one that follows the factor of an unrolled loop, the tile of
/// the largest factor. Errors: as `resolve`.
[[nodiscard]] Result<PyptoSnippet> snippetOf(const Design& design, const Binding& binding);

/// Lines of Python: for each stage set_semantic_label and set_cube_tile_shapes or set_vec_tile_shapes, then
/// set_pass_options with what is not PyPTO's default. Ends with a line feed.
[[nodiscard]] std::string snippetText(const PyptoSnippet& snippet);

/// Reads such lines again: calls of these four functions with literals, one to a line, their arguments by place or by
/// PyPTO's names (`m=`, `k=`, `n=`, `enable_split_k=`, `label=`); comments and empty lines are skipped, and so is
/// anything behind a call. What does not fit is listed (`left`). Errors, where no line fits: that of the first one,
/// Syntax or Unsupported (another call), with its number.
[[nodiscard]] Result<PyptoSnippet> parseSnippet(std::string_view text);

}  // namespace cubist

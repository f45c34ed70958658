// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/compiled_shapes.h"
#include "core/design/resolve.h"

namespace cubist {

/// One tile that takes room in a buffer.
struct BufferShare {
    std::string what;        ///< "A 32 x 1024 FP32"
    std::int64_t bytes = 0;  ///< of one tile
    std::string sum;         ///< how the bytes come about: "32 x 1024 x 4 B"
    bool operator==(const BufferShare&) const = default;
};

/// What a stage needs of one buffer of its core.
struct BufferUse {
    std::string buffer;             ///< L0A, L0B, L0C, L1, UB, BT, FB, L0A_MX, L0B_MX
    std::int64_t bytesPerSlot = 0;  ///< of one set of tiles; 0: the stage does not use the buffer
    std::int64_t slotCount = 1;     ///< sets that the design asks for, else 2 where two fit, else 1
    std::int64_t capacity = 0;
    std::vector<BufferShare> contributors;  ///< of one set; in UB those that live at the fullest moment
    bool operator==(const BufferUse&) const = default;
};

/// Names that blocks besides their maker read.
class ReadElsewhere {
public:
    explicit ReadElsewhere(const ResolvedDesign& design);
    [[nodiscard]] bool contains(const ValueId& id) const { return m_names.contains(id.text); }

private:
    std::unordered_set<std::string> m_names;
};

/// What the buffer use of all stages of a design has in common; made once for many stages. The design outlives it.
class BufferFacts {
public:
    /// `profile`: how cube tiles are measured; the design's own where none is given.
    explicit BufferFacts(const ResolvedDesign& design, std::optional<RuleProfile> profile = std::nullopt)
        : m_design(&design), m_profile(profile.value_or(design.design->profile)) {}

    [[nodiscard]] const ResolvedDesign& design() const { return *m_design; }
    /// The tile of a cube stage as buffers count it: cut to the extents that are known when the kernel is compiled, or
    /// as declared under the documented rules.
    [[nodiscard]] CubeTile measured(const CubeTile& tile, const ResolvedBlock& cube);
    [[nodiscard]] const ReadElsewhere& read() {
        if (!m_read) m_read.emplace(*m_design);
        return *m_read;
    }
    /// The first iteration of loops, with what is valid in it.
    struct Iteration {
        IndexValues indices;
        std::optional<ValidShapes> valids;  ///< absent: there is no iteration
    };
    [[nodiscard]] Iteration& first(const std::vector<std::size_t>& loops);

private:
    const ResolvedDesign* m_design;
    RuleProfile m_profile;
    std::optional<CompiledShapes> m_shapes;  ///< made when a cube stage asks for it
    std::optional<ReadElsewhere> m_read;     ///< made when a vector stage asks for it
    std::map<std::vector<std::size_t>, Iteration> m_first;
};

/// Room that a cube or vector stage takes, for the nine buffers in the order above; empty for other blocks and for
/// stages whose tile has missing or non-positive values. Cube tiles count as BufferFacts::measured says, padded to
/// fractals; vector tiles are the parts that one tile of the results needs, with the values in between of composite
/// operations (a reduced axis as a whole); where they do not fit beside each other they count as lowering then places
/// them (late loads, results over operands that are done with; then a reduced axis that the tile cuts with fewer rows).
/// Source: F-25, F-40, F-41, F-42, F-43, F-44, F-79.
[[nodiscard]] std::vector<BufferUse> bufferUse(BufferFacts& facts, const ResolvedBlock& block, const ChipSpec& chip);
[[nodiscard]] std::vector<BufferUse> bufferUse(const ResolvedDesign& design, const ResolvedBlock& block,
                                               const ChipSpec& chip);

}  // namespace cubist

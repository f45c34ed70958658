// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/design/resolve.h"

namespace cubist {

/// What a vector stage does, as far as it decides which skeleton fits.
struct VectorTraitsOfStage {
    bool softmax = false;  ///< as StagePatterns, like the next one
    bool norm = false;
    bool rope = false;        ///< rotary position
    bool activation = false;  ///< silu, gelu, sigmoid, or exponentials
    bool gate = false;        ///< two matmuls of one input merge in a product of an activation (GatedProduct)
    bool order = false;       ///< topk, argsort
    bool maximum = false;     ///< element-wise or along rows
    bool exponential = false;
    bool reduction = false;  ///< sum, amax or amin along an axis
};

/// A cube or vector stage and the stages whose results it reads, through views and through memory.
struct StageNode {
    const ResolvedBlock* block = nullptr;
    const CubeStage* cube = nullptr;  ///< one of the two is set
    const VectorStage* vector = nullptr;
    VectorTraitsOfStage traits;
    std::vector<std::size_t> reads;  ///< stages, ascending
    bool carriesState = false;       ///< reads memory that its own loop writes later in the iteration
    bool readsInput = false;         ///< an input of the kernel, directly or through views
    bool writesCache = false;        ///< its result replaces rows of an inout tensor that an index picks

    [[nodiscard]] const BlockId& id() const { return block->block->id(); }
};

/// The stages of a design in program order with their flow. Holds pointers into the resolved design.
class StageGraph {
public:
    explicit StageGraph(const ResolvedDesign& design);

    [[nodiscard]] const std::vector<StageNode>& nodes() const { return m_nodes; }
    [[nodiscard]] std::vector<std::size_t> cubes() const;
    /// Does the result of `from` reach `to`, directly or over other stages?
    [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const { return m_reaches[from][to]; }
    /// Is there a matmul before it and one behind it in the flow?
    [[nodiscard]] bool betweenMatmuls(std::size_t node) const;
    /// How often the kind of stage changes from one to the next, in program order.
    [[nodiscard]] std::int64_t switches() const;

private:
    std::vector<StageNode> m_nodes;
    std::vector<std::vector<bool>> m_reaches;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/design/resolve.h"

/// Who feeds whom among the blocks of a design, through values and through tensors in memory.
namespace cubist::rules {

/// What a vector stage is in the order of an SK-14 kernel.
enum class VectorRole : std::uint8_t {
    Prep,   ///< in front of matmuls: static or shape preparation
    Inter,  ///< between matmuls
    Post,   ///< behind the last matmul of its chain
    Alone,  ///< neither fed by a matmul nor feeding one
};

class DataFlow {
public:
    explicit DataFlow(const ResolvedDesign& design);

    /// Does the result of block `from` reach block `to`? Indices into ResolvedDesign::blocks.
    [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const {
        return (m_upstream[to][from / 64] >> (from % 64) & 1U) != 0;
    }
    /// Of a vector stage.
    [[nodiscard]] VectorRole roleOf(std::size_t block) const { return m_roles[block]; }
    /// Cube stages in execution order.
    [[nodiscard]] const std::vector<std::size_t>& cubes() const { return m_cubes; }

private:
    std::vector<std::vector<std::uint64_t>> m_upstream;  ///< by block: the set of blocks that feed it, as bits
    std::vector<VectorRole> m_roles;
    std::vector<std::size_t> m_cubes;
};

/// Every name that a block reads: operands, the tensor that a view looks at, an index.
[[nodiscard]] std::vector<ValueId> readsOf(const Block& block);

}  // namespace cubist::rules

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/design/resolve.h"

namespace cubist {

/// Which extents are numbers when the kernel is compiled: windows, axes of tensors without symbols or with static ones,
/// and what is computed from them. All others follow a symbol at run time. The design outlives this.
class CompiledShapes {
public:
    explicit CompiledShapes(const ResolvedDesign& design);

    /// One entry per axis; empty for unknown names.
    [[nodiscard]] std::vector<bool> known(const ValueId& value) const;
    /// M, K and N as far as they are known; the largest number where they are not.
    [[nodiscard]] MatmulSize knownSize(const ResolvedBlock& cube) const;
    /// The tile with L0 and L1 extents no larger than what M, K and N are known to be, at least 1: the compiler makes
    /// the smaller blocks. mL1 and nL1 stay. Source: F-40, F-41, F-42, F-43.
    [[nodiscard]] CubeTile cutTile(const CubeTile& tile, const ResolvedBlock& cube) const;

private:
    [[nodiscard]] std::vector<bool> ofTensor(const Tensor& tensor) const;
    void addCube(const CubeStage& stage);
    void addVector(const VectorStage& stage);

    const ResolvedDesign* m_design;
    std::map<std::string, std::vector<bool>> m_known;
};

}  // namespace cubist

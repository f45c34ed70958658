// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/emulator/cube_kernel.h"
#include "core/emulator/gm_memory.h"
#include "core/lowering/program.h"

namespace cubist {

/// Runs a load/move/mmad/fix task as one product over its whole panels, straight from global memory. The bits are those
/// of the interpreter, because the order along K does not depend on the steps. One object serves one thread.
class FastCube {
public:
    FastCube(const CubeKernel& kernel, const GmMemory& gm) : m_kernel(kernel), m_gm(gm) {}

    /// A plain matmul leaf whose operands are both valid along the whole of K.
    [[nodiscard]] static bool handles(const Leaf& leaf);

    /// The value is false when an INT32 accumulator overflowed. Errors: DoesNotFit.
    [[nodiscard]] Result<bool> run(const Leaf& leaf, std::span<const Box> boxes);

private:
    [[nodiscard]] CubeOperand operand(const Box& box, bool outerIsRow) const;

    const CubeKernel& m_kernel;
    const GmMemory& m_gm;
    CubeScratch m_scratch;
    std::vector<float> m_floats;
    std::vector<std::int32_t> m_integers;
};

}  // namespace cubist

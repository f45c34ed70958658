// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/emulator/cube_operand.h"

namespace cubist {

/// How the `count` rows or columns of an operand are cut into panels: sizes differ by at most one `step`, and only the
/// last columns are padded.
struct PanelCut {
    std::int64_t count = 0;    ///< rows or columns, unpadded
    std::int64_t step = 1;     ///< panel sizes are multiples of this
    std::int64_t largest = 1;  ///< largest panel
    std::int64_t panels = 0;

    /// First row of a panel (of `panels`: the padded count).
    [[nodiscard]] std::int64_t begin(std::int64_t panel) const;
    [[nodiscard]] std::int64_t size(std::int64_t panel) const { return begin(panel + 1) - begin(panel); }
    [[nodiscard]] std::int64_t paddedCount() const { return begin(panels); }
};

[[nodiscard]] PanelCut cutPanels(std::int64_t count, std::int64_t step, std::int64_t largest);

/// Writes the operand as FP32 panels: panel p is [k][size(p)] at packed + begin(p) * k, padding is zero. Values are
/// decoded, rounded to HF32 where `math` says so, and multiplied by their MX scale.
void packPanels(const CubeOperand& operand, const PanelCut& cut, std::int64_t k, const CubeMath& math, float* packed);

/// True where an element times its scale can pass the range of FP32, so that packed panels would hold a false infinity.
[[nodiscard]] bool scalesOverflow(const CubeOperand& operand, std::int64_t count, std::int64_t k);

}  // namespace cubist

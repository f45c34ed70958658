// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lowering/lowerer.h"

namespace cubist::detail {

/// Lowers a design. A vector stage whose operations do not fit UB together is cut in halves, and these again, until
/// they do; what passes between them goes through global memory, and the program names them all as the one stage that
/// the design has. Errors: as Lowerer::lower, of the design as it is.
[[nodiscard]] Result<Program> lowerInPieces(const ResolvedDesign& design, const Options& options, const ChipSpec& chip,
                                            const RunContext& context);

}  // namespace cubist::detail

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/emulator/value_note.h"
#include "core/lowering/program.h"

namespace cubist {

/// Tasks that write the same element of a tensor, or one that reads what the other writes, although no path of wait
/// edges leads from one to the other, so that the hardware may run them in either order. At most one note per stage,
/// about the first such task. Iterations of a parallel loop are independent by declaration: a wait between two of them
/// counts only where `serialLoops` says that they run one after the other.
[[nodiscard]] std::vector<ValueNote> findUnorderedAccesses(const Program& program, bool serialLoops);

/// Are they in different iterations of one execution of a parallel loop?
[[nodiscard]] bool declaredIndependent(const Root& a, const Root& b);

}  // namespace cubist

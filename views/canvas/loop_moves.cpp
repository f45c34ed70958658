// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/loop_moves.h"

#include <utility>

#include "core/design/edit_structure.h"

namespace cubist {

Result<Design> moveToLoop(const Design& design, const std::vector<BlockId>& stages, const BlockId& loop,
                          const Binding& binding) {
    if (stages.empty()) return design;
    Design edited = design;
    BlockId here = loopOf(edited, stages.front());
    while (!here.empty() && here != loop && !isInside(edited, loop, here)) {
        CUBIST_TRY(edited, moveOutOfLoop(edited, stages));
        here = loopOf(edited, stages.front());
    }
    // The loops on the way down, innermost first.
    std::vector<BlockId> way;
    for (BlockId inner = loop; !inner.empty() && inner != here; inner = loopOf(edited, inner)) way.push_back(inner);
    for (auto next = way.rbegin(); next != way.rend(); ++next) {
        CUBIST_TRY(edited, moveIntoLoop(edited, stages, *next, binding));
    }
    return edited;
}

}  // namespace cubist

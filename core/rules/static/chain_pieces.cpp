// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/static/chain_pieces.h"

#include <variant>

#include "core/design/stage_cut.h"
#include "core/rules/buffer_use.h"

namespace cubist::rules {

std::vector<std::string> chainPieces(const ResolvedDesign& design, const VectorStage& stage, const ChipSpec& chip) {
    constexpr std::size_t kUb = 4;
    Design cut = withOwnTiles(*design.design, design.tileChoices);
    std::vector<BlockId> pieces{stage.id};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < pieces.size();) {
        const auto resolved = resolve(cut, design.binding);
        const ResolvedBlock* block = resolved ? resolved->block(pieces[i]) : nullptr;
        const auto* piece = block == nullptr ? nullptr : std::get_if<VectorStage>(&block->block->content);
        if (piece == nullptr) return {};
        const std::vector<BufferUse> uses = bufferUse(*resolved, *block, chip);
        if (uses.empty()) return {};
        if (uses[kUb].bytesPerSlot <= uses[kUb].capacity) {
            const std::string first = piece->ops.front().out.text, last = piece->ops.back().out.text;
            names.push_back(first == last ? first : first + " to " + last);
            ++i;
            continue;
        }
        if (piece->ops.size() < 2) return {};
        const BlockId rest = nameOfRest(cut, piece->id);
        const std::size_t half = piece->ops.size() / 2;
        pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
        cut = withStageCut(cut, pieces[i], half, rest);
    }
    return names;
}

}  // namespace cubist::rules

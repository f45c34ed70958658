// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/edit_tree.h"

#include <variant>

#include "core/design/block_values.h"
#include "core/design/resolve.h"

namespace cubist::detail {

std::size_t indexOf(const std::vector<Block>& blocks, const BlockId& id) {
    std::size_t index = 0;
    while (index < blocks.size() && blocks[index].id() != id) ++index;
    return index;
}

Block* findBlockIn(std::vector<Block>& blocks, const BlockId& id) {
    Block* found = nullptr;
    visitTree(blocks, [&](Block& block) {
        if (found == nullptr && block.id() == id) found = &block;
    });
    return found;
}

Loop* findLoop(std::vector<Block>& blocks, const BlockId& id) {
    Block* block = findBlockIn(blocks, id);
    return block == nullptr ? nullptr : std::get_if<Loop>(&block->content);
}

std::vector<Block>& listWith(Design& design, const BlockId& loop) {
    Loop* found = loop.empty() ? nullptr : findLoop(design.blocks, loop);
    return found == nullptr ? design.blocks : found->body;
}

const std::vector<Block>& listWith(const Design& design, const BlockId& loop) {
    const std::vector<Block>* list = &design.blocks;
    visitTree(design.blocks, [&](const Block& block) {
        if (const auto* candidate = std::get_if<Loop>(&block.content); candidate != nullptr && candidate->id == loop)
            list = &candidate->body;
    });
    return *list;
}

Unexpected unknownBlock(const Design& design, const BlockId& id) {
    std::vector<std::string> ids;
    visitTree(design.blocks, [&](const Block& block) { ids.push_back(block.id().text); });
    const std::string nearest = nearestName(id.text, ids);
    return unexpected(ErrorCode::UnknownName, "the design has no block '" + id.text + "'", {},
                      nearest.empty() ? std::string() : "did you mean '" + nearest + "'?");
}

}  // namespace cubist::detail

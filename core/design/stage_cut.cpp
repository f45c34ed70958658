// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/stage_cut.h"

#include <utility>

#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"

namespace cubist {
namespace {

bool cut(std::vector<Block>& blocks, const BlockId& stage, std::size_t count, const BlockId& rest) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (auto* loop = std::get_if<Loop>(&blocks[i].content)) {
            if (cut(loop->body, stage, count, rest)) return true;
            continue;
        }
        auto* first = std::get_if<VectorStage>(&blocks[i].content);
        if (first == nullptr || first->id != stage) continue;
        if (count == 0 || count >= first->ops.size()) return true;
        VectorStage second = *first;
        const auto border = static_cast<std::ptrdiff_t>(count);
        second.id = rest;
        second.ops.erase(second.ops.begin(), second.ops.begin() + border);
        first->ops.resize(count);
        blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1, Block{std::move(second)});
        return true;
    }
    return false;
}

}  // namespace

Design withStageCut(const Design& design, const BlockId& stage, std::size_t count, const BlockId& rest) {
    Design made = design;
    cut(made.blocks, stage, count, rest);
    return made;
}

BlockId nameOfRest(const Design& design, const BlockId& stage) {
    for (std::size_t number = 2;; ++number) {
        const std::string name = stage.text + "~" + std::to_string(number);
        if (findBlock(design, BlockId(name)) == nullptr && findTensor(design, TensorId(name)) == nullptr &&
            producerOf(design, ValueId(name)) == nullptr)
            return BlockId(name);
    }
}

}  // namespace cubist

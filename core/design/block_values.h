// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/design/design.h"

/// Walks over the names that blocks read and define. `Block` and what is handed to `visit` are const or not alike.
namespace cubist {

/// Every value that one block names as an operand, connected or not, those of optional operands only when given.
/// Loops read nothing themselves.
template <class BlockType, class Visit>
void visitReads(BlockType& block, Visit&& visit) {
    std::visit(
        [&](auto& content) {
            using Content = std::remove_const_t<std::remove_reference_t<decltype(content)>>;
            if constexpr (std::is_same_v<Content, View>) {
                visit(content.of);
            } else if constexpr (std::is_same_v<Content, CubeStage>) {
                visit(content.a);
                visit(content.b);
                for (auto* optional : {&content.scaleA, &content.scaleB, &content.bias, &content.scaleTensor})
                    if (!optional->empty()) visit(*optional);
            } else if constexpr (std::is_same_v<Content, VectorStage>) {
                for (auto& op : content.ops)
                    for (auto& operand : op.in)
                        if (auto* value = std::get_if<ValueId>(&operand.source)) visit(*value);
            } else if constexpr (std::is_same_v<Content, Store>) {
                visit(content.from);
                if (!content.index.empty()) visit(content.index);
            }
        },
        block.content);
}

/// Every value that one block defines, results of single operations included.
template <class BlockType, class Visit>
void visitResults(BlockType& block, Visit&& visit) {
    std::visit(
        [&](auto& content) {
            using Content = std::remove_const_t<std::remove_reference_t<decltype(content)>>;
            if constexpr (std::is_same_v<Content, View> || std::is_same_v<Content, CubeStage>) {
                visit(content.out);
            } else if constexpr (std::is_same_v<Content, VectorStage>) {
                for (auto& op : content.ops) {
                    visit(op.out);
                    if (!op.out2.empty()) visit(op.out2);
                }
            }
        },
        block.content);
}

/// The blocks of a list and of all loops in it, in program order, loops before their bodies.
template <class Blocks, class Visit>
void visitTree(Blocks& blocks, Visit&& visit) {
    for (auto& block : blocks) {
        visit(block);
        if (auto* loop = std::get_if<Loop>(&block.content)) visitTree(loop->body, visit);
    }
}

}  // namespace cubist

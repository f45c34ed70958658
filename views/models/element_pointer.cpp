// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/element_pointer.h"

#include <optional>
#include <variant>
#include <vector>

namespace cubist {
namespace {

std::optional<std::string> pathTo(const std::vector<Block>& blocks, const std::string& id, const std::string& prefix) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::string here = prefix + "/" + std::to_string(i);
        if (blocks[i].id().text == id) return here;
        if (const Loop* loop = std::get_if<Loop>(&blocks[i].content))
            if (auto inside = pathTo(loop->body, id, here + "/body")) return inside;
    }
    return std::nullopt;
}

}  // namespace

std::string pointerOf(const Design& design, const Element& element) {
    if (element.isTensor()) {
        for (std::size_t i = 0; i < design.tensors.size(); ++i)
            if (design.tensors[i].id.text == element.id) return "/tensors/" + std::to_string(i);
        return {};
    }
    if (element.isBlock()) return pathTo(design.blocks, element.id, "/blocks").value_or("");
    return {};
}

}  // namespace cubist

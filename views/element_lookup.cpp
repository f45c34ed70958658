// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/element_lookup.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>

namespace cubist {

namespace {

/// Takes the first step off a pointer: "/blocks/0/x" gives "blocks" and leaves "/0/x".
std::string_view takeStep(std::string_view& pointer) {
    if (pointer.empty() || pointer.front() != '/') return {};
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string_view step = pointer.substr(0, end);
    pointer.remove_prefix(end);
    return step;
}

std::optional<std::size_t> takeIndex(std::string_view& pointer) {
    const std::string_view step = takeStep(pointer);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error != std::errc{} || end != step.data() + step.size() || step.empty()) return std::nullopt;
    return index;
}

}  // namespace

Element elementAt(const Design& design, std::string_view pointer) {
    const std::string_view root = takeStep(pointer);
    if (root == "tensors") {
        const auto index = takeIndex(pointer);
        return index && *index < design.tensors.size() ? Element(design.tensors[*index].id) : Element();
    }
    if (root != "blocks") return {};

    Element found;
    const std::vector<Block>* blocks = &design.blocks;
    for (auto index = takeIndex(pointer); index && *index < blocks->size(); index = takeIndex(pointer)) {
        const Block& block = (*blocks)[*index];
        found = Element(block.id());
        const auto* loop = std::get_if<Loop>(&block.content);
        if (!loop || takeStep(pointer) != "body") break;
        blocks = &loop->body;
    }
    return found;
}

Element elementOf(const Design& design, const Finding& finding) {
    return finding.block.empty() ? elementAt(design, finding.where) : Element(finding.block);
}

}  // namespace cubist

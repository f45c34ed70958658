// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/design/block_values.h"
#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/design/edit_tree.h"
#include "core/design/field_walk.h"

namespace cubist {
namespace {

/// Adds the names of symbols and lists that expressions use, whatever holds them.
template <class Part>
void addNames(const Part& part, std::set<std::string>& names) {
    walkFields<Expression>(part, [&](const Expression& expression) {
        if (const auto used = expression.names()) names.insert(used->begin(), used->end());
        if (const auto used = expression.lists()) names.insert(used->begin(), used->end());
    });
}

bool wanted(const ElementSet& elements, const Block& block) {
    return std::find(elements.blocks.begin(), elements.blocks.end(), block.id()) != elements.blocks.end();
}

/// Blocks that are chosen themselves; those in a chosen loop come with it.
void collectBlocks(const std::vector<Block>& blocks, const ElementSet& elements, std::vector<Block>& into) {
    for (const Block& block : blocks) {
        if (wanted(elements, block))
            into.push_back(block);
        else if (const auto* loop = std::get_if<Loop>(&block.content))
            collectBlocks(loop->body, elements, into);
    }
}

/// Old names of a fragment to those under which it is added.
class Renaming {
public:
    Renaming(const Design& design, const Design& fragment) : m_names(design) {
        for (const Tensor& tensor : fragment.tensors) m_values[tensor.id.text] = m_names.take(tensor.id.text);
        visitTree(fragment.blocks, [&](const Block& block) {
            m_blocks[block.id().text] = m_names.take(block.id().text);
            visitResults(block, [&](const ValueId& value) {
                if (!value.empty()) m_values[value.text] = m_names.take(value.text);
            });
        });
    }

    [[nodiscard]] const std::string* value(const std::string& name) const { return find(m_values, name); }
    [[nodiscard]] const std::string& block(const std::string& name) const { return m_blocks.at(name); }
    [[nodiscard]] const std::string* element(const std::string& name) const {
        const std::string* found = find(m_blocks, name);
        return found != nullptr ? found : find(m_values, name);
    }

private:
    static const std::string* find(const std::map<std::string, std::string>& map, const std::string& name) {
        const auto found = map.find(name);
        return found == map.end() ? nullptr : &found->second;
    }

    FreeNames m_names;
    std::map<std::string, std::string> m_values;
    std::map<std::string, std::string> m_blocks;
};

/// Whether a block in `loop` can read a value of the design.
bool isVisible(const Design& design, const std::string& value, const BlockId& loop) {
    if (const Tensor* tensor = findTensor(design, TensorId(value))) return tensor->role != TensorRole::Output;
    const Block* maker = producerOf(design, ValueId(value));
    if (maker == nullptr) return false;
    const BlockId home = loopOf(design, maker->id());
    return home.empty() || home == loop || isInside(design, loop, home);
}

void renameBlocks(std::vector<Block>& blocks, const Design& design, const Renaming& renaming, const BlockId& loop) {
    visitTree(blocks, [&](Block& block) {
        visitReads(block, [&](ValueId& value) {
            if (value.empty()) return;
            if (const std::string* name = renaming.value(value.text))
                value = ValueId(*name);
            else if (!isVisible(design, value.text, loop))
                value = ValueId();
        });
        visitResults(block, [&](ValueId& value) {
            if (const std::string* name = renaming.value(value.text)) value = ValueId(*name);
        });
        if (auto* store = std::get_if<Store>(&block.content)) {
            if (const std::string* name = renaming.value(store->to.text))
                store->to = TensorId(*name);
            else if (findTensor(design, store->to) == nullptr)
                store->to = TensorId();
        }
        std::visit([&](auto& content) { content.id = BlockId(renaming.block(content.id.text)); }, block.content);
    });
}

/// Symbols and lists that the design lacks.
template <class Entries>
void addMissing(Entries& into, const Entries& from) {
    for (const auto& entry : from)
        if (std::none_of(into.begin(), into.end(), [&](const auto& known) { return known.id == entry.id; }))
            into.push_back(entry);
}

}  // namespace

Design copyFragment(const Design& design, const ElementSet& elements) {
    Design fragment;
    fragment.name = "fragment";
    fragment.chip = design.chip;
    fragment.skeleton = design.skeleton;
    for (const Tensor& tensor : design.tensors)
        if (std::find(elements.tensors.begin(), elements.tensors.end(), tensor.id) != elements.tensors.end())
            fragment.tensors.push_back(tensor);
    collectBlocks(design.blocks, elements, fragment.blocks);
    std::set<std::string> used;
    addNames(fragment.tensors, used);
    addNames(fragment.blocks, used);
    for (const Tensor& tensor : fragment.tensors) used.insert(tensor.data.list.text);
    for (const List& list : design.lists)
        if (used.contains(list.id.text)) {
            fragment.lists.push_back(list);
            addNames(list.total, used);
        }
    for (const Symbol& symbol : design.symbols)
        if (used.contains(symbol.id.text)) fragment.symbols.push_back(symbol);
    const Renaming names({}, fragment);
    for (const auto& entry : design.layout.entries)
        if (names.element(entry.key) != nullptr) fragment.layout.entries.push_back(entry);
    return fragment;
}

Result<Pasted> pasteFragment(const Design& design, const Design& fragment, const BlockPlace& place, double dx,
                             double dy) {
    const Renaming renaming(design, fragment);
    Design edited = design;
    Pasted pasted;
    addMissing(edited.symbols, fragment.symbols);
    addMissing(edited.lists, fragment.lists);
    for (Tensor tensor : fragment.tensors) {
        tensor.id = TensorId(*renaming.value(tensor.id.text));
        pasted.elements.tensors.push_back(tensor.id);
        edited.tensors.push_back(std::move(tensor));
    }
    std::vector<Block> blocks = fragment.blocks;
    renameBlocks(blocks, design, renaming, place.loop);
    for (const Block& block : blocks) pasted.elements.blocks.push_back(block.id());
    for (const auto& entry : fragment.layout.entries) {
        const std::string* name = renaming.element(entry.key);
        if (name == nullptr) continue;
        Position position = entry.value;
        position.x += dx;
        position.y += dy;
        edited.layout.set(*name, std::move(position));
    }
    CUBIST_TRY(pasted.design, insertBlocks(edited, place, std::move(blocks)));
    // An index that a loop around the place has already gets another name.
    std::vector<std::pair<BlockId, std::string>> indices;
    for (const BlockId& id : pasted.elements.blocks)
        if (const auto* loop = std::get_if<Loop>(&findBlock(pasted.design, id)->content))
            indices.emplace_back(id, loop->index);
    for (const auto& [id, index] : indices)
        for (BlockId outer = loopOf(pasted.design, id); !outer.empty(); outer = loopOf(pasted.design, outer))
            if (std::get<Loop>(findBlock(pasted.design, outer)->content).index == index) {
                FreeNames names(pasted.design);
                CUBIST_TRY(pasted.design, renameLoopIndex(pasted.design, id, names.take(index)));
                break;
            }
    return pasted;
}

}  // namespace cubist

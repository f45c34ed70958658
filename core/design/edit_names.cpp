// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/design/block_values.h"
#include "core/design/edit_ops.h"
#include "core/design/edit_settings.h"
#include "core/design/edit_structure.h"
#include "core/design/edit_tree.h"
#include "core/design/field_walk.h"
#include "core/design/integer_list.h"
#include "core/design/resolve.h"

namespace cubist {
namespace {

/// Replaces a name in every expression of a part of a design.
template <class Part>
void renameIn(Part& part, std::string_view from, std::string_view to) {
    walkFields<Expression>(part, [&](Expression& expression) { expression = expression.renamed(from, to); });
}

using detail::renameInSettings;
using detail::SettingName;

template <class Entries, class Id>
auto* entryOf(Entries& entries, const Id& id) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.id == id; });
    return found == entries.end() ? nullptr : &*found;
}

template <class Entries>
Unexpected missing(const std::string& kind, const std::string& name, const Entries& entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) names.push_back(entry.id.text);
    const std::string nearest = nearestName(name, names);
    return unexpected(ErrorCode::UnknownName, "the design has no " + kind + " '" + name + "'", {},
                      nearest.empty() ? std::string() : "did you mean '" + nearest + "'?");
}

void collectLoopNames(const std::vector<Block>& blocks, std::vector<std::string>& names) {
    for (const Block& block : blocks)
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            names.push_back(loop->index);
            if (loop->form == LoopKind::Unroll) names.push_back(loop->factor);
            collectLoopNames(loop->body, names);
        }
}

/// `loopName`: a name of a loop may be that of another loop that it is not inside of; the resolver checks that.
Result<void> checkNewName(const Design& design, const std::string& name, bool loopName) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto usable = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
    if (name.empty() || !letter(name.front()) || !std::all_of(name.begin(), name.end(), usable))
        return unexpected(ErrorCode::BadValue, "'" + name + "' is no name: letters, digits and underscores");
    if (name == "min" || name == "max" || name == "ceildiv")
        return unexpected(ErrorCode::BadValue, "'" + name + "' is a function of expressions");
    std::vector<std::string> taken;
    for (const Symbol& symbol : design.symbols) taken.push_back(symbol.id.text);
    for (const List& list : design.lists) taken.push_back(list.id.text);
    if (!loopName) collectLoopNames(design.blocks, taken);
    if (std::find(taken.begin(), taken.end(), name) != taken.end())
        return unexpected(ErrorCode::BadValue, "the name '" + name + "' is taken");
    return {};
}

template <class T>
void renameKey(Dictionary<T>& dictionary, const std::string& from, const std::string& to) {
    for (auto& entry : dictionary.entries)
        if (entry.key == from) entry.key = to;
}

Loop* loopIn(std::vector<Block>& blocks, const BlockId& id) {
    for (Block& block : blocks)
        if (auto* loop = std::get_if<Loop>(&block.content)) {
            if (loop->id == id) return loop;
            if (Loop* found = loopIn(loop->body, id)) return found;
        }
    return nullptr;
}

Result<Design> renameInLoop(const Design& design, const BlockId& id, std::string Loop::*member,
                            const std::string& name) {
    Design edited = design;
    Loop* loop = loopIn(edited.blocks, id);
    if (loop == nullptr) {
        if (findBlock(design, id) != nullptr)
            return unexpected(ErrorCode::WrongType, "'" + id.text + "' is not a loop");
        return unexpected(ErrorCode::UnknownName, "the design has no block '" + id.text + "'");
    }
    const std::string old = std::exchange(loop->*member, name);
    if (old == name) return design;
    CUBIST_CHECK_OK(checkNewName(design, name, true));
    if (loop->index == loop->factor && loop->form == LoopKind::Unroll)
        return unexpected(ErrorCode::BadValue, "the name '" + name + "' is taken");
    renameIn(loop->body, old, name);
    renameInSettings(edited, SettingName::Expression, old, name, id);
    return edited;
}

}  // namespace

Result<Design> renameSymbol(const Design& design, const SymbolId& symbol, const std::string& name) {
    Design edited = design;
    Symbol* found = entryOf(edited.symbols, symbol);
    if (found == nullptr) return missing("symbol", symbol.text, design.symbols);
    if (symbol.text == name) return design;
    CUBIST_CHECK_OK(checkNewName(design, name, false));
    found->id = SymbolId(name);
    for (Case& entry : edited.cases) renameKey(entry.symbols, symbol.text, name);
    renameIn(edited, symbol.text, name);
    renameInSettings(edited, SettingName::Expression, symbol.text, name);
    return edited;
}

Result<Design> renameList(const Design& design, const ListId& list, const std::string& name) {
    Design edited = design;
    List* found = entryOf(edited.lists, list);
    if (found == nullptr) return missing("list", list.text, design.lists);
    if (list.text == name) return design;
    CUBIST_CHECK_OK(checkNewName(design, name, false));
    found->id = ListId(name);
    for (Case& entry : edited.cases) renameKey(entry.lists, list.text, name);
    for (Tensor& tensor : edited.tensors)
        if (tensor.data.list == list) tensor.data.list = ListId(name);
    renameIn(edited, list.text, name);
    renameInSettings(edited, SettingName::Expression, list.text, name);
    renameInSettings(edited, SettingName::List, list.text, name);
    return edited;
}

Result<Design> renameLoopIndex(const Design& design, const BlockId& loop, const std::string& name) {
    return renameInLoop(design, loop, &Loop::index, name);
}

Result<Design> renameLoopFactor(const Design& design, const BlockId& loop, const std::string& name) {
    return renameInLoop(design, loop, &Loop::factor, name);
}

Result<Design> setListForm(const Design& design, const ListId& list, ListForm form) {
    Design edited = design;
    List* found = entryOf(edited.lists, list);
    if (found == nullptr) return missing("list", list.text, design.lists);
    if (found->form != ListForm::Plain && form != ListForm::Plain) {
        CUBIST_TRY(found->value, convertGroups(found->value, found->form, form));
        for (Case& entry : edited.cases)
            if (const auto* values = entry.lists.find(list.text)) {
                CUBIST_TRY(auto converted, convertGroups(*values, found->form, form));
                entry.lists.set(list.text, std::move(converted));
            }
    }
    found->form = form;
    return edited;
}

Result<Design> setListValue(const Design& design, const ListId& list, const std::vector<std::int64_t>& values) {
    Design edited = design;
    List* found = entryOf(edited.lists, list);
    if (found == nullptr) return missing("list", list.text, design.lists);
    found->value = values;
    return edited;
}

Result<Design> setCaseList(const Design& design, const CaseId& caseId, const ListId& list,
                           const std::vector<std::int64_t>& values) {
    if (entryOf(design.lists, list) == nullptr) return missing("list", list.text, design.lists);
    Design edited = design;
    Case* found = entryOf(edited.cases, caseId);
    if (found == nullptr) return missing("case", caseId.text, design.cases);
    found->lists.set(list.text, values);
    return edited;
}

namespace detail {

void renameInExpressions(std::vector<Block>& blocks, const std::string& from, const std::string& to) {
    renameIn(blocks, from, to);
}

}  // namespace detail

namespace {

/// Values share their names with tensors, and elements with each other: what is taken as either is refused.
Result<void> checkElementName(const Design& design, const std::string& name) {
    if (name.empty()) return unexpected(ErrorCode::BadValue, "a name is needed");
    if (findTensor(design, TensorId(name)) != nullptr || findBlock(design, BlockId(name)) != nullptr ||
        producerOf(design, ValueId(name)) != nullptr)
        return unexpected(ErrorCode::BadValue, "the name '" + name + "' is taken");
    return {};
}

void renameReads(Design& design, const std::string& from, const std::string& to) {
    visitTree(design.blocks, [&](Block& block) {
        visitReads(block, [&](ValueId& value) {
            if (value.text == from) value = ValueId(to);
        });
    });
    for (ValueId& value : design.options.readyOnHostTensors)
        if (value.text == from) value = ValueId(to);
}

}  // namespace

Result<Design> renameTensor(const Design& design, const TensorId& tensor, const std::string& name) {
    Design edited = design;
    Tensor* found = entryOf(edited.tensors, tensor);
    if (found == nullptr) return missing("tensor", tensor.text, design.tensors);
    if (tensor.text == name) return design;
    CUBIST_CHECK_OK(checkElementName(design, name));
    found->id = TensorId(name);
    renameReads(edited, tensor.text, name);
    visitTree(edited.blocks, [&](Block& block) {
        if (auto* store = std::get_if<Store>(&block.content); store != nullptr && store->to == tensor)
            store->to = TensorId(name);
    });
    renameKey(edited.layout, tensor.text, name);
    renameInSettings(edited, SettingName::Tensor, tensor.text, name);
    return edited;
}

Result<Design> renameBlock(const Design& design, const BlockId& block, const std::string& name) {
    Design edited = design;
    Block* found = detail::findBlockIn(edited.blocks, block);
    if (found == nullptr) return detail::unknownBlock(design, block);
    if (block.text == name) return design;
    // A stage may have the name of its own result.
    if (resultOf(*found).text != name || findTensor(design, TensorId(name)) != nullptr ||
        findBlock(design, BlockId(name)) != nullptr)
        CUBIST_CHECK_OK(checkElementName(design, name));
    std::visit([&](auto& content) { content.id = BlockId(name); }, found->content);
    renameKey(edited.layout, block.text, name);
    renameInSettings(edited, SettingName::Block, block.text, name);
    return edited;
}

Result<Design> renameValue(const Design& design, const ValueId& value, const std::string& name) {
    if (producerOf(design, value) == nullptr)
        return unexpected(ErrorCode::UnknownName, "the design has no value '" + value.text + "'");
    if (value.text == name) return design;
    if (name.empty()) return unexpected(ErrorCode::BadValue, "a name is needed");
    if (findTensor(design, TensorId(name)) != nullptr || producerOf(design, ValueId(name)) != nullptr)
        return unexpected(ErrorCode::BadValue, "the name '" + name + "' is taken");
    Design edited = design;
    visitTree(edited.blocks, [&](Block& block) {
        visitResults(block, [&](ValueId& result) {
            if (result == value) result = ValueId(name);
        });
    });
    renameReads(edited, value.text, name);
    renameInSettings(edited, SettingName::Value, value.text, name);
    return edited;
}

}  // namespace cubist

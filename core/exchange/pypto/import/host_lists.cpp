// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/host_lists.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cubist::pypto {
namespace {

using Kind = Symbolic::Kind;

constexpr std::int64_t kRows = 64;  // of an axis that only the caller knows
constexpr std::int64_t kGroups = 4;
constexpr std::int64_t kLongest = 65536;

std::string written(const std::vector<std::int64_t>& values) {
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < kShown; ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
    return "[" + text + (values.size() > kShown ? ", ..]" : "]");
}

}  // namespace

HostLists::HostLists(const Design& design, const KernelScope& scope) : m_design(design) {
    for (const std::string& tensor : scope.hostTensors()) m_tensors[scope.hostList(tensor)] = tensor;
    if (m_tensors.empty()) return;
    walk(design.blocks);  // which symbols count groups
    m_uses.clear();
    walk(design.blocks);
}

std::int64_t HostLists::sizeOf(const std::string& symbol) const {
    return m_groupSymbols.count(symbol) != 0 ? kGroups : kRows;
}

std::int64_t HostLists::valueOf(const SymbolicPtr& tree) const {
    const SymbolicPtr value = folded(
        tree,
        [&](const std::string& name) {
            for (const OpenLoop& open : m_loops)
                if (open.loop->index == name) return std::optional(open.last);
            return std::optional(sizeOf(name));
        },
        [](const Symbolic&, const SymbolicPtr&) { return number(0); });
    return literal(value).value_or(0);
}

void HostLists::walk(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            const SymbolicPtr axis = symbolic(loop->axis);
            look(axis, true, nullptr, 0);
            const std::int64_t tile = std::max<std::int64_t>(1, valueOf(symbolic(loop->tile)));
            m_loops.push_back({loop, std::max<std::int64_t>(0, (valueOf(axis) - 1) / tile)});
            walk(loop->body);
            m_loops.pop_back();
        }
        if (const auto* view = std::get_if<View>(&block.content)) {
            look(view->offset, false, view->of.text);
            look(view->shape, true, {});
            look(view->valid, true, {});
        }
        if (const auto* store = std::get_if<Store>(&block.content)) look(store->offset, false, store->to.text);
    }
}

void HostLists::look(const std::vector<Expression>& list, bool size, const std::string& tensor) {
    const auto found = std::find_if(m_design.tensors.begin(), m_design.tensors.end(),
                                    [&](const Tensor& each) { return each.id.text == tensor; });
    for (std::size_t i = 0; i < list.size(); ++i)
        look(symbolic(list[i]), size, found == m_design.tensors.end() ? nullptr : &*found, i);
}

void HostLists::look(const SymbolicPtr& tree, bool size, const Tensor* tensor, std::size_t axis) {
    const auto entryOf = [&](const SymbolicPtr& each) {
        return each->kind == Kind::Entry && m_tensors.count(each->name) != 0 ? &m_uses[each->name] : nullptr;
    };
    if (Use* use = entryOf(tree)) {
        use->sizes = use->sizes || size;
        use->last = std::max(use->last, valueOf(tree->arg[0]));
        if (tensor != nullptr && axis < tensor->shape.size()) use->rows = valueOf(symbolic(tensor->shape[axis]));
        for (const std::string& name : namesIn(tree->arg[0]))
            for (const OpenLoop& open : m_loops)
                if (open.loop->index == name)
                    for (const std::string& each : namesIn(symbolic(open.loop->axis))) m_groupSymbols.insert(each);
    }
    if (tree->kind == Kind::Sub && entryOf(tree->arg[0]) != nullptr && tree->arg[1]->kind == Kind::Entry &&
        tree->arg[1]->name == tree->arg[0]->name && difference(tree->arg[0]->arg[0], tree->arg[1]->arg[0]) == 1)
        m_uses[tree->arg[0]->name].bounds = true;
    for (const SymbolicPtr& each : tree->arg) look(each, size, tensor, axis);
}

void HostLists::addTo(Design& design, const std::function<void(const std::string&, const std::string&)>& guess) const {
    for (const auto& [name, tensor] : m_tensors) {
        const auto found = m_uses.find(name);
        const Use use = found == m_uses.end() ? Use() : found->second;
        List list;
        list.id = ListId(name);
        std::int64_t length = use.last + 1;
        for (Tensor& each : design.tensors) {
            if (each.id.text != tensor) continue;
            each.data.list = list.id;
            const SymbolicPtr extent = each.shape.empty() ? number(1) : symbolic(each.shape[0]);
            if (extent->kind != Kind::OfList) length = valueOf(extent);
        }
        length = std::clamp<std::int64_t>(length, 1, kLongest);
        const std::int64_t rows = use.rows > 0 ? use.rows : kRows;
        const std::int64_t groups = use.bounds ? std::max<std::int64_t>(1, length - 1) : length;
        for (std::int64_t i = 0; i < length; ++i) {
            // rows * i / groups without the product: both factors come from the file
            const std::int64_t start = rows / groups * i + rows % groups * i / groups;
            list.value.push_back(use.bounds ? start : use.sizes ? rows / groups : 0);
        }
        std::string taken =
            "the values of " + tensor + " are read when the kernel runs; they are taken as " + written(list.value);
        if (use.bounds) {
            list.form = ListForm::PrefixSums;
            taken += ", groups of equal size";
        } else if (use.sizes) {
            list.form = ListForm::Counts;
            taken += ", groups of equal size";
        }
        guess(tensor, taken);
        design.lists.push_back(std::move(list));
    }
}

}  // namespace cubist::pypto

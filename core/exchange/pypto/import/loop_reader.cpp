// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/integer_math.h"
#include "core/exchange/pypto/import/body_reader.h"

namespace cubist::pypto {
namespace {

/// `name + LIST[index]` or `LIST[index] + name`: the list.
std::string addedList(const AstNode& value, const std::string& name, const std::string& index,
                      const std::map<std::string, AstNode>& assigned) {
    if (!value.is("BinOp") || value.text("op") != "Add") return {};
    for (const auto& [sum, added] :
         {std::pair{value["left"], value["right"]}, std::pair{value["right"], value["left"]}}) {
        const auto through = added.is("Name") ? assigned.find(std::string(added.text("id"))) : assigned.end();
        const AstNode entry = through == assigned.end() ? added : through->second;
        if (sum.is("Name") && sum.text("id") == name && entry.is("Subscript") && entry["value"].is("Name") &&
            entry["slice"].is("Name") && entry["slice"].text("id") == index)
            return std::string(entry["value"].text("id"));
    }
    return {};
}

std::vector<std::int64_t> startsOf(const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> starts{0};
    for (const std::int64_t each : counts) {
        const auto next = checkedAdd(starts.back(), each);
        if (!next) break;
        starts.push_back(*next);
    }
    return starts;
}

}  // namespace

std::string BodyReader::readRunningSum(const AstNode& node, const std::string& index, const SymbolicPtr& group) {
    if (node["iter"]["func"].dotted() != "range") return {};
    std::map<std::string, AstNode> last;  // what each name is at the end of the body
    for (const AstNode& each : node.list("body")) {
        const auto targets = each.list("targets");
        if (each.is("Assign") && targets.size() == 1 && targets[0].is("Name"))
            last[std::string(targets[0].text("id"))] = each["value"];
    }
    // begin = end; end = end + list[g]: end is where the next group starts, begin the group's start.
    for (const AstNode& each : node.list("body")) {
        const auto targets = each.list("targets");
        if (!each.is("Assign") || targets.size() != 1 || !targets[0].is("Name") || !each["value"].is("Name")) continue;
        const std::string begin(targets[0].text("id")), end(each["value"].text("id"));
        const auto next = last.find(end);
        const Variable* before = m_scope.find(end);
        if (next == last.end() || begin == end || before == nullptr || before->kind != Variable::Kind::Scalar ||
            literal(tidied(before->tree)) != 0)
            continue;
        const std::string list = addedList(next->second, end, index, last);
        const auto counts = m_scope.tuples().find(list);
        if (counts == m_scope.tuples().end()) continue;
        m_scope.defineTuple(list + "_STARTS", startsOf(counts->second));
        m_scope.define(begin, {Variable::Kind::Scalar, {}, m_scope.startOf(list, group), {}});
        const SymbolicPtr following = binary(Symbolic::Kind::Add, group, number(1));
        m_scope.define(end, {Variable::Kind::Scalar, {}, m_scope.startOf(list, following), {}});
        m_runningSums.insert(begin);
        m_runningSums.insert(end);
        return end;
    }
    for (const auto& [name, value] : last) {
        const Variable* before = m_scope.find(name);
        if (before == nullptr || before->kind != Variable::Kind::Scalar || literal(tidied(before->tree)) != 0) continue;
        const auto through = value.is("Name") ? last.find(std::string(value.text("id"))) : last.end();
        const std::string list = addedList(through != last.end() ? through->second : value, name, index, last);
        const auto counts = m_scope.tuples().find(list);
        if (counts == m_scope.tuples().end()) continue;
        m_scope.defineTuple(list + "_STARTS", startsOf(counts->second));
        m_scope.define(name, {Variable::Kind::Scalar, {}, m_scope.startOf(list, group), {}});
        m_runningSums.insert(name);
        return name;
    }
    return {};
}

bool BodyReader::isOfCopy(const SymbolicPtr& extent) const {
    const auto names = namesIn(extent);
    return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return std::any_of(m_loops.begin(), m_loops.end(),
                           [&](const OpenLoop& loop) { return loop.writtenOut && loop.index == name; });
    });
}

std::string BodyReader::placeKey(const SymbolicPtr& offset) const {
    std::string key = pythonText(tidied(offset), {[](const std::string& name) { return name; }, false});
    const auto names = namesIn(offset);
    for (const OpenLoop& loop : m_loops)
        if (std::find(names.begin(), names.end(), loop.index) != names.end()) key += " in " + loop.id;
    return key;
}

void BodyReader::takeLengthsOfInput(const AstNode& node, const Variable& of, const std::vector<SymbolicPtr>& shape,
                                    const std::vector<SymbolicPtr>& offset) {
    for (std::size_t i = 0; i < offset.size() && i < of.extents.size(); ++i) {
        if (of.extents[i] != 0) continue;
        const auto [first, isNew] = m_readAt.try_emplace(placeKey(offset[i]), of.id, i);
        if (m_scope.symbols().count({of.id, i}) != 0 || m_uses.lengths.count({of.id, i}) != 0) continue;
        if (!isNew && first->second != std::pair(of.id, i) && !literal(tidied(offset[i]))) {
            const auto& [other, axis] = first->second;
            const std::string same = m_scope.symbolOf(other, axis);
            (void)m_scope.symbolOf(of.id, i, same);
            guess(node, "axis " + std::to_string(i) + " of " + of.id + " is taken to be " + same + " long, as axis " +
                            std::to_string(axis) + " of " + other + ", which is read at the same place");
            continue;
        }
        // One piece of `step` in each turn of a loop of known length.
        const auto step = i < shape.size() ? literal(tidied(shape[i])) : std::nullopt;
        const auto names = namesIn(offset[i]);
        if (!step || names.size() != 1) continue;
        for (const OpenLoop& loop : m_loops)
            if (loop.index == names[0] && loop.tile.literal() == 1 && !loop.unrolled &&
                coefficientOf(offset[i], loop.index) == step) {
                const SymbolicPtr length = binary(Symbolic::Kind::Mul, symbolic(loop.axis), number(*step));
                m_uses.lengths.try_emplace({of.id, i}, expressionOf(length));
                guess(node, "axis " + std::to_string(i) + " of " + of.id + " is taken to be " +
                                expressionOf(length).text() + " long, as far as loop " + loop.id + " reads it");
            }
    }
}

void BodyReader::takeLengths(const AstNode& node, const Tensor& tensor, const std::vector<SymbolicPtr>& offset) {
    const Variable* variable = m_scope.find(tensor.id.text);
    for (std::size_t i = 0; i < offset.size(); ++i) {
        const bool dynamic = variable != nullptr && i < variable->extents.size() && variable->extents[i] == 0;
        if (!dynamic || m_uses.lengths.count({tensor.id.text, i}) != 0) continue;
        const auto same = m_readAt.find(placeKey(offset[i]));
        if (same != m_readAt.end()) {
            m_uses.lengths.try_emplace({tensor.id.text, i},
                                       Expression(m_scope.symbolOf(same->second.first, same->second.second)));
            continue;
        }
        // A loop over blocks of `tile` rows of the axis, each at index * tile.
        std::vector<const OpenLoop*> walking;
        const auto names = namesIn(offset[i]);
        for (const OpenLoop& loop : m_loops)
            if (std::find(names.begin(), names.end(), loop.index) != names.end()) walking.push_back(&loop);
        const auto step = walking.size() == 1 ? coefficientOf(offset[i], walking[0]->index) : std::nullopt;
        if (step && (walking[0]->unrolled ? *step == 1 : walking[0]->tile.literal() == *step)) {
            m_uses.lengths.try_emplace({tensor.id.text, i}, walking[0]->axis);
            continue;
        }
        note(node, "the length of axis " + std::to_string(i) + " of " + tensor.id.text +
                       " cannot be told from this write; it is a symbol of its own");
    }
}

}  // namespace cubist::pypto

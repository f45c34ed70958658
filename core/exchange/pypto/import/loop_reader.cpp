// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/integer_math.h"
#include "core/exchange/pypto/import/body_reader.h"

namespace cubist::pypto {
namespace {

/// `name + LIST[index]` or `LIST[index] + name`: the list.
std::string addedList(const AstNode& value, const std::string& name, const std::string& index) {
    if (!value.is("BinOp") || value.text("op") != "Add") return {};
    for (const auto& [sum, entry] :
         {std::pair{value["left"], value["right"]}, std::pair{value["right"], value["left"]}})
        if (sum.is("Name") && sum.text("id") == name && entry.is("Subscript") && entry["value"].is("Name") &&
            entry["slice"].is("Name") && entry["slice"].text("id") == index)
            return std::string(entry["value"].text("id"));
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
    for (const auto& [name, value] : last) {
        const Variable* before = m_scope.find(name);
        if (before == nullptr || before->kind != Variable::Kind::Scalar || literal(tidied(before->tree)) != 0) continue;
        const auto through = value.is("Name") ? last.find(std::string(value.text("id"))) : last.end();
        const std::string list = addedList(through != last.end() ? through->second : value, name, index);
        const auto counts = m_scope.tuples().find(list);
        if (counts == m_scope.tuples().end()) continue;
        m_scope.defineTuple(list + "_STARTS", startsOf(counts->second));
        m_scope.define(name, {Variable::Kind::Scalar, {}, m_scope.startOf(list, group), {}});
        m_runningSums.insert(name);
        return name;
    }
    return {};
}

void BodyReader::takeLengths(const AstNode& node, const Tensor& tensor, const std::vector<SymbolicPtr>& offset) {
    const Variable* variable = m_scope.find(tensor.id.text);
    for (std::size_t i = 0; i < offset.size(); ++i) {
        const bool dynamic = variable != nullptr && i < variable->extents.size() && variable->extents[i] == 0;
        if (!dynamic || m_lengths.count({tensor.id.text, i}) != 0) continue;
        const auto same = m_readAt.find(placeKey(offset[i]));
        if (same != m_readAt.end()) {
            m_lengths.try_emplace({tensor.id.text, i},
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
            m_lengths.try_emplace({tensor.id.text, i}, walking[0]->axis);
            continue;
        }
        note(node, "the length of axis " + std::to_string(i) + " of " + tensor.id.text +
                       " cannot be told from this write; it is a symbol of its own");
    }
}

}  // namespace cubist::pypto

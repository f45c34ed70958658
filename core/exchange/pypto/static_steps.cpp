// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/integer_math.h"
#include "core/exchange/pypto/kernel_plan.h"

/// Loops that Python expands: their indices are integers, which a kernel cannot hand to min or max (pypto.min makes a
/// symbolic scalar of them, and shapes are plain integers).
namespace cubist::pypto {
namespace {

SymbolicPtr entryOf(std::string list, SymbolicPtr index) {
    return std::make_shared<const Symbolic>(
        Symbolic{Symbolic::Kind::Entry, 0, std::move(list), {}, {std::move(index)}});
}

/// The entry of a tuple that is written out: "(32, 32, 4)".
std::optional<std::int64_t> entryIn(const std::string& tuple, std::int64_t at) {
    if (at < 0 || tuple.size() < 2 || tuple.front() != '(' || tuple.back() != ')') return std::nullopt;
    if (tuple.find('(', 1) != std::string::npos) return std::nullopt;
    std::size_t from = 1;
    for (std::int64_t i = 0; i < at; ++i) {
        from = tuple.find(',', from);
        if (from == std::string::npos) return std::nullopt;
        ++from;
    }
    return std::strtoll(tuple.c_str() + from, nullptr, 10);
}

}  // namespace

/// What an expression is in each step of its loops.
struct KernelPlan::StepTable {
    std::vector<std::int64_t> values;
    std::string text;  ///< as (nested) tuples
};

/// The index of a loop that runs once is 0: what is cut by it has a length that is known.
void KernelPlan::findSingleSteps(const std::vector<const Loop*>& loops) {
    std::set<std::string> longer;
    for (const Loop* loop : loops) {
        const auto axis = literal(fold(loop->axis)), tile = literal(fold(loop->tile));
        const bool once = loop->form != LoopKind::Unroll && axis && tile && *axis > 0 && *axis <= *tile;
        (once ? m_zeroIndices : longer).insert(loop->index);
        if (loop->form == LoopKind::Static) m_expanded.push_back(loop);
    }
    for (const std::string& each : longer) m_zeroIndices.erase(each);
}

SymbolicPtr KernelPlan::atSteps(const SymbolicPtr& tree, const Steps& at) const {
    return folded(
        tree,
        [&](const std::string& each) -> std::optional<std::int64_t> {
            const auto found = at.find(each);
            return found == at.end() ? std::nullopt : std::optional(found->second);
        },
        [&](const Symbolic& use, const SymbolicPtr& argument) -> SymbolicPtr {
            const auto index = argument ? literal(argument) : std::nullopt;
            if (!index) return nullptr;
            if (const auto value = entryIn(use.name, *index)) return number(*value);
            for (const auto& [id, list] : m_lists) {
                if (list.source != PlannedList::Source::Constant) continue;
                const auto entry = static_cast<std::size_t>(std::max<std::int64_t>(0, *index));
                if (use.name == list.python && entry < list.values.values.size())
                    return number(list.values.values[entry]);
                if (use.name == list.python + "_STARTS") return number(list.values.start(*index));
            }
            return nullptr;
        });
}

/// Steps of the loops with this index, where all of them have as many.
std::optional<std::int64_t> KernelPlan::stepsOf(const std::string& index, const Steps& at) const {
    std::optional<std::int64_t> steps;
    for (const Loop* loop : m_expanded) {
        if (loop->index != index) continue;
        const auto axis = literal(atSteps(fold(loop->axis), at)), tile = literal(atSteps(fold(loop->tile), at));
        if (!axis || !tile || *axis < 0 || *tile < 1) return std::nullopt;
        const std::int64_t here = ceilDiv(*axis, *tile);
        if (steps && *steps != here) return std::nullopt;  // two loops have the index: no table serves both
        steps = here;
    }
    return steps;
}

bool KernelPlan::tabulate(const SymbolicPtr& tree, const std::vector<std::string>& indices, std::size_t depth,
                          Steps& at, StepTable& table) const {
    constexpr std::size_t kMostSteps = 4096;
    if (depth == indices.size()) {
        const auto value = literal(atSteps(tree, at));
        if (!value || table.values.size() >= kMostSteps) return false;
        table.values.push_back(*value);
        table.text += std::to_string(*value);
        return true;
    }
    const auto steps = stepsOf(indices[depth], at);
    if (!steps || *steps > static_cast<std::int64_t>(kMostSteps)) return false;
    table.text += '(';
    for (std::int64_t i = 0; i < *steps; ++i) {
        if (i > 0) table.text += ", ";
        at[indices[depth]] = i;
        if (!tabulate(tree, indices, depth + 1, at, table)) return false;
    }
    at.erase(indices[depth]);
    table.text += *steps == 1 ? ",)" : ")";
    return true;
}

/// min and max of Python integers: what they are in each step of their loops, as one number or tuples of them. What
/// is too long for that stays, as a symbolic scalar.
SymbolicPtr KernelPlan::byStep(const SymbolicPtr& tree) const {
    using Kind = Symbolic::Kind;
    if (tree->arg.empty()) return tree;
    if (tree->kind == Kind::Min || tree->kind == Kind::Max) {
        constexpr std::size_t kLongest = 16, kLongestNested = 32;
        const std::vector<std::string> used = namesIn(tree);
        std::vector<std::string> indices;  // outer loops first
        for (const Loop* loop : m_expanded) {
            const bool here = std::find(used.begin(), used.end(), loop->index) != used.end();
            if (here && std::find(indices.begin(), indices.end(), loop->index) == indices.end())
                indices.push_back(loop->index);
        }
        const bool all = std::all_of(used.begin(), used.end(), [&](const std::string& each) {
            return std::find(indices.begin(), indices.end(), each) != indices.end();
        });
        Steps at;
        StepTable table;
        if (all && !indices.empty() && tabulate(tree, indices, 0, at, table) && !table.values.empty()) {
            const std::vector<std::int64_t>& values = table.values;
            if (std::all_of(values.begin(), values.end(), [&](std::int64_t each) { return each == values[0]; }))
                return number(values[0]);
            if (values.size() <= (indices.size() == 1 ? kLongest : kLongestNested)) {
                for (std::size_t i = 0; i + 1 < indices.size(); ++i) table.text += "[" + scalar(indices[i]) + "]";
                return entryOf(std::move(table.text), name(indices.back()));
            }
            // Only the last step is another one: 32 - i // 40 * 30.
            const bool onlyLast =
                indices.size() == 1 &&
                std::all_of(values.begin(), values.end() - 1, [&](std::int64_t each) { return each == values[0]; });
            if (onlyLast)
                return binary(
                    Kind::Sub, number(values[0]),
                    binary(Kind::Mul,
                           binary(Kind::Div, name(indices[0]), number(static_cast<std::int64_t>(values.size()) - 1)),
                           number(values[0] - values.back())));
        }
    }
    Symbolic copy = *tree;
    for (SymbolicPtr& argument : copy.arg) argument = byStep(argument);
    return std::make_shared<const Symbolic>(std::move(copy));
}

}  // namespace cubist::pypto

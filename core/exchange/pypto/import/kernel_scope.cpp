// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/kernel_scope.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/integer_math.h"
#include "core/exchange/pypto/import/vector_reader.h"

namespace cubist::pypto {
namespace {

using Kind = Symbolic::Kind;

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string spelled(const SymbolicPtr& tree) {
    return pythonText(tree, {[](const std::string& name) { return name; }, false});
}

/// Has the tree no more parts than are left?
bool fitsIn(const SymbolicPtr& tree, std::size_t& left) {
    if (left == 0) return false;
    --left;
    for (const SymbolicPtr& each : tree->arg)
        if (!fitsIn(each, left)) return false;
    return true;
}

SymbolicPtr ofList(const std::string& function, const std::string& list, SymbolicPtr argument) {
    return std::make_shared<const Symbolic>(Symbolic{Kind::OfList, 0, list, function, {std::move(argument)}});
}

}  // namespace

SymbolicPtr tidied(const SymbolicPtr& tree) {
    return folded(
        tree, [](const auto&) { return std::nullopt; }, [](const auto&, const auto&) { return nullptr; });
}

Expression expressionOf(const SymbolicPtr& tree) {
    const SymbolicPtr simple = tidied(tree);
    if (const auto value = literal(simple)) return *value;
    return Expression(spelled(simple));
}

namespace {

/// The tree as a sum: how often each part that is no sum itself is taken; the number has the empty name.
std::map<std::string, std::int64_t> summands(const SymbolicPtr& tree) {
    std::map<std::string, std::int64_t> out;
    const auto add = [&](const SymbolicPtr& part, std::int64_t factor) {
        for (const auto& [name, count] : summands(part)) {
            const auto product = checkedMul(count, factor);
            const auto sum = product ? checkedAdd(out[name], *product) : std::nullopt;
            if (sum)
                out[name] = *sum;
            else
                out["?" + name] = 1;  // beyond 64 bits: equal to nothing
        }
    };
    switch (tree->kind) {
        case Kind::Number: out[""] = tree->number; break;
        case Kind::Add:
            add(tree->arg[0], 1);
            add(tree->arg[1], 1);
            break;
        case Kind::Sub:
            add(tree->arg[0], 1);
            add(tree->arg[1], -1);
            break;
        case Kind::Neg: add(tree->arg[0], -1); break;
        case Kind::Mul:
            if (const auto factor = literal(tidied(tree->arg[1])))
                add(tree->arg[0], *factor);
            else if (const auto other = literal(tidied(tree->arg[0])))
                add(tree->arg[1], *other);
            else
                out[spelled(tree)] = 1;
            break;
        case Kind::Name:
        case Kind::Div:
        case Kind::Mod:
        case Kind::Min:
        case Kind::Max:
        case Kind::CeilDiv:
        case Kind::Entry:
        case Kind::OfList: out[spelled(tree)] = 1; break;
    }
    return out;
}

}  // namespace

std::optional<std::int64_t> difference(const SymbolicPtr& a, const SymbolicPtr& b) {
    std::optional<std::int64_t> out = 0;
    for (const auto& [name, count] : summands(binary(Kind::Sub, tidied(a), tidied(b)))) {
        if (name.empty())
            out = count;
        else if (count != 0)
            return std::nullopt;
    }
    return out;
}

std::optional<std::int64_t> coefficientOf(const SymbolicPtr& tree, const std::string& name) {
    std::int64_t found = 0;
    for (const auto& [part, count] : summands(tidied(tree))) {
        if (part == name)
            found = count;
        else if (count != 0 && part.find(name) != std::string::npos)
            return std::nullopt;
    }
    return found;
}

const KernelScope::Variable* KernelScope::find(const std::string& name) const {
    const auto found = m_names.find(name);
    return found == m_names.end() ? nullptr : &found->second;
}

std::string KernelScope::expressionOfPart(const SymbolicPtr& part) {
    return expressionOf(part).text();
}

void KernelScope::defineTuple(const std::string& name, std::vector<std::int64_t> values) {
    m_reserved.erase(name);  // the list's own variable
    m_names.erase(name);
    m_numbers.erase(name);
    m_tuples[name] = std::move(values);
}

std::string KernelScope::listName(const std::string& tuple) const {
    return freeName(lower(tuple));
}

std::string KernelScope::freeName(std::string name) const {
    while (m_reserved.count(name) != 0) name += "_list";
    return name;
}

const std::vector<std::int64_t>* KernelScope::extentsOf(const std::string& id) const {
    const auto found = m_extents.find(id);
    return found == m_extents.end() || found->second.empty() ? nullptr : &found->second;
}

std::optional<DType> KernelScope::typeOf(const std::string& id) const {
    const auto found = m_types.find(id);
    return found == m_types.end() ? std::nullopt : std::optional(found->second);
}

std::optional<DType> KernelScope::typeOf(const AstNode& node) const {
    if (!node.is("Attribute") || node.text("attr") != "dtype") return dtypeOf(node);
    const Variable* of = find(node["value"].dotted());
    return of == nullptr || of->kind == Variable::Kind::Scalar ? std::nullopt : typeOf(of->id);
}

SymbolicPtr KernelScope::startOf(const std::string& tuple, const SymbolicPtr& group) {
    const std::string list = listName(tuple);
    m_used[list] = m_tuples[tuple];
    m_counts.insert(list);
    return ofList("start", list, group);
}

std::string KernelScope::symbolOf(const std::string& tensor, std::size_t axis, const std::string& wanted) {
    const auto key = std::pair(tensor, axis);
    if (const auto found = m_symbols.find(key); found != m_symbols.end()) return found->second;
    const std::string name = wanted.empty() ? tensor + "_" + std::to_string(axis) : wanted;
    return m_symbols[key] = name;
}

bool KernelScope::followsFactor(const SymbolicPtr& tree) const {
    const auto names = namesIn(tree);
    return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return m_factors.count(name) != 0 || m_statics.count(name) != 0;
    });
}

std::optional<std::int64_t> KernelScope::declaredExtent(const SymbolicPtr& tree) const {
    const SymbolicPtr simple = tidied(tree);
    if (const auto value = literal(simple)) return value;
    if (isFactor(simple)) return m_factors.at(simple->name);
    if (followsFactor(simple))
        return literal(folded(
            simple,
            [&](const std::string& name) {
                const auto factor = m_factors.find(name);
                return std::optional(factor != m_factors.end() ? factor->second : m_statics.at(name));
            },
            [](const auto&, const auto&) { return nullptr; }));
    if (const auto exact = largestOverGroups(simple)) return exact;
    // min(32, rows - 32 * i) is 32 at most.
    if (simple->kind == Kind::Min)
        for (const SymbolicPtr& each : simple->arg)
            if (const auto bound = literal(each); bound && *bound > 0) return bound;
    std::optional<std::int64_t> largest;
    const std::function<void(const SymbolicPtr&)> look = [&](const SymbolicPtr& each) {
        const auto list = m_used.find(each->name);
        if ((each->kind == Kind::OfList || each->kind == Kind::Entry) && list != m_used.end())
            for (const std::int64_t value : list->second)
                largest = std::max({largest.value_or(1), value, std::int64_t{1}});
        for (const SymbolicPtr& argument : each->arg) look(argument);
    };
    look(simple);
    return largest;
}

std::optional<std::int64_t> KernelScope::largestOverGroups(const SymbolicPtr& tree) const {
    std::vector<std::string> names = namesIn(tree);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::size_t longest = 0;
    for (const auto& [list, values] : m_used) longest = std::max(longest, values.size());
    if (names.size() != 1 || longest > 4096) return std::nullopt;
    std::optional<std::int64_t> largest;
    for (std::size_t group = 0; group < longest; ++group) {
        const SymbolicPtr value = folded(
            tree, [&](const std::string&) { return std::optional(static_cast<std::int64_t>(group)); },
            [&](const Symbolic& use, const SymbolicPtr& argument) -> SymbolicPtr {
                const auto list = m_used.find(use.name);
                const auto at = argument ? literal(argument) : std::nullopt;
                if (list == m_used.end() || !at || *at < 0) return nullptr;
                const auto& values = list->second;
                const auto place = static_cast<std::size_t>(*at);
                if (use.kind == Kind::Entry || use.function == "count")
                    return place < values.size() ? number(values[place]) : nullptr;
                if (use.function != "start" || place > values.size()) return nullptr;
                std::int64_t sum = 0;
                for (std::size_t i = 0; i < place; ++i) sum = checkedAdd(sum, values[i]).value_or(0);
                return number(sum);
            });
        if (const auto extent = literal(value)) largest = std::max({largest.value_or(1), *extent, std::int64_t{1}});
    }
    return largest;
}

std::optional<std::vector<std::int64_t>> KernelScope::declaredExtents(const AstNode& list) {
    if (list.is("Attribute") && list.text("attr") == "shape") {
        const Variable* of = find(list["value"].dotted());
        const auto* extents = of == nullptr ? nullptr : extentsOf(of->id);
        return extents == nullptr ? std::nullopt : std::optional(*extents);
    }
    if (!list.is("List") && !list.is("Tuple")) return std::nullopt;
    std::vector<std::int64_t> out;
    for (const AstNode& each : list.list("elts")) {
        const auto tree = scalar(each);
        const auto extent = tree ? declaredExtent(*tree) : std::nullopt;
        if (!extent) return std::nullopt;
        out.push_back(*extent);
    }
    return out;
}

std::optional<SymbolicPtr> KernelScope::scalar(const AstNode& node) {
    auto tree = scalarTree(node);
    std::size_t left = 1'000;  // parts; n = n * n doubles them
    return tree && fitsIn(*tree, left) ? tree : std::nullopt;
}

std::optional<SymbolicPtr> KernelScope::scalarTree(const AstNode& node) {
    if (const auto value = node.integer()) return number(*value);
    if (node.is("Name")) {
        const Variable* variable = find(std::string(node.text("id")));
        if (variable == nullptr || variable->kind != Variable::Kind::Scalar) return std::nullopt;
        return variable->tree;
    }
    if (node.is("UnaryOp") && node.text("op") == "USub") {
        const auto inner = scalar(node["operand"]);
        if (!inner) return std::nullopt;
        return std::make_shared<const Symbolic>(Symbolic{Kind::Neg, 0, {}, {}, {*inner}});
    }
    if (node.is("BinOp")) {
        const std::string_view op = node.text("op");
        const auto a = scalar(node["left"]);
        const auto b = scalar(node["right"]);
        if (!a || !b) return std::nullopt;
        if (op == "Add") return binary(Kind::Add, *a, *b);
        if (op == "Sub") return binary(Kind::Sub, *a, *b);
        if (op == "Mult") return binary(Kind::Mul, *a, *b);
        if (op == "Mod") return binary(Kind::Mod, *a, *b);
        if (op != "FloorDiv") return std::nullopt;
        // (x + c - 1) // c
        const auto divisor = literal(tidied(*b));
        const SymbolicPtr left = tidied(*a);
        if (divisor && *divisor > 1 && left->kind == Kind::Add && literal(left->arg[1]) == *divisor - 1)
            return binary(Kind::CeilDiv, left->arg[0], *b);
        return binary(Kind::Div, *a, *b);
    }
    if (node.is("Call")) return call(node);
    if (node.is("Subscript")) return subscript(node);
    return std::nullopt;
}

std::optional<double> KernelScope::real(const AstNode& node) {
    if (const auto value = node.number()) return value;
    const bool shape = node.is("Subscript") && node["value"].is("Attribute") && node["value"].text("attr") == "shape";
    if (node.is("Name") || shape) {
        if (const auto found = m_numbers.find(std::string(node.text("id"))); found != m_numbers.end())
            return found->second;
        const auto tree = scalar(node);
        const auto value = tree ? literal(tidied(*tree)) : std::nullopt;
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    }
    std::optional<double> result;
    if (node.is("UnaryOp") && node.text("op") == "USub") {
        if (const auto inner = real(node["operand"])) result = -*inner;
    } else if (node.is("BinOp")) {
        const auto a = real(node["left"]), b = a ? real(node["right"]) : std::nullopt;
        const std::string_view op = node.text("op");
        if (!b) return std::nullopt;
        if (op == "Add") result = *a + *b;
        if (op == "Sub") result = *a - *b;
        if (op == "Mult") result = *a * *b;
        if (op == "Div" && *b != 0) result = *a / *b;
        if (op == "FloorDiv" && *b != 0) result = std::floor(*a / *b);
    } else if (node.is("Call") && node.list("args").size() == 1 && node.list("keywords").empty()) {
        const std::string function = node["func"].dotted();
        const bool root = function == "math.sqrt" || function == "np.sqrt";
        if (!root && function != "float") return std::nullopt;
        if (const auto inner = real(node.list("args")[0]); inner && (!root || *inner >= 0))
            result = root ? std::sqrt(*inner) : *inner;
    }
    return result && std::isfinite(*result) ? result : std::nullopt;
}

std::optional<SymbolicPtr> KernelScope::call(const AstNode& node) {
    const AstNode function = node["func"];
    const std::string name = function.dotted();
    const std::vector<AstNode> arguments = node.list("args");
    const bool least = name == "pypto.min" || name == "min";
    if (least || name == "pypto.max" || name == "max") {
        if (arguments.size() != 2) return std::nullopt;
        const auto a = scalar(arguments[0]), b = scalar(arguments[1]);
        if (!a || !b) return std::nullopt;
        return binary(least ? Kind::Min : Kind::Max, *a, *b);
    }
    if (name == "pypto.ceildiv") {
        if (arguments.size() != 2) return std::nullopt;
        const auto a = scalar(arguments[0]), b = scalar(arguments[1]);
        if (!a || !b) return std::nullopt;
        return binary(Kind::CeilDiv, *a, *b);
    }
    if (!function.is("Attribute") || arguments.size() != 1) return std::nullopt;
    const std::string_view method = function.text("attr");
    if (method != "min" && method != "max") return std::nullopt;
    const auto a = scalar(function["value"]), b = scalar(arguments[0]);
    if (!a || !b) return std::nullopt;
    return binary(method == "min" ? Kind::Min : Kind::Max, *a, *b);
}

std::optional<SymbolicPtr> KernelScope::writtenEntry(const AstNode& node) {
    const bool rows = node["value"].is("Subscript");
    const AstNode written = rows ? node["value"]["value"] : node["value"];
    std::vector<std::vector<std::int64_t>> lists;
    std::size_t width = 1;
    for (const AstNode& each : rows ? written.list("elts") : std::vector<AstNode>{written}) {
        const auto numbers = integersOf(each);
        if (!numbers) return std::nullopt;
        width = std::max(width, numbers->size());
        lists.push_back(*numbers);
    }
    std::vector<std::int64_t> entries;
    for (const auto& each : lists) {
        entries.insert(entries.end(), each.begin(), each.end());
        if (rows) entries.resize(entries.size() + width - each.size(), 0);
    }
    const auto column = scalar(node["slice"]);
    const auto row = rows ? scalar(node["value"]["slice"]) : std::optional(number(0));
    if (!column || !row || entries.empty()) return std::nullopt;
    const SymbolicPtr start = binary(Kind::Mul, *row, number(static_cast<std::int64_t>(width)));
    const SymbolicPtr at = rows ? binary(Kind::Add, start, *column) : *column;
    if (const auto fixed = literal(tidied(at))) {
        const auto place = static_cast<std::size_t>(*fixed);
        return *fixed >= 0 && place < entries.size() ? std::optional(number(entries[place])) : std::nullopt;
    }
    std::string list = freeName("sizes");
    for (int i = 2; m_used.count(list) != 0 && m_used[list] != entries; ++i)
        list = freeName("sizes_" + std::to_string(i));
    m_used[list] = std::move(entries);
    return std::make_shared<const Symbolic>(Symbolic{Kind::Entry, 0, list, {}, {at}});
}

std::optional<SymbolicPtr> KernelScope::subscript(const AstNode& node) {
    const AstNode owner = node["value"];
    const AstNode index = node["slice"];
    if (owner.is("Attribute") && owner.text("attr") == "shape") {
        const Variable* tensor = find(owner["value"].dotted());
        auto axis = index.integer();
        if (tensor == nullptr || tensor->kind == Variable::Kind::Scalar || !axis) return std::nullopt;
        if (*axis < 0) *axis += static_cast<std::int64_t>(tensor->extents.size());
        if (*axis < 0 || *axis >= static_cast<std::int64_t>(tensor->extents.size())) return std::nullopt;
        const auto at = static_cast<std::size_t>(*axis);
        if (tensor->extents[at] > 0) return number(tensor->extents[at]);
        if (tensor->kind != Variable::Kind::Tensor) return std::nullopt;
        return symbolic(Expression(symbolOf(tensor->id, at)));
    }
    if (auto entry = writtenEntry(node)) return entry;
    const std::string name = owner.dotted();
    const auto at = scalar(index);
    if (!at) return std::nullopt;
    if (const auto found = m_tuples.find(name); found != m_tuples.end()) {
        constexpr std::string_view kStarts = "_STARTS";
        const bool starts = name.size() > kStarts.size() && name.ends_with(kStarts);
        const std::string base = starts ? name.substr(0, name.size() - kStarts.size()) : name;
        const auto counts = m_tuples.find(base);
        const bool groups = counts != m_tuples.end() && m_tuples.count(base + std::string(kStarts)) != 0;
        const std::string list = listName(groups ? base : name);
        m_used[list] = groups ? counts->second : found->second;
        if (groups) m_counts.insert(list);
        if (groups) return ofList(starts ? "start" : "count", list, *at);
        return std::make_shared<const Symbolic>(Symbolic{Kind::Entry, 0, list, {}, {*at}});
    }
    const Variable* tensor = find(name);
    if (tensor == nullptr || tensor->kind != Variable::Kind::Tensor || tensor->extents.size() != 1) return std::nullopt;
    if (std::find(m_hostTensors.begin(), m_hostTensors.end(), tensor->id) == m_hostTensors.end())
        m_hostTensors.push_back(tensor->id);
    return std::make_shared<const Symbolic>(Symbolic{Kind::Entry, 0, hostList(tensor->id), {}, {*at}});
}

}  // namespace cubist::pypto

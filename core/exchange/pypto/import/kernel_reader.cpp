// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/kernel_reader.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "core/design/binding.h"
#include "core/design/resolve.h"

#include "core/exchange/pypto/import/body_reader.h"
#include "core/exchange/pypto/import/changed_names.h"
#include "core/exchange/pypto/import/module_reader.h"

namespace cubist::pypto {
namespace {

bool hasStage(const Block& block) {
    if (const auto* loop = std::get_if<Loop>(&block.content))
        return std::any_of(loop->body.begin(), loop->body.end(), hasStage);
    return std::holds_alternative<CubeStage>(block.content) || std::holds_alternative<VectorStage>(block.content);
}

std::string asId(const std::string& text) {
    std::string out;
    for (const char c : text) out += (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') ? c : '_';
    return out.empty() ? "stage" : out;
}

/// base, base_2, base_3, ..: the first that nothing is called. `numbers`: where the search of each base goes on.
std::string numbered(const std::string& base, std::set<std::string>& taken, std::map<std::string, int>& numbers) {
    int& number = numbers[base];
    while (true) {
        ++number;
        const std::string id = number == 1 ? base : base + "_" + std::to_string(number);
        if (taken.insert(id).second) return id;
    }
}

}  // namespace

void BodyReader::guess(const AstNode& node, const std::string& what) {
    m_out.guesses.push_back({node.line(), what, true});
}

void BodyReader::noteOtherKeywords(const AstNode& call, const std::vector<std::string_view>& known) {
    for (const AstNode& each : call.list("keywords"))
        if (std::find(known.begin(), known.end(), each.text("arg")) == known.end())
            note(call, "the argument " + std::string(each.text("arg")) + " is not understood and is left out");
}

bool BodyReader::reinterprets(const AstNode& node, const AstNode& view) {
    const AstNode type = view.keyword("dtype");
    if (!type.exists() || type.text("kind") == "none") return false;
    const Variable* of = m_scope.find(view.argument(0, "input").dotted());
    const auto own = of == nullptr ? std::nullopt : m_scope.typeOf(of->id);
    if (own && m_scope.typeOf(type) == own) return false;
    note(node, "a view that takes the bytes of its value as another type, which designs do not have");
    return true;
}

std::string BodyReader::lineOf(const AstNode& node) const {
    const auto line = node.line();
    std::string text;
    if (line > 0 && static_cast<std::size_t>(line) <= m_lines.size()) {
        std::string_view shown = m_lines[static_cast<std::size_t>(line - 1)];
        shown.remove_prefix(std::min(shown.find_first_not_of(" \t"), shown.size()));
        text = std::string(shown.substr(0, 80));
    }
    return text;
}

void BodyReader::note(const AstNode& node, const std::string& why) {
    const std::string text = lineOf(node);
    m_out.notes.push_back({node.line(), why + (text.empty() ? "" : ": " + text)});
}

ValueId BodyReader::fresh(const std::string& base) {
    return ValueId(numbered(asId(base), m_ids, m_idNumbers));
}

BlockId BodyReader::blockId(const std::string& base) {
    return BlockId(numbered(asId(base), m_blockIds, m_blockNumbers));
}

void BodyReader::statements(const std::vector<AstNode>& list, std::vector<Block>& blocks, int depth, bool ofLoop) {
    if (depth > 16) {
        for (const AstNode& each : list) {
            note(each, "a statement that lies too deep inside of others");
            for (const std::string& name : assignedNames(each)) m_scope.forget(name);
        }
        return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        // `if n == 0: continue` guards what follows it.
        const auto body = list[i].list("body");
        if (ofLoop && list[i].is("If") && body.size() == 1 && body[0].is("Continue") && list[i].list("orelse").empty())
            if (const auto bound = guardOf(list[i]["test"], true);
                bound &&
                guarded(*bound, {list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end()}, blocks, depth))
                return;
        statement(list[i], blocks, depth);
    }
}

void BodyReader::statement(const AstNode& node, std::vector<Block>& blocks, int depth) {
    if (node.is("Pass")) return;
    if (node.is("For")) {
        m_openVector = false;
        readLoop(node, blocks, depth);
        return;
    }
    if (node.is("If")) {
        condition(node, blocks, depth);
        return;
    }
    if (node.is("Expr")) {
        const AstNode value = node["value"];
        if (value.is("Call"))
            effect(value, blocks);
        else if (!value.string())
            note(node, "a statement without effect");
        return;
    }
    if (node.is("Assign")) {
        const auto targets = node.list("targets");
        if (targets.size() == 1) {
            assignment(node, targets[0], node["value"], blocks);
            return;
        }
    }
    if (node.is("AugAssign") && node["target"].is("Subscript")) {
        note(node, "an update in place, which designs write as a vector stage and a store");
        return;
    }
    note(node, "a statement that designs do not have");
    leaveOut(node, depth);
}

void BodyReader::leaveOut(const AstNode& node, int depth) {
    for (const char* part : {"body", "orelse", "finalbody"}) leaveOut(node, node.list(part), depth);
    for (const char* part : {"handlers", "cases"})
        for (const AstNode& each : node.list(part)) leaveOut(node, each.list("body"), depth);
    for (const std::string& name : assignedNames(node)) m_scope.forget(name);
}

void BodyReader::leaveOut(const AstNode& node, const std::vector<AstNode>& list, int depth) {
    for (const AstNode& each : list) {
        if (!each.is("Pass")) note(each, "left out with line " + std::to_string(node.line()));
        for (const std::string& name : assignedNames(each)) m_scope.forget(name);
        if (depth < 16) leaveOut(each, depth + 1);
    }
}

std::set<std::string> BodyReader::assignedNames(const AstNode& node) {
    std::set<std::string> names;
    if (!node.exists()) return names;
    for (const auto& [name, count] : changesOf(node.json()).assigned) names.insert(name);
    return names;
}

void BodyReader::readLoop(const AstNode& node, std::vector<Block>& blocks, int depth) {
    const AstNode iterator = node["iter"];
    const std::string function = iterator["func"].dotted();
    Loop loop;
    const bool unrolled = function == "pypto.loop_unroll";
    if (!iterator.is("Call") || (function != "range" && function != "pypto.loop" && !unrolled)) {
        note(node, "a loop over something else than range, pypto.loop or pypto.loop_unroll");
        leaveOut(node, depth);
        return;
    }
    std::vector<SymbolicPtr> bounds;
    for (const AstNode& each : iterator.list("args")) {
        const auto value = m_scope.scalar(each);
        if (!value) {
            note(node, "the length of a loop is not known");
            leaveOut(node, depth);
            return;
        }
        bounds.push_back(*value);
    }
    if (bounds.empty()) {
        note(node, "a loop without a length");
        leaveOut(node, depth);
        return;
    }
    const SymbolicPtr start = bounds.size() > 1 ? bounds[0] : number(0);
    SymbolicPtr length = tidied(bounds.size() > 1 ? bounds[1] : bounds[0]);
    const auto step = bounds.size() > 2 ? literal(tidied(bounds[2])) : std::optional<std::int64_t>(1);
    if (literal(tidied(start)) != 0) length = tidied(binary(Symbolic::Kind::Sub, length, start));
    loop.form = function == "range" ? LoopKind::Static : unrolled ? LoopKind::Unroll : LoopKind::Runtime;

    std::vector<std::string> names;
    const AstNode target = node["target"];
    if (target.is("Name"))
        names.emplace_back(target.text("id"));
    else
        for (const AstNode& each : target.list("elts")) names.emplace_back(each.text("id"));
    if (names.size() != (unrolled ? 2U : 1U) || !step || *step < 1) {
        note(node, "the index or the step of a loop is not regular");
        leaveOut(node, depth);
        return;
    }
    noteOtherKeywords(iterator, {"name", "idx_name", "unroll_list", "parallel", "submit_before_loop"});
    for (const char* flag : {"parallel", "submit_before_loop"})
        if (const AstNode given = iterator.keyword(flag); given.exists() && !given.boolean())
            note(node, std::string(flag) + " of a loop is neither True nor False; it is left out");
    if (const AstNode given = iterator.keyword("unroll_list"); given.exists() && !integersOf(given))
        note(node, "unroll_list is not made of numbers; it is left out");
    if (const auto factors = integersOf(iterator.keyword("unroll_list"))) {
        if (unrolled)
            loop.unroll = *factors;
        else if (*factors != std::vector<std::int64_t>{1})
            note(node, "unroll_list of pypto.loop is left out");
    }
    loop.index = names[0];
    SymbolicPtr index = pypto::name(names[0]);
    if (length->kind == Symbolic::Kind::CeilDiv && *step == 1 && !unrolled) {
        loop.axis = expressionOf(length->arg[0]);
        loop.tile = expressionOf(length->arg[1]);
    } else {
        loop.axis = expressionOf(length);
        if (*step != 1) {
            loop.tile = *step;
            index = binary(Symbolic::Kind::Mul, index, number(*step));
        }
    }
    if (literal(tidied(start)) != 0) index = binary(Symbolic::Kind::Add, index, start);
    // A design counts the turns of an unrolled loop; the index counts what they cover.
    if (unrolled && *step != 1) {
        loop.axis = expressionOf(binary(Symbolic::Kind::CeilDiv, length, number(*step)));
        loop.tile = 1;
    }
    if (unrolled) {
        loop.factor = names[1];
        m_scope.define(names[1], {Variable::Kind::Scalar, {}, pypto::name(names[1]), {}});
        m_scope.defineFactor(names[1],
                             loop.unroll.empty() ? 1 : *std::max_element(loop.unroll.begin(), loop.unroll.end()));
    }
    m_scope.define(names[0], {Variable::Kind::Scalar, {}, index, {}});
    // What an iteration hands to the next one a design cannot hold; the running sum of a list can be said.
    std::set<std::string> carried = assignedNames(node);
    for (const std::string& each : names) carried.erase(each);
    const std::string sum = readRunningSum(node, names[0], index);
    for (const std::string& each : carried)
        if (m_runningSums.count(each) == 0) m_scope.forget(each);
    loop.parallel = iterator.keyword("parallel").boolean().value_or(false);
    loop.submitBeforeLoop = iterator.keyword("submit_before_loop").boolean().value_or(false);
    const auto given = iterator.keyword("name").string();
    loop.id = blockId(given ? *given : names[0] + "_loop");
    m_loops.push_back({loop.id.text, names[0], loop.axis, loop.tile, unrolled, loop.form == LoopKind::Static});
    // A loop of PyPTO is a scope: what its body sets ends with it.
    const bool scope = loop.form != LoopKind::Static;
    auto settings = std::tie(m_label, m_cubeTile, m_vectorTile, m_cubeTable, m_vectorTable, m_setAxes, m_matrixSize);
    const auto outside = std::apply([](const auto&... each) { return std::make_tuple(each...); }, settings);
    if (scope) ++m_scopes;
    statements(node.list("body"), loop.body, depth + 1, true);
    if (scope) {
        --m_scopes;
        settings = outside;
    }
    m_loops.pop_back();
    leaveOut(node, node.list("orelse"), depth);
    if (!sum.empty()) {
        for (const std::string& each : m_runningSums) m_scope.forget(each);
        m_runningSums.clear();
    }
    // Values of a turn stay in the loop, and so does its index.
    for (const std::string& each : names) m_scope.forget(each);
    for (const std::string& each : carried) m_scope.forget(each);
    m_openVector = false;
    blocks.push_back({std::move(loop)});
}

AstNode BodyReader::withoutClone(const AstNode& node) {
    if (!node.is("Call")) return node;
    const AstNode function = node["func"];
    const bool method = function.is("Attribute") && function.text("attr") == "clone" && function["value"].is("Name");
    if (!method && pyptoFunction(node) != "clone") return node;
    const AstNode of = method && function.dotted() != "pypto.clone" ? function["value"] : node.argument(0, "input");
    const Variable* variable = of.is("Name") ? m_scope.find(std::string(of.text("id"))) : nullptr;
    return variable != nullptr && variable->kind == Variable::Kind::Value ? of : node;
}

std::optional<std::string> BodyReader::valueOf(const AstNode& given, std::vector<Block>& blocks) {
    const AstNode node = withoutClone(given);
    if (node.is("Name")) {
        const Variable* variable = m_scope.find(std::string(node.text("id")));
        if (variable == nullptr || variable->kind == Variable::Kind::Scalar) return std::nullopt;
        if (variable->kind == Variable::Kind::Tensor) m_uses.read.insert(variable->id);
        return variable->id;
    }
    const ValueId id = fresh(m_label.value_or("value"));
    if (!produce(node, node, id, ValueId(), blocks)) return std::nullopt;
    return id.text;
}

void BodyReader::assignment(const AstNode& node, const AstNode& target, const AstNode& given,
                            std::vector<Block>& blocks) {
    const AstNode value = withoutClone(given);
    if (target.is("Subscript")) {
        sliceStore(node, target, value, blocks);
        return;
    }
    std::vector<std::string> names;
    if (target.is("Name"))
        names.emplace_back(target.text("id"));
    else
        for (const AstNode& each : target.list("elts")) names.emplace_back(each.text("id"));
    const bool plain = std::none_of(names.begin(), names.end(), [](const std::string& each) { return each.empty(); });
    if (names.empty() || names.size() > 2 || !plain) {
        note(node, "an assignment to something else than a name");
        for (const std::string& each : assignedNames(node)) m_scope.forget(each);
        return;
    }
    if (names.size() == 1 && value.dotted().starts_with("pypto.")) {
        m_scope.forget(names[0]);  // a type or an option, put in where it is used
        return;
    }
    // A list of sizes or tiles is put in where it is used.
    if (names.size() == 1 && (value.is("List") || value.is("Tuple")) && !value.list("elts").empty()) {
        const std::function<bool(const AstNode&)> known = [&](const AstNode& each) {
            const auto parts = each.list("elts");
            if (each.is("List") || each.is("Tuple")) return std::all_of(parts.begin(), parts.end(), known);
            return m_scope.scalar(each).has_value();
        };
        if (!integersOf(value) && known(value)) {
            m_scope.forget(names[0]);
            return;
        }
        if (const auto numbers = integersOf(value)) {
            m_scope.forget(names[0]);
            m_scope.defineTuple(names[0], *numbers);
            return;
        }
    }
    if (m_runningSums.count(names[0]) != 0) return;  // its next value, which the index says already
    if (names.size() == 1 && value.is("Constant") && !value.integer()) {
        m_scope.forget(names[0]);  // a number or a text that was put in where it is used
        return;
    }
    if (names.size() == 1) {
        // T = x.shape[0]: the symbol takes the name of the variable.
        if (value.is("Subscript") && value["value"].is("Attribute") && value["value"].text("attr") == "shape") {
            const Variable* tensor = m_scope.find(value["value"]["value"].dotted());
            const auto axis = value["slice"].integer();
            if (tensor != nullptr && tensor->kind == Variable::Kind::Tensor && axis && *axis >= 0 &&
                *axis < static_cast<std::int64_t>(tensor->extents.size()) &&
                tensor->extents[static_cast<std::size_t>(*axis)] == 0)
                (void)m_scope.symbolOf(tensor->id, static_cast<std::size_t>(*axis), names[0]);
        }
        // E = w.shape[0] // 2048: the axis is E * 2048.
        const AstNode axisOf = value["left"];
        const auto divisor = value.is("BinOp") ? value["right"].integer() : std::nullopt;
        if (divisor && *divisor > 0 && axisOf.is("Subscript") && axisOf["value"].is("Attribute")) {
            const Variable* tensor = m_scope.find(axisOf["value"]["value"].dotted());
            const auto axis = axisOf["slice"].integer();
            const std::string_view op = value.text("op");
            const char* inverse = op == "FloorDiv" ? " * " : op == "Sub" ? " + " : op == "Add" ? " - " : nullptr;
            if (tensor != nullptr && tensor->kind == Variable::Kind::Tensor && inverse != nullptr && axis &&
                *axis >= 0 && *axis < static_cast<std::int64_t>(tensor->extents.size()) &&
                tensor->extents[static_cast<std::size_t>(*axis)] == 0) {
                const std::string shape = names[0] + inverse + std::to_string(*divisor);
                if (m_scope.symbolOf(tensor->id, static_cast<std::size_t>(*axis), shape) == shape) {
                    m_scope.define(names[0], {Variable::Kind::Scalar, {}, pypto::name(names[0]), {}});
                    return;
                }
            }
        }
        if (const auto tree = m_scope.scalar(value)) {
            m_scope.define(names[0], {Variable::Kind::Scalar, {}, *tree, {}});
            return;
        }
        if (const auto real = m_scope.real(value)) {
            m_scope.defineNumber(names[0], *real);
            return;
        }
        if (value.is("Name"))
            if (const Variable* alias = m_scope.find(std::string(value.text("id")))) {
                const Variable copy = *alias;
                m_scope.define(names[0], copy);
                return;
            }
    }
    if (const std::string made = value.is("Call") ? value["func"].dotted() : std::string();
        names.size() == 1 && (made == "pypto.tensor" || made == "pypto.Tensor")) {
        if (!makeWorkspace(node, value, names[0])) m_scope.forget(names[0]);
        return;
    }
    const ValueId out = fresh(names[0]);
    const ValueId out2 = names.size() > 1 ? fresh(names[1]) : ValueId();
    m_shape.clear();
    if (!produce(node, value, out, out2, blocks)) {
        m_ids.erase(out.text);
        m_idNumbers.erase(asId(names[0]));  // the name is free again
        for (const std::string& each : names) m_scope.forget(each);
        return;
    }
    if (const auto* extents = m_scope.extentsOf(out.text); extents != nullptr && m_shape.empty()) m_shape = *extents;
    m_scope.define(names[0], {Variable::Kind::Value, out.text, nullptr, m_shape});
    if (names.size() > 1) m_scope.define(names[1], {Variable::Kind::Value, out2.text, nullptr, {}});
}

void BodyReader::sliceStore(const AstNode& node, const AstNode& target, const AstNode& value,
                            std::vector<Block>& blocks) {
    std::vector<SymbolicPtr> offset;
    std::vector<std::optional<std::int64_t>> lengths;  // as far as they are numbers
    const Variable* to = m_scope.find(target["value"].dotted());
    const bool tensor = to != nullptr && to->kind == Variable::Kind::Tensor;
    const std::vector<AstNode> parts = slicedAxes(target["slice"], to == nullptr ? 0 : to->extents.size());
    if (const std::string problem = subscriptProblem(parts, tensor ? to->extents.size() : parts.size());
        !problem.empty()) {
        note(node, problem);
        return;
    }
    bool whole = !parts.empty();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::int64_t extent = tensor && i < to->extents.size() ? to->extents[i] : 0;
        const AstNode first = parts[i].is("Slice") ? parts[i]["lower"] : parts[i];
        if (hasStep(parts[i])) {
            note(node, "a write with a step");
            return;
        }
        offset.push_back(first.exists() ? placeOf(first, extent) : number(0));
        const AstNode last = parts[i].is("Slice") ? parts[i]["upper"] : AstNode();
        const SymbolicPtr end = last.exists() ? placeOf(last, extent) : nullptr;
        whole = whole && parts[i].is("Slice") && !first.exists() && !last.exists();
        if (tensor && !first.exists() && last.exists() && !isEndOf(end, extent))
            note(node, "a slice with an end and no start along axis " + std::to_string(i) +
                           ": PyPTO writes at that end minus the length of the axis, which this is not; it is read as "
                           "one from 0");
        lengths.push_back(end && offset.back() ? difference(end, offset.back()) : std::nullopt);
    }
    // out[g] = v: axes that are not named are written from their start.
    if (tensor)
        while (offset.size() < to->extents.size()) offset.push_back(number(0));
    store(node, StoreOp::Slice, value, target["value"], std::move(offset), blocks, false);
    if (tensor && whole)
        noteOtherShape(node, to->extents, blocks);
    else
        noteOtherLengths(node, lengths, blocks);
}

bool BodyReader::isEndOf(const SymbolicPtr& place, std::int64_t extent) {
    if (!place) return false;
    if (extent > 0) return difference(place, number(extent)) == 0;
    return !literal(tidied(place));  // of an axis whose length the kernel is told, most likely that length
}

const std::vector<std::int64_t>* BodyReader::storedExtents(const std::vector<Block>& blocks) const {
    const Store* store = blocks.empty() ? nullptr : std::get_if<Store>(&blocks.back().content);
    if (store == nullptr) return nullptr;
    if (const auto* known = m_scope.extentsOf(store->from.text)) return known;
    const Variable* tensor = m_scope.find(store->from.text);
    return tensor != nullptr && tensor->kind == Variable::Kind::Tensor ? &tensor->extents : nullptr;
}

void BodyReader::noteOtherShape(const AstNode& node, const std::vector<std::int64_t>& extents,
                                const std::vector<Block>& blocks) {
    const auto* known = storedExtents(blocks);
    if (known == nullptr || known->size() != extents.size()) return;
    for (std::size_t i = 0; i < extents.size(); ++i)
        if (extents[i] > 0 && isOtherLength(extents[i], (*known)[i]))
            note(node, "PyPTO moves a value into a tensor of the same shape: along axis " + std::to_string(i) +
                           " the tensor has " + std::to_string(extents[i]) + " elements, the value " +
                           std::to_string((*known)[i]));
}

bool BodyReader::isOtherLength(std::int64_t length, std::int64_t declared) const {
    if (declared <= 0 || length == declared) return false;
    return length > declared || !m_scope.isValidPart(number(length));  // what is valid of it may be that long
}

void BodyReader::noteOtherLengths(const AstNode& node, const std::vector<std::optional<std::int64_t>>& lengths,
                                  const std::vector<Block>& blocks) {
    const auto* known = storedExtents(blocks);
    if (known == nullptr || known->size() != lengths.size()) return;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        if (lengths[i] && isOtherLength(*lengths[i], (*known)[i]))
            note(node, "the slice has " + std::to_string(*lengths[i]) + " elements along axis " + std::to_string(i) +
                           ", the value " + std::to_string((*known)[i]) + ", and PyPTO writes the value");
}

Result<ReadKernel> readKernel(const std::vector<AstNode>& module, std::string_view source, const std::string& name) {
    ReadKernel out;
    KernelScope scope;
    CUBIST_TRY(const ModuleParts parts, readModule(module, name, scope, out));
    std::set<std::string> own;
    for (const AstNode& each : parts.kernel.list("body")) own.merge(BodyReader::assignedNames(each));
    scope.reserve(std::move(own));
    BodyReader body(out, scope, source);
    body.read(parts.kernel);
    const bool computes = std::any_of(out.design.blocks.begin(), out.design.blocks.end(), hasStage);
    if (!computes)
        out.notes.push_back({parts.kernel.line(), "no matmul and no vector operation of the kernel was understood"});
    finishDesign(parts, scope, body.uses(), out);
    // What cannot be bound would surprise whoever runs it.
    const auto noteBroken = [&](const Error& error) {
        out.notes.push_back({parts.kernel.line(),
                             "the design that was read does not fit together: " + error.where + ": " + error.message});
    };
    if (const auto binding = bind(out.design, {}); !binding)
        noteBroken(binding.error());
    else if (const auto resolved = resolve(out.design, *binding); !resolved)
        noteBroken(resolved.error());
    for (auto* notes : {&out.notes, &out.guesses})
        std::stable_sort(notes->begin(), notes->end(),
                         [](const ImportNote& a, const ImportNote& b) { return a.line < b.line; });
    return out;
}

}  // namespace cubist::pypto

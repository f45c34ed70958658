// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "core/design/vector_op_info.h"
#include "core/exchange/pypto/import/body_reader.h"

namespace cubist::pypto {
namespace {

using Kind = Symbolic::Kind;

/// Is a size zero or less whenever `bound` is? False also where that cannot be told.
bool emptyWith(const SymbolicPtr& tree, const SymbolicPtr& bound, int depth = 0) {
    const SymbolicPtr size = tidied(tree);
    if (const auto value = literal(size)) return *value <= 0;
    if (difference(size, bound) == 0) return true;
    if (depth > 8 || size->arg.size() != 2) return false;
    const auto of = [&](std::size_t place) { return emptyWith(size->arg[place], bound, depth + 1); };
    const auto positive = [&](std::size_t place) { return literal(size->arg[place]).value_or(0) > 0; };
    if (size->kind == Kind::CeilDiv || size->kind == Kind::Div) return positive(1) && of(0);
    if (size->kind == Kind::Mul) return (positive(1) && of(0)) || (positive(0) && of(1));
    if (size->kind == Kind::Min) return of(0) || of(1);
    return size->kind == Kind::Max && of(0) && of(1);
}

/// n of ceildiv(n, 64) and of n * 64, which are more than zero where n is.
SymbolicPtr peeled(SymbolicPtr bound) {
    bound = tidied(bound);
    while ((bound->kind == Kind::CeilDiv || bound->kind == Kind::Mul) && literal(bound->arg[1]).value_or(0) > 0)
        bound = tidied(bound->arg[0]);
    return bound;
}

/// Which axes of values have no elements where a size is zero. Axes are counted from the last one, which is 1.
class EmptyAxes {
public:
    EmptyAxes(const KernelScope& scope, SymbolicPtr bound) : m_scope(scope), m_bound(std::move(bound)) {}

    void take(const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            if (const auto* view = std::get_if<View>(&block.content)) take(*view);
            if (const auto* stage = std::get_if<CubeStage>(&block.content)) take(*stage);
            if (const auto* stage = std::get_if<VectorStage>(&block.content))
                for (const VectorOp& op : stage->ops) take(op);
        }
    }

    /// Do these blocks write nothing?
    bool writesNothing(const std::vector<Block>& blocks) {
        take(blocks);
        return std::all_of(blocks.begin(), blocks.end(), [&](const Block& block) {
            if (const auto* store = std::get_if<Store>(&block.content))
                return !m_axes[store->from.text].empty() || !m_axes[store->index.text].empty();
            const auto* loop = std::get_if<Loop>(&block.content);
            return loop == nullptr || emptyWith(symbolic(loop->axis), m_bound) || writesNothing(loop->body);
        });
    }

private:
    using Axes = std::set<std::size_t>;

    void take(const View& view) {
        const auto& sizes = view.valid.empty() ? view.shape : view.valid;
        Axes axes = m_axes[view.of.text];
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (emptyWith(symbolic(sizes[i]), m_bound)) axes.insert(sizes.size() - i);
        m_axes[view.out.text] = std::move(axes);
    }

    void take(const CubeStage& stage) {
        Axes out;
        const auto side = [&](const ValueId& of, std::size_t kept, std::size_t place) {
            for (const std::size_t axis : m_axes[of.text]) {
                if (axis == kept) out.insert(place);
                if (axis > 2) out.insert(axis);
            }
        };
        side(stage.a, stage.aTrans ? 1 : 2, 2);
        side(stage.b, stage.bTrans ? 2 : 1, 1);
        m_axes[stage.out.text] = std::move(out);
    }

    void take(const VectorOp& op) {
        using enum VectorOpCode;
        Axes axes;
        const auto rankOf = [&](const Operand& each) -> std::size_t {
            const auto* extents = each.value() == nullptr ? nullptr : m_scope.extentsOf(each.value()->text);
            return extents == nullptr ? 0 : extents->size();
        };
        const auto of = [&](const Operand& each) { return each.value() ? m_axes[each.value()->text] : Axes(); };
        const OpFamily family = opInfo(op.op).family;
        if (family == OpFamily::Elementwise || family == OpFamily::Compare) {
            for (const Operand& each : op.in) axes.merge(of(each));
        } else if (!op.in.empty() && (family == OpFamily::Normalise || op.op == Slice || op.op == ExpandClone ||
                                      op.op == Quantize || op.op == Dequantize || op.op == QuantMx)) {
            axes = of(op.in[0]);
        } else if (!op.in.empty() && (family == OpFamily::Reduction || op.op == Unsqueeze)) {
            const bool longer = op.op == Unsqueeze;
            const auto rank = static_cast<std::int64_t>(rankOf(op.in[0])) + (longer ? 1 : 0);
            const std::int64_t dim = op.dim.value_or(-1), place = dim < 0 ? -dim : rank - dim;
            if (place > 0 && (dim < 0 || rank > dim))
                for (const std::size_t axis : of(op.in[0])) {
                    const auto at = static_cast<std::int64_t>(axis);
                    if (longer)
                        axes.insert(at >= place ? axis + 1 : axis);
                    else if (at != place)
                        axes.insert(at > place && !op.keepDim ? axis - 1 : axis);
                }
        }
        m_axes[op.out.text] = std::move(axes);
    }

    const KernelScope& m_scope;
    SymbolicPtr m_bound;
    std::map<std::string, Axes> m_axes;
};

bool writes(const std::vector<Block>& blocks) {
    return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
        const auto* loop = std::get_if<Loop>(&block.content);
        return std::holds_alternative<Store>(block.content) || (loop != nullptr && writes(loop->body));
    });
}

/// The comparison that holds where another does not.
std::string oppositeOf(const std::string& op) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPairs{
        {{"Gt", "LtE"}, {"Lt", "GtE"}, {"Eq", "NotEq"}}};
    for (const auto& [one, other] : kPairs) {
        if (op == one) return std::string(other);
        if (op == other) return std::string(one);
    }
    return {};
}

}  // namespace

std::optional<bool> BodyReader::decided(const AstNode& test) {
    const auto bounds = test.list("comparators");
    if (!test.is("Compare") || bounds.size() != 1) return std::nullopt;
    const auto a = m_scope.scalar(test["left"]), b = a ? m_scope.scalar(bounds[0]) : std::nullopt;
    const auto by = b ? difference(*a, *b) : std::nullopt;
    if (!by) return std::nullopt;
    const std::string op = test.firstText("ops");
    if (op == "Gt") return *by > 0;
    if (op == "GtE") return *by >= 0;
    if (op == "Lt") return *by < 0;
    if (op == "LtE") return *by <= 0;
    if (op == "Eq") return *by == 0;
    return op == "NotEq" ? std::optional(*by != 0) : std::nullopt;
}

std::optional<SymbolicPtr> BodyReader::guardOf(const AstNode& test, bool opposite) {
    if (test.is("UnaryOp") && test.text("op") == "Not") return guardOf(test["operand"], !opposite);
    if (!test.is("Compare")) return opposite ? std::nullopt : m_scope.scalar(test);  // if n:
    const auto bounds = test.list("comparators");
    if (bounds.size() != 1) return std::nullopt;
    std::string op = test.firstText("ops");
    if (opposite) op = oppositeOf(op);
    auto a = m_scope.scalar(test["left"]), b = m_scope.scalar(bounds[0]);
    if (!a || !b) return std::nullopt;
    if (op == "Lt" || op == "LtE") std::swap(a, b);
    if (op == "Eq" || op.empty()) return std::nullopt;
    // a >= b is a > b - 1
    if (op == "GtE" || op == "LtE") *a = binary(Kind::Add, *a, number(1));
    const auto least = difference(*a, number(0)), most = difference(*b, number(0));
    if (least) return std::nullopt;
    if (most == 0) return tidied(*a);
    const auto same = op == "GtE" || op == "LtE" ? (*a)->arg[0] : nullptr;
    return most == 1 && same != nullptr ? same : tidied(binary(Kind::Sub, *a, *b));
}

bool BodyReader::guarded(const SymbolicPtr& bound, const std::vector<AstNode>& body, std::vector<Block>& blocks,
                         int depth) {
    auto state = std::tie(m_scope, m_ids, m_blockIds, m_views, m_uses, m_readAt, m_runningSums, m_label, m_cubeTile,
                          m_vectorTile, m_cubeTable, m_vectorTable, m_setAxes, m_frames, m_otherFrame, m_matrixSize,
                          m_shape, m_tileSet, m_stages, m_openVector, m_out.design.tensors, m_out.design.options);
    const auto before = std::apply([](const auto&... each) { return std::make_tuple(each...); }, state);
    const std::size_t notes = m_out.notes.size(), guesses = m_out.guesses.size();
    m_openVector = false;
    std::vector<Block> inner;
    statements(body, inner, depth + 1);
    const SymbolicPtr size = peeled(bound);
    EmptyAxes empty(m_scope, size);
    empty.take(blocks);
    bool nothing = writes(inner) && empty.writesNothing(inner);  // without a write: a tile, or values for later
    // Sums of a list run on without what the condition leaves out.
    for (const AstNode& each : body) {
        const auto targets = each.list("targets");
        if (targets.size() != 1 || m_runningSums.count(std::string(targets[0].text("id"))) == 0) continue;
        const auto sum = m_scope.scalar(targets[0]), next = m_scope.scalar(each["value"]);
        nothing = nothing && sum && next && emptyWith(binary(Kind::Sub, *next, *sum), size);
    }
    if (!nothing) {
        state = before;
        m_out.notes.erase(m_out.notes.begin() + static_cast<std::ptrdiff_t>(notes), m_out.notes.end());
        m_out.guesses.erase(m_out.guesses.begin() + static_cast<std::ptrdiff_t>(guesses), m_out.guesses.end());
        return false;
    }
    for (Block& each : inner) blocks.push_back(std::move(each));
    m_openVector = false;
    for (const AstNode& each : body)
        for (const std::string& name : assignedNames(each))
            if (m_runningSums.count(name) == 0) m_scope.forget(name);
    return true;
}

void BodyReader::condition(const AstNode& node, std::vector<Block>& blocks, int depth) {
    if (const auto truth = decided(node["test"])) {
        statements(node.list(*truth ? "body" : "orelse"), blocks, depth + 1);
        return;
    }
    if (readTilesByFactor(node)) return;
    const auto bound = node.list("orelse").empty() ? guardOf(node["test"], false) : std::nullopt;
    if (bound && guarded(*bound, node.list("body"), blocks, depth)) return;
    note(node, "a condition, which designs do not have");
    leaveOut(node, depth);
}

}  // namespace cubist::pypto

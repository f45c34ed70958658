// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/unrolled_forms.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/integer_math.h"
#include "core/design/binding.h"
#include "core/design/block_values.h"
#include "core/design/edit_tree.h"
#include "core/skeleton/design_facts.h"

namespace cubist {
namespace {

constexpr std::int64_t kMostRows = 4096;  ///< a body for each power of two up to here
constexpr std::int64_t kProbedSteps = 3;  ///< iterations in which windows are looked at
constexpr std::int64_t kShortRatio = 4;   ///< between the factors of a short list

bool mentions(const Expression& expression, std::string_view name) {
    return expression.renamed(name, "").text() != expression.text();
}

bool mentions(const std::vector<Expression>& list, std::string_view name) {
    return std::any_of(list.begin(), list.end(), [&](const Expression& one) { return mentions(one, name); });
}

bool mentions(const std::optional<TileTable>& table, std::string_view name) {
    if (!table) return false;
    return mentions(table->value, name) || std::any_of(table->rows.begin(), table->rows.end(), [&](const TileRow& row) {
               return mentions(row.m, name) || mentions(row.k, name) || mentions(row.n, name) ||
                      mentions(row.tile, name);
           });
}

/// Names that a new index or factor must not take.
std::set<std::string> takenNames(const Design& design) {
    std::set<std::string> names;
    for (const Symbol& symbol : design.symbols) names.insert(symbol.id.text);
    for (const List& list : design.lists) names.insert(list.id.text);
    visitTree(design.blocks, [&](const Block& block) {
        const auto* loop = std::get_if<Loop>(&block.content);
        if (loop == nullptr) return;
        names.insert(loop->index);
        names.insert(loop->factor);
    });
    return names;
}

std::string freshName(std::set<std::string>& taken, std::string wanted) {
    while (!taken.insert(wanted).second) wanted += '_';
    return wanted;
}

BlockId freshId(const Design& design, std::string wanted) {
    const auto isTaken = [&] {
        bool found = std::any_of(design.tensors.begin(), design.tensors.end(),
                                 [&](const Tensor& tensor) { return tensor.id.text == wanted; });
        visitTree(design.blocks, [&](const Block& block) { found = found || block.id().text == wanted; });
        return found;
    };
    while (isTaken()) wanted += '_';
    return BlockId(wanted);
}

/// Numbers of the design's default case; indices of the loops around are 0.
class Probe {
public:
    Probe(const Binding* binding, std::string index)
        : m_base(binding != nullptr ? binding->lookup() : Expression::Lookup()), m_index(std::move(index)) {}

    [[nodiscard]] std::optional<std::int64_t> at(const Expression& expression, std::int64_t iteration) const {
        const Expression::Lookup lookup(
            [&](std::string_view name) -> std::optional<std::int64_t> {
                if (name == m_index) return iteration;
                const auto known = m_base(name);
                return known ? known : std::optional<std::int64_t>(0);
            },
            [&](std::string_view name) { return m_base.list(name); });
        const auto value = expression.evaluate(lookup);
        return value ? std::optional(*value) : std::nullopt;
    }

private:
    Expression::Lookup m_base;
    std::string m_index;
};

/// Writes a loop over tiles of rows as one over rows.
class RowsForm {
public:
    RowsForm(const Probe& probe, const Loop& loop, std::int64_t tile, std::string index, std::string factor)
        : m_probe(probe), m_loop(loop), m_tile(tile), m_index(std::move(index)), m_factor(std::move(factor)) {}

    /// False: something moves with the loop in another way.
    bool rewrite(std::vector<Block>& body) {
        bool fits = true;
        visitTree(body, [&](Block& block) { fits = fits && change(block); });
        return fits && m_moved;
    }

private:
    bool change(Block& block) {
        visitResults(block, [&](const ValueId& value) { m_made.insert(value.text); });
        if (auto* view = std::get_if<View>(&block.content)) return changeView(*view);
        if (auto* store = std::get_if<Store>(&block.content)) return changeOffsets(store->offset);
        if (const auto* cube = std::get_if<CubeStage>(&block.content))
            return cube->matrixSize.empty() && !mentions(cube->tileBy, m_loop.index);
        if (const auto* stage = std::get_if<VectorStage>(&block.content))
            return !mentions(stage->tileBy, m_loop.index) &&
                   std::none_of(stage->ops.begin(), stage->ops.end(),
                                [&](const VectorOp& op) { return mentions(op.range, m_loop.index); });
        const auto& loop = std::get<Loop>(block.content);
        return !mentions(loop.axis, m_loop.index) && !mentions(loop.tile, m_loop.index);
    }

    /// Does it advance by the tile with every iteration?
    [[nodiscard]] bool movesByTile(const Expression& offset) const {
        const auto first = m_probe.at(offset, 0);
        for (std::int64_t i = 1; first && i <= kProbedSteps; ++i) {
            const auto next = m_probe.at(offset, i);
            if (!next || *next - *first != i * m_tile) return false;
        }
        return first.has_value();
    }

    /// Is it what is left of the axis, one tile at most?
    [[nodiscard]] bool isTail(const Expression& valid) const {
        for (std::int64_t i = 0; i <= kProbedSteps; ++i) {
            const auto axis = m_probe.at(m_loop.axis, i), rows = m_probe.at(valid, i);
            if (!axis || !rows) return false;
            if (*rows != std::min(m_tile, *axis - i * m_tile) && *rows != m_tile) return false;
        }
        return true;
    }

    [[nodiscard]] Expression moved(const Expression& offset) const {
        const Expression start = offset.renamed(m_loop.index, "0");
        const auto names = start.names();
        const auto lists = start.lists();
        if (names && lists && names->empty() && lists->empty() && m_probe.at(start, 0) == 0) return Expression(m_index);
        return Expression(start.text() + " + " + m_index);
    }

    bool changeOffsets(std::vector<Expression>& offsets) {
        for (Expression& offset : offsets) {
            if (!mentions(offset, m_loop.index)) continue;
            if (!movesByTile(offset)) return false;
            offset = moved(offset);
            m_moved = true;
        }
        return true;
    }

    bool changeView(View& view) {
        // A window of what the body has made has its rows where those begin.
        const bool inner = m_made.contains(view.of.text);
        for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
            Expression* valid = axis < view.valid.size() ? &view.valid[axis] : nullptr;
            Expression* offset = axis < view.offset.size() ? &view.offset[axis] : nullptr;
            const bool moves = offset != nullptr && mentions(*offset, m_loop.index);
            const bool tail = valid != nullptr && mentions(*valid, m_loop.index);
            const bool whole = m_probe.at(view.shape[axis], 0) == m_tile;
            const bool rows = moves || tail || (inner && axis == 0 && whole);
            if (!rows) continue;
            if (!whole || (tail && !isTail(*valid))) return false;
            if (moves && !movesByTile(*offset)) return false;
            if (!moves && (offset == nullptr || m_probe.at(*offset, 0) != 0)) return false;
            view.shape[axis] = Expression(m_factor);
            if (moves) *offset = moved(*offset);
            if (valid != nullptr) *valid = Expression(m_factor);
            m_moved = m_moved || moves;
        }
        if (view.valid == view.shape) view.valid.clear();
        return !mentions(view.valid, m_loop.index) && !mentions(view.offset, m_loop.index);
    }

    const Probe& m_probe;
    const Loop& m_loop;
    std::int64_t m_tile;
    std::string m_index, m_factor;
    std::set<std::string> m_made;  ///< values of the body so far
    bool m_moved = false;
};

/// The tile, and below it powers of two down to 1, each a `ratio`-th of the one before at most.
std::vector<std::int64_t> factorsBelow(std::int64_t tile, std::int64_t ratio) {
    std::vector<std::int64_t> factors{tile};
    std::int64_t power = 1;
    while (power * 2 < tile) power *= 2;
    for (; power > 1; power /= 2)
        if (power * ratio <= factors.back()) factors.push_back(power);
    if (factors.back() != 1) factors.push_back(1);
    return factors;
}

class UnrolledForms {
public:
    explicit UnrolledForms(const Design& design) : m_design(design), m_names(takenNames(design)) {
        if (auto binding = bind(design, {})) m_binding = std::move(binding).value();
    }

    std::vector<UnrolledLoop> find() {
        visit(m_design.blocks);
        return std::move(m_out);
    }

private:
    static bool holdsLoop(const std::vector<Block>& blocks) {
        bool found = false;
        visitTree(blocks, [&](const Block& block) {
            const auto* loop = std::get_if<Loop>(&block.content);
            found = found || (loop != nullptr && loop->form != LoopKind::Static);
        });
        return found;
    }

    void visit(const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            const auto* loop = std::get_if<Loop>(&block.content);
            if (loop == nullptr || loop->form == LoopKind::Unroll) continue;
            if (loop->form == LoopKind::Runtime && holdsMatmul(loop->body) && !holdsLoop(loop->body))
                add(*loop);
            else
                visit(loop->body);
        }
    }

    void add(const Loop& loop) {
        const Probe probe(m_binding ? &*m_binding : nullptr, loop.index);
        UnrolledLoop entry{loop.id, {}};
        const std::int64_t tile = probe.at(loop.tile, 0).value_or(1);
        const std::int64_t axis = probe.at(loop.axis, 0).value_or(0);
        entry.forms.push_back(inTiles(loop, {4, 2, 1}));
        if (tile > 0 && axis / tile >= 8) entry.forms.push_back(inTiles(loop, {8, 4, 2, 1}));
        if (tile > 1 && tile <= kMostRows) addRows(loop, probe, tile, entry.forms);
        m_out.push_back(std::move(entry));
    }

    /// A step takes `factor` iterations: a static loop over them holds the body.
    [[nodiscard]] UnrolledForm inTiles(const Loop& loop, std::vector<std::int64_t> factors) const {
        std::set<std::string> names = m_names;
        const std::string first = freshName(names, loop.index + "_first");
        const std::string factor = freshName(names, loop.index + "_count");
        const std::string step = freshName(names, loop.index + "_step");
        UnrolledForm form{std::move(factors), false, m_design};
        changeLoop(form.design.blocks, loop.id, [&](Loop& one) {
            Loop inner;
            inner.id = freshId(m_design, loop.id.text + "_step");
            inner.form = LoopKind::Static;
            inner.index = step;
            inner.axis = Expression(factor);
            inner.body = std::move(one.body);
            std::string place = "(";
            place += first + " + " + step + ")";
            detail::renameInExpressions(inner.body, loop.index, place);
            one.body.clear();
            one.body.push_back(Block{std::move(inner)});
            if (loop.tile.literal() != 1)
                one.axis = Expression("ceildiv(" + loop.axis.text() + ", " + loop.tile.text() + ")");
            toUnrolled(one, first, factor, form.factors);
        });
        return form;
    }

    void addRows(const Loop& loop, const Probe& probe, std::int64_t tile, std::vector<UnrolledForm>& forms) const {
        std::set<std::string> names = m_names;
        const std::string index = freshName(names, loop.index + "_row"),
                          factor = freshName(names, loop.index + "_rows");
        for (const std::int64_t ratio : {std::int64_t{1}, kShortRatio}) {
            UnrolledForm form{factorsBelow(tile, ratio), true, m_design};
            if (!forms.empty() && forms.back().rows && forms.back().factors == form.factors) continue;
            bool fits = true;
            changeLoop(form.design.blocks, loop.id, [&](Loop& one) {
                fits = RowsForm(probe, loop, tile, index, factor).rewrite(one.body);
                toUnrolled(one, index, factor, form.factors);
            });
            if (!fits) return;
            forms.push_back(std::move(form));
        }
    }

    static void toUnrolled(Loop& loop, const std::string& index, const std::string& factor,
                           const std::vector<std::int64_t>& factors) {
        loop.form = LoopKind::Unroll;
        loop.parallel = false;
        loop.tile = Expression(1);
        loop.index = index;
        loop.factor = factor;
        loop.unroll = factors;
    }

    const Design& m_design;
    std::set<std::string> m_names;
    std::optional<Binding> m_binding;
    std::vector<UnrolledLoop> m_out;
};

}  // namespace

std::vector<UnrolledLoop> unrolledForms(const Design& design) {
    return UnrolledForms(design).find();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/tile_writer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/design/tile_choice.h"

namespace cubist::pypto {
namespace {

using Items = std::vector<PyExpr>;

PyExpr list(const std::vector<std::int64_t>& values) {
    Items items;
    for (const std::int64_t each : values) items.emplace_back(each);
    return PyExpr::list(std::move(items));
}

PyExpr tileCall(const CubeTile& tile) {
    Items items{list(tile.m), list(tile.k), list(tile.n)};
    if (tile.splitK) items.push_back(PyExpr::named("enable_split_k", "True"));
    return PyExpr::call("pypto.set_cube_tile_shapes", std::move(items));
}

PyExpr tileCall(const std::vector<std::int64_t>& tile) {
    Items items;
    for (const std::int64_t each : tile) items.emplace_back(each);
    return PyExpr::call("pypto.set_vec_tile_shapes", std::move(items));
}

std::vector<const Loop*> loopsOf(const KernelPlan& plan, const ResolvedBlock& block) {
    std::vector<const Loop*> loops;
    for (const std::size_t index : block.loops) loops.push_back(plan.resolved().loops[index].loop);
    return loops;
}

/// What a table was asked and what it said, for the reader of the kernel.
std::string choiceText(const TileTable& table, const TileChoice& choice) {
    std::string rows;
    for (const TileRow& row : table.rows) rows += (rows.empty() ? "" : ", ") + std::to_string(row.upTo);
    std::string text = "Tile for " + table.value.text() + " = " + std::to_string(choice.value) + ": ";
    text += choice.row ? "the one up to " + std::to_string(table.rows[*choice.row].upTo) : "beyond the last one";
    return text + " of those for up to " + rows + ".";
}

/// The tile from each factor up, the largest first; one entry where they agree.
template <class Stage>
std::vector<StageTile<decltype(Stage::tile)>> tilesByFactor(const KernelPlan& plan, const Stage& stage,
                                                            const std::vector<const Loop*>& loops) {
    const TileChoice* choice = plan.resolved().tileChoice(stage.id);
    const Stage* own = plan.template givenStage<Stage>(stage.id);
    const auto unrolled =
        std::find_if(loops.rbegin(), loops.rend(), [](const Loop* loop) { return loop->form == LoopKind::Unroll; });
    if (choice == nullptr || own == nullptr || !own->tileBy || !choice->followsFactor || unrolled == loops.rend())
        return {{stage.tile, {}, 1, 1}};
    const Loop& loop = **unrolled;
    std::vector<StageTile<decltype(Stage::tile)>> tiles;
    for (const std::int64_t each : factorsOf(loop)) {
        const Expression::Lookup symbols = plan.resolved().binding.lookup();
        const Expression::Lookup lookup{
            [&](std::string_view name) { return name == loop.factor ? std::optional(each) : symbols(name); },
            [&](std::string_view name) { return symbols.list(name); }};
        auto tile = tileOf(*own, lookup, choice->where);
        if (!tile) continue;
        if (!tiles.empty() && tiles.back().tile == *tile)
            tiles.back().least = each;
        else
            tiles.push_back({*std::move(tile), loop.factor, each, each});
    }
    if (tiles.size() == 1) tiles[0].factor.clear();
    return tiles;
}

/// `write` with the tile of every factor: one call where they agree, else an `if` over the factors.
template <class Stage, class Write>
void writeTiles(const KernelPlan& plan, const Stage& stage, const std::vector<const Loop*>& loops, PythonWriter& out,
                const Write& write) {
    const TileChoice* choice = plan.resolved().tileChoice(stage.id);
    const Stage* own = plan.template givenStage<Stage>(stage.id);
    const auto unrolled =
        std::find_if(loops.rbegin(), loops.rend(), [](const Loop* loop) { return loop->form == LoopKind::Unroll; });
    if (choice == nullptr || own == nullptr || !own->tileBy) {
        write(stage.tile);
        return;
    }
    if (!choice->followsFactor || unrolled == loops.rend()) {
        out.comment(choiceText(*own->tileBy, *choice));
        write(stage.tile);
        return;
    }
    const std::string factor = plan.scalar((*unrolled)->factor);
    const auto tiles = tilesByFactor(plan, stage, loops);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const bool last = i + 1 == tiles.size();
        if (tiles.size() > 1)
            out.line(last ? "else:"
                          : (i == 0 ? "if " : "elif ") + factor + " >= " + std::to_string(tiles[i].least) + ":");
        if (tiles.size() > 1) out.indent();
        write(tiles[i].tile);
        if (tiles.size() > 1) out.dedent();
    }
}

}  // namespace

std::vector<std::int64_t> factorsOf(const Loop& loop) {
    std::vector<std::int64_t> factors = loop.unroll;
    factors.push_back(1);
    std::sort(factors.rbegin(), factors.rend());
    factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
    return factors;
}

std::vector<StageTile<CubeTile>> tilesOf(const KernelPlan& plan, const ResolvedBlock& block, const CubeStage& stage) {
    return tilesByFactor(plan, stage, loopsOf(plan, block));
}

std::vector<StageTile<std::vector<std::int64_t>>> tilesOf(const KernelPlan& plan, const ResolvedBlock& block,
                                                          const VectorStage& stage) {
    return tilesByFactor(plan, stage, loopsOf(plan, block));
}

void writeCubeTile(const KernelPlan& plan, const CubeStage& stage, const std::vector<const Loop*>& loops,
                   PythonWriter& out) {
    writeTiles(plan, stage, loops, out, [&](const CubeTile& tile) { out.statement({}, tileCall(tile)); });
}

void writeVectorTile(const KernelPlan& plan, const VectorStage& stage, const std::vector<const Loop*>& loops,
                     const TileAxes& axes, PythonWriter& out) {
    writeTiles(plan, stage, loops, out,
               [&](const std::vector<std::int64_t>& tile) { out.statement({}, tileCall(tileAlong(tile, axes))); });
}

bool needsOtherTile(const VectorStage& stage, const VectorOp& op, const TileAxes& cut, const TileAxes& set) {
    using enum VectorOpCode;
    if (cut.empty() || cut.size() > stage.tile.size()) return false;
    // More values do no harm to an operation that only changes a shape.
    if (op.op == Slice || op.op == Unsqueeze || op.op == Reshape) return set.size() < cut.size();
    if (cut.size() != set.size()) return true;
    return stage.tileBy ? cut != set : tileAlong(stage.tile, cut) != tileAlong(stage.tile, set);
}

}  // namespace cubist::pypto

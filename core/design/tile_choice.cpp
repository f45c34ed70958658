// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/tile_choice.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/design/block_values.h"
#include "core/design/resolve.h"
#include "core/design/tiles_of_factor.h"

namespace cubist {
namespace {

using Names = std::map<std::string, std::int64_t>;

Unexpected placed(Error error, const std::string& where) {
    if (error.where.empty()) error.where = where;
    return unexpected(std::move(error));
}

struct Picked {
    std::int64_t value = 0;
    std::optional<std::size_t> row;
};

Result<Picked> pick(const TileTable& table, const Expression::Lookup& lookup, const std::string& where) {
    if (table.rows.empty())
        return unexpected(ErrorCode::BadValue, "a tile table needs rows", where + "/rows", "remove the table");
    for (std::size_t i = 1; i < table.rows.size(); ++i)
        if (table.rows[i].upTo <= table.rows[i - 1].upTo)
            return unexpected(ErrorCode::BadValue,
                              "the rows of a tile table ascend; this one ends at " +
                                  std::to_string(table.rows[i].upTo) + ", the one before at " +
                                  std::to_string(table.rows[i - 1].upTo),
                              where + "/rows/" + std::to_string(i) + "/up_to");
    auto value = table.value.evaluate(lookup);
    if (!value) return placed(std::move(value).error(), where + "/value");
    Picked picked{*value, std::nullopt};
    for (std::size_t i = 0; i < table.rows.size() && !picked.row; ++i)
        if (*value <= table.rows[i].upTo) picked.row = i;
    return picked;
}

std::string rowPointer(const std::string& where, std::size_t row) {
    return where + "/rows/" + std::to_string(row);
}

Result<void> take(const std::vector<Expression>& part, const Expression::Lookup& lookup, const std::string& where,
                  std::vector<std::int64_t>& out) {
    if (part.empty()) return {};
    CUBIST_TRY(out, evaluateAll(part, part.size(), lookup, where));
    return {};
}

Unexpected wrongPart(const std::string& part, const std::string& kind, const std::string& where) {
    return unexpected(ErrorCode::BadValue, "the tile of a " + kind + " stage has no '" + part + "'",
                      where + "/" + part);
}

class Chooser {
public:
    Chooser(const Binding& binding, std::vector<TileChoice>& choices)
        : m_lookup(binding.lookup()), m_choices(choices) {}

    /// Another factor than the largest for one loop; tables go.
    void take(const BlockId& loop, std::int64_t factor) {
        m_loop = loop;
        m_factor = factor;
    }

    Result<void> walk(std::vector<Block>& blocks, const std::string& base, const Names& factors) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const std::string where = base + "/" + std::to_string(i);
            if (auto* loop = std::get_if<Loop>(&blocks[i].content)) {
                Names inner = factors;
                if (loop->form == LoopKind::Unroll) {
                    std::int64_t largest = 1;
                    for (const std::int64_t factor : loop->unroll) largest = std::max(largest, factor);
                    inner[loop->factor] = m_factor && loop->id == m_loop ? *m_factor : largest;
                }
                CUBIST_CHECK_OK(walk(loop->body, where + "/body", inner));
            } else if (auto* cube = std::get_if<CubeStage>(&blocks[i].content)) {
                CUBIST_CHECK_OK(choose(*cube, where, factors));
            } else if (auto* vector = std::get_if<VectorStage>(&blocks[i].content)) {
                CUBIST_CHECK_OK(choose(*vector, where, factors));
            }
        }
        return {};
    }

private:
    template <class Stage>
    Result<void> choose(Stage& stage, const std::string& where, const Names& factors) {
        if (!stage.tileBy) return {};
        const Expression::Lookup lookup = withFactors(factors);
        CUBIST_TRY(const Picked picked, pick(*stage.tileBy, lookup, where + "/tile_by"));
        TileChoice choice;
        choice.block = stage.id;
        choice.where = where;
        choice.value = picked.value;
        choice.row = picked.row;
        keep(stage, choice);
        std::vector<const std::vector<Expression>*> used;
        const std::vector<Expression> value{stage.tileBy->value};
        used.push_back(&value);
        for (const TileRow& row : stage.tileBy->rows)
            for (const auto* part : {&row.m, &row.k, &row.n, &row.tile}) used.push_back(part);
        for (const auto* part : used)
            for (const Expression& expression : *part) {
                CUBIST_TRY(const auto names, expression.names());
                for (const std::string& name : names) choice.followsFactor |= factors.contains(name);
            }
        if (picked.row) {
            const TileRow& row = stage.tileBy->rows[*picked.row];
            for (const auto& [name, part] :
                 {std::pair{"m", &row.m}, std::pair{"k", &row.k}, std::pair{"n", &row.n}, std::pair{"tile", &row.tile}})
                if (!part->empty()) choice.parts.emplace_back(name);
        }
        CUBIST_TRY(stage.tile, tileOf(stage, lookup, where));
        m_choices.push_back(std::move(choice));
        if (m_factor) stage.tileBy.reset();
        return {};
    }

    static void keep(const CubeStage& stage, TileChoice& choice) { choice.ownCube = stage.tile; }
    static void keep(const VectorStage& stage, TileChoice& choice) { choice.ownVector = stage.tile; }

    [[nodiscard]] Expression::Lookup withFactors(const Names& factors) const {
        return {[outer = m_lookup, factors](std::string_view name) -> std::optional<std::int64_t> {
                    if (const auto found = factors.find(std::string(name)); found != factors.end())
                        return found->second;
                    return outer(name);
                },
                [outer = m_lookup](std::string_view name) { return outer.list(name); }};
    }

    Expression::Lookup m_lookup;
    std::vector<TileChoice>& m_choices;
    BlockId m_loop;
    std::optional<std::int64_t> m_factor;
};

}  // namespace

std::string TileChoice::place(const std::string& pointer) const {
    const std::string own = where + "/tile";
    if (!row || (pointer != own && !pointer.starts_with(own + "/"))) return pointer;
    const std::string given = rowPointer(where + "/tile_by", *row);
    const std::string rest = pointer.substr(own.size());
    const bool vector = std::find(parts.begin(), parts.end(), "tile") != parts.end();
    if (vector) return given + "/tile" + rest;
    if (rest.empty()) return given;
    const std::string part = rest.substr(1, rest.find('/', 1) - 1);
    return std::find(parts.begin(), parts.end(), part) != parts.end() ? given + rest : pointer;
}

Result<CubeTile> tileOf(const CubeStage& stage, const Expression::Lookup& lookup, const std::string& where) {
    CubeTile tile = stage.tile;
    if (!stage.tileBy) return tile;
    CUBIST_TRY(const Picked picked, pick(*stage.tileBy, lookup, where + "/tile_by"));
    if (!picked.row) return tile;
    const TileRow& row = stage.tileBy->rows[*picked.row];
    const std::string at = rowPointer(where + "/tile_by", *picked.row);
    if (!row.tile.empty()) return wrongPart("tile", "cube", at);
    CUBIST_CHECK_OK(take(row.m, lookup, at + "/m", tile.m));
    CUBIST_CHECK_OK(take(row.k, lookup, at + "/k", tile.k));
    CUBIST_CHECK_OK(take(row.n, lookup, at + "/n", tile.n));
    return tile;
}

Result<std::vector<std::int64_t>> tileOf(const VectorStage& stage, const Expression::Lookup& lookup,
                                         const std::string& where) {
    std::vector<std::int64_t> tile = stage.tile;
    if (!stage.tileBy) return tile;
    CUBIST_TRY(const Picked picked, pick(*stage.tileBy, lookup, where + "/tile_by"));
    if (!picked.row) return tile;
    const TileRow& row = stage.tileBy->rows[*picked.row];
    const std::string at = rowPointer(where + "/tile_by", *picked.row);
    for (const auto& [name, part] : {std::pair{"m", &row.m}, std::pair{"k", &row.k}, std::pair{"n", &row.n}})
        if (!part->empty()) return wrongPart(name, "vector", at);
    CUBIST_CHECK_OK(take(row.tile, lookup, at + "/tile", tile));
    return tile;
}

bool hasTileTables(const std::vector<Block>& blocks) {
    return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) return hasTileTables(loop->body);
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) return cube->tileBy.has_value();
        if (const auto* vector = std::get_if<VectorStage>(&block.content)) return vector->tileBy.has_value();
        return false;
    });
}

Result<Design> withChosenTiles(const Design& design, const Binding& binding, std::vector<TileChoice>& choices) {
    Design chosen = design;
    Chooser chooser(binding, choices);
    CUBIST_CHECK_OK(chooser.walk(chosen.blocks, "/blocks", {}));
    return chosen;
}

Result<Design> withTilesOfFactor(const Design& design, const Binding& binding, const BlockId& loop, std::int64_t factor,
                                 std::vector<TileChoice>& choices) {
    Design chosen = design;
    Chooser chooser(binding, choices);
    chooser.take(loop, factor);
    CUBIST_CHECK_OK(chooser.walk(chosen.blocks, "/blocks", {}));
    return chosen;
}

Design withOwnTiles(const Design& chosen, const std::vector<TileChoice>& choices) {
    Design own = chosen;
    visitTree(own.blocks, [&](Block& block) {
        const auto choice = std::find_if(choices.begin(), choices.end(),
                                         [&](const TileChoice& entry) { return entry.block == block.id(); });
        if (choice == choices.end()) return;
        if (auto* cube = std::get_if<CubeStage>(&block.content)) cube->tile = choice->ownCube;
        if (auto* vector = std::get_if<VectorStage>(&block.content)) vector->tile = choice->ownVector;
    });
    return own;
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "core/design/vector_op_info.h"
#include "core/exchange/pypto/import/body_reader.h"

namespace cubist::pypto {
namespace {

/// The largest factor for which the comparison is false (`>=`, `>`) or true (`<=`, `<`).
struct Bound {
    std::string factor;
    std::int64_t last = 0;
    bool above = false;  ///< the branch is for what lies beyond `last`
};

std::optional<Bound> boundOf(const AstNode& test) {
    const auto ops = test.list("comparators");
    if (!test.is("Compare") || ops.size() != 1) return std::nullopt;
    const auto value = ops[0].integer();
    const std::string factor(test["left"].text("id"));
    const std::string op = test.firstText("ops");
    if (!value || factor.empty()) return std::nullopt;
    if (op == "GtE") return Bound{factor, *value - 1, true};
    if (op == "Gt") return Bound{factor, *value, true};
    if (op == "Lt") return Bound{factor, *value - 1, false};
    if (op == "LtE") return Bound{factor, *value, false};
    return std::nullopt;
}

/// The only call of a branch.
AstNode onlyCall(const std::vector<AstNode>& body) {
    if (body.size() != 1 || !body[0].is("Expr") || !body[0]["value"].is("Call")) return AstNode();
    return body[0]["value"];
}

std::vector<Expression> expressions(const std::vector<std::int64_t>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

std::optional<std::vector<std::int64_t>> BodyReader::numbersOf(const AstNode& list) {
    if (!list.is("List") && !list.is("Tuple")) return std::nullopt;
    std::vector<std::int64_t> out;
    for (const AstNode& each : list.list("elts")) {
        const auto tree = m_scope.scalar(each);
        const auto value = tree ? literal(tidied(*tree)) : std::nullopt;
        if (!value) return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

std::optional<CubeTile> BodyReader::cubeTileOf(const AstNode& call) {
    auto m = numbersOf(call.argument(0, "m")), k = numbersOf(call.argument(1, "k")),
         n = numbersOf(call.argument(2, "n"));
    if (!m || !k || !n) return std::nullopt;
    CubeTile tile;
    tile.m = *std::move(m);
    tile.k = *std::move(k);
    tile.n = *std::move(n);
    tile.splitK = flagOf(call, call.argument(3, "enable_split_k"), "enable_split_k");
    noteOtherKeywords(call, {"m", "k", "n", "enable_split_k"});
    return tile;
}

bool BodyReader::takeFactorTile(const AstNode& call) {
    std::string factor;
    CubeTile tile;
    TileRow row;
    const auto read = [&](std::size_t place, const char* name, std::vector<std::int64_t>& largest,
                          std::vector<Expression>& each) {
        largest.clear();
        bool follows = false;
        for (const AstNode& part : call.argument(place, name).list("elts")) {
            const auto tree = m_scope.scalar(part);
            if (!tree) return false;
            for (const std::string& used : namesIn(tidied(*tree))) {
                if (!m_scope.isFactor(pypto::name(used)) || (!factor.empty() && used != factor)) return false;
                factor = used;
                follows = true;
            }
            const auto most = literal(folded(
                *tree, [&](const std::string& used) { return m_scope.declaredExtent(pypto::name(used)); },
                [](const auto&, const auto&) { return nullptr; }));
            if (!most) return false;
            largest.push_back(*most);
            each.push_back(expressionOf(*tree));
        }
        if (!follows) each.clear();
        return !largest.empty();
    };
    if (!read(0, "m", tile.m, row.m) || !read(1, "k", tile.k, row.k) || !read(2, "n", tile.n, row.n)) return false;
    if (factor.empty()) return false;
    tile.splitK = flagOf(call, call.argument(3, "enable_split_k"), "enable_split_k");
    noteOtherKeywords(call, {"m", "k", "n", "enable_split_k"});
    row.upTo = *m_scope.declaredExtent(pypto::name(factor));
    TileTable table;
    table.value = Expression(factor);
    table.rows.push_back(std::move(row));
    m_cubeTile = std::move(tile);
    m_cubeTable = std::move(table);
    return true;
}

std::optional<std::vector<std::int64_t>> BodyReader::vectorTileOf(const AstNode& call) {
    std::vector<std::int64_t> tile;
    for (const AstNode& each : call.list("args")) {
        if (each.is("Starred")) {
            const auto several = numbersOf(each["value"]);
            if (!several) return std::nullopt;
            tile.insert(tile.end(), several->begin(), several->end());
            continue;
        }
        const auto tree = m_scope.scalar(each);
        const auto value = tree ? literal(tidied(*tree)) : std::nullopt;
        if (!value) return std::nullopt;
        tile.push_back(*value);
    }
    return tile;
}

void BodyReader::takeVectorTile(std::vector<std::int64_t> tile, std::optional<TileTable> table) {
    // The same values for another rank or for exchanged axes belong to the stage that is open.
    std::vector<TileAxes> frames = m_frames;
    if (m_otherFrame) frames.insert(frames.begin(), *m_otherFrame);
    if (tile.size() <= m_vectorTile.size()) frames.push_back(firstTileAxes(tile.size()));
    const auto fits = [&](const TileAxes& frame) {
        return frame.size() == tile.size() && tileAlong(m_vectorTile, frame) == tile;
    };
    const auto frame = std::find_if(frames.begin(), frames.end(), fits);
    if (m_openVector && frame != frames.end() && tileAlong(m_vectorTile, m_setAxes) != tile) {
        m_setAxes = *frame;
        m_otherFrame.reset();
        return;
    }
    noteUnusedTile();
    m_setAxes = firstTileAxes(tile.size());
    m_vectorTile = std::move(tile);
    m_vectorTable = std::move(table);
    m_openVector = false;
}

void BodyReader::noteUnusedTile() {
    if (m_tileSet.exists())
        guess(m_tileSet,
              "a tile for what designs cut by none, as views, reshapes and stores are: " + lineOf(m_tileSet));
    m_tileSet = AstNode();
}

void BodyReader::addVectorOp(VectorOp op, std::vector<Block>& blocks) {
    using enum VectorOpCode;
    const bool shapeOnly = op.op == Slice || op.op == Unsqueeze || op.op == Reshape;
    const bool open = m_openVector && !blocks.empty() && std::holds_alternative<VectorStage>(blocks.back().content);
    if (!open || (m_otherFrame && !shapeOnly)) {
        // A stage that begins under a tile of other axes has these values as its own.
        if (m_setAxes != firstTileAxes(m_vectorTile.size())) {
            if (m_vectorTable)
                for (TileRow& row : m_vectorTable->rows) {
                    const std::vector<Expression> own = std::move(row.tile);
                    row.tile.clear();
                    for (const std::size_t entry : m_setAxes)
                        if (entry < own.size()) row.tile.push_back(own[entry]);
                }
            m_vectorTile = tileAlong(m_vectorTile, m_setAxes);
            m_setAxes = firstTileAxes(m_vectorTile.size());
        }
        m_frames.clear();
        m_otherFrame.reset();
        m_tileSet = AstNode();
        VectorStage stage;
        stage.id = stageId("v", stage.label);
        stage.tile = m_vectorTile;
        stage.tileBy = m_vectorTable;
        blocks.push_back({std::move(stage)});
        m_openVector = true;
    }
    TileAxes frame = m_setAxes;
    const auto set = tileAlong(m_vectorTile, frame);
    if (op.op == Transpose) {
        if (const auto swapped = transposedAxes(op, frame.size()))
            std::swap(frame[swapped->first], frame[swapped->second]);
    } else if (opInfo(op.op).family == OpFamily::Reduction && !op.keepDim) {
        if (const auto axis = axisOf(op, frame.size())) frame.erase(frame.begin() + static_cast<std::ptrdiff_t>(*axis));
    }
    if (frame != m_setAxes) {
        const auto along = tileAlong(m_vectorTile, frame);
        if (!std::equal(along.begin(), along.end(), set.begin())) m_otherFrame = frame;
        m_frames.push_back(std::move(frame));
    }
    std::get<VectorStage>(blocks.back().content).ops.push_back(std::move(op));
}

bool BodyReader::readTilesByFactor(const AstNode& node) {
    std::vector<std::pair<std::int64_t, AstNode>> rows;  // up to this factor
    std::string factor;
    bool above = false;
    AstNode branch = node, rest;
    while (true) {
        const auto bound = boundOf(branch["test"]);
        const AstNode call = onlyCall(branch.list("body"));
        const bool first = factor.empty();
        if (!bound || !call.exists() || (!first && (bound->factor != factor || bound->above != above))) return false;
        factor = bound->factor;
        above = bound->above;
        rows.emplace_back(bound->last, call);
        const auto other = branch.list("orelse");
        if (other.size() == 1 && other[0].is("If")) {
            branch = other[0];
            continue;
        }
        rest = onlyCall(other);
        if (!rest.exists()) return false;
        break;
    }
    if (!m_scope.isFactor(pypto::name(factor))) return false;
    // `>=` from the top: each branch is for what lies above its bound, the last one for the smallest factors.
    AstNode largest = rest;
    if (above) {
        largest = rows.front().second;
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) rows[i].second = rows[i + 1].second;
        rows.back().second = rest;
        std::reverse(rows.begin(), rows.end());
    }
    if (!std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; }))
        return false;
    TileTable table;
    table.value = Expression(factor);
    const bool cube = pyptoFunction(largest) == "set_cube_tile_shapes";
    const auto own = cube ? cubeTileOf(largest) : std::nullopt;
    auto wide = cube ? std::nullopt : vectorTileOf(largest);
    if (!own && (!wide || pyptoFunction(largest) != "set_vec_tile_shapes")) return false;
    for (const auto& [last, call] : rows) {
        if (pyptoFunction(call) != pyptoFunction(largest)) return false;
        TileRow row;
        row.upTo = last;
        if (cube) {
            const auto tile = cubeTileOf(call);
            if (!tile || tile->splitK != own->splitK) return false;
            row.m = expressions(tile->m);
            row.k = expressions(tile->k);
            row.n = expressions(tile->n);
        } else {
            const auto tile = vectorTileOf(call);
            if (!tile) return false;
            row.tile = expressions(*tile);
        }
        table.rows.push_back(std::move(row));
    }
    if (cube) {
        m_cubeTile = *own;
        m_cubeTable = std::move(table);
    } else {
        takeVectorTile(*std::move(wide), std::move(table));
    }
    return true;
}

}  // namespace cubist::pypto

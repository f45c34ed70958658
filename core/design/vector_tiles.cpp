// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/vector_tiles.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "core/design/vector_op_info.h"

namespace cubist {
namespace {

class Follower {
public:
    explicit Follower(const RankOf& rankOf) : m_rankOf(rankOf) {}

    OpTileAxes follow(const VectorOp& op) {
        using enum VectorOpCode;
        const std::size_t rank = m_rankOf(op.out);
        OpTileAxes axes;
        axes.out = followed(op, rank);
        axes.cut = axes.out;
        if (op.in.empty() || op.in[0].value() == nullptr) return axes;
        const TileAxes source = of(op, 0);
        if (op.op == Transpose) {
            axes = {source, source, 0};
            if (const auto swapped = transposedAxes(op, source.size()))
                std::swap(axes.out[swapped->first], axes.out[swapped->second]);
        } else if (opInfo(op.op).family == OpFamily::Reduction) {
            axes = {source, source, 0};
            const auto axis = axisOf(op, source.size());
            if (axis && rank < source.size()) axes.out.erase(axes.out.begin() + static_cast<std::ptrdiff_t>(*axis));
        } else if (op.op == Gather && op.in.size() > 1) {
            axes.operand = 1;
        } else if (op.op == Scatter || op.op == TopK || op.op == Argsort || op.op == IndexAdd) {
            axes.out = axes.cut = source;
            axes.operand = op.op == IndexAdd ? 2 : 0;
        } else if (op.op == IndexPut) {
            // The source has one axis in the place of all that the indices pick along.
            axes.out = axes.cut = source;
            const std::size_t picked = std::min(op.in.size() - 2, source.size());
            if (picked > 1)
                axes.cut.erase(axes.cut.begin() + 1, axes.cut.begin() + static_cast<std::ptrdiff_t>(picked));
            axes.operand = static_cast<int>(op.in.size()) - 1;
        } else if (op.op == Unsqueeze && source != firstTileAxes(source.size())) {
            const auto axis = axisOf(op, rank);
            axes.out = source;
            if (axis && *axis <= source.size())
                axes.out.insert(axes.out.begin() + static_cast<std::ptrdiff_t>(*axis), kNotTiled);
            axes.cut = axes.out;
        } else if (op.op == Reshape) {
            axes.out = firstTileAxes(rank);
            axes.cut = firstTileAxes(std::max(rank, source.size()));
        }
        return axes;
    }

    void keep(const VectorOp& op, const TileAxes& out) {
        m_known[op.out.text] = out;
        if (!op.out2.empty() && m_rankOf(op.out2) == out.size()) m_known[op.out2.text] = out;
    }

private:
    [[nodiscard]] TileAxes of(const VectorOp& op, std::size_t operand) const {
        const ValueId& id = *op.in[operand].value();
        const auto known = m_known.find(id.text);
        return known != m_known.end() ? known->second : firstTileAxes(m_rankOf(id));
    }

    [[nodiscard]] TileAxes followed(const VectorOp& op, std::size_t rank) const {
        const TileAxes first = firstTileAxes(rank);
        for (std::size_t i = 0; i < op.in.size(); ++i) {
            if (op.in[i].value() == nullptr) continue;
            TileAxes axes = of(op, i);
            if (axes.size() == rank && axes != first) return axes;
        }
        return first;
    }

    const RankOf& m_rankOf;
    std::map<std::string, TileAxes> m_known;  ///< of the stage's results
};

}  // namespace

TileAxes firstTileAxes(std::size_t rank) {
    TileAxes axes(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    return axes;
}

std::vector<OpTileAxes> tileAxes(const VectorStage& stage, const RankOf& rankOf) {
    std::vector<OpTileAxes> all;
    Follower follower(rankOf);
    for (const VectorOp& op : stage.ops) {
        all.push_back(follower.follow(op));
        follower.keep(op, all.back().out);
    }
    return all;
}

std::vector<std::int64_t> tileAlong(const std::vector<std::int64_t>& tile, const TileAxes& axes) {
    std::vector<std::int64_t> along;
    for (const std::size_t axis : axes) along.push_back(axis < tile.size() ? tile[axis] : 1);
    return along;
}

}  // namespace cubist

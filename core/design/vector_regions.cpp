// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/design/vector_op_info.h"
#include "core/design/vector_plan.h"

namespace cubist::detail {
namespace {

constexpr std::uint16_t kNone = PlanOp::kNumber;

Region whole(const PlanValue& value) {
    return {std::vector<std::int64_t>(value.shape.size(), 0), value.shape};
}

/// operandRegion of the family Whole.
std::optional<Region> wholeRegion(const VectorPlan& plan, const PlanOp& op, std::size_t operand, const Region& out) {
    using enum VectorOpCode;
    const PlanValue& in = plan.values[op.in[operand]];
    Region region = whole(in);
    if (op.op == FillPad || (op.op == Gather && operand == 1)) return out;
    if (op.op == IndexSelect) {
        const std::size_t width = op.traits.indexRank;
        const auto first = static_cast<std::ptrdiff_t>(op.axis);
        if (operand == 1) {
            std::copy_n(out.offset.begin() + first, width, region.offset.begin());
            std::copy_n(out.extent.begin() + first, width, region.extent.begin());
            return region;
        }
        for (std::size_t axis = 0; axis < in.shape.size(); ++axis) {
            if (axis == op.axis) continue;
            const std::size_t from = axis < op.axis ? axis : axis + width - 1;
            region.offset[axis] = out.offset[from];
            region.extent[axis] = out.extent[from];
        }
        return region;
    }
    if ((op.op == IndexAdd || op.op == IndexPut) && operand == 1) return region;
    if (op.op == IndexPut && op.traits.indexRank > 1) {
        // The source has one axis in the place of all that the indices pick along.
        const std::size_t picked = op.traits.indexRank, lost = operand == 2 ? picked - 1 : 0;
        for (std::size_t axis = picked - lost; axis < in.shape.size(); ++axis) {
            region.offset[axis] = out.offset[axis + lost];
            region.extent[axis] = out.extent[axis + lost];
        }
        return region;
    }
    for (std::size_t axis = 0; axis < std::min(in.shape.size(), out.offset.size()); ++axis) {
        if (axis == op.axis) continue;
        const std::int64_t end = std::min(out.offset[axis] + out.extent[axis], in.shape[axis]);
        if (out.offset[axis] >= end) return std::nullopt;
        region.offset[axis] = out.offset[axis];
        region.extent[axis] = end - out.offset[axis];
    }
    return region;
}

/// The part of operand number `operand` of `op` that makes `out` of the result; nothing if it is not touched.
std::optional<Region> operandRegion(const VectorPlan& plan, const PlanOp& op, std::size_t operand, const Region& out) {
    const PlanValue& in = plan.values[op.in[operand]];
    Region region = out;
    const OpFamily family = opInfo(op.op).family;
    if (family == OpFamily::Elementwise || family == OpFamily::Compare || op.op == VectorOpCode::ExpandClone) {
        for (std::size_t axis = 0; axis < in.shape.size(); ++axis)
            if (in.shape[axis] == 1) region.offset[axis] = 0, region.extent[axis] = 1;
        return region;
    }
    if (family == OpFamily::Whole) return wholeRegion(plan, op, operand, out);
    if (family == OpFamily::Reduction) {
        region.offset[op.axis] = 0;
        region.extent[op.axis] = in.shape[op.axis];
        return region;
    }
    const auto axis = static_cast<std::ptrdiff_t>(op.axis);
    if (op.op == VectorOpCode::Slice) {
        for (std::size_t i = 0; i < op.offset.size(); ++i) region.offset[i] += op.offset[i];
    } else if (op.op == VectorOpCode::Transpose) {
        std::swap(region.offset[op.swapped.first], region.offset[op.swapped.second]);
        std::swap(region.extent[op.swapped.first], region.extent[op.swapped.second]);
    } else if (op.op == VectorOpCode::Unsqueeze) {
        region.offset.erase(region.offset.begin() + axis);
        region.extent.erase(region.extent.begin() + axis);
    } else if (op.dropsAxis) {
        region.offset.insert(region.offset.begin() + axis, 0);
        region.extent.insert(region.extent.begin() + axis, 1);
    } else if (op.op == VectorOpCode::Reshape) {
        region = whole(in);
    } else {  // concat
        std::int64_t start = 0;
        for (std::size_t i = 0; i < operand; ++i) start += plan.values[op.in[i]].shape[op.axis];
        const std::int64_t begin = std::max(out.offset[op.axis] - start, std::int64_t{0});
        const std::int64_t end = std::min(out.offset[op.axis] + out.extent[op.axis] - start, in.shape[op.axis]);
        if (begin >= end) return std::nullopt;
        region.offset[op.axis] = begin;
        region.extent[op.axis] = end - begin;
    }
    return region;
}

}  // namespace

Region gatheredRegion(const VectorPlan& plan, const PlanOp& op, const Region& out) {
    return wholeRegion(plan, op, 0, out).value_or(whole(plan.values[op.in[0]]));
}

void extend(std::optional<Region>& region, const Region& more) {
    if (!region) {
        region = more;
        return;
    }
    for (std::size_t axis = 0; axis < more.offset.size(); ++axis) {
        const std::int64_t end =
            std::max(region->offset[axis] + region->extent[axis], more.offset[axis] + more.extent[axis]);
        region->offset[axis] = std::min(region->offset[axis], more.offset[axis]);
        region->extent[axis] = end - region->offset[axis];
    }
}

namespace {

/// The result whose shape is the space.
std::uint16_t largestOf(const VectorPlan& plan, const std::vector<std::uint16_t>& outputs) {
    const auto size = [&](std::uint16_t value) {
        // Compared only; a design that is being checked may have extents of any size.
        double count = 1;
        for (const std::int64_t extent : plan.values[value].shape) count *= static_cast<double>(extent);
        return count;
    };
    return *std::max_element(outputs.begin(), outputs.end(),
                             [&](std::uint16_t a, std::uint16_t b) { return size(a) < size(b); });
}

TileAxes axesOf(const PlanValue& value) {
    return value.tiled.size() == value.shape.size() ? value.tiled : firstTileAxes(value.shape.size());
}

/// Entries of the stage's tile that cut a reduced axis, and into how many pieces at most.
struct ReducedAxes {
    std::vector<std::size_t> entries;
    std::int64_t pieces = 1;
};

ReducedAxes reducedAxes(const VectorStage& stage, const VectorPlan& plan) {
    ReducedAxes reduced;
    for (const VectorOp& op : stage.ops) {
        const OpFamily family = opInfo(op.op).family;
        if (family != OpFamily::Reduction && family != OpFamily::Normalise) continue;
        const ValueId* operand = op.in[0].value();
        const auto found = operand != nullptr ? plan.find(*operand) : std::nullopt;
        if (!found) continue;
        const PlanValue& source = plan.values[*found];
        const auto axis = axisOf(op, source.shape.size());
        if (!axis) continue;
        const std::size_t entry = axesOf(source)[*axis];
        if (entry >= stage.tile.size()) continue;
        reduced.entries.push_back(entry);
        reduced.pieces = std::max(reduced.pieces, ceilDiv(source.shape[*axis], stage.tile[entry]));
    }
    return reduced;
}

}  // namespace

std::vector<std::int64_t> outputSpace(const VectorPlan& plan, const std::vector<std::uint16_t>& outputs) {
    return plan.values[largestOf(plan, outputs)].shape;
}

std::vector<std::int64_t> outputTile(const VectorStage& stage, const VectorPlan& plan,
                                     const std::vector<std::uint16_t>& outputs, ReducedTile reduced) {
    const PlanValue& largest = plan.values[largestOf(plan, outputs)];
    const std::vector<std::int64_t>& space = largest.shape;
    const std::size_t rank = space.size();
    TileAxes axes = axesOf(largest);
    // A forced run may have a tile of the result's rank only.
    const auto missing = [&](std::size_t entry) { return entry != kNotTiled && entry >= stage.tile.size(); };
    if (std::any_of(axes.begin(), axes.end(), missing)) axes = firstTileAxes(rank);
    std::vector<std::int64_t> tile = tileAlong(stage.tile, axes);
    if (reduced == ReducedTile::SameSize) {
        const ReducedAxes cut = reducedAxes(stage, plan);
        std::int64_t pieces = cut.pieces;
        for (std::size_t axis = 0; axis < rank && pieces > 1; ++axis) {
            if (std::find(cut.entries.begin(), cut.entries.end(), axes[axis]) != cut.entries.end()) continue;
            const std::int64_t whole = std::min(tile[axis], space[axis]);
            // Rows stay whole bursts of 32 bytes.
            const std::int64_t granule = axis + 1 == rank ? 256 / bitsPerElement(largest.dtype) : 1;
            tile[axis] = std::min(whole, roundUp(ceilDiv(whole, pieces), granule));
            pieces = ceilDiv(pieces, std::max<std::int64_t>(1, whole / tile[axis]));
        }
    }
    const auto regions = outputRegions(plan, outputs, space, std::vector<std::int64_t>(rank, 0), tile);
    if (!regions) return tile;
    std::vector<std::optional<Region>> wanted(plan.values.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if ((*regions)[i]) wanted[outputs[i]] = (*regions)[i];
    const auto needed = demand(plan, wanted);
    for (const std::uint16_t output : outputs) {
        const TileAxes own = axesOf(plan.values[output]);
        for (std::size_t axis = 0; axis < own.size() && own.size() == rank; ++axis) {
            if (!wanted[output] || needed[output]->extent[axis] <= wanted[output]->extent[axis]) continue;
            const auto place = std::find(axes.begin(), axes.end(), own[axis]) - axes.begin();
            const std::size_t of = static_cast<std::size_t>(place) < rank ? static_cast<std::size_t>(place) : axis;
            tile[of] = space[of];
        }
    }
    return tile;
}

std::optional<Region> outputRegion(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& space,
                                   const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& tile) {
    Region region;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool cutHere = shape[axis] == space[axis];
        if (!cutHere && at[axis] != 0) return std::nullopt;
        region.offset.push_back(cutHere ? at[axis] : 0);
        region.extent.push_back(cutHere ? std::min(tile[axis], shape[axis] - at[axis]) : shape[axis]);
    }
    return region;
}

namespace {

/// The region of an output of another rank than the space: scales go with their data, an axis that was dropped with
/// what it was dropped from.
std::optional<Region> followed(const VectorPlan& plan, std::uint16_t output, const std::vector<std::int64_t>& space,
                               const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& tile,
                               bool& known) {
    for (const PlanOp& op : plan.ops) {
        const bool scales = op.op == VectorOpCode::QuantMx && op.traits.step == VectorStep::Scales;
        if (op.out != output || (!scales && !op.dropsAxis)) continue;
        const PlanValue& source = plan.values[op.in[0]];
        if (source.shape.size() != space.size()) continue;
        known = true;
        std::optional<Region> region = outputRegion(source.shape, space, at, tile);
        if (!region) return region;
        if (scales) {
            region->offset[op.axis] = 0;
            region->extent[op.axis] = plan.values[output].shape[op.axis];
            region->offset.push_back(0);
            region->extent.push_back(2);
        } else {
            region->offset.erase(region->offset.begin() + static_cast<std::ptrdiff_t>(op.axis));
            region->extent.erase(region->extent.begin() + static_cast<std::ptrdiff_t>(op.axis));
        }
        return region;
    }
    known = false;
    return std::nullopt;
}

/// `values` along the axes of a tensor whose tile entries come in another order.
std::vector<std::int64_t> turned(const std::vector<std::int64_t>& values, const TileAxes& from, const TileAxes& to) {
    std::vector<std::int64_t> out;
    for (const std::size_t entry : to)
        out.push_back(values[static_cast<std::size_t>(std::find(from.begin(), from.end(), entry) - from.begin())]);
    return out;
}

}  // namespace

std::optional<std::vector<std::optional<Region>>> outputRegions(const VectorPlan& plan,
                                                                const std::vector<std::uint16_t>& outputs,
                                                                const std::vector<std::int64_t>& space,
                                                                const std::vector<std::int64_t>& at,
                                                                const std::vector<std::int64_t>& tile) {
    std::vector<std::optional<Region>> regions;
    const TileAxes axes = axesOf(plan.values[largestOf(plan, outputs)]);
    for (const std::uint16_t output : outputs) {
        const PlanValue& value = plan.values[output];
        const TileAxes own = axesOf(value);
        bool known = true;
        if (value.shape.size() != space.size())
            regions.push_back(followed(plan, output, space, at, tile, known));
        else if (own != axes && std::is_permutation(own.begin(), own.end(), axes.begin(), axes.end()))
            regions.push_back(
                outputRegion(value.shape, turned(space, axes, own), turned(at, axes, own), turned(tile, axes, own)));
        else
            regions.push_back(outputRegion(value.shape, space, at, tile));
        if (!known) return std::nullopt;
    }
    return regions;
}

std::vector<std::optional<Region>> demand(const VectorPlan& plan, std::vector<std::optional<Region>> wanted) {
    for (auto op = plan.ops.rbegin(); op != plan.ops.rend(); ++op) {
        if (!wanted[op->out]) continue;
        // A reshape in general is made as a whole.
        if (op->op == VectorOpCode::Reshape && !op->dropsAxis) wanted[op->out] = whole(plan.values[op->out]);
        if (keepsAxisWhole(op->op)) {
            const std::vector<std::int64_t>& shape = plan.values[op->out].shape;
            const std::size_t axes = op->op == VectorOpCode::IndexPut ? op->traits.indexRank : 1;
            for (std::size_t axis = op->axis; axis < op->axis + axes; ++axis) {
                wanted[op->out]->offset[axis] = 0;
                wanted[op->out]->extent[axis] = shape[axis];
            }
            if (op->traits.step == VectorStep::Scales) {
                wanted[op->out]->offset.back() = 0;
                wanted[op->out]->extent.back() = 2;
            }
        }
        for (std::size_t i = 0; i < op->in.size(); ++i)
            if (op->in[i] != kNone)
                if (const auto region = operandRegion(plan, *op, i, *wanted[op->out]);
                    region && !(op->traits.fromGm && i == 0))
                    extend(wanted[op->in[i]], *region);
    }
    return wanted;
}

}  // namespace cubist::detail

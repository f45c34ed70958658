// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/design/indexed_store.h"
#include "core/design/vector_op_info.h"
#include "core/design/vector_plan.h"
#include "core/lowering/group_key.h"
#include "core/lowering/lowerer.h"

namespace cubist::detail {
namespace {

constexpr std::uint16_t kNone = Instruction::kNone;

static_assert(kNone == PlanOp::kNumber && kMaxOperands == kMaxPlanOperands);

Held heldPart(const PlanValue& value, const Region& region) {
    Held held;
    held.offset = rightAligned(region.offset, 0);
    held.extent = rightAligned(region.extent);
    const Extent4 valid = rightAligned(value.valid);
    for (std::size_t i = 0; i < 4; ++i)
        held.valid[i] = std::clamp(valid[i] - held.offset[i], std::int64_t{0}, held.extent[i]);
    return held;
}

Box cut(Box box, const Held& held) {
    for (std::size_t i = 0; i < 4; ++i) box.offset[i] += held.offset[i];
    box.extent = held.extent;
    box.valid = held.valid;
    return box;
}

TilePart wholePart(const Held& held) {
    return {held.valid, {0, 0, 0, 0}, held.valid};
}

/// The copies and operations of one plan operation on the parts that the leaf holds.
class LeafOps {
public:
    LeafOps(const VectorPlan& plan, const std::vector<std::optional<Held>>& held,
            const std::vector<std::uint16_t>& slots)
        : m_plan(plan), m_held(held), m_slots(slots) {}

    void add(const PlanOp& op, std::vector<VectorLeafOp>& out) const {
        if (!m_held[op.out]) return;
        if (op.op == VectorOpCode::Concat) return addConcat(op, out);
        VectorLeafOp leafOp = start(op);
        const Held& dst = *m_held[op.out];
        leafOp.detail.dst = wholePart(dst);
        for (std::size_t i = 0; i < op.in.size(); ++i) {
            if (op.in[i] == kNone || !m_held[op.in[i]] || (op.traits.fromGm && i == 0)) continue;
            leafOp.in[i] = m_slots[op.in[i]];
            leafOp.detail.src[i] =
                opInfo(op.op).family == OpFamily::Whole ? wholeOperand(op, i, dst) : part(op, op.in[i], dst);
        }
        const bool creates = op.in.empty() || op.in[0] == kNone;
        const bool whole = opInfo(op.op).family == OpFamily::Whole && !creates;
        const std::size_t shift = 4 - m_plan.values[whole ? op.in[0] : op.out].shape.size();
        leafOp.detail.axis = static_cast<std::uint8_t>(op.axis + shift);
        if (op.op == VectorOpCode::Arange)  // the element that this tile starts with
            leafOp.detail.number[0] = *op.number[0] + *op.number[1] * static_cast<double>(dst.offset[3]);
        leafOp.detail.swapped = {static_cast<std::uint8_t>(op.swapped.first + shift),
                                 static_cast<std::uint8_t>(op.swapped.second + shift)};
        out.push_back(leafOp);
    }

private:
    [[nodiscard]] VectorLeafOp start(const PlanOp& op) const {
        VectorLeafOp leafOp;
        leafOp.out = m_slots[op.out];
        leafOp.detail.op = op.op;
        leafOp.detail.dstType = m_plan.values[op.out].dtype;
        leafOp.detail.round = op.round;
        leafOp.detail.saturate = op.saturate;
        leafOp.detail.number = op.number;
        leafOp.detail.traits = op.traits;
        return leafOp;
    }

    /// Which part of an operand's tile goes with the whole tile of the result.
    [[nodiscard]] TilePart part(const PlanOp& op, std::uint16_t operand, const Held& dst) const {
        const Held& src = *m_held[operand];
        TilePart out = wholePart(src);
        if (op.op == VectorOpCode::Reshape || op.op == VectorOpCode::Unsqueeze) return out;
        Extent4 wantedOffset = dst.offset;
        Extent4 wantedExtent = dst.valid;
        const std::size_t shift = 4 - m_plan.values[op.out].shape.size();
        if (op.op == VectorOpCode::Transpose) {
            std::swap(wantedOffset[op.swapped.first + shift], wantedOffset[op.swapped.second + shift]);
            std::swap(wantedExtent[op.swapped.first + shift], wantedExtent[op.swapped.second + shift]);
        } else if (op.op == VectorOpCode::Slice) {
            for (std::size_t i = 0; i < op.offset.size(); ++i) wantedOffset[i + shift] += op.offset[i];
        } else if (opInfo(op.op).family == OpFamily::Reduction) {
            wantedOffset[op.axis + shift] = 0;
            wantedExtent[op.axis + shift] = src.valid[op.axis + shift];
        }
        const Extent4 shape = rightAligned(m_plan.values[operand].shape);
        const OpFamily family = opInfo(op.op).family;
        const bool stretches =
            elementCount(dst.valid) > 0 &&
            (family == OpFamily::Elementwise || family == OpFamily::Compare || op.op == VectorOpCode::ExpandClone);
        for (std::size_t i = 0; i < 4; ++i) {
            if (shape[i] == 1) {
                // A row that is stretched is read, be it valid or not.
                if (stretches) out.extent[i] = out.layout[i] = 1;
                continue;
            }
            out.offset[i] = wantedOffset[i] - src.offset[i];
            out.extent[i] = std::min(wantedExtent[i], src.valid[i] - out.offset[i]);
        }
        return out;
    }

    /// `part` for the operations of the family Whole.
    [[nodiscard]] TilePart wholeOperand(const PlanOp& op, std::size_t number, const Held& dst) const {
        using enum VectorOpCode;
        const std::uint16_t operand = op.in[number];
        const Held& src = *m_held[operand];
        TilePart out = wholePart(src);
        const Extent4 shape = rightAligned(m_plan.values[operand].shape);
        const auto restrict = [&](std::size_t axis, std::size_t dstAxis) {
            if (shape[axis] == 1 && m_plan.values[op.out].shape.size() == m_plan.values[operand].shape.size() &&
                dst.offset[dstAxis] == 0)
                return;
            out.offset[axis] = dst.offset[dstAxis] - src.offset[axis];
            out.extent[axis] = std::clamp<std::int64_t>(src.valid[axis] - out.offset[axis], 0, dst.valid[dstAxis]);
        };
        const std::size_t inRank = m_plan.values[op.in[0]].shape.size();
        const std::size_t axis = op.axis + 4 - inRank;
        if ((op.op == IndexAdd || op.op == IndexPut) && number == 1) return out;
        if (op.op == IndexPut && op.traits.indexRank > 1) {
            const std::size_t picked = op.traits.indexRank;
            for (std::size_t a = axis + picked; a < 4; ++a) restrict(a, a);
            return out;
        }
        if (op.op == IndexSelect && number == 1) {
            for (std::size_t i = 0; i < op.traits.indexRank; ++i) restrict(3 - i, axis - i);
            return out;
        }
        if (op.op == IndexSelect) {
            for (std::size_t a = 0; a < 4; ++a) {
                if (a == axis || (a < axis && a < op.traits.indexRank - 1U)) continue;
                restrict(a, a > axis ? a : a - (op.traits.indexRank - 1U));
            }
            return out;
        }
        // Scales have one axis more than their data, at the end.
        const std::size_t outRank = m_plan.values[op.out].shape.size();
        const std::size_t ownRank = m_plan.values[operand].shape.size();
        for (std::size_t a = 4 - ownRank; a < 4; ++a) {
            const std::size_t place = a + ownRank - 4;
            const bool kept = place == op.axis || (op.op == QuantMx && place == inRank);
            if (kept && op.op != FillPad && !(op.op == Gather && number == 1)) continue;
            restrict(a, place + 4 - outRank);
        }
        return out;
    }

    void addConcat(const PlanOp& op, std::vector<VectorLeafOp>& out) const {
        const std::size_t axis = op.axis + 4 - m_plan.values[op.out].shape.size();
        const Held& dst = *m_held[op.out];
        std::int64_t start = 0;
        for (const std::uint16_t operand : op.in) {
            const std::int64_t extent = rightAligned(m_plan.values[operand].shape)[axis];
            if (m_held[operand]) {
                const Held& src = *m_held[operand];
                VectorLeafOp copy = this->start(op);
                copy.in[0] = m_slots[operand];
                copy.detail.dst = wholePart(dst);
                copy.detail.src[0] = wholePart(src);
                for (std::size_t i = 0; i < 4; ++i) {
                    const std::int64_t place = src.offset[i] + (i == axis ? start : 0);
                    const std::int64_t begin = std::max(place, dst.offset[i]);
                    const std::int64_t end = std::min(place + src.valid[i], dst.offset[i] + dst.valid[i]);
                    copy.detail.dst.offset[i] = begin - dst.offset[i];
                    copy.detail.src[0].offset[i] = begin - place;
                    copy.detail.dst.extent[i] = copy.detail.src[0].extent[i] = std::max<std::int64_t>(0, end - begin);
                }
                if (elementCount(copy.detail.dst.extent) > 0) out.push_back(copy);
            }
            start += extent;
        }
    }

    const VectorPlan& m_plan;
    const std::vector<std::optional<Held>>& m_held;
    const std::vector<std::uint16_t>& m_slots;
};

}  // namespace

Result<std::vector<VectorOutput>> Lowerer::vectorOutputs(const VectorStage& stage, VectorPlan& plan) {
    std::vector<VectorOutput> outputs;
    for (const VectorOp& op : stage.ops) {
        for (const ValueId& name : {op.out, op.out2}) {
            const auto found = m_results.find(name.text);
            if (name.empty() || found == m_results.end()) continue;
            const ResolvedValue& value = *m_design.value(name);
            for (const Destination& destination : found->second) {
                VectorOutput output;
                output.value = *plan.find(name);
                output.store = destination.store;
                CUBIST_TRY(output.box, destinationBox(destination, value));
                if (destination.store != nullptr && isIndexed(destination.store->op)) {
                    const auto rank = static_cast<std::size_t>(m_program.tensors[destination.tensor.value].rank);
                    output.indexedAxis = *storeAxis(*destination.store, rank) + 4 - rank;
                    const ResolvedValue& index = *m_design.value(destination.store->index);
                    output.pickedAxes = indexedAxes(index);
                    output.index = plan.find(destination.store->index);
                    if (!output.index) {
                        CUBIST_TRY(auto valid, m_valids.of(index.name, m_indices));
                        output.index = static_cast<std::uint16_t>(plan.values.size());
                        plan.values.push_back({index.name, index.shape, std::move(valid), index.dtype});
                        plan.inputs.push_back(*output.index);
                    }
                }
                outputs.push_back(std::move(output));
            }
        }
    }
    return outputs;
}

namespace {

/// The box of one tile of an output.
Box tileBox(const VectorOutput& output, const Held& held) {
    Box box = cut(output.box, held);
    if (!output.index) return box;
    for (std::size_t axis = output.indexedAxis; axis <= output.slicesAxis(); ++axis) {
        box.offset[axis] = output.box.offset[axis];
        box.extent[axis] = output.box.extent[axis];
        box.valid[axis] = output.box.valid[axis];
    }
    return box;
}

VectorLeafOutput leafOutput(const VectorOutput& output, const std::vector<std::optional<Held>>& held,
                            const std::vector<std::uint16_t>& slots) {
    VectorLeafOutput out;
    out.value = slots[output.value];
    if (output.store == nullptr) return out;
    out.atomic = output.store->op == StoreOp::AtomicAdd;
    if (!output.index) return out;
    const bool adds = output.store->op == StoreOp::IndexAdd;
    out.index = slots[*output.index];
    out.detail.op = adds ? VectorOpCode::IndexAdd : VectorOpCode::IndexPut;
    out.detail.axis = static_cast<std::uint8_t>(output.indexedAxis);
    out.detail.traits.alpha = output.store->alpha;
    out.detail.traits.indexRank = static_cast<std::uint8_t>(output.pickedAxes);
    out.detail.traits.accumulate = adds || output.store->accumulate;
    out.detail.src[0] = wholePart(*held[output.value]);
    // The tile's slices and their entries of the index.
    const Held& rows = *held[output.value];
    const Held& index = *held[*output.index];
    TilePart& entries = out.detail.src[1] = wholePart(index);
    const std::size_t slices = output.slicesAxis();
    entries.offset[3] = rows.offset[slices] - index.offset[3];
    entries.extent[3] = std::clamp<std::int64_t>(index.valid[3] - entries.offset[3], 0, rows.valid[slices]);
    return out;
}

}  // namespace

/// Iterations mostly have the plan of the one before.
Result<Lowerer::StagePlan*> Lowerer::planOf(const ResolvedBlock& block, const VectorStage& stage) {
    const auto [entry, isNew] = m_plans.try_emplace(block.block);
    StagePlan& known = entry->second;
    if (isNew) {
        const auto addValue = [&](const ValueId& value) -> Result<void> {
            CUBIST_TRY(const std::vector<std::string> names, m_valids.namesOf(value));
            known.names.insert(known.names.end(), names.begin(), names.end());
            return {};
        };
        for (const VectorOp& op : stage.ops) {
            CUBIST_CHECK_OK(addValue(op.out));
            for (const Expression& bound : op.range) {
                CUBIST_TRY(const std::vector<std::string> used, bound.names());
                known.names.insert(known.names.end(), used.begin(), used.end());
            }
            for (const ValueId& name : {op.out, op.out2})
                if (const auto stored = m_results.find(name.text); !name.empty() && stored != m_results.end())
                    for (const Destination& destination : stored->second)
                        if (destination.store != nullptr && isIndexed(destination.store->op))
                            CUBIST_CHECK_OK(addValue(destination.store->index));
        }
        std::sort(known.names.begin(), known.names.end());
        known.names.erase(std::unique(known.names.begin(), known.names.end()), known.names.end());
    }
    NamedPlaces at = placesOf(known.names, m_indices);
    if (!known.plan || known.at != at || known.tile != stage.tile) {
        CUBIST_TRY(known.plan, planVector(stage, m_design, m_indices));
        known.at = std::move(at);
        known.tile = stage.tile;
        known.tiles.reset();
    }
    return &known;
}

/// The tile of the results' space at `at`.
Result<VectorTile> Lowerer::tileAt(const ResolvedBlock& block, const VectorStage& stage, const VectorPlan& plan,
                                   const std::vector<VectorOutput>& outputs, const TileCut& place) {
    std::vector<std::optional<Region>> wanted(plan.values.size());
    const auto regions = outputRegions(plan, place.results, place.space, place.at, place.tile);
    if (!regions)
        return unexpected(ErrorCode::Unsupported,
                          "the results of one vector stage that are stored or read have different ranks and are "
                          "not made beside each other; use two stages",
                          block.where + "/ops");
    std::vector<std::size_t> written;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& region = (*regions)[i];
        if (!region) continue;
        wanted[outputs[i].value] = region;
        if (outputs[i].index) {
            const std::size_t axis = outputs[i].slicesAxis() + region->offset.size() - 4;
            Region entries{{region->offset[axis]}, {region->extent[axis]}};
            if (plan.values[*outputs[i].index].shape.size() == 2) {  // all its rows
                entries.offset.insert(entries.offset.begin(), 0);
                entries.extent.insert(entries.extent.begin(), static_cast<std::int64_t>(outputs[i].pickedAxes));
            }
            extend(wanted[*outputs[i].index], entries);
        }
        written.push_back(i);
    }
    const auto needed = demand(plan, std::move(wanted));

    VectorTile tile;
    VectorLeafSpec spec;
    spec.stage = m_stageOf.at(m_blockOf.at(block.block));
    std::vector<std::optional<Held>> held(plan.values.size());
    std::vector<std::uint16_t> slots(plan.values.size(), kNone);
    for (std::size_t i = 0; i < plan.values.size(); ++i) {
        if (!needed[i]) continue;
        held[i] = heldPart(plan.values[i], *needed[i]);
        slots[i] = static_cast<std::uint16_t>(spec.values.size());
        spec.values.push_back({plan.values[i].dtype, held[i]->extent, held[i]->valid});
    }
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
        const std::uint16_t input = plan.inputs[i];
        if (!held[input]) continue;
        spec.inputs.push_back(slots[input]);
        tile.reads.push_back({i, *held[input]});
    }
    for (const PlanOp& op : plan.ops) {
        if (!op.traits.fromGm || !needed[op.out]) continue;
        const auto input = std::find(plan.inputs.begin(), plan.inputs.end(), op.in[0]) - plan.inputs.begin();
        tile.reads.push_back({static_cast<std::size_t>(input),
                              heldPart(plan.values[op.in[0]], gatheredRegion(plan, op, *needed[op.out]))});
    }
    const LeafOps ops(plan, held, slots);
    for (const PlanOp& op : plan.ops) ops.add(op, spec.ops);
    for (const std::size_t output : written) {
        spec.outputs.push_back(leafOutput(outputs[output], held, slots));
        tile.writes.push_back({output, *held[outputs[output].value]});
        tile.accumulates.push_back(outputs[output].accumulates());
    }
    CUBIST_TRY(tile.leaf,
               leafFor(m_vectorLeaves, spec, vectorGroupKey(spec, stage.tile), block.where + "/tile", buildVectorLeaf));
    const std::size_t last = place.space.size() - 1;
    tile.member = {spec.stage, static_cast<std::uint32_t>(last > 0 ? place.at[last - 1] / place.tile[last - 1] : 0),
                   static_cast<std::uint32_t>(place.at[last] / place.tile[last]), 0, 0};
    return tile;
}

void Lowerer::emitTile(const VectorTile& tile, const std::vector<Box>& sources,
                       const std::vector<VectorOutput>& outputs) {
    m_boxScratch.clear();
    for (const VectorTile::Part& part : tile.reads) m_boxScratch.push_back(cut(sources[part.of], part.held));
    for (const VectorTile::Part& part : tile.writes) m_boxScratch.push_back(tileBox(outputs[part.of], part.held));
    emitTask(tile.leaf, m_boxScratch, tile.reads.size(), tile.member, tile.accumulates);
}

Result<void> Lowerer::emitVector(const ResolvedBlock& block, const VectorStage& stage) {
    CUBIST_TRY(StagePlan* const known, planOf(block, stage));
    VectorPlan& plan = *known->plan;
    CUBIST_TRY(const std::vector<VectorOutput> outputs, vectorOutputs(stage, plan));
    std::vector<Box> sources;
    for (const std::uint16_t input : plan.inputs) {
        CUBIST_TRY(const Box source, placeOf(*plan.values[input].name));
        sources.push_back(source);
    }
    if (outputs.empty())
        return unexpected(ErrorCode::BadValue,
                          "the result '" + stage.ops.back().out.text + "' is neither read nor stored",
                          block.where + "/ops", "store it into an output tensor");
    if (known->tiles) {
        for (const VectorTile& tile : *known->tiles) emitTile(tile, sources, outputs);
        return {};
    }
    TileCut place;
    for (const VectorOutput& output : outputs) place.results.push_back(output.value);
    place.space = outputSpace(plan, place.results);
    place.tile = outputTile(stage, plan, place.results);
    std::vector<std::int64_t> validSpace = place.space;
    for (const VectorOutput& output : outputs)
        if (plan.values[output.value].shape == place.space) validSpace = plan.values[output.value].valid;
    for (const std::int64_t extent : validSpace)
        if (extent == 0) return {};

    // What the next iteration can take over; a stage of very many tiles takes long enough by itself.
    constexpr std::size_t kMostKept = 1024;
    std::vector<VectorTile> kept;
    bool keeps = !block.loops.empty();
    place.at.assign(place.space.size(), 0);
    for (bool first = true;; first = false) {
        if (m_program.tasks.size() % 1024 == 1023 && m_context.cancelled()) return cancelledError();
        Result<VectorTile> made = tileAt(block, stage, plan, outputs, place);
        if (!made && first && made.error().code == ErrorCode::DoesNotFit) {
            place.tile = outputTile(stage, plan, place.results, ReducedTile::SameSize);
            if (Result<VectorTile> smaller = tileAt(block, stage, plan, outputs, place)) made = std::move(smaller);
        }
        CUBIST_TRY(VectorTile tile, std::move(made));
        emitTile(tile, sources, outputs);
        keeps = keeps && kept.size() < kMostKept;
        if (keeps) kept.push_back(std::move(tile));

        std::size_t axis = place.space.size();
        while (axis > 0) {
            place.at[axis - 1] += place.tile[axis - 1];
            if (place.at[axis - 1] < validSpace[axis - 1]) break;
            place.at[--axis] = 0;
        }
        if (axis == 0) break;
    }
    if (keeps) known->tiles = std::move(kept);
    return {};
}

}  // namespace cubist::detail

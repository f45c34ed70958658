// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/buffer_use.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/chip/slots.h"
#include "core/design/vector_op_info.h"
#include "core/design/vector_plan.h"
#include "core/rules/static/data_flow.h"

namespace cubist {

namespace {

using namespace detail;

std::string text(std::int64_t value) {
    return std::to_string(value);
}

std::string sumText(std::int64_t rows, std::int64_t columns, DType type) {
    const int bits = bitsPerElement(type);
    const std::string size = bits % 8 == 0 ? text(bits / 8) + " B" : "0.5 B";
    return text(rows) + " x " + text(columns) + " x " + size;
}

BufferUse use(std::string buffer, const Constant& capacity) {
    BufferUse entry;
    entry.buffer = std::move(buffer);
    entry.capacity = capacity.integer();
    return entry;
}

void addTile(BufferUse& entry, std::string what, std::int64_t rows, std::int64_t columns, DType type,
             std::int64_t bytes) {
    entry.contributors.push_back({std::move(what), bytes, sumText(rows, columns, type)});
    entry.bytesPerSlot = saturatingAdd(entry.bytesPerSlot, bytes);
}

/// Bias, channel scales and MX scales, in L1 and in the buffers of their own.
void addExtras(const ResolvedDesign& design, const CubeStage& stage, const CubeTile& tile, DType a, std::int64_t n,
               std::vector<BufferUse>& all) {
    const auto addRow = [&](const ValueId& id, BufferUse& entry, DType kept, const std::string& what) {
        if (id.empty()) return;
        const DType type = design.value(id)->dtype;
        const auto name = [&](DType as) { return what + " 1 x " + text(tile.nL0()) + " " + std::string(toText(as)); };
        addTile(all[3], name(type), 1, n, type, tileBytes(type, 1, n));
        addTile(entry, name(kept), 1, n, kept, tileBytes(kept, 1, n));
    };
    addRow(stage.bias, all[5], isFloat(a) ? DType::FP32 : DType::INT32, "bias");
    addRow(stage.scaleTensor, all[6], DType::INT64, "scales");
    if (stage.op != CubeOp::ScaledMm) return;
    const auto addScales = [&](BufferUse& entry, const std::string& what, std::int64_t outer, std::int64_t depth) {
        const std::int64_t rows = paddedExtent(outer, DType::FP16), groups = 2 * ceilDiv(depth, 64);
        addTile(entry, "scales of " + what + " " + text(outer) + " x " + text(groups) + " FP8E8M0", rows, groups,
                DType::FP8E8M0, saturatingMul(rows, groups));
    };
    addScales(all[3], "A", tile.mL0(), tile.kAL1());
    addScales(all[3], "B", tile.nL0(), tile.kBL1());
    addScales(all[7], "A", tile.mL0(), tile.kL0());
    addScales(all[8], "B", tile.nL0(), tile.kL0());
}

/// `tile`: the stage's, as buffers count it.
void addCube(const ResolvedDesign& design, const CubeStage& stage, const CubeTile& tile, std::vector<BufferUse>& all) {
    const ResolvedValue* aValue = design.value(stage.a);
    const ResolvedValue* bValue = design.value(stage.b);
    const DType a = aValue->dtype, b = bValue->dtype;
    const CubeTileBytes bytes = cubeTileBytes(tile.mL0(), tile.kL0(), tile.kAL1(), tile.kBL1(), tile.nL0(), a, b);
    const auto extents = [](std::int64_t rows, std::int64_t columns) { return text(rows) + " x " + text(columns); };
    const std::int64_t m = paddedExtent(tile.mL0(), a), n = paddedExtent(tile.nL0(), b);
    const std::string typeA(toText(a)), typeB(toText(b));
    addTile(all[0], "A " + extents(tile.mL0(), tile.kL0()) + " " + typeA, m, paddedExtent(tile.kL0(), a), a, bytes.l0A);
    addTile(all[1], "B " + extents(tile.kL0(), tile.nL0()) + " " + typeB, paddedExtent(tile.kL0(), b), n, b, bytes.l0B);
    const bool integers = !isFloat(a);
    addTile(all[2], "accumulator " + extents(tile.mL0(), tile.nL0()) + (integers ? " INT32" : " FP32"), m, n,
            integers ? DType::INT32 : DType::FP32, bytes.l0C);
    addTile(all[3], "A " + extents(tile.mL0(), tile.kAL1()) + " " + typeA, m, paddedExtent(tile.kAL1(), a), a,
            bytes.l1A);
    addTile(all[3], "B " + extents(tile.kBL1(), tile.nL0()) + " " + typeB, paddedExtent(tile.kBL1(), b), n, b,
            bytes.l1B);
    addExtras(design, stage, tile, a, n, all);
}

/// Tiles of a vector stage and the moments between which each lives: inputs are loaded before the first elementary
/// operation, results appear with theirs, and a tile goes after its last reader (one that is handed on, after the last
/// operation). Tight: inputs come with their first reader, what is handed on goes as soon as it is there, and an
/// element-wise operation writes over an operand that nobody reads any more; this is how lowering places tiles that
/// would not fit otherwise. Parts are those of the first tile, which is a whole one.
class VectorTiles {
public:
    VectorTiles(const VectorPlan& plan, const VectorStage& stage, const ReadElsewhere& read, bool tight,
                ReducedTile reduced)
        : m_plan(plan) {
        std::vector<std::uint16_t> outputs;
        for (const VectorOp& op : stage.ops) {
            if (&op == &stage.ops.back() || read.contains(op.out)) outputs.push_back(*plan.find(op.out));
            if (!op.out2.empty() && read.contains(op.out2)) outputs.push_back(*plan.find(op.out2));
        }
        const std::vector<std::int64_t> space = outputSpace(plan, outputs);
        const std::vector<std::int64_t> tile = outputTile(stage, plan, outputs, reduced);
        std::vector<std::optional<Region>> wanted(plan.values.size());
        const std::vector<std::int64_t> first(space.size(), 0);
        if (const auto regions = outputRegions(plan, outputs, space, first, tile))
            for (std::size_t i = 0; i < outputs.size(); ++i) wanted[outputs[i]] = (*regions)[i];
        m_parts = demand(plan, std::move(wanted));
        m_lives.resize(plan.values.size());
        for (std::size_t i = 0; i < plan.ops.size(); ++i) {
            for (const std::uint16_t in : plan.ops[i].in)
                if (in != PlanOp::kNumber) m_lives[in].last = i;
            Life& made = m_lives[plan.ops[i].out];
            if (made.made == kNever) made.first = i;
            made.made = made.last = i;
            made.maker = plan.ops[i].op;
        }
        if (tight)
            letGo(outputs);
        else
            for (const std::uint16_t output : outputs) m_lives[output].last = plan.ops.size();
    }

    void addFullestMoment(BufferUse& entry) const {
        std::size_t fullest = 0;
        std::int64_t most = -1;
        for (std::size_t moment = 0; moment < m_plan.ops.size(); ++moment) {
            std::int64_t total = 0;
            for (std::size_t i = 0; i < m_parts.size(); ++i)
                if (livesAt(i, moment)) total = saturatingAdd(total, extentsOf(i).bytes);
            total = saturatingAdd(total, scratchOf(moment));
            if (total <= most) continue;
            most = total;
            fullest = moment;
        }
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            if (!livesAt(i, fullest)) continue;
            const PlanValue& value = m_plan.values[i];
            const Extents extents = extentsOf(i);
            addTile(entry,
                    nameOf(i) + " " + text(extents.rows) + " x " + text(extents.columns) + " " +
                        std::string(toText(value.dtype)),
                    extents.rows, roundUp(extents.columns, 256 / bitsPerElement(value.dtype)), value.dtype,
                    extents.bytes);
        }
        if (const std::int64_t bytes = scratchOf(fullest); bytes > 0)
            addTile(entry, "workspace of " + std::string(toText(m_plan.ops[fullest].op)), 1, bytes / 4, DType::FP32,
                    bytes);
    }

private:
    static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
    struct Life {
        std::size_t first = 0, last = 0;
        std::size_t made = kNever;              ///< the last operation that makes it
        std::optional<std::size_t> replacedAt;  ///< the operation whose result takes its place
        VectorOpCode maker = VectorOpCode::Cast;
    };
    struct Extents {
        std::int64_t rows = 1, columns = 1, bytes = 0;
    };

    void letGo(const std::vector<std::uint16_t>& outputs) {
        std::vector<bool> met(m_plan.values.size(), false);
        for (std::size_t i = 0; i < m_plan.ops.size(); ++i)
            for (const std::uint16_t in : m_plan.ops[i].in) {
                if (in == PlanOp::kNumber || met[in]) continue;
                met[in] = true;
                m_lives[in].first = std::max(m_lives[in].first, loaded(in) ? i : std::size_t{0});
            }
        // They go in their order.
        std::size_t gone = 0;
        for (const std::uint16_t output : outputs) {
            if (m_lives[output].made != kNever) gone = std::max(gone, m_lives[output].made);
            m_lives[output].last = std::max(m_lives[output].last, gone);
        }
        for (std::size_t i = 0; i < m_plan.ops.size(); ++i) {
            const PlanOp& op = m_plan.ops[i];
            Life& result = m_lives[op.out];
            if (!worksInPlace(op.op) || result.made != result.first || !m_parts[op.out]) continue;
            for (const std::uint16_t in : op.in) {
                if (in == PlanOp::kNumber || !m_parts[in] || m_lives[in].last != i || m_lives[in].replacedAt) continue;
                const bool handed = std::find(outputs.begin(), outputs.end(), in) != outputs.end();
                if (handed || m_plan.values[in].dtype != m_plan.values[op.out].dtype) continue;
                if (m_parts[in]->extent != m_parts[op.out]->extent || m_parts[in]->offset != m_parts[op.out]->offset)
                    continue;
                m_lives[in].replacedAt = i;  // the result counts from here on
                break;
            }
        }
    }

    [[nodiscard]] bool loaded(std::uint16_t value) const {
        return std::find(m_plan.inputs.begin(), m_plan.inputs.end(), value) != m_plan.inputs.end();
    }

    [[nodiscard]] bool livesAt(std::size_t value, std::size_t moment) const {
        if (m_lives[value].replacedAt == moment) return false;
        return m_parts[value] && m_lives[value].first <= moment && moment <= m_lives[value].last;
    }

    [[nodiscard]] Extents extentsOf(std::size_t value) const {
        Extents extents;
        const std::vector<std::int64_t>& part = m_parts[value]->extent;
        for (std::size_t axis = 0; axis + 1 < part.size(); ++axis)
            extents.rows = saturatingMul(extents.rows, part[axis]);
        extents.columns = part.back();
        extents.bytes = vectorTileBytes(m_plan.values[value].dtype, extents.rows, extents.columns);
        return extents;
    }

    /// Bytes that an operation takes beside its tiles.
    [[nodiscard]] std::int64_t scratchOf(std::size_t moment) const {
        const PlanOp& op = m_plan.ops[moment];
        if (op.in.empty() || op.in[0] == PlanOp::kNumber || !m_parts[op.in[0]] || !m_parts[op.out]) return 0;
        const PlanValue& operand = m_plan.values[op.in[0]];
        const std::size_t last = operand.shape.size() - 1;
        const bool along = op.op == VectorOpCode::Transpose ? op.swapped.first != op.swapped.second &&
                                                                  std::max(op.swapped.first, op.swapped.second) == last
                                                            : op.axis == last;
        return workspaceBytes(op.op, op.traits.step, operand.dtype, along, m_parts[op.in[0]]->extent);
    }

    /// Values in between are called by the operation that makes them.
    [[nodiscard]] std::string nameOf(std::size_t value) const {
        const std::optional<ValueId>& name = m_plan.values[value].name;
        return name ? name->text : "(" + std::string(toText(m_lives[value].maker)) + ")";
    }

    const VectorPlan& m_plan;
    std::vector<std::optional<Region>> m_parts;
    std::vector<Life> m_lives;
};

bool usable(const CubeTile& tile) {
    const bool counted = tile.m.size() >= 2 && tile.k.size() >= 2 && tile.n.size() >= 2;
    return counted && std::min({tile.mL0(), tile.kL0(), tile.kAL1(), tile.kBL1(), tile.nL0()}) > 0;
}

bool usable(const ResolvedDesign& design, const VectorStage& stage) {
    for (const VectorOp& op : stage.ops)
        if (design.value(op.out)->shape.size() > stage.tile.size()) return false;
    const auto blames = [&](const ShapeProblem& problem) { return problem.block == stage.id; };
    return std::none_of(design.problems.begin(), design.problems.end(), blames) &&
           std::all_of(stage.tile.begin(), stage.tile.end(), [](std::int64_t value) { return value > 0; });
}

}  // namespace

ReadElsewhere::ReadElsewhere(const ResolvedDesign& design) {
    for (std::size_t i = 0; i < design.blocks.size(); ++i)
        for (const ValueId& id : rules::readsOf(*design.blocks[i].block)) {
            const ResolvedValue* value = design.value(id);
            if (value == nullptr) continue;
            if (value->kind == ResolvedValue::Kind::Tensor || value->block != i) m_names.insert(id.text);
        }
}

CubeTile BufferFacts::measured(const CubeTile& tile, const ResolvedBlock& cube) {
    if (m_profile == RuleProfile::Documented) return tile;
    if (!m_shapes) m_shapes.emplace(*m_design);
    return m_shapes->cutTile(tile, cube);
}

BufferFacts::Iteration& BufferFacts::first(const std::vector<std::size_t>& loops) {
    const auto [entry, isNew] = m_first.try_emplace(loops);
    Iteration& iteration = entry->second;
    if (!isNew) return iteration;
    std::vector<IndexValues> some = someExecutions(*m_design, loops, 1);
    if (some.empty()) return iteration;
    iteration.indices = std::move(some.front());
    iteration.valids.emplace(*m_design, iteration.indices);
    return iteration;
}

std::vector<BufferUse> bufferUse(const ResolvedDesign& design, const ResolvedBlock& block, const ChipSpec& chip) {
    BufferFacts facts(design);
    return bufferUse(facts, block, chip);
}

std::vector<BufferUse> bufferUse(BufferFacts& facts, const ResolvedBlock& block, const ChipSpec& chip) {
    const ResolvedDesign& design = facts.design();
    std::vector<BufferUse> all{use("L0A", chip.l0aBytes), use("L0B", chip.l0bBytes),    use("L0C", chip.l0cBytes),
                               use("L1", chip.l1Bytes),   use("UB", chip.ubBytes),      use("BT", chip.btBytes),
                               use("FB", chip.fbBytes),   use("L0A_MX", chip.l0aBytes), use("L0B_MX", chip.l0bBytes)};
    all[6].capacity = channelScaleBytes(chip);
    all[7].capacity = all[8].capacity = kMxScaleBytes;
    std::optional<std::int64_t> wanted;
    if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
        if (!usable(cube->tile)) return {};
        addCube(design, *cube, facts.measured(cube->tile, block), all);
        wanted = cube->slotCount;
    } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
        if (vector->ops.empty() || !usable(design, *vector)) return {};
        BufferFacts::Iteration& first = facts.first(block.loops);
        if (!first.valids) return {};
        const auto plan = planVector(*vector, design, first.indices, *first.valids);
        if (!plan) return {};
        const BufferUse empty = all[4];
        for (const auto& [tight, reduced] :
             {std::pair{false, ReducedTile::Longer}, std::pair{true, ReducedTile::Longer},
              std::pair{false, ReducedTile::SameSize}, std::pair{true, ReducedTile::SameSize}}) {
            all[4] = empty;
            VectorTiles(*plan, *vector, facts.read(), tight, reduced).addFullestMoment(all[4]);
            if (all[4].bytesPerSlot <= all[4].capacity) break;
        }
        wanted = vector->slotCount;
    } else {
        return {};
    }
    for (BufferUse& entry : all)
        if (entry.bytesPerSlot > 0) entry.slotCount = slotCount(entry.bytesPerSlot, entry.capacity, wanted);
    return all;
}

}  // namespace cubist

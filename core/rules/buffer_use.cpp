// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/buffer_use.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "core/chip/slots.h"

namespace cubist {

namespace {

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

void addCube(const ResolvedDesign& design, const CubeStage& stage, std::vector<BufferUse>& all) {
    const ResolvedValue* aValue = design.value(stage.a);
    const ResolvedValue* bValue = design.value(stage.b);
    const DType a = aValue->dtype, b = bValue->dtype;
    const CubeTile& tile = stage.tile;
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
}

/// Tiles of a vector stage and the moments between which each lives: inputs are loaded before the first operation,
/// results appear with theirs, and a tile goes after its last reader (one that is handed on, after the last operation).
class VectorTiles {
public:
    VectorTiles(const ResolvedDesign& design, const ResolvedBlock& block, const VectorStage& stage)
        : m_design(design), m_stage(stage) {
        for (std::size_t i = 0; i < stage.ops.size(); ++i) {
            for (const Operand& operand : stage.ops[i].in)
                if (const ValueId* id = operand.value()) tileOf(*id, 0).last = i;
            tileOf(stage.ops[i].out, i).last = i;
        }
        for (const ResolvedBlock& other : design.blocks)
            if (other.block != block.block) keepWhatIsRead(*other.block);
        tileOf(stage.ops.back().out, 0).last = stage.ops.size();
    }

    void addFullestMoment(BufferUse& entry) const {
        std::size_t fullest = 0;
        std::int64_t most = -1;
        for (std::size_t moment = 0; moment < m_stage.ops.size(); ++moment) {
            std::int64_t total = 0;
            for (const Tile& tile : m_tiles)
                if (tile.livesAt(moment)) total = saturatingAdd(total, tile.bytes);
            if (total <= most) continue;
            most = total;
            fullest = moment;
        }
        for (const Tile& tile : m_tiles)
            if (tile.livesAt(fullest))
                addTile(entry,
                        tile.name + " " + text(tile.rows) + " x " + text(tile.columns) + " " +
                            std::string(toText(tile.type)),
                        tile.rows, tile.paddedColumns, tile.type, tile.bytes);
    }

private:
    struct Tile {
        std::string name;
        DType type = DType::FP32;
        std::int64_t rows = 1, columns = 1, paddedColumns = 1, bytes = 0;
        std::size_t first = 0, last = 0;

        [[nodiscard]] bool livesAt(std::size_t moment) const { return first <= moment && moment <= last; }
    };

    Tile& tileOf(const ValueId& id, std::size_t first) {
        const auto [place, isNew] = m_places.emplace(id.text, m_tiles.size());
        if (!isNew) return m_tiles[place->second];
        const ResolvedValue& value = *m_design.value(id);
        Tile tile;
        tile.name = id.text;
        tile.type = value.dtype;
        tile.first = first;
        for (std::size_t axis = 0; axis < value.shape.size(); ++axis) {
            const std::int64_t extent = std::min(value.shape[axis], m_stage.tile[axis]);
            if (axis + 1 == value.shape.size())
                tile.columns = extent;
            else
                tile.rows = saturatingMul(tile.rows, extent);
        }
        tile.bytes = vectorTileBytes(tile.type, tile.rows, tile.columns);
        tile.paddedColumns = roundUp(tile.columns, 256 / bitsPerElement(tile.type));
        m_tiles.push_back(tile);
        return m_tiles.back();
    }

    void keep(const ValueId& id) {
        if (const auto found = m_places.find(id.text); found != m_places.end() && made(id))
            m_tiles[found->second].last = m_stage.ops.size();
    }

    [[nodiscard]] bool made(const ValueId& id) const {
        return std::any_of(m_stage.ops.begin(), m_stage.ops.end(), [&](const VectorOp& op) { return op.out == id; });
    }

    void keepWhatIsRead(const Block& block) {
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            keep(cube->a);
            keep(cube->b);
        } else if (const auto* store = std::get_if<Store>(&block.content)) {
            keep(store->from);
        } else if (const auto* stage = std::get_if<VectorStage>(&block.content)) {
            for (const VectorOp& op : stage->ops)
                for (const Operand& operand : op.in)
                    if (operand.value() != nullptr) keep(*operand.value());
        }
    }

    const ResolvedDesign& m_design;
    const VectorStage& m_stage;
    std::vector<Tile> m_tiles;
    std::map<std::string, std::size_t> m_places;
};

bool usable(const CubeTile& tile) {
    const bool counted = tile.m.size() >= 2 && tile.k.size() >= 2 && tile.n.size() >= 2;
    return counted && std::min({tile.mL0(), tile.kL0(), tile.kAL1(), tile.kBL1(), tile.nL0()}) > 0;
}

bool usable(const ResolvedDesign& design, const VectorStage& stage) {
    for (const VectorOp& op : stage.ops) {
        if (design.value(op.out)->shape.size() > stage.tile.size()) return false;
        for (const Operand& operand : op.in)
            if (operand.value() != nullptr && design.value(*operand.value())->shape.size() > stage.tile.size())
                return false;
    }
    return std::all_of(stage.tile.begin(), stage.tile.end(), [](std::int64_t value) { return value > 0; });
}

}  // namespace

std::vector<BufferUse> bufferUse(const ResolvedDesign& design, const ResolvedBlock& block, const ChipSpec& chip) {
    std::vector<BufferUse> all{use("L0A", chip.l0aBytes), use("L0B", chip.l0bBytes), use("L0C", chip.l0cBytes),
                               use("L1", chip.l1Bytes),   use("UB", chip.ubBytes),   use("BT", chip.btBytes),
                               use("FB", chip.fbBytes)};
    std::optional<std::int64_t> wanted;
    if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
        if (!usable(cube->tile)) return {};
        addCube(design, *cube, all);
        wanted = cube->slotCount;
    } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
        if (vector->ops.empty() || !usable(design, *vector)) return {};
        VectorTiles(design, block, *vector).addFullestMoment(all[4]);
        wanted = vector->slotCount;
    } else {
        return {};
    }
    for (BufferUse& entry : all)
        if (entry.bytesPerSlot > 0) entry.slotCount = slotCount(entry.bytesPerSlot, entry.capacity, wanted);
    return all;
}

}  // namespace cubist

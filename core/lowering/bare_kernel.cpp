// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/bare_kernel.h"

#include <algorithm>
#include <array>

#include "core/base/integer_math.h"
#include "core/lowering/bare_leaf.h"

namespace cubist {
namespace {

GmTensor matrix(std::string name, GmRole role, DType dtype, std::int64_t rows, std::int64_t columns) {
    GmTensor tensor;
    tensor.name = std::move(name);
    tensor.role = role;
    tensor.dtype = dtype;
    tensor.shape = {1, 1, rows, columns};
    return tensor;
}

Box boxOf(std::size_t tensor, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    Box box;
    box.tensor = GmIndex(tensor);
    box.offset = {0, 0, row, column};
    box.extent = box.valid = {1, 1, rows, columns};
    return box;
}

void addStage(Program& program, TaskKind kind, std::string id) {
    ProgramStage stage;
    stage.kind = kind;
    stage.label = id;
    stage.id = BlockId(std::move(id));
    program.stages.push_back(std::move(stage));
    program.roots.emplace_back();
}

void addTask(Program& program, LeafIndex leaf, std::span<const Box> boxes) {
    Task task;
    task.leaf = leaf;
    task.firstBox = static_cast<std::uint32_t>(program.boxes.size());
    task.firstMember = static_cast<std::uint32_t>(program.members.size());
    program.members.emplace_back();
    program.boxes.insert(program.boxes.end(), boxes.begin(), boxes.end());
    program.tasks.push_back(task);
}

LeafIndex addLeaf(Program& program, Leaf leaf) {
    leaf.leafKey = program.leaves.size() + 1;
    program.leaves.push_back(std::move(leaf));
    return LeafIndex(program.leaves.size() - 1);
}

class MatmulBuilder {
public:
    MatmulBuilder(const BareMatmul& kernel, const ChipSpec& chip) : m_kernel(kernel), m_chip(chip) {}

    Result<BareKernel> build() {
        CUBIST_CHECK_OK(check());
        const BareMatmul& k = m_kernel;
        Program& program = m_out.program;
        program.tensors.push_back(k.aTrans ? matrix("a", GmRole::Input, k.operand, k.k, k.m)
                                           : matrix("a", GmRole::Input, k.operand, k.m, k.k));
        program.tensors.push_back(k.bTrans ? matrix("b", GmRole::Input, k.operand, k.n, k.k)
                                           : matrix("b", GmRole::Input, k.operand, k.k, k.n));
        program.tensors.push_back(matrix("c", GmRole::Output, k.out, k.m, k.n));
        if (k.aNz) program.tensors[0].format = Format::NZ;
        if (k.bNz) program.tensors[1].format = Format::NZ;
        addStage(program, TaskKind::Aic, "matmul");
        CUBIST_TRY(const auto cores, blocksOfCores(k.order, k.m, k.n, k.mTile, k.nTile, k.runtime ? 1 : k.cores));
        for (std::size_t core = 0; core < cores.size(); ++core) {
            if (cores[core].empty()) continue;
            if (k.runtime) {
                for (const OutputBlock& block : cores[core]) CUBIST_CHECK_OK(addBlocks(std::span(&block, 1)));
                continue;
            }
            CUBIST_CHECK_OK(addBlocks(cores[core]));
            m_out.coreOf.push_back(static_cast<std::uint16_t>(core));
        }
        return std::move(m_out);
    }

private:
    Result<void> check() const {
        for (const std::int64_t size : {m_kernel.m, m_kernel.k, m_kernel.n, m_kernel.mTile, m_kernel.nTile,
                                        m_kernel.kL0, m_kernel.kAL1, m_kernel.kBL1, m_kernel.cores})
            if (size < 1) return unexpected(ErrorCode::BadValue, "every size must be at least 1");
        if (m_kernel.cores > m_chip.aicCount.integer())
            return unexpected(ErrorCode::BadValue, "the chip has " + m_chip.aicCount.value.toText() + " cube cores");
        if (m_chip.cubeRate(m_kernel.operand) == nullptr)
            return unexpected(ErrorCode::Unsupported, "the cube of " + m_chip.id.text + " does not multiply " +
                                                          std::string(toText(m_kernel.operand)));
        if (m_kernel.throughUb && m_chip.l0cToUbBytesPerCycle.value == Rational(0))
            return unexpected(ErrorCode::Unsupported, m_chip.id.text + " has no path from L0C to UB");
        return {};
    }

    [[nodiscard]] BareBlockSpec specOf(const OutputBlock& block) const {
        BareBlockSpec spec;
        spec.m = block.rows;
        spec.n = block.columns;
        spec.k = spec.kValidA = spec.kValidB = m_kernel.k;
        spec.mTile = m_kernel.mTile;
        spec.nTile = m_kernel.nTile;
        spec.mSize = m_kernel.m;
        spec.nSize = m_kernel.n;
        spec.kL0 = m_kernel.kL0;
        spec.kAL1 = m_kernel.kAL1;
        spec.kBL1 = m_kernel.kBL1;
        spec.aTrans = m_kernel.aTrans;
        spec.bTrans = m_kernel.bTrans;
        spec.aType = spec.bType = m_kernel.operand;
        spec.accType = isFloat(m_kernel.operand) ? DType::FP32 : DType::INT32;
        spec.outTypes = {m_kernel.out};
        spec.byHand.l1Slots = m_kernel.l1Slots;
        spec.byHand.l0aSlots = m_kernel.l0aSlots;
        spec.byHand.l0bSlots = m_kernel.l0bSlots;
        spec.byHand.l0cSlots = m_kernel.l0cSlots;
        spec.byHand.unitFlag = m_kernel.unitFlag;
        spec.scaled = m_kernel.scaled;
        spec.nzA = m_kernel.aNz;
        spec.nzB = m_kernel.bNz;
        spec.throughUb = m_kernel.throughUb;
        return spec;
    }

    /// One task for blocks that a core works through; equal lists of blocks share a leaf.
    Result<void> addBlocks(std::span<const OutputBlock> blocks) {
        std::vector<BareBlockSpec> specs;
        std::vector<Box> boxes;
        for (const OutputBlock& b : blocks) {
            specs.push_back(specOf(b));
            boxes.push_back(m_kernel.aTrans ? boxOf(0, 0, m_kernel.k, b.row, b.rows)
                                            : boxOf(0, b.row, b.rows, 0, m_kernel.k));
            boxes.push_back(m_kernel.bTrans ? boxOf(1, b.column, b.columns, 0, m_kernel.k)
                                            : boxOf(1, 0, m_kernel.k, b.column, b.columns));
            boxes.push_back(boxOf(2, b.row, b.rows, b.column, b.columns));
        }
        const auto known = static_cast<std::size_t>(std::find(m_specs.begin(), m_specs.end(), specs) - m_specs.begin());
        if (known == m_specs.size()) {
            CUBIST_TRY(Leaf leaf, buildBareLeaf(specs, m_chip));
            m_specs.push_back(std::move(specs));
            (void)addLeaf(m_out.program, std::move(leaf));
        }
        addTask(m_out.program, LeafIndex(known), boxes);
        return {};
    }

    const BareMatmul& m_kernel;
    const ChipSpec& m_chip;
    BareKernel m_out;
    std::vector<std::vector<BareBlockSpec>> m_specs;  ///< by leaf
};

/// Tiles of one band of rows, as one core reads them: a leaf with one load per tile.
Leaf copyLeaf(const BareCopy& kernel, std::int64_t rows, std::int64_t columns) {
    Leaf leaf;
    leaf.kind = kernel.toL1 ? TaskKind::Aic : TaskKind::Aiv;
    leaf.parameters = 1;
    Allocation tile;
    tile.core = kernel.toL1 ? SubCore::Aic : SubCore::Aiv0;
    tile.buffer = kernel.toL1 ? Buffer::L1 : Buffer::UB;
    tile.rows = static_cast<std::uint32_t>(kernel.tileRows);
    tile.cols = static_cast<std::uint32_t>(kernel.tileColumns);
    tile.dtype = kernel.dtype;
    tile.bytes = static_cast<std::uint32_t>(deviceBytes(kernel.dtype, kernel.tileRows * kernel.tileColumns));
    for (std::int64_t r = 0; r < rows; r += kernel.tileRows)
        for (std::int64_t c = 0; c < columns; c += kernel.tileColumns) {
            Instruction load;
            load.op = kernel.toL1 ? Opcode::LoadL1 : Opcode::LoadUb;
            load.core = tile.core;
            load.dtype = kernel.dtype;
            load.flags = kernel.toL1 ? 0 : kFlagPart;
            load.dst = load.box = 0;
            load.extent = {static_cast<std::uint32_t>(std::min(kernel.tileRows, rows - r)),
                           static_cast<std::uint32_t>(std::min(kernel.tileColumns, columns - c))};
            load.at = {static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(c)};
            leaf.instructions.push_back(load);
        }
    tile.last = static_cast<std::uint32_t>(leaf.instructions.size() - 1);
    leaf.allocations.push_back(tile);
    return leaf;
}

}  // namespace

Result<BareKernel> bareMatmul(const BareMatmul& kernel, const ChipSpec& chip) {
    return MatmulBuilder(kernel, chip).build();
}

/// Every part of the rows is divided among the cores in bands of whole tile rows; where there are fewer tile rows than
/// cores, a band is divided along the columns.
Result<BareKernel> bareCopy(const BareCopy& kernel, const ChipSpec& chip) {
    for (const std::int64_t size :
         {kernel.rows, kernel.columns, kernel.tileRows, kernel.tileColumns, kernel.passes, kernel.parts, kernel.cores})
        if (size < 1) return unexpected(ErrorCode::BadValue, "every size must be at least 1");
    if (kernel.cores > (kernel.toL1 ? chip.aicCount : chip.aivCount).integer())
        return unexpected(ErrorCode::BadValue, "the chip has fewer cores");
    const std::int64_t tile = deviceBytes(kernel.dtype, kernel.tileRows * kernel.tileColumns);
    if (tile > (kernel.toL1 ? chip.l1Bytes : chip.ubBytes).integer())
        return unexpected(ErrorCode::DoesNotFit, "the tile takes " + std::to_string(tile) + " B");
    BareKernel out;
    out.program.tensors.push_back(matrix("x", GmRole::Input, kernel.dtype, kernel.rows, kernel.columns));
    addStage(out.program, kernel.toL1 ? TaskKind::Aic : TaskKind::Aiv, "copy");
    const std::int64_t tileRows = ceilDiv(kernel.rows, kernel.tileRows);
    const std::int64_t partRows = ceilDiv(tileRows, kernel.parts);
    // Cores side by side where the tile rows of a part do not reach for all of them.
    std::int64_t across = 1;
    while (partRows * across < kernel.cores || (partRows * across) % kernel.cores != 0) {
        if (across >= ceilDiv(kernel.columns, kernel.tileColumns)) break;
        ++across;
    }
    std::vector<Extent4> sizes;  // by leaf
    const std::int64_t width = roundUp(ceilDiv(kernel.columns, across), kernel.tileColumns);
    for (std::int64_t part = 0; part * partRows < tileRows; ++part) {
        const std::int64_t end = std::min((part + 1) * partRows, tileRows);
        std::vector<Box> cells;
        for (std::int64_t r = part * partRows; r < end; ++r)
            for (std::int64_t c = 0; c < kernel.columns; c += width)
                cells.push_back(boxOf(0, r * kernel.tileRows,
                                      std::min(kernel.tileRows, kernel.rows - r * kernel.tileRows), c,
                                      std::min(width, kernel.columns - c)));
        for (std::int64_t pass = 0; pass < kernel.passes; ++pass)
            for (std::size_t cell = 0; cell < cells.size(); ++cell) {
                const Extent4& extent = cells[cell].extent;
                const auto known =
                    static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), extent) - sizes.begin());
                if (known == sizes.size()) {
                    sizes.push_back(extent);
                    (void)addLeaf(out.program, copyLeaf(kernel, extent[2], extent[3]));
                }
                addTask(out.program, LeafIndex(known), std::span(&cells[cell], 1));
                out.coreOf.push_back(static_cast<std::uint16_t>(cell % static_cast<std::size_t>(kernel.cores)));
            }
    }
    return out;
}

}  // namespace cubist

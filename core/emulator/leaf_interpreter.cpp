// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/leaf_interpreter.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "core/base/number_formats.h"
#include "core/emulator/infinite_results.h"

namespace cubist {
namespace {

std::size_t hostSize(DType type, std::int64_t count) {
    return static_cast<std::size_t>(count * hostBytesPerElement(type));
}

template <class T>
void transposeInto(const std::byte* source, std::int64_t sourceStride, std::int64_t rows, std::int64_t cols,
                   std::byte* target, std::int64_t targetStride) {
    const T* in = reinterpret_cast<const T*>(source);
    T* out = reinterpret_cast<T*>(target);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) out[c * targetStride + r] = in[r * sourceStride + c];
}

/// Visits the rows of a box's valid part with their running number.
template <class Visit>
void forEachBoxRow(const Box& box, const GmPlace& place, Visit&& visit) {
    std::int64_t number = 0;
    for (std::int64_t i = 0; i < box.valid[0]; ++i)
        for (std::int64_t j = 0; j < box.valid[1]; ++j)
            for (std::int64_t k = 0; k < box.valid[2]; ++k)
                visit(number++, place.at(box, k, 0) + i * place.stride[0] + j * place.stride[1]);
}

}  // namespace

Result<void> LeafInterpreter::run(const Leaf& leaf, std::span<const Box> boxes, std::size_t first, std::size_t count) {
    std::array<std::size_t, kBufferCount> needed{};
    for (const Allocation& a : leaf.allocations) {
        std::size_t& size = needed[static_cast<std::size_t>(a.buffer)];
        size = std::max(size, 2 * (std::size_t{a.offset} + a.bytes));
    }
    for (std::size_t b = 0; b < kBufferCount; ++b)
        if (m_buffers[b].size() < needed[b]) m_buffers[b].resize(needed[b]);
    if (m_poison && first == 0) poisonTiles(leaf);
    for (const Instruction& i : std::span(leaf.instructions).subspan(first, count)) {
        if (m_check != nullptr && !m_check->mayRun(i)) continue;
        switch (i.op) {
            case Opcode::LoadL1: load(leaf, i, boxes[i.box]); break;
            case Opcode::MoveL0A:
            case Opcode::MoveL0B: move(leaf, i); break;
            case Opcode::LoadScales: loadScales(leaf, i, boxes[i.box]); break;
            case Opcode::MoveScalesA:
            case Opcode::MoveScalesB: moveScales(leaf, i); break;
            case Opcode::MoveBt:
            case Opcode::MoveFb: moveRow(leaf, i); break;
            case Opcode::Mmad: {
                CUBIST_TRY(const bool fits, mmad(leaf, i));
                if (!fits) m_vectorScratch.losses.accumulatorWrapped = true;
                break;
            }
            case Opcode::StoreL0C: storeAccumulator(leaf, i, boxes[i.box]); break;
            case Opcode::MoveUb:
                if (i.box == Instruction::kNone)
                    return unexpected(ErrorCode::Unsupported, "a result that goes from L0C to UB without a place");
                moveUb(leaf, i, boxes[i.box]);
                break;
            case Opcode::LoadUb:
                if (const auto bad = loadUb(leaf, i, boxes[i.box]))
                    return unexpected(indexError(leaf, i.src1, boxes, *bad));
                break;
            case Opcode::Vector: CUBIST_CHECK_OK(vector(leaf, i, boxes)); break;
            case Opcode::StoreUb:
                if (const auto bad = storeUb(leaf, i, boxes[i.box]))
                    return unexpected(indexError(leaf, i.src1, boxes, *bad));
                break;
        }
    }
    return {};
}

std::byte* LeafInterpreter::tile(const Leaf& leaf, std::uint16_t allocation) {
    const Allocation& a = leaf.allocations[allocation];
    return m_buffers[static_cast<std::size_t>(a.buffer)].data() + 2 * std::size_t{a.offset};
}

/// Nothing of an earlier task is left in the places where this one puts its tiles.
void LeafInterpreter::poisonTiles(const Leaf& leaf) {
    std::set<std::pair<Buffer, std::uint32_t>> places;
    for (std::size_t a = 0; a < leaf.allocations.size(); ++a) {
        const Allocation& allocation = leaf.allocations[a];
        if (places.emplace(allocation.buffer, allocation.offset).second)
            fill(allocation, tile(leaf, static_cast<std::uint16_t>(a)), 0, 0);
    }
}

void LeafInterpreter::fill(const Allocation& allocation, std::byte* data, std::int64_t validRows,
                           std::int64_t validCols) const {
    const auto blank = [&](std::byte* at, std::int64_t count) {
        if (m_poison)
            poisonElements(allocation.dtype, at, count);
        else
            std::memset(at, 0, hostSize(allocation.dtype, count));
    };
    const std::int64_t cols = allocation.cols;
    if (validCols < cols)
        for (std::int64_t r = 0; r < validRows; ++r)
            blank(data + hostSize(allocation.dtype, r * cols + validCols), cols - validCols);
    if (validRows < allocation.rows)
        blank(data + hostSize(allocation.dtype, validRows * cols), (allocation.rows - validRows) * cols);
}

void LeafInterpreter::load(const Leaf& leaf, const Instruction& i, const Box& box) {
    const Allocation& to = leaf.allocations[i.dst];
    std::byte* target = tile(leaf, i.dst);
    const GmPlace& place = m_gm[box.tensor.value];
    for (std::uint32_t r = 0; r < i.extent[0]; ++r)
        std::memcpy(target + hostSize(to.dtype, std::int64_t{r} * to.cols), place.source(box, i.at[0] + r, i.at[1]),
                    hostSize(to.dtype, i.extent[1]));
    fill(to, target, i.extent[0], i.extent[1]);
}

void LeafInterpreter::move(const Leaf& leaf, const Instruction& i) {
    const Allocation& from = leaf.allocations[i.src0];
    const Allocation& to = leaf.allocations[i.dst];
    const std::byte* source = tile(leaf, i.src0) + hostSize(from.dtype, std::int64_t{i.at[0]} * from.cols + i.at[1]);
    std::byte* target = tile(leaf, i.dst);
    if ((i.flags & kFlagTransposed) == 0) {
        for (std::uint32_t r = 0; r < i.extent[0]; ++r)
            std::memcpy(target + hostSize(to.dtype, std::int64_t{r} * to.cols),
                        source + hostSize(from.dtype, std::int64_t{r} * from.cols), hostSize(from.dtype, i.extent[1]));
        fill(to, target, i.extent[0], i.extent[1]);
        return;
    }
    switch (hostBytesPerElement(from.dtype)) {
        case 1: transposeInto<std::uint8_t>(source, from.cols, i.extent[0], i.extent[1], target, to.cols); break;
        case 2: transposeInto<std::uint16_t>(source, from.cols, i.extent[0], i.extent[1], target, to.cols); break;
        default: transposeInto<std::uint32_t>(source, from.cols, i.extent[0], i.extent[1], target, to.cols); break;
    }
    fill(to, target, i.extent[1], i.extent[0]);
}

void LeafInterpreter::loadScales(const Leaf& leaf, const Instruction& i, const Box& box) {
    const Allocation& to = leaf.allocations[i.dst];
    std::byte* const target = tile(leaf, i.dst);
    const GmPlace& place = m_gm[box.tensor.value];
    const bool pairsFirst = (i.flags & kFlagTransposed) != 0;
    for (std::int64_t r = 0; r < i.extent[0]; ++r)
        for (std::int64_t p = 0; p < i.extent[1]; ++p) {
            const std::int64_t row = i.at[0] + r;
            const std::int64_t pair = i.at[1] + p;
            const std::int64_t outer = (pairsFirst ? pair : row) * place.stride[1];
            std::memcpy(target + r * to.cols + 2 * p,
                        place.source(box, pairsFirst ? row : pair, 0) + place.bytes(outer), 2);
        }
    fill(to, target, i.extent[0], 2 * std::int64_t{i.extent[1]});
}

void LeafInterpreter::moveScales(const Leaf& leaf, const Instruction& i) {
    const Allocation& from = leaf.allocations[i.src0];
    const Allocation& to = leaf.allocations[i.dst];
    const std::byte* const source = tile(leaf, i.src0) + std::int64_t{i.at[0]} * from.cols + 2 * std::int64_t{i.at[1]};
    std::byte* const target = tile(leaf, i.dst);
    const std::int64_t groups = 2 * std::int64_t{i.extent[1]};
    for (std::int64_t r = 0; r < i.extent[0]; ++r)
        std::memcpy(target + r * to.cols, source + r * from.cols, static_cast<std::size_t>(groups));
    fill(to, target, i.extent[0], groups);
}

/// The bias in the accumulator's type; scales as 64-bit words with the FP32 in their low half.
void LeafInterpreter::moveRow(const Leaf& leaf, const Instruction& i) {
    const Allocation& to = leaf.allocations[i.dst];
    const std::byte* const source = tile(leaf, i.src0);
    std::byte* const target = tile(leaf, i.dst);
    const DType from = leaf.allocations[i.src0].dtype;
    if (i.op == Opcode::MoveFb)
        channelWords(from, source, {reinterpret_cast<std::int64_t*>(target), i.extent[1]}, m_cubeScratch.row);
    else
        convertRow(from, source, to.dtype, target, i.extent[1]);
    fill(to, target, 1, i.extent[1]);
}

/// Zeros, or the bias in every row.
void LeafInterpreter::startAccumulator(const Leaf& leaf, const Instruction& i, const CubeDetail& detail) {
    const Allocation& c = leaf.allocations[i.dst];
    std::byte* const accumulator = tile(leaf, i.dst);
    const std::size_t bytes = hostSize(c.dtype, i.extent[1]);
    for (std::int64_t r = 0; r < i.extent[0]; ++r) {
        std::byte* const row = accumulator + hostSize(c.dtype, r * c.cols);
        if (detail.bias != Instruction::kNone)
            std::memcpy(row, tile(leaf, detail.bias), bytes);
        else
            std::memset(row, 0, bytes);
    }
    if (m_poison) fill(c, accumulator, i.extent[0], i.extent[1]);
}

Result<bool> LeafInterpreter::mmad(const Leaf& leaf, const Instruction& i) {
    const Allocation& a = leaf.allocations[i.src0];
    const Allocation& b = leaf.allocations[i.src1];
    const Allocation& c = leaf.allocations[i.dst];
    static constexpr CubeDetail kPlain;
    const CubeDetail& detail = i.detail == Instruction::kNone ? kPlain : leaf.cubeDetails[i.detail];
    std::byte* accumulator = tile(leaf, i.dst);
    if ((i.flags & kFlagInit) != 0) startAccumulator(leaf, i, detail);
    if (i.at[0] == 0) return true;
    CubeOperand left;
    left.dtype = a.dtype;
    left.codes = tile(leaf, i.src0);
    left.iStride = a.cols;
    left.kStride = 1;
    CubeOperand right;
    right.dtype = b.dtype;
    right.codes = tile(leaf, i.src1);
    right.iStride = 1;
    right.kStride = b.cols;
    const auto addScales = [&](CubeOperand& operand, std::uint16_t scales) {
        if (scales == Instruction::kNone) return;
        operand.scales = reinterpret_cast<const std::uint8_t*>(tile(leaf, scales));
        operand.scaleIStride = leaf.allocations[scales].cols;
        operand.scalePairStride = 2;
    };
    addScales(left, detail.scalesA);
    addScales(right, detail.scalesB);
    if (c.dtype == DType::INT32)
        return m_kernel.multiply(i.extent[0], i.extent[1], i.at[0], left, right,
                                 reinterpret_cast<std::int32_t*>(accumulator), c.cols, m_cubeScratch.kernel);
    float* const sums = reinterpret_cast<float*>(accumulator);
    std::vector<float> before;
    if (m_check != nullptr) before.assign(sums, sums + std::int64_t{i.extent[0]} * c.cols);
    CUBIST_CHECK_OK(accumulate(m_kernel.with(mathOf(detail)), detail, i.extent[0], i.extent[1], i.at[0], left, right,
                               sums, c.cols, m_cubeScratch));
    if (m_check != nullptr)
        noteInfiniteSums({i.extent[0], i.extent[1], i.at[0], c.cols, before.data(), sums}, left, right,
                         m_vectorScratch.losses);
    return true;
}

/// The FIXPIPE converts as it would for global memory. The result is kept there too, for those who look at stages.
void LeafInterpreter::moveUb(const Leaf& leaf, const Instruction& i, const Box& box) {
    storeAccumulator(leaf, i, box, i.at);
    const Allocation& to = leaf.allocations[i.dst];
    std::byte* target = tile(leaf, i.dst);
    if (m_poison) fill(to, target, 0, 0);
    for (std::uint32_t r = 0; r < i.extent[0]; ++r)
        std::memcpy(target + hostSize(to.dtype, std::int64_t{r} * to.cols),
                    m_gm[box.tensor.value].source(box, i.at[0] + r, i.at[1]), hostSize(to.dtype, i.extent[1]));
}

void LeafInterpreter::storeAccumulator(const Leaf& leaf, const Instruction& i, const Box& box,
                                       std::array<std::uint32_t, 2> first) {
    const Allocation& from = leaf.allocations[i.src0];
    const std::byte* source = tile(leaf, i.src0) + hostSize(from.dtype, std::int64_t{first[0]} * from.cols + first[1]);
    const GmPlace& place = m_gm[box.tensor.value];
    Fixpipe fixpipe;
    fixpipe.accumulator = from.dtype;
    fixpipe.output = i.dtype;
    fixpipe.atomic = (i.flags & kFlagAtomic) != 0;
    if (i.detail != Instruction::kNone) {
        const CubeDetail& detail = leaf.cubeDetails[i.detail];
        fixpipe.relu = detail.relu;
        fixpipe.scale = detail.scale;
        if (detail.channelScales != Instruction::kNone)
            fixpipe.channelScales = {reinterpret_cast<const std::int64_t*>(tile(leaf, detail.channelScales)) + first[1],
                                     i.extent[1]};
    }
    for (std::uint32_t r = 0; r < i.extent[0]; ++r) {
        const std::int64_t row = std::int64_t{i.at[0]} + r, col = i.at[1];
        fixpipeRow(fixpipe, source + hostSize(from.dtype, std::int64_t{r} * from.cols), i.extent[1],
                   place.target(box, row, col), m_cubeScratch.row)
            .note(m_vectorScratch.losses, i.dtype, i.extent[1], {row, col}, box.tensor,
                  {box.offset[0], box.offset[1], box.offset[2] + row, box.offset[3] + col});
    }
}

/// Checked runs look at every access of an indexed transfer when its place is known.
MayTouch LeafInterpreter::mayTouch(const Instruction& i, const Box& box) {
    return [this, &i, &box](const Extent4& at, std::int64_t count) {
        return m_check == nullptr || m_check->mayTouch(i, box, at, count);
    };
}

std::optional<BadIndex> LeafInterpreter::loadUb(const Leaf& leaf, const Instruction& i, const Box& box) {
    const Allocation& to = leaf.allocations[i.dst];
    std::byte* target = tile(leaf, i.dst);
    const GmPlace& place = m_gm[box.tensor.value];
    // Of nothing valid a row may still be stretched: it is zero, not what lay there before.
    if (m_poison || elementCount(box.valid) == 0) fill(to, target, 0, 0);
    if (i.detail != Instruction::kNone) {
        const VectorDetail& detail = leaf.details[i.detail];
        return loadIndexed(detail, view(leaf, i.dst, detail.dst), view(leaf, i.src1, detail.src[1]), box, place,
                           mayTouch(i, box));
    }
    forEachBoxRow(box, place, [&](std::int64_t row, std::int64_t at) {
        std::memcpy(target + hostSize(to.dtype, row * to.cols), place.read + place.bytes(at),
                    hostSize(to.dtype, box.valid[3]));
    });
    return std::nullopt;
}

std::optional<BadIndex> LeafInterpreter::storeUb(const Leaf& leaf, const Instruction& i, const Box& box) {
    const Allocation& from = leaf.allocations[i.src0];
    const std::byte* source = tile(leaf, i.src0);
    const GmPlace& place = m_gm[box.tensor.value];
    if (i.detail != Instruction::kNone) {
        const VectorDetail& detail = leaf.details[i.detail];
        std::vector<std::int64_t>* places = nullptr;
        if (!detail.traits.accumulate) {
            m_indexed.push_back({{}, box, detail.axis, detail.traits.indexRank, {}});
            places = &m_indexed.back().places;
        }
        return storeIndexed(detail, view(leaf, i.src0, detail.src[0]), view(leaf, i.src1, detail.src[1]), box, place,
                            mayTouch(i, box), places, m_vectorScratch.losses);
    }
    const bool atomic = (i.flags & kFlagAtomic) != 0;
    forEachBoxRow(box, place, [&](std::int64_t row, std::int64_t at) {
        const auto wrapped = storeRow(from.dtype, source + hostSize(from.dtype, row * from.cols), from.dtype,
                                      place.write + place.bytes(at), static_cast<std::size_t>(box.valid[3]), atomic);
        if (!wrapped) return;
        Extent4 target = box.offset;
        target[0] += row / (box.valid[1] * box.valid[2]);
        target[1] += row / box.valid[2] % box.valid[1];
        target[2] += row % box.valid[2];
        target[3] += static_cast<std::int64_t>(*wrapped);
        m_vectorScratch.losses.wrap({VectorOpCode::Add, box.tensor, target, from.dtype});
    });
    return std::nullopt;
}

UbTile LeafInterpreter::view(const Leaf& leaf, std::uint16_t allocation, const TilePart& part) {
    if (allocation == Instruction::kNone) return {};
    const Allocation& a = leaf.allocations[allocation];
    return {tile(leaf, allocation), a.dtype, part, a.cols};
}

Result<void> LeafInterpreter::vector(const Leaf& leaf, const Instruction& i, std::span<const Box> boxes) {
    const VectorDetail& detail = leaf.details[i.detail];
    const UbTile dst = view(leaf, i.dst, detail.dst);
    // Operations on a part leave the rest of the tile as it is, but nothing may remain of what was there before. A tile
    // that an operation works on in place is filled already.
    const bool first = leaf.allocations[i.dst].first == static_cast<std::uint32_t>(&i - leaf.instructions.data());
    const bool wholeTile = detail.dst.extent == detail.dst.layout && elementCount(detail.dst.extent) > 0;
    const VectorSources sources{view(leaf, i.src0, detail.src[0]), view(leaf, i.src1, detail.src[1]),
                                view(leaf, i.box, detail.src[2])};
    const bool inPlace =
        std::any_of(sources.begin(), sources.end(), [&](const UbTile& s) { return s.data == dst.data; });
    if (first && !inPlace && (m_poison || !wholeTile)) fill(leaf.allocations[i.dst], dst.data, 0, 0);
    std::optional<VectorOperands> read;
    if (m_check != nullptr) read.emplace(dst, sources);
    const auto bad = applyVector(detail, dst, sources, m_vectorScratch);
    if (bad) return unexpected(indexError(leaf, i.src1, boxes, *bad));
    if (read) noteInfiniteResults(detail, dst, read->sources(), m_vectorScratch.losses);
    return {};
}

/// Says where the entry stands in the index's tensor, if its tile was loaded from one.
Error LeafInterpreter::indexError(const Leaf& leaf, std::uint16_t index, std::span<const Box> boxes,
                                  const BadIndex& bad) {
    Extent4 at = bad.at;
    std::size_t axes = 1;
    for (const Instruction& load : leaf.instructions) {
        if (load.op != Opcode::LoadUb || load.dst != index) continue;
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += boxes[load.box].offset[axis];
    }
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        if (at[axis] != 0) axes = std::max(axes, at.size() - axis);
    std::string place = "[";
    for (std::size_t axis = at.size() - axes; axis < at.size(); ++axis)
        place += (place.size() > 1 ? ", " : "") + std::to_string(at[axis]);
    return {ErrorCode::BadValue,
            "element " + place + "] of the index is " + std::to_string(bad.value) + ", the axis has " +
                std::to_string(bad.limit) + " elements",
            {},
            {}};
}

}  // namespace cubist

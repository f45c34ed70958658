// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/l2_cache.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/integer_math.h"

namespace cubist {
namespace {

constexpr std::int64_t kMaxRegions = 65'536;
constexpr std::int64_t kSector = 32;        ///< of a line: what 3510 fetches at least; where rows begin
constexpr std::int64_t kFractalBits = 256;  ///< of one row of a fractal
/// Rows that begin at multiples of 32 bytes, but not of a line, keep at least 70 % of the bandwidth.
constexpr double kAlignedFactor = 10.0 / 7.0;

/// `count` elements in bytes, rounded down to whole bytes at a start.
std::int64_t bytesOf(DType type, std::int64_t count) {
    return count * bitsPerElement(type) / 8;
}

}  // namespace

L2Cache::L2Cache(const Program& program, std::span<const LeafPlan* const> plans, const ChipSpec& chip)
    : m_program(program),
      m_capacity(chip.l2EffectiveBytes.integer()),
      m_sector(std::max<std::int64_t>(1, chip.l2LineBytes.integer())) {
    if (chip.arch == "3510") m_sector = std::min(kSector, m_sector);
    if (m_capacity <= 0) return;
    planGrids(plans);
    std::size_t count = 0;
    for (Grid& grid : m_grids) {
        grid.first = static_cast<std::uint32_t>(count);
        grid.across = std::max<std::int64_t>(1, ceilDiv(grid.rowBytes, grid.regionBytes));
        count += static_cast<std::size_t>(grid.across * ceilDiv(grid.rows, grid.regionRows));
    }
    m_regions.resize(count + 1);
    m_head = static_cast<std::uint32_t>(count);
    m_regions[m_head].previous = m_regions[m_head].next = m_head;
    for (const Grid& grid : m_grids) {
        std::size_t r = grid.first;
        const std::int64_t rest = grid.rowBytes - (grid.across - 1) * grid.regionBytes;
        for (std::int64_t row = 0; row < grid.rows; row += grid.regionRows) {
            const std::int64_t rows = std::min(grid.regionRows, grid.rows - row);
            for (std::int64_t a = 1; a < grid.across; ++a) m_regions[r++].bytes = rows * grid.regionBytes;
            m_regions[r++].bytes = rows * std::min(grid.regionBytes, std::max<std::int64_t>(1, rest));
        }
    }
}

template <class Visit>
void L2Cache::forEachPlace(const Task& task, const LeafPlan::Transfer& transfer, Visit visit) const {
    if (transfer.box == Instruction::kNone) return;
    const Box& box = m_program.boxes[task.firstBox + transfer.box];
    const GmTensor& tensor = m_program.tensors[box.tensor.value];
    const Extent4& shape = tensor.shape;
    Place place;
    if (m_grids[box.tensor.value].pairs) {
        const std::size_t row = transfer.turned ? 1 : 0;
        place.row = box.offset[0] * shape[1] + box.offset[1];
        place.rows = box.valid[0] * box.valid[1];
        place.byte = box.offset[2] * shape[3];
        place.bytes = box.valid[2] * shape[3];
        if (transfer.scales) {
            place.row += transfer.at[row];
            place.rows = transfer.extent[row];
            place.byte += transfer.at[1 - row] * shape[3];
            place.bytes = transfer.extent[1 - row] * shape[3];
        }
        if (place.rows > 0 && place.bytes > 0) visit(box.tensor, place);
        return;
    }
    std::int64_t rows = transfer.extent[0];
    std::int64_t columns = transfer.extent[1];
    std::int64_t outer = 1;
    if (transfer.whole) {
        rows = box.valid[2];
        columns = box.valid[3];
        outer = box.valid[0] * box.valid[1];
    }
    if (rows <= 0 || columns <= 0) return;
    const bool nz = tensor.format == Format::NZ;
    // Columns of fractals: 32 bytes of every row one after the other, then the next 32 bytes of every row.
    const std::int64_t width = nz ? kFractalBits / bitsPerElement(tensor.dtype) : 1;
    const std::int64_t column = box.offset[3] + transfer.at[1];
    const std::int64_t line = box.offset[2] + transfer.at[0];
    place.rows = nz ? ceilDiv(column + columns, width) - column / width : rows;
    place.byte = nz ? line * kFractalBits / 8 : bytesOf(tensor.dtype, column);
    place.bytes = nz ? rows * kFractalBits / 8 : deviceBytes(tensor.dtype, columns);
    for (std::int64_t o = 0; o < outer; ++o) {
        const std::int64_t first = box.offset[0] + o / std::max<std::int64_t>(1, box.valid[1]);
        const std::int64_t second = box.offset[1] + o % std::max<std::int64_t>(1, box.valid[1]);
        const std::int64_t matrix = first * shape[1] + second;
        place.row = nz ? matrix * ceilDiv(shape[3], width) + column / width : matrix * shape[2] + line;
        visit(box.tensor, place);
    }
}

void L2Cache::planGrids(std::span<const LeafPlan* const> plans) {
    m_grids.resize(m_program.tensors.size());
    for (std::size_t t = 0; t < m_grids.size(); ++t) {
        const GmTensor& tensor = m_program.tensors[t];
        m_grids[t].rows = std::max<std::int64_t>(1, tensor.shape[0] * tensor.shape[1] * tensor.shape[2]);
        m_grids[t].rowBytes = std::max<std::int64_t>(1, deviceBytes(tensor.dtype, tensor.shape[3]));
        m_grids[t].cached = tensor.cached;
        m_grids[t].pairs = tensor.rank == 3 && tensor.dtype == DType::FP8E8M0 && tensor.shape[3] == 2;
        if (m_grids[t].pairs) {
            m_grids[t].rows = std::max<std::int64_t>(1, tensor.shape[0] * tensor.shape[1]);
            m_grids[t].rowBytes = std::max<std::int64_t>(1, tensor.shape[2] * 2);
        }
        if (tensor.format == Format::NZ) {
            m_grids[t].rows =
                std::max<std::int64_t>(1, tensor.shape[0] * tensor.shape[1] *
                                              ceilDiv(tensor.shape[3], kFractalBits / bitsPerElement(tensor.dtype)));
            m_grids[t].rowBytes = std::max<std::int64_t>(1, roundUp(tensor.shape[2], 16) * kFractalBits / 8);
        }
        m_grids[t].regionRows = 0;
        m_grids[t].regionBytes = 0;
    }
    // Mostly it divides already.
    const auto divide = [](std::int64_t& region, std::int64_t by) {
        if (region == 0 || by % region != 0) region = std::gcd(region, by);
    };
    for (const Task& task : m_program.tasks)
        for (const LeafPlan::Transfer& transfer : plans[task.leaf.value]->transfers)
            forEachPlace(task, transfer, [&](GmIndex tensor, const Place& place) {
                Grid& grid = m_grids[tensor.value];
                divide(grid.regionRows, place.row);
                divide(grid.regionBytes, place.byte);
                if (place.row + place.rows < grid.rows) divide(grid.regionRows, place.rows);
                if (place.byte + place.bytes < grid.rowBytes) divide(grid.regionBytes, place.bytes);
            });
    for (Grid& grid : m_grids) {
        if (grid.regionRows == 0) grid.regionRows = grid.rows;
        if (grid.regionBytes == 0) grid.regionBytes = grid.rowBytes;
        const auto regions = [&] {
            return ceilDiv(grid.rows, grid.regionRows) * ceilDiv(grid.rowBytes, grid.regionBytes);
        };
        while (regions() > kMaxRegions) (grid.regionRows < grid.rows ? grid.regionRows : grid.regionBytes) *= 2;
    }
}

L2Cache::Bytes L2Cache::access(const Task& task, const LeafPlan::Transfer& transfer) {
    Bytes sum;
    if (m_capacity <= 0 || transfer.box == Instruction::kNone) {
        sum.hit = transfer.bytes;
        return sum;
    }
    double factor = 1.0;
    std::int64_t places = 0, seen = 0;
    if (transfer.picked) forEachPlace(task, transfer, [&](GmIndex, const Place&) { ++places; });
    forEachPlace(task, transfer, [&](GmIndex tensor, const Place& place) {
        const Grid& grid = m_grids[tensor.value];
        std::int64_t bytes = place.rows * place.bytes;
        if (transfer.picked) bytes = transfer.bytes * (seen + 1) / places - transfer.bytes * seen / places;
        ++seen;
        if (!grid.cached)
            sum.miss += bytes;
        else if (transfer.picked)
            touchPicked(grid, place, bytes, sum);
        else
            touch(grid, place, transfer.write, sum);
        factor = std::max(factor, lineFactor(grid, place, transfer.picked));
    });
    sum.hbm = sum.miss;
    if (factor > 1.0) {
        sum.hit = static_cast<std::int64_t>(static_cast<double>(sum.hit) * factor);
        sum.miss = static_cast<std::int64_t>(static_cast<double>(sum.miss) * factor);
    }
    return sum;
}

/// A piece inside one line costs its own bytes; one that crosses lines costs all of them whole. Rows of a tensor whose
/// rows are no whole lines begin everywhere in a line: then it is what they cost on average. Whole rows are one piece.
double L2Cache::lineFactor(const Grid& grid, const Place& place, bool picked) const {
    const bool wholeRows = place.byte == 0 && place.bytes >= grid.rowBytes;
    if (!picked && (place.rows == 1 || wholeRows))
        return pieceFactor(place.row * grid.rowBytes + place.byte, place.rows * place.bytes);
    if (place.rows == 1 || grid.rowBytes % m_sector == 0) return pieceFactor(place.byte, place.bytes);
    const double factor = averageFactor(grid, place);
    const bool aligned = grid.rowBytes % kSector == 0 && place.byte % kSector == 0;
    return aligned ? std::min(factor, kAlignedFactor) : factor;
}

double L2Cache::pieceFactor(std::int64_t start, std::int64_t length) const {
    const std::int64_t lines = roundUp(start + length, m_sector) - start / m_sector * m_sector;
    return lines <= m_sector ? 1.0 : static_cast<double>(lines) / static_cast<double>(length);
}

double L2Cache::averageFactor(const Grid& grid, const Place& place) const {
    const std::int64_t step = std::gcd(std::gcd(grid.rowBytes, m_sector), place.byte);
    const auto bytes = static_cast<double>(place.bytes);
    if (place.bytes > m_sector) return (bytes + static_cast<double>(m_sector - step)) / bytes;
    const auto begins = static_cast<double>(m_sector / step);
    const auto inside = static_cast<double>((m_sector - place.bytes) / step + 1);
    return (inside * bytes + (begins - inside) * 2.0 * static_cast<double>(m_sector)) / (begins * bytes);
}

void L2Cache::touch(const Grid& grid, const Place& place, bool write, Bytes& sum) {
    const std::int64_t lastRow = (std::min(place.row + place.rows, grid.rows) - 1) / grid.regionRows;
    const std::int64_t lastColumn = (std::min(place.byte + place.bytes, grid.rowBytes) - 1) / grid.regionBytes;
    for (std::int64_t r = place.row / grid.regionRows; r <= lastRow; ++r) {
        const std::int64_t rows =
            std::min(place.row + place.rows, (r + 1) * grid.regionRows) - std::max(place.row, r * grid.regionRows);
        for (std::int64_t c = place.byte / grid.regionBytes; c <= lastColumn; ++c) {
            const std::int64_t begin = std::max(place.byte, c * grid.regionBytes);
            const std::int64_t end = std::min(place.byte + place.bytes, (c + 1) * grid.regionBytes);
            const std::int64_t bytes = rows * (end - begin);
            const auto index = grid.first + static_cast<std::uint32_t>(r * grid.across + c);
            Region& region = m_regions[index];
            if (region.held > 0) unlink(index);
            const std::int64_t fetched = std::min(bytes, region.bytes - region.held);
            region.held += fetched;
            m_used += fetched;
            if (write)
                region.dirty = std::min(region.dirty + bytes, region.bytes);
            else
                sum.miss += fetched;
            sum.hit += write ? bytes : std::max<std::int64_t>(0, bytes - fetched);
            pushFront(index);
            while (m_used > m_capacity && m_regions[m_head].previous != index) sum.back += evict();
        }
    }
}

/// `bytes` of rows anywhere in the place: at most as many regions as rows, each with an equal share.
void L2Cache::touchPicked(const Grid& grid, const Place& place, std::int64_t bytes, Bytes& sum) {
    const std::int64_t firstRow = place.row / grid.regionRows;
    const std::int64_t rows = (std::min(place.row + place.rows, grid.rows) - 1) / grid.regionRows - firstRow + 1;
    const std::int64_t column = place.byte / grid.regionBytes;
    const std::int64_t parts = std::min(rows, std::max<std::int64_t>(1, bytes / place.bytes));
    for (std::int64_t p = 0; p < parts; ++p) {
        const std::int64_t share = bytes * (p + 1) / parts - bytes * p / parts;
        const auto index =
            grid.first + static_cast<std::uint32_t>((firstRow + p * rows / parts) * grid.across + column);
        Region& region = m_regions[index];
        if (region.held > 0) unlink(index);
        const std::int64_t absent = region.bytes - region.held;
        const double chance = static_cast<double>(absent) / static_cast<double>(region.bytes);
        const auto fetched = std::min(absent, static_cast<std::int64_t>(static_cast<double>(share) * chance));
        region.held += fetched;
        m_used += fetched;
        sum.miss += fetched;
        sum.hit += share - fetched;
        if (region.held > 0) pushFront(index);
        while (m_used > m_capacity && m_regions[m_head].previous != index) sum.miss += evict();
    }
}

void L2Cache::unlink(std::uint32_t region) {
    const Region& r = m_regions[region];
    m_regions[r.previous].next = r.next;
    m_regions[r.next].previous = r.previous;
}

void L2Cache::pushFront(std::uint32_t region) {
    Region& r = m_regions[region];
    r.previous = m_head;
    r.next = m_regions[m_head].next;
    m_regions[r.next].previous = region;
    m_regions[m_head].next = region;
}

/// Drops the least recent region; returns the bytes to write back.
std::int64_t L2Cache::evict() {
    const std::uint32_t last = m_regions[m_head].previous;
    unlink(last);
    Region& region = m_regions[last];
    m_used -= std::exchange(region.held, 0);
    return std::exchange(region.dirty, 0);
}

}  // namespace cubist

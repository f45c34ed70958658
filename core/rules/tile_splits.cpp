// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/tile_splits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/integer_math.h"
#include "core/chip/formulas.h"
#include "core/chip/slots.h"

namespace cubist {
namespace {

constexpr std::int64_t kLargestTile = 2048;  ///< 16 columns beside it fill L0C

std::int64_t ticksOf(const Rational& cycles) {
    return formula::toTicks(cycles).value;
}

constexpr std::int64_t kGrain = 1024;

/// Ticks for kGrain bytes or elements; 0 where there is no limit.
std::int64_t ticksPer(const Constant& rate) {
    return rate.value > Rational(0) ? ticksOf(Rational(kGrain) / rate.value) : 0;
}

/// What an operand's tile takes, in ticks, by its extent along M or N and the depths.
struct SideTicks {
    std::int64_t load = 0;  ///< of one copy into L1
    std::int64_t move = 0;  ///< of one move into L0
};

/// One stage, with the numbers that all its tiles share.
class SplitSearch {
public:
    SplitSearch(const ResolvedDesign& design, const ResolvedBlock& block, const CubeStage& cube, const ChipSpec& chip,
                std::int64_t cores)
        : m_design(design),
          m_block(block),
          m_cube(cube),
          m_chip(chip),
          m_cores(cores),
          m_a(*design.value(cube.a)),
          m_b(*design.value(cube.b)),
          m_rate(chip.cubeRate(m_a.dtype)),
          m_mmadOverhead(ticksOf(chip.mmadOverhead.value)),
          m_repeat(m_rate != nullptr ? ticksOf(m_rate->repeat.value) : 0),
          m_fixOverhead(ticksOf(chip.fixOverhead.value)),
          m_fixByte(ticksPer(chip.fixBytesPerCycle)),
          m_fixElement(ticksPer(chip.fixElementsPerCycle)),
          m_dispatch(ticksOf(formula::dispatchCycles(chip))),
          m_threads(std::max<std::int64_t>(1, chip.schedulerThreads.integer())) {}

    TileSplits search(double fill, std::size_t most) {
        TileSplits out;
        if (m_rate == nullptr) return out;
        const MatmulSize& size = *m_block.matmul;
        const std::vector<std::int64_t> ms = extents(size.m, cubePadding(m_a.dtype));
        const std::vector<std::int64_t> ns = extents(size.n, cubePadding(m_b.dtype));
        std::vector<TileSplit> found;
        for (const std::vector<std::int64_t>& k : depths()) {
            std::vector<SideTicks> rows, columns;
            for (const std::int64_t m : ms) rows.push_back(sideOf(true, m, k));
            for (const std::int64_t n : ns) columns.push_back(sideOf(false, n, k));
            std::size_t next = 0;
            for (std::size_t i = 0; i < ms.size(); ++i) {
                for (std::size_t j = 0; j < ns.size(); ++j) {
                    const std::int64_t tasks = blocksOf(m_design, m_block, ms[i], ns[j]);
                    if (fillOf(tasks, m_cores) < fill || !fitsL0C(ms[i], ns[j])) continue;
                    const std::size_t at = next++;
                    if (at == found.size()) found.push_back({m_cube.tile, tasks, kNever});
                    const auto ticks = estimate(ms[i], ns[j], k, rows[i], columns[j], tasks);
                    // Other depths are worth an edit when they save a fiftieth.
                    TileSplit& best = found[at];
                    if (!ticks || (best.ticks != kNever && *ticks >= best.ticks - best.ticks / 50)) continue;
                    best.ticks = *ticks;
                    best.tile.m = {ms[i], ms[i]};
                    best.tile.n = {ns[j], ns[j]};
                    best.tile.k = k;
                }
            }
        }
        std::erase_if(found, [](const TileSplit& split) { return split.ticks == kNever; });
        out.filling = static_cast<std::int64_t>(found.size());
        std::stable_sort(found.begin(), found.end(),
                         [](const TileSplit& a, const TileSplit& b) { return a.ticks < b.ticks; });
        if (found.size() > most) found.resize(most);
        out.best = std::move(found);
        return out;
    }

private:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    /// For every number of blocks along an axis the smallest tile of whole fractals, largest first.
    static std::vector<std::int64_t> extents(std::int64_t size, std::int64_t granule) {
        std::vector<std::int64_t> out;
        std::int64_t last = 0;
        for (std::int64_t tile = granule; tile <= kLargestTile; tile += granule) {
            const std::int64_t blocks = ceilDiv(size, tile);
            if (blocks != last) out.push_back(tile);
            last = blocks;
            if (blocks <= 1) break;
        }
        std::reverse(out.begin(), out.end());
        return out;
    }

    /// The depths of the stage's own tile first.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> depths() const {
        const std::vector<std::int64_t>& own = m_cube.tile.k;
        std::vector<std::vector<std::int64_t>> out{own};
        const std::int64_t granule =
            m_cube.op == CubeOp::ScaledMm ? 64 : std::max(cubePadding(m_a.dtype), cubePadding(m_b.dtype));
        constexpr std::array kFactors{std::pair{1, 1}, std::pair{1, 2}, std::pair{2, 1}};
        for (const auto& [up0, down0] : kFactors) {
            for (const auto& [up1, down1] : kFactors) {
                std::vector<std::int64_t> k = own;
                bool whole = true;
                for (std::size_t i = 0; i < k.size(); ++i) {
                    const std::int64_t up = i == 0 ? up0 : up1, down = i == 0 ? down0 : down1;
                    whole = whole && k[i] % down == 0 && k[i] <= kNever / 4;
                    k[i] = k[i] / down * up;
                }
                whole = whole && k[0] > 0 && k[0] % granule == 0;
                for (std::size_t i = 1; i < k.size(); ++i) whole = whole && k[i] >= k[0] && k[i] % k[0] == 0;
                if (whole && k != own) out.push_back(std::move(k));
            }
        }
        return out;
    }

    [[nodiscard]] bool fitsL0C(std::int64_t m, std::int64_t n) const {
        return tileBytes(DType::FP32, m, n) <= m_chip.l0cBytes.integer();
    }

    [[nodiscard]] SideTicks sideOf(bool ofA, std::int64_t extent, const std::vector<std::int64_t>& k) const {
        const MatmulSize& size = *m_block.matmul;
        const ResolvedValue& value = ofA ? m_a : m_b;
        const std::int64_t depth = std::min(ofA || k.size() < 3 ? k[1] : k[2], size.k);
        const std::int64_t valid = std::min(extent, ofA ? size.m : size.n);
        const std::int64_t bytes = std::max<std::int64_t>(1, tileBytes(value.dtype, valid, depth));
        const bool alongK = ofA ? !m_cube.aTrans : m_cube.bTrans;  // rows of K elements
        const std::int64_t rows = alongK ? valid : depth;
        const std::int64_t inL0 =
            tileBytes(value.dtype, extent, std::min(k[0], roundUp(size.k, cubePadding(value.dtype))));
        SideTicks out;
        if (bytes > m_chip.l1Bytes.integer() || inL0 > m_chip.l1Bytes.integer()) return out;  // refused below
        const bool nz = value.tensor != nullptr && value.tensor->format == Format::NZ;
        out.load = nz ? ticksOf(formula::nzToL1Cycles(m_chip, Bytes(bytes)))
                      : ticksOf(formula::gmToL1Cycles(m_chip, rows, std::max<std::int64_t>(1, bytes / rows)));
        if (const Rational rate = formula::hbmToCoreRate(m_chip, nz); rate > Rational(0))
            out.load = std::max(out.load, ticksOf(m_chip.mte2Overhead.value + Rational(bytes) / rate));
        const Bytes moved(std::max<std::int64_t>(1, inL0));
        out.move = ticksOf(ofA ? formula::l1ToL0aCycles(m_chip, moved) : formula::l1ToL0bCycles(m_chip, moved));
        return out;
    }

    /// F-67; nothing where the tiles do not fit L0 or L1.
    [[nodiscard]] std::optional<std::int64_t> estimate(std::int64_t m, std::int64_t n,
                                                       const std::vector<std::int64_t>& k, const SideTicks& a,
                                                       const SideTicks& b, std::int64_t tasks) const {
        const MatmulSize& size = *m_block.matmul;
        const std::int64_t kA = k[1], kB = k.size() > 2 ? k[2] : k[1];
        const CubeTileBytes bytes = cubeTileBytes(m, k[0], std::min(kA, roundUp(size.k, k[0])),
                                                  std::min(kB, roundUp(size.k, k[0])), n, m_a.dtype, m_b.dtype);
        const std::int64_t l1 = m_chip.l1Bytes.integer();
        if (bytes.l0A > m_chip.l0aBytes.integer() || bytes.l0B > m_chip.l0bBytes.integer() || bytes.l1() > l1)
            return std::nullopt;
        const std::int64_t stepsA = ceilDiv(size.k, kA), stepsB = ceilDiv(size.k, kB), steps = ceilDiv(size.k, k[0]);
        const std::int64_t loads = saturatingAdd(saturatingMul(stepsA, a.load), saturatingMul(stepsB, b.load));
        const std::int64_t fractals = ceilDiv(std::min(m, size.m), 16) * ceilDiv(std::min(k[0], size.k), m_rate->k0) *
                                      ceilDiv(std::min(n, size.n), 16);
        const std::int64_t mmad = saturatingAdd(m_mmadOverhead, saturatingMul(fractals, m_repeat));
        const std::int64_t l0 = bytes.l0A * 2 <= m_chip.l0aBytes.integer() && bytes.l0B * 2 <= m_chip.l0bBytes.integer()
                                    ? std::max(mmad, a.move + b.move)
                                    : mmad + a.move + b.move;
        const std::int64_t compute = saturatingMul(steps, l0), l1Steps = std::max(stepsA, stepsB);
        // With two slots the loads run beside the cube but for the first step's or the last one's part.
        const std::int64_t core =
            slotCount(bytes.l1(), l1, m_cube.slotCount) >= 2
                ? std::max(saturatingAdd(loads, compute / l1Steps), saturatingAdd(loads / l1Steps, compute))
                : saturatingAdd(loads, compute);
        const std::int64_t rows = std::min(m, size.m), columns = std::min(n, size.n);
        const std::int64_t elements = saturatingMul(rows, columns);
        const std::int64_t fix =
            saturatingAdd(m_fixOverhead, std::max(saturatingMul(tileBytes(m_cube.outDType, rows, columns), m_fixByte),
                                                  saturatingMul(elements, m_fixElement)) /
                                             kGrain);
        const std::int64_t waves = ceilDiv(tasks, m_cores);
        return saturatingAdd(saturatingMul(waves, saturatingAdd(core, fix)),
                             saturatingMul(ceilDiv(tasks, m_threads), m_dispatch));
    }

    const ResolvedDesign& m_design;
    const ResolvedBlock& m_block;
    const CubeStage& m_cube;
    const ChipSpec& m_chip;
    std::int64_t m_cores;
    const ResolvedValue& m_a;
    const ResolvedValue& m_b;
    const CubeRate* m_rate;
    // Exact fractions are slow, so they are worked out once.
    std::int64_t m_mmadOverhead, m_repeat, m_fixOverhead;
    std::int64_t m_fixByte, m_fixElement;  ///< for kGrain of them
    std::int64_t m_dispatch, m_threads;
};

}  // namespace

double fillOf(std::int64_t tasks, std::int64_t cores) {
    return static_cast<double>(tasks) / static_cast<double>(ceilDiv(tasks, cores) * cores);
}

std::int64_t blocksOf(const ResolvedDesign& design, const ResolvedBlock& block, std::int64_t mL0, std::int64_t nL0) {
    const MatmulSize& size = *block.matmul;
    const std::int64_t each = saturatingMul(ceilDiv(size.m, mL0), ceilDiv(size.n, nL0));
    return saturatingMul(saturatingMul(each, size.batches()), design.executions(block));
}

TileSplits tileSplits(const ResolvedDesign& design, const ResolvedBlock& block, const ChipSpec& chip,
                      std::int64_t cores, double fill, std::size_t most) {
    const auto* cube = std::get_if<CubeStage>(&block.block->content);
    if (cube == nullptr || !block.matmul || cores < 1 || cube->tile.splitK || cube->tile.k.size() < 2) return {};
    const MatmulSize& size = *block.matmul;
    if (size.m < 1 || size.k < 1 || size.n < 1 || cube->tile.kL0() < 1 || cube->tile.kAL1() < 1 ||
        cube->tile.kBL1() < 1 || design.value(cube->a) == nullptr || design.value(cube->b) == nullptr)
        return {};
    return SplitSearch(design, block, *cube, chip, cores).search(fill, most);
}

}  // namespace cubist

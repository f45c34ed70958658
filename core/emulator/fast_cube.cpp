// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/fast_cube.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "core/base/integer_math.h"
#include "core/base/large_memory.h"
#include "core/base/number_formats.h"
#include "core/base/parallel.h"

namespace cubist {
namespace {

// The smaller side is kept while the other one streams past it. The streaming chunks are small enough to stay in an L3
// cache and large enough that all threads have many blocks to share out.
constexpr std::int64_t kKeptBytes = std::int64_t{64} << 20;
constexpr std::int64_t kStreamingBytes = std::int64_t{32} << 20;
constexpr std::int64_t kAlignment = 64;  ///< of a packed panel, in bytes

/// The error of whichever thread fails first.
class Failure {
public:
    void set(Error error) {
        const std::lock_guard lock(m_mutex);
        if (!m_error) m_error = std::move(error);
    }
    /// Outcome of a parallel loop.
    [[nodiscard]] Result<void> outcome(bool finished) {
        if (m_error) return unexpected(std::move(*m_error));
        if (!finished) return cancelledError();
        return {};
    }

private:
    std::mutex m_mutex;
    std::optional<Error> m_error;
};

}  // namespace

void FastCube::Side::clear() {
    panels.clear();
    numbers.clear();
    chunks.clear();
    packed.reset();
}

std::int64_t FastCube::Side::bytes() const {
    std::int64_t sum = 0;
    for (const Panel& panel : panels) sum += panel.uses > 0 ? panel.bytes() : 0;
    return sum;
}

/// False when there is no memory for the largest chunk. Panels that are small together have memory of their own.
bool FastCube::Side::cut(std::int64_t mostBytes, BlockPool* blocks) {
    std::int64_t inChunk = mostBytes;
    std::int64_t most = 0;
    for (std::uint32_t p = 0; p < panels.size(); ++p) {
        Panel& panel = panels[p];
        if (panel.uses == 0) continue;
        if (chunks.empty() || inChunk + panel.bytes() > mostBytes) {
            chunks.emplace_back();
            inChunk = 0;
        }
        panel.at = inChunk / static_cast<std::int64_t>(sizeof(float));
        inChunk += ceilDiv(panel.bytes(), kAlignment) * kAlignment;
        most = std::max(most, inChunk);
        panel.chunk = static_cast<std::uint32_t>(chunks.size() - 1);
        panel.slot = static_cast<std::uint32_t>(chunks.back().size());
        chunks.back().push_back(p);
        if (slots.size() <= panel.slot) slots.resize(panel.slot + 1);
    }
    if (most <= memoryBytes || (!memory && most < static_cast<std::int64_t>(kLargeBlockBytes))) return true;
    memory.reset();
    const auto size = static_cast<std::size_t>(most);
    memory = blocks != nullptr ? blocks->take(size) : largeBlock(size);
    memoryBytes = memory ? most : 0;
    return memory != nullptr;
}

FastCube::FastCube(const CubeKernel& kernel, const GmMemory& gm, const Program& program, int threads, BlockPool* blocks)
    : m_kernel(kernel), m_gm(gm), m_program(program), m_blocks(blocks), m_workers(static_cast<std::size_t>(threads)) {
    m_products.reserve(program.leaves.size());
    for (const Leaf& leaf : program.leaves) m_products.push_back(productOf(leaf));
}

const LeafProduct& FastCube::product(TaskPart part) const {
    return *m_products[leafIndexOf(m_program, part).value];
}

std::uint32_t FastCube::addPanel(Side& side, const ProductOperand& operand, std::span<const Box> boxes,
                                 std::int64_t count, const LeafProduct& product) {
    const Box& box = boxes[operand.box];
    PanelKey key{box.tensor.value,
                 box.offset,
                 operand.outerIsRow,
                 count,
                 product.k,
                 {},
                 {},
                 operand.scalePairsFirst,
                 product.math.hf32MantissaBits,
                 product.math.hf32TiesAway};
    if (operand.scales) {
        key.scales = boxes[*operand.scales].tensor.value;
        key.scaleOffset = boxes[*operand.scales].offset;
    }
    const auto [entry, added] = side.numbers.try_emplace(key, static_cast<std::uint32_t>(side.panels.size()));
    if (added) {
        const GmPlace& place = m_gm[box.tensor.value];
        Panel panel;
        panel.operand.dtype = place.dtype;
        panel.operand.codes = place.source(box, 0, 0);
        panel.operand.iStride = operand.outerIsRow ? place.stride[2] : 1;
        panel.operand.kStride = operand.outerIsRow ? 1 : place.stride[2];
        if (operand.scales) {
            const Box& scales = boxes[*operand.scales];
            const GmPlace& scalePlace = m_gm[scales.tensor.value];
            panel.operand.scales = reinterpret_cast<const std::uint8_t*>(scalePlace.source(scales, 0, 0));
            panel.operand.scaleIStride = scalePlace.stride[operand.scalePairsFirst ? 2 : 1];
            panel.operand.scalePairStride = scalePlace.stride[operand.scalePairsFirst ? 1 : 2];
        }
        panel.math = product.math;
        panel.count = count;
        panel.k = product.k;
        panel.floats = m_kernel.packedSize(side.which, count, product.k);
        side.panels.push_back(panel);
    }
    ++side.panels[entry->second].uses;
    return entry->second;
}

Result<void> FastCube::run(std::span<const TaskPart> parts, const RunContext& context, const Done& done) {
    m_a.clear();
    m_b.clear();
    std::vector<Job> jobs;
    jobs.reserve(parts.size());
    for (const TaskPart part : parts) {
        const LeafProduct& p = product(part);
        const auto boxes = boxesOf(m_program, part);
        jobs.push_back({part, addPanel(m_a, p.a, boxes, p.m, p), addPanel(m_b, p.b, boxes, p.n, p)});
    }
    // Panels that no other task shares, and those that are too large to keep, are packed in pieces as they are used.
    const auto alone = std::stable_partition(jobs.begin(), jobs.end(), [&](const Job& job) {
        Panel& a = m_a.panels[job.a];
        Panel& b = m_b.panels[job.b];
        return (a.uses > 1 || b.uses > 1) && a.bytes() <= kStreamingBytes && b.bytes() <= kStreamingBytes && a.k > 0;
    });
    for (auto job = alone; job != jobs.end(); ++job) {
        --m_a.panels[job->a].uses;
        --m_b.panels[job->b].uses;
    }
    CUBIST_CHECK_OK(runAlone(std::span(alone, jobs.end()), context, done));
    jobs.erase(alone, jobs.end());
    return runInWaves(jobs, context, done);
}

/// Zeros, or the bias in every row.
template <class C>
void FastCube::start(const LeafProduct& product, std::span<const Box> boxes, std::vector<C>& sums) const {
    sums.assign(static_cast<std::size_t>(product.m * product.n), C{0});
    if (!product.bias || product.m == 0) return;
    const Box& box = boxes[*product.bias];
    const GmPlace& place = m_gm[box.tensor.value];
    convertRow(place.dtype, place.source(box, 0, 0), product.accumulator, sums.data(),
               static_cast<std::size_t>(product.n));
    for (std::int64_t row = 1; row < product.m; ++row)
        std::copy_n(sums.begin(), product.n, sums.begin() + row * product.n);
}

void FastCube::store(const LeafProduct& product, const ProductStore& store, std::span<const Box> boxes,
                     const void* sums, Worker& worker, ValueLosses& losses) const {
    Fixpipe fixpipe;
    fixpipe.accumulator = product.accumulator;
    fixpipe.output = store.dtype;
    fixpipe.relu = store.relu;
    fixpipe.scale = store.scale;
    fixpipe.atomic = store.atomic;
    if (store.channelScales) {
        const Box& row = boxes[*store.channelScales];
        const GmPlace& place = m_gm[row.tensor.value];
        worker.channelScales.resize(static_cast<std::size_t>(store.cols));
        channelWords(place.dtype, place.source(row, 0, 0), worker.channelScales, worker.row);
        fixpipe.channelScales = worker.channelScales;
    }
    const Box& box = boxes[store.box];
    const GmPlace& place = m_gm[box.tensor.value];
    const std::int64_t rowBytes = product.n * hostBytesPerElement(product.accumulator);
    const auto columns = static_cast<std::size_t>(store.cols);
    for (std::int64_t row = 0; row < store.rows; ++row)
        fixpipeRow(fixpipe, static_cast<const std::byte*>(sums) + row * rowBytes, columns,
                   place.target(box, store.row + row, store.col), worker.row)
            .note(losses, store.dtype, columns, {store.row + row, store.col}, box.tensor,
                  {box.offset[0], box.offset[1], box.offset[2] + store.row + row, box.offset[3] + store.col});
}

template <class Multiply>
Result<ValueLosses> FastCube::runPart(TaskPart part, Worker& worker, const Multiply& multiply) const {
    const LeafProduct& p = product(part);
    const auto boxes = boxesOf(m_program, part);
    const bool integers = p.accumulator == DType::INT32;
    ValueLosses losses;
    if (integers) {
        start(p, boxes, worker.integers);
        if (p.k > 0) {
            CUBIST_TRY(const bool inRange, multiply(worker.integers.data()));
            losses.accumulatorWrapped = !inRange;
        }
    } else {
        start(p, boxes, worker.floats);
        if (p.k > 0) CUBIST_CHECK_OK(multiply(worker.floats.data()));
    }
    const void* const sums =
        integers ? static_cast<const void*>(worker.integers.data()) : static_cast<const void*>(worker.floats.data());
    for (const ProductStore& way : p.stores) store(p, way, boxes, sums, worker, losses);
    return losses;
}

Result<void> FastCube::runAlone(std::span<const Job> jobs, const RunContext& context, const Done& done) {
    Failure failure;
    const auto work = [&](std::int64_t index, int number) {
        if (context.cancelled()) return false;
        const Job& job = jobs[static_cast<std::size_t>(index)];
        const Panel& a = m_a.panels[job.a];
        const Panel& b = m_b.panels[job.b];
        Worker& worker = m_workers[static_cast<std::size_t>(number)];
        Result<ValueLosses> losses = runPart(job.part, worker, [&](auto* sums) {
            return m_kernel.with(a.math).multiply(a.count, b.count, a.k, a.operand, b.operand, sums, b.count,
                                                  worker.scratch);
        });
        if (!losses) {
            failure.set(std::move(losses).error());
            return false;
        }
        done(job.part, number, *losses);
        return true;
    };
    return failure.outcome(parallelFor(context.threads, static_cast<std::int64_t>(jobs.size()), work));
}

Result<void> FastCube::runInWaves(std::vector<Job>& jobs, const RunContext& context, const Done& done) {
    const bool keepA = m_a.bytes() <= m_b.bytes();
    if (!m_a.cut(keepA ? kKeptBytes : kStreamingBytes, m_blocks) ||
        !m_b.cut(keepA ? kStreamingBytes : kKeptBytes, m_blocks))
        return unexpected(ErrorCode::DoesNotFit, "no memory for packed matrix panels");
    const auto waveOf = [&](const Job& job) {
        const std::array chunks{m_a.panels[job.a].chunk, m_b.panels[job.b].chunk};
        return keepA ? chunks : std::array{chunks[1], chunks[0]};
    };
    std::stable_sort(jobs.begin(), jobs.end(), [&](const Job& x, const Job& y) { return waveOf(x) < waveOf(y); });
    for (auto first = jobs.begin(); first != jobs.end();) {
        const auto last =
            std::find_if(first, jobs.end(), [&, wave = waveOf(*first)](const Job& job) { return waveOf(job) != wave; });
        CUBIST_CHECK_OK(pack(m_a.panels[first->a].chunk, m_b.panels[first->b].chunk, context));
        const auto work = [&](std::int64_t index, int number) {
            if (context.cancelled()) return false;
            const Job& job = first[index];
            const PackedOperand& a = m_a.slots[m_a.panels[job.a].slot];
            const PackedOperand& b = m_b.slots[m_b.panels[job.b].slot];
            const auto multiply = [&](auto* sums) -> Result<bool> {
                if constexpr (std::is_same_v<decltype(sums), float*>) {
                    m_kernel.multiply(a, b, sums, b.count());
                    return true;
                } else {
                    return m_kernel.multiply(a, b, sums, b.count());
                }
            };
            // Packed panels cannot fail to multiply.
            const Result<ValueLosses> losses = runPart(job.part, m_workers[static_cast<std::size_t>(number)], multiply);
            done(job.part, number, *losses);
            return true;
        };
        if (!parallelFor(context.threads, last - first, work)) return cancelledError();
        first = last;
    }
    return {};
}

Result<void> FastCube::pack(std::uint32_t chunkA, std::uint32_t chunkB, const RunContext& context) {
    struct Piece {
        Side* side;
        std::uint32_t panel;
    };
    std::vector<Piece> pieces;
    const auto collect = [&](Side& side, std::uint32_t chunk) {
        if (side.packed == chunk) return;
        for (const std::uint32_t panel : side.chunks[chunk]) pieces.push_back({&side, panel});
        side.packed = chunk;
    };
    collect(m_a, chunkA);
    collect(m_b, chunkB);
    Failure failure;
    const auto work = [&](std::int64_t index, int) {
        if (context.cancelled()) return false;
        const Piece& piece = pieces[static_cast<std::size_t>(index)];
        const Panel& panel = piece.side->panels[piece.panel];
        PackedOperand& slot = piece.side->slots[panel.slot];
        if (piece.side->memory)
            slot.lend({reinterpret_cast<float*>(piece.side->memory.get()) + panel.at,
                       static_cast<std::size_t>(panel.floats)});
        Result<void> packed =
            m_kernel.with(panel.math).pack(piece.side->which, panel.operand, panel.count, panel.k, slot);
        if (packed) return true;
        failure.set(std::move(packed).error());
        return false;
    };
    return failure.outcome(parallelFor(context.threads, static_cast<std::int64_t>(pieces.size()), work));
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_matmul.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "core/base/integer_math.h"
#include "core/base/parallel.h"

namespace cubist::golden {

namespace {

constexpr std::int64_t kLanes = 4;                 // rows and columns of a register block
constexpr std::int64_t kDepth = 256;               // of K between two looks at the accumulators in memory
constexpr std::int64_t kPackedElements = 1 << 22;  // at most this much of an operand is converted at a time (32 MiB)
constexpr std::int64_t kJobRows = 16, kJobColumns = 64;
constexpr std::int64_t kReadRows = 16;

using Block = std::array<double, kLanes * kLanes>;

/// block[i][j] += a[p][i] * b[p][j] for p ascending: each sum takes its products one by one, whatever the vector width.
void accumulate(const double* a, const double* b, std::int64_t depth, Block& block) {
    Block sums = block;
    for (std::int64_t p = 0; p < depth; ++p, a += kLanes, b += kLanes)
        for (std::size_t i = 0; i < kLanes; ++i)
            for (std::size_t j = 0; j < kLanes; ++j) sums[i * kLanes + j] += a[i] * b[j];
    block = sums;
}

/// The same with every sum rounded to FP32.
void accumulateSingle(const double* a, const double* b, std::int64_t depth, Block& block) {
    for (std::int64_t p = 0; p < depth; ++p, a += kLanes, b += kLanes)
        for (std::size_t i = 0; i < kLanes; ++i)
            for (std::size_t j = 0; j < kLanes; ++j)
                block[i * kLanes + j] = static_cast<double>(static_cast<float>(block[i * kLanes + j] + a[i] * b[j]));
}

/// Converts some lines of an operand into groups of four lanes: packed[l / 4][k][l % 4] for the l-th of them, the last
/// group filled with zeros. A line is a row of the window, or a column where the lines run along the last axis.
/// Returns false when cancelled.
bool pack(const Window& window, bool linesAreColumns, std::span<const std::int64_t> numbers, std::int64_t depth,
          std::vector<double>& packed, Meter& meter) {
    const auto lines = static_cast<std::int64_t>(numbers.size());
    const std::int64_t groups = ceilDiv(lines, kLanes);
    packed.resize(static_cast<std::size_t>(groups * kLanes * depth));
    const auto place = [&](std::int64_t at, std::int64_t k) -> double& {
        return packed[static_cast<std::size_t>((at / kLanes * depth + k) * kLanes + at % kLanes)];
    };
    const std::int64_t rows = linesAreColumns ? depth : lines;
    const std::int64_t first = linesAreColumns ? numbers.front() : 0;
    const std::int64_t columns = linesAreColumns ? numbers.back() + 1 - first : depth;
    const bool complete = parallelFor(meter.threads(), ceilDiv(rows, kReadRows), [&](std::int64_t job, int) {
        std::vector<double> row(static_cast<std::size_t>(columns));
        const std::int64_t end = std::min(rows, (job + 1) * kReadRows);
        for (std::int64_t r = job * kReadRows; r < end; ++r) {
            if (meter.cancelled()) return false;
            if (linesAreColumns) {
                window.readRow(0, 0, r, first, row);
                for (std::int64_t c = 0; c < lines; ++c)
                    place(c, r) = row[static_cast<std::size_t>(numbers[static_cast<std::size_t>(c)] - first)];
            } else {
                window.readRow(0, 0, numbers[static_cast<std::size_t>(r)], 0, row);
                for (std::int64_t c = 0; c < columns; ++c) place(r, c) = row[static_cast<std::size_t>(c)];
            }
        }
        return true;
    });
    for (std::int64_t filler = lines; filler < groups * kLanes; ++filler)
        for (std::int64_t k = 0; k < depth; ++k) place(filler, k) = 0.0;
    return complete;
}

/// Lines of an operand that are converted together.
std::int64_t linesAtATime(std::int64_t depth) {
    return std::max(kLanes, kPackedElements / std::max<std::int64_t>(1, depth) / kLanes * kLanes);
}

/// One rectangle of the result, at most kJobRows x kJobColumns, from packed operands.
struct Job {
    const double* a;                              // first group of the rows
    const double* b;                              // first group of the columns
    std::span<const std::int64_t> rows, columns;  // where their elements go
    std::int64_t depth;
    double* result;
    std::int64_t stride;
    SumType type;

    /// Returns false when cancelled.
    bool run(const Meter& meter) const {
        constexpr std::int64_t kBlocksAcross = kJobColumns / kLanes;
        std::array<Block, kJobRows / kLanes * kBlocksAcross> sums{};
        const auto height = static_cast<std::int64_t>(rows.size()), width = static_cast<std::int64_t>(columns.size());
        const std::int64_t down = ceilDiv(height, kLanes), across = ceilDiv(width, kLanes);
        for (std::int64_t k = 0; k < depth; k += kDepth) {
            if (meter.cancelled()) return false;
            const std::int64_t steps = std::min(kDepth, depth - k);
            for (std::int64_t j = 0; j < across; ++j)
                for (std::int64_t i = 0; i < down; ++i)
                    (type == SumType::Single ? accumulateSingle : accumulate)(
                        a + (i * depth + k) * kLanes, b + (j * depth + k) * kLanes, steps,
                        sums[static_cast<std::size_t>(i * kBlocksAcross + j)]);
        }
        for (std::int64_t i = 0; i < height; ++i)
            for (std::int64_t j = 0; j < width; ++j)
                result[rows[static_cast<std::size_t>(i)] * stride + columns[static_cast<std::size_t>(j)]] =
                    sums[static_cast<std::size_t>(i / kLanes * kBlocksAcross + j / kLanes)]
                        [static_cast<std::size_t>(i % kLanes * kLanes + j % kLanes)];
        return true;
    }
};

}  // namespace

Matmul::Part Matmul::Part::whole(std::int64_t m, std::int64_t k, std::int64_t n) {
    Part part;
    part.rows.resize(static_cast<std::size_t>(m));
    part.cols.resize(static_cast<std::size_t>(n));
    std::iota(part.rows.begin(), part.rows.end(), std::int64_t{0});
    std::iota(part.cols.begin(), part.cols.end(), std::int64_t{0});
    part.k = k;
    return part;
}

bool Matmul::packB(const Window& b, bool bTrans, const Part& part, std::span<const std::int64_t> columns,
                   Meter& meter) {
    if (m_packedWindow && m_packedWindow->sameAs(b) && m_packedColumns == part.cols) return true;
    m_packedWindow.reset();
    if (!pack(b, !bTrans, columns, part.k, m_packedB, meter)) return false;
    if (columns.size() == part.cols.size() && b.tensor != nullptr) {
        m_packedWindow = b;
        m_packedColumns = part.cols;
    }
    return true;
}

bool Matmul::multiply(const Window& a, bool aTrans, const Window& b, bool bTrans, const Part& part, std::int64_t stride,
                      std::vector<double>& result, Meter& meter, SumType sums) {
    const auto lines = static_cast<std::size_t>(linesAtATime(part.k));
    for (std::size_t column = 0; column < part.cols.size(); column += lines) {
        const auto columns = std::span(part.cols).subspan(column, std::min(lines, part.cols.size() - column));
        if (!packB(b, bTrans, part, columns, meter)) return false;
        for (std::size_t row = 0; row < part.rows.size(); row += lines) {
            const auto rows = std::span(part.rows).subspan(row, std::min(lines, part.rows.size() - row));
            if (!pack(a, aTrans, rows, part.k, m_packedA, meter)) return false;
            const auto height = static_cast<std::int64_t>(rows.size()),
                       width = static_cast<std::int64_t>(columns.size());
            const std::int64_t across = ceilDiv(width, kJobColumns);
            const auto work = [&](std::int64_t index, int worker) {
                const std::int64_t r = index / across * kJobRows, c = index % across * kJobColumns;
                const Job job{
                    m_packedA.data() + r * part.k,
                    m_packedB.data() + c * part.k,
                    rows.subspan(static_cast<std::size_t>(r), static_cast<std::size_t>(std::min(kJobRows, height - r))),
                    columns.subspan(static_cast<std::size_t>(c),
                                    static_cast<std::size_t>(std::min(kJobColumns, width - c))),
                    part.k,
                    result.data(),
                    stride,
                    sums};
                if (!job.run(meter)) return false;
                meter.add(static_cast<double>(job.rows.size() * job.columns.size()) * static_cast<double>(part.k),
                          worker);
                return true;
            };
            if (!parallelFor(meter.threads(), ceilDiv(height, kJobRows) * across, work)) return false;
        }
    }
    return true;
}

}  // namespace cubist::golden

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_matmul.h"

#include <algorithm>
#include <array>

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

/// Converts `lines` lines of an operand, from `line` on, into groups of four lanes: packed[line / 4][k][line % 4], the
/// last group filled with zeros. A line is a row of the window, or a column where the lines run along the last axis.
/// Returns false when cancelled.
bool pack(const Window& window, bool linesAreColumns, std::int64_t line, std::int64_t lines, std::int64_t depth,
          std::vector<double>& packed, Meter& meter) {
    const std::int64_t groups = ceilDiv(lines, kLanes);
    packed.resize(static_cast<std::size_t>(groups * kLanes * depth));
    const auto place = [&](std::int64_t at, std::int64_t k) -> double& {
        return packed[static_cast<std::size_t>((at / kLanes * depth + k) * kLanes + at % kLanes)];
    };
    const std::int64_t rows = linesAreColumns ? depth : lines;
    const std::int64_t columns = linesAreColumns ? lines : depth;
    const bool complete = parallelFor(meter.threads(), ceilDiv(rows, kReadRows), [&](std::int64_t job, int) {
        std::vector<double> row(static_cast<std::size_t>(columns));
        const std::int64_t end = std::min(rows, (job + 1) * kReadRows);
        for (std::int64_t r = job * kReadRows; r < end; ++r) {
            if (meter.cancelled()) return false;
            if (linesAreColumns) {
                window.readRow(0, 0, r, line, row);
                for (std::int64_t c = 0; c < columns; ++c) place(c, r) = row[static_cast<std::size_t>(c)];
            } else {
                window.readRow(0, 0, line + r, 0, row);
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
    const double* a;  // first group of the rows
    const double* b;  // first group of the columns
    std::int64_t rows, columns, depth;
    double* result;  // first element
    std::int64_t stride;

    /// Returns false when cancelled.
    bool run(const Meter& meter) const {
        constexpr std::int64_t kBlocksAcross = kJobColumns / kLanes;
        std::array<Block, kJobRows / kLanes * kBlocksAcross> sums{};
        const std::int64_t down = ceilDiv(rows, kLanes), across = ceilDiv(columns, kLanes);
        for (std::int64_t k = 0; k < depth; k += kDepth) {
            if (meter.cancelled()) return false;
            const std::int64_t steps = std::min(kDepth, depth - k);
            for (std::int64_t j = 0; j < across; ++j)
                for (std::int64_t i = 0; i < down; ++i)
                    accumulate(a + (i * depth + k) * kLanes, b + (j * depth + k) * kLanes, steps,
                               sums[static_cast<std::size_t>(i * kBlocksAcross + j)]);
        }
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j)
                result[i * stride + j] = sums[static_cast<std::size_t>(i / kLanes * kBlocksAcross + j / kLanes)]
                                             [static_cast<std::size_t>(i % kLanes * kLanes + j % kLanes)];
        return true;
    }
};

}  // namespace

bool Matmul::packB(const Window& b, bool bTrans, const Sizes& sizes, std::int64_t column, std::int64_t columns,
                   Meter& meter) {
    if (m_packedWindow && m_packedWindow->sameAs(b)) return true;
    m_packedWindow.reset();
    if (!pack(b, !bTrans, column, columns, sizes.k, m_packedB, meter)) return false;
    if (columns == sizes.n && b.tensor != nullptr) m_packedWindow = b;
    return true;
}

bool Matmul::multiply(const Window& a, bool aTrans, const Window& b, bool bTrans, const Sizes& sizes,
                      std::int64_t stride, std::vector<double>& result, Meter& meter) {
    const std::int64_t lines = linesAtATime(sizes.k);
    for (std::int64_t column = 0; column < sizes.n; column += lines) {
        const std::int64_t columns = std::min(lines, sizes.n - column);
        if (!packB(b, bTrans, sizes, column, columns, meter)) return false;
        for (std::int64_t row = 0; row < sizes.m; row += lines) {
            const std::int64_t rows = std::min(lines, sizes.m - row);
            if (!pack(a, aTrans, row, rows, sizes.k, m_packedA, meter)) return false;
            const std::int64_t across = ceilDiv(columns, kJobColumns);
            const auto work = [&](std::int64_t index, int worker) {
                const std::int64_t r = index / across * kJobRows, c = index % across * kJobColumns;
                const Job job{m_packedA.data() + r * sizes.k,
                              m_packedB.data() + c * sizes.k,
                              std::min(kJobRows, rows - r),
                              std::min(kJobColumns, columns - c),
                              sizes.k,
                              result.data() + (row + r) * stride + column + c,
                              stride};
                if (!job.run(meter)) return false;
                meter.add(static_cast<double>(job.rows * job.columns) * static_cast<double>(sizes.k), worker);
                return true;
            };
            if (!parallelFor(meter.threads(), ceilDiv(rows, kJobRows) * across, work)) return false;
        }
    }
    return true;
}

}  // namespace cubist::golden

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_matmul.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/base/integer_math.h"
#include "core/base/parallel.h"
#include "core/golden/golden_sums.h"

namespace cubist::golden {

namespace {

constexpr std::int64_t kDepth = 256;               // of K between two looks at the accumulators in memory
constexpr std::int64_t kPackedElements = 1 << 22;  // at most this much of an operand is converted at a time
constexpr std::int64_t kJobRows = 16, kJobColumns = 64;
constexpr std::int64_t kReadRows = 16;

/// Converts some lines of an operand into groups of `lanes` lanes: packed[l / lanes][k][l % lanes] for the l-th of
/// them, the last group filled with zeros. A line is a row of the window, or a column where the lines run along the
/// last axis. `exact` becomes false when a value does not fit the type. Returns false when cancelled.
template <class T>
bool pack(const Window& window, bool linesAreColumns, std::span<const std::int64_t> numbers, std::int64_t depth,
          std::int64_t lanes, std::vector<T>& packed, std::atomic<bool>& exact, Meter& meter) {
    const auto lines = static_cast<std::int64_t>(numbers.size());
    const std::int64_t groups = ceilDiv(lines, lanes);
    packed.resize(static_cast<std::size_t>(groups * lanes * depth));
    const auto place = [&](std::int64_t at, std::int64_t k) -> T& {
        return packed[static_cast<std::size_t>((at / lanes * depth + k) * lanes + at % lanes)];
    };
    const std::int64_t rows = linesAreColumns ? depth : lines;
    const std::int64_t first = linesAreColumns ? numbers.front() : 0;
    const std::int64_t columns = linesAreColumns ? numbers.back() + 1 - first : depth;
    const bool complete = parallelFor(meter.threads(), ceilDiv(rows, kReadRows), [&](std::int64_t job, int) {
        std::vector<double> row(static_cast<std::size_t>(columns));
        bool fits = true;
        const auto converted = [&](double value) {
            const T kept = static_cast<T>(value);
            fits = fits && (static_cast<double>(kept) == value || std::isnan(value));
            return kept;
        };
        const std::int64_t end = std::min(rows, (job + 1) * kReadRows);
        for (std::int64_t r = job * kReadRows; r < end; ++r) {
            if (meter.cancelled()) return false;
            if (linesAreColumns) {
                window.readRow(0, 0, r, first, row);
                for (std::int64_t c = 0; c < lines; ++c)
                    place(c, r) =
                        converted(row[static_cast<std::size_t>(numbers[static_cast<std::size_t>(c)] - first)]);
            } else {
                window.readRow(0, 0, numbers[static_cast<std::size_t>(r)], 0, row);
                for (std::int64_t c = 0; c < columns; ++c) place(r, c) = converted(row[static_cast<std::size_t>(c)]);
            }
        }
        if (!fits) exact = false;
        return true;
    });
    for (std::int64_t filler = lines; filler < groups * lanes; ++filler)
        for (std::int64_t k = 0; k < depth; ++k) place(filler, k) = 0;
    return complete;
}

/// Lines of an operand that are converted together.
std::int64_t linesAtATime(std::int64_t depth) {
    return std::max(kJobRows, kPackedElements / std::max<std::int64_t>(1, depth) / kJobRows * kJobRows);
}

/// One rectangle of the result, at most kJobRows x kJobColumns, from packed operands.
template <class Kind>
struct Job {
    using Block = typename Kind::Block;
    static constexpr auto kRows = static_cast<std::int64_t>(Kind::kRows);
    static constexpr auto kColumns = static_cast<std::int64_t>(Kind::kColumns);
    static_assert(kJobRows % kRows == 0 && kJobColumns % kColumns == 0);

    const typename Kind::Operand* a;              // first group of the rows
    const typename Kind::Operand* b;              // first group of the columns
    std::span<const std::int64_t> rows, columns;  // where their elements go
    std::int64_t depth;
    double* result;
    std::int64_t stride;

    /// Returns false when cancelled.
    bool run(const Meter& meter) const {
        constexpr std::int64_t kBlocksAcross = kJobColumns / kColumns;
        std::array<Block, static_cast<std::size_t>(kJobRows / kRows * kBlocksAcross)> sums{};
        const auto height = static_cast<std::int64_t>(rows.size()), width = static_cast<std::int64_t>(columns.size());
        const std::int64_t down = ceilDiv(height, kRows), across = ceilDiv(width, kColumns);
        for (std::int64_t k = 0; k < depth; k += kDepth) {
            if (meter.cancelled()) return false;
            const std::int64_t steps = std::min(kDepth, depth - k);
            for (std::int64_t j = 0; j < across; ++j)
                for (std::int64_t i = 0; i < down; ++i)
                    Kind::add(a + (i * depth + k) * kRows, b + (j * depth + k) * kColumns, steps,
                              sums[static_cast<std::size_t>(i * kBlocksAcross + j)]);
        }
        for (std::int64_t i = 0; i < height; ++i)
            for (std::int64_t j = 0; j < width; ++j) {
                const auto sum =
                    static_cast<double>(sums[static_cast<std::size_t>(i / kRows * kBlocksAcross + j / kColumns)]
                                            [static_cast<std::size_t>(i % kRows * kColumns + j % kColumns)]);
                result[rows[static_cast<std::size_t>(i)] * stride + columns[static_cast<std::size_t>(j)]] =
                    std::isnan(sum) ? std::numeric_limits<double>::quiet_NaN() : sum;
            }
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

template <class Kind>
Matmul::Outcome Matmul::multiplyWith(Packed<typename Kind::Operand>& packed, const Window& a, bool aTrans,
                                     const Window& b, bool bTrans, const Part& part, std::int64_t stride,
                                     std::span<double> result, Meter& meter) {
    constexpr auto kRows = static_cast<std::int64_t>(Kind::kRows), kColumns = static_cast<std::int64_t>(Kind::kColumns);
    const auto lines = static_cast<std::size_t>(linesAtATime(part.k));
    std::atomic<bool> exact = true;
    for (std::size_t column = 0; column < part.cols.size(); column += lines) {
        const auto columns = std::span(part.cols).subspan(column, std::min(lines, part.cols.size() - column));
        if (!packed.window || !packed.window->sameAs(b) || packed.columns != part.cols) {
            packed.window.reset();
            if (!pack(b, !bTrans, columns, part.k, kColumns, packed.b, exact, meter)) return Outcome::Cancelled;
            if (exact && columns.size() == part.cols.size() && b.tensor != nullptr) {
                packed.window = b;
                packed.columns = part.cols;
            }
        }
        for (std::size_t row = 0; row < part.rows.size(); row += lines) {
            const auto rows = std::span(part.rows).subspan(row, std::min(lines, part.rows.size() - row));
            if (!pack(a, aTrans, rows, part.k, kRows, packed.a, exact, meter)) return Outcome::Cancelled;
            if (!exact) return Outcome::Inexact;
            const auto height = static_cast<std::int64_t>(rows.size()),
                       width = static_cast<std::int64_t>(columns.size());
            const std::int64_t across = ceilDiv(width, kJobColumns);
            const auto work = [&](std::int64_t index, int worker) {
                const std::int64_t r = index / across * kJobRows, c = index % across * kJobColumns;
                const Job<Kind> job{
                    packed.a.data() + r * part.k,
                    packed.b.data() + c * part.k,
                    rows.subspan(static_cast<std::size_t>(r), static_cast<std::size_t>(std::min(kJobRows, height - r))),
                    columns.subspan(static_cast<std::size_t>(c),
                                    static_cast<std::size_t>(std::min(kJobColumns, width - c))),
                    part.k,
                    result.data(),
                    stride};
                if (!job.run(meter)) return false;
                meter.add(static_cast<double>(job.rows.size() * job.columns.size()) * static_cast<double>(part.k),
                          worker);
                return true;
            };
            if (!parallelFor(meter.threads(), ceilDiv(height, kJobRows) * across, work)) return Outcome::Cancelled;
        }
    }
    return Outcome::Done;
}

bool Matmul::multiply(const Window& a, bool aTrans, const Window& b, bool bTrans, const Part& part, SumKind sums,
                      std::int64_t stride, std::span<double> result, Meter& meter) {
    if (sums == SumKind::Fp64)
        return multiplyWith<IdealSums>(m_wide, a, aTrans, b, bTrans, part, stride, result, meter) == Outcome::Done;
    const Outcome outcome = multiplyWith<FrameworkSums>(m_single, a, aTrans, b, bTrans, part, stride, result, meter);
    if (outcome != Outcome::Inexact) return outcome == Outcome::Done;
    // Operands that FP32 cannot hold, such as MX values times their scales: the same sums, made more slowly.
    return multiplyWith<WideFrameworkSums>(m_wide, a, aTrans, b, bTrans, part, stride, result, meter) == Outcome::Done;
}

}  // namespace cubist::golden

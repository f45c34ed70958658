// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/block_order.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace cubist {
namespace {

constexpr std::int64_t kMaxBlocks = 1 << 22;
constexpr std::int64_t kFractal = 16;

class Dealer {
public:
    Dealer(const BlockOrder& order, std::int64_t m, std::int64_t n, std::int64_t mTile, std::int64_t nTile,
           std::int64_t cores)
        : m_order(order),
          m_m(m),
          m_n(n),
          m_mTile(mTile),
          m_nTile(nTile),
          m_rows(ceilDiv(m, mTile)),
          m_columns(ceilDiv(n, nTile)),
          m_cores(static_cast<std::size_t>(cores)) {}

    std::vector<std::vector<OutputBlock>> run() {
        switch (m_order.kind) {
            case OrderKind::RoundRobin: rectangle(0, m_rows, 0, m_columns, true); break;
            case OrderKind::LoopNM: rectangle(0, m_rows, 0, m_columns, false); break;
            case OrderKind::Blocks: groups(); break;
            case OrderKind::Grid: grid(); return std::move(m_cores);
            case OrderKind::Swizzle: swizzle(); break;
            case OrderKind::Window: window(); break;
            case OrderKind::Jobs: jobs(); return std::move(m_cores);
        }
        if (m_order.kind == OrderKind::Window && m_order.splitTail) splitTail();
        for (std::size_t i = 0; i < m_list.size(); ++i) m_cores[i % m_cores.size()].push_back(m_list[i]);
        return std::move(m_cores);
    }

private:
    [[nodiscard]] OutputBlock block(std::int64_t r, std::int64_t c) const {
        return {r * m_mTile, std::min(m_mTile, m_m - r * m_mTile), c * m_nTile, std::min(m_nTile, m_n - c * m_nTile)};
    }

    void rectangle(std::int64_t r0, std::int64_t r1, std::int64_t c0, std::int64_t c1, bool nInner) {
        const std::int64_t outer = nInner ? r1 - r0 : c1 - c0;
        const std::int64_t inner = nInner ? c1 - c0 : r1 - r0;
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < inner; ++i)
                m_list.push_back(nInner ? block(r0 + o, c0 + i) : block(r0 + i, c0 + o));
    }

    void groups() {
        for (std::int64_t c = 0; c < m_columns; c += m_order.n)
            for (std::int64_t r = 0; r < m_rows; r += m_order.m)
                rectangle(r, std::min(r + m_order.m, m_rows), c, std::min(c + m_order.n, m_columns), false);
    }

    void grid() {
        const std::int64_t passRows = ceilDiv(m_rows, m_order.mPasses);
        const std::int64_t width = ceilDiv(m_columns, m_order.b);
        for (std::int64_t first = 0; first < m_rows; first += passRows) {
            const std::int64_t end = std::min(first + passRows, m_rows);
            const std::int64_t height = ceilDiv(end - first, m_order.a);
            for (std::int64_t r = 0; r < m_order.a; ++r)
                for (std::int64_t c = 0; c < m_order.b; ++c) {
                    m_list.clear();
                    rectangle(first + r * height, std::max(first + r * height, std::min(first + (r + 1) * height, end)),
                              c * width, std::max(c * width, std::min((c + 1) * width, m_columns)), true);
                    auto& core = m_cores[static_cast<std::size_t>(r * m_order.b + c)];
                    core.insert(core.end(), m_list.begin(), m_list.end());
                }
        }
    }

    void swizzle() {
        const bool byRows = m_order.direction == 0;
        const std::int64_t across = byRows ? m_rows : m_columns;
        const std::int64_t along = byRows ? m_columns : m_rows;
        for (std::int64_t first = 0, group = 0; first < across; first += m_order.offset, ++group)
            for (std::int64_t i = 0; i < along; ++i) {
                const std::int64_t at = group % 2 == 1 ? along - 1 - i : i;
                for (std::int64_t o = first; o < std::min(first + m_order.offset, across); ++o)
                    m_list.push_back(byRows ? block(o, at) : block(at, o));
            }
    }

    void window() {
        for (std::int64_t first = 0, group = 0; first < m_rows; first += m_order.rows, ++group)
            for (std::int64_t i = 0; i < m_columns; ++i) {
                const std::int64_t at = m_order.serpentine && group % 2 == 1 ? m_columns - 1 - i : i;
                for (std::int64_t r = first; r < std::min(first + m_order.rows, m_rows); ++r)
                    m_list.push_back(block(r, at));
            }
    }

    /// The blocks of the last wave are cut along m and n in turn as long as there is a core for every piece.
    void splitTail() {
        const std::size_t cores = m_cores.size();
        const std::size_t tail = m_list.size() % cores;
        if (tail == 0) return;
        std::size_t mCuts = 1;
        std::size_t nCuts = 1;
        for (bool grown = true; grown;) {
            grown = false;
            if (tail * (mCuts + 1) * nCuts <= cores) grown = ++mCuts > 0;
            if (tail * mCuts * (nCuts + 1) <= cores) grown = ++nCuts > 0;
        }
        const std::vector<OutputBlock> last(m_list.end() - static_cast<std::ptrdiff_t>(tail), m_list.end());
        m_list.resize(m_list.size() - tail);
        for (const OutputBlock& whole : last)
            cut(whole, static_cast<std::int64_t>(mCuts), static_cast<std::int64_t>(nCuts));
    }

    void cut(const OutputBlock& whole, std::int64_t mCuts, std::int64_t nCuts) {
        const std::int64_t height = roundUp(ceilDiv(whole.rows, mCuts), kFractal);
        const std::int64_t width = roundUp(ceilDiv(whole.columns, nCuts), kFractal);
        for (std::int64_t r = 0; r < whole.rows; r += height)
            for (std::int64_t c = 0; c < whole.columns; c += width)
                m_list.push_back({whole.row + r, std::min(height, whole.rows - r), whole.column + c,
                                  std::min(width, whole.columns - c)});
    }

    void jobs() {
        std::size_t job = 0;
        for (std::int64_t r = 0; r < m_m; r += m_order.m)
            for (std::int64_t c = 0; c < m_n; c += m_order.n, ++job) {
                Dealer inner({}, std::min(m_order.m, m_m - r), std::min(m_order.n, m_n - c), m_mTile, m_nTile, 1);
                const auto blocks = inner.run();
                for (OutputBlock block : blocks.front()) {
                    block.row += r;
                    block.column += c;
                    m_cores[job % m_cores.size()].push_back(block);
                }
            }
    }

    BlockOrder m_order;  ///< a copy: jobs() deals its inner blocks in an order of its own
    std::int64_t m_m, m_n, m_mTile, m_nTile, m_rows, m_columns;
    std::vector<std::vector<OutputBlock>> m_cores;
    std::vector<OutputBlock> m_list;
};

}  // namespace

std::string orderText(const BlockOrder& order) {
    const auto sizes = [](std::int64_t a, std::int64_t b) { return "=" + std::to_string(a) + "x" + std::to_string(b); };
    std::string text(toText(order.kind));
    switch (order.kind) {
        case OrderKind::RoundRobin:
        case OrderKind::LoopNM: break;
        case OrderKind::Grid:
            text += sizes(order.a, order.b);
            if (order.mPasses != 1) text += ", m_passes " + std::to_string(order.mPasses);
            break;
        case OrderKind::Blocks:
        case OrderKind::Jobs: text += sizes(order.m, order.n); break;
        case OrderKind::Swizzle: text += sizes(order.offset, order.direction); break;
        case OrderKind::Window:
            text += "=" + std::to_string(order.rows);
            if (order.serpentine) text += ", serpentine";
            if (order.splitTail) text += ", split_tail";
            break;
    }
    return text;
}

Result<std::vector<std::vector<OutputBlock>>> blocksOfCores(const BlockOrder& order, std::int64_t m, std::int64_t n,
                                                            std::int64_t mTile, std::int64_t nTile,
                                                            std::int64_t cores) {
    for (const std::int64_t size :
         {m, n, mTile, nTile, cores, order.a, order.b, order.mPasses, order.m, order.n, order.offset, order.rows})
        if (size < 1) return unexpected(ErrorCode::BadValue, "every size of a block order must be at least 1");
    if (ceilDiv(m, mTile) > kMaxBlocks / ceilDiv(n, nTile))
        return unexpected(ErrorCode::BadValue, "the output has more than 4 194 304 blocks");
    if (order.direction != 0 && order.direction != 1)
        return unexpected(ErrorCode::BadValue, "the direction of a swizzle is 0 or 1");
    if (order.kind == OrderKind::Grid && order.a > cores / order.b)
        return unexpected(ErrorCode::BadValue, "a grid of " + std::to_string(order.a) + " x " +
                                                   std::to_string(order.b) + " needs more than " +
                                                   std::to_string(cores) + " cores");
    return Dealer(order, m, n, mTile, nTile, cores).run();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/result.h"

namespace cubist {

/// How the output blocks of a matmul reach the cores of a hand-written kernel.
enum class OrderKind : std::uint8_t {
    RoundRobin,  ///< blocks m-major, block b on core b mod cores
    LoopNM,      ///< n outer, m inner, handed out in that order
    Blocks,      ///< groups of m x n blocks one after the other (n outer), handed out in that order
    Grid,        ///< core r * b + c owns a rectangle of blocks of an a x b division, n inner
    Swizzle,     ///< groups of `offset` rows (direction 0) or columns (1), walked to and fro; round robin
    Window,      ///< a window of `rows` block rows slides along n, alternating when `serpentine`; round robin
    Jobs,        ///< the output is cut into jobs first, job j on core j mod cores, blocks m-major inside
};

template <>
struct EnumTable<OrderKind> {
    static constexpr std::string_view name = "block order";
    static constexpr std::array entries{
        std::pair{OrderKind::RoundRobin, std::string_view{"round_robin"}},
        std::pair{OrderKind::LoopNM, std::string_view{"loop_n_m"}},
        std::pair{OrderKind::Blocks, std::string_view{"blocks"}},
        std::pair{OrderKind::Grid, std::string_view{"grid"}},
        std::pair{OrderKind::Swizzle, std::string_view{"swizzle"}},
        std::pair{OrderKind::Window, std::string_view{"window"}},
        std::pair{OrderKind::Jobs, std::string_view{"jobs"}},
    };
};

struct BlockOrder {
    OrderKind kind = OrderKind::RoundRobin;
    std::int64_t a = 1, b = 1, mPasses = 1;      ///< Grid; M is cut into mPasses consecutive parts
    std::int64_t m = 1, n = 1;                   ///< Blocks: in blocks. Jobs: in elements
    std::int64_t offset = 1, direction = 0;      ///< Swizzle
    std::int64_t rows = 1;                       ///< Window
    bool serpentine = false, splitTail = false;  ///< Window; splitTail: the last partial wave is cut finer
    bool operator==(const BlockOrder&) const = default;
};

/// "loop_n_m", "grid=6x4": the order with its sizes, as `--launch bare:ORDER` takes it; what that cannot say follows
/// after commas ("grid=6x4, m_passes 2").
[[nodiscard]] std::string orderText(const BlockOrder& order);

/// A rectangle of the output, in elements.
struct OutputBlock {
    std::int64_t row = 0, rows = 0, column = 0, columns = 0;
    bool operator==(const OutputBlock&) const = default;
};

/// The blocks of every core in the order in which it computes them. Sizes in elements; M, N, tiles and cores at
/// least 1. Orders that hand blocks out one by one are dealt round robin. Source: F-27. Errors: BadValue (a division
/// that does not fit the cores, sizes below 1, more than 2^22 blocks).
[[nodiscard]] Result<std::vector<std::vector<OutputBlock>>> blocksOfCores(const BlockOrder& order, std::int64_t m,
                                                                          std::int64_t n, std::int64_t mTile,
                                                                          std::int64_t nTile, std::int64_t cores);

}  // namespace cubist

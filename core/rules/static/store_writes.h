// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/design/resolve.h"

/// Where the stores of a design write, execution by execution.
namespace cubist::rules {

/// Writes of one tensor that are looked at at most, and those that are few enough to look at while a design is edited.
constexpr std::int64_t kMostWrites = 262144;
constexpr std::int64_t kQuickWrites = 1024;

/// One execution of a store without an index, or of a view: what it writes or reads.
struct Write {
    const ResolvedBlock* block = nullptr;
    std::vector<std::int64_t> offset, extent;
    std::vector<std::int64_t> parallel;  ///< indices of the enclosing loops down to the parallel one; empty: serial

    [[nodiscard]] std::int64_t elements() const;
    /// Behind the last element; the end of the range where an offset was typed that no tensor has.
    [[nodiscard]] std::int64_t end(std::size_t axis) const;
    /// "[0:4, 16:32]"
    [[nodiscard]] std::string place() const;
};

/// Writes, or a write and a read, by numbers.
struct WritePair {
    std::size_t earlier = 0, later = 0;
};

struct Coverage {
    std::int64_t covered = 0;            ///< elements that at least one write holds
    std::optional<WritePair> overlap;    ///< the first write that meets an earlier one
    std::optional<WritePair> unordered;  ///< two that meet although no loop fixes their order
};

/// How many times a tensor is written; nothing where a store adds to it or goes by an index.
[[nodiscard]] std::optional<std::int64_t> writeCount(const ResolvedDesign& design, const Tensor& tensor);

/// Appends every execution of a store without an index. False when a place cannot be evaluated.
[[nodiscard]] bool writesOf(const ResolvedDesign& design, const ResolvedBlock& block, const Store& store,
                            std::size_t rank, std::vector<Write>& writes);

/// All writes into a tensor that `writeCount` counts. False when a place cannot be evaluated.
[[nodiscard]] bool writesInto(const ResolvedDesign& design, const Tensor& tensor, std::vector<Write>& writes);

[[nodiscard]] bool allInside(const std::vector<Write>& writes, const std::vector<std::int64_t>& shape);

/// Nothing where the writes lie so irregularly that it would take too long.
[[nodiscard]] std::optional<Coverage> coverageOf(const std::vector<Write>& writes, std::size_t rank);

/// Do writes whose order no loop fixes surely lie apart?
[[nodiscard]] bool apartWhereUnordered(const std::vector<Write>& writes, std::size_t rank);

/// Appends what every execution of a view of a tensor reads. False when a place cannot be evaluated.
[[nodiscard]] bool readsOf(const ResolvedDesign& design, const ResolvedBlock& block, const View& view,
                           std::vector<Write>& reads);

/// A write and a read of one tensor that meet although no loop fixes their order; nothing where there are none, or
/// where it would take too long.
[[nodiscard]] std::optional<WritePair> unorderedRead(const std::vector<Write>& writes, const std::vector<Write>& reads,
                                                     std::size_t rank);

}  // namespace cubist::rules

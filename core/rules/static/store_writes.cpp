// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/static/store_writes.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "core/chip/slots.h"
#include "core/design/valid_memo.h"

namespace cubist::rules {

namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 24;   // 64 MB
constexpr std::int64_t kMostVisits = std::int64_t{1} << 27;  // of cells, by all writes together
constexpr std::int32_t kNobody = -1;

/// Indices of the loops around a block as far as the outermost parallel one.
std::vector<std::int64_t> parallelPlace(const ResolvedDesign& design, const ResolvedBlock& block,
                                        const IndexValues& indices) {
    std::vector<std::int64_t> place;
    for (const std::size_t number : block.loops) {
        const Loop& loop = *design.loops[number].loop;
        place.push_back(indices.at(loop.index));
        if (loop.parallel && loop.form == LoopKind::Runtime) return place;
    }
    return {};
}

/// Is the order of the two writes left open?
bool unordered(const Write& a, const Write& b) {
    if (a.parallel.empty() || a.block->loops.front() != b.block->loops.front()) return false;
    return a.parallel.size() == b.parallel.size() && a.parallel != b.parallel &&
           std::equal(a.parallel.begin(), a.parallel.end() - 1, b.parallel.begin());
}

std::int64_t distance(std::int64_t from, std::int64_t to) {
    std::int64_t out = 0;
    return __builtin_sub_overflow(to, from, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

/// The cells between the borders of all writes, and which of them holds each. A write holds whole cells, so there are
/// no more cells to look at than the writes need to be told apart.
class CellGrid {
public:
    CellGrid(const std::vector<Write>& writes, std::size_t rank) : m_cuts(rank), m_strides(rank, 1) {
        for (std::size_t axis = 0; axis < rank; ++axis) {
            std::vector<std::int64_t>& cuts = m_cuts[axis];
            for (const Write& write : writes) {
                if (write.elements() <= 0) continue;
                cuts.push_back(write.offset[axis]);
                cuts.push_back(write.end(axis));
            }
            std::sort(cuts.begin(), cuts.end());
            cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        }
        for (std::size_t axis = rank; axis-- > 0;) {
            m_strides[axis] = m_cells;
            m_cells = saturatingMul(m_cells, std::max<std::int64_t>(1, cellsAlong(axis)));
        }
        if (fits()) m_owners.assign(static_cast<std::size_t>(m_cells), kNobody);
    }

    [[nodiscard]] bool fits() const { return m_cells <= kMostCells && m_visits <= kMostVisits; }

    /// Calls visit(owner, elements) for every cell of a write that is not empty. Range: fits().
    template <class Visit>
    void forEachCell(const Write& write, const Visit& visit) {
        walk(write, 0, 0, 1, visit);
    }

private:
    [[nodiscard]] std::int64_t cellsAlong(std::size_t axis) const {
        return static_cast<std::int64_t>(m_cuts[axis].size()) - 1;
    }

    template <class Visit>
    void walk(const Write& write, std::size_t axis, std::int64_t cell, std::int64_t elements, const Visit& visit) {
        if (axis == m_cuts.size()) {
            visit(m_owners[static_cast<std::size_t>(cell)], elements);
            return;
        }
        const std::vector<std::int64_t>& cuts = m_cuts[axis];
        const auto first = std::lower_bound(cuts.begin(), cuts.end(), write.offset[axis]);
        const std::int64_t end = write.end(axis);
        if (axis + 1 == m_cuts.size()) m_visits += std::lower_bound(first, cuts.end(), end) - first;
        if (!fits()) return;
        for (auto cut = first; *cut < end; ++cut)
            walk(write, axis + 1, cell + (cut - cuts.begin()) * m_strides[axis],
                 saturatingMul(elements, distance(*cut, *(cut + 1))), visit);
    }

    std::vector<std::vector<std::int64_t>> m_cuts;
    std::vector<std::int64_t> m_strides;
    std::int64_t m_cells = 1, m_visits = 0;
    std::vector<std::int32_t> m_owners;
};

/// Equal for accesses that only their place in the parallel loop tells apart: loop, depth, iterations around it.
std::tuple<std::size_t, std::size_t, std::vector<std::int64_t>> placeKey(const Write& access) {
    return {access.block->loops.front(), access.parallel.size(), {access.parallel.begin(), access.parallel.end() - 1}};
}

/// Two writes that meet and have no order; nothing where there are none. `known` becomes false when it takes too long.
std::optional<WritePair> unorderedPair(const std::vector<Write>& writes, std::size_t rank, bool& known) {
    std::vector<std::size_t> order;
    for (std::size_t w = 0; w < writes.size(); ++w)
        if (!writes[w].parallel.empty() && writes[w].elements() > 0) order.push_back(w);
    if (order.empty()) return std::nullopt;
    // What has no order stands together in the first place, so that it is enough to know the last owner of a cell.
    const auto key = [&](std::size_t w) {
        return std::tuple(writes[w].block->loops.front(), writes[w].parallel.size(), std::cref(writes[w].parallel));
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto [loopA, depthA, placeA] = key(a);
        const auto [loopB, depthB, placeB] = key(b);
        return std::tie(loopA, depthA, placeA.get()) < std::tie(loopB, depthB, placeB.get());
    });
    CellGrid grid(writes, rank);
    std::optional<WritePair> found;
    for (const std::size_t w : order) {
        if (!grid.fits()) break;
        grid.forEachCell(writes[w], [&](std::int32_t& owner, std::int64_t) {
            const auto before = static_cast<std::size_t>(std::max(owner, 0));
            if (!found && owner != kNobody && unordered(writes[before], writes[w]))
                found = WritePair{std::min(before, w), std::max(before, w)};
            owner = static_cast<std::int32_t>(w);
        });
        if (found) return found;
    }
    known = grid.fits();
    return std::nullopt;
}

}  // namespace

std::int64_t Write::elements() const {
    std::int64_t count = 1;
    for (const std::int64_t n : extent) count = saturatingMul(count, n);
    return count;
}

std::int64_t Write::end(std::size_t axis) const {
    std::int64_t sum = 0;
    return __builtin_add_overflow(offset[axis], extent[axis], &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

std::string Write::place() const {
    std::string out = "[";
    for (std::size_t axis = 0; axis < offset.size(); ++axis)
        out += (axis == 0 ? "" : ", ") + std::to_string(offset[axis]) + ":" + std::to_string(end(axis));
    return out + "]";
}

std::optional<std::int64_t> writeCount(const ResolvedDesign& design, const Tensor& tensor) {
    std::int64_t count = 0;
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to != tensor.id) continue;
        // What accumulates may overlap, and an index says only at run time where it goes.
        if (store->op != StoreOp::Slice && store->op != StoreOp::Assemble) return std::nullopt;
        count = saturatingAdd(count, design.executions(block));
    }
    return count;
}

bool writesOf(const ResolvedDesign& design, const ResolvedBlock& block, const Store& store, std::size_t rank,
              std::vector<Write>& writes) {
    if (design.value(store.from)->shape.size() > rank) return false;
    ValidMemo valids(design);
    const std::string where = block.where + "/offset";
    const auto complete = forEachExecution(design, block.loops, [&](const IndexValues& at) {
        const auto offset = evaluateAll(store.offset, rank, lookupWith(design, at), where);
        const auto valid = valids.of(store.from, at);
        if (!offset || !valid) return false;
        // Axes in front that the value does not have count as 1.
        std::vector<std::int64_t> extent(rank - valid->size(), 1);
        extent.insert(extent.end(), valid->begin(), valid->end());
        writes.push_back({&block, *offset, std::move(extent), parallelPlace(design, block, at)});
        return true;
    });
    return complete && *complete;
}

bool writesInto(const ResolvedDesign& design, const Tensor& tensor, std::vector<Write>& writes) {
    for (const ResolvedBlock& block : design.blocks) {
        const auto* store = std::get_if<Store>(&block.block->content);
        if (store == nullptr || store->to != tensor.id) continue;
        if (!writesOf(design, block, *store, tensor.shape.size(), writes)) return false;
    }
    return true;
}

bool allInside(const std::vector<Write>& writes, const std::vector<std::int64_t>& shape) {
    return std::all_of(writes.begin(), writes.end(), [&](const Write& write) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (write.offset[axis] < 0 || write.extent[axis] > shape[axis] - write.offset[axis]) return false;
        return true;
    });
}

std::optional<Coverage> coverageOf(const std::vector<Write>& writes, std::size_t rank) {
    CellGrid grid(writes, rank);
    Coverage out;
    for (std::size_t w = 0; w < writes.size(); ++w) {
        if (!grid.fits()) return std::nullopt;
        if (writes[w].elements() <= 0) continue;
        std::int32_t met = kNobody;
        grid.forEachCell(writes[w], [&](std::int32_t& owner, std::int64_t elements) {
            if (owner != kNobody) {
                met = met == kNobody ? owner : std::min(met, owner);
                return;
            }
            owner = static_cast<std::int32_t>(w);
            out.covered = saturatingAdd(out.covered, elements);
        });
        if (met != kNobody && !out.overlap) out.overlap = WritePair{static_cast<std::size_t>(met), w};
    }
    if (!grid.fits()) return std::nullopt;
    if (!out.overlap) return out;
    if (unordered(writes[out.overlap->earlier], writes[out.overlap->later])) {
        out.unordered = out.overlap;
        return out;
    }
    bool known = true;
    out.unordered = unorderedPair(writes, rank, known);
    if (!known) return std::nullopt;
    return out;
}

bool apartWhereUnordered(const std::vector<Write>& writes, std::size_t rank) {
    bool known = true;
    return !unorderedPair(writes, rank, known) && known;
}

bool readsOf(const ResolvedDesign& design, const ResolvedBlock& block, const View& view, std::vector<Write>& reads) {
    ValidMemo valids(design);
    const std::size_t rank = design.value(view.out)->shape.size();
    const auto complete = forEachExecution(design, block.loops, [&](const IndexValues& at) {
        const auto offset = evaluateAll(view.offset, rank, lookupWith(design, at), block.where + "/offset");
        const auto valid = valids.of(view.out, at);
        if (!offset || !valid) return false;
        reads.push_back({&block, *offset, *valid, parallelPlace(design, block, at)});
        return true;
    });
    return complete && *complete;
}

std::optional<WritePair> unorderedRead(const std::vector<Write>& writes, const std::vector<Write>& reads,
                                       std::size_t rank) {
    std::vector<Write> all = writes;
    all.insert(all.end(), reads.begin(), reads.end());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].parallel.empty() && all[i].elements() > 0) order.push_back(i);
    // Iterations of one execution of a parallel loop stand together, their writes (which have smaller numbers) in
    // front.
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return placeKey(all[a]) < placeKey(all[b]); });
    CellGrid grid(all, rank);
    for (const std::size_t i : order) {
        if (!grid.fits()) return std::nullopt;
        std::optional<WritePair> found;
        grid.forEachCell(all[i], [&](std::int32_t& owner, std::int64_t) {
            if (i < writes.size())
                owner = static_cast<std::int32_t>(i);
            else if (owner != kNobody && !found && unordered(all[static_cast<std::size_t>(owner)], all[i]))
                found = WritePair{static_cast<std::size_t>(owner), i - writes.size()};
        });
        if (found) return found;
    }
    return std::nullopt;
}

}  // namespace cubist::rules

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cassert>
#include <map>

#include "core/lowering/program.h"

namespace cubist {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFF;
constexpr std::size_t kSubCoreCount = 3;

/// The in-order queue an instruction belongs to.
std::uint32_t unitOf(const Instruction& instruction) {
    return static_cast<std::uint32_t>(instruction.core) * static_cast<std::uint32_t>(kPipeCount) +
           static_cast<std::uint32_t>(instruction.pipe);
}

/// What one unit did last to one allocation.
struct Use {
    std::uint32_t unit = 0;
    std::uint32_t lastWrite = kNobody;
    std::uint32_t lastUse = kNobody;
    std::uint32_t next = kNobody;  ///< next use of the same allocation
};

/// The uses of every allocation, one per unit that touched it. Two or three per allocation in practice.
class UseLists {
public:
    explicit UseLists(std::size_t allocations) : m_head(allocations, kNobody) { m_uses.reserve(2 * allocations); }

    [[nodiscard]] bool untouched(std::uint16_t allocation) const { return m_head[allocation] == kNobody; }

    void record(std::uint16_t allocation, std::uint32_t unit, std::uint32_t instruction, bool write) {
        Use& use = useOf(allocation, unit);
        use.lastUse = instruction;
        if (write) use.lastWrite = instruction;
    }

    template <class Visit>
    void forEach(std::uint16_t allocation, Visit visit) const {
        for (std::uint32_t u = m_head[allocation]; u != kNobody; u = m_uses[u].next) visit(m_uses[u]);
    }

private:
    Use& useOf(std::uint16_t allocation, std::uint32_t unit) {
        for (std::uint32_t u = m_head[allocation]; u != kNobody; u = m_uses[u].next)
            if (m_uses[u].unit == unit) return m_uses[u];
        m_uses.push_back({.unit = unit, .next = m_head[allocation]});
        m_head[allocation] = static_cast<std::uint32_t>(m_uses.size() - 1);
        return m_uses.back();
    }

    std::vector<std::uint32_t> m_head;
    std::vector<Use> m_uses;
};

/// Which allocation holds which bytes of one buffer at the current point of the instruction order.
class ByteOwners {
public:
    /// Gives [begin, end) to `owner` and appends the allocations that held any of it, each once.
    void take(std::uint32_t begin, std::uint32_t end, std::uint16_t owner, std::vector<std::uint16_t>& previous) {
        if (begin == end) return;
        auto at = m_pieces.upper_bound(begin);
        if (at != m_pieces.begin() && std::prev(at)->second.end > begin) --at;
        if (at != m_pieces.end() && at->first == begin && at->second.end == end) {  // a slot used again
            previous.push_back(at->second.owner);
            at->second.owner = owner;
            return;
        }
        while (at != m_pieces.end() && at->first < end) {
            const auto [first, piece] = *at;
            previous.push_back(piece.owner);
            at = m_pieces.erase(at);
            if (first < begin) m_pieces.emplace(first, Piece{begin, piece.owner});
            if (piece.end > end) at = m_pieces.emplace(end, Piece{piece.end, piece.owner}).first;
        }
        m_pieces.emplace(begin, Piece{end, owner});
        std::sort(previous.begin(), previous.end());
        previous.erase(std::unique(previous.begin(), previous.end()), previous.end());
    }

private:
    struct Piece {
        std::uint32_t end = 0;
        std::uint16_t owner = 0;
    };
    std::map<std::uint32_t, Piece> m_pieces;  ///< by first byte; disjoint
};

/// The allocations an instruction reads; an accumulating mmad also reads its destination.
struct Reads {
    std::array<std::uint16_t, 6> allocation{};
    std::size_t count = 0;

    void add(std::uint16_t a) {
        if (a != Instruction::kNone) allocation[count++] = a;
    }
};

Reads readsOf(const Leaf& leaf, const Instruction& instruction) {
    Reads reads;
    reads.add(instruction.src0);
    reads.add(instruction.src1);
    if (instruction.op == Opcode::Vector) reads.add(instruction.box);
    if (instruction.op == Opcode::Mmad && (instruction.flags & kFlagInit) == 0) reads.add(instruction.dst);
    const bool cube =
        instruction.op == Opcode::Mmad || instruction.op == Opcode::StoreL0C || instruction.op == Opcode::MoveUb;
    if (cube && instruction.detail != Instruction::kNone) {
        const CubeDetail& detail = leaf.cubeDetails[instruction.detail];
        for (const std::uint16_t extra : {detail.scalesA, detail.scalesB, detail.bias, detail.channelScales})
            reads.add(extra);
    }
    return reads;
}

class Deriver {
public:
    explicit Deriver(const Leaf& leaf) : m_leaf(leaf), m_uses(leaf.allocations.size()) {
        m_result.producersOf.reserve(leaf.instructions.size());
        m_result.releasesOf.reserve(leaf.instructions.size());
        m_result.producers.reserve(2 * leaf.instructions.size());
        m_result.releases.reserve(leaf.instructions.size());
    }

    LeafDependencies run() {
        for (std::uint32_t i = 0; i < m_leaf.instructions.size(); ++i) {
            const Instruction& instruction = m_leaf.instructions[i];
            const Reads reads = readsOf(m_leaf, instruction);
            const std::size_t firstProducer = m_result.producers.size();
            const std::size_t firstRelease = m_result.releases.size();
            for (std::size_t r = 0; r < reads.count; ++r) addProducers(reads.allocation[r]);
            m_result.producersOf.push_back(closeRange(m_result.producers, firstProducer));
            if (instruction.dst != Instruction::kNone) addReleases(instruction);
            m_result.releasesOf.push_back(closeRange(m_result.releases, firstRelease));

            const std::uint32_t unit = unitOf(instruction);
            for (std::size_t r = 0; r < reads.count; ++r) m_uses.record(reads.allocation[r], unit, i, false);
            if (instruction.dst != Instruction::kNone) m_uses.record(instruction.dst, unit, i, true);
        }
        return std::move(m_result);
    }

private:
    void addProducers(std::uint16_t allocation) {
        assert(allocation < m_leaf.allocations.size() && "operand names an allocation of the leaf");
        m_uses.forEach(allocation, [&](const Use& use) {
            if (use.lastWrite != kNobody) m_result.producers.push_back(use.lastWrite);
        });
    }

    /// A first write takes the bytes from whoever held them; a later write waits for the readers of the earlier
    /// contents.
    void addReleases(const Instruction& instruction) {
        assert(instruction.dst < m_leaf.allocations.size() && "operand names an allocation of the leaf");
        m_previous.clear();
        if (m_uses.untouched(instruction.dst)) {
            const Allocation& a = m_leaf.allocations[instruction.dst];
            const std::size_t buffer =
                static_cast<std::size_t>(a.core) * kBufferCount + static_cast<std::size_t>(a.buffer);
            m_owners[buffer].take(a.offset, a.offset + a.bytes, instruction.dst, m_previous);
        } else {
            m_previous.push_back(instruction.dst);
        }
        const std::uint32_t unit = unitOf(instruction);
        const auto producers = std::span(m_result.producers).subspan(m_result.producersOf.back().first);
        for (const std::uint16_t previous : m_previous)
            m_uses.forEach(previous, [&](const Use& use) {
                if (use.unit != unit && std::find(producers.begin(), producers.end(), use.lastUse) == producers.end())
                    m_result.releases.push_back(use.lastUse);
            });
    }

    /// Sorts what was appended since `first` and drops repeats.
    static LeafDependencies::Range closeRange(std::vector<std::uint32_t>& list, std::size_t first) {
        const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
        std::sort(begin, list.end());
        list.erase(std::unique(begin, list.end()), list.end());
        return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(list.size() - first)};
    }

    const Leaf& m_leaf;
    LeafDependencies m_result;
    UseLists m_uses;
    std::array<ByteOwners, kSubCoreCount * kBufferCount> m_owners;
    std::vector<std::uint16_t> m_previous;
};

}  // namespace

LeafDependencies deriveDependencies(const Leaf& leaf) {
    return Deriver(leaf).run();
}

}  // namespace cubist

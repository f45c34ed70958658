// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cube_product.h"

#include <algorithm>
#include <utility>

namespace cubist {
namespace {

/// Part of an operand that a buffer tile holds: all of its rows or columns over a stretch of K.
struct Piece {
    bool known = false;
    std::uint16_t box = 0;
    bool transposed = false;
    std::int64_t outer = 0;
    std::int64_t k = 0, steps = 0;
};

class Tracer {
public:
    explicit Tracer(const Leaf& leaf) : m_leaf(leaf), m_pieces(leaf.allocations.size()) {}

    std::optional<LeafProduct> run() {
        if (m_leaf.kind != TaskKind::Aic) return std::nullopt;
        for (const Instruction& i : m_leaf.instructions)
            if (!step(i)) return std::nullopt;
        if (!m_started || m_product.stores.empty()) return std::nullopt;
        return std::move(m_product);
    }

private:
    bool step(const Instruction& i) {
        if (i.detail != Instruction::kNone) return false;
        switch (i.op) {
            case Opcode::LoadL1: return load(i);
            case Opcode::MoveL0A: return move(i, true);
            case Opcode::MoveL0B: return move(i, false);
            case Opcode::Mmad: return multiply(i);
            case Opcode::StoreL0C: return store(i);
            case Opcode::LoadUb:
            case Opcode::Vector:
            case Opcode::StoreUb: break;
        }
        return false;
    }

    /// Box 0 is A [m, K], box 1 is B [K, n], each as stored; K is the axis across the outer one.
    static bool kIsRow(bool a, bool transposed) { return a == transposed; }

    bool load(const Instruction& i) {
        if (i.box > 1 || i.flags != (i.flags & kFlagTransposed)) return false;
        const bool transposed = (i.flags & kFlagTransposed) != 0;
        const std::size_t k = kIsRow(i.box == 0, transposed) ? 0 : 1;
        if (i.at[1 - k] != 0) return false;
        m_pieces[i.dst] = {true, i.box, transposed, i.extent[1 - k], i.at[k], i.extent[k]};
        return true;
    }

    bool move(const Instruction& i, bool a) {
        const Piece& from = m_pieces[i.src0];
        const bool transposed = (i.flags & kFlagTransposed) != 0;
        if (!from.known || (from.box == 0) != a || from.transposed != transposed) return false;
        const std::size_t k = kIsRow(a, transposed) ? 0 : 1;
        if (i.at[1 - k] != 0 || i.extent[1 - k] != from.outer || i.at[k] + i.extent[k] > from.steps) return false;
        m_pieces[i.dst] = {true, from.box, transposed, from.outer, from.k + i.at[k], i.extent[k]};
        return true;
    }

    bool multiply(const Instruction& i) {
        const Piece& a = m_pieces[i.src0];
        const Piece& b = m_pieces[i.src1];
        const bool init = (i.flags & kFlagInit) != 0;
        if (!a.known || !b.known || a.box != 0 || b.box != 1 || init == m_started || !m_product.stores.empty())
            return false;
        if ((i.flags & ~(kFlagInit | kFlagLast)) != 0) return false;
        if (!m_started) {
            m_started = true;
            m_accumulator = i.dst;
            m_product.m = i.extent[0];
            m_product.n = i.extent[1];
            m_product.accumulator = m_leaf.allocations[i.dst].dtype;
            m_product.a = {a.box, !a.transposed};
            m_product.b = {b.box, b.transposed};
        }
        const std::int64_t steps = i.at[0];
        const bool fits = i.dst == m_accumulator && i.extent[0] == m_product.m && i.extent[1] == m_product.n &&
                          a.outer == m_product.m && b.outer == m_product.n;
        const bool next = a.k == m_product.k && b.k == m_product.k && a.steps == steps && b.steps == steps;
        const bool sameStorage = m_product.a.outerIsRow == !a.transposed && m_product.b.outerIsRow == b.transposed;
        m_product.k += steps;
        return fits && next && sameStorage;
    }

    bool store(const Instruction& i) {
        if (!m_started || i.src0 != m_accumulator || i.flags != 0) return false;
        if (i.extent[0] > m_product.m || i.extent[1] > m_product.n) return false;
        m_product.stores.push_back({i.box, i.dtype, i.extent[0], i.extent[1], i.at[0], i.at[1]});
        return true;
    }

    const Leaf& m_leaf;
    std::vector<Piece> m_pieces;  ///< by allocation
    LeafProduct m_product;
    bool m_started = false;
    std::uint16_t m_accumulator = 0;
};

}  // namespace

std::optional<LeafProduct> productOf(const Leaf& leaf) {
    return Tracer(leaf).run();
}

}  // namespace cubist

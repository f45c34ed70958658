// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cube_product.h"

#include <algorithm>
#include <utility>

namespace cubist {
namespace {

constexpr std::int64_t kPair = 64;  ///< elements of K that a pair of scales covers

/// Part of an operand that a buffer tile holds: all of its rows or columns over a stretch of K.
struct Piece {
    enum class What : std::uint8_t { Unknown, Data, Scales, Row } what = What::Unknown;
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
        switch (i.op) {
            case Opcode::LoadScales: return loadScales(i);
            case Opcode::MoveScalesA:
            case Opcode::MoveScalesB: return moveScales(i);
            case Opcode::MoveBt:
            case Opcode::MoveFb: return moveRow(i);
            case Opcode::LoadL1: return load(i);
            case Opcode::MoveL0A: return move(i, true);
            case Opcode::MoveL0B: return move(i, false);
            case Opcode::Mmad: return multiply(i);
            case Opcode::StoreL0C: return store(i);
            case Opcode::MoveUb:
            case Opcode::LoadUb:
            case Opcode::Vector:
            case Opcode::StoreUb: break;
        }
        return false;
    }

    /// Box 0 is A [m, K], box 1 is B [K, n], each as stored; K is the axis across the outer one.
    static bool kIsRow(bool a, bool transposed) { return a == transposed; }

    bool load(const Instruction& i) {
        if ((i.flags & ~(kFlagTransposed | kFlagNz)) != 0) return false;
        if (i.box > 1) {
            m_pieces[i.dst] = {Piece::What::Row, i.box, false, i.extent[1], 0, 0};
            return i.extent[0] == 1 && i.at[0] == 0 && i.at[1] == 0;
        }
        const bool transposed = (i.flags & kFlagTransposed) != 0;
        const std::size_t k = kIsRow(i.box == 0, transposed) ? 0 : 1;
        if (i.at[1 - k] != 0) return false;
        m_pieces[i.dst] = {Piece::What::Data, i.box, transposed, i.extent[1 - k], i.at[k], i.extent[k]};
        return true;
    }

    bool loadScales(const Instruction& i) {
        if (i.at[0] != 0) return false;
        m_pieces[i.dst] = {Piece::What::Scales,
                           i.box,
                           (i.flags & kFlagTransposed) != 0,
                           i.extent[0],
                           kPair * std::int64_t{i.at[1]},
                           kPair * std::int64_t{i.extent[1]}};
        return true;
    }

    bool moveScales(const Instruction& i) {
        const Piece& from = m_pieces[i.src0];
        const std::int64_t at = kPair * std::int64_t{i.at[1]}, steps = kPair * std::int64_t{i.extent[1]};
        if (from.what != Piece::What::Scales || i.at[0] != 0 || i.extent[0] != from.outer || at + steps > from.steps)
            return false;
        m_pieces[i.dst] = {from.what, from.box, from.transposed, from.outer, from.k + at, steps};
        return true;
    }

    bool moveRow(const Instruction& i) {
        const Piece& from = m_pieces[i.src0];
        if (from.what != Piece::What::Row || i.extent[0] != 1 || i.extent[1] != from.outer) return false;
        m_pieces[i.dst] = from;
        return true;
    }

    bool move(const Instruction& i, bool a) {
        const Piece& from = m_pieces[i.src0];
        const bool transposed = (i.flags & kFlagTransposed) != 0;
        if (from.what != Piece::What::Data || (from.box == 0) != a || from.transposed != transposed) return false;
        const std::size_t k = kIsRow(a, transposed) ? 0 : 1;
        if (i.at[1 - k] != 0 || i.extent[1 - k] != from.outer || i.at[k] + i.extent[k] > from.steps) return false;
        m_pieces[i.dst] = {Piece::What::Data, from.box, transposed, from.outer, from.k + i.at[k], i.extent[k]};
        return true;
    }

    bool multiply(const Instruction& i) {
        static constexpr CubeDetail kPlain;
        const CubeDetail& detail = i.detail == Instruction::kNone ? kPlain : m_leaf.cubeDetails[i.detail];
        const Piece& a = m_pieces[i.src0];
        const Piece& b = m_pieces[i.src1];
        const bool init = (i.flags & kFlagInit) != 0;
        const bool data = a.what == Piece::What::Data && b.what == Piece::What::Data && a.box == 0 && b.box == 1;
        if (!data || init == m_started || !m_product.stores.empty()) return false;
        if ((i.flags & ~(kFlagInit | kFlagLast)) != 0 || detail.accumulation != Accumulation::Element) return false;
        const std::int64_t steps = i.at[0];
        ProductOperand left{a.box, !a.transposed, {}, false};
        ProductOperand right{b.box, b.transposed, {}, false};
        if (!addScales(left, detail.scalesA, i.extent[0], steps) ||
            !addScales(right, detail.scalesB, i.extent[1], steps))
            return false;
        const CubeMath math{detail.hf32MantissaBits, detail.hf32TiesAway};
        if (!m_started) {
            m_started = true;
            m_accumulator = i.dst;
            m_product.m = i.extent[0];
            m_product.n = i.extent[1];
            m_product.accumulator = m_leaf.allocations[i.dst].dtype;
            m_product.a = left;
            m_product.b = right;
            m_product.math = math;
            if (detail.bias != Instruction::kNone && !takeRow(detail.bias, i.extent[1], m_product.bias)) return false;
        }
        const bool fits = i.dst == m_accumulator && i.extent[0] == m_product.m && i.extent[1] == m_product.n &&
                          a.outer == m_product.m && b.outer == m_product.n;
        const bool next = a.k == m_product.k && b.k == m_product.k && a.steps == steps && b.steps == steps;
        const bool same = m_product.a == left && m_product.b == right && m_product.math == math;
        m_product.k += steps;
        return fits && next && same;
    }

    /// The scales must be those of the very steps that are multiplied.
    bool addScales(ProductOperand& operand, std::uint16_t allocation, std::int64_t outer, std::int64_t steps) const {
        if (allocation == Instruction::kNone) return true;
        const Piece& scales = m_pieces[allocation];
        if (scales.what != Piece::What::Scales || scales.outer != outer || scales.k != m_product.k ||
            scales.steps < steps)
            return false;
        operand.scales = scales.box;
        operand.scalePairsFirst = scales.transposed;
        return true;
    }

    bool takeRow(std::uint16_t allocation, std::int64_t columns, std::optional<std::uint16_t>& box) const {
        const Piece& row = m_pieces[allocation];
        box = row.box;
        return row.what == Piece::What::Row && row.outer == columns;
    }

    bool store(const Instruction& i) {
        if (!m_started || i.src0 != m_accumulator || (i.flags & ~kFlagAtomic) != 0) return false;
        if (i.extent[0] > m_product.m || i.extent[1] > m_product.n) return false;
        ProductStore store{i.box, i.dtype, i.extent[0], i.extent[1], i.at[0], i.at[1], false, {}, {}, false};
        store.atomic = (i.flags & kFlagAtomic) != 0;
        if (i.detail != Instruction::kNone) {
            const CubeDetail& detail = m_leaf.cubeDetails[i.detail];
            store.relu = detail.relu;
            store.scale = detail.scale;
            if (detail.channelScales != Instruction::kNone &&
                !takeRow(detail.channelScales, i.extent[1], store.channelScales))
                return false;
        }
        m_product.stores.push_back(store);
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

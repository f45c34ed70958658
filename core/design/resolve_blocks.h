// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/design/resolve.h"
#include "core/design/valid_memo.h"

/// Part of `resolve`: shapes and types of single blocks.
namespace cubist::detail {

/// Resolves views, stages and stores one after the other, adding their values and shape problems to `design`.
class Resolver {
public:
    /// `bounds`: whether views and stores are looked at in all iterations.
    Resolver(ResolvedDesign& design, bool bounds) : m_design(design), m_bounds(bounds), m_valids(design) {}

    /// Resolves the last block of ResolvedDesign::blocks, which is at `index`.
    Result<void> resolveBlock(std::size_t index);

private:
    Result<void> resolveView(const View& view);
    /// The window's room: its shape, along an axis that differs from copy to copy of a loop the largest, at least 1.
    Result<std::vector<std::int64_t>> roomOf(const View& view);
    /// Is the expression a number in each code path that is compiled?
    Result<bool> isConstant(const Expression& expression) const;
    Result<void> resolveCube(const CubeStage& stage);
    Result<void> resolveCubeExtras(const CubeStage& stage, std::size_t rank);
    Result<void> resolveVector(const VectorStage& stage);
    Result<void> resolveStore(const Store& store);

    Result<const ResolvedValue*> operand(const ValueId& id, const std::string& where);
    Result<void> define(ResolvedValue value, const std::string& where);
    Result<void> checkNames(const std::vector<Expression>& expressions, const std::string& where);
    /// Iterations in which windows are looked at: the first and the last of all enclosing loops, or each one where
    /// groups and factors make them irregular. What is left out is caught when the design is lowered.
    [[nodiscard]] const std::vector<IndexValues>& checkedIterations();
    /// The enclosing loops that the index of one of these names depends on, outermost first.
    [[nodiscard]] std::vector<std::size_t> loopsOf(const std::vector<std::string>& names) const;
    /// Factors of the enclosing unrolled loops at their largest.
    [[nodiscard]] IndexValues largestFactors() const;
    Result<void> checkBounds(const std::vector<Expression>& offset, const std::vector<std::int64_t>& parent,
                             const ValueId& value, const std::string& what, std::size_t firstIndexed = 0,
                             std::size_t indexedCount = 0);
    Result<void> checkStoreFields(const Store& store);
    Result<std::int64_t> elementsOfRange(const VectorOp& op, const std::string& where);
    void problem(ShapeProblem::Kind kind, const std::string& where, std::string message);

    ResolvedDesign& m_design;
    bool m_bounds;
    ValidMemo m_valids;
    std::optional<std::vector<std::size_t>> m_iterated;  ///< the loops of `m_iterations`
    std::vector<IndexValues> m_iterations;
    ResolvedBlock* m_block = nullptr;
    std::size_t m_index = 0;
};

/// "[2, 3]"
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);

}  // namespace cubist::detail

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/design/resolve.h"
#include "core/golden/sample.h"

/// What a sampled golden has to compute.
namespace cubist::golden {

/// The elements of a value that somebody looks at, as rows (all axes but the last) and columns of which every crossing
/// counts.
struct NeededPart {
    std::vector<bool> rows, cols;

    /// Numbers of the rows or columns below `limit` that are needed.
    [[nodiscard]] static std::vector<std::int64_t> numbers(const std::vector<bool>& lines, std::int64_t limit);
};

/// Follows a value to the sampled elements of the outputs. Elementwise operations keep rows and columns, reductions and
/// normalisations along the last axis need whole rows, a product needs rows of its left and columns of its right
/// operand; everything else, and whatever is read in another loop, needs the whole value. Of a tensor that is read
/// again all rows are needed, and the columns that its readers look at; so are all slices of an indexed store.
class NeededParts {
public:
    using ReadsOf = std::function<std::vector<ValueId>(const Block&)>;

    NeededParts(const ResolvedDesign& design, const std::map<std::string, OutputSample>& samples, ReadsOf reads)
        : m_design(design), m_samples(samples), m_reads(std::move(reads)) {}

    /// What is needed of the value that a stage makes in the iteration given by the loop indices.
    [[nodiscard]] Result<NeededPart> of(const ValueId& value, const IndexValues& indices) const;

private:
    using Known = std::map<std::string, NeededPart>;

    Result<NeededPart> find(const ValueId& value, const IndexValues& indices, Known& known) const;
    Result<void> addReader(const ValueId& value, const ResolvedBlock& reader, const IndexValues& indices,
                           NeededPart& part, Known& known) const;
    Result<void> addView(const ValueId& value, const View& view, const std::string& where, const IndexValues& indices,
                         NeededPart& part, Known& known) const;
    Result<void> addStore(const ValueId& value, const Store& store, const std::string& where,
                          const IndexValues& indices, NeededPart& part) const;
    /// Columns of a tensor that is read again, over all iterations of its readers; nothing: all of them.
    Result<std::optional<std::vector<bool>>> columnsRead(const ValueId& tensor) const;
    Result<void> addOp(const ValueId& value, const VectorOp& op, const IndexValues& indices, NeededPart& part,
                       Known& known) const;
    Result<void> addProduct(const ValueId& value, const CubeStage& stage, const IndexValues& indices, NeededPart& part,
                            Known& known) const;

    const ResolvedDesign& m_design;
    const std::map<std::string, OutputSample>& m_samples;
    ReadsOf m_reads;
    mutable std::map<std::string, std::optional<std::vector<bool>>> m_columns;  ///< by tensor
};

}  // namespace cubist::golden

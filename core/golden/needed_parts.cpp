// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/needed_parts.h"

#include <algorithm>
#include <utility>

#include "core/design/indexed_store.h"
#include "core/design/vector_op_info.h"
#include "core/golden/window.h"

namespace cubist::golden {
namespace {

void addAll(std::vector<bool>& lines) {
    lines.assign(lines.size(), true);
}

void addLines(std::vector<bool>& lines, const std::vector<bool>& more) {
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = lines[i] || more[i];
}

bool any(const std::vector<bool>& lines) {
    return std::find(lines.begin(), lines.end(), true) != lines.end();
}

/// Lines of an operand behind lines of an elementwise result: the same ones, or the only one that stretches.
void addStretched(std::vector<bool>& lines, const std::vector<bool>& result, bool sameExtents) {
    if (!any(result)) return;
    if (sameExtents)
        addLines(lines, result);
    else
        addAll(lines);
}

void shift(std::vector<bool>& to, const std::vector<bool>& from, std::int64_t by) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i) + by;
        if (from[i] && at >= 0 && at < static_cast<std::int64_t>(to.size())) to[static_cast<std::size_t>(at)] = true;
    }
}

}  // namespace

std::vector<std::int64_t> NeededPart::numbers(const std::vector<bool>& lines, std::int64_t limit) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < std::min(limit, static_cast<std::int64_t>(lines.size())); ++i)
        if (lines[static_cast<std::size_t>(i)]) numbers.push_back(i);
    return numbers;
}

Result<NeededPart> NeededParts::of(const ValueId& value, const IndexValues& indices) const {
    Known known;
    return find(value, indices, known);
}

Result<NeededPart> NeededParts::find(const ValueId& value, const IndexValues& indices, Known& known) const {
    if (const auto found = known.find(value.text); found != known.end()) return found->second;
    const ResolvedValue& resolved = *m_design.value(value);
    const Axes shape = rightAligned(resolved.shape, 1);
    NeededPart part;
    part.rows.assign(static_cast<std::size_t>(rowsOf(shape)), false);
    part.cols.assign(static_cast<std::size_t>(shape[3]), false);
    for (const ResolvedBlock& block : m_design.blocks) {
        const std::vector<ValueId> reads = m_reads(*block.block);
        if (std::find(reads.begin(), reads.end(), value) == reads.end()) continue;
        if (block.loops == m_design.blocks[resolved.block].loops) {
            CUBIST_CHECK_OK(addReader(value, block, indices, part, known));
        } else {
            addAll(part.rows);
            addAll(part.cols);
        }
    }
    if (!any(part.rows) || !any(part.cols)) {
        part.rows.assign(part.rows.size(), false);
        part.cols.assign(part.cols.size(), false);
    }
    known[value.text] = part;
    return part;
}

Result<void> NeededParts::addReader(const ValueId& value, const ResolvedBlock& reader, const IndexValues& indices,
                                    NeededPart& part, Known& known) const {
    const Block& block = *reader.block;
    if (const auto* view = std::get_if<View>(&block.content))
        return addView(value, *view, reader.where, indices, part, known);
    if (const auto* store = std::get_if<Store>(&block.content))
        return addStore(value, *store, reader.where, indices, part);
    if (const auto* cube = std::get_if<CubeStage>(&block.content))
        return addProduct(value, *cube, indices, part, known);
    if (const auto* stage = std::get_if<VectorStage>(&block.content))
        for (const VectorOp& op : stage->ops)
            for (const Operand& operand : op.in)
                if (operand.value() != nullptr && *operand.value() == value) {
                    CUBIST_CHECK_OK(addOp(value, op, indices, part, known));
                    break;
                }
    return {};
}

Result<void> NeededParts::addView(const ValueId& value, const View& view, const std::string& where,
                                  const IndexValues& indices, NeededPart& part, Known& known) const {
    CUBIST_TRY(const NeededPart seen, find(view.out, indices, known));
    const Axes shape = rightAligned(m_design.value(value)->shape, 1);
    const std::vector<std::int64_t>& viewShape = m_design.value(view.out)->shape;
    const Axes window = rightAligned(viewShape, 1);
    if (shape[0] * shape[1] != 1 || window[0] * window[1] != 1) {
        addStretched(part.rows, seen.rows, false);
        addStretched(part.cols, seen.cols, false);
        return {};
    }
    CUBIST_TRY(const auto offsets,
               evaluateAll(view.offset, view.offset.size(), lookupWith(m_design, indices), where + "/offset"));
    const Axes offset = rightAligned(offsets, 0);
    shift(part.rows, seen.rows, offset[2]);
    shift(part.cols, seen.cols, offset[3]);
    return {};
}

Result<void> NeededParts::addStore(const ValueId& value, const Store& store, const std::string& where,
                                   const IndexValues& indices, NeededPart& part) const {
    const auto sample = m_samples.find(store.to.text);
    // What is read again needs everything that is written.
    const bool read = std::any_of(m_design.blocks.begin(), m_design.blocks.end(), [&](const ResolvedBlock& block) {
        const std::vector<ValueId> ids = m_reads(*block.block);
        return std::find(ids.begin(), ids.end(), ValueId(store.to.text)) != ids.end();
    });
    if (!read && sample == m_samples.end()) return {};
    const std::vector<std::int64_t>& outShape = m_design.value(ValueId(store.to.text))->shape;
    CUBIST_TRY(const auto offsets,
               evaluateAll(store.offset, outShape.size(), lookupWith(m_design, indices), where + "/offset"));
    const Axes offset = rightAligned(offsets, 0);
    const bool indexed = store.op == StoreOp::IndexAdd || store.op == StoreOp::IndexPut;
    if (indexed) {
        const auto axis = storeAxis(store, outShape.size());
        const ResolvedValue* index = m_design.value(store.index);
        addAll(part.rows);
        if (value != store.from || !axis || index == nullptr || *axis + indexedAxes(*index) >= outShape.size()) {
            addAll(part.cols);
            return {};
        }
    }
    if (read) {
        addAll(part.rows);
        CUBIST_TRY(const auto columns, columnsRead(ValueId(store.to.text)));
        if (columns)
            shift(part.cols, *columns, -offset[3]);
        else
            addAll(part.cols);
        return {};
    }
    const Axes out = rightAligned(outShape, 1);
    const Axes shape = rightAligned(m_design.value(value)->shape, 1);
    for (const std::int64_t row : sample->second.rows) {
        if (indexed) break;
        const std::int64_t i = row / (out[1] * out[2]) - offset[0];
        const std::int64_t j = row / out[2] % out[1] - offset[1];
        const std::int64_t k = row % out[2] - offset[2];
        if (i < 0 || i >= shape[0] || j < 0 || j >= shape[1] || k < 0 || k >= shape[2]) continue;
        part.rows[static_cast<std::size_t>((i * shape[1] + j) * shape[2] + k)] = true;
    }
    for (const std::int64_t col : sample->second.cols) {
        const std::int64_t at = col - offset[3];
        if (at >= 0 && at < shape[3]) part.cols[static_cast<std::size_t>(at)] = true;
    }
    return {};
}

Result<std::optional<std::vector<bool>>> NeededParts::columnsRead(const ValueId& tensor) const {
    constexpr std::int64_t kMostIterations = 256;
    const auto [known, isNew] = m_columns.try_emplace(tensor.text);
    if (!isNew) return known->second;  // of what feeds itself: all
    const std::vector<std::int64_t>& shape = m_design.value(tensor)->shape;
    std::vector<bool> columns(static_cast<std::size_t>(rightAligned(shape, 1)[3]), false);
    if (const auto sample = m_samples.find(tensor.text); sample != m_samples.end())
        for (const std::int64_t column : sample->second.cols) columns[static_cast<std::size_t>(column)] = true;
    for (const ResolvedBlock& block : m_design.blocks) {
        const std::vector<ValueId> reads = m_reads(*block.block);
        if (std::find(reads.begin(), reads.end(), tensor) == reads.end()) continue;
        const auto* view = std::get_if<View>(&block.block->content);
        if (view == nullptr || m_design.value(view->out)->shape.size() != shape.size() ||
            m_design.executions(block) > kMostIterations)
            return std::optional<std::vector<bool>>{};
        for (const IndexValues& indices : someExecutions(m_design, block.loops, kMostIterations)) {
            Known parts;
            CUBIST_TRY(const NeededPart seen, find(view->out, indices, parts));
            CUBIST_TRY(const auto offsets,
                       evaluateAll(view->offset, shape.size(), lookupWith(m_design, indices), block.where + "/offset"));
            shift(columns, seen.cols, rightAligned(offsets, 0)[3]);
        }
    }
    known->second = columns;
    return known->second;
}

Result<void> NeededParts::addOp(const ValueId& value, const VectorOp& op, const IndexValues& indices, NeededPart& part,
                                Known& known) const {
    CUBIST_TRY(const NeededPart result, find(op.out, indices, known));
    if (!any(result.rows) && op.out2.text.empty()) return {};
    const std::vector<std::int64_t>& ownShape = m_design.value(value)->shape;
    const Axes shape = rightAligned(ownShape, 1);
    const Axes out = rightAligned(m_design.value(op.out)->shape, 1);
    const bool sameRows = shape[0] == out[0] && shape[1] == out[1] && shape[2] == out[2];
    const OpFamily family = opInfo(op.op).family;
    if (family == OpFamily::Elementwise || family == OpFamily::Compare) {
        addStretched(part.rows, result.rows, sameRows);
        addStretched(part.cols, result.cols, shape[3] == out[3]);
        return {};
    }
    const bool lastAxis = axisOf(op, ownShape.size()) == ownShape.size() - 1;
    const bool byRows = (family == OpFamily::Reduction && lastAxis && op.keepDim) ||
                        (family == OpFamily::Normalise && (lastAxis || op.op == VectorOpCode::RmsNorm));
    if (byRows && sameRows)
        addLines(part.rows, result.rows);
    else
        addAll(part.rows);
    addAll(part.cols);
    return {};
}

Result<void> NeededParts::addProduct(const ValueId& value, const CubeStage& stage, const IndexValues& indices,
                                     NeededPart& part, Known& known) const {
    CUBIST_TRY(const NeededPart result, find(stage.out, indices, known));
    if (!any(result.rows)) return {};
    const bool matrices = m_design.value(stage.out)->shape.size() == 2;
    if (!matrices || (value != stage.a && value != stage.b)) {
        addAll(part.rows);
        addAll(part.cols);
        return {};
    }
    const auto add = [&](bool acrossRows, const std::vector<bool>& lines) {
        addLines(acrossRows ? part.rows : part.cols, lines);
        addAll(acrossRows ? part.cols : part.rows);
    };
    if (value == stage.a) add(!stage.aTrans, result.rows);
    if (value == stage.b) add(stage.bTrans, result.cols);
    return {};
}

}  // namespace cubist::golden

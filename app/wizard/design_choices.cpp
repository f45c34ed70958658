// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/design_choices.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "views/models/group_counts.h"

namespace cubist {
namespace {

constexpr std::int64_t kLeastExtent = 16;
constexpr std::int64_t kElementsPerScalePair = 64;  // an MX scale for 32 elements, kept in pairs

void forEach(std::vector<Block>& blocks, const std::function<void(Block&)>& visit) {
    for (Block& block : blocks) {
        visit(block);
        if (Loop* loop = std::get_if<Loop>(&block.content)) forEach(loop->body, visit);
    }
}

void forEach(const std::vector<Block>& blocks, const std::function<void(const Block&)>& visit) {
    for (const Block& block : blocks) {
        visit(block);
        if (const Loop* loop = std::get_if<Loop>(&block.content)) forEach(loop->body, visit);
    }
}

std::int64_t scalePairs(std::int64_t extent) {
    return (extent + kElementsPerScalePair - 1) / kElementsPerScalePair;
}

const Tensor* tensorNamed(const Design& design, const std::string& id) {
    for (const Tensor& tensor : design.tensors)
        if (tensor.id.text == id) return &tensor;
    return nullptr;
}

/// Scales whose number follows from the extent.
void addScales(const Design& design, FixedExtent& extent) {
    for (const Tensor& tensor : design.tensors) {
        if (tensor.dtype != DType::FP8E8M0) continue;
        // The last axis is the pair itself.
        for (std::size_t i = 0; i + 1 < tensor.shape.size(); ++i)
            if (tensor.shape[i].literal() == scalePairs(extent.value))
                extent.tensorAxes.push_back({tensor.id.text, 0, i, true});
    }
}

void addBlocks(const Design& design, FixedExtent& extent) {
    forEach(design.blocks, [&](const Block& block) {
        const std::string id = block.id().text;
        if (const View* view = std::get_if<View>(&block.content)) {
            const Tensor* tensor = tensorNamed(design, view->of.text);
            if (!tensor || view->shape.size() > tensor->shape.size()) return;
            // A view may leave out leading axes: one group of the weights.
            const std::size_t skipped = tensor->shape.size() - view->shape.size();
            for (std::size_t i = 0; i < view->shape.size(); ++i) {
                const auto value = view->shape[i].literal();
                for (const AxisPlace& place : extent.tensorAxes)
                    if (value && place.id == tensor->id.text && place.axis == i + skipped &&
                        value == tensor->shape[i + skipped].literal())
                        extent.viewAxes.push_back({id, 0, i, place.scales});
            }
        }
        if (const VectorStage* stage = std::get_if<VectorStage>(&block.content))
            for (std::size_t op = 0; op < stage->ops.size(); ++op)
                for (std::size_t i = 0; i < stage->ops[op].shape.size(); ++i)
                    if (stage->ops[op].shape[i] == extent.value) extent.opAxes.push_back({id, op, i, false});
    });
}

}  // namespace

std::vector<FixedExtent> fixedExtents(const Design& design) {
    std::vector<FixedExtent> extents;
    for (const Tensor& tensor : design.tensors) {
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
            const auto value = tensor.shape[i].literal();
            if (!value || *value < kLeastExtent) continue;
            auto known = std::find_if(extents.begin(), extents.end(),
                                      [&](const FixedExtent& extent) { return extent.value == *value; });
            if (known == extents.end()) known = extents.insert(extents.end(), FixedExtent{*value, {}, {}, {}, {}});
            if (known->tensors.empty() || known->tensors.back() != tensor.id.text)
                known->tensors.push_back(tensor.id.text);
            known->tensorAxes.push_back({tensor.id.text, 0, i, false});
        }
    }
    for (FixedExtent& extent : extents) {
        addScales(design, extent);
        addBlocks(design, extent);
    }
    return extents;
}

std::string axisLetters(const ResolvedDesign& resolved, std::int64_t value) {
    const auto has = [&](std::int64_t MatmulSize::*axis) {
        return std::any_of(resolved.blocks.begin(), resolved.blocks.end(),
                           [&](const ResolvedBlock& block) { return block.matmul && (*block.matmul).*axis == value; });
    };
    const bool inner = has(&MatmulSize::k), columns = has(&MatmulSize::n);
    return inner && columns ? "K, N" : inner ? "K" : columns ? "N" : "";
}

Design withExtent(Design design, const FixedExtent& extent, std::int64_t value) {
    const auto valueAt = [&](const AxisPlace& place) { return place.scales ? scalePairs(value) : value; };
    for (const AxisPlace& place : extent.tensorAxes)
        for (Tensor& tensor : design.tensors)
            if (tensor.id.text == place.id && place.axis < tensor.shape.size())
                tensor.shape[place.axis] = valueAt(place);
    forEach(design.blocks, [&](Block& block) {
        const std::string id = block.id().text;
        if (View* view = std::get_if<View>(&block.content))
            for (const AxisPlace& place : extent.viewAxes)
                if (place.id == id && place.axis < view->shape.size()) view->shape[place.axis] = valueAt(place);
        if (VectorStage* stage = std::get_if<VectorStage>(&block.content))
            for (const AxisPlace& place : extent.opAxes)
                if (place.id == id && place.op < stage->ops.size() && place.axis < stage->ops[place.op].shape.size())
                    stage->ops[place.op].shape[place.axis] = value;
    });
    return design;
}

std::vector<std::int64_t> stretchedCounts(std::vector<std::int64_t> counts, std::int64_t total) {
    const std::int64_t before = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (counts.empty() || before == total) return counts;
    if (before <= 0) return evenCounts(static_cast<std::int64_t>(counts.size()), total);
    // Where each group ends, to scale: sums stay exact.
    std::int64_t end = 0, stretchedEnd = 0;
    for (std::int64_t& count : counts) {
        end += count;
        const auto next = static_cast<std::int64_t>(static_cast<long double>(end) * static_cast<long double>(total) /
                                                    static_cast<long double>(before));
        count = next - stretchedEnd;
        stretchedEnd = next;
    }
    counts.back() += total - stretchedEnd;
    return counts;
}

Design withSymbol(Design design, const CaseId& shown, const SymbolId& symbol, std::int64_t value) {
    for (Symbol& entry : design.symbols)
        if (entry.id == symbol) entry.value = value;
    const auto follows = [&](const List& list) {
        return list.form == ListForm::Counts && list.total && list.total->text() == symbol.text;
    };
    for (List& list : design.lists)
        if (follows(list)) list.value = stretchedCounts(list.value, value);
    for (Case& entry : design.cases) {
        if (entry.id != shown) continue;
        if (entry.symbols.find(symbol.text)) entry.symbols.set(symbol.text, value);
        for (const List& list : design.lists)
            if (const auto* own = entry.lists.find(list.id.text); own && follows(list))
                entry.lists.set(list.id.text, stretchedCounts(*own, value));
    }
    return design;
}

}  // namespace cubist

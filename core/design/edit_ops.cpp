// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/edit_ops.h"

#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/design/resolve.h"

namespace cubist {

namespace {

template <class Blocks>
auto* findIn(Blocks& blocks, const BlockId& id) {
    using Found = decltype(&blocks.front());
    for (auto& block : blocks) {
        if (block.id() == id) return &block;
        if (auto* loop = std::get_if<Loop>(&block.content))
            if (Found found = findIn(loop->body, id)) return found;
    }
    return Found{nullptr};
}

template <class List, class Id>
auto* findNamed(List& list, const Id& id) {
    for (auto& entry : list)
        if (entry.id == id) return &entry;
    return decltype(&list.front()){nullptr};
}

void collectIds(const std::vector<Block>& blocks, std::vector<std::string>& ids) {
    for (const Block& block : blocks) {
        ids.push_back(block.id().text);
        if (const auto* loop = std::get_if<Loop>(&block.content)) collectIds(loop->body, ids);
    }
}

template <class List>
std::vector<std::string> idsOf(const List& list) {
    std::vector<std::string> ids;
    for (const auto& entry : list) ids.push_back(entry.id.text);
    return ids;
}

Unexpected unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& candidates) {
    const std::string nearest = nearestName(name, candidates);
    return unexpected(ErrorCode::UnknownName, "the design has no " + kind + " '" + name + "'", {},
                      nearest.empty() ? std::string() : "did you mean '" + nearest + "'?");
}

Unexpected unknownBlock(const Design& design, const BlockId& id) {
    std::vector<std::string> ids;
    collectIds(design.blocks, ids);
    return unknown("block", id.text, ids);
}

/// Changes the content of one block. `edit` is a generic callable; it returns false for kinds that it does not take.
template <class Edit>
Result<Design> editBlock(const Design& design, const BlockId& id, const std::string& wanted, Edit edit) {
    Design edited = design;
    Block* block = findIn(edited.blocks, id);
    if (!block) return unknownBlock(design, id);
    if (!std::visit(edit, block->content))
        return unexpected(ErrorCode::WrongType,
                          "'" + id.text + "' is a " + std::string(toText(block->kind())) + " block, not a " + wanted);
    return edited;
}

/// Changes a block that must be a `Content`.
template <class Content, class Edit>
Result<Design> editContent(const Design& design, const BlockId& id, const std::string& wanted, Edit edit) {
    return editBlock(design, id, wanted, [&](auto& content) {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, Content>) {
            edit(content);
            return true;
        } else {
            return false;
        }
    });
}

template <class Content>
constexpr bool isStage = std::is_same_v<Content, CubeStage> || std::is_same_v<Content, VectorStage>;

template <class Edit>
Result<Design> editStage(const Design& design, const BlockId& id, Edit edit) {
    return editBlock(design, id, "stage", [&](auto& content) {
        if constexpr (isStage<std::decay_t<decltype(content)>>) {
            edit(content);
            return true;
        } else {
            return false;
        }
    });
}

template <class Edit>
Result<Design> editTensor(const Design& design, const TensorId& id, Edit edit) {
    Design edited = design;
    Tensor* tensor = findNamed(edited.tensors, id);
    if (!tensor) return unknown("tensor", id.text, idsOf(design.tensors));
    edit(*tensor);
    return edited;
}

template <class Edit>
Result<Design> editDesign(const Design& design, Edit edit) {
    Design edited = design;
    edit(edited);
    return edited;
}

Result<void> checkSymbolValue(const SymbolId& symbol, std::int64_t value) {
    if (value >= 1) return {};
    return unexpected(ErrorCode::BadValue,
                      "symbol '" + symbol.text + "' must be at least 1, not " + std::to_string(value));
}

Result<void> checkParses(const Expression& expression) {
    CUBIST_TRY([[maybe_unused]] const auto names, expression.names());
    return {};
}

}  // namespace

const Block* findBlock(const Design& design, const BlockId& id) {
    return findIn(design.blocks, id);
}

const Tensor* findTensor(const Design& design, const TensorId& id) {
    return findNamed(design.tensors, id);
}

Result<Design> setPlacements(const Design& design, const std::vector<Placement>& placements) {
    Design edited = design;
    for (const Placement& place : placements) {
        if (!findBlock(design, BlockId{place.id}) && !findTensor(design, TensorId{place.id})) {
            std::vector<std::string> ids = idsOf(design.tensors);
            collectIds(design.blocks, ids);
            return unknown("element", place.id, ids);
        }
        if (!std::isfinite(place.x) || !std::isfinite(place.y))
            return unexpected(ErrorCode::BadValue, "the place of '" + place.id + "' is not a finite number");
        const Position* old = design.layout.find(place.id);
        Position position = old ? *old : Position{};
        position.x = place.x;
        position.y = place.y;
        edited.layout.set(place.id, std::move(position));
    }
    return edited;
}

Result<Design> clearPlacements(const Design& design) {
    return editDesign(design, [](Design& edited) { edited.layout = {}; });
}

Result<Design> setTitle(const Design& design, const std::string& title) {
    return editDesign(design, [&](Design& edited) { edited.title = title; });
}

Result<Design> setNotes(const Design& design, const std::string& notes) {
    return editDesign(design, [&](Design& edited) { edited.notes = notes; });
}

Result<Design> setChip(const Design& design, const ChipId& chip) {
    return editDesign(design, [&](Design& edited) { edited.chip = chip; });
}

Result<Design> setVariant(const Design& design, Variant variant) {
    return editDesign(design, [&](Design& edited) { edited.skeleton.variant = variant; });
}

Result<Design> setProfile(const Design& design, RuleProfile profile) {
    return editDesign(design, [&](Design& edited) { edited.profile = profile; });
}

Result<Design> setSeed(const Design& design, std::int64_t seed) {
    return editDesign(design, [&](Design& edited) { edited.seed = seed; });
}

Result<Design> setOptions(const Design& design, const Options& options) {
    return editDesign(design, [&](Design& edited) { edited.options = options; });
}

Result<Design> setTolerance(const Design& design, const Tolerance& tolerance) {
    for (const double bound : {tolerance.rtol.value_or(0.0), tolerance.atol.value_or(0.0)})
        if (!std::isfinite(bound) || bound < 0.0)
            return unexpected(ErrorCode::BadValue, "a tolerance must be a finite number of at least 0");
    CUBIST_CHECK_OK(checkTolerance(tolerance, "/tolerance"));
    return editDesign(design, [&](Design& edited) { edited.tolerance = tolerance; });
}

Result<Design> setSymbolValue(const Design& design, const SymbolId& symbol, std::int64_t value) {
    CUBIST_CHECK_OK(checkSymbolValue(symbol, value));
    Design edited = design;
    Symbol* found = findNamed(edited.symbols, symbol);
    if (!found) return unknown("symbol", symbol.text, idsOf(design.symbols));
    found->value = value;
    return edited;
}

Result<Design> setCaseSymbol(const Design& design, const CaseId& caseId, const SymbolId& symbol, std::int64_t value) {
    CUBIST_CHECK_OK(checkSymbolValue(symbol, value));
    if (!findNamed(design.symbols, symbol)) return unknown("symbol", symbol.text, idsOf(design.symbols));
    Design edited = design;
    Case* found = findNamed(edited.cases, caseId);
    if (!found) return unknown("case", caseId.text, idsOf(design.cases));
    found->symbols.set(symbol.text, value);
    return edited;
}

Result<Design> setDefaultCase(const Design& design, const CaseId& caseId) {
    if (!caseId.empty() && !findNamed(design.cases, caseId)) return unknown("case", caseId.text, idsOf(design.cases));
    return editDesign(design, [&](Design& edited) { edited.defaultCase = caseId; });
}

Result<Design> setTensorDType(const Design& design, const TensorId& tensor, DType dtype) {
    return editTensor(design, tensor, [&](Tensor& edited) { edited.dtype = dtype; });
}

Result<Design> setTensorFormat(const Design& design, const TensorId& tensor, Format format) {
    return editTensor(design, tensor, [&](Tensor& edited) { edited.format = format; });
}

Result<Design> setTensorShape(const Design& design, const TensorId& tensor, const std::vector<Expression>& shape) {
    if (shape.empty() || shape.size() > 4)
        return unexpected(ErrorCode::BadValue, "a tensor has 1 to 4 axes, not " + std::to_string(shape.size()));
    for (const Expression& axis : shape) CUBIST_CHECK_OK(checkParses(axis));
    return editTensor(design, tensor, [&](Tensor& edited) { edited.shape = shape; });
}

Result<Design> setTensorData(const Design& design, const TensorId& tensor, const DataSource& data) {
    return editTensor(design, tensor, [&](Tensor& edited) { edited.data = data; });
}

Result<Design> setLoopAxis(const Design& design, const BlockId& loop, const Expression& axis) {
    CUBIST_CHECK_OK(checkParses(axis));
    return editContent<Loop>(design, loop, "loop", [&](Loop& edited) { edited.axis = axis; });
}

Result<Design> setLoopTile(const Design& design, const BlockId& loop, const Expression& tile) {
    CUBIST_CHECK_OK(checkParses(tile));
    return editContent<Loop>(design, loop, "loop", [&](Loop& edited) { edited.tile = tile; });
}

Result<Design> setLoopParallel(const Design& design, const BlockId& loop, bool parallel) {
    return editContent<Loop>(design, loop, "loop", [&](Loop& edited) { edited.parallel = parallel; });
}

Result<Design> setLoopForm(const Design& design, const BlockId& loop, LoopKind form) {
    return editContent<Loop>(design, loop, "loop", [&](Loop& edited) { edited.form = form; });
}

Result<Design> setLoopUnroll(const Design& design, const BlockId& loop, const std::vector<std::int64_t>& factors) {
    for (const std::int64_t factor : factors)
        if (factor < 1)
            return unexpected(ErrorCode::BadValue, "a factor must be at least 1, not " + std::to_string(factor));
    return editContent<Loop>(design, loop, "loop", [&](Loop& edited) { edited.unroll = factors; });
}

Result<Design> setSubmitBeforeLoop(const Design& design, const BlockId& loop, bool submit) {
    return editContent<Loop>(design, loop, "loop", [&](Loop& edited) { edited.submitBeforeLoop = submit; });
}

Result<Design> setCubeTile(const Design& design, const BlockId& stage, const CubeTile& tile) {
    return editContent<CubeStage>(design, stage, "cube stage", [&](CubeStage& edited) { edited.tile = tile; });
}

Result<Design> setOutDType(const Design& design, const BlockId& stage, DType dtype) {
    return editContent<CubeStage>(design, stage, "cube stage", [&](CubeStage& edited) { edited.outDType = dtype; });
}

Result<Design> setVectorTile(const Design& design, const BlockId& stage, const std::vector<std::int64_t>& tile) {
    return editContent<VectorStage>(design, stage, "vector stage", [&](VectorStage& edited) { edited.tile = tile; });
}

Result<Design> setSlots(const Design& design, const BlockId& stage, std::optional<std::int64_t> slotCount) {
    if (slotCount && *slotCount < 1)
        return unexpected(ErrorCode::BadValue, "a stage needs at least 1 slot, not " + std::to_string(*slotCount));
    return editStage(design, stage, [&](auto& edited) { edited.slotCount = slotCount; });
}

Result<Design> setLabel(const Design& design, const BlockId& stage, const std::string& label) {
    return editStage(design, stage, [&](auto& edited) { edited.label = label; });
}

Result<Design> setBlockNotes(const Design& design, const BlockId& block, const std::string& notes) {
    return editBlock(design, block, "loop or stage", [&](auto& content) {
        if constexpr (requires { content.notes; }) {
            content.notes = notes;
            return true;
        } else {
            return false;
        }
    });
}

}  // namespace cubist

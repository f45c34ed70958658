// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"

namespace cubist {

/// Edits of a design. Each takes a design and returns the changed copy; nothing else ever changes one.
/// Common errors: UnknownName (no such block, tensor, symbol or case; the hint names the nearest), WrongType (the block
/// is of another kind). An edit that the rules dislike is fine: they report it on the result.

/// The block of this id anywhere in the tree; null when there is none.
[[nodiscard]] const Block* findBlock(const Design& design, const BlockId& id);
[[nodiscard]] const Tensor* findTensor(const Design& design, const TensorId& id);

/// One element's place on the canvas.
struct Placement {
    std::string id;  ///< of a block or tensor
    double x = 0.0;
    double y = 0.0;
};

/// Puts elements at places. Errors: UnknownName; BadValue (a coordinate that is not finite).
[[nodiscard]] Result<Design> setPlacements(const Design& design, const std::vector<Placement>& placements);
/// Forgets all places, so that everything is laid out automatically.
[[nodiscard]] Result<Design> clearPlacements(const Design& design);

[[nodiscard]] Result<Design> setTitle(const Design& design, const std::string& title);
[[nodiscard]] Result<Design> setNotes(const Design& design, const std::string& notes);
[[nodiscard]] Result<Design> setChip(const Design& design, const ChipId& chip);
[[nodiscard]] Result<Design> setVariant(const Design& design, Variant variant);
[[nodiscard]] Result<Design> setProfile(const Design& design, RuleProfile profile);
[[nodiscard]] Result<Design> setSeed(const Design& design, std::int64_t seed);
[[nodiscard]] Result<Design> setOptions(const Design& design, const Options& options);
/// Errors: BadValue (negative or not finite).
[[nodiscard]] Result<Design> setTolerance(const Design& design, const Tolerance& tolerance);

/// Errors: UnknownName; BadValue (below 1).
[[nodiscard]] Result<Design> setSymbolValue(const Design& design, const SymbolId& symbol, std::int64_t value);
/// Value of a symbol in one case. Errors: UnknownName (case or symbol); BadValue (below 1).
[[nodiscard]] Result<Design> setCaseSymbol(const Design& design, const CaseId& caseId, const SymbolId& symbol,
                                           std::int64_t value);
[[nodiscard]] Result<Design> setDefaultCase(const Design& design, const CaseId& caseId);

[[nodiscard]] Result<Design> setTensorDType(const Design& design, const TensorId& tensor, DType dtype);
[[nodiscard]] Result<Design> setTensorFormat(const Design& design, const TensorId& tensor, Format format);
/// Errors: UnknownName; BadValue (not 1 to 4 axes); Syntax (an axis that does not parse).
[[nodiscard]] Result<Design> setTensorShape(const Design& design, const TensorId& tensor,
                                            const std::vector<Expression>& shape);
[[nodiscard]] Result<Design> setTensorData(const Design& design, const TensorId& tensor, const DataSource& data);

/// Errors: UnknownName, WrongType; Syntax (axis or tile that does not parse).
[[nodiscard]] Result<Design> setLoopAxis(const Design& design, const BlockId& loop, const Expression& axis);
[[nodiscard]] Result<Design> setLoopTile(const Design& design, const BlockId& loop, const Expression& tile);
[[nodiscard]] Result<Design> setLoopParallel(const Design& design, const BlockId& loop, bool parallel);
[[nodiscard]] Result<Design> setLoopForm(const Design& design, const BlockId& loop, LoopKind form);
/// Errors: BadValue (a factor below 1).
[[nodiscard]] Result<Design> setLoopUnroll(const Design& design, const BlockId& loop,
                                           const std::vector<std::int64_t>& factors);
[[nodiscard]] Result<Design> setSubmitBeforeLoop(const Design& design, const BlockId& loop, bool submit);

// edit_names.cpp
/// Gives a symbol, a list, or the index or factor of a loop another name, in every expression that uses it too.
/// Errors: UnknownName, WrongType; BadValue (not letters, digits and underscores, or taken).
[[nodiscard]] Result<Design> renameSymbol(const Design& design, const SymbolId& symbol, const std::string& name);
[[nodiscard]] Result<Design> renameList(const Design& design, const ListId& list, const std::string& name);
[[nodiscard]] Result<Design> renameLoopIndex(const Design& design, const BlockId& loop, const std::string& name);
[[nodiscard]] Result<Design> renameLoopFactor(const Design& design, const BlockId& loop, const std::string& name);

/// Writes the same groups in another form: the list's own values and those of all cases are converted.
/// Errors: UnknownName; as convertGroups (between a plain list and groups only the form changes).
[[nodiscard]] Result<Design> setListForm(const Design& design, const ListId& list, ListForm form);
[[nodiscard]] Result<Design> setListValue(const Design& design, const ListId& list,
                                          const std::vector<std::int64_t>& values);
/// Values of a list in one case. Errors: UnknownName (case or list).
[[nodiscard]] Result<Design> setCaseList(const Design& design, const CaseId& caseId, const ListId& list,
                                         const std::vector<std::int64_t>& values);

[[nodiscard]] Result<Design> setCubeTile(const Design& design, const BlockId& stage, const CubeTile& tile);
[[nodiscard]] Result<Design> setOutDType(const Design& design, const BlockId& stage, DType dtype);
[[nodiscard]] Result<Design> setVectorTile(const Design& design, const BlockId& stage,
                                           const std::vector<std::int64_t>& tile);
/// For cube and vector stages. `slots` absent: as many as fit, at most 2. Errors: BadValue (below 1).
[[nodiscard]] Result<Design> setSlots(const Design& design, const BlockId& stage,
                                      std::optional<std::int64_t> slotCount);
[[nodiscard]] Result<Design> setLabel(const Design& design, const BlockId& stage, const std::string& label);
/// Notes of a loop, a cube or a vector stage.
[[nodiscard]] Result<Design> setBlockNotes(const Design& design, const BlockId& block, const std::string& notes);

}  // namespace cubist

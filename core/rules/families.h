// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/rules/check_context.h"
#include "core/rules/rule.h"

/// The families of rules that look at a design alone: each file of static/ has the texts of its rules and their check.
namespace cubist::rules {

[[nodiscard]] std::span<const Rule> documentRules();  ///< reported by the reader of design files
[[nodiscard]] std::span<const Rule> tileRules();
[[nodiscard]] std::span<const Rule> capacityRules();
[[nodiscard]] std::span<const Rule> dtypeRules();
[[nodiscard]] std::span<const Rule> numberRules();  ///< numbers and the types that hold them
[[nodiscard]] std::span<const Rule> dataRules();    ///< what generators leave in a tensor
[[nodiscard]] std::span<const Rule> cubeRules();
[[nodiscard]] std::span<const Rule> vectorRules();
[[nodiscard]] std::span<const Rule> shapeRules();
[[nodiscard]] std::span<const Rule> loopRules();
[[nodiscard]] std::span<const Rule> groupRules();
[[nodiscard]] std::span<const Rule> storeRules();
[[nodiscard]] std::span<const Rule> layoutRules();  ///< formats, shared blocks, invalid parts
[[nodiscard]] std::span<const Rule> optionRules();
[[nodiscard]] std::span<const Rule> structureRules();
[[nodiscard]] std::span<const Rule> blockRules();  ///< block order and applicability
[[nodiscard]] std::span<const Rule> codingRules();
[[nodiscard]] std::span<const Rule> programRules();     ///< of the lowered program and of what a run finds
[[nodiscard]] std::span<const Rule> predictionRules();  ///< reported by checkPrediction
[[nodiscard]] std::span<const Rule> exportRules();      ///< reported by the export of a kernel

void checkTiles(CheckContext& context);
void checkCapacity(CheckContext& context);
void checkDTypes(CheckContext& context);
void checkNumbers(CheckContext& context);
void checkData(CheckContext& context);
void checkCubeStages(CheckContext& context);
void checkVectorTiles(CheckContext& context);
void checkShapes(CheckContext& context);
void checkLoops(CheckContext& context);
void checkGroups(CheckContext& context);
void checkStores(CheckContext& context);
void checkLayout(CheckContext& context);
void checkOptions(CheckContext& context);
void checkStructure(CheckContext& context);
void checkBlocks(CheckContext& context);
void checkCoding(CheckContext& context);

/// What the group lists of a design do to its windows.
struct GroupState {
    bool broken = false;     ///< a list is wrong: windows outside of their tensor follow from it
    bool leavesOut = false;  ///< rows belong to no group: elements that are never written follow from it
};
[[nodiscard]] GroupState groupState(const ResolvedDesign& design);

}  // namespace cubist::rules

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/chain_pieces.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/design/stage_cut.h"

namespace cubist::detail {
namespace {

/// The vector stage that an error is about, if it can be cut.
const VectorStage* stageToCut(const ResolvedDesign& design, const Error& error) {
    if (error.code != ErrorCode::DoesNotFit) return nullptr;
    const auto found = std::find_if(design.blocks.begin(), design.blocks.end(),
                                    [&](const ResolvedBlock& block) { return block.where + "/tile" == error.where; });
    const auto* stage = found == design.blocks.end() ? nullptr : std::get_if<VectorStage>(&found->block->content);
    return stage != nullptr && stage->ops.size() > 1 ? stage : nullptr;
}

}  // namespace

Result<Program> lowerInPieces(const ResolvedDesign& design, const Options& options, const ChipSpec& chip,
                              const RunContext& context) {
    Result<Program> program = Lowerer(design, options, chip, context).lower();
    if (program || stageToCut(design, program.error()) == nullptr) return program;
    const Error whole = program.error();
    std::map<std::string, BlockId> originals;  // of the pieces behind the first
    auto cut = std::make_unique<Design>(withOwnTiles(*design.design, design.tileChoices));
    Result<ResolvedDesign> resolved = resolve(*cut, design.binding);
    while (resolved && !program) {
        const VectorStage* stage = stageToCut(*resolved, program.error());
        if (stage == nullptr) return unexpected(whole);
        const BlockId id = stage->id, rest = nameOfRest(*cut, id);
        const auto known = originals.find(id.text);
        originals.emplace(rest.text, known == originals.end() ? id : known->second);
        cut = std::make_unique<Design>(withStageCut(*cut, id, stage->ops.size() / 2, rest));
        resolved = resolve(*cut, design.binding);
        if (resolved) program = Lowerer(*resolved, options, chip, context).lower();
    }
    if (!resolved) return unexpected(whole);
    for (ProgramStage& stage : program->stages) {
        if (const auto found = originals.find(stage.id.text); found != originals.end()) stage.id = found->second;
        if (const ResolvedBlock* block = design.block(stage.id)) stage.where = block->where;
    }
    return program;
}

}  // namespace cubist::detail

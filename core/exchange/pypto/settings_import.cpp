// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/settings_import.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/design/binding.h"
#include "core/design/resolve.h"
#include "core/design/tile_choice.h"
#include "core/design/tiles_of_factor.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/config_export.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "core/exchange/pypto/pypto_export.h"
#include "core/exchange/pypto/tuner_config.h"
#include "core/exchange/pypto_snippet.h"

namespace cubist {
namespace {

std::string list(const std::vector<std::int64_t>& values) {
    std::string text;
    for (const std::int64_t each : values) text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "[" + text + "]";
}

void forEachBlock(std::vector<Block>& blocks, const std::function<void(Block&)>& visit) {
    for (Block& block : blocks) {
        visit(block);
        if (auto* loop = std::get_if<Loop>(&block.content)) forEachBlock(loop->body, visit);
    }
}

bool isSame(const CubeTile& a, const CubeTile& b) {
    return a.m == b.m && a.k == b.k && a.n == b.n && a.splitK == b.splitK;
}

/// Tiles that the tables of a design give for a binding, by stage.
struct TablesGive {
    std::map<std::string, CubeTile> cube;
    std::map<std::string, std::vector<std::int64_t>> vector;
    bool ownToo = false;  ///< the stage's own tile is no change either: a snippet may be made without a case
};

/// Of the stages that `wanted` names, or of all.
void takeTables(Result<Design> chosen, const std::string& wanted, TablesGive& out) {
    if (!chosen) return;
    forEachBlock(chosen->blocks, [&](Block& block) {
        const bool named = !wanted.empty();
        if (named && block.id().text != wanted) return;
        if (const auto* cube = std::get_if<CubeStage>(&block.content); cube != nullptr && (cube->tileBy || named))
            out.cube[cube->id.text] = cube->tile;
        if (const auto* vector = std::get_if<VectorStage>(&block.content);
            vector != nullptr && (vector->tileBy || named))
            out.vector[vector->id.text] = vector->tile;
    });
}

/// The innermost unrolled loop around a stage; empty: none.
BlockId unrolledAround(const std::vector<Block>& blocks, const BlockId& stage, const BlockId& around) {
    for (const Block& block : blocks) {
        if (block.id() == stage) return around;
        const auto* loop = std::get_if<Loop>(&block.content);
        if (loop == nullptr) continue;
        const BlockId found = unrolledAround(loop->body, stage, loop->form == LoopKind::Unroll ? loop->id : around);
        if (!found.empty()) return found;
    }
    return {};
}

/// `factors`: of stages in unrolled loops, where not the largest one counts that is declared.
TablesGive tablesGive(const Design& design, const std::string& caseName,
                      const std::map<std::string, std::int64_t>& factors) {
    TablesGive out;
    const auto binding = bindWith(design, caseName, {});
    if (!binding || !hasTileTables(design.blocks)) return out;
    std::vector<TileChoice> choices;
    takeTables(withChosenTiles(design, *binding, choices), {}, out);
    for (const auto& [stage, factor] : factors) {
        if (out.cube.count(stage) + out.vector.count(stage) == 0) continue;
        const BlockId loop = unrolledAround(design.blocks, BlockId(stage), {});
        choices.clear();
        if (!loop.empty()) takeTables(withTilesOfFactor(design, *binding, loop, factor, choices), stage, out);
    }
    return out;
}

/// Another tile than the stage has, or its table gives, is one for every shape: a table for some of them ends.
void takeTile(CubeStage& stage, const CubeTile& tile, const TablesGive& tables) {
    const auto given = tables.cube.find(stage.id.text);
    const bool has = given != tables.cube.end();
    if (has && isSame(given->second, tile)) return;
    if ((!has || tables.ownToo) && isSame(stage.tile, tile)) return;
    stage.tile.m = tile.m;
    stage.tile.k = tile.k;
    stage.tile.n = tile.n;
    stage.tile.splitK = tile.splitK;
    stage.tileBy.reset();
}

void takeTile(VectorStage& stage, const std::vector<std::int64_t>& tile, const TablesGive& tables) {
    const auto given = tables.vector.find(stage.id.text);
    const bool has = given != tables.vector.end();
    if (has && given->second == tile) return;
    if ((!has || tables.ownToo) && stage.tile == tile) return;
    stage.tile = tile;
    stage.tileBy.reset();
}

// Kernel config ------------------------------------------------------------------------------------------------------

class ConfigReader {
public:
    ConfigReader(const KernelConfig& config, AppliedSettings& out) : m_config(config), m_out(out) {}

    Result<void> apply(const Design& design) {
        // A case of the config's name is taken with its settings; what it does not say the config does.
        const bool known = std::any_of(design.cases.begin(), design.cases.end(),
                                       [&](const Case& each) { return each.id == m_config.caseId; });
        const std::string name = known ? m_config.caseId.text : std::string();
        CUBIST_TRY(m_out.design, designOfCase(design, name));
        if (known) m_out.design.defaultCase = m_config.caseId;
        if (!known && !m_config.caseId.empty())
            left("the case '" + m_config.caseId.text + "', which the design has not");
        CUBIST_CHECK_OK(takeValues(name));
        m_out.design.chip = m_config.chip;
        m_out.design.profile = m_config.profile;
        m_out.design.options = withUnknown(m_config.options, design.options);
        if (m_config.launch != LaunchProfile::Pypto) {
            std::string launch(toText(m_config.launch));
            if (!m_config.blockOrder.empty()) launch += ":" + m_config.blockOrder;
            left("the launch, which is no setting of a design: a run takes it as --launch " + launch);
        }
        if (m_config.design != design.name)
            left("it was written for the design '" + m_config.design + "', not for '" + design.name + "'");
        std::map<std::string, std::int64_t> factors;  // a config names the tile of the largest factor that runs
        for (const ConfigStage& stage : m_config.stages)
            if (!stage.byFactor.empty()) factors[stage.id.text] = stage.byFactor.front().factor;
        m_tables = tablesGive(m_out.design, name, factors);
        takeBlocks();
        return compare(name);
    }

private:
    void left(const std::string& what) { m_out.left.push_back(what); }

    static Options withUnknown(Options options, const Options& own) {
        options.unknown = own.unknown;
        return options;
    }

    /// Symbols and lists, in the case where it sets them.
    Result<void> takeValues(const std::string& name) {
        Design& design = m_out.design;
        CUBIST_TRY(const Binding before, bindWith(design, name, {}));
        Case* chosen = nullptr;
        for (Case& each : design.cases)
            if (each.id == before.caseId) chosen = &each;
        for (const auto& [key, value] : m_config.symbols.entries) {
            const std::int64_t* own = before.symbols.find(key);
            if (own == nullptr) {
                left("the symbol " + key + " = " + std::to_string(value) + ", which the design has not");
                continue;
            }
            if (*own == value) continue;
            if (chosen != nullptr)
                chosen->symbols.set(key, value);
            else
                for (Symbol& each : design.symbols)
                    if (each.id.text == key) each.value = value;
        }
        for (const auto& [key, value] : m_config.lists.entries) {
            const auto* own = before.lists.find(key);
            if (own == nullptr) {
                left("the list " + key + ", which the design has not");
                continue;
            }
            if (own->values == value) continue;
            if (chosen != nullptr)
                chosen->lists.set(key, value);
            else
                for (List& each : design.lists)
                    if (each.id.text == key) each.value = value;
        }
        return {};
    }

    void takeBlocks() {
        std::set<std::string> met;
        forEachBlock(m_out.design.blocks, [&](Block& block) {
            const std::string id = block.id().text;
            for (const ConfigStage& stage : m_config.stages)
                if (stage.id.text == id && takeStage(block, stage)) met.insert(id);
            for (const ConfigLoop& given : m_config.loops)
                if (auto* loop = std::get_if<Loop>(&block.content); loop != nullptr && given.id == loop->id) {
                    met.insert(id);
                    if (const auto tile = loop->tile.literal(); tile && *tile != given.tile) loop->tile = given.tile;
                    loop->parallel = given.parallel;
                }
        });
        for (const ConfigStage& stage : m_config.stages)
            if (met.count(stage.id.text) == 0)
                left("the stage '" + stage.id.text + "', which the design has not or has as another kind");
        for (const ConfigLoop& loop : m_config.loops)
            if (met.count(loop.id.text) == 0) left("the loop '" + loop.id.text + "', which the design has not");
        forEachBlock(m_out.design.blocks, [&](Block& block) {
            const BlockKind kind = block.kind();
            const bool stage = kind == BlockKind::Cube || kind == BlockKind::Vector;
            if (stage && met.count(block.id().text) == 0)
                left("nothing is said about the stage '" + block.id().text + "' of the design; it keeps its tile");
        });
    }

    [[nodiscard]] bool takeStage(Block& block, const ConfigStage& stage) const {
        if (auto* cube = std::get_if<CubeStage>(&block.content); cube != nullptr && stage.matmul) {
            takeTile(*cube, stage.matmul->tile, m_tables);
            cube->fp32Mode = stage.matmul->fp32Mode;
            cube->accumulation = stage.matmul->accumulation;
            cube->partialDType = stage.matmul->partialDType;
            return true;
        }
        if (auto* vector = std::get_if<VectorStage>(&block.content); vector != nullptr && stage.vector) {
            takeTile(*vector, stage.vector->tile, m_tables);
            return true;
        }
        return false;
    }

    /// What a config only describes is compared with the design as it is now.
    Result<void> compare(const std::string& name) {
        CUBIST_TRY(const Binding binding, bindWith(m_out.design, name, {}));
        CUBIST_TRY(const ResolvedDesign resolved, resolve(m_out.design, binding));
        for (const ConfigTensor& tensor : m_config.tensors) {
            const auto own = std::find_if(m_out.design.tensors.begin(), m_out.design.tensors.end(),
                                          [&](const Tensor& each) { return each.id == tensor.id; });
            if (own == m_out.design.tensors.end()) {
                left("the tensor '" + tensor.id.text + "', which the design has not");
                continue;
            }
            const ResolvedValue* value = resolved.value(ValueId(tensor.id.text));
            if (own->dtype != tensor.dtype || own->format != tensor.format || own->role != tensor.role)
                left("tensor '" + tensor.id.text + "': " + std::string(toText(tensor.dtype)) + " " +
                     std::string(toText(tensor.format)) + " " + std::string(toText(tensor.role)) + "; the design has " +
                     std::string(toText(own->dtype)) + " " + std::string(toText(own->format)) + " " +
                     std::string(toText(own->role)));
            if (value != nullptr && value->shape != tensor.shape)
                left("tensor '" + tensor.id.text + "': shape " + list(tensor.shape) + "; the design has " +
                     list(value->shape));
        }
        for (const ConfigStage& stage : m_config.stages)
            for (const ResolvedBlock& block : resolved.blocks)
                if (block.block->id() == stage.id && !sameWork(*block.block, stage))
                    left("stage '" + stage.id.text + "': it computes something else there");
        return {};
    }

    static bool sameWork(const Block& block, const ConfigStage& stage) {
        if (const auto* cube = std::get_if<CubeStage>(&block.content); cube != nullptr && stage.matmul)
            return cube->outDType == stage.matmul->outDType && cube->aTrans == stage.matmul->aTrans &&
                   cube->bTrans == stage.matmul->bTrans && cube->op == stage.matmul->op &&
                   cube->bias == stage.matmul->bias && cube->scaleA == stage.matmul->scaleA &&
                   cube->scaleB == stage.matmul->scaleB && cube->scaleTensor == stage.matmul->scaleTensor &&
                   cube->scale == stage.matmul->scale && cube->relu == stage.matmul->relu;
        if (const auto* vector = std::get_if<VectorStage>(&block.content); vector != nullptr && stage.vector) {
            std::vector<VectorOp> own = vector->ops;
            for (VectorOp& each : own) each.unknown.clear();
            return own == stage.vector->operations;
        }
        return true;
    }

    const KernelConfig& m_config;
    AppliedSettings& m_out;
    TablesGive m_tables;  ///< of the design with the config's values
};

// Snippet ------------------------------------------------------------------------------------------------------------

void applySnippet(const PyptoSnippet& snippet, AppliedSettings& out) {
    std::set<std::string> taken;
    TablesGive tables = tablesGive(out.design, {}, {});
    tables.ownToo = true;
    out.left.insert(out.left.end(), snippet.left.begin(), snippet.left.end());
    for (const SnippetStage& stage : snippet.stages) {
        bool found = false;
        forEachBlock(out.design.blocks, [&](Block& block) {
            if (found || taken.count(block.id().text) != 0) return;
            if (auto* cube = std::get_if<CubeStage>(&block.content); cube != nullptr && stage.cube) {
                if (stage.label != (cube->label.empty() ? cube->id.text : cube->label)) return;
                takeTile(*cube, *stage.cube, tables);
                found = true;
            } else if (auto* vector = std::get_if<VectorStage>(&block.content); vector != nullptr && !stage.cube) {
                if (stage.label != (vector->label.empty() ? vector->id.text : vector->label)) return;
                takeTile(*vector, stage.vector, tables);
                found = true;
            }
            if (found) taken.insert(block.id().text);
        });
        if (!found)
            out.left.push_back("the tile of '" + stage.label + "': the design has no " +
                               (stage.cube ? "cube" : "vector") + " stage of this label");
    }
    Options& options = out.design.options;
    if (snippet.cubeL1Reuse) {
        options.cubeL1Reuse = *snippet.cubeL1Reuse;
        options.cubeL1ReuseSide = snippet.cubeL1ReuseSide;
    }
    if (snippet.cubeNBuffer) options.cubeNBuffer = *snippet.cubeNBuffer;
    if (snippet.vecNBuffer) options.vecNBuffer = *snippet.vecNBuffer;
}

// Tuner config -------------------------------------------------------------------------------------------------------

/// The call with the three lists of a tile; what follows them stays.
std::string withTile(const std::string& line, const pypto::TunerEntry& entry) {
    std::size_t end = line.find('(');
    for (int i = 0; i < 3 && end != std::string::npos; ++i) end = line.find(']', end + 1);
    if (end == std::string::npos) return line;
    return line.substr(0, line.find('(') + 1) + list(entry.m) + ", " + list(entry.k) + ", " + list(entry.n) +
           line.substr(end + 1);
}

constexpr std::string_view kCubeTile = "set_cube_tile_shapes(";

/// The cube stage of every line of an export that sets a cube tile, where each stage has one such line.
std::map<std::int64_t, std::string> stagesOfLines(Design& design, const std::vector<std::string>& lines) {
    std::vector<std::string> stages;
    forEachBlock(design.blocks, [&](Block& block) {
        if (std::holds_alternative<CubeStage>(block.content)) stages.push_back(block.id().text);
    });
    std::map<std::int64_t, std::string> out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(kCubeTile) == std::string::npos) continue;
        if (next == stages.size()) return {};
        out[static_cast<std::int64_t>(i) + 1] = stages[next++];
    }
    return next == stages.size() ? out : std::map<std::int64_t, std::string>();
}

/// Puts the tile of a tuned call into the stage that it belongs to. False: it belongs to none alone.
bool takeTuned(Design& design, const std::map<std::int64_t, std::string>& stages, const pypto::TunerEntry& entry,
               const TablesGive& tables) {
    const auto found = stages.find(entry.line);
    if (found == stages.end()) return false;
    forEachBlock(design.blocks, [&](Block& block) {
        auto* cube = std::get_if<CubeStage>(&block.content);
        if (cube == nullptr || cube->id.text != found->second) return;
        CubeTile tile = cube->tile;
        tile.m = entry.m;
        tile.k = entry.k;
        tile.n = entry.n;
        takeTile(*cube, tile, tables);
    });
    return true;
}

Result<void> applyTuner(const Design& design, const pypto::TunerConfig& config, AppliedSettings& out) {
    PyptoExportRequest request;
    CUBIST_TRY(Design own, designOfCase(design, {}));  // a tile that a case sets would win over a tuned one
    request.design = std::make_shared<const Design>(std::move(own));
    request.chip.id = design.chip;
    CUBIST_TRY(const PyptoExport exported, exportPypto(request));
    const auto file = exported.files.find(config.file);
    if (file == exported.files.end()) {
        out.left.push_back("the export of this design has no file " + config.file);
        return {};
    }
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < file->second.size();) {
        const std::size_t end = std::min(file->second.find('\n', at), file->second.size());
        lines.push_back(file->second.substr(at, end - at));
        at = end + 1;
    }
    bool changed = false;
    Design direct = *request.design;
    const std::map<std::int64_t, std::string> stages = stagesOfLines(direct, lines);
    const TablesGive tables = tablesGive(direct, {}, {});
    bool all = !stages.empty();
    for (const pypto::TunerEntry& entry : config.matmuls) {
        const bool inside = entry.line >= 1 && entry.line <= static_cast<std::int64_t>(lines.size());
        std::string* line = inside ? &lines[static_cast<std::size_t>(entry.line - 1)] : nullptr;
        if (line == nullptr || line->find(entry.text) == std::string::npos ||
            entry.text.find(kCubeTile) == std::string::npos) {
            out.left.push_back("line " + std::to_string(entry.line) + " of " + config.file +
                               " is not the call that the file names: " + entry.text.substr(0, 80));
            continue;
        }
        const std::string tiled = withTile(*line, entry);
        if (tiled != *line) all = takeTuned(direct, stages, entry, tables) && all;
        changed = changed || tiled != *line;
        *line = tiled;
    }
    if (!changed) return {};
    if (all) {
        out.design = std::move(direct);
        return {};
    }
    std::string source;
    for (const std::string& line : lines) source += line + "\n";
    CUBIST_TRY(PyptoImport imported, importPypto(source, design.name));
    for (const ImportNote& note : imported.notes)
        out.left.push_back("line " + std::to_string(note.line) + ": " + note.message);
    out.design = std::move(imported.design);
    return {};
}

}  // namespace

std::optional<SettingsForm> settingsFormOf(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return std::nullopt;
    if (text[first] == '{') {
        const auto document = parseJson(text);
        if (!document) return std::nullopt;
        if (document->find("cubist_config") != nullptr) return SettingsForm::KernelConfig;
        if (document->find("files") != nullptr && document->find("string") != nullptr) return SettingsForm::TunerConfig;
        return std::nullopt;
    }
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        if (line.empty() || line[0] == '#') continue;
        if (line.starts_with("pypto.set_")) return SettingsForm::Snippet;
        return std::nullopt;
    }
    return std::nullopt;
}

Result<AppliedSettings> applySettings(const Design& design, std::string_view text) {
    const auto form = settingsFormOf(text);
    if (!form)
        return unexpected(ErrorCode::Unsupported,
                          "these are no settings: neither a kernel config, nor calls of pypto.set_.., nor a tuner's "
                          "config.json");
    AppliedSettings out;
    out.form = *form;
    out.design = design;
    switch (*form) {
        case SettingsForm::KernelConfig: {
            CUBIST_TRY(const KernelConfig config, parseKernelConfig(text));
            CUBIST_CHECK_OK(ConfigReader(config, out).apply(design));
            break;
        }
        case SettingsForm::Snippet: {
            CUBIST_TRY(const PyptoSnippet snippet, parseSnippet(text));
            applySnippet(snippet, out);
            break;
        }
        case SettingsForm::TunerConfig: {
            CUBIST_TRY(const pypto::TunerConfig config, pypto::parseTunerConfig(text));
            CUBIST_CHECK_OK(applyTuner(design, config, out));
            break;
        }
    }
    return out;
}

}  // namespace cubist

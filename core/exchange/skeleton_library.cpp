// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/skeleton_library.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/exchange/design_json.h"
#include "core/exchange/field_reader.h"
#include "core/exchange/files.h"
#include "core/exchange/json_text.h"
#include "core/exchange/migrate.h"
#include "core/skeleton/retype.h"

namespace cubist {
namespace {

constexpr const char* kVersionKey = "cubist_skeletons";
constexpr const char* kIndexName = "index";
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
constexpr std::int64_t kPatterns = 4;

/// Files *.json of the folders by name without ending; later folders win.
std::map<std::string, std::string> jsonFiles(const std::vector<std::string>& folders) {
    namespace fs = std::filesystem;
    std::map<std::string, std::string> files;
    for (const std::string& folder : folders) {
        std::error_code code;
        for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
            if (entry->path().extension() == ".json") files[entry->path().stem().string()] = entry->path().string();
    }
    return files;
}

void checkUnique(ReadState& state, std::set<std::string>& seen, const std::string& id) {
    if (!seen.insert(id).second) state.fail(ErrorCode::BadValue, "'" + id + "' is listed twice");
}

void checkPattern(ReadState& state, std::int64_t pattern) {
    if (pattern < 1 || pattern > kPatterns)
        state.fail(ErrorCode::BadValue, "there are patterns 1 to 4, not " + std::to_string(pattern));
}

void checkIndex(ReadState& state, const SkeletonIndex& index) {
    std::set<std::string> ids;
    for (std::size_t i = 0; i < index.skeletons.size(); ++i) {
        const PathStep list(state, "skeletons"), item(state, i), field(state, "id");
        checkUnique(state, ids, index.skeletons[i].id);
    }
    for (std::size_t i = 0; i < index.templates.size(); ++i) {
        const PathStep list(state, "templates"), item(state, i);
        const SkeletonTemplate& entry = index.templates[i];
        {
            const PathStep field(state, "id");
            checkUnique(state, ids, entry.id);
        }
        const PathStep field(state, "pattern");
        for (const std::int64_t pattern : entry.pattern) checkPattern(state, pattern);
        if (!std::is_sorted(entry.pattern.begin(), entry.pattern.end()))
            state.fail(ErrorCode::BadValue, "patterns are listed in ascending order");
    }
    for (std::size_t i = 0; i < index.missing.size(); ++i) {
        const PathStep list(state, "missing"), item(state, i), field(state, "pattern");
        checkPattern(state, index.missing[i].pattern);
    }
}

bool hasScaledMatmul(const std::vector<Block>& blocks) {
    return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
        const auto* cube = std::get_if<CubeStage>(&block.content);
        const auto* loop = std::get_if<Loop>(&block.content);
        return (cube != nullptr && cube->op == CubeOp::ScaledMm) || (loop != nullptr && hasScaledMatmul(loop->body));
    });
}

/// What the matmuls of a design multiply, as far as its first input tells.
std::string kindOf(const Design& design) {
    if (hasScaledMatmul(design.blocks)) return "MXFP8";
    const auto input = std::find_if(design.tensors.begin(), design.tensors.end(),
                                    [](const Tensor& tensor) { return tensor.role == TensorRole::Input; });
    return input == design.tensors.end() ? "" : std::string(toText(input->dtype));
}

SkeletonTemplate unlisted(const std::string& id, const Design& design) {
    SkeletonTemplate entry;
    entry.id = id;
    entry.variant = design.skeleton.variant;
    entry.pattern = design.skeleton.pattern;
    std::sort(entry.pattern.begin(), entry.pattern.end());
    entry.kind = kindOf(design);
    entry.title = {design.title, design.title};
    entry.summary = {design.notes, design.notes};
    return entry;
}

}  // namespace

Result<LoadedIndex> readSkeletonIndex(std::string_view text) {
    CUBIST_TRY(JsonValue document, parseJson(text));
    const FormatHistory history{kVersionKey, SkeletonIndex::kFormatVersion, {}};
    CUBIST_TRY(const JsonValue current, migrate(std::move(document), history));
    ReadState state;
    LoadedIndex loaded;
    if (readStruct(state, current, loaded.index, {kVersionKey})) checkIndex(state, loaded.index);
    if (state.failed()) return unexpected(*std::move(state.error));
    loaded.warnings = std::move(state.warnings);
    return loaded;
}

SkeletonLibrary SkeletonLibrary::load(const std::vector<std::string>& folders) {
    SkeletonLibrary library;
    std::map<std::string, std::string> files = jsonFiles(folders);
    if (const auto file = files.find(kIndexName); file != files.end()) {
        const Result<std::string> text = readFile(file->second, kMaxFileBytes);
        Result<LoadedIndex> loaded = text ? readSkeletonIndex(*text) : Result<LoadedIndex>(unexpected(text.error()));
        if (loaded) {
            library.m_index = std::move(loaded->index);
        } else {
            Error error = std::move(loaded).error();
            if (error.where != file->second) error.where = file->second + ": " + error.where;
            library.m_problems.push_back(std::move(error));
        }
        files.erase(file);
    }
    std::map<std::string, Design> designs;
    for (const auto& [id, path] : files) {
        Result<LoadedDesign> loaded = loadDesign(path);
        if (loaded) {
            designs.emplace(id, std::move(loaded->design));
            continue;
        }
        Error error = std::move(loaded).error();
        if (error.where != path) error.where = path + ": " + error.where;
        library.m_problems.push_back(std::move(error));
    }
    std::vector<SkeletonTemplate> usable;
    for (SkeletonTemplate& entry : library.m_index.templates) {
        auto design = designs.extract(entry.id);
        if (design.empty()) {
            if (files.find(entry.id) == files.end())
                library.m_problems.push_back(
                    {ErrorCode::BadFile, "the index lists a template that has no file", entry.id + ".json"});
            continue;
        }
        usable.push_back(std::move(entry));
        library.m_designs.push_back(std::move(design.mapped()));
    }
    for (auto& [id, design] : designs) {
        usable.push_back(unlisted(id, design));
        library.m_designs.push_back(std::move(design));
    }
    library.m_index.templates = std::move(usable);
    return library;
}

const Design* SkeletonLibrary::design(const std::string& templateId) const {
    for (std::size_t i = 0; i < m_designs.size(); ++i)
        if (m_index.templates[i].id == templateId) return &m_designs[i];
    return nullptr;
}

Result<Design> SkeletonLibrary::make(const TemplateQuery& query) const {
    CUBIST_TRY(const SkeletonTemplate chosen, selectTemplate(m_index, query));
    const Design* found = design(chosen.id);
    if (found == nullptr) return unexpected(ErrorCode::Internal, "the template " + chosen.id + " has no design");
    const auto listed = std::find_if(m_index.templates.begin(), m_index.templates.end(),
                                     [&](const SkeletonTemplate& entry) { return entry.id == chosen.id; });
    const auto kind = fromText<DType>(chosen.kind), own = fromText<DType>(listed->kind);
    Design result = kind && own && kind != own ? withDType(*found, *own, *kind) : *found;
    if (query.chip != nullptr) result.chip = query.chip->id;
    return result;
}

}  // namespace cubist

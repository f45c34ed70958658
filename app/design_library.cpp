// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/design_library.h"

#include <string_view>
#include <system_error>
#include <utility>

#include "core/design/resolve.h"
#include "core/exchange/files.h"
#include "core/exchange/sample_titles.h"

namespace cubist {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSampleSuffix = ".cubist.json";
constexpr const char* kTitlesFile = "titles.json";
constexpr std::size_t kMaxTitlesBytes = std::size_t{1} << 20;

std::string idOf(const fs::path& file) {
    const std::string name = file.filename().string();
    return name.substr(0, name.size() - std::string_view(kSampleSuffix).size());
}

/// The folder of every root, the one that wins last.
std::vector<std::string> folders(const DataPaths& paths, const std::string& name) {
    std::vector<std::string> all;
    for (auto root = paths.roots.rbegin(); root != paths.roots.rend(); ++root) all.push_back((*root / name).string());
    return all;
}

Error notFound(const DataPaths& paths, const std::string& name) {
    std::vector<std::string> samples;
    std::string all;
    for (const fs::path& file : paths.files("samples", kSampleSuffix)) {
        samples.push_back(idOf(file));
        all += (all.empty() ? "" : ", ") + samples.back();
    }
    const std::string near = nearestName(name, samples);
    std::string hint = near.empty() ? "" : "did you mean " + near + "? ";
    hint += all.empty() ? "no samples are installed" : "samples: " + all;
    return {ErrorCode::BadFile, "there is no such file or sample", name, hint};
}

/// Titles in Chinese; those of the user's folder replace others of the same sample.
void addTitles(const DataPaths& paths, DesignList& list) {
    for (const std::string& folder : folders(paths, "samples")) {
        const std::string file = (fs::path(folder) / kTitlesFile).string();
        std::error_code failed;
        if (!fs::exists(file, failed)) continue;
        Result<std::string> text = readFile(file, kMaxTitlesBytes);
        Result<SampleTitles> titles = text ? readSampleTitles(*text) : Result<SampleTitles>(unexpected(text.error()));
        if (!titles) {
            Error error = std::move(titles).error();
            error.where = error.where.empty() || error.where == file ? file : file + ": " + error.where;
            list.problems.push_back(std::move(error));
            continue;
        }
        for (Catalogue::Entry& entry : list.entries)
            if (const std::string* title = titles->zh.find(entry.id)) entry.titleZh = *title;
    }
}

}  // namespace

Result<OpenedDesign> openDesign(const DataPaths& paths, const std::string& nameOrFile) {
    std::error_code failed;
    fs::path file = nameOrFile;
    if (!fs::exists(file, failed)) {
        const auto sample = nameOrFile.find('/') == std::string::npos
                                ? paths.find("samples", nameOrFile + kSampleSuffix)
                                : std::nullopt;
        if (!sample) return unexpected(notFound(paths, nameOrFile));
        file = *sample;
    }
    CUBIST_TRY(LoadedDesign loaded, loadDesign(file.string()));
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    return OpenedDesign{std::move(loaded), file.string(), folder.string()};
}

DesignList loadSamples(const DataPaths& paths) {
    DesignList list;
    for (const fs::path& file : paths.files("samples", kSampleSuffix)) {
        Result<LoadedDesign> loaded = loadDesign(file.string());
        if (loaded) {
            list.entries.push_back({idOf(file), std::move(loaded->design)});
        } else {
            Error error = std::move(loaded).error();
            if (error.where != file.string()) error.where = file.string() + ": " + error.where;
            list.problems.push_back(std::move(error));
        }
    }
    addTitles(paths, list);
    return list;
}

SkeletonLibrary loadSkeletons(const DataPaths& paths) {
    return SkeletonLibrary::load(folders(paths, "skeletons"));
}

ChipLibrary loadChips(const DataPaths& paths) {
    return ChipLibrary::load(folders(paths, "chips"));
}

}  // namespace cubist

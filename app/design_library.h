// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/data_paths.h"
#include "core/base/result.h"
#include "core/exchange/catalogue.h"
#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/exchange/skeleton_library.h"

namespace cubist {

/// A design and where it came from.
struct OpenedDesign {
    LoadedDesign loaded;
    std::string file;    ///< path of the design file
    std::string folder;  ///< its folder; data files of the design are relative to it
};

/// Designs by id with the files that could not be used.
struct DesignList {
    std::vector<Catalogue::Entry> entries;
    std::vector<Error> problems;
};

/// Opens a design file, or a sample by its name. A file of that name comes first.
/// Errors: as `loadDesign`; BadFile (neither; the samples are listed in the hint).
[[nodiscard]] Result<OpenedDesign> openDesign(const DataPaths& paths, const std::string& nameOrFile);

[[nodiscard]] DesignList loadSamples(const DataPaths& paths);

/// Skeletons and templates of all folders; those of the user's folder replace others of the same name.
[[nodiscard]] SkeletonLibrary loadSkeletons(const DataPaths& paths);

/// Chips of all folders; those of the user's folder replace others of the same id.
[[nodiscard]] ChipLibrary loadChips(const DataPaths& paths);

}  // namespace cubist

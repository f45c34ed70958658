// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cubist {

/// Where chips, skeletons and samples are looked for: a list of folders, each with `chips`, `skeletons` and `samples`
/// inside. A file of an earlier folder hides one of the same name in a later one.
struct DataPaths {
    std::vector<std::filesystem::path> roots;

    /// The user's folder ($XDG_DATA_HOME/cubist, else ~/.local/share/cubist), then share/cubist beside the folder of
    /// the running program (a build tree or an installation), then $CUBIST_DATA. Folders that do not exist are kept:
    /// they are named when something is not found.
    [[nodiscard]] static DataPaths standard();

    /// First existing root/folder/name.
    [[nodiscard]] std::optional<std::filesystem::path> find(const std::string& folder, const std::string& name) const;
    /// Files of `folder` whose names end in `suffix`, one per name, sorted by name.
    [[nodiscard]] std::vector<std::filesystem::path> files(const std::string& folder, const std::string& suffix) const;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/data_paths.h"

#include <cstdlib>
#include <map>
#include <system_error>

namespace cubist {
namespace fs = std::filesystem;
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

DataPaths DataPaths::standard() {
    DataPaths paths;
    // The XDG specification tells to ignore relative paths.
    if (const fs::path data = environment("XDG_DATA_HOME"); data.is_absolute())
        paths.roots.push_back(data / "cubist");
    else if (const fs::path home = environment("HOME"); home.is_absolute())
        paths.roots.push_back(home / ".local/share/cubist");

    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (!failed) paths.roots.push_back(program.parent_path().parent_path() / "share/cubist");

    if (const fs::path data = environment("CUBIST_DATA"); !data.empty()) paths.roots.push_back(data);
    return paths;
}

std::optional<fs::path> DataPaths::find(const std::string& folder, const std::string& name) const {
    std::error_code failed;
    for (const fs::path& root : roots)
        if (fs::path file = root / folder / name; fs::is_regular_file(file, failed)) return file;
    return std::nullopt;
}

std::vector<fs::path> DataPaths::files(const std::string& folder, const std::string& suffix) const {
    std::map<std::string, fs::path> found;
    for (const fs::path& root : roots) {
        std::error_code failed;
        for (fs::directory_iterator entry(root / folder, failed), end; !failed && entry != end;
             entry.increment(failed)) {
            const std::string name = entry->path().filename().string();
            std::error_code unreadable;
            if (name.ends_with(suffix) && name[0] != '.' && entry->is_regular_file(unreadable))
                found.try_emplace(name, entry->path());
        }
    }
    std::vector<fs::path> files;
    for (auto& [name, path] : found) files.push_back(std::move(path));
    return files;
}

}  // namespace cubist

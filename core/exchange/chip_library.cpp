// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/design/resolve.h"
#include "core/exchange/chip_json.h"

namespace cubist {
namespace {

constexpr std::string_view kVendor = "Ascend";

std::string withoutVendor(const std::string& id) {
    return id.starts_with(kVendor) ? id.substr(kVendor.size()) : id;
}

/// Paths of the folder's *.json files, sorted.
std::vector<std::string> chipFiles(const std::string& folder) {
    namespace fs = std::filesystem;
    std::vector<std::string> files;
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
        if (entry->path().extension() == ".json") files.push_back(entry->path().string());
    std::sort(files.begin(), files.end());
    return files;
}

std::string idsOf(const std::vector<const ChipSpec*>& chips) {
    std::string text;
    for (const ChipSpec* chip : chips) text += (text.empty() ? "" : ", ") + chip->id.text;
    return text;
}

}  // namespace

ChipLibrary ChipLibrary::load(const std::vector<std::string>& folders) {
    ChipLibrary library;
    for (const std::string& folder : folders) {
        std::vector<ChipId> ofThisFolder;
        for (const std::string& file : chipFiles(folder)) {
            Result<LoadedChip> loaded = loadChip(file);
            if (!loaded) {
                library.m_problems.push_back(std::move(loaded).error());
                continue;
            }
            ChipSpec& chip = loaded->chip;
            if (std::find(ofThisFolder.begin(), ofThisFolder.end(), chip.id) != ofThisFolder.end()) {
                library.m_problems.push_back(
                    {ErrorCode::BadValue, "another file of the folder has the chip " + chip.id.text, file});
                continue;
            }
            ofThisFolder.push_back(chip.id);
            std::erase_if(library.m_chips, [&](const ChipSpec& older) { return older.id == chip.id; });
            library.m_chips.push_back(std::move(chip));
        }
    }
    std::sort(library.m_chips.begin(), library.m_chips.end(),
              [](const ChipSpec& a, const ChipSpec& b) { return a.id < b.id; });
    return library;
}

Result<ChipSpec> ChipLibrary::find(const std::string& name) const {
    std::vector<const ChipSpec*> all;
    std::vector<const ChipSpec*> byAlias;
    std::vector<std::string> names;
    for (const ChipSpec& chip : m_chips) {
        if (chip.id.text == name) return chip;
        all.push_back(&chip);
        names.push_back(chip.id.text);
        names.push_back(withoutVendor(chip.id.text));
    }
    for (const ChipSpec& chip : m_chips)
        if (withoutVendor(chip.id.text) == name) return chip;
    for (const ChipSpec& chip : m_chips)
        if (std::find(chip.aliases.begin(), chip.aliases.end(), name) != chip.aliases.end()) byAlias.push_back(&chip);
    if (byAlias.size() == 1) return *byAlias.front();
    if (!byAlias.empty())
        return unexpected(ErrorCode::BadValue, "several chips are called '" + name + "': " + idsOf(byAlias), "/chip",
                          "use one of these ids");
    const std::string near = nearestName(name, names);
    std::string hint = near.empty() ? "" : "did you mean '" + near + "'? ";
    hint += m_chips.empty() ? "no chip file was found" : "known: " + idsOf(all);
    if (!m_problems.empty())
        hint += "; " + m_problems.front().where + " could not be used: " + m_problems.front().message;
    return unexpected(ErrorCode::UnknownName, "unknown chip '" + name + "'", "/chip", hint);
}

}  // namespace cubist

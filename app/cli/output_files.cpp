// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output_files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/cli/console.h"
#include "core/exchange/files.h"

namespace cubist::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStandardOutput = "-";

bool samePlace(const std::string& a, const std::string& b) {
    std::error_code failed;
    return fs::weakly_canonical(fs::absolute(a, failed), failed) ==
           fs::weakly_canonical(fs::absolute(b, failed), failed);
}

Result<void> checkWritableFolder(const fs::path& folder, const std::string& path) {
    std::error_code failed;
    if (!fs::is_directory(folder, failed))
        return unexpected(ErrorCode::BadFile, "there is no folder " + folder.string() + " to write into", path);
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        return unexpected(ErrorCode::BadFile, "the folder " + folder.string() + " cannot be written", path);
    return {};
}

/// Makes the folder; `made` gets the parts of the path that are new, outermost first.
Result<void> makeFolder(const fs::path& folder, std::vector<std::string>& made) {
    std::error_code failed;
    std::vector<std::string> parts;
    for (fs::path part = folder; !part.empty() && !fs::exists(part, failed); part = part.parent_path())
        parts.insert(parts.begin(), part.string());
    fs::create_directories(folder, failed);
    std::error_code unreadable;
    if (!fs::is_directory(folder, unreadable)) {
        const std::string why = failed ? failed.message() : "it is no folder";
        return unexpected(ErrorCode::BadFile, "the folder cannot be made: " + why, folder.string());
    }
    made.insert(made.end(), parts.begin(), parts.end());
    return {};
}

}  // namespace

Result<void> OutputFiles::claim(const std::string& option, const std::string& path) {
    if (path.empty()) return unexpected(ErrorCode::BadValue, option + " wants a path");
    for (const Target& target : m_targets)
        if (target.path == path || samePlace(target.path, path))
            return unexpected(ErrorCode::BadValue, target.option + " and " + option + " name the same target", path);
    for (const std::string& input : m_protected)
        if (path != kStandardOutput && samePlace(input, path))
            return unexpected(ErrorCode::BadValue, option + " would overwrite a file that is read", path);
    m_targets.push_back({option, path});
    return {};
}

Result<void> OutputFiles::announceFile(const std::string& option, const std::string& path) {
    CUBIST_CHECK_OK(claim(option, path));
    if (path == kStandardOutput) return {};
    std::error_code failed;
    const fs::path file = path;
    if (fs::is_directory(file, failed)) return unexpected(ErrorCode::BadFile, "is a folder, not a file", path);
    if (fs::exists(file, failed)) {
        if (access(path.c_str(), W_OK) != 0) return unexpected(ErrorCode::BadFile, "cannot be written", path);
        if (!fs::is_regular_file(file, failed)) return {};
    }
    return checkWritableFolder(file.has_parent_path() ? file.parent_path() : fs::path("."), path);
}

Result<void> OutputFiles::announceFolder(const std::string& option, const std::string& path) {
    CUBIST_CHECK_OK(claim(option, path));
    std::error_code failed;
    fs::path existing = path;
    while (!existing.empty() && !fs::exists(existing, failed)) existing = existing.parent_path();
    if (existing.empty()) existing = ".";
    if (!fs::is_directory(existing, failed))
        return unexpected(ErrorCode::BadFile, existing.string() + " is no folder", path);
    return checkWritableFolder(existing, path);
}

bool OutputFiles::usesStandardOutput() const {
    return std::any_of(m_targets.begin(), m_targets.end(),
                       [](const Target& target) { return target.path == kStandardOutput; });
}

void OutputFiles::add(const std::string& path, std::string text) {
    m_texts.push_back({path, std::move(text)});
}

void OutputFiles::add(std::vector<std::string> paths, Writer writer) {
    m_written.push_back({std::move(paths), std::move(writer)});
}

void OutputFiles::addStream(const std::string& path, std::function<Result<void>(const TextSink&)> writer) {
    if (path == kStandardOutput) {
        add(std::vector<std::string>{}, [writer = std::move(writer)] { return writer(printResult); });
        return;
    }
    add({path}, [path, writer = std::move(writer)]() -> Result<void> {
        CUBIST_TRY(AtomicFile file, AtomicFile::create(path));
        CUBIST_CHECK_OK(writer([&file](std::string_view text) { return file.write(text.data(), text.size()); }));
        return file.commit();
    });
}

Result<void> OutputFiles::commit() {
    std::vector<std::string> made;
    Result<void> done = write(made);
    std::error_code ignored;
    if (!done)
        for (auto path = made.rbegin(); path != made.rend(); ++path) fs::remove(*path, ignored);
    return done;
}

/// `made` gets every folder and file that was not there before, outermost first.
Result<void> OutputFiles::write(std::vector<std::string>& made) {
    for (const std::string& folder : m_folders) CUBIST_CHECK_OK(makeFolder(folder, made));
    std::vector<AtomicFile> files;
    for (const Text& text : m_texts) {
        if (text.path == kStandardOutput) continue;
        CUBIST_TRY(AtomicFile file, AtomicFile::create(text.path));
        CUBIST_CHECK_OK(file.write(text.text.data(), text.text.size()));
        files.push_back(std::move(file));
    }
    for (const Written& written : m_written) {
        std::error_code failed;
        for (const std::string& path : written.paths)
            if (!fs::exists(path, failed)) made.push_back(path);
        CUBIST_CHECK_OK(written.writer());
    }
    for (const Text& text : m_texts)
        if (text.path == kStandardOutput) CUBIST_CHECK_OK(printResult(text.text));
    for (AtomicFile& file : files) CUBIST_CHECK_OK(file.commit());
    return {};
}

}  // namespace cubist::cli

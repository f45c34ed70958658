// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/event_stream.h"

namespace cubist::cli {

/// Files and folders that a command writes at its end, all or none: targets are checked before the work begins, and no
/// file appears before the contents of every one are on the disk.
class OutputFiles {
public:
    /// Writes one or more files by itself, each atomically.
    using Writer = std::function<Result<void>()>;

    /// Announces a file, "-" being standard output; `option` names it in messages.
    /// Errors: BadFile (a folder, no such folder, no permission), BadValue (two options name the same target, or one
    /// that the command reads).
    [[nodiscard]] Result<void> announceFile(const std::string& option, const std::string& path);
    /// Announces a folder; `addFolder` says later that it is needed. Errors: as `announceFile`.
    [[nodiscard]] Result<void> announceFolder(const std::string& option, const std::string& path);
    /// A file that the command reads and must not overwrite.
    void protect(const std::string& path) { m_protected.push_back(path); }

    /// True when an announced target is standard output, which then belongs to it alone.
    [[nodiscard]] bool usesStandardOutput() const;

    void addFolder(const std::string& path) { m_folders.push_back(path); }
    void add(const std::string& path, std::string text);
    /// Files that a writer makes; `paths` are all that it may make.
    void add(std::vector<std::string> paths, Writer writer);
    /// A file, or standard output, whose text comes piece by piece.
    void addStream(const std::string& path, std::function<Result<void>(const TextSink&)> writer);
    /// Writes everything that was added. Errors: BadFile; then nothing is left behind.
    [[nodiscard]] Result<void> commit();

private:
    [[nodiscard]] Result<void> claim(const std::string& option, const std::string& path);

    struct Target {
        std::string option, path;
    };
    struct Text {
        std::string path, text;
    };
    struct Written {
        std::vector<std::string> paths;
        Writer writer;
    };
    [[nodiscard]] Result<void> write(std::vector<std::string>& made);
    std::vector<Target> m_targets;
    std::vector<std::string> m_folders;
    std::vector<std::string> m_protected;
    std::vector<Text> m_texts;
    std::vector<Written> m_written;
};

}  // namespace cubist::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/output_files.h"
#include "app/cli/request.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "core/exchange/pypto/import/pypto_import.h"

namespace cubist::cli {

Result<int> importCommand(const Arguments& arguments, Session& session) {
    const std::string file = arguments.operand(0);
    const auto output = arguments.value(OptionId::Output);
    if (!output) return unexpected(ErrorCode::BadValue, "import wants -o FILE");
    OutputFiles files;
    files.protect(file);
    CUBIST_CHECK_OK(files.announceFile("-o", *output));
    std::error_code failed;
    if (*output != "-" && std::filesystem::exists(*output, failed) && !arguments.has(OptionId::Force))
        return unexpected(ErrorCode::BadFile, "the file exists", *output, "--force overwrites it");

    constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
    CUBIST_TRY(const std::string source, readFile(file, kMaxBytes));
    std::string name = std::filesystem::path(file).stem().string();
    auto imported = importPypto(source, name);
    if (!imported) {
        Error error = std::move(imported).error();
        if (error.where.empty()) error.where = file;
        return unexpected(std::move(error));
    }
    std::size_t guesses = 0;
    for (const ImportNote& note : imported->notes) {
        printWarning(file + ":" + std::to_string(note.line) + ": " + (note.guess ? "guessed: " : "") + note.message);
        if (note.guess) ++guesses;
    }
    files.add(*output, writeDesign(imported->design));
    CUBIST_CHECK_OK(finish(files, session));
    if (const std::size_t places = imported->notes.size() - guesses; places > 0)
        printMessage(std::to_string(places) + " places of the kernel were not understood");
    if (guesses > 0) printMessage(std::to_string(guesses) + " values were guessed");
    return 0;
}

}  // namespace cubist::cli

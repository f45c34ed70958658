// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/output_files.h"
#include "app/cli/request.h"
#include "app/design_library.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/config_export.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "core/exchange/pypto/settings_import.h"

namespace cubist::cli {

namespace {

/// The design that settings are for: the one that is named, or the sample that a kernel config was written for.
Result<Design> designFor(const Arguments& arguments, const Session& session, const std::string& text,
                         SettingsForm form) {
    if (arguments.operandCount() > 1) {
        CUBIST_TRY(OpenedDesign opened, openDesign(session.paths, arguments.operand(1)));
        return std::move(opened.loaded.design);
    }
    const char* const hint = "cubist-cli import FILE DESIGN -o FILE";
    if (form != SettingsForm::KernelConfig)
        return unexpected(ErrorCode::BadValue, "these are settings; name the design that they are for", {}, hint);
    CUBIST_TRY(const KernelConfig config, parseKernelConfig(text));
    auto opened = openDesign(session.paths, config.design);
    if (opened) {
        const Design& sample = opened->loaded.design;
        const auto ofCase = designOfCase(sample, config.caseId.text);
        if (ofCase && designHash(*ofCase) == config.provenance.designHash) return sample;
    }
    return unexpected(ErrorCode::BadValue,
                      "the config was written for a design '" + config.design + "' (" + config.provenance.designHash +
                          ") that is no sample as it is now; name the design that it is for",
                      {}, hint);
}

Result<int> importSettings(const Arguments& arguments, Session& session, const std::string& text, SettingsForm form,
                           OutputFiles& files, const std::string& output) {
    CUBIST_TRY(const Design design, designFor(arguments, session, text, form));
    CUBIST_TRY(const AppliedSettings applied, applySettings(design, text));
    for (const std::string& each : applied.left) printWarning(arguments.operand(0) + ": " + each);
    files.add(output, writeDesign(applied.design));
    CUBIST_CHECK_OK(finish(files, session));
    if (!applied.left.empty()) printMessage(std::to_string(applied.left.size()) + " settings do not fit the design");
    return 0;
}

}  // namespace

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
    if (const auto form = settingsFormOf(source)) {
        auto done = importSettings(arguments, session, source, *form, files, *output);
        if (!done && done.error().where.empty()) {
            Error error = std::move(done).error();
            error.where = file;
            return unexpected(std::move(error));
        }
        return done;
    }
    if (arguments.operandCount() > 1)
        return unexpected(ErrorCode::Unsupported,
                          "neither a kernel config, nor calls of pypto.set_.., nor a tuner's config.json", file);
    std::string name = std::filesystem::path(file).stem().string();
    auto imported = importPypto(source, name, modulesBeside(file));
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <exception>
#include <new>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/version.h"
#include "core/design/resolve.h"

namespace cubist::cli {
namespace {

std::string versionLine() {
    return "cubist-cli " + versionText() + "\n";
}

Error unknownCommand(const std::string& word) {
    std::vector<std::string> known;
    for (const CommandSpec& command : commands()) known.emplace_back(command.name);
    constexpr std::array later{"tune", "fidelity"};
    if (std::find(later.begin(), later.end(), word) != later.end())
        return {ErrorCode::Unsupported, "the command " + word + " is not available yet", {}, availableText(known)};
    const std::string near = nearestName(word, known);
    return {ErrorCode::UnknownName,
            "there is no command '" + word + "'",
            {},
            (near.empty() ? "" : "did you mean " + near + "? ") + availableText(known)};
}

Result<int> dispatch(const std::vector<std::string>& words, Session& session) {
    if (words.empty()) return unexpected(ErrorCode::BadValue, "which command?", {}, "see cubist-cli --help");
    const std::string& first = words[0];
    if (first == "--help" || first == "-h" || first == "--version") {
        CUBIST_CHECK_OK(printResult(first == "--version" ? versionLine() : programHelp()));
        return 0;
    }
    const auto table = commands();
    const auto command =
        std::find_if(table.begin(), table.end(), [&](const CommandSpec& spec) { return spec.name == first; });
    if (command == table.end()) return unexpected(unknownCommand(first));
    CUBIST_TRY(const Arguments arguments, Arguments::parse(*command, std::span(words).subspan(1)));
    if (arguments.has(OptionId::Help) || arguments.has(OptionId::Version)) {
        CUBIST_CHECK_OK(printResult(arguments.has(OptionId::Help) ? commandHelp(*command) : versionLine()));
        return 0;
    }
    return command->function(arguments, session);
}

}  // namespace

int runProgram(const std::vector<std::string>& words, Session& session) {
    try {
        const Result<int> status = dispatch(words, session);
        if (status) return *status;
        if (status.error().code == ErrorCode::Cancelled) {
            session.signals->stopped();
            printMessage("cancelled");
        } else {
            printError(status.error());
        }
        return exitStatus(status.error().code);
    } catch (const std::bad_alloc&) {
        printError({ErrorCode::DoesNotFit, "the machine has no more memory"});
        return exitStatus(ErrorCode::DoesNotFit);
    } catch (const std::exception& stray) {
        printError({ErrorCode::Internal, std::string("internal error: ") + stray.what()});
        return exitStatus(ErrorCode::Internal);
    }
}

}  // namespace cubist::cli

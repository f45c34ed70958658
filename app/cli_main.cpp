// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <string>
#include <vector>

#include "app/cli/commands.h"

int main(int argc, char** argv) {
    // A reader that closes its pipe shows as a failed write, which has a message.
    std::signal(SIGPIPE, SIG_IGN);
    cubist::cli::StopOnSignal signals;
    cubist::cli::Session session{cubist::DataPaths::standard(), &signals};
    return cubist::cli::runProgram(std::vector<std::string>(argv + 1, argv + argc), session);
}

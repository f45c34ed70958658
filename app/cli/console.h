// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/run_context.h"

/// What cubist-cli writes to the terminal: results to standard output, messages to standard error.
namespace cubist::cli {

/// Errors: BadFile (a closed pipe, a full disk).
[[nodiscard]] Result<void> printResult(std::string_view text);

/// One line: "cubist-cli: error: /tensors/0/dtype: message (hint)".
void printError(const Error& error);
void printWarning(std::string_view message);
/// "cubist-cli: message"
void printMessage(std::string_view message);

/// "where: message (hint)" on one line; control characters become blanks.
[[nodiscard]] std::string errorLine(const Error& error);

/// Shows the phase and percentage on one line of a terminal, and nothing when standard error is no terminal. The line
/// is removed when this goes.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(double fraction, std::string_view phase);
    void clear();

private:
    bool m_terminal = false;
    bool m_shown = false;
    std::string m_last;
};

}  // namespace cubist::cli

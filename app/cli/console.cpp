// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace cubist::cli {
namespace {

std::string onOneLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return text;
}

}  // namespace

Result<void> printResult(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return {};
    // A reader that has left, as `head` does, has read what it wanted.
    if (errno != EPIPE) return unexpected(ErrorCode::BadFile, "cannot be written", "standard output");
    return {};
}

std::string errorLine(const Error& error) {
    std::string line = error.where.empty() ? error.message : error.where + ": " + error.message;
    if (!error.hint.empty()) line += " (" + error.hint + ")";
    return onOneLine(std::move(line));
}

void printMessage(std::string_view message) {
    const std::string line = "cubist-cli: " + std::string(message) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void printError(const Error& error) {
    printMessage("error: " + errorLine(error));
}

void printWarning(std::string_view message) {
    printMessage("warning: " + onOneLine(std::string(message)));
}

ProgressLine::ProgressLine() : m_terminal(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::show(double fraction, std::string_view phase) {
    if (!m_terminal) return;
    std::string text = std::to_string(static_cast<int>(fraction * 100.0)) + " % " + std::string(phase);
    if (text == m_last) return;
    m_last = std::move(text);
    m_shown = true;
    std::fprintf(stderr, "\r\033[K%s", m_last.c_str());
    std::fflush(stderr);
}

void ProgressLine::clear() {
    if (m_shown) std::fputs("\r\033[K", stderr);
    m_shown = false;
}

}  // namespace cubist::cli

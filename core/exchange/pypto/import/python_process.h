// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cubist::pypto {

/// What `resources/python/kernel_ast.py` prints for a Python source: its syntax tree as JSON. The source is parsed by
/// Python's own parser in a process of its own (`python3 -I -S`), never run; memory and processor time of the process
/// are limited. It is ended after two seconds; where a busy machine keeps it from working, after eight.
/// Errors: Unsupported (there is no python3), DoesNotFit (a limit), BadFile (the process fails).
[[nodiscard]] Result<std::string> syntaxTreeText(std::string_view source);

/// The script, as it was built in.
[[nodiscard]] std::string_view kernelAstScript();

}  // namespace cubist::pypto

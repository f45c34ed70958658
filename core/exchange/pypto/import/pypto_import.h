// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"

namespace cubist {

/// A line of a kernel that an import did not understand or could not keep.
struct ImportNote {
    std::int64_t line = 0;
    std::string message;
    bool guess = false;  ///< it was read, with a value that only the kernel's caller knows
    bool operator==(const ImportNote&) const = default;
};

struct PyptoImport {
    Design design;
    std::vector<ImportNote> notes;  ///< ascending lines; guesses too
    bool fromExport = false;        ///< the file is an export of ours, and its record was used
};

/// A PyPTO kernel (the first function with `@pypto.frontend.jit`) as a design. An unchanged export of ours gives its
/// design back; a changed one gives that design with the changes. What is not understood is left out and noted.
/// `name` is the design's where the file does not say it. Errors: Syntax (the file does not parse, with the line;
/// there is no kernel), Unsupported (no python3; what was read is no design that can be opened), DoesNotFit (limits).
/// `find` gives the source of a module that the file imports ("helpers", "utils.layout"), where there is one: helper
/// functions and constants may lie beside the kernel.
using ModuleFinder = std::function<std::optional<std::string>(const std::string& module)>;
[[nodiscard]] Result<PyptoImport> importPypto(std::string_view source, const std::string& name,
                                              const ModuleFinder& find = {});

/// Modules as Python finds them beside a file: FOLDER/helpers.py, FOLDER/utils/layout.py, of at most 256 KiB.
[[nodiscard]] ModuleFinder modulesBeside(const std::string& path);

}  // namespace cubist

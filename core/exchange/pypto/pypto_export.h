// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/design/binding.h"
#include "core/exchange/pypto/options_writer.h"
#include "core/rules/finding.h"

namespace cubist {

/// What is exported: a design for one case on one chip. Sizes that the kernel cannot take from its arguments, and lists
/// that loops are expanded over, are those of the case.
struct PyptoExportRequest {
    std::shared_ptr<const Design> design;
    ChipSpec chip;
    std::string caseName;  ///< id or alias; empty: the default case
    Overrides overrides;
    KeyDialect keys = KeyDialect::Labels;
    std::string version;  ///< of the program, for the documents
};

struct PyptoExport {
    /// By name: NAME_impl.py, NAME_golden.py, test_NAME.py, SPEC.md, DESIGN.md, API_REPORT.md, README.md,
    /// config.json (a tile tuner's). Empty when
    /// there are findings.
    std::map<std::string, std::string> files;
    /// Data of tensors that the test loads: the path as the design has it (relative to its folder), and the name that
    /// the file has beside the test.
    std::vector<std::pair<std::string, std::string>> dataFiles;
    std::vector<Finding> findings;  ///< EXP-*: what the design has and a PyPTO kernel cannot say
};

/// A design as a folder of Python: kernel, host wrapper, golden, test and documents. Pure: equal requests give equal
/// bytes. Errors: as `bindWith` and `resolve`; Unsupported (a tensor's data is a file that numpy does not load).
[[nodiscard]] Result<PyptoExport> exportPypto(const PyptoExportRequest& request);

}  // namespace cubist

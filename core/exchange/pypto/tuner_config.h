// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace cubist::pypto {

/// Where a kernel sets the tile of a matmul: what a tuner has to replace.
struct TunerEntry {
    std::int64_t line = 0;  ///< in the file, from 1
    std::string text;       ///< the call as the file has it
    std::vector<std::int64_t> m, k, n;
    bool operator==(const TunerEntry&) const = default;
};

/// The hand-over to a tile tuner, `config.json`: the file, and for the matmuls "mm1", "mm2", ... in the order of the
/// file their tiles, beside lists of lines and of the texts there.
struct TunerConfig {
    std::string file;
    std::vector<TunerEntry> matmuls;
    bool operator==(const TunerConfig&) const = default;
};

/// Of a module as `exportPypto` writes it.
[[nodiscard]] TunerConfig tunerConfigOf(const std::string& file, std::string_view source);
[[nodiscard]] std::string tunerConfigText(const TunerConfig& config);
/// Errors: as the JSON reader; MissingKey, WrongType.
[[nodiscard]] Result<TunerConfig> parseTunerConfig(std::string_view text);

}  // namespace cubist::pypto

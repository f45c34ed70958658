// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/exchange/json_value.h"
#include "core/run/run.h"

namespace cubist {

/// What a run was made with, as its JSON holds it: the order of blocks (launch `bare`), values of symbols and lists,
/// shapes, options, of every stage what is not its wiring or its operations (tile, label, fused operations ...), and
/// the SHA-256 of the design's file text, so that two runs can be told apart whatever differs.
[[nodiscard]] JsonValue settingsJson(const RunReport& report);

/// One setting: "symbols/T", "stages/gate/tile/k"; lists stay whole.
struct RunSetting {
    std::string path;
    std::string text;  ///< on one line; strings without quotes
    bool operator==(const RunSetting&) const = default;
};

/// The settings in the order of the file.
[[nodiscard]] std::vector<RunSetting> settingsIn(const JsonValue& settings);

/// The key of the design's hash.
inline constexpr const char* kDesignHash = "design_sha256";

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"

namespace cubist {

/// Files of settings that Cubist writes and reads again: the kernel config, lines of tiles and options, and a tile
/// tuner's config.json.
enum class SettingsForm : std::uint8_t { KernelConfig, Snippet, TunerConfig };

/// Which of them a text is; nothing for anything else. Looks at its keys or at its first calls only.
[[nodiscard]] std::optional<SettingsForm> settingsFormOf(std::string_view text);

struct AppliedSettings {
    SettingsForm form = SettingsForm::KernelConfig;
    Design design;
    std::vector<std::string> left;  ///< what the text says and the design cannot take, or has otherwise; one line each
};

/// The design with the settings of a text.
///  - Kernel config: chip, profile, case, symbols, lists, tiles of stages and loops by id, numeric modes, options.
///    Types, shapes and operations are compared.
///  - Snippet: tiles of stages by label, pass options that are given.
///  - Tuner config: tiles of the calls that the design's export has at the lines that the file names (wants python3
///    where a stage has several of them).
/// Errors: Syntax, MissingKey, WrongType, UnknownKey, Unsupported of the text; as `designOfCase` and `bindWith`.
[[nodiscard]] Result<AppliedSettings> applySettings(const Design& design, std::string_view text);

}  // namespace cubist

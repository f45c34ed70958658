// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "app/command_palette.h"

namespace cubist {

class MainWindow;

/// Everything that the palette of a window offers: its commands, the elements of the design, the cases and chips it can
/// run on, samples and recent files, the pages of the help.
[[nodiscard]] std::vector<PaletteEntry> paletteEntries(MainWindow& window);

}  // namespace cubist

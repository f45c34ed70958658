// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "views/theme.h"

namespace cubist {

/// The window's style sheet: resources/style.qss with its `@token` names replaced by colours.
[[nodiscard]] QString styleSheetText(ColorScheme scheme);

}  // namespace cubist

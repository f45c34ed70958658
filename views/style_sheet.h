// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace cubist {

/// The window's style sheet: resources/style.qss with its `@token` names replaced by colours.
[[nodiscard]] QString styleSheetText(bool dark);

}  // namespace cubist

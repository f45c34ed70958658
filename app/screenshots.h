// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace cubist {

class MainWindow;
class Theme;

/// Writes the pictures of the documentation: the window on GLMGate in both themes, its accuracy and its timing view.
/// The window must be shown. Returns the process's exit status; says on standard error what could not be done.
[[nodiscard]] int takeScreenshots(MainWindow& window, Theme& theme, const QString& folder);

/// Writes the pictures for looking through: every layout in both languages and both themes, "timing-dark-zh.png"; with
/// a larger scale "timing-dark-zh@2x.png". Otherwise as `takeScreenshots`.
[[nodiscard]] int takeScreenshotSet(MainWindow& window, Theme& theme, const QString& folder);

}  // namespace cubist

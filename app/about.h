// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace cubist {

class Theme;

/// Opens the window with the versions of the program and its libraries.
void showAbout(QWidget* parent, const Theme& theme);

}  // namespace cubist

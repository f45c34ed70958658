// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>

class QWidget;

namespace cubist {

/// The least size that the panels need, or what the screen has where that is less (high scale factors).
[[nodiscard]] QSize leastWindowSize(const QWidget& window);

/// Makes a window no larger than the free part of its screen and moves it there; full screen and maximised ones stay.
void keepOnScreen(QWidget& window);

/// Gives a dialog the size that it wants, as far as the screen has it.
void resizeOnScreen(QWidget& dialog, const QSize& wanted);

/// Puts a window a little beside another, or where that leaves the screen, into the screen's upper left corner.
void placeBeside(QWidget& window, const QWidget& other);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_place.h"

#include <QGuiApplication>
#include <QScreen>
#include <QWidget>

#include <algorithm>

namespace cubist {
namespace {

constexpr QSize kLeast(940, 500);  ///< a screen of 1920 x 1080 at 200 % has 960 x 540
constexpr int kTitleBar = 32;      ///< what the window manager adds; known only after the window was shown
constexpr int kBorders = 4;
constexpr int kStep = 32;

QRect freeArea(const QWidget& window) {
    const QScreen* screen = QGuiApplication::screenAt(window.geometry().center());
    if (!screen) screen = window.screen();
    return screen->availableGeometry();
}

/// With the frame around it; `pos` is the corner of that.
QRect outerRect(const QWidget& window) {
    const QRect frame = window.frameGeometry();
    if (frame != window.geometry()) return frame;
    // The place of a window that is still to be shown is the frame's. Of one that is shown it is what lies inside: the
    // frame that will be told comes around it.
    return window.isVisible() ? frame.adjusted(-kBorders / 2, kBorders - kTitleBar, kBorders / 2, kBorders)
                              : frame.adjusted(0, 0, kBorders, kTitleBar);
}

}  // namespace

QSize leastWindowSize(const QWidget& window) {
    return kLeast.boundedTo(window.screen()->availableGeometry().size() - QSize(kBorders, kTitleBar));
}

void keepOnScreen(QWidget& window) {
    if (window.windowState() & (Qt::WindowFullScreen | Qt::WindowMaximized)) return;
    const QRect area = freeArea(window);
    const QRect outer = outerRect(window);
    const QSize frame = outer.size() - window.size();
    if (outer.width() > area.width() || outer.height() > area.height())
        window.resize(window.size().boundedTo(area.size() - frame));
    const QSize size = window.size() + frame;
    const QPoint from = outer.topLeft();
    const QPoint to(std::clamp(from.x(), area.left(), std::max(area.left(), area.right() + 1 - size.width())),
                    std::clamp(from.y(), area.top(), std::max(area.top(), area.bottom() + 1 - size.height())));
    if (to != from) window.move(window.pos() + to - from);
}

void resizeOnScreen(QWidget& dialog, const QSize& wanted) {
    dialog.resize(wanted.boundedTo(dialog.screen()->availableGeometry().size() - QSize(kBorders, kTitleBar)));
}

void placeBeside(QWidget& window, const QWidget& other) {
    const QRect area = freeArea(other);
    const QPoint beside = other.pos() + QPoint(kStep, kStep);
    const QRect there(beside, window.size() + QSize(kBorders, kTitleBar));
    window.move(area.contains(there) ? beside : area.topLeft());
    keepOnScreen(window);
}

}  // namespace cubist

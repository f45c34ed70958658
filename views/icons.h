// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QPixmap>

#include <cstdint>

#include "views/theme.h"

namespace cubist {

/// One family of line icons, drawn on a 20 px square.
enum class Icon : std::uint8_t {
    New,
    Open,
    Save,
    SaveAs,
    Undo,
    Redo,
    Run,
    Stop,
    ZoomIn,
    ZoomOut,
    Fit,
    Light,
    Dark,
    Export,
    Problems,
    Error,
    Warning,
    Hint,
    Pass,
    Fail,
    Fix,
    Cube,
    Vector,
    Tensor,
    Loop,
    Slice,
    Store,
    Add,
    Remove,
    Close,
    Search,
    Copy,
    Folder,
    Recent,
    Chip,
    Case,
    Accuracy,
    Timing,
    Layout,
    Tidy,
    Settings,
    Refresh,
    Filter,
    Help,
    Note,
    ChevronDown,
    ChevronUp,
    ChevronLeft,
    ChevronRight,
};
inline constexpr int kIconCount = 49;

/// File of the icon among the compiled-in ones: ":/icons/save-as.svg".
[[nodiscard]] QString iconPath(Icon icon);

/// An icon that is always drawn in the theme's current colour of `token` (greyed when disabled), sharp at every scale.
/// `theme` must outlive it.
[[nodiscard]] QIcon themedIcon(const Theme& theme, Icon icon, Token token = Token::Text);
/// On filled buttons: drawn in the colour for text on fills.
[[nodiscard]] QIcon themedIconOnFill(const Theme& theme, Icon icon);

/// A picture of `size` x `size` device-independent pixels in one colour.
[[nodiscard]] QPixmap iconPixmap(Icon icon, int size, const QColor& color, double devicePixelRatio);

}  // namespace cubist

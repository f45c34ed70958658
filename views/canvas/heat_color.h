// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include <algorithm>

#include "views/canvas/canvas_content.h"
#include "views/theme.h"
#include "views/widgets/painting.h"

namespace cubist {

/// Colour of a card's head at a heat of 0..1. Cold is the ground of every card. Only errors have the colour of
/// failures: a long time is none. Texts can be read on all of them.
[[nodiscard]] inline QColor heatColor(const Theme& theme, HeatMode mode, double heat) {
    constexpr double kHottest = 0.45;
    const Token token = mode == HeatMode::Error ? Token::Error : Token::Warn;
    return blend(theme.color(Token::Surface), theme.color(token), kHottest * std::clamp(heat, 0.0, 1.0));
}

}  // namespace cubist

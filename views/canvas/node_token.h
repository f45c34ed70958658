// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/canvas/canvas_content.h"
#include "views/theme.h"

namespace cubist {

/// The colour of a kind of card, in every picture alike: C blue, V orange, movement green.
[[nodiscard]] constexpr Token tokenOf(NodeKind kind) {
    switch (kind) {
        case NodeKind::Cube: return Token::Cube;
        case NodeKind::Vector: return Token::Vector;
        case NodeKind::Slice:
        case NodeKind::Store: return Token::Move;
        case NodeKind::Input:
        case NodeKind::Output: return Token::Muted;
    }
    return Token::Muted;
}

}  // namespace cubist

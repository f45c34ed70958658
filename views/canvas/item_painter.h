// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

#include <array>

#include "views/canvas/item_geometry.h"
#include "views/theme.h"

class QPainter;

namespace cubist {

/// How an item is shown at the moment.
struct ItemState {
    bool selected = false;
    bool hovered = false;
    bool focused = false;  ///< has the keyboard
};

/// Draws the canvas from pictures that were computed before; looks nothing up and measures nothing.
class ItemPainter {
public:
    explicit ItemPainter(const Theme& theme);

    void paint(QPainter& painter, const geometry::NodePicture& picture, const ItemState& state) const;
    void paint(QPainter& painter, const geometry::FramePicture& picture, const ItemState& state) const;
    void paint(QPainter& painter, const geometry::WirePicture& picture, bool highlighted) const;

    /// Below these scales texts but titles, then all texts, are left out.
    static constexpr double kDetailScale = 0.45;
    static constexpr double kTextScale = 0.3;

private:
    [[nodiscard]] const QFont& font(FontRole role) const { return m_fonts[static_cast<std::size_t>(role)]; }
    void paintCard(QPainter& painter, const geometry::NodePicture& picture, double scale) const;
    void paintTexts(QPainter& painter, const geometry::NodePicture& picture, double scale) const;
    void paintFindings(QPainter& painter, const QRectF& badge, const QString& text, Severity worst) const;
    void paintOutline(QPainter& painter, const QRectF& rect, double radius, const ItemState& state, Token quiet) const;

    const Theme& m_theme;
    std::array<QFont, kFontRoleCount> m_fonts;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/canvas/item_geometry.h"
#include "views/canvas/paint_cache.h"
#include "views/theme.h"

class QPainter;

namespace cubist {

/// How an item is shown at the moment.
struct ItemState {
    bool selected = false;
    bool hovered = false;
    bool focused = false;  ///< has the keyboard
};

/// Draws the canvas from pictures that were computed before; looks nothing up and measures nothing. What cards have in
/// common is drawn once for each scale, and texts are shaped once.
class ItemPainter {
public:
    explicit ItemPainter(const Theme& theme) : m_theme(theme) {}
    /// The theme's colours are other ones.
    void forgetBodies() { m_bodies.clear(); }

    void paint(QPainter& painter, const geometry::NodePicture& picture, const ItemState& state) const;
    void paint(QPainter& painter, const geometry::FramePicture& picture, const ItemState& state) const;
    /// The pills on a frame's edge.
    void paintLabel(QPainter& painter, const geometry::FramePicture& picture, const ItemState& state) const;
    void paint(QPainter& painter, const geometry::WirePicture& picture, bool highlighted) const;

    /// Below these scales texts but titles, then all texts, are left out.
    static constexpr double kDetailScale = 0.45;
    static constexpr double kTextScale = 0.3;

private:
    void paintBody(QPainter& painter, const geometry::NodePicture& picture, const ItemState& state, double scale) const;
    void paintHeader(QPainter& painter, const geometry::NodePicture& picture, double scale) const;
    void paintPorts(QPainter& painter, const geometry::NodePicture& picture) const;
    void paintFigures(QPainter& painter, const geometry::NodePicture& picture, double scale) const;
    void paintTexts(QPainter& painter, const geometry::NodePicture& picture, double scale) const;
    void paintFindings(QPainter& painter, const QRectF& badge, const QString& text, Severity worst) const;
    void paintOutline(QPainter& painter, const QRectF& rect, double radius, const ItemState& state, Token quiet) const;

    const Theme& m_theme;
    mutable GlyphCache m_glyphs;
    mutable BodyCache m_bodies;
};

}  // namespace cubist

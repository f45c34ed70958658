// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QGlyphRun>
#include <QHash>
#include <QList>
#include <QPixmap>
#include <QString>

#include <array>
#include <compare>
#include <functional>
#include <map>

#include "views/canvas/item_geometry.h"
#include "views/theme.h"

class QPainter;

namespace cubist {

/// Texts as glyphs that were shaped once: shaping is most of the cost of drawing a short text.
class GlyphCache {
public:
    GlyphCache();

    /// Draws with the painter's pen; `baseline` is where the text's left end stands.
    void draw(QPainter& painter, FontRole role, const QPointF& baseline, const QString& text);
    /// The same in the middle of a rectangle.
    void drawCentred(QPainter& painter, FontRole role, const QRectF& area, const QString& text);
    [[nodiscard]] const QFont& font(FontRole role) const { return m_fonts[static_cast<std::size_t>(role)]; }

private:
    struct Shaped {
        QList<QGlyphRun> runs;
        QSizeF size;
        double ascent = 0.0;
    };
    const Shaped& shaped(FontRole role, const QString& text);

    std::array<QFont, kFontRoleCount> m_fonts;
    std::array<QHash<QString, Shaped>, kFontRoleCount> m_shaped;
};

/// Pictures of what many cards have in common, at the scale that the canvas is shown at.
class BodyCache {
public:
    /// What tells bodies apart.
    struct Key {
        int kind = 0;
        int width = 0, height = 0;
        int ports = 0;  ///< number of inputs
        unsigned open = 0;
        bool output = false;
        bool selected = false, hovered = false, focused = false;
        int heat = -1;  ///< 0..255
        bool heatOfErrors = false;
        auto operator<=>(const Key&) const = default;
    };
    static constexpr double kMostScale = 1.5;  ///< beyond it few cards are in sight, and pictures would be large
    static constexpr double kMargin = 10.0;    ///< scene units around the body: shadow, outline, ports

    /// Draws the body at the painter's origin, from the picture of the key if there is one, else after `paint` has made
    /// it. The painter is then aligned to whole pixels. False, and nothing is drawn, where a picture would not be
    /// exact: rotated, enlarged, or not on pixels at all.
    bool draw(QPainter& painter, const Key& key, const std::function<void(QPainter&)>& paint);
    void clear() { m_pictures.clear(); }

private:
    std::map<Key, QPixmap> m_pictures;
    double m_scale = 0.0;
    double m_ratio = 0.0;
};

}  // namespace cubist

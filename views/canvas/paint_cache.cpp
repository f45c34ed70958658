// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/paint_cache.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QTextLayout>

#include <cmath>

namespace cubist {
namespace {

constexpr qsizetype kMostTexts = 8192;    ///< by font
constexpr std::size_t kMostBodies = 192;  ///< of at most 140 kB each

}  // namespace

GlyphCache::GlyphCache() {
    for (std::size_t role = 0; role < m_fonts.size(); ++role) m_fonts[role] = Theme::font(static_cast<FontRole>(role));
}

const GlyphCache::Shaped& GlyphCache::shaped(FontRole role, const QString& text) {
    QHash<QString, Shaped>& known = m_shaped[static_cast<std::size_t>(role)];
    if (const auto found = known.constFind(text); found != known.constEnd()) return *found;
    if (known.size() >= kMostTexts) known.clear();
    QTextLayout layout(text, font(role));
    layout.beginLayout();
    const QTextLine line = layout.createLine();
    layout.endLayout();
    Shaped shaped;
    shaped.runs = layout.glyphRuns();
    if (line.isValid()) {
        shaped.ascent = line.ascent();
        shaped.size = QSizeF(line.naturalTextWidth(), line.height());
    }
    return *known.insert(text, std::move(shaped));
}

void GlyphCache::draw(QPainter& painter, FontRole role, const QPointF& baseline, const QString& text) {
    if (text.isEmpty()) return;
    const Shaped& known = shaped(role, text);
    for (const QGlyphRun& run : known.runs) painter.drawGlyphRun(baseline - QPointF(0.0, known.ascent), run);
}

void GlyphCache::drawCentred(QPainter& painter, FontRole role, const QRectF& area, const QString& text) {
    if (text.isEmpty()) return;
    const Shaped& known = shaped(role, text);
    const QPointF place = area.center() - QPointF(known.size.width() / 2, known.size.height() / 2);
    for (const QGlyphRun& run : known.runs) painter.drawGlyphRun(place, run);
}

bool BodyCache::draw(QPainter& painter, const Key& key, const std::function<void(QPainter&)>& paint) {
    const QTransform world = painter.worldTransform();
    const double scale = world.m11();
    if (world.type() > QTransform::TxScale || scale != world.m22() || scale <= 0.0 || scale > kMostScale) return false;
    if (painter.paintEngine()->type() != QPaintEngine::Raster) return false;
    const double ratio = painter.device()->devicePixelRatio();
    if (scale != m_scale || ratio != m_ratio || m_pictures.size() >= kMostBodies) clear();
    m_scale = scale;
    m_ratio = ratio;
    const int margin = static_cast<int>(std::ceil(kMargin * scale));
    QPixmap& picture = m_pictures[key];
    if (picture.isNull()) {
        const QSize size(static_cast<int>(std::ceil(key.width * scale)) + 2 * margin,
                         static_cast<int>(std::ceil(key.height * scale)) + 2 * margin);
        picture = QPixmap((QSizeF(size) * ratio).toSize());
        picture.setDevicePixelRatio(ratio);
        picture.fill(Qt::transparent);
        QPainter inner(&picture);
        inner.setRenderHints(painter.renderHints());
        inner.translate(margin, margin);
        inner.scale(scale, scale);
        paint(inner);
    }
    const QPointF place(std::round(world.dx() * ratio) / ratio, std::round(world.dy() * ratio) / ratio);
    painter.setWorldTransform(QTransform::fromTranslate(place.x() - margin, place.y() - margin));
    painter.drawPixmap(0, 0, picture);
    painter.setWorldTransform(QTransform(scale, 0.0, 0.0, scale, place.x(), place.y()));
    return true;
}

}  // namespace cubist

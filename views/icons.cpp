// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <optional>

namespace cubist {

namespace {

constexpr std::array<const char*, kIconCount> kFiles{
    "new",      "open",     "save",     "save-as",      "undo",       "redo",         "run",
    "stop",     "zoom-in",  "zoom-out", "fit",          "light",      "dark",         "export",
    "problems", "error",    "warning",  "hint",         "pass",       "fail",         "fix",
    "cube",     "vector",   "tensor",   "loop",         "slice",      "store",        "add",
    "remove",   "close",    "search",   "copy",         "folder",     "recent",       "chip",
    "case",     "accuracy", "timing",   "layout",       "tidy",       "settings",     "refresh",
    "filter",   "help",     "note",     "chevron-down", "chevron-up", "chevron-left", "chevron-right",
};

QByteArray tintedSource(Icon icon, const QColor& color) {
    QFile file(iconPath(icon));
    [[maybe_unused]] const bool opened = file.open(QIODevice::ReadOnly);
    assert(opened && "the icon is compiled in");
    return file.readAll().replace("currentColor", color.name().toLatin1());
}

/// Draws with the colours that the theme has at that moment, so icons need no update when it changes.
class ThemedIconEngine : public QIconEngine {
public:
    ThemedIconEngine(const Theme& theme, Icon icon, std::optional<Token> token)
        : m_theme(&theme), m_icon(icon), m_token(token) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const int side = std::min(rect.width(), rect.height());
        const double ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
        const QPixmap pixmap = scaledPixmap(QSize(side, side) * ratio, mode, state, ratio);
        const QPoint corner(rect.x() + (rect.width() - side) / 2, rect.y() + (rect.height() - side) / 2);
        painter->drawPixmap(QRect(corner, QSize(side, side)), pixmap);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
        const int side = std::min(size.width(), size.height());
        QPixmap picture = iconPixmap(m_icon, side, color(mode), 1.0);
        picture.setDevicePixelRatio(scale);
        return picture;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new ThemedIconEngine(*this); }
    QString key() const override { return QStringLiteral("cubist"); }

private:
    [[nodiscard]] QColor color(QIcon::Mode mode) const {
        if (mode == QIcon::Disabled) return m_theme->color(Token::Wait);
        return m_token ? m_theme->color(*m_token) : m_theme->onFill();
    }

    const Theme* m_theme;
    Icon m_icon;
    std::optional<Token> m_token;
};

}  // namespace

QString iconPath(Icon icon) {
    return QStringLiteral(":/icons/%1.svg").arg(QLatin1String(kFiles[static_cast<std::size_t>(icon)]));
}

QIcon themedIcon(const Theme& theme, Icon icon, Token token) {
    return QIcon(new ThemedIconEngine(theme, icon, token));
}

QIcon themedIconOnFill(const Theme& theme, Icon icon) {
    return QIcon(new ThemedIconEngine(theme, icon, std::nullopt));
}

QPixmap iconPixmap(Icon icon, int size, const QColor& color, double devicePixelRatio) {
    const int side = std::max(1, static_cast<int>(std::lround(size * devicePixelRatio)));
    const QString key = QStringLiteral("cubist-icon/%1/%2/%3").arg(static_cast<int>(icon)).arg(color.name()).arg(side);
    QPixmap pixmap;
    if (!QPixmapCache::find(key, &pixmap)) {
        pixmap = QPixmap(side, side);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        QSvgRenderer(tintedSource(icon, color)).render(&painter, QRectF(0, 0, side, side));
        painter.end();
        QPixmapCache::insert(key, pixmap);
    }
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

}  // namespace cubist

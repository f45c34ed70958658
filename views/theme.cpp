// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme.h"

#include <QApplication>
#include <QEvent>
#include <QImage>
#include <QPainter>
#include <QStyleFactory>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "views/style_sheet.h"

namespace cubist {

namespace {

struct Pair {
    Token token;
    QRgb light;
    QRgb dark;
};

constexpr std::array<Pair, kTokenCount> kColors{{
    {Token::Bg, 0xFFF4F6F9, 0xFF12161C},     {Token::Surface, 0xFFFFFFFF, 0xFF1A2029},
    {Token::Raised, 0xFFFBFCFD, 0xFF212934}, {Token::Border, 0xFFD8DEE6, 0xFF313B48},
    {Token::Grid, 0xFFE9EDF2, 0xFF232B36},   {Token::Text, 0xFF18212D, 0xFFE7ECF3},
    {Token::Muted, 0xFF5C6979, 0xFF98A5B5},  {Token::Accent, 0xFF2563EB, 0xFF6EA8FF},
    {Token::Cube, 0xFF2563EB, 0xFF6EA8FF},   {Token::CubeSoft, 0xFFE7EEFD, 0xFF1E2C44},
    {Token::Vector, 0xFFD9730D, 0xFFFFB25E}, {Token::VectorSoft, 0xFFFDF0E2, 0xFF3A2B1A},
    {Token::Move, 0xFF0E8F6E, 0xFF5ED1A3},   {Token::MoveSoft, 0xFFE2F5EF, 0xFF17342B},
    {Token::Fix, 0xFF7C4DDB, 0xFFB89CFF},    {Token::Wait, 0xFFAEB8C4, 0xFF5B6776},
    {Token::Error, 0xFFCF3B3B, 0xFFFF7D7D},  {Token::Warn, 0xFFB77900, 0xFFFFCB66},
    {Token::Ok, 0xFF14804A, 0xFF6EDB9B},     {Token::Select, 0xFF2563EB, 0xFF6EA8FF},
}};

bool isDarkPalette(const QPalette& palette) {
    return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QFont makeFont(int pixels, bool bold, bool mono) {
    // The CJK family comes last: only glyphs that the first has not are taken from it.
    const QStringList families =
        mono ? QStringList{QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans Mono CJK SC"),
                           QStringLiteral("Noto Sans CJK SC"), QStringLiteral("monospace")}
             : QStringList{QStringLiteral("DejaVu Sans"), QStringLiteral("Noto Sans CJK SC"),
                           QStringLiteral("sans-serif")};
    QFont font(families);
    font.setPixelSize(pixels);
    font.setStyleHint(mono ? QFont::Monospace : QFont::SansSerif);
    if (bold) font.setWeight(QFont::Bold);
    return font;
}

}  // namespace

double contrastRatio(const QColor& a, const QColor& b) {
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

Theme::Theme(QObject* parent) : QObject(parent) {
    refresh();
}

QColor Theme::color(Token token, bool dark) {
    const Pair& pair = kColors[static_cast<std::size_t>(token)];
    return QColor::fromRgb(dark ? pair.dark : pair.light);
}

QColor Theme::onFill(bool dark) {
    return QColor::fromRgb(dark ? 0xFF0B1220 : 0xFFFFFFFF);
}

QBrush Theme::hatch() const {
    constexpr int kPeriod = 6;
    constexpr int kScale = 4;  // drawn larger and scaled down: smooth stripes at every zoom
    QImage tile(kPeriod * kScale, kPeriod * kScale, QImage::Format_ARGB32_Premultiplied);
    tile.fill(Qt::transparent);
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(Token::Wait), 1.5 * kScale));
    const int side = kPeriod * kScale;
    for (int shift = -side; shift <= side; shift += side) painter.drawLine(shift, side, shift + side, 0);
    painter.end();
    QBrush brush(tile);
    brush.setTransform(QTransform::fromScale(1.0 / kScale, 1.0 / kScale));
    return brush;
}

QFont Theme::font(FontRole role) {
    switch (role) {
        case FontRole::Ui: return makeFont(12, false, false);
        case FontRole::UiSmall: return makeFont(11, false, false);
        case FontRole::UiStrong: return makeFont(12, true, false);
        case FontRole::Title: return makeFont(15, true, false);
        case FontRole::Section: return makeFont(10, true, false);
        case FontRole::Badge: return makeFont(8, true, false);
        case FontRole::Mono: return makeFont(11, false, true);
        case FontRole::MonoSmall: return makeFont(10, false, true);
        case FontRole::MonoStrong: return makeFont(11, true, true);
    }
    return makeFont(12, false, false);
}

QPalette Theme::palette() const {
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, Token token) { palette.setColor(role, color(token)); };
    set(QPalette::Window, Token::Bg);
    set(QPalette::WindowText, Token::Text);
    set(QPalette::Base, Token::Surface);
    set(QPalette::AlternateBase, Token::Raised);
    set(QPalette::Text, Token::Text);
    set(QPalette::PlaceholderText, Token::Muted);
    set(QPalette::Button, Token::Raised);
    set(QPalette::ButtonText, Token::Text);
    set(QPalette::BrightText, Token::Error);
    set(QPalette::ToolTipBase, Token::Surface);
    set(QPalette::ToolTipText, Token::Text);
    set(QPalette::Highlight, Token::CubeSoft);
    set(QPalette::HighlightedText, Token::Text);
    set(QPalette::Link, Token::Accent);
    set(QPalette::LinkVisited, Token::Fix);
    set(QPalette::Light, Token::Surface);
    set(QPalette::Midlight, Token::Grid);
    set(QPalette::Mid, Token::Border);
    set(QPalette::Dark, Token::Border);
    palette.setColor(QPalette::Shadow, color(Token::Text, false));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, color(Token::Wait));
    return palette;
}

QString Theme::styleSheet() const {
    return styleSheetText(m_dark);
}

void Theme::setMode(ThemeMode mode) {
    if (mode == m_mode) return;
    m_mode = mode;
    refresh();
}

void Theme::install(QApplication& application) {
    m_application = &application;
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.installEventFilter(this);
    refresh();
    applyToApplication();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && m_mode == ThemeMode::System) refresh();
    return QObject::eventFilter(watched, event);
}

void Theme::refresh() {
    bool dark = m_mode == ThemeMode::Dark;
    if (m_mode == ThemeMode::System && m_application) {
        // Ours hides the desktop's palette: take it away to see what lies beneath.
        const QPalette ours = QApplication::palette();
        QApplication::setPalette(QPalette());
        dark = isDarkPalette(QApplication::palette());
        QApplication::setPalette(ours);
    } else if (m_mode == ThemeMode::System) {
        dark = isDarkPalette(QGuiApplication::palette());
    }
    if (dark == m_dark) return;
    m_dark = dark;
    applyToApplication();
    emit changed();
}

void Theme::applyToApplication() {
    if (!m_application) return;
    QApplication::setPalette(palette());
    QApplication::setFont(font(FontRole::Ui));
    m_application->setStyleSheet(styleSheet());
}

}  // namespace cubist

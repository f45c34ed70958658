// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme.h"

#include <QApplication>
#include <QEvent>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "views/app_style.h"
#include "views/style_sheet.h"

namespace cubist {

namespace {

struct Shades {
    Token token;
    QRgb light;
    QRgb dark;
    QRgb contrast;
};

constexpr std::array<Shades, kTokenCount> kColors{{
    {Token::Bg, 0xFFF4F6F9, 0xFF12161C, 0xFF000000},     {Token::Surface, 0xFFFFFFFF, 0xFF1A2029, 0xFF000000},
    {Token::Raised, 0xFFFBFCFD, 0xFF212934, 0xFF101010}, {Token::Border, 0xFFD8DEE6, 0xFF313B48, 0xFFE0E0E0},
    {Token::Grid, 0xFFE9EDF2, 0xFF232B36, 0xFF3A3A3A},   {Token::Text, 0xFF18212D, 0xFFE7ECF3, 0xFFFFFFFF},
    {Token::Muted, 0xFF5C6979, 0xFF98A5B5, 0xFFE6E6E6},  {Token::Accent, 0xFF2563EB, 0xFF6EA8FF, 0xFF58D1FF},
    {Token::Cube, 0xFF2563EB, 0xFF6EA8FF, 0xFF58B4FF},   {Token::CubeSoft, 0xFFE7EEFD, 0xFF1E2C44, 0xFF002B4D},
    {Token::Vector, 0xFFD9730D, 0xFFFFB25E, 0xFFFFB000}, {Token::VectorSoft, 0xFFFDF0E2, 0xFF3A2B1A, 0xFF3D2A00},
    {Token::Move, 0xFF0E8F6E, 0xFF5ED1A3, 0xFF00D68F},   {Token::MoveSoft, 0xFFE2F5EF, 0xFF17342B, 0xFF003322},
    {Token::Fix, 0xFF7C4DDB, 0xFFB89CFF, 0xFFD9B3FF},    {Token::Wait, 0xFFAEB8C4, 0xFF5B6776, 0xFFB0B0B0},
    {Token::Error, 0xFFCF3B3B, 0xFFFF7D7D, 0xFFFF8A8A},  {Token::Warn, 0xFFB77900, 0xFFFFCB66, 0xFFFFE14D},
    {Token::Ok, 0xFF14804A, 0xFF6EDB9B, 0xFF7CFF9E},     {Token::Select, 0xFF2563EB, 0xFF6EA8FF, 0xFFFFFF00},
    {Token::Mte1, 0xFF59BFA0, 0xFFBDF3DD, 0xFFA6FFD9},   {Token::Mte3, 0xFF0A5B46, 0xFF2E9A74, 0xFF009966},
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

QColor Theme::color(Token token, ColorScheme scheme) {
    const Shades& shades = kColors[static_cast<std::size_t>(token)];
    switch (scheme) {
        case ColorScheme::Light: return QColor::fromRgb(shades.light);
        case ColorScheme::Dark: return QColor::fromRgb(shades.dark);
        case ColorScheme::HighContrast: return QColor::fromRgb(shades.contrast);
    }
    return {};
}

QColor Theme::onFill(bool dark) {
    return QColor::fromRgb(dark ? 0xFF0B1220 : 0xFFFFFFFF);
}

namespace {

constexpr int kPeriod = 6;
constexpr int kScale = 4;  // drawn larger and scaled down: smooth stripes at every zoom

template <class Draw>
QBrush pattern(const QColor& ground, const QColor& ink, double width, Draw&& draw) {
    QImage tile(kPeriod * kScale, kPeriod * kScale, QImage::Format_ARGB32_Premultiplied);
    tile.fill(ground);
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, width * kScale));
    draw(painter, kPeriod * kScale);
    painter.end();
    QBrush brush(tile);
    brush.setTransform(QTransform::fromScale(1.0 / kScale, 1.0 / kScale));
    return brush;
}

}  // namespace

QBrush Theme::hatch() const {
    return pattern(Qt::transparent, color(Token::Wait), 1.5, [](QPainter& painter, int side) {
        for (int shift = -side; shift <= side; shift += side) painter.drawLine(shift, side, shift + side, 0);
    });
}

QBrush Theme::fill(Token token, bool pale) const {
    const auto faded = [&](const QColor& strong) {
        if (!pale) return strong;
        const QColor ground = color(Token::Surface);
        constexpr float kPart = 0.35F;
        const auto mix = [](float from, float to) { return from + (to - from) * kPart; };
        return QColor::fromRgbF(mix(ground.redF(), strong.redF()), mix(ground.greenF(), strong.greenF()),
                                mix(ground.blueF(), strong.blueF()));
    };
    const QColor plain = faded(color(token));
    if (token == Token::Mte1)  // falling stripes: waiting has rising ones
        return pattern(plain, faded(color(Token::Move)), 1.2, [](QPainter& painter, int side) {
            for (int shift = -side; shift <= side; shift += side) painter.drawLine(shift, 0, shift + side, side);
        });
    if (token == Token::Mte3)
        return pattern(plain, faded(color(Token::Move)), 1.2,
                       [](QPainter& painter, int side) { painter.drawLine(0, side / 2, side, side / 2); });
    return plain;
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
    palette.setColor(QPalette::Shadow, color(Token::Text, ColorScheme::Light));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, color(Token::Wait));
    return palette;
}

QString Theme::styleSheet() const {
    return styleSheetText(m_scheme);
}

void Theme::setMode(ThemeMode mode) {
    if (mode == m_mode) return;
    m_mode = mode;
    refresh();
    emit modeChanged(mode);
}

void Theme::install(QApplication& application) {
    m_application = &application;
    application.setStyle(new AppStyle(*this));
    application.installEventFilter(this);
    refresh();
    applyToApplication();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && m_mode == ThemeMode::System) refresh();
    return QObject::eventFilter(watched, event);
}

void Theme::refresh() {
    ColorScheme scheme = m_mode == ThemeMode::HighContrast ? ColorScheme::HighContrast
                         : m_mode == ThemeMode::Dark       ? ColorScheme::Dark
                                                           : ColorScheme::Light;
    const auto ofDesktop = [] {
        return isDarkPalette(QGuiApplication::palette()) ? ColorScheme::Dark : ColorScheme::Light;
    };
    if (m_mode == ThemeMode::System && m_application) {
        // Ours hides the desktop's palette: take it away to see what lies beneath.
        const QPalette ours = QApplication::palette();
        QApplication::setPalette(QPalette());
        scheme = ofDesktop();
        QApplication::setPalette(ours);
    } else if (m_mode == ThemeMode::System) {
        scheme = ofDesktop();
    }
    if (scheme == m_scheme) return;
    m_scheme = scheme;
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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <QString>

#include <cstdint>

class QApplication;

namespace cubist {

enum class ThemeMode : std::uint8_t { System, Light, Dark, HighContrast };

/// What is drawn with. HighContrast: white on black, every text at least 7:1.
enum class ColorScheme : std::uint8_t { Light, Dark, HighContrast };

/// Every colour of the window. Cube work is blue, vector work orange, data movement green, FIXPIPE violet.
enum class Token : std::uint8_t {
    Bg,       ///< behind panels; the canvas
    Surface,  ///< panels, cards
    Raised,   ///< controls on a surface
    Border,
    Grid,  ///< dots, empty bars, quiet fills
    Text,
    Muted,
    Accent,
    Cube,
    CubeSoft,
    Vector,
    VectorSoft,
    Move,  ///< data movement; as a pipe: MTE2
    MoveSoft,
    Fix,
    Wait,  ///< waiting; always hatched
    Error,
    Warn,
    Ok,
    Select,
    Mte1,  ///< L1 to L0: a lighter green, with stripes
    Mte3,  ///< UB to GM: a darker green, with lines
};
inline constexpr int kTokenCount = 22;

enum class FontRole : std::uint8_t {
    Ui,          ///< 12 px
    UiSmall,     ///< 11 px
    UiStrong,    ///< 12 px bold
    Title,       ///< 15 px bold: the head of a panel
    Section,     ///< 10 px bold: a group's caption in capitals
    Badge,       ///< 8 px bold
    Mono,        ///< 11 px
    MonoSmall,   ///< 10 px
    MonoStrong,  ///< 11 px bold
};
inline constexpr int kFontRoleCount = 9;

/// Colours, fonts and the style sheet of the window; one object per application, handed to whoever draws.
class Theme : public QObject {
    Q_OBJECT

public:
    static constexpr int kUnit = 4;         ///< px; every distance is a multiple
    static constexpr int kRadiusSmall = 6;  ///< px; controls
    static constexpr int kRadius = 10;      ///< px; cards

    explicit Theme(QObject* parent = nullptr);

    [[nodiscard]] ThemeMode mode() const { return m_mode; }
    [[nodiscard]] ColorScheme scheme() const { return m_scheme; }
    /// Light text on a dark ground.
    [[nodiscard]] bool isDark() const { return m_scheme != ColorScheme::Light; }
    /// `System` follows the lightness of the desktop's palette.
    void setMode(ThemeMode mode);

    [[nodiscard]] QColor color(Token token) const { return color(token, m_scheme); }
    [[nodiscard]] static QColor color(Token token, ColorScheme scheme);
    [[nodiscard]] static QColor color(Token token, bool dark) {
        return color(token, dark ? ColorScheme::Dark : ColorScheme::Light);
    }
    /// Text or lines on a fill of a strong colour (Accent, Cube, Vector, Error ...).
    [[nodiscard]] QColor onFill() const { return onFill(isDark()); }
    [[nodiscard]] static QColor onFill(bool dark);

    /// Things appear where they belong at once instead of gliding there.
    [[nodiscard]] bool reducedMotion() const { return m_reducedMotion; }
    void setReducedMotion(bool reduced) { m_reducedMotion = reduced; }
    /// Stripes for waiting, drawn over a background of the caller's.
    [[nodiscard]] QBrush hatch() const;
    /// Fill of data movement: MTE1, Move (plain) and Mte3 differ in shade and in texture; other tokens are plain.
    /// Paler for what is not selected.
    [[nodiscard]] QBrush fill(Token token, bool pale = false) const;

    [[nodiscard]] static QFont font(FontRole role);
    [[nodiscard]] QPalette palette() const;
    [[nodiscard]] QString styleSheet() const;

    /// Gives the application style, palette, font and style sheet, now and whenever the theme changes.
    void install(QApplication& application);

signals:
    void changed();
    /// The mode was set, whether or not the colours changed.
    void modeChanged(cubist::ThemeMode mode);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void applyToApplication();

    QApplication* m_application = nullptr;
    ThemeMode m_mode = ThemeMode::System;
    ColorScheme m_scheme = ColorScheme::Light;
    bool m_reducedMotion = false;
};

/// Contrast of two colours, 1..21. Source: WCAG 2.1, relative luminance.
[[nodiscard]] double contrastRatio(const QColor& a, const QColor& b);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QProxyStyle>

namespace cubist {

class Theme;

/// Fusion with the icons of our family where Qt's own dialogs (messages, files) would show stock pictures, and
/// without movement where the theme says so.
class AppStyle : public QProxyStyle {
    Q_OBJECT

public:
    explicit AppStyle(const Theme& theme);

    [[nodiscard]] QIcon standardIcon(StandardPixmap which, const QStyleOption* option,
                                     const QWidget* widget) const override;
    [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                                QStyleHintReturn* data) const override;

private:
    QPointer<const Theme> m_theme;
};

}  // namespace cubist

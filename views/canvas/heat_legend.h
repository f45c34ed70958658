// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "views/canvas/canvas_content.h"

namespace cubist {

class Theme;

/// What the colour of the cards means, at the edge of the canvas: what is measured, and the ends of the scale.
class HeatLegend : public QWidget {
    Q_OBJECT

public:
    HeatLegend(const Theme& theme, QWidget* parent);

    /// Shows a scale, or the reason why there is none where it has no ends.
    void showScale(HeatMode mode, const HeatScale& scale);
    /// "Share of the kernel's time: 0 to 7.88 us"; empty while cards are coloured by kind.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    HeatMode m_mode = HeatMode::Off;
    HeatScale m_scale;
};

}  // namespace cubist

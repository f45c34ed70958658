// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>
#include <QPixmap>
#include <QSize>

#include "core/design/design.h"
#include "core/exchange/chip_json.h"

namespace cubist {

class CanvasScene;
class Theme;

/// A design as the canvas draws it, fitted into a small picture. `ratio`: device pixels.
[[nodiscard]] QPixmap pictureOf(const Design& design, const ChipLibrary& chips, const Theme& theme, QSize size,
                                double ratio);

/// Shows a whole scene in the space there is; for looking only.
class FittedView : public QGraphicsView {
    Q_OBJECT

public:
    FittedView(CanvasScene& scene, const Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override { return {420, 260}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 120}; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void fit();
    void useTheme();

    CanvasScene& m_scene;
    const Theme& m_theme;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QToolButton;

namespace cubist {

class Theme;

/// The canvas's small control: zoom out, the zoom itself (a click resets it), zoom in, fit.
class ZoomBar : public QWidget {
    Q_OBJECT

public:
    explicit ZoomBar(const Theme& theme, QWidget* parent = nullptr);

    void setZoom(double zoom);

signals:
    void zoomInRequested();
    void zoomOutRequested();
    void resetRequested();
    void fitRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QToolButton* m_percent;
};

}  // namespace cubist

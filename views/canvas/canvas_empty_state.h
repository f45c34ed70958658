// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace cubist {

class Theme;

/// What the canvas shows when no design is open: what to do, with buttons that do it.
class CanvasEmptyState : public QWidget {
    Q_OBJECT

public:
    explicit CanvasEmptyState(const Theme& theme, QWidget* parent = nullptr);

signals:
    void openSampleRequested();
    void openFileRequested();
    void newDesignRequested();
    void emptyDesignRequested();
};

/// What lies over the canvas of a design that holds nothing yet: how to begin. The pointer goes through it.
class CanvasStartHint : public QWidget {
    Q_OBJECT

public:
    explicit CanvasStartHint(const Theme& theme, QWidget* parent = nullptr);
};

}  // namespace cubist

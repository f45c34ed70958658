// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

#include "views/models/rows_model.h"
#include "views/theme.h"

class QCustomPlot;
class QMenu;
class QPaintDevice;

namespace cubist {

/// The numbers behind a picture.
struct TableData {
    QString title;
    QStringList headers;
    std::vector<std::vector<Cell>> rows;
};

/// What all plots have: a picture that can be saved and copied, and a table twin with the same numbers.
class PlotWidget : public QWidget {
    Q_OBJECT

public:
    explicit PlotWidget(const Theme& theme, QWidget* parent = nullptr);

    /// Draws the plot as it is shown, in the widget's size, on a picture or a file.
    virtual void paintOn(QPaintDevice& device) = 0;
    [[nodiscard]] virtual TableData table() const = 0;
    /// Name proposed for files, without extension.
    [[nodiscard]] virtual QString fileName() const = 0;

    [[nodiscard]] QImage image(double scale = 2.0);
    bool savePng(const QString& path);
    bool saveSvg(const QString& path);
    /// Opens the table twin in a window of its own.
    void showTable();

protected:
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    /// Entries at the top of the context menu.
    virtual void addMenuEntries(QMenu& menu);
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void saveAs(const QString& title, const QString& extension, bool (PlotWidget::*save)(const QString&));

    const Theme& m_theme;
};

/// Colours and fonts of a QCustomPlot's background and axes.
void applyPlotStyle(QCustomPlot& plot, const Theme& theme);
void paintPlotOn(QCustomPlot& plot, QPaintDevice& device);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/plot_widget.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QSvgGenerator>
#include <QVBoxLayout>

#include "views/widgets/rows_table.h"

namespace cubist {

PlotWidget::PlotWidget(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {}

QImage PlotWidget::image(double scale) {
    QImage image(size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(m_theme.color(Token::Surface));
    paintOn(image);
    return image;
}

bool PlotWidget::savePng(const QString& path) {
    return image().save(path, "PNG");
}

bool PlotWidget::saveSvg(const QString& path) {
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setTitle(fileName());
    generator.setSize(size());
    generator.setViewBox(rect());
    paintOn(generator);
    return QFileInfo(path).size() > 0;
}

void PlotWidget::saveAs(const QString& title, const QString& extension, bool (PlotWidget::*save)(const QString&)) {
    const QString path = QFileDialog::getSaveFileName(this, title, fileName() + QLatin1Char('.') + extension,
                                                      tr("%1 files (*.%2)").arg(extension.toUpper(), extension));
    if (!path.isEmpty() && !(this->*save)(path))
        QMessageBox::warning(this, title, tr("%1 could not be written.").arg(path));
}

void PlotWidget::showTable() {
    TableData contents = table();
    auto* dialog = new QDialog(window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->resize(720, 480);
    dialog->setWindowTitle(tr("%1 - Cubist").arg(contents.title));
    auto* model = new RowsModel(m_theme, contents.headers, dialog);
    model->setRows(std::move(contents.rows));
    auto* view = new RowsTable(dialog);
    view->setRowsModel(model);
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(view);
    // Another language takes the plot along: what it showed is to be asked anew.
    connect(this, &QObject::destroyed, dialog, &QWidget::close);
    dialog->show();
}

void PlotWidget::addMenuEntries(QMenu&) {}

void PlotWidget::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    addMenuEntries(menu);
    if (!menu.isEmpty()) menu.addSeparator();
    menu.addAction(tr("Show data as a table"), this, &PlotWidget::showTable);
    menu.addSeparator();
    menu.addAction(tr("Copy picture"), this, [this] { QApplication::clipboard()->setImage(image()); });
    menu.addAction(tr("Save as PNG..."), this,
                   [this] { saveAs(tr("Save plot"), QStringLiteral("png"), &PlotWidget::savePng); });
    menu.addAction(tr("Save as SVG..."), this,
                   [this] { saveAs(tr("Save plot"), QStringLiteral("svg"), &PlotWidget::saveSvg); });
    menu.exec(event->globalPos());
}

void paintPlotOn(QCustomPlot& plot, QPaintDevice& device) {
    QCPPainter painter(&device);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, plot.width(), plot.height());
}

void applyPlotStyle(QCustomPlot& plot, const Theme& theme) {
    plot.setBackground(QBrush(theme.color(Token::Surface)));
    const QPen line(theme.color(Token::Border), 1.0);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setBasePen(line);
        axis->setTickPen(line);
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelFont(Theme::font(FontRole::MonoSmall));
        axis->setLabelFont(Theme::font(FontRole::UiSmall));
        axis->setTickLabelColor(theme.color(Token::Muted));
        axis->setLabelColor(theme.color(Token::Muted));
        axis->grid()->setPen(QPen(theme.color(Token::Grid), 1.0));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/rows_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMessageBox>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QToolTip>

#include <algorithm>

#include "views/models/rows_model.h"

namespace cubist {
namespace {

constexpr int kRowHeight = 24;

QString quoted(const QString& text, QChar separator) {
    if (separator != QLatin1Char(',')) return QString(text).replace(separator, QLatin1Char(' '));
    if (!text.contains(QLatin1Char('"')) && !text.contains(separator) && !text.contains(QLatin1Char('\n'))) return text;
    return QLatin1Char('"') + QString(text).replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
}

}  // namespace

QString tableText(const QAbstractItemModel& model, QChar separator) {
    QStringList lines;
    QStringList fields;
    for (int column = 0; column < model.columnCount(); ++column)
        fields << quoted(model.headerData(column, Qt::Horizontal).toString(), separator);
    lines << fields.join(separator);
    for (int row = 0; row < model.rowCount(); ++row) {
        fields.clear();
        for (int column = 0; column < model.columnCount(); ++column)
            fields << quoted(model.index(row, column).data().toString(), separator);
        lines << fields.join(separator);
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void saveTextAs(QWidget* parent, const QString& title, const QString& suggestedName, const QString& filter,
                const QString& text) {
    const QString path = QFileDialog::getSaveFileName(parent, title, suggestedName, filter);
    if (path.isEmpty()) return;
    QSaveFile file(path);
    const QByteArray bytes = text.toUtf8();
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return;
    QMessageBox::warning(parent, title, RowsTable::tr("%1 could not be written: %2").arg(path, file.errorString()));
}

RowsTable::RowsTable(QWidget* parent) : QTableView(parent) {
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setWordWrap(false);
    setFrameShape(NoFrame);
    setHorizontalScrollMode(ScrollPerPixel);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(kRowHeight);
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    connect(this, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit rowActivated(sourceRow(index)); });
}

void RowsTable::setRowsModel(RowsModel* model) {
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSortRole(RowsModel::SortRole);
    m_proxy->setSourceModel(model);
    setModel(m_proxy);
    setSortingEnabled(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_proxy->sort(-1);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

void RowsTable::setStretchColumn(int column) {
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
}

void RowsTable::setYieldingColumn(int column, int least) {
    m_yielding = column;
    m_leastWidth = least;
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Fixed);
    fitYielding();
}

void RowsTable::updateGeometries() {
    QTableView::updateGeometries();
    fitYielding();
}

void RowsTable::fitYielding() {
    if (m_yielding < 0) return;
    QHeaderView& header = *horizontalHeader();
    const int others = header.length() - header.sectionSize(m_yielding);
    const int wanted = std::max(m_leastWidth, viewport()->width() - others);
    if (wanted != header.sectionSize(m_yielding)) header.resizeSection(m_yielding, wanted);
}

int RowsTable::sourceRow(const QModelIndex& index) const {
    return m_proxy ? m_proxy->mapToSource(index).row() : index.row();
}

int RowsTable::heightForRows(int rows) const {
    return horizontalHeader()->sizeHint().height() + rows * kRowHeight + 2 * frameWidth();
}

void RowsTable::copySelection() const {
    if (!selectionModel()) return;
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
    QStringList lines;
    for (const QModelIndex& row : rows) {
        QStringList fields;
        for (int column = 0; column < model()->columnCount(); ++column)
            if (!isColumnHidden(column))
                fields << quoted(row.siblingAtColumn(column).data().toString(), QLatin1Char('\t'));
        lines << fields.join(QLatin1Char('\t'));
    }
    if (!lines.isEmpty()) QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void RowsTable::saveCsv() {
    if (model())
        saveTextAs(this, tr("Save table"), QStringLiteral("table.csv"), tr("CSV files (*.csv)"),
                   tableText(*model(), QLatin1Char(',')));
}

bool RowsTable::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        // A text that is cut is told whole, before what there is to say about it.
        const auto* help = static_cast<QHelpEvent*>(event);
        const QModelIndex index = indexAt(help->pos());
        const QString text = index.data().toString();
        if (index.isValid() && sizeHintForIndex(index).width() > visualRect(index).width()) {
            const QString more = index.data(Qt::ToolTipRole).toString();
            QToolTip::showText(help->globalPos(),
                               more.isEmpty() || more == text ? text : text + QLatin1Char('\n') + more, this,
                               visualRect(index));
            return true;
        }
    }
    return QTableView::viewportEvent(event);
}

void RowsTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

void RowsTable::contextMenuEvent(QContextMenuEvent* event) {
    if (!model()) return;
    QMenu menu(this);
    menu.addAction(tr("Copy selected rows"), QKeySequence::Copy, this, &RowsTable::copySelection)
        ->setEnabled(selectionModel()->hasSelection());
    menu.addAction(tr("Copy table"), this,
                   [this] { QApplication::clipboard()->setText(tableText(*model(), QLatin1Char('\t'))); });
    menu.addAction(tr("Save table as CSV..."), this, &RowsTable::saveCsv);
    menu.exec(event->globalPos());
}

}  // namespace cubist

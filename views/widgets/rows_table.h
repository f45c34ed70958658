// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTableView>

class QSortFilterProxyModel;

namespace cubist {

class RowsModel;

/// A table with the manners of the window: sortable, rows selected as a whole, Ctrl+C copies tab-separated text, the
/// context menu copies or saves everything as CSV.
class RowsTable : public QTableView {
    Q_OBJECT

public:
    explicit RowsTable(QWidget* parent = nullptr);

    /// Shows `model` sorted by its sort role once a header is clicked; until then in the model's order.
    void setRowsModel(RowsModel* model);
    /// Takes the width that other columns leave.
    void setStretchColumn(int column);
    /// As setStretchColumn, but this column keeps a least width: then the table scrolls.
    void setYieldingColumn(int column, int least);
    /// Row of the RowsModel behind a row of the view.
    [[nodiscard]] int sourceRow(const QModelIndex& index) const;
    /// Height that shows `rows` rows with the header and no scroll bar.
    [[nodiscard]] int heightForRows(int rows) const;

    void copySelection() const;
    void saveCsv();

signals:
    void rowActivated(int sourceRow);

protected:
    void updateGeometries() override;
    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void fitYielding();

    QSortFilterProxyModel* m_proxy = nullptr;
    int m_yielding = -1;
    int m_leastWidth = 0;
};

/// Header and rows of a model as text: fields separated by `separator`, quoted as RFC 4180 asks when it is a comma.
[[nodiscard]] QString tableText(const QAbstractItemModel& model, QChar separator);

/// Saves text to a file that the user chooses; says so in a message box when it fails.
void saveTextAs(QWidget* parent, const QString& title, const QString& suggestedName, const QString& filter,
                const QString& text);

}  // namespace cubist

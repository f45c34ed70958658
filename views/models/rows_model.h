// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

#include "views/theme.h"

namespace cubist {

/// One cell of a table: what it shows and how.
struct Cell {
    QString text;
    bool number = false;  ///< right-aligned, in the fixed-width font
    Token color = Token::Text;
    bool strong = false;
    QVariant sortKey = {};  ///< replaces the text in sorting; numbers shown with units need one
    QString toolTip = {};
    bool mono = false;  ///< the fixed-width font for text
};

/// A table that is shown as a whole: metrics, worst elements, stage times, the data of a plot.
class RowsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role { SortRole = Qt::UserRole };

    RowsModel(const Theme& theme, QStringList headers, QObject* parent = nullptr);

    /// Rows must have as many cells as there are headers.
    void setRows(std::vector<std::vector<Cell>> rows);
    [[nodiscard]] const std::vector<std::vector<Cell>>& rows() const { return m_rows; }
    [[nodiscard]] const QStringList& headers() const { return m_headers; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Theme& m_theme;
    QStringList m_headers;
    std::vector<std::vector<Cell>> m_rows;
};

}  // namespace cubist

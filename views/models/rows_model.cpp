// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/rows_model.h"

#include <cassert>
#include <utility>

namespace cubist {

RowsModel::RowsModel(const Theme& theme, QStringList headers, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_headers(std::move(headers)) {
    connect(&m_theme, &Theme::changed, this, [this] {
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::ForegroundRole});
    });
}

void RowsModel::setRows(std::vector<std::vector<Cell>> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    for ([[maybe_unused]] const std::vector<Cell>& row : m_rows)
        assert(static_cast<qsizetype>(row.size()) == m_headers.size() && "a row has one cell for each header");
    endResetModel();
}

int RowsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RowsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_headers.size());
}

QVariant RowsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Cell& cell = m_rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole: return cell.text;
        case Qt::ToolTipRole: return cell.toolTip.isEmpty() ? QVariant() : cell.toolTip;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (cell.number ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ForegroundRole: return m_theme.color(cell.color);
        case Qt::FontRole:
            if (cell.number || cell.mono) return Theme::font(cell.strong ? FontRole::MonoStrong : FontRole::Mono);
            return Theme::font(cell.strong ? FontRole::UiStrong : FontRole::Ui);
        case SortRole: return cell.sortKey.isValid() ? cell.sortKey : QVariant(cell.text);
        default: return {};
    }
}

QVariant RowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole) return m_headers.value(section);
    if (role == Qt::TextAlignmentRole) {
        const bool number = !m_rows.empty() && m_rows.front()[static_cast<std::size_t>(section)].number;
        return QVariant::fromValue(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }
    return {};
}

}  // namespace cubist

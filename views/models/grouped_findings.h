// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSet>
#include <QString>

#include <vector>

#include "views/models/findings_model.h"

namespace cubist {

enum class FindingGroups : std::uint8_t { None, Severity, Rule, Element };

/// The rows of a FindingsProxy, in groups: a row with the group's name and size stands before its findings, and can be
/// closed. Without grouping the rows are those of the proxy.
class GroupedFindings : public QAbstractTableModel {
    Q_OBJECT

public:
    GroupedFindings(const FindingsModel& model, FindingsProxy& proxy, const Theme& theme, QObject* parent = nullptr);

    void setGroups(FindingGroups groups);
    [[nodiscard]] FindingGroups groups() const { return m_groups; }
    /// Row in the FindingsModel; -1 for the head of a group.
    [[nodiscard]] int findingRow(const QModelIndex& index) const;
    /// Row of a finding here; -1 when it is filtered out or its group is closed.
    [[nodiscard]] int rowOf(int findingRow) const;
    [[nodiscard]] bool isHead(int row) const { return m_rows[static_cast<std::size_t>(row)].finding < 0; }
    /// Opens or closes the group of a head.
    void toggle(int row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    struct Row {
        int finding = -1;  ///< row in the FindingsModel; -1: head
        QString group;
        int count = 0;
    };
    void rebuild();
    [[nodiscard]] QString groupOf(int findingRow) const;

    const FindingsModel& m_model;
    FindingsProxy& m_proxy;
    const Theme& m_theme;
    FindingGroups m_groups = FindingGroups::None;
    QSet<QString> m_closed;
    std::vector<Row> m_rows;
};

}  // namespace cubist

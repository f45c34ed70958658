// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/grouped_findings.h"

#include <algorithm>
#include <utility>

#include "core/rules/registry.h"
#include "views/language.h"

namespace cubist {

GroupedFindings::GroupedFindings(const FindingsModel& model, FindingsProxy& proxy, const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent), m_model(model), m_proxy(proxy), m_theme(theme) {
    connect(&proxy, &QAbstractItemModel::modelReset, this, &GroupedFindings::rebuild);
    connect(&proxy, &QAbstractItemModel::rowsInserted, this, &GroupedFindings::rebuild);
    connect(&proxy, &QAbstractItemModel::rowsRemoved, this, &GroupedFindings::rebuild);
    connect(&proxy, &QAbstractItemModel::layoutChanged, this, &GroupedFindings::rebuild);
    connect(&proxy, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
                if (!m_rows.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), roles);
            });
    rebuild();
}

void GroupedFindings::setGroups(FindingGroups groups) {
    if (groups == m_groups) return;
    m_groups = groups;
    m_closed.clear();
    rebuild();
}

QString GroupedFindings::groupOf(int findingRow) const {
    const Finding& finding = m_model.finding(findingRow);
    switch (m_groups) {
        case FindingGroups::None: return {};
        case FindingGroups::Severity: return severityText(finding.severity);
        case FindingGroups::Rule: {
            const Rule* rule = findRule(finding.ruleId);
            const QString id = QString::fromStdString(finding.ruleId);
            return rule ? id + QStringLiteral("  ") + inLanguage(rule->title, rule->titleZh) : id;
        }
        case FindingGroups::Element: {
            const Element& element = m_model.element(findingRow);
            return element.isNone() ? FindingsModel::tr("design") : QString::fromStdString(element.id);
        }
    }
    return {};
}

void GroupedFindings::rebuild() {
    std::vector<Row> rows;
    std::vector<std::pair<QString, std::vector<int>>> groups;
    for (int i = 0; i < m_proxy.rowCount(); ++i) {
        const int finding = m_proxy.mapToSource(m_proxy.index(i, 0)).row();
        const QString name = groupOf(finding);
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& entry) { return entry.first == name; });
        if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
        group->second.push_back(finding);
    }
    for (const auto& [name, findings] : groups) {
        if (m_groups != FindingGroups::None) rows.push_back({-1, name, static_cast<int>(findings.size())});
        if (m_closed.contains(name)) continue;
        for (const int finding : findings) rows.push_back({finding, name, 0});
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int GroupedFindings::findingRow(const QModelIndex& index) const {
    return index.isValid() && index.row() < rowCount() ? m_rows[static_cast<std::size_t>(index.row())].finding : -1;
}

int GroupedFindings::rowOf(int findingRow) const {
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& row) { return row.finding == findingRow; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void GroupedFindings::toggle(int row) {
    if (row < 0 || row >= rowCount() || !isHead(row)) return;
    const QString name = m_rows[static_cast<std::size_t>(row)].group;
    if (!m_closed.remove(name)) m_closed.insert(name);
    rebuild();
}

int GroupedFindings::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GroupedFindings::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(FindingsModel::ColumnCount);
}

QVariant GroupedFindings::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (row.finding >= 0) return m_model.data(m_model.index(row.finding, index.column()), role);
    if (index.column() != 0) return {};
    switch (role) {
        case Qt::DisplayRole: return QStringLiteral("%1  (%2)").arg(row.group).arg(row.count);
        case Qt::FontRole: return Theme::font(FontRole::UiStrong);
        case Qt::ForegroundRole: return m_theme.color(Token::Text);
        case Qt::DecorationRole:
            return themedIcon(m_theme, m_closed.contains(row.group) ? Icon::ChevronRight : Icon::ChevronDown,
                              Token::Muted);
        default: return {};
    }
}

QVariant GroupedFindings::headerData(int section, Qt::Orientation orientation, int role) const {
    return m_model.headerData(section, orientation, role);
}

void GroupedFindings::sort(int column, Qt::SortOrder order) {
    m_proxy.sort(column, order);
    rebuild();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>

#include <memory>
#include <vector>

#include "core/design/design.h"
#include "core/rules/finding.h"
#include "views/icons.h"
#include "views/selection_model.h"
#include "views/theme.h"

namespace cubist {

/// Findings as a table: severity, rule, message, element.
class FindingsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { SeverityColumn, RuleColumn, MessageColumn, ElementColumn, ColumnCount };
    enum Role { SortRole = Qt::UserRole, FilterRole };

    explicit FindingsModel(const Theme& theme, QObject* parent = nullptr);

    /// `design` tells which element each finding belongs to; it may be null.
    void setFindings(std::vector<Finding> findings, std::shared_ptr<const Design> design);
    [[nodiscard]] const std::vector<Finding>& findings() const { return m_findings; }
    [[nodiscard]] const Finding& finding(int row) const { return m_findings[static_cast<std::size_t>(row)]; }
    [[nodiscard]] const Element& element(int row) const { return m_elements[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int count(Severity severity) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Theme& m_theme;
    std::vector<Finding> m_findings;
    std::vector<Element> m_elements;
};

/// Sorted by severity, rule and element; filtered by a text found anywhere in a row.
class FindingsProxy : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit FindingsProxy(QObject* parent = nullptr);
    void setFilterText(const QString& text);

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

/// "Error", "Warning", "Hint", translated.
[[nodiscard]] QString severityText(Severity severity);
[[nodiscard]] Token severityToken(Severity severity);
[[nodiscard]] Icon severityIcon(Severity severity);

}  // namespace cubist

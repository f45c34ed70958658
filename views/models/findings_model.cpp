// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/findings_model.h"

#include <QFontMetrics>
#include <QSize>

#include <algorithm>
#include <tuple>
#include <utility>

#include "views/element_lookup.h"
#include "views/language.h"

namespace cubist {

QString severityText(Severity severity) {
    switch (severity) {
        case Severity::Error: return FindingsModel::tr("Error");
        case Severity::Warning: return FindingsModel::tr("Warning");
        case Severity::Hint: return FindingsModel::tr("Hint");
    }
    return {};
}

Token severityToken(Severity severity) {
    switch (severity) {
        case Severity::Error: return Token::Error;
        case Severity::Warning: return Token::Warn;
        case Severity::Hint: return Token::Accent;
    }
    return Token::Text;
}

Icon severityIcon(Severity severity) {
    switch (severity) {
        case Severity::Error: return Icon::Error;
        case Severity::Warning: return Icon::Warning;
        case Severity::Hint: return Icon::Hint;
    }
    return Icon::Problems;
}

FindingsModel::FindingsModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), m_theme(theme) {
    connect(&m_theme, &Theme::changed, this, [this] {
        if (!m_findings.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1),
                             {Qt::ForegroundRole, Qt::DecorationRole});
    });
}

void FindingsModel::setFindings(std::vector<Finding> findings, std::shared_ptr<const Design> design) {
    std::vector<Element> elements;
    elements.reserve(findings.size());
    for (const Finding& finding : findings) {
        elements.push_back(design ? elementOf(*design, finding) : Element(finding.block));
    }
    // An unchanged list keeps the view's selection and scroll position while the user types elsewhere.
    if (findings == m_findings && elements == m_elements) return;
    beginResetModel();
    m_findings = std::move(findings);
    m_elements = std::move(elements);
    endResetModel();
}

int FindingsModel::count(Severity severity) const {
    return static_cast<int>(std::count_if(m_findings.begin(), m_findings.end(),
                                          [&](const Finding& finding) { return finding.severity == severity; }));
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_findings.size());
}

int FindingsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Finding& item = finding(index.row());
    const Element& place = element(index.row());
    const QString message = messageOf(item);
    switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
                case SeverityColumn: return severityText(item.severity);
                case RuleColumn: return QString::fromStdString(item.ruleId);
                case MessageColumn: return message;
                case ElementColumn: return place.isNone() ? tr("design") : QString::fromStdString(place.id);
                default: return {};
            }
        case Qt::SizeHintRole: {
            // A long name leaves room for what is said about it.
            constexpr int kElementWidth = 220;
            const QFontMetrics metrics(Theme::font(FontRole::Mono));
            return index.column() == ElementColumn &&
                           metrics.horizontalAdvance(QString::fromStdString(place.id)) + 16 > kElementWidth
                       ? QVariant(QSize(kElementWidth, 24))
                       : QVariant();
        }
        case Qt::ToolTipRole:
            if (index.column() == ElementColumn && !place.isNone())
                return QStringLiteral("%1\n%2").arg(QString::fromStdString(place.id),
                                                    QString::fromStdString(item.where));
            return index.column() == MessageColumn ? message : QString::fromStdString(item.where);
        case Qt::ForegroundRole:
            if (index.column() == SeverityColumn) return m_theme.color(severityToken(item.severity));
            return m_theme.color(index.column() == MessageColumn ? Token::Text : Token::Muted);
        case Qt::FontRole:
            if (index.column() == RuleColumn || index.column() == ElementColumn) return Theme::font(FontRole::Mono);
            return {};
        case Qt::DecorationRole:
            if (index.column() == SeverityColumn)
                return themedIcon(m_theme, severityIcon(item.severity), severityToken(item.severity));
            return {};
        case SortRole: return static_cast<int>(item.severity);
        case FilterRole:
            return QStringList{severityText(item.severity), QString::fromStdString(item.ruleId), message,
                               QString::fromStdString(place.id), QString::fromStdString(item.pyptoCode)}
                .join(QLatin1Char('\n'));
        default: return {};
    }
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignLeft);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case SeverityColumn: return tr("Severity");
        case RuleColumn: return tr("Rule");
        case MessageColumn: return tr("Message");
        case ElementColumn: return tr("Element");
        default: return {};
    }
}

FindingsProxy::FindingsProxy(QObject* parent) : QSortFilterProxyModel(parent) {
    setFilterRole(FindingsModel::FilterRole);
    setFilterKeyColumn(0);
    setFilterCaseSensitivity(Qt::CaseInsensitive);
    sort(FindingsModel::SeverityColumn);
}

void FindingsProxy::setFilterText(const QString& text) {
    setFilterFixedString(text.trimmed());
}

bool FindingsProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const auto* model = qobject_cast<const FindingsModel*>(sourceModel());
    if (!model) return QSortFilterProxyModel::lessThan(left, right);
    const auto key = [&](const QModelIndex& index) {
        const Finding& finding = model->finding(index.row());
        const std::string& element = model->element(index.row()).id;
        switch (index.column()) {
            case FindingsModel::RuleColumn: return std::tuple(finding.ruleId, finding.severity, element, index.row());
            case FindingsModel::MessageColumn:
                return std::tuple(finding.message, finding.severity, element, index.row());
            case FindingsModel::ElementColumn:
                return std::tuple(element, finding.severity, finding.ruleId, index.row());
            default: return std::tuple(std::string(), finding.severity, finding.ruleId + element, index.row());
        }
    };
    return key(left) < key(right);
}

}  // namespace cubist

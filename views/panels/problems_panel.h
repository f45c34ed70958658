// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <optional>

#include "core/rules/finding.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QTableView;

namespace cubist {

class EmptyState;
class FindingsModel;
class FindingsProxy;
class GroupedFindings;
class Session;
class TextLabel;
struct Element;

/// The list of findings: sorted, filtered, explained, fixed, and linked to the canvas.
class ProblemsPanel : public QWidget {
    Q_OBJECT

public:
    explicit ProblemsPanel(Session& session, QWidget* parent = nullptr);

    /// Selects the first finding of an element.
    void showElement(const Element& element);
    /// Applies every fix that helps and harms nothing, as one undoable step.
    void fixAll();
    [[nodiscard]] bool hasSafeFixes() const { return m_fixable; }
    /// Emits countChanged, for a window that was made anew.
    void tellCount();
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    [[nodiscard]] QComboBox* groupBox() const { return m_groups; }

signals:
    /// Errors and warnings, for the tab's title.
    void countChanged(int errors, int warnings);
    void fixableChanged(bool fixable);
    /// A page of the help: "rule/CAP-01".
    void helpRequested(const QString& page);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void showCurrent();
    /// Keeps the reader's place when the list is made anew.
    void selectLike(const Finding& finding);
    void jump();
    void showMenu(const QPoint& position);
    void showHeads();
    [[nodiscard]] const Finding* current() const;

    Session& m_session;
    FindingsModel* m_model;
    FindingsProxy* m_proxy;
    GroupedFindings* m_rows;
    QTableView* m_table;
    QLineEdit* m_filter;
    QComboBox* m_groups;
    QPushButton* m_fixAll;
    TextLabel* m_counts;
    QScrollArea* m_details;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    std::optional<Finding> m_shown;  ///< the one whose details are shown
    bool m_shownAnyRow = false;
    bool m_fixable = false;
};

}  // namespace cubist

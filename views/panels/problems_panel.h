// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <optional>

#include "core/rules/finding.h"

class QLineEdit;
class QScrollArea;
class QStackedWidget;
class QTableView;

namespace cubist {

class EmptyState;
class FindingsModel;
class FindingsProxy;
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
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }

signals:
    /// Errors and warnings, for the tab's title.
    void countChanged(int errors, int warnings);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void showCurrent();
    /// Keeps the reader's place when the list is made anew.
    void selectLike(const Finding& finding);
    void jump();
    void showMenu(const QPoint& position);
    [[nodiscard]] const Finding* current() const;

    Session& m_session;
    FindingsModel* m_model;
    FindingsProxy* m_proxy;
    QTableView* m_table;
    QLineEdit* m_filter;
    TextLabel* m_counts;
    QScrollArea* m_details;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    std::optional<Finding> m_shown;  ///< the one whose details are shown
    bool m_shownAnyRow = false;
};

}  // namespace cubist

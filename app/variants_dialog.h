// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>
#include <optional>
#include <string>

#include "views/variant_comparer.h"

class QProgressBar;
class QPushButton;

namespace cubist {

class RowsModel;
class RowsTable;
class Session;
class TextLabel;

/// The design beside its other forms (loops parallel or serial, written out, unrolled): compile size, tasks, resources
/// and predicted time of each, and any of them into the design, as one step. Stays open beside the work: which form the
/// design has is marked, and told anew after every edit.
class VariantsDialog : public QDialog {
    Q_OBJECT

public:
    /// `compare`: as VariantComparer's.
    explicit VariantsDialog(Session& session, QWidget* parent = nullptr,
                            VariantComparer::CompareFunction compare = compareVariants);
    ~VariantsDialog() override;

    /// Compares the open design in its case, from the beginning.
    void compareAgain();
    [[nodiscard]] VariantComparer& comparer() { return *m_comparer; }
    [[nodiscard]] RowsTable* table() const { return m_table; }
    [[nodiscard]] RowsTable* figures() const { return m_figures; }
    /// What is said below the title: how far it is, or why there is nothing.
    [[nodiscard]] QString note() const;
    /// The form that the design has; empty when it is none of them, or its case, chip or sizes are others now.
    [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
    void select(std::size_t form);
    [[nodiscard]] std::optional<std::size_t> selected() const;
    /// Gives the design the form that is selected. False: it has it already, it cannot be, or there are no figures yet.
    bool applySelected();

private:
    void makeParts();
    void refresh();
    void showSelected();
    void findCurrent();
    [[nodiscard]] bool isOutdated() const;
    [[nodiscard]] bool canApply() const;
    [[nodiscard]] QString nameOf(std::size_t form) const;
    [[nodiscard]] const VariantFigures* figuresOf(std::optional<std::size_t> form) const;

    Session& m_session;
    VariantComparer* m_comparer;
    TextLabel* m_title;
    TextLabel* m_note;
    TextLabel* m_remark;
    QProgressBar* m_progress;
    QPushButton* m_stop = nullptr;
    QPushButton* m_again = nullptr;
    QPushButton* m_apply = nullptr;
    RowsModel* m_rows;
    RowsModel* m_figureRows;
    RowsTable* m_table;
    RowsTable* m_figures;
    std::shared_ptr<const Design> m_compared;  ///< the document's design when the comparison began
    std::optional<Error> m_error;
    std::optional<std::size_t> m_current;
    std::string m_selected;  ///< id of the form
    bool m_showing = false;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/design/design.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;
class QSpinBox;

namespace cubist {

class DocumentModel;
class GroupBars;
class Theme;

/// The groups of a group list: as bars, and as the numbers of any of its forms (counts, prefix sums, the group of each
/// row). Shows how uneven they are and which are empty, and fills them evenly or as a router of experts would.
/// Accepting makes one edit: of the case that is chosen when that sets the list, else of the list itself.
class GroupEditor : public QDialog {
    Q_OBJECT

public:
    GroupEditor(DocumentModel& document, const Theme& theme, const ListId& list, QWidget* parent = nullptr);

    /// Opens an editor over a window; nothing happens when the design has no such group list.
    static void edit(DocumentModel& document, const Theme& theme, const ListId& list, QWidget* parent);

    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return m_counts; }
    [[nodiscard]] GroupBars* bars() const { return m_bars; }
    [[nodiscard]] QLineEdit* valuesField() const { return m_values; }
    void accept() override;

private:
    void setCounts(std::vector<std::int64_t> counts);
    void showValues();
    void takeValues();
    void fillRandom();
    void fillEven();
    void setGroups(int groups);
    void changeCount(std::size_t group, std::int64_t count);
    [[nodiscard]] ListForm form() const;
    /// Rows of each group of a list as written, and the list as it is written for the groups now.
    [[nodiscard]] Result<std::vector<std::int64_t>> groupsOf(const std::vector<std::int64_t>& values,
                                                             ListForm form) const;
    [[nodiscard]] Result<std::vector<std::int64_t>> written() const;
    [[nodiscard]] std::int64_t axisLength() const;
    [[nodiscard]] Result<Design> edited() const;

    DocumentModel& m_document;
    ListId m_list;
    CaseId m_case;  ///< the one that sets the list; empty: the list's own values
    std::vector<std::int64_t> m_counts;
    bool m_startEntry = false;  ///< the list begins with a 0 that is no group
    GroupBars* m_bars;
    QComboBox* m_form;
    QLineEdit* m_values;
    QLabel* m_summary;
    QLabel* m_problem;
    QSpinBox* m_groups;
    QSpinBox* m_count;
    QSpinBox* m_seed;
    QSlider* m_skew;
    QCheckBox* m_keep;
};

}  // namespace cubist

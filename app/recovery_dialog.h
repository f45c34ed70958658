// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

#include <vector>

#include "app/autosave.h"

class QTreeWidget;

namespace cubist {

class Theme;

/// Which of a record and the design's own file is newer.
enum class NewerSide { Record, File, NoFile };
[[nodiscard]] NewerSide newerSide(const RecoveryRecord& record);
/// "The recovered version is newer by 4 min".
[[nodiscard]] QString newerText(const RecoveryRecord& record);

/// What to do with the unsaved documents of a session that did not end by itself. Records that are not newer than their
/// file are not ticked at first.
class RecoveryDialog : public QDialog {
    Q_OBJECT

public:
    RecoveryDialog(std::vector<RecoveryRecord> records, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QTreeWidget* list() const { return m_list; }

signals:
    /// To be opened, unsaved.
    void recovered(const std::vector<cubist::RecoveryRecord>& records);
    /// Given up for good.
    void discarded(const std::vector<cubist::RecoveryRecord>& records);

private:
    [[nodiscard]] std::vector<RecoveryRecord> ticked(bool on) const;

    std::vector<RecoveryRecord> m_records;
    QTreeWidget* m_list;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <vector>

#include "core/exchange/pypto/import/pypto_import.h"

class QTreeWidget;

namespace cubist {

class Theme;

/// What an import of a PyPTO kernel left out: line, text of the line and reason. Stays open beside the work.
class ImportNotes : public QDialog {
    Q_OBJECT

public:
    ImportNotes(const QString& file, const QString& source, const std::vector<ImportNote>& notes, const Theme& theme,
                QWidget* parent = nullptr);

    [[nodiscard]] QTreeWidget* list() const { return m_list; }

private:
    void build(const QString& source, const std::vector<ImportNote>& notes, const Theme& theme);
    void copy() const;

    QString m_file;
    QTreeWidget* m_list = nullptr;
};

}  // namespace cubist

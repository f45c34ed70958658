// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/exchange/pypto/pypto_export.h"

class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace cubist {

class ChoiceBox;
class ExportCommands;
class Session;
class SoftBox;
class TextLabel;

/// The design as a folder of PyPTO: choice of the key dialect, what stands in the way (EXP-* findings), and the files
/// as they would be written.
class PyptoExportDialog : public QDialog {
    Q_OBJECT

public:
    PyptoExportDialog(const ExportCommands& commands, Session& session, QWidget* parent = nullptr);

    [[nodiscard]] KeyDialect dialect() const;
    [[nodiscard]] const PyptoExport& exported() const { return m_exported; }
    [[nodiscard]] QString verdict() const;
    /// Writes all files. Errors: as `writeFolder`; Unsupported when findings stand in the way.
    [[nodiscard]] Result<void> writeTo(const QString& folder);

signals:
    void written(const QString& folder);

private:
    void refresh();
    void showFile();
    void chooseFolder();

    const ExportCommands& m_commands;
    Session& m_session;
    PyptoExport m_exported;
    ChoiceBox* m_keys;
    SoftBox* m_box;
    TextLabel* m_title;
    TextLabel* m_text;
    QListWidget* m_files;
    QPlainTextEdit* m_view;
    QPushButton* m_write;
};

}  // namespace cubist

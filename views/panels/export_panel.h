// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <string>

#include "core/base/result.h"

class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace cubist {

class EmptyState;
class Session;
class ElidedLabel;
class TextLabel;

/// The kernel config of the design as it stands, as it would be exported: to read, copy and save.
class ExportPanel : public QWidget {
    Q_OBJECT

public:
    /// `version`: of the program, written into the config.
    ExportPanel(Session& session, std::string version, QWidget* parent = nullptr);

    /// The text of the config; empty when the design has none.
    [[nodiscard]] QString text() const;
    /// Asks for a file and writes the config.
    void save();
    /// Writes the config to `path`; says why not.
    [[nodiscard]] Result<void> saveTo(const QString& path) const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void fill();
    [[nodiscard]] Result<std::string> config() const;

    Session& m_session;
    std::string m_version;
    bool m_dirty = true;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QPlainTextEdit* m_view;
    ElidedLabel* m_name;
};

}  // namespace cubist

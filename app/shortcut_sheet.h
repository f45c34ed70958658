// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QKeySequence>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace cubist {

class Commands;
class Settings;
class Theme;

/// All keyboard shortcuts; those of commands can be changed. A key that another command has is refused.
class ShortcutSheet : public QDialog {
    Q_OBJECT

public:
    ShortcutSheet(Commands& commands, Settings& settings, const Theme& theme, QWidget* parent);

    /// Gives a command one shortcut; an empty sequence takes all away. False (with the reason in the window) when
    /// another command has it or a part of it.
    bool assign(const QString& command, const QKeySequence& keys);
    /// Back to the built-in shortcuts of one command.
    void restore(const QString& command);
    [[nodiscard]] QString message() const;

private:
    void fill();
    void showCurrent();
    void filter(const QString& text);
    [[nodiscard]] QString currentCommand() const;
    [[nodiscard]] QString ownerOf(const QKeySequence& keys, const QString& besides) const;

    Commands& m_commands;
    Settings& m_settings;
    QLineEdit* m_filter;
    QTreeWidget* m_list;
    QKeySequenceEdit* m_keys;
    QPushButton* m_restore;
    QLabel* m_message;
};

/// Opens the sheet of a window.
void showShortcuts(QWidget& window, Commands& commands, Settings& settings, const Theme& theme);

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QString>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "views/icons.h"

class QMenu;
class QMenuBar;

namespace cubist {

enum class CommandId : std::uint8_t {
    New,
    Open,
    Save,
    SaveAs,
    ExportConfig,
    Quit,
    Undo,
    Redo,
    SelectNothing,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    ZoomFit,
    ThemeSystem,
    ThemeLight,
    ThemeDark,
    ShowProblems,
    ShowAccuracy,
    ShowTiming,
    ShowExport,
    ResetLayout,
    Run,
    Stop,
    Shortcuts,
    About,
};
inline constexpr std::size_t kCommandCount = 25;

enum class MenuId : std::uint8_t { File, Edit, View, Run, Help };
inline constexpr std::size_t kMenuCount = 5;

/// When a command can be used.
enum class EnableRule : std::uint8_t { Always, HasDesign, CanUndo, CanRedo, CanRun, Running };

/// One row of the table behind menus, tool bar and shortcuts.
struct Command {
    CommandId id;
    MenuId menu;
    const char* name;  ///< stable, for settings and tests: "run"
    const char* text;  ///< English source text with its mnemonic
    std::vector<QKeySequence> shortcuts;
    std::optional<Icon> icon;
    EnableRule rule = EnableRule::Always;
    bool separatorBefore = false;
    bool checkable = false;
};

[[nodiscard]] const std::vector<Command>& commandTable();
[[nodiscard]] QString menuText(MenuId menu);

/// The actions of one window, made from the table.
class Commands : public QObject {
    Q_OBJECT

public:
    explicit Commands(const Theme& theme, QObject* parent = nullptr);

    [[nodiscard]] QAction* action(CommandId id) const { return m_actions[static_cast<std::size_t>(id)]; }
    void bind(CommandId id, const std::function<void()>& perform);
    /// Adds the menus in order; the menu of an id for further entries.
    void fill(QMenuBar& bar);
    [[nodiscard]] QMenu* menu(MenuId id) const { return m_menus[static_cast<std::size_t>(id)]; }
    void enable(EnableRule rule, bool enabled);

    /// "Ctrl+R  Run", one line a command: the shortcut sheet.
    [[nodiscard]] static QString shortcutSheet();

private:
    std::array<QAction*, kCommandCount> m_actions{};
    std::array<QMenu*, kMenuCount> m_menus{};
};

}  // namespace cubist

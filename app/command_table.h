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
    NewEmpty,
    NewWindow,
    Open,
    ImportKernel,
    Reload,
    Save,
    SaveAs,
    ExportPypto,
    CopySnippet,
    ExportConfig,
    ExportTuner,
    ExportPerfetto,
    ExportSwimlane,
    ExportMindStudio,
    ExportTables,
    ExportTensors,
    ExportStages,
    ExportReport,
    ExportBundle,
    CloseWindow,
    Quit,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    Duplicate,
    Delete,
    Rename,
    SelectAll,
    SelectNothing,
    FindElement,
    NextElement,
    PreviousElement,
    FixAll,
    Preferences,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    ZoomFit,
    HeatOff,
    HeatTime,
    HeatError,
    LayoutDesign,
    LayoutAccuracy,
    LayoutTiming,
    ResetLayout,
    ShowLibrary,
    ShowInspector,
    ShowProblems,
    ShowAccuracy,
    ShowTiming,
    ShowExport,
    ShowHistory,
    ThemeSystem,
    ThemeLight,
    ThemeDark,
    ThemeHighContrast,
    FullScreen,
    AddElement,
    Connect,
    Swap,
    WrapInLoop,
    DissolveLoop,
    AlignLeft,
    AlignCentre,
    AlignRight,
    AlignTop,
    AlignMiddle,
    AlignBottom,
    DistributeAcross,
    DistributeDown,
    Tidy,
    SnapToGrid,
    Run,
    Stop,
    TensorFiles,
    CompareVariants,
    CompareMeasured,
    Palette,
    Help,
    Tour,
    Shortcuts,
    About,
    Count,  ///< no command: how many there are
};
inline constexpr std::size_t kCommandCount = static_cast<std::size_t>(CommandId::Count);

/// Export is a menu inside of File.
enum class MenuId : std::uint8_t { File, Edit, View, Arrange, Run, Help, Export };
inline constexpr std::size_t kMenuCount = 7;

/// When a command can be used. Canvas: that depends on what is selected there (CanvasCommands).
enum class EnableRule : std::uint8_t {
    Always,
    HasDesign,
    HasFile,
    HasFixes,
    CanUndo,
    CanRedo,
    CanRun,
    Running,
    Canvas
};

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
[[nodiscard]] const Command& commandOf(CommandId id);
[[nodiscard]] QString menuText(MenuId menu);
/// The same without its mnemonic.
[[nodiscard]] QString plainText(MenuId menu);
/// A command's name in the language of the window, without mnemonics and dots.
[[nodiscard]] QString plainText(const Command& command);

class Settings;

/// The actions of one window, made from the table.
class Commands : public QObject {
    Q_OBJECT

public:
    explicit Commands(const Theme& theme, QObject* parent = nullptr);

    [[nodiscard]] QAction* action(CommandId id) const { return m_actions[static_cast<std::size_t>(id)]; }
    void bind(CommandId id, const std::function<void()>& perform);
    /// Puts the menus into the bar, in place of what it had; `menu` gives them for further entries.
    void fill(QMenuBar& bar);
    [[nodiscard]] QMenu* menu(MenuId id) const { return m_menus[static_cast<std::size_t>(id)]; }
    void enable(EnableRule rule, bool enabled);
    /// Texts in the language of the application.
    void retranslate();
    /// The built-in shortcuts, replaced by the user's.
    void useShortcuts(const Settings& settings);

private:
    std::array<QAction*, kCommandCount> m_actions{};
    std::array<QMenu*, kMenuCount> m_menus{};
};

}  // namespace cubist

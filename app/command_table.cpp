// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_table.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>

#include <initializer_list>

#include "app/settings.h"

namespace cubist {
namespace {

constexpr const char* kContext = "cubist::Commands";

QString translated(const char* text) {
    return QCoreApplication::translate(kContext, text);
}

QString withoutMnemonic(QString text) {
    // "文件(&F)": the mnemonic of a text without Latin letters stands behind it.
    static const QRegularExpression mnemonic(QStringLiteral("\\(&.\\)"));
    return text.remove(mnemonic).remove(QLatin1Char('&'));
}

std::vector<QKeySequence> keys(std::initializer_list<const char*> list) {
    std::vector<QKeySequence> sequences;
    for (const char* text : list) sequences.emplace_back(QString::fromLatin1(text));
    return sequences;
}

std::vector<QKeySequence> standard(QKeySequence::StandardKey key) {
    return {QKeySequence(key)};
}

/// A row with its rare properties.
Command with(Command command, bool separatorBefore, bool checkable = false) {
    command.separatorBefore = separatorBefore;
    command.checkable = checkable;
    return command;
}

// clang-format off
std::vector<Command> makeTable() {
    using enum CommandId;
    using enum EnableRule;
    return {
        {New, MenuId::File, "new", QT_TRANSLATE_NOOP("cubist::Commands", "&New"), standard(QKeySequence::New), Icon::New, Always},
        {NewEmpty, MenuId::File, "new_empty", QT_TRANSLATE_NOOP("cubist::Commands", "New e&mpty design"), keys({"Ctrl+Alt+N"}), std::nullopt, Always},
        {NewWindow, MenuId::File, "new_window", QT_TRANSLATE_NOOP("cubist::Commands", "New &window"), keys({"Ctrl+Shift+N"}), std::nullopt, Always},
        {Open, MenuId::File, "open", QT_TRANSLATE_NOOP("cubist::Commands", "&Open..."), standard(QKeySequence::Open), Icon::Open, Always},
        {ImportKernel, MenuId::File, "import_kernel", QT_TRANSLATE_NOOP("cubist::Commands", "&Import PyPTO kernel..."), keys({"Ctrl+Shift+O"}), std::nullopt, Always},
        {Reload, MenuId::File, "reload", QT_TRANSLATE_NOOP("cubist::Commands", "Re&load from disk"), keys({"Ctrl+Alt+R"}), Icon::Refresh, HasFile},
        with({Save, MenuId::File, "save", QT_TRANSLATE_NOOP("cubist::Commands", "&Save"), standard(QKeySequence::Save), Icon::Save, HasDesign}, true),
        {SaveAs, MenuId::File, "save_as", QT_TRANSLATE_NOOP("cubist::Commands", "Save &as..."), keys({"Ctrl+Shift+S"}), Icon::SaveAs, HasDesign},
        {ExportPypto, MenuId::Export, "export_pypto", QT_TRANSLATE_NOOP("cubist::Commands", "&PyPTO kernel folder..."), keys({"Ctrl+Shift+E"}), Icon::Export, HasDesign},
        {CopySnippet, MenuId::Export, "copy_snippet", QT_TRANSLATE_NOOP("cubist::Commands", "&Copy tiles and options as Python"), keys({"Ctrl+Shift+C"}), Icon::Copy, HasDesign},
        with({ExportConfig, MenuId::Export, "export_config", QT_TRANSLATE_NOOP("cubist::Commands", "&Kernel config..."), keys({"Ctrl+E"}), std::nullopt, HasDesign}, true),
        {ExportTuner, MenuId::Export, "export_tuner", QT_TRANSLATE_NOOP("cubist::Commands", "Tile &tuner config..."), {}, std::nullopt, HasDesign},
        with({ExportPerfetto, MenuId::Export, "export_perfetto", QT_TRANSLATE_NOOP("cubist::Commands", "Trace for P&erfetto..."), {}, Icon::Timing, HasDesign}, true),
        {ExportSwimlane, MenuId::Export, "export_swimlane", QT_TRANSLATE_NOOP("cubist::Commands", "PyPTO &swimlane (merged_swimlane.json)..."), {}, std::nullopt, HasDesign},
        {ExportMindStudio, MenuId::Export, "export_mindstudio", QT_TRANSLATE_NOOP("cubist::Commands", "Trace for &MindStudio..."), {}, std::nullopt, HasDesign},
        {ExportTables, MenuId::Export, "export_tables", QT_TRANSLATE_NOOP("cubist::Commands", "Times as CS&V tables..."), {}, std::nullopt, HasDesign},
        with({ExportTensors, MenuId::Export, "export_tensors", QT_TRANSLATE_NOOP("cubist::Commands", "&Outputs..."), {}, Icon::Tensor, HasDesign}, true),
        {ExportStages, MenuId::Export, "export_stages", QT_TRANSLATE_NOOP("cubist::Commands", "Values between sta&ges..."), {}, std::nullopt, HasDesign},
        {ExportReport, MenuId::Export, "export_report", QT_TRANSLATE_NOOP("cubist::Commands", "&Report as a page..."), {}, std::nullopt, HasDesign},
        {ExportBundle, MenuId::Export, "export_bundle", QT_TRANSLATE_NOOP("cubist::Commands", "&Bundle that reproduces the run..."), {}, std::nullopt, HasDesign},
        with({CloseWindow, MenuId::File, "close_window", QT_TRANSLATE_NOOP("cubist::Commands", "&Close window"), keys({"Ctrl+W"}), std::nullopt, Always}, true),
        {Quit, MenuId::File, "quit", QT_TRANSLATE_NOOP("cubist::Commands", "&Quit"), keys({"Ctrl+Q"}), std::nullopt, Always},
        {Undo, MenuId::Edit, "undo", QT_TRANSLATE_NOOP("cubist::Commands", "&Undo"), standard(QKeySequence::Undo), Icon::Undo, CanUndo},
        {Redo, MenuId::Edit, "redo", QT_TRANSLATE_NOOP("cubist::Commands", "&Redo"), keys({"Ctrl+Shift+Z", "Ctrl+Y"}), Icon::Redo, CanRedo},
        with({Cut, MenuId::Edit, "cut", QT_TRANSLATE_NOOP("cubist::Commands", "Cu&t"), standard(QKeySequence::Cut), std::nullopt, Canvas}, true),
        {Copy, MenuId::Edit, "copy", QT_TRANSLATE_NOOP("cubist::Commands", "&Copy"), standard(QKeySequence::Copy), Icon::Copy, Canvas},
        {Paste, MenuId::Edit, "paste", QT_TRANSLATE_NOOP("cubist::Commands", "P&aste"), standard(QKeySequence::Paste), std::nullopt, Canvas},
        {Duplicate, MenuId::Edit, "duplicate", QT_TRANSLATE_NOOP("cubist::Commands", "&Duplicate"), keys({"Ctrl+D"}), std::nullopt, Canvas},
        {Delete, MenuId::Edit, "delete", QT_TRANSLATE_NOOP("cubist::Commands", "De&lete"), keys({"Del"}), std::nullopt, Canvas},
        {Rename, MenuId::Edit, "rename", QT_TRANSLATE_NOOP("cubist::Commands", "Na&me, type and shape..."), keys({"F2"}), std::nullopt, Canvas},
        with({SelectAll, MenuId::Edit, "select_all", QT_TRANSLATE_NOOP("cubist::Commands", "Select &everything"), keys({"Ctrl+A"}), std::nullopt, Canvas}, true),
        {SelectNothing, MenuId::Edit, "select_nothing", QT_TRANSLATE_NOOP("cubist::Commands", "Select &nothing"), keys({"Ctrl+Shift+A"}), std::nullopt, HasDesign},
        {FindElement, MenuId::Edit, "find_element", QT_TRANSLATE_NOOP("cubist::Commands", "&Find an element..."), keys({"Ctrl+F"}), Icon::Search, Canvas},
        {NextElement, MenuId::Edit, "next_element", QT_TRANSLATE_NOOP("cubist::Commands", "Ne&xt element"), keys({"N"}), std::nullopt, Canvas},
        {PreviousElement, MenuId::Edit, "previous_element", QT_TRANSLATE_NOOP("cubist::Commands", "Pre&vious element"), keys({"Shift+N"}), std::nullopt, Canvas},
        with({FixAll, MenuId::Edit, "fix_all", QT_TRANSLATE_NOOP("cubist::Commands", "Fix all &problems that have a safe fix"), keys({"Ctrl+Shift+X"}), Icon::Fix, HasFixes}, true),
        with({Preferences, MenuId::Edit, "preferences", QT_TRANSLATE_NOOP("cubist::Commands", "&Settings..."), keys({"Ctrl+,"}), Icon::Settings, Always}, true),
        {ZoomIn, MenuId::View, "zoom_in", QT_TRANSLATE_NOOP("cubist::Commands", "Zoom &in"), keys({"Ctrl++", "Ctrl+="}), Icon::ZoomIn, Always},
        {ZoomOut, MenuId::View, "zoom_out", QT_TRANSLATE_NOOP("cubist::Commands", "Zoom &out"), keys({"Ctrl+-"}), Icon::ZoomOut, Always},
        {ZoomReset, MenuId::View, "zoom_reset", QT_TRANSLATE_NOOP("cubist::Commands", "Zoom to &100 %"), keys({"Ctrl+0"}), std::nullopt, Always},
        {ZoomFit, MenuId::View, "zoom_fit", QT_TRANSLATE_NOOP("cubist::Commands", "&Fit the design"), keys({"Ctrl+Shift+F"}), Icon::Fit, Always},
        with({HeatOff, MenuId::View, "heat_off", QT_TRANSLATE_NOOP("cubist::Commands", "Colour cards by &kind"), {}, std::nullopt, Canvas}, true, true),
        with({HeatTime, MenuId::View, "heat_time", QT_TRANSLATE_NOOP("cubist::Commands", "Colour cards by tim&e"), {}, std::nullopt, Canvas}, false, true),
        with({HeatError, MenuId::View, "heat_error", QT_TRANSLATE_NOOP("cubist::Commands", "Colour cards by err&or"), {}, std::nullopt, Canvas}, false, true),
        with({LayoutDesign, MenuId::View, "layout_design", QT_TRANSLATE_NOOP("cubist::Commands", "Layout for &designing"), keys({"Ctrl+1"}), Icon::Layout, Always}, true, true),
        with({LayoutAccuracy, MenuId::View, "layout_accuracy", QT_TRANSLATE_NOOP("cubist::Commands", "Layout for a&ccuracy"), keys({"Ctrl+2"}), Icon::Accuracy, Always}, false, true),
        with({LayoutTiming, MenuId::View, "layout_timing", QT_TRANSLATE_NOOP("cubist::Commands", "Layout for ti&ming"), keys({"Ctrl+3"}), Icon::Timing, Always}, false, true),
        {ResetLayout, MenuId::View, "reset_layout", QT_TRANSLATE_NOOP("cubist::Commands", "&Reset layout"), {}, std::nullopt, Always},
        with({ShowLibrary, MenuId::View, "show_library", QT_TRANSLATE_NOOP("cubist::Commands", "Show li&brary"), keys({"Alt+5"}), Icon::Folder, Always}, true),
        {ShowInspector, MenuId::View, "show_inspector", QT_TRANSLATE_NOOP("cubist::Commands", "Show ins&pector"), keys({"Alt+6"}), Icon::Settings, Always},
        {ShowProblems, MenuId::View, "show_problems", QT_TRANSLATE_NOOP("cubist::Commands", "Show &problems"), keys({"Alt+1"}), Icon::Problems, Always},
        {ShowAccuracy, MenuId::View, "show_accuracy", QT_TRANSLATE_NOOP("cubist::Commands", "Show &accuracy"), keys({"Alt+2"}), Icon::Accuracy, Always},
        {ShowTiming, MenuId::View, "show_timing", QT_TRANSLATE_NOOP("cubist::Commands", "Show &timing"), keys({"Alt+3"}), Icon::Timing, Always},
        {ShowExport, MenuId::View, "show_export", QT_TRANSLATE_NOOP("cubist::Commands", "Show e&xport preview"), keys({"Alt+4"}), Icon::Export, Always},
        {ShowHistory, MenuId::View, "show_history", QT_TRANSLATE_NOOP("cubist::Commands", "Show undo &history"), keys({"Alt+7"}), Icon::Recent, Always},
        with({ThemeSystem, MenuId::View, "theme_system", QT_TRANSLATE_NOOP("cubist::Commands", "Theme of the des&ktop"), {}, std::nullopt, Always}, true, true),
        with({ThemeLight, MenuId::View, "theme_light", QT_TRANSLATE_NOOP("cubist::Commands", "&Light theme"), {}, Icon::Light, Always}, false, true),
        with({ThemeDark, MenuId::View, "theme_dark", QT_TRANSLATE_NOOP("cubist::Commands", "Dar&k theme"), {}, Icon::Dark, Always}, false, true),
        with({ThemeHighContrast, MenuId::View, "theme_high_contrast", QT_TRANSLATE_NOOP("cubist::Commands", "Hi&gh contrast theme"), {}, std::nullopt, Always}, false, true),
        with({FullScreen, MenuId::View, "full_screen", QT_TRANSLATE_NOOP("cubist::Commands", "F&ull screen"), keys({"F11"}), std::nullopt, Always}, true, true),
        {AddElement, MenuId::Arrange, "add_element", QT_TRANSLATE_NOOP("cubist::Commands", "&Add a stage, tensor, loop..."), keys({"Ins"}), Icon::Add, Canvas},
        {Connect, MenuId::Arrange, "connect", QT_TRANSLATE_NOOP("cubist::Commands", "&Connect..."), keys({"C"}), std::nullopt, Canvas},
        {Swap, MenuId::Arrange, "swap", QT_TRANSLATE_NOOP("cubist::Commands", "&Swap for..."), keys({"S"}), std::nullopt, Canvas},
        with({WrapInLoop, MenuId::Arrange, "wrap_in_loop", QT_TRANSLATE_NOOP("cubist::Commands", "&Put a loop around"), keys({"Ctrl+G"}), Icon::Loop, Canvas}, true),
        {DissolveLoop, MenuId::Arrange, "dissolve_loop", QT_TRANSLATE_NOOP("cubist::Commands", "&Dissolve the loop"), keys({"Ctrl+Shift+G"}), std::nullopt, Canvas},
        with({AlignLeft, MenuId::Arrange, "align_left", QT_TRANSLATE_NOOP("cubist::Commands", "Align &left edges"), {}, std::nullopt, Canvas}, true),
        {AlignCentre, MenuId::Arrange, "align_centre", QT_TRANSLATE_NOOP("cubist::Commands", "Align c&entres"), {}, std::nullopt, Canvas},
        {AlignRight, MenuId::Arrange, "align_right", QT_TRANSLATE_NOOP("cubist::Commands", "Align &right edges"), {}, std::nullopt, Canvas},
        {AlignTop, MenuId::Arrange, "align_top", QT_TRANSLATE_NOOP("cubist::Commands", "Align &upper edges"), {}, std::nullopt, Canvas},
        {AlignMiddle, MenuId::Arrange, "align_middle", QT_TRANSLATE_NOOP("cubist::Commands", "Align &middles"), {}, std::nullopt, Canvas},
        {AlignBottom, MenuId::Arrange, "align_bottom", QT_TRANSLATE_NOOP("cubist::Commands", "Align l&ower edges"), {}, std::nullopt, Canvas},
        with({DistributeAcross, MenuId::Arrange, "distribute_across", QT_TRANSLATE_NOOP("cubist::Commands", "Equal gaps, left to ri&ght"), {}, std::nullopt, Canvas}, true),
        {DistributeDown, MenuId::Arrange, "distribute_down", QT_TRANSLATE_NOOP("cubist::Commands", "Equal gaps, top to &bottom"), {}, std::nullopt, Canvas},
        with({Tidy, MenuId::Arrange, "tidy", QT_TRANSLATE_NOOP("cubist::Commands", "Arrange everything au&tomatically"), {}, std::nullopt, Canvas}, true),
        with({SnapToGrid, MenuId::Arrange, "snap_to_grid", QT_TRANSLATE_NOOP("cubist::Commands", "S&nap to the grid"), {}, std::nullopt, Canvas}, false, true),
        {Run, MenuId::Run, "run", QT_TRANSLATE_NOOP("cubist::Commands", "&Run"), keys({"Ctrl+R", "F5"}), Icon::Run, CanRun},
        {Stop, MenuId::Run, "stop", QT_TRANSLATE_NOOP("cubist::Commands", "&Stop"), keys({"Ctrl+."}), Icon::Stop, Running},
        with({TensorFiles, MenuId::Run, "tensor_files", QT_TRANSLATE_NOOP("cubist::Commands", "&Tensor files..."), {}, std::nullopt, HasDesign}, true),
        {CompareVariants, MenuId::Run, "compare_variants", QT_TRANSLATE_NOOP("cubist::Commands", "Compare &loop variants..."), keys({"Ctrl+Alt+V"}), Icon::Loop, HasDesign},
        {CompareMeasured, MenuId::Run, "compare_measured", QT_TRANSLATE_NOOP("cubist::Commands", "Compare with a &measured trace..."), keys({"Ctrl+Alt+M"}), Icon::Timing, HasDesign},
        {Palette, MenuId::Help, "palette", QT_TRANSLATE_NOOP("cubist::Commands", "&Find a command..."), keys({"Ctrl+K"}), Icon::Search, Always},
        with({Help, MenuId::Help, "help", QT_TRANSLATE_NOOP("cubist::Commands", "&Help on this view"), standard(QKeySequence::HelpContents), Icon::Help, Always}, true),
        {Tour, MenuId::Help, "tour", QT_TRANSLATE_NOOP("cubist::Commands", "Guided &tour"), {}, std::nullopt, Always},
        {Shortcuts, MenuId::Help, "shortcuts", QT_TRANSLATE_NOOP("cubist::Commands", "&Keyboard shortcuts..."), keys({"Shift+F1"}), std::nullopt, Always},
        with({About, MenuId::Help, "about", QT_TRANSLATE_NOOP("cubist::Commands", "&About Cubist"), {}, std::nullopt, Always}, true),
    };
}
// clang-format on

}  // namespace

const std::vector<Command>& commandTable() {
    static const std::vector<Command> table = makeTable();
    return table;
}

const Command& commandOf(CommandId id) {
    return commandTable()[static_cast<std::size_t>(id)];
}

QString plainText(const Command& command) {
    return withoutMnemonic(translated(command.text)).remove(QLatin1String("..."));
}

QString plainText(MenuId menu) {
    return withoutMnemonic(menuText(menu));
}

QString menuText(MenuId menu) {
    switch (menu) {
        case MenuId::File: return Commands::tr("&File");
        case MenuId::Edit: return Commands::tr("&Edit");
        case MenuId::View: return Commands::tr("&View");
        case MenuId::Arrange: return Commands::tr("&Arrange");
        case MenuId::Run: return Commands::tr("&Run");
        case MenuId::Help: return Commands::tr("&Help");
        case MenuId::Export: return Commands::tr("&Export");
    }
    return {};
}

Commands::Commands(const Theme& theme, QObject* parent) : QObject(parent) {
    auto* themes = new QActionGroup(this);
    auto* layouts = new QActionGroup(this);
    for (const Command& command : commandTable()) {
        auto* action = new QAction(this);
        action->setObjectName(QString::fromLatin1(command.name));
        action->setShortcuts(QList<QKeySequence>(command.shortcuts.begin(), command.shortcuts.end()));
        action->setCheckable(command.checkable);
        // An icon would stand where the mark of what is chosen belongs.
        if (command.icon && !command.checkable) action->setIcon(themedIcon(theme, *command.icon));
        if (command.id >= CommandId::ThemeSystem && command.id <= CommandId::ThemeHighContrast)
            themes->addAction(action);
        if (command.id >= CommandId::LayoutDesign && command.id <= CommandId::LayoutTiming) layouts->addAction(action);
        m_actions[static_cast<std::size_t>(command.id)] = action;
    }
    retranslate();
}

void Commands::retranslate() {
    for (const Command& command : commandTable()) action(command.id)->setText(translated(command.text));
}

void Commands::bind(CommandId id, const std::function<void()>& perform) {
    connect(action(id), &QAction::triggered, this, perform);
}

void Commands::fill(QMenuBar& bar) {
    // A menu inside of another goes before it.
    for (auto old = m_menus.rbegin(); old != m_menus.rend(); ++old) {
        delete *old;
        *old = nullptr;
    }
    for (std::size_t i = 0; i < kMenuCount; ++i)
        if (const auto id = static_cast<MenuId>(i); id != MenuId::Export) m_menus[i] = bar.addMenu(menuText(id));
    for (const Command& command : commandTable()) {
        QMenu*& target = m_menus[static_cast<std::size_t>(command.menu)];
        if (!target) {
            // Where the first of its commands stands.
            menu(MenuId::File)->addSeparator();
            target = menu(MenuId::File)->addMenu(menuText(command.menu));
        }
        if (command.separatorBefore) target->addSeparator();
        target->addAction(action(command.id));
    }
}

void Commands::enable(EnableRule rule, bool enabled) {
    for (const Command& command : commandTable())
        if (command.rule == rule) action(command.id)->setEnabled(enabled);
}

void Commands::useShortcuts(const Settings& settings) {
    for (const Command& command : commandTable()) {
        QList<QKeySequence> sequences(command.shortcuts.begin(), command.shortcuts.end());
        if (const auto own = settings.shortcuts(QString::fromLatin1(command.name))) {
            sequences.clear();
            for (const QString& text : *own) sequences << QKeySequence(text, QKeySequence::PortableText);
        }
        action(command.id)->setShortcuts(sequences);
    }
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_table.h"

#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>

namespace cubist {
namespace {

constexpr const char* kContext = "cubist::Commands";

QString translated(const char* text) {
    return QCoreApplication::translate(kContext, text);
}

std::vector<QKeySequence> keys(std::initializer_list<QKeySequence> list) {
    return list;
}

std::vector<Command> makeTable() {
    using enum CommandId;
    const auto key = [](const char* text) { return QKeySequence(QString::fromLatin1(text)); };
    return {
        {New, MenuId::File, "new", QT_TRANSLATE_NOOP("cubist::Commands", "&New"), keys({QKeySequence::New}), Icon::New},
        {Open, MenuId::File, "open", QT_TRANSLATE_NOOP("cubist::Commands", "&Open..."), keys({QKeySequence::Open}),
         Icon::Open},
        {Save, MenuId::File, "save", QT_TRANSLATE_NOOP("cubist::Commands", "&Save"), keys({QKeySequence::Save}),
         Icon::Save, EnableRule::HasDesign, true},
        {SaveAs, MenuId::File, "save_as", QT_TRANSLATE_NOOP("cubist::Commands", "Save &as..."),
         keys({key("Ctrl+Shift+S")}), Icon::SaveAs, EnableRule::HasDesign},
        {ExportConfig, MenuId::File, "export_config", QT_TRANSLATE_NOOP("cubist::Commands", "&Export kernel config..."),
         keys({key("Ctrl+E")}), Icon::Export, EnableRule::HasDesign, true},
        {Quit, MenuId::File, "quit", QT_TRANSLATE_NOOP("cubist::Commands", "&Quit"), keys({key("Ctrl+Q")}),
         std::nullopt, EnableRule::Always, true},
        {Undo, MenuId::Edit, "undo", QT_TRANSLATE_NOOP("cubist::Commands", "&Undo"), keys({QKeySequence::Undo}),
         Icon::Undo, EnableRule::CanUndo},
        {Redo, MenuId::Edit, "redo", QT_TRANSLATE_NOOP("cubist::Commands", "&Redo"),
         keys({key("Ctrl+Shift+Z"), key("Ctrl+Y")}), Icon::Redo, EnableRule::CanRedo},
        {SelectNothing, MenuId::Edit, "select_nothing", QT_TRANSLATE_NOOP("cubist::Commands", "Select &nothing"),
         keys({key("Ctrl+Shift+A")}), std::nullopt, EnableRule::HasDesign, true},
        {ZoomIn, MenuId::View, "zoom_in", QT_TRANSLATE_NOOP("cubist::Commands", "Zoom &in"),
         keys({key("Ctrl++"), key("Ctrl+=")}), Icon::ZoomIn},
        {ZoomOut, MenuId::View, "zoom_out", QT_TRANSLATE_NOOP("cubist::Commands", "Zoom &out"), keys({key("Ctrl+-")}),
         Icon::ZoomOut},
        {ZoomReset, MenuId::View, "zoom_reset", QT_TRANSLATE_NOOP("cubist::Commands", "Zoom to &100 %"),
         keys({key("Ctrl+0")}), std::nullopt},
        {ZoomFit, MenuId::View, "zoom_fit", QT_TRANSLATE_NOOP("cubist::Commands", "&Fit the design"),
         keys({key("Ctrl+Shift+F")}), Icon::Fit},
        {ThemeSystem,
         MenuId::View,
         "theme_system",
         QT_TRANSLATE_NOOP("cubist::Commands", "Theme of the &desktop"),
         {},
         std::nullopt,
         EnableRule::Always,
         true,
         true},
        {ThemeLight,
         MenuId::View,
         "theme_light",
         QT_TRANSLATE_NOOP("cubist::Commands", "&Light theme"),
         {},
         Icon::Light,
         EnableRule::Always,
         false,
         true},
        {ThemeDark,
         MenuId::View,
         "theme_dark",
         QT_TRANSLATE_NOOP("cubist::Commands", "Dar&k theme"),
         {},
         Icon::Dark,
         EnableRule::Always,
         false,
         true},
        {ShowProblems, MenuId::View, "show_problems", QT_TRANSLATE_NOOP("cubist::Commands", "Show &problems"),
         keys({key("Alt+1")}), Icon::Problems, EnableRule::Always, true},
        {ShowAccuracy, MenuId::View, "show_accuracy", QT_TRANSLATE_NOOP("cubist::Commands", "Show &accuracy"),
         keys({key("Alt+2")}), Icon::Accuracy},
        {ShowTiming, MenuId::View, "show_timing", QT_TRANSLATE_NOOP("cubist::Commands", "Show &timing"),
         keys({key("Alt+3")}), Icon::Timing},
        {ShowExport, MenuId::View, "show_export", QT_TRANSLATE_NOOP("cubist::Commands", "Show e&xport preview"),
         keys({key("Alt+4")}), Icon::Export},
        {ResetLayout,
         MenuId::View,
         "reset_layout",
         QT_TRANSLATE_NOOP("cubist::Commands", "&Reset layout"),
         {},
         Icon::Layout,
         EnableRule::Always,
         true},
        {Run, MenuId::Run, "run", QT_TRANSLATE_NOOP("cubist::Commands", "&Run"), keys({key("Ctrl+R"), key("F5")}),
         Icon::Run, EnableRule::CanRun},
        {Stop, MenuId::Run, "stop", QT_TRANSLATE_NOOP("cubist::Commands", "&Stop"), keys({key("Ctrl+.")}), Icon::Stop,
         EnableRule::Running},
        {Shortcuts, MenuId::Help, "shortcuts", QT_TRANSLATE_NOOP("cubist::Commands", "&Keyboard shortcuts"),
         keys({key("Shift+F1")}), Icon::Help},
        {About,
         MenuId::Help,
         "about",
         QT_TRANSLATE_NOOP("cubist::Commands", "&About Cubist"),
         {},
         std::nullopt,
         EnableRule::Always,
         true},
    };
}

}  // namespace

const std::vector<Command>& commandTable() {
    static const std::vector<Command> table = makeTable();
    return table;
}

QString menuText(MenuId menu) {
    switch (menu) {
        case MenuId::File: return Commands::tr("&File");
        case MenuId::Edit: return Commands::tr("&Edit");
        case MenuId::View: return Commands::tr("&View");
        case MenuId::Run: return Commands::tr("&Run");
        case MenuId::Help: return Commands::tr("&Help");
    }
    return {};
}

Commands::Commands(const Theme& theme, QObject* parent) : QObject(parent) {
    for (const Command& command : commandTable()) {
        auto* action = new QAction(translated(command.text), this);
        action->setObjectName(QString::fromLatin1(command.name));
        action->setShortcuts(QList<QKeySequence>(command.shortcuts.begin(), command.shortcuts.end()));
        action->setCheckable(command.checkable);
        if (command.icon) action->setIcon(themedIcon(theme, *command.icon));
        m_actions[static_cast<std::size_t>(command.id)] = action;
    }
}

void Commands::bind(CommandId id, const std::function<void()>& perform) {
    connect(action(id), &QAction::triggered, this, perform);
}

void Commands::fill(QMenuBar& bar) {
    for (std::size_t i = 0; i < kMenuCount; ++i) m_menus[i] = bar.addMenu(menuText(static_cast<MenuId>(i)));
    for (const Command& command : commandTable()) {
        QMenu* target = menu(command.menu);
        if (command.separatorBefore) target->addSeparator();
        target->addAction(action(command.id));
    }
}

void Commands::enable(EnableRule rule, bool enabled) {
    for (const Command& command : commandTable())
        if (command.rule == rule) action(command.id)->setEnabled(enabled);
}

QString Commands::shortcutSheet() {
    QStringList lines;
    for (const Command& command : commandTable()) {
        if (command.shortcuts.empty()) continue;
        QStringList texts;
        for (const QKeySequence& sequence : command.shortcuts) texts << sequence.toString(QKeySequence::NativeText);
        QString text = translated(command.text);
        text.remove(QLatin1Char('&')).remove(QLatin1String("..."));
        lines << QStringLiteral("%1\t%2").arg(texts.join(QLatin1String(", ")), text);
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace cubist

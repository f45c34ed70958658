// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands: what they are tied to, and when they can be used.
#include <QApplication>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

#include "app/about.h"
#include "app/command_palette.h"
#include "app/export_commands.h"
#include "app/help_window.h"
#include "app/main_window.h"
#include "app/measured_dialog.h"
#include "app/palette_entries.h"
#include "app/settings_dialog.h"
#include "app/shortcut_sheet.h"
#include "app/tensor_files_dialog.h"
#include "app/tour.h"
#include "app/variants_dialog.h"
#include "app/wizard/new_design_dialog.h"
#include "views/canvas/canvas_view.h"
#include "views/panels/export_panel.h"
#include "views/panels/problems_panel.h"

namespace cubist {

void MainWindow::makeMenus() {
    m_commands.fill(*menuBar());
    m_recent = new QMenu(tr("Open re&cent"), m_commands.menu(MenuId::File));
    m_commands.menu(MenuId::File)->insertMenu(m_commands.action(CommandId::Reload), m_recent);
    QMenu* panels = m_commands.menu(MenuId::View)->addMenu(tr("Pa&nels"));
    for (std::size_t i = 0; i < kDockCount; ++i)
        panels->addAction(m_docks->dock(static_cast<DockId>(i))->toggleViewAction());
}

void MainWindow::bindCommands() {
    using enum CommandId;
    DocumentModel& document = m_session.document();
    const auto show = [this](DockId id) { return [this, id] { m_docks->showAndFocus(id); }; };
    const auto theme = [this](ThemeMode mode) { return [this, mode] { setThemeMode(mode); }; };
    const auto layout = [this](LayoutId id) { return [this, id] { useLayout(id); }; };
    m_commands.bind(New, [this] { showNewDesign(); });
    m_commands.bind(NewEmpty, [this] { createEmpty(); });
    m_commands.bind(NewWindow, [this] { emit newWindowRequested(); });
    m_commands.bind(Open, [this] { m_documents->chooseAndOpen(); });
    m_commands.bind(ImportKernel, [this] { m_documents->chooseAndImport(); });
    m_commands.bind(Reload, [this] { reload(); });
    m_commands.bind(Save, [this] { m_documents->save(); });
    m_commands.bind(SaveAs, [this] { m_documents->saveAs(); });
    m_commands.bind(ExportConfig, [this] { m_export->save(); });
    m_exports->bind(m_commands);
    m_commands.bind(CloseWindow, [this] { close(); });
    m_commands.bind(Quit, [this] { receivers(SIGNAL(quitRequested())) > 0 ? emit quitRequested() : void(close()); });
    m_commands.bind(Undo, [&document] { document.undoStack().undo(); });
    m_commands.bind(Redo, [&document] { document.undoStack().redo(); });
    m_commands.bind(SelectNothing, [this] { m_session.selection().clear(); });
    m_commands.bind(FixAll, [this] { m_problems->fixAll(); });
    m_commands.bind(Preferences, [this] { showPreferences(); });
    m_commands.bind(ZoomIn, [this] { m_canvas->zoomIn(); });
    m_commands.bind(ZoomOut, [this] { m_canvas->zoomOut(); });
    m_commands.bind(ZoomReset, [this] { m_canvas->resetZoom(); });
    m_commands.bind(ZoomFit, [this] { m_canvas->fitAll(); });
    m_commands.bind(LayoutDesign, layout(LayoutId::Design));
    m_commands.bind(LayoutAccuracy, layout(LayoutId::Accuracy));
    m_commands.bind(LayoutTiming, layout(LayoutId::Timing));
    m_commands.bind(ResetLayout, [this] {
        m_settings.setLayoutState(layoutName(m_docks->layout()), {});
        keepFocus([this] { m_docks->reset(); });
    });
    m_commands.bind(ShowLibrary, show(DockId::Library));
    m_commands.bind(ShowInspector, show(DockId::Inspector));
    m_commands.bind(ShowProblems, show(DockId::Problems));
    m_commands.bind(ShowAccuracy, show(DockId::Accuracy));
    m_commands.bind(ShowTiming, show(DockId::Timing));
    m_commands.bind(ShowExport, show(DockId::Export));
    m_commands.bind(ShowHistory, show(DockId::History));
    m_commands.bind(ThemeSystem, theme(ThemeMode::System));
    m_commands.bind(ThemeLight, theme(ThemeMode::Light));
    m_commands.bind(ThemeDark, theme(ThemeMode::Dark));
    m_commands.bind(ThemeHighContrast, theme(ThemeMode::HighContrast));
    m_commands.bind(FullScreen, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    m_commands.bind(Run, [this] { m_session.run(); });
    m_commands.bind(TensorFiles, [this] { (new TensorFilesDialog(m_session, this))->open(); });
    m_commands.bind(CompareVariants, [this] { compareVariants(); });
    m_commands.bind(CompareMeasured, [this] { compareMeasured(); });
    m_commands.bind(Stop, [this] { m_session.runs().cancel(); });
    m_commands.bind(Palette, [this] { showPalette(); });
    m_commands.bind(Help, [this] { showHelp(); });
    m_commands.bind(Tour, [this] { startTour(); });
    m_commands.bind(Shortcuts, [this] { showShortcuts(*this, m_commands, m_settings, m_session.theme()); });
    m_commands.bind(About, [this] { showAbout(this, m_session.theme()); });
    // Shortcuts work in every part of the window, floating docks included.
    addActions(m_commands.findChildren<QAction*>());
}

void MainWindow::setThemeMode(ThemeMode mode) {
    m_settings.setThemeMode(mode);
    m_session.theme().setMode(mode);
    showThemeMode();
}

void MainWindow::showThemeMode() {
    const ThemeMode mode = m_session.theme().mode();
    m_commands.action(CommandId::ThemeSystem)->setChecked(mode == ThemeMode::System);
    m_commands.action(CommandId::ThemeLight)->setChecked(mode == ThemeMode::Light);
    m_commands.action(CommandId::ThemeDark)->setChecked(mode == ThemeMode::Dark);
    m_commands.action(CommandId::ThemeHighContrast)->setChecked(mode == ThemeMode::HighContrast);
}

void MainWindow::showHelp() {
    showHelpPage(helpPageOf(QApplication::focusWidget()));
}

void MainWindow::showHelpPage(const QString& page) {
    HelpWindow::open(this, m_session.theme(), page);
}

void MainWindow::showPalette() {
    auto* palette = new CommandPalette(m_session.theme(), paletteEntries(*this), this);
    palette->popUp();
}

void MainWindow::showPreferences() {
    auto* dialog = new SettingsDialog(m_settings, m_session.theme(), this);
    connect(dialog, &SettingsDialog::changed, this, [this] {
        applySettings();
        emit settingsChanged();
    });
    connect(dialog, &SettingsDialog::shortcutsRequested, m_commands.action(CommandId::Shortcuts), &QAction::trigger);
    dialog->open();
}

void MainWindow::showNewDesign() {
    auto* dialog = new NewDesignDialog(m_documents->skeletons(), m_session.document().chips(), m_session.theme(), this);
    connect(dialog, &NewDesignDialog::created, m_documents, &DocumentCommands::createFrom);
    connect(dialog, &NewDesignDialog::emptyWanted, this, &MainWindow::createEmpty);
    dialog->open();
}

void MainWindow::createEmpty() {
    if (m_documents->createEmpty()) m_canvas->setFocus(Qt::OtherFocusReason);
}

void MainWindow::startTour() {
    if (!m_tour) m_tour = new cubist::Tour(*this);
    m_tour->start();
}

void MainWindow::compareMeasured() {
    const QString title = tr("Measured trace");
    const QString path = QFileDialog::getOpenFileName(this, title, m_session.document().folder(),
                                                      tr("Traces of PyPTO (*.json);;All files (*)"));
    if (path.isEmpty()) return;
    const Result<MeasuredDialog*> dialog = MeasuredDialog::open(m_session, path, this);
    if (dialog) return;
    auto* box = new QMessageBox(QMessageBox::Warning, title, QString::fromStdString(dialog.error().message),
                                QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(QString::fromStdString(dialog.error().hint));
    box->open();
}

void MainWindow::compareVariants() {
    auto* dialog = findChild<VariantsDialog*>();
    if (!dialog) dialog = new VariantsDialog(m_session, this);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::updateCommands() {
    DocumentModel& document = m_session.document();
    const bool open = document.hasDesign();
    m_commands.enable(EnableRule::HasDesign, open);
    m_commands.enable(EnableRule::HasFile, open && !document.path().isEmpty());
    m_commands.enable(EnableRule::HasFixes, open && m_problems->hasSafeFixes());
    m_commands.enable(EnableRule::CanUndo, open && document.undoStack().canUndo());
    m_commands.enable(EnableRule::CanRedo, open && document.undoStack().canRedo());
    m_commands.enable(EnableRule::CanRun, m_session.canRun());
    m_commands.enable(EnableRule::Running, m_session.runs().state() == RunController::State::Running);
    const auto label = [](const QString& verb, const QString& step) {
        if (step.isEmpty()) return verb;
        // The names in it stay as they are: "Undo set kL0 to 64".
        const bool word = step.size() > 1 && step[1].isLower();
        return verb + QLatin1Char(' ') + (word ? step[0].toLower() + step.mid(1) : step);
    };
    m_commands.action(CommandId::Undo)->setText(label(tr("&Undo"), document.undoStack().undoText()));
    m_commands.action(CommandId::Redo)->setText(label(tr("&Redo"), document.undoStack().redoText()));
}

}  // namespace cubist

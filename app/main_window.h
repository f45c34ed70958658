// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include <functional>
#include <memory>

#include "app/autosave.h"
#include "app/command_table.h"
#include "app/data_paths.h"
#include "app/dock_layout.h"
#include "app/document_commands.h"
#include "app/file_watch.h"
#include "app/settings.h"
#include "views/session.h"

namespace cubist {

class AccuracyPanel;
class CanvasView;
class ExportCommands;
class ExportPanel;
class HistoryList;
class InspectorPanel;
class LibraryPanel;
class NoticeBar;
class ProblemsPanel;
class StatusStrip;
class TimingPanel;
class TopBar;
class Tour;

/// What a window is made with. Tests replace the engines.
struct WindowSetup {
    DataPaths paths;
    QString settingsFile;  ///< empty: the user's
    RunController::RunFunction run = cubist::run;
    RunController::RunFunction predict = RunController::predictWithMemory();
    std::shared_ptr<RecoveryFolder> recovery;  ///< null: nothing is saved for a crash
};

/// The window: makes the parts, puts them in their places and ties commands to them. When the language changes it makes
/// its views anew; what they show (document, undo history, selection, results) is in `Session` and stays.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Theme& theme, WindowSetup setup, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] Session& session() { return m_session; }
    [[nodiscard]] DocumentCommands& documents() { return *m_documents; }
    [[nodiscard]] Commands& commands() { return m_commands; }
    [[nodiscard]] DockLayout& docks() { return *m_docks; }
    [[nodiscard]] Settings& settings() { return m_settings; }
    /// Null when nothing is saved for a crash.
    [[nodiscard]] Autosave* autosave() const { return m_autosave; }
    [[nodiscard]] FileWatch& fileWatch() { return *m_watch; }
    [[nodiscard]] CanvasView& canvas() { return *m_canvas; }
    [[nodiscard]] InspectorPanel& inspector() { return *m_inspector; }
    [[nodiscard]] ProblemsPanel& problems() { return *m_problems; }
    [[nodiscard]] AccuracyPanel& accuracy() { return *m_accuracy; }
    [[nodiscard]] TimingPanel& timing() { return *m_timing; }
    [[nodiscard]] ExportCommands& exports() { return *m_exports; }
    [[nodiscard]] ExportPanel& exportPanel() { return *m_export; }
    [[nodiscard]] LibraryPanel& library() { return *m_library; }
    [[nodiscard]] TopBar& topBar() { return *m_topBar; }
    [[nodiscard]] StatusStrip& status() { return *m_status; }
    [[nodiscard]] HistoryList& history() { return *m_history; }
    [[nodiscard]] NoticeBar& notice() { return *m_notice; }

    void useLayout(LayoutId layout);
    /// Takes over what the settings say about shortcuts, autosave, theme and motion.
    void applySettings();
    void startTour();

signals:
    void newWindowRequested();
    /// A design that goes into a window of its own.
    void openInNewWindowRequested(const QString& nameOrFile);
    void quitRequested();
    void settingsChanged();
    /// Another document, or another file for it.
    void documentChanged();

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeViews();
    void makeMenus();
    void bindCommands();
    void connectSession();
    void connectViews();
    void rebuildViews();
    void setThemeMode(ThemeMode mode);
    void showThemeMode();
    void showLayout();
    void updateTitle();
    void updateCommands();
    void updateLibrary();
    void updateRecentMenu();
    void updateStageTimes();
    void updateStageErrors();
    void editGroups(const ListId& list);
    void runFinished();
    void fileChanged();
    void fileGone();
    void reload();
    void setTabOrders();
    /// The keyboard stays where it is while docks are put elsewhere.
    void keepFocus(const std::function<void()>& rearrange);
    void showHelp();
    void showHelpPage(const QString& page);
    void showPalette();
    void showNewDesign();
    void createEmpty();
    void compareMeasured();
    void compareVariants();
    void showPreferences();

    Settings m_settings;
    Session m_session;
    Commands m_commands;
    DockLayout* m_docks;
    DocumentCommands* m_documents;
    ExportCommands* m_exports;
    FileWatch* m_watch;
    Autosave* m_autosave = nullptr;
    CanvasView* m_canvas = nullptr;
    NoticeBar* m_notice = nullptr;
    LibraryPanel* m_library = nullptr;
    InspectorPanel* m_inspector = nullptr;
    ProblemsPanel* m_problems = nullptr;
    AccuracyPanel* m_accuracy = nullptr;
    TimingPanel* m_timing = nullptr;
    ExportPanel* m_export = nullptr;
    HistoryList* m_history = nullptr;
    TopBar* m_topBar = nullptr;
    StatusStrip* m_status = nullptr;
    QMenu* m_recent = nullptr;
    Tour* m_tour = nullptr;
    bool m_shown = false;
    bool m_rebuildPending = false;
};

}  // namespace cubist

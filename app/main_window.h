// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include <memory>

#include "app/command_table.h"
#include "app/data_paths.h"
#include "app/dock_layout.h"
#include "app/document_commands.h"
#include "app/settings.h"
#include "views/session.h"

namespace cubist {

class AccuracyPanel;
class CanvasView;
class ExportPanel;
class InspectorPanel;
class LibraryPanel;
class ProblemsPanel;
class StatusStrip;
class TimingPanel;
class TopBar;

/// What a window is made with. Tests replace the engines.
struct WindowSetup {
    DataPaths paths;
    QString settingsFile;  ///< empty: the user's
    RunController::RunFunction run = cubist::run;
    RunController::RunFunction predict = RunController::predictWithMemory();
};

/// The window: makes the parts, puts them in their places and ties commands to them.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Theme& theme, WindowSetup setup, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] Session& session() { return m_session; }
    [[nodiscard]] DocumentCommands& documents() { return *m_documents; }
    [[nodiscard]] Commands& commands() { return m_commands; }
    [[nodiscard]] DockLayout& docks() { return *m_docks; }
    [[nodiscard]] CanvasView& canvas() { return *m_canvas; }
    [[nodiscard]] InspectorPanel& inspector() { return *m_inspector; }
    [[nodiscard]] ProblemsPanel& problems() { return *m_problems; }
    [[nodiscard]] AccuracyPanel& accuracy() { return *m_accuracy; }
    [[nodiscard]] TimingPanel& timing() { return *m_timing; }
    [[nodiscard]] ExportPanel& exportPanel() { return *m_export; }
    [[nodiscard]] LibraryPanel& library() { return *m_library; }
    [[nodiscard]] TopBar& topBar() { return *m_topBar; }
    [[nodiscard]] StatusStrip& status() { return *m_status; }

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makePanels();
    void bindCommands();
    void connectParts();
    void setThemeMode(ThemeMode mode);
    void showThemeMode();
    void updateTitle();
    void updateCommands();
    void updateLibrary();
    void updateRecentMenu();
    void updateStageTimes();
    void runFinished();

    Settings m_settings;
    Session m_session;
    Commands m_commands;
    DockLayout* m_docks;
    DocumentCommands* m_documents;
    CanvasView* m_canvas = nullptr;
    LibraryPanel* m_library = nullptr;
    InspectorPanel* m_inspector = nullptr;
    ProblemsPanel* m_problems = nullptr;
    AccuracyPanel* m_accuracy = nullptr;
    TimingPanel* m_timing = nullptr;
    ExportPanel* m_export = nullptr;
    TopBar* m_topBar = nullptr;
    StatusStrip* m_status = nullptr;
    QMenu* m_recent = nullptr;
    bool m_shown = false;
};

}  // namespace cubist

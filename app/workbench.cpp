// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFile>
#include <QFileInfo>
#include <QTimer>

#include <algorithm>
#include <utility>

#include "app/help_window.h"
#include "app/recovery_dialog.h"
#include "app/window_place.h"
#include "core/exchange/design_json.h"
#include "views/language.h"

namespace cubist {

Workbench::Workbench(Theme& theme, WindowSetup setup, const QString& recoveryRoot)
    : m_theme(theme), m_setup(std::move(setup)), m_settings(m_setup.settingsFile) {
    m_setup.recovery = std::make_shared<RecoveryFolder>(recoveryRoot);
    applyLanguage(m_settings.language());
    qApp->installEventFilter(new DialogHelp(m_theme, this));
}

Workbench::~Workbench() {
    for (const QPointer<MainWindow>& window : m_windows) delete window;
}

std::vector<MainWindow*> Workbench::windows() const {
    std::vector<MainWindow*> open;
    for (const QPointer<MainWindow>& window : m_windows)
        if (window) open.push_back(window);
    return open;
}

MainWindow* Workbench::newWindow() {
    const std::vector<MainWindow*> before = windows();
    auto* window = new MainWindow(m_theme, m_setup);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->installEventFilter(this);
    m_windows.emplace_back(window);
    connect(window, &MainWindow::newWindowRequested, this, &Workbench::newWindow);
    connect(window, &MainWindow::openInNewWindowRequested, this,
            [this](const QString& design) { newWindow()->documents().open(design); });
    connect(window, &MainWindow::quitRequested, this, &Workbench::quit);
    connect(window, &MainWindow::documentChanged, this, &Workbench::saveSession);
    connect(window, &MainWindow::settingsChanged, this, [this, window] {
        for (MainWindow* other : windows())
            if (other != window) other->applySettings();
    });
    // Beside the others, not on top of them.
    if (!before.empty()) placeBeside(*window, *before.back());
    window->show();
    return window;
}

MainWindow* Workbench::freeWindow() {
    for (MainWindow* window : windows())
        if (!window->session().document().hasDesign()) return window;
    return newWindow();
}

void Workbench::start(const QStringList& designs) {
    newWindow();
    // The window appears first, whatever the designs need to load.
    QTimer::singleShot(0, this, [this, designs] {
        for (const QString& design : designs) freeWindow()->documents().open(design);
        if (designs.isEmpty()) restoreSession();
        offerRecovery(designs.isEmpty());
    });
}

void Workbench::restoreSession() {
    bool any = false;
    if (m_settings.restoresSession()) {
        for (const Settings::WindowState& state : m_settings.session()) {
            if (state.design.contains(QLatin1Char('/')) && !QFileInfo::exists(state.design)) continue;
            MainWindow* window = freeWindow();
            if (!state.geometry.isEmpty() && window->restoreGeometry(state.geometry)) keepOnScreen(*window);
            if (state.design.isEmpty() || !window->documents().open(state.design)) continue;
            if (!state.caseName.isEmpty()) window->session().document().setCase(state.caseName);
            any = true;
        }
    }
    if (!any && !windows().empty()) freeWindow()->documents().openFirst({});
}

void Workbench::offerRecovery(bool mayShowTour) {
    // One dialog after the other: what a file could not be opened for is read first.
    if (QWidget* other = QApplication::activeModalWidget()) {
        connect(
            other, &QObject::destroyed, this, [this, mayShowTour] { offerRecovery(mayShowTour); },
            Qt::QueuedConnection);
        return;
    }
    std::vector<RecoveryRecord> records = m_setup.recovery->adoptOrphans();
    // A record of what the file already holds says nothing.
    std::erase_if(records, [](const RecoveryRecord& record) {
        const Result<LoadedDesign> file = loadDesign(record.path.toStdString());
        const bool same =
            !record.path.isEmpty() && file && writeDesign(file->design) == record.designText.toStdString();
        if (same) QFile::remove(record.file);
        return same;
    });
    if (records.empty()) {
        if (mayShowTour && !m_settings.tourDone() && !windows().empty()) windows().front()->startTour();
        return;
    }
    m_dialog = new RecoveryDialog(std::move(records), m_theme, windows().empty() ? nullptr : windows().front());
    connect(m_dialog, &RecoveryDialog::recovered, this, &Workbench::recover);
    connect(m_dialog, &RecoveryDialog::discarded, this, [](const std::vector<RecoveryRecord>& given) {
        for (const RecoveryRecord& record : given) QFile::remove(record.file);
    });
    m_dialog->open();
}

void Workbench::recover(const std::vector<RecoveryRecord>& records) {
    for (const RecoveryRecord& record : records) {
        Result<LoadedDesign> loaded = readDesign(record.designText.toStdString());
        if (!loaded) continue;  // the record stays, for somebody to look at
        // The window that the last session restored with that file takes it over.
        MainWindow* window = nullptr;
        for (MainWindow* open : windows()) {
            const DocumentModel& document = open->session().document();
            // A sample has no file: it is known by its name.
            const bool ofSample =
                document.hasDesign() && document.path().isEmpty() && document.design()->name == loaded->design.name;
            const bool theSame =
                record.path.isEmpty() ? !document.hasDesign() || ofSample : document.path() == record.path;
            if (theSame && !document.isModified()) window = open;
        }
        if (!window) window = freeWindow();
        window->session().document().restore(std::move(loaded).value(), record.path);
        if (!record.caseName.isEmpty()) window->session().document().setCase(record.caseName);
        // The new record first: another crash must not lose it in between.
        if (window->autosave()->saveNow()) QFile::remove(record.file);
    }
}

void Workbench::saveSession() {
    if (m_quitting) return;
    QList<Settings::WindowState> states;
    for (MainWindow* window : windows()) {
        const DocumentModel& document = window->session().document();
        states << Settings::WindowState{
            document.path().isEmpty() ? window->documents().currentSample() : document.path(), document.caseName(),
            window->saveGeometry()};
    }
    m_settings.setSession(states);
}

bool Workbench::quit() {
    saveSession();
    m_quitting = true;
    for (MainWindow* window : windows()) {
        if (window->close()) continue;
        m_quitting = false;
        return false;
    }
    m_settings.sync();
    return true;
}

bool Workbench::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Close && windows().size() == 1) saveSession();
    if (event->type() == QEvent::DeferredDelete && windows().size() > 1)
        QTimer::singleShot(0, this, &Workbench::saveSession);
    return QObject::eventFilter(watched, event);
}

}  // namespace cubist

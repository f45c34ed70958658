// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QUrl>

#include <array>
#include <utility>

#include "app/about.h"
#include "app/design_library.h"
#include "app/status_strip.h"
#include "app/top_bar.h"
#include "app/version.h"
#include "views/canvas/canvas_view.h"
#include "views/models/report_text.h"
#include "views/models/stage_heats.h"
#include "views/panels/accuracy_panel.h"
#include "views/panels/export_panel.h"
#include "views/panels/group_editor.h"
#include "views/panels/inspector_panel.h"
#include "views/panels/library_panel.h"
#include "views/panels/problems_panel.h"
#include "views/panels/stage_palette.h"
#include "views/panels/timing_panel.h"
#include "views/qt_text.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

struct VariantText {
    Variant variant;
    const char* title;
    const char* subtitle;
};

constexpr std::array<VariantText, 5> kVariants{{
    {Variant::A, QT_TRANSLATE_NOOP("cubist::MainWindow", "No loop"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "whole tensors at once")},
    {Variant::B, QT_TRANSLATE_NOOP("cubist::MainWindow", "Parallel groups"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "a loop over groups")},
    {Variant::BStatic, QT_TRANSLATE_NOOP("cubist::MainWindow", "Unrolled groups"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "groups known beforehand")},
    {Variant::C, QT_TRANSLATE_NOOP("cubist::MainWindow", "Serial tiles"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "one matmul a row tile")},
    {Variant::D, QT_TRANSLATE_NOOP("cubist::MainWindow", "Serial, multi-matmul"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "a chain of stages a tile")},
}};

/// The design file that is dragged; empty for anything else.
QString draggedDesign(const QMimeData& data) {
    if (!data.hasUrls() || data.urls().size() != 1) return {};
    const QString path = data.urls().first().toLocalFile();
    return path.endsWith(QLatin1String(".json")) ? path : QString();
}

}  // namespace

MainWindow::MainWindow(Theme& theme, WindowSetup setup, QWidget* parent)
    : QMainWindow(parent),
      m_settings(setup.settingsFile),
      m_session(theme, loadChips(setup.paths), std::move(setup.run), std::move(setup.predict)),
      m_commands(theme),
      m_docks(new DockLayout(*this)),
      m_documents(new DocumentCommands(*this, m_session, m_settings, std::move(setup.paths))) {
    setObjectName(QStringLiteral("mainWindow"));
    setMinimumSize(1100, 700);
    setAcceptDrops(true);
    theme.setMode(m_settings.themeMode());
    makePanels();
    bindCommands();
    connectParts();
    if (!restoreGeometry(m_settings.geometry())) resize(1600, 1000);
    m_docks->reset();
    updateTitle();
    updateCommands();
    updateLibrary();
    showThemeMode();
}

MainWindow::~MainWindow() {
    // The views go before what they show: they are children and would outlive the members otherwise.
    m_session.document().undoStack().disconnect(this);
    qDeleteAll(findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
}

void MainWindow::makePanels() {
    m_canvas = new CanvasView(m_session.document(), m_session.selection(), m_session.theme());
    m_canvas->setObjectName(QStringLiteral("canvas"));
    setCentralWidget(m_canvas);
    m_docks->setPanel(DockId::Library, m_library = new LibraryPanel(m_session.theme()));
    m_docks->setPanel(DockId::Inspector, m_inspector = new InspectorPanel(m_session));
    m_docks->setPanel(DockId::Problems, m_problems = new ProblemsPanel(m_session));
    m_docks->setPanel(DockId::Accuracy, m_accuracy = new AccuracyPanel(m_session));
    m_docks->setPanel(DockId::Timing, m_timing = new TimingPanel(m_session));
    m_docks->setPanel(DockId::Export, m_export = new ExportPanel(m_session, versionText()));
    m_commands.fill(*menuBar());
    m_recent = new QMenu(tr("Open &recent"), this);
    m_commands.menu(MenuId::File)->insertMenu(m_commands.action(CommandId::Save), m_recent);
    QMenu* panels = m_commands.menu(MenuId::View)->addMenu(tr("Pa&nels"));
    for (std::size_t i = 0; i < kDockCount; ++i)
        panels->addAction(m_docks->dock(static_cast<DockId>(i))->toggleViewAction());
    m_topBar = new TopBar(m_session, m_commands, this);
    addToolBar(Qt::TopToolBarArea, m_topBar);
    m_status = new StatusStrip(m_session);
    setStatusBar(m_status);
}

void MainWindow::bindCommands() {
    using enum CommandId;
    DocumentModel& document = m_session.document();
    const auto show = [this](DockId id) { return [this, id] { m_docks->show(id); }; };
    m_commands.bind(New, [this] { m_documents->create(QStringLiteral("C")); });
    m_commands.bind(Open, [this] { m_documents->chooseAndOpen(); });
    m_commands.bind(Save, [this] { m_documents->save(); });
    m_commands.bind(SaveAs, [this] { m_documents->saveAs(); });
    m_commands.bind(ExportConfig, [this] { m_export->save(); });
    m_commands.bind(Quit, [this] { close(); });
    m_commands.bind(Undo, [&document] { document.undoStack().undo(); });
    m_commands.bind(Redo, [&document] { document.undoStack().redo(); });
    m_commands.bind(SelectNothing, [this] { m_session.selection().clear(); });
    m_commands.bind(ZoomIn, [this] { m_canvas->zoomIn(); });
    m_commands.bind(ZoomOut, [this] { m_canvas->zoomOut(); });
    m_commands.bind(ZoomReset, [this] { m_canvas->resetZoom(); });
    m_commands.bind(ZoomFit, [this] { m_canvas->fitAll(); });
    m_commands.bind(ThemeSystem, [this] { setThemeMode(ThemeMode::System); });
    m_commands.bind(ThemeLight, [this] { setThemeMode(ThemeMode::Light); });
    m_commands.bind(ThemeDark, [this] { setThemeMode(ThemeMode::Dark); });
    m_commands.bind(ShowProblems, show(DockId::Problems));
    m_commands.bind(ShowAccuracy, show(DockId::Accuracy));
    m_commands.bind(ShowTiming, show(DockId::Timing));
    m_commands.bind(ShowExport, show(DockId::Export));
    m_commands.bind(ResetLayout, [this] { m_docks->reset(); });
    m_commands.bind(Run, [this] { m_session.run(); });
    m_commands.bind(Stop, [this] { m_session.runs().cancel(); });
    m_commands.bind(Shortcuts, [this] { showShortcuts(this, m_session.theme()); });
    m_commands.bind(About, [this] { showAbout(this, m_session.theme()); });
}

void MainWindow::connectParts() {
    DocumentModel& document = m_session.document();
    connect(&document, &DocumentModel::modifiedChanged, this, &MainWindow::updateTitle);
    connect(&document, &DocumentModel::pathChanged, this, &MainWindow::updateTitle);
    connect(&document, &DocumentModel::designChanged, this, &MainWindow::updateTitle);
    connect(&document, &DocumentModel::designChanged, this, &MainWindow::updateCommands);
    connect(&document, &DocumentModel::documentReplaced, this, &MainWindow::updateCommands);
    connect(&document, &DocumentModel::documentReplaced, this, &MainWindow::updateLibrary);
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, &MainWindow::updateCommands);
    connect(&m_session.runs(), &RunController::stateChanged, this, &MainWindow::updateCommands);
    connect(&m_session.runs(), &RunController::finished, this, &MainWindow::runFinished);
    connect(&m_session.runs(), &RunController::failed, this, &MainWindow::runFinished);
    connect(&m_session, &Session::predictionChanged, this, &MainWindow::updateStageTimes);
    connect(&m_session, &Session::runChanged, this, [this] {
        const RunReportPtr& report = m_session.runs().report();
        m_canvas->setStageErrors(report ? stageHeats(*report) : StageHeats());
    });
    connect(m_canvas, &CanvasView::groupsRequested, this, [this](const QString& list) {
        GroupEditor::edit(m_session.document(), m_session.theme(), ListId(list.toStdString()), this);
    });
    connect(m_documents, &DocumentCommands::recentChanged, this, &MainWindow::updateLibrary);

    connect(m_library, &LibraryPanel::skeletonChosen, m_documents, &DocumentCommands::create);
    connect(m_library, &LibraryPanel::sampleChosen, m_documents, &DocumentCommands::openSample);
    connect(m_library, &LibraryPanel::recentChosen, m_documents, &DocumentCommands::open);
    connect(m_canvas, &CanvasView::openSampleRequested, this,
            [this] { m_documents->openSample(QStringLiteral("glm_gate")); });
    connect(m_canvas, &CanvasView::openFileRequested, m_documents, &DocumentCommands::chooseAndOpen);
    connect(m_canvas, &CanvasView::newDesignRequested, this, [this] { m_documents->create(QStringLiteral("C")); });
    connect(m_canvas, &CanvasView::emptyDesignRequested, this, [this] {
        if (m_documents->createEmpty()) m_canvas->setFocus(Qt::OtherFocusReason);
    });
    connect(m_canvas, &CanvasView::inspectorRequested, this, [this] {
        m_docks->show(DockId::Inspector);
        for (QWidget* field : m_inspector->findChildren<QWidget*>())
            if (field->isVisible() && field->isEnabled() && (field->focusPolicy() & Qt::TabFocus) != 0) {
                field->setFocus(Qt::TabFocusReason);
                break;
            }
    });
    connect(&m_library->stages(), &StagePalette::chosen, this, [this](const QString& key) {
        m_canvas->addFromLibrary(key);
        m_canvas->setFocus(Qt::OtherFocusReason);
    });
    connect(m_topBar, &TopBar::themeToggled, this,
            [this] { setThemeMode(m_session.theme().isDark() ? ThemeMode::Light : ThemeMode::Dark); });

    const auto showProblems = [this] { m_docks->show(DockId::Problems); };
    connect(m_accuracy, &AccuracyPanel::problemsRequested, this, showProblems);
    connect(m_accuracy, &AccuracyPanel::runRequested, m_commands.action(CommandId::Run), &QAction::trigger);
    connect(m_timing, &TimingPanel::problemsRequested, this, showProblems);
    connect(m_inspector, &InspectorPanel::problemsRequested, this, showProblems);
    connect(&m_session.selection(), &SelectionModel::problemsRequested, this, [this](const Element& element) {
        m_docks->show(DockId::Problems);
        m_problems->showElement(element);
    });
    const auto showCount = [this](int errors, int warnings) {
        const int count = errors + warnings;
        m_docks->setTitle(DockId::Problems, count > 0 ? tr("Problems %1").arg(count) : tr("Problems"));
    };
    connect(m_problems, &ProblemsPanel::countChanged, this, showCount);
}

void MainWindow::setThemeMode(ThemeMode mode) {
    m_settings.setThemeMode(mode);
    m_session.theme().setMode(mode);
    showThemeMode();
}

void MainWindow::showThemeMode() {
    const ThemeMode mode = m_settings.themeMode();
    m_commands.action(CommandId::ThemeSystem)->setChecked(mode == ThemeMode::System);
    m_commands.action(CommandId::ThemeLight)->setChecked(mode == ThemeMode::Light);
    m_commands.action(CommandId::ThemeDark)->setChecked(mode == ThemeMode::Dark);
}

void MainWindow::updateTitle() {
    const DocumentModel& document = m_session.document();
    if (!document.hasDesign()) {
        setWindowTitle(tr("Cubist"));
        setWindowModified(false);
        return;
    }
    const QString name =
        document.path().isEmpty() ? QString::fromStdString(document.design()->name) : document.fileName();
    setWindowTitle(tr("%1[*] - Cubist").arg(name));
    setWindowModified(document.isModified());
}

void MainWindow::updateCommands() {
    DocumentModel& document = m_session.document();
    const bool open = document.hasDesign();
    m_commands.enable(EnableRule::HasDesign, open);
    m_commands.enable(EnableRule::CanUndo, open && document.undoStack().canUndo());
    m_commands.enable(EnableRule::CanRedo, open && document.undoStack().canRedo());
    m_commands.enable(EnableRule::CanRun, m_session.canRun());
    m_commands.enable(EnableRule::Running, m_session.runs().state() == RunController::State::Running);
    const auto label = [](const QString& verb, const QString& step) {
        return step.isEmpty() ? verb : verb + QLatin1Char(' ') + step.toLower();
    };
    m_commands.action(CommandId::Undo)->setText(label(tr("&Undo"), document.undoStack().undoText()));
    m_commands.action(CommandId::Redo)->setText(label(tr("&Redo"), document.undoStack().redoText()));
}

void MainWindow::updateLibrary() {
    std::vector<LibraryPanel::Entry> skeletons;
    for (const VariantText& text : kVariants) {
        const QString key = qText(toText(text.variant));
        bool usable = false;
        for (const SkeletonTemplate& entry : m_documents->skeletons().index().templates)
            usable = usable || entry.variant == text.variant;
        skeletons.push_back(
            {key,
             {key, tr(text.title), tr(text.subtitle),
              usable ? tr("New design of variant %1").arg(key) : tr("No template of variant %1 is installed.").arg(key),
              usable}});
    }
    m_library->setSkeletons(skeletons);
    std::vector<LibraryPanel::Entry> samples;
    for (const Catalogue::Entry& entry : m_documents->samples()) {
        const QString id = QString::fromStdString(entry.id);
        // "GLMGate: router logits of ..." takes two lines.
        const QString whole = QString::fromStdString(entry.design.title);
        const QString title = whole.section(QLatin1String(": "), 0, 0);
        const QString rest = whole.section(QLatin1String(": "), 1);
        samples.push_back({id,
                           {{},
                            title.isEmpty() ? id : title,
                            rest.isEmpty() ? id : rest,
                            tr("Open a copy of the sample %1\n%2").arg(id, whole),
                            true}});
    }
    m_library->setSamples(samples);
    std::vector<LibraryPanel::Entry> recent;
    for (const QString& path : m_settings.recentFiles()) {
        const QFileInfo info(path);
        const bool there = info.exists();
        recent.push_back({path, {{}, info.fileName(), there ? info.path() : tr("file is gone"), path, there}});
    }
    m_library->setRecent(recent);
    const DocumentModel& document = m_session.document();
    m_library->setCurrent(document.hasDesign() ? qText(toText(document.design()->skeleton.variant)) : QString(),
                          m_documents->currentSample(), document.path());
    updateRecentMenu();
}

void MainWindow::updateRecentMenu() {
    m_recent->clear();
    for (const QString& path : m_settings.recentFiles()) {
        QAction* action = m_recent->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        action->setStatusTip(path);
        action->setEnabled(QFileInfo::exists(path));
        connect(action, &QAction::triggered, this, [this, path] { m_documents->open(path); });
    }
    m_recent->setEnabled(!m_recent->isEmpty());
    if (m_recent->isEmpty()) return;
    m_recent->addSeparator();
    connect(m_recent->addAction(tr("&Clear this list")), &QAction::triggered, this, [this] {
        m_settings.clearRecent();
        updateLibrary();
    });
}

void MainWindow::updateStageTimes() {
    StageTimes times;
    const RunReportPtr& report = m_session.runs().prediction();
    if (report && report->trace && report->program && !m_session.predictionError()) {
        const double kernel = report->trace->microseconds(report->trace->kernel);
        for (const StageTiming& timing : report->trace->stages) {
            const double span = report->trace->microseconds(timing.span);
            times.insert(QString::fromStdString(report->program->stages[timing.stage.value].id.text),
                         {microsecondsText(span), kernel > 0.0 ? span / kernel : 0.0});
        }
    }
    m_canvas->setStageTimes(times);
}

void MainWindow::runFinished() {
    // The verdict is what was asked for; a run that was refused is explained there too.
    m_docks->show(DockId::Accuracy);
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (m_shown) return;
    m_shown = true;
    // Sizes and tabs of docks only take hold in a window that is shown.
    if (!m_docks->restore(m_settings.windowState())) m_docks->reset();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!m_documents->mayLeave()) {
        event->ignore();
        return;
    }
    m_session.runs().cancel();
    m_settings.setWindow(saveGeometry(), m_docks->save());
    m_settings.sync();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedDesign(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString path = draggedDesign(*event->mimeData());
    if (path.isEmpty()) return;
    event->acceptProposedAction();
    m_documents->open(path);
}

}  // namespace cubist

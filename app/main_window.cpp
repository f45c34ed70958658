// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPointer>
#include <QTimer>
#include <QVBoxLayout>

#include <initializer_list>
#include <utility>

#include "app/canvas_commands.h"
#include "app/design_library.h"
#include "app/dropped_files.h"
#include "app/export_commands.h"
#include "app/help_window.h"
#include "app/status_strip.h"
#include "app/top_bar.h"
#include "app/tour.h"
#include "app/variants_dialog.h"
#include "app/version.h"
#include "app/window_place.h"
#include "views/canvas/canvas_items.h"
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
#include "views/widgets/history_list.h"
#include "views/widgets/notice_bar.h"
#include "views/widgets/painting.h"

namespace cubist {

MainWindow::MainWindow(Theme& theme, WindowSetup setup, QWidget* parent)
    : QMainWindow(parent),
      m_settings(setup.settingsFile),
      m_session(theme, loadChips(setup.paths), std::move(setup.run), std::move(setup.predict)),
      m_commands(theme),
      m_docks(new DockLayout(*this)),
      m_documents(new DocumentCommands(*this, m_session, m_settings, std::move(setup.paths))),
      m_exports(new ExportCommands(*this, m_session)),
      m_watch(new FileWatch(m_session.document(), this)) {
    setObjectName(QStringLiteral("mainWindow"));
    setMinimumSize(leastWindowSize(*this));
    setAcceptDrops(true);
    if (setup.recovery) m_autosave = new Autosave(m_session.document(), std::move(setup.recovery), this);
    applySettings();
    makeViews();
    bindCommands();
    connectSession();
    connectViews();
    if (!restoreGeometry(m_settings.geometry())) resize(1600, 1000);
    keepOnScreen(*this);
    m_docks->apply(LayoutId::Design);
    updateTitle();
    updateCommands();
    updateLibrary();
    updateStageTimes();
    updateStageErrors();
    showThemeMode();
    showLayout();
}

MainWindow::~MainWindow() {
    // The views go before what they show: they are children and would outlive the members otherwise.
    m_session.document().undoStack().disconnect(this);
    qDeleteAll(findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
}

void MainWindow::applySettings() {
    Theme& theme = m_session.theme();
    theme.setReducedMotion(m_settings.reducedMotion());
    setAnimated(!m_settings.reducedMotion());  // docks that are moved
    theme.setMode(m_settings.themeMode());
    m_commands.useShortcuts(m_settings);
    if (m_autosave) m_autosave->setInterval(m_settings.autosaveSeconds());
}

void MainWindow::makeViews() {
    // The central widget stays: without it the docks beside it would take all its room, and keep it.
    if (!centralWidget()) {
        auto* centre = new QWidget;
        auto* column = new QVBoxLayout(centre);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        setCentralWidget(centre);
    }
    for (QWidget* old : {static_cast<QWidget*>(m_notice), static_cast<QWidget*>(m_canvas)}) {
        if (!old) continue;
        centralWidget()->layout()->removeWidget(old);
        old->hide();
        old->deleteLater();
    }
    m_notice = new NoticeBar(m_session.theme());
    m_canvas = new CanvasView(m_session.document(), m_session.selection(), m_session.theme());
    m_canvas->setObjectName(QStringLiteral("canvas"));
    m_canvas->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    for (QWidget* view : {static_cast<QWidget*>(m_notice), static_cast<QWidget*>(m_canvas)})
        centralWidget()->layout()->addWidget(view);
    m_docks->setPanel(DockId::Library, m_library = new LibraryPanel(m_session.theme()));
    m_docks->setPanel(DockId::Inspector, m_inspector = new InspectorPanel(m_session));
    m_docks->setPanel(DockId::Problems, m_problems = new ProblemsPanel(m_session));
    m_docks->setPanel(DockId::Accuracy, m_accuracy = new AccuracyPanel(m_session));
    m_docks->setPanel(DockId::Timing, m_timing = new TimingPanel(m_session));
    m_docks->setPanel(DockId::Export, m_export = new ExportPanel(m_session, versionText()));
    m_docks->setPanel(DockId::History, m_history = new HistoryList(m_session.document().undoStack()));
    makeMenus();
    new CanvasCommands(m_commands, *m_canvas, m_session.document(), m_settings);
    delete m_topBar;
    m_topBar = new TopBar(m_session, m_commands, this);
    addToolBar(Qt::TopToolBarArea, m_topBar);
    m_status = new StatusStrip(m_session);
    setStatusBar(m_status);
    // Which page F1 opens.
    const std::pair<QWidget*, const char*> pages[] = {
        {m_canvas, "canvas"},     {m_library, "library"}, {m_inspector, "inspector"}, {m_problems, "problems"},
        {m_accuracy, "accuracy"}, {m_timing, "timing"},   {m_export, "export"},       {m_history, "history"}};
    for (const auto& [view, page] : pages) view->setProperty(kHelpPage, QString::fromLatin1(page));
    setTabOrders();
}

void MainWindow::setTabOrders() {
    // As it is read: bar, library, canvas, inspector; what lies below follows. A panel that floats is a window with an
    // order of its own.
    QList<QWidget*> order;
    for (const QWidget* part : std::initializer_list<const QWidget*>{m_topBar, m_library, m_canvas, m_inspector}) {
        if (part->window() != this) continue;
        for (QWidget* widget = nextInFocusChain(); widget != this; widget = widget->nextInFocusChain())
            if ((widget->focusPolicy() & Qt::TabFocus) && (widget == part || part->isAncestorOf(widget)))
                order << widget;
    }
    for (qsizetype i = 1; i < order.size(); ++i) setTabOrder(order[i - 1], order[i]);
}

void MainWindow::connectSession() {
    DocumentModel& document = m_session.document();
    connect(&document, &DocumentModel::modifiedChanged, this, &MainWindow::updateTitle);
    connect(&document, &DocumentModel::pathChanged, this, &MainWindow::updateTitle);
    connect(&document, &DocumentModel::pathChanged, this, &MainWindow::updateCommands);
    connect(&document, &DocumentModel::pathChanged, this, &MainWindow::documentChanged);
    connect(&document, &DocumentModel::designChanged, this, &MainWindow::updateTitle);
    connect(&document, &DocumentModel::designChanged, this, &MainWindow::updateCommands);
    connect(&document, &DocumentModel::documentReplaced, this, &MainWindow::updateCommands);
    connect(&document, &DocumentModel::documentReplaced, this, &MainWindow::updateLibrary);
    connect(&document, &DocumentModel::documentReplaced, this, [this] { m_notice->hide(); });
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, &MainWindow::updateCommands);
    connect(&m_session, &Session::findingsChanged, this, &MainWindow::updateCommands);
    connect(&m_session.runs(), &RunController::stateChanged, this, &MainWindow::updateCommands);
    connect(&m_session.runs(), &RunController::finished, this, &MainWindow::runFinished);
    connect(&m_session.runs(), &RunController::failed, this, &MainWindow::runFinished);
    connect(&m_session, &Session::predictionChanged, this, &MainWindow::updateStageTimes);
    connect(&m_session.theme(), &Theme::modeChanged, this, &MainWindow::showThemeMode);
    connect(&m_session, &Session::runChanged, this, &MainWindow::updateStageErrors);
    connect(m_documents, &DocumentCommands::recentChanged, this, &MainWindow::updateLibrary);
    connect(m_documents, &DocumentCommands::recentChanged, this, &MainWindow::documentChanged);
    connect(m_exports, &ExportCommands::done, this,
            [this](const QString& message) { m_status->showMessage(message, 8000); });
    connect(m_watch, &FileWatch::changedOnDisk, this, &MainWindow::fileChanged);
    connect(m_watch, &FileWatch::goneFromDisk, this, &MainWindow::fileGone);
    connect(&m_session.selection(), &SelectionModel::problemsRequested, this, [this](const Element& element) {
        m_docks->show(DockId::Problems);
        m_problems->showElement(element);
    });
    if (!m_autosave) return;
    connect(m_autosave, &Autosave::failed, this,
            [this](const QString& message) { m_status->showMessage(tr("Autosave failed: %1").arg(message), 10'000); });
    connect(qApp, &QGuiApplication::applicationStateChanged, this, [this](Qt::ApplicationState state) {
        if (state != Qt::ApplicationActive) (void)m_autosave->saveNow();
    });
}

void MainWindow::connectViews() {
    connect(m_library, &LibraryPanel::skeletonChosen, m_documents, &DocumentCommands::create);
    connect(m_library, &LibraryPanel::sampleChosen, m_documents, &DocumentCommands::openSample);
    connect(m_library, &LibraryPanel::recentChosen, m_documents, &DocumentCommands::open);
    connect(m_canvas, &CanvasView::openSampleRequested, m_documents,
            [this] { m_documents->openSample(QStringLiteral("glm_gate")); });
    connect(m_canvas, &CanvasView::openFileRequested, m_documents, &DocumentCommands::chooseAndOpen);
    connect(m_canvas, &CanvasView::newDesignRequested, m_documents, [this] { showNewDesign(); });
    connect(m_canvas, &CanvasView::emptyDesignRequested, this, &MainWindow::createEmpty);
    connect(m_canvas, &CanvasView::inspectorRequested, m_inspector, [this] {
        m_docks->show(DockId::Inspector);
        m_inspector->focusForm();
    });
    connect(m_canvas, &CanvasView::groupsRequested, this,
            [this](const QString& list) { editGroups(ListId(list.toStdString())); });
    connect(m_inspector, &InspectorPanel::groupsRequested, this, &MainWindow::editGroups);
    connect(m_inspector, &InspectorPanel::variantsRequested, m_commands.action(CommandId::CompareVariants),
            &QAction::trigger);
    connect(&m_library->stages(), &StagePalette::chosen, m_canvas, [this](const QString& key) {
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
    connect(m_inspector, &InspectorPanel::left, m_canvas, [this] { m_canvas->setFocus(Qt::ShortcutFocusReason); });
    connect(m_problems, &ProblemsPanel::countChanged, this, [this](int errors, int warnings) {
        const int count = errors + warnings;
        m_docks->setTitle(DockId::Problems, count > 0 ? tr("Problems %1").arg(count) : tr("Problems"));
    });
    connect(m_problems, &ProblemsPanel::helpRequested, this, [this](const QString& page) { showHelpPage(page); });
    connect(m_problems, &ProblemsPanel::fixableChanged, this, &MainWindow::updateCommands);
}

void MainWindow::rebuildViews() {
    m_rebuildPending = false;
    const QByteArray arrangement = m_docks->save();
    const DockLayout::Sizes sizes = m_docks->sizes();
    m_session.document().retranslateSteps();
    m_commands.retranslate();
    m_docks->retranslate();
    makeViews();
    connectViews();
    m_docks->restore(m_docks->layout(), arrangement);
    m_docks->setSizes(sizes);
    m_problems->tellCount();
    updateTitle();
    updateCommands();
    updateLibrary();
    updateStageTimes();
    updateStageErrors();
    if (m_tour) m_tour->end();
    if (auto* variants = findChild<VariantsDialog*>()) {
        delete variants;
        compareVariants();
    }
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && !m_rebuildPending) {
        // Queued: the event may come from a view that goes then.
        m_rebuildPending = true;
        QMetaObject::invokeMethod(this, &MainWindow::rebuildViews, Qt::QueuedConnection);
    }
    if (event->type() == QEvent::ActivationChange && !isActiveWindow() && m_autosave) (void)m_autosave->saveNow();
}

void MainWindow::useLayout(LayoutId layout) {
    m_settings.setLayoutState(layoutName(m_docks->layout()), m_docks->save());
    keepFocus([this, layout] {
        m_docks->apply(layout);
        m_docks->restore(layout, m_settings.layoutState(layoutName(layout)));
    });
    showLayout();
}

void MainWindow::keepFocus(const std::function<void()>& rearrange) {
    // A dock that is taken out and put back loses the keyboard to the first button of the window.
    const QPointer<QWidget> before = focusWidget();
    rearrange();
    const QPointer<QWidget> after = focusWidget();
    QTimer::singleShot(0, this, [this, before, after] {
        if (focusWidget() != after) return;  // somebody wants it already
        if (before && before->isVisible() && !before->visibleRegion().isEmpty())
            before->setFocus(Qt::OtherFocusReason);
        else
            m_canvas->setFocus(Qt::OtherFocusReason);
    });
}

void MainWindow::showLayout() {
    const LayoutId layout = m_docks->layout();
    m_commands.action(CommandId::LayoutDesign)->setChecked(layout == LayoutId::Design);
    m_commands.action(CommandId::LayoutAccuracy)->setChecked(layout == LayoutId::Accuracy);
    m_commands.action(CommandId::LayoutTiming)->setChecked(layout == LayoutId::Timing);
}

void MainWindow::reload() {
    if (m_session.document().path().isEmpty()) return;
    if (const Result<void> loaded = m_session.document().reload(); loaded)
        m_status->showMessage(tr("Reloaded from disk; undo brings back what was here"), 8000);
    else
        m_notice->ask(tr("The file cannot be read: %1").arg(QString::fromStdString(loaded.error().message)), {});
}

void MainWindow::fileChanged() {
    if (!m_session.document().isModified()) {
        reload();
        return;
    }
    m_notice->ask(
        tr("%1 was changed by another program, and there are unsaved changes here.")
            .arg(m_session.document().fileName()),
        {{tr("Reload"), [this] { reload(); }}, {tr("Keep mine"), [this] { m_session.document().keepAgainstDisk(); }}});
}

void MainWindow::fileGone() {
    m_session.document().keepAgainstDisk();
    m_notice->ask(
        tr("%1 is gone from disk.").arg(m_session.document().fileName()),
        {{tr("Save again"), [this] { m_documents->save(); }}, {tr("Save as..."), [this] { m_documents->saveAs(); }}});
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

void MainWindow::updateStageTimes() {
    StageTimes times;
    double kernel = 0.0;
    const RunReportPtr& report = m_session.runs().prediction();
    if (report && report->trace && report->program && !m_session.predictionError()) {
        kernel = report->trace->microseconds(report->trace->kernel);
        for (const StageTiming& timing : report->trace->stages) {
            const double span = report->trace->microseconds(timing.span);
            times.insert(QString::fromStdString(report->program->stages[timing.stage.value].id.text),
                         {microsecondsText(span), kernel > 0.0 ? span / kernel : 0.0});
        }
    }
    m_canvas->setStageTimes(times, timeScale(kernel));
}

void MainWindow::updateStageErrors() {
    const RunReportPtr& report = m_session.runs().report();
    m_canvas->setStageErrors(report ? stageHeats(*report) : StageHeats(), errorScale(report.get()));
}

void MainWindow::editGroups(const ListId& list) {
    GroupEditor::edit(m_session.document(), m_session.theme(), list, this);
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
    const LayoutId layout = m_settings.layout();
    if (!m_docks->restore(layout, m_settings.windowState())) m_docks->apply(layout);
    showLayout();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!m_documents->mayLeave()) {
        event->ignore();
        return;
    }
    m_session.runs().cancel();
    // Saved or given up: either way there is nothing to recover.
    if (m_autosave) m_autosave->forget();
    m_settings.setWindow(saveGeometry(), m_docks->save(), m_docks->layout());
    m_settings.sync();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedFiles(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const DroppedFiles files = droppedFiles(*event->mimeData());
    if (files.isEmpty()) return;
    event->acceptProposedAction();
    const QPoint at = event->position().toPoint();
    for (const QString& file : files.tensors) {
        const QPoint inView = m_canvas->viewport()->mapFrom(this, at);
        const auto* item = m_canvas->viewport()->rect().contains(inView)
                               ? dynamic_cast<ElementItem*>(m_canvas->itemAt(inView))
                               : nullptr;
        dropTensorFile(*this, m_session, file, item ? item->element() : Element(), mapToGlobal(at));
    }
    // The first design goes into this window, others into windows of their own.
    for (qsizetype i = 0; i < files.designs.size(); ++i) {
        if (i == 0)
            m_documents->open(files.designs[i]);
        else
            emit openInNewWindowRequested(files.designs[i]);
    }
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>

#include <csignal>

#include "app/command_palette.h"
#include "app/help_window.h"
#include "app/recovery_dialog.h"
#include "app/settings_dialog.h"
#include "app/shortcut_sheet.h"
#include "app/tour.h"
#include "app/window_place.h"
#include "app/workbench.h"
#include "core/design/edit_ops.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "views/canvas/canvas_view.h"
#include "views/language.h"
#include "views/panels/problems_panel.h"
#include "views/widgets/history_list.h"
#include "views/widgets/notice_bar.h"

using namespace cubist;

namespace {

constexpr const char* kFile = "mine.cubist.json";

Result<RunReport> noRun(const RunRequest&, const RunContext&) {
    return cancelledError();
}

WindowSetup setupIn(const QString& folder) {
    WindowSetup setup;
    setup.paths.roots = {CUBIST_SHARE_DIR};
    setup.settingsFile = folder + "/cubist.ini";
    setup.run = noRun;
    setup.predict = noRun;
    return setup;
}

Design glmGateSample() {
    return loadDesign(std::string(CUBIST_SHARE_DIR) + "/samples/glm_gate.cubist.json")->design;
}

/// Edits, saves and autosaves as fast as it can until it is killed.
int childMain(const QString& folder) {
    Theme theme;
    Workbench workbench(theme, setupIn(folder), folder + "/recovery");
    MainWindow* window = workbench.newWindow();
    DocumentModel& document = window->session().document();
    if (!document.load(folder + QLatin1Char('/') + QLatin1String(kFile))) return 3;
    std::int64_t step = 0;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, window, [&] {
        ++step;
        document.endEditRun();
        document.apply("Change seed", setSeed(*document.design(), step));
        (void)window->autosave()->saveNow();
        if (step == 3) {
            // From here on the parent may strike.
            QFile ready(folder + "/ready");
            (void)ready.open(QIODevice::WriteOnly);
        }
        if (step % 3 == 0) (void)document.save();
    });
    timer.start(0);
    return QApplication::exec();
}

}  // namespace

class TestWorkbench : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Workbench> m_workbench;

    QString path(const QString& name) const { return m_folder->filePath(name); }
    void make() { m_workbench = std::make_unique<Workbench>(m_theme, setupIn(m_folder->path()), path("recovery")); }
    MainWindow* openFile() {
        const QString file = path(kFile);
        if (!QFile::exists(file)) QFile::copy(QString(CUBIST_SHARE_DIR) + "/samples/glm_gate.cubist.json", file);
        MainWindow* window = m_workbench->newWindow();
        if (!window->documents().open(file)) return nullptr;
        return window;
    }
    static void setSeedOf(MainWindow& window, std::int64_t seed) {
        DocumentModel& document = window.session().document();
        document.endEditRun();
        document.apply("Change seed", setSeed(*document.design(), seed));
    }
    static std::int64_t seedOf(MainWindow& window) { return window.session().document().design()->seed; }
    /// Ends the program as a crash does: nothing is tidied up.
    void crash() {
        QDir recovery(path("recovery"));
        for (const QString& name : recovery.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QDir copy(path("kept/") + name);
            QVERIFY(copy.mkpath("."));
            for (const QString& file : QDir(recovery.filePath(name)).entryList(QDir::Files))
                if (file != "lock") QVERIFY(QFile::copy(recovery.filePath(name) + "/" + file, copy.filePath(file)));
        }
        for (MainWindow* window : m_workbench->windows()) window->session().document().undoStack().setClean();
        m_workbench.reset();
        for (const QString& name : QDir(path("kept")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QVERIFY(recovery.mkpath("gone-" + name));
            for (const QString& file : QDir(path("kept/") + name).entryList(QDir::Files))
                QVERIFY(QFile::copy(path("kept/") + name + "/" + file, recovery.filePath("gone-" + name) + "/" + file));
        }
    }

private slots:
    void initTestCase() { m_theme.install(*qApp); }
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        Settings(path("cubist.ini")).setTourDone(true);
        make();
    }
    void cleanup() {
        if (m_workbench)
            for (MainWindow* window : m_workbench->windows()) window->session().document().undoStack().setClean();
        m_workbench.reset();
        applyLanguage(Language::English);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        m_folder.reset();
    }

    void unsavedChangesAreOfferedAfterACrash() {
        MainWindow* window = openFile();
        QVERIFY(window);
        setSeedOf(*window, 77);
        QVERIFY(window->autosave()->saveNow());
        QVERIFY(QFile::exists(window->autosave()->recordFile()));
        crash();
        make();
        m_workbench->start({});
        QTRY_VERIFY(m_workbench->recoveryDialog());
        QTreeWidget* list = m_workbench->recoveryDialog()->list();
        QCOMPARE(list->topLevelItemCount(), 1);
        QVERIFY2(list->topLevelItem(0)->text(3).contains("recovered version is newer"),
                 qPrintable(list->topLevelItem(0)->text(3)));
        QTest::mouseClick(m_workbench->recoveryDialog()->findChild<QPushButton*>("recoverButton"), Qt::LeftButton);
        MainWindow* recovered = nullptr;
        for (MainWindow* open : m_workbench->windows())
            if (open->session().document().isModified()) recovered = open;
        QVERIFY(recovered);
        QCOMPARE(seedOf(*recovered), std::int64_t(77));
        QCOMPARE(recovered->session().document().path(), path(kFile));
        // The file itself was not touched.
        QCOMPARE(loadDesign(path(kFile).toStdString())->design.seed, glmGateSample().seed);
        QVERIFY(recovered->session().document().save());
        QCOMPARE(loadDesign(path(kFile).toStdString())->design.seed, std::int64_t(77));
        QVERIFY(!QFile::exists(recovered->autosave()->recordFile()));
    }

    void recoveryWaitsUntilOtherMessagesAreRead() {
        MainWindow* window = openFile();
        QVERIFY(window);
        setSeedOf(*window, 78);
        QVERIFY(window->autosave()->saveNow());
        crash();
        QFile broken(path("broken.cubist.json"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\"cubist\": 1,");
        broken.close();
        make();
        m_workbench->start({broken.fileName()});
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) != nullptr);
        QVERIFY(!m_workbench->recoveryDialog());
        box->accept();
        QTRY_VERIFY(m_workbench->recoveryDialog());
        QCOMPARE(QApplication::activeModalWidget(), m_workbench->recoveryDialog());
        m_workbench->recoveryDialog()->reject();
    }

    void aNewerFileIsSaidToBeNewer() {
        RecoveryRecord record;
        record.path = path(kFile);
        record.savedAt = QDateTime::currentDateTimeUtc().addSecs(-600);
        QVERIFY(QFile::copy(QString(CUBIST_SHARE_DIR) + "/samples/glm_gate.cubist.json", record.path));
        QFile file(record.path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime(), QFileDevice::FileModificationTime));
        QCOMPARE(newerSide(record), NewerSide::File);
        QVERIFY(newerText(record).contains("10 min"));
        RecoveryDialog dialog({record}, m_theme);
        QCOMPARE(dialog.list()->topLevelItem(0)->checkState(0), Qt::Unchecked);
        record.path.clear();
        QCOMPARE(newerSide(record), NewerSide::NoFile);
    }

    void nothingIsOfferedAfterAnOrderlyEnd() {
        MainWindow* window = openFile();
        setSeedOf(*window, 5);
        QVERIFY(window->autosave()->saveNow());
        QVERIFY(window->session().document().save());
        QVERIFY(m_workbench->quit());
        m_workbench.reset();
        QVERIFY(QDir(path("recovery")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
        make();
        m_workbench->start({});
        QTRY_VERIFY(!m_workbench->windows().empty() &&
                    m_workbench->windows().front()->session().document().hasDesign());
        QVERIFY(!m_workbench->recoveryDialog());
    }

    void killedAtAnyMomentNothingIsDamaged() {
        const Design original = glmGateSample();
        const int rounds =
            qEnvironmentVariableIsSet("CUBIST_KILL_ROUNDS") ? qEnvironmentVariableIntValue("CUBIST_KILL_ROUNDS") : 8;
        int offered = 0;
        for (int round = 0; round < rounds; ++round) {
            const QString folder = path(QString("round%1").arg(round));
            QVERIFY(QDir().mkpath(folder));
            const QString file = folder + QLatin1Char('/') + QLatin1String(kFile);
            QVERIFY(saveDesign(original, file.toStdString()));
            Settings(folder + "/cubist.ini").setTourDone(true);
            QProcess child;
            child.setProcessChannelMode(QProcess::ForwardedChannels);
            child.start(QCoreApplication::applicationFilePath(), {"--child", folder});
            QVERIFY(child.waitForStarted());
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder + "/ready") || child.state() == QProcess::NotRunning, 60'000);
            QCOMPARE(child.state(), QProcess::Running);
            // A different moment each time.
            QTest::qWait(3 + 17 * round % 60);
            QVERIFY(::kill(static_cast<pid_t>(child.processId()), SIGKILL) == 0);
            QVERIFY(child.waitForFinished());

            const auto saved = loadDesign(file.toStdString());
            QVERIFY2(saved, saved ? "" : saved.error().message.c_str());
            Design same = saved->design;
            same.seed = original.seed;
            QVERIFY(same == original);
            RecoveryFolder recovery(folder + "/recovery");
            for (const RecoveryRecord& record : recovery.adoptOrphans()) {
                ++offered;
                const auto recovered = readDesign(record.designText.toStdString());
                QVERIFY(recovered);
                QCOMPARE(record.path, file);
                // What was unsaved is as new as the file or newer.
                QVERIFY(recovered->design.seed >= saved->design.seed);
                QVERIFY(QFile::remove(record.file));
            }
        }
        QVERIFY2(offered > 0, "no round left unsaved changes");
    }

    void windowsOfTheLastSessionComeBack() {
        MainWindow* first = openFile();
        QVERIFY(first);
        emit first->newWindowRequested();
        QCOMPARE(m_workbench->windows().size(), std::size_t(2));
        MainWindow* second = m_workbench->windows()[1];
        QVERIFY(second->documents().openSample("glm_gate"));
        second->session().document().setCase("glm_gate_bs1026");
        emit second->documentChanged();
        QVERIFY(m_workbench->quit());
        m_workbench.reset();
        make();
        m_workbench->start({});
        QTRY_COMPARE(m_workbench->windows().size(), std::size_t(2));
        QTRY_VERIFY(m_workbench->windows()[1]->session().document().hasDesign());
        QCOMPARE(m_workbench->windows()[0]->session().document().path(), path(kFile));
        QVERIFY(m_workbench->windows()[1]->session().document().path().isEmpty());
    }

    void aFileThatChangedOnDiskIsLoadedAnewAndUndoBringsItBack() {
        MainWindow* window = openFile();
        Design other = glmGateSample();
        other.seed = 4711;
        QVERIFY(saveDesign(other, path(kFile).toStdString()));
        QTRY_COMPARE(seedOf(*window), std::int64_t(4711));
        QVERIFY(!window->session().document().isModified());
        window->session().document().undoStack().undo();
        QCOMPARE(seedOf(*window), glmGateSample().seed);
    }

    void withUnsavedChangesTheUserIsAsked() {
        MainWindow* window = openFile();
        setSeedOf(*window, 1);
        Design other = glmGateSample();
        other.seed = 2;
        QVERIFY(saveDesign(other, path(kFile).toStdString()));
        QTRY_VERIFY(window->notice().isVisible());
        QCOMPARE(seedOf(*window), std::int64_t(1));
        QTest::mouseClick(window->notice().button(0), Qt::LeftButton);
        QCOMPARE(seedOf(*window), std::int64_t(2));
        QVERIFY(!window->notice().isVisible());
        // Gone from disk: said, and the document counts as unsaved.
        QVERIFY(QFile::remove(path(kFile)));
        QTRY_VERIFY(window->notice().isVisible());
        QVERIFY(window->session().document().isModified());
    }

    void ourOwnSavesAreNoChanges() {
        MainWindow* window = openFile();
        setSeedOf(*window, 9);
        QVERIFY(window->session().document().save());
        window->fileWatch().check();
        QTest::qWait(300);
        QVERIFY(!window->notice().isVisible());
        QCOMPARE(window->session().document().undoStack().count(), 1);
    }

    void aDroppedTensorBecomesTheDataOfAnInput() {
        MainWindow* window = openFile();
        const QString tensor = path("hidden_states.npy");
        QVERIFY(QFile(tensor).open(QIODevice::WriteOnly));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(tensor)});
        QDragEnterEvent enter(QPoint(300, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(300, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window, &drop);
        const Tensor* input = findTensor(*window->session().document().design(), TensorId("hidden_states"));
        QVERIFY(input && input->data.file);
        QCOMPARE(*input->data.file, std::string("hidden_states.npy"));  // relative to the design's folder
        QCOMPARE(window->session().selection().current(), Element(TensorId("hidden_states")));
    }

    void thePaletteFindsAndDoes() {
        MainWindow* window = openFile();
        window->commands().action(CommandId::Palette)->trigger();
        auto* palette = window->findChild<CommandPalette*>();
        QVERIFY(palette);
        QTest::keyClicks(palette->field(), "dark th");
        QVERIFY2(palette->list()->currentItem()->text().contains("Dark"),
                 qPrintable(palette->list()->currentItem()->text()));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QTRY_VERIFY(m_theme.isDark());
        m_theme.setMode(ThemeMode::Light);
        window->commands().action(CommandId::Palette)->trigger();
        palette = window->findChildren<CommandPalette*>().back();
        QTest::keyClicks(palette->field(), "weight");
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QTRY_COMPARE(window->session().selection().current(), Element(TensorId("weight")));
        // Rules by id and by title, and files that were open before.
        for (const char* wanted : {"CAP-07", "mine.cub"}) {
            window->commands().action(CommandId::Palette)->trigger();
            palette = window->findChildren<CommandPalette*>().back();
            QTest::keyClicks(palette->field(), wanted);
            QVERIFY2(palette->list()->currentItem()->text().contains(wanted),
                     qPrintable(palette->list()->currentItem()->text()));
            // Rows are shown whole.
            QCOMPARE(palette->list()->viewport()->height() % palette->list()->sizeHintForRow(0), 0);
            palette->reject();
        }
        window->commands().action(CommandId::Palette)->trigger();
        palette = window->findChildren<CommandPalette*>().back();
        QTest::keyClicks(palette->field(), "CAP-07");
        QTest::keyClick(palette->field(), Qt::Key_Return);
        HelpWindow* help = nullptr;
        QTRY_VERIFY((help = window->findChild<HelpWindow*>()) != nullptr);
        QCOMPARE(help->page(), QString("rule/CAP-07"));
        help->close();
        QVERIFY(!fuzzyScore("xyz", "Reset layout"));
        QVERIFY(*fuzzyScore("rl", "Reset layout") > *fuzzyScore("rl", "Show problems later"));
    }

    void shortcutsCanBeChangedAndConflictsAreRefused() {
        MainWindow* window = openFile();
        ShortcutSheet sheet(window->commands(), window->settings(), m_theme, window);
        QVERIFY(!sheet.assign("tour", QKeySequence("Ctrl+R")));
        QVERIFY(sheet.message().contains("Run"));
        QVERIFY(sheet.assign("tour", QKeySequence("Ctrl+Alt+T")));
        QCOMPARE(window->commands().action(CommandId::Tour)->shortcut(), QKeySequence("Ctrl+Alt+T"));
        QVERIFY(sheet.assign("run", {}));
        QVERIFY(window->commands().action(CommandId::Run)->shortcuts().isEmpty());
        // The next window has them too.
        MainWindow* other = m_workbench->newWindow();
        QCOMPARE(other->commands().action(CommandId::Tour)->shortcut(), QKeySequence("Ctrl+Alt+T"));
        sheet.restore("run");
        QCOMPARE(window->commands().action(CommandId::Run)->shortcut(), QKeySequence("Ctrl+R"));
    }

    void theLanguageChangesWithoutARestart() {
        MainWindow* window = openFile();
        setSeedOf(*window, 3);
        const QString english = window->commands().action(CommandId::Open)->text();
        window->commands().action(CommandId::Preferences)->trigger();
        auto* dialog = window->findChild<SettingsDialog*>();
        QVERIFY(dialog);
        QComboBox* box = dialog->languageBox();
        const int chinese = box->findData(static_cast<int>(Language::Chinese));
        box->setCurrentIndex(chinese);
        emit box->activated(chinese);
        QTRY_VERIFY(window->commands().action(CommandId::Open)->text() != english);
        QTRY_COMPARE(window->docks().dock(DockId::Inspector)->windowTitle(),
                     QString::fromUtf8("\u5c5e\u6027\u9762\u677f"));
        // The document, its history and the case are the same.
        QCOMPARE(seedOf(*window), std::int64_t(3));
        QCOMPARE(window->session().document().undoStack().count(), 1);
        QCOMPARE(Settings(path("cubist.ini")).language(), Language::Chinese);
        applyLanguage(Language::English);
        QTRY_COMPARE(window->commands().action(CommandId::Open)->text(), english);
    }

    void layoutsRememberHowTheyWereArranged() {
        MainWindow* window = openFile();
        window->useLayout(LayoutId::Timing);
        QVERIFY(window->commands().action(CommandId::LayoutTiming)->isChecked());
        window->docks().dock(DockId::Library)->hide();
        window->useLayout(LayoutId::Accuracy);
        QVERIFY(window->docks().dock(DockId::Library)->isVisible());
        window->useLayout(LayoutId::Timing);
        QVERIFY(!window->docks().dock(DockId::Library)->isVisible());
        window->commands().action(CommandId::ResetLayout)->trigger();
        QVERIFY(window->docks().dock(DockId::Library)->isVisible());
        // Docks may float and come back.
        window->docks().dock(DockId::Timing)->setFloating(true);
        QVERIFY(window->docks().dock(DockId::Timing)->isFloating());
        window->commands().action(CommandId::ResetLayout)->trigger();
        QVERIFY(!window->docks().dock(DockId::Timing)->isFloating());
    }

    void theThemeMenuFollowsWhateverSwitchesIt() {
        MainWindow* window = openFile();
        m_theme.setMode(ThemeMode::Dark);
        QVERIFY(window->commands().action(CommandId::ThemeDark)->isChecked());
        QVERIFY(!window->commands().action(CommandId::ThemeLight)->isChecked());
        m_theme.setMode(ThemeMode::HighContrast);
        QVERIFY(window->commands().action(CommandId::ThemeHighContrast)->isChecked());
        m_theme.setMode(ThemeMode::Light);
        QVERIFY(window->commands().action(CommandId::ThemeLight)->isChecked());
    }

    void theHistorySpeaksTheLanguageOfTheWindow() {
        make();
        MainWindow& window = *m_workbench->newWindow();
        QVERIFY(window.documents().openSample("glm_gate"));
        setSeedOf(window, 5);
        DocumentModel& document = window.session().document();
        document.apply([] { return DocumentModel::tr("Reload"); }, setNotes(*document.design(), "x"));
        window.docks().show(DockId::History);
        const auto row = [&](int step) {
            const QModelIndex index = window.history().model()->index(step, 0);
            return std::pair(index.data().toString(), window.history().visualRect(index).height());
        };
        QTRY_VERIFY(row(1).second >= 20);
        QCOMPARE(row(2).first, QString("Reload"));
        applyLanguage(Language::Chinese);
        QTRY_COMPARE(row(0).first, QString::fromUtf8("起点"));
        QCOMPARE(row(2).first, QString::fromUtf8("重新加载"));
        for (int step = 0; step < 3; ++step) QTRY_VERIFY2(row(step).second >= 20, qPrintable(row(step).first));
        applyLanguage(Language::English);
        QTRY_COMPARE(row(2).first, QString("Reload"));
        document.undoStack().setClean();
    }

    void windowsStayOnTheScreen() {
        make();
        MainWindow& first = *m_workbench->newWindow();
        const QRect area = first.screen()->availableGeometry();
        for (int i = 0; i < 4; ++i) {
            MainWindow& next = *m_workbench->newWindow();
            QVERIFY2(
                area.contains(next.geometry()),
                qPrintable(QString("%1,%2 %3x%4").arg(next.x()).arg(next.y()).arg(next.width()).arg(next.height())));
        }
        first.setGeometry(area.left() - 500, area.top() + 300, area.width() + 700, area.height() + 90);
        keepOnScreen(first);
        QVERIFY(area.contains(first.geometry()));
    }

    void theTourGoesThroughTheWindow() {
        MainWindow* window = m_workbench->newWindow();
        window->startTour();
        auto* tour = window->findChild<Tour*>();
        QVERIFY(tour && tour->isRunning());
        QVERIFY(window->session().document().hasDesign());
        for (int stop = 0; stop < tour->stopCount(); ++stop) {
            QCOMPARE(tour->stop(), stop);
            QCoreApplication::processEvents();
            QVERIFY(window->rect().contains(tour->card()->geometry()));
            tour->next();
        }
        QVERIFY(!tour->isRunning());
        QVERIFY(Settings(path("cubist.ini")).tourDone());
    }

    void helpHasAPageForEveryViewAndRule() {
        MainWindow* window = openFile();
        for (const char* page : {"index", "canvas", "library", "inspector", "problems", "accuracy", "timing", "export",
                                 "history", "wizard", "rule/CAP-01", "rule/TILE-03"})
            QVERIFY2(!helpText(page).isEmpty(), page);
        // Links lead somewhere.
        static const QRegularExpression link(QStringLiteral("\\]\\(([a-z/A-Z0-9-]+)\\)"));
        for (const QString& page : helpPages())
            for (auto it = link.globalMatch(helpText(page)); it.hasNext();) {
                const QString target = it.next().captured(1);
                QVERIFY2(!helpText(target).isEmpty(), qPrintable(page + " -> " + target));
            }
        window->problems().setFocus();
        window->commands().action(CommandId::Help)->trigger();
        auto* help = window->findChild<HelpWindow*>();
        QVERIFY(help);
        help->close();
    }

    void fixAllLeavesNoErrorThatAFixRemoves() {
        MainWindow* window = openFile();
        DocumentModel& document = window->session().document();
        Design wrong = *document.design();
        auto& stage = std::get<CubeStage>(std::get<Loop>(wrong.blocks.front().content).body[1].content);
        stage.tile.k = {20, 1024};
        stage.tile.n = {17, 16};
        document.apply("Break it", std::move(wrong));
        QVERIFY(window->commands().action(CommandId::FixAll)->isEnabled());
        const int before = document.undoStack().count();
        window->commands().action(CommandId::FixAll)->trigger();
        QCOMPARE(document.undoStack().count(), before + 1);
        for (const Finding& finding : document.findings())
            QVERIFY2(finding.severity != Severity::Error, finding.message.c_str());
        // In groups, with heads that close.
        document.undoStack().undo();
        ProblemsPanel& problems = window->problems();
        QComboBox* groups = problems.groupBox();
        const int all = problems.table()->model()->rowCount();
        groups->setCurrentIndex(1);
        emit groups->activated(1);
        QVERIFY(problems.table()->model()->rowCount() > all);
    }
};

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    if (argc == 3 && QString::fromLocal8Bit(argv[1]) == QLatin1String("--child"))
        return childMain(QString::fromLocal8Bit(argv[2]));
    TestWorkbench test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_workbench.moc"

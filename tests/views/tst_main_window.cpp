// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <atomic>
#include <thread>
#include <tuple>

#include "app/main_window.h"
#include "app/status_strip.h"
#include "app/top_bar.h"
#include "core/exchange/config_export.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_view.h"
#include "views/icons.h"
#include "views/models/rows_model.h"
#include "views/panels/accuracy_panel.h"
#include "views/panels/export_panel.h"
#include "views/panels/inspector_panel.h"
#include "views/panels/library_panel.h"
#include "views/panels/prediction_box.h"
#include "views/panels/problems_panel.h"
#include "views/panels/stage_form.h"
#include "views/panels/tile_editor.h"
#include "views/panels/timing_panel.h"
#include "views/plots/timeline_plot.h"
#include "views/widgets/caption_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/library_item.h"
#include "views/widgets/step_spin_box.h"

using namespace cubist;

namespace {

/// Answers the next question box with one of its buttons.
void answerNext(QMessageBox::StandardButton button, bool* asked) {
    auto* timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, timer, [timer, button, asked] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (!box) return;
        timer->deleteLater();
        *asked = true;
        QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
    timer->start(5);
}

}  // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;

    WindowSetup setup() const {
        WindowSetup made;
        made.paths.roots = {CUBIST_SHARE_DIR};
        made.settingsFile = m_folder->filePath("cubist.ini");
        return made;
    }

    void openWindow(WindowSetup made) {
        m_window = std::make_unique<MainWindow>(m_theme, std::move(made));
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    void openGate() {
        openWindow(setup());
        m_window->documents().openFirst({});
        QVERIFY(m_window->session().document().hasDesign());
    }

    /// Clicks an element on the canvas.
    void click(const Element& element) {
        CanvasView& canvas = m_window->canvas();
        ElementItem* item = canvas.canvas().item(element);
        QVERIFY(item);
        const QPoint at = canvas.mapFromScene(item->sceneBoundingRect().center());
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, at);
    }

    QAction* action(CommandId id) { return m_window->commands().action(id); }
    const Design& design() { return *m_window->session().document().design(); }
    CubeTile tile() {
        const Block* block = findBlock(design(), BlockId(stageId()));
        return std::get<CubeStage>(block->content).tile;
    }
    /// Id of the sample's matmul.
    std::string stageId() {
        for (const Block& block : std::get<Loop>(design().blocks.front().content).body)
            if (block.kind() == BlockKind::Cube) return block.id().text;
        return {};
    }

private slots:
    void initTestCase() { m_theme.install(*qApp); }

    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void cleanup() {
        m_window.reset();
        m_folder.reset();
    }

    void anEmptyDesignSaysHowToBegin() {
        openWindow(setup());
        action(CommandId::NewEmpty)->trigger();
        QVERIFY(design().blocks.empty());
        auto* hint = m_window->canvas().findChild<QWidget*>("canvasStartHint");
        QVERIFY(hint->isVisible());
        QCOMPARE(m_window->session().timeState(), Session::TimeState::NoWork);
        QTRY_VERIFY(m_window->session().runs().prediction());
        QCOMPARE(m_window->status().predictionLine(), QString("no time"));
        QVERIFY(m_window->timing().headline().isEmpty());
        QVERIFY(!action(CommandId::Run)->isEnabled());
        m_window->canvas().addFromLibrary("cube/matmul");
        QVERIFY(!hint->isVisible());
        QVERIFY(action(CommandId::Run)->isEnabled());
        m_window->session().document().undoStack().undo();
        QVERIFY(hint->isVisible());
        m_window->session().document().undoStack().setClean();
    }

    void aRefusalGoesWithTheNextAction() {
        openGate();
        DocumentModel& document = m_window->session().document();
        const auto refuse = [&] {
            document.apply("Nothing", Result<Design>(unexpected(ErrorCode::BadValue, "it does not fit")));
            QCOMPARE(m_window->status().currentMessage(), QString("it does not fit"));
        };
        refuse();
        QTest::mouseClick(m_window->canvas().viewport(), Qt::LeftButton, {}, QPoint(5, 5));
        QVERIFY(m_window->status().currentMessage().isEmpty());
        refuse();
        QTest::keyClick(&m_window->canvas(), Qt::Key_Escape);
        QVERIFY(m_window->status().currentMessage().isEmpty());
        refuse();
        action(CommandId::Run)->trigger();
        QVERIFY(m_window->status().currentMessage().isEmpty());
        QTRY_VERIFY(!m_window->session().runs().busy());
    }

    void messagesHaveOurIcons() {
        openGate();
        for (const QMessageBox::Icon icon : {QMessageBox::Question, QMessageBox::Warning, QMessageBox::Critical}) {
            QMessageBox box(icon, "Title", "Text", QMessageBox::Ok, m_window.get());
            box.show();
            const QImage shown = box.iconPixmap().toImage();
            const Icon wanted = icon == QMessageBox::Question  ? Icon::Help
                                : icon == QMessageBox::Warning ? Icon::Warning
                                                               : Icon::Error;
            const Token token = icon == QMessageBox::Question  ? Token::Accent
                                : icon == QMessageBox::Warning ? Token::Warn
                                                               : Token::Error;
            QCOMPARE(shown, iconPixmap(wanted, 32, m_theme.color(token), 1.0).toImage());
        }
    }

    void emptyWindowSaysWhatToDo() {
        openWindow(setup());
        QCOMPARE(m_window->windowTitle(), QString("Cubist"));
        QVERIFY(m_window->accuracy().emptyState()->isVisibleTo(&m_window->accuracy()));
        QVERIFY(!action(CommandId::Run)->isEnabled());
        QVERIFY(!action(CommandId::Save)->isEnabled());
        QVERIFY(!m_window->topBar().chipBox()->isEnabled());
    }

    void sampleOpensFromTheLibrary() {
        openWindow(setup());
        LibraryItem* item = m_window->library().item("glm_gate");
        QVERIFY(item);
        QTest::mouseClick(item, Qt::LeftButton);
        QCOMPARE(m_window->windowTitle(), QString("glm_gate[*] - Cubist"));
        QVERIFY(!m_window->isWindowModified());
        QVERIFY(item->isCurrent());
        QVERIFY(m_window->canvas().canvas().item(Element(BlockId(stageId()))));
        QCOMPARE(m_window->topBar().chipBox()->currentText(), QString("Ascend 910B1"));
        QTRY_COMPARE(m_window->inspector().prediction()->time(), QString("kernel 7.88 us"));
        QVERIFY(m_window->timing().headline().contains("7.88 us"));
        QCOMPARE(m_window->timing().timeline()->lanes().usedCores().size(), std::size_t(20));
    }

    void editTileSeeFindingUndoRunSeeVerdict() {
        openGate();
        click(Element(BlockId(stageId())));
        QCOMPARE(m_window->session().selection().current(), Element(BlockId(stageId())));
        StepSpinBox* kL0 = m_window->inspector().cubeForm()->tileEditor()->field(TileField::KL0);
        QVERIFY(kL0->isVisible());
        QTest::mouseClick(kL0, Qt::LeftButton, {}, QPoint(12, kL0->height() / 2));
        kL0->selectAll();
        QTest::keyClicks(kL0, "20");
        QTest::keyClick(kL0, Qt::Key_Return);
        QCOMPARE(tile().kL0(), std::int64_t(20));
        QVERIFY(m_window->isWindowModified());
        QCOMPARE(kL0->severity(), std::optional(Severity::Error));
        QVERIFY(m_window->problems().table()->model()->rowCount() > 0);
        QVERIFY(m_window->docks().dock(DockId::Problems)->windowTitle() != "Problems");
        QTRY_VERIFY(m_window->inspector().prediction()->sentence().contains("cannot run"));

        // Running it is refused with the reason in sight.
        action(CommandId::Run)->trigger();
        QTRY_VERIFY(m_window->session().runs().report());
        QVERIFY(!m_window->session().runs().report()->ran);
        QTRY_VERIFY(m_window->status().verdictLine().contains("stopped"));

        // Undo works from inside the field that was typed into.
        kL0->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(m_window->session().document().undoStack().index(), 0);
        QCOMPARE(tile().kL0(), std::int64_t(512));
        QVERIFY(!m_window->isWindowModified());
        QCOMPARE(kL0->severity(), std::optional<Severity>());

        QTest::mouseClick(m_window->topBar().runButton(), Qt::LeftButton);
        QVERIFY(m_window->session().runs().busy());
        QVERIFY(!action(CommandId::Run)->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->session().runs().busy(), 60'000);
        QCOMPARE(m_window->accuracy().verdict(), QString("Pass"));
        QVERIFY(m_window->accuracy().isVisible());
        QVERIFY2(m_window->status().verdictLine().startsWith("Accuracy pass"),
                 qPrintable(m_window->status().verdictLine()));
        QVERIFY(!m_window->accuracy().metrics()->rows().empty());

        // An edit marks the verdict as one of an earlier state.
        kL0->selectAll();
        QTest::keyClicks(kL0, "256");
        QVERIFY(m_window->session().runIsOutdated());
        QTRY_VERIFY(m_window->status().verdictLine().contains("earlier"));
    }

    void problemLeadsToItsElement() {
        openGate();
        CubeTile wrong = tile();
        wrong.m = {256, 256};
        m_window->session().document().apply("Change tile", setCubeTile(design(), BlockId(stageId()), wrong));
        action(CommandId::ShowProblems)->trigger();
        QTableView* table = m_window->problems().table();
        QTRY_VERIFY(table->isVisible());
        m_window->session().selection().clear();
        const QRect row = table->visualRect(table->model()->index(0, 2));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, row.center());
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(m_window->session().selection().current(), Element(BlockId(stageId())));
        QVERIFY(m_window->inspector().cubeForm()->isVisible());
        // And back: the badge of an element leads to its entry.
        action(CommandId::ShowTiming)->trigger();
        m_window->session().selection().showProblems(Element(BlockId(stageId())));
        QTRY_VERIFY(table->isVisible());
        QVERIFY(table->currentIndex().isValid());
    }

    void stageSelectedInTheSwimlaneIsSelectedEverywhere() {
        openGate();
        TimelinePlot* plot = m_window->timing().timeline();
        QTRY_VERIFY(!plot->rows().empty());
        action(CommandId::ShowTiming)->trigger();
        QTRY_VERIFY(plot->isVisible());
        const QPoint at = plot->pointOf(0, plot->to() * 0.5).toPoint();
        QWidget* surface = plot->childAt(at);
        QTest::mouseClick(surface, Qt::LeftButton, {}, surface->mapFrom(plot, at));
        QCOMPARE(m_window->session().selection().current(), Element(BlockId(stageId())));
    }

    void saveMakesTheDocumentAFileAndRemembersIt() {
        openGate();
        CubeTile smaller = tile();
        smaller.k = {256, 1024};
        m_window->session().document().apply("Change tile", setCubeTile(design(), BlockId(stageId()), smaller));
        QVERIFY(m_window->isWindowModified());
        const QString path = m_folder->filePath("mine.cubist.json");
        QVERIFY(m_window->session().document().saveAs(path));
        QVERIFY(!m_window->isWindowModified());
        QCOMPARE(m_window->windowTitle(), QString("mine.cubist.json[*] - Cubist"));
        const auto loaded = loadDesign(path.toStdString());
        QVERIFY(loaded);
        QVERIFY(loaded->design == design());
        QVERIFY(m_window->documents().open(path));
        QVERIFY(m_window->library().item(path));
        // The next window opens with it.
        m_window->close();
        m_window.reset();
        openWindow(setup());
        m_window->documents().openFirst({});
        QCOMPARE(m_window->session().document().path(), path);
        QCOMPARE(tile().kL0(), std::int64_t(256));
    }

    void exportPreviewShowsAndSavesTheConfig() {
        openGate();
        action(CommandId::ShowExport)->trigger();
        auto* text = m_window->exportPanel().findChild<QPlainTextEdit*>("exportText");
        QTRY_VERIFY(text->toPlainText().contains("\"kernel_us\""));
        const QString path = m_folder->filePath("glm_gate.config.json");
        QVERIFY(m_window->exportPanel().saveTo(path));
        const auto file = readFile(path.toStdString(), 1 << 20);
        QVERIFY(file);
        const auto config = parseKernelConfig(*file);
        QVERIFY(config);
        QCOMPARE(config->design, std::string("glm_gate"));
        QCOMPARE(config->stages.size(), std::size_t(1));
        QVERIFY(config->stages[0].matmul);
        QCOMPARE(config->stages[0].matmul->tile.k, (std::vector<std::int64_t>{512, 1024}));
        QVERIFY(config->predicted);
        QVERIFY(!m_window->exportPanel().saveTo(m_folder->filePath("no/such/folder.json")));
    }

    void closingWithUnsavedChangesAsks() {
        openGate();
        CubeTile smaller = tile();
        smaller.k = {256, 1024};
        m_window->session().document().apply("Change tile", setCubeTile(design(), BlockId(stageId()), smaller));
        bool asked = false;
        answerNext(QMessageBox::Cancel, &asked);
        QVERIFY(!m_window->close());
        QVERIFY(asked);
        QVERIFY(m_window->isVisible());
        asked = false;
        answerNext(QMessageBox::Discard, &asked);
        QVERIFY(m_window->close());
        QVERIFY(asked);
    }

    void windowClosesCleanlyDuringARun() {
        WindowSetup slow = setup();
        std::atomic<bool> started = false;
        std::atomic<bool> ended = false;
        slow.run = [&](const RunRequest&, const RunContext& context) -> Result<RunReport> {
            started = true;
            for (double done = 0.0; !context.cancelled(); done += 0.001) {
                context.report(done - static_cast<int>(done), "values");
                std::this_thread::yield();
            }
            ended = true;
            return cancelledError();
        };
        openWindow(std::move(slow));
        m_window->documents().openFirst({});
        action(CommandId::Run)->trigger();
        QTRY_VERIFY(started.load());
        QVERIFY(m_window->close());
        m_window.reset();
        QVERIFY(ended);
        QCoreApplication::processEvents();
    }

    void stopEndsARun() {
        WindowSetup slow = setup();
        slow.run = [](const RunRequest&, const RunContext& context) -> Result<RunReport> {
            while (!context.cancelled()) std::this_thread::yield();
            return cancelledError();
        };
        openWindow(std::move(slow));
        m_window->documents().openFirst({});
        action(CommandId::Run)->trigger();
        QVERIFY(action(CommandId::Stop)->isEnabled());
        action(CommandId::Stop)->trigger();
        QTRY_VERIFY(!m_window->session().runs().busy());
        QVERIFY(action(CommandId::Run)->isEnabled());
        QVERIFY(m_window->accuracy().verdict().isEmpty());
    }

    void failedRunIsExplained() {
        WindowSetup failing = setup();
        failing.run = [](const RunRequest&, const RunContext&) -> Result<RunReport> {
            return unexpected(ErrorCode::BadFile, "cannot read x.npy", "/tensors/0/data/file");
        };
        openWindow(std::move(failing));
        m_window->documents().openFirst({});
        action(CommandId::Run)->trigger();
        QTRY_VERIFY(m_window->status().verdictLine().contains("cannot read x.npy"));
        // It is one of the problems, at its element.
        QVERIFY(m_window->problems().table()->model()->rowCount() > 0);
    }

    void caseAndChipChangeTheTime() {
        openGate();
        QTRY_COMPARE(m_window->inspector().prediction()->time(), QString("kernel 7.88 us"));
        CaptionBox* cases = m_window->topBar().caseBox();
        QVERIFY(cases->count() >= 2);
        cases->setCurrentIndex(1);
        emit cases->activated(1);
        QTRY_VERIFY(m_window->inspector().prediction()->time() != "kernel 7.88 us");
        QVERIFY(!m_window->isWindowModified());  // the case is a choice, not an edit
        CaptionBox* chips = m_window->topBar().chipBox();
        const int other = chips->findData("Ascend950PR_958x");
        QVERIFY(other >= 0);
        emit chips->activated(other);
        QCOMPARE(design().chip.text, std::string("Ascend950PR_958x"));
        QVERIFY(m_window->isWindowModified());
    }

    void themeSwitchesAtRunTime() {
        openGate();
        action(CommandId::ThemeDark)->trigger();
        QVERIFY(m_theme.isDark());
        const QColor dark = m_window->grab().toImage().pixelColor(5, m_window->height() / 2);
        action(CommandId::ThemeLight)->trigger();
        QVERIFY(!m_theme.isDark());
        const QColor light = m_window->grab().toImage().pixelColor(5, m_window->height() / 2);
        QVERIFY(light.lightnessF() > dark.lightnessF() + 0.3F);
        QCOMPARE(Settings(m_folder->filePath("cubist.ini")).themeMode(), ThemeMode::Light);
    }

    void enterTakesNoSettingsAway() {
        openGate();
        Settings own(m_folder->filePath("cubist.ini"));
        own.setAutosaveSeconds(77);
        own.setShortcuts("run", QStringList{"Ctrl+Shift+R"});
        own.sync();
        for (const auto& [command, name, field] :
             {std::tuple(CommandId::Preferences, "settingsDialog", "qt_spinbox_lineedit"),
              std::tuple(CommandId::Shortcuts, "shortcutSheet", "")}) {
            action(command)->trigger();
            auto* dialog = m_window->findChild<QDialog*>(name);
            QVERIFY(dialog);
            QVERIFY(QTest::qWaitForWindowExposed(dialog));
            const auto fields = dialog->findChildren<QLineEdit*>(field);
            QVERIFY(!fields.isEmpty());
            fields.front()->setFocus();
            QTest::keyClick(fields.front(), Qt::Key_Return);
            QCOMPARE(Settings(m_folder->filePath("cubist.ini")).autosaveSeconds(), 77);
            QCOMPARE(Settings(m_folder->filePath("cubist.ini")).shortcuts("run"),
                     std::optional(QStringList{"Ctrl+Shift+R"}));
            if (dialog->isVisible()) dialog->close();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
    }

    void anotherLayoutKeepsTheKeyboardWhereItIs() {
        openGate();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        for (const LayoutId layout : {LayoutId::Timing, LayoutId::Accuracy, LayoutId::Design}) {
            m_window->canvas().setFocus();
            m_window->useLayout(layout);
            QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&m_window->canvas()));
        }
        click(Element(BlockId("gate")));
        auto* field = m_window->inspector().findChild<StepSpinBox*>("tile_m_0");
        QVERIFY(field);
        field->setFocus();
        action(CommandId::ResetLayout)->trigger();
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(field));
    }

    void reducedMotionStopsWhatGlides() {
        openGate();
        QVERIFY(m_window->isAnimated());
        QVERIFY(qApp->style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0);
        action(CommandId::Preferences)->trigger();
        auto* dialog = m_window->findChild<QDialog*>("settingsDialog");
        QVERIFY(dialog);
        for (const bool reduced : {true, false}) {
            dialog->findChild<QCheckBox*>("reducedMotion")->click();
            QCOMPARE(m_window->isAnimated(), !reduced);
            QCOMPARE(qApp->style()->styleHint(QStyle::SH_Widget_Animation_Duration) == 0, reduced);
            QCOMPARE(Settings(m_folder->filePath("cubist.ini")).reducedMotion(), reduced);
        }
        dialog->close();
    }

    void layoutIsRememberedAndReset() {
        openGate();
        m_window->docks().dock(DockId::Library)->hide();
        m_window->close();
        m_window.reset();
        openWindow(setup());
        QVERIFY(!m_window->docks().dock(DockId::Library)->isVisible());
        action(CommandId::ResetLayout)->trigger();
        QVERIFY(m_window->docks().dock(DockId::Library)->isVisible());
    }

    void designFileIsOpenedByDropping() {
        openWindow(setup());
        const QString path = m_folder->filePath("dropped.cubist.json");
        QVERIFY(QFile::copy(QString(CUBIST_SHARE_DIR) + "/samples/glm_gate.cubist.json", path));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QCOMPARE(m_window->session().document().path(), path);
        QMimeData picture;
        picture.setUrls({QUrl::fromLocalFile(m_folder->filePath("x.png"))});
        QDragEnterEvent other(QPoint(400, 300), Qt::CopyAction, &picture, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &other);
        QVERIFY(!other.isAccepted());
    }

    void fileThatIsNoDesignIsRefusedWithAMessage() {
        openGate();
        const QString path = m_folder->filePath("broken.cubist.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"cubist\": 1, \"name\":");
        file.close();
        QVERIFY(!m_window->documents().open(path));
        auto* box = m_window->findChild<QMessageBox*>();
        QVERIFY(box);
        QVERIFY(!box->text().isEmpty());
        box->close();
        QCOMPARE(design().name, std::string("glm_gate"));  // the open document stays
    }

    void shortcutsAreUniqueAndMenusComplete() {
        openWindow(setup());
        QCOMPARE(m_window->menuBar()->actions().size(), qsizetype(6));
        QStringList seen;
        for (const Command& command : commandTable())
            for (const QKeySequence& keys : command.shortcuts) {
                QVERIFY2(!seen.contains(keys.toString()), qPrintable(keys.toString()));
                seen << keys.toString();
            }
        QCOMPARE(commandTable().size(), kCommandCount);
        for (std::size_t i = 0; i < kCommandCount; ++i)
            QCOMPARE(static_cast<std::size_t>(commandTable()[i].id), i);  // ids are places
    }

    void everyVariantCanBeCreated() {
        openWindow(setup());
        for (const char* variant : {"A", "B", "B'", "C", "D"}) {
            LibraryItem* item = m_window->library().item(variant);
            QVERIFY(item && item->isUsable());
        }
        QVERIFY(!m_window->session().document().hasDesign());
        QTest::mouseClick(m_window->library().item("B'"), Qt::LeftButton);
        QVERIFY(m_window->session().document().hasDesign());
        QCOMPARE(design().skeleton.variant, Variant::BStatic);
        QVERIFY(m_window->session().document().path().isEmpty());
    }

    void nothingIsCutOffAtTheSmallestSize() {
        openGate();
        m_window->resize(1100, 700);
        QCoreApplication::processEvents();
        QCOMPARE(m_window->size(), QSize(1100, 700));
        // Buttons of the top bar keep their whole text.
        for (QPushButton* button : m_window->topBar().findChildren<QPushButton*>()) {
            if (!button->isVisible()) continue;
            QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(button->text()));
            QVERIFY(m_window->topBar().rect().contains(button->geometry().translated(button->parentWidget()->pos())));
        }
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"

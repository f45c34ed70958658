// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/export_commands.h"
#include "app/import_notes.h"
#include "app/main_window.h"
#include "app/measured_dialog.h"
#include "app/pypto_export_dialog.h"
#include "core/design/edit_ops.h"
#include "core/exchange/pypto_snippet.h"
#include "views/plots/overlay_plot.h"

using namespace cubist;

class TestExports : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;

    QString path(const QString& name) const { return m_folder->filePath(name); }
    ExportCommands& exports() { return m_window->exports(); }
    DocumentModel& document() { return m_window->session().document(); }
    static QByteArray contents(const QString& file) {
        QFile opened(file);
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
    }
    void openAndPredict() {
        QVERIFY(m_window->documents().openSample("glm_gate"));
        QTRY_VERIFY(m_window->session().runs().prediction() && !m_window->session().runs().busy());
    }
    void runIt() {
        m_window->session().run();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->session().runs().busy(), 60000);
        QVERIFY(m_window->session().runs().report());
    }

private slots:
    void initTestCase() { m_theme.install(*qApp); }
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        WindowSetup setup;
        setup.paths.roots = {CUBIST_SHARE_DIR};
        setup.settingsFile = path("cubist.ini");
        m_window = std::make_unique<MainWindow>(m_theme, std::move(setup));
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() {
        document().undoStack().setClean();
        m_window.reset();
        m_folder.reset();
    }

    void theMenuHasEveryKindOfExport() {
        QStringList names;
        for (const QAction* action : m_window->commands().menu(MenuId::Export)->actions())
            if (!action->isSeparator()) names << action->objectName();
        QCOMPARE(names, (QStringList{"export_pypto", "copy_snippet", "export_config", "export_tuner", "export_perfetto",
                                     "export_swimlane", "export_mindstudio", "export_tables", "export_tensors",
                                     "export_report", "export_bundle"}));
        for (const QAction* action : m_window->commands().menu(MenuId::Export)->actions())
            if (!action->isSeparator()) QVERIFY(!action->isEnabled());
        openAndPredict();
        for (const QAction* action : m_window->commands().menu(MenuId::Export)->actions())
            if (!action->isSeparator()) QVERIFY(action->isEnabled());
    }

    void aKernelFolderComesBackAsTheSameDesign() {
        openAndPredict();
        m_window->commands().action(CommandId::ExportPypto)->trigger();
        auto* dialog = m_window->findChild<PyptoExportDialog*>();
        QVERIFY(dialog);
        QVERIFY2(dialog->exported().findings.empty(), qPrintable(dialog->verdict()));
        QVERIFY(dialog->writeTo(path("kernel")));
        const Design before = *document().design();
        QVERIFY(QFile::exists(path("kernel/glm_gate_impl.py")));
        QVERIFY(QFile::exists(path("kernel/test_glm_gate.py")));
        QVERIFY(m_window->documents().open(path("kernel/glm_gate_impl.py")));
        QVERIFY(*document().design() == before);
        QVERIFY(document().path().isEmpty() && document().isModified());
        QVERIFY(!m_window->findChild<ImportNotes*>());
    }

    void theDialectChangesTheKeys() {
        openAndPredict();
        Design design = *document().design();
        design.options.cubeNBuffer.set("DEFAULT", 2);
        QVERIFY(document().apply("Change options", design));
        const auto labels = exports().pypto(KeyDialect::Labels);
        const auto integers = exports().pypto(KeyDialect::Integers);
        QVERIFY(labels && integers && labels->findings.empty());
        QVERIFY(labels->files.at("glm_gate_impl.py") != integers->files.at("glm_gate_impl.py"));
        QVERIFY(labels->files.at("glm_gate_impl.py").find("DEFAULT") != std::string::npos);
    }

    void linesThatAreNotUnderstoodAreListed() {
        openAndPredict();
        QVERIFY(writeFolder(path("kernel"), exports().pypto(KeyDialect::Labels)->files));
        QString text = QString::fromUtf8(contents(path("kernel/glm_gate_impl.py")));
        // A statement of the kernel that no design has, where a write was.
        const qsizetype at = text.indexOf("pypto.set_cube_tile_shapes");
        QVERIFY(at > 0);
        const qsizetype line = text.lastIndexOf('\n', at) + 1;
        text.insert(line, QString(at - line, ' ') + "pypto.wonder(3)\n");
        QFile changed(path("other.py"));
        QVERIFY(changed.open(QIODevice::WriteOnly));
        changed.write(text.toUtf8());
        changed.close();
        document().undoStack().setClean();
        QVERIFY(m_window->documents().importKernel(path("other.py")));
        const auto* notes = m_window->findChild<ImportNotes*>();
        QVERIFY(notes);
        QVERIFY(notes->list()->topLevelItemCount() >= 1);
        QVERIFY(notes->list()->topLevelItem(0)->text(2).contains("wonder"));
    }

    void whatIsNoKernelIsRefused() {
        openAndPredict();
        const auto before = document().design();
        QFile file(path("empty.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("x = 1\n");
        file.close();
        QVERIFY(!m_window->documents().importKernel(path("empty.py")));
        QCOMPARE(document().design(), before);
        auto* box = m_window->findChild<QMessageBox*>();
        QVERIFY(box && !box->text().isEmpty());
    }

    void theSnippetIsCopiedAndCanBeRead() {
        openAndPredict();
        QSignalSpy told(&exports(), &ExportCommands::done);
        m_window->commands().action(CommandId::CopySnippet)->trigger();
        QCOMPARE(told.count(), 1);
        const Result<PyptoSnippet> read = parseSnippet(QApplication::clipboard()->text().toStdString());
        QVERIFY(read);
        QVERIFY(*read == snippetOf(*document().design()));
    }

    void tracesAndTablesAreOfThePrediction() {
        openAndPredict();
        for (const auto& [format, name] :
             {std::pair{TraceFormat::Perfetto, "perfetto.json"}, std::pair{TraceFormat::PyptoSwimlane, "swimlane.json"},
              std::pair{TraceFormat::MindStudio, "mindstudio.json"}}) {
            QVERIFY(exports().writeTrace(format, path(name)));
            const QJsonDocument json = QJsonDocument::fromJson(contents(path(name)));
            QVERIFY2(json.isObject() || json.isArray(), name);
        }
        QVERIFY(exports().writeTables(path("tables")));
        const QByteArray stages = contents(path("tables/stages.csv"));
        QVERIFY(stages.startsWith("id,") && stages.contains("\ngate,"));
        QVERIFY(exports().writeTuner(path("tuner.json")));
        QVERIFY(contents(path("tuner.json")).contains("mm1"));
        const Result<void> nowhere = exports().writeTrace(TraceFormat::Perfetto, path("no/such/folder.json"));
        QVERIFY(!nowhere && !nowhere.error().message.empty());
    }

    void resultsAreOfTheRunAsLongAsItHolds() {
        openAndPredict();
        QVERIFY(!exports().writeTensors(path("out.npz")));
        runIt();
        QVERIFY(exports().writeTensors(path("out.npz")));
        QVERIFY(contents(path("out.npz")).startsWith("PK"));
        QVERIFY(exports().writeReport(path("report.html")));
        QVERIFY(contents(path("report.html")).contains("glm_gate"));
        QVERIFY(exports().writeBundleFile(path("run.zip")));
        const Design before = *document().design();
        QVERIFY(document().apply("Change seed", setSeed(before, before.seed + 1)));
        QTRY_VERIFY(m_window->session().runIsOutdated());
        const Result<void> outdated = exports().writeReport(path("late.html"));
        QVERIFY(!outdated && !QFile::exists(path("late.html")));
        document().undoStack().setClean();
        QVERIFY(m_window->documents().open(path("run.zip")));
        QVERIFY(*document().design() == before);
    }

    void aMeasuredSwimlaneLiesUnderTheEmulatedOne() {
        openAndPredict();
        QVERIFY(exports().writeTrace(TraceFormat::PyptoSwimlane, path("merged_swimlane.json")));
        const Result<MeasuredDialog*> opened =
            MeasuredDialog::open(m_window->session(), path("merged_swimlane.json"), m_window.get());
        QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
        MeasuredDialog& dialog = **opened;
        // Our own trace as the measured one: the same tasks on the same cores at the same times.
        const std::vector<OverlayPlot::Band>& bands = dialog.plot().bands();
        QCOMPARE(bands.size(), std::size_t(2));
        QVERIFY(!bands[0].measured && bands[1].measured);
        QCOMPARE(bands[0].rows.size(), bands[1].rows.size());
        for (std::size_t i = 0; i < bands[0].rows.size(); ++i) {
            QCOMPARE(bands[0].rows[i].bars.size(), bands[1].rows[i].bars.size());
            QVERIFY(std::abs(bands[0].rows[i].bars[0].end - bands[1].rows[i].bars[0].end) < 0.01);
        }
        QCOMPARE(dialog.stages()->topLevelItemCount(), 2);
        QVERIFY(dialog.stages()->topLevelItem(0)->text(5).startsWith("1"));
        OverlayPlot& plot = dialog.plot();
        const double whole = plot.to() - plot.from();
        QTest::keyClick(&plot, Qt::Key_Plus);
        QVERIFY(plot.to() - plot.from() < whole);
        QTest::keyClick(&plot, Qt::Key_F);
        QCOMPARE(plot.to() - plot.from(), whole);
        if (qEnvironmentVariableIsSet("CUBIST_TEST_PICTURES"))
            dialog.grab().save(qEnvironmentVariable("CUBIST_TEST_PICTURES") + "/measured.png");
        QVERIFY(!MeasuredDialog::open(m_window->session(), path("cubist.ini"), m_window.get()));
    }

    void theDialogFollowsTheDialect() {
        openAndPredict();
        m_window->commands().action(CommandId::ExportPypto)->trigger();
        auto* dialog = m_window->findChild<PyptoExportDialog*>();
        QVERIFY(dialog);
        if (qEnvironmentVariableIsSet("CUBIST_TEST_PICTURES"))
            dialog->grab().save(qEnvironmentVariable("CUBIST_TEST_PICTURES") + "/pypto.png");
        const int integers = dialog->findChild<QComboBox*>()->findData(int(KeyDialect::Integers));
        dialog->findChild<QComboBox*>()->setCurrentIndex(integers);
        QVERIFY(dialog->dialect() == KeyDialect::Integers);
        QVERIFY(!dialog->exported().files.empty());
    }
};

QTEST_MAIN(TestExports)
#include "tst_exports.moc"

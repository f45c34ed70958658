// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include <algorithm>
#include <atomic>
#include <thread>

#include "app/export_commands.h"
#include "app/import_notes.h"
#include "app/main_window.h"
#include "app/measured_dialog.h"
#include "app/pypto_export_dialog.h"
#include "app/tensor_files_dialog.h"
#include "app/variants_dialog.h"
#include "core/design/edit_ops.h"
#include "core/exchange/design_json.h"
#include "core/exchange/pypto_snippet.h"
#include "core/exchange/skeleton_json.h"
#include "core/exchange/tensor_files.h"
#include "core/exchange/variant_form.h"
#include "views/models/variant_rows.h"
#include "views/panels/inspector_panel.h"
#include "views/plots/overlay_plot.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"
#include "views/widgets/rows_table.h"

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
                                     "export_stages", "export_report", "export_bundle"}));
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

    void valuesBetweenStagesAreKeptOnceAskedFor() {
        const Design small = *m_window->documents().skeletons().design("A-1");
        document().newDesign(small);
        QVERIFY(!exports().writeStages(path("stages.npz")));  // nothing has run
        runIt();
        QVERIFY(m_window->session().runs().report()->stageResults.empty());
        const Result<void> notKept = exports().writeStages(path("stages.npz"));
        QVERIFY(!notKept && !notKept.error().hint.empty() && !QFile::exists(path("stages.npz")));
        runIt();
        const auto& kept = m_window->session().runs().report()->stageResults;
        QVERIFY(!kept.empty());
        QVERIFY(exports().writeStages(path("stages.npz")) && exports().writeStages(path("stages.safetensors")));
        QVERIFY(exports().writeTensors(path("out.safetensors")));
        for (const auto& [name, tensor] : kept) {
            const TensorTarget target{name, tensor.dtype(), tensor.shape()};
            for (const char* file : {"stages.npz", "stages.safetensors"}) {
                const auto read = tensorReaders().input(TensorFile(path(file).toStdString()), target);
                QVERIFY2(read, read ? "" : read.error().message.c_str());
                QVERIFY(std::equal(read->data(), read->data() + read->byteCount(), tensor.data()));
            }
        }
        // Another document asks for nothing.
        document().newDesign(small);
        runIt();
        QVERIFY(!m_window->session().runs().request()->keepStages);
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

    /// Inputs and goldens from files for the runs of a window: what they hold and how it lies can be said.
    void tensorFilesBelongToTheWindow() {
        openAndPredict();
        m_window->commands().action(CommandId::TensorFiles)->trigger();
        auto* dialog = m_window->findChild<TensorFilesDialog*>();
        QVERIFY(dialog);
        QCOMPARE(dialog->rows().size(), std::size_t(3));  // two inputs, one golden
        const TensorFilesDialog::Row& row = *dialog->rows()[2];
        QVERIFY(row.golden && row.target.name == "router_logits");
        QFile raw(path("y.bin"));
        QVERIFY(raw.open(QIODevice::WriteOnly) && raw.write(QByteArray(64 * 160 * 8, '\0')) > 0);
        raw.close();
        row.file->setText(path("y.bin"));
        emit row.file->editingFinished();
        QVERIFY2(row.state->text().contains("FP64 (64, 160)"), qPrintable(row.state->text()));
        row.type->setCurrentText("FP64");
        QCOMPARE(row.state->text(), TensorFilesDialog::tr("The file can be read."));
        dialog->accept();
        Session& session = m_window->session();
        QVERIFY(session.goldenFiles().at("router_logits").float64 && session.inputFiles().empty());
        runIt();
        const RunReportPtr& report = session.runs().report();
        QVERIFY(report->accuracy.verdict == Verdict::Fail);
        QCOMPARE(QString::fromStdString(report->accuracy.outputs[0].goldenFile), path("y.bin"));
        QVERIFY(!session.runIsOutdated());
        // A tensor that is gone has no file; undo brings both back.
        Design renamed = *document().design();
        for (Tensor& tensor : renamed.tensors)
            if (tensor.id.text == "router_logits") tensor.role = TensorRole::Workspace;
        QVERIFY(document().apply("Change role", std::move(renamed)));
        QVERIFY(session.request().goldens.empty());
        document().undoStack().undo();
        QCOMPARE(session.request().goldens.size(), std::size_t(1));
        session.setTensorFiles({}, {});
        QVERIFY(session.runIsOutdated());
    }

    /// The list of a tensor is what its file says, as with `--input`.
    void tensorsThatHoldListsTakeFiles() {
        QVERIFY(m_window->documents().openSample("llada2_grouped_gemm"));
        TensorFilesDialog dialog(m_window->session());
        const auto row = std::find_if(dialog.rows().begin(), dialog.rows().end(),
                                      [](const auto& each) { return each->target.name == "expert_cumsum"; });
        QVERIFY(row != dialog.rows().end() && !(*row)->golden);
        const std::int32_t starts[] = {0, 2, 3, 3, 8};
        QFile raw(path("starts.bin"));
        QVERIFY(raw.open(QIODevice::WriteOnly) && raw.write(reinterpret_cast<const char*>(starts), sizeof starts) > 0);
        raw.close();
        (*row)->file->setText(path("starts.bin"));
        emit(*row)->file->editingFinished();
        QCOMPARE((*row)->state->text(), TensorFilesDialog::tr("The file can be read."));
    }

    void aSavedFileIsNamedAsItsFilter() {
        QFileDialog dialog(nullptr, {}, m_folder->path(), "NumPy archives (*.npz);;safetensors (*.safetensors)");
        dialog.setOption(QFileDialog::DontUseNativeDialog);
        dialog.setAcceptMode(QFileDialog::AcceptSave);
        dialog.selectFile("gate.stages.npz");
        followFilter(dialog);
        QCOMPARE(dialog.defaultSuffix(), QString("npz"));
        auto* filters = dialog.findChild<QComboBox*>("fileTypeCombo");
        const auto choose = [&](int index) {
            filters->setCurrentIndex(index);
            emit filters->activated(index);  // what a click does: both
            emit filters->textActivated(filters->itemText(index));
            return QFileInfo(dialog.selectedFiles().constFirst()).fileName();
        };
        QVERIFY(filters);
        QCOMPARE(choose(1), QString("gate.stages.safetensors"));
        QCOMPARE(dialog.defaultSuffix(), QString("safetensors"));
        QCOMPARE(choose(0), QString("gate.stages.npz"));
    }

    void loopVariantsStandSideBySide() {
        document().newDesign(*m_window->documents().skeletons().design("B-1"));
        m_window->session().selection().select(Element(BlockId("groups")));
        auto* button = m_window->inspector().findChild<QPushButton*>("compareVariants");
        QVERIFY(button && button->isVisibleTo(&m_window->inspector()));
        button->click();
        auto* dialog = m_window->findChild<VariantsDialog*>();
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->comparer().busy(), 30000);
        const auto expected = compareVariants(m_window->session().request(), designVariants(*document().design()), {});
        std::vector<VariantFigures> told;
        for (const auto& form : dialog->comparer().forms()) told.push_back(*form.figures);
        QCOMPARE(variantsJson(told), variantsJson(*expected));
        const QAbstractItemModel& rows = *dialog->table()->model();
        QCOMPARE(std::size_t(rows.rowCount()), expected->size());
        const auto cell = [&](int row, FormColumn column) { return rows.index(row, int(column)).data().toString(); };
        for (std::size_t i = 0; i < told.size(); ++i) {
            QCOMPARE(cell(int(i), FormColumn::Tasks), grouped(told[i].tasks));
            QCOMPARE(cell(int(i), FormColumn::Kernel), microsecondsText(told[i].kernelUs));
            QCOMPARE(cell(int(i), FormColumn::Change),
                     i == 0 ? QString("-") : changeText(told[0].endToEndUs, told[i].endToEndUs));
        }
        QVERIFY(cell(0, FormColumn::Form).contains("(current)") && dialog->current() == std::size_t(0));
        QVERIFY(!dialog->applySelected());  // it is the form that the design has

        // One step of the history each, and back to the byte.
        const std::string before = writeDesign(*document().design());
        QCOMPARE(dialog->comparer().forms()[1].variant.id, std::string("groups_serial"));
        dialog->select(1);
        QCOMPARE(dialog->figures()->model()->rowCount() > 10, true);
        QVERIFY(dialog->applySelected());
        QCOMPARE(document().undoStack().count(), 1);
        QVERIFY(!std::get<Loop>(document().design()->blocks.front().content).parallel);
        QVERIFY(dialog->current() == std::size_t(1) && cell(1, FormColumn::Form).contains("(current)"));
        QCOMPARE(cell(0, FormColumn::Change), changeText(told[1].endToEndUs, told[0].endToEndUs));
        document().undoStack().undo();
        QCOMPARE(writeDesign(*document().design()), before);
        QVERIFY(dialog->current() == std::size_t(0));
        dialog->select(2);
        QVERIFY(dialog->applySelected());
        dialog->select(0);
        QVERIFY(dialog->applySelected());
        QCOMPARE(writeDesign(*document().design()), before);

        // After another edit the figures are of an earlier state: none of them is the design's.
        const Design now = *document().design();
        QVERIFY(document().apply("Change seed", setSeed(now, now.seed + 1)));
        dialog->select(1);
        QVERIFY(!dialog->current() && !dialog->applySelected());
        QVERIFY(dialog->note().contains("compare again"));
        if (qEnvironmentVariableIsSet("CUBIST_TEST_PICTURES"))
            dialog->grab().save(qEnvironmentVariable("CUBIST_TEST_PICTURES") + "/variants.png");
    }

    /// Where the case sets what the form changes, the setting is what is changed.
    void aFormGoesIntoTheSettingsOfItsCase() {
        Design design = *m_window->documents().skeletons().design("B-1");
        design.cases.front().set.set("/blocks/groups/parallel", JsonText{"false"});
        document().newDesign(design);
        document().setCase(QString::fromStdString(design.cases.front().id.text));
        VariantsDialog dialog(m_window->session());
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.comparer().busy(), 30000);
        QCOMPARE(dialog.comparer().forms()[1].variant.id, std::string("groups_parallel_4"));
        dialog.select(1);
        QVERIFY2(dialog.applySelected(), qPrintable(dialog.note()));
        QVERIFY(sameForm(*document().effectiveDesign(), dialog.comparer().forms()[1].variant.design));
        QCOMPARE(document().design()->cases.front().set.entries.front().value.text, std::string("true"));
        QVERIFY(sameForm(*document().design(), design));
    }

    void aComparisonCanBeStopped() {
        openAndPredict();
        std::atomic<int> calls = 0;
        auto dialog =
            std::make_unique<VariantsDialog>(m_window->session(), nullptr,
                                             [&](const RunRequest&, const std::vector<DesignVariant>& asked,
                                                 const RunContext& context) -> Result<std::vector<VariantFigures>> {
                                                 VariantFigures figures;
                                                 figures.id = asked.front().id;
                                                 if (calls++ == 0) return std::vector{figures};
                                                 while (!context.cancelled()) std::this_thread::yield();
                                                 return cancelledError();
                                             });
        QTRY_VERIFY(calls == 2);
        const auto& forms = dialog->comparer().forms();
        QTRY_VERIFY(forms.size() > 1 && forms[0].figures);
        QVERIFY(dialog->comparer().busy());
        dialog->findChild<QPushButton*>("stopComparing")->click();
        QVERIFY(!dialog->comparer().busy() && dialog->note().startsWith("Stopped"));
        QVERIFY(forms[0].figures && !forms[1].figures);
        // One that is at work does not keep its window from closing.
        calls = 1;
        dialog->compareAgain();
        QTRY_VERIFY(calls == 2);
        dialog.reset();
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTreeWidget>

#include "app/export_commands.h"
#include "app/help_window.h"
#include "app/import_notes.h"
#include "app/main_window.h"
#include "app/measured_dialog.h"
#include "app/tensor_files_dialog.h"
#include "app/variants_dialog.h"
#include "core/design/edit_structure.h"
#include "core/exchange/design_json.h"
#include "tests/support/designs.h"
#include "tests/support/layout_check.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/stage_catalog.h"
#include "views/choice_text.h"
#include "views/panels/inspector_panel.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const std::string kLong = "_of_the_layer_with_a_name_that_nobody_would_want_to_type_more_than_once";

void collectElements(const std::vector<Block>& blocks, std::vector<Element>& elements) {
    for (const Block& block : blocks) {
        elements.emplace_back(block.id());
        if (const Loop* loop = std::get_if<Loop>(&block.content)) collectElements(loop->body, elements);
    }
}

std::vector<Element> elementsOf(const Design& design) {
    std::vector<Element> elements;
    for (const Tensor& tensor : design.tensors) elements.emplace_back(tensor.id);
    collectElements(design.blocks, elements);
    return elements;
}

/// The same design with long names everywhere.
Design withLongNames(Design design) {
    for (const Element& element : elementsOf(design)) {
        const std::string name = element.id + kLong;
        const auto renamed = element.isTensor() ? renameTensor(design, element.tensor(), name)
                                                : renameBlock(design, element.block(), name);
        if (renamed) design = *renamed;
    }
    std::vector<Element> elements;
    collectElements(design.blocks, elements);
    for (const Element& element : elements)
        if (const ValueId value = resultOf(*findBlock(design, element.block())); !value.empty())
            if (const auto renamed = renameValue(design, value, value.text + kLong)) design = *renamed;
    design.name += kLong;
    for (Case& entry : design.cases) {
        if (design.defaultCase == entry.id) design.defaultCase = CaseId(entry.id.text + kLong);
        entry.id = CaseId(entry.id.text + kLong);
    }
    return design;
}

}  // namespace

/// Texts of the window: long names, both languages.
class TestWindowTexts : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;

    void verify(const QWidget& window, const QString& state) {
        QStringList faults;
        for (int round = 0; round < 20; ++round) {
            QCoreApplication::processEvents();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
            faults = layoutFaults(window);
            // Long names end with an ellipsis: that is as it should be.
            faults.removeIf([](const QString& fault) {
                return fault.contains("CaptionBox: '") ||
                       ((fault.endsWith("is elided") || fault.contains("ChoiceBox: '")) &&
                        fault.contains(QString::fromStdString(kLong).left(20)));
            });
            if (round > 1 && faults.isEmpty()) return;
        }
        faults.removeDuplicates();
        QVERIFY2(faults.isEmpty(), qPrintable(state + "\n" + faults.join('\n')));
    }
    /// What scrolls only up and down shows its whole width.
    void nothingIsWiderThanItsPanel(const QString& state) {
        for (const auto* area : m_window->inspector().findChildren<QScrollArea*>()) {
            if (!area->isVisible() || !area->widget() || !area->widgetResizable()) continue;
            if (area->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff) continue;
            QVERIFY2(area->widget()->width() <= area->viewport()->width(),
                     qPrintable(QString("%1: %2 > %3, %4")
                                    .arg(state)
                                    .arg(area->widget()->width())
                                    .arg(area->viewport()->width())
                                    .arg(widest(area->widget(), area->viewport()->width()))));
        }
    }
    /// The narrowest widgets that need more room than there is.
    static QString widest(const QWidget* parent, int room) {
        QStringList names;
        for (const QWidget* child : parent->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
            if (child->isHidden() || child->minimumSizeHint().width() < room - 60) continue;
            const QString inside = widest(child, room);
            names << (inside.isEmpty()
                          ? QString("%1 %2").arg(child->metaObject()->className(), child->property("key").toString())
                          : inside);
        }
        return names.join(", ");
    }
    void openWindow(const QSize& size) {
        m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    static bool hasChinese(const QString& text) {
        return text.contains(QRegularExpression(QStringLiteral("[\\x{4e00}-\\x{9fff}]")));
    }

private slots:
    void initTestCase() { m_theme.install(*qApp); }
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        WindowSetup setup;
        setup.paths.roots = {CUBIST_SHARE_DIR};
        setup.settingsFile = m_folder->filePath("cubist.ini");
        m_window = std::make_unique<MainWindow>(m_theme, std::move(setup));
    }
    void cleanup() {
        m_window->session().document().undoStack().setClean();
        m_window.reset();
        applyLanguage(Language::English);
        m_folder.reset();
    }

    void longNamesAreCutAndToldWhole_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<QSize>("size");
        for (const char* sample : {"fused_swiglu", "quant_grouped_matmul", "gmm_finalize_routing"})
            for (const QSize size : {QSize(1600, 1000), QSize(960, 540)})
                QTest::addRow("%s %d", sample, size.width()) << QString::fromLatin1(sample) << size;
    }

    void longNamesAreCutAndToldWhole() {
        QFETCH(QString, sample);
        QFETCH(QSize, size);
        openWindow(size);
        QVERIFY(m_window->documents().openSample(sample));
        m_window->session().document().newDesign(withLongNames(*m_window->session().document().design()));
        QTRY_VERIFY(m_window->session().runs().prediction());
        QCoreApplication::processEvents();
        QCOMPARE(m_window->size(), size);
        std::vector<Element> elements = elementsOf(*m_window->session().document().design());
        elements.insert(elements.begin(), Element());
        for (const Element& element : elements) {
            m_window->session().selection().select(element);
            verify(*m_window, QString::fromStdString(element.id));
            nothingIsWiderThanItsPanel(QString::fromStdString(element.id));
        }
        // What rules say names it, too.
        Design broken = *m_window->session().document().design();
        cubeOf(broken).b = ValueId("nobody" + kLong);
        const BlockId stage = cubeOf(broken).id;
        m_window->session().document().apply("Edit", std::move(broken));
        for (const Element& element : {Element(stage), Element()}) {
            m_window->session().selection().select(element);
            verify(*m_window, "broken");
            nothingIsWiderThanItsPanel("broken");
        }
        m_window->session().document().undoStack().undo();
        m_window->canvas().canvas().selectAll();
        verify(*m_window, "all");
        nothingIsWiderThanItsPanel("all");
        for (const DockId dock :
             {DockId::Problems, DockId::Accuracy, DockId::Timing, DockId::Export, DockId::History}) {
            m_window->docks().show(dock);
            verify(*m_window, "dock " + m_window->docks().dock(dock)->windowTitle());
        }
        TensorFilesDialog files(m_window->session());
        VariantsDialog variants(m_window->session());
        for (QDialog* shown : {static_cast<QDialog*>(&files), static_cast<QDialog*>(&variants)}) {
            shown->setAttribute(Qt::WA_DeleteOnClose, false);
            shown->resize(940, 500);
            shown->show();
        }
        variants.comparer().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!variants.comparer().busy(), 60'000);
        for (QDialog* shown : {static_cast<QDialog*>(&files), static_cast<QDialog*>(&variants)}) {
            verify(*shown, shown->objectName());
            QCOMPARE(shown->size(), QSize(940, 500));
        }
        QCOMPARE(m_window->size(), size);
    }

    void openDialogsFollowTheLanguage() {
        openWindow({1280, 760});
        QVERIFY(m_window->documents().openSample("fused_swiglu"));
        QTRY_VERIFY(m_window->session().runs().prediction());
        const QString trace = m_folder->filePath("merged_swimlane.json");
        QVERIFY(m_window->exports().writeTrace(TraceFormat::PyptoSwimlane, trace));
        const auto measured = MeasuredDialog::open(m_window->session(), trace, m_window.get());
        QVERIFY(measured);
        HelpWindow* help = HelpWindow::open(m_window.get(), m_theme, "index");
        auto* notes =
            new ImportNotes("kernel.py", "a\nb\n", {ImportNote{2, "no such call", false}}, m_theme, m_window.get());
        notes->show();
        m_window->commands().action(CommandId::About)->trigger();
        const QList<QDialog*> dialogs = m_window->findChildren<QDialog*>();
        QVERIFY(dialogs.size() >= 4);
        for (const QDialog* dialog : dialogs)
            QVERIFY2(!hasChinese(dialog->windowTitle()), dialog->metaObject()->className());
        applyLanguage(Language::Chinese);
        for (const QDialog* dialog : dialogs)
            QTRY_VERIFY2(hasChinese(dialog->windowTitle()), qPrintable(dialog->windowTitle()));
        QTRY_VERIFY(hasChinese((*measured)->stages()->headerItem()->text(0)));
        QVERIFY(hasChinese((*measured)->summary()));
        QVERIFY(hasChinese(notes->list()->headerItem()->text(0)));
        QVERIFY(hasChinese(help->browser()->toPlainText()));
        for (const QDialog* dialog : dialogs)
            for (const QAbstractButton* button : dialog->findChildren<QAbstractButton*>())
                if (button->isVisible() && !button->text().isEmpty())
                    QVERIFY2(hasChinese(button->text()), qPrintable(button->text()));
        for (const QDialog* dialog : dialogs) verify(*dialog, dialog->windowTitle());
    }

    /// Words of the file format have their meaning in every list of the window.
    void wordsOfListsAreTranslated() {
        QCOMPARE(choiceText("uniform"), QString("uniform"));
        applyLanguage(Language::Chinese);
        QCOMPARE(choiceText("uniform"), QString::fromUtf8("均匀分布 (uniform)"));
        QCOMPARE(choiceText("FP16"), QString("FP16"));
        for (const char* phase : {"inputs", "checks", "lowering", "program", "values", "compare", "time", "done"})
            QVERIFY2(hasChinese(choiceWord(phase)), phase);
        QStringList titles;
        for (const CatalogEntry& entry : stageCatalog())
            if (!hasChinese(entry.title)) titles << entry.title;
        // Functions that go by their names everywhere.
        for (const char* kept : {"Relu", "Sigmoid", "Softmax", "Gelu", "Silu", "SwiGLU"})
            titles.removeAll(QLatin1String(kept));
        QVERIFY2(titles.isEmpty(), qPrintable(titles.join(", ")));
        openWindow({1600, 1000});
        QTRY_VERIFY(hasChinese(m_window->docks().dock(DockId::Timing)->windowTitle()));
        QCoreApplication::processEvents();
        QVERIFY(m_window->documents().openSample("gmm_finalize_routing"));
        // Names of types and formats, of chips, variants and cases are names in every language; so are PyPTO's own.
        // What has a number in it is a name.
        const QRegularExpression name("^[A-Z_ ]+$|^[A-D]'?$|[0-9]");
        QStringList foreign;
        for (const Element& element : elementsOf(*m_window->session().document().design())) {
            m_window->session().selection().select(element);
            for (const QComboBox* box : m_window->inspector().findChildren<QComboBox*>())
                for (int i = 0; i < box->count(); ++i)
                    if (!hasChinese(box->itemText(i)) && !name.match(box->itemText(i)).hasMatch())
                        foreign << box->itemText(i);
        }
        foreign.removeDuplicates();
        for (const char* kept : {"relu", "sigmoid", "softmax", "gelu", "silu"}) foreign.removeAll(QLatin1String(kept));
        for (const Case& entry : m_window->session().document().design()->cases)
            foreign.removeAll(QString::fromStdString(entry.id.text));
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign.join(", ")));
    }
};

QTEST_MAIN(TestWindowTexts)
#include "tst_window_texts.moc"

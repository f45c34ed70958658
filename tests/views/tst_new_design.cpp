// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include <set>

#include "app/main_window.h"
#include "app/wizard/design_check.h"
#include "app/wizard/design_choices.h"
#include "app/wizard/fit_page.h"
#include "app/wizard/new_design_dialog.h"
#include "app/wizard/sizes_page.h"
#include "app/wizard/template_page.h"
#include "tests/support/layout_check.h"
#include "views/widgets/labels.h"
#include "views/widgets/step_spin_box.h"
#include "views/widgets/wrap_check_box.h"

using namespace cubist;
using Question = SkeletonQuestion;

namespace {

int errorsOf(const DocumentModel& document) {
    int errors = document.problem() ? 1 : 0;
    for (const Finding& finding : document.findings()) errors += finding.severity == Severity::Error ? 1 : 0;
    return errors;
}

const Tensor& tensorOf(const Design& design, const char* id) {
    for (const Tensor& tensor : design.tensors)
        if (tensor.id.text == id) return tensor;
    qFatal("no tensor %s", id);
}

}  // namespace

class TestNewDesign : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;

    const SkeletonLibrary& library() { return m_window->documents().skeletons(); }
    const SkeletonTemplate* named(const QString& id) {
        for (const SkeletonTemplate& entry : library().index().templates)
            if (entry.id == id.toStdString()) return &entry;
        return nullptr;
    }
    NewDesignDialog* openDialog() {
        m_window->activateWindow();
        if (!QTest::qWaitForWindowActive(m_window.get())) return nullptr;
        QTest::keyClick(m_window.get(), Qt::Key_N, Qt::ControlModifier);
        auto* dialog = m_window->findChild<NewDesignDialog*>();
        if (!dialog) return nullptr;
        if (!QTest::qWaitForWindowExposed(dialog)) return nullptr;
        dialog->activateWindow();
        if (!QTest::qWaitForWindowActive(dialog)) return nullptr;
        return dialog;
    }
    /// Goes to a row of a list with the arrow keys, from its first one.
    static bool goTo(QListWidget& list, const std::function<bool(const QListWidgetItem&)>& wanted) {
        QTest::keyClick(&list, Qt::Key_Home);
        for (int i = 0; i < list.count(); ++i) {
            if (list.currentItem() && wanted(*list.currentItem())) return true;
            QTest::keyClick(&list, Qt::Key_Down);
        }
        return false;
    }
    static bool clickOn(QListWidget& list, const std::function<bool(const QListWidgetItem&)>& wanted) {
        for (int i = 0; i < list.count(); ++i) {
            if (!wanted(*list.item(i))) continue;
            list.scrollToItem(list.item(i));
            QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(i)).center());
            return true;
        }
        return false;
    }
    static std::function<bool(const QListWidgetItem&)> isVariant(Variant variant) {
        return [variant](const QListWidgetItem& item) {
            return item.data(Qt::UserRole).toInt() == static_cast<int>(variant);
        };
    }
    /// The row of the data flow that a template has; it stands for the first template of its kind.
    std::function<bool(const QListWidgetItem&)> isPatternOf(const SkeletonTemplate& wanted) {
        return [this, wanted](const QListWidgetItem& item) {
            const SkeletonTemplate* entry = named(item.data(Qt::UserRole).toString());
            return entry && entry->variant == wanted.variant && entry->pattern == wanted.pattern;
        };
    }
    /// Rows of the templates; `ofEachFlow`: one for each loop variant and data flow.
    void addTemplates(bool ofEachFlow) {
        QTest::addColumn<QString>("id");
        const SkeletonLibrary all = SkeletonLibrary::load({std::string(CUBIST_SHARE_DIR) + "/skeletons"});
        std::set<std::pair<Variant, std::vector<std::int64_t>>> flows;
        for (const SkeletonTemplate& entry : all.index().templates)
            if (flows.emplace(entry.variant, entry.pattern).second || !ofEachFlow)
                QTest::newRow(entry.id.c_str()) << QString::fromStdString(entry.id);
    }
    void verifyCreated(const SkeletonTemplate& entry) {
        DocumentModel& document = m_window->session().document();
        QVERIFY(document.hasDesign());
        QVERIFY(document.path().isEmpty());
        QVERIFY(document.isModified());
        QCOMPARE(document.design()->skeleton.variant, entry.variant);
        QCOMPARE(document.design()->skeleton.pattern, entry.pattern);
        QCOMPARE(errorsOf(document), 0);
        m_window->session().run();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->session().runs().busy(), 60000);
        QVERIFY(!m_window->session().runError());
        const RunReportPtr& report = m_window->session().runs().report();
        QVERIFY(report);
        QVERIFY(report->accuracy.verdict == Verdict::Pass);
    }

private slots:
    void initTestCase() { m_theme.install(*qApp); }
    void init() {
        // All tests share a window, which is as new without a design: making it takes longer than most of them.
        if (m_window) return;
        m_folder = std::make_unique<QTemporaryDir>();
        WindowSetup setup;
        setup.paths.roots = {CUBIST_SHARE_DIR};
        setup.settingsFile = m_folder->filePath("cubist.ini");
        m_window = std::make_unique<MainWindow>(m_theme, std::move(setup));
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() {
        delete m_window->findChild<NewDesignDialog*>();
        m_window->session().document().close();
        m_theme.setMode(ThemeMode::Light);
        applyLanguage(Language::English);
        QCoreApplication::processEvents();
        QVERIFY(!m_window->session().runs().busy());
        QVERIFY(!m_window->session().document().hasDesign());
    }

    void everyTemplateByKeyboard_data() { addTemplates(false); }
    void everyTemplateByKeyboard() {
        QFETCH(QString, id);
        const SkeletonTemplate entry = *named(id);
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        QTest::keyClick(dialog->windowHandle(), Qt::Key_N, Qt::AltModifier);
        QTRY_COMPARE(dialog->step(), int(NewDesignDialog::Structure));
        TemplatePage& page = dialog->templatePage();
        QVERIFY(goTo(*page.variants(), isVariant(entry.variant)));
        QVERIFY(goTo(*page.patterns(), isPatternOf(entry)));
        QTest::keyClick(dialog->windowHandle(), Qt::Key_N, Qt::AltModifier);
        QTRY_COMPARE(dialog->step(), int(NewDesignDialog::Sizes));
        QComboBox* types = dialog->sizesPage().types();
        QTest::keyClick(types, Qt::Key_Home);
        while (types->currentText() != QString::fromStdString(entry.kind) && types->currentIndex() + 1 < types->count())
            QTest::keyClick(types, Qt::Key_Down);
        QCOMPARE(types->currentText(), QString::fromStdString(entry.kind));
        QVERIFY2(dialog->createButton()->isEnabled(), qPrintable(dialog->sizesPage().check().text()));
        QTest::keyClick(dialog->windowHandle(), Qt::Key_Return, Qt::ControlModifier);
        verifyCreated(entry);
        if (entry.arch.empty()) return;
        QCOMPARE(m_window->session().document().chip()->arch, entry.arch);
    }

    void everyVariantByMouse_data() { addTemplates(true); }
    void everyVariantByMouse() {
        QFETCH(QString, id);
        const SkeletonTemplate entry = *named(id);
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        QTest::mouseClick(dialog->findChild<QPushButton*>("wizardNext"), Qt::LeftButton);
        TemplatePage& page = dialog->templatePage();
        QVERIFY(clickOn(*page.variants(), isVariant(entry.variant)));
        QVERIFY(clickOn(*page.patterns(), isPatternOf(entry)));
        QTest::mouseClick(dialog->findChild<QPushButton*>("wizardNext"), Qt::LeftButton);
        QTest::mouseClick(dialog->createButton(), Qt::LeftButton);
        const DocumentModel& document = m_window->session().document();
        QVERIFY(document.hasDesign() && document.isModified());
        QCOMPARE(document.design()->skeleton.variant, entry.variant);
        QCOMPARE(document.design()->skeleton.pattern, entry.pattern);
        QCOMPARE(errorsOf(document), 0);
    }

    void answersNameTheSkeletonThatFits_data() {
        QTest::addColumn<int>("question");
        QTest::addColumn<bool>("matmul");
        QTest::addColumn<QString>("skeleton");
        const auto row = [](const char* name, Question question, bool matmul, const char* skeleton) {
            QTest::newRow(name) << int(question) << matmul << QString(skeleton);
        };
        row("nothing else", Question::HasMatmul, true, "SK-14");
        row("experts", Question::GateAndExperts, true, "SK-07");
        row("online softmax", Question::RunningSoftmax, true, "SK-01");
        row("whole softmax", Question::WholeSoftmax, true, "SK-02");
        row("prolog", Question::NormBetween, true, "SK-04");
        row("norm and linear", Question::NormAndLinear, true, "SK-03");
        row("swiglu", Question::OnlySwiglu, true, "SK-06");
        row("heavy", Question::HeavyVector, true, "SK-15");
        row("gate alone", Question::GateAndExperts, false, "SK-12");
        row("state", Question::CarriedState, false, "SK-10");
        row("axes", Question::SeveralAxes, false, "SK-09");
        row("element-wise", Question::ElementWiseOnly, false, "SK-08");
        row("vector alone", Question::HasMatmul, false, "SK-13");
    }
    void answersNameTheSkeletonThatFits() {
        QFETCH(int, question);
        QFETCH(bool, matmul);
        QFETCH(QString, skeleton);
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        FitPage& page = dialog->fitPage();
        if (!matmul) QTest::keyClick(page.box(Question::HasMatmul), Qt::Key_Space);
        if (static_cast<Question>(question) != Question::HasMatmul) {
            WrapCheckBox* box = page.box(static_cast<Question>(question));
            QVERIFY(box->isVisible());
            QTest::keyClick(box, Qt::Key_Space);
        }
        QCOMPARE(QString::fromStdString(page.advice().skeleton), skeleton);
        QVERIFY2(page.verdict().contains(skeleton), qPrintable(page.verdict()));
        QVERIFY(!page.advice().reason.zh.empty());
        // The card of the other skeleton is shown, and going on stays possible.
        QVERIFY(library().index().skeleton(skeleton.toStdString()));
        QVERIFY(dialog->createButton()->isEnabled());
    }

    void whatDoesNotExistSaysWhy() {
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        dialog->showStep(NewDesignDialog::Structure);
        dialog->choose(Variant::A);
        const QListWidget& patterns = *dialog->templatePage().patterns();
        int missing = 0;
        for (int i = 0; i < patterns.count(); ++i) {
            if (patterns.item(i)->flags().testFlag(Qt::ItemIsEnabled)) continue;
            ++missing;
            QVERIFY(patterns.item(i)->toolTip().size() > 20);
        }
        QCOMPARE(missing, 2);
        QCOMPARE(patterns.count(), 4);
    }

    void picturesAreOfTheTemplatesAndOfTheTheme() {
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        dialog->showStep(NewDesignDialog::Structure);
        std::vector<QImage> pictures;
        const QListWidget& variants = *dialog->templatePage().variants();
        QCOMPARE(variants.count(), 5);
        for (int i = 0; i < variants.count(); ++i) {
            const QImage image = variants.item(i)->icon().pixmap(132, 64).toImage();
            QVERIFY(!image.isNull());
            std::set<QRgb> colours;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
            QVERIFY2(colours.size() > 8, "a picture with nothing in it");
            for (const QImage& other : pictures) QVERIFY(image != other);
            pictures.push_back(image);
        }
        m_theme.setMode(ThemeMode::Dark);
        QVERIFY(variants.item(0)->icon().pixmap(132, 64).toImage() != pictures[0]);
    }

    void shapesAreCheckedWhileTheyAreTyped() {
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        dialog->choose(Variant::B);
        dialog->showStep(NewDesignDialog::Sizes);
        SizesPage& page = dialog->sizesPage();
        auto* rows = page.findChild<StepSpinBox*>("symbol_T");
        QVERIFY(rows);
        auto* field = rows->findChild<QLineEdit*>();
        QVERIFY(field);
        field->selectAll();
        QTest::keyClicks(field, "1000");
        const Design made = *dialog->design();
        QCOMPARE(made.symbols.front().value, 1000);
        // The groups still add up.
        const std::vector<std::int64_t>* groups = made.cases.front().lists.find("group_list");
        QVERIFY(groups);
        QCOMPARE(*groups, (std::vector<std::int64_t>{250, 250, 250, 250}));
        const auto* tensors = page.findChild<QTreeWidget*>("wizardTensors");
        QVERIFY(tensors->topLevelItem(0)->text(1).startsWith("1000"));
    }

    void errorsKeepTheDesignFromBeingMade() {
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        dialog->choose(Variant::A);
        dialog->showStep(NewDesignDialog::Sizes);
        SizesPage& page = dialog->sizesPage();
        QVERIFY(page.check().isRunnable());
        auto* extent = page.findChild<StepSpinBox*>("extent_512");
        QVERIFY(extent);
        QCOMPARE(page.findChild<ElidedLabel*>("extentLabel_512")->wholeText().section(':', 0, 0), QString("K, N"));
        auto* field = extent->findChild<QLineEdit*>();
        field->selectAll();
        QTest::keyClicks(field, "500");
        // A result of 500 BF16 columns is no whole number of 32-byte blocks.
        const bool runnable = page.check().isRunnable();
        QCOMPARE(dialog->createButton()->isEnabled(), runnable);
        field->selectAll();
        QTest::keyClicks(field, "768");
        QVERIFY2(page.check().isRunnable(), qPrintable(page.check().text()));
        QTest::keyClick(dialog->windowHandle(), Qt::Key_Return, Qt::ControlModifier);
        const Design& made = *m_window->session().document().design();
        QCOMPARE(tensorOf(made, "x").shape[1].literal(), std::optional<std::int64_t>(768));
        QCOMPARE(tensorOf(made, "w_down").shape[0].literal(), std::optional<std::int64_t>(768));
        QCOMPARE(tensorOf(made, "w_up").shape[1].literal(), std::optional<std::int64_t>(768));
        m_window->session().run();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->session().runs().busy(), 60000);
        QVERIFY(m_window->session().runs().report()->accuracy.verdict == Verdict::Pass);
    }

    void otherTypesRunToo() {
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        dialog->choose(Variant::D);
        dialog->showStep(NewDesignDialog::Sizes);
        QComboBox* types = dialog->sizesPage().types();
        const int fp16 = types->findText("FP16");
        QVERIFY(fp16 > 0);
        types->setCurrentIndex(fp16);
        QTest::keyClick(dialog->windowHandle(), Qt::Key_Return, Qt::ControlModifier);
        for (const Tensor& tensor : m_window->session().document().design()->tensors)
            QVERIFY(tensor.dtype != DType::BF16);
        QCOMPARE(errorsOf(m_window->session().document()), 0);
        m_window->session().run();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->session().runs().busy(), 60000);
        QVERIFY(m_window->session().runs().report()->accuracy.verdict == Verdict::Pass);
    }

    void nameChipAndEditsAreKept() {
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        dialog->choose(Variant::C);
        dialog->showStep(NewDesignDialog::Sizes);
        QLineEdit* name = dialog->sizesPage().name();
        QVERIFY(name->hasFocus());
        name->selectAll();
        QTest::keyClicks(name, "mine");
        // The name stays when another template is chosen.
        dialog->choose(Variant::A);
        QCOMPARE(QString::fromStdString(dialog->design()->name), QString("mine"));
        QComboBox* chip = dialog->sizesPage().chip();
        QTest::keyClick(chip, Qt::Key_Down);
        const std::string chosen = dialog->design()->chip.text;
        QTest::mouseClick(dialog->createButton(), Qt::LeftButton);
        DocumentModel& document = m_window->session().document();
        QCOMPARE(QString::fromStdString(document.design()->name), QString("mine"));
        QCOMPARE(document.design()->chip.text, chosen);
        // What is edited afterwards can be undone to what the dialog made.
        const Design made = *document.design();
        Design edited = made;
        edited.seed += 1;
        QVERIFY(document.apply("Change seed", edited));
        document.undoStack().undo();
        QVERIFY(*document.design() == made);
    }

    void cancellingLeavesTheDesignAlone() {
        QVERIFY(m_window->documents().openSample("glm_gate"));
        const auto before = m_window->session().document().design();
        const QPointer<NewDesignDialog> dialog = openDialog();  // which deletes itself when it is closed
        QVERIFY(dialog);
        QTest::keyClick(dialog->windowHandle(), Qt::Key_Escape);
        QVERIFY(!dialog || !dialog->isVisible());
        QCOMPARE(m_window->session().document().design(), before);
    }

    void nothingIsCutOff_data() {
        QTest::addColumn<bool>("chinese");
        QTest::newRow("en") << false;
        QTest::newRow("zh") << true;
    }
    void nothingIsCutOff() {
        QFETCH(bool, chinese);
        applyLanguage(chinese ? Language::Chinese : Language::English);
        QCoreApplication::processEvents();
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::HighContrast}) {
            m_theme.setMode(mode);
            NewDesignDialog* dialog = openDialog();
            QVERIFY(dialog);
            for (const int step : {NewDesignDialog::Fit, NewDesignDialog::Structure, NewDesignDialog::Sizes}) {
                dialog->showStep(step);
                QStringList faults;
                for (int round = 0; round < 10; ++round) {
                    QCoreApplication::processEvents();
                    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
                    faults = test::layoutFaults(*dialog);
                    if (round > 1 && faults.isEmpty()) break;
                }
                QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
                if (qEnvironmentVariableIsSet("CUBIST_TEST_PICTURES"))
                    dialog->grab().save(QString("%1/wizard-%2-%3-%4.png")
                                            .arg(qEnvironmentVariable("CUBIST_TEST_PICTURES"))
                                            .arg(step)
                                            .arg(chinese ? "zh" : "en")
                                            .arg(int(mode)));
            }
            delete dialog;
        }
    }

    void onASmallScreenTheButtonsStayInSight() {
        NewDesignDialog* dialog = openDialog();
        QVERIFY(dialog);
        // What a screen of 1920 x 1080 leaves at 200 %.
        constexpr QSize kSmall(940, 480);
        dialog->resize(kSmall);
        for (const int step : {NewDesignDialog::Fit, NewDesignDialog::Structure, NewDesignDialog::Sizes}) {
            dialog->showStep(step);
            QCoreApplication::processEvents();
            QCOMPARE(dialog->size(), kSmall);
            for (const char* name : {"createButton", "wizardBack", "wizardNext", "wizardEmpty"}) {
                const auto* button = dialog->findChild<QPushButton*>(name);
                QVERIFY(button);
                QVERIFY2(dialog->rect().contains(QRect(button->mapTo(dialog, QPoint()), button->size())), name);
            }
        }
        delete dialog;
    }

    void countsAreStretchedInProportion_data() {
        QTest::addColumn<std::vector<std::int64_t>>("before");
        QTest::addColumn<std::int64_t>("total");
        QTest::addColumn<std::vector<std::int64_t>>("after");
        using Counts = std::vector<std::int64_t>;
        QTest::newRow("double") << Counts{1, 2, 3} << std::int64_t{12} << Counts{2, 4, 6};
        QTest::newRow("rounded") << Counts{1, 1, 1} << std::int64_t{10} << Counts{3, 3, 4};
        QTest::newRow("empty groups stay") << Counts{4, 0, 4} << std::int64_t{4} << Counts{2, 0, 2};
        QTest::newRow("from nothing") << Counts{0, 0} << std::int64_t{5} << Counts{3, 2};
        QTest::newRow("to nothing") << Counts{5, 7} << std::int64_t{0} << Counts{0, 0};
    }
    void countsAreStretchedInProportion() {
        QFETCH(std::vector<std::int64_t>, before);
        QFETCH(std::int64_t, total);
        QFETCH(std::vector<std::int64_t>, after);
        QCOMPARE(stretchedCounts(before, total), after);
    }

    void scalesOfMxTypesFollowTheirExtent() {
        const Design* design = library().design("B-3-mxfp8");
        QVERIFY(design);
        for (const FixedExtent& extent : fixedExtents(*design)) {
            if (extent.value != 512) continue;
            const Design made = withExtent(*design, extent, 1024);
            QCOMPARE(tensorOf(made, "x").shape[1].literal(), std::optional<std::int64_t>(1024));
            QCOMPARE(tensorOf(made, "scale_x").shape[1].literal(), std::optional<std::int64_t>(16));
            QCOMPARE(tensorOf(made, "scale_x").shape[2].literal(), std::optional<std::int64_t>(2));
            QCOMPARE(tensorOf(made, "y").shape[0].literal(), std::optional<std::int64_t>(64));
            return;
        }
        QFAIL("no extent of 512");
    }
};

QTEST_MAIN(TestNewDesign)
#include "tst_new_design.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>

#include "app/main_window.h"
#include "app/settings_dialog.h"
#include "app/shortcut_sheet.h"
#include "app/tensor_files_dialog.h"
#include "app/top_bar.h"
#include "app/variants_dialog.h"
#include "core/design/edit_ops.h"
#include "tests/support/layout_check.h"
#include "views/canvas/canvas_view.h"
#include "views/panels/inspector_panel.h"
#include "views/panels/library_panel.h"
#include "views/panels/timing_panel.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Elements of every kind in a design.
void collect(const std::vector<Block>& blocks, std::vector<Element>& elements) {
    for (const Block& block : blocks) {
        elements.emplace_back(block.id());
        if (const Loop* loop = std::get_if<Loop>(&block.content)) collect(loop->body, elements);
    }
}

}  // namespace

class TestWindowLayout : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;
    QString m_lastRow;

    void verify(const QWidget& window, const QString& state) {
        QStringList faults;
        // A layout takes several rounds of events to settle.
        for (int round = 0; round < 20; ++round) {
            QCoreApplication::processEvents();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
            faults = layoutFaults(window);
            if (round > 1 && faults.isEmpty()) return;
        }
        faults.removeDuplicates();
        QVERIFY2(faults.isEmpty(), qPrintable(state + "\n" + faults.join('\n')));
    }

private slots:
    void initTestCase() { m_theme.install(*qApp); }
    void init() {
        if (m_window) return;
        m_folder = std::make_unique<QTemporaryDir>();
        WindowSetup setup;
        setup.paths.roots = {CUBIST_SHARE_DIR};
        setup.settingsFile = m_folder->filePath("cubist.ini");
        m_window = std::make_unique<MainWindow>(m_theme, std::move(setup));
    }
    void cleanup() {
        m_window->session().document().undoStack().setClean();
        // The rows of one test share a window: making it takes longer than looking at it.
        const char* row = QTest::currentDataTag();
        if (row && !QTest::currentTestFailed() && row != m_lastRow) return;
        m_window.reset();
        applyLanguage(Language::English);
        m_folder.reset();
    }

    void cutAndOverlappingWidgetsAreFound() {
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* label = new QLabel("a text that is much too long for its label");
        auto* button = new QPushButton("Button");
        column->addWidget(label);
        column->addWidget(button);
        window.resize(600, 200);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(layoutFaults(window).isEmpty());
        label->setFixedWidth(40);
        QCoreApplication::processEvents();
        QCOMPARE(layoutFaults(window).size(), qsizetype(1));
        label->setFixedWidth(400);
        QCoreApplication::processEvents();
        button->setGeometry(label->geometry().translated(4, 4));
        QVERIFY(layoutFaults(window).join(' ').contains("overlap"));
    }

    void nothingIsCutOffOrOverlaps_data() {
        QTest::addColumn<bool>("chinese");
        QTest::addColumn<int>("theme");
        QTest::addColumn<int>("layout");
        QTest::addColumn<QSize>("size");
        for (const bool chinese : {false, true})
            for (const ThemeMode theme : {ThemeMode::Light, ThemeMode::Dark})
                for (const LayoutId layout : {LayoutId::Design, LayoutId::Accuracy, LayoutId::Timing})
                    for (const QSize size : {QSize(1600, 1000), QSize(1280, 760), QSize(960, 540)}) {
                        if (size.width() < 1000 && theme != ThemeMode::Light) continue;
                        m_lastRow = QString("%1 %2 %3 %4")
                                        .arg(chinese ? "zh" : "en", theme == ThemeMode::Light ? "light" : "dark",
                                             layoutName(layout), QString::number(size.width()));
                        QTest::newRow(qPrintable(m_lastRow)) << chinese << int(theme) << int(layout) << size;
                    }
    }

    void nothingIsCutOffOrOverlaps() {
        QFETCH(bool, chinese);
        QFETCH(int, theme);
        QFETCH(int, layout);
        QFETCH(QSize, size);
        applyLanguage(chinese ? Language::Chinese : Language::English);
        m_theme.setMode(static_cast<ThemeMode>(theme));
        m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->useLayout(static_cast<LayoutId>(layout));
        m_window->docks().reset();
        QVERIFY(m_window->documents().openSample("glm_gate"));
        QTRY_VERIFY(m_window->session().runs().prediction());
        const Design& design = *m_window->session().document().design();
        std::vector<Element> elements{Element(), Element(design.tensors[0].id), Element(design.tensors.back().id)};
        collect(design.blocks, elements);
        for (const Element& element : elements) {
            m_window->session().selection().select(element);
            verify(*m_window, QString::fromStdString(element.id));
        }
        for (const DockId dock :
             {DockId::Problems, DockId::Accuracy, DockId::Timing, DockId::Export, DockId::History}) {
            m_window->docks().show(dock);
            QCoreApplication::processEvents();
            verify(*m_window, "dock " + m_window->docks().dock(dock)->windowTitle());
        }
    }

    void anotherLanguageKeepsTheSizesOfDocks() {
        m_window->resize(1280, 760);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->useLayout(LayoutId::Timing);
        QVERIFY(m_window->documents().openSample("glm_gate"));
        QTRY_VERIFY(m_window->session().runs().prediction());
        QTRY_COMPARE(m_window->docks().sizes().inspector, 340);
        const DockLayout::Sizes before = m_window->docks().sizes();
        m_window->commands().action(CommandId::CompareVariants)->trigger();
        applyLanguage(Language::Chinese);
        QTRY_COMPARE(m_window->docks().dock(DockId::Timing)->windowTitle(), QString::fromUtf8("时间线"));
        const auto* variants = m_window->findChild<VariantsDialog*>();
        QVERIFY(variants);
        QCOMPARE(variants->windowTitle(), QString::fromUtf8("循环形式 - Cubist"));
        QTRY_COMPARE(m_window->docks().sizes().inspector, before.inspector);
        QTRY_COMPARE(m_window->docks().sizes().library, before.library);
        QTRY_VERIFY(std::abs(m_window->docks().sizes().bottom - before.bottom) <= 4);
    }

    void aVectorStageFits() {
        m_window->resize(1280, 760);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QVERIFY(m_window->documents().openSample("fused_swiglu"));
        QTRY_VERIFY(m_window->session().runs().prediction());
        std::vector<Element> elements;
        collect(m_window->session().document().design()->blocks, elements);
        for (const Element& element : elements) {
            m_window->session().selection().select(element);
            verify(*m_window, QString::fromStdString(element.id));
        }
    }

    void aRunFits() {
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QVERIFY(m_window->documents().openSample("glm_gate"));
        m_window->session().run();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session().runs().report(), 60'000);
        for (const Language language : {Language::English, Language::Chinese}) {
            applyLanguage(language);
            for (const QSize size : {QSize(1280, 760), QSize(960, 540)}) {
                m_window->resize(size);
                for (const LayoutId layout : {LayoutId::Design, LayoutId::Accuracy, LayoutId::Timing}) {
                    m_window->useLayout(layout);
                    m_window->docks().reset();
                    m_window->docks().show(DockId::Accuracy);
                    verify(*m_window, QString("%1 %2").arg(layoutName(layout)).arg(size.width()));
                }
            }
        }
    }

    void dialogsFit() {
        for (const Language language : {Language::English, Language::Chinese}) {
            applyLanguage(language);
            Settings settings(m_folder->filePath("other.ini"));
            SettingsDialog dialog(settings, m_theme, nullptr);
            dialog.setAttribute(Qt::WA_DeleteOnClose, false);
            dialog.show();
            verify(dialog, "settings");
            ShortcutSheet sheet(m_window->commands(), settings, m_theme, nullptr);
            sheet.setAttribute(Qt::WA_DeleteOnClose, false);
            sheet.show();
            verify(sheet, "shortcuts");
            m_window->session().document().newDesign(*m_window->documents().skeletons().design("B-1"));
            TensorFilesDialog files(m_window->session());
            VariantsDialog variants(m_window->session());
            for (QDialog* shown : {static_cast<QDialog*>(&files), static_cast<QDialog*>(&variants)}) {
                shown->setAttribute(Qt::WA_DeleteOnClose, false);
                shown->resize(940, 500);
                shown->show();
            }
            QTRY_VERIFY_WITH_TIMEOUT(!variants.comparer().busy(), 30'000);
            for (QDialog* shown : {static_cast<QDialog*>(&files), static_cast<QDialog*>(&variants)}) {
                verify(*shown, shown->objectName());
                QCOMPARE(shown->size(), QSize(940, 500));
                if (!qEnvironmentVariableIsSet("CUBIST_TEST_PICTURES")) continue;
                for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark, ThemeMode::HighContrast}) {
                    m_theme.setMode(mode);
                    shown->grab().save(QString("%1/%2-%3-%4.png")
                                           .arg(qEnvironmentVariable("CUBIST_TEST_PICTURES"), shown->objectName())
                                           .arg(int(language))
                                           .arg(int(mode)));
                }
                m_theme.setMode(ThemeMode::Light);
            }
        }
    }

    void everyTextIsTranslated() {
        QFile file(QString(CUBIST_SOURCE_DIR) + "/resources/i18n/cubist_zh_CN.ts");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QVERIFY(!text.contains("type=\"unfinished\""));
        QVERIFY(!text.contains("type=\"vanished\""));
        QVERIFY(text.count("<message") > 700);
        QVERIFY(text.contains(QString::fromUtf8("泳道图")) && text.contains(QString::fromUtf8("切分")) &&
                text.contains(QString::fromUtf8("检查项")));
    }

    void onASmallScreenTheCanvasKeepsItsRoom() {
        m_window->resize(960, 540);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QVERIFY(m_window->documents().openSample("glm_gate"));
        QTRY_VERIFY(m_window->session().runs().prediction());
        for (const LayoutId layout : {LayoutId::Design, LayoutId::Accuracy, LayoutId::Timing}) {
            m_window->useLayout(layout);
            m_window->docks().reset();
            QTRY_VERIFY2(m_window->canvas().height() >= 180, qPrintable(layoutName(layout)));
        }
    }

    void tabGoesThroughThePartsInReadingOrder() {
        m_window->resize(1600, 1000);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QVERIFY(m_window->documents().openSample("glm_gate"));
        QTRY_VERIFY(m_window->session().runs().prediction());
        QCoreApplication::processEvents();
        for (const bool again : {false, true}) {
            // Views are made anew with another language.
            if (again) {
                applyLanguage(Language::Chinese);
                QTRY_COMPARE(m_window->docks().dock(DockId::Timing)->windowTitle(), QString::fromUtf8("时间线"));
                QCoreApplication::processEvents();
            }
            const std::vector<std::pair<const QWidget*, QString>> parts{{&m_window->topBar(), "bar"},
                                                                        {&m_window->library(), "library"},
                                                                        {&m_window->canvas(), "canvas"},
                                                                        {&m_window->inspector(), "inspector"},
                                                                        {&m_window->timing(), "timing"}};
            QStringList order;
            const QWidget* widget = m_window.get();
            while ((widget = widget->nextInFocusChain()) != m_window.get()) {
                if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible()) continue;
                for (const auto& [part, name] : parts)
                    if ((part == widget || part->isAncestorOf(widget)) && (order.isEmpty() || order.last() != name))
                        order << name;
            }
            // It is a ring: where it is cut does not matter.
            const qsizetype start = order.indexOf("bar");
            QVERIFY(start >= 0);
            QStringList ring = order.mid(start) + order.mid(0, start);
            while (ring.size() > 1 && ring.last() == ring.first()) ring.removeLast();
            QCOMPARE(ring.join(' '), QString("bar library canvas inspector timing"));
        }
    }

    void everyFieldHasANameForReaders() {
        m_window->show();
        QVERIFY(m_window->documents().openSample("glm_gate"));
        std::vector<Element> elements{Element()};
        collect(m_window->session().document().design()->blocks, elements);
        QStringList nameless;
        for (const Element& element : elements) {
            m_window->session().selection().select(element);
            for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
                if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
                // Parts of a field, and views whose panel has the name.
                if (widget->objectName().startsWith("qt_") ||
                    qobject_cast<QAbstractScrollArea*>(widget->parentWidget()) || widget->inherits("QScrollArea") ||
                    widget->inherits("QTabBar") || widget->inherits("QMenuBar"))
                    continue;
                const auto* button = qobject_cast<const QAbstractButton*>(widget);
                if (widget->accessibleName().isEmpty() && !(button && !button->text().isEmpty()))
                    nameless << QString("%1 %2").arg(widget->metaObject()->className(), widget->objectName());
            }
        }
        nameless.removeDuplicates();
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
    }
};

QTEST_MAIN(TestWindowLayout)
#include "tst_window_layout.moc"

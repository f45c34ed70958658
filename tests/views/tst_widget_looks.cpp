// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QHeaderView>
#include <QImage>
#include <QPushButton>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/main_window.h"
#include "app/shortcut_sheet.h"
#include "app/variants_dialog.h"
#include "tests/support/designs.h"
#include "views/models/rows_model.h"
#include "views/panels/inspector_panel.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/rows_table.h"

using namespace cubist;

namespace {

Cell numberCell(const QString& text) {
    Cell cell{text};
    cell.number = true;
    return cell;
}

/// Last column of a picture that differs from its top left corner, in units of the widget.
int lastInk(const QImage& picture, int fromY, int toY, int fromX, int toX) {
    const QRgb ground = picture.pixel(fromX + 1, fromY + 1);
    for (int x = toX - 1; x >= fromX; --x)
        for (int y = fromY; y < toY; ++y)
            if (qAbs(qGray(picture.pixel(x, y)) - qGray(ground)) > 60) return x;
    return -1;
}

}  // namespace

/// How single widgets are drawn.
class TestWidgetLooks : public QObject {
    Q_OBJECT

private:
    Theme m_theme;

private slots:
    void initTestCase() {
        m_theme.setMode(ThemeMode::Light);
        m_theme.install(*qApp);
    }

    void headersOfNumbersEndWhereTheNumbersDo() {
        RowsTable table;
        RowsModel model(m_theme, {"Name", "WWWW", "HHHHHHHH"});
        model.setRows({{Cell{"a"}, numberCell("12345678"), numberCell("8")}});
        table.setRowsModel(&model);
        table.resize(400, 120);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        const QImage picture = table.grab().toImage();
        const int headerHeight = table.horizontalHeader()->height();
        for (const int column : {1, 2}) {
            const int left = table.columnViewportPosition(column);
            const int right = left + table.columnWidth(column);
            const int header = lastInk(picture, 1, headerHeight - 3, left, right);
            const int number = lastInk(picture, headerHeight + 2, headerHeight + table.rowHeight(0) - 2, left, right);
            QVERIFY(header > left && number > left);
            QVERIFY2(qAbs(header - number) <= 2, qPrintable(QString("%1 %2").arg(header).arg(number)));
        }
    }

    void listsOfBoxesHaveTheColoursOfTheTheme_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("light") << int(ThemeMode::Light);
        QTest::newRow("dark") << int(ThemeMode::Dark);
        QTest::newRow("high contrast") << int(ThemeMode::HighContrast);
    }

    void listsOfBoxesHaveTheColoursOfTheTheme() {
        QFETCH(int, mode);
        // The box is older than the theme that it is shown in.
        m_theme.setMode(ThemeMode::Light);
        ChoiceBox box("Type");
        box.addItems({"FP16", "BF16", "FP32"});
        box.show();
        QVERIFY(QTest::qWaitForWindowExposed(&box));
        box.showPopup();
        box.hidePopup();
        m_theme.setMode(static_cast<ThemeMode>(mode));
        QCoreApplication::processEvents();
        box.showPopup();
        QTRY_VERIFY(box.view()->isVisible());
        box.view()->setCurrentIndex(box.view()->model()->index(1, 0));
        QCoreApplication::processEvents();
        const QImage picture = box.view()->viewport()->grab().toImage();
        const auto at = [&](int row) {
            const QRect item = box.view()->visualRect(box.view()->model()->index(row, 0));
            return picture.pixelColor(item.right() - 12, item.center().y());
        };
        QCOMPARE(at(1), m_theme.color(Token::CubeSoft));
        QCOMPARE(at(2), m_theme.color(Token::Surface));
        box.hidePopup();
        m_theme.setMode(ThemeMode::Light);
    }

    void noCaptionStandsAlone() {
        Session session(m_theme, ChipLibrary::load({CUBIST_SOURCE_DIR "/resources/chips"}));
        InspectorPanel inspector(session);
        inspector.show();
        const auto captions = [&] {
            QStringList texts;
            for (const SectionLabel* label : inspector.findChildren<SectionLabel*>())
                if (label->isVisible()) texts << label->text();
            return texts;
        };
        session.document().newDesign(test::glmGate());
        QVERIFY(captions().contains("SYMBOLS OF THIS CASE"));
        session.document().newDesign(test::matmulDesign());
        QVERIFY(!captions().contains("SYMBOLS OF THIS CASE"));
        QVERIFY(captions().contains("DESIGN"));
    }

    void keysAreSetForACommandOnly() {
        QTemporaryDir folder;
        WindowSetup setup;
        setup.paths.roots = {CUBIST_SHARE_DIR};
        setup.settingsFile = folder.filePath("cubist.ini");
        MainWindow window(m_theme, std::move(setup));
        ShortcutSheet sheet(window.commands(), window.settings(), m_theme, nullptr);
        sheet.setAttribute(Qt::WA_DeleteOnClose, false);
        sheet.show();
        const auto buttons = [&](bool enabled) {
            int count = 0;
            for (const QPushButton* button : sheet.findChildren<QPushButton*>())
                if (button->text() == "Set" || button->text() == "None")
                    count += button->isEnabled() == enabled ? 1 : 0;
            return count;
        };
        auto* list = sheet.findChild<QTreeWidget*>();
        list->setCurrentItem(nullptr);
        QCOMPARE(buttons(false), 2);
        list->setCurrentItem(list->topLevelItem(0)->child(0));
        QCOMPARE(buttons(true), 2);
        list->setCurrentItem(list->topLevelItem(0));
        QCOMPARE(buttons(false), 2);
    }

    void loopVariantsShowEveryColumn() {
        QTemporaryDir folder;
        WindowSetup setup;
        setup.paths.roots = {CUBIST_SHARE_DIR};
        setup.settingsFile = folder.filePath("cubist.ini");
        MainWindow window(m_theme, std::move(setup));
        window.resize(1600, 1000);
        window.show();
        window.session().document().newDesign(*window.documents().skeletons().design("B-1"));
        VariantsDialog variants(window.session());
        variants.setAttribute(Qt::WA_DeleteOnClose, false);
        variants.resize(1120, 640);
        variants.show();
        QTRY_VERIFY_WITH_TIMEOUT(!variants.comparer().busy(), 60'000);
        QCoreApplication::processEvents();
        auto* table = variants.findChild<RowsTable*>();
        QVERIFY(table && table->model()->rowCount() > 1);
        QVERIFY2(table->horizontalScrollBar()->maximum() == 0,
                 qPrintable(QString::number(table->horizontalScrollBar()->maximum())));
        window.session().document().undoStack().setClean();
    }
};

QTEST_MAIN(TestWidgetLooks)
#include "tst_widget_looks.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include "app/top_bar.h"
#include "tests/support/window_script.h"
#include "views/panels/accuracy_panel.h"
#include "views/panels/design_form.h"
#include "views/panels/inspector_panel.h"
#include "views/panels/library_panel.h"
#include "views/panels/stage_palette.h"

using namespace cubist;
using namespace cubist::test;

/// QuantMatMulReduceSum from an empty canvas with the mouse alone, on the real window: no key is pressed.
class TestBuildByMouse : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<WindowScript> m_script;

    void press(const char* key) {
        PaletteItem* item = m_script->window().library().stages().item(QLatin1String(key));
        QVERIFY2(item, key);
        QTest::mouseClick(item, Qt::LeftButton);
    }

    void clearSelection() { m_script->click(QPoint(m_script->canvas().viewport()->width() / 2, 10)); }

    /// A new input with its type, format and shape [2, 128, 128] changed by steps of its axes.
    void addInput(const QString& dtype, bool nz, int first, int second, int third) {
        clearSelection();
        press("tensor/input");
        const QString id = m_script->selected();
        m_script->doubleClickCard(id);
        InPlaceEditor& settings = m_script->canvas().inPlace();
        QVERIFY(settings.isVisible());
        if (dtype != "BF16") WindowScript::pick(m_script->inPlaceBox("type"), dtype);
        if (nz) WindowScript::pick(m_script->inPlaceBox("format"), "NZ");
        auto* add = m_script->inPlaceWidget<QToolButton>("addAxis");
        QVERIFY(add);
        QTest::mouseClick(add, Qt::LeftButton);
        QTRY_COMPARE(settings.axes().size(), std::size_t(3));
        // The settings stay while axes come and go.
        QVERIFY(settings.isVisible());
        QTest::mouseClick(m_script->inPlaceWidget<QToolButton>("removeAxis"), Qt::LeftButton);
        QTRY_COMPARE(settings.axes().size(), std::size_t(2));
        QVERIFY(settings.isVisible());
        QTest::mouseClick(m_script->inPlaceWidget<QToolButton>("addAxis"), Qt::LeftButton);
        QTRY_COMPARE(settings.axes().size(), std::size_t(3));
        WindowScript::step(settings.axes()[0], first);
        WindowScript::step(settings.axes()[1], second);
        WindowScript::step(settings.axes()[2], third);
        clearSelection();
        QVERIFY(!settings.isVisible());
    }

private slots:
    void init() {
        m_script = std::make_unique<WindowScript>();
        QVERIFY(QTest::qWaitForWindowExposed(&m_script->window()));
    }
    void cleanup() { m_script.reset(); }

    void quantMatMulReduceSum() {
        auto* empty = m_script->canvas().findChild<QPushButton*>("emptyDesign");
        QVERIFY(empty && empty->isVisible());
        QTest::mouseClick(empty, Qt::LeftButton);
        QVERIFY(m_script->window().session().document().hasDesign());

        // Operands: two batches of INT8 matrices, a scale for each row and one for each column.
        addInput("INT8", false, 1, 0, 0);
        addInput("INT8", true, 1, 0, 0);
        addInput("FP32", false, 1, 0, -9);
        addInput("BF16", false, 0, -9, 0);
        press("tensor/output");
        QCOMPARE(m_script->design().tensors.size(), std::size_t(5));
        QCOMPARE(m_script->design().tensors[0].shape, (std::vector<Expression>{2, 128, 128}));
        QCOMPARE(m_script->design().tensors[2].shape, (std::vector<Expression>{2, 128, 1}));
        QCOMPARE(m_script->design().tensors[3].shape, (std::vector<Expression>{1, 1, 128}));

        // The matmul reads the first matrix at once; the second is wired.
        m_script->clickCard("x");
        press("cube/matmul");
        QCOMPARE(m_script->selected(), QString("matmul"));
        m_script->pullWire("x2", "matmul", 1);
        m_script->clickCard("matmul");
        press("vector/dequant");
        m_script->pullWire("x3", "dequant", 1);
        m_script->pullWire("x4", "dequant", 2);
        m_script->clickCard("dequant");
        press("vector/sum");
        // The sum runs along the batch and is rounded once.
        m_script->doubleClickCard("sum");
        WindowScript::step(m_script->inPlaceWidget<StepSpinBox>("inPlaceDim_0"), 1);
        clearSelection();
        m_script->drop("vector/cast_bf16", m_script->onView(m_script->node("sum")->area().center()));
        m_script->pullWire("sum", "y", 0);
        QVERIFY2(m_script->window().session().document().resolved(),
                 m_script->window().session().document().problem()
                     ? m_script->window().session().document().problem()->message.c_str()
                     : "");

        // Judged as published tests do: the reference rounds at the same places.
        clearSelection();
        DesignForm* form = m_script->window().inspector().designForm();
        QComboBox* golden = nullptr;
        for (QComboBox* box : form->findChildren<QComboBox*>())
            if (box->accessibleName().compare("golden", Qt::CaseInsensitive) == 0) golden = box;
        WindowScript::pick(golden, "framework");
        for (const Finding& finding : m_script->window().session().document().findings())
            QVERIFY2(finding.severity != Severity::Error, finding.message.c_str());

        QTest::mouseClick(m_script->window().topBar().runButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!m_script->window().session().runs().busy(), 60'000);
        QCOMPARE(m_script->window().accuracy().verdict(), QString("Pass"));

        // And all of it can be taken back.
        QUndoStack& undo = m_script->window().session().document().undoStack();
        while (undo.canUndo()) undo.undo();
        QVERIFY(m_script->design().tensors.empty() && m_script->design().blocks.empty());
        QVERIFY(m_script->design().layout.empty());
        undo.setClean();
    }
};

QTEST_MAIN(TestBuildByMouse)
#include "tst_build_by_mouse.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "tests/support/window_script.h"
#include "views/canvas/chooser.h"
#include "views/panels/accuracy_panel.h"

using namespace cubist;
using namespace cubist::test;

/// QuantMatMulReduceSum from an empty canvas with the keyboard alone, on the real window: every event is a key that
/// goes to whatever has the focus.
class TestBuildByKeyboard : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<WindowScript> m_script;

    [[nodiscard]] static QWidget* focus() {
        QWidget* widget = QApplication::focusWidget();
        if (!widget) qFatal("nothing has the focus");
        return widget;
    }
    static void key(Qt::Key code, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(focus(), code, modifiers); }
    static void type(const char* text) { QTest::keyClicks(focus(), text); }

    /// Tab until a field of this name has the focus.
    static void tabTo(const QString& name, int most = 60) {
        for (int i = 0; i < most; ++i) {
            if (focus()->accessibleName().compare(name, Qt::CaseInsensitive) == 0) return;
            key(Qt::Key_Tab);
        }
        QFAIL(qPrintable("no field named " + name));
    }

    /// Quick-add from the canvas.
    void add(const char* what) {
        QVERIFY(m_script->canvas().hasFocus());
        key(Qt::Key_Tab);
        type(what);
        key(Qt::Key_Return);
    }
    void find(const char* what) {
        key(Qt::Key_F, Qt::ControlModifier);
        type(what);
        key(Qt::Key_Return);
        QCOMPARE(m_script->selected(), QString(what));
    }
    void connectTo(const char* what) {
        key(Qt::Key_C);
        type(what);
        key(Qt::Key_Return);
    }

    void addInput(const char* name, const char* dtype, bool nz, const QStringList& shape) {
        key(Qt::Key_Escape);
        add("input tensor");
        key(Qt::Key_F2);
        type(name);
        tabTo("type");
        type(dtype);
        if (nz) {
            tabTo("format");
            type("NZ");
        }
        // An axis in front, and then each extent in turn.
        tabTo("Add an axis in front");
        key(Qt::Key_Space);
        QTRY_COMPARE(m_script->canvas().inPlace().axes().size(), std::size_t(3));
        for (int axis = 0; axis < 3; ++axis) {
            tabTo(QString("shape, axis %1").arg(axis));
            key(Qt::Key_A, Qt::ControlModifier);
            QTest::keyClicks(focus(), shape[axis]);
        }
        key(Qt::Key_Escape);
        QCOMPARE(m_script->selected(), QString(name));
        QVERIFY(m_script->canvas().hasFocus());
    }

private slots:
    void init() {
        m_script = std::make_unique<WindowScript>();
        QVERIFY(QTest::qWaitForWindowActive(&m_script->window()));
    }
    void cleanup() { m_script.reset(); }

    void quantMatMulReduceSum() {
        for (int i = 0; i < 80 && focus()->objectName() != "emptyDesign"; ++i) key(Qt::Key_Tab);
        QCOMPARE(focus()->objectName(), QString("emptyDesign"));
        key(Qt::Key_Space);
        QVERIFY(m_script->window().session().document().hasDesign());
        QVERIFY(m_script->canvas().hasFocus());

        addInput("x1", "INT8", false, {"2", "128", "128"});
        addInput("w", "INT8", true, {"2", "128", "128"});
        addInput("row_scale", "FP32", false, {"2", "128", "1"});
        addInput("column_scale", "BF16", false, {"1", "1", "128"});
        key(Qt::Key_Escape);
        add("output tensor");
        QCOMPARE(m_script->design().tensors.size(), std::size_t(5));
        QCOMPARE(m_script->design().tensors[1].format, Format::NZ);
        QCOMPARE(m_script->design().tensors[3].shape, (std::vector<Expression>{1, 1, 128}));

        find("x1");
        add("matmul");
        find("w");
        connectTo("matmul");
        find("matmul");
        add("dequant");
        find("row_scale");
        connectTo("dequant");
        find("column_scale");
        connectTo("dequant");
        find("dequant");
        add("sum");
        key(Qt::Key_F2);
        tabTo("Axis of sum");
        key(Qt::Key_A, Qt::ControlModifier);
        type("0");
        key(Qt::Key_Escape);
        add("cast to bf16");
        connectTo("y");
        QVERIFY2(m_script->window().session().document().resolved(),
                 m_script->window().session().document().problem()
                     ? m_script->window().session().document().problem()->message.c_str()
                     : "");

        // Nothing selected: Enter leads to the design's own settings.
        key(Qt::Key_Escape);
        key(Qt::Key_Return);
        tabTo("golden", 300);
        type("framework");
        QCOMPARE(m_script->design().tolerance.golden, GoldenKind::Framework);
        for (const Finding& finding : m_script->window().session().document().findings())
            QVERIFY2(finding.severity != Severity::Error, finding.message.c_str());

        key(Qt::Key_R, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_script->window().session().runs().report(), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(!m_script->window().session().runs().busy(), 60'000);
        QCOMPARE(m_script->window().accuracy().verdict(), QString("Pass"));

        // And all of it can be taken back.
        QUndoStack& undo = m_script->window().session().document().undoStack();
        while (undo.canUndo()) undo.undo();
        QVERIFY(m_script->design().tensors.empty() && m_script->design().blocks.empty());
        undo.setClean();
    }
};

QTEST_MAIN(TestBuildByKeyboard)
#include "tst_build_by_keyboard.moc"

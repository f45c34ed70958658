// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPlainTextEdit>

#include "tests/support/canvas_fixture.h"
#include "views/canvas/note_item.h"

using namespace cubist;
using namespace cubist::test;

/// Notes as they are written on the canvas.
class TestCanvasNotes : public QObject, private CanvasFixture {
    Q_OBJECT

private:
    void addNote() {
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(600, 600));
        chooseTyped("note");
        QVERIFY(field());
    }
    [[nodiscard]] QPlainTextEdit* field() { return m_view->findChild<QPlainTextEdit*>("noteEditor"); }
    void leave() { QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); }

private slots:
    void init() { makeCanvas(); }
    void cleanup() { removeCanvas(); }

    void aNoteIsWrittenAtOnce() {
        addNote();
        QTest::keyClicks(field(), "tail of 352 rows");
        QTest::keyClick(field(), Qt::Key_Return, Qt::ControlModifier);
        leave();
        QCOMPARE(design().canvasNotes.size(), std::size_t(1));
        QCOMPARE(design().canvasNotes.front().text, std::string("tail of 352 rows"));
        undoAllGivesTheSameBytes();
    }

    /// Whoever thinks better of it has no empty note to remove.
    void aNoteThatIsNotWrittenGoesAgain() {
        addNote();
        QCOMPARE(design().canvasNotes.size(), std::size_t(1));
        QTest::keyClick(field(), Qt::Key_Escape);
        leave();
        QVERIFY(design().canvasNotes.empty());
        QVERIFY(!m_document->isModified());
        addNote();
        QTest::keyClicks(field(), "half a thought");
        QTest::keyClick(field(), Qt::Key_Escape);
        leave();
        QVERIFY(design().canvasNotes.empty());
        addNote();
        m_view->setFocus();
        leave();
        QVERIFY(design().canvasNotes.empty());
        QCOMPARE(QString::fromStdString(writeDesign(design())), QString::fromStdString(m_before));
    }

    void anOlderNoteKeepsItsText() {
        addNote();
        QTest::keyClicks(field(), "first");
        QTest::keyClick(field(), Qt::Key_Return, Qt::ControlModifier);
        leave();
        const QPoint at = onView(m_view->canvas().noteItems().front()->sceneBoundingRect().center());
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, at);
        QVERIFY(field());
        QTest::keyClicks(field(), "second");
        QTest::keyClick(field(), Qt::Key_Escape);
        leave();
        QCOMPARE(design().canvasNotes.front().text, std::string("first"));
    }
};

QTEST_MAIN(TestCanvasNotes)
#include "tst_canvas_notes.moc"

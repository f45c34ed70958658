// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include <random>

#include "core/design/edit_ops.h"
#include "core/exchange/design_json.h"
#include "tests/support/designs.h"
#include "views/panels/formula_editor.h"
#include "views/panels/inspector_form.h"
#include "views/panels/inspector_panel.h"
#include "views/session.h"
#include "views/widgets/step_spin_box.h"

using namespace cubist;
using namespace cubist::test;

namespace {

ChipLibrary testChips() {
    return ChipLibrary::load({std::string(CUBIST_SOURCE_DIR) + "/resources/chips"});
}

void collect(const std::vector<Block>& blocks, std::vector<Element>& elements) {
    for (const Block& block : blocks) {
        elements.emplace_back(block.id());
        if (const Loop* loop = std::get_if<Loop>(&block.content)) collect(loop->body, elements);
    }
}

}  // namespace

/// Somebody who plays with every field of the inspector.
class TestUndo : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::minstd_rand m_random{20241129};

    int below(int limit) { return static_cast<int>(m_random() % static_cast<unsigned>(std::max(limit, 1))); }

    Element anyElement(const Design& design) {
        std::vector<Element> elements{Element()};
        for (const Tensor& tensor : design.tensors) elements.emplace_back(tensor.id);
        collect(design.blocks, elements);
        return elements[static_cast<std::size_t>(below(static_cast<int>(elements.size())))];
    }

    /// One action in the shown form; false when it has nothing to offer.
    bool act(QWidget& form) {
        QList<QWidget*> fields;
        for (QWidget* field : form.findChildren<QWidget*>())
            if (field->isVisibleTo(&form) && field->isEnabled() &&
                (qobject_cast<StepSpinBox*>(field) || qobject_cast<QComboBox*>(field) ||
                 qobject_cast<QCheckBox*>(field) || field->property("committed").toBool() ||
                 field->property("key").toString() == "notes" || field->property("key").toString() == "title"))
                fields << field;
        if (fields.isEmpty()) return false;
        QWidget* field = fields[below(static_cast<int>(fields.size()))];
        if (auto* box = qobject_cast<StepSpinBox*>(field)) {
            switch (below(3)) {
                case 0: box->stepBy(below(7) - 3); break;
                case 1:
                    box->beginScrub();
                    for (int i = 0; i < 4; ++i) box->scrubTo(below(9) - 4);
                    box->endScrub(below(3) > 0);
                    break;
                default:
                    box->setFocus();
                    box->selectAll();
                    QTest::keyClicks(box, QString::number(below(300)));
                    box->clearFocus();
                    break;
            }
        } else if (auto* choice = qobject_cast<QComboBox*>(field)) {
            if (choice->count() == 0) return false;
            const int index = below(choice->count());
            choice->setCurrentIndex(index);
            emit choice->activated(index);
        } else if (auto* check = qobject_cast<QCheckBox*>(field)) {
            check->click();
        } else if (auto* line = qobject_cast<QLineEdit*>(field)) {
            static const char* const kTexts[] = {"",        "T",         "32",         "x, y", "0.5",
                                                 "1, 2, 3", "min(T, 4)", "DEFAULT: 4", "(("};
            line->setFocus();
            line->selectAll();
            QTest::keyClicks(line, QString::fromLatin1(kTexts[below(9)]));
            QTest::keyClick(line, Qt::Key_Return);
            line->clearFocus();
        } else if (auto* formula = qobject_cast<FormulaText*>(field)) {
            formula->setFocus();
            formula->selectAll();
            formula->insertPlainText(below(2) == 0 ? "exp(x) + 1" : "cast(x * 2, FP16)");
            QTest::keyClick(formula, Qt::Key_Return);
            formula->clearFocus();
        }
        return true;
    }

private slots:
    void aThousandRandomEditsUndoneGiveTheSameBytes() {
        Session session(
            m_theme, testChips(),
            [](const RunRequest&, const RunContext&) -> Result<RunReport> { return cancelledError(); },
            [](const RunRequest&, const RunContext&) -> Result<RunReport> { return cancelledError(); });
        DocumentModel& document = session.document();
        document.newDesign(rowScale());
        const std::string original = writeDesign(*document.design());
        InspectorPanel inspector(session);
        inspector.resize(340, 800);
        inspector.show();
        int edits = 0;
        int actions = 0;
        std::vector<std::string> states{original};
        while (edits < 1000 && ++actions < 6000) {
            session.selection().select(anyElement(*document.design()));
            if (!inspector.form() || !act(*inspector.form())) continue;
            document.endEditRun();
            const std::string now = writeDesign(*document.design());
            if (now != states.back()) {
                ++edits;
                states.push_back(now);
            }
            // Some way back and forth in between, as people do.
            if (below(50) == 0)
                for (int i = below(5); i > 0 && document.undoStack().canUndo(); --i) {
                    document.undoStack().undo();
                    states.push_back(writeDesign(*document.design()));
                }
        }
        QVERIFY2(edits == 1000, qPrintable(QString::number(edits)));
        while (document.undoStack().canUndo()) document.undoStack().undo();
        QCOMPARE(QByteArray::fromStdString(writeDesign(*document.design())), QByteArray::fromStdString(original));
        QVERIFY(!document.isModified());
        // And all the way forward again to where it was.
        while (document.undoStack().canRedo()) document.undoStack().redo();
        QCOMPARE(QByteArray::fromStdString(writeDesign(*document.design())), QByteArray::fromStdString(states.back()));
    }

    void aDragIsOneStepAndEscapeTakesItBack() {
        StepSpinBox box(m_theme, "L0");
        box.setSteps({16, 32, 48, 64});
        box.setValue(32);
        box.resize(100, 28);
        box.show();
        std::vector<std::int64_t> seen;
        connect(&box, &StepSpinBox::edited, &box, [&](std::optional<std::int64_t> value, bool stepped) {
            QVERIFY(stepped);
            seen.push_back(*value);
        });
        const QPoint caption(60, 14);
        QTest::mousePress(&box, Qt::LeftButton, {}, caption);
        QTest::mouseMove(&box, caption + QPoint(2 * StepSpinBox::kScrubPixels, 0));
        QTRY_COMPARE(box.value(), std::optional<std::int64_t>(64));
        QVERIFY(box.isScrubbing());
        QTest::keyClick(&box, Qt::Key_Escape);
        QCOMPARE(box.value(), std::optional<std::int64_t>(32));
        QVERIFY(!box.isScrubbing());
        QTest::mouseRelease(&box, Qt::LeftButton, {}, caption);
    }

    void aDragOnTheNumberScrubsUntilSomebodyTypes() {
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* other = new QLineEdit;
        auto* box = new StepSpinBox(m_theme, "L0");
        auto* caption = new QLabel("M");
        column->addWidget(other);
        column->addWidget(caption);
        column->addWidget(box);
        box->addScrubHandle(caption);
        box->setSteps({16, 32, 48, 64});
        box->setValue(32);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        other->setFocus();
        auto* number = box->findChild<QLineEdit*>();
        const QPoint digits(8, 12), step(StepSpinBox::kScrubPixels, 0);
        // One step of the undo stack, as from the caption.
        QSignalSpy ended(box, &StepSpinBox::scrubEnded);
        QTest::mousePress(number, Qt::LeftButton, {}, digits);
        QTest::mouseMove(number, digits + 2 * step);
        QTRY_COMPARE(box->value(), std::optional<std::int64_t>(64));
        QTest::mouseMove(number, digits - step);
        QTRY_COMPARE(box->value(), std::optional<std::int64_t>(16));
        QTest::mouseRelease(number, Qt::LeftButton, {}, digits - step);
        QCOMPARE(ended.count(), 1);
        QCOMPARE(number->selectedText(), QString("16"));
        // The scrub brought the keyboard, not a click: the next drag scrubs as well.
        QVERIFY(box->hasFocus());
        QTest::mousePress(number, Qt::LeftButton, {}, digits);
        QTest::mouseMove(number, digits + 2 * step);
        QTRY_COMPARE(box->value(), std::optional<std::int64_t>(48));
        QTest::mouseRelease(number, Qt::LeftButton, {}, digits + 2 * step);
        QCOMPARE(ended.count(), 2);
        QCOMPARE(number->selectedText(), QString("48"));
        // A drag that follows quickly comes as a double click.
        const auto send = [&](QEvent::Type type, const QPoint& at) {
            QMouseEvent event(type, at, number->mapToGlobal(QPointF(at)), Qt::LeftButton, Qt::LeftButton, {});
            QCoreApplication::sendEvent(number, &event);
        };
        send(QEvent::MouseButtonDblClick, digits);
        send(QEvent::MouseMove, digits - step);
        send(QEvent::MouseButtonRelease, digits - step);
        QCOMPARE(box->value(), std::optional<std::int64_t>(32));
        QCOMPARE(ended.count(), 3);
        // After a click the user has the field: a drag selects text.
        const auto selects = [&] {
            const qsizetype before = ended.count();
            send(QEvent::MouseButtonPress, digits);
            send(QEvent::MouseMove, digits + step);
            send(QEvent::MouseButtonRelease, digits + step);
            return ended.count() == before;
        };
        send(QEvent::MouseButtonPress, digits);
        send(QEvent::MouseButtonRelease, digits);
        QVERIFY(selects());
        QCOMPARE(box->value(), std::optional<std::int64_t>(32));
        // So it does after typing.
        other->setFocus();
        box->setFocus(Qt::MouseFocusReason);
        QVERIFY(!selects());
        QTest::keyClicks(box, "16");
        QVERIFY(selects());
        QVERIFY(selects());
        // The caption beside the field: its drag leaves the next one a drag, its click is a click.
        const auto dragCaption = [&](const QPoint& way) {
            QMouseEvent press(QEvent::MouseButtonPress, QPointF(4, 4), caption->mapToGlobal(QPointF(4, 4)),
                              Qt::LeftButton, Qt::LeftButton, {});
            QCoreApplication::sendEvent(caption, &press);
            const QPointF end = QPointF(4, 4) + way;
            QMouseEvent move(QEvent::MouseMove, end, caption->mapToGlobal(end), Qt::LeftButton, Qt::LeftButton, {});
            QCoreApplication::sendEvent(caption, &move);
            QMouseEvent release(QEvent::MouseButtonRelease, end, caption->mapToGlobal(end), Qt::LeftButton, {}, {});
            QCoreApplication::sendEvent(caption, &release);
        };
        other->setFocus();
        dragCaption({});
        QVERIFY(box->hasFocus());
        QVERIFY(selects());
        other->setFocus();
        dragCaption(step);
        QCOMPARE(box->value(), std::optional<std::int64_t>(32));
        QVERIFY(!selects());
        // A click without a drag is the beginning of typing.
        other->setFocus();
        QTest::mouseClick(number, Qt::LeftButton, {}, digits);
        QTest::keyClicks(box, "48");
        QCOMPARE(box->value(), std::optional<std::int64_t>(48));
    }
};

QTEST_MAIN(TestUndo)
#include "tst_undo.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include <memory>
#include <numeric>

#include "core/design/integer_list.h"
#include "core/exchange/design_json.h"
#include "views/document_model.h"
#include "views/models/group_counts.h"
#include "views/panels/group_editor.h"
#include "views/theme.h"
#include "views/widgets/group_bars.h"

using namespace cubist;

using Counts = std::vector<std::int64_t>;

Q_DECLARE_METATYPE(Counts)

class TestGroupEditor : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<DocumentModel> m_document;
    std::unique_ptr<GroupEditor> m_editor;

    void open(const char* sample, const char* list, const char* caseName = "") {
        m_document = std::make_unique<DocumentModel>(ChipLibrary::load({CUBIST_SOURCE_DIR "/resources/chips"}));
        QVERIFY(m_document->load(QStringLiteral(CUBIST_SOURCE_DIR "/samples/%1.cubist.json").arg(sample)));
        m_document->setCase(caseName);
        m_editor = std::make_unique<GroupEditor>(*m_document, m_theme, ListId(list));
        m_editor->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_editor.get()));
    }
    [[nodiscard]] std::int64_t total() const {
        return std::accumulate(m_editor->counts().begin(), m_editor->counts().end(), std::int64_t{0});
    }

private slots:
    void initTestCase() { m_theme.install(*qApp); }
    void cleanup() {
        m_editor.reset();
        m_document.reset();
    }

    void oneGroupChangesAndTheTotalStays_data() {
        QTest::addColumn<Counts>("before");
        QTest::addColumn<int>("group");
        QTest::addColumn<qlonglong>("size");
        QTest::addColumn<bool>("keep");
        QTest::addColumn<Counts>("after");
        QTest::newRow("in proportion") << Counts{10, 20, 10} << 0 << 4LL << true << Counts{4, 24, 12};
        QTest::newRow("rounded") << Counts{5, 3, 3} << 0 << 6LL << true << Counts{6, 3, 2};
        QTest::newRow("more than there is") << Counts{5, 3, 3} << 1 << 99LL << true << Counts{0, 11, 0};
        QTest::newRow("all others empty") << Counts{9, 0, 0} << 0 << 3LL << true << Counts{3, 3, 3};
        QTest::newRow("free") << Counts{5, 3} << 1 << 10LL << false << Counts{5, 10};
        QTest::newRow("alone") << Counts{5} << 0 << 7LL << true << Counts{7};
        QTest::newRow("negative") << Counts{5, 3} << 0 << -2LL << false << Counts{0, 3};
    }

    void oneGroupChangesAndTheTotalStays() {
        QFETCH(Counts, before);
        QFETCH(int, group);
        QFETCH(qlonglong, size);
        QFETCH(bool, keep);
        QFETCH(Counts, after);
        QCOMPARE(withCount(before, static_cast<std::size_t>(group), size, keep), after);
    }

    void theSummaryCounts() {
        const GroupSummary summary = summarise({0, 6, 2, 0});
        QCOMPARE(summary.total, std::int64_t(8));
        QCOMPARE(summary.empty, std::int64_t(2));
        QCOMPARE(summary.imbalance, 3.0);
        QCOMPARE(evenCounts(3, 8), (Counts{3, 3, 2}));
        QCOMPARE(summarise({}).imbalance, 0.0);
    }

    void theChosenCaseIsShownAndEdited() {
        open("gmm_mxfp8", "group_list", "empty");
        QCOMPARE(m_editor->counts(), (Counts{0, 11, 0, 5}));
        QVERIFY(m_editor->findChild<QLabel*>("groupSummary")->text().contains("2 empty"));
        // A bar pulled up: the others give what it takes.
        const QRectF bar = m_editor->bars()->barRect(3);
        const QPoint from = bar.center().toPoint();
        QTest::mousePress(m_editor->bars(), Qt::LeftButton, {}, from);
        const QPoint to = from - QPoint(0, 40);
        QMouseEvent move(QEvent::MouseMove, to, m_editor->bars()->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(m_editor->bars(), &move);
        QTest::mouseRelease(m_editor->bars(), Qt::LeftButton, {}, to);
        QVERIFY(m_editor->counts()[3] > 5);
        QCOMPARE(total(), std::int64_t(16));
        const Counts wanted = m_editor->counts();
        m_editor->accept();
        QCOMPARE(m_document->undoStack().count(), 1);
        for (const Case& entry : m_document->design()->cases)
            if (entry.id.text == "gmm_mxfp8_empty_groups") QCOMPARE(*entry.lists.find("group_list"), wanted);
        QCOMPARE(m_document->design()->lists.front().value, (Counts{7, 9}));
        m_document->undoStack().undo();
        QVERIFY(!m_document->isModified());
    }

    void aStartEntryIsNoGroup() {
        open("llada2_grouped_gemm", "expert_cumsum");
        const std::vector<std::int64_t> written = m_document->binding()->lists.find("expert_cumsum")->values;
        QCOMPARE(written.front(), std::int64_t(0));
        QCOMPARE(m_editor->counts().size(), written.size() - 1);
        // However the groups are filled, the list keeps its 0 and the design its meaning.
        QTest::mouseClick(m_editor->findChild<QPushButton*>("groupRandom"), Qt::LeftButton);
        QCOMPARE(total(), written.back());
        QVERIFY(m_editor->valuesField()->text().startsWith("0, "));
        m_editor->accept();
        const Design& design = *m_document->design();
        for (const Case& entry : design.cases)
            if (entry.id == m_document->binding()->caseId) QCOMPARE(entry.lists.find("expert_cumsum")->front(), 0);
        QCOMPARE(m_document->binding()->lists.find("expert_cumsum")->values.size(), written.size());
        for (const Finding& finding : m_document->findings()) QVERIFY(finding.severity != Severity::Error);
    }

    void theSameGroupsInEachForm() {
        open("gmm_mxfp8", "group_list");
        auto* form = m_editor->findChild<QComboBox*>("groupForm");
        const auto shown = [&](ListForm wanted) {
            form->setCurrentIndex(form->findData(static_cast<int>(wanted)));
            emit form->activated(form->currentIndex());
            return m_editor->valuesField()->text();
        };
        QCOMPARE(shown(ListForm::PrefixSums), QString("7, 16"));
        QCOMPARE(shown(ListForm::Counts), QString("7, 9"));
        QCOMPARE(shown(ListForm::Rows), QString("0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1"));
        // Typed prefix sums become counts; nonsense is refused with the reason.
        shown(ListForm::PrefixSums);
        m_editor->valuesField()->setFocus();
        m_editor->valuesField()->selectAll();
        QTest::keyClicks(m_editor->valuesField(), "4, 4, 16");
        QCOMPARE(m_editor->counts(), (Counts{4, 0, 12}));
        QTest::keyClicks(m_editor->valuesField(), ", 2");
        m_editor->accept();
        QCOMPARE(m_document->undoStack().count(), 0);
    }

    void aRouterFillsWithTheSameNumbersForTheSameSeed() {
        open("gmm_mxfp8", "group_list");
        m_editor->findChild<QSpinBox*>("groupSeed")->setValue(7);
        const Counts first = m_editor->counts();
        QCOMPARE(first, *moeCounts(7, 2, 16, 4));
        QCOMPARE(total(), std::int64_t(16));
        m_editor->findChild<QSpinBox*>("groupSeed")->setValue(8);
        m_editor->findChild<QSpinBox*>("groupSeed")->setValue(7);
        QCOMPARE(m_editor->counts(), first);
    }

    void keysChooseAndChangeAGroup() {
        open("gmm_mxfp8", "group_list");
        m_editor->bars()->setFocus();
        QTest::keyClick(m_editor->bars(), Qt::Key_Right);
        QCOMPARE(m_editor->bars()->current(), std::size_t(1));
        QTest::keyClick(m_editor->bars(), Qt::Key_Up);
        QCOMPARE(m_editor->counts(), (Counts{6, 10}));
        QTest::keyClick(m_editor->bars(), Qt::Key_Escape);
        QVERIFY(!m_editor->isVisible());
        QCOMPARE(m_document->undoStack().count(), 0);
    }
};

QTEST_MAIN(TestGroupEditor)
#include "tst_group_editor.moc"

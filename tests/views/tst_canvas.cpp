// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "tests/support/canvas_fixture.h"
#include "views/canvas/heat_color.h"
#include "views/canvas/heat_legend.h"
#include "views/models/stage_heats.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const QString kSample = QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json");

}  // namespace

/// The canvas in a window of its own, with the mouse and keyboard.
class TestCanvas : public QObject, private CanvasFixture {
    Q_OBJECT

private:
    [[nodiscard]] ElementItem& item(const Element& element) {
        ElementItem* found = m_view->canvas().item(element);
        if (!found) qFatal("no item of this id");
        return *found;
    }

    /// Where an element is on the viewport.
    [[nodiscard]] QPoint place(const Element& element, const QPointF& fromTopLeft = QPointF(40, 20)) {
        return m_view->mapFromScene(item(element).area().topLeft() + fromTopLeft);
    }

    void click(const Element& element) { QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, place(element)); }

    void drag(const QPoint& from, const QPoint& way, Qt::MouseButton button = Qt::LeftButton) {
        QWidget* viewport = m_view->viewport();
        QTest::mousePress(viewport, button, {}, from);
        for (int step = 1; step <= 4; ++step) moveMouse(from + way * step / 4, button);
        QTest::mouseRelease(viewport, button, {}, from + way);
    }

    void moveMouse(const QPoint& to, Qt::MouseButton button) {
        QMouseEvent move(QEvent::MouseMove, to, m_view->viewport()->mapToGlobal(to), Qt::NoButton, button, {});
        QApplication::sendEvent(m_view->viewport(), &move);
    }

    void wheel(const QPointF& at, int delta, Qt::KeyboardModifiers modifiers = {}) {
        QWheelEvent event(at, m_view->viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &event);
    }

private slots:
    void init() {
        makeCanvas();
        m_view->resize(1000, 600);
        QVERIFY(m_document->load(kSample).has_value());
        m_view->fitAll();
    }
    void cleanup() { removeCanvas(); }

    void everyElementHasItsItem() {
        QCOMPARE(m_view->canvas().nodeItems().size(), std::size_t(6));
        for (const char* id : {"tokens", "gate", "write", "rows"}) QVERIFY2(m_view->canvas().item(block(id)), id);
        for (const char* id : {"hidden_states", "weight", "router_logits"})
            QVERIFY2(m_view->canvas().item(tensor(id)), id);
        QVERIFY(!m_view->canvas().item(tensor("gate")));
    }

    void inputsAreLeftAndOutputsRightOfTheLoop() {
        const QRectF loop = item(block("rows")).area();
        QVERIFY(item(tensor("hidden_states")).area().right() < loop.left());
        QVERIFY(item(tensor("weight")).area().right() < loop.left());
        QVERIFY(item(tensor("router_logits")).area().left() > loop.right());
        QVERIFY(loop.contains(item(block("gate")).area()));
        // Slices and stores belong to the loop and sit at its edges.
        for (const char* id : {"tokens", "write"}) QVERIFY2(loop.contains(item(block(id)).area()), id);
        QVERIFY(item(block("tokens")).area().left() - loop.left() < 24.0);
        QVERIFY(loop.right() - item(block("write")).area().right() < 24.0);
    }

    void aWorkspaceStandsBetweenTheLoopsThatShareIt() {
        QVERIFY(m_document->load(QStringLiteral(CUBIST_SOURCE_DIR "/samples/gmm_finalize_routing.cubist.json")));
        const QRectF pill = node(tensor("gmm_out")).area();
        QVERIFY(pill.left() > m_view->canvas().frameItems()[0]->picture().rect.right());
        QVERIFY(pill.right() < m_view->canvas().frameItems()[1]->picture().rect.left());
        const auto& wires = m_view->canvas().content().wires;
        QVERIFY(std::any_of(wires.begin(), wires.end(), [&](const CanvasWire& wire) {
            return m_view->canvas().nodeItems()[static_cast<std::size_t>(wire.from)]->element() == tensor("gmm_out");
        }));
    }

    void aClickSelectsEverywhere() {
        click(block("gate"));
        QCOMPARE(m_selection->current(), block("gate"));
        click(tensor("weight"));
        QCOMPARE(m_selection->current(), tensor("weight"));
        QVERIFY(!item(block("gate")).isSelected());
        // The loop by its header.
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, place(block("rows"), QPointF(40, 12)));
        QCOMPARE(m_selection->current(), block("rows"));
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(500, 30));
        QVERIFY(m_selection->current().isNone());
    }

    void theSelectionIsDescribedForReaders() {
        const QString whole = m_view->accessibleDescription();
        QVERIFY(whole.contains("graph"));
        m_selection->select(block("gate"));
        QVERIFY2(m_view->accessibleDescription().startsWith(
                     QString::fromUtf8("gate, C stage. 32 \u00d7 5120 \u00d7 160. [32,32] [512,1024] [16,16]. reads ")),
                 qPrintable(m_view->accessibleDescription()));
        m_view->setStageTimes({{"gate", {"7.77 us", 0.9}}});
        QVERIFY(m_view->accessibleDescription().contains(". 7.77 us. "));
        m_selection->select(block("rows"));
        QVERIFY(m_view->accessibleDescription().startsWith("loop i in 0..1"));
        m_view->selectAll();
        QVERIFY(m_view->accessibleDescription().endsWith("elements are selected"));
        m_selection->clear();
        m_view->canvas().clearSelection();
        QCOMPARE(m_view->accessibleDescription(), whole);
    }

    void aSelectionFromElsewhereIsShown() {
        m_selection->select(block("gate"));
        QVERIFY(item(block("gate")).isSelected());
        m_selection->clear();
        QVERIFY(!item(block("gate")).isSelected());
    }

    void aDragIsOneUndoStep() {
        const QPointF before = item(block("gate")).pos();
        drag(place(block("gate")), QPoint(63, 41));
        const QPointF after = item(block("gate")).pos();
        QVERIFY(after.x() > before.x() + 40 && after.y() > before.y() + 20);
        QCOMPARE(geometry::snapped(after), after);
        QCOMPARE(m_document->undoStack().count(), 1);
        QCOMPARE(m_document->undoStack().undoText(), QStringLiteral("Move gate"));
        const Position* stored = m_document->design()->layout.find("gate");
        QVERIFY(stored);
        QCOMPARE(QPointF(stored->x, stored->y), after);
        QCOMPARE(m_document->design()->layout.entries.size(), std::size_t(1));
        m_document->undoStack().undo();
        QCOMPARE(item(block("gate")).pos(), before);
        QVERIFY(m_document->design()->layout.empty());
        QVERIFY(!m_document->isModified());
    }

    void aShakyClickMovesNothing() {
        const QPoint at = place(block("gate"));
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, at);
        moveMouse(at + QPoint(2, 1), Qt::LeftButton);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, at + QPoint(2, 1));
        QCOMPARE(m_document->undoStack().count(), 0);
        QCOMPARE(m_selection->current(), block("gate"));
    }

    void wiresAndFrameFollowADrag() {
        const QRectF before = item(block("rows")).area();
        const QPoint from = place(block("gate"));
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, from);
        // Not so far that it would leave the loop.
        const QPoint way = QPoint(0, qRound(88 * m_view->zoom()));
        moveMouse(from + way, Qt::LeftButton);
        QVERIFY(m_view->canvas().isDragging());
        QVERIFY(item(block("rows")).area().bottom() > before.bottom() + 40);
        QVERIFY(item(block("rows")).area().contains(item(block("gate")).area()));
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, from + way);
    }

    void escapeCancelsADrag() {
        const QPointF before = item(block("gate")).pos();
        const QPoint from = place(block("gate"));
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, from);
        moveMouse(from + QPoint(80, 80), Qt::LeftButton);
        QVERIFY(item(block("gate")).pos() != before);
        key(Qt::Key_Escape);
        QCOMPARE(item(block("gate")).pos(), before);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, from + QPoint(80, 80));
        QCOMPARE(m_document->undoStack().count(), 0);
    }

    void aDraggedLoopTakesItsContentAlong() {
        const QPointF gate = item(block("gate")).pos();
        const QPointF weight = item(tensor("weight")).pos();
        drag(place(block("rows"), QPointF(40, 12)), QPoint(64, 32));
        QVERIFY(item(block("gate")).pos() != gate);
        QCOMPARE(item(tensor("weight")).pos(), weight);
        QCOMPARE(m_document->undoStack().count(), 1);
        QCOMPARE(m_document->design()->layout.entries.size(), std::size_t(3));
        m_document->undoStack().undo();
        QCOMPARE(item(block("gate")).pos(), gate);
    }

    void aRubberBandSelectsWhatItTouches() {
        const QPoint from = place(tensor("hidden_states"), QPointF(-12, -30));
        const QPoint to = place(tensor("weight"), QPointF(30, 60));
        drag(from, to - from);
        QVERIFY(item(tensor("hidden_states")).isSelected());
        QVERIFY(item(tensor("weight")).isSelected());
        QVERIFY(!item(block("gate")).isSelected());
        QVERIFY(m_selection->current().isTensor());
        // Both move together, as one step.
        drag(place(tensor("weight")), QPoint(-40, 60));
        QCOMPARE(m_document->undoStack().count(), 1);
        QCOMPARE(m_document->design()->layout.entries.size(), std::size_t(2));
        QCOMPARE(m_document->undoStack().undoText(), QStringLiteral("Move 2 elements"));
    }

    void theWheelZoomsAtTheCursor_data() {
        QTest::addColumn<QPointF>("at");
        QTest::addColumn<int>("delta");
        QTest::newRow("in, left above") << QPointF(120, 80) << 120;
        QTest::newRow("in, right below") << QPointF(900, 500) << 360;
        QTest::newRow("out") << QPointF(700, 130) << -240;
    }

    void theWheelZoomsAtTheCursor() {
        QFETCH(QPointF, at);
        QFETCH(int, delta);
        const double zoom = m_view->zoom();
        const QPointF under = m_view->viewportTransform().inverted().map(at);
        wheel(at, delta);
        QVERIFY(delta > 0 ? m_view->zoom() > zoom * 1.1 : m_view->zoom() < zoom / 1.1);
        const QPointF now = m_view->viewportTransform().map(under);
        QVERIFY2((now - at).manhattanLength() <= 1.5, qPrintable(QStringLiteral("%1 %2").arg(now.x()).arg(now.y())));
    }

    void zoomStaysInItsRange() {
        for (int i = 0; i < 40; ++i) wheel({500, 300}, 240);
        QCOMPARE(m_view->zoom(), CanvasView::kMaxZoom);
        for (int i = 0; i < 80; ++i) wheel({500, 300}, -240);
        QCOMPARE(m_view->zoom(), CanvasView::kMinZoom);
    }

    void keysZoomAndFit() {
        const double fitted = m_view->zoom();
        key(Qt::Key_Plus);
        QCOMPARE(m_view->zoom(), fitted * CanvasView::kZoomStep);
        key(Qt::Key_Minus);
        key(Qt::Key_Minus);
        QVERIFY(m_view->zoom() < fitted);
        key(Qt::Key_0);
        QCOMPARE(m_view->zoom(), 1.0);
        key(Qt::Key_F);
        QCOMPARE(m_view->zoom(), fitted);
    }

    void fitShowsEverything() {
        for (int i = 0; i < 6; ++i) wheel({100, 100}, 120);
        m_view->fitAll();
        QVERIFY(m_view->visibleScene().contains(m_view->canvas().contentRect()));
        QVERIFY(m_view->zoom() <= 1.0);
        // Nothing hides behind the controls at the bottom.
        const QWidget* bar = m_view->findChild<QToolButton*>(QStringLiteral("zoomFit"))->parentWidget();
        const QPoint lowest = m_view->mapFromScene(m_view->canvas().contentRect().bottomLeft());
        QVERIFY(lowest.y() < bar->y());
    }

    void aFittedViewStaysFittedWhenItsSizeChanges() {
        m_view->resize(600, 500);
        QVERIFY(m_view->visibleScene().contains(m_view->canvas().contentRect()));
        const double small = m_view->zoom();
        m_view->resize(1000, 600);
        QVERIFY(m_view->zoom() > small);
        // Whoever went elsewhere keeps what is in the middle.
        wheel({500, 300}, 240);
        const QPointF middle = m_view->visibleScene().center();
        const double zoom = m_view->zoom();
        m_view->resize(700, 400);
        QCOMPARE(m_view->zoom(), zoom);
        QVERIFY((m_view->visibleScene().center() - middle).manhattanLength() < 4.0);
    }

    void theZoomControlWorks() {
        const double fitted = m_view->zoom();
        const auto button = [this](const char* name) { return m_view->findChild<QToolButton*>(QLatin1String(name)); };
        QTest::mouseClick(button("zoomIn"), Qt::LeftButton);
        QVERIFY(m_view->zoom() > fitted);
        QCOMPARE(button("zoomReset")->text(), QStringLiteral("%1 %").arg(qRound(m_view->zoom() * 100)));
        QTest::mouseClick(button("zoomReset"), Qt::LeftButton);
        QCOMPARE(m_view->zoom(), 1.0);
        QTest::mouseClick(button("zoomOut"), Qt::LeftButton);
        QVERIFY(m_view->zoom() < 1.0);
        QTest::mouseClick(button("zoomFit"), Qt::LeftButton);
        QCOMPARE(m_view->zoom(), fitted);
    }

    void middleButtonAndSpacePan() {
        const QPointF before = m_view->mapToScene(0, 0);
        drag({500, 500}, {-90, -60}, Qt::MiddleButton);
        const QPointF panned = m_view->mapToScene(0, 0);
        QVERIFY(panned.x() > before.x() + 50 && panned.y() > before.y() + 30);
        QTest::keyPress(m_view.get(), Qt::Key_Space);
        drag(place(block("gate")), {90, 60});
        QTest::keyRelease(m_view.get(), Qt::Key_Space);
        QVERIFY((m_view->mapToScene(0, 0) - before).manhattanLength() < 4);
        QCOMPARE(m_document->undoStack().count(), 0);
        QVERIFY(m_selection->current().isNone());
    }

    void nGoesThroughAllElements() {
        QStringList seen;
        for (int i = 0; i < 7; ++i) {
            key(Qt::Key_N);
            seen << QString::fromStdString(m_selection->current().id);
        }
        QCOMPARE(QSet<QString>(seen.begin(), seen.end()).size(), 7);
        QVERIFY(seen.indexOf("hidden_states") < seen.indexOf("gate"));
        QVERIFY(seen.indexOf("gate") < seen.indexOf("router_logits"));
        key(Qt::Key_N);
        QCOMPARE(QString::fromStdString(m_selection->current().id), seen.first());
        key(Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(QString::fromStdString(m_selection->current().id), seen.last());
    }

    void arrowsMoveTheSelectionInSpace() {
        m_selection->select(tensor("hidden_states"));
        key(Qt::Key_Right);
        QCOMPARE(m_selection->current(), block("tokens"));
        key(Qt::Key_Right);
        QCOMPARE(m_selection->current(), block("gate"));
        key(Qt::Key_Left);
        key(Qt::Key_Left);
        QCOMPARE(m_selection->current(), tensor("hidden_states"));
        key(Qt::Key_Down);
        QCOMPARE(m_selection->current(), tensor("weight"));
    }

    void altAndArrowsMoveTheElement() {
        m_selection->select(block("gate"));
        const QPointF before = item(block("gate")).pos();
        for (int i = 0; i < 3; ++i) key(Qt::Key_Right, Qt::AltModifier);
        key(Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(item(block("gate")).pos(), before + QPointF(3 * geometry::kSnap, -geometry::kSnap));
        QCOMPARE(m_document->undoStack().count(), 1);
        m_document->undoStack().undo();
        QCOMPARE(item(block("gate")).pos(), before);
    }

    void revealScrollsToTheElement() {
        for (int i = 0; i < 10; ++i) wheel({60, 60}, 120);
        QVERIFY(!m_view->visibleScene().intersects(item(tensor("router_logits")).area()));
        m_selection->reveal(tensor("router_logits"));
        QVERIFY(m_view->visibleScene().intersects(item(tensor("router_logits")).area()));
    }

    void aBadgeCountsFindingsAndLeadsToThem() {
        CubeTile tile;
        tile.m = {32, 32};
        tile.k = {20, 1024};
        tile.n = {16, 16};
        m_document->apply(QStringLiteral("tile"), setCubeTile(*m_document->design(), BlockId("gate"), tile));
        const auto& gate = static_cast<NodeItem&>(item(block("gate")));
        const auto expected = std::count_if(m_document->findings().begin(), m_document->findings().end(),
                                            [](const Finding& finding) { return finding.block.text == "gate"; });
        QVERIFY(expected > 0);
        QCOMPARE(gate.picture().findingText, QString::number(expected));
        QCOMPARE(gate.picture().worst, Severity::Error);
        QVERIFY(gate.toolTip().contains(QString::fromStdString(m_document->findings().front().ruleId)));

        QSignalSpy problems(m_selection.get(), &SelectionModel::problemsRequested);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {},
                          place(block("gate"), gate.picture().findingBadge.center()));
        QCOMPARE(problems.count(), 1);
        QCOMPARE(m_selection->current(), block("gate"));
        m_document->undoStack().undo();
        QVERIFY(gate.picture().worst != Severity::Error);
    }

    void cardsShowWhatIsComputed() {
        const auto& gate = static_cast<NodeItem&>(item(block("gate")));
        QCOMPARE(gate.content().line1, QStringLiteral("32 × 5120 × 160"));
        QCOMPARE(gate.content().line2, QStringLiteral("[32,32] [512,1024] [16,16]"));
        QCOMPARE(gate.content().bufferName, QStringLiteral("L0A"));
        QCOMPARE(gate.content().bufferUse, 1.0);  // 32 * 512 * 4 B of 64 KiB
        const auto& rows = static_cast<FrameItem&>(item(block("rows")));
        QCOMPARE(rows.picture().text, QStringLiteral("loop i in 0..1 · rows 32 · no tail"));
        m_document->setCase(QStringLiteral("T1026"));
        QCOMPARE(rows.picture().text, QStringLiteral("loop i in 0..32 · rows 32 · tail 2"));
        const auto& states = static_cast<NodeItem&>(item(tensor("hidden_states")));
        QCOMPARE(states.content().line1, QStringLiteral("1026×5120 FP32"));
        const auto& tokens = static_cast<NodeItem&>(item(block("tokens")));
        QCOMPARE(tokens.content().line1, QStringLiteral("[i * 32 : +32, :]"));
    }

    void predictedTimesComeAndGo() {
        const auto& gate = static_cast<NodeItem&>(item(block("gate")));
        m_view->setStageTimes({{QStringLiteral("gate"), {QStringLiteral("8.1 us"), 0.75}}});
        QCOMPARE(gate.content().live.text, QStringLiteral("8.1 us"));
        QCOMPARE(gate.picture().timeShare, 0.75);
        QVERIFY(std::any_of(gate.picture().texts.begin(), gate.picture().texts.end(),
                            [](const geometry::TextRun& run) { return run.text == QLatin1String("8.1 us"); }));
        m_view->setStageTimes({});
        QCOMPARE(gate.picture().timeShare, 0.0);
    }

    void heatColoursCardsByTimeOrError() {
        open(matmulDesign());
        m_view->setStageTimes({{QStringLiteral("product"), {QStringLiteral("8.1 us"), 0.75}}});
        m_view->setStageErrors({{QStringLiteral("product"), {QStringLiteral("err 1e-4"), 1.0}}});
        QVERIFY(!node(block("product")).picture().heat);
        m_view->setHeat(HeatMode::Time);
        QCOMPARE(*node(block("product")).picture().heat, 0.75);
        m_view->setHeat(HeatMode::Error);
        QCOMPARE(*node(block("product")).picture().heat, 1.0);
        QCOMPARE(node(block("product")).content().heatText, QStringLiteral("err 1e-4"));
        m_view->setHeat(HeatMode::Off);
        QVERIFY(!node(block("product")).picture().heat);
    }

    void theLegendSaysWhatTheHeatMeans() {
        open(matmulDesign());
        m_view->setStageTimes({}, timeScale(7.884));
        m_view->setStageErrors({}, errorScale(nullptr));
        const HeatLegend& legend = m_view->heatLegend();
        QVERIFY(!legend.isVisible());
        m_view->setHeat(HeatMode::Time);
        QVERIFY(legend.isVisible());
        QCOMPARE(legend.text(), QString("Time of the stage: 0 to 7.88 us"));
        m_view->setHeat(HeatMode::Error);
        QCOMPARE(legend.text(), QString("Error by stage: nothing was run yet"));
        QVERIFY(m_view->rect().contains(legend.geometry()));
        RunReport report;
        OutputMetrics output;
        output.limits.rtol = 0.01;
        report.accuracy.outputs.push_back(output);
        report.stageErrors = {
            {BlockId("a"), 0.0, 0.0}, {BlockId("b"), 1e-4, 0.0}, {BlockId("c"), 0.02, 0.0}, {BlockId("d"), 1e-9, 0.0}};
        m_view->setStageErrors(stageHeats(report), errorScale(&report));
        QCOMPARE(legend.text(), QString("Relative error that the stage adds: exact to 0.01, the tolerance"));
        // Two of four decades below the tolerance; nothing, next to nothing, and more than is allowed.
        const StageHeats heats = stageHeats(report);
        QCOMPARE(heats.value("a").fraction, 0.0);
        QCOMPARE(heats.value("a").text, QString("exact"));
        QVERIFY(std::abs(heats.value("b").fraction - 0.5) < 1e-9);
        QCOMPARE(heats.value("c").fraction, 1.0);
        QCOMPARE(heats.value("d").fraction, 0.0);
        // Cold cards look as cards without colours do.
        Theme theme;
        QCOMPARE(heatColor(theme, HeatMode::Error, 0.0), theme.color(Token::Surface));
        m_view->setHeat(HeatMode::Off);
        QVERIFY(!legend.isVisible());
    }

    void itemsKeepTheirIdentity() {
        const ElementItem* gate = &item(block("gate"));
        m_selection->select(block("gate"));
        m_document->apply(QStringLiteral("title"), setTitle(*m_document->design(), "other"));
        m_document->setCase(QStringLiteral("T1026"));
        QVERIFY(&item(block("gate")) == gate);
        QVERIFY(gate->isSelected());
    }

    void anElementThatGoesIsNoLongerSelected() {
        m_selection->select(block("gate"));
        Design design = *m_document->design();
        loopOf(design).body.pop_back();
        loopOf(design).body.pop_back();
        m_document->apply(QStringLiteral("delete"), design);
        QVERIFY(!m_view->canvas().item(block("gate")));
        QVERIFY(m_selection->current().isNone());
        m_document->undoStack().undo();
        QVERIFY(m_view->canvas().item(block("gate")));
    }

    void theThemeRepaintsEverything() {
        const auto sample = [this] {
            const QImage image = m_view->viewport()->grab().toImage();
            const QPoint card = place(block("gate"), QPointF(150, 60));
            return std::pair{image.pixelColor(3, 3), image.pixelColor(card)};
        };
        const auto light = sample();
        QCOMPARE(light.second, Theme::color(Token::Surface, false));
        m_theme.setMode(ThemeMode::Dark);
        const auto dark = sample();
        QCOMPARE(dark.second, Theme::color(Token::Surface, true));
        QVERIFY(dark.first.lightness() < 60 && light.first.lightness() > 200);
    }

    void textsAreLeftOutFarAway() {
        const auto inkedPixels = [this] {
            const QImage image = m_view->viewport()->grab().toImage();
            const QRect card =
                m_view->mapFromScene(item(block("gate")).area().adjusted(12, 40, -12, -30)).boundingRect();
            int inked = 0;
            for (int y = card.top(); y < card.bottom(); ++y)
                for (int x = card.left(); x < card.right(); ++x)
                    if (image.pixelColor(x, y).lightness() < 150) ++inked;
            return inked;
        };
        QVERIFY(inkedPixels() > 20);
        while (m_view->zoom() > 0.4) wheel({500, 300}, -60);
        QCOMPARE(inkedPixels(), 0);
    }

    void theMinimapMovesTheView() {
        for (int i = 0; i < 6; ++i) wheel({500, 300}, 120);
        auto* map = m_view->findChild<QWidget*>(QStringLiteral("minimap"));
        QVERIFY(map && map->isVisible());
        QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(10, map->height() / 2));
        const double left = m_view->visibleScene().center().x();
        QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(map->width() - 10, map->height() / 2));
        QVERIFY(m_view->visibleScene().center().x() > left + 100);
    }

    void tidyForgetsPlacesInOneStep() {
        const QPointF before = item(block("gate")).pos();
        drag(place(block("gate")), QPoint(63, 41));
        m_view->canvas().tidy();
        QCOMPARE(item(block("gate")).pos(), before);
        QVERIFY(m_document->design()->layout.empty());
        QCOMPARE(m_document->undoStack().count(), 2);
    }

    void withoutDesignItSaysWhatToDo() {
        m_document->close();
        QVERIFY(m_view->canvas().nodeItems().empty());
        QSignalSpy sample(m_view.get(), &CanvasView::openSampleRequested);
        QSignalSpy file(m_view.get(), &CanvasView::openFileRequested);
        QSignalSpy create(m_view.get(), &CanvasView::newDesignRequested);
        for (const char* name : {"openSample", "openFile", "newDesign"}) {
            auto* button = m_view->findChild<QPushButton*>(QLatin1String(name));
            QVERIFY2(button && button->isVisible(), name);
            QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(sample.count() + file.count() + create.count(), 3);
        QVERIFY(!m_view->findChild<QWidget*>(QStringLiteral("minimap"))->isVisible());
        QVERIFY(m_document->load(kSample).has_value());
        QVERIFY(!m_view->findChild<QPushButton*>(QStringLiteral("openSample"))->isVisible());
    }
};

QTEST_MAIN(TestCanvas)
#include "tst_canvas.moc"

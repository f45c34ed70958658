// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QImage>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

#include "core/exchange/chip_json.h"
#include "core/timing/listeners/timeline.h"
#include "core/timing/timing_engine.h"
#include "tests/support/designs.h"
#include "tests/support/program_builder.h"
#include "views/plots/error_map_plot.h"
#include "views/plots/histogram_plot.h"
#include "views/plots/timeline_plot.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Two kinds of tasks on two of four cube cores and one of two vector cores, with waits for data, slots and dispatch.
std::shared_ptr<const RunReport> smallReport(int tasks = 5) {
    ProgramBuilder builder;
    const LeafIndex matmul = builder.leaf(matmulLeaf({16, 16, 128, 64, 32}));
    const LeafIndex vector = builder.leaf(vectorLeaf(700));
    TaskIndex last;
    for (int i = 0; i < tasks; ++i) last = builder.task(matmul);
    builder.edge(last, builder.task(vector));
    auto report = std::make_shared<RunReport>();
    const ChipSpec chip = countingChip(2, 2, 100, 50);
    auto program = std::make_shared<Program>(builder.build());
    program->stages[0].id = BlockId("product");
    program->stages[1].id = BlockId("scaling");
    report->program = program;
    TimingOptions timing;
    timing.listSchedule = true;  // tasks without boxes, times worked out by hand
    report->trace = predict(*program, chip, {}, timing).value();
    return report;
}

std::vector<LaneInterval> visited(const TimelineLanes& lanes, CoreRef core, Pipe pipe, Ticks from, Ticks to,
                                  Ticks least) {
    std::vector<LaneInterval> all;
    lanes.visit(core, pipe, from, to, least, [&](const LaneInterval& stretch, bool) { all.push_back(stretch); });
    return all;
}

std::shared_ptr<OutputMetrics> mapMetrics(std::int64_t gridRows, std::int64_t gridCols) {
    auto metrics = std::make_shared<OutputMetrics>();
    metrics->name = "y";
    metrics->shape = {gridRows * 2, gridCols * 4};
    metrics->elements = gridRows * 2 * gridCols * 4;
    ErrorMap& map = metrics->map;
    map.rows = gridRows * 2;
    map.cols = gridCols * 4;
    map.tileRows = 16;
    map.tileCols = 32;
    map.cellRows = 2;
    map.cellCols = 4;
    map.gridRows = gridRows;
    map.gridCols = gridCols;
    map.maxAbs.assign(static_cast<std::size_t>(gridRows * gridCols), 1e-6);
    map.outside.assign(map.maxAbs.size(), 0);
    metrics->histogram.assign(128, 0);
    metrics->histogram[44] = 7;  // 2^-20
    metrics->histogram[60] = 1;  // 2^-4
    metrics->exact = 3;
    return metrics;
}

int pixelsNear(const QImage& image, const QColor& color, int tolerance = 12) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            if (std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                    std::abs(pixel.blue() - color.blue()) <
                tolerance)
                ++count;
        }
    return count;
}

void wheel(QWidget* target, const QPointF& at, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(at, target->mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(target, &event);
}

}  // namespace

class TestPlots : public QObject {
    Q_OBJECT

private:
    Theme m_theme;

    /// The plot's drawing surface gets the mouse.
    static QWidget* surface(TimelinePlot& plot) { return plot.childAt(plot.width() / 2, plot.height() / 2); }

private slots:
    void initTestCase() { m_theme.setMode(ThemeMode::Light); }

    void lanesEqualTheUnrolledTimeline() {
        const auto report = smallReport();
        const TimelineLanes lanes(report->program, *report->trace);
        QCOMPARE(lanes.cores().size(), std::size_t(4));
        QCOMPARE(lanes.usedCores().size(), std::size_t(3));
        for (const CoreRef& core : lanes.cores())
            for (const Pipe pipe : TimelineLanes::pipes(core.kind)) {
                const auto expected = laneCauses(*report->program, *report->trace, core, pipe);
                const auto all = visited(lanes, core, pipe, Ticks{0}, lanes.kernel(), Ticks{1});
                QCOMPARE(all.size(), expected.size());
                QVERIFY(all == expected);
                // A window shows what overlaps it, stretch by stretch.
                const Ticks from{lanes.kernel().value / 3}, to{lanes.kernel().value / 2};
                const auto part = visited(lanes, core, pipe, from, to, Ticks{1});
                std::vector<LaneInterval> overlapping;
                std::copy_if(expected.begin(), expected.end(), std::back_inserter(overlapping),
                             [&](const LaneInterval& s) { return s.end > from && s.start < to; });
                QVERIFY(part == overlapping);
            }
    }

    void mergedLanesTileTheirRangeWithFewStretches() {
        const auto report = smallReport(400);
        const TimelineLanes lanes(report->program, *report->trace);
        for (const std::int64_t parts : {3, 10, 50, 1000}) {
            const Ticks least{lanes.kernel().value / parts};
            for (const CoreRef& core : lanes.usedCores())
                for (const Pipe pipe : TimelineLanes::pipes(core.kind)) {
                    const auto all = visited(lanes, core, pipe, Ticks{0}, lanes.kernel(), least);
                    QVERIFY(!all.empty());
                    QVERIFY(all.size() <= static_cast<std::size_t>(parts) + 2);
                    QCOMPARE(all.front().start, Ticks{0});
                    QCOMPARE(all.back().end, lanes.kernel());
                    for (std::size_t i = 1; i < all.size(); ++i) QCOMPARE(all[i].start, all[i - 1].end);
                }
        }
    }

    void mergingKeepsWorkVisible() {
        const auto report = smallReport(400);
        const TimelineLanes lanes(report->program, *report->trace);
        const CoreRef core{TaskKind::Aic, 0};
        const auto all = visited(lanes, core, Pipe::FIX, Ticks{0}, lanes.kernel(), Ticks{lanes.kernel().value / 20});
        QVERIFY(std::any_of(all.begin(), all.end(), [](const LaneInterval& s) { return s.cause == Cause::Busy; }));
        // A pipe without any instruction is never shown as working.
        const auto idle = visited(lanes, core, Pipe::V, Ticks{0}, lanes.kernel(), Ticks{lanes.kernel().value / 20});
        QVERIFY(std::none_of(idle.begin(), idle.end(), [](const LaneInterval& s) { return s.cause == Cause::Busy; }));
    }

    void stretchAtAnInstant() {
        const auto report = smallReport();
        const TimelineLanes lanes(report->program, *report->trace);
        const CoreRef core{TaskKind::Aic, 0};
        // The first dispatch takes 100 cycles.
        const auto first = lanes.at(core, Pipe::MTE2, Ticks{50 * kTicksPerCycle});
        QVERIFY(first);
        QCOMPARE(first->cause, Cause::WaitDispatch);
        const auto load = lanes.at(core, Pipe::MTE2, Ticks{101 * kTicksPerCycle});
        QVERIFY(load);
        QCOMPARE(load->cause, Cause::Busy);
        QCOMPARE(load->instruction, 0U);
        QVERIFY(!lanes.at(core, Pipe::MTE2, lanes.kernel()));
        QVERIFY(!lanes.at(core, Pipe::MTE2, Ticks{-1}));
    }

    void wheelZoomsAtTheCursorAndDoubleClickFits() {
        const auto report = smallReport();
        TimelinePlot plot(m_theme);
        plot.resize(900, 300);
        plot.setReport(report);
        plot.show();
        const double kernel = report->trace->microseconds(report->trace->kernel);
        QCOMPARE(plot.from(), 0.0);
        QCOMPARE(plot.to(), kernel);
        const double time = kernel * 0.25;
        const QPointF at = plot.pointOf(0, time);
        wheel(surface(plot), at, 240);
        QVERIFY(plot.to() - plot.from() < kernel * 0.7);
        QVERIFY(std::abs(plot.pointOf(0, time).x() - at.x()) < 1.0);
        // Zooming out never leaves the kernel.
        for (int i = 0; i < 20; ++i) wheel(surface(plot), at, -240);
        QCOMPARE(plot.from(), 0.0);
        QCOMPARE(plot.to(), kernel);
        plot.zoom(8.0);
        QTest::mouseDClick(surface(plot), Qt::LeftButton, {}, QPoint(400, 100));
        QCOMPARE(plot.to() - plot.from(), kernel);
    }

    void draggingPansAndKeysZoom() {
        const auto report = smallReport();
        TimelinePlot plot(m_theme);
        plot.resize(900, 300);
        plot.setReport(report);
        plot.show();
        plot.zoom(4.0, 0.5);
        const double before = plot.from();
        QWidget* target = surface(plot);
        QTest::mousePress(target, Qt::LeftButton, {}, QPoint(500, 60));
        QTest::mouseMove(target, QPoint(400, 60));
        QTest::mouseRelease(target, Qt::LeftButton, {}, QPoint(400, 60));
        QVERIFY(plot.from() > before);
        QTest::keyClick(&plot, Qt::Key_F);
        QCOMPARE(plot.from(), 0.0);
        QTest::keyClick(&plot, Qt::Key_Plus);
        QVERIFY(plot.to() - plot.from() < report->trace->microseconds(report->trace->kernel));
    }

    void clickSelectsTheStageAndHoverTellsTheCause() {
        RunRequest request;
        Design design = glmGate();
        const std::string stage = cubeOf(design).id.text;
        request.design = std::make_shared<const Design>(std::move(design));
        request.chip = loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json").value().chip;
        const auto report = std::make_shared<const RunReport>(predictOnly(request, {}).value());
        TimelinePlot plot(m_theme);
        plot.resize(900, 300);
        plot.setReport(report);
        plot.show();
        const double cycle = 1.0 / report->trace->cyclesPerMicrosecond;
        // Lane 0 is MTE2 of AIC 0: the first task is dispatched for 205 cycles, then loads.
        const auto hit = plot.hitAt(plot.pointOf(0, 300 * cycle));
        QVERIFY(hit);
        const QString text = plot.hoverText(*hit);
        QVERIFY2(text.contains("AIC 0 MTE2") && text.contains(stage.c_str()) && text.contains("load"),
                 qPrintable(text));
        const auto waiting = plot.hitAt(plot.pointOf(0, 100 * cycle));
        QVERIFY(waiting);
        QCOMPARE(waiting->stretch.cause, Cause::WaitDispatch);
        QVERIFY(plot.hoverText(*waiting).contains("waits for the scheduler"));

        QSignalSpy clicked(&plot, &TimelinePlot::stageClicked);
        QTest::mouseClick(surface(plot), Qt::LeftButton, {}, plot.pointOf(0, 300 * cycle).toPoint());
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked[0][0].value<std::string>(), stage);
    }

    void allCoresAreShownOnRequest() {
        TimelinePlot plot(m_theme);
        plot.resize(600, 200);
        plot.setReport(smallReport());
        QCOMPARE(plot.rows().size(), std::size_t(4 + 4 + 3));
        plot.setAllCores(true);
        QCOMPARE(plot.rows().size(), std::size_t(4 + 4 + 3 + 3));
        plot.setReport(nullptr);
        QVERIFY(plot.rows().empty());
        QVERIFY(!plot.hitAt(QPointF(300, 50)));
    }

    void timelineIsSavedAsPictureAndTable() {
        TimelinePlot plot(m_theme);
        plot.resize(800, 260);
        plot.setReport(smallReport());
        plot.show();
        const QImage image = plot.image(1.0);
        QVERIFY(pixelsNear(image, m_theme.color(Token::Move)) > 200);
        QVERIFY(pixelsNear(image, m_theme.color(Token::Cube)) > 20);
        QTemporaryDir folder;
        QVERIFY(plot.savePng(folder.filePath("t.png")));
        QVERIFY(QImage(folder.filePath("t.png")).width() == 1600);
        QVERIFY(plot.saveSvg(folder.filePath("t.svg")));
        QFile svg(folder.filePath("t.svg"));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY(text.contains("<svg") && text.contains("AIC 0"));
        QVERIFY(!plot.savePng(folder.filePath("no/such/folder.png")));

        const TableData table = plot.table();
        QCOMPARE(table.rows.size(), std::size_t(6));
        QCOMPARE(table.rows[5][1].text, QString("scaling"));
        QCOMPARE(table.rows[0][4].text, QString("AIC 0"));
        QCOMPARE(table.rows[0][6].text, QString("100.000"));  // start: one dispatch at 1 MHz
    }

    void hundredThousandTasksAreDrawnQuickly() {
        TimelinePlot plot(m_theme);
        plot.resize(1000, 260);
        plot.setReport(smallReport(100'000));
        plot.show();
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!plot.image(1.0).isNull());
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }

    void oneBadElementStaysVisibleInALargeMap() {
        auto metrics = mapMetrics(1000, 1000);
        metrics->map.maxAbs[456 * 1000 + 789] = 0.5;
        metrics->map.outside[456 * 1000 + 789] = 2;
        metrics->outside = 2;
        ErrorMapPlot plot(m_theme);
        plot.resize(400, 300);
        plot.setMetrics(metrics);
        const QImage image = plot.image(1.0);
        QVERIFY(pixelsNear(image.copy(plot.mapRect(plot.size()).toRect()), m_theme.color(Token::Error)) >= 1);
        metrics = mapMetrics(1000, 1000);
        plot.setMetrics(metrics);
        QCOMPARE(pixelsNear(plot.image(1.0).copy(plot.mapRect(plot.size()).toRect()), m_theme.color(Token::Error)), 0);
    }

    void hoverNamesTheCellItsTileAndItsError() {
        auto metrics = mapMetrics(10, 20);
        metrics->map.maxAbs[9 * 20 + 19] = 0.25;
        metrics->map.outside[9 * 20 + 19] = 1;
        ErrorMapPlot plot(m_theme);
        plot.resize(500, 300);
        plot.setMetrics(metrics);
        const QRectF map = plot.mapRect(plot.size());
        const auto cell = plot.cellAt(map.bottomRight() - QPointF(1, 1));
        QVERIFY(cell);
        QCOMPARE(cell->firstRow, std::int64_t(18));
        QCOMPARE(cell->lastRow, std::int64_t(19));
        QCOMPARE(cell->firstColumn, std::int64_t(76));
        QCOMPARE(cell->lastColumn, std::int64_t(79));
        QCOMPARE(cell->maxAbs, 0.25);
        const QString text = plot.hoverText(*cell);
        QVERIFY2(text.contains("rows 18 to 19, columns 76 to 79") && text.contains("tile 1,2") && text.contains("0.25"),
                 qPrintable(text));
        QVERIFY(!plot.cellAt(map.topLeft() - QPointF(2, 2)));
        QCOMPARE(plot.table().rows.size(), std::size_t(200));
    }

    void mapsWithoutErrorsNaNsOrNothingAreDrawn() {
        ErrorMapPlot plot(m_theme);
        plot.resize(400, 300);
        plot.setMetrics(nullptr);
        QVERIFY(!plot.image(1.0).isNull());
        QVERIFY(plot.table().rows.empty());
        auto metrics = mapMetrics(4, 4);
        std::fill(metrics->map.maxAbs.begin(), metrics->map.maxAbs.end(), 0.0);
        plot.setMetrics(metrics);
        QVERIFY(!plot.image(1.0).isNull());
        metrics = mapMetrics(4, 4);
        metrics->map.maxAbs[5] = std::nan("");
        metrics->map.outside[5] = 1;
        plot.setMetrics(metrics);
        QVERIFY(pixelsNear(plot.image(1.0), m_theme.color(Token::Error)) > 20);
    }

    void histogramHasABarForEachFilledBin() {
        HistogramPlot plot(m_theme);
        plot.resize(360, 220);
        plot.setMetrics(mapMetrics(2, 2));
        plot.show();
        const TableData table = plot.table();
        QCOMPARE(table.rows.size(), std::size_t(3));
        QCOMPARE(table.rows[0][2].text, QString("3"));
        QCOMPARE(table.rows[1][0].text, QString("-20"));
        QCOMPARE(table.rows[2][0].text, QString("-4"));
        QVERIFY(pixelsNear(plot.image(1.0), m_theme.color(Token::Cube)) > 100);
        plot.setMetrics(nullptr);
        QCOMPARE(pixelsNear(plot.image(1.0), m_theme.color(Token::Cube)), 0);
    }
};

QTEST_MAIN(TestPlots)
#include "tst_plots.moc"

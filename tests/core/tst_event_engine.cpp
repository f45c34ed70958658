// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <numeric>
#include <random>

#include "core/chip/formulas.h"
#include "core/exchange/chip_json.h"
#include "core/lowering/bare_kernel.h"
#include "core/timing/l2_cache.h"
#include "core/timing/shared_bandwidth.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr std::int64_t kCycle = 1024;

/// A counting chip on which all cores together take one byte a cycle from L2.
ChipSpec sharedChip(std::int64_t aic, std::int64_t dispatch) {
    ChipSpec chip = countingChip(aic, 1, dispatch, 0);
    chip.l2EffectiveBytesPerSecond.value = Rational(1'000'000);
    return chip;
}

ChipSpec chipFile(const char* id) {
    auto loaded = loadChip(std::string(CUBIST_SOURCE_DIR "/resources/chips/") + id + ".json");
    return loaded ? loaded->chip : ChipSpec{};
}

std::int64_t endOf(SharedBandwidth& server, std::uint32_t owner) {
    for (;;) {
        std::vector<std::uint32_t> ended;
        const Ticks now = server.nextEnd();
        server.takeEnded(now, ended);
        server.settle(now);
        if (std::find(ended.begin(), ended.end(), owner) != ended.end()) return now.value;
    }
}

/// One matrix of 4 x 4 tiles of 16 x 32 bytes, and tasks that read or write one tile each.
Program tileAccesses(const std::vector<std::pair<std::int64_t, std::int64_t>>& tiles, bool write) {
    ProgramBuilder builder;
    LeafBuilder leaf(TaskKind::Aic);
    if (write)
        leaf.storeL0C(leaf.allocation(Buffer::L0C, 0, 0, 16, 32), 16, 32, DType::INT8);
    else
        leaf.loadL1(leaf.allocation(Buffer::L1, 0, 0, 16, 32), 16, 32);
    Leaf built = leaf.build();
    built.parameters = 1;
    built.instructions[0].box = 0;
    const LeafIndex index = builder.leaf(built);
    for (std::size_t t = 0; t < tiles.size(); ++t) (void)builder.task(index);
    Program program = builder.build();
    GmTensor tensor;
    tensor.dtype = DType::INT8;
    tensor.shape = {1, 1, 64, 128};
    program.tensors.push_back(tensor);
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        program.tasks[t].firstBox = static_cast<std::uint32_t>(t);
        Box box;
        box.offset = {0, 0, 16 * tiles[t].first, 32 * tiles[t].second};
        box.extent = box.valid = {1, 1, 16, 32};
        program.boxes.push_back(box);
    }
    return program;
}

Program tileReads(const std::vector<std::pair<std::int64_t, std::int64_t>>& tiles) {
    return tileAccesses(tiles, false);
}

BareMatmul randomMatmul(std::mt19937& random) {
    const auto upTo = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
    BareMatmul matmul;
    matmul.m = 16 * upTo(40);
    matmul.n = 16 * upTo(40);
    matmul.k = 32 * upTo(40);
    matmul.mTile = 32 * upTo(4);
    matmul.nTile = 32 * upTo(4);
    matmul.kL0 = 32 * upTo(2);
    matmul.kAL1 = matmul.kBL1 = matmul.kL0 * upTo(3);
    matmul.l1Slots = matmul.l0aSlots = matmul.l0bSlots = 1;
    matmul.unitFlag = random() % 2 == 0;
    matmul.aNz = random() % 2 == 0;
    matmul.bNz = random() % 2 == 0;
    matmul.cores = upTo(20);
    return matmul;
}

/// Blocks of 128 x 256, steps of 64 along K, 256 in L1.
BareMatmul largeMatmul(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t cores) {
    BareMatmul matmul;
    matmul.m = m;
    matmul.k = k;
    matmul.n = n;
    matmul.mTile = 128;
    matmul.nTile = 256;
    matmul.kL0 = 64;
    matmul.kAL1 = matmul.kBL1 = 256;
    matmul.cores = cores;
    return matmul;
}

std::int64_t kernelTicks(const BareMatmul& matmul, const ChipSpec& chip) {
    const auto kernel = bareMatmul(matmul, chip);
    if (!kernel) return -1;
    const auto trace = predict(kernel->program, chip, {}, {kernel->coreOf});
    return trace ? trace->kernel.value : -1;
}

}  // namespace

class TestEventEngine : public QObject {
    Q_OBJECT
private slots:
    void aLoneTransferRunsAtItsPort();
    void equalTransfersShareTheServer();
    void aSlowPortLeavesTheRestToOthers();
    void tasksShareL2FromTheInstantTheyMeet();
    void privateBandwidthLetsTasksAlone();
    void aTileIsFetchedOnceWhileItIsHeld();
    void leastRecentTileLeavesFirst();
    void uncachedTensorsAlwaysMiss();
    void rowsCostTheLinesTheyMeet_data();
    void rowsCostTheLinesTheyMeet();
    void fractalsCostTheirOwnLines();
    void writesAreNeverFasterThanHbm();
    void missesAreSlowerThanHits();
    void dataArrivesAfterTheLatency();
    void bareCoresWorkThroughTheirOwnTasks();
    void nothingIsFasterThanTheCubesPeak_data();
    void nothingIsFasterThanTheCubesPeak();
    void kernelsRespectComputeAndBandwidthFloors_data();
    void kernelsRespectComputeAndBandwidthFloors();
    void moreOfAnythingNeverSlowsOneCore_data();
    void moreOfAnythingNeverSlowsOneCore();
    void unitFlagNeverSlowsACore();
    void causesAddUpAndRunsAreEqual();
    void aTraceCanBeStreamedKeptOrSummarised();
    void chipsDifferWhereTheirDataDiffer();
};

void TestEventEngine::aLoneTransferRunsAtItsPort() {
    SharedBandwidth server;
    server.start(7, Ticks(10), Ticks(100), 40.0);
    server.settle(Ticks(10));
    QCOMPARE(endOf(server, 7), 110);
}

// Two transfers of 100 ticks that both need the whole server: each gets half.
void TestEventEngine::equalTransfersShareTheServer() {
    SharedBandwidth server;
    server.start(0, Ticks(0), Ticks(100), 100.0);
    server.start(1, Ticks(0), Ticks(100), 100.0);
    server.settle(Ticks(0));
    QCOMPARE(server.nextEnd().value, 200);
}

// The second needs a quarter of the server at its own speed and keeps it; the first gets three quarters: 100 / 0.75.
void TestEventEngine::aSlowPortLeavesTheRestToOthers() {
    SharedBandwidth server;
    server.start(0, Ticks(0), Ticks(100), 100.0);
    server.start(1, Ticks(0), Ticks(400), 100.0);
    server.settle(Ticks(0));
    QCOMPARE(endOf(server, 0), 134);
    QCOMPARE(endOf(server, 1), 400);
}

// Loads of 100 bytes at one byte a cycle. Dispatches end at 50 and 100: the first is alone for 50 cycles, then both run
// at half speed; the first ends at 200, the second has 50 bytes left and ends at 250.
void TestEventEngine::tasksShareL2FromTheInstantTheyMeet() {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(loadLeaf(100));
    (void)builder.task(leaf);
    (void)builder.task(leaf);
    const Program program = builder.build();
    const auto trace = predictByHand(program, sharedChip(2, 50));
    QVERIFY(trace);
    QCOMPARE(trace->tasks[0].start.value, 50 * kCycle);
    QCOMPARE(trace->tasks[0].end.value, 200 * kCycle);
    QCOMPARE(trace->tasks[1].start.value, 100 * kCycle);
    QCOMPARE(trace->tasks[1].end.value, 250 * kCycle);
    QCOMPARE(scheduleOfTask(program, *trace, TaskIndex(0)).duration.value, 150 * kCycle);
}

void TestEventEngine::privateBandwidthLetsTasksAlone() {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(loadLeaf(100));
    (void)builder.task(leaf);
    (void)builder.task(leaf);
    const auto trace = predictByHand(builder.build(), countingChip(2, 1, 50, 0));
    QVERIFY(trace);
    QCOMPARE(trace->tasks[0].end.value, 150 * kCycle);
    QCOMPARE(trace->tasks[1].end.value, 200 * kCycle);
}

void TestEventEngine::aTileIsFetchedOnceWhileItIsHeld() {
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.l2EffectiveBytes.value = Rational(1 << 20);
    chip.l2LineBytes.value = Rational(32);
    const auto trace = predictByHand(tileReads({{0, 0}, {0, 0}, {1, 2}, {0, 0}}), chip);
    QVERIFY(trace);
    QCOMPARE(trace->hbmBytes, 2 * 512);
}

// Room for two tiles of 512 bytes: a b a c b: c drives out b, which is fetched again; a is still there.
void TestEventEngine::leastRecentTileLeavesFirst() {
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.l2EffectiveBytes.value = Rational(1024);
    chip.l2LineBytes.value = Rational(32);
    const auto bytes = [&](const std::vector<std::pair<std::int64_t, std::int64_t>>& tiles) {
        const auto trace = predictByHand(tileReads(tiles), chip);
        return trace ? trace->hbmBytes : -1;
    };
    QCOMPARE(bytes({{0, 0}, {0, 1}, {0, 0}, {0, 2}, {0, 0}}), 3 * 512);
    QCOMPARE(bytes({{0, 0}, {0, 1}, {0, 0}, {0, 2}, {0, 1}}), 4 * 512);
}

void TestEventEngine::uncachedTensorsAlwaysMiss() {
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.l2EffectiveBytes.value = Rational(1 << 20);
    chip.l2LineBytes.value = Rational(32);
    Program program = tileReads({{0, 0}, {0, 0}, {0, 0}});
    program.tensors[0].cached = false;
    const auto trace = predictByHand(program, chip);
    QVERIFY(trace);
    QCOMPARE(trace->hbmBytes, 3 * 512);
}

// What a tile costs shows in its time: HBM gives half a byte a cycle. HBM itself moves every line once.
void TestEventEngine::rowsCostTheLinesTheyMeet_data() {
    QTest::addColumn<DType>("type");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("bytes");
    const auto row = [](const char* name, DType type, int columns, int line, int first, int bytes) {
        QTest::newRow(name) << type << columns << line << first << bytes;
    };
    row("inside lines of 64", DType::INT8, 128, 64, 0, 16 * 32);
    row("moved by 48 into the next line: both", DType::INT8, 128, 64, 48, 16 * 128);
    // asc-devkit's copies of 12287 columns of FP16 reach 0.525 (512 B of a row) and 0.784 (2048 B) of what 12288
    // columns do: a piece of a row of 24574 B meets one line of 512 B more than an aligned one. Here rows of 32 bytes
    // in lines of 64: of the 4 places 16 bytes apart three lie inside a line, one costs two lines: (3 * 32 + 128) / 4.
    row("rows 144 B apart", DType::INT8, 144, 64, 0, 16 * 56);
    row("lines of 16: 32 + 16 - 8", DType::INT8, 136, 16, 0, 16 * 40);
    row("64 B at 32 of a row of two lines: both", DType::FP16, 64, 64, 16, 16 * 128);
    // Documented: rows that begin at multiples of 32 bytes keep 70 % of the bandwidth.
    row("64 B, rows 96 B apart: not one line and a half", DType::FP16, 48, 64, 0, 16 * 64 * 10 / 7);
    row("whole rows are one piece: 11 lines of 48", DType::INT8, 32, 48, 0, 11 * 48);
}

void TestEventEngine::rowsCostTheLinesTheyMeet() {
    QFETCH(DType, type);
    QFETCH(int, columns);
    QFETCH(int, line);
    QFETCH(int, first);
    QFETCH(int, bytes);
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.l2EffectiveBytes.value = Rational(1 << 20);
    chip.l2LineBytes.value = Rational(line);
    chip.hbmBytesPerCycle.value = Rational(1, 2);
    Program program = tileReads({{0, 0}});
    program.tensors[0].dtype = type;
    program.tensors[0].shape[3] = columns;
    program.boxes[0].offset[3] = first;
    const auto trace = predictByHand(program, chip);
    QVERIFY(trace);
    QCOMPARE((trace->tasks[0].end - trace->tasks[0].start).value, 2 * bytes * kCycle);
    QCOMPARE(trace->hbmBytes, 16 * deviceBytes(type, 32));
}

// Columns 48 to 80 of 16 rows lie in two columns of fractals (32 bytes wide), each 512 bytes one after the other. Read
// as rows they would cross from one line of 64 bytes into the next, 16 times.
void TestEventEngine::fractalsCostTheirOwnLines() {
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.l2EffectiveBytes.value = Rational(1 << 20);
    chip.l2LineBytes.value = Rational(64);
    chip.mte2NzBytesPerCycle.value = Rational(1);
    Program program = tileReads({{0, 0}});
    program.tensors[0].format = Format::NZ;
    QCOMPARE(predictByHand(program, chip)->hbmBytes, 512);
    program.boxes[0].offset[2] = 16;
    program.boxes[0].offset[3] = 96;
    QCOMPARE(predictByHand(program, chip)->hbmBytes, 512);
    program.boxes[0].offset[3] = 48;
    QCOMPARE(predictByHand(program, chip)->hbmBytes, 1024);
}

// Ten tiles of 512 bytes at a byte a cycle; L2 keeps two of them, HBM takes half a byte a cycle. The third store drives
// out the first tile and so on: 2 * 512 + 8 * 1024 cycles. With room for 2048 bytes more, the write-backs may be 4096
// cycles late: the last ends at 2 * 512 + 8 * 1024 = 9216, so no store has to wait.
void TestEventEngine::writesAreNeverFasterThanHbm() {
    std::vector<std::pair<std::int64_t, std::int64_t>> tiles;
    for (std::int64_t t = 0; t < 10; ++t) tiles.emplace_back(t / 4, t % 4);
    const Program program = tileAccesses(tiles, true);
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.l2EffectiveBytes.value = chip.l2Bytes.value = Rational(1024);
    chip.l2LineBytes.value = Rational(32);
    chip.hbmBytesPerSecond.value = Rational(500'000);
    const auto bound = predictByHand(program, chip);
    QVERIFY(bound);
    QCOMPARE(bound->hbmBytes, 8 * 512);
    QCOMPARE(bound->kernel.value, (2 * 512 + 8 * 1024) * kCycle);
    chip.l2Bytes.value = Rational(1024 + 2048);
    QCOMPARE(predictByHand(program, chip)->kernel.value, 10 * 512 * kCycle);
}

// 512 bytes: alone at 1 byte a cycle; a core takes at most half a byte a cycle from HBM.
void TestEventEngine::missesAreSlowerThanHits() {
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.l2EffectiveBytes.value = Rational(1 << 20);
    chip.l2LineBytes.value = Rational(32);
    chip.hbmBytesPerCycle.value = Rational(1, 2);
    const auto trace = predictByHand(tileReads({{0, 0}, {0, 0}}), chip);
    QVERIFY(trace);
    QCOMPARE((trace->tasks[0].end - trace->tasks[0].start).value, 1024 * kCycle);
    QCOMPARE((trace->tasks[1].end - trace->tasks[1].start).value, 512 * kCycle);
}

// A load of 10 cycles, then a move that waits for the data: 10 + 7 (latency) + 3 (flag) + 6.
void TestEventEngine::dataArrivesAfterTheLatency() {
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.readOverhead.value = Rational(7);
    chip.flagOverhead.value = Rational(3);
    LeafBuilder leaf(TaskKind::Aic);
    const std::uint16_t l1 = leaf.allocation(Buffer::L1, 0, 0, 1, 10);
    const std::uint16_t l0 = leaf.allocation(Buffer::L0A, 0, 0, 1, 6);
    leaf.loadL1(l1, 1, 10);
    leaf.moveL0A(l0, l1);
    QCOMPARE(scheduleLeaf(chip, leaf.build()).duration.value, 26 * kCycle);
}

void TestEventEngine::bareCoresWorkThroughTheirOwnTasks() {
    ProgramBuilder builder;
    const TaskIndex first = builder.task(builder.leaf(loadLeaf(20)));
    const TaskIndex second = builder.task(builder.leaf(loadLeaf(30)));
    const TaskIndex third = builder.task(builder.leaf(loadLeaf(5)));
    builder.edge(second, third);
    const Program program = builder.build();
    const auto trace = predict(program, countingChip(2, 1, 10, 5), {}, {{0, 1, 0}});
    QVERIFY(trace);
    QCOMPARE(trace->tasks[first.value].end.value, 20 * kCycle);
    QCOMPARE(trace->tasks[second.value].end.value, 30 * kCycle);
    QCOMPARE(trace->tasks[third.value].start.value, 30 * kCycle);
    QCOMPARE(trace->kernel.value, 35 * kCycle);
    QVERIFY(!predict(program, countingChip(2, 1, 10, 5), {}, {{0, 1}}));
    QVERIFY(!predict(program, countingChip(2, 1, 10, 5), {}, {{0, 1, 2}}));
}

void TestEventEngine::nothingIsFasterThanTheCubesPeak_data() {
    QTest::addColumn<QString>("id");
    for (const char* id : {"Ascend910B1", "Ascend910B3", "Ascend950PR_958x", "Ascend950DT_9581"})
        QTest::addRow("%s", id) << id;
}

void TestEventEngine::nothingIsFasterThanTheCubesPeak() {
    QFETCH(QString, id);
    const ChipSpec chip = chipFile(id.toUtf8().constData());
    std::mt19937 random(5);
    QVERIFY(!chip.cube.empty());
    for (const CubeRate& rate : chip.cube)
        for (int i = 0; i < 200; ++i) {
            const auto m = static_cast<std::int64_t>(1 + random() % 300);
            const auto k = static_cast<std::int64_t>(1 + random() % 300);
            const auto n = static_cast<std::int64_t>(1 + random() % 300);
            const Rational peak = Rational(m * k * n) * rate.repeat.value / Rational(16 * 16 * rate.k0);
            QVERIFY(formula::mmadCycles(chip, rate, m, k, n) >= peak);
        }
}

void TestEventEngine::kernelsRespectComputeAndBandwidthFloors_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 20; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void TestEventEngine::kernelsRespectComputeAndBandwidthFloors() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const BareMatmul matmul = randomMatmul(random);
    for (const char* id : {"Ascend910B1", "Ascend950PR_958x"}) {
        const ChipSpec chip = chipFile(id);
        const std::int64_t ticks = kernelTicks(matmul, chip);
        QVERIFY(ticks > 0);
        const double cycles = static_cast<double>(ticks) / kCycle;
        const double macs = static_cast<double>(matmul.m * matmul.k * matmul.n);
        QVERIFY(cycles >= macs / (4096.0 * static_cast<double>(matmul.cores)));
        const double read = 2.0 * static_cast<double>(matmul.m * matmul.k + matmul.k * matmul.n);
        const double hbm = chip.hbmEffectiveBytesPerSecond.value.toDouble() / (chip.clockMHz.value.toDouble() * 1e6);
        QVERIFY(cycles >= read / hbm);
        QVERIFY(chip.hbmEffectiveBytesPerSecond.value <= chip.hbmBytesPerSecond.value * Rational(21, 20));
    }
}

void TestEventEngine::moreOfAnythingNeverSlowsOneCore_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 25; ++seed) QTest::addRow("seed %u", seed) << seed;
}

// One core, fixed queues, private bandwidth: the schedule is a max-plus recurrence.
void TestEventEngine::moreOfAnythingNeverSlowsOneCore() {
    QFETCH(unsigned, seed);
    std::mt19937 random(100 + seed);
    BareMatmul matmul = randomMatmul(random);
    matmul.cores = 1;
    matmul.unitFlag = false;
    ChipSpec chip = chipFile("Ascend910B1");
    chip.l2EffectiveBytesPerSecond.value = chip.hbmEffectiveBytesPerSecond.value = Rational(0);
    const std::int64_t base = kernelTicks(matmul, chip);
    QVERIFY(base > 0);
    for (std::int64_t BareMatmul::*count :
         {&BareMatmul::l1Slots, &BareMatmul::l0aSlots, &BareMatmul::l0bSlots, &BareMatmul::l0cSlots}) {
        BareMatmul more = matmul;
        more.*count = 2;
        QVERIFY(kernelTicks(more, chip) <= base);
    }
    for (Constant ChipSpec::*rate :
         {&ChipSpec::mte2BytesPerCycle, &ChipSpec::mte2NzBytesPerCycle, &ChipSpec::hbmBytesPerCycle,
          &ChipSpec::hbmNzBytesPerCycle, &ChipSpec::mte1BytesPerCycleA, &ChipSpec::mte1BytesPerCycleB,
          &ChipSpec::fixBytesPerCycle, &ChipSpec::fixElementsPerCycle}) {
        ChipSpec faster = chip;
        (faster.*rate).value = (faster.*rate).value * Rational(2);
        QVERIFY(kernelTicks(matmul, faster) <= base);
    }
    for (Constant ChipSpec::*cost : {&ChipSpec::mte2Overhead, &ChipSpec::mte2RowCycles, &ChipSpec::readOverhead,
                                     &ChipSpec::flagOverhead, &ChipSpec::mmadOverhead, &ChipSpec::fixOverhead}) {
        ChipSpec cheaper = chip;
        (cheaper.*cost).value = (cheaper.*cost).value / Rational(2);
        QVERIFY(kernelTicks(matmul, cheaper) <= base);
    }
}

void TestEventEngine::unitFlagNeverSlowsACore() {
    ChipSpec chip = chipFile("Ascend910B1");
    chip.l2EffectiveBytesPerSecond.value = chip.hbmEffectiveBytesPerSecond.value = Rational(0);
    BareMatmul matmul = largeMatmul(512, 256, 512, 1);
    const std::int64_t without = kernelTicks(matmul, chip);
    matmul.unitFlag = true;
    const std::int64_t with = kernelTicks(matmul, chip);
    QVERIFY(with > 0);
    QVERIFY(with < without);
}

void TestEventEngine::causesAddUpAndRunsAreEqual() {
    const ChipSpec chip = chipFile("Ascend910B1");
    BareMatmul matmul = largeMatmul(1024, 512, 1536, 24);
    for (const bool runtime : {false, true}) {
        matmul.runtime = runtime;
        const auto kernel = bareMatmul(matmul, chip);
        QVERIFY(kernel);
        const auto trace = predict(kernel->program, chip, {}, {kernel->coreOf});
        const auto again = predict(kernel->program, chip, {}, {kernel->coreOf});
        QVERIFY(trace && again);
        QCOMPARE(trace->kernel, again->kernel);
        QVERIFY(trace->transferTicks == again->transferTicks);
        std::int64_t sum = 0;
        for (const Ticks ticks : trace->causes) {
            QVERIFY(ticks.value >= 0);
            sum += ticks.value;
        }
        QCOMPARE(sum, trace->lanes * trace->kernel.value);
        for (const PipeTiming& pipe : trace->pipes) QVERIFY(pipe.busy.value <= 24 * trace->kernel.value);
        for (const TaskInterval& task : trace->tasks)
            QCOMPARE(scheduleOfTask(kernel->program, *trace, task.task).duration, task.end - task.start);
        Ticks head = formula::toTicks(chip.launchOverhead.value * chip.clockMHz.value);
        if (runtime) {  // the AICPUs begin, then one of them builds and submits the only device task
            head += formula::toTicks(Rational(785, 10) * chip.clockMHz.value);
            for (const Constant& cycles : {chip.stitchCycles, chip.submitCycles})
                head += formula::toTicks(formula::fromScheduler(chip, cycles));
        }
        QCOMPARE(trace->endToEnd - trace->kernel, head);
    }
}

void TestEventEngine::aTraceCanBeStreamedKeptOrSummarised() {
    const ChipSpec chip = chipFile("Ascend910B1");
    BareMatmul matmul = largeMatmul(1024, 512, 1536, 24);
    for (const bool runtime : {false, true}) {
        matmul.runtime = runtime;
        const auto kernel = bareMatmul(matmul, chip);
        QVERIFY(kernel);
        std::vector<TaskInterval> streamed;
        TimingOptions options;
        options.coreOf = kernel->coreOf;
        const auto whole = predict(kernel->program, chip, {}, options);
        options.detail = TraceDetail::Summary;
        options.onTask = [&](const TaskInterval& task) { streamed.push_back(task); };
        const auto summary = predict(kernel->program, chip, {}, options);
        QVERIFY(whole && summary);
        QVERIFY(summary->tasks.empty() && summary->transferTicks.empty());
        QCOMPARE(summary->kernel, whole->kernel);
        QVERIFY(summary->causes == whole->causes);
        QCOMPARE(summary->stages.front().busy, whole->stages.front().busy);
        QCOMPARE(summary->criticalPath.size(), whole->criticalPath.size());
        QCOMPARE(streamed.size(), whole->tasks.size());
        Ticks last;
        for (const TaskInterval& task : streamed) {
            const TaskInterval& kept = whole->tasks[task.task.value];
            QVERIFY(task.end >= last);
            last = task.end;
            QCOMPARE(task.ready, kept.ready);
            QCOMPARE(task.start, kept.start);
            QCOMPARE(task.end, kept.end);
            QVERIFY(task.core == kept.core);
        }
    }
}

void TestEventEngine::chipsDifferWhereTheirDataDiffer() {
    const BareMatmul matmul = largeMatmul(2048, 2048, 2048, 20);
    const ChipSpec b1 = chipFile("Ascend910B1");
    const ChipSpec b3 = chipFile("Ascend910B3");
    const ChipSpec b4 = chipFile("Ascend910B4");
    const ChipSpec pr = chipFile("Ascend950PR_958x");
    const auto microseconds = [&](const ChipSpec& chip) {
        return static_cast<double>(kernelTicks(matmul, chip)) / kCycle / chip.clockMHz.value.toDouble();
    };
    QVERIFY(microseconds(b1) != microseconds(b3));  // clock
    QVERIFY(microseconds(b3) < microseconds(b4));   // clock and bandwidth
    QVERIFY(microseconds(pr) != microseconds(b1));
}

QTEST_APPLESS_MAIN(TestEventEngine)
#include "tst_event_engine.moc"

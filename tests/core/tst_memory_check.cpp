// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <cmath>
#include <functional>
#include <limits>

#include "core/lowering/lower.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr EmulatorOptions kChecked{Isa::Auto, true, {}};

/// FC-14: 16 x 512 x 128 in FP16, eight steps along K, two L1 loads.
Program accumulatorCase() {
    return lowered(
        matmulDesign({.m = 16, .k = 512, .n = 128, .mTile = {16, 16}, .kTile = {64, 256}, .nTile = {128, 128}}), {},
        chipFile("Ascend910B1"));
}

std::vector<Instruction*> products(Program& program) {
    std::vector<Instruction*> found;
    for (Instruction& i : program.leaves[0].instructions)
        if (i.op == Opcode::Mmad) found.push_back(&i);
    return found;
}

EmulatedValues checkedRun(const Program& program, int threads = 1) {
    return emulated(program, generated(program, {Distribution::Integers, -2.0, 2.0}, 1), kChecked, threads);
}

QString messageOf(const EmulatedValues& values, ValueNote::Kind kind) {
    for (const ValueNote& note : values.notes)
        if (note.kind == kind) return QString::fromStdString(note.message);
    return {};
}

constexpr double kMost = 2147483647.0;

/// Zeros but for one element.
HostTensor single(DType dtype, const Shape& shape, std::int64_t at, double value) {
    HostTensor out = made(dtype, shape, {0.0});
    out.set(at, value);
    return out;
}

/// What wraps around: a design, its inputs with an element that is just too large or just not, and the message.
struct Wrapping {
    const char* name;
    Design design;
    std::function<std::vector<HostTensor>(bool over)> inputs;
    const char* message;
};

std::vector<HostTensor> listOf(HostTensor a) {
    std::vector<HostTensor> out;
    out.push_back(std::move(a));
    return out;
}
std::vector<HostTensor> listOf(HostTensor a, HostTensor b) {
    std::vector<HostTensor> out = listOf(std::move(a));
    out.push_back(std::move(b));
    return out;
}
std::vector<HostTensor> listOf(HostTensor a, HostTensor b, HostTensor c) {
    std::vector<HostTensor> out = listOf(std::move(a), std::move(b));
    out.push_back(std::move(c));
    return out;
}

/// Operations in UB on x [4, 16]; `y` of the same shape unless it is an index.
std::vector<Wrapping> wrappingOperations() {
    const auto pair = [](const char* type) {
        return tensor("x", "input", type, {4, 16}) + "," + tensor("y", "input", type, {4, 16});
    };
    const auto of = [](const std::string& tensors, const char* out, const Shape& result, const std::string& ops,
                       const Shape& tile) { return oneStage(tensors, out, result, ops, tile); };
    // Element 37 is [2, 5], which tiles of two rows have at (0, 5) of block 1.
    const auto two = [](DType type, double x, double xOver, double y) {
        return [=](bool over) {
            return listOf(single(type, {4, 16}, 37, over ? xOver : x), single(type, {4, 16}, 37, y));
        };
    };
    const auto one = [](DType type, double x, double xOver) {
        return [=](bool over) { return listOf(single(type, {4, 16}, 37, over ? xOver : x)); };
    };
    const std::string x32 = tensor("x", "input", "INT32", {4, 16});
    const std::string rows = tensor("x", "input", "INT32", {4, 16}) + "," + tensor("i", "input", "INT32", {3}) + "," +
                             tensor("y", "input", "INT32", {3, 16});
    const auto rowsOf = [](bool over) {  // twice into row 2
        return listOf(single(DType::INT32, {4, 16}, 37, over ? kMost - 5 : kMost - 6),
                      made(DType::INT32, {3}, {2, 0, 2}), made(DType::INT32, {3, 16}, {3}));
    };
    const std::string places = tensor("x", "input", "INT32", {4, 16}) + "," + tensor("i", "input", "INT32", {2, 16}) +
                               "," + tensor("y", "input", "INT32", {2, 16});
    const auto placesOf = [](double at, double atOver, double by) {
        return [=](bool over) {
            return listOf(single(DType::INT32, {4, 16}, 37, over ? atOver : at), made(DType::INT32, {2, 16}, {2}),
                          made(DType::INT32, {2, 16}, {by}));
        };
    };
    std::vector<Wrapping> all;
    all.push_back({"add", of(pair("INT32"), "INT32", {4, 16}, operation("add", "\"x\", \"y\""), {2, 16}),
                   two(DType::INT32, kMost - 1, kMost, 1),
                   "'s' block (1,0): add gives element (0,5) beyond INT32: the values wrapped around"});
    all.push_back({"sub", of(pair("INT16"), "INT16", {4, 16}, operation("sub", "\"x\", \"y\""), {4, 16}),
                   two(DType::INT16, -32767, -32768, 1),
                   "'s' block (0,0): sub gives element (2,5) beyond INT16: the values wrapped around"});
    all.push_back({"mul", of(pair("INT32"), "INT32", {4, 16}, operation("mul", "\"x\", \"y\""), {4, 16}),
                   two(DType::INT32, 65535, 65536, 32768),
                   "'s' block (0,0): mul gives element (2,5) beyond INT32: the values wrapped around"});
    all.push_back({"neg", of(x32, "INT32", {4, 16}, operation("neg", "\"x\""), {4, 16}),
                   one(DType::INT32, -kMost, -kMost - 1),
                   "'s' block (0,0): neg gives element (2,5) beyond INT32: the values wrapped around"});
    all.push_back({"sum of rows",
                   of(tensor("x", "input", "INT32", {4, 16}), "INT32", {4, 1},
                      "{\"op\": \"add\", \"in\": [\"x\", 1], \"out\": \"h\"}, {\"op\": \"sum\", \"in\": "
                      "[\"h\"], \"out\": \"r\", \"keepdim\": true}",
                      {4, 16}),
                   one(DType::INT32, kMost - 16, kMost - 15),
                   "'s' block (0,0): sum gives element (2,0) beyond INT32: the values wrapped around"});
    all.push_back({"sum of columns",
                   of(x32, "INT32", {1, 16},
                      "{\"op\": \"add\", \"in\": [\"x\", 1], \"out\": \"h\"}, {\"op\": \"sum\", \"in\": "
                      "[\"h\"], \"out\": \"r\", \"dim\": 0, \"keepdim\": true}",
                      {4, 16}),
                   one(DType::INT32, kMost - 4, kMost - 3),
                   "'s' block (0,0): sum gives element (0,5) beyond INT32: the values wrapped around"});
    all.push_back({"index_add",
                   of(rows, "INT32", {4, 16}, operation("index_add", "\"x\", \"i\", \"y\"", ", \"dim\": 0"), {4, 16}),
                   rowsOf, "'s' block (0,0): index_add gives element (2,5) beyond INT32: the values wrapped around"});
    all.push_back({"index_put",
                   of(rows, "INT32", {4, 16},
                      operation("index_put", "\"x\", \"i\", \"y\"", ", \"dim\": 0, \"accumulate\": true"), {4, 16}),
                   rowsOf, "'s' block (0,0): index_put gives element (2,5) beyond INT32: the values wrapped around"});
    all.push_back({"scatter add",
                   of(places, "INT32", {4, 16},
                      operation("scatter", "\"x\", \"i\", \"y\"", ", \"dim\": 0, \"reduce\": \"add\""), {4, 16}),
                   placesOf(kMost - 6, kMost - 5, 3),
                   "'s' block (0,0): scatter gives element (2,5) beyond INT32: the values wrapped around"});
    all.push_back({"scatter multiply",
                   of(places, "INT32", {4, 16},
                      operation("scatter", "\"x\", \"i\", \"y\"", ", \"dim\": 0, \"reduce\": \"multiply\""), {4, 16}),
                   placesOf(32767, 32768, 256),
                   "'s' block (0,0): scatter gives element (2,5) beyond INT32: the values wrapped around"});
    all.push_back({"cast of floats",
                   of(tensor("x", "input", "FP16", {4, 16}), "INT8", {4, 16},
                      operation("cast", "\"x\"", ", \"dtype\": \"INT8\""), {4, 16}),
                   one(DType::FP16, 127.9, 128),
                   "'s' block (0,0): cast gives element (2,5) beyond INT8: the values wrapped around"});
    all.push_back({"cast of integers",
                   of(x32, "INT16", {4, 16}, operation("cast", "\"x\"", ", \"dtype\": \"INT16\""), {4, 16}),
                   one(DType::INT32, -32768, -32769),
                   "'s' block (0,0): cast gives element (2,5) beyond INT16: the values wrapped around"});
    return all;
}

/// Stores that add to an inout tensor, [4, 16] or [32, 32].
std::vector<Wrapping> wrappingStores() {
    const std::string three = operation("add", "\"x\", 3");
    const auto rows = [&](const char* more) {
        return designOf(tensor("x", "input", "INT32", {3, 16}) + "," + tensor("i", "input", "INT32", {3}) + "," +
                            tensor("out", "inout", "INT32", {4, 16}),
                        stage(three, {3, 16}) + "," + store("r", "out", more));
    };
    const auto rowsOf = [](bool over) {
        return listOf(made(DType::INT32, {3, 16}, {0}), made(DType::INT32, {3}, {2, 0, 2}),
                      single(DType::INT32, {4, 16}, 37, over ? kMost - 5 : kMost - 6));
    };
    const auto product = [](bool splitK) {
        return designOf(tensor("x", "input", "INT8", {32, 64}) + "," + tensor("y", "input", "INT8", {64, 32}) + "," +
                            tensor("out", "inout", "INT32", {32, 32}),
                        std::string("{\"kind\": \"cube\", \"id\": \"mm\", \"a\": \"x\", \"b\": \"y\", \"out\": \"r\", "
                                    "\"out_dtype\": \"INT32\", \"tile\": {\"m\": [16, 16], \"k\": [32, 32], \"n\": "
                                    "[32, 32]") +
                            (splitK ? ", \"split_k\": true" : "") + "}}," +
                            store("r", "out", ", \"op\": \"atomic_add\""));
    };
    const auto productOf = [](bool over) {  // 64 everywhere
        return listOf(made(DType::INT8, {32, 64}, {1}), made(DType::INT8, {64, 32}, {1}),
                      single(DType::INT32, {32, 32}, 20 * 32 + 7, over ? kMost - 63 : kMost - 64));
    };
    std::vector<Wrapping> all;
    all.push_back({"index_add_", rows(", \"op\": \"index_add\", \"index\": \"i\", \"dim\": 0"), rowsOf,
                   "'s' block (0,0): store adds to element [2,5] of 'out' beyond INT32: the values wrapped around"});
    all.push_back({"index_put_", rows(", \"op\": \"index_put\", \"index\": \"i\", \"dim\": 0, \"accumulate\": true"),
                   rowsOf,
                   "'s' block (0,0): store adds to element [2,5] of 'out' beyond INT32: the values wrapped around"});
    all.push_back(
        {"atomic_add of a vector stage",
         designOf(tensor("x", "input", "INT16", {4, 16}) + "," + tensor("out", "inout", "INT16", {4, 16}),
                  stage(operation("add", "\"x\", 3"), {2, 16}) + "," + store("r", "out", ", \"op\": \"atomic_add\"")),
         [](bool over) {
             return listOf(made(DType::INT16, {4, 16}, {0}), single(DType::INT16, {4, 16}, 37, over ? 32765 : 32764));
         },
         "'s' block (1,0): store adds to element [2,5] of 'out' beyond INT16: the values wrapped around"});
    all.push_back({"atomic_add of a product", product(false), productOf,
                   "'mm' block (1,0): store adds to element [20,7] of 'out' beyond INT32: the values wrapped around"});
    all.push_back({"atomic_add of a product in slices", product(true), productOf,
                   "'mm' block (1,0): store adds to element [20,7] of 'out' beyond INT32: the values wrapped around"});
    // 127 * 127 * 4096 in a slice: the 33rd is beyond 2^31 - 1.
    all.push_back(
        {"partial sums of split-K",
         designOf(tensor("x", "input", "INT8", {1, 140000}) + "," + tensor("y", "input", "INT8", {140000, 1}) + "," +
                      tensor("out", "output", "INT32", {1, 1}),
                  R"({"kind": "cube", "id": "mm", "a": "x", "b": "y", "out": "r", "out_dtype": "INT32", )"
                  R"("tile": {"m": [16, 16], "k": [512, 4096], "n": [32, 32], "split_k": true}},)" +
                      store("r", "out")),
         [](bool over) {
             return listOf(made(DType::INT8, {1, 140000}, {127}),
                           made(DType::INT8, {140000, 1}, {over ? 127.0 : 100.0}));
         },
         "'mm' block (0,0) K slice 32: store adds to element [0,0,0] of 'partial:r' beyond INT32: the values wrapped "
         "around"});
    return all;
}

/// A task of the first leaf that is known to write all of its output.
Instruction& firstOf(Program& program, Opcode op) {
    for (Leaf& leaf : program.leaves)
        for (Instruction& i : leaf.instructions)
            if (i.op == op) return i;
    std::abort();
}

}  // namespace

class TestMemoryCheck : public QObject {
    Q_OBJECT

private slots:
    void soundDesignsPassAndKeepTheirBits_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("matmul with tails") << 0;
        QTest::newRow("both operands transposed") << 1;
        QTest::newRow("loop with a short last tile") << 2;
        QTest::newRow("matmul, then vector stage") << 3;
        QTest::newRow("integers") << 4;
    }
    void soundDesignsPassAndKeepTheirBits() {
        QFETCH(int, which);
        Design design;
        if (which == 0) design = matmulDesign({.m = 70, .k = 200, .n = 100, .kTile = {64, 128}});
        if (which == 1) design = matmulDesign({.m = 70, .k = 136, .n = 100, .aTrans = true, .bTrans = true});
        if (which == 2) design = glmGate({.rows = 77, .k = 320, .n = 48, .kTile = {64, 128}});
        if (which == 3) design = rowScale({.rows = 150});
        if (which == 4) design = matmulDesign({.m = 40, .k = 300, .n = 50, .dtype = DType::INT8, .out = DType::INT32});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(program, {Distribution::Integers, -3.0, 3.0}, 4);
        const EmulatedValues fast = emulated(program, inputs, {}, 2);
        const EmulatedValues checked = emulated(program, inputs, kChecked, 2);
        for (const ValueNote& note : checked.notes) QFAIL(note.message.c_str());
        for (std::size_t t = 0, at = 0; t < program.tensors.size(); ++t) {
            if (program.tensors[t].role == GmRole::Input) continue;
            if (program.tensors[t].role == GmRole::Output) QVERIFY(sameBits(fast.tensors[at], checked.tensors[at]));
            ++at;
        }
    }

    void accumulatorsAreStartedOnce() {
        Program program = accumulatorCase();
        const auto mmads = products(program);
        QCOMPARE(mmads.size(), std::size_t{8});
        for (std::size_t i = 0; i < mmads.size(); ++i) QCOMPARE((mmads[i]->flags & kFlagInit) != 0, i == 0);
        QVERIFY(checkedRun(program).notes.empty());
    }

    void missingStartIsNamedAndItsPoisonReachesTheOutput() {
        Program program = accumulatorCase();
        products(program)[0]->flags &= static_cast<std::uint16_t>(~kFlagInit);
        const EmulatedValues values = checkedRun(program);
        QCOMPARE(messageOf(values, ValueNote::Kind::UnwrittenRead),
                 QString("'product' block (0,0): mmad at kL1=0,kL0=0 reads L0C element (0,0) before it was written"));
        QVERIFY(std::isnan(values.tensors[0].at(5)));
        // The fast path does not take such a leaf for a clean product either.
        const auto inputs = generated(program, {Distribution::Integers, -2.0, 2.0}, 1);
        const Program sound = accumulatorCase();
        QVERIFY(sameBits(emulated(sound, inputs).tensors[0], emulated(sound, inputs, kChecked).tensors[0]));
    }

    void startOnEveryOuterStepLosesThePartialSums() {
        Program program = accumulatorCase();
        products(program)[4]->flags |= kFlagInit;  // the second L1 step
        const EmulatedValues values = checkedRun(program);
        QCOMPARE(
            messageOf(values, ValueNote::Kind::SumsLost),
            QString("'product' block (0,0): mmad at kL1=1,kL0=0 starts the accumulator again: partial sums lost at "
                    "kL0 step 4"));
        // What is left are the sums of the second half, in both modes.
        const auto inputs = generated(program, {Distribution::Integers, -2.0, 2.0}, 1);
        double half = 0;
        for (std::int64_t k = 256; k < 512; ++k) half += inputs[0].at(k) * inputs[1].at(k * 128);
        QCOMPARE(emulated(program, inputs, kChecked).tensors[0].at(0), half);
        QCOMPARE(emulated(program, inputs).tensors[0].at(0), half);
    }

    void aStepThatIsTooLongReadsPadding() {
        const Design design = matmulDesign({.m = 16, .k = 200, .n = 16, .mTile = {16, 16}, .kTile = {64, 256}});
        Program program = lowered(design, {}, chipFile("Ascend910B1"));
        products(program).back()->at[0] += 8;  // the tail of 8 taken as 16
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::UnwrittenRead)
                    .contains("mmad at kL1=0,kL0=3 reads L0A element (0,8) before it was written"));
    }

    void integersNeedNoSentinel() {
        const Design design = matmulDesign({.m = 16, .k = 64, .n = 32, .dtype = DType::INT8, .out = DType::INT32});
        Program program = lowered(design, {}, chipFile("Ascend910B1"));
        products(program)[0]->flags &= static_cast<std::uint16_t>(~kFlagInit);
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::UnwrittenRead).contains("L0C element (0,0)"));
    }

    void accessesBeyondATileAreNotExecuted() {
        Program program = accumulatorCase();
        firstOf(program, Opcode::MoveL0A).at = {0, 224};  // 224 + 64 of 256
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::OutsideAccess)
                    .contains("move reads L1 element (15,287), outside of its tile of 16 x 256"));
    }

    void writesBeyondATensorAreNotExecuted() {
        Program program = accumulatorCase();
        firstOf(program, Opcode::StoreL0C).at = {1, 0};
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::OutsideAccess)
                    .contains("store writes element [16,127] of 'c', outside of the tensor"));
    }

    void workspacesHoldNothingBeforeTheyAreWritten() {
        const Design design = rowScale();
        Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        for (Leaf& leaf : program.leaves)  // the cube stage forgets its last row
            for (Instruction& i : leaf.instructions)
                if (i.op == Opcode::StoreL0C) --i.extent[0];
        const QString message = messageOf(checkedRun(program, 2), ValueNote::Kind::UnwrittenRead);
        QVERIFY2(message.startsWith("'scaling' block ("), qPrintable(message));
        QVERIFY2(message.contains("load reads element [63,0] of 'acc', which nobody wrote"), qPrintable(message));
    }

    void tilesBeyondTheBufferAreNamed() {
        Program program = accumulatorCase();
        EmulatorOptions options = kChecked;
        options.bufferBytes[static_cast<std::size_t>(Buffer::L0B)] = 16384;
        const auto values = emulated(program, generated(program, {Distribution::Constant, 1.0, 0.0}, 1), options);
        QVERIFY(messageOf(values, ValueNote::Kind::OverCapacity).contains("a tile of L0B ends at byte"));
    }

    void writesThatNothingOrdersAreNamed() {
        const Design design = matmulDesign({.m = 64, .k = 64, .n = 64, .mTile = {32, 32}, .nTile = {64, 64}});
        Program program = lowered(design, {}, chipFile("Ascend910B1"));
        QCOMPARE(program.tasks.size(), std::size_t{2});
        for (Box& box : program.boxes)
            if (program.tensors[box.tensor.value].name == "c") box.offset[2] = 16;
        const auto inputs = generated(program, {Distribution::Constant, 1.0, 0.0}, 1);
        const QString expected =
            "'product' block (0,0) and 'product' block (1,0) both write element [16,0] of 'c', and nothing orders them";
        QCOMPARE(messageOf(emulated(program, inputs, {}, 2), ValueNote::Kind::UnorderedAccess), expected);
        program.edges = {{TaskIndex(1), EdgeKind::Wait}};
        program.tasks[0].edgeCount = 1;
        program.tasks[1].predecessors = 1;
        QVERIFY(emulated(program, inputs, {}, 2).notes.empty());
    }

    /// A read that nothing orders against the write of what it reads, either one first.
    void readsThatNothingOrdersAreNamed() {
        const Design design = rowScale();
        const Program whole = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(whole, {Distribution::Constant, 1.0, 0.0}, 1);
        QVERIFY(emulated(whole, inputs, {}, 2).notes.empty());
        Program program = whole;
        program.edges.clear();
        for (Task& task : program.tasks) task.firstEdge = task.edgeCount = task.predecessors = 0;
        const QString message = messageOf(emulated(program, inputs, {}, 1), ValueNote::Kind::UnorderedAccess);
        QVERIFY2(message.contains("writes element [") && message.contains("] of 'acc', which 'scaling' block (") &&
                     message.endsWith(" reads, and nothing orders them"),
                 qPrintable(message));
    }

    void overflowNamesTheElement() {
        const Design design = matmulDesign({.m = 16,
                                            .k = 140000,
                                            .n = 16,
                                            .dtype = DType::INT8,
                                            .out = DType::INT32,
                                            .mTile = {16, 16},
                                            .kTile = {512, 4096},
                                            .nTile = {32, 32}});
        const Program program = lowered(design, {}, chipFile("Ascend910B1"));
        auto inputs = generated(program, {Distribution::Constant, 0.0, 0.0}, 0);
        for (std::int64_t k = 0; k < 140000; ++k) {
            inputs[0].set(3 * 140000 + k, 127);
            inputs[1].set(k * 16 + 5, 127);
        }
        // 127 * 127 * 133145 is the first beyond 2^31 - 1.
        QVERIFY(messageOf(emulated(program, inputs), ValueNote::Kind::IntegerOverflow)
                    .contains("at element (3,5), k = 133144"));
    }

    /// Integers wrap in vector operations, casts and adding stores too: stage, block and element, in both modes.
    void integersThatWrapAreNamed_data() {
        QTest::addColumn<bool>("stores");
        QTest::addColumn<qsizetype>("index");
        for (const bool stores : {false, true}) {
            qsizetype index = 0;
            for (const Wrapping& entry : stores ? wrappingStores() : wrappingOperations())
                QTest::newRow(entry.name) << stores << index++;
        }
    }
    void integersThatWrapAreNamed() {
        QFETCH(bool, stores);
        QFETCH(qsizetype, index);
        const Wrapping entry =
            std::move((stores ? wrappingStores() : wrappingOperations())[static_cast<std::size_t>(index)]);
        const Program program = lowered(entry.design, bound(entry.design), chipFile("Ascend910B1"));
        for (const EmulatorOptions& options : {EmulatorOptions{}, kChecked}) {
            for (const ValueNote& note : emulated(program, entry.inputs(false), options, 2).notes)
                QFAIL(note.message.c_str());
            const EmulatedValues values = emulated(program, entry.inputs(true), options, 2);
            QCOMPARE(values.notes.size(), std::size_t{1});
            QCOMPARE(messageOf(values, ValueNote::Kind::IntegerOverflow), QString(entry.message));
            QVERIFY(!values.notes[0].messageZh.empty());
        }
        // The golden wraps as well.
        const Run both = test::run(entry.design, entry.inputs(true));
        for (std::int64_t e = 0; e < both["out"].count(); ++e)
            QCOMPARE(both["out"].at(e), both.ideal.at("out")[static_cast<std::size_t>(e)]);
    }

    void whatComesBackHasNotWrapped_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QList<qlonglong>>("values");
        QTest::addColumn<qlonglong>("result");
        QTest::addColumn<bool>("wraps");
        const qlonglong big = qlonglong{1} << 40, huge = qlonglong{1} << 62,
                        least = std::numeric_limits<qlonglong>::min();
        QTest::newRow("a zero behind") << "prod" << QList<qlonglong>{big, big, 0} << qlonglong{0} << false;
        QTest::newRow("a zero in front") << "prod" << QList<qlonglong>{0, big, big} << qlonglong{0} << false;
        QTest::newRow("low bits of 2^80") << "prod" << QList<qlonglong>{big, big, 1} << qlonglong{0} << true;
        QTest::newRow("-2^63 by way of 2^63") << "prod" << QList<qlonglong>{huge, 2, -1} << least << false;
        QTest::newRow("2^63") << "prod" << QList<qlonglong>{huge, -2, -1} << least << true;
        QTest::newRow("beyond and back") << "sum" << QList<qlonglong>{huge, huge, -5} << huge - 5 + huge << false;
        QTest::newRow("beyond") << "sum" << QList<qlonglong>{huge, huge, 5} << least + 5 << true;
    }
    void whatComesBackHasNotWrapped() {
        QFETCH(QString, op);
        QFETCH(QList<qlonglong>, values);
        QFETCH(qlonglong, result);
        QFETCH(bool, wraps);
        const Design design = oneStage(tensor("x", "input", "INT64", {1, 3}), "INT64", {1, 1},
                                       operation(op.toStdString(), "\"x\"", ", \"dim\": 1, \"keepdim\": true"), {1, 3});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        auto inputs = listOf(made(DType::INT64, {1, 3}, {0}));
        std::copy(values.begin(), values.end(), inputs[0].writableCodes<std::int64_t>().begin());
        const EmulatedValues emulatedValues = emulated(program, inputs);
        QCOMPARE(emulatedValues.tensors.at(0).codes<std::int64_t>()[0], std::int64_t{result});
        QCOMPARE(!messageOf(emulatedValues, ValueNote::Kind::IntegerOverflow).isEmpty(), wraps);
    }

    void int64WrapsAt64Bits() {
        const Design design =
            oneStage(tensor("x", "input", "INT64", {1, 8}) + "," + tensor("y", "input", "INT64", {1, 8}), "INT64",
                     {1, 8}, operation("mul", "\"x\", \"y\""), {1, 8});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        for (const bool over : {false, true}) {
            auto inputs = listOf(made(DType::INT64, {1, 8}, {0x1p31}), made(DType::INT64, {1, 8}, {1}));
            inputs[1].writableCodes<std::int64_t>()[3] = over ? std::int64_t{1} << 32 : (std::int64_t{1} << 32) - 1;
            const EmulatedValues values = emulated(program, inputs);
            QCOMPARE(messageOf(values, ValueNote::Kind::IntegerOverflow),
                     over ? QString("'s' block (0,0): mul gives element (0,3) beyond INT64: the values wrapped around")
                          : QString());
        }
    }

    void runningSumsWrapAt64Bits() {
        const Design design = oneStage(tensor("x", "input", "INT64", {4, 8}), "INT64", {4, 8},
                                       operation("cumsum", "\"x\"", ", \"dim\": 0"), {4, 8});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        for (const std::int64_t more : {0, 1}) {
            auto inputs = listOf(made(DType::INT64, {4, 8}, {1}));
            inputs[0].writableCodes<std::int64_t>()[8 + 5] = std::numeric_limits<std::int64_t>::max() - 3 + more;
            const EmulatedValues values = emulated(program, inputs, kChecked);
            QCOMPARE(messageOf(values, ValueNote::Kind::IntegerOverflow),
                     more == 0 ? QString()
                               : QString("'s' block (0,0): cumsum gives element (3,5) beyond INT64: the values wrapped "
                                         "around"));
        }
    }

    /// What a saturating conversion clamps is counted over the stage; the first element is named with its block.
    void saturatedElementsAreCounted_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<bool>("saturate");
        QTest::addColumn<Values>("values");  // of elements 37 and 40; those that stay, those that go
        QTest::addColumn<QString>("first");
        const auto row = [](const char* name, const char* from, const char* to, bool saturate, const Values& values,
                            const char* first) { QTest::newRow(name) << from << to << saturate << values << first; };
        const double inf = std::numeric_limits<double>::infinity();
        row("FP16", "FP32", "FP16", true, {65519, -65504, 65520, -1e9}, "(FP16) 65520");
        row("BF16", "FP32", "BF16", true, {0x1.FEp127, -1e38, -0x1.FFp127, inf}, "(BF16) -3.3961775e+38");
        row("FP8E4M3", "FP32", "FP8E4M3", true, {464, -448, 465, -1000}, "(FP8E4M3) 465");
        row("FP8E5M2", "FP32", "FP8E5M2", true, {61439, -57344, 61440, -inf}, "(FP8E5M2) 61440");
        row("HF8", "FP32", "HF8", true, {32768, -30000, 50000, -50000}, "(HF8) 50000");
        row("FP4E2M1 without asking", "BF16", "FP4E2M1", false, {6.9375, -6, 7, -100}, "(FP4E2M1) 7");
        row("INT8", "FP16", "INT8", true, {127.9, -128, 128, -129}, "(INT8) 128");
        row("UINT8", "FP16", "UINT8", true, {255.5, 0, -1, 256}, "(UINT8) -1");
        row("INT32", "FP32", "INT32", true, {2147483520.0, -0x1p31, 0x1p31, -4e9}, "(INT32) 2147483648");
        row("infinity becomes an integer", "FP32", "INT32", false, {1, -1, inf, -inf}, "(INT32) inf");
        row("integers", "INT32", "INT16", true, {32767, -32768, 32768, -32769}, "(INT16) 32768");
        row("integers to FP16", "INT32", "FP16", true, {65519, -65519, 65520, -70000}, "(FP16) 65520");
        row("infinity shows itself", "FP32", "FP16", false, {1, -1, inf, 1e9}, "");
    }
    void saturatedElementsAreCounted() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(bool, saturate);
        QFETCH(Values, values);
        QFETCH(QString, first);
        const DType type = *fromText<DType>(from.toStdString());
        const std::string more = ", \"dtype\": \"" + to.toStdString() + "\"" + (saturate ? ", \"saturate\": true" : "");
        const Design design = oneStage(tensor("x", "input", from.toStdString(), {4, 16}), to.toStdString(), {4, 16},
                                       operation("cast", "\"x\"", more), {2, 16});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = [&](std::size_t pair) {
            HostTensor x = single(type, {4, 16}, 37, values[pair]);
            x.set(40, values[pair + 1]);
            return listOf(std::move(x));
        };
        const bool clamps = saturate || to.startsWith("FP4");
        for (const EmulatorOptions& options : {EmulatorOptions{}, kChecked}) {
            QCOMPARE(messageOf(emulated(program, inputs(0), options, 2), ValueNote::Kind::Saturated), QString());
            const EmulatedValues run = emulated(program, inputs(2), options, 2);
            QCOMPARE(messageOf(run, ValueNote::Kind::Saturated),
                     first.isEmpty() ? QString()
                                     : "'s' block (1,0): the first of 2 saturated elements is " + first +
                                           " at element (0,5); the stage converts " + QString(clamps ? "64" : "2") +
                                           " elements with saturation");
        }
        // Output and ideal golden hold the same numbers.
        const Run both = test::run(design, inputs(2));
        if (!first.isEmpty())
            for (const std::int64_t at : {std::int64_t{37}, std::int64_t{40}})
                QCOMPARE(both["out"].at(at), both.ideal.at("out")[static_cast<std::size_t>(at)]);
    }

    /// INT8 out of the FIXPIPE clamps, and FP16 out of an INT32 sum.
    void theFixpipeCountsWhatItClamps_data() {
        QTest::addColumn<QString>("out");
        QTest::addColumn<double>("scale");
        QTest::addColumn<QString>("value");
        QTest::newRow("INT8") << "INT8" << 2.0 << "(INT8) 128";
        QTest::newRow("FP16") << "FP16" << 2048.0 << "(FP16) 131072";
    }
    void theFixpipeCountsWhatItClamps() {
        QFETCH(QString, out);
        QFETCH(double, scale);
        QFETCH(QString, value);
        const Design design = designOf(
            tensor("x", "input", "INT8", {32, 64}) + "," + tensor("y", "input", "INT8", {64, 32}) + "," +
                tensor("out", "output", out.toStdString(), {32, 32}),
            "{\"kind\": \"cube\", \"id\": \"mm\", \"a\": \"x\", \"b\": \"y\", \"out\": \"r\", \"out_dtype\": \"" +
                out.toStdString() + "\", \"scale\": " + std::to_string(scale) +
                ", \"tile\": {\"m\": [16, 16], \"k\": [32, 32], \"n\": [32, 32]}}," + store("r", "out"));
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        // Row 20 sums up to 64, the others to 0.
        HostTensor x = made(DType::INT8, {32, 64}, {0});
        for (std::int64_t k = 0; k < 64; ++k) x.set(20 * 64 + k, 1);
        const auto inputs = listOf(std::move(x), made(DType::INT8, {64, 32}, {1}));
        for (const EmulatorOptions& options : {EmulatorOptions{}, kChecked})
            QCOMPARE(messageOf(emulated(program, inputs, options, 2), ValueNote::Kind::Saturated),
                     "'mm' block (1,0): the first of 32 saturated elements is " + value +
                         " at element (4,0); the stage converts 1024 elements with saturation");
    }

    void aCheckedRunReportsAndFails() {
        RunRequest request;
        request.chip = chipFile("Ascend910B1");
        request.design = std::make_shared<const Design>(glmGate({.rows = 40, .k = 256, .n = 48, .kTile = {64, 128}}));
        request.checked = true;
        const auto sound = run(request, {});
        QVERIFY(sound);
        QCOMPARE(sound->exitStatus(), 0);
        QCOMPARE(sound->accuracy.verdict, Verdict::Pass);
    }
};

QTEST_APPLESS_MAIN(TestMemoryCheck)
#include "tst_memory_check.moc"

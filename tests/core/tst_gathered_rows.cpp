// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/design/resolve.h"
#include "core/lowering/lower.h"
#include "core/rules/buffer_use.h"
#include "core/timing/instruction_work.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr EmulatorOptions kChecked{Isa::Auto, true, {}};

/// Rows of a tensor that is far larger than UB.
Design manyRows(const std::string& index = "INT32") {
    const std::string tensors = tensor("x", "input", "BF16", {9000, 64}) + "," + tensor("i", "input", index, {70});
    return oneStage(tensors, "BF16", {70, 64}, operation("index_select", "\"x\", \"i\"", ", \"dim\": 0"), {16, 32});
}

std::vector<HostTensor> manyRowsData(DType index) {
    std::vector<HostTensor> in;
    in.push_back(noise(DType::BF16, {9000, 64}, 3));
    in.push_back(indices({70}, 9000, index));
    return in;
}

/// Rows of an earlier result are picked; the stage that makes it forgets its last row.
Program partlyWritten() {
    const std::string tensors = tensor("x", "input", "FP32", {4, 16}) + "," + tensor("i", "input", "INT32", {5}) + "," +
                                tensor("out", "output", "FP32", {5, 16});
    const Design design = designOf(
        tensors,
        stage(operation("neg", "\"x\""), {4, 16}) + "," +
            stage("{\"op\": \"index_select\", \"in\": [\"r\", \"i\"], \"out\": \"p\", \"dim\": 0}", {2, 16}, "pick") +
            "," + store("p", "out"));
    Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
    const Task& first = program.tasks[0];
    --program.boxes[first.firstBox + 1].valid[2];
    return program;
}

}  // namespace

class TestGatheredRows : public QObject {
    Q_OBJECT

private slots:
    void onlyThePickedRowsEnterTheBuffer_data() {
        QTest::addColumn<QString>("index");
        QTest::newRow("INT32") << "INT32";
        QTest::newRow("INT64") << "INT64";
    }

    void onlyThePickedRowsEnterTheBuffer() {
        QFETCH(QString, index);
        const Run result = run(manyRows(index.toStdString()), manyRowsData(*fromText<DType>(index.toStdString())));
        for (std::int64_t r = 0; r < 70; ++r)
            for (std::int64_t c = 0; c < 64; ++c) {
                const auto row = static_cast<std::int64_t>(result.inputs[1].at(r));
                const double want = result.inputs[0].at(row * 64 + c);
                QCOMPARE(result["out"].at(r * 64 + c), want);
                QCOMPARE(result.ideal.at("out")[static_cast<std::size_t>(r * 64 + c)], want);
                QCOMPARE(result.framework.at("out")[static_cast<std::size_t>(r * 64 + c)], want);
            }
        for (const Leaf& leaf : result.program.leaves)
            for (const Allocation& tile : leaf.allocations) QVERIFY(tile.rows <= 16);
    }

    void theCapacityCountsWhatIsLoaded() {
        const Design design = manyRows();
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved.has_value());
        const auto use = bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1"));
        // 16 entries of the index, 16 x 32 elements of BF16.
        QCOMPARE(use[4].bytesPerSlot, std::int64_t{16 * 4 + 16 * 32 * 2});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        std::int64_t end = 0;
        for (const Allocation& tile : program.leaves[0].allocations)
            end = std::max(end, std::int64_t{tile.offset} + tile.bytes);
        QCOMPARE(end, use[4].bytesPerSlot);
    }

    void everyRowIsAMovementOfItsOwn() {
        const Design design = manyRows();
        const ChipSpec chip = chipFile("Ascend910B1");
        const Program program = lowered(design, bound(design), chip);
        int loads = 0;
        for (const Instruction& i : program.leaves[0].instructions) {
            if (i.op != Opcode::LoadUb || i.detail == Instruction::kNone) continue;
            ++loads;
            const InstructionWork work = workOf(program.leaves[0], i);
            QCOMPARE(work.rows, std::int64_t{16});
            QCOMPARE(work.rowBytes, std::int64_t{64});
            QCOMPARE(work.bytes, std::int64_t{1024});
            const Rational perRow = std::max(chip.mte2RowCycles.value, Rational(64) / chip.gmToUbBytesPerCycle.value);
            QCOMPARE(cyclesOf(chip, work), chip.gmToUbOverhead.value + Rational(16) * perRow);
        }
        QCOMPARE(loads, 1);
    }

    void placesMayBeComputedBesideThem() {
        const std::string tensors = tensor("x", "input", "FP16", {3, 400, 8, 16});
        const std::string ops =
            "{\"op\": \"arange\", \"in\": [], \"out\": \"a\", \"range\": [5]}, {\"op\": \"mul\", \"in\": [\"a\", 70], "
            "\"out\": \"i\"}, {\"op\": \"index_select\", \"in\": [\"x\", \"i\"], \"out\": \"r\", \"dim\": 1}";
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP16, {3, 400, 8, 16}, 8));
        const Run result = run(oneStage(tensors, "FP16", {3, 5, 8, 16}, ops, {1, 2, 8, 16}), std::move(in));
        for (std::int64_t a = 0; a < 3; ++a)
            for (std::int64_t e = 0; e < 5; ++e)
                for (std::int64_t c = 0; c < 128; ++c)
                    QCOMPARE(result["out"].at((a * 5 + e) * 128 + c),
                             result.inputs[0].at((a * 400 + 70 * e) * 128 + c));
    }

    void theSameTensorMayBeReadInOtherWaysToo() {
        const std::string tensors = tensor("x", "input", "FP32", {12, 16}) + "," + tensor("i", "input", "INT32", {12});
        const std::string ops =
            "{\"op\": \"index_select\", \"in\": [\"x\", \"i\"], \"out\": \"p\", \"dim\": 0}, "
            "{\"op\": \"sub\", \"in\": [\"x\", \"p\"], \"out\": \"r\"}";
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {12, 16}, 8));
        in.push_back(indices({12}, 12));
        const Run result = run(oneStage(tensors, "FP32", {12, 16}, ops, {5, 16}), std::move(in));
        for (std::int64_t r = 0; r < 12; ++r)
            for (std::int64_t c = 0; c < 16; ++c)
                QCOMPARE(result["out"].at(r * 16 + c),
                         result.inputs[0].at(r * 16 + c) -
                             result.inputs[0].at(static_cast<std::int64_t>(result.inputs[1].at(r)) * 16 + c));
    }

    void theLastAxisIsPickedInTheBuffer() {
        const std::string tensors = tensor("x", "input", "FP32", {6, 40}) + "," + tensor("i", "input", "INT32", {9});
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {6, 40}, 8));
        in.push_back(indices({9}, 40));
        const Run result =
            run(oneStage(tensors, "FP32", {6, 9}, operation("index_select", "\"x\", \"i\"", ", \"dim\": 1"), {4, 8}),
                std::move(in));
        for (std::int64_t r = 0; r < 6; ++r)
            for (std::int64_t c = 0; c < 9; ++c) {
                const double want = result.inputs[0].at(r * 40 + static_cast<std::int64_t>(result.inputs[1].at(c)));
                QCOMPARE(result["out"].at(r * 9 + c), want);
                QCOMPARE(result.ideal.at("out")[static_cast<std::size_t>(r * 9 + c)], want);
            }
    }

    void placesBeyondTheValidRowsStopTheRun() {
        const std::string tensors = tensor("x", "input", "FP32", {12, 16}) + "," + tensor("i", "input", "INT32", {4}) +
                                    "," + tensor("out", "output", "FP32", {4, 16});
        const Design design = designOf(
            tensors,
            "{\"kind\": \"view\", \"id\": \"part\", \"of\": \"x\", \"out\": \"v\", \"shape\": [8, 16], "
            "\"offset\": [2, 0], \"valid\": [7, 16]}," +
                stage(operation("index_select", "\"v\", \"i\"", ", \"dim\": 0"), {2, 16}) + "," + store("r", "out"));
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {12, 16}, 8));
        in.push_back(made(DType::INT32, {4}, {0, 6, 3, 5}));
        Run result = run(design, std::move(in));
        for (std::int64_t c = 0; c < 16; ++c) QCOMPARE(result["out"].at(16 + c), result.inputs[0].at(8 * 16 + c));
        in = std::move(result.inputs);
        in[1].set(3, 7);
        const Error error = failure(design, in);
        QCOMPARE(error.code, ErrorCode::BadValue);
        QCOMPARE(QString::fromStdString(error.message),
                 QString("stage 's': element [3] of the index is 7, the axis has 7 elements"));
    }

    /// Every operation that picks by an index in the buffer, on both sides of the axis.
    void placesInTheBufferOutOfRangeStopTheRun_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<double>("entry");
        for (const char* op : {"gather", "index_select", "scatter", "index_add", "index_put"})
            for (const double entry : {-1.0, 6.0}) QTest::addRow("%s %g", op, entry) << op << entry;
    }
    void placesInTheBufferOutOfRangeStopTheRun() {
        QFETCH(QString, op);
        QFETCH(double, entry);
        const bool places = op == "gather" || op == "scatter";  // an index of elements, others are of slices
        const bool writes = op != "gather" && op != "index_select";
        const Shape index = places ? Shape{4, 16} : Shape{4};
        std::string tensors = tensor("x", "input", "FP32", {6, 16}) + "," + tensor("i", "input", "INT32", index);
        std::string operands = "\"t\", \"i\"";
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {6, 16}, 8));
        in.push_back(indices(index, 6));
        if (writes) {
            tensors += "," + tensor("y", "input", "FP32", {4, 16});
            operands += ", \"y\"";
            in.push_back(noise(DType::FP32, {4, 16}, 9));
        }
        const std::string neg = R"({"op": "neg", "in": ["x"], "out": "t"},)";
        const Design design = oneStage(tensors, "FP32", writes ? Shape{6, 16} : Shape{4, 16},
                                       neg + operation(op.toStdString(), operands, ", \"dim\": 0"), {6, 16});
        Run result = run(design, std::move(in));
        in = std::move(result.inputs);
        in[1].set(places ? 2 * 16 + 5 : 2, entry);
        const Error error = failure(design, in);
        QCOMPARE(error.code, ErrorCode::BadValue);
        QCOMPARE(QString::fromStdString(error.where), "/blocks/0");
        QCOMPARE(QString::fromStdString(error.message),
                 QString("stage 's': element [%1] of the index is %2, the axis has 6 elements")
                     .arg(places ? "2, 5" : "2")
                     .arg(entry));
    }

    void rowsThatNobodyWroteAreNamedWhenTheyArePicked() {
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {4, 16}, 8));
        in.push_back(made(DType::INT32, {5}, {2, 0, 1, 2, 2}));
        const Program program = partlyWritten();
        QVERIFY(emulated(program, in, kChecked).notes.empty());
        in[1].set(3, 3);
        const EmulatedValues values = emulated(program, in, kChecked);
        QCOMPARE(values.notes.size(), std::size_t{1});
        QCOMPARE(values.notes[0].kind, ValueNote::Kind::UnwrittenRead);
        QCOMPARE(QString::fromStdString(values.notes[0].message),
                 QString("'pick' block (1,0): load reads element [3,0] of 'r', which nobody wrote"));
    }
};

QTEST_APPLESS_MAIN(TestGatheredRows)
#include "tst_gathered_rows.moc"

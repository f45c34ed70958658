// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/emulator/guarded_memory.h"
#include "core/emulator/memory_check.h"
#include "core/lowering/lower.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

GmTensor tensorOf(DType dtype, const Extent4& shape, int rank) {
    GmTensor tensor;
    tensor.name = "out";
    tensor.role = GmRole::Output;
    tensor.dtype = dtype;
    tensor.shape = shape;
    tensor.rank = rank;
    return tensor;
}

/// Two tiles of 32 rows.
Program product() {
    const Design design = matmulDesign({.m = 64, .k = 64, .n = 40, .mTile = {32, 32}, .nTile = {64, 64}});
    return lowered(design, {}, chipFile("Ascend910B1"));
}

GmIndex outputOf(const Program& program) {
    for (std::size_t i = 0; i < program.tensors.size(); ++i)
        if (program.tensors[i].role == GmRole::Output) return GmIndex(i);
    std::abort();
}

/// What a checked run says when a byte `at` bytes from the end of row `row` changes while task `task` runs.
QString noteOf(const Program& program, std::size_t task, std::int64_t row, std::int64_t at) {
    GuardedMemory guards(program);
    GmShadow shadow(program);
    MemoryCheck check(program, shadow, {});
    GuardedTensor& out = guards.of(outputOf(program));
    const std::int64_t size = hostBytesPerElement(program.tensors[outputOf(program).value].dtype);
    check.begin({TaskIndex(task)});
    out.data()[(row * out.stride()[2] + 40) * size + at] = std::byte{0};
    check.end(guards);
    QString text;
    for (const auto& [key, note] : check.notes()) text += QString::fromStdString(note.message);
    check.end(guards);  // whole again: nothing new to say
    return text;
}

}  // namespace

class TestGuardedMemory : public QObject {
    Q_OBJECT

private slots:
    void valuesGoInAndOut_data() {
        QTest::addColumn<int>("dtype");
        for (const DType type : {DType::FP32, DType::BF16, DType::INT8, DType::INT64, DType::FP4E2M1})
            QTest::newRow(std::string(toText(type)).c_str()) << static_cast<int>(type);
    }

    void valuesGoInAndOut() {
        QFETCH(int, dtype);
        const auto type = static_cast<DType>(dtype);
        const HostTensor values = noise(type, {2, 3, 5, 7}, 3);
        GuardedTensor guarded(tensorOf(type, {2, 3, 5, 7}, 4));
        guarded.copyFrom(values);
        const Extent4 stride = guarded.stride();
        QCOMPARE(stride[2] * hostBytesPerElement(type), 2 * 7 * hostBytesPerElement(type));
        const std::int64_t element = (stride[0] + 2 * stride[1] + 4 * stride[2] + 6) * hostBytesPerElement(type);
        QVERIFY(std::memcmp(guarded.data() + element, values.data() + 209 * hostBytesPerElement(type),
                            static_cast<std::size_t>(hostBytesPerElement(type))) == 0);
        HostTensor back = HostTensor::zeros(type, {2, 3, 5, 7}).value();
        guarded.copyTo(back);
        QVERIFY(sameBits(back, values));
        QVERIFY(!guarded.takeDamage(-1, 31).has_value());
    }

    void guardsAreShortBehindShortRows() {
        GuardedTensor narrow(tensorOf(DType::INT8, {1, 1, 9, 1}, 2)), wide(tensorOf(DType::FP32, {1, 1, 9, 100}, 2));
        QCOMPARE(narrow.stride()[2], std::int64_t{2});
        QCOMPARE(wide.stride()[2], std::int64_t{100 + GuardedTensor::kRowGuardBytes / 4});
        narrow.data()[2 * 4 + 1] = std::byte{0};
        QCOMPARE(narrow.takeDamage(0, 9).value(), std::int64_t{4});
    }

    void damageIsFoundOnceWhereItIs() {
        GuardedTensor guarded(tensorOf(DType::FP16, {1, 1, 6, 10}, 2));
        std::byte* const data = guarded.data();
        const std::int64_t row = 2 * guarded.stride()[2];
        data[3 * row + 20] = std::byte{0};  // the first byte behind row 3
        QVERIFY(!guarded.takeDamage(0, 3).has_value());
        QCOMPARE(guarded.takeDamage(0, 6).value(), std::int64_t{3});
        QVERIFY(!guarded.takeDamage(-1, 7).has_value());
        data[5 * row - 1] = std::byte{7};  // the last byte before row 5
        QCOMPARE(guarded.takeDamage(-1, 7).value(), std::int64_t{4});
        data[-1] = std::byte{7};
        QCOMPARE(guarded.takeDamage(-1, 7).value(), std::int64_t{-1});
        data[-GuardedTensor::kZoneBytes] = std::byte{7};
        QCOMPARE(guarded.takeDamage(-1, 1).value(), std::int64_t{-1});
        data[6 * row + GuardedTensor::kZoneBytes - 1] = std::byte{7};  // the last byte of all
        QCOMPARE(guarded.takeDamage(0, 100).value(), std::int64_t{5});
        data[2 * row + 19] = std::byte{7};  // the last byte of row 2 is no guard
        QVERIFY(!guarded.takeDamage(-1, 7).has_value());
    }

    void theTaskAndTheElementAreNamed() {
        const Program program = product();
        QCOMPARE(program.tasks.size(), std::size_t{2});
        QCOMPARE(noteOf(program, 0, 7, 0),
                 QString("'product' block (0,0): store damages the guard behind element [7,39] of 'c'"));
        QCOMPARE(noteOf(program, 1, 63, 100),
                 QString("'product' block (1,0): store damages the guard behind element [63,39] of 'c'"));
        // The row before a tile belongs to it as well, what lies further away does not.
        QCOMPARE(noteOf(program, 1, 31, 5),
                 QString("'product' block (1,0): store damages the guard behind element [31,39] of 'c'"));
        QCOMPARE(noteOf(program, 1, 30, 5), QString());
        QCOMPARE(noteOf(program, 0, -1, 60), QString("'product' block (0,0): store damages the guard in front of 'c'"));
    }

    /// FC-11: rows of 504 bytes, which are no whole bursts of 32.
    void rowsOfOddLengthLeaveTheirGuardsAlone_data() {
        QTest::addColumn<int>("columns");
        for (const int columns : {126, 128, 1, 3, 7}) QTest::addRow("%d", columns) << columns;
    }

    void rowsOfOddLengthLeaveTheirGuardsAlone() {
        QFETCH(int, columns);
        for (const char* type : {"FP32", "BF16", "INT8"}) {
            const DType dtype = *fromText<DType>(type);
            const std::int64_t n = columns;
            std::vector<HostTensor> in;
            in.push_back(noise(dtype, {128, n}, 5));
            // In both modes: the checked one looks at a guard behind every row, and has nothing to say.
            const Run result =
                run(oneStage(tensor("x", "input", type, {128, n}), type, {128, n}, operation("neg", "\"x\""), {8, n}),
                    std::move(in));
            for (std::int64_t e = 0; e < 128 * n; ++e) QCOMPARE(result["out"].at(e), -result.inputs[0].at(e) + 0.0);
        }
    }
};

QTEST_APPLESS_MAIN(TestGuardedMemory)
#include "tst_guarded_memory.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <limits>
#include <utility>

#include "core/chip/l1_loads.h"
#include "core/exchange/design_json.h"
#include "core/lowering/lower.h"
#include "core/rules/op_types.h"
#include "core/rules/registry.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/rule_checks.h"
#include "tests/support/stage_runs.h"

/// The numbers in findings, and the fixes that are offered for them.
using namespace cubist;
using namespace cubist::test;

namespace {

/// One matmul for each of three groups of rows in tiles of 16, in a loop of this form; the results go to `offset`.
Design groupedTiles(const std::string& loop, const std::string& variant, const std::string& offset) {
    return designText(R"json({"cubist": 1, "name": "g", "chip": "Ascend910B1",
  "skeleton": {"variant": ")json" +
                      variant + R"json(", "pattern": 3}, "symbols": [{"id": "M", "value": 60}],
  "lists": [{"id": "gl", "form": "counts", "value": [40, 5, 15], "total": "M"}],
  "tensors": [{"id": "a", "role": "input", "dtype": "BF16", "shape": ["M", 16]},
    {"id": "b", "role": "input", "dtype": "BF16", "shape": [3, 16, 16]},
    {"id": "o", "role": "inout", "dtype": "FP32", "shape": ["M", 16]}],
  "blocks": [{"kind": "loop", "id": "groups", "index": "g", "axis": "len(gl)", )json" +
                      loop + R"json(, "body": [
    {"kind": "loop", "id": "rows", "index": "r", "axis": "count(gl, g)", "tile": 16, "body": [
      {"kind": "view", "id": "va", "of": "a", "out": "ag", "shape": [16, 16],
       "offset": ["start(gl, g) + r * 16", 0], "valid": ["min(count(gl, g) - r * 16, 16)", 16]},
      {"kind": "view", "id": "vb", "of": "b", "out": "bg", "shape": [16, 16], "offset": ["g", 0, 0]},
      {"kind": "cube", "id": "c1", "a": "ag", "b": "bg", "out": "p", "out_dtype": "FP32",
       "tile": {"m": [16, 16], "k": [16, 16], "n": [16, 16]}},
      {"kind": "store", "id": "w", "op": "atomic_add", "from": "p", "to": "o", "offset": [")json" +
                      offset + R"json(", 0]}]}]}],
  "options": {"device_sched_parallelism": 4}})json");
}

/// The message of the first note of a kind, if any.
QString messageOf(const EmulatedValues& values, ValueNote::Kind kind) {
    for (const ValueNote& note : values.notes)
        if (note.kind == kind) return QString::fromStdString(note.message);
    return {};
}

}  // namespace

class TestRuleNumbers : public QObject {
    Q_OBJECT
private slots:
    /// PyPTO makes a number an element of the tensor's type: 0.1 beside BF16 is 0.10009765625. The ideal golden does
    /// not.
    void numbersAreOfTheTypeBesideThem_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("ops");
        QTest::addColumn<double>("x");
        QTest::addColumn<double>("expected");
        QTest::addColumn<double>("ideal");
        const auto row = [](const char* name, const char* type, const std::string& ops, double x, double expected,
                            double ideal) {
            QTest::newRow(name) << type << QString::fromStdString(ops) << x << expected << ideal;
        };
        const double bf16 = 0.10009765625, fp16 = 0.0999755859375;
        const auto chosen = [](const std::string& truth) {
            return truth + R"(, {"op": "where", "in": ["c", 1, 0], "out": "r", "dtype": "FP32"})";
        };
        const auto compared = [&](const std::string& op, const std::string& in) {
            return chosen(R"({"op": ")" + op + R"(", "in": )" + in + R"(, "out": "c"})");
        };
        row("sub", "BF16", operation("sub", "\"x\", 0.1"), bf16, 0, bf16 - 0.1);
        row("sub from it", "FP16", operation("sub", "0.1, \"x\""), fp16, 0, 0.1 - fp16);
        row("mul", "FP16", operation("mul", "\"x\", 0.1"), 3, 0.2998046875, 3 * 0.1);
        row("add", "BF16", operation("add", "\"x\", 0.1"), -bf16, 0, 0.1 - bf16);
        row("maximum", "FP16", operation("maximum", "\"x\", 0.1"), 0, fp16, 0.1);
        row("clip", "BF16", operation("clip", "\"x\", 0.1, 0.3"), 0, bf16, 0.1);
        row("full", "BF16", operation("full", "0.1", R"(, "shape": [2, 16], "dtype": "BF16")"), 0, bf16, 0.1);
        row("gt", "BF16", compared("gt", "[\"x\", 0.1]"), bf16, 0, 1);
        row("eq", "FP16", compared("eq", "[\"x\", 0.1]"), fp16, 1, 0);
        row("FP32 keeps all of it", "FP32", operation("sub", "\"x\", 0.1"), 0.10000000149011612, 0,
            0.10000000149011612 - 0.1);
        row("integers", "INT32", operation("mul", "\"x\", 3"), 5, 15, 15);
    }
    void numbersAreOfTheTypeBesideThem() {
        QFETCH(QString, type);
        QFETCH(QString, ops);
        QFETCH(double, x);
        QFETCH(double, expected);
        QFETCH(double, ideal);
        const DType in = *fromText<DType>(type.toStdString());
        const std::string out = ops.contains("where") ? "FP32" : type.toStdString();
        const Design design = oneStage(tensor("x", "input", type.toStdString(), {2, 16}), out, {2, 16},
                                       ops.toStdString(), {2, 16}, "Ascend910B1");
        std::vector<HostTensor> inputs;
        inputs.push_back(made(in, {2, 16}, {x}));
        const Run run = test::run(design, std::move(inputs));
        QCOMPARE(run["out"].at(3), expected);
        QCOMPARE(run.framework.at("out")[3], expected);
        QCOMPARE(run.ideal.at("out")[3], ideal);
    }

    /// What a cast makes infinite or NaN, and NaN that it makes 0: how many, and the first with its block.
    void castsThatOverflowOrLoseNanAreNamed_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<bool>("saturate");
        QTest::addColumn<Values>("values");  // of elements 37 and 40
        QTest::addColumn<QString>("overflowed");
        QTest::addColumn<QString>("zeroed");
        const auto row = [](const char* name, const char* from, const char* to, bool saturate, const Values& values,
                            const char* overflowed, const char* zeroed) {
            QTest::newRow(name) << from << to << saturate << values << overflowed << zeroed;
        };
        const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
        row("FP8E4M3 has NaN alone", "FP32", "FP8E4M3", false, {465, -inf},
            "FP8E4M3 makes 2 elements NaN, the first is 465", "");
        row("FP8E4M3 within", "FP32", "FP8E4M3", false, {464, -464}, "", "");
        row("FP8E5M2", "FP32", "FP8E5M2", false, {nan, 61440}, "FP8E5M2 makes 1 element infinite, the first is 61440",
            "");
        row("HF8", "FP32", "HF8", false, {1, -50000}, "HF8 makes 1 element infinite, the first is -50000", "");
        row("FP16, infinity stays", "FP32", "FP16", false, {inf, 65520},
            "FP16 makes 1 element infinite, the first is 65520", "");
        row("BF16", "FP32", "BF16", false, {0x1.FFp127, 0x1.FEp127},
            "BF16 makes 1 element infinite, the first is 3.3961775e+38", "");
        row("integers", "INT32", "FP16", false, {65519, 65520}, "FP16 makes 1 element infinite, the first is 65520",
            "");
        row("NaN stays", "FP32", "FP16", false, {nan, 1}, "", "");
        row("NaN and saturation", "FP32", "FP16", true, {nan, nan}, "", "FP16 makes 2 NaN 0");
        row("NaN and FP8", "FP32", "FP8E4M3", true, {nan, 1}, "", "FP8E4M3 makes 1 NaN 0");
        row("NaN and FP4", "BF16", "FP4E2M1", false, {nan, 1}, "", "FP4E2M1 makes 1 NaN 0");
        row("NaN and integers", "FP32", "INT32", false, {nan, nan}, "", "INT32 makes 2 NaN 0");
        row("NaN and BF16 of FP16", "FP16", "BF16", true, {nan, 1}, "", "BF16 makes 1 NaN 0");
    }
    void castsThatOverflowOrLoseNanAreNamed() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(bool, saturate);
        QFETCH(Values, values);
        QFETCH(QString, overflowed);
        QFETCH(QString, zeroed);
        const DType type = *fromText<DType>(from.toStdString());
        const std::string more = ", \"dtype\": \"" + to.toStdString() + "\"" + (saturate ? ", \"saturate\": true" : "");
        const Design design = oneStage(tensor("x", "input", from.toStdString(), {4, 16}), to.toStdString(), {4, 16},
                                       operation("cast", "\"x\"", more), {2, 16});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        HostTensor x = made(type, {4, 16}, {0.0});
        x.set(37, values[0]);
        x.set(40, values[1]);
        const bool firstIs40 =
            overflowed.endsWith("61440") || overflowed.endsWith("50000") || overflowed.endsWith("65520");
        const QString place = firstIs40 ? " at element (0,8)" : " at element (0,5)";
        std::vector<HostTensor> inputs;
        inputs.push_back(std::move(x));
        for (const bool checked : {false, true}) {
            EmulatorOptions options;
            options.checked = checked;
            const EmulatedValues run = emulated(program, inputs, options, 2);
            QCOMPARE(messageOf(run, ValueNote::Kind::Overflowed),
                     overflowed.isEmpty() ? QString() : "'s' block (1,0): the conversion to " + overflowed + place);
            QCOMPARE(messageOf(run, ValueNote::Kind::NanToZero),
                     zeroed.isEmpty()
                         ? QString()
                         : "'s' block (1,0): the conversion to " + zeroed + ", the first at element (0,5)");
            QCOMPARE(messageOf(run, ValueNote::Kind::Saturated), QString());
        }
        if (zeroed.isEmpty()) return;
        const Run both = test::run(design, std::move(inputs));
        QCOMPARE(both["out"].at(37), 0.0);
        QCOMPARE(both.ideal.at("out")[37], 0.0);
    }

    /// The FIXPIPE converts as a cast does: a sum that FP16 does not hold becomes infinite there.
    void sumsThatOverflowOnTheirWayOutAreNamed() {
        const auto noteOf = [](double a, double b, bool relu, bool checked) {
            MatmulKnobs knobs;
            knobs.m = knobs.n = knobs.k = 16;
            knobs.dtype = knobs.out = DType::FP16;
            knobs.mTile = knobs.nTile = knobs.kTile = {16, 16};
            Design design = matmulDesign(knobs);
            for (Block& block : design.blocks)
                if (auto* cube = std::get_if<CubeStage>(&block.content)) cube->relu = relu;
            const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
            Values left(256, 1.0);
            for (std::size_t k = 0; k < 16; ++k) left[3 * 16 + k] = a;
            std::vector<HostTensor> inputs;
            inputs.push_back(made(DType::FP16, {16, 16}, left));
            inputs.push_back(made(DType::FP16, {16, 16}, Values(256, b)));
            EmulatorOptions options;
            options.checked = checked;
            return messageOf(emulated(program, inputs, options, 2), ValueNote::Kind::Overflowed);
        };
        for (const bool checked : {false, true}) {
            for (const bool relu : {false, true}) {
                const QString note = noteOf(1365, 3, relu, checked);  // 16 * 4095 = 65520
                QVERIFY2(note.endsWith("the conversion to FP16 makes 16 elements infinite, the first is 65520 at "
                                       "element (3,0)"),
                         qPrintable(note));
                QCOMPARE(noteOf(2047, 2, relu, checked), QString());  // 65504, the largest
            }
            QVERIFY(!noteOf(-1365, 3, false, checked).isEmpty());
            QCOMPARE(noteOf(-1365, 3, true, checked), QString());  // ReLU comes first
            QCOMPARE(noteOf(std::numeric_limits<double>::infinity(), 3, false, checked), QString());
        }
    }

    /// FP8E8M0 has no sign and no zero: a cast takes both to what it has.
    void signsThatE8M0LosesAreCounted() {
        const Design design = oneStage(tensor("x", "input", "FP32", {4, 16}), "FP8E8M0", {4, 16},
                                       operation("cast", "\"x\"", ", \"dtype\": \"FP8E8M0\""), {2, 16});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        Values values(64, 1.0);
        values[37] = -2.0;
        values[40] = 0.0;
        std::vector<HostTensor> inputs;
        inputs.push_back(made(DType::FP32, {4, 16}, values));
        const QString note = messageOf(emulated(program, inputs, {}, 2), ValueNote::Kind::Saturated);
        QCOMPARE(note, QString("'s' block (1,0): the first of 2 saturated elements is (FP8E8M0) -2 at element (0,5); "
                               "the stage converts 64 elements with saturation"));
    }

    void badKL0IsToldAtOnceWithLegalValuesOnly() {
        const auto list = findings(halfTile({128, 128}, {20, 20}, {128, 128}));
        QCOMPARE(list.size(), std::size_t{1});
        QCOMPARE(list[0].ruleId, "TILE-03");
        QCOMPARE(list[0].where, "/blocks/0/tile/k/0");
        QCOMPARE(QString::fromStdString(list[0].message),
                 "kL0 = 20 must be a multiple of 16 elements (20 mod 16 = 4) and of 32 bytes (20 x 2 B = 40 B, "
                 "40 mod 32 = 8); also breaks TILE-05");
        QCOMPARE(list[0].fixes.size(), std::size_t{2});
        std::vector<std::string> offered;
        for (const Fix& fix : list[0].fixes) {
            QVERIFY(findings(applied(halfTile({128, 128}, {20, 20}, {128, 128}), fix)).empty());
            offered.push_back(fix.steps[0].json);
        }
        QCOMPARE(offered, (std::vector<std::string>{"16", "32"}));
        QCOMPARE(list[0].fixes[1].title, "Set kL0 to 32 and kL1 to 32");
    }

    void badKL0AlsoTellsWhatL1BreaksWithIt() {
        const auto list = findings(halfTile({128, 128}, {20, 50, 128}, {128, 128}));
        QCOMPARE(list.size(), std::size_t{1});
        QVERIFY2(
            list[0].message.ends_with("; kAL1 = 50 must be a multiple of kL0 = 20 (50 mod 20 = 10); kBL1 = 128 must be "
                                      "a multiple of kL0 = 20 (128 mod 20 = 8); also breaks TILE-05, TILE-07"),
            list[0].message.c_str());
        QCOMPARE(list[0].fixes.at(0).title, "Set kL0 to 16 and kAL1 to 48");
    }

    void int8TilesNeed32Elements() {
        MatmulKnobs knobs;
        knobs.m = knobs.n = 32;
        knobs.k = 80;
        knobs.dtype = DType::INT8;
        knobs.out = DType::INT32;
        knobs.mTile = knobs.nTile = {32, 32};
        knobs.kTile = {48, 48};
        Design design = matmulDesign(knobs);
        for (Tensor& tensor : design.tensors) tensor.data.generator = Generator::Integers;
        const auto list = findings(design);
        QCOMPARE(idsOf(list), std::set<std::string>{"TILE-05"});
        QVERIFY(list[0].message.find("48 x 1 B = 48 B, 48 mod 32 = 16") != std::string::npos);
        QCOMPARE(list[0].fixes[0].steps[0].json, "32");
        QCOMPARE(list[0].fixes[1].steps[0].json, "64");
    }

    void l0aOverflowShowsItsArithmetic() {
        const auto list = findings(glmGate({.rows = 256, .rowTile = 256, .mTile = {256, 256}}));
        const Finding finding = only(list, "CAP-01");
        QCOMPARE(QString::fromStdString(finding.message),
                 "L0A needs 256 x 512 x 4 B = 524288 B, capacity 65536 B (800.0 %): A 256 x 512 FP32");
        QCOMPARE(finding.pyptoCode, "F40005");
        QCOMPARE(finding.measured, 524288.0);
        QCOMPARE(finding.limit, 65536.0);
        QCOMPARE(finding.fixes.size(), std::size_t{2});
        QCOMPARE(finding.fixes[0].title, "Set kL0 to 64");
        QCOMPARE(finding.fixes[1].title, "Set mL0 to 32 and mL1 to 32");
    }

    void bothOperandsBeyondL1AreOnlyWarnedOfWhenEnforced() {
        const Design design = matmulDesign(
            {.m = 128, .k = 2048, .n = 256, .mTile = {128, 128}, .kTile = {64, 1024}, .nTile = {256, 256}});
        const Finding warning = only(findings(design), "CAP-04");
        QCOMPARE(warning.severity, Severity::Warning);
        QVERIFY(warning.pyptoCode.empty());
        QVERIFY(warning.message.starts_with(
            "L1 needs 128 x 1024 x 2 B + 1024 x 256 x 2 B = 786432 B, capacity 524288 B (150.0 %)"));
        QCOMPARE(only(findings(design, RuleProfile::Documented), "CAP-04").severity, Severity::Error);
    }

    /// A tile that fits L1 alone, but not beside what lies there too: the rules say what lowering refuses, and no more.
    void whatLiesBesideATileCounts_data() {
        QTest::addColumn<int>("beside");
        QTest::addColumn<bool>("ofA");
        QTest::addColumn<QString>("message");
        const QString sum = "L1 needs 524288 B + 1024 B = 525312 B, capacity 524288 B (100.2 %): ";
        QTest::newRow("B alone") << 0 << false << "";
        QTest::newRow("B and bias") << 1 << false << sum + "B 1024 x 256 FP16 beside bias 1 x 256 FP32";
        QTest::newRow("A alone") << 0 << true << "";
        QTest::newRow("A and bias") << 1 << true
                                    << "L1 needs 524288 B + 64 B = 524352 B, capacity 524288 B (100.0 %): A 256 x 1024 "
                                       "FP16 beside bias 1 x 16 FP32";
        QTest::newRow("B and scales") << 2 << false
                                      << "L1 needs 524288 B + 2048 B = 526336 B, capacity 524288 B (100.4 %): B 2048 x "
                                         "256 INT8 beside scales 1 x 256 INT64";
    }
    void whatLiesBesideATileCounts() {
        QFETCH(const int, beside);
        QFETCH(const bool, ofA);
        QFETCH(const QString, message);
        MatmulKnobs knobs{
            .m = 16, .k = 4096, .n = 256, .mTile = {16, 16}, .kTile = {64, 64, 1024}, .nTile = {256, 256}};
        if (ofA) {
            std::swap(knobs.m, knobs.n);
            std::swap(knobs.mTile, knobs.nTile);
            knobs.kTile = {64, 1024, 64};
        }
        if (beside == 2) {
            knobs.dtype = DType::INT8;
            knobs.out = DType::FP16;
            knobs.kTile = {64, 64, 2048};
        }
        Design design = matmulDesign(knobs);
        if (beside > 0) {
            Tensor row = tensorOf(design, "b");
            row.id = TensorId("row");
            row.dtype = beside == 1 ? DType::FP32 : DType::INT64;
            row.shape = {Expression(1), Expression(knobs.n)};
            design.tensors.push_back(row);
            (beside == 1 ? cubeOf(design).bias : cubeOf(design).scaleTensor) = ValueId("row");
        }
        const auto list = findings(design);
        const auto refused = [&](const Design& made) {
            return !lower(made, bound(made), chipFile("Ascend910B1")).has_value();
        };
        QCOMPARE(refused(design), !message.isEmpty());
        const auto error = std::ranges::find(list, "CAP-06", &Finding::ruleId);
        QVERIFY2((error != list.end()) == refused(design), qPrintable(told(list)));
        if (error == list.end()) return;
        QCOMPARE(QString::fromStdString(error->message), message);
        QCOMPARE(QString::fromStdString(error->where), QString("/blocks/0/tile/k/%1").arg(ofA ? 1 : 2));
        QCOMPARE(error->limit, 524288.0);
        QVERIFY(std::ranges::find(list, "CAP-04", &Finding::ruleId) == list.end());
        QVERIFY(!error->fixes.empty());
        for (const Fix& fix : error->fixes) QVERIFY2(!refused(applied(design, fix)), fix.title.c_str());
    }

    /// Copies into L1 in closed form are those of a walk along K, and long K costs nothing.
    void loadsAreThoseOfAWalk() {
        std::uint32_t state = 1;
        const auto pick = [&](std::int64_t most) {
            state = state * 1'664'525U + 1'013'904'223U;
            return 1 + static_cast<std::int64_t>(state >> 8U) % most;
        };
        int reloaded = 0;
        for (int i = 0; i < 3000; ++i) {
            L1Block block{.m = pick(40), .n = pick(40), .k = pick(300), .kL0 = pick(20)};
            const bool whole = i % 2 == 0;
            block.kAL1 = whole ? block.kL0 * pick(8) : pick(90);
            block.kBL1 = whole ? block.kL0 * pick(8) : pick(90);
            block.scaled = i % 5 == 0;
            const std::int64_t capacity = pick(12'000);
            const auto counted = l1Loads(block, capacity);
            const L1Bytes all = l1Bytes(block);
            const std::int64_t room = capacity - all.beside;
            QCOMPARE(counted.has_value(), all.a <= room && all.b <= room);
            if (!counted) continue;
            std::int64_t loads = 0, inA = -1, inB = -1;
            for (std::int64_t k = 0; k < block.k;) {
                const std::int64_t a = k - k % block.kAL1, b = k - k % block.kBL1;
                L1Block restA = block, restB = block;
                restA.k -= a;
                restB.k -= b;
                const bool apart = l1Bytes(restA).a + l1Bytes(restB).b > room;
                if (apart) inA = inB = -1;
                loads += (inA != a ? 1 : 0) + (inB != b ? 1 : 0);
                inA = apart ? -1 : a;
                inB = apart ? -1 : b;
                k += std::min({block.kL0, block.kAL1 - k % block.kAL1, block.kBL1 - k % block.kBL1});
            }
            QCOMPARE(counted->loads, loads);
            if (counted->loads > counted->distinct) ++reloaded;
        }
        QVERIFY(reloaded > 300);
        const L1Block deep{.m = 1024, .n = 1024, .k = std::int64_t{1} << 50, .kL0 = 16, .kAL1 = 256, .kBL1 = 128};
        QCOMPARE(l1Loads(deep, 524'288)->loads, std::int64_t{1} << 47);
    }

    void tailFixGivesTheValidPart() {
        GlmGateKnobs knobs;
        knobs.rows = 1026;
        knobs.valid = false;
        const Finding finding = only(findings(glmGate(knobs)), "TAIL-01");
        QCOMPARE(QString::fromStdString(finding.message),
                 "the last iteration reads beyond 'x' on axis 0: 1024 + 32 = 1056 > 1026; only 2 of 32 are valid");
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "[\"min(T - (i * 32), 32)\", 5120]");
    }

    void wrongTranspositionIsOfferedAsAFix() {
        MatmulKnobs knobs;
        knobs.bTrans = true;
        Design design = matmulDesign(knobs);
        cubeOf(design).bTrans = false;
        const Finding finding = only(findings(design), "SHAPE-02");
        QCOMPARE(finding.fixes.size(), std::size_t{1});
        QVERIFY(findings(applied(design, finding.fixes[0])).empty());
    }

    void castsThatDoNotExistNameTheWay() {
        QVERIFY(only(findings(rowScale({.out = DType::INT8})), "DTYPE-03")
                    .message.ends_with("no cast from FP32 to INT8; go FP32 -> FP16 -> INT8"));
        // The 950 has FP8; on A2/A3 there is no way at all.
        const Design fp8 = rowScale({.out = DType::FP8E4M3});
        QVERIFY(only(findings(fp8), "DTYPE-03").message.ends_with("no cast from FP32 to FP8E4M3"));
        const auto on950 = findings(fp8, RuleProfile::Enforced, chipFile("Ascend950PR_958x"));
        QVERIFY2(on950.empty(), qPrintable(told(on950)));
    }

    /// Against the pages of the operations and PyPTO's table of types by architecture.

    void typesOfOperands_data() {
        QTest::addColumn<QString>("a2");
        QTest::addColumn<QString>("on950");
        const auto row = [](const char* names, const char* a2, const char* on950 = nullptr) {
            for (const QString& name : QString(names).split(' '))
                QTest::newRow(qPrintable(name)) << QString(a2) << QString(on950 == nullptr ? a2 : on950);
        };
        row("add sub where", "BF16 FP16 FP32 INT16 INT32", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
        row("maximum minimum amax amin", "BF16 FP16 FP32 INT16 INT32", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
        row("mul div neg relu clip cumsum", "BF16 FP16 FP32 INT16 INT32");
        row("abs", "BF16 FP16 FP32", "BF16 FP16 FP32 INT16 INT32 INT8");
        row("eq ne lt le gt ge", "FP16 FP32", "FP16 FP32 INT16");
        row("exp log sqrt rsqrt reciprocal", "BF16 FP16 FP32");
        row("sum", "BF16 FP32 INT16 INT32");
        row("prod", "FP32 INT16 INT32");
        row("argsort", "FP16 FP32");
        row("gather", "BF16 FP16 FP32 INT16 INT32");
        row("scatter", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
        row("concat", "BF16 FP16 FP32 INT16 INT32 INT64 INT8 UINT8");
        row("transpose", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8",
            "BF16 FP16 FP32 FP8E4M3 FP8E5M2 FP8E8M0 HF8 INT16 INT32 INT8 UINT8");
        row("expand_clone", "BF16 BOOL FP16 FP32 INT16 INT32 INT8 UINT8");
        row("fillpad", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
    }
    void typesOfOperands() {
        QFETCH(QString, a2);
        QFETCH(QString, on950);
        VectorOp op;
        op.op = *fromText<VectorOpCode>(QTest::currentDataTag());
        op.in.assign(2, Operand{ValueId("x")});
        const auto listed = [&](const char* arch) {
            QStringList names;
            for (const DType type : rules::operandTypes(arch, op)) names += QString::fromUtf8(toText(type).data());
            names.sort();
            return names.join(' ');
        };
        QCOMPARE(listed("2201"), a2);
        QCOMPARE(listed("3510"), on950);
    }

    void aNumberBesideBytesIsNotTaken() {
        VectorOp op;
        op.op = VectorOpCode::Maximum;
        op.in = {Operand{ValueId("x")}, Operand{1.0}};
        for (const DType type : rules::operandTypes("3510", op)) QVERIFY(type != DType::INT8 && type != DType::UINT8);
    }

    void fp8MatmulsBelongToThe950() {
        Design design = matmulDesign({.dtype = DType::FP8E4M3, .out = DType::BF16});
        tensorOf(design, "b").dtype = DType::FP8E5M2;
        QCOMPARE(idsOf(findings(design)), std::set<std::string>{"DTYPE-01"});
        const auto on950 = findings(design, RuleProfile::Enforced, chipFile("Ascend950PR_958x"));
        QVERIFY2(on950.empty(), qPrintable(told(on950)));
    }

    /// The cube of A2/A3 multiplies INT4, no chip's matmul in PyPTO does.
    void int4IsForHandWrittenKernels() {
        for (const char* chip : {"Ascend910B1", "Ascend910C_die", "Ascend950PR_958x"})
            for (const DType out : {DType::INT32, DType::FP16, DType::INT8})
                for (const bool scaled : {false, true}) {
                    Design design = matmulDesign({.dtype = DType::INT4, .out = out});
                    if (scaled) cubeOf(design).scale = 0.5;
                    const ChipSpec spec = chipFile(chip);
                    const auto list = findings(design, RuleProfile::Enforced, spec);
                    const Finding finding = only(list, "DTYPE-01");
                    QCOMPARE(finding.severity, Severity::Error);
                    const bool inHardware = spec.cubeRate(DType::INT4) != nullptr;
                    QCOMPARE(finding.message.find("only a hand-written kernel can") != std::string::npos, inHardware);
                    const bool gives = scaled ? out != DType::INT32 : out == DType::INT32;
                    QCOMPARE(finding.message.ends_with("(run it with --launch bare)"), inHardware && gives);
                    RunRequest request;
                    request.design = std::make_shared<const Design>(design);
                    request.chip = spec;
                    QVERIFY(!run(request, {}).value().ran);
                    request.launch = LaunchProfile::Bare;
                    const RunReport byHand = run(request, {}).value();
                    QCOMPARE(byHand.ran, inHardware && gives);
                    QCOMPARE(byHand.accuracy.verdict == Verdict::Pass, inHardware && gives);
                    QCOMPARE(inHardware, spec.arch == "2201");
                }
    }

    /// A row of a fractal holds 64 elements of 4 bits.
    void int4StepsAreWholeFractals() {
        for (const std::int64_t k : {16, 32, 64, 96, 128}) {
            const Design design = matmulDesign({.dtype = DType::INT4, .out = DType::INT32, .kTile = {k, 2 * k}});
            const auto list = findings(design);
            QCOMPARE(idsOf(list).contains("TILE-05"), k % 64 != 0);
            if (k != 32) continue;
            const Finding finding = only(list, "TILE-05");
            QVERIFY(finding.message.find("32 x 4 bit = 16 B") != std::string::npos);
            QCOMPARE(finding.fixes.front().title, std::string("Set kL0 to 64"));
        }
    }

    void largeL0cFitsThe950() {
        const Design design =
            matmulDesign({.m = 256, .k = 128, .n = 256, .mTile = {256, 256}, .kTile = {64, 128}, .nTile = {256, 256}});
        QCOMPARE(idsOf(findings(design)), std::set<std::string>{"CAP-03"});
        const auto on950 = findings(design, RuleProfile::Enforced, chipFile("Ascend950PR_958x"));
        QCOMPARE(idsOf(on950), std::set<std::string>{"CAP-07"});  // 262144 of 262144 B
    }

    void expressionSizeNamesTheSmallestTileThatPasses() {
        // 4096 x 4096 by 16 x 16 is 65536 tiles.
        RowScaleKnobs knobs;
        knobs.rows = knobs.rowTile = 4096;
        knobs.n = 4096;
        knobs.vectorTile = {16, 16};
        const Finding finding = only(findings(rowScale(knobs)), "VEC-04");
        QVERIFY(finding.message.find("65536 * 3 = 196608 must stay below 18000") != std::string::npos);
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "[22, 128]");  // 187 * 32 tiles of 2816 elements
        QCOMPARE(finding.fixes.at(1).steps.at(0).json, "[256, 16]");
    }

    void unalignedRowsCountTheirBursts() {
        Design design = rowScale({.n = 126, .vectorTile = {8, 126}});
        vectorOf(design).ops.pop_back();  // FP32 all the way
        storeOf(design).from = ValueId("scaled");
        tensorOf(design, "y").dtype = DType::FP32;
        const Finding finding = only(findings(design), "VEC-03");
        QVERIFY(finding.message.starts_with("a tile row of FP32 has 126 x 4 B = 504 B = 15.75 bursts of 32 B"));
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "128");
        vectorOf(design).tile = {2, 4};
        QCOMPARE(only(findings(design, RuleProfile::Documented), "VEC-03").fixes.at(0).steps.at(0).json, "8");
    }

    void tooManySlotsInUb() {
        // FC-05 in our terms: the tiles fit once, two sets do not.
        Design design = rowScale({.n = 1024, .vectorTile = {16, 1024}});
        vectorOf(design).slotCount = 2;
        const Finding finding = only(findings(design), "CAP-08");
        // acc and scaled 16 x 1024 x 4 B each, scale 16 x 32 B
        QCOMPARE(QString::fromStdString(finding.message),
                 "2 slots do not fit: UB needs 2 x (16 x 1024 x 4 B + 16 x 8 x 4 B + 16 x 1024 x 4 B) = 263168 B, "
                 "capacity 196608 B (133.9 %): 2105344 bits of 1572864");
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "null");
        QCOMPARE(finding.fixes.at(1).steps.at(0).json, "1");
        QCOMPARE(finding.fixes.at(2).title, "Set axis 0 of the tile to 8");  // and keep both slots
    }

    /// FC-05: one tile of 192000 B in place fits UB, two sets do not; a smaller one keeps both slots.
    void aLargeTileIsOfferedASmallerOneWithBothSlots() {
        Design design = oneStage(tensor("x", "input", "FP32", {4, 48000}), "FP32", {4, 48000},
                                 operation("exp", "\"x\""), {1, 48000});
        vectorOf(design).slotCount = 2;
        const Finding finding = only(findings(design), "CAP-08");
        QCOMPARE(QString::fromStdString(finding.message),
                 "2 slots do not fit: UB needs 2 x (1 x 48000 x 4 B) = 384000 B, capacity 196608 B (195.3 %): "
                 "3072000 bits of 1572864");
        QCOMPARE(finding.fixes.size(), std::size_t{3});
        QCOMPARE(finding.fixes[0].steps[0].json, "null");
        QCOMPARE(finding.fixes[2].title, "Set axis 1 of the tile to 12000");
    }

    void groupsWrittenOutMayHaveALoopOverTheirRows() {
        const std::string place = "start(gl, g) + r * 16";
        QVERIFY(!idsOf(findings(groupedTiles("\"form\": \"static\"", "B'", place))).contains("STR-02"));
        QVERIFY(idsOf(findings(groupedTiles("\"parallel\": true", "B'", place))).contains("STR-02"));
    }

    void rowsThatLieApartAreNoSumsInAnyOrder() {
        const char* parallel = "\"parallel\": true";
        QVERIFY(!idsOf(findings(groupedTiles(parallel, "B", "start(gl, g) + r * 16"))).contains("STORE-08"));
        // The tiles of group 0 end at row 40, those of the others begin at 0 too.
        QVERIFY(idsOf(findings(groupedTiles(parallel, "B", "r * 16"))).contains("STORE-08"));
        QVERIFY(!idsOf(findings(groupedTiles("\"parallel\": false", "B", "r * 16"))).contains("STORE-08"));
        // A loop that is written out has no parallel.
        QVERIFY(!idsOf(findings(groupedTiles("\"parallel\": true, \"form\": \"static\"", "B", "r * 16")))
                     .contains("STORE-08"));
    }
};

QTEST_APPLESS_MAIN(TestRuleNumbers)
#include "tst_rule_numbers.moc"

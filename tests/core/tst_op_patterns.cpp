// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>

#include "core/design/op_patterns.h"
#include "core/rules/checker.h"
#include "core/skeleton/checklist.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/skeleton_designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// "op in in > out", with numbers and names, as the JSON of an operation.
QString operation(const QString& line) {
    const QStringList sides = line.split(" > ");
    QStringList words = sides[0].split(' ');
    const QString op = words.takeFirst();
    QStringList in;
    for (const QString& word : words) {
        bool number = false;
        word.toDouble(&number);
        in << (number ? word : '"' + word + '"');
    }
    QString more;
    if (op == "sum" || op == "amax") more = ", \"keepdim\": true";
    if (op == "cast") more = ", \"dtype\": \"BF16\"";
    return "{\"op\": \"" + op + "\", \"in\": [" + in.join(", ") + "], \"out\": \"" + sides[1] + "\"" + more + "}";
}

/// Stages are parted by "|", operations by ";".
std::string stages(const QString& text, const QString& prefix) {
    QStringList made;
    for (const QString& stage : text.split(" | ")) {
        QStringList ops;
        for (const QString& op : stage.split("; ")) ops << operation(op);
        made << "{\"kind\": \"vector\", \"id\": \"" + prefix + QString::number(made.size()) +
                    "\", \"tile\": [16, 64], \"ops\": [" + ops.join(", ") + "]}";
    }
    return made.join(", ").toStdString();
}

std::string cube(const std::string& id, const std::string& a, const std::string& b) {
    return R"({"kind": "cube", "id": ")" + id + R"(", "a": ")" + a + R"(", "b": ")" + b + R"(", "out": ")" + id +
           R"(_out", "out_dtype": "FP32", "tile": {"m": [64, 64], "k": [64, 64], "n": [64, 64]}})";
}

std::string stored(const std::string& value) {
    return R"({"kind": "store", "id": "s", "from": ")" + value + R"(", "to": "y"})";
}

/// The ids of the rules about other skeletons that speak, and the recommended skeleton.
QString saidAbout(const Design& design) {
    const auto resolved = resolve(design, bound(design));
    if (!resolved) qFatal("%s: %s", resolved.error().where.c_str(), resolved.error().message.c_str());
    const ChipSpec chip = chipFile("Ascend910B1");
    QStringList ids;
    for (const Finding& finding : checkDesign(*resolved, chip, RuleProfile::Enforced)) {
        const QString id = QString::fromStdString(finding.ruleId);
        if ((id.startsWith("APP-") || id.startsWith("BLK-01")) && !ids.contains(id)) ids << id;
    }
    return ids.join(' ') + (ids.isEmpty() ? "" : " ") +
           QString::fromStdString(evaluateChecklist(*resolved, chip).recommended);
}

}  // namespace

class TestOpPatterns : public QObject {
    Q_OBJECT

private slots:
    void normsInFrontOfAMatmul_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<bool>("norm");
        QTest::newRow("one operation") << "rms_norm f > n; cast n > nb" << true;
        QTest::newRow("written out") << "mul f f > q; sum q > s; mul s 0.0078125 > m; add m 1e-6 > e; rsqrt e > r; "
                                        "mul f r > n; cast n > nb"
                                     << true;
        QTest::newRow("power, root and quotient")
            << "pow f 2 > q; sum q > s; div s 128 > m; add m 1e-6 > e; sqrt e > r; div f r > n; cast n > nb" << true;
        QTest::newRow("mean of scaled squares")
            << "mul f f > q; mul q 0.0078125 > t; sum t > s; sqrt s > r; reciprocal r > i; mul i f > n; cast n > nb"
            << true;
        QTest::newRow("layer norm") << "sum f > s0; div s0 128 > mean; sub f mean > d; mul d d > q; sum q > s; "
                                       "div s 128 > m; rsqrt m > r; mul d r > n; cast n > nb"
                                    << true;
        QTest::newRow("in two stages") << "mul f f > q; sum q > s; rsqrt s > r | mul f r > n; cast n > nb" << true;
        QTest::newRow("the sum of something else")
            << "mul f 2 > q; sum q > s; rsqrt s > r; mul f r > n; cast n > nb" << false;
        QTest::newRow("the root of a maximum")
            << "mul f f > q; amax q > s; rsqrt s > r; mul f r > n; cast n > nb" << false;
    }
    void normsInFrontOfAMatmul() {
        QFETCH(QString, ops);
        QFETCH(bool, norm);
        const Design design = designOf(stages(ops, "v") + ", " + cube("C1", "nb", "w") + ", " + stored("C1_out"));
        QCOMPARE(saidAbout(design), QString(norm ? "APP-01 SK-03" : "BLK-01 SK-14"));
    }

    void activationsThatMergeTwoMatmuls_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<bool>("gate");
        QTest::newRow("silu") << "silu C1_out > a; mul a C2_out > r" << true;
        QTest::newRow("sigmoid") << "sigmoid C1_out > g; mul C1_out g > a; mul C2_out a > r" << true;
        QTest::newRow("quotient") << "neg C1_out > m; exp m > e; add e 1 > d; div C1_out d > a; mul a C2_out > r"
                                  << true;
        QTest::newRow("reciprocal") << "mul C1_out -1 > m; exp m > e; add e 1 > d; reciprocal d > g; mul C1_out g > a; "
                                       "mul a C2_out > r"
                                    << true;
        QTest::newRow("gelu by sigmoid") << "mul C1_out 1.702 > m; sigmoid m > g; mul C1_out g > a; mul a C2_out > r"
                                         << true;
        QTest::newRow("in two stages") << "sigmoid C1_out > g; mul C1_out g > a | mul a C2_out > r" << true;
        QTest::newRow("through scales") << "mul C1_out 0.5 > z; silu z > a; mul C2_out 0.25 > u; mul a u > r" << true;
        QTest::newRow("no activation") << "exp C1_out > e; mul e C2_out > r" << false;
        QTest::newRow("a sum") << "silu C1_out > a; add a C2_out > r" << false;
        QTest::newRow("of one matmul") << "silu C1_out > a; mul a C1_out > p; add p C2_out > r" << false;
    }
    void activationsThatMergeTwoMatmuls() {
        QFETCH(QString, ops);
        QFETCH(bool, gate);
        const Design design =
            designOf(cube("C1", "x", "w") + ", " + cube("C2", "x", "w") + ", " + stages(ops, "v") + ", " + stored("r"));
        QCOMPARE(saidAbout(design), QString(gate ? "APP-02 SK-06" : "SK-14"));
    }

    void softmaxBetweenMatmuls_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<bool>("softmax");
        QTest::newRow("one operation") << "softmax C1_out > p; cast p > pb" << true;
        QTest::newRow("written out")
            << "amax C1_out > m; sub C1_out m > d; exp d > e; sum e > s; div e s > p; cast p > pb" << true;
        QTest::newRow("without the maximum") << "exp C1_out > e; sum e > s; div e s > p; cast p > pb" << true;
        QTest::newRow("in three stages")
            << "amax C1_out > m | sub C1_out m > d; exp d > e; sum e > s | div e s > p; cast p > pb" << true;
        QTest::newRow("exponentials alone") << "exp C1_out > p; cast p > pb" << false;
        QTest::newRow("row sums of values") << "sum C1_out > s; div C1_out s > p; cast p > pb" << false;
    }
    void softmaxBetweenMatmuls() {
        QFETCH(QString, ops);
        QFETCH(bool, softmax);
        const Design design = designOf(cube("C1", "x", "w") + ", " + stages(ops, "v") + ", " + cube("C2", "pb", "v") +
                                       ", " + stored("C2_out"));
        QCOMPARE(saidAbout(design), QString(softmax ? "APP-03 SK-02" : "SK-14"));
    }

    void normsBetweenMatmulsAreSk04WrittenOutOrNot() {
        const auto of = [](const char* ops) {
            return saidAbout(designOf(cube("C1", "x", "w") + ", " + stages(ops, "v") + ", " + cube("C2", "nb", "v") +
                                      ", " + stored("C2_out")));
        };
        QCOMPARE(of("rms_norm C1_out > n; cast n > nb"), QString("SK-04"));
        QCOMPARE(of("mul C1_out C1_out > q; sum q > s; rsqrt s > r; mul C1_out r > n; cast n > nb"), QString("SK-04"));
    }
};

QTEST_APPLESS_MAIN(TestOpPatterns)
#include "tst_op_patterns.moc"

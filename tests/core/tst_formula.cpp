// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/design/formula.h"
#include "core/design/formula_attributes.h"
#include "core/design/vector_op_info.h"

using namespace cubist;

namespace {

Operand name(const char* text) {
    Operand operand;
    operand.source = ValueId(text);
    return operand;
}

VectorOp made(VectorOpCode code, std::vector<Operand> in, const char* out) {
    VectorOp op;
    op.op = code;
    op.in = std::move(in);
    op.out = ValueId(out);
    return op;
}

Operand number(double value) {
    Operand operand;
    operand.source = value;
    return operand;
}

/// "begin..end message" of the problem; empty without one.
QString problem(const char* text) {
    const Formula formula = parseFormula(text, "y");
    if (!formula.problem) return {};
    return QString("%1..%2 %3")
        .arg(formula.problem->begin)
        .arg(formula.problem->end)
        .arg(QString::fromStdString(formula.problem->message));
}

}  // namespace

class TestFormula : public QObject {
    Q_OBJECT

private slots:
    void partsBecomeOperationsInOrder() {
        const Formula formula = parseFormula("cast(silu(gate) * up, BF16)", "y");
        QVERIFY(!formula.problem);
        VectorOp cast = made(VectorOpCode::Cast, {name("t2")}, "y");
        cast.dtype = DType::BF16;
        const std::vector<VectorOp> wanted{made(VectorOpCode::Silu, {name("gate")}, "t1"),
                                           made(VectorOpCode::Mul, {name("t1"), name("up")}, "t2"), cast};
        QVERIFY(formula.ops == wanted);
    }

    void operatorsBindAsInMathematics() {
        const Formula formula = parseFormula("a - b - c * -d / 2", "y");
        QVERIFY(!formula.problem);
        const std::vector<VectorOp> wanted{
            made(VectorOpCode::Sub, {name("a"), name("b")}, "t1"),
            made(VectorOpCode::Neg, {name("d")}, "t2"),
            made(VectorOpCode::Mul, {name("c"), name("t2")}, "t3"),
            made(VectorOpCode::Div, {name("t3"), number(2.0)}, "t4"),
            made(VectorOpCode::Sub, {name("t1"), name("t4")}, "y"),
        };
        QVERIFY(formula.ops == wanted);
        QVERIFY(parseFormula("(a + b) * c", "y").ops[0].op == VectorOpCode::Add);
        QCOMPARE(*parseFormula("x * -0.5", "y").ops[0].in[1].number(), -0.5);
    }

    void linesNameTheirValues() {
        const Formula formula = parseFormula("s = sum(x, dim=-1, keepdim=true)  # row sums\n\ny = x / s", "z");
        QVERIFY(!formula.problem);
        QCOMPARE(formula.ops.size(), std::size_t(2));
        QCOMPARE(formula.ops[0].out.text, std::string("s"));
        QCOMPARE(*formula.ops[0].dim, std::int64_t(-1));
        QVERIFY(formula.ops[0].keepDim);
        QCOMPARE(formula.ops[1].out.text, std::string("y"));
    }

    void secondResultsHaveNames() {
        const Formula formula = parseFormula("v, i = topk(x, count=8, largest=false)", "z");
        QVERIFY(!formula.problem);
        QCOMPARE(formula.ops[0].out2.text, std::string("i"));
        QCOMPARE(formula.ops[0].count, std::int64_t(8));
        QVERIFY(!formula.ops[0].largest);
        QVERIFY(problem("v, i = exp(x)").contains("one result"));
    }

    void partsAvoidNamesThatAreTaken() {
        const Formula formula = parseFormula("exp(t1) + t2", "t3");
        QVERIFY(!formula.problem);
        QCOMPARE(formula.ops[0].out.text, std::string("t4"));
    }

    void mistakesAreNamedWithTheirPlace_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* text, const char* wanted) { QTest::newRow(text) << text << wanted; };
        row("", "0..1 a stage needs an operation");
        row("x", "0..1 an operation is wanted");
        row("exq(x)", "0..3 there is no operation 'exq'");
        row("exp(x", "5..6 ')' is missing");
        row("exp(x, y)", "0..9 exp takes 1 operand, here are 2");
        row("exp(x, dim=1)", "7..10 exp has no attribute 'dim'; it has dtype");
        row("cast(x)", "0..7 cast needs a type");
        row("cast(x, FP16, round=UP)", "20..22 'UP' is no ");
        row("a + ", "4..5 a value is missing");
        row("a + b c", "6..7 'c' is not expected here");
        row("a + b\nexp(x)", "0..5 only the last line may go without a name");
        row("reshape(x, shape=[1, b])", "17..23 'b' is no integer");
        row("a ? b", "2..3 '?' is not expected here");
    }

    void mistakesAreNamedWithTheirPlace() {
        QFETCH(QString, text);
        QFETCH(QString, wanted);
        const QString found = problem(text.toUtf8().constData());
        QVERIFY2(found.startsWith(wanted), qPrintable(found));
    }

    void endlessNestingIsRefused() {
        const std::string deep = std::string(5000, '(') + "x" + std::string(5000, ')');
        QVERIFY(parseFormula("exp(" + deep + ")", "y").problem);
        QVERIFY(parseFormula(std::string(5000, '-') + "x", "y").problem);
    }

    void textReadsBack_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"y = cast(silu(gate) * up, BF16)", "y = a - (b - c)", "y = (a + b) * c / -d", "y = -(a + b)",
              "y = a - b - c", "y = x * 0.5 + -1", "s = sum(x, dim=-1, keepdim=true)\ny = x / s + s",
              "y = where(a < b, a, 0)", "y = cast(x, FP16, round=RINT, saturate=true)",
              "y = reshape(x, shape=[16, 64])", "y = arange(range=[0, T, 2])", "v, i = topk(x, count=8)\ny = v * 2",
              "y = (a < b) == (c < d)", "y = `a-b` + 1", "y = rms_norm(x, gamma, epsilon=1e-05)"})
            QTest::newRow(text) << text;
    }

    void textReadsBack() {
        QFETCH(QString, text);
        const Formula formula = parseFormula(text.toStdString(), "y");
        QVERIFY2(!formula.problem, formula.problem ? formula.problem->message.c_str() : "");
        QCOMPARE(QString::fromStdString(formulaText(formula.ops)), text);
    }

    void operationsInAnotherOrderGetTheirLines() {
        // exp(b) comes before exp(a), which the nested formula would turn round.
        const std::vector<VectorOp> ops{made(VectorOpCode::Exp, {name("b")}, "t1"),
                                        made(VectorOpCode::Exp, {name("a")}, "t2"),
                                        made(VectorOpCode::Sub, {name("t2"), name("t1")}, "y")};
        const std::string text = formulaText(ops);
        QCOMPARE(QString::fromStdString(text), QString("t1 = exp(b)\nt2 = exp(a)\ny = t2 - t1"));
        QVERIFY(parseFormula(text, "y").ops == ops);
    }

    void everyOperationHasASignatureWithItsAttributes() {
        for (const auto& [code, text] : EnumTable<VectorOpCode>::entries) {
            const std::string signature = formulaSignature(code);
            QVERIFY(signature.starts_with(std::string(text) + "("));
            for (const std::string_view key : formula::attributeKeys(code))
                QVERIFY(signature.find(std::string(key) + "=") != std::string::npos);
        }
        QCOMPARE(QString::fromStdString(formulaSignature(VectorOpCode::Clip)), QString("clip(a, b, c, dtype=)"));
    }
};

QTEST_APPLESS_MAIN(TestFormula)
#include "tst_formula.moc"

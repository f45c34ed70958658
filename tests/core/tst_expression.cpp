// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cstdint>
#include <limits>
#include <string>

#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/design/expression.h"
#include "core/design/integer_list.h"

using namespace cubist;

namespace {

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

std::optional<std::int64_t> exampleValues(std::string_view name) {
    if (name == "T") return 1026;
    if (name == "i") return 32;
    if (name == "minor") return 5;
    return std::nullopt;
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

/// Two symbols, two cases with aliases, one alias shared by both.
Design exampleDesign() {
    Design design;
    design.symbols = {Symbol{SymbolId("T"), 8, {}, {}, {}}, Symbol{SymbolId("K"), 512, {}, {}, {}}};
    design.cases = {Case{CaseId("small_case"), {"small", "both"}, {}, {}, {}, {}, {}},
                    Case{CaseId("large_case"), {"large", "both"}, {}, {}, {}, {}, {}}};
    design.cases[0].symbols.set("T", 64);
    design.cases[1].symbols.set("T", 1026);
    design.cases[1].symbols.set("K", 1024);
    return design;
}

QString hintOf(const Result<Binding>& binding) {
    return binding ? QString() : QString::fromStdString(binding.error().hint);
}

}  // namespace

class TstExpression : public QObject {
    Q_OBJECT

private slots:
    void evaluates_data();
    void evaluates();
    void refuses_data();
    void refuses();
    void syntaxErrorsNameTheColumn();
    void slashHintsAtFloorDivision();
    void nestingIsLimited();
    void namesComeInOrderOfFirstUse();
    void onlyCanonicalIntegersAreLiterals();

    void bindsCaseByIdAliasOrDefault();
    void overridesWinOverTheCase();
    void unknownNamesListCandidates();
    void symbolsBelowOneAreRefused_data();
    void symbolsBelowOneAreRefused();
    void aliasOfTwoCasesIsRefused();
    void designWithoutCasesUsesItsSymbols();
    void lookupKnowsTheSymbolsOnly();

    void readsLists_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("value");
        QTest::newRow("entry") << "p[1] + p[2 - 2]" << qint64(9);
        QTest::newRow("length") << "len(p) * 2" << qint64(6);
        QTest::newRow("sum of a plain list") << "sum(p)" << qint64(14);
        QTest::newRow("rows of all groups") << "sum(g)" << qint64(30);
        QTest::newRow("groups") << "groups(g)" << qint64(3);
        QTest::newRow("start") << "start(g, n)" << qint64(25);
        QTest::newRow("end of the last") << "start(g, len(g))" << qint64(30);
        QTest::newRow("count") << "min(count(g, 1) - 8, 8)" << qint64(7);
    }

    void readsLists() {
        QFETCH(QString, text);
        QFETCH(qint64, value);
        const IntegerList plain = makeList(ListForm::Plain, {4, 5, 5});
        const IntegerList ends = makeList(ListForm::PrefixSums, {10, 25, 30});
        const Expression::Lookup lookup(
            [](std::string_view name) { return name == "n" ? std::optional<std::int64_t>(2) : std::nullopt; },
            [&](std::string_view name) { return name == "p"   ? &plain
                                                : name == "g" ? &ends
                                                              : nullptr; });
        const auto result = Expression(text.toStdString()).evaluate(lookup);
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        QCOMPARE(*result, value);
        for (const char* wrong : {"p[3]", "p[-1]", "start(p, 0)", "count(g, 3)", "start(g, -1)", "q[0]", "len(n)", "p",
                                  "g(1)", "len(g, 1)", "start(g)", "p[0", "length(p)"})
            QVERIFY2(!Expression(std::string(wrong)).evaluate(lookup), wrong);
    }

    void namesAreFoundAndReplaced() {
        const Expression formula("start(gl, g) + i * len(gl) - count + count(gl, i)");
        QCOMPARE(*formula.names(), (std::vector<std::string>{"g", "i", "count"}));
        QCOMPARE(*formula.lists(), std::vector<std::string>{"gl"});
        QCOMPARE(formula.renamed("gl", "list").renamed("count", "n").text(),
                 std::string("start(list, g) + i * len(list) - n + count(list, i)"));
    }
};

void TstExpression::evaluates_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<qlonglong>("value");
    const auto row = [](const char* text, std::int64_t value) {
        QTest::addRow("%s", text) << text << qlonglong{value};
    };
    row("42", 42);
    row("-7", -7);
    row("007", 7);
    row("T", 1026);
    row("min(T - i * 32, 32)", 2);
    row("max(i, T)", 1026);
    row("ceildiv(T, 32)", 33);
    row("2 + 3 * 4", 14);
    row("(2 + 3) * 4", 20);
    row("20 - 5 - 3", 12);
    row("100 // 7 // 2", 7);
    row("7 * 3 // 2 % 4", 2);
    row("-i * 2", -64);
    row("--i", 32);
    row("3--4", 7);
    // Python rounds towards minus infinity.
    row("-7 // 2", -4);
    row("7 // -2", -4);
    row("-7 // -2", 3);
    row("-8 // 2", -4);
    row("-7 % 2", 1);
    row("7 % -2", -1);
    row("-7 % -2", -1);
    row("6 % 3", 0);
    row("ceildiv(7, 2)", 4);
    row("ceildiv(-7, 2)", -3);
    row("ceildiv(7, -2)", -3);
    row("ceildiv(-7, -2)", 4);
    row("9223372036854775807", kLargest);
    row("-9223372036854775808", kSmallest);
    row("-9223372036854775808 % -1", 0);
    row("minor + 1", 6);
    row("\t min ( 4 ,\t3 ) ", 3);
}

void TstExpression::evaluates() {
    QFETCH(QString, text);
    QFETCH(qlonglong, value);
    const Result<std::int64_t> result = Expression(text.toStdString()).evaluate(exampleValues);
    QVERIFY2(result, result ? "" : result.error().message.c_str());
    QCOMPARE(qlonglong{*result}, value);
}

void TstExpression::refuses_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("code");
    const auto row = [](const char* text, ErrorCode code) {
        QTest::addRow("%s", text) << text << static_cast<int>(code);
    };
    for (const char* text : {"",       "  ",
                             "1 +",    "* 2",
                             "(1",     "1)",
                             "1 2",    "T i",
                             "min(1)", "min(1, 2, 3)",
                             "min",    "min(,)",
                             "1.5",    "1 / 2",
                             "2 ** 3", "T.b",
                             "1e3",    "0x10",
                             "3T",     "$",
                             "T;",     "99999999999999999999"})
        row(text, ErrorCode::Syntax);
    row("M", ErrorCode::UnknownName);
    row("T[0]", ErrorCode::UnknownName);  // a list that nobody declared
    row("MIN(1, 2)", ErrorCode::Syntax);
    row("1 // 0", ErrorCode::BadValue);
    row("1 % (i - 32)", ErrorCode::BadValue);
    row("ceildiv(1, 0)", ErrorCode::BadValue);
    row("9223372036854775807 + 1", ErrorCode::BadValue);
    row("-9223372036854775808 - 1", ErrorCode::BadValue);
    row("4611686018427387904 * 2", ErrorCode::BadValue);
    row("-(-9223372036854775808)", ErrorCode::BadValue);
    row("-9223372036854775808 // -1", ErrorCode::BadValue);
    row("ceildiv(-9223372036854775808, -1)", ErrorCode::BadValue);
}

void TstExpression::refuses() {
    QFETCH(QString, text);
    QFETCH(int, code);
    const Result<std::int64_t> result = Expression(text.toStdString()).evaluate(exampleValues);
    QVERIFY(!result);
    QCOMPARE(static_cast<int>(result.error().code), code);
    QVERIFY(!result.error().message.empty());
}

void TstExpression::syntaxErrorsNameTheColumn() {
    const Result<std::int64_t> result = Expression(std::string("T - )")).evaluate(exampleValues);
    QVERIFY(!result);
    QCOMPARE(QString::fromStdString(result.error().message),
             QString("'T - )' is not an expression: expected a number, a name or '(' at column 5"));
}

void TstExpression::slashHintsAtFloorDivision() {
    const Result<std::int64_t> result = Expression(std::string("T / 2")).evaluate(exampleValues);
    QVERIFY(!result);
    QCOMPARE(QString::fromStdString(result.error().hint), QString("integer division is written //"));
}

void TstExpression::nestingIsLimited() {
    const auto nested = [](int depth) { return Expression(repeated("(", depth) + "1" + repeated(")", depth)); };
    QVERIFY(nested(60).evaluate(exampleValues));
    QCOMPARE(nested(70).evaluate(exampleValues).error().code, ErrorCode::Syntax);
    QVERIFY(!nested(1'000'000).evaluate(exampleValues));
    QVERIFY(!Expression(repeated("-", 1'000) + "i").names());
    QVERIFY(!Expression(repeated("min(1, ", 100) + "1" + repeated(")", 100)).names());
}

void TstExpression::namesComeInOrderOfFirstUse() {
    const auto names = Expression(std::string("min(T - i * 32, T // i) + unknown")).names();
    QVERIFY(names);
    QCOMPARE(*names, (std::vector<std::string>{"T", "i", "unknown"}));
    // Only evaluating divides.
    QVERIFY(Expression(std::string("1 // 0")).names());
    QCOMPARE(Expression(std::string("T -")).names().error().code, ErrorCode::Syntax);
}

void TstExpression::onlyCanonicalIntegersAreLiterals() {
    QCOMPARE(Expression(5).literal(), std::optional<std::int64_t>(5));
    QCOMPARE(Expression(kSmallest).literal(), std::optional<std::int64_t>(kSmallest));
    for (const char* text : {"", "007", "-0", " 5", "5 ", "+5", "T", "9223372036854775808"})
        QVERIFY2(!Expression(std::string(text)).literal(), text);
    QVERIFY(Expression(5) == Expression(std::string("5")));
    QVERIFY(!(Expression(5) == Expression(std::string("2 + 3"))));
}

void TstExpression::bindsCaseByIdAliasOrDefault() {
    Design design = exampleDesign();
    const auto bound = [&](const char* name) {
        const Result<Binding> binding = bind(design, name);
        return binding ? QString::fromStdString(binding->caseId.text) : QString::fromStdString(binding.error().message);
    };
    QCOMPARE(bound("large_case"), QString("large_case"));
    QCOMPARE(bound("large"), QString("large_case"));
    QCOMPARE(bound(""), QString("small_case"));
    design.defaultCase = CaseId("large");
    QCOMPARE(bound(""), QString("large_case"));
    design.defaultCase = CaseId("huge");
    QCOMPARE(QString::fromStdString(bind(design, "").error().where), QString("/default_case"));
    const Result<Binding> small = bind(design, "small");
    QVERIFY(small);
    QCOMPARE(*small->symbols.find("T"), std::int64_t{64});
    QCOMPARE(*small->symbols.find("K"), std::int64_t{512});
}

void TstExpression::overridesWinOverTheCase() {
    Dictionary<std::int64_t> overrides;
    overrides.set("T", 1'000'000'000'000);
    const Result<Binding> binding = bind(exampleDesign(), "large", overrides);
    QVERIFY(binding);
    QCOMPARE(*binding->symbols.find("T"), std::int64_t{1'000'000'000'000});
    QCOMPARE(*binding->symbols.find("K"), std::int64_t{1024});
}

void TstExpression::unknownNamesListCandidates() {
    const Result<Binding> wrongCase = bind(exampleDesign(), "lagre");
    QVERIFY(!wrongCase);
    QCOMPARE(wrongCase.error().code, ErrorCode::UnknownName);
    QCOMPARE(hintOf(wrongCase),
             QString("did you mean 'large'? known: small_case, small, both, large_case, large, both"));
    Dictionary<std::int64_t> overrides;
    overrides.set("tokens", 5);
    const Result<Binding> wrongSymbol = bind(exampleDesign(), "", overrides);
    QVERIFY(!wrongSymbol);
    QCOMPARE(wrongSymbol.error().code, ErrorCode::UnknownName);
    QCOMPARE(hintOf(wrongSymbol), QString("known: T, K"));
    Design design = exampleDesign();
    design.cases[1].symbols.set("M", 5);
    QCOMPARE(QString::fromStdString(bind(design, "large").error().where), QString("/cases/1/symbols/M"));
}

void TstExpression::symbolsBelowOneAreRefused_data() {
    QTest::addColumn<qlonglong>("value");
    QTest::addColumn<bool>("fits");
    QTest::addRow("one") << qlonglong{1} << true;
    QTest::addRow("zero") << qlonglong{0} << false;
    QTest::addRow("negative") << qlonglong{-5} << false;
    QTest::addRow("largest") << qlonglong{kLargest} << true;
}

void TstExpression::symbolsBelowOneAreRefused() {
    QFETCH(qlonglong, value);
    QFETCH(bool, fits);
    Dictionary<std::int64_t> overrides;
    overrides.set("T", value);
    const Result<Binding> overridden = bind(exampleDesign(), "", overrides);
    QCOMPARE(overridden.has_value(), fits);
    if (!fits) QCOMPARE(overridden.error().code, ErrorCode::BadValue);
    Design design = exampleDesign();
    design.symbols[1].value = value;
    const Result<Binding> own = bind(design, "small");
    QCOMPARE(own.has_value(), fits);
    if (!fits) QCOMPARE(QString::fromStdString(own.error().where), QString("/symbols/1/value"));
    // A value that nobody uses does no harm.
    QVERIFY(bind(design, "large"));
}

void TstExpression::aliasOfTwoCasesIsRefused() {
    const Result<Binding> binding = bind(exampleDesign(), "both");
    QVERIFY(!binding);
    QCOMPARE(binding.error().code, ErrorCode::BadValue);
    QCOMPARE(hintOf(binding), QString("use an id: small_case, large_case"));
}

void TstExpression::designWithoutCasesUsesItsSymbols() {
    Design design = exampleDesign();
    design.cases.clear();
    const Result<Binding> binding = bind(design, "");
    QVERIFY(binding);
    QVERIFY(binding->caseId.empty());
    QCOMPARE(*binding->symbols.find("T"), std::int64_t{8});
    QCOMPARE(hintOf(bind(design, "small")), QString("the design has none"));
}

void TstExpression::lookupKnowsTheSymbolsOnly() {
    Expression::Lookup lookup;
    {
        const Result<Binding> binding = bind(exampleDesign(), "large");
        QVERIFY(binding);
        lookup = binding->lookup();
    }
    QCOMPARE(lookup("T"), std::optional<std::int64_t>(1026));
    QCOMPARE(lookup("i"), std::nullopt);
}

QTEST_APPLESS_MAIN(TstExpression)
#include "tst_expression.moc"

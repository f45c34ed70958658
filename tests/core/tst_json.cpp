// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>
#include <QElapsedTimer>
#include <QTest>
#include <clocale>
#include <ctime>
#include <limits>
#include <string>

#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "tests/support/sanitizers.h"

using namespace cubist;

namespace {

QString qtext(const std::string& text) {
    return QString::fromStdString(text);
}

/// Text for a row name or message: bytes that are no UTF-8 stay visible.
std::string bytesOf(const QByteArray& bytes) {
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

/// The parsed text; the test fails when it does not parse.
JsonValue parsed(const std::string& text) {
    Result<JsonValue> value = parseJson(text);
    if (!value) QTest::qFail(value.error().message.c_str(), __FILE__, __LINE__);
    return value ? *std::move(value) : JsonValue();
}

/// The most memory of this process so far, in kilobytes.
long residentPeak() {
    rusage usage{};
    return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

}  // namespace

class TstJson : public QObject {
    Q_OBJECT

private slots:
    void numbersKeepTheirSpelling_data();
    void numbersKeepTheirSpelling();
    void numbersDoNotDependOnTheLocale();
    void keysKeepTheirOrder();
    void textIsUnescaped();
    void syntaxErrorsNameLineAndColumn_data();
    void syntaxErrorsNameLineAndColumn();
    void nonFiniteNumbersAreExplained_data();
    void nonFiniteNumbersAreExplained();
    void invalidUtf8IsAnError_data();
    void invalidUtf8IsAnError();
    void duplicateKeysAreErrorsWithPointer_data();
    void duplicateKeysAreErrorsWithPointer();
    void depthIsLimited();
    void depthBombFailsAtOnce_data();
    void depthBombFailsAtOnce();
    void sizesAreLimited();
    void hostileTextIsRefusedInTime();
    void repeatedKeysOfLargeObjectsAreErrors();
    void numbersBeyondDoublesAreErrors();
    void compactTextReadsBack();
    void invalidUtf8IsReplacedOnWriting();
    void prettyTextHasTheHouseStyle_data();
    void prettyTextHasTheHouseStyle();
    void linesStayWithinTheLimit();
    void doublesAreShortAndExact_data();
    void doublesAreShortAndExact();
    void pointersFollowTheRfc_data();
    void pointersFollowTheRfc();
    void idsAreStepsOfPointers();
    void wrongPointersSayWhatIsThere();
    void replacingChangesOneValue();
};

void TstJson::numbersKeepTheirSpelling_data() {
    QTest::addColumn<QString>("number");
    for (const char* number : {"0", "-0", "1.0", "1e3", "1E+3", "-2.50", "9223372036854775807", "-9223372036854775808",
                               "9223372036854775808", "18446744073709551615", "18446744073709551616", "3.6",
                               "0.1234567890123456789012345678901234567890"})
        QTest::addRow("%s", number) << number;
}

void TstJson::numbersKeepTheirSpelling() {
    QFETCH(QString, number);
    const JsonValue value = parsed("[" + number.toStdString() + "]");
    QCOMPARE(value.items.size(), std::size_t{1});
    QVERIFY(value.items[0].isNumber());
    QCOMPARE(qtext(value.items[0].text), number);
    QCOMPARE(qtext(compactJson(value)), "[" + number + "]");
}

void TstJson::numbersDoNotDependOnTheLocale() {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const bool comma =
        std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr || std::setlocale(LC_ALL, "de_DE.utf8") != nullptr;
    const JsonValue value = parsed("[79.5]");
    const std::string written = numberText(79.5);
    std::setlocale(LC_ALL, before.c_str());
    QCOMPARE(qtext(value.items[0].text), QString("79.5"));
    QCOMPARE(qtext(written), QString("79.5"));
    if (!comma) QSKIP("no locale with a decimal comma is installed");
}

void TstJson::keysKeepTheirOrder() {
    const std::string text = R"({"zeta": 1, "alpha": {"b": 2, "a": 3}, "mid": null})";
    QCOMPARE(qtext(compactJson(parsed(text))), qtext(text));
}

void TstJson::textIsUnescaped() {
    const JsonValue value = parsed(R"(["a\"b\\c\/d\n\té\ud83d\ude00\u0001"])");
    QCOMPARE(qtext(value.items[0].text), QString::fromUtf8("a\"b\\c/d\n\t\xC3\xA9\xF0\x9F\x98\x80\x01"));
    QCOMPARE(qtext(compactJson(value)), QString::fromUtf8("[\"a\\\"b\\\\c/d\\n\\t\xC3\xA9\xF0\x9F\x98\x80\\u0001\"]"));
}

void TstJson::syntaxErrorsNameLineAndColumn_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    QTest::addRow("nothing") << ""
                             << "line 1, column 1: ";
    QTest::addRow("blanks only") << "  \n "
                                 << "line 2, column 2: ";
    QTest::addRow("missing value") << "{\n  \"a\": ,\n}"
                                   << "line 2, column 8: ";
    QTest::addRow("trailing comma") << "[1,\n2,\n]"
                                    << "line 3, column 1: ";
    QTest::addRow("comment") << "{} // end"
                             << "line 1, column 4: ";
    QTest::addRow("single quotes") << "{'a': 1}"
                                   << "line 1, column 2: ";
    QTest::addRow("unquoted key") << "{a: 1}"
                                  << "line 1, column 2: ";
    QTest::addRow("two documents") << "{}\n{}"
                                   << "line 2, column 1: ";
    QTest::addRow("leading zero") << "[01]"
                                  << "line 1, column 3: ";
    QTest::addRow("line break in text") << "[\"a\nb\"]"
                                        << "line 1, column 4: ";
    QTest::addRow("columns count characters")
        << QString::fromUtf8("[\"\xE5\x9B\xBE\xE5\xBD\xA2\" 1]") << "line 1, column 7: ";
}

void TstJson::syntaxErrorsNameLineAndColumn() {
    QFETCH(QString, text);
    QFETCH(QString, place);
    const Result<JsonValue> value = parseJson(text.toStdString());
    QVERIFY(!value);
    QCOMPARE(value.error().code, ErrorCode::Syntax);
    QVERIFY2(qtext(value.error().message).startsWith(place), value.error().message.c_str());
    QVERIFY2(!qtext(value.error().message).contains("json.exception"), value.error().message.c_str());
}

void TstJson::nonFiniteNumbersAreExplained_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"[NaN]", "[nan]", "[Infinity]", "[-Infinity]", "{\"a\": inf}", "[1, -inf]"})
        QTest::addRow("%s", text) << text;
}

void TstJson::nonFiniteNumbersAreExplained() {
    QFETCH(QString, text);
    const Result<JsonValue> value = parseJson(text.toStdString());
    QVERIFY(!value);
    QCOMPARE(value.error().code, ErrorCode::Syntax);
    QCOMPARE(qtext(value.error().hint), QString("JSON has no NaN and no Infinity"));
}

void TstJson::invalidUtf8IsAnError_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addRow("stray continuation") << QByteArray("[\"\x80\"]");
    QTest::addRow("overlong slash") << QByteArray("[\"\xC0\xAF\"]");
    QTest::addRow("cut short") << QByteArray("[\"\xE5\x9B\"]");
    QTest::addRow("surrogate") << QByteArray("[\"\xED\xA0\x80\"]");
    QTest::addRow("beyond the last character") << QByteArray("[\"\xF4\x90\x80\x80\"]");
    QTest::addRow("in a key") << QByteArray("{\"\xFF\": 1}");
    QTest::addRow("half a surrogate pair") << QByteArray("[\"\\ud800\"]");
    QTest::addRow("outside of text") << QByteArray("[\xC3\xA9]");
}

void TstJson::invalidUtf8IsAnError() {
    QFETCH(QByteArray, text);
    const Result<JsonValue> value = parseJson(bytesOf(text));
    QVERIFY(!value);
    QCOMPARE(value.error().code, ErrorCode::Syntax);
    for (const char c : value.error().message) QVERIFY2(c >= ' ' && c <= '~', value.error().message.c_str());
}

void TstJson::duplicateKeysAreErrorsWithPointer_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    QTest::addRow("top") << R"({"a": 1, "b": 2, "a": 1})"
                         << "/a";
    QTest::addRow("nested") << R"({"a": {"b": [0, {"c": 1, "d": 2, "c": 1}]}})"
                            << "/a/b/1/c";
    QTest::addRow("escaped spelling of the same key") << R"({"tile": 1, "t\u0069le": 2})"
                                                      << "/tile";
    QTest::addRow("key with a slash") << R"({"a/b~": 1, "a/b~": 2})"
                                      << "/a~1b~0";
}

void TstJson::duplicateKeysAreErrorsWithPointer() {
    QFETCH(QString, text);
    QFETCH(QString, where);
    const Result<JsonValue> value = parseJson(text.toStdString());
    QVERIFY(!value);
    QCOMPARE(value.error().code, ErrorCode::DuplicateKey);
    QCOMPARE(qtext(value.error().where), where);
}

void TstJson::depthIsLimited() {
    const std::string deepest = repeated("[", 128) + repeated("]", 128);
    QCOMPARE(jsonDepth(parsed(deepest)), 128);
    const Result<JsonValue> deeper = parseJson("[" + deepest + "]");
    QVERIFY(!deeper);
    QCOMPARE(deeper.error().code, ErrorCode::BadValue);
    QCOMPARE(qtext(deeper.error().message), QString("nested deeper than 128 levels"));
    QCOMPARE(qtext(deeper.error().where), qtext(repeated("/0", 128)));
}

void TstJson::depthBombFailsAtOnce_data() {
    QTest::addColumn<QString>("unit");
    QTest::addRow("lists") << "[";
    QTest::addRow("objects") << "{\"a\":";
}

void TstJson::depthBombFailsAtOnce() {
    QFETCH(QString, unit);
    const Result<JsonValue> value = parseJson(repeated(unit.toStdString(), 1'000'000));
    QVERIFY(!value);
    QCOMPARE(value.error().code, ErrorCode::BadValue);
}

void TstJson::sizesAreLimited() {
    JsonLimits limits;
    limits.bytes = 20;
    QVERIFY(parseJson("[\"0123456789012345\"]", limits));
    QCOMPARE(parseJson("[\"01234567890123456\"]", limits).error().code, ErrorCode::BadValue);
    limits = {};
    limits.stringBytes = 3;
    QVERIFY(parseJson(R"({"abc": "def"})", limits));
    QCOMPARE(qtext(parseJson(R"({"abc": ["x", "defg"]})", limits).error().where), QString("/abc/1"));
    QVERIFY(!parseJson(R"({"abcd": 1})", limits));
    limits = {};
    limits.values = 4;
    QVERIFY(parseJson("[1, [2]]", limits));
    QVERIFY(!parseJson("[1, [2], 3]", limits));
    limits = {};
    QVERIFY(!parseJson("[0." + repeated("1", 500) + "]", limits));
}
void TstJson::hostileTextIsRefusedInTime() {
    // Objects and lists that an archive packs into some kilobytes: much text, and many values of it.
    std::string keys = "{", values = "[";
    for (int i = 0; i < 60'000; ++i) {
        keys += "\"" + std::string(240, 'k') + std::to_string(i) + "\": 0, ";
        values += "\"" + std::string(240, 'v') + "\", ";
    }
    keys += "\"\": 0}";
    values += "0]";
    const long before = residentPeak();
    for (const std::string* text : {&keys, &values}) {
        const std::clock_t start = std::clock();
        (void)parseJson(*text);
        if (!kSanitized) QVERIFY(std::clock() - start < CLOCKS_PER_SEC);
    }
    const long more = residentPeak() - before;
    if (!kSanitized) QVERIFY2(more < 70'000, qPrintable(QString::number(more)));
}
void TstJson::repeatedKeysOfLargeObjectsAreErrors() {
    std::string text = "{\"outer\": {";
    for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i) + "\": " + std::to_string(i) + ", ";
    QVERIFY(parseJson(text + "\"k100\": 0}}"));
    const auto twice = parseJson(text + "\"k7\": 0}}");
    QCOMPARE(twice.error().code, ErrorCode::DuplicateKey);
    QCOMPARE(qtext(twice.error().where), QString("/outer/k7"));
}

void TstJson::numbersBeyondDoublesAreErrors() {
    const Result<JsonValue> value = parseJson("{\"low\": 1e400}");
    QVERIFY(!value);
    QCOMPARE(value.error().code, ErrorCode::BadValue);
    QVERIFY2(qtext(value.error().message).startsWith("line 1, column "), value.error().message.c_str());
}

void TstJson::compactTextReadsBack() {
    const std::string text = R"({"a": [1, 2.5, "x", true, false, null, {}, []], "b": {"c": {"d": -1e-7}}})";
    const JsonValue value = parsed(text);
    QCOMPARE(qtext(compactJson(value)), qtext(text));
    QVERIFY(parsed(prettyJson(value)) == value);
}

void TstJson::invalidUtf8IsReplacedOnWriting() {
    JsonValue list = JsonValue::array();
    list.push(JsonValue::fromString("a\xFFz\xE5\x9B"));
    const std::string text = compactJson(list);
    QCOMPARE(qtext(parsed(text).items[0].text), QString::fromUtf8("a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD"));
}

void TstJson::prettyTextHasTheHouseStyle_data() {
    QTest::addColumn<QString>("text");
    QTest::addRow("scalar") << "5\n";
    QTest::addRow("empty") << "{}\n";
    QTest::addRow("tile on one line") << "{\n  \"tile\": {\"m\": [32, 32], \"k\": [512, 1024], \"n\": [16, 16]}\n}\n";
    QTest::addRow("one object per line") << "{\n  \"symbols\": [\n    {\"id\": \"T\", \"value\": 64}\n  ]\n}\n";
    QTest::addRow("two objects in one are opened")
        << "{\n  \"layout\": {\n    \"a\": {\"x\": 1},\n    \"b\": {\"x\": 2}\n  }\n}\n";
    QTest::addRow("short words") << "{\n  \"aliases\": [\"A2\", \"Atlas A2\"]\n}\n";
}

void TstJson::prettyTextHasTheHouseStyle() {
    QFETCH(QString, text);
    QCOMPARE(qtext(prettyJson(parsed(text.toStdString()))), text);
}

void TstJson::linesStayWithinTheLimit() {
    JsonValue root = JsonValue::object();
    JsonValue& numbers = root.add("group_list", JsonValue::array());
    for (int i = 0; i < 200; ++i) numbers.push(JsonValue::fromInteger(i));
    JsonValue& words = root.add("words", JsonValue::array());
    for (int i = 0; i < 20; ++i) words.push(JsonValue::fromString("word number " + std::to_string(i)));
    const QStringList lines = qtext(prettyJson(root)).split('\n');
    for (const QString& line : lines) QVERIFY2(line.size() <= 116, qPrintable(line));
    // 200 numbers fill a few lines, 20 words take a line each.
    QVERIFY(lines.size() > 20 + 8 && lines.size() < 20 + 8 + 10);
    QVERIFY(parsed(prettyJson(root)) == root);
}

void TstJson::doublesAreShortAndExact_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::addRow("zero") << 0.0 << "0";
    QTest::addRow("minus zero") << -0.0 << "-0";
    QTest::addRow("tolerance") << 5e-3 << "0.005";
    QTest::addRow("small") << 1e-7 << "1e-07";
    QTest::addRow("whole") << 100000.0 << "100000";
    QTest::addRow("third") << 1.0 / 3.0 << "0.3333333333333333";
    QTest::addRow("large") << 1e300 << "1e+300";
    QTest::addRow("largest") << std::numeric_limits<double>::max() << "1.7976931348623157e+308";
    QTest::addRow("smallest") << std::numeric_limits<double>::denorm_min() << "5e-324";
}

void TstJson::doublesAreShortAndExact() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(qtext(numberText(value)), text);
    QCOMPARE(parsed("[" + numberText(value) + "]").items[0].text, numberText(value));
}

void TstJson::pointersFollowTheRfc_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("found");
    // RFC 6901, section 5.
    QTest::addRow("list") << "/foo"
                          << R"(["bar", "baz"])";
    QTest::addRow("element") << "/foo/0"
                             << "\"bar\"";
    QTest::addRow("empty key") << "/"
                               << "0";
    QTest::addRow("slash") << "/a~1b"
                           << "1";
    QTest::addRow("percent") << "/c%d"
                             << "2";
    QTest::addRow("backslash") << "/i\\j"
                               << "5";
    QTest::addRow("quote") << "/k\"l"
                           << "6";
    QTest::addRow("blank") << "/ "
                           << "7";
    QTest::addRow("tilde") << "/m~0n"
                           << "8";
}

void TstJson::pointersFollowTheRfc() {
    QFETCH(QString, pointer);
    QFETCH(QString, found);
    const JsonValue root =
        parsed(R"({"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8})");
    const auto value = findPointer(root, pointer.toStdString());
    QVERIFY(value);
    QCOMPARE(qtext(compactJson(**value)), found);
    QVERIFY(**findPointer(root, "") == root);
}

void TstJson::idsAreStepsOfPointers() {
    const JsonValue root =
        parsed(R"({"blocks": [{"id": "rows", "body": [{"id": "1"}, {"id": "gate", "k": [512, 7]}]}]})");
    const auto value = findPointer(root, "/blocks/rows/body/gate/k/1");
    QVERIFY(value);
    QCOMPARE(qtext((*value)->text), QString("7"));
    // An index comes before an id that looks like one.
    QCOMPARE(*findPointer(root, "/blocks/0/body/1"), *findPointer(root, "/blocks/0/body/gate"));
}

void TstJson::wrongPointersSayWhatIsThere() {
    const JsonValue root = parsed(R"({"tensors": [{"id": "weight"}, {"id": "bias"}], "list": [1, 2], "seed": 0})");
    const auto failed = [&](const char* pointer) { return findPointer(root, pointer).error(); };
    QCOMPARE(failed("tensors").code, ErrorCode::Syntax);
    QCOMPARE(failed("/a~2").code, ErrorCode::Syntax);
    QCOMPARE(failed("/tensors/weigth").code, ErrorCode::UnknownName);
    QCOMPARE(qtext(failed("/tensors/weigth").where), QString("/tensors"));
    QCOMPARE(qtext(failed("/tensors/weigth").hint), QString("did you mean 'weight'? There: weight, bias"));
    QCOMPARE(qtext(failed("/list/2").hint), QString("there: 2 elements, counted from 0"));
    QVERIFY(!findPointer(root, "/list/01"));
    QVERIFY(!findPointer(root, "/list/-"));
    QCOMPARE(qtext(failed("/seed/x").message), QString("the number 0 has no part \"x\""));
}

void TstJson::replacingChangesOneValue() {
    const JsonValue root = parsed(R"({"a": [1, 2], "b": {"c": 3}})");
    const auto replaced = [&](const char* pointer) {
        const Result<JsonValue> result = replaceAt(root, pointer, JsonValue::fromInteger(9));
        return result ? qtext(compactJson(*result)) : qtext(result.error().message);
    };
    QCOMPARE(replaced("/a/1"), QString(R"({"a": [1, 9], "b": {"c": 3}})"));
    QCOMPARE(replaced("/b/d"), QString(R"({"a": [1, 2], "b": {"c": 3, "d": 9}})"));
    QCOMPARE(replaced("/a/-"), QString(R"({"a": [1, 2, 9], "b": {"c": 3}})"));
    QCOMPARE(replaced("/a/2"), QString(R"({"a": [1, 2, 9], "b": {"c": 3}})"));
    QCOMPARE(replaced(""), QString("9"));
    QCOMPARE(replaced("/a/3"), QString("nothing called \"3\" at /a"));
    QCOMPARE(replaced("/x/y"), QString("nothing called \"x\" at the top level"));
}

QTEST_APPLESS_MAIN(TstJson)
#include "tst_json.moc"

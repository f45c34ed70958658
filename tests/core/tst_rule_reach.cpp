// SPDX-License-Identifier: GPL-3.0-or-later
/// How far rules reach: severities that depend on what is known, cases beside the chosen one, several measures of one
/// thing.
#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

#include "core/design/python_names.h"
#include "core/exchange/skeleton_library.h"
#include "core/run/run.h"
#include "core/run/skeleton_report.h"
#include "tests/support/emulation.h"
#include "tests/support/rule_checks.h"
#include "tests/support/run_findings.h"

using namespace cubist;
using namespace cubist::test;

namespace {

std::string headed(const std::string& tensors, const std::string& blocks, const std::string& more = {}) {
    return R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"}, )" + more +
           R"("tensors": [)" + tensors + R"(], "blocks": [)" + blocks + "]}";
}

std::string tensor(const std::string& id, const std::string& role, const std::string& type, const std::string& shape,
                   const std::string& more = {}) {
    return R"({"id": ")" + id + R"(", "role": ")" + role + R"(", "dtype": ")" + type + R"(", "shape": )" + shape +
           more + "}";
}

std::string cube(const std::string& id, const std::string& a, const std::string& b, const std::string& more = {}) {
    return R"({"kind": "cube", "id": ")" + id + R"(", "a": ")" + a + R"(", "b": ")" + b + R"(", "out": ")" + id +
           R"(_out", "out_dtype": "FP32", "tile": {"m": [32, 32], "k": [32, 32], "n": [32, 32])" + more + "}}";
}

std::string vector(const std::string& id, const std::string& ops) {
    return R"({"kind": "vector", "id": ")" + id + R"(", "tile": [32, 32], "ops": [)" + ops + "]}";
}

std::string op(const std::string& name, const std::string& in, const std::string& out, const std::string& more = {}) {
    return R"({"op": ")" + name + R"(", "in": [)" + in + R"(], "out": ")" + out + "\"" + more + "}";
}

std::string cast(const std::string& in, const std::string& out) {
    return op("cast", "\"" + in + "\"", out, R"(, "dtype": "FP16")");
}

std::string store(const std::string& id, const std::string& from, const std::string& to, const std::string& more = {}) {
    return R"({"kind": "store", "id": ")" + id + R"(", "from": ")" + from + R"(", "to": ")" + to + "\"" + more + "}";
}

std::string loop(const std::string& body) {
    return R"({"kind": "loop", "id": "steps", "axis": 4, "index": "i", "body": [)" + body + "]}";
}

std::string staticLoop(const std::string& axis, const std::string& body) {
    return R"({"kind": "loop", "id": "steps", "form": "static", "index": "i", "axis": ")" + axis + R"(", "body": [)" +
           body + "]}";
}

/// 32 rows of 'rows' from an offset that is JSON.
std::string rowsFrom(const std::string& id, const std::string& offset) {
    return R"({"kind": "view", "id": "v)" + id + R"(", "of": "rows", "out": ")" + id +
           R"(", "shape": [32, 32], "offset": [)" + offset + ", 0]}";
}

const std::string kSquares = tensor("x", "input", "FP16", "[32, 32]") + "," + tensor("w", "input", "FP16", "[32, 32]") +
                             "," + tensor("v", "input", "FP16", "[32, 32]") + "," +
                             tensor("f", "input", "FP32", "[32, 32]");

/// A product put into rows that an index names; `index`: what follows the index's shape.
Design putsRows(const std::string& index, const std::string& more = {}) {
    return designText(headed(
        kSquares + "," + tensor("places", "input", "INT32", "[32]", index) + "," +
            tensor("y", "inout", "FP32", "[64, 32]"),
        cube("product", "x", "w") + "," + store("put", "product_out", "y", R"(, "op": "index_put", "index": "places")"),
        more));
}

std::string recommended(const Design& design) {
    RunRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(design);
    return skeletonChecklist(request).value().recommended;
}

std::string recommendedOf(const std::string& tensors, const std::string& blocks) {
    return recommended(designText(headed(kSquares + "," + tensors, blocks)));
}

RunReport predicted(const Design& design) {
    RunRequest request = requestFor(design);
    request.values = request.golden = false;
    auto report = cubist::run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return *std::move(report);
}

const Finding* found(const std::vector<Finding>& list, const std::string& rule) {
    const auto it = std::find_if(list.begin(), list.end(), [&](const Finding& f) { return f.ruleId == rule; });
    return it == list.end() ? nullptr : &*it;
}

}  // namespace

class TestRuleReach : public QObject {
    Q_OBJECT

private slots:
    void knownEqualEntriesAreHarm() {
        const Design constant = putsRows(R"(, "data": {"generator": "constant", "low": 3})");
        const Finding enforced = only(findings(constant), "STORE-07");
        QCOMPARE(enforced.severity, Severity::Warning);
        QVERIFY(enforced.message.find("entries 0 and 1 of 'places' are equal") != std::string::npos);
        QCOMPARE(only(findings(constant, RuleProfile::Documented), "STORE-07").severity, Severity::Error);
        QCOMPARE(only(findings(putsRows(R"(, "data": {"generator": "arange"})")), "STORE-07").severity, Severity::Hint);
    }

    void listsAreKnownData() {
        const auto listed = [](const std::string& last) {
            std::string values;
            for (int i = 0; i < 31; ++i) values += std::to_string(i) + ", ";
            return putsRows(R"(, "data": {"list": "rows"})",
                            R"("lists": [{"id": "rows", "value": [)" + values + last + "]}], ");
        };
        QCOMPARE(only(findings(listed("31")), "STORE-07").severity, Severity::Hint);
        const Finding twice = only(findings(listed("7")), "STORE-07");
        QCOMPARE(twice.severity, Severity::Warning);
        QVERIFY(twice.message.find("entries 7 and 31 of 'places' are equal") != std::string::npos);
    }

    /// 32 draws of 4 places: the data of a run shows what the generator does not.
    void aRunKnowsItsData() {
        const std::string draws = R"(, "data": {"generator": "integers", "low": 0, "high": 3})";
        QCOMPARE(only(findings(putsRows(draws)), "STORE-07").severity, Severity::Hint);
        const auto report = cubist::run(valueRequest(putsRows(draws)), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(only(report->findings, "STORE-07").severity, Severity::Warning);
        const auto distinct = cubist::run(valueRequest(putsRows(R"(, "data": {"generator": "arange"})")), {});
        QVERIFY2(distinct, distinct ? "" : distinct.error().message.c_str());
        QVERIFY(found(distinct->findings, "STORE-07") == nullptr);
    }

    void anIgnoredListIsHarmWhereItSaysOtherwise_data() {
        QTest::addColumn<QString>("counts");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<int>("severity");
        QTest::newRow("even") << "[176, 176, 176, 176]"
                              << "GRP-11" << static_cast<int>(Severity::Hint);
        QTest::newRow("uneven") << "[100, 252, 176, 176]"
                                << "GRP-11" << static_cast<int>(Severity::Warning);
        QTest::newRow("two groups") << "[352, 352]"
                                    << "GRP-11" << static_cast<int>(Severity::Warning);
        QTest::newRow("prefix sums") << "[176, 352, 528, 704]"
                                     << "GRP-11" << static_cast<int>(Severity::Warning);
    }
    void anIgnoredListIsHarmWhereItSaysOtherwise() {
        QFETCH(QString, counts);
        QFETCH(QString, rule);
        QFETCH(int, severity);
        Design design = designFile(CUBIST_SOURCE_DIR "/samples/gmm_finalize_routing.cubist.json");
        std::vector<std::int64_t> values;
        for (const QString& value : counts.mid(1, counts.size() - 2).split(", ")) values.push_back(value.toLongLong());
        for (Case& each : design.cases)
            if (each.id == design.defaultCase) each.lists.set("group_list", values);
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved);
        const auto list = checkDesign(*resolved, chipFile(design.chip.text), RuleProfile::Enforced);
        QCOMPARE(static_cast<int>(only(list, rule.toStdString()).severity), severity);
    }

    void sumsBeyond64BitsAreExact() {
        const std::string groups = R"("symbols": [{"id": "M", "value": 32, "static": true}], "lists": [{"id": "gl",
            "form": "counts", "total": "M", "value": [4611686018427387904, 4611686018427387904]}], )";
        const auto list =
            findings(designText(headed(kSquares + "," + tensor("y", "output", "FP32", "[32, 32]"),
                                       cube("product", "x", "w") + "," + store("put", "product_out", "y"), groups)));
        const std::string message = only(list, "GRP-04").message;
        QVERIFY2(message.find("add up to 9223372036854775808,") != std::string::npos, message.c_str());
    }

    /// The form of a list is that of all cases: reading those of one as prefix sums breaks the other.
    void fixesKeepOtherCases() {
        const std::string lists = R"("symbols": [{"id": "M", "value": 32}], "default_case": "one",
            "lists": [{"id": "gl", "form": "counts", "total": "M", "value": [16, 16]}],
            "cases": [{"id": "one", "lists": {"gl": [16, 32]}}, {"id": "two", "lists": {"gl": [7, 25]}}], )";
        const std::string alone = R"("symbols": [{"id": "M", "value": 32}],
            "lists": [{"id": "gl", "form": "counts", "total": "M", "value": [16, 32]}], )";
        const auto fixesOf = [](const std::string& head) {
            const auto list =
                findings(designText(headed(kSquares + "," + tensor("y", "output", "FP32", "[32, 32]"),
                                           cube("product", "x", "w") + "," + store("put", "product_out", "y"), head)));
            return only(list, "GRP-05").fixes;
        };
        const auto changesForm = [](const Fix& fix) { return fix.steps.front().where == "/lists/0/form"; };
        const auto one = fixesOf(alone), both = fixesOf(lists);
        QVERIFY(std::any_of(one.begin(), one.end(), changesForm));
        QVERIFY(std::none_of(both.begin(), both.end(), changesForm));
        QVERIFY(!both.empty());  // the values of the case itself can be converted
    }

    void hiddenSumsOfSplitKNeedTheCap() {
        const auto capped = [](int kb) {
            return designText(
                headed(tensor("x", "input", "FP16", "[32, 256]") + "," + tensor("w", "input", "FP16", "[256, 32]") +
                           "," + tensor("y", "output", "FP32", "[32, 32]"),
                       cube("product", "x", "w", R"(, "split_k": true)") + "," + store("put", "product_out", "y"),
                       R"("options": {"max_workspace_kb": )" + std::to_string(kb) + "}, "));
        };
        // 8 slices of 32 x 32 FP32.
        const Finding finding = only(findings(capped(31)), "OPT-10");
        QCOMPARE(*finding.measured, 32.0);
        QVERIFY(found(findings(capped(32)), "OPT-10") == nullptr);
    }

    void aLabelOfNoStageIsToldOnce() {
        Design design = designText(headed(kSquares + "," + tensor("y", "output", "FP32", "[32, 32]"),
                                          cube("product", "x", "w") + "," + store("put", "product_out", "y")));
        design.options.cubeL1Reuse.set("nobody", 2);
        const RunReport report = predicted(design);
        QVERIFY(found(report.findings, "OPT-04") != nullptr);
        QVERIFY(found(report.findings, "OPT-07") == nullptr);
    }

    void staticLoopsWantNoValuesOfATensor_data() {
        QTest::addColumn<QString>("axis");
        QTest::addColumn<bool>("held");
        QTest::addColumn<bool>("told");
        QTest::newRow("sum, held") << "sum(gl) // 8" << true << true;
        QTest::newRow("entry, held") << "gl[0] // 4" << true << true;
        QTest::newRow("length, held") << "groups(gl) + 2" << true << false;
        QTest::newRow("sum, compile-time list") << "sum(gl) // 8" << false << false;
    }
    void staticLoopsWantNoValuesOfATensor() {
        QFETCH(QString, axis);
        QFETCH(bool, held);
        QFETCH(bool, told);
        const std::string holder =
            held ? "," + tensor("gt", "input", "INT64", "[2]", R"(, "data": {"list": "gl"})") : std::string();
        const std::string steps =
            staticLoop(axis.toStdString(), cube("product", "x", "w") + "," +
                                               store("put", "product_out", "y", R"(, "offset": ["32 * i", 0])"));
        const auto list =
            findings(designText(headed(kSquares + holder + "," + tensor("y", "output", "FP32", "[128, 32]"), steps,
                                       R"("lists": [{"id": "gl", "form": "counts",
                                                     "value": [16, 16]}], )")));
        QCOMPARE(found(list, "LOOP-03") != nullptr, told);
    }

    /// What is said about heavy vector work and what the checklist answers are one measure.
    void theExitHasOneMeasure() {
        static const SkeletonLibrary library = SkeletonLibrary::load({CUBIST_SOURCE_DIR "/resources/skeletons"});
        for (const char* id : {"D", "D-1-int8", "D-4", "B-1", "A-2-int8", "C"}) {
            const Design* made = library.design(id);
            if (made == nullptr) continue;
            const RunReport report = predicted(*made);
            const Checklist checklist = skeletonChecklist(requestFor(*made), &report).value();
            const Finding* finding = found(report.findings, "PERF-02");
            QVERIFY(finding == nullptr || checklist.exit.advice != FusionExit::Advice::Stay);
            if (finding != nullptr) QVERIFY(finding->message.starts_with(checklist.exit.text.en));
        }
    }

    void skeletonsBesideTheCardsListAreNamed() {
        const std::string hidden = tensor("h", "inout", "FP32", "[32, 32]"),
                          y = tensor("y", "output", "FP32", "[32, 32]");
        // SK-10: the state goes through a matmul and is left for the next iteration.
        const std::string mixes = vector("mix", op("add", R"("f", "h")", "z") + "," + cast("z", "zh"));
        QCOMPARE(
            recommendedOf(hidden, loop(mixes + "," + cube("C1", "zh", "w") + "," +
                                       vector("next", op("neg", R"("C1_out")", "n")) + "," + store("s", "n", "h"))),
            std::string("SK-10"));
        QCOMPARE(recommendedOf(hidden + "," + y,
                               loop(mixes + "," + cube("C1", "zh", "w") + "," + store("s", "C1_out", "y"))),
                 std::string("SK-14"));
        // SK-11: sums of a product into rows of a cache.
        const std::string cache = tensor("cache", "inout", "FP32", "[64, 1]") + "," +
                                  tensor("slots", "input", "INT32", "[32]", R"(, "data": {"generator": "arange"})");
        const auto compresses = [&](const std::string& how) {
            return recommendedOf(cache, cube("C1", "x", "w") + "," +
                                            vector("press", op("sum", R"("C1_out")", "s", R"(, "keepdim": true)")) +
                                            "," + store("put", "s", "cache", how));
        };
        QCOMPARE(compresses(R"(, "op": "index_put", "index": "slots")"), std::string("SK-11"));
        QCOMPARE(compresses(R"(, "op": "index_add", "index": "slots")"), std::string("SK-14"));
        // SK-05: norm, projection, scores, softmax, values; SK-02 without the norm's phase.
        const std::string attends = cube("scores", "qh", "w") + "," +
                                    vector("soft", op("softmax", R"("scores_out")", "p") + "," + cast("p", "ph")) +
                                    "," + cube("values", "ph", "v") + "," + store("s", "values_out", "y");
        const std::string projects = cube("proj", "nh", "w") + "," + vector("half", cast("proj_out", "qh")) + ",";
        QCOMPARE(recommendedOf(y, vector("norm", op("rms_norm", R"("f")", "n") + "," + cast("n", "nh")) + "," +
                                      projects + attends),
                 std::string("SK-05"));
        QCOMPARE(recommendedOf(y, vector("norm", cast("f", "nh")) + "," + projects + attends), std::string("SK-02"));
        // SK-16: five matmuls, probabilities from saved maxima.
        const auto backward = [&](const char* saved) {
            return recommendedOf(
                y, cube("c1", "x", "w") + "," +
                       vector("again", op("sub", std::string(R"("c1_out", )") + saved, "d") + "," +
                                           op("exp", R"("d")", "e") + "," + cast("e", "p")) +
                       "," + cube("c2", "p", "v") + "," + cube("c3", "x", "v") + "," +
                       vector("grads", op("mul", R"("c3_out", "c2_out")", "g") + "," + cast("g", "gh")) + "," +
                       cube("c4", "gh", "w") + "," + cube("c5", "gh", "v") + "," +
                       vector("both", op("add", R"("c4_out", "c5_out")", "t")) + "," + store("s", "t", "y"));
        };
        QCOMPARE(backward(R"("f")"), std::string("SK-16"));
        QVERIFY(backward("1.0") != "SK-16");
    }

    void equalWindowsAreOneInput() {
        const auto merges = [](const char* second) {
            return recommendedOf(
                tensor("rows", "input", "FP16", "[256, 32]") + "," + tensor("y", "output", "FP32", "[128, 32]"),
                loop(rowsFrom("xa", "\"32 * i\"") + "," + rowsFrom("xb", second) + "," + cube("gate", "xa", "w") + "," +
                     cube("up", "xb", "v") + "," +
                     vector("merge", op("silu", R"("gate_out")", "a") + "," + op("mul", R"("a", "up_out")", "m")) +
                     "," + store("s", "m", "y", R"(, "offset": ["32 * i", 0])")));
        };
        QCOMPARE(merges("\"32 * i\""), std::string("SK-06"));
        QCOMPARE(merges("\"32 * i + 32\""), std::string("SK-14"));
    }

    void namesOfOtherScriptsAreNames() {
        for (const char* name : {"gate_2", "_x", "矩阵乘", "größe", "α1", "Слой"}) QVERIFY2(isPythonName(name), name);
        for (const char* name : {"", "2nd", "a-b", "lambda", "矩阵，乘", "a b", "\xE7\x9F", "\xFF", "x×y"})
            QVERIFY2(!isPythonName(name), name);
        QCOMPARE(nearestPythonName("A-1-bf16"), std::string("A_1_bf16"));
        QCOMPARE(nearestPythonName("2nd"), std::string("_2nd"));
        QCOMPARE(nearestPythonName("class"), std::string("class_"));
        QCOMPARE(nearestPythonName("矩阵-乘"), std::string("矩阵_乘"));
        QCOMPARE(nearestPythonName(""), std::string());
    }
};

QTEST_APPLESS_MAIN(TestRuleReach)
#include "tst_rule_reach.moc"

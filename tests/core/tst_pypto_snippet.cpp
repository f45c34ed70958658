// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTest>
#include <map>

#include "core/exchange/design_json.h"
#include "core/exchange/pypto_snippet.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const char* const kWritten =
    "pypto.set_semantic_label(\"scale\")\n"
    "pypto.set_vec_tile_shapes(16, 128)\n"
    "pypto.set_pass_options(cube_l1_reuse_setting={\"DEFAULT\": (4, \"left\")}, vec_nbuffer_setting={\"DEFAULT\": "
    "2})\n";

void refusedLines() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
        QTest::newRow(name) << text << message;
    };
    row("statement", "x = 5", "line 1: not a call");
    row("second line", "# fine\nhello", "line 2: not a call");
    row("open", "pypto.set_vec_tile_shapes(16, ", "line 1: not a call");
    row("expression", "pypto.set_vec_tile_shapes(16 + 4)", "line 1: not a call");
    row("name", "pypto.set_vec_tile_shapes(tile)", "line 1: not a call");
    row("other call", "os.system(\"x\")", "\"os.system\" is not one of");
    row("short tile", "pypto.set_cube_tile_shapes([1, 2], [3, 4])", "does not take");
    row("text in a tile", "pypto.set_cube_tile_shapes([1, \"2\"], [3], [4])", "does not take");
    row("other option", "pypto.set_pass_options(other=1)", "does not take");
    row("key twice", "pypto.set_pass_options(vec_nbuffer_setting={\"a\": 1, \"a\": 2})", "line 1: not a call");
    row("deep", "pypto.set_vec_tile_shapes(" + QByteArray(100000, '[') + ")", "line 1: not a call");
    row("large number", "pypto.set_vec_tile_shapes(99999999999999999999)", "line 1: not a call");
}

}  // namespace

/// Tiles and options as lines of Python, and back.
class TestPyptoSnippet : public QObject {
    Q_OBJECT

private slots:
    void tablesGiveTheirTile() {
        const auto loaded = loadDesign(CUBIST_SOURCE_DIR "/samples/gmm_finalize_routing.cubist.json");
        QVERIFY(loaded);
        const Design& design = loaded->design;
        for (const auto& [name, k] : std::map<std::string, std::vector<std::int64_t>>{
                 {"small", {512, 512}}, {"case1", {256, 256}}}) {  // 176 rows for each expert, and 9216
            const auto binding = bindWith(design, name, {});
            QVERIFY2(binding, name.c_str());
            const auto snippet = snippetOf(design, *binding);
            QVERIFY(snippet);
            QCOMPARE(snippet->stages.at(0).label, std::string("product"));
            QCOMPARE(snippet->stages[0].cube->k, k);
        }
        QCOMPARE(snippetOf(design).stages.at(0).cube->k, (std::vector<std::int64_t>{256, 256}));
    }

    void numbersAreNoLabels() {
        PyptoSnippet snippet;
        snippet.vecNBuffer.emplace().set("-2", 1);
        snippet.vecNBuffer->set("-1", 4);
        snippet.cubeL1Reuse.emplace().set("product", 2);
        snippet.cubeNBuffer.emplace();
        const std::string text = snippetText(snippet);
        QCOMPARE(text, std::string("pypto.set_pass_options(cube_l1_reuse_setting={\"product\": 2}, "
                                   "cube_nbuffer_setting={}, vec_nbuffer_setting={-2: 1, -1: 4})\n"));
        QVERIFY(*parseSnippet(text) == snippet);
        for (const char* given : {"{-2: 1, -1: 4}", "{\"-2\": 1, '-1': 4}"}) {
            const auto read = parseSnippet("pypto.set_pass_options(vec_nbuffer_setting=" + std::string(given) + ")\n");
            QVERIFY(read);
            QVERIFY(read->vecNBuffer == snippet.vecNBuffer);
        }
    }

    void everySampleReadsBack_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(CUBIST_SOURCE_DIR "/samples"));
        for (const QString& file : folder.entryList({"*.cubist.json"}, QDir::Files))
            QTest::newRow(qPrintable(file)) << folder.filePath(file);
    }
    void everySampleReadsBack() {
        QFETCH(const QString, path);
        const auto loaded = loadDesign(path.toStdString());
        QVERIFY(loaded);
        const PyptoSnippet snippet = snippetOf(loaded->design);
        QVERIFY(!snippet.stages.empty());
        const auto again = parseSnippet(snippetText(snippet));
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QVERIFY(*again == snippet);
    }

    void writesWhatPyptoTakes() {
        Design design = rowScale();
        vectorOf(design).label = "scale";
        design.options.cubeL1Reuse.set("DEFAULT", 4);
        design.options.cubeL1ReuseSide.set("DEFAULT", "left");
        design.options.vecNBuffer.set("DEFAULT", 2);
        cubeOf(design).tile.splitK = true;
        cubeOf(design).label = "say \"x\"";
        const std::string text = snippetText(snippetOf(design));
        QVERIFY2(text.ends_with(kWritten), text.c_str());
        QVERIFY(text.starts_with("pypto.set_semantic_label(\"say \\\"x\\\"\")\npypto.set_cube_tile_shapes(["));
        QVERIFY(text.find(", enable_split_k=True)\n") != std::string::npos);
        const auto again = parseSnippet(text);
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QVERIFY(*again == snippetOf(design));
    }

    void readsWhatPeopleWrite() {
        const auto snippet = parseSnippet(
            "    # tiles\n\n    pypto.set_semantic_label('mm')  # C1\n"
            "    pypto.set_cube_tile_shapes( [128,128], [64, 256, 512],[256 , 256], True )\n");
        QVERIFY2(snippet, snippet ? "" : snippet.error().message.c_str());
        QCOMPARE(snippet->stages.size(), std::size_t{1});
        QCOMPARE(snippet->stages[0].label, std::string("mm"));
        QCOMPARE(snippet->stages[0].cube->k, (std::vector<std::int64_t>{64, 256, 512}));
        QVERIFY(snippet->stages[0].cube->splitK);
    }

    /// PyPTO's own names, in any order; what does not fit leaves the rest.
    void readsArgumentsByName() {
        const CubeTile tile{{16, 32}, {256, 512}, {48, 64}, true, {}};
        for (const char* given :
             {"m=[16, 32], k=[256, 512], n=[48, 64], enable_split_k=True",
              "n=[48, 64], enable_split_k=True, k=[256, 512], m=[16, 32]",
              "[16, 32], [256, 512], enable_split_k=True, n=[48, 64]", "[16, 32], [256, 512], [48, 64], True"}) {
            const auto snippet = parseSnippet("pypto.set_semantic_label(label=\"mm\")\npypto.set_cube_tile_shapes(" +
                                              std::string(given) + ")\n");
            QVERIFY2(snippet, given);
            QVERIFY2(snippet->left.empty(), given);
            QVERIFY2(snippet->stages == std::vector<SnippetStage>({{"mm", tile, {}}}), given);
        }
        for (const char* given :
             {"m=[16, 32], k=[256, 512]", "[16, 32], [256, 512], [48, 64], m=[16, 32]",
              "m=[16, 32], m=[16, 32], k=[256, 512], n=[48, 64]", "m=[16, 32], [256, 512], [48, 64]",
              "m=[16, 32], k=[256, 512], n=[48, 64], z=True", "[16, 32], [256, 512], [48, 64], 1"})
            QVERIFY2(!parseSnippet("pypto.set_cube_tile_shapes(" + std::string(given) + ")\n"), given);
    }

    void listsWhatDoesNotFit() {
        const auto snippet = parseSnippet(
            "pypto.set_semantic_label(\"first\")\n"
            "pypto.set_cube_tile_shapes([u, u], [64, 64], [64, 64])\n"
            "pypto.set_cube_tile_shapes([32, 32], k=[64, 64], n=[64, 64])\n"
            "y = pypto.matmul(a, b, pypto.DT_FP32)\n"
            "pypto.set_semantic_label(\"second\")\n"
            "pypto.set_vec_tile_shapes(16, size=4)\n"
            "pypto.set_vec_tile_shapes(8, 64)\n"
            "pypto.set_pass_options(other=1, vec_nbuffer_setting={-1: 2}, cube_nbuffer_setting={-1: \"x\"})\n");
        QVERIFY2(snippet, snippet ? "" : snippet.error().message.c_str());
        QStringList left;
        for (const std::string& each : snippet->left) left << QString::fromStdString(each);
        QCOMPARE(left.size(), 4);
        QVERIFY(left[0].startsWith("line 2: not a call with literals"));
        QVERIFY(left[1].startsWith("line 4: not a call with literals"));
        QCOMPARE(left[2], QString("line 6: arguments that pypto.set_vec_tile_shapes does not take"));
        QCOMPARE(left[3],
                 QString("line 8: arguments that pypto.set_pass_options does not take: other, cube_nbuffer_setting"));
        // The label belongs to the tile that was left out.
        QVERIFY(snippet->stages ==
                std::vector<SnippetStage>(
                    {{"", CubeTile{{32, 32}, {64, 64}, {64, 64}, false, {}}, {}}, {"", std::nullopt, {8, 64}}}));
        QVERIFY(!snippet->cubeNBuffer && snippet->vecNBuffer && *snippet->vecNBuffer->find("-1") == 2);
    }

    void refusesOtherLines_data() { refusedLines(); }
    void refusesOtherLines() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, message);
        const auto snippet = parseSnippet(text.toStdString());
        QVERIFY(!snippet);
        QVERIFY2(QString::fromStdString(snippet.error().message).contains(message), snippet.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(TestPyptoSnippet)
#include "tst_pypto_snippet.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <limits>
#include <string>

#include "core/exchange/design_json.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"
#include "core/exchange/migrate.h"
#include "core/exchange/schemas.h"

using namespace cubist;

namespace {

QString qtext(const std::string& text) {
    return QString::fromStdString(text);
}

std::string fileText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

const QString kGlmGate = CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json";

/// The text of glm_gate with one place changed; the test fails when the place is not there exactly once.
std::string glmGateWith(const QString& old, const QString& now) {
    QString text = qtext(fileText(kGlmGate));
    if (text.count(old) != 1) QTest::qFail(qPrintable("not there once: " + old), __FILE__, __LINE__);
    return text.replace(old, now).toStdString();
}

Design glmGate() {
    Result<LoadedDesign> loaded = readDesign(fileText(kGlmGate));
    if (!loaded) QTest::qFail(loaded.error().message.c_str(), __FILE__, __LINE__);
    return loaded ? std::move(loaded->design) : Design();
}

/// One of everything, with values that are not the defaults.
Design fullDesign() {
    Design design = glmGate();
    design.title = "quotes \" and \\ and \n lines";
    design.skeleton.pattern = {2, 3};
    design.options.cubeL1Reuse.set("-1", 4);
    design.options.deviceSchedMode = 1;
    design.profile = RuleProfile::Documented;
    design.tolerance.golden = GoldenKind::Framework;
    design.seed = std::numeric_limits<std::int64_t>::min();
    design.layout.set("gate", Position{12.5, -1e-9, 320, 96, {}});
    design.tensors[0].data = {Generator::Normal, 0.25, 1.0 / 3.0, 0, "rows/a.npy", {}, {}};
    design.tensors[1].format = Format::NZ;
    auto& loop = std::get<Loop>(design.blocks[0].content);
    auto& stage = std::get<CubeStage>(loop.body[1].content);
    stage.slotCount = 2;
    stage.label = "\xE9\x97\xA8\xE6\x8E\xA7";
    VectorStage vector;
    vector.id = BlockId("scaling");
    vector.tile = {16, 160};
    VectorOp add;
    add.op = VectorOpCode::Add;
    add.in = {Operand{ValueId("logits")}, Operand{0.5}};
    add.out = ValueId("shifted");
    VectorOp cast;
    cast.in = {Operand{ValueId("shifted")}};
    cast.out = ValueId("rounded");
    cast.dtype = DType::INT8;
    cast.round = RoundMode::Odd;
    cast.saturate = true;
    vector.ops = {add, cast};
    loop.body.push_back(Block{vector});
    Loop inner;
    inner.id = BlockId("inner");
    inner.form = LoopKind::Unroll;
    inner.index = "j";
    inner.axis = Expression(std::string("ceildiv(T, 2)"));
    inner.tile = Expression(7);
    inner.parallel = true;
    inner.unroll = {64, 8};
    inner.factor = "rows";
    inner.submitBeforeLoop = true;
    loop.body.push_back(Block{inner});
    return design;
}

}  // namespace

class TstDesignJson : public QObject {
    Q_OBJECT

private slots:
    void filesInOurStyleAreReproduced_data();
    void filesInOurStyleAreReproduced();
    void sampleSaysWhatIsPublished();
    void everyFieldSurvives();
    void onlyDifferencesFromDefaultsAreWritten();
    void errorsNameTheirPlace_data();
    void errorsNameTheirPlace();
    void errorsReadLikeSentences();
    void unknownKeysAreKeptAndReported();
    void versionIsCheckedFirst_data();
    void versionIsCheckedFirst();
    void olderVersionsAreMigratedStepByStep();
    void damagedTextNeverCrashes();

    void saveWritesWhatLoadReads();
    void whatCannotBeReadBackIsNotSaved();
    void loadErrorsNameTheFile();
    void schemaIsUpToDate_data();
    void schemaIsUpToDate();
    void schemaKnowsEveryKey();
    void pageNamesEveryKey_data();
    void pageNamesEveryKey();
};

void TstDesignJson::filesInOurStyleAreReproduced_data() {
    QTest::addColumn<QString>("path");
    for (const char* folder : {CUBIST_SOURCE_DIR "/samples", CUBIST_TEST_DATA_DIR}) {
        const QDir dir(folder);
        for (const QString& name : dir.entryList({"*.cubist.json"}, QDir::Files, QDir::Name))
            QTest::addRow("%s", qPrintable(name)) << dir.filePath(name);
    }
}

void TstDesignJson::filesInOurStyleAreReproduced() {
    QFETCH(QString, path);
    const std::string text = fileText(path);
    const Result<LoadedDesign> loaded = readDesign(text);
    QVERIFY2(loaded, loaded ? "" : (loaded.error().where + ": " + loaded.error().message).c_str());
    QCOMPARE(qtext(writeDesign(loaded->design)), qtext(text));
    QVERIFY(loaded->warnings.empty());
}

void TstDesignJson::sampleSaysWhatIsPublished() {
    const Design design = glmGate();
    QCOMPARE(qtext(design.chip.text), QString("Ascend910B1"));
    QCOMPARE(design.skeleton.variant, Variant::C);
    QCOMPARE(design.cases.size(), std::size_t{2});
    QCOMPARE(*design.cases[1].symbols.find("T"), std::int64_t{1026});
    const auto& loop = std::get<Loop>(design.blocks.at(0).content);
    QCOMPARE(loop.tile, Expression(32));
    QCOMPARE(qtext(loop.index), QString("i"));
    const auto& stage = std::get<CubeStage>(loop.body.at(1).content);
    QCOMPARE(stage.tile, (CubeTile{{32, 32}, {512, 1024}, {16, 16}, false, {}}));
    QVERIFY(stage.bTrans && !stage.aTrans);
    QCOMPARE(design.tensors.at(0).data, DataSource{});
    QCOMPARE(design.tolerance.rtol, 5e-3);
    QCOMPARE(design.tolerance.atol, 5e-3);
    QCOMPARE(design.seed, std::int64_t{0});
}

void TstDesignJson::everyFieldSurvives() {
    const Design design = fullDesign();
    const std::string text = writeDesign(design);
    const Result<LoadedDesign> loaded = readDesign(text);
    QVERIFY2(loaded, loaded ? "" : (loaded.error().where + ": " + loaded.error().message).c_str());
    QVERIFY(loaded->design == design);
    QVERIFY(loaded->warnings.empty());
    QCOMPARE(qtext(writeDesign(loaded->design)), qtext(text));
    const Result<LoadedDesign> spelledOut = readDesign(prettyJson(fullDesignJson(design)));
    QVERIFY(spelledOut && spelledOut->design == design);
}

void TstDesignJson::onlyDifferencesFromDefaultsAreWritten() {
    const QString text = qtext(writeDesign(glmGate()));
    for (const char* key :
         {"a_trans", "split_k", "options", "layout", "seed", "profile", "\"data\"", "slots", "criterion"})
        QVERIFY2(!text.contains(key), key);
    QVERIFY(text.startsWith("{\n  \"cubist\": 1,\n  \"name\": \"glm_gate\",\n"));
    Design design = glmGate();
    design.skeleton.pattern = {2};
    QVERIFY(qtext(writeDesign(design)).contains("\"skeleton\": {\"variant\": \"C\", \"pattern\": 2}"));
    design.skeleton.pattern = {2, 3};
    QVERIFY(qtext(writeDesign(design)).contains("\"pattern\": [2, 3]"));
}

void TstDesignJson::errorsNameTheirPlace_data() {
    QTest::addColumn<QString>("old");
    QTest::addColumn<QString>("now");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("where");
    const auto row = [](const char* name, const char* old, const char* now, ErrorCode code, const char* where) {
        QTest::addRow("%s", name) << old << now << static_cast<int>(code) << where;
    };
    using enum ErrorCode;
    row("text for an integer", "\"m\": [32, 32]", "\"m\": [\"abc\", 32]", WrongType, "/blocks/0/body/1/tile/m/0");
    row("fraction for an integer", "\"m\": [32, 32]", "\"m\": [32, 1.5]", WrongType, "/blocks/0/body/1/tile/m/1");
    row("whole number with a point", "\"m\": [32, 32]", "\"m\": [32.0, 32]", WrongType, "/blocks/0/body/1/tile/m/0");
    row("number for a list", "\"m\": [32, 32]", "\"m\": 32", WrongType, "/blocks/0/body/1/tile/m");
    row("beyond 64 bits", "\"value\": 64", "\"value\": 9223372036854775808", WrongType, "/symbols/0/value");
    row("null for an integer", "\"value\": 64", "\"value\": null", WrongType, "/symbols/0/value");
    row("list for an object", "{\"variant\": \"C\"}", "[\"C\"]", WrongType, "/skeleton");
    row("unknown variant", "{\"variant\": \"C\"}", "{\"variant\": \"E\"}", BadValue, "/skeleton/variant");
    row("pattern of text", "{\"variant\": \"C\"}", "{\"variant\": \"C\", \"pattern\": \"2\"}", WrongType,
        "/skeleton/pattern");
    row("unknown data type", "\"weight\", \"role\": \"input\", \"dtype\": \"FP32\"",
        "\"weight\", \"role\": \"input\", \"dtype\": \"FP33\"", BadValue, "/tensors/1/dtype");
    row("missing data type", "\"weight\", \"role\": \"input\", \"dtype\": \"FP32\"", "\"weight\", \"role\": \"input\"",
        MissingKey, "/tensors/1/dtype");
    row("missing tile", "\"tile\": {\"m\"", "\"tale\": {\"m\"", MissingKey, "/blocks/0/body/1/tile");
    row("missing chip", "\"chip\": \"Ascend910B1\",", "", MissingKey, "/chip");
    row("unknown kind", "\"kind\": \"cube\"", "\"kind\": \"cubes\"", BadValue, "/blocks/0/body/1/kind");
    row("kind of the wrong type", "\"kind\": \"cube\"", "\"kind\": 1", WrongType, "/blocks/0/body/1/kind");
    row("missing kind", "\"kind\": \"cube\",", "", MissingKey, "/blocks/0/body/1/kind");
    row("duplicate key", "\"kind\": \"cube\"", "\"kind\": \"cube\", \"kind\": \"cube\"", DuplicateKey,
        "/blocks/0/body/1/kind");
    row("expression that does not parse", "\"min(T - i * 32, 32)\"", "\"min(T - i * 32\"", Syntax,
        "/blocks/0/body/0/valid/0");
    row("expression of the wrong type", "\"min(T - i * 32, 32)\"", "true", WrongType, "/blocks/0/body/0/valid/0");
    row("fraction for an expression", "\"axis\": \"T\"", "\"axis\": 1.5", WrongType, "/blocks/0/axis");
    row("symbol value of text", "\"symbols\": {\"T\": 1026}", "\"symbols\": {\"T\": \"1026\"}", WrongType,
        "/cases/1/symbols/T");
    row("text for a number", "\"rtol\": 0.005", "\"rtol\": \"0.005\"", WrongType, "/tolerance/rtol");
    row("number for true or false", "\"b_trans\": true", "\"b_trans\": 1", WrongType, "/blocks/0/body/1/b_trans");
    row("number for a name", "\"b\": \"weight\"", "\"b\": 5", WrongType, "/blocks/0/body/1/b");
}

void TstDesignJson::errorsNameTheirPlace() {
    QFETCH(QString, old);
    QFETCH(QString, now);
    QFETCH(int, code);
    QFETCH(QString, where);
    const Result<LoadedDesign> loaded = readDesign(glmGateWith(old, now));
    QVERIFY(!loaded);
    QCOMPARE(qtext(loaded.error().where), where);
    QCOMPARE(static_cast<int>(loaded.error().code), code);
    QVERIFY(!loaded.error().message.empty());
}

void TstDesignJson::errorsReadLikeSentences() {
    const auto errorOf = [](const char* old, const char* now) { return readDesign(glmGateWith(old, now)).error(); };
    QCOMPARE(qtext(errorOf("\"m\": [32, 32]", "\"m\": [\"abc\", 32]").message),
             QString("expected an integer, found the string \"abc\""));
    QCOMPARE(qtext(errorOf("\"m\": [32, 32]", "\"m\": [1.5, 32]").message),
             QString("expected an integer, found the number 1.5"));
    const Error variant = errorOf("{\"variant\": \"C\"}", "{\"variant\": \"c\"}");
    QCOMPARE(qtext(variant.message), QString("unknown skeleton variant \"c\""));
    QCOMPARE(qtext(variant.hint), QString("known: A, B, B', C, D"));
    QCOMPARE(qtext(errorOf("\"chip\": \"Ascend910B1\",", "").message), QString("required key is missing"));
}

void TstDesignJson::unknownKeysAreKeptAndReported() {
    // In our own style, so that saving must give the same bytes; the number's spelling and the nesting count too.
    const std::string text = glmGateWith("\"tile\": {\"m\": [32, 32], \"k\": [512, 1024], \"n\": [16, 16]}\n",
                                         "\"tile\": {\"m\": [32, 32], \"k\": [512, 1024], \"n\": [16, 16]},\n"
                                         "          \"slotz\": {\"a\": 1.50, \"list\": [1e5, null]}\n");
    const Result<LoadedDesign> loaded = readDesign(text);
    QVERIFY(loaded);
    QCOMPARE(qtext(writeDesign(loaded->design)), qtext(text));
    QCOMPARE(loaded->warnings.size(), std::size_t{1});
    const Finding& finding = loaded->warnings.front();
    QCOMPARE(qtext(finding.ruleId), QString("DOC-01"));
    QCOMPARE(finding.severity, Severity::Warning);
    QCOMPARE(qtext(finding.where), QString("/blocks/0/body/1/slotz"));
    QCOMPARE(qtext(finding.block.text), QString("gate"));
    QVERIFY(qtext(finding.message).contains("did you mean \"slots\"?"));
    QVERIFY(qtext(finding.messageZh).contains("slotz"));

    // Anywhere in an object; written after the known keys and then stable.
    const Result<LoadedDesign> early = readDesign(glmGateWith("\"cubist\": 1,", "\"future\": [1],\n  \"cubist\": 1,"));
    QVERIFY(early);
    const std::string saved = writeDesign(early->design);
    QVERIFY(qtext(saved).endsWith("\"future\": [1]\n}\n"));
    QCOMPARE(qtext(writeDesign(readDesign(saved)->design)), qtext(saved));
}

void TstDesignJson::versionIsCheckedFirst_data() {
    QTest::addColumn<QString>("now");
    QTest::addColumn<int>("code");
    QTest::addRow("missing") << "" << static_cast<int>(ErrorCode::MissingKey);
    QTest::addRow("newer") << "\"cubist\": 2, \"seed\": \"not even the right type\","
                           << static_cast<int>(ErrorCode::Unsupported);
    QTest::addRow("before the first") << "\"cubist\": 0," << static_cast<int>(ErrorCode::Unsupported);
    QTest::addRow("text") << "\"cubist\": \"1\"," << static_cast<int>(ErrorCode::WrongType);
    QTest::addRow("fraction") << "\"cubist\": 1.0," << static_cast<int>(ErrorCode::WrongType);
}

void TstDesignJson::versionIsCheckedFirst() {
    QFETCH(QString, now);
    QFETCH(int, code);
    const Result<LoadedDesign> loaded = readDesign(glmGateWith("\"cubist\": 1,", now));
    QVERIFY(!loaded);
    QCOMPARE(static_cast<int>(loaded.error().code), code);
    QCOMPARE(qtext(loaded.error().where), QString("/cubist"));
    QCOMPARE(static_cast<int>(readDesign("[1, 2]").error().code), static_cast<int>(ErrorCode::WrongType));
}

void TstDesignJson::olderVersionsAreMigratedStepByStep() {
    // An imaginary history: version 2 renamed "width" to "columns", version 3 wrapped it in a list.
    const Migration steps[] = {
        {1,
         [](JsonValue document) -> Result<JsonValue> {
             for (JsonMember& member : document.members)
                 if (member.key == "width") member.key = "columns";
             return document;
         }},
        {2,
         [](JsonValue document) -> Result<JsonValue> {
             JsonValue* const columns = document.find("columns");
             if (columns == nullptr) return unexpected(ErrorCode::MissingKey, "no columns", "/columns");
             JsonValue list = JsonValue::array();
             list.push(std::move(*columns));
             *columns = std::move(list);
             return document;
         }},
    };
    const FormatHistory history{"grid", 3, steps};
    const auto migrated = [&](const char* text) {
        const Result<JsonValue> result = migrate(*parseJson(text), history);
        return result ? qtext(compactJson(*result)) : qtext(result.error().where + ": " + result.error().message);
    };
    QCOMPARE(migrated(R"({"grid": 1, "width": 7, "x": 0})"), QString(R"({"grid": 3, "columns": [7], "x": 0})"));
    QCOMPARE(migrated(R"({"grid": 2, "columns": 7})"), QString(R"({"grid": 3, "columns": [7]})"));
    QCOMPARE(migrated(R"({"grid": 3, "columns": [7]})"), QString(R"({"grid": 3, "columns": [7]})"));
    QCOMPARE(migrated(R"({"grid": 1})"), QString("/columns: no columns"));
    QCOMPARE(migrated(R"({"grid": 4})"), QString("/grid: the file has format version 4; this program reads up to 3"));
    QCOMPARE(migrated(R"({"grid": 0})"), QString("/grid: the file has format version 0, which is not known"));
}

void TstDesignJson::damagedTextNeverCrashes() {
    const std::string text = fileText(kGlmGate);
    int readable = 0;
    int total = 0;
    const auto check = [&](const std::string& damaged) {
        const Result<LoadedDesign> loaded = readDesign(damaged);
        ++total;
        if (loaded) {
            ++readable;
            const Result<LoadedDesign> again = readDesign(writeDesign(loaded->design));
            QVERIFY(again && again->design == loaded->design);
        } else {
            QVERIFY(!loaded.error().message.empty());
        }
    };
    for (std::size_t length = 0; length < text.size(); ++length) check(text.substr(0, length));
    // A file without its last brace is no file; only the final line feed may be missing.
    QCOMPARE(readable, 1);
    for (std::size_t i = 0; i < text.size(); ++i)
        for (const int bit : {0, 1, 3, 5, 7}) {
            std::string damaged = text;
            damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << static_cast<unsigned>(bit)));
            check(damaged);
        }
    // Letters inside of names can change, brackets cannot.
    QVERIFY(readable > total / 10 && readable < total / 2);
}

void TstDesignJson::saveWritesWhatLoadReads() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("design.cubist.json").toStdString();
    const Design design = fullDesign();
    QVERIFY(saveDesign(design, path));
    const Result<LoadedDesign> loaded = loadDesign(path);
    QVERIFY(loaded && loaded->design == design);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList{"design.cubist.json"});
}

void TstDesignJson::whatCannotBeReadBackIsNotSaved() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("design.cubist.json").toStdString();
    Design infinite = glmGate();
    infinite.tolerance.rtol = std::numeric_limits<double>::infinity();
    const Result<void> saved = saveDesign(infinite, path);
    QVERIFY(!saved);
    QCOMPARE(qtext(saved.error().where), QString("/tolerance/rtol"));

    Design deep = glmGate();
    Block block = deep.blocks[0];
    for (int i = 0; i < 100; ++i) {
        Loop outer;
        outer.id = BlockId("l" + std::to_string(i));
        outer.body = {std::move(block)};
        block = Block{std::move(outer)};
    }
    deep.blocks = {std::move(block)};
    QCOMPARE(saveDesign(deep, path).error().code, ErrorCode::BadValue);
    QVERIFY(QDir(folder.path()).isEmpty());
}

void TstDesignJson::loadErrorsNameTheFile() {
    const QTemporaryDir folder;
    const std::string missing = folder.filePath("missing.json").toStdString();
    QCOMPARE(loadDesign(missing).error().code, ErrorCode::BadFile);
    QCOMPARE(qtext(loadDesign(missing).error().where), qtext(missing));
    QCOMPARE(loadDesign(folder.path().toStdString()).error().code, ErrorCode::BadFile);
    const QString broken = folder.filePath("broken.json");
    QFile file(broken);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\n\"cubist\": 1") > 0);
    file.close();
    const Result<LoadedDesign> loaded = loadDesign(broken.toStdString());
    QCOMPARE(loaded.error().code, ErrorCode::Syntax);
    QCOMPARE(qtext(loaded.error().where), broken);
    QVERIFY(qtext(loaded.error().message).startsWith("line 2, column "));
}

void TstDesignJson::schemaIsUpToDate_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    QTest::addRow("design") << "design.schema.json" << qtext(designSchema());
    QTest::addRow("chip") << "chip.schema.json" << qtext(chipSchema());
}

void TstDesignJson::schemaIsUpToDate() {
    QFETCH(QString, name);
    QFETCH(QString, text);
    const QString path = CUBIST_SOURCE_DIR "/resources/" + name;
    if (qEnvironmentVariable("CUBIST_UPDATE") == "1") {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    }
    QVERIFY2(qtext(fileText(path)) == text,
             "the fields changed: run this test with CUBIST_UPDATE=1 to write the schema");
}

void TstDesignJson::schemaKnowsEveryKey() {
    const JsonValue schema = *parseJson(designSchema());
    QCOMPARE(qtext(compactJson(*schema.find("required"))),
             QString(R"(["cubist", "name", "chip", "skeleton", "tensors", "blocks"])"));
    const auto at = [&](const char* pointer) {
        const auto value = findPointer(schema, pointer);
        return value ? qtext(compactJson(**value)) : qtext(value.error().message);
    };
    QCOMPARE(at("/properties/blocks"), QString(R"({"type": "array", "items": {"$ref": "#/$defs/block"}})"));
    QCOMPARE(at("/$defs/cube/properties/kind/const"), QString("\"cube\""));
    QCOMPARE(at("/$defs/cube/required"), QString(R"(["kind", "id", "a", "b", "out", "out_dtype", "tile"])"));
    QCOMPARE(at("/$defs/loop/properties/body/items"), QString(R"({"$ref": "#/$defs/block"})"));
    QCOMPARE(at("/$defs/tolerance/properties/rtol"),
             QString(R"({"anyOf": [{"type": "number"}, {"type": "null"}], "default": null})"));
    for (const JsonMember& member : fullDesignJson(fullDesign()).members)
        QVERIFY2(findPointer(schema, "/properties/" + member.key), member.key.c_str());
}

void TstDesignJson::pageNamesEveryKey_data() {
    QTest::addColumn<QString>("schema");
    QTest::addRow("design") << qtext(designSchema());
    QTest::addRow("chip") << qtext(chipSchema());
}

void TstDesignJson::pageNamesEveryKey() {
    QFETCH(QString, schema);
    const QString page = qtext(fileText(CUBIST_SOURCE_DIR "/docs/design-format.md"));
    const JsonValue root = *parseJson(schema.toStdString());
    const auto check = [&](const JsonValue& object) {
        const JsonValue* const properties = object.find("properties");
        if (properties == nullptr) return;
        for (const JsonMember& member : properties->members) {
            // The constants of a chip are explained in formulas.md.
            const JsonValue* const reference = member.value.find("$ref");
            if (reference != nullptr && reference->text == "#/$defs/constant" && member.key != "repeat") continue;
            const QString key = qtext(member.key);
            QVERIFY2(page.contains("`" + key + "`") || page.contains("`\"" + key + "\":"), member.key.c_str());
        }
    };
    check(root);
    for (const JsonMember& definition : root.find("$defs")->members) check(definition.value);
}

QTEST_APPLESS_MAIN(TstDesignJson)
#include "tst_design_json.moc"

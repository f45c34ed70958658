// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <string>

#include "core/chip/formulas.h"
#include "core/exchange/chip_json.h"

using namespace cubist;

namespace {

const QString kChips = CUBIST_SOURCE_DIR "/resources/chips";

QString qtext(const std::string& text) {
    return QString::fromStdString(text);
}

std::string fileText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

bool writeFile(const QString& path, const QString& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) == text.toUtf8().size();
}

QString b1Text() {
    return qtext(fileText(kChips + "/Ascend910B1.json"));
}

ChipSpec chip(const char* name) {
    const Result<ChipSpec> found = ChipLibrary::load({kChips.toStdString()}).find(name);
    if (!found) QTest::qFail(found.error().message.c_str(), __FILE__, __LINE__);
    return found ? *found : ChipSpec();
}

}  // namespace

class TstChipJson : public QObject {
    Q_OBJECT

private slots:
    void everyFileIsReproduced_data();
    void everyFileIsReproduced();
    void everyConstantIsExplained_data();
    void everyConstantIsExplained();
    void firstModelOf910B1();
    void firstModelOf950PR();
    void coresAndLanes_data();
    void coresAndLanes();
    void namesFindOneChip_data();
    void namesFindOneChip();
    void sharedNamesListTheirChips_data();
    void sharedNamesListTheirChips();
    void unknownNamesSuggest();
    void laterFoldersReplaceById();
    void brokenFilesAreReportedAndLeftOut();
    void valuesOutOfRangeAreErrors_data();
    void valuesOutOfRangeAreErrors();
    void unknownKeysAreKept();
    void fractionsSurvive();
    void constantsOfEarlierVersionsHaveDefaults_data();
    void constantsOfEarlierVersionsHaveDefaults();
};

void TstChipJson::everyFileIsReproduced_data() {
    QTest::addColumn<QString>("path");
    const QDir dir(kChips);
    for (const QString& name : dir.entryList({"*.json"}, QDir::Files, QDir::Name))
        QTest::addRow("%s", qPrintable(name)) << dir.filePath(name);
}

void TstChipJson::everyFileIsReproduced() {
    QFETCH(QString, path);
    const std::string text = fileText(path);
    const Result<LoadedChip> loaded = readChip(text);
    QVERIFY2(loaded, loaded ? "" : (loaded.error().where + ": " + loaded.error().message).c_str());
    QCOMPARE(qtext(writeChip(loaded->chip)), qtext(text));
    QVERIFY(loaded->warnings.empty());
    QCOMPARE(qtext(loaded->chip.id.text) + ".json", QFileInfo(path).fileName());
}

void TstChipJson::everyConstantIsExplained_data() {
    everyFileIsReproduced_data();
}

void TstChipJson::everyConstantIsExplained() {
    QFETCH(QString, path);
    const QString text = qtext(fileText(path));
    QVERIFY(!text.contains("\"source\": \"\"") && !text.contains("\"unit\": \"\""));
    // Ids of somebody's private list of sources explain nothing.
    const QRegularExpression privateId("\\b(P|ISA|ASC|KPP|CS|INI)-[A-Z0-9]+\\b");
    QVERIFY2(!text.contains(privateId), qPrintable(privateId.match(text).captured()));
}

void TstChipJson::firstModelOf910B1() {
    // The numbers of the first timing model, worked out by hand.
    const ChipSpec b1 = chip("Ascend910B1");
    QCOMPARE(b1.aicCount.integer(), std::int64_t{24});
    QCOMPARE(b1.clockMHz.integer(), std::int64_t{1850});
    // mmad of 32 x 512 x 16 in FP32: 2 + 2 * 2 * 64 * 1.
    QVERIFY(formula::mmadCycles(b1, *b1.cubeRate(DType::FP32), 32, 512, 16) == Rational(258));
    // The same in BF16: 2 + 1 * 2 * 32 * 1; INT8: 2 + 2 * 16.
    QVERIFY(formula::mmadCycles(b1, *b1.cubeRate(DType::BF16), 32, 512, 16) == Rational(66));
    QVERIFY(formula::mmadCycles(b1, *b1.cubeRate(DType::FP16), 32, 512, 16) == Rational(66));
    QVERIFY(formula::mmadCycles(b1, *b1.cubeRate(DType::INT8), 32, 512, 16) == Rational(34));
    // 32 rows of 4096 B: 93 + 32 * 4096 / 104; 32 rows of 64 B: 93 + 32 * 3.55.
    QVERIFY(formula::gmToL1Cycles(b1, 32, 4096) == Rational(93) + Rational(131072, 104));
    QVERIFY(formula::gmToL1Cycles(b1, 32, 64) == Rational(2066, 10));
    QVERIFY(formula::nzToL1Cycles(b1, Bytes(1710)) == Rational(103));
    QVERIFY(formula::l1ToL0aCycles(b1, Bytes(65536)) == Rational(2878, 10));
    QVERIFY(formula::l1ToL0bCycles(b1, Bytes(32768)) == Rational(2878, 10));
    // 670 FP16 results: 1340 / 134 cycles for the bytes, 670 / 37.5 for the elements.
    QVERIFY(formula::l0cToGmCycles(b1, 1, 335, Bytes(1340), false) == Rational(492, 10));
    QVERIFY(formula::l0cToGmCycles(b1, 1, 750, Bytes(1500), false) == Rational(592, 10));
    QVERIFY(formula::gmToUbCycles(b1, Bytes(1260)) == Rational(30));
    QVERIFY(formula::ubToGmCycles(b1, Bytes(159)) == Rational(123));
    QVERIFY(formula::vectorCycles(b1, "slice", 32, Bytes(1025)) == Rational(11));
    QVERIFY(formula::dispatchCycles(b1) == Rational(200 * 1850, 1800));
    QVERIFY(formula::resolveCycles(b1) == Rational(390 * 1850, 1800));
    QVERIFY(b1.cubeRate(DType::FP8E4M3) == nullptr);
}

void TstChipJson::firstModelOf950PR() {
    const ChipSpec pr = chip("Ascend950PR_958x");
    // FP32 at 256 MAC a cycle: a fractal of 16 x 8 x 16 takes 8; this is a guess and says so.
    const CubeRate* const fp32 = pr.cubeRate(DType::FP32);
    QVERIFY(fp32 != nullptr);
    QCOMPARE(16 * fp32->k0 * 16 / fp32->repeat.integer(), std::int64_t{256});
    QCOMPARE(fp32->repeat.confidence, Confidence::Estimate);
    for (const DType type : {DType::FP8E4M3, DType::FP8E5M2, DType::HF8, DType::INT8})
        QCOMPARE(pr.cubeRate(type)->k0, std::int64_t{32});
    QCOMPARE(pr.cubeRate(DType::FP4E2M1)->k0, std::int64_t{64});
    QVERIFY(pr.cubeRate(DType::INT4) == nullptr);
    QVERIFY(pr.mmadOverhead.value == Rational(26, 100));
    QVERIFY(formula::gmToL1Cycles(pr, 10, 64) == Rational(1083, 10));
    QVERIFY(formula::gmToL1Cycles(pr, 10, 64, true) == Rational(1445, 10));
    QVERIFY(formula::l1ToL0bCycles(pr, Bytes(25600)) == Rational(1393, 10));
    QVERIFY(formula::gmToUbCycles(pr, Bytes(227)) == Rational(40));
    QVERIFY(formula::hf32Repeat(*pr.cubeRate(DType::FP32)) == Rational(1));  // 16 * 8 * 16 a cycle
    QVERIFY(formula::l0cToGmCycles(pr, 4, 321, Bytes(380), true) == Rational(896 + 100 + 1004, 10));
    QVERIFY(formula::l0cToUbCycles(pr, 321, Bytes(1280)) == Rational(996, 10));
    // exp of 2048 B in FP32: start, drain and latency 51, 8 repeats of 4.
    QVERIFY(formula::vectorCycles(pr, "exp", 32, Bytes(2048)) == Rational(83));
    // A number as an operand: one repeat a cycle instead of two; division is bound by its unit.
    const auto cycles = [&](const char* op) {
        return formula::vectorCycles(pr, formula::withNumber(pr, op), 32, Bytes(65536));
    };
    QVERIFY(cycles("add") == Rational(42 + 256) && cycles("sub") == Rational(42 + 256));
    QVERIFY(cycles("mul") == Rational(43 + 256) && cycles("maximum") == Rational(41 + 256));
    QVERIFY(cycles("div") == Rational(52 + 4 * 256));
    QVERIFY(formula::vectorCycles(pr, "mul", 32, Bytes(65536)) == Rational(43 + 2 * 256));
    QCOMPARE(formula::withNumber(chip("Ascend910B1"), "add"), std::string("add"));
    QVERIFY(formula::ubToGmCycles(pr, Bytes(157)) == Rational(237));
    QCOMPARE(pr.ubBytes.integer(), std::int64_t{248 * 1024});
}

void TstChipJson::coresAndLanes_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("aic");
    QTest::addColumn<int>("mhz");
    QTest::addColumn<int>("hbmGiB");
    QTest::addRow("910B1") << "910B1" << 24 << 1850 << 64;
    QTest::addRow("910B2") << "910B2" << 24 << 1800 << 64;
    QTest::addRow("910B3") << "910B3" << 20 << 1800 << 64;
    QTest::addRow("910B4") << "910B4" << 20 << 1500 << 32;
    QTest::addRow("910C") << "A3" << 24 << 1850 << 32;
    QTest::addRow("950PR_958x") << "950PR_958x" << 32 << 1650 << 128;
    QTest::addRow("950PR_957x") << "950PR_957x" << 28 << 1650 << 128;
    QTest::addRow("950PR_957bx") << "950PR_957bx" << 28 << 1650 << 112;
    QTest::addRow("950DT_957x") << "950DT_957x" << 28 << 1650 << 96;
    QTest::addRow("950DT_958x") << "950DT_958x" << 32 << 1650 << 96;
    QTest::addRow("950DT_9581") << "950DT_9581" << 32 << 1650 << 144;
}

void TstChipJson::coresAndLanes() {
    QFETCH(QString, name);
    QFETCH(int, aic);
    QFETCH(int, mhz);
    QFETCH(int, hbmGiB);
    const ChipSpec spec = chip(qPrintable(name));
    QCOMPARE(spec.aicCount.integer(), std::int64_t{aic});
    QCOMPARE(spec.aivCount.integer(), std::int64_t{2 * aic});
    QCOMPARE(spec.lanes(), std::int64_t{13 * aic});
    QCOMPARE(spec.clockMHz.integer(), std::int64_t{mhz});
    QCOMPARE(spec.hbmBytes.integer(), std::int64_t{hbmGiB} << 30);
}

void TstChipJson::namesFindOneChip_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("id");
    QTest::addRow("id") << "Ascend950PR_958x"
                        << "Ascend950PR_958x";
    QTest::addRow("without the vendor") << "910B1"
                                        << "Ascend910B1";
    QTest::addRow("unique alias") << "A3"
                                  << "Ascend910C_die";
    QTest::addRow("alias with a blank") << "Atlas 350"
                                        << "Ascend950PR_957bx";
}

void TstChipJson::namesFindOneChip() {
    QFETCH(QString, name);
    QFETCH(QString, id);
    QCOMPARE(qtext(chip(qPrintable(name)).id.text), id);
}

void TstChipJson::sharedNamesListTheirChips_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("ids");
    QTest::addRow("A2") << "A2"
                        << "Ascend910B1, Ascend910B2, Ascend910B3, Ascend910B4";
    QTest::addRow("950PR") << "950PR"
                           << "Ascend950PR_957bx, Ascend950PR_957x, Ascend950PR_958x";
    QTest::addRow("950DT") << "950DT"
                           << "Ascend950DT_957x, Ascend950DT_9581, Ascend950DT_958x";
}

void TstChipJson::sharedNamesListTheirChips() {
    QFETCH(QString, name);
    QFETCH(QString, ids);
    const Result<ChipSpec> found = ChipLibrary::load({kChips.toStdString()}).find(name.toStdString());
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::BadValue);
    QCOMPARE(qtext(found.error().message), "several chips are called '" + name + "': " + ids);
}

void TstChipJson::unknownNamesSuggest() {
    const ChipLibrary library = ChipLibrary::load({kChips.toStdString()});
    const Result<ChipSpec> found = library.find("Ascend901B1");
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::UnknownName);
    QVERIFY2(qtext(found.error().hint).startsWith("did you mean 'Ascend910B1'? known: Ascend910B1, Ascend910B2"),
             found.error().hint.c_str());
    QVERIFY(!library.find(""));
    QCOMPARE(qtext(ChipLibrary::load({"/nonexistent"}).find("A2").error().hint), QString("no chip file was found"));
}

void TstChipJson::laterFoldersReplaceById() {
    const QTemporaryDir user;
    QVERIFY(writeFile(user.filePath("mine.json"),
                      b1Text().replace("\"title\": \"Ascend 910B1 (Atlas A2)\"", "\"title\": \"Mine\"")));
    QVERIFY(writeFile(user.filePath("new.json"), b1Text().replace("\"id\": \"Ascend910B1\"", "\"id\": \"Test1\"")));
    QVERIFY(writeFile(user.filePath("notes.txt"), "no chip"));
    const ChipLibrary library = ChipLibrary::load({kChips.toStdString(), "/nonexistent", user.path().toStdString()});
    QVERIFY(library.problems().empty());
    QCOMPARE(library.chips().size(), std::size_t{12});
    QCOMPARE(qtext(library.find("910B1")->title), QString("Mine"));
    QVERIFY(library.find("Test1"));
    for (std::size_t i = 1; i < library.chips().size(); ++i) QVERIFY(library.chips()[i - 1].id < library.chips()[i].id);
}

void TstChipJson::brokenFilesAreReportedAndLeftOut() {
    const QTemporaryDir user;
    QVERIFY(writeFile(user.filePath("a.json"), b1Text()));
    QVERIFY(writeFile(user.filePath("b.json"), b1Text()));
    QVERIFY(writeFile(user.filePath("c.json"), "{"));
    QVERIFY(writeFile(user.filePath("d.json"), b1Text().replace("\"value\": 1850", "\"value\": \"fast\"")));
    const ChipLibrary library = ChipLibrary::load({user.path().toStdString()});
    QCOMPARE(library.chips().size(), std::size_t{1});
    QCOMPARE(library.problems().size(), std::size_t{3});
    QCOMPARE(qtext(library.problems()[0].where), user.filePath("b.json"));
    QCOMPARE(library.problems()[1].code, ErrorCode::Syntax);
    QCOMPARE(qtext(library.problems()[2].message),
             QString("/clock_mhz/value: expected a number, found the string \"fast\""));
    QVERIFY(qtext(library.find("A5").error().hint).contains("b.json could not be used"));
}

void TstChipJson::valuesOutOfRangeAreErrors_data() {
    QTest::addColumn<QString>("old");
    QTest::addColumn<QString>("now");
    QTest::addColumn<QString>("where");
    const auto row = [](const char* name, const char* old, const char* now, const char* where) {
        QTest::addRow("%s", name) << old << now << where;
    };
    row("no cores", "\"aic_count\": {\"value\": 24,", "\"aic_count\": {\"value\": 0,", "/aic_count/value");
    row("half a core", "\"aic_count\": {\"value\": 24,", "\"aic_count\": {\"value\": 24.5,", "/aic_count/value");
    row("too many cores", "\"aic_count\": {\"value\": 24,", "\"aic_count\": {\"value\": 5000,", "/aic_count/value");
    row("rate of nothing", "\"value\": 3.55,", "\"value\": 0,", "/mte2_row_cycles/value");
    row("negative overhead", "\"value\": 93,", "\"value\": -1,", "/mte2_overhead/value");
    row("too many decimals", "\"value\": 79.5,", "\"value\": 79.1234,", "/ub_to_gm_bytes_per_cycle/value");
    row("huge rate", "\"value\": 79.5,", "\"value\": 1e9,", "/ub_to_gm_bytes_per_cycle/value");
    row("huge memory", "\"value\": 201326592,", "\"value\": 1e18,", "/l2_bytes/value");
    row("type listed twice", "\"dtype\": \"BF16\"", "\"dtype\": \"FP16\"", "/cube/2");
    row("no fractal", "\"k0\": 8", "\"k0\": 0", "/cube/0");
    row("no id", "\"id\": \"Ascend910B1\"", "\"id\": \"\"", "/id");
    row("no such architecture", "\"arch\": \"2201\"", "\"arch\": \"9999\"", "/arch");
    row("unknown confidence", "\"value\": 3.55, \"unit\": \"cycle/row\", \"confidence\": \"estimate\"",
        "\"value\": 3.55, \"unit\": \"cycle/row\", \"confidence\": \"sure\"", "/mte2_row_cycles/confidence");
    row("no such operation", "[\"div\"]", "[\"dive\"]", "/vector_rates/5");
    row("newer version", "\"cubist_chip\": 1", "\"cubist_chip\": 2", "/cubist_chip");
}

void TstChipJson::valuesOutOfRangeAreErrors() {
    QFETCH(QString, old);
    QFETCH(QString, now);
    QFETCH(QString, where);
    QString text = b1Text();
    text.replace("\n    \"unit\"", " \"unit\"").replace("\n    \"confidence\"", " \"confidence\"");
    QCOMPARE(text.count(old), 1);
    const Result<LoadedChip> loaded = readChip(text.replace(old, now).toStdString());
    QVERIFY(!loaded);
    QCOMPARE(qtext(loaded.error().where), where);
}

void TstChipJson::unknownKeysAreKept() {
    QString text = b1Text();
    text.replace("\n}\n", ",\n  \"launch_head_us\": {\"value\": 20.50, \"unit\": \"us\"}\n}\n");
    const Result<LoadedChip> loaded = readChip(text.toStdString());
    QVERIFY(loaded);
    QCOMPARE(loaded->warnings.size(), std::size_t{1});
    QCOMPARE(qtext(loaded->warnings[0].where), QString("/launch_head_us"));
    QCOMPARE(qtext(writeChip(loaded->chip)), text);
}

void TstChipJson::fractionsSurvive() {
    ChipSpec b1 = chip("910B1");
    // 1/3 has no decimal; it is no legal constant of a chip, but nothing is rounded on the way.
    b1.mte2RowCycles.value = Rational(1, 3);
    const Result<LoadedChip> third = readChip(writeChip(b1));
    QVERIFY(!third);
    QCOMPARE(qtext(third.error().message), QString("1/3 is out of range: above 0 up to 10000 with at most 3 decimals"));
    b1.mte2RowCycles.value = Rational(1, 8);
    const Result<LoadedChip> eighth = readChip(writeChip(b1));
    QVERIFY(eighth && eighth->chip == b1);
    QVERIFY(qtext(writeChip(b1)).contains("\"value\": 0.125"));
}

void TstChipJson::constantsOfEarlierVersionsHaveDefaults_data() {
    everyFileIsReproduced_data();
}

void TstChipJson::constantsOfEarlierVersionsHaveDefaults() {
    QFETCH(QString, path);
    const QStringList keys{"hbm_nz_bytes_per_cycle", "bt_bytes_per_cycle",   "fb_overhead",  "fb_bytes_per_cycle",
                           "ub_bank_read_cycles",    "ub_bank_write_cycles", "scalar_issue", "aicpu_start"};
    QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(fileText(path))).object();
    for (const QString& key : keys) {
        QVERIFY(json.contains(key));
        json.remove(key);
    }
    const Result<LoadedChip> whole = readChip(fileText(path));
    const Result<LoadedChip> old = readChip(QJsonDocument(json).toJson().toStdString());
    QVERIFY2(old, old ? "" : old.error().message.c_str());
    QStringList told;
    for (const Finding& finding : old->warnings) {
        QCOMPARE(qtext(finding.ruleId), QString("DOC-01"));
        told << qtext(finding.where).mid(1);
    }
    QCOMPARE(QSet<QString>(told.begin(), told.end()), QSet<QString>(keys.begin(), keys.end()));
    for (Constant ChipSpec::*constant :
         {&ChipSpec::hbmNzBytesPerCycle, &ChipSpec::btBytesPerCycle, &ChipSpec::fbOverhead, &ChipSpec::fbBytesPerCycle,
          &ChipSpec::ubBankReadCycles, &ChipSpec::ubBankWriteCycles, &ChipSpec::scalarIssue, &ChipSpec::aicpuStart}) {
        const Constant& taken = old->chip.*constant;
        const Constant& own = whole->chip.*constant;
        QVERIFY(taken.value == own.value);
        QCOMPARE(qtext(taken.unit), qtext(own.unit));
        QVERIFY(taken.confidence == own.confidence);
        QVERIFY(!taken.source.empty() && taken.note.starts_with(ChipDefaults::kMissingConstant));
    }
    // A key that is not there is out of no range, however fast the chip is.
    QJsonObject rate = json["hbm_bytes_per_cycle"].toObject();
    rate["value"] = 10'000;
    json["hbm_bytes_per_cycle"] = rate;
    const Result<LoadedChip> fast = readChip(QJsonDocument(json).toJson().toStdString());
    QVERIFY2(fast, fast ? "" : fast.error().message.c_str());
    QVERIFY(fast->chip.hbmNzBytesPerCycle.value == Rational(10'000));
    // What a note says is no sign that the file lacks a constant.
    ChipSpec noted = whole->chip;
    noted.btBytesPerCycle.note = std::string(ChipDefaults::kMissingConstant) + " of the vendor";
    const Result<LoadedChip> own = readChip(writeChip(noted));
    QVERIFY(own && own->chip == noted && own->warnings.empty());
    // Nothing is made up in the file when it is saved.
    const Result<LoadedChip> again = readChip(writeChip(old->chip));
    QVERIFY(again && again->chip == old->chip);
    QCOMPARE(again->warnings.size(), old->warnings.size());
}

QTEST_APPLESS_MAIN(TstChipJson)
#include "tst_chip_json.moc"

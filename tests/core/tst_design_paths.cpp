// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <string>

#include "core/exchange/design_diff.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"

/// Values of a design by JSON pointer: setting one, and what differs between two designs.
using namespace cubist;

namespace {

QString qtext(const std::string& text) {
    return QString::fromStdString(text);
}

Design glmGate() {
    const auto text = readFile(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json", std::size_t{1} << 20);
    Result<LoadedDesign> loaded = readDesign(text.value_or(""));
    if (!loaded) QTest::qFail(loaded.error().message.c_str(), __FILE__, __LINE__);
    return loaded ? std::move(loaded->design) : Design();
}

}  // namespace

class TstDesignPaths : public QObject {
    Q_OBJECT

private slots:
    void setAtChangesOneValue_data();
    void setAtChangesOneValue();
    void setAtRefusesWrongPathsAndValues_data();
    void setAtRefusesWrongPathsAndValues();
    void diffNamesWhatChanged();
    void diffAndSetAtAgree();
};

void TstDesignPaths::setAtChangesOneValue_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("json");
    QTest::addRow("by index") << "/blocks/0/body/1/tile/k/0"
                              << "20";
    QTest::addRow("by id") << "/blocks/rows/body/gate/tile/n"
                           << "[32, 64]";
    QTest::addRow("key that the file leaves out") << "/options/device_sched_mode"
                                                  << "3";
    QTest::addRow("optional key of a stage") << "/blocks/rows/body/gate/slots"
                                             << "1";
    QTest::addRow("free key") << "/options/cube_l1_reuse_setting/-1"
                              << "4";
    QTest::addRow("expression") << "/blocks/rows/tile"
                                << "\"T // 2\"";
    QTest::addRow("tensor") << "/tensors/weight/dtype"
                            << "\"BF16\"";
    QTest::addRow("whole block") << "/blocks/rows/body/write"
                                 << R"({"kind": "store", "id": "s", "from": "logits", "to": "y"})";
}

void TstDesignPaths::setAtChangesOneValue() {
    QFETCH(QString, pointer);
    QFETCH(QString, json);
    const Design design = glmGate();
    const Result<Design> edited = setAt(design, pointer.toStdString(), json.toStdString());
    QVERIFY2(edited, edited ? "" : (edited.error().where + ": " + edited.error().message).c_str());
    QVERIFY(!(*edited == design));
    // The value is there now, and putting the old one back gives the old design.
    const std::string where = diffDesigns(design, *edited).front().where;
    QVERIFY2(qtext(where).startsWith(pointer.section('/', 0, 1)), where.c_str());
    const JsonValue after = fullDesignJson(*edited);
    if (pointer != "/blocks/rows/body/write")
        QCOMPARE(qtext(compactJson(**findPointer(after, pointer.toStdString()))), json);
    QVERIFY(design == glmGate());
}

void TstDesignPaths::setAtRefusesWrongPathsAndValues_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("json");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("where");
    const auto row = [](const char* name, const char* pointer, const char* json, ErrorCode code, const char* where) {
        QTest::addRow("%s", name) << pointer << json << static_cast<int>(code) << where;
    };
    using enum ErrorCode;
    row("no path", "blocks", "1", Syntax, "blocks");
    row("no JSON", "/seed", "abc", Syntax, "/seed");
    row("NaN", "/tolerance/rtol", "NaN", Syntax, "/tolerance/rtol");
    row("unknown step", "/blocks/rows/body/gata/tile", "1", UnknownName, "/blocks/rows/body");
    row("unknown key", "/blocks/rows/body/gate/tiel", "1", UnknownName, "/blocks/0/body/1/tiel");
    row("unknown top key", "/sead", "1", UnknownName, "/sead");
    row("index beyond the end", "/blocks/rows/body/7", "1", UnknownName, "/blocks/rows/body");
    row("wrong type", "/blocks/rows/body/gate/tile/m/0", "\"a\"", WrongType, "/blocks/0/body/1/tile/m/0");
    row("kind with other keys", "/blocks/rows/body/gate/kind", "\"vector\"", MissingKey, "/blocks/0/body/1/ops");
    row("newer version", "/cubist", "2", Unsupported, "/cubist");
    row("no design", "", "{}", MissingKey, "/cubist");
}

void TstDesignPaths::setAtRefusesWrongPathsAndValues() {
    QFETCH(QString, pointer);
    QFETCH(QString, json);
    QFETCH(int, code);
    QFETCH(QString, where);
    const Result<Design> edited = setAt(glmGate(), pointer.toStdString(), json.toStdString());
    QVERIFY(!edited);
    QCOMPARE(qtext(edited.error().where), where);
    QCOMPARE(static_cast<int>(edited.error().code), code);
}

void TstDesignPaths::diffNamesWhatChanged() {
    const Design before = glmGate();
    Design after = before;
    QVERIFY(diffDesigns(before, after).empty());
    after.seed = 5;
    auto& loop = std::get<Loop>(after.blocks[0].content);
    std::get<CubeStage>(loop.body[1].content).tile.k[0] = 256;
    std::get<CubeStage>(loop.body[1].content).slotCount = 1;
    std::swap(after.tensors[0], after.tensors[1]);
    after.cases.erase(after.cases.begin());
    const std::vector<DesignChange> changes = diffDesigns(before, after);
    const std::vector<DesignChange> wanted = {
        {"/cases/glm_gate_bs64",
         R"({"id": "glm_gate_bs64", "aliases": ["T64"], "symbols": {"T": 64}, "lists": {}, "set": {}, "notes": ""})",
         ""},
        {"/tensors", R"(["hidden_states", "weight", "router_logits"])",
         R"(["weight", "hidden_states", "router_logits"])"},
        {"/blocks/rows/body/gate/tile/k/0", "512", "256"},
        {"/blocks/rows/body/gate/slots", "null", "1"},
        {"/seed", "0", "5"},
    };
    for (const DesignChange& change : changes)
        if (std::find(wanted.begin(), wanted.end(), change) == wanted.end())
            QFAIL((change.where + ": " + change.before + " -> " + change.after).c_str());
    QCOMPARE(changes.size(), wanted.size());
}

void TstDesignPaths::diffAndSetAtAgree() {
    const Design before = glmGate();
    Design after = before;
    after.tolerance.rtol = 1e-4;
    after.title = "other";
    std::get<View>(std::get<Loop>(after.blocks[0].content).body[0].content).offset[0] =
        Expression(std::string("i * 16"));
    Design replayed = before;
    for (const DesignChange& change : diffDesigns(before, after)) {
        Result<Design> next = setAt(replayed, change.where, change.after);
        QVERIFY2(next, next ? "" : next.error().message.c_str());
        replayed = *std::move(next);
    }
    QVERIFY(replayed == after);
}

QTEST_APPLESS_MAIN(TstDesignPaths)
#include "tst_design_paths.moc"

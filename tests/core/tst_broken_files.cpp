// SPDX-License-Identifier: GPL-3.0-or-later
/// Design files broken by hand and by a deterministic fuzzer: each gives a path and a reason, or is a design that
/// binds, resolves and is checked; nothing crashes.
#include <QDir>
#include <QTest>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/design/resolve.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "core/exchange/json_text.h"
#include "core/rules/checker.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Every value below `root`, as a way to it.
void collect(JsonValue& value, std::vector<JsonValue*>& all) {
    all.push_back(&value);
    for (JsonValue& item : value.items) collect(item, all);
    for (JsonMember& member : value.members) collect(member.value, all);
}

std::uint32_t number(std::uint32_t counter, std::uint32_t key) {
    return philox4x32({counter, 0, 0, 0}, {key, 2026})[0];
}

/// Breaks one value: takes something out of it, or puts something else in its place.
void breakOne(JsonValue& value, std::uint32_t choice) {
    switch (choice % 10) {
        case 0: value = JsonValue(); break;
        case 1: value = JsonValue::fromBool(true); break;
        case 2: value = JsonValue::fromInteger(-1); break;
        case 3: value = JsonValue::fromInteger(0); break;
        case 4: value = JsonValue::fromNumberText("9223372036854775807"); break;
        case 5: value = JsonValue::fromString("nowhere"); break;
        case 6: value = JsonValue::fromString("T * (1 +"); break;
        case 7: value = JsonValue::array(); break;
        case 8:
            if (!value.members.empty())
                value.members.erase(value.members.begin() +
                                    choice / 10 % static_cast<std::uint32_t>(value.members.size()));
            else if (!value.items.empty())
                value.items.pop_back();
            else
                value = JsonValue::object();
            break;
        default:
            if (!value.items.empty())
                value.items.push_back(value.items.front());
            else if (!value.members.empty())
                value.members.front().key += "x";
            else
                value = JsonValue::fromDouble(1.5);
            break;
    }
}

/// What went wrong with the way the library took the text; empty when all is well.
std::string complaintAbout(const std::string& text, const ChipSpec& chip) {
    const auto told = [](const Error& error, const char* step) {
        if (error.message.empty()) return std::string(step) + ": no reason";
        if (error.code == ErrorCode::Internal) return std::string(step) + ": internal error: " + error.message;
        if (!error.where.starts_with("/") && error.message.find("line ") != 0)
            return std::string(step) + ": no path for '" + error.message + "'";
        return std::string();
    };
    const auto loaded = readDesign(text);
    if (!loaded) return told(loaded.error(), "read");
    const auto again = readDesign(writeDesign(loaded->design));
    if (!again || !(again->design == loaded->design)) return "written and read again it is another design";
    const auto own = designOfCase(loaded->design, {});
    if (!own) return told(own.error(), "case");
    const auto binding = bind(*own, {});
    if (!binding) return told(binding.error(), "bind");
    const auto resolved = resolve(*own, *binding);
    if (!resolved) return told(resolved.error(), "resolve");
    for (const Finding& finding : checkDesign(*resolved, chip, RuleProfile::Documented))
        if (finding.message.empty() || !finding.where.starts_with("/"))
            return finding.ruleId + ": no place or no message";
    return {};
}

std::string sampleText(const QString& name) {
    const auto text = readFile((QStringLiteral(CUBIST_SOURCE_DIR "/samples/") + name).toStdString(), 1 << 24);
    if (!text) qFatal("%s", text.error().message.c_str());
    return *text;
}

}  // namespace

class TestBrokenFiles : public QObject {
    Q_OBJECT
private slots:
    void fuzzedSamplesGiveAPathAndAReason_data() {
        QTest::addColumn<QString>("name");
        const QDir folder(QStringLiteral(CUBIST_SOURCE_DIR "/samples"));
        for (const QString& name : folder.entryList({QStringLiteral("*.cubist.json")}))
            QTest::newRow(qPrintable(name)) << name;
    }
    void fuzzedSamplesGiveAPathAndAReason() {
        QFETCH(QString, name);
        const ChipSpec chip = chipFile("Ascend950PR_958x");
        const auto whole = parseJson(sampleText(name));
        QVERIFY(whole);
        QCOMPARE(complaintAbout(prettyJson(*whole), chip), std::string());
        int refused = 0;
        constexpr std::uint32_t kTries = 60;
        for (std::uint32_t i = 0; i < kTries; ++i) {
            JsonValue broken = *whole;
            std::vector<JsonValue*> all;
            collect(broken, all);
            breakOne(*all[1 + number(2 * i, 1) % (all.size() - 1)], number(2 * i + 1, 2));
            const std::string text = prettyJson(broken);
            const std::string complaint = complaintAbout(text, chip);
            QVERIFY2(complaint.empty(), (complaint + "\n" + text).c_str());
            if (!readDesign(text)) ++refused;
        }
        QVERIFY2(refused > 10, qPrintable(QString::number(refused)));
    }

    void handBrokenFilesNameTheirPlace_data() {
        QTest::addColumn<QString>("old");
        QTest::addColumn<QString>("now");
        QTest::addColumn<QString>("where");
        QTest::newRow("a loop without body") << "\"body\""
                                             << "\"bodies\""
                                             << "/blocks/0/body";
        QTest::newRow("a name that is not there") << "\"a\": \"hidden_tile\""
                                                  << "\"a\": \"hidden_tiles\""
                                                  << "/blocks/0/body/1/a";
        QTest::newRow("a symbol that is not there") << "\"axis\": \"T\""
                                                    << "\"axis\": \"S\""
                                                    << "/blocks/0/axis";
        QTest::newRow("an unknown kind") << "\"kind\": \"cube\""
                                         << "\"kind\": \"cub\""
                                         << "/blocks/0/body/1/kind";
        QTest::newRow("a shape of nothing") << "\"shape\": [160, 5120]"
                                            << "\"shape\": []"
                                            << "/tensors/1/shape";
    }
    void handBrokenFilesNameTheirPlace() {
        QFETCH(QString, old);
        QFETCH(QString, now);
        QFETCH(QString, where);
        QString text = QString::fromStdString(sampleText("glm_gate.cubist.json"));
        const qsizetype at = text.indexOf(old);
        QVERIFY2(at >= 0, qPrintable(old));
        text.replace(at, old.size(), now);
        const auto loaded = readDesign(text.toStdString());
        std::string place;
        if (!loaded) {
            place = loaded.error().where;
        } else {
            const auto binding = bind(loaded->design, {});
            QVERIFY(binding);
            const auto resolved = resolve(loaded->design, *binding);
            QVERIFY(!resolved);
            place = resolved.error().where;
        }
        QCOMPARE(QString::fromStdString(place), where);
    }
};

QTEST_APPLESS_MAIN(TestBrokenFiles)
#include "tst_broken_files.moc"

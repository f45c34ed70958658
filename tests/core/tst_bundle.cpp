// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>

#include "core/exchange/bundle.h"
#include "core/exchange/npy.h"
#include "core/exchange/result_json.h"
#include "core/exchange/sha256.h"
#include "core/exchange/tensor_files.h"
#include "core/exchange/zip_archive.h"
#include "core/exchange/zip_writer.h"
#include "tests/support/bytes.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

RunRequest readingRequest(Design design) {
    RunRequest request = requestFor(std::move(design));
    request.readers = tensorReaders();
    return request;
}

RunReport reported(const RunRequest& request) {
    auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return *std::move(report);
}

/// Writes the bundle of a run.
std::string bundleOf(const FileFolder& folder, const RunRequest& request, const RunReport& report) {
    const std::string path = folder.path("run.zip");
    const auto written = writeBundle(path, request, report, "1.2.3");
    if (!written) qFatal("%s", written.error().message.c_str());
    return path;
}

QString openText(const std::string& path) {
    const auto bundle = openBundle(path);
    return bundle ? "fine" : QString::fromStdString(bundle.error().message);
}

/// The same archive with the text of one entry replaced, renamed or left out.
void rewrite(const std::string& from, const std::string& to, const std::string& entry, const std::string& newName,
             const QByteArray& before, const QByteArray& after) {
    const auto archive = ZipArchive::open(from);
    auto writer = ZipWriter::create(to);
    if (!archive || !writer) qFatal("cannot rewrite the archive");
    for (const ZipEntry& found : archive->entries()) {
        QByteArray text = QByteArray::fromStdString(archive->text(found, 1U << 24U).value());
        std::string name = found.name;
        if (name == entry) {
            if (newName.empty()) continue;
            name = newName;
            if (!before.isEmpty() && !text.contains(before)) qFatal("no %s", before.constData());
            if (!before.isEmpty()) text.replace(before, after);
        }
        if (!writer->add(name, text.toStdString())) qFatal("cannot add");
    }
    if (!writer->commit()) qFatal("cannot commit");
}

}  // namespace

/// One file that reproduces a run.
class TestBundle : public QObject {
    Q_OBJECT

private slots:
    void hashesAreThoseOfTheStandard_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("hash");
        QTest::newRow("empty") << QByteArray() << "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        QTest::newRow("abc") << QByteArray("abc") << "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        QTest::newRow("two blocks") << QByteArray("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                                    << "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        QTest::newRow("a million") << QByteArray(1000000, 'a')
                                   << "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    }
    void hashesAreThoseOfTheStandard() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, hash);
        QCOMPARE(QString::fromStdString(sha256(text.toStdString())), hash);
        // In pieces of any size.
        for (const qsizetype step : {1, 7, 63, 64, 65, 1000}) {
            Sha256 pieces;
            for (qsizetype at = 0; at < std::min<qsizetype>(text.size(), 5000); at += step)
                pieces.add(std::as_bytes(
                    std::span(text.constData() + at,
                              static_cast<std::size_t>(std::min(step, std::min<qsizetype>(text.size(), 5000) - at)))));
            QCOMPARE(pieces.finish(), sha256(text.left(5000).toStdString()));
        }
    }

    void reproducesARunOfGeneratedInputs() {
        const FileFolder folder;
        RunRequest request = readingRequest(rowScale());
        request.seed = 77;
        request.symbols.set("T", 100);
        const RunReport report = reported(request);
        const auto bundle = openBundle(bundleOf(folder, request, report));
        QVERIFY2(bundle, bundle ? "" : bundle.error().message.c_str());
        QCOMPARE(bundle->manifest.version, std::string("1.2.3"));
        QCOMPARE(bundle->manifest.seed, std::int64_t{77});
        QVERIFY(bundle->manifest.inputs.empty());
        QVERIFY(bundle->design.design == *request.design);
        QVERIFY(bundle->chip == request.chip);
        QCOMPARE(bundle->runJson, resultJson(report, false));
        RunRequest again = requestOf(*bundle);
        again.readers = tensorReaders();
        QVERIFY(differencesFromBundle(*bundle, reported(again)).empty());
        again.seed = 78;
        const auto differences = differencesFromBundle(*bundle, reported(again));
        QCOMPARE(differences.size(), std::size_t{1});
        QCOMPARE(differences[0], std::string("the output 'y' has other bits"));
    }

    void carriesInputsAndGoldensOfFiles() {
        const FileFolder folder;
        RunRequest request = readingRequest(rowScale());
        std::string name;
        for (const Tensor& tensor : request.design->tensors)
            if (tensor.role == TensorRole::Input && name.empty()) name = tensor.id.text;
        const RunReport first = reported(request);
        const GmTensor* input = nullptr;
        for (const GmTensor& tensor : first.program->tensors)
            if (tensor.name == name) input = &tensor;
        QVERIFY(input != nullptr);
        auto values = HostTensor::zeros(input->dtype, {input->shape[2], input->shape[3]});
        QVERIFY(values);
        for (std::int64_t i = 0; i < values->count(); ++i) values->set(i, static_cast<double>(i % 7) - 3);
        QVERIFY(writeNpy(folder.path("x.npy"), *values));
        request.inputs[name] = folder.path("x.npy");
        const auto& [output, result] = *first.outputs.begin();
        QVERIFY(writeNpy(folder.path("y.npy"), result));
        request.goldens[output] = folder.path("y.npy");

        const RunReport report = reported(request);
        const std::string path = bundleOf(folder, request, report);
        // Padding is found without hashing it.
        const std::string padded = folder.path("padded.zip");
        rewrite(path, padded, "inputs/0.npy", "inputs/0.npy", "NUMPY", "NUMPY" + QByteArray(200000, 'x'));
        QVERIFY2(openText(padded).contains("longer than its values"), qPrintable(openText(padded)));
        // The files are not needed any more.
        QVERIFY(QFile::remove(QString::fromStdString(folder.path("x.npy"))));
        QVERIFY(QFile::remove(QString::fromStdString(folder.path("y.npy"))));
        const auto bundle = openBundle(path);
        QVERIFY2(bundle, bundle ? "" : bundle.error().message.c_str());
        QCOMPARE(bundle->manifest.inputs.size(), std::size_t{1});
        QCOMPARE(bundle->manifest.goldens.size(), std::size_t{1});
        RunRequest again = requestOf(*bundle);
        again.readers = tensorReaders();
        const auto differences = differencesFromBundle(*bundle, reported(again));
        QVERIFY2(differences.empty(), differences.empty() ? "" : differences[0].c_str());
    }

    void equalRunsGiveEqualBytes() {
        const FileFolder a, b;
        const RunRequest request = readingRequest(rowScale());
        (void)bundleOf(a, request, reported(request));
        (void)bundleOf(b, request, reported(request));
        QVERIFY(a.read("run.zip") == b.read("run.zip"));
    }

    void noticesWhatWasChanged_data() {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<QString>("newName");
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* entry, const char* newName, const QByteArray& before,
                            const QByteArray& after, const char* message) {
            QTest::newRow(name) << entry << newName << before << after << message;
        };
        row("nothing", "none", "none", "", "", "fine");
        row("design", "design.cubist.json", "design.cubist.json", "\"name\": \"row", "\"name\": \"Row", "was changed");
        row("longer design", "design.cubist.json", "design.cubist.json", "\"name\"", "\"name\" ", "another length");
        row("result", "run.json", "run.json", "Ascend910B1", "Ascend910B2", "was changed");
        row("no result", "run.json", "", "", "", "it has no \"run.json\"");
        row("no manifest", "manifest.json", "", "", "", "it has no manifest.json");
        row("other name", "run.json", "other.json", "", "", "does not name \"other.json\"");
        row("other version", "manifest.json", "manifest.json", "\"cubist_bundle\": 1", "\"cubist_bundle\": 9", "9");
        row("no version", "manifest.json", "manifest.json", "cubist_bundle", "cubist_bandle",
            "version of the file format");
        row("manifest is no JSON", "manifest.json", "manifest.json", "{", "[", "line 2");
        row("wrong type", "manifest.json", "manifest.json", "\"seed\": ", "\"seed\": \"x\", \"other\": ", "integer");
    }
    void noticesWhatWasChanged() {
        QFETCH(const QString, entry);
        QFETCH(const QString, newName);
        QFETCH(const QByteArray, before);
        QFETCH(const QByteArray, after);
        QFETCH(const QString, message);
        const FileFolder folder;
        const RunRequest request = readingRequest(rowScale());
        const std::string path = bundleOf(folder, request, reported(request));
        const std::string changed = folder.path("changed.zip");
        rewrite(path, changed, entry.toStdString(), newName.toStdString(), before, after);
        const QString found = openText(changed);
        QVERIFY2(found.contains(message), qPrintable(found));
    }

    void anyFlippedByteIsNoticedOrHarmless() {
        const FileFolder folder;
        const RunRequest request = readingRequest(rowScale());
        const std::string path = bundleOf(folder, request, reported(request));
        const QByteArray good = folder.read("run.zip");
        const qsizetype step = std::max<qsizetype>(1, good.size() / 400);
        int noticed = 0, tried = 0;
        for (qsizetype at = 0; at < good.size(); at += step) {
            QByteArray bad = good;
            bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ (1U << (at % 8)));
            noticed += openText(folder.write("bad.zip", bad)) == "fine" ? 0 : 1;
            ++tried;
        }
        QVERIFY2(noticed > tried * 9 / 10, qPrintable(QString("%1 of %2").arg(noticed).arg(tried)));
    }

    void aTruncatedBundleIsAMessage() {
        const FileFolder folder;
        const RunRequest request = readingRequest(rowScale());
        const std::string path = bundleOf(folder, request, reported(request));
        const QByteArray good = folder.read("run.zip");
        for (const qsizetype part : {0, 1, 10, 50, 90, 99})
            QVERIFY(openText(folder.write("cut.zip", good.left(good.size() * part / 100))) != "fine");
    }
};

QTEST_APPLESS_MAIN(TestBundle)
#include "tst_bundle.moc"

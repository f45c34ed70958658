// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <vector>

#include "core/exchange/zip_archive.h"
#include "core/exchange/zip_writer.h"
#include "tests/support/bytes.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// What a hand-made archive says about its one entry.
struct EntryKnobs {
    QByteArray name = "a.txt";
    QByteArray localName = {};  ///< empty: the same
    QByteArray data = "hello";
    std::uint32_t crc = 0x3610A686;  ///< of "hello"
    std::uint32_t bytes = 5, storedBytes = 5;
    int method = 0;
    int flags = 0;
    std::uint32_t attributes = 0;
    std::uint32_t offset = 0;
    int copies = 1;  ///< of the record in the table of contents
    QByteArray extra = {};
};

QByteArray archiveWith(const EntryKnobs& knobs) {
    const QByteArray local = knobs.localName.isEmpty() ? knobs.name : knobs.localName;
    QByteArray file = integerBytes(0x04034b50, 4) + integerBytes(20, 2) + integerBytes(0, 8) +
                      integerBytes(knobs.crc, 4) + integerBytes(knobs.storedBytes, 4) + integerBytes(knobs.bytes, 4) +
                      integerBytes(static_cast<std::uint64_t>(local.size()), 2) + integerBytes(0, 2) + local +
                      knobs.data;
    const auto contentsAt = static_cast<std::uint64_t>(file.size());
    for (int i = 0; i < knobs.copies; ++i)
        file += integerBytes(0x02014b50, 4) + integerBytes(20, 2) + integerBytes(20, 2) +
                integerBytes(static_cast<std::uint64_t>(knobs.flags), 2) +
                integerBytes(static_cast<std::uint64_t>(knobs.method), 2) + integerBytes(0, 4) +
                integerBytes(knobs.crc, 4) + integerBytes(knobs.storedBytes, 4) + integerBytes(knobs.bytes, 4) +
                integerBytes(static_cast<std::uint64_t>(knobs.name.size()), 2) +
                integerBytes(static_cast<std::uint64_t>(knobs.extra.size()), 2) + integerBytes(0, 6) +
                integerBytes(knobs.attributes, 4) + integerBytes(knobs.offset, 4) + knobs.name + knobs.extra;
    const auto contentsBytes = static_cast<std::uint64_t>(file.size()) - contentsAt;
    const auto copies = static_cast<std::uint64_t>(knobs.copies);
    return file + integerBytes(0x06054b50, 4) + integerBytes(0, 4) + integerBytes(copies, 2) + integerBytes(copies, 2) +
           integerBytes(contentsBytes, 4) + integerBytes(contentsAt, 4) + integerBytes(0, 2);
}

/// Reads everything; what went wrong, or "fine".
QString readAll(const std::string& path) {
    const Result<ZipArchive> archive = ZipArchive::open(path);
    if (!archive) return QString::fromStdString(archive.error().message);
    for (const ZipEntry& entry : archive->entries()) {
        const Result<std::string> text = archive->text(entry, 1U << 24U);
        if (!text) return QString::fromStdString(text.error().message);
    }
    return "fine";
}

}  // namespace

/// Archives: what we write, what others write, and what must not be taken.
class TestZip : public QObject {
    Q_OBJECT

private slots:
    void readsWhatItWrote() {
        const FileFolder folder;
        const std::string path = folder.path("a.zip");
        std::string large(200'000, 'x');
        for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7919 >> 3U);
        auto writer = ZipWriter::create(path);
        QVERIFY(writer);
        QVERIFY(writer->add("first.txt", "one"));
        QVERIFY(writer->add("folder/second.bin", large));
        QVERIFY(writer->add("empty", ""));
        QVERIFY(writer->commit());
        const auto archive = ZipArchive::open(path);
        QVERIFY2(archive, archive ? "" : archive.error().message.c_str());
        QCOMPARE(archive->entries().size(), std::size_t{3});
        QCOMPARE(archive->text(*archive->find("first.txt"), 100).value(), std::string("one"));
        QVERIFY(archive->text(*archive->find("folder/second.bin"), 1U << 20U).value() == large);
        QCOMPARE(archive->text(*archive->find("empty"), 0).value(), std::string());
        QVERIFY(archive->find("second.bin") == nullptr);
        QCOMPARE(archive->text(*archive->find("first.txt"), 2).error().code, ErrorCode::BadFile);
    }

    void equalContentsGiveEqualBytes() {
        const FileFolder folder;
        for (const char* name : {"a.zip", "b.zip"}) {
            auto writer = ZipWriter::create(folder.path(name));
            QVERIFY(writer && writer->add("x", "123") && writer->commit());
        }
        QCOMPARE(folder.read("a.zip"), folder.read("b.zip"));
        QVERIFY(!folder.read("a.zip").isEmpty());
    }

    void pythonReadsWhatItWrote() {
        const FileFolder folder;
        auto writer = ZipWriter::create(folder.path("a.zip"));
        QVERIFY(writer && writer->add("x/y.txt", "123\n") && writer->add("z", "") && writer->commit());
        const QByteArray out = folder.python(
            "import zipfile\n"
            "z = zipfile.ZipFile('a.zip')\n"
            "print(z.testzip(), z.namelist(), z.read('x/y.txt'), z.infolist()[0].date_time[:3])");
        QCOMPARE(out.trimmed(), QByteArray("None ['x/y.txt', 'z'] b'123\\n' (1980, 1, 1)"));
    }

    void readsWhatPythonWrote_data() {
        QTest::addColumn<QString>("arguments");
        QTest::newRow("stored") << "'a.zip', 'w'";
        QTest::newRow("deflated") << "'a.zip', 'w', zipfile.ZIP_DEFLATED";
        QTest::newRow("best") << "'a.zip', 'w', zipfile.ZIP_DEFLATED, compresslevel=9";
    }
    void readsWhatPythonWrote() {
        QFETCH(const QString, arguments);
        const FileFolder folder;
        QCOMPARE(folder.python("import zipfile\n"
                               "z = zipfile.ZipFile(" +
                               arguments +
                               ")\n"
                               "z.comment = b'a comment'\n"
                               "z.writestr('folder/', '')\n"
                               "z.writestr('folder/numbers', ' '.join(str(i * i) for i in range(40000)))\n"
                               "with z.open('large', 'w', force_zip64=True) as f: f.write(b'ab' * 100000)\n"
                               "z.close()"),
                 QByteArray());
        const auto archive = ZipArchive::open(folder.path("a.zip"));
        QVERIFY2(archive, archive ? "" : archive.error().message.c_str());
        QCOMPARE(archive->entries().size(), std::size_t{2});
        std::string numbers;
        for (std::int64_t i = 0; i < 40000; ++i) numbers += (i > 0 ? " " : "") + std::to_string(i * i);
        const auto text = archive->text(*archive->find("folder/numbers"), 1U << 20U);
        QVERIFY2(text, text ? "" : text.error().message.c_str());
        QVERIFY(*text == numbers);
        QCOMPARE(archive->text(*archive->find("large"), 1U << 20U).value().size(), std::size_t{200000});
    }

    void refusesWhatIsNotSafe_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const EntryKnobs& knobs, const char* message) {
            QTest::newRow(name) << archiveWith(knobs) << message;
        };
        row("fine", {}, "fine");
        row("parent folder", {.name = "../a.txt"}, "leads out of its folder");
        row("parent folder inside", {.name = "x/../../a"}, "leads out of its folder");
        row("absolute", {.name = "/etc/passwd"}, "no plain relative path");
        row("backslash", {.name = "..\\a"}, "no plain relative path");
        row("drive", {.name = "C:a"}, "no plain relative path");
        row("zero in the name", {.name = QByteArray("a\0b", 3)}, "no plain relative path");
        row("no name", {.name = ""}, "an entry without a name");
        row("long name", {.name = QByteArray(2000, 'a')}, "name has 2000 bytes");
        row("twice", {.copies = 2}, "occurs twice");
        row("link", {.attributes = 0120777U << 16U}, "symbolic link");
        row("encrypted", {.flags = 1}, "is encrypted");
        row("other compression", {.method = 12}, "compression method 12");
        row("bomb by claim", {.bytes = 4'000'000'000U, .method = 8}, "claims 4000000000 bytes from 5");
        row("stored with two sizes", {.bytes = 6}, "claims 6 bytes from 5");
        row("longer than the file", {.bytes = 500, .storedBytes = 500}, "on top of each other");
        row("beyond the file", {.offset = 900}, "on top of each other");
        row("wrong checksum", {.crc = 1}, "wrong checksum");
        row("no deflate data", {.method = 8}, "cannot be unpacked");
        row("other local name", {.localName = "b.txt"}, "not where it should be");
        row("sizes missing", {.bytes = 0xFFFFFFFF, .storedBytes = 0xFFFFFFFF}, "are missing");
        row("impossible sizes",
            {.bytes = 0xFFFFFFFF,
             .storedBytes = 0xFFFFFFFF,
             .extra = integerBytes(1, 2) + integerBytes(16, 2) + QByteArray(16, '\x7F')},
            "impossible sizes");
        QByteArray end = integerBytes(0x06054b50, 4) + integerBytes(0, 4);
        QTest::newRow("many entries, none there")
            << QByteArray(end + integerBytes(60000, 2) + integerBytes(60000, 2) + integerBytes(0, 10)) << "cut short";
        QTest::newRow("huge table") << QByteArray(end + integerBytes(1, 2) + integerBytes(1, 2) +
                                                  integerBytes(0xFFFFFFF0U, 4) + integerBytes(0, 6))
                                    << "a table of contents of 4294967280 bytes";
        QTest::newRow("empty file") << QByteArray() << "not an archive";
        QTest::newRow("text") << QByteArray(5000, 'a') << "not an archive";
        QTest::newRow("cut") << archiveWith({}).left(60) << "not an archive";
    }
    void refusesWhatIsNotSafe() {
        QFETCH(const QByteArray, file);
        QFETCH(const QString, message);
        const FileFolder folder;
        QElapsedTimer timer;
        timer.start();
        const QString found = readAll(folder.write("a.zip", file));
        QVERIFY2(found.contains(message), qPrintable(found));
        QVERIFY(timer.elapsed() < 10000);
    }

    void refusesABombByItsRealSize() {
        // 100 MB of zeros whose header claims 10 bytes.
        const FileFolder folder;
        QCOMPARE(folder.python("import zlib\n"
                               "c = zlib.compressobj(9, zlib.DEFLATED, -15)\n"
                               "open('packed', 'wb').write(c.compress(bytes(100 << 20)) + c.flush())"),
                 QByteArray());
        const QByteArray packed = folder.read("packed");
        const auto size = static_cast<std::uint32_t>(packed.size());
        const std::string path =
            folder.write("a.zip", archiveWith({.data = packed, .bytes = 10, .storedBytes = size, .method = 8}));
        const qint64 before = residentBytes();
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(readAll(path), QString("damaged archive: the entry \"a.txt\" has more bytes than it claims"));
        QVERIFY(timer.elapsed() < 10000);
        QVERIFY(residentBytes() - before < (16 << 20));
    }

    void anyFlippedBitIsAMessageOrTheSameContents() {
        const FileFolder folder;
        QCOMPARE(folder.python("import zipfile\n"
                               "z = zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED)\n"
                               "z.writestr('one', 'the text of one ' * 5)\n"
                               "z.writestr('two', 'x')\n"
                               "z.close()"),
                 QByteArray());
        const QByteArray good = folder.read("a.zip");
        const std::string path = folder.path("b.zip");
        int refused = 0;
        for (qsizetype bit = 0; bit < good.size() * 8; ++bit) {
            QByteArray bad = good;
            bad[bit / 8] = static_cast<char>(static_cast<unsigned char>(bad[bit / 8]) ^ (1U << (bit % 8)));
            const QString found = readAll(folder.write("b.zip", bad));
            if (found != "fine") ++refused;
        }
        QVERIFY(refused > good.size() * 2);  // times and flags that nobody reads may be anything
    }
};

QTEST_APPLESS_MAIN(TestZip)
#include "tst_zip.moc"

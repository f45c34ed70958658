// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/exchange/files.h"

using namespace cubist;

namespace {

QString qtext(const std::string& text) {
    return QString::fromStdString(text);
}

/// Makes writes beyond `bytes` fail, as on a full disk, while it lives.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &m_old);
        m_oldHandler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limited{bytes, m_old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limited);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &m_old);
        std::signal(SIGXFSZ, m_oldHandler);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit m_old{};
    void (*m_oldHandler)(int) = nullptr;
};

}  // namespace

class TstFiles : public QObject {
    Q_OBJECT

private slots:
    void init();
    void writesAndReplaces();
    void keepsPermissions();
    void newFilesFollowTheUmask();
    void followsSymbolicLinks();
    void leavesNothingBehindOnFailure();
    void unfinishedFilesChangeNothing();
    void namesThatCannotBeWritten_data();
    void namesThatCannotBeWritten();
    void readOnlyFilesStay();
    void devicesAreWrittenDirectly();
    void longNamesAreFine();
    void readingIsLimited();
    void namesThatCannotBeRead();

private:
    [[nodiscard]] std::string path(const char* name) const { return m_folder->filePath(name).toStdString(); }
    [[nodiscard]] QString contents(const char* name) const {
        QFile file(m_folder->filePath(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString("(cannot be read)");
    }
    [[nodiscard]] QStringList names() const {
        return QDir(m_folder->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot, QDir::Name);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstFiles::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TstFiles::writesAndReplaces() {
    QVERIFY(writeFileAtomically(path("a"), "first"));
    QCOMPARE(contents("a"), QString("first"));
    QVERIFY(writeFileAtomically(path("a"), ""));
    QCOMPARE(contents("a"), QString());
    const std::string large(3'000'000, 'x');
    QVERIFY(writeFileAtomically(path("a"), large));
    QCOMPARE(*readFile(path("a"), 4'000'000), large);
    QCOMPARE(names(), QStringList{"a"});
}

void TstFiles::keepsPermissions() {
    QVERIFY(writeFileAtomically(path("a"), "first"));
    QVERIFY(::chmod(path("a").c_str(), 0640) == 0);
    QVERIFY(writeFileAtomically(path("a"), "second"));
    struct stat status {};
    QVERIFY(::stat(path("a").c_str(), &status) == 0);
    QCOMPARE(static_cast<unsigned>(status.st_mode & 07777U), 0640U);
}

void TstFiles::newFilesFollowTheUmask() {
    const mode_t old = ::umask(027);
    const bool written = writeFileAtomically(path("a"), "x").has_value();
    ::umask(old);
    QVERIFY(written);
    struct stat status {};
    QVERIFY(::stat(path("a").c_str(), &status) == 0);
    QCOMPARE(static_cast<unsigned>(status.st_mode & 07777U), 0640U);
}

void TstFiles::followsSymbolicLinks() {
    QVERIFY(QDir(m_folder->path()).mkdir("real"));
    QVERIFY(writeFileAtomically(path("real/a"), "first"));
    QVERIFY(::symlink("real/a", path("link").c_str()) == 0);
    QVERIFY(::symlink("link", path("link2").c_str()) == 0);
    QVERIFY(writeFileAtomically(path("link2"), "second"));
    QCOMPARE(contents("real/a"), QString("second"));
    QVERIFY(QFileInfo(m_folder->filePath("link")).isSymLink() && QFileInfo(m_folder->filePath("link2")).isSymLink());
    // Also to a file that does not exist yet.
    QVERIFY(::symlink("real/new", path("dangling").c_str()) == 0);
    QVERIFY(writeFileAtomically(path("dangling"), "third"));
    QCOMPARE(contents("real/new"), QString("third"));
    QVERIFY(::symlink("circle", path("circle").c_str()) == 0);
    QVERIFY(!writeFileAtomically(path("circle"), "x"));
}

void TstFiles::leavesNothingBehindOnFailure() {
    QVERIFY(writeFileAtomically(path("a"), "first"));
    Result<void> written;
    {
        const FileSizeLimit limit(1000);
        written = writeFileAtomically(path("a"), std::string(5000, 'x'));
    }
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::BadFile);
    QCOMPARE(qtext(written.error().where), m_folder->filePath("a"));
    QCOMPARE(contents("a"), QString("first"));
    QCOMPARE(names(), QStringList{"a"});
}

void TstFiles::unfinishedFilesChangeNothing() {
    QVERIFY(writeFileAtomically(path("a"), "first"));
    {
        Result<AtomicFile> file = AtomicFile::create(path("a"));
        QVERIFY(file && file->write("second", 6));
        QCOMPARE(contents("a"), QString("first"));
        QCOMPARE(names().size(), 2);
    }
    QCOMPARE(contents("a"), QString("first"));
    QCOMPARE(names(), QStringList{"a"});
}

void TstFiles::namesThatCannotBeWritten_data() {
    QTest::addColumn<QString>("name");
    QTest::addRow("empty") << "";
    QTest::addRow("missing folder") << "missing/a";
    QTest::addRow("a folder") << ".";
    QTest::addRow("below a file") << "file/a";
    QTest::addRow("name too long") << QString(300, 'n');
}

void TstFiles::namesThatCannotBeWritten() {
    QFETCH(QString, name);
    QVERIFY(writeFileAtomically(path("file"), "first"));
    const std::string target = name.isEmpty() ? "" : m_folder->filePath(name).toStdString();
    const Result<void> written = writeFileAtomically(target, "x");
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::BadFile);
    QCOMPARE(qtext(written.error().where), qtext(target));
    QCOMPARE(names(), QStringList{"file"});
}

void TstFiles::readOnlyFilesStay() {
    if (::geteuid() == 0) QSKIP("root may write everything");
    QVERIFY(writeFileAtomically(path("a"), "first"));
    QVERIFY(::chmod(path("a").c_str(), 0444) == 0);
    QVERIFY(!writeFileAtomically(path("a"), "second"));
    QCOMPARE(contents("a"), QString("first"));
}

void TstFiles::devicesAreWrittenDirectly() {
    QVERIFY(writeFileAtomically("/dev/null", "gone"));
    struct stat status {};
    QVERIFY(::stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    QVERIFY(!writeFileAtomically("/dev/full", "no room"));
}

void TstFiles::longNamesAreFine() {
    const std::string name(255, 'n');
    QVERIFY(writeFileAtomically(path(name.c_str()), "x"));
    QCOMPARE(names(), QStringList{qtext(name)});
}

void TstFiles::readingIsLimited() {
    QVERIFY(writeFileAtomically(path("a"), std::string(1000, 'x')));
    QCOMPARE(readFile(path("a"), 1000)->size(), std::size_t{1000});
    const Result<std::string> text = readFile(path("a"), 999);
    QVERIFY(!text);
    QCOMPARE(text.error().code, ErrorCode::BadFile);
    // A device tells no size; reading stops at the limit.
    QVERIFY(!readFile("/dev/zero", 100'000));
    QCOMPARE(readFile("/dev/null", 10)->size(), std::size_t{0});
}

void TstFiles::namesThatCannotBeRead() {
    QVERIFY(!readFile(path("missing"), 10));
    QVERIFY(!readFile(m_folder->path().toStdString(), 10));
    QVERIFY(!readFile("", 10));
    QCOMPARE(qtext(readFile(path("missing"), 10).error().message),
             QString("cannot open the file: No such file or directory"));
    // Nobody writes into it: opening it must not wait.
    QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
    QCOMPARE(qtext(readFile(path("pipe"), 10).error().message), QString("cannot read the file: it is a named pipe"));
}

QTEST_APPLESS_MAIN(TstFiles)
#include "tst_files.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/autosave.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QUuid>

#include <algorithm>
#include <utility>

#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "views/document_model.h"

namespace cubist {
namespace {

constexpr std::size_t kMaxRecordBytes = std::size_t{160} << 20;  // a design of 64 MiB, quoted
const QString kRecordSuffix = QStringLiteral(".recovery.json");
const QString kLockName = QStringLiteral("lock");

}  // namespace

Result<RecoveryRecord> RecoveryRecord::read(const QString& file) {
    CUBIST_TRY(const std::string text, readFile(file.toStdString(), kMaxRecordBytes));
    QJsonParseError problem;
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(text), &problem);
    if (problem.error != QJsonParseError::NoError)
        return unexpected(ErrorCode::Syntax, problem.errorString().toStdString(), file.toStdString());
    const QJsonObject object = json.object();
    RecoveryRecord record;
    record.file = file;
    record.path = object.value(QLatin1String("path")).toString();
    record.name = object.value(QLatin1String("name")).toString();
    record.caseName = object.value(QLatin1String("case")).toString();
    record.savedAt = QDateTime::fromString(object.value(QLatin1String("saved_at")).toString(), Qt::ISODateWithMs);
    record.designText = object.value(QLatin1String("design")).toString();
    if (object.value(QLatin1String("cubist_recovery")).toInt() != 1 || record.designText.isEmpty())
        return unexpected(ErrorCode::BadValue, "this is no recovery record", file.toStdString());
    return record;
}

Result<void> RecoveryRecord::write() const {
    const QJsonObject object{
        {QStringLiteral("cubist_recovery"), 1},
        {QStringLiteral("path"), path},
        {QStringLiteral("name"), name},
        {QStringLiteral("case"), caseName},
        {QStringLiteral("saved_at"), savedAt.toUTC().toString(Qt::ISODateWithMs)},
        {QStringLiteral("design"), designText},
    };
    const QByteArray text = QJsonDocument(object).toJson();
    return writeFileAtomically(file.toStdString(),
                               std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
}

RecoveryFolder::RecoveryFolder(const QString& root) : m_root(root.isEmpty() ? standardRoot() : root) {}

RecoveryFolder::~RecoveryFolder() {
    if (!m_lock) return;
    m_lock->unlock();
    m_lock.reset();
    if (QDir(m_folder).entryList(QDir::Files).isEmpty()) QDir().rmdir(m_folder);
}

QString RecoveryFolder::standardRoot() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/cubist/recovery");
}

bool RecoveryFolder::prepare() {
    if (m_lock) return true;
    const QString folder = QStringLiteral("%1/%2-%3")
                               .arg(m_root)
                               .arg(QCoreApplication::applicationPid())
                               .arg(QUuid::createUuid().toString(QUuid::Id128).left(8));
    if (!QDir().mkpath(folder)) return false;
    auto lock = std::make_unique<QLockFile>(folder + QLatin1Char('/') + kLockName);
    lock->setStaleLockTime(0);  // held as long as the process lives
    if (!lock->tryLock(0)) return false;
    m_folder = folder;
    m_lock = std::move(lock);
    return true;
}

QString RecoveryFolder::newRecordFile() {
    if (!prepare()) return {};
    QString file;
    do {
        file = QStringLiteral("%1/%2%3").arg(m_folder).arg(++m_count).arg(kRecordSuffix);
    } while (QFileInfo::exists(file));
    return file;
}

std::vector<RecoveryRecord> RecoveryFolder::adoptOrphans() {
    std::vector<RecoveryRecord> records;
    const QDir root(m_root);
    for (const QString& name : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QDir folder(root.filePath(name));
        if (folder.absolutePath() == QDir(m_folder).absolutePath() && m_lock) continue;
        QLockFile lock(folder.filePath(kLockName));
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0)) continue;  // that process still runs
        for (const QString& entry : folder.entryList(QDir::Files | QDir::Hidden)) {
            const QString file = folder.filePath(entry);
            if (entry == kLockName) continue;
            Result<RecoveryRecord> record = entry.endsWith(kRecordSuffix)
                                                ? RecoveryRecord::read(file)
                                                : Result<RecoveryRecord>(unexpected(ErrorCode::BadFile, "no record"));
            // What a kill left of an unfinished write is no record; the one before it is still there.
            if (!record) {
                QFile::remove(file);
                continue;
            }
            const QString own = newRecordFile();
            if (!own.isEmpty() && QFile::rename(file, own)) record->file = own;
            records.push_back(std::move(record).value());
        }
        lock.unlock();
        root.rmdir(name);
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const RecoveryRecord& a, const RecoveryRecord& b) { return a.savedAt > b.savedAt; });
    return records;
}

Autosave::Autosave(DocumentModel& document, std::shared_ptr<RecoveryFolder> folder, QObject* parent)
    : QObject(parent), m_document(document), m_folder(std::move(folder)) {
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (const Result<void> saved = saveNow(); !saved) emit failed(QString::fromStdString(saved.error().message));
    });
    connect(&document, &DocumentModel::modifiedChanged, this, [this](bool modified) {
        if (!modified) forget();
    });
    connect(&document, &DocumentModel::documentReplaced, this, &Autosave::forget);
    setInterval(kDefaultSeconds);
}

Autosave::~Autosave() = default;

void Autosave::setInterval(int seconds) {
    if (seconds <= 0)
        m_timer.stop();
    else
        m_timer.start(seconds * 1000);
}

Result<void> Autosave::saveNow() {
    if (!m_document.isModified() || m_saved == m_document.design()) return {};
    if (m_file.isEmpty()) m_file = m_folder->newRecordFile();
    if (m_file.isEmpty())
        return unexpected(ErrorCode::BadFile, "the folder for recovery cannot be made",
                          RecoveryFolder::standardRoot().toStdString());
    RecoveryRecord record;
    record.file = m_file;
    record.path = m_document.path();
    record.name = QString::fromStdString(m_document.design()->name);
    record.caseName = m_document.caseName();
    record.savedAt = QDateTime::currentDateTimeUtc();
    record.designText = QString::fromStdString(writeDesign(*m_document.design()));
    CUBIST_CHECK_OK(record.write());
    m_written = true;
    m_saved = m_document.design();
    return {};
}

void Autosave::forget() {
    if (m_written) QFile::remove(m_file);
    m_written = false;
    m_saved.reset();
}

}  // namespace cubist

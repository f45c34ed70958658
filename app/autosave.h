// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <vector>

#include "core/base/result.h"

namespace cubist {

class DocumentModel;

/// An unsaved document as it was written for a crash.
struct RecoveryRecord {
    QString file;        ///< of the record itself
    QString path;        ///< the design's own file; empty: it never had one
    QString name;        ///< of the design
    QString caseName;    ///< the case that was shown
    QDateTime savedAt;   ///< UTC
    QString designText;  ///< as a design file has it

    /// Errors: BadFile, Syntax, BadValue (no record).
    [[nodiscard]] static Result<RecoveryRecord> read(const QString& file);
    /// Written atomically. Errors: BadFile.
    [[nodiscard]] Result<void> write() const;
};

/// Where this process keeps its records: a folder of its own with a lock, which tells later processes whether it still
/// runs. Records of processes that ended without tidying up are taken over, so that they survive a second crash too.
class RecoveryFolder {
public:
    /// `root`: common folder of all processes; made when the first record is written.
    explicit RecoveryFolder(const QString& root);
    /// Leaves records that nobody decided about; without any, removes the folder.
    ~RecoveryFolder();
    RecoveryFolder(const RecoveryFolder&) = delete;
    RecoveryFolder& operator=(const RecoveryFolder&) = delete;

    /// The user's folder for application data.
    [[nodiscard]] static QString standardRoot();
    /// A name for a new record; makes and locks the folder. Empty when that is impossible.
    [[nodiscard]] QString newRecordFile();
    /// Takes over the records that ended processes left, newest first. Files that are no records are removed.
    [[nodiscard]] std::vector<RecoveryRecord> adoptOrphans();
    [[nodiscard]] const QString& folder() const { return m_folder; }

private:
    bool prepare();

    QString m_root;
    QString m_folder;
    std::unique_ptr<QLockFile> m_lock;
    int m_count = 0;
};

/// Writes a record of a document's unsaved changes every `interval`, when the window loses the focus, and removes it
/// when there is nothing unsaved any more.
class Autosave : public QObject {
    Q_OBJECT

public:
    static constexpr int kDefaultSeconds = 30;

    Autosave(DocumentModel& document, std::shared_ptr<RecoveryFolder> folder, QObject* parent = nullptr);
    ~Autosave() override;

    void setInterval(int seconds);
    /// Writes the record if the document changed since the last one. Errors: as RecoveryRecord::write.
    Result<void> saveNow();
    /// Removes the record: the document was saved, or its changes were given up.
    void forget();
    [[nodiscard]] const QString& recordFile() const { return m_file; }

signals:
    void failed(const QString& message);

private:
    DocumentModel& m_document;
    std::shared_ptr<RecoveryFolder> m_folder;
    QTimer m_timer;
    QString m_file;
    bool m_written = false;
    std::shared_ptr<const void> m_saved;  ///< the design that the record holds
};

}  // namespace cubist

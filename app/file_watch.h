// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace cubist {

class DocumentModel;

/// Tells when another program changed or removed the document's file. Writes of our own are none.
class FileWatch : public QObject {
    Q_OBJECT

public:
    explicit FileWatch(DocumentModel& document, QObject* parent = nullptr);

    /// Looks now, for systems that do not tell about changes.
    void check();

signals:
    void changedOnDisk();
    void goneFromDisk();

private:
    void follow();

    DocumentModel& m_document;
    QFileSystemWatcher m_watcher;
    QTimer m_settle;  ///< editors write in several steps
    bool m_gone = false;
};

}  // namespace cubist

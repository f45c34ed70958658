// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/file_watch.h"

#include "views/document_model.h"

namespace cubist {

FileWatch::FileWatch(DocumentModel& document, QObject* parent) : QObject(parent), m_document(document) {
    constexpr int kSettleMs = 150;
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleMs);
    connect(&m_settle, &QTimer::timeout, this, &FileWatch::check);
    connect(&document, &DocumentModel::pathChanged, this, &FileWatch::follow);
    connect(&document, &DocumentModel::documentReplaced, this, &FileWatch::follow);
    const auto later = [this] { m_settle.start(); };
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, later);
    // A file that is replaced by another of its name is only seen in its folder.
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, later);
    follow();
}

void FileWatch::follow() {
    m_gone = false;
    if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
    if (!m_watcher.directories().isEmpty()) m_watcher.removePaths(m_watcher.directories());
    if (m_document.path().isEmpty()) return;
    m_watcher.addPath(m_document.path());
    m_watcher.addPath(m_document.folder());
}

void FileWatch::check() {
    using DiskState = DocumentModel::DiskState;
    const DiskState state = m_document.diskState();
    // The watcher forgets a file that was replaced.
    if ((state == DiskState::Same || state == DiskState::Changed) && !m_watcher.files().contains(m_document.path()))
        m_watcher.addPath(m_document.path());
    const bool gone = state == DiskState::Gone;
    if (gone && !m_gone) emit goneFromDisk();
    m_gone = gone;
    if (state == DiskState::Changed) emit changedOnDisk();
}

}  // namespace cubist

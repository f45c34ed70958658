// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

#include "views/theme.h"

namespace cubist {

/// What the window remembers between sessions.
class Settings {
public:
    /// `file`: where to keep it; empty: cubist/cubist.ini in the user's configuration folder.
    explicit Settings(const QString& file = {});

    static constexpr int kMaxRecent = 10;
    /// Paths of design files, newest first. Files that are gone stay until the user removes them.
    [[nodiscard]] QStringList recentFiles() const;
    void addRecent(const QString& path);
    void removeRecent(const QString& path);
    void clearRecent();

    /// The file or the sample's id that was open last.
    [[nodiscard]] QString lastDesign() const;
    void setLastDesign(const QString& pathOrSample);

    [[nodiscard]] ThemeMode themeMode() const;
    void setThemeMode(ThemeMode mode);

    [[nodiscard]] QByteArray geometry() const;
    [[nodiscard]] QByteArray windowState() const;
    void setWindow(const QByteArray& geometry, const QByteArray& state);

    [[nodiscard]] QString file() const { return m_store.fileName(); }
    void sync() { m_store.sync(); }

private:
    QSettings m_store;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QSettings>
#include <QString>
#include <QStringList>

#include <optional>

#include "app/dock_layout.h"
#include "views/language.h"
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

    /// What the windows held when the program ended: one entry a window.
    struct WindowState {
        QString design;  ///< path or sample; empty: nothing was open
        QString caseName;
        QByteArray geometry;
        bool operator==(const WindowState&) const = default;
    };
    [[nodiscard]] QList<WindowState> session() const;
    void setSession(const QList<WindowState>& windows);
    [[nodiscard]] bool restoresSession() const { return flag("restore_session", true); }
    void setRestoresSession(bool on) { m_store.setValue(QStringLiteral("restore_session"), on); }

    /// Seconds between autosaves; 0: none.
    [[nodiscard]] int autosaveSeconds() const;
    void setAutosaveSeconds(int seconds);
    [[nodiscard]] Language language() const;
    void setLanguage(Language language);
    [[nodiscard]] bool reducedMotion() const { return flag("reduced_motion", false); }
    void setReducedMotion(bool on) { m_store.setValue(QStringLiteral("reduced_motion"), on); }
    /// Size of everything in percent; read before the first window. Range: 100 to 200.
    [[nodiscard]] int scalePercent() const;
    void setScalePercent(int percent);
    /// Whether what is moved on the canvas lands on the grid.
    [[nodiscard]] bool snapsToGrid() const { return flag("snap_to_grid", true); }
    void setSnapsToGrid(bool on) { m_store.setValue(QStringLiteral("snap_to_grid"), on); }
    [[nodiscard]] bool tourDone() const { return flag("tour_done", false); }
    void setTourDone(bool done) { m_store.setValue(QStringLiteral("tour_done"), done); }
    /// Shortcuts that the user gave a command, by its name; nothing where the built-in ones hold.
    [[nodiscard]] std::optional<QStringList> shortcuts(const QString& command) const;
    void setShortcuts(const QString& command, const std::optional<QStringList>& shortcuts);
    /// How the user arranged a named layout; empty: as it comes.
    [[nodiscard]] QByteArray layoutState(const QString& layout) const;
    void setLayoutState(const QString& layout, const QByteArray& state);
    /// Forgets everything but the recent files.
    void reset();

    [[nodiscard]] ThemeMode themeMode() const;
    void setThemeMode(ThemeMode mode);

    [[nodiscard]] QByteArray geometry() const;
    [[nodiscard]] QByteArray windowState() const;
    [[nodiscard]] LayoutId layout() const;
    void setWindow(const QByteArray& geometry, const QByteArray& state, LayoutId layout);

    [[nodiscard]] QString file() const { return m_store.fileName(); }
    void sync() { m_store.sync(); }

private:
    [[nodiscard]] bool flag(const char* key, bool otherwise) const;

    QSettings m_store;
};

}  // namespace cubist

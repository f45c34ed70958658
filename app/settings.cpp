// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace cubist {
namespace {

QString standardFile() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/cubist/cubist.ini");
}

}  // namespace

Settings::Settings(const QString& file) : m_store(file.isEmpty() ? standardFile() : file, QSettings::IniFormat) {}

QStringList Settings::recentFiles() const {
    return m_store.value(QStringLiteral("recent")).toStringList();
}

void Settings::addRecent(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(absolute);
    files.prepend(absolute);
    m_store.setValue(QStringLiteral("recent"), QStringList(files.mid(0, kMaxRecent)));
}

void Settings::removeRecent(const QString& path) {
    QStringList files = recentFiles();
    files.removeAll(path);
    m_store.setValue(QStringLiteral("recent"), files);
}

void Settings::clearRecent() {
    m_store.remove(QStringLiteral("recent"));
}

QString Settings::lastDesign() const {
    return m_store.value(QStringLiteral("last")).toString();
}

void Settings::setLastDesign(const QString& pathOrSample) {
    m_store.setValue(QStringLiteral("last"), pathOrSample);
}

ThemeMode Settings::themeMode() const {
    const QString mode = m_store.value(QStringLiteral("theme")).toString();
    if (mode == QLatin1String("light")) return ThemeMode::Light;
    if (mode == QLatin1String("dark")) return ThemeMode::Dark;
    return ThemeMode::System;
}

void Settings::setThemeMode(ThemeMode mode) {
    switch (mode) {
        case ThemeMode::System: m_store.remove(QStringLiteral("theme")); break;
        case ThemeMode::Light: m_store.setValue(QStringLiteral("theme"), QStringLiteral("light")); break;
        case ThemeMode::Dark: m_store.setValue(QStringLiteral("theme"), QStringLiteral("dark")); break;
    }
}

QByteArray Settings::geometry() const {
    return m_store.value(QStringLiteral("window/geometry")).toByteArray();
}

QByteArray Settings::windowState() const {
    return m_store.value(QStringLiteral("window/state")).toByteArray();
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& state) {
    m_store.setValue(QStringLiteral("window/geometry"), geometry);
    m_store.setValue(QStringLiteral("window/state"), state);
}

}  // namespace cubist

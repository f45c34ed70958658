// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>

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
    if (mode == QLatin1String("high_contrast")) return ThemeMode::HighContrast;
    return ThemeMode::System;
}

void Settings::setThemeMode(ThemeMode mode) {
    switch (mode) {
        case ThemeMode::System: m_store.remove(QStringLiteral("theme")); break;
        case ThemeMode::Light: m_store.setValue(QStringLiteral("theme"), QStringLiteral("light")); break;
        case ThemeMode::Dark: m_store.setValue(QStringLiteral("theme"), QStringLiteral("dark")); break;
        case ThemeMode::HighContrast: m_store.setValue(QStringLiteral("theme"), QStringLiteral("high_contrast")); break;
    }
}

bool Settings::flag(const char* key, bool otherwise) const {
    return m_store.value(QString::fromLatin1(key), otherwise).toBool();
}

QList<Settings::WindowState> Settings::session() const {
    QList<WindowState> windows;
    for (const QVariant& entry : m_store.value(QStringLiteral("session")).toList()) {
        const QVariantList parts = entry.toList();
        if (parts.size() == 3) windows << WindowState{parts[0].toString(), parts[1].toString(), parts[2].toByteArray()};
    }
    return windows;
}

void Settings::setSession(const QList<WindowState>& windows) {
    QVariantList list;
    for (const WindowState& window : windows)
        list << QVariant(QVariantList{window.design, window.caseName, window.geometry});
    m_store.setValue(QStringLiteral("session"), list);
}

int Settings::autosaveSeconds() const {
    bool valid = false;
    const int seconds = m_store.value(QStringLiteral("autosave_seconds")).toInt(&valid);
    constexpr int kDefault = 30;
    constexpr int kLongest = 3600;
    return valid && seconds >= 0 && seconds <= kLongest ? seconds : kDefault;
}

void Settings::setAutosaveSeconds(int seconds) {
    m_store.setValue(QStringLiteral("autosave_seconds"), seconds);
}

Language Settings::language() const {
    const QString language = m_store.value(QStringLiteral("language")).toString();
    if (language == QLatin1String("en")) return Language::English;
    if (language == QLatin1String("zh_CN")) return Language::Chinese;
    return Language::System;
}

void Settings::setLanguage(Language language) {
    switch (language) {
        case Language::System: m_store.remove(QStringLiteral("language")); break;
        case Language::English: m_store.setValue(QStringLiteral("language"), QStringLiteral("en")); break;
        case Language::Chinese: m_store.setValue(QStringLiteral("language"), QStringLiteral("zh_CN")); break;
    }
}

int Settings::scalePercent() const {
    return std::clamp(m_store.value(QStringLiteral("scale_percent"), 100).toInt(), 100, 200);
}

void Settings::setScalePercent(int percent) {
    m_store.setValue(QStringLiteral("scale_percent"), percent);
}

std::optional<QStringList> Settings::shortcuts(const QString& command) const {
    const QString key = QStringLiteral("shortcuts/") + command;
    return m_store.contains(key) ? std::optional(m_store.value(key).toStringList()) : std::nullopt;
}

void Settings::setShortcuts(const QString& command, const std::optional<QStringList>& shortcuts) {
    const QString key = QStringLiteral("shortcuts/") + command;
    if (shortcuts)
        m_store.setValue(key, *shortcuts);
    else
        m_store.remove(key);
}

QByteArray Settings::layoutState(const QString& layout) const {
    return m_store.value(QStringLiteral("layouts/") + layout).toByteArray();
}

void Settings::setLayoutState(const QString& layout, const QByteArray& state) {
    const QString key = QStringLiteral("layouts/") + layout;
    if (state.isEmpty())
        m_store.remove(key);
    else
        m_store.setValue(key, state);
}

void Settings::reset() {
    const QStringList recent = recentFiles();
    m_store.clear();
    m_store.setValue(QStringLiteral("recent"), recent);
}

QByteArray Settings::geometry() const {
    return m_store.value(QStringLiteral("window/geometry")).toByteArray();
}

QByteArray Settings::windowState() const {
    return m_store.value(QStringLiteral("window/state")).toByteArray();
}

LayoutId Settings::layout() const {
    const QString name = m_store.value(QStringLiteral("window/layout")).toString();
    for (const LayoutId id : {LayoutId::Accuracy, LayoutId::Timing})
        if (name == layoutName(id)) return id;
    return LayoutId::Design;
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& state, LayoutId layout) {
    m_store.setValue(QStringLiteral("window/geometry"), geometry);
    m_store.setValue(QStringLiteral("window/state"), state);
    m_store.setValue(QStringLiteral("window/layout"), layoutName(layout));
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>

/// Files made by hand for tests of readers.
namespace cubist::test {

/// Little-endian integer.
[[nodiscard]] inline QByteArray integerBytes(std::uint64_t value, int bytes) {
    QByteArray data;
    for (int i = 0; i < bytes; ++i) data += static_cast<char>(i < 8 ? value >> (8 * i) & 0xFFU : 0U);
    return data;
}

template <class T>
[[nodiscard]] QByteArray elementBytes(std::initializer_list<T> values) {
    QByteArray data;
    for (const T value : values) {
        QByteArray element(sizeof(T), '\0');
        std::memcpy(element.data(), &value, sizeof(T));
        data += element;
    }
    return data;
}

/// A folder of its own; paths as core wants them.
class FileFolder {
public:
    [[nodiscard]] std::string path(const QString& name) const { return m_dir.filePath(name).toStdString(); }
    [[nodiscard]] std::string write(const QString& name, const QByteArray& contents) const {
        QFile file(m_dir.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            qFatal("cannot write %s", qPrintable(name));
        return path(name);
    }
    [[nodiscard]] QByteArray read(const QString& name) const {
        QFile file(m_dir.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Runs a Python program in the folder; its standard output, or "exit N: ..." when it fails.
    [[nodiscard]] QByteArray python(const QString& program) const {
        QProcess process;
        process.setWorkingDirectory(m_dir.path());
        process.start(QStringLiteral(CUBIST_PYTHON), {"-c", program});
        if (!process.waitForFinished(120000)) return "no end";
        const QByteArray out = process.readAllStandardOutput();
        if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0) return out;
        return "exit " + QByteArray::number(process.exitCode()) + ": " + process.readAllStandardError();
    }

private:
    QTemporaryDir m_dir;
};

/// Bytes of memory that the process has in use.
[[nodiscard]] inline qint64 residentBytes() {
    QFile file("/proc/self/status");
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = file.readAll();
    const qsizetype at = text.indexOf("RssAnon:");
    return at < 0 ? 0 : text.mid(at + 8, text.indexOf("kB", at) - at - 8).trimmed().toLongLong() * 1024;
}

}  // namespace cubist::test

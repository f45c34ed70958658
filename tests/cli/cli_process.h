// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <QTemporaryDir>
#include <utility>
#include <vector>

/// Runs cubist-cli in a scratch folder for tests.
namespace cubist::test {

struct CliResult {
    int code = -1;
    QByteArray out, err;
    bool crashed = false;

    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

/// Environment variables that a command gets besides those of the test.
using Variables = std::vector<std::pair<QString, QString>>;

/// A folder of its own in which commands run; relative paths are inside it.
class CliFolder {
public:
    [[nodiscard]] QString path(const QString& name = {}) const {
        return name.isEmpty() ? m_dir.path() : m_dir.filePath(name);
    }

    [[nodiscard]] CliResult run(const QStringList& arguments, const Variables& variables = {}) const {
        return runProgram(CUBIST_CLI, arguments, variables);
    }

    [[nodiscard]] CliResult runProgram(const QString& program, const QStringList& arguments,
                                       const Variables& variables = {}) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const auto& [name, value] : variables) environment.insert(name, value);
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_dir.path());
        process.start(program, arguments);
        CliResult result;
        constexpr int kDeadlineMs = 240000;
        if (!process.waitForFinished(kDeadlineMs)) {
            process.kill();
            process.waitForFinished();
            result.crashed = true;
        }
        result.out = process.readAllStandardOutput();
        result.err = process.readAllStandardError();
        result.crashed = result.crashed || process.exitStatus() == QProcess::CrashExit;
        result.code = result.crashed ? -1 : process.exitCode();
        return result;
    }

    void write(const QString& name, const QByteArray& contents) const {
        QDir().mkpath(QFileInfo(path(name)).path());
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            qFatal("cannot write %s", qPrintable(path(name)));
    }
    [[nodiscard]] QByteArray read(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] QJsonObject readJson(const QString& name) const {
        return QJsonDocument::fromJson(read(name)).object();
    }

    /// Names of everything in the folder, hidden files too.
    [[nodiscard]] QStringList entries() const {
        return QDir(m_dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    }

private:
    QTemporaryDir m_dir;
};

/// The value at a path of keys and indices: "accuracy/outputs/0/name".
[[nodiscard]] inline QJsonValue valueAt(const QJsonObject& root, const QString& path) {
    QJsonValue value = root;
    for (const QString& step : path.split('/')) {
        bool index = false;
        const int at = step.toInt(&index);
        value = index ? value.toArray().at(at) : value.toObject().value(step);
    }
    return value;
}

/// Text of the GLMGate sample as it is shipped.
[[nodiscard]] inline QByteArray glmGateText() {
    QFile file(QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The sample with a piece of its text replaced; the piece has to be there.
[[nodiscard]] inline QByteArray glmGateWith(const QByteArray& before, const QByteArray& after) {
    QByteArray text = glmGateText();
    if (!text.contains(before)) qFatal("the sample has no %s", before.constData());
    return text.replace(text.indexOf(before), before.size(), after);
}

}  // namespace cubist::test

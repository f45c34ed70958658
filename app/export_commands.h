// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/exchange/pypto/pypto_export.h"
#include "views/run_controller.h"

class QFileDialog;
class QWidget;

namespace cubist {

class Commands;
class Session;

enum class TraceFormat : std::uint8_t { Perfetto, PyptoSwimlane, MindStudio };

/// The name in a dialog that saves gets the ending of the filter that is chosen, where it has that of another one.
void followFilter(QFileDialog& dialog);

/// Everything that the window writes for other programs. The functions with a path do the work and say why not; the
/// commands ask for the path.
class ExportCommands : public QObject {
    Q_OBJECT

public:
    ExportCommands(QWidget& window, Session& session);

    /// Ties the commands of the Export menu, but for the kernel config, which its panel saves.
    void bind(Commands& commands);

    /// What PyPTO gets: kernel, golden, test, documents. Errors: as `exportPypto`; BadValue (no design, no chip).
    [[nodiscard]] Result<PyptoExport> pypto(KeyDialect keys) const;
    /// Tiles and pass options as lines of Python.
    [[nodiscard]] Result<QString> snippet() const;
    /// The tile tuner's config. Errors: as `pypto`; Unsupported with the first finding of the export.
    [[nodiscard]] Result<void> writeTuner(const QString& path) const;
    /// The predicted time. Errors: BadValue when there is none; BadFile.
    [[nodiscard]] Result<void> writeTrace(TraceFormat format, const QString& path) const;
    [[nodiscard]] Result<void> writeTables(const QString& folder) const;
    /// Results of the newest run: outputs as one .npz or .safetensors file, everything as a page, or a file that
    /// reproduces the run.
    /// Errors: BadValue when the design as it stands has not been run; BadFile.
    [[nodiscard]] Result<void> writeTensors(const QString& path) const;
    /// The values that pass between stages, where the run has kept them: once they were asked for, runs do.
    /// Errors: as `writeTensors`; BadValue when it has not, or there are none.
    [[nodiscard]] Result<void> writeStages(const QString& path) const;
    [[nodiscard]] Result<void> writeReport(const QString& path) const;
    [[nodiscard]] Result<void> writeBundleFile(const QString& path) const;

signals:
    /// Something was written or copied.
    void done(const QString& message);

private:
    using Writer = std::function<Result<void>(const QString&)>;

    void showPypto();
    void copySnippet();
    void saveFile(const QString& title, const QString& ending, const QString& filter, const Writer& write);
    void saveTables();
    void saveStages();
    [[nodiscard]] Result<void> stagesAreKept() const;
    void finish(const QString& title, const QString& path, const Result<void>& result);
    [[nodiscard]] Result<RunReportPtr> predicted() const;
    [[nodiscard]] Result<RunReportPtr> ran() const;
    [[nodiscard]] QString suggested(const QString& ending) const;

    QWidget& m_window;
    Session& m_session;
};

/// Writes files into a folder, which is made if it is not there; each replaces an older one of its name in one step.
[[nodiscard]] Result<void> writeFolder(const QString& folder, const std::map<std::string, std::string>& files);

}  // namespace cubist

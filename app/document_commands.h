// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <optional>
#include <string>
#include <vector>

#include "app/data_paths.h"
#include "app/settings.h"
#include "core/exchange/catalogue.h"
#include "core/exchange/skeleton_library.h"

class QWidget;

namespace cubist {

class Session;

/// Opening, saving and closing of documents with the questions that go with it.
class DocumentCommands : public QObject {
    Q_OBJECT

public:
    DocumentCommands(QWidget& window, Session& session, Settings& settings, DataPaths paths);

    /// A design, PyPTO kernel or bundle, or a sample by its name. Asks about unsaved changes first; says what is wrong
    /// in a message.
    bool open(const QString& nameOrFile);
    bool openSample(const QString& id);
    /// Asks for a file.
    void chooseAndOpen();
    /// Makes a design of a PyPTO kernel; lists what was not understood.
    bool importKernel(const QString& path);
    void chooseAndImport();
    /// A new design of a variant's skeleton.
    bool create(const QString& variant);
    /// A design that a dialog made.
    bool createFrom(Design design);
    /// A design without anything in it.
    bool createEmpty();
    bool save();
    bool saveAs();
    /// What "save as" offers: the document's own file, else a file of its name beside the last one.
    [[nodiscard]] QString suggestedPath() const;
    /// Whether the document may be left: nothing is unsaved, or the user saved it or gave the changes up.
    [[nodiscard]] bool mayLeave();
    /// What the window opens with: the argument, else what was open last, else the first sample.
    void openFirst(const QString& argument);

    [[nodiscard]] const std::vector<Catalogue::Entry>& samples() const { return m_samples; }
    [[nodiscard]] const SkeletonLibrary& skeletons() const { return m_skeletons; }
    /// Id of the sample that the document was made from; empty otherwise.
    [[nodiscard]] const QString& currentSample() const { return m_sample; }

signals:
    void recentChanged();

private:
    bool loadFile(const QString& path);
    bool loadBundle(const QString& path);
    bool loadKernel(const QString& path);
    /// Puts a kernel config, tiles and options or a tuner's config into the open design: one undo step.
    bool takeSettings(const std::string& text);
    bool loadSample(const QString& id);
    bool saveTo(const QString& path);
    void report(const QString& title, const Error& error);
    void report(const QString& title, const QString& text, const QString& details = {});

    QWidget& m_window;
    Session& m_session;
    Settings& m_settings;
    DataPaths m_paths;
    std::vector<Catalogue::Entry> m_samples;
    SkeletonLibrary m_skeletons;
    QString m_sample;
};

}  // namespace cubist

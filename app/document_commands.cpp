// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document_commands.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

#include "app/design_library.h"
#include "app/import_notes.h"
#include "core/exchange/bundle.h"
#include "core/exchange/files.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "core/exchange/pypto/settings_import.h"
#include "views/session.h"

namespace cubist {
namespace {

const QString kSuffix = QStringLiteral(".cubist.json");

QString fileFilter() {
    return DocumentCommands::tr(
        "Cubist designs (*.cubist.json);;PyPTO kernels (*.py);;Cubist bundles (*.zip);;All files (*)");
}

}  // namespace

DocumentCommands::DocumentCommands(QWidget& window, Session& session, Settings& settings, DataPaths paths)
    : QObject(&window), m_window(window), m_session(session), m_settings(settings), m_paths(std::move(paths)) {
    m_samples = loadSamples(m_paths).entries;
    m_skeletons = loadSkeletons(m_paths);
}

void DocumentCommands::report(const QString& title, const QString& text, const QString& details) {
    // Not modal in the sense of exec(): the program must come up and go down without a user.
    auto* box = new QMessageBox(QMessageBox::Warning, title, text, QMessageBox::Ok, &m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(details);
    box->setTextFormat(Qt::PlainText);
    box->open();
}

void DocumentCommands::report(const QString& title, const Error& error) {
    QStringList details;
    if (!error.where.empty()) details << QString::fromStdString(error.where);
    if (!error.hint.empty()) details << QString::fromStdString(error.hint);
    report(title, QString::fromStdString(error.message), details.join(QLatin1Char('\n')));
}

bool DocumentCommands::loadFile(const QString& path) {
    if (path.endsWith(QLatin1String(".py"), Qt::CaseInsensitive)) return loadKernel(path);
    if (path.endsWith(QLatin1String(".zip"), Qt::CaseInsensitive)) return loadBundle(path);
    if (const auto text = readFile(path.toStdString(), std::size_t{4} << 20);
        text && settingsFormOf(*text) && m_session.document().hasDesign())
        return takeSettings(*text);
    if (const Result<void> loaded = m_session.document().load(path); !loaded) {
        report(tr("The design could not be opened"), loaded.error());
        return false;
    }
    m_sample.clear();
    m_settings.addRecent(path);
    m_settings.setLastDesign(QFileInfo(path).absoluteFilePath());
    emit recentChanged();
    return true;
}

bool DocumentCommands::loadKernel(const QString& path) {
    constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
    const Result<std::string> source = readFile(path.toStdString(), kMaxBytes);
    if (!source) {
        report(tr("The kernel could not be imported"), source.error());
        return false;
    }
    if (settingsFormOf(*source)) return takeSettings(*source);
    Result<PyptoImport> imported =
        importPypto(*source, QFileInfo(path).completeBaseName().toStdString(), modulesBeside(path.toStdString()));
    if (!imported) {
        report(tr("The kernel could not be imported"), imported.error());
        return false;
    }
    m_session.document().newDesign(std::move(imported->design));
    // It is no file of ours yet.
    m_session.document().undoStack().resetClean();
    m_sample.clear();
    emit recentChanged();
    if (!imported->notes.empty()) {
        auto* notes =
            new ImportNotes(path, QString::fromStdString(*source), imported->notes, m_session.theme(), &m_window);
        notes->show();
    }
    return true;
}

bool DocumentCommands::takeSettings(const std::string& text) {
    const QString failed = tr("The settings could not be applied");
    DocumentModel& document = m_session.document();
    if (!document.hasDesign()) {
        report(failed, tr("Open the design that they are for first."), {});
        return false;
    }
    Result<AppliedSettings> applied = applySettings(*document.design(), text);
    if (!applied) {
        report(failed, applied.error());
        return false;
    }
    QStringList left;
    for (const std::string& each : applied->left) left << QString::fromStdString(each);
    if (!document.apply(tr("Apply settings"), std::move(applied->design))) return false;
    if (!left.isEmpty()) report(tr("Some settings do not fit the design"), left.join(QLatin1Char('\n')), {});
    return true;
}

bool DocumentCommands::loadBundle(const QString& path) {
    Result<Bundle> bundle = openBundle(path.toStdString());
    if (!bundle) {
        report(tr("The bundle could not be opened"), bundle.error());
        return false;
    }
    DocumentModel& document = m_session.document();
    document.restore(std::move(bundle->design), {});
    document.setCase(QString::fromStdString(bundle->manifest.caseId.text));
    // What was run with other symbols than the case has is shown with them.
    Dictionary<std::int64_t> overrides;
    for (const auto& [name, value] : bundle->manifest.symbols.entries) {
        const std::int64_t* bound = document.binding() ? document.binding()->symbols.find(name) : nullptr;
        if (bound && *bound != value) overrides.set(name, value);
    }
    if (!overrides.empty()) document.setSymbolOverrides(overrides);
    m_sample.clear();
    emit recentChanged();
    return true;
}

bool DocumentCommands::loadSample(const QString& id) {
    const auto file = m_paths.find("samples", (id + kSuffix).toStdString());
    if (!file) {
        QStringList known;
        for (const Catalogue::Entry& entry : m_samples) known << QString::fromStdString(entry.id);
        report(tr("The design could not be opened"), tr("There is no file or sample named %1.").arg(id),
               tr("Samples: %1").arg(known.join(QLatin1String(", "))));
        return false;
    }
    if (const Result<void> loaded = m_session.document().newFromTemplate(QString::fromStdString(file->string()));
        !loaded) {
        report(tr("The sample could not be opened"), loaded.error());
        return false;
    }
    m_sample = id;
    m_settings.setLastDesign(id);
    emit recentChanged();
    return true;
}

bool DocumentCommands::open(const QString& nameOrFile) {
    if (!mayLeave()) return false;
    return QFileInfo::exists(nameOrFile) || nameOrFile.contains(QLatin1Char('/')) ? loadFile(nameOrFile)
                                                                                  : loadSample(nameOrFile);
}

bool DocumentCommands::openSample(const QString& id) {
    return mayLeave() && loadSample(id);
}

void DocumentCommands::chooseAndOpen() {
    if (!mayLeave()) return;
    const QString path =
        QFileDialog::getOpenFileName(&m_window, tr("Open design"), m_session.document().folder(), fileFilter());
    if (!path.isEmpty()) loadFile(path);
}

bool DocumentCommands::importKernel(const QString& path) {
    return mayLeave() && loadKernel(path);
}

void DocumentCommands::chooseAndImport() {
    if (!mayLeave()) return;
    const QString path =
        QFileDialog::getOpenFileName(&m_window, tr("Import PyPTO kernel"), m_session.document().folder(),
                                     tr("Kernels and settings (*.py *.json);;All files (*)"));
    if (!path.isEmpty()) loadKernel(path);
}

bool DocumentCommands::create(const QString& variant) {
    TemplateQuery query;
    query.variant = fromText<Variant>(variant.toStdString()).value_or(Variant::C);
    const Result<SkeletonTemplate> chosen = selectTemplate(m_skeletons.index(), query);
    if (!chosen) {
        report(tr("New design"), chosen.error());
        return false;
    }
    const auto file = m_paths.find("skeletons", chosen->id + ".json");
    if (!file) {
        report(tr("New design"), tr("There is no template file for variant %1.").arg(variant));
        return false;
    }
    if (!mayLeave()) return false;
    if (const Result<void> made = m_session.document().newFromTemplate(QString::fromStdString(file->string())); !made) {
        report(tr("New design"), made.error());
        return false;
    }
    m_sample.clear();
    emit recentChanged();
    return true;
}

bool DocumentCommands::createFrom(Design design) {
    if (!mayLeave()) return false;
    m_session.document().newDesign(std::move(design));
    // Choices went into it: it is not to be lost without a question.
    m_session.document().undoStack().resetClean();
    m_sample.clear();
    emit recentChanged();
    return true;
}

bool DocumentCommands::createEmpty() {
    if (!mayLeave()) return false;
    Design design;
    design.name = "untitled";
    design.skeleton.variant = Variant::A;
    const std::vector<ChipSpec>& chips = m_session.document().chips().chips();
    if (!chips.empty()) design.chip = chips.front().id;
    for (const ChipSpec& chip : chips)
        if (chip.id.text == "Ascend910B1") design.chip = chip.id;
    m_session.document().newDesign(std::move(design));
    m_sample.clear();
    emit recentChanged();
    return true;
}

bool DocumentCommands::saveTo(const QString& path) {
    const Result<void> saved = m_session.document().saveAs(path);
    if (!saved) {
        report(tr("The design could not be saved"), saved.error());
        return false;
    }
    m_sample.clear();
    m_settings.addRecent(path);
    m_settings.setLastDesign(QFileInfo(path).absoluteFilePath());
    emit recentChanged();
    return true;
}

bool DocumentCommands::save() {
    const DocumentModel& document = m_session.document();
    if (!document.hasDesign()) return false;
    return document.path().isEmpty() ? saveAs() : saveTo(document.path());
}

bool DocumentCommands::saveAs() {
    const DocumentModel& document = m_session.document();
    if (!document.hasDesign()) return false;
    QString path = QFileDialog::getSaveFileName(&m_window, tr("Save design"), suggestedPath(), fileFilter());
    if (path.isEmpty()) return false;
    if (!path.endsWith(QLatin1String(".json"))) path += kSuffix;
    return saveTo(path);
}

QString DocumentCommands::suggestedPath() const {
    const DocumentModel& document = m_session.document();
    if (!document.path().isEmpty()) return document.path();
    if (!document.hasDesign()) return {};
    // Beside what was saved last; a design's name may hold anything.
    const QStringList recent = m_settings.recentFiles();
    const QString folder = recent.isEmpty() ? QDir::homePath() : QFileInfo(recent.front()).absolutePath();
    QString name = QString::fromStdString(document.design()->name).trimmed();
    static const QRegularExpression unusable(QStringLiteral("[\\x00-\\x1f/\\\\:*?\"<>|]+"));
    name.replace(unusable, QStringLiteral("_"));
    if (name.isEmpty() || name.startsWith(QLatin1Char('.'))) name.prepend(tr("design"));
    return QStringLiteral("%1/%2%3").arg(folder, name, kSuffix);
}

bool DocumentCommands::mayLeave() {
    const DocumentModel& document = m_session.document();
    if (!document.isModified()) return true;
    QMessageBox box(QMessageBox::Question, tr("Unsaved changes"),
                    tr("Save the changes to %1?").arg(QString::fromStdString(document.design()->name)),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
    box.setDefaultButton(QMessageBox::Save);
    box.setInformativeText(tr("Otherwise they are lost."));
    switch (box.exec()) {
        case QMessageBox::Save: return save();
        case QMessageBox::Discard: return true;
        default: return false;
    }
}

void DocumentCommands::openFirst(const QString& argument) {
    if (!argument.isEmpty()) {
        open(argument);
        return;
    }
    const QString last = m_settings.lastDesign();
    const bool isFile = last.contains(QLatin1Char('/'));
    if (isFile && QFileInfo::exists(last) && m_session.document().load(last)) {
        emit recentChanged();
        return;
    }
    const auto known = [&](const QString& id) {
        return std::any_of(m_samples.begin(), m_samples.end(),
                           [&](const Catalogue::Entry& entry) { return QString::fromStdString(entry.id) == id; });
    };
    if (!isFile && known(last))
        loadSample(last);
    else if (known(QStringLiteral("glm_gate")))
        loadSample(QStringLiteral("glm_gate"));
    else if (!m_samples.empty())
        loadSample(QString::fromStdString(m_samples.front().id));
}

}  // namespace cubist

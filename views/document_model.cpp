// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document_model.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QUndoCommand>

#include <algorithm>
#include <utility>

#include "core/design/design_compare.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/design_json.h"
#include "core/rules/checker.h"
#include "views/element_lookup.h"
#include "views/fix_finder.h"
#include "views/language.h"

namespace cubist {

namespace {

constexpr int kEditCommandId = 1;
/// Fixes are tried within an edit up to this many blocks to be looked at: some 10 ms.
constexpr std::size_t kBlocksTriedAtOnce = 600;

QByteArray hashOf(const QString& path) {
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    return hash.addData(&file) ? hash.result() : QByteArray();
}

Finding asFinding(const Design& design, const Error& error) {
    Finding finding;
    finding.ruleId = "DOC";
    finding.severity = Severity::Error;
    finding.where = error.where;
    finding.block = elementAt(design, error.where).block();
    finding.message = error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
    finding.messageZh = finding.message;
    return finding;
}

}  // namespace

class DocumentModel::EditCommand : public QUndoCommand {
public:
    EditCommand(DocumentModel& model, const LocalText& label, std::shared_ptr<const Design> after, QString mergeKey)
        : QUndoCommand(label()),
          m_model(model),
          m_label(label),
          m_before(model.m_design),
          m_after(std::move(after)),
          m_mergeKey(std::move(mergeKey)),
          m_run(model.m_editRun) {}

    [[nodiscard]] int id() const override { return m_mergeKey.isEmpty() ? -1 : kEditCommandId; }
    void undo() override {
        m_model.endEditRun();
        ++m_model.m_editStep;
        m_model.setDesign(m_before);
    }
    void redo() override {
        if (!m_model.m_makingStep) ++m_model.m_editStep;
        m_model.setDesign(m_after);
    }
    /// Whether an edit of now becomes part of this step.
    [[nodiscard]] bool goesOn(const QString& mergeKey) const {
        return !mergeKey.isEmpty() && mergeKey == m_mergeKey && m_run == m_model.m_editRun;
    }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const EditCommand*>(other);
        if (next->m_mergeKey != m_mergeKey || next->m_run != m_run) return false;
        m_after = next->m_after;
        m_kept.clear();
        setObsolete(*m_after == *m_before);
        return true;
    }

    void retranslate() { setText(m_label()); }

    [[nodiscard]] const std::shared_ptr<const Design>& after() const { return m_after; }
    /// The edit with places that it must not change.
    void keep(std::shared_ptr<const Design> after, const std::vector<Placement>& kept) {
        m_after = std::move(after);
        m_kept.insert(m_kept.end(), kept.begin(), kept.end());
    }
    /// The places that this step stored are stored anew by the edit that goes on with it, or not at all any more.
    void release(Design& edited) const {
        for (const Placement& kept : m_kept)
            std::erase_if(edited.layout.entries, [&](const auto& entry) {
                return entry.key == kept.id && entry.value == Position{kept.x, kept.y, 0.0, 0.0, {}};
            });
    }

private:
    DocumentModel& m_model;
    LocalText m_label;
    std::shared_ptr<const Design> m_before;
    std::shared_ptr<const Design> m_after;
    QString m_mergeKey;
    int m_run;
    std::vector<Placement> m_kept;
};

DocumentModel::DocumentModel(ChipLibrary chips, QObject* parent)
    : QObject(parent), m_chips(std::move(chips)), m_fixFinder(new FixFinder(this)) {
    connect(&m_undoStack, &QUndoStack::cleanChanged, this, [this] { emit modifiedChanged(isModified()); });
    connect(m_fixFinder, &FixFinder::found, this, [this](const std::vector<Finding>& findings) {
        joinFindings(findings);
        emit fixesChanged();
    });
}

DocumentModel::~DocumentModel() {
    m_undoStack.disconnect(this);
}

QString DocumentModel::fileName() const {
    return m_path.isEmpty() ? tr("untitled") : QFileInfo(m_path).fileName();
}

QString DocumentModel::folder() const {
    return m_path.isEmpty() ? QString() : QFileInfo(m_path).absolutePath();
}

void DocumentModel::setCase(const QString& name) {
    if (name == m_caseName && m_overrides.empty()) return;
    m_caseName = name;
    m_overrides = {};
    ++m_editStep;
    recompute();
    emit caseChanged();
}

void DocumentModel::setSymbolOverrides(const Dictionary<std::int64_t>& overrides) {
    if (overrides == m_overrides) return;
    m_overrides = overrides;
    ++m_editStep;
    recompute();
    emit caseChanged();
}

bool DocumentModel::apply(const LocalText& label, Result<Design> edited, const QString& mergeKey) {
    if (!m_design) return false;
    if (!edited) {
        emit editRejected(QString::fromStdString(edited.error().message));
        return false;
    }
    return makeStep(label, *std::move(edited), mergeKey, true);
}

bool DocumentModel::makeStep(const LocalText& label, Design edited, const QString& mergeKey, bool asksForPlaces) {
    if (edited == *m_design) return true;
    const bool onlyPlaces = sameButPlaces(edited, *m_design);
    const EditCommand* newest = m_undoStack.isClean() ? nullptr : newestStep();
    if (newest && newest->goesOn(mergeKey))
        newest->release(edited);
    else
        ++m_editStep;
    m_makingStep = true;
    m_undoStack.push(new EditCommand(*this, label, std::make_shared<const Design>(std::move(edited)), mergeKey));
    m_makingStep = false;
    if (asksForPlaces && !onlyPlaces) keepPlaces();
    return true;
}

DocumentModel::EditCommand* DocumentModel::newestStep() const {
    // The stack holds nothing but our steps, and hands them out as constants.
    const int index = m_undoStack.index();
    return index > 0 ? static_cast<EditCommand*>(const_cast<QUndoCommand*>(m_undoStack.command(index - 1))) : nullptr;
}

void DocumentModel::keepPlaces() {
    std::vector<Placement> keep;
    emit placesAsked(&keep);
    EditCommand* newest = newestStep();
    if (keep.empty() || !newest || newest->after() != m_design) return;
    Design placed = *m_design;
    for (const Placement& place : keep) placed.layout.set(place.id, Position{place.x, place.y, 0.0, 0.0, {}});
    const auto after = std::make_shared<const Design>(std::move(placed));
    newest->keep(after, keep);
    setDesign(after);
}

bool DocumentModel::applyFix(const Fix& fix) {
    if (!m_design) return false;
    Result<Design> edited = *m_design;
    for (const Fix::Step& step : fix.steps)
        if (edited) edited = setInCase(*edited, m_caseName.toStdString(), step.where, step.json);
    endEditRun();
    return apply([fix] { return titleOf(fix); }, std::move(edited));
}

void DocumentModel::retranslateSteps() {
    // The stack hands its commands out as constants; their names are nobody else's business.
    for (int i = 0; i < m_undoStack.count(); ++i)
        static_cast<EditCommand*>(const_cast<QUndoCommand*>(m_undoStack.command(i)))->retranslate();
}

Result<void> DocumentModel::load(const QString& path) {
    CUBIST_TRY(LoadedDesign loaded, loadDesign(path.toStdString()));
    replaceDocument(std::make_shared<const Design>(std::move(loaded.design)), path, std::move(loaded.warnings));
    return {};
}

Result<void> DocumentModel::newFromTemplate(const QString& templatePath) {
    CUBIST_TRY(LoadedDesign loaded, loadDesign(templatePath.toStdString()));
    replaceDocument(std::make_shared<const Design>(std::move(loaded.design)), {}, std::move(loaded.warnings));
    return {};
}

Result<void> DocumentModel::save() {
    if (m_path.isEmpty()) return unexpected(ErrorCode::BadValue, "the design has no file yet");
    return saveAs(m_path);
}

Result<void> DocumentModel::saveAs(const QString& path) {
    if (!m_design) return unexpected(ErrorCode::BadValue, "there is no design to save");
    CUBIST_CHECK_OK(saveDesign(*m_design, path.toStdString()));
    m_undoStack.setClean();
    const bool newPath = path != m_path;
    m_path = path;
    rememberDisk();
    if (newPath) emit pathChanged();
    return {};
}

void DocumentModel::rememberDisk() {
    m_diskHash = hashOf(m_path);
}

DocumentModel::DiskState DocumentModel::diskState() const {
    if (m_path.isEmpty()) return DiskState::None;
    const QByteArray now = hashOf(m_path);
    if (now.isEmpty()) return DiskState::Gone;
    return now == m_diskHash ? DiskState::Same : DiskState::Changed;
}

Result<void> DocumentModel::reload() {
    if (m_path.isEmpty() || !m_design) return unexpected(ErrorCode::BadValue, "the design has no file yet");
    CUBIST_TRY(LoadedDesign loaded, loadDesign(m_path.toStdString()));
    m_readerFindings = std::move(loaded.warnings);
    endEditRun();
    makeStep([] { return tr("Reload"); }, std::move(loaded.design), {}, false);
    rememberDisk();
    m_undoStack.setClean();
    return {};
}

void DocumentModel::keepAgainstDisk() {
    rememberDisk();
    m_undoStack.resetClean();
}

void DocumentModel::restore(LoadedDesign recovered, const QString& path) {
    replaceDocument(std::make_shared<const Design>(std::move(recovered.design)), path, std::move(recovered.warnings));
    m_undoStack.resetClean();
}

void DocumentModel::newDesign(Design design) {
    replaceDocument(std::make_shared<const Design>(std::move(design)), {}, {});
}

void DocumentModel::close() {
    replaceDocument(nullptr, {}, {});
}

void DocumentModel::setDesign(std::shared_ptr<const Design> design) {
    if (m_design && design && sameButPlaces(*m_design, *design)) {
        m_design = std::move(design);
        emit placesChanged();
    } else {
        m_resolved.reset();  // it points into the old snapshot
        m_design = std::move(design);
        recompute();
    }
    emit designChanged();
}

void DocumentModel::replaceDocument(std::shared_ptr<const Design> design, const QString& path,
                                    std::vector<Finding> readerFindings) {
    m_resolved.reset();
    m_design = std::move(design);
    m_readerFindings = std::move(readerFindings);
    m_caseName.clear();
    m_overrides = {};
    const bool newPath = path != m_path;
    m_path = path;
    rememberDisk();
    m_undoStack.clear();
    ++m_editStep;
    emit documentReplaced();
    recompute();
    emit designChanged();
    emit caseChanged();
    if (newPath) emit pathChanged();
    emit modifiedChanged(isModified());
}

bool DocumentModel::looksForFixes() const {
    return m_fixFinder->busy();
}

void DocumentModel::recompute() {
    m_fixFinder->stop();
    m_chip.reset();
    m_binding.reset();
    m_resolved.reset();
    m_problem.reset();
    m_findings.clear();
    m_effective = m_design;
    if (m_design) resolveDesign();
    emit findingsChanged();
}

void DocumentModel::chooseChip(const Design& design) {
    m_chip.reset();
    if (auto chip = m_chips.find(design.chip.text))
        m_chip = std::move(chip).value();
    else
        m_problem = Error{chip.error().code, chip.error().message, "/chip", chip.error().hint};
}

void DocumentModel::resolveDesign() {
    chooseChip(*m_design);
    const std::string caseName = m_caseName.toStdString();
    if (Result<Design> ofCase = designOfCase(*m_design, caseName); !ofCase)
        m_problem = std::move(ofCase).error();
    else if (!(*ofCase == *m_design))
        m_effective = std::make_shared<const Design>(*std::move(ofCase));
    if (m_chip && m_effective->chip != m_design->chip) chooseChip(*m_effective);
    if (auto binding = m_problem && m_problem->where.starts_with("/cases/")
                           ? Result<Binding>(unexpected(*m_problem))
                           : cubist::bind(*m_effective, caseName, m_overrides))
        m_binding = std::move(binding).value();
    else
        m_problem = std::move(binding).error();
    if (m_binding) {
        if (auto resolved = resolve(*m_effective, *m_binding))
            m_resolved = std::move(resolved).value();
        else
            m_problem = std::move(resolved).error();
    }
    checkRules();
}

void DocumentModel::checkRules() {
    if (!m_resolved || !m_chip) return joinFindings({});
    DesignCheck check(*m_resolved, *m_chip, m_effective->profile);
    if (check.trialsLeft() * m_resolved->blocks.size() <= kBlocksTriedAtOnce)
        while (!check.done()) check.tryNext();
    joinFindings(check.findings());
    if (!check.done()) m_fixFinder->start(m_effective, *m_binding, *m_chip);
}

void DocumentModel::joinFindings(const std::vector<Finding>& ofRules) {
    m_findings = m_readerFindings;
    for (const Finding& finding : ofRules) {
        // What the reader and a rule both say is said once.
        const bool known = std::any_of(m_readerFindings.begin(), m_readerFindings.end(), [&](const Finding& other) {
            return other.ruleId == finding.ruleId && other.where == finding.where && other.message == finding.message;
        });
        if (!known) m_findings.push_back(finding);
    }
    if (m_problem) m_findings.push_back(asFinding(*m_design, *m_problem));
    std::stable_sort(m_findings.begin(), m_findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
}

}  // namespace cubist

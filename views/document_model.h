// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QUndoStack>

#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/design/edit_ops.h"
#include "core/design/resolve.h"
#include "core/exchange/chip_json.h"
#include "core/rules/finding.h"
#include "views/local_text.h"

namespace cubist {

class FixFinder;
struct LoadedDesign;

/// The open document: a snapshot of the design, its file, its undo history, and what follows from design, chip and case
/// (binding, resolved design, findings), computed anew after every change. Views keep no copy of any of it.
class DocumentModel : public QObject {
    Q_OBJECT

public:
    /// `chips`: the library that designs choose from.
    explicit DocumentModel(ChipLibrary chips, QObject* parent = nullptr);
    ~DocumentModel() override;

    [[nodiscard]] bool hasDesign() const { return m_design != nullptr; }
    /// Immutable snapshot, to be handed to workers; null when no document is open.
    [[nodiscard]] std::shared_ptr<const Design> design() const { return m_design; }
    /// The design as the chosen case means it, which is what runs: with the settings of the case. The design itself
    /// where the case has none, or where they cannot be applied (`problem` then says why). Places on the canvas may be
    /// older ones: nothing that runs depends on them.
    [[nodiscard]] std::shared_ptr<const Design> effectiveDesign() const { return m_effective; }
    [[nodiscard]] QUndoStack& undoStack() { return m_undoStack; }

    [[nodiscard]] const QString& path() const { return m_path; }
    /// File name for titles: "glm_gate.cubist.json", or "untitled" before the first save.
    [[nodiscard]] QString fileName() const;
    /// Folder for relative data files; empty before the first save.
    [[nodiscard]] QString folder() const;
    [[nodiscard]] bool isModified() const { return m_design && !m_undoStack.isClean(); }

    [[nodiscard]] const ChipLibrary& chips() const { return m_chips; }
    /// The chip that the design names; null when the library has none of that name, or several.
    [[nodiscard]] const ChipSpec* chip() const { return m_chip ? &*m_chip : nullptr; }

    /// Case id that is shown and run; empty: the design's default.
    [[nodiscard]] const QString& caseName() const { return m_caseName; }
    /// Symbol values that replace those of the case until another case is chosen.
    [[nodiscard]] const Dictionary<std::int64_t>& symbolOverrides() const { return m_overrides; }
    void setCase(const QString& name);
    void setSymbolOverrides(const Dictionary<std::int64_t>& overrides);

    /// Symbols' values of case and overrides; null when they cannot be bound.
    [[nodiscard]] const Binding* binding() const { return m_binding ? &*m_binding : nullptr; }
    /// Null when the design cannot be resolved; `problem` then says why.
    [[nodiscard]] const ResolvedDesign* resolved() const { return m_resolved ? &*m_resolved : nullptr; }
    [[nodiscard]] const std::optional<Error>& problem() const { return m_problem; }
    /// Rule findings, worst first. When the design cannot be resolved: that error as the one finding, rule id "DOC".
    /// Of large designs with many of them the fixes come a moment later (fixesChanged).
    [[nodiscard]] const std::vector<Finding>& findings() const { return m_findings; }
    /// Are fixes still being tried?
    [[nodiscard]] bool looksForFixes() const;

    /// Makes an edit one step of the undo history. Steps that follow each other with the same non-empty `mergeKey` are
    /// one step (a drag, a run of typing). A failed edit changes nothing and is reported by `editRejected`.
    /// Returns whether the design is now the edited one.
    bool apply(const LocalText& label, Result<Design> edited, const QString& mergeKey = {});
    /// Makes all steps of a finding's fix, in the settings of the chosen case where it sets that value, one step of the
    /// undo history.
    bool applyFix(const Fix& fix);
    /// Says the names of all steps in the language of now.
    void retranslateSteps();
    /// The next step starts a new history entry whatever its merge key.
    void endEditRun() { ++m_editRun; }
    /// Another number for every state that a new step, undo, redo, another case or another document brings: edits that
    /// are merged into one step (a whole drag, a run of typing) share theirs.
    [[nodiscard]] int editStep() const { return m_editStep; }

    /// Errors: as `loadDesign`; the open document stays.
    [[nodiscard]] Result<void> load(const QString& path);
    /// Errors: BadFile; BadValue when the document has no path yet.
    [[nodiscard]] Result<void> save();
    [[nodiscard]] Result<void> saveAs(const QString& path);
    /// Opens a design that has no file yet, with the contents of a template or sample file.
    [[nodiscard]] Result<void> newFromTemplate(const QString& templatePath);
    /// Opens a design that has no file yet.
    void newDesign(Design design);
    /// Opens what was recovered: unsaved changes of the file at `path` (empty: of a design that never had one).
    void restore(LoadedDesign recovered, const QString& path);
    void close();

    /// What became of the file since it was loaded or saved. None: the design has no file.
    enum class DiskState { None, Same, Changed, Gone };
    [[nodiscard]] DiskState diskState() const;
    /// Takes over the file's contents as one undoable step; the document then counts as saved.
    /// Errors: as `load`, and the document stays as it is.
    [[nodiscard]] Result<void> reload();
    /// The file's contents are left alone from now on: the document counts as changed against them.
    void keepAgainstDisk();

    /// Things the reader had to say about the loaded file (unknown keys and the like).
    [[nodiscard]] const std::vector<Finding>& readerFindings() const { return m_readerFindings; }

signals:
    /// Another document, or none: views start afresh. Followed by designChanged and findingsChanged.
    void documentReplaced();
    void designChanged();
    /// Findings, resolved design or chip were computed anew: after every change of design, case or overrides.
    void findingsChanged();
    /// Only places on the canvas and the notes on it changed, nothing that findings are made of. In place of
    /// findingsChanged, and followed by designChanged.
    void placesChanged();
    /// Some findings have fixes now; nothing else changed.
    void fixesChanged();
    /// An edit was made and is shown. Whoever lays out what has no place of its own adds the places that the edit must
    /// not change; they are stored in the same step.
    void placesAsked(std::vector<cubist::Placement>* keep);
    void caseChanged();
    void pathChanged();
    void modifiedChanged(bool modified);
    void editRejected(const QString& message);

private:
    class EditCommand;

    bool makeStep(const LocalText& label, Design edited, const QString& mergeKey, bool asksForPlaces);
    [[nodiscard]] EditCommand* newestStep() const;
    void keepPlaces();
    void setDesign(std::shared_ptr<const Design> design);
    void rememberDisk();
    void replaceDocument(std::shared_ptr<const Design> design, const QString& path,
                         std::vector<Finding> readerFindings);
    void recompute();
    void chooseChip(const Design& design);
    void resolveDesign();
    void checkRules();
    /// Puts the findings of reader and rules into one list.
    void joinFindings(const std::vector<Finding>& ofRules);

    ChipLibrary m_chips;
    QUndoStack m_undoStack;
    std::shared_ptr<const Design> m_design;
    std::shared_ptr<const Design> m_effective;
    QString m_path;
    QString m_caseName;
    Dictionary<std::int64_t> m_overrides;
    int m_editRun = 0;
    int m_editStep = 0;
    bool m_makingStep = false;
    QByteArray m_diskHash;  ///< of the file as it was loaded or saved; empty: no file

    std::optional<ChipSpec> m_chip;
    std::optional<Binding> m_binding;
    std::optional<ResolvedDesign> m_resolved;
    std::optional<Error> m_problem;
    std::vector<Finding> m_findings;
    std::vector<Finding> m_readerFindings;
    FixFinder* m_fixFinder;
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document_model.h"

#include <QFileInfo>
#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace cubist {

namespace {

constexpr int kEditCommandId = 1;

}  // namespace

class DocumentModel::EditCommand : public QUndoCommand {
public:
    EditCommand(DocumentModel& model, const QString& label, std::shared_ptr<const Design> after, QString mergeKey)
        : QUndoCommand(label),
          m_model(model),
          m_before(model.m_design),
          m_after(std::move(after)),
          m_mergeKey(std::move(mergeKey)),
          m_run(model.m_editRun) {}

    [[nodiscard]] int id() const override { return m_mergeKey.isEmpty() ? -1 : kEditCommandId; }
    void undo() override {
        m_model.endEditRun();
        m_model.setDesign(m_before);
    }
    void redo() override { m_model.setDesign(m_after); }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const EditCommand*>(other);
        if (next->m_mergeKey != m_mergeKey || next->m_run != m_run) return false;
        m_after = next->m_after;
        setObsolete(*m_after == *m_before);
        return true;
    }

private:
    DocumentModel& m_model;
    std::shared_ptr<const Design> m_before;
    std::shared_ptr<const Design> m_after;
    QString m_mergeKey;
    int m_run;
};

DocumentModel::DocumentModel(std::vector<ChipSpec> chips, QObject* parent)
    : QObject(parent), m_chips(std::move(chips)) {
    connect(&m_undoStack, &QUndoStack::cleanChanged, this, [this] { emit modifiedChanged(isModified()); });
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
    recompute();
    emit caseChanged();
}

void DocumentModel::setSymbolOverrides(const Dictionary<std::int64_t>& overrides) {
    if (overrides == m_overrides) return;
    m_overrides = overrides;
    recompute();
    emit caseChanged();
}

bool DocumentModel::apply(const QString& label, Result<Design> edited, const QString& mergeKey) {
    if (!m_design) return false;
    if (!edited) {
        emit editRejected(QString::fromStdString(edited.error().message));
        return false;
    }
    if (*edited == *m_design) return true;
    auto after = std::make_shared<const Design>(std::move(edited).value());
    m_undoStack.push(new EditCommand(*this, label, std::move(after), mergeKey));
    return true;
}

void DocumentModel::newDesign(Design design) {
    replaceDocument(std::make_shared<const Design>(std::move(design)), {});
}

void DocumentModel::close() {
    replaceDocument(nullptr, {});
}

void DocumentModel::setDesign(std::shared_ptr<const Design> design) {
    m_resolved.reset();  // it points into the old snapshot
    m_design = std::move(design);
    recompute();
    emit designChanged();
}

void DocumentModel::replaceDocument(std::shared_ptr<const Design> design, const QString& path) {
    m_undoStack.clear();
    m_resolved.reset();
    m_design = std::move(design);
    m_caseName.clear();
    m_overrides = {};
    const bool newPath = path != m_path;
    m_path = path;
    emit documentReplaced();
    recompute();
    emit designChanged();
    emit caseChanged();
    if (newPath) emit pathChanged();
    emit modifiedChanged(isModified());
}

void DocumentModel::recompute() {
    m_chip = nullptr;
    m_binding.reset();
    m_resolved.reset();
    m_problem.reset();
    m_findings.clear();
    emit findingsChanged();
}

}  // namespace cubist

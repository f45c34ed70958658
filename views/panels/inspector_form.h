// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVBoxLayout>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/result.h"
#include "core/design/design.h"
#include "core/design/edit_ops.h"
#include "core/rules/finding.h"
#include "views/choice_text.h"
#include "views/panels/field_list.h"
#include "views/qt_text.h"
#include "views/selection_model.h"

class QFormLayout;

namespace cubist {

class FindingCard;
class Session;

/// Base of the inspector's forms: one per kind of element. A form keeps no copy of the design; `refresh` reads it anew
/// after every change, and edits go to the document as one undoable step each.
class InspectorForm : public QWidget {
    Q_OBJECT

public:
    InspectorForm(Session& session, QWidget* parent = nullptr);

    void setElement(const Element& element);
    [[nodiscard]] const Element& element() const { return m_element; }

    /// Shows the element as it is now. Called only while it exists.
    virtual void refresh() = 0;
    /// Shows the findings of the element; forms also mark their fields.
    virtual void showFindings(const std::vector<Finding>& findings);

protected:
    /// The document's design. Forms are only used while there is one.
    [[nodiscard]] const Design& design() const;
    /// The element as a block of one kind; null when it is something else.
    template <class Content>
    [[nodiscard]] const Content* content() const {
        const Block* block = findBlock(design(), m_element.block());
        return block ? std::get_if<Content>(&block->content) : nullptr;
    }
    /// Errors are shown in the status bar. Steps with the same key and element that follow each other are one.
    bool apply(const LocalText& label, Result<Design> edited, const QString& mergeKey = {});
    /// Gives the element another name, wherever it is used, and keeps it selected.
    bool rename(const QString& name);
    /// Changes a block of one kind in a copy of the design.
    template <class Content>
    bool change(const LocalText& label, const std::function<void(Content&)>& edit, const QString& mergeKey = {}) {
        Design copy = design();
        Content* target = find<Content>(copy.blocks, m_element.block());
        if (!target) return false;
        edit(*target);
        return apply(label, std::move(copy), mergeKey);
    }

    QVBoxLayout* column() { return m_column; }
    /// A form, below a caption unless the title is empty.
    QFormLayout* addSection(const QString& title);
    void addCaption(const QString& title);
    /// A line of a form; the fields of all sections begin at the same place unless a name is long.
    static void addField(QFormLayout* form, const QString& name, QWidget* field);
    /// The place where findings appear: below everything added so far.
    void addFindingsHere();

    /// A text that is applied while it is typed, as one undo step.
    QLineEdit* makeTypedLine(const QString& name, const std::function<void(const QString&)>& typed);
    /// A text that is applied when it is complete (Enter, focus leaves); Escape takes the typing back.
    QLineEdit* makeCommittedLine(const QString& name, const std::function<bool(const QString&)>& commit);
    /// Fields of the element as a block of one kind.
    template <class Content>
    [[nodiscard]] std::unique_ptr<FieldsOf<Content>> makeFields() {
        return std::make_unique<FieldsOf<Content>>(
            theme(), endRun(), [this] { return content<Content>(); },
            [this](const LocalText& label, const std::function<void(Content&)>& edit, const QString& mergeKey) {
                return change<Content>(label, edit, mergeKey);
            });
    }
    [[nodiscard]] const Theme& theme() const;
    /// Ends a run of typing: the next edit is a step of its own.
    [[nodiscard]] std::function<void()> endRun();
    /// Names that a block may read, for completion.
    [[nodiscard]] std::function<QStringList()> knownValues() const;
    [[nodiscard]] std::function<QStringList()> knownTensors() const;
    [[nodiscard]] std::function<QStringList()> knownLists() const;

    template <class Enum>
    QComboBox* makeEnum(const QString& name, const std::function<void(Enum)>& chosen) {
        QComboBox* box = choiceBox(name);
        for (const auto& [value, text] : EnumTable<Enum>::entries)
            box->addItem(choiceText(text), static_cast<int>(value));
        connect(box, &QComboBox::activated, this,
                [box, chosen](int) { chosen(static_cast<Enum>(box->currentData().toInt())); });
        return box;
    }
    template <class Enum>
    static void showEnum(QComboBox* box, Enum value) {
        box->setCurrentIndex(box->findData(static_cast<int>(value)));
    }

    [[nodiscard]] Session& session() const { return m_session; }

private:
    template <class Content>
    static Content* find(std::vector<Block>& blocks, const BlockId& id) {
        for (Block& block : blocks) {
            if (block.id() == id) return std::get_if<Content>(&block.content);
            if (Loop* loop = std::get_if<Loop>(&block.content))
                if (Content* inside = find<Content>(loop->body, id)) return inside;
        }
        return nullptr;
    }

    Session& m_session;
    Element m_element;
    QVBoxLayout* m_column;
    QWidget* m_findingsHolder = nullptr;
    std::vector<Finding> m_shownFindings;
};

}  // namespace cubist

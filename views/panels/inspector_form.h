// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QString>
#include <QVBoxLayout>
#include <QWidget>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/result.h"
#include "core/design/design.h"
#include "core/design/edit_ops.h"
#include "core/rules/finding.h"
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
    bool apply(const QString& label, Result<Design> edited, const QString& mergeKey = {});
    /// Changes a block of one kind in a copy of the design.
    template <class Content>
    bool change(const QString& label, const std::function<void(Content&)>& edit, const QString& mergeKey = {}) {
        Design copy = design();
        Content* target = find<Content>(copy.blocks, m_element.block());
        if (!target) return false;
        edit(*target);
        return apply(label, std::move(copy), mergeKey);
    }

    QVBoxLayout* column() { return m_column; }
    /// A caption with a form below it.
    QFormLayout* addSection(const QString& title);
    void addCaption(const QString& title);
    /// A line of a form; the fields of all sections begin at the same place unless a name is long.
    static void addField(QFormLayout* form, const QString& name, QWidget* field);
    /// The place where findings appear: below everything added so far.
    void addFindingsHere();

    QLineEdit* makeLine(const QString& name, bool mono = false);
    /// A text that is applied while it is typed, as one undo step.
    QLineEdit* makeTypedLine(const QString& name, const std::function<void(const QString&)>& typed);
    /// A text that is applied when it is complete (Enter, focus leaves); Escape takes the typing back.
    QLineEdit* makeCommittedLine(const QString& name, const std::function<bool(const QString&)>& commit);

    template <class Enum>
    QComboBox* makeEnum(const QString& name, const std::function<void(Enum)>& chosen) {
        QComboBox* box = makeBox(name);
        for (const auto& [value, text] : EnumTable<Enum>::entries) box->addItem(qText(text), static_cast<int>(value));
        connect(box, &QComboBox::activated, this,
                [box, chosen](int) { chosen(static_cast<Enum>(box->currentData().toInt())); });
        return box;
    }
    template <class Enum>
    static void showEnum(QComboBox* box, Enum value) {
        box->setCurrentIndex(box->findData(static_cast<int>(value)));
    }
    QComboBox* makeBox(const QString& name);

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

/// Shows `text` unless the field has the focus with the same meaning already typed.
void showText(QLineEdit* line, const QString& text);

/// "T, 5120" of expressions, and back. Errors: Syntax of the first that does not parse.
[[nodiscard]] QString expressionsText(const std::vector<Expression>& expressions);
[[nodiscard]] Result<std::vector<Expression>> parseExpressions(const QString& text);

}  // namespace cubist

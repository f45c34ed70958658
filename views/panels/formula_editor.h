// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <QWidget>

#include <functional>
#include <vector>

#include "core/design/formula.h"
#include "views/theme.h"

class QCompleter;
class QStringListModel;

namespace cubist {

class TextLabel;

/// The text part of the editor: completes names, marks a mistake, Enter applies and Shift+Enter begins a line.
class FormulaText : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit FormulaText(QWidget* parent = nullptr);

    void setNames(std::function<QStringList()> names) { m_names = std::move(names); }
    /// The names offered; nothing where none were given.
    [[nodiscard]] QStringList names() const { return m_names ? m_names() : QStringList(); }
    /// Underlines [begin, end), counted in bytes of the UTF-8 text; an empty range removes the mark.
    void mark(std::size_t begin, std::size_t end, const QColor& color);
    /// The word before the cursor.
    [[nodiscard]] QString wordAtCursor() const;
    [[nodiscard]] QCompleter* completer() const { return m_completer; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 60}; }

signals:
    void committed();
    void cancelled();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void complete(bool always);
    void insert(const QString& completion);

    std::function<QStringList()> m_names;
    QCompleter* m_completer;
    QStringListModel* m_words;
};

/// The operations of a vector stage as a formula. What cannot be read or names nothing is underlined and explained
/// below; otherwise the line below shows how the operation at the cursor is written.
class FormulaEditor : public QWidget {
    Q_OBJECT

public:
    explicit FormulaEditor(const Theme& theme, QWidget* parent = nullptr);

    /// Shows operations; a text that is being edited stays.
    void setOps(const std::vector<VectorOp>& ops);
    /// Names offered while typing. Others cannot be read, but for those that the shown operations read already.
    void setNames(const std::function<QStringList()>& names) { m_text->setNames(names); }
    [[nodiscard]] FormulaText* text() const { return m_text; }
    /// What is shown below the text.
    [[nodiscard]] QString message() const;

signals:
    void edited(const std::vector<cubist::VectorOp>& ops);

private:
    /// Reads the text. A name that nothing has is a problem of it as well.
    [[nodiscard]] Formula read() const;
    void check();
    void commit();
    void showStored();

    const Theme& m_theme;
    FormulaText* m_text;
    TextLabel* m_message;
    std::vector<VectorOp> m_ops;
    QString m_stored;  ///< formula of m_ops
};

}  // namespace cubist

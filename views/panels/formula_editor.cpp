// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/formula_editor.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStringListModel>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "views/qt_text.h"
#include "views/widgets/document_undo.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

constexpr int kFewestLines = 2;
constexpr int kMostLines = 8;

bool isWordLetter(QChar c) {
    return c.isLetterOrNumber() || c == QLatin1Char('_');
}

QStringList operationNames() {
    QStringList names;
    for (const auto& [code, text] : EnumTable<VectorOpCode>::entries) names << qText(text);
    for (const auto& [type, text] : EnumTable<DType>::entries) names << qText(text);
    return names;
}

/// The first name among the operands that is neither known nor the result of an operation before; empty: none.
std::string unknownName(const std::vector<VectorOp>& ops, std::set<std::string> known) {
    for (const VectorOp& op : ops) {
        for (const Operand& operand : op.in)
            if (const ValueId* name = operand.value(); name && !name->empty() && !known.contains(name->text))
                return name->text;
        known.insert(op.out.text);
        known.insert(op.out2.text);
    }
    return {};
}

/// Bytes of the UTF-8 text where a name is read: a whole word, no function, key, result or comment.
FormulaProblem placeOfName(const QString& text, const QString& name, const QString& message) {
    FormulaProblem problem{message.toStdString(), 0, 0};
    for (qsizetype at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
        const qsizetype end = at + name.size();
        if ((at > 0 && isWordLetter(text[at - 1])) || (end < text.size() && isWordLetter(text[end]))) continue;
        const qsizetype line = text.lastIndexOf(QLatin1Char('\n'), at) + 1;
        if (QStringView(text).mid(line, at - line).contains(QLatin1Char('#'))) continue;
        const QStringView rest = QStringView(text).mid(end).trimmed();
        const bool assigned = rest.startsWith(QLatin1Char('=')) && !rest.startsWith(QLatin1String("=="));
        if (assigned || rest.startsWith(QLatin1Char('('))) continue;
        problem.begin = static_cast<std::size_t>(QStringView(text).left(at).toUtf8().size());
        problem.end = problem.begin + static_cast<std::size_t>(name.toUtf8().size());
        break;
    }
    return problem;
}

}  // namespace

FormulaText::FormulaText(QWidget* parent)
    : QPlainTextEdit(parent), m_completer(new QCompleter(this)), m_words(new QStringListModel(this)) {
    setObjectName(QStringLiteral("formula"));
    setFont(Theme::font(FontRole::Mono));
    setTabChangesFocus(true);
    setProperty("committed", true);
    useDocumentUndo(this);
    m_completer->setModel(m_words);
    m_completer->setWidget(this);
    m_completer->popup()->setProperty("panel", QStringLiteral("popup"));
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &FormulaText::insert);
    connect(this, &QPlainTextEdit::textChanged, this, [this] { updateGeometry(); });
    connect(this, &QPlainTextEdit::modificationChanged, this,
            [this](bool modified) { setProperty("modified", modified); });
}

QSize FormulaText::sizeHint() const {
    int lines = 0;
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
        lines += std::max(1, block.layout() ? block.layout()->lineCount() : 1);
    return {240, std::clamp(lines, kFewestLines, kMostLines) * fontMetrics().lineSpacing() + 20};
}

void FormulaText::mark(std::size_t begin, std::size_t end, const QColor& color) {
    QList<QTextEdit::ExtraSelection> marks;
    if (end > begin) {
        const QByteArray bytes = toPlainText().toUtf8();
        const auto characters = [&](std::size_t at) {
            return static_cast<int>(QString::fromUtf8(bytes.left(static_cast<qsizetype>(at))).size());
        };
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(document());
        const int last = std::max(0, static_cast<int>(toPlainText().size()));
        // A mistake at the end is shown under the last letter.
        const int from = std::min(characters(begin), std::max(0, last - 1));
        mark.cursor.setPosition(from);
        mark.cursor.setPosition(std::min(std::max(characters(end), from + 1), last), QTextCursor::KeepAnchor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(color);
        marks << mark;
    }
    setExtraSelections(marks);
}

QString FormulaText::wordAtCursor() const {
    const QString line = textCursor().block().text();
    const int end = textCursor().positionInBlock();
    int begin = end;
    while (begin > 0 && isWordLetter(line[begin - 1])) --begin;
    return line.mid(begin, end - begin);
}

void FormulaText::complete(bool always) {
    const QString word = wordAtCursor();
    if (word.isEmpty() && !always) {
        m_completer->popup()->hide();
        return;
    }
    QStringList words = m_names ? m_names() : QStringList();
    words << operationNames();
    words.removeDuplicates();
    if (words != m_words->stringList()) m_words->setStringList(words);
    m_completer->setCompletionPrefix(word);
    const bool complete = m_completer->completionCount() == 1 && m_completer->currentCompletion() == word;
    if (m_completer->completionCount() == 0 || complete) {
        m_completer->popup()->hide();
        return;
    }
    QRect at = cursorRect();
    at.setWidth(m_completer->popup()->sizeHintForColumn(0) +
                m_completer->popup()->verticalScrollBar()->sizeHint().width() + 16);
    m_completer->complete(at);
}

void FormulaText::insert(const QString& completion) {
    QTextCursor cursor = textCursor();
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, static_cast<int>(wordAtCursor().size()));
    const bool isOperation = fromText<VectorOpCode>(completion.toStdString()).has_value();
    cursor.insertText(isOperation ? completion + QLatin1Char('(') : completion);
    setTextCursor(cursor);
}

void FormulaText::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (m_completer->popup()->isVisible() && event->key() == Qt::Key_Escape) {
        m_completer->popup()->hide();  // the list goes, the text stays
        return;
    }
    if (m_completer->popup()->isVisible() &&
        (event->key() == Qt::Key_Tab || (enter && m_completer->popup()->currentIndex().isValid()))) {
        // Left to the list of completions, which takes the current one.
        if (event->key() == Qt::Key_Tab) {
            insert(m_completer->currentCompletion());
            m_completer->popup()->hide();
        } else {
            event->ignore();
        }
        return;
    }
    if (enter && !event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_completer->popup()->hide();
        emit committed();
        return;
    }
    if (event->key() == Qt::Key_Escape && document()->isModified()) {
        emit cancelled();
        return;
    }
    if (event->key() == Qt::Key_Space && event->modifiers().testFlag(Qt::ControlModifier)) {
        complete(true);
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
    const QString typed = event->text();
    if (!typed.isEmpty() && isWordLetter(typed.front()))
        complete(false);
    else
        m_completer->popup()->hide();
}

void FormulaText::focusOutEvent(QFocusEvent* event) {
    QPlainTextEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && document()->isModified()) emit committed();
}

FormulaEditor::FormulaEditor(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_text(new FormulaText),
      m_message(new TextLabel(theme, FontRole::UiSmall, Token::Muted)) {
    m_text->setAccessibleName(tr("Formula"));
    m_text->setToolTip(tr("Enter applies, Shift+Enter begins another line, Escape takes the typing back"));
    m_message->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_text);
    column->addWidget(m_message);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    connect(m_text, &QPlainTextEdit::textChanged, this, &FormulaEditor::check);
    connect(m_text, &QPlainTextEdit::cursorPositionChanged, this, &FormulaEditor::check);
    connect(m_text, &FormulaText::committed, this, &FormulaEditor::commit);
    connect(m_text, &FormulaText::cancelled, this, &FormulaEditor::showStored);
    connect(&theme, &Theme::changed, this, &FormulaEditor::check);
}

void FormulaEditor::setOps(const std::vector<VectorOp>& ops) {
    if (ops == m_ops && !m_stored.isEmpty()) return;
    m_ops = ops;
    m_stored = QString::fromStdString(formulaText(ops));
    if (!(m_text->hasFocus() && m_text->document()->isModified())) showStored();
}

void FormulaEditor::showStored() {
    const int caret = m_text->textCursor().position();
    m_text->setPlainText(m_stored);
    m_text->document()->setModified(false);
    if (m_text->hasFocus()) {
        QTextCursor cursor = m_text->textCursor();
        cursor.setPosition(std::min(caret, static_cast<int>(m_stored.size())));
        m_text->setTextCursor(cursor);
    }
    check();
}

QString FormulaEditor::message() const {
    return m_message->text();
}

Formula FormulaEditor::read() const {
    const QString text = m_text->toPlainText();
    Formula formula = parseFormula(text.toStdString(), m_ops.empty() ? std::string("y") : m_ops.back().out.text);
    const QStringList names = m_text->names();
    if (formula.problem || names.isEmpty()) return formula;
    std::set<std::string> known;
    for (const QString& name : names) known.insert(name.toStdString());
    // What the design says wrongly already is told by its findings; the rest of the formula can be edited.
    for (const VectorOp& op : m_ops)
        for (const Operand& operand : op.in)
            if (const ValueId* name = operand.value()) known.insert(name->text);
    const std::string unknown = unknownName(formula.ops, std::move(known));
    if (unknown.empty()) return formula;
    const QString name = QString::fromStdString(unknown);
    formula.problem = placeOfName(text, name, tr("no tensor or result is called %1").arg(name));
    formula.ops.clear();
    return formula;
}

void FormulaEditor::check() {
    const Formula formula = read();
    m_message->setToken(formula.problem ? Token::Error : Token::Muted);
    if (formula.problem) {
        m_text->mark(formula.problem->begin, formula.problem->end, m_theme.color(Token::Error));
        m_message->setText(QString::fromStdString(formula.problem->message));
        return;
    }
    m_text->mark(0, 0, {});
    const QString word = m_text->wordAtCursor();
    const auto code = fromText<VectorOpCode>(word.toStdString());
    m_message->setText(code ? QString::fromStdString(formulaSignature(*code))
                            : tr("+ - * /, comparisons, and functions such as exp, cast, sum; F1 says more"));
}

void FormulaEditor::commit() {
    const Formula formula = read();
    if (formula.problem) return;  // it stays, with its mark
    // A last line without a name keeps the result's, and parts keep theirs where nothing else changed.
    m_text->document()->setModified(false);
    if (formula.ops != m_ops) emit edited(formula.ops);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/field_widgets.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLocale>
#include <QStringListModel>
#include <QStyle>

#include <cmath>
#include <utility>

#include "views/theme.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/document_undo.h"

namespace cubist {
namespace {

/// Commas inside parentheses belong to a function call.
QStringList splitOutsideParentheses(const QString& text) {
    QStringList parts;
    QString part;
    int depth = 0;
    for (const QChar c : text) {
        if (c == QLatin1Char('(') || c == QLatin1Char('[')) ++depth;
        if (c == QLatin1Char(')') || c == QLatin1Char(']')) --depth;
        if (c == QLatin1Char(',') && depth == 0) {
            parts << part.trimmed();
            part.clear();
        } else {
            part += c;
        }
    }
    parts << part.trimmed();
    return parts;
}

/// The style outlines a field in this state.
void markRefused(QLineEdit* line, bool refused) {
    if ((line->property("state") == QLatin1String("error")) == refused) return;
    line->setProperty("state", refused ? QStringLiteral("error") : QString());
    line->style()->unpolish(line);
    line->style()->polish(line);
}

class CommittedLine : public QLineEdit {
public:
    QString before;

protected:
    void focusInEvent(QFocusEvent* event) override {
        before = text();
        QLineEdit::focusInEvent(event);
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Escape && isModified()) {
            setText(before);
            setModified(false);
            markRefused(this, false);
            return;
        }
        QLineEdit::keyPressEvent(event);
    }
};

/// Completes the last of several names.
class NameCompleter : public QCompleter {
public:
    using QCompleter::QCompleter;
    [[nodiscard]] QString pathFromIndex(const QModelIndex& index) const override {
        const auto* line = qobject_cast<QLineEdit*>(widget());
        const QString typed = line ? line->text() : QString();
        const qsizetype comma = typed.lastIndexOf(QLatin1Char(','));
        return (comma < 0 ? QString() : typed.left(comma + 1) + QLatin1Char(' ')) + QCompleter::pathFromIndex(index);
    }
    [[nodiscard]] QStringList splitPath(const QString& path) const override {
        return {path.section(QLatin1Char(','), -1).trimmed()};
    }
};

template <class T, class ValueText>
QString textOf(const Dictionary<T>& values, ValueText&& valueText) {
    QStringList parts;
    for (const auto& entry : values.entries)
        parts << QStringLiteral("%1: %2").arg(QString::fromStdString(entry.key), valueText(entry.value));
    return parts.join(QLatin1String(", "));
}

/// Calls `set(key, value)` for each "key: value"; false when a part is none.
bool forEachPair(const QString& text, const std::function<bool(const std::string&, const QString&)>& set) {
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const qsizetype colon = part.indexOf(QLatin1Char(':'));
        const QString key = part.left(colon).trimmed();
        if (colon < 0 || key.isEmpty() || !set(key.toStdString(), part.mid(colon + 1).trimmed())) return false;
    }
    return true;
}

}  // namespace

QLineEdit* typedLine(const QString& name, const std::function<void(const QString&)>& typed,
                     const std::function<void()>& done) {
    auto* line = new QLineEdit;
    line->setAccessibleName(name);
    useDocumentUndo(line);
    QObject::connect(line, &QLineEdit::textEdited, line, typed);
    QObject::connect(line, &QLineEdit::editingFinished, line, done);
    return line;
}

QLineEdit* committedLine(const QString& name, const std::function<bool(const QString&)>& commit,
                         const std::function<void()>& done) {
    auto* line = new CommittedLine;
    line->setAccessibleName(name);
    line->setFont(Theme::font(FontRole::Mono));
    line->setProperty("committed", true);
    useDocumentUndo(line);
    QObject::connect(line, &QLineEdit::textEdited, line, [line] { markRefused(line, false); });
    QObject::connect(line, &QLineEdit::editingFinished, line, [line, commit, done] {
        if (!line->isModified()) return;
        line->setModified(false);
        // A refused text stays, so that it can be corrected; leaving the field a second time shows what is stored.
        const bool taken = commit(line->text());
        markRefused(line, !taken);
        if (!taken) return;
        line->before = line->text();
        done();
    });
    return line;
}

ChoiceBox* choiceBox(const QString& name) {
    return new ChoiceBox(name);
}

void showText(QLineEdit* line, const QString& text) {
    if (line->text() == text || (line->hasFocus() && line->isModified())) return;
    line->setText(text);
    markRefused(line, false);
    // A long text shows its beginning.
    if (!line->hasFocus()) line->setCursorPosition(0);
}

void completeWith(QLineEdit* line, const std::function<QStringList()>& names) {
    auto* model = new QStringListModel(line);
    auto* completer = new NameCompleter(model, line);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    line->setCompleter(completer);
    QObject::connect(line, &QLineEdit::textEdited, model, [model, names] {
        const QStringList known = names();
        if (known != model->stringList()) model->setStringList(known);
    });
}

QString expressionsText(const std::vector<Expression>& expressions) {
    QStringList parts;
    for (const Expression& expression : expressions) parts << QString::fromStdString(expression.text());
    return parts.join(QLatin1String(", "));
}

Result<std::vector<Expression>> parseExpressions(const QString& text) {
    std::vector<Expression> expressions;
    if (text.trimmed().isEmpty()) return expressions;
    for (const QString& part : splitOutsideParentheses(text)) {
        Expression expression(part.toStdString());
        if (const auto names = expression.names(); !names) return unexpected(names.error());
        expressions.push_back(std::move(expression));
    }
    return expressions;
}

QString integersText(const std::vector<std::int64_t>& values) {
    QStringList parts;
    for (const std::int64_t value : values) parts << QString::number(value);
    return parts.join(QLatin1String(", "));
}

std::optional<std::vector<std::int64_t>> parseIntegers(const QString& text) {
    std::vector<std::int64_t> values;
    if (text.trimmed().isEmpty()) return values;
    for (const QString& part : text.split(QLatin1Char(','))) {
        bool isInteger = false;
        values.push_back(part.trimmed().toLongLong(&isInteger));
        if (!isInteger) return std::nullopt;
    }
    return values;
}

QString dictionaryText(const Dictionary<std::int64_t>& values) {
    return textOf(values, [](std::int64_t value) { return QString::number(value); });
}

std::optional<Dictionary<std::int64_t>> parseDictionary(const QString& text) {
    Dictionary<std::int64_t> values;
    const bool valid = forEachPair(text, [&](const std::string& key, const QString& value) {
        bool isInteger = false;
        values.set(key, value.toLongLong(&isInteger));
        return isInteger;
    });
    return valid ? std::optional(values) : std::nullopt;
}

QString dictionaryText(const Dictionary<std::string>& values) {
    return textOf(values, [](const std::string& value) { return QString::fromStdString(value); });
}

std::optional<Dictionary<std::string>> parseTextDictionary(const QString& text) {
    Dictionary<std::string> values;
    const bool valid = forEachPair(text, [&](const std::string& key, const QString& value) {
        values.set(key, value.toStdString());
        return !value.isEmpty();
    });
    return valid ? std::optional(values) : std::nullopt;
}

std::optional<double> parseNumber(const QString& text) {
    bool valid = false;
    const double value = QLocale::c().toDouble(text.trimmed(), &valid);
    return valid && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

QString plainNumber(double value) {
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

}  // namespace cubist

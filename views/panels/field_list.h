// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QFormLayout>

#include <functional>
#include <utility>
#include <vector>

#include "core/base/enum_table.h"
#include "views/choice_text.h"
#include "views/local_text.h"
#include "views/panels/field_widgets.h"
#include "views/qt_text.h"
#include "views/widgets/step_spin_box.h"
#include "views/widgets/wrap_check_box.h"

class QLabel;

namespace cubist {

/// A line of a form; the fields of all sections begin at the same place unless a name is long.
QLabel* addFieldLine(QFormLayout* form, const QString& name, QWidget* field);

/// Lines of forms, each showing and editing one key of the document.
class FieldList {
public:
    FieldList(const Theme& theme, std::function<void()> endRun) : m_theme(theme), m_endRun(std::move(endRun)) {}

    /// Where the next fields go.
    void into(QFormLayout* form) { m_form = form; }
    /// Shows what the document holds now, and only the lines that mean something then.
    void refresh() const;

    /// What may still be said about the field added last.
    class Added {
    public:
        Added(FieldList& list, QWidget* widget) : m_list(list), m_widget(widget) {}
        Added& tip(const QString& text);
        /// The line is hidden while this is false.
        Added& onlyIf(std::function<bool()> relevant);
        [[nodiscard]] QWidget* widget() const { return m_widget; }

    private:
        FieldList& m_list;
        QWidget* m_widget;
    };

protected:
    Added add(const char* key, const QString& name, QWidget* widget, std::function<void()> show);
    StepSpinBox* spinBox(const QString& name, const std::function<void(std::optional<std::int64_t>)>& edited) const;
    [[nodiscard]] static LocalText changeLabel(const LocalText& name);

    const Theme& m_theme;
    std::function<void()> m_endRun;

private:
    struct Line {
        QFormLayout* form;
        QWidget* widget;
        std::function<void()> show;
        std::function<bool()> relevant;
    };
    QFormLayout* m_form = nullptr;
    std::vector<Line> m_lines;
};

/// Fields of one piece of the document. `member` is a pointer to a member, or a function that gives the member of a
/// constant and of a changeable piece: `[](auto& stage) -> auto& { return stage.tile.splitK; }`.
template <class Content>
class FieldsOf : public FieldList {
public:
    using Read = std::function<const Content*()>;  ///< null while there is nothing to show
    using Edit = std::function<void(Content&)>;
    /// False when the document refused it. Edits with the same key that follow each other are one step.
    using Change = std::function<bool(const LocalText& label, const Edit& edit, const QString& mergeKey)>;

    FieldsOf(const Theme& theme, std::function<void()> endRun, Read read, Change change)
        : FieldList(theme, std::move(endRun)), m_read(std::move(read)), m_change(std::move(change)) {}

    template <class Member>
    Added text(const char* key, const LocalText& name, Member member) {
        QLineEdit* line = typedLine(
            name(),
            [this, member, name, key](const QString& typed) {
                m_change(
                    changeLabel(name), [&](Content& c) { std::invoke(member, c) = typed.toStdString(); },
                    QString::fromLatin1(key));
            },
            m_endRun);
        return add(key, name(), line,
                   show(line, member, [](const std::string& value) { return QString::fromStdString(value); }));
    }
    /// A name of something else in the design; `known` is offered while typing.
    template <class Member>
    Added reference(const char* key, const LocalText& name, Member member, const std::function<QStringList()>& known) {
        Added added = committed(
            key, name, member,
            [](auto& value, const QString& text) {
                value.text = text.trimmed().toStdString();
                return true;
            },
            [](const auto& value) { return QString::fromStdString(value.text); });
        completeWith(static_cast<QLineEdit*>(added.widget()), known);
        return added;
    }
    template <class Member>
    Added references(const char* key, const LocalText& name, Member member, const std::function<QStringList()>& known) {
        Added added = committed(
            key, name, member,
            [](auto& values, const QString& text) {
                values.clear();
                for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
                    values.emplace_back(part.trimmed().toStdString());
                return true;
            },
            [](const auto& values) {
                QStringList names;
                for (const auto& value : values) names << QString::fromStdString(value.text);
                return names.join(QLatin1String(", "));
            });
        completeWith(static_cast<QLineEdit*>(added.widget()), known);
        return added;
    }
    template <class Member>
    Added flag(const char* key, const LocalText& name, Member member) {
        auto* box = new WrapCheckBox(name());
        QObject::connect(box, &QCheckBox::clicked, box, [this, member, name](bool on) {
            m_change(changeLabel(name), [&](Content& c) { std::invoke(member, c) = on; }, {});
        });
        return add(key, {}, box, [this, box, member] {
            if (const Content* c = m_read()) box->setChecked(std::invoke(member, *c));
        });
    }
    template <class Enum, class Member>
    Added choice(const char* key, const LocalText& name, Member member) {
        QComboBox* box = choiceBox(name());
        for (const auto& [value, text] : EnumTable<Enum>::entries)
            box->addItem(choiceText(text), static_cast<int>(value));
        QObject::connect(box, &QComboBox::activated, box, [this, box, member, name](int) {
            const auto value = static_cast<Enum>(box->currentData().toInt());
            m_change(changeLabel(name), [&](Content& c) { std::invoke(member, c) = value; }, {});
        });
        return add(key, name(), box, [this, box, member] {
            if (const Content* c = m_read())
                box->setCurrentIndex(box->findData(static_cast<int>(std::invoke(member, *c))));
        });
    }
    template <class Member>
    Added integer(const char* key, const LocalText& name, Member member, std::vector<std::int64_t> steps = {}) {
        StepSpinBox* box = spinBox(name(), [this, member, name, key](std::optional<std::int64_t> value) {
            m_change(
                changeLabel(name), [&](Content& c) { std::invoke(member, c) = value.value_or(0); },
                QString::fromLatin1(key));
        });
        box->setSteps(std::move(steps));
        return add(key, name(), box, [this, box, member] {
            if (const Content* c = m_read()) box->setValue(std::invoke(member, *c));
        });
    }
    /// `empty`: what no value means.
    template <class Member>
    Added optionalInteger(const char* key, const LocalText& name, Member member, const QString& empty,
                          std::vector<std::int64_t> steps = {}) {
        StepSpinBox* box = spinBox(name(), [this, member, name, key](std::optional<std::int64_t> value) {
            m_change(
                changeLabel(name), [&](Content& c) { std::invoke(member, c) = value; }, QString::fromLatin1(key));
        });
        box->setEmptyText(empty);
        box->setSteps(std::move(steps));
        return add(key, name(), box, [this, box, member] {
            if (const Content* c = m_read()) box->setValue(std::invoke(member, *c));
        });
    }
    template <class Member>
    Added number(const char* key, const LocalText& name, Member member) {
        return committed(
            key, name, member,
            [](double& value, const QString& text) {
                const auto parsed = parseNumber(text);
                if (parsed) value = *parsed;
                return parsed.has_value();
            },
            plainNumber);
    }
    template <class Member>
    Added optionalNumber(const char* key, const LocalText& name, Member member, const QString& empty) {
        Added added = committed(
            key, name, member,
            [](std::optional<double>& value, const QString& text) {
                const auto parsed = parseNumber(text);
                if (parsed || text.trimmed().isEmpty()) value = parsed;
                return parsed || text.trimmed().isEmpty();
            },
            [](const std::optional<double>& value) { return value ? plainNumber(*value) : QString(); });
        static_cast<QLineEdit*>(added.widget())->setPlaceholderText(empty);
        return added;
    }
    template <class Member>
    Added integers(const char* key, const LocalText& name, Member member) {
        return committed(
            key, name, member,
            [](std::vector<std::int64_t>& values, const QString& text) {
                const auto parsed = parseIntegers(text);
                if (parsed) values = *parsed;
                return parsed.has_value();
            },
            integersText);
    }
    template <class Member>
    Added expression(const char* key, const LocalText& name, Member member) {
        return committed(
            key, name, member,
            [](Expression& value, const QString& text) {
                Expression parsed(text.trimmed().toStdString());
                if (!parsed.names()) return false;
                value = std::move(parsed);
                return true;
            },
            [](const Expression& value) { return QString::fromStdString(value.text()); });
    }
    template <class Member>
    Added expressions(const char* key, const LocalText& name, Member member, const QString& empty = {}) {
        Added added = committed(
            key, name, member,
            [](std::vector<Expression>& values, const QString& text) {
                auto parsed = parseExpressions(text);
                if (parsed) values = *parsed;
                return parsed.has_value();
            },
            expressionsText);
        static_cast<QLineEdit*>(added.widget())->setPlaceholderText(empty);
        return added;
    }
    template <class Member>
    Added dictionary(const char* key, const LocalText& name, Member member, const QString& empty) {
        Added added = committed(
            key, name, member,
            [](Dictionary<std::int64_t>& values, const QString& text) {
                const auto parsed = parseDictionary(text);
                if (parsed) values = *parsed;
                return parsed.has_value();
            },
            [](const Dictionary<std::int64_t>& values) { return dictionaryText(values); });
        static_cast<QLineEdit*>(added.widget())->setPlaceholderText(empty);
        return added;
    }
    template <class Member>
    Added textDictionary(const char* key, const LocalText& name, Member member, const QString& empty) {
        Added added = committed(
            key, name, member,
            [](Dictionary<std::string>& values, const QString& text) {
                const auto parsed = parseTextDictionary(text);
                if (parsed) values = *parsed;
                return parsed.has_value();
            },
            [](const Dictionary<std::string>& values) { return dictionaryText(values); });
        static_cast<QLineEdit*>(added.widget())->setPlaceholderText(empty);
        return added;
    }
    /// A text that `parse(member, text)` takes over or refuses.
    template <class Member, class Parse, class Text>
    Added committed(const char* key, const LocalText& name, Member member, Parse parse, Text toShow) {
        QLineEdit* line = committedLine(
            name(),
            [this, member, name, parse](const QString& text) {
                bool valid = true;
                const bool taken =
                    m_change(changeLabel(name), [&](Content& c) { valid = parse(std::invoke(member, c), text); }, {});
                return taken && valid;
            },
            m_endRun);
        return add(key, name(), line, show(line, member, toShow));
    }

    [[nodiscard]] const Content* content() const { return m_read(); }

private:
    template <class Member, class Text>
    std::function<void()> show(QLineEdit* line, Member member, Text toShow) {
        return [this, line, member, toShow] {
            if (const Content* c = m_read()) showText(line, toShow(std::invoke(member, *c)));
        };
    }

    Read m_read;
    Change m_change;
};

}  // namespace cubist

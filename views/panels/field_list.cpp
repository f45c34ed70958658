// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/field_list.h"

#include <QLabel>

namespace cubist {
namespace {

constexpr int kNameWidth = 64;
constexpr int kFieldHeight = 28;

}  // namespace

QLabel* addFieldLine(QFormLayout* form, const QString& name, QWidget* field) {
    auto* label = new QLabel(name);
    label->setProperty("role", "muted");
    label->setMinimumSize(kNameWidth, kFieldHeight);
    label->setBuddy(field);
    if (auto* box = qobject_cast<StepSpinBox*>(field)) box->addScrubHandle(label);
    form->addRow(label, field);
    return label;
}

FieldList::Added FieldList::add(const char* key, const QString& name, QWidget* widget, std::function<void()> show) {
    widget->setProperty("key", QString::fromLatin1(key));
    if (name.isEmpty())
        m_form->addRow(widget);
    else
        addFieldLine(m_form, name, widget);
    m_lines.push_back({m_form, widget, std::move(show), {}});
    return Added(*this, widget);
}

FieldList::Added& FieldList::Added::tip(const QString& text) {
    m_widget->setToolTip(text);
    m_widget->setAccessibleDescription(text);
    for (const Line& line : m_list.m_lines)
        if (line.widget == m_widget)
            if (QWidget* label = line.form->labelForField(m_widget)) label->setToolTip(text);
    return *this;
}

FieldList::Added& FieldList::Added::onlyIf(std::function<bool()> relevant) {
    for (Line& line : m_list.m_lines)
        if (line.widget == m_widget) line.relevant = std::move(relevant);
    return *this;
}

void FieldList::refresh() const {
    for (const Line& line : m_lines) {
        if (line.relevant) line.form->setRowVisible(line.widget, line.relevant());
        line.show();
    }
}

StepSpinBox* FieldList::spinBox(const QString& name,
                                const std::function<void(std::optional<std::int64_t>)>& edited) const {
    auto* box = new StepSpinBox(m_theme, {});
    box->setAccessibleName(name);
    QObject::connect(box, &StepSpinBox::edited, box,
                     [edited](std::optional<std::int64_t> value, bool) { edited(value); });
    QObject::connect(box, &QAbstractSpinBox::editingFinished, box, m_endRun);
    return box;
}

LocalText FieldList::changeLabel(const LocalText& name) {
    return [name] { return QCoreApplication::translate("cubist::FieldList", "Change %1").arg(name()); };
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/layout_check.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QToolButton>

#include <utility>

#include "views/widgets/caption_box.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"

namespace cubist::test {
namespace {

QString pathOf(const QWidget& widget) {
    QStringList parts;
    for (const QWidget* at = &widget; at && parts.size() < 5; at = at->parentWidget())
        parts.prepend(at->objectName().isEmpty() ? QString::fromLatin1(at->metaObject()->className())
                                                 : at->objectName());
    return parts.join(QLatin1Char('/'));
}

QString textOf(const QRect& area) {
    return QStringLiteral("%1x%2 at %3,%4").arg(area.width()).arg(area.height()).arg(area.x()).arg(area.y());
}

bool isInScrolledContent(const QWidget& widget) {
    for (const QWidget* at = widget.parentWidget(); at; at = at->parentWidget())
        if (qobject_cast<const QAbstractScrollArea*>(at)) return true;
    return false;
}

QString labelFault(const QLabel& label) {
    if (label.text().isEmpty()) return {};
    if (const auto* elided = qobject_cast<const ElidedLabel*>(&label))
        return label.text() == elided->wholeText() ? QString()
                                                   : QStringLiteral("'%1' is elided").arg(elided->wholeText());
    const QRect room = label.contentsRect();
    if (label.wordWrap()) {
        const int needed = label.heightForWidth(label.width());
        if (needed > label.height() + 2)
            return QStringLiteral("text needs %1 px of height, has %2").arg(needed).arg(label.height());
        return {};
    }
    const int needed = label.fontMetrics().size(Qt::TextShowMnemonic, label.text()).width();
    if (needed > room.width() + 1)
        return QStringLiteral("'%1' needs %2 px, has %3").arg(label.text()).arg(needed).arg(room.width());
    return {};
}

QString comboFault(const QComboBox& box) {
    if (box.currentText().isEmpty() || box.isEditable()) return {};
    if (const auto* caption = qobject_cast<const CaptionBox*>(&box))
        return caption->isElided() ? QStringLiteral("'%1' is elided").arg(box.currentText()) : QString();
    QStyleOptionComboBox option;
    option.initFrom(&box);
    const QRect field = box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box);
    const auto* choice = qobject_cast<const ChoiceBox*>(&box);
    const QString shown = choice ? choice->closedText() : box.currentText();
    const int needed = box.fontMetrics().horizontalAdvance(shown);
    if (needed > field.width() + 2)
        return QStringLiteral("'%1' needs %2 px, has %3").arg(shown).arg(needed).arg(field.width());
    return {};
}

QString textFault(const QWidget& widget) {
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) return labelFault(*label);
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
        const auto* tool = qobject_cast<const QToolButton*>(button);
        const bool iconOnly = button->text().isEmpty() || (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly);
        if (!iconOnly && button->minimumSizeHint().width() > button->width() + 1)
            return QStringLiteral("'%1' needs %2 px, has %3")
                .arg(button->text())
                .arg(button->minimumSizeHint().width())
                .arg(button->width());
        return {};
    }
    if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return comboFault(*box);
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->fontMetrics().horizontalAdvance(tabs->tabText(i)) > tabs->tabRect(i).width())
                return QStringLiteral("tab '%1' is cut off").arg(tabs->tabText(i));
        return {};
    }
    if (const auto* header = qobject_cast<const QHeaderView*>(&widget)) {
        if (header->orientation() != Qt::Horizontal) return {};
        for (int i = 0; i < header->count(); ++i) {
            const QString text = header->model()->headerData(i, Qt::Horizontal).toString();
            if (!header->isSectionHidden(i) && header->fontMetrics().horizontalAdvance(text) > header->sectionSize(i))
                return QStringLiteral("column '%1' is cut off").arg(text);
        }
    }
    return {};
}

/// In a dock that another one covers as a tab: Qt keeps such docks visible, but places them outside of the window.
bool isBehindTab(const QWidget& widget) {
    for (const QWidget* at = &widget; at; at = at->parentWidget())
        if (qobject_cast<const QDockWidget*>(at)) return at->visibleRegion().isEmpty();
    return false;
}

void checkLayout(const QWidget& parent, QStringList& faults) {
    if (!parent.layout()) return;
    QList<QWidget*> shown;
    for (QWidget* child : parent.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (child->isVisible() && !child->isWindow() && !child->size().isEmpty() && !isBehindTab(*child) &&
            parent.layout()->indexOf(child) >= 0)
            shown << child;
    for (qsizetype i = 0; i < shown.size(); ++i) {
        // A pixel of slack: styles draw frames over their neighbours'.
        const QRect area = shown[i]->geometry().adjusted(1, 1, -1, -1);
        for (qsizetype j = i + 1; j < shown.size(); ++j)
            if (area.intersects(shown[j]->geometry().adjusted(1, 1, -1, -1)))
                faults << QStringLiteral("%1 %2 and %3 %4 overlap")
                              .arg(pathOf(*shown[i]), textOf(shown[i]->geometry()), pathOf(*shown[j]),
                                   textOf(shown[j]->geometry()));
        if (!isInScrolledContent(*shown[i]) && !parent.rect().adjusted(-1, -1, 1, 1).contains(shown[i]->geometry()))
            faults << QStringLiteral("%1 sticks out of its parent").arg(pathOf(*shown[i]));
    }
}

/// Two scroll bars beside each other: one area scrolls inside of another, and nobody knows which bar is whose.
void checkScrollBars(const QWidget& window, QStringList& faults) {
    constexpr int kBeside = 8;     ///< px between them
    constexpr int kTogether = 24;  ///< px of height that they share
    QList<std::pair<QRect, const QScrollBar*>> bars;
    for (const QScrollBar* bar : window.findChildren<QScrollBar*>()) {
        const bool shown = bar->isVisible() && bar->window() == &window && !bar->visibleRegion().isEmpty();
        if (!shown || bar->orientation() != Qt::Vertical || isBehindTab(*bar)) continue;
        const QRect area = bar->visibleRegion().boundingRect().translated(bar->mapTo(&window, QPoint()));
        for (const auto& [other, first] : bars)
            if (area.adjusted(-kBeside, 0, kBeside, 0).intersected(other).height() > kTogether)
                faults << QStringLiteral("%1 and %2 scroll side by side").arg(pathOf(*first), pathOf(*bar));
        bars.append({area, bar});
    }
}

}  // namespace

QStringList layoutFaults(const QWidget& window) {
    QStringList faults;
    checkLayout(window, faults);
    checkScrollBars(window, faults);
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &window || isBehindTab(*widget)) continue;
        if (const QString fault = textFault(*widget); !fault.isEmpty())
            faults << pathOf(*widget) + QStringLiteral(": ") + fault;
        checkLayout(*widget, faults);
        const auto* area = qobject_cast<const QScrollArea*>(widget);
        if (area && area->widget() && area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff &&
            area->widget()->width() > area->viewport()->width())
            faults << QStringLiteral("%1: content is %2 px wide, has %3")
                          .arg(pathOf(*widget))
                          .arg(area->widget()->width())
                          .arg(area->viewport()->width());
    }
    return faults;
}

}  // namespace cubist::test

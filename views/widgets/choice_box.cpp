// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/choice_box.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QScrollBar>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace cubist {

ChoiceBox::ChoiceBox(const QString& accessibleName, QWidget* parent) : QComboBox(parent) {
    setAccessibleName(accessibleName);
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
}

QString ChoiceBox::closedText() const {
    const QString brief = currentData(kShortText).toString();
    return brief.isEmpty() ? currentText() : brief;
}

void ChoiceBox::showPopup() {
    const int content = view()->sizeHintForColumn(0) + view()->verticalScrollBar()->sizeHint().width() + 8;
    view()->setMinimumWidth(std::max(width(), content));
    QComboBox::showPopup();
}

int ChoiceBox::textWidth() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    return style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() - 2;
}

bool ChoiceBox::event(QEvent* event) {
    const QString whole = closedText();
    if (event->type() != QEvent::ToolTip || fontMetrics().horizontalAdvance(whole) <= textWidth())
        return QComboBox::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                       toolTip().isEmpty() ? whole : whole + QLatin1Char('\n') + toolTip(), this);
    return true;
}

void ChoiceBox::wheelEvent(QWheelEvent* event) {
    // The panel around it scrolls on.
    if (hasFocus())
        QComboBox::wheelEvent(event);
    else
        event->ignore();
}

void ChoiceBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = fontMetrics().elidedText(closedText(), Qt::ElideRight, textWidth());
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace cubist

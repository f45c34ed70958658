// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/choice_box.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

#include "views/theme.h"

namespace cubist {
namespace {

constexpr int kVisibleItems = 16;
constexpr int kBesideText = 54;  ///< px: frame, margins and the arrow

}  // namespace

ChoiceBox::ChoiceBox(const QString& accessibleName, QWidget* parent) : QComboBox(parent) {
    setAccessibleName(accessibleName);
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
    setMaxVisibleItems(kVisibleItems);
}

QString ChoiceBox::closedText() const {
    if (currentIndex() < 0) return placeholderText();
    const QString brief = currentData(kShortText).toString();
    return brief.isEmpty() ? currentText() : brief;
}

void ChoiceBox::showPopup() {
    const int content = view()->sizeHintForColumn(0) + view()->verticalScrollBar()->sizeHint().width() + 8;
    view()->setMinimumWidth(std::max(width(), content));
    ++m_run;
    QComboBox::showPopup();
}

void ChoiceBox::fitToItems() {
    int widest = 0;
    for (int i = 0; i < count(); ++i)
        widest = std::max(widest, QFontMetrics(Theme::font(FontRole::Ui)).horizontalAdvance(itemText(i)));
    // Letters are a little wider where a scale factor moves them off whole pixels.
    setMinimumWidth(widest + widest / 16 + kBesideText);
}

QString ChoiceBox::runKey() {
    const auto* box = qobject_cast<const ChoiceBox*>(QApplication::focusWidget());
    if (!box || !box->m_stepping) return {};
    return QStringLiteral("choice/%1/%2").arg(reinterpret_cast<quintptr>(box)).arg(box->m_run);
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
    if (!hasFocus()) {
        event->ignore();
        return;
    }
    m_stepping = true;
    QComboBox::wheelEvent(event);
    m_stepping = false;
}

void ChoiceBox::keyPressEvent(QKeyEvent* event) {
    m_stepping = true;
    QComboBox::keyPressEvent(event);
    m_stepping = false;
}

void ChoiceBox::focusInEvent(QFocusEvent* event) {
    ++m_run;
    QComboBox::focusInEvent(event);
}

void ChoiceBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    if (currentIndex() < 0) option.palette.setBrush(QPalette::ButtonText, option.palette.placeholderText());
    option.currentText = fontMetrics().elidedText(closedText(), Qt::ElideRight, textWidth());
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace cubist

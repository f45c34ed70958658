// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/wrap_check_box.h"

#include <QPainter>
#include <QStyleOptionButton>

#include <algorithm>

namespace cubist {
namespace {

constexpr int kIndicator = 16;
constexpr int kGap = 8;
constexpr int kLeastText = 80;
constexpr int kLeastHeight = 24;
constexpr int kFlags = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap;

}  // namespace

WrapCheckBox::WrapCheckBox(const QString& text, QWidget* parent) : QCheckBox(text, parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

int WrapCheckBox::textLeft() const {
    return kIndicator + kGap;
}

int WrapCheckBox::heightForWidth(int width) const {
    const int room = std::max(kLeastText, width - textLeft());
    return std::max(kLeastHeight, fontMetrics().boundingRect(QRect(0, 0, room, 10000), kFlags, text()).height() + 6);
}

QSize WrapCheckBox::sizeHint() const {
    constexpr int kComfortable = 260;
    const int width = std::min(kComfortable, textLeft() + fontMetrics().horizontalAdvance(text()) + 4);
    return {width, heightForWidth(width)};
}

QSize WrapCheckBox::minimumSizeHint() const {
    return {textLeft() + kLeastText, kLeastHeight};
}

void WrapCheckBox::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    const int line = std::min(height(), kLeastHeight);
    option.rect = QRect(0, (line - kIndicator) / 2, kIndicator, kIndicator);
    style()->drawPrimitive(QStyle::PE_IndicatorCheckBox, &option, &painter, this);
    const QPalette::ColorRole role = hasFocus() ? QPalette::Link : QPalette::WindowText;
    painter.setPen(palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, role));
    painter.drawText(QRect(textLeft(), 0, width() - textLeft(), height()), kFlags, text());
}

}  // namespace cubist

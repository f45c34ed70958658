// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/group_bars.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "views/models/group_counts.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr double kLeft = 44.0;
constexpr double kBottom = 20.0;
constexpr double kTop = 8.0;
constexpr double kRight = 8.0;
constexpr double kEmptyHeight = 10.0;
constexpr double kLabelWidth = 22.0;  ///< bars narrower than this have no number below

}  // namespace

GroupBars::GroupBars(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Rows of each group"));
    setMouseTracking(true);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void GroupBars::setCounts(const std::vector<std::int64_t>& counts) {
    m_counts = counts;
    if (m_current >= m_counts.size()) m_current = 0;
    update();
}

void GroupBars::setCurrent(std::size_t group) {
    if (group == m_current || group >= m_counts.size()) return;
    m_current = group;
    update();
    emit currentChanged(group);
}

QRectF GroupBars::area() const {
    return QRectF(rect()).adjusted(kLeft, kTop, -kRight, -kBottom);
}

std::int64_t GroupBars::top() const {
    if (m_top > 0) return m_top;
    return std::max<std::int64_t>(1, summarise(m_counts).largest);
}

QRectF GroupBars::barRect(std::size_t group) const {
    const QRectF all = area();
    const double step = all.width() / static_cast<double>(std::max<std::size_t>(1, m_counts.size()));
    const double gap = step > 6.0 ? 2.0 : 0.0;
    const std::int64_t count = m_counts[group];
    const double share = std::min(1.0, static_cast<double>(count) / static_cast<double>(top()));
    const double height = count == 0 ? kEmptyHeight : std::max(2.0, share * all.height());
    return {all.left() + step * static_cast<double>(group) + gap / 2, all.bottom() - height, std::max(1.0, step - gap),
            height};
}

void GroupBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF all = area();
    const GroupSummary summary = summarise(m_counts);
    painter.setFont(Theme::font(FontRole::MonoSmall));
    painter.setPen(m_theme.color(Token::Muted));
    painter.drawText(QRectF(0, all.top() - 6, kLeft - 6, 14), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(top()));
    painter.drawText(QRectF(0, all.bottom() - 8, kLeft - 6, 14), Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("0"));
    painter.setPen(QPen(m_theme.color(Token::Border), 1.0));
    painter.drawLine(all.bottomLeft(), all.bottomRight());
    for (std::size_t group = 0; group < m_counts.size(); ++group) {
        const QRectF bar = barRect(group);
        if (m_counts[group] == 0)
            drawHatch(painter, bar, m_theme, 2.0);
        else
            drawBar(painter, bar, m_theme.color(Token::Cube), 2.0);
        if (group == m_current) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(m_theme.color(hasFocus() ? Token::Select : Token::Text), 1.6));
            painter.drawRoundedRect(bar.adjusted(-1, -1, 1, 1), 2.0, 2.0);
        }
        if (bar.width() < kLabelWidth && group != m_current) continue;
        painter.setPen(m_theme.color(group == m_current ? Token::Text : Token::Muted));
        const QRectF label(bar.center().x() - 20, all.bottom() + 4, 40, 14);
        painter.drawText(label, Qt::AlignCenter, QString::number(group));
    }
    if (summary.mean <= 0.0) return;
    const double mean = all.bottom() - summary.mean / static_cast<double>(top()) * all.height();
    painter.setPen(QPen(m_theme.color(Token::Vector), 1.4, Qt::DashLine));
    painter.drawLine(QPointF(all.left(), mean), QPointF(all.right(), mean));
}

std::size_t GroupBars::groupAt(double x) const {
    const double step = area().width() / static_cast<double>(std::max<std::size_t>(1, m_counts.size()));
    const double index = std::floor((x - area().left()) / step);
    return static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(m_counts.size() - 1)));
}

void GroupBars::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_counts.empty()) return;
    setCurrent(groupAt(event->position().x()));
    m_top = 0;
}

void GroupBars::mouseMoveEvent(QMouseEvent* event) {
    if (!event->buttons().testFlag(Qt::LeftButton) || m_counts.empty()) return;
    // The scale stays while a bar is pulled, with room above the largest.
    if (m_top == 0) m_top = std::max<std::int64_t>(1, top() + top() / 4);
    dragTo(event->position().y());
}

void GroupBars::dragTo(double y) {
    const double share = std::clamp((area().bottom() - y) / area().height(), 0.0, 1.0);
    const auto count = static_cast<std::int64_t>(std::llround(share * static_cast<double>(top())));
    if (count != m_counts[m_current]) emit edited(m_current, count);
}

void GroupBars::keyPressEvent(QKeyEvent* event) {
    if (m_counts.empty()) return QWidget::keyPressEvent(event);
    const std::int64_t step = event->modifiers().testFlag(Qt::ShiftModifier) ? 16 : 1;
    m_top = 0;
    switch (event->key()) {
        case Qt::Key_Left: setCurrent(m_current == 0 ? m_counts.size() - 1 : m_current - 1); break;
        case Qt::Key_Right: setCurrent((m_current + 1) % m_counts.size()); break;
        case Qt::Key_Up: emit edited(m_current, m_counts[m_current] + step); break;
        case Qt::Key_Down: emit edited(m_current, std::max<std::int64_t>(0, m_counts[m_current] - step)); break;
        default: QWidget::keyPressEvent(event);
    }
}

bool GroupBars::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !m_counts.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::size_t group = groupAt(help->pos().x());
        const std::int64_t count = m_counts[group];
        QToolTip::showText(
            help->globalPos(),
            count == 0 ? tr("group %1: empty").arg(group) : tr("group %1: %2 rows").arg(group).arg(count), this);
        return true;
    }
    if (event->type() == QEvent::MouseButtonRelease) m_top = 0;
    return QWidget::event(event);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/time_bars.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kRowHeight = 26;
constexpr int kNameWidth = 84;
constexpr int kTextWidth = 72;
constexpr int kBarHeight = 12;
constexpr int kShareHeight = 16;
constexpr int kLegendHeight = 18;

}  // namespace

StageBars::StageBars(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Stage times"));
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StageBars::setRows(std::vector<Row> rows) {
    if (rows == m_rows) return;
    const bool resized = rows.size() != m_rows.size();
    m_rows = std::move(rows);
    QStringList texts;
    for (const Row& row : m_rows) texts << row.name + QLatin1Char(' ') + row.text;
    setAccessibleDescription(texts.join(QLatin1String(", ")));
    if (resized) updateGeometry();
    update();
}

void StageBars::setSelected(const std::string& id) {
    if (id == m_selected) return;
    m_selected = id;
    update();
}

QSize StageBars::sizeHint() const {
    return {300, static_cast<int>(m_rows.size()) * kRowHeight};
}

QSize StageBars::minimumSizeHint() const {
    return {kNameWidth + kTextWidth + 60, sizeHint().height()};
}

int StageBars::rowAt(int y) const {
    const int row = y / kRowHeight;
    return y >= 0 && row < static_cast<int>(m_rows.size()) ? row : -1;
}

void StageBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double largest = 0.0;
    for (const Row& row : m_rows) largest = std::max(largest, row.value);
    int y = 0;
    for (const Row& row : m_rows) {
        const QRect line(0, y, width(), kRowHeight);
        const bool selected = row.id == m_selected && !m_selected.empty();
        if (selected) drawBar(painter, QRectF(line).adjusted(-1, 1, 1, -1), softFill(m_theme, Token::Select), 4.0);
        painter.setFont(Theme::font(selected ? FontRole::UiStrong : FontRole::Ui));
        painter.setPen(m_theme.color(Token::Text));
        const QString name = painter.fontMetrics().elidedText(row.name, Qt::ElideRight, kNameWidth - 8);
        painter.drawText(line.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        const QRectF track(kNameWidth, y + (kRowHeight - kBarHeight) / 2.0, width() - kNameWidth - kTextWidth - 4,
                           kBarHeight);
        drawBar(painter, track, m_theme.color(Token::Grid));
        if (largest > 0.0) {
            QRectF bar = track;
            bar.setWidth(std::max(2.0, track.width() * row.value / largest));
            drawBar(painter, bar, m_theme.color(row.color));
        }
        painter.setFont(Theme::font(FontRole::Mono));
        painter.setPen(m_theme.color(Token::Muted));
        painter.drawText(line.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter, row.text);
        y += kRowHeight;
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(Token::Accent), 1.0));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
}

void StageBars::mousePressEvent(QMouseEvent* event) {
    const int row = rowAt(event->position().toPoint().y());
    if (row >= 0) emit clicked(m_rows[static_cast<std::size_t>(row)].id);
}

void StageBars::keyPressEvent(QKeyEvent* event) {
    if (m_rows.empty() || (event->key() != Qt::Key_Up && event->key() != Qt::Key_Down)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const auto current =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& row) { return row.id == m_selected; });
    auto next = m_rows.begin();
    if (current != m_rows.end()) {
        const bool down = event->key() == Qt::Key_Down;
        next = down ? (std::next(current) == m_rows.end() ? current : std::next(current))
                    : (current == m_rows.begin() ? current : std::prev(current));
    }
    emit clicked(next->id);
}

bool StageBars::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos().y());
        if (row >= 0)
            QToolTip::showText(help->globalPos(), m_rows[static_cast<std::size_t>(row)].toolTip, this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

ShareBar::ShareBar(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Where the time goes"));
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ShareBar::setParts(std::vector<Part> parts) {
    std::erase_if(parts, [](const Part& part) { return part.value <= 0.0; });
    if (parts == m_parts) return;
    m_parts = std::move(parts);
    QStringList texts;
    for (const LegendEntry& entry : legend(1000)) texts << entry.text;
    setAccessibleDescription(texts.join(QLatin1String(", ")));
    updateGeometry();
    update();
}

double ShareBar::total() const {
    double sum = 0.0;
    for (const Part& part : m_parts) sum += part.value;
    return sum;
}

std::vector<ShareBar::LegendEntry> ShareBar::legend(int width) const {
    std::vector<LegendEntry> entries;
    const QFontMetrics metrics(Theme::font(FontRole::UiSmall));
    const double sum = total();
    int x = 0;
    int y = kShareHeight + 6;
    for (const Part& part : m_parts) {
        const double percent = 100.0 * part.value / sum;
        const QString share = percent < 1.0 ? QStringLiteral("<1") : QString::number(std::lround(percent));
        const QString text = QStringLiteral("%1 %2 %").arg(part.name, share);
        const int needed = 14 + metrics.horizontalAdvance(text) + 12;
        if (x > 0 && x + needed - 12 > width) {
            x = 0;
            y += kLegendHeight;
        }
        entries.push_back({QRect(x, y, needed, kLegendHeight), text});
        x += needed;
    }
    return entries;
}

int ShareBar::heightForWidth(int width) const {
    const std::vector<LegendEntry> entries = legend(width);
    return entries.empty() ? kShareHeight : entries.back().rect.bottom() + 1;
}

void ShareBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double sum = total();
    if (sum <= 0.0) {
        drawBar(painter, QRectF(0, 0, width(), kShareHeight), m_theme.color(Token::Grid));
        return;
    }
    double x = 0.0;
    for (const Part& part : m_parts) {
        const double length = part.value / sum * width();
        const QRectF rect(x, 0, std::max(1.0, length - 1.0), kShareHeight);
        drawBar(painter, rect, part.hatched ? QBrush(m_theme.color(Token::Grid)) : m_theme.fill(part.color), 2.0);
        if (part.hatched) drawHatch(painter, rect, m_theme, 2.0);
        x += length;
    }
    const std::vector<LegendEntry> entries = legend(width());
    painter.setFont(Theme::font(FontRole::UiSmall));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const QRect& line = entries[i].rect;
        const QRectF swatch(line.left(), line.center().y() - 3.5, 9, 9);
        drawBar(painter, swatch,
                m_parts[i].hatched ? QBrush(m_theme.color(Token::Grid)) : m_theme.fill(m_parts[i].color), 2.0);
        if (m_parts[i].hatched) drawHatch(painter, swatch, m_theme, 2.0);
        painter.setPen(m_theme.color(Token::Muted));
        painter.drawText(line.adjusted(14, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, entries[i].text);
    }
}

bool ShareBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const double sum = total();
    double x = 0.0;
    QString text;
    if (help->pos().y() <= kShareHeight && sum > 0.0) {
        for (const Part& part : m_parts) {
            const double length = part.value / sum * width();
            if (help->pos().x() >= x && help->pos().x() < x + length) text = part.toolTip;
            x += length;
        }
    }
    text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
    return true;
}

}  // namespace cubist

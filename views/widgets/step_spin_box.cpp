// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/step_spin_box.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "views/models/findings_model.h"
#include "views/widgets/document_undo.h"

namespace cubist {
namespace {

constexpr int kArrowsWidth = 14;
constexpr int kMaxDigits = 12;  // far beyond any legal tile, far below 64 bits

bool meansInteger(const QString& text) {
    const QStringView digits = text.startsWith(QLatin1Char('-')) ? QStringView(text).mid(1) : QStringView(text);
    return !digits.isEmpty() && digits.size() <= kMaxDigits && std::all_of(digits.begin(), digits.end(), [](QChar c) {
        return c >= QLatin1Char('0') && c <= QLatin1Char('9');
    });
}

void drawArrow(QPainter& painter, QPointF centre, double direction) {
    QPainterPath path;
    path.moveTo(centre + QPointF(-3, -1.5 * direction));
    path.lineTo(centre + QPointF(0, 1.5 * direction));
    path.lineTo(centre + QPointF(3, -1.5 * direction));
    painter.drawPath(path);
}

}  // namespace

StepSpinBox::StepSpinBox(const Theme& theme, const QString& caption, QWidget* parent)
    : QAbstractSpinBox(parent), m_theme(theme), m_caption(caption) {
    setButtonSymbols(NoButtons);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    lineEdit()->setFont(Theme::font(FontRole::Mono));
    lineEdit()->setText(QStringLiteral("0"));
    useDocumentUndo(this);  // it hands its keys to the line without asking the filters of that
    useDocumentUndo(lineEdit());
    lineEdit()->installEventFilter(this);
    lineEdit()->setCursor(Qt::SizeHorCursor);
    connect(lineEdit(), &QLineEdit::textEdited, this, &StepSpinBox::textTyped);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StepSpinBox::setValue(std::optional<std::int64_t> value) {
    const QString& shown = lineEdit()->text();
    const bool same = value == m_value && (value ? meansInteger(shown) : shown.isEmpty());
    if (same && (!value || shown.toLongLong() == *value)) return;
    m_value = value;
    lineEdit()->setText(value ? QString::number(*value) : QString());
}

void StepSpinBox::setEmptyText(const QString& text) {
    m_mayBeEmpty = true;
    m_emptyText = text;
    if (!m_mixed) lineEdit()->setPlaceholderText(text);
}

void StepSpinBox::setMixed(bool mixed) {
    if (mixed == m_mixed) return;
    m_mixed = mixed;
    lineEdit()->setPlaceholderText(mixed ? tr("mixed") : m_emptyText);
}

void StepSpinBox::setSeverity(std::optional<Severity> severity) {
    if (severity == m_severity) return;
    m_severity = severity;
    update();
}

std::int64_t StepSpinBox::stepped(std::int64_t value, int count, const std::vector<std::int64_t>& steps) {
    if (steps.empty()) return value + count;
    for (int i = 0; i < std::abs(count); ++i) {
        if (count > 0) {
            const auto next = std::upper_bound(steps.begin(), steps.end(), value);
            if (next != steps.end()) value = *next;
        } else {
            const auto next = std::lower_bound(steps.begin(), steps.end(), value);
            if (next != steps.begin()) value = *std::prev(next);
        }
    }
    return value;
}

void StepSpinBox::setStepped(std::int64_t value) {
    if (m_value == value) return;
    m_value = value;
    lineEdit()->setText(QString::number(value));
    emit edited(m_value, true);
}

void StepSpinBox::stepBy(int count) {
    setStepped(stepped(m_value.value_or(m_steps.empty() ? 0 : m_steps.front()), count, m_steps));
    selectAll();
}

void StepSpinBox::beginScrub() {
    if (m_scrubbing || isReadOnly()) return;
    m_scrubbing = true;
    m_valueBefore = m_value;
    m_scrubSteps = m_steps;
    m_scrubFrom = m_value.value_or(m_steps.empty() ? 0 : m_steps.front());
    emit scrubBegun();
}

void StepSpinBox::scrubTo(int steps) {
    if (m_scrubbing) setStepped(stepped(m_scrubFrom, steps, m_scrubSteps));
}

void StepSpinBox::endScrub(bool keep) {
    if (!m_scrubbing) return;
    if (!keep && m_value != m_valueBefore) {
        m_value = m_valueBefore;
        lineEdit()->setText(m_value ? QString::number(*m_value) : QString());
        emit edited(m_value, true);
    }
    m_scrubbing = false;
    // The drag brought the keyboard, nobody is typing: the next one scrubs again.
    m_focusedByPress = true;
    lineEdit()->setCursor(Qt::SizeHorCursor);
    emit scrubEnded();
    emit editingFinished();
}

void StepSpinBox::addScrubHandle(QWidget* label) {
    label->setCursor(Qt::SizeHorCursor);
    label->installEventFilter(this);
}

void StepSpinBox::dragTo(int globalX) {
    constexpr int kStart = 4;
    const int distance = globalX - m_pressedAt;
    if (!m_scrubbing && std::abs(distance) < kStart) return;
    beginScrub();
    scrubTo(distance / kScrubPixels);
}

bool StepSpinBox::filterNumber(QEvent& event) {
    // A drag on the number scrubs; in a field where somebody types it selects text. Drags that follow each other
    // quickly come as double clicks.
    if (event.type() == QEvent::MouseButtonPress || (event.type() == QEvent::MouseButtonDblClick && m_focusedByPress)) {
        const auto& mouse = static_cast<QMouseEvent&>(event);
        m_pressed = std::exchange(m_focusedByPress, false) && mouse.button() == Qt::LeftButton && !isReadOnly();
        m_pressedAt = mouse.globalPosition().toPoint().x();
    } else if (event.type() == QEvent::MouseMove && m_pressed) {
        dragTo(static_cast<QMouseEvent&>(event).globalPosition().toPoint().x());
        return true;
    } else if (event.type() == QEvent::MouseButtonRelease && m_pressed) {
        m_pressed = false;
        if (!m_scrubbing) lineEdit()->setCursor(Qt::IBeamCursor);
        endScrub(true);
        // What was clicked or dragged is there to be typed over.
        selectAll();
    }
    return false;
}

void StepSpinBox::focusInEvent(QFocusEvent* event) {
    m_focusedByPress = event->reason() == Qt::MouseFocusReason;
    lineEdit()->setCursor(Qt::IBeamCursor);
    QAbstractSpinBox::focusInEvent(event);
}

void StepSpinBox::focusOutEvent(QFocusEvent* event) {
    lineEdit()->setCursor(Qt::SizeHorCursor);
    QAbstractSpinBox::focusOutEvent(event);
}

bool StepSpinBox::eventFilter(QObject* watched, QEvent* event) {
    if (watched == lineEdit()) return filterNumber(*event) || QAbstractSpinBox::eventFilter(watched, event);
    if (event->type() == QEvent::MouseButtonPress) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && isEnabled()) {
            m_pressed = true;
            m_pressedAt = mouse->globalPosition().toPoint().x();
            setFocus(Qt::MouseFocusReason);
            m_focusedByPress = false;
            return true;
        }
    } else if (event->type() == QEvent::MouseMove && m_pressed) {
        dragTo(static_cast<QMouseEvent*>(event)->globalPosition().toPoint().x());
    } else if (event->type() == QEvent::MouseButtonRelease && watched != this) {
        m_pressed = false;
        endScrub(true);
    }
    return QAbstractSpinBox::eventFilter(watched, event);
}

QValidator::State StepSpinBox::validate(QString& text, int&) const {
    if (text.isEmpty()) return m_mayBeEmpty || m_mixed ? QValidator::Acceptable : QValidator::Intermediate;
    if (text == QLatin1String("-")) return QValidator::Intermediate;
    return meansInteger(text) ? QValidator::Acceptable : QValidator::Invalid;
}

void StepSpinBox::textTyped(const QString& text) {
    m_focusedByPress = false;
    lineEdit()->setCursor(Qt::IBeamCursor);
    std::optional<std::int64_t> value;
    if (meansInteger(text)) {
        value = text.toLongLong();
    } else if (!(text.isEmpty() && m_mayBeEmpty)) {
        return;  // on the way to a number
    }
    if (value == m_value) return;
    m_value = value;
    emit edited(m_value, false);
}

int StepSpinBox::captionWidth() const {
    return QFontMetrics(Theme::font(FontRole::MonoSmall)).horizontalAdvance(m_caption);
}

QSize StepSpinBox::sizeHint() const {
    const int digits = QFontMetrics(Theme::font(FontRole::Mono)).horizontalAdvance(QStringLiteral("00000"));
    return {digits + captionWidth() + kArrowsWidth + 20, 28};
}

QAbstractSpinBox::StepEnabled StepSpinBox::stepEnabled() const {
    return isReadOnly() ? StepNone : StepEnabled(StepUpEnabled | StepDownEnabled);
}

QRect StepSpinBox::arrowsRect() const {
    return {width() - kArrowsWidth - 3, 2, kArrowsWidth, height() - 4};
}

void StepSpinBox::placeEditor() {
    // The style gives the editor the whole field; caption and arrows are ours.
    const int left = 4;
    lineEdit()->setGeometry(left, 2, std::max(0, arrowsRect().left() - captionWidth() - 6 - left), height() - 4);
}

void StepSpinBox::paintEvent(QPaintEvent* event) {
    QAbstractSpinBox::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRect arrows = arrowsRect();
    painter.setFont(Theme::font(FontRole::MonoSmall));
    painter.setPen(m_theme.color(Token::Muted));
    painter.drawText(QRect(0, 0, arrows.left() - 3, height()), Qt::AlignRight | Qt::AlignVCenter, m_caption);
    painter.setPen(QPen(m_theme.color(Token::Muted), 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF middle = QRectF(arrows).center();
    drawArrow(painter, middle + QPointF(0, -4), -1.0);
    drawArrow(painter, middle + QPointF(0, 4), 1.0);
    if (m_severity) {
        painter.setPen(QPen(m_theme.color(severityToken(*m_severity)), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), Theme::kRadiusSmall,
                                Theme::kRadiusSmall);
    }
}

void StepSpinBox::wheelEvent(QWheelEvent* event) {
    // Scrolling a panel must not change the numbers that pass under the cursor.
    if (hasFocus())
        QAbstractSpinBox::wheelEvent(event);
    else
        event->ignore();
}

void StepSpinBox::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        QAbstractSpinBox::mousePressEvent(event);
        return;
    }
    // Caption and arrows are ours: a click on an arrow steps, a drag from either scrubs.
    setFocus(Qt::MouseFocusReason);
    m_focusedByPress = false;
    m_pressed = true;
    m_pressedAt = event->globalPosition().toPoint().x();
    if (arrowsRect().contains(event->position().toPoint())) stepBy(event->position().y() < height() / 2.0 ? 1 : -1);
    event->accept();
}

void StepSpinBox::mouseMoveEvent(QMouseEvent* event) {
    const bool onCaption = !m_caption.isEmpty() && event->position().x() < arrowsRect().left();
    setCursor(m_pressed || onCaption ? Qt::SizeHorCursor : Qt::ArrowCursor);
    if (m_pressed) dragTo(event->globalPosition().toPoint().x());
}

void StepSpinBox::mouseReleaseEvent(QMouseEvent*) {
    m_pressed = false;
    endScrub(true);
}

void StepSpinBox::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && m_scrubbing) {
        m_pressed = false;
        endScrub(false);
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        event->ignore();  // the panel's way back to the canvas
        return;
    }
    QAbstractSpinBox::keyPressEvent(event);
}

void StepSpinBox::resizeEvent(QResizeEvent* event) {
    QAbstractSpinBox::resizeEvent(event);
    placeEditor();
}

void StepSpinBox::showEvent(QShowEvent* event) {
    QAbstractSpinBox::showEvent(event);
    placeEditor();
}

void StepSpinBox::changeEvent(QEvent* event) {
    QAbstractSpinBox::changeEvent(event);
    if (event->type() != QEvent::StyleChange) return;
    lineEdit()->setFont(Theme::font(FontRole::Mono));
    placeEditor();
}

}  // namespace cubist

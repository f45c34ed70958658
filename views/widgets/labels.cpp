// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/labels.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kIconSize = 16;
constexpr QChar kMayBreak(0x200B);  ///< without width
constexpr qsizetype kLongWord = 24;

/// Lets long names break behind underscores, dots and slashes, and very long parts of them anywhere.
QString withBreaks(const QString& text) {
    QString broken;
    qsizetype wordBegan = 0;
    qsizetype partBegan = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        broken += text[i];
        if (text[i].isSpace()) {
            wordBegan = partBegan = i + 1;
            continue;
        }
        qsizetype end = i;
        while (end < text.size() && !text[end].isSpace()) ++end;
        if (end - wordBegan <= kLongWord) continue;
        const bool joint = text[i] == QLatin1Char('_') || text[i] == QLatin1Char('.') || text[i] == QLatin1Char('/');
        if (!joint && i - partBegan + 1 < kLongWord) continue;
        broken += kMayBreak;
        partBegan = i + 1;
    }
    return broken;
}

}  // namespace

TextLabel::TextLabel(const Theme& theme, FontRole role, Token token, const QString& text, QWidget* parent)
    : QLabel(withBreaks(text), parent), m_theme(theme), m_token(token) {  // it may wrap yet
    setFont(Theme::font(role));
    setTextFormat(Qt::PlainText);
    connect(&m_theme, &Theme::changed, this, &TextLabel::applyColor);
    applyColor();
}

void TextLabel::setToken(Token token) {
    if (token == m_token) return;
    m_token = token;
    applyColor();
}

void TextLabel::setText(const QString& text) {
    QLabel::setText(wordWrap() ? withBreaks(text) : text);
}

QString TextLabel::text() const {
    return QLabel::text().remove(kMayBreak);
}

void TextLabel::applyColor() {
    setStyleSheet(QStringLiteral("color: %1; background: transparent;").arg(m_theme.color(m_token).name()));
}

ElidedLabel::ElidedLabel(const Theme& theme, FontRole role, Token token, QWidget* parent)
    : TextLabel(theme, role, token, {}, parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void ElidedLabel::setWholeText(const QString& text) {
    if (text == m_whole) return;
    m_whole = text;
    setToolTip(text);
    setAccessibleName(text);
    updateGeometry();
    elide();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_whole) + 2 + besideText(), fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {40, fontMetrics().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    TextLabel::resizeEvent(event);
    elide();
}

int ElidedLabel::besideText() const {
    // Margins of the style count in the label's own hint alone.
    return std::max(0, QLabel::sizeHint().width() - fontMetrics().horizontalAdvance(QLabel::text()));
}

void ElidedLabel::elide() {
    setText(fontMetrics().elidedText(m_whole, Qt::ElideRight, width() - besideText()));
}

IconLabel::IconLabel(const Theme& theme, Icon icon, Token token, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_icon(icon), m_token(token) {
    setFixedSize(kIconSize, kIconSize);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void IconLabel::paintEvent(QPaintEvent*) {
    QPainter(this).drawPixmap(0, 0, iconPixmap(m_icon, kIconSize, m_theme.color(m_token), devicePixelRatioF()));
}

SectionLabel::SectionLabel(const Theme& theme, const QString& text, QWidget* parent)
    : TextLabel(theme, FontRole::Section, Token::Muted, text.toUpper(), parent) {}

SoftBox::SoftBox(const Theme& theme, Token token, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_token(token), m_layout(new QVBoxLayout(this)) {
    m_layout->setContentsMargins(12, 8, 12, 8);
    m_layout->setSpacing(4);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void SoftBox::setToken(Token token) {
    m_token = token;
    update();
}

void SoftBox::setOutlined(bool outlined) {
    m_outlined = outlined;
    update();
}

void SoftBox::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawBar(painter, rect(), softFill(m_theme, m_token), Theme::kRadius,
            m_outlined ? m_theme.color(m_token) : QColor());
}

LinkButton::LinkButton(const Theme& theme, const QString& text, QWidget* parent)
    : QPushButton(text, parent), m_theme(theme) {
    setFlat(true);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize LinkButton::sizeHint() const {
    const QFontMetrics metrics(Theme::font(FontRole::UiStrong));
    return {metrics.horizontalAdvance(text()) + 4, metrics.height() + 6};
}

QSize LinkButton::minimumSizeHint() const {
    constexpr int kLeast = 96;
    const QSize whole = sizeHint();
    return {std::min(whole.width(), kLeast), whole.height()};
}

bool LinkButton::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || width() >= sizeHint().width()) return QPushButton::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                       toolTip().isEmpty() ? text() : text() + QLatin1Char('\n') + toolTip(), this);
    return true;
}

void LinkButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QFont font = Theme::font(FontRole::UiStrong);
    font.setUnderline(underMouse() || hasFocus());
    painter.setFont(font);
    painter.setPen(m_theme.color(isEnabled() ? Token::Accent : Token::Muted));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, width()));
}

EmptyState::EmptyState(const Theme& theme, const QString& title, const QString& text, QWidget* parent)
    : QWidget(parent),
      m_title(new TextLabel(theme, FontRole::Title, Token::Text, title)),
      m_text(new TextLabel(theme, FontRole::Ui, Token::Muted, text)),
      m_layout(new QVBoxLayout(this)) {
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_layout->setContentsMargins(24, 16, 24, 16);
    m_layout->setSpacing(8);
    m_layout->addStretch(1);
    m_layout->addWidget(m_title);
    m_layout->addWidget(m_text);
    m_layout->addStretch(1);
}

void EmptyState::setTexts(const QString& title, const QString& text) {
    m_title->setText(title);
    m_text->setText(text);
}

QPushButton* EmptyState::addButton(const QString& text) {
    auto* button = new QPushButton(text, this);
    m_layout->insertSpacing(m_layout->count() - 1, 4);
    m_layout->insertWidget(m_layout->count() - 1, button, 0, Qt::AlignHCenter);
    return button;
}

}  // namespace cubist

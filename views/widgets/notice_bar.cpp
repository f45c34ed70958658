// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/notice_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <utility>

#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {

NoticeBar::NoticeBar(const Theme& theme, QWidget* parent)
    : QFrame(parent),
      m_theme(theme),
      m_text(new TextLabel(theme, FontRole::Ui, Token::Text)),
      m_layout(new QHBoxLayout(this)) {
    m_layout->setContentsMargins(12, 6, 8, 6);
    m_layout->setSpacing(8);
    m_layout->addWidget(new IconLabel(theme, Icon::Warning, Token::Warn));
    m_text->setWordWrap(true);
    m_layout->addWidget(m_text, 1);
    auto* close = new QToolButton;
    close->setIcon(themedIcon(theme, Icon::Close));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this notice"));
    close->setAccessibleName(close->toolTip());
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    m_layout->addWidget(close);
    hide();
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void NoticeBar::ask(const QString& text, std::vector<Answer> answers) {
    m_text->setText(text);
    setAccessibleName(text);
    for (QPushButton* old : m_buttons) {
        old->hide();
        old->deleteLater();
    }
    m_buttons.clear();
    for (Answer& answer : answers) {
        auto* button = new QPushButton(answer.text);
        // Before the button that closes.
        m_layout->insertWidget(m_layout->count() - 1, button);
        m_buttons.push_back(button);
        connect(button, &QPushButton::clicked, this, [this, perform = std::move(answer.perform)] {
            hide();
            perform();
        });
    }
    show();
}

QString NoticeBar::text() const {
    return m_text->text();
}

QPushButton* NoticeBar::button(int answer) const {
    return answer >= 0 && answer < static_cast<int>(m_buttons.size()) ? m_buttons[static_cast<std::size_t>(answer)]
                                                                      : nullptr;
}

void NoticeBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), softFill(m_theme, Token::Warn));
    painter.setPen(m_theme.color(Token::Border));
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

}  // namespace cubist

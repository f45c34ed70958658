// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_empty_state.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/icons.h"
#include "views/theme.h"

namespace cubist {

CanvasEmptyState::CanvasEmptyState(const Theme& theme, QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setSpacing(2 * Theme::kUnit);
    column->addStretch(2);

    auto* picture = new QLabel(this);
    picture->setAlignment(Qt::AlignCenter);
    const auto drawPicture = [&theme, picture] {
        picture->setPixmap(iconPixmap(Icon::Cube, 48, theme.color(Token::Wait), picture->devicePixelRatioF()));
    };
    drawPicture();
    connect(&theme, &Theme::changed, picture, drawPicture);
    column->addWidget(picture);

    auto* title = new QLabel(tr("No design is open"), this);
    title->setFont(Theme::font(FontRole::Title));
    title->setAlignment(Qt::AlignCenter);
    column->addWidget(title);
    auto* text = new QLabel(tr("Open a sample to see a finished kernel, or create a design of your own."), this);
    text->setProperty("role", QStringLiteral("muted"));
    text->setAlignment(Qt::AlignCenter);
    text->setWordWrap(true);
    column->addWidget(text);
    column->addSpacing(2 * Theme::kUnit);

    auto* row = new QHBoxLayout;
    row->setSpacing(2 * Theme::kUnit);
    row->addStretch();
    const auto button = [&](const QString& name, const QString& label, const QIcon& icon) {
        auto* made = new QPushButton(icon, label, this);
        made->setObjectName(name);
        row->addWidget(made);
        return made;
    };
    QPushButton* sample =
        button(QStringLiteral("openSample"), tr("Open a sample"), themedIconOnFill(theme, Icon::Tensor));
    sample->setProperty("primary", true);
    QPushButton* create = button(QStringLiteral("newDesign"), tr("New design"), themedIcon(theme, Icon::New));
    QPushButton* blank = button(QStringLiteral("emptyDesign"), tr("Empty canvas"), themedIcon(theme, Icon::Add));
    QPushButton* open = button(QStringLiteral("openFile"), tr("Open a file…"), themedIcon(theme, Icon::Open));
    row->addStretch();
    column->addLayout(row);
    column->addStretch(3);

    connect(sample, &QPushButton::clicked, this, &CanvasEmptyState::openSampleRequested);
    connect(create, &QPushButton::clicked, this, &CanvasEmptyState::newDesignRequested);
    connect(blank, &QPushButton::clicked, this, &CanvasEmptyState::emptyDesignRequested);
    connect(open, &QPushButton::clicked, this, &CanvasEmptyState::openFileRequested);
}

}  // namespace cubist

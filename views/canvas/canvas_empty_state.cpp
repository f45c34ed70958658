// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_empty_state.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/icons.h"
#include "views/theme.h"

namespace cubist {
namespace {

void addPicture(QVBoxLayout& column, const Theme& theme, Icon icon, QWidget* parent) {
    auto* picture = new QLabel(parent);
    picture->setAlignment(Qt::AlignCenter);
    const auto draw = [&theme, picture, icon] {
        picture->setPixmap(iconPixmap(icon, 48, theme.color(Token::Wait), picture->devicePixelRatioF()));
    };
    draw();
    QObject::connect(&theme, &Theme::changed, picture, draw);
    column.addWidget(picture);
}

void addTitle(QVBoxLayout& column, const QString& text, QWidget* parent) {
    auto* title = new QLabel(text, parent);
    title->setFont(Theme::font(FontRole::Title));
    title->setAlignment(Qt::AlignCenter);
    column.addWidget(title);
}

void addLine(QVBoxLayout& column, const QString& text, QWidget* parent) {
    auto* line = new QLabel(text, parent);
    line->setProperty("role", QStringLiteral("muted"));
    line->setAlignment(Qt::AlignCenter);
    line->setWordWrap(true);
    column.addWidget(line);
}

}  // namespace

CanvasEmptyState::CanvasEmptyState(const Theme& theme, QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setSpacing(2 * Theme::kUnit);
    column->addStretch(2);
    addPicture(*column, theme, Icon::Cube, this);
    addTitle(*column, tr("No design is open"), this);
    addLine(*column, tr("Open a sample to see a finished kernel, or create a design of your own."), this);
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

CanvasStartHint::CanvasStartHint(const Theme& theme, QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("canvasStartHint"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::kUnit);
    column->addStretch(2);
    addPicture(*column, theme, Icon::Add, this);
    addTitle(*column, tr("The canvas is empty"), this);
    column->addSpacing(Theme::kUnit);
    addLine(*column, tr("Press Tab, or double-click here, and type what to add: matmul, cast, input, loop ..."), this);
    addLine(*column, tr("Or drag a stage from the library to this place."), this);
    addLine(*column, tr("Then pull wires from port to port; Ctrl+R runs the design."), this);
    column->addStretch(3);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_hint.h"

#include <QStyle>
#include <QVariant>

#include <algorithm>

namespace cubist {
namespace {

constexpr int kMostWidth = 340;
constexpr QPoint kBesidePointer(16, 20);

QString stateOf(CanvasHint::Mood mood) {
    switch (mood) {
        case CanvasHint::Mood::Plain: return {};
        case CanvasHint::Mood::Good: return QStringLiteral("ok");
        case CanvasHint::Mood::Bad: return QStringLiteral("error");
    }
    return {};
}

}  // namespace

CanvasHint::CanvasHint(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("canvasHint"));
    setProperty("panel", QStringLiteral("hint"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setTextFormat(Qt::PlainText);
    hide();
}

void CanvasHint::showAt(const QPoint& at, const QString& text, Mood mood) {
    if (text.isEmpty()) {
        hide();
        return;
    }
    if (stateOf(mood) != property("state").toString()) {
        setProperty("state", stateOf(mood));
        style()->unpolish(this);
        style()->polish(this);
    }
    if (text != this->text()) {
        setText(text);
        setWordWrap(false);
        if (sizeHint().width() > kMostWidth) {
            setWordWrap(true);
            resize(kMostWidth, heightForWidth(kMostWidth));
        } else {
            resize(sizeHint());
        }
    }
    QPoint place = at + kBesidePointer;
    place.setX(std::clamp(place.x(), 4, std::max(4, parentWidget()->width() - width() - 4)));
    if (place.y() + height() > parentWidget()->height() - 4) place.setY(at.y() - height() - 8);
    move(place);
    show();
    raise();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tour.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "app/main_window.h"
#include "app/top_bar.h"
#include "views/canvas/canvas_view.h"
#include "views/panels/inspector_panel.h"
#include "views/panels/library_panel.h"
#include "views/panels/prediction_box.h"
#include "views/panels/problems_panel.h"
#include "views/panels/timing_panel.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kCardWidth = 320;
constexpr int kGap = 12;

/// A frame around the part that is spoken of; clicks go through it.
class Ring : public QWidget {
public:
    Ring(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.color(Token::Accent), 3.0));
        painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), Theme::kRadiusSmall, Theme::kRadiusSmall);
    }

private:
    const Theme& m_theme;
};

class Card : public QFrame {
public:
    Card(const Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
        setObjectName(QStringLiteral("tourCard"));
        setFixedWidth(kCardWidth);
        setAutoFillBackground(false);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        drawBar(painter, rect(), m_theme.color(Token::Surface), Theme::kRadius, m_theme.color(Token::Accent));
    }

private:
    const Theme& m_theme;
};

}  // namespace

Tour::Tour(MainWindow& window) : QObject(&window), m_window(window) {}

Tour::~Tour() = default;

void Tour::makeStops() {
    MainWindow& window = m_window;
    const auto dock = [&window](DockId id, auto find) {
        return [&window, id, find]() -> QWidget* {
            window.docks().show(id);
            return find();
        };
    };
    m_stops = {
        {tr("Start from something that runs"),
         tr("Skeletons are empty kernels of the five loop forms; samples are published operators. This is GLMGate: a "
            "router of a mixture of experts."),
         dock(DockId::Library, [&window] { return &window.library(); })},
        {tr("The canvas is the kernel"),
         tr("Tensors, stages and loops. Wheel zooms, Space and drag moves, F fits everything. Click a stage to edit "
            "it, Tab adds one."),
         [&window]() -> QWidget* { return &window.canvas(); }},
        {tr("Numbers live in the inspector"),
         tr("Every field steps through its legal values: arrow keys, wheel, or drag the number sideways. "
            "Buffers "
            "are drawn to scale."),
         dock(DockId::Inspector, [&window] { return &window.inspector(); })},
        {tr("Time follows each edit"),
         tr("The prediction is renewed while you type, with what bounds the kernel and how much you gained."),
         [&window]() -> QWidget* { return window.inspector().prediction(); }},
        {tr("Rules speak up at once"),
         tr("Problems name the rule, the arithmetic and the source. A fix that is offered was tried against all "
            "rules."),
         dock(DockId::Problems, [&window] { return &window.problems(); })},
        {tr("Run computes the values"),
         tr("On an emulated core, tile by tile, compared with a golden. No NPU is needed. The verdict, the error map "
            "and "
            "the worst elements are one tab away."),
         [&window]() -> QWidget* { return window.topBar().runButton(); }},
        {tr("Every tick has one cause"),
         tr("The swimlane shows what each pipe does and what it waits for. Hatched is waiting; the list on the right "
            "says where the time goes."),
         dock(DockId::Timing, [&window] { return &window.timing(); })},
        {tr("Everything else: Ctrl+K"),
         tr("Type a part of a command, a stage, a sample. F1 explains the view you are in, Shift+F1 lists the keys."),
         [&window]() -> QWidget* { return window.topBar().paletteButton(); }},
    };
}

void Tour::makeCard() {
    const Theme& theme = m_window.session().theme();
    m_ring = new Ring(theme, &m_window);
    m_card = new Card(theme, &m_window);
    m_title = new TextLabel(theme, FontRole::Title, Token::Text);
    m_text = new TextLabel(theme, FontRole::Ui, Token::Text);
    m_count = new TextLabel(theme, FontRole::UiSmall, Token::Muted);
    for (TextLabel* label : {m_title, m_text}) label->setWordWrap(true);
    auto* skip = new QPushButton(tr("End"));
    m_back = new QPushButton(tr("Back"));
    m_next = new QPushButton;
    m_next->setProperty("primary", true);
    // Return presses the one that has the focus, as in a dialog.
    for (QPushButton* button : {skip, m_back, m_next}) button->setAutoDefault(true);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_count, 1);
    row->addWidget(skip);
    row->addWidget(m_back);
    row->addWidget(m_next);
    auto* column = new QVBoxLayout(m_card);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(8);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addLayout(row);
    connect(skip, &QPushButton::clicked, this, &Tour::end);
    connect(m_back, &QPushButton::clicked, this, &Tour::back);
    connect(m_next, &QPushButton::clicked, this, &Tour::next);
    m_window.installEventFilter(this);
}

void Tour::start() {
    end();
    if (!m_window.session().document().hasDesign()) m_window.documents().openSample(QStringLiteral("glm_gate"));
    makeStops();
    makeCard();
    show(0);
}

void Tour::end() {
    if (!m_card) return;
    m_window.removeEventFilter(this);
    for (QWidget* part : {m_card, m_ring}) {
        part->hide();
        part->deleteLater();
    }
    m_card = m_ring = m_target = nullptr;
    m_window.settings().setTourDone(true);
}

void Tour::next() {
    if (m_stop + 1 < stopCount())
        show(m_stop + 1);
    else
        end();
}

void Tour::back() {
    if (m_stop > 0) show(m_stop - 1);
}

void Tour::show(int stop) {
    m_stop = stop;
    const Stop& shown = m_stops[static_cast<std::size_t>(stop)];
    m_target = shown.target();
    m_title->setText(shown.title);
    m_text->setText(shown.text);
    m_card->setAccessibleName(shown.title);
    m_card->setAccessibleDescription(shown.text);
    m_count->setText(tr("%1 of %2").arg(stop + 1).arg(stopCount()));
    m_back->setVisible(stop > 0);
    m_next->setText(stop + 1 < stopCount() ? tr("Next") : tr("Done"));
    m_card->show();
    m_ring->show();
    place();
    m_next->setFocus();
    // Docks that were just brought forward get their place a little later.
    QMetaObject::invokeMethod(this, &Tour::place, Qt::QueuedConnection);
}

void Tour::place() {
    if (!m_card || !m_target) return;
    const QRect target(m_target->mapTo(&m_window, QPoint(0, 0)), m_target->size());
    m_ring->setGeometry(target.adjusted(-3, -3, 3, 3).intersected(m_window.rect()));
    const int height = m_card->layout()->heightForWidth(kCardWidth);
    m_card->resize(kCardWidth, std::max(height, m_card->minimumSizeHint().height()));
    // Beside the part where there is room, else on it.
    QPoint at(target.right() + kGap, target.top() + kGap);
    if (at.x() + kCardWidth > m_window.width()) at.setX(target.left() - kGap - kCardWidth);
    if (at.x() < 0) {
        at.setX(target.center().x() - kCardWidth / 2);
        at.setY(target.top() - kGap - m_card->height());
        if (at.y() < 0) at.setY(target.top() + kGap);
    }
    at.setX(std::clamp(at.x(), kGap, std::max(kGap, m_window.width() - kCardWidth - kGap)));
    at.setY(std::clamp(at.y(), kGap, std::max(kGap, m_window.height() - m_card->height() - kGap)));
    m_card->move(at);
    m_ring->raise();
    m_card->raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) place();
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        end();
        return true;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace cubist

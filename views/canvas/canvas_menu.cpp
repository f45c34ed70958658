// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_menu.h"

#include <QCoreApplication>
#include <QMenu>

#include <functional>

#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_view.h"

namespace cubist {
namespace {

class MenuText {
    Q_DECLARE_TR_FUNCTIONS(cubist::CanvasMenu)
};

}  // namespace

void showCanvasMenu(CanvasView& view, const QPoint& globalPlace, const QPointF& at) {
    CanvasScene& canvas = view.canvas();
    const std::vector<Element> selected = canvas.selectedElements();
    const bool any = !selected.empty() || !canvas.selectedWires().empty() || !canvas.selectedNotes().empty();
    const auto* node = selected.size() == 1 ? dynamic_cast<const NodeItem*>(canvas.item(selected.front())) : nullptr;
    const auto* frame = selected.size() == 1 ? dynamic_cast<const FrameItem*>(canvas.item(selected.front())) : nullptr;

    auto* menu = new QMenu(&view);
    menu->setObjectName(QStringLiteral("canvasMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&view](QMenu* to, const QString& text, const QKeySequence& key, bool enabled,
                             const std::function<void()>& perform) {
        QAction* action = to->addAction(text);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        action->setEnabled(enabled);
        QObject::connect(action, &QAction::triggered, &view, perform);
        return action;
    };
    add(menu, MenuText::tr("Add here..."), QKeySequence(Qt::Key_Tab), true, [&view, at] { view.quickAddAt(at); });
    add(menu, MenuText::tr("Connect..."), QKeySequence(Qt::Key_C), node != nullptr,
        [&view] { view.connectSelected(); });
    add(menu, MenuText::tr("Swap for..."), QKeySequence(Qt::Key_S), node && isStage(node->content().kind),
        [&view] { view.swapSelected(); });
    add(menu, MenuText::tr("Name, type and shape..."), QKeySequence(Qt::Key_F2), node || frame,
        [&view] { view.editInPlace(); });
    menu->addSeparator();
    add(menu, MenuText::tr("Cut"), QKeySequence::Cut, !selected.empty(), [&view] { view.cut(); });
    add(menu, MenuText::tr("Copy"), QKeySequence::Copy, !selected.empty(), [&view] { view.copy(); });
    add(menu, MenuText::tr("Paste"), QKeySequence::Paste, view.editor().canPaste(),
        [&view, at] { view.editor().paste(view.viewportTransform().inverted().map(at)); });
    add(menu, MenuText::tr("Duplicate"), QKeySequence(Qt::CTRL | Qt::Key_D), !selected.empty(),
        [&view] { view.duplicate(); });
    add(menu,
        selected.empty() && !canvas.selectedWires().empty() ? MenuText::tr("Cut this wire") : MenuText::tr("Delete"),
        QKeySequence::Delete, any, [&view] { view.deleteSelection(); });
    menu->addSeparator();
    add(menu, MenuText::tr("Put a loop around"), QKeySequence(Qt::CTRL | Qt::Key_G),
        node != nullptr || selected.size() > 1, [&view] { view.wrapInLoop(); });
    add(menu, MenuText::tr("Dissolve the loop"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G), frame != nullptr,
        [&view] { view.dissolveLoop(); });
    if (frame && !frame->content().list.isEmpty()) {
        const QString list = frame->content().list;
        add(menu, MenuText::tr("Edit the groups..."), {}, true, [&view, list] { emit view.groupsRequested(list); });
    }

    QMenu* arrange = menu->addMenu(MenuText::tr("Arrange"));
    const bool several = selected.size() > 1;
    const auto line = [&](const QString& text, Alignment alignment) {
        add(arrange, text, {}, several, [&view, alignment] { view.align(alignment); });
    };
    line(MenuText::tr("Left edges"), Alignment::Left);
    line(MenuText::tr("Centres"), Alignment::Centre);
    line(MenuText::tr("Right edges"), Alignment::Right);
    line(MenuText::tr("Upper edges"), Alignment::Top);
    line(MenuText::tr("Middles"), Alignment::Middle);
    line(MenuText::tr("Lower edges"), Alignment::Bottom);
    arrange->addSeparator();
    add(arrange, MenuText::tr("Equal gaps, left to right"), {}, selected.size() > 2,
        [&view] { view.distribute(Qt::Horizontal); });
    add(arrange, MenuText::tr("Equal gaps, top to bottom"), {}, selected.size() > 2,
        [&view] { view.distribute(Qt::Vertical); });
    arrange->addSeparator();
    add(arrange, MenuText::tr("Everything automatically"), {}, true, [&view] { view.tidy(); });
    QAction* snap = add(arrange, MenuText::tr("Snap to the grid"), {}, true,
                        [&view] { view.setSnapping(!view.canvas().snapping()); });
    snap->setCheckable(true);
    snap->setChecked(canvas.snapping());

    QMenu* heat = menu->addMenu(MenuText::tr("Colour the cards"));
    const auto mode = [&](const QString& text, HeatMode value) {
        QAction* action = add(heat, text, {}, true, [&view, value] { view.setHeat(value); });
        action->setCheckable(true);
        action->setChecked(canvas.heat() == value);
    };
    mode(MenuText::tr("by kind"), HeatMode::Off);
    mode(MenuText::tr("by time"), HeatMode::Time);
    mode(MenuText::tr("by error"), HeatMode::Error);
    menu->popup(globalPlace);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/canvas_commands.h"

#include <algorithm>

#include "app/settings.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_view.h"
#include "views/document_model.h"

namespace cubist {

CanvasCommands::CanvasCommands(Commands& commands, CanvasView& canvas, DocumentModel& document, Settings& settings)
    : QObject(&canvas), m_commands(commands), m_canvas(canvas), m_document(document) {
    using enum CommandId;
    bind(Cut, [this] { m_canvas.cut(); });
    bind(Copy, [this] { m_canvas.copy(); });
    bind(Paste, [this] { m_canvas.paste(); });
    bind(Duplicate, [this] { m_canvas.duplicate(); });
    bind(Delete, [this] { m_canvas.deleteSelection(); });
    bind(SelectAll, [this] { m_canvas.selectAll(); });
    bind(Rename, [this] { m_canvas.editInPlace(); });
    bind(FindElement, [this] { m_canvas.find(); });
    bind(NextElement, [this] { m_canvas.canvas().selectNext(true); });
    bind(PreviousElement, [this] { m_canvas.canvas().selectNext(false); });
    bind(AddElement, [this] { m_canvas.quickAdd(); });
    bind(Connect, [this] { m_canvas.connectSelected(); });
    bind(Swap, [this] { m_canvas.swapSelected(); });
    bind(WrapInLoop, [this] { m_canvas.wrapInLoop(); });
    bind(DissolveLoop, [this] { m_canvas.dissolveLoop(); });
    bind(AlignLeft, [this] { m_canvas.align(Alignment::Left); });
    bind(AlignCentre, [this] { m_canvas.align(Alignment::Centre); });
    bind(AlignRight, [this] { m_canvas.align(Alignment::Right); });
    bind(AlignTop, [this] { m_canvas.align(Alignment::Top); });
    bind(AlignMiddle, [this] { m_canvas.align(Alignment::Middle); });
    bind(AlignBottom, [this] { m_canvas.align(Alignment::Bottom); });
    bind(DistributeAcross, [this] { m_canvas.distribute(Qt::Horizontal); });
    bind(DistributeDown, [this] { m_canvas.distribute(Qt::Vertical); });
    bind(Tidy, [this] { m_canvas.tidy(); });
    // Pressing the one that is on leaves it on.
    const auto heat = [this](CommandId id, HeatMode mode) {
        bind(id, [this, mode] {
            m_canvas.setHeat(mode);
            showHeat();
        });
    };
    bind(SnapToGrid, [this] { m_canvas.setSnapping(!m_canvas.canvas().snapping()); });
    heat(HeatOff, HeatMode::Off);
    heat(HeatTime, HeatMode::Time);
    heat(HeatError, HeatMode::Error);
    // Looking for something is wanted wherever the keyboard is.
    m_commands.action(FindElement)->setShortcutContext(Qt::WindowShortcut);
    m_canvas.leaveKeysToCommands();
    m_canvas.setSnapping(settings.snapsToGrid());
    connect(&canvas, &CanvasView::snappingChanged, this, [this, &settings](bool on) {
        settings.setSnapsToGrid(on);
        m_commands.action(SnapToGrid)->setChecked(on);
    });
    connect(&canvas, &CanvasView::heatChanged, this, &CanvasCommands::showHeat);
    connect(&canvas.canvas(), &QGraphicsScene::selectionChanged, this, &CanvasCommands::refresh);
    connect(&document, &DocumentModel::designChanged, this, &CanvasCommands::refresh);
    m_commands.action(SnapToGrid)->setChecked(m_canvas.canvas().snapping());
    showHeat();
    refresh();
}

void CanvasCommands::bind(CommandId id, const std::function<void()>& perform) {
    QAction* action = m_commands.action(id);
    connect(action, &QAction::triggered, this, perform);
    action->setShortcutContext(Qt::WidgetShortcut);
    m_canvas.addAction(action);
}

void CanvasCommands::showHeat() {
    const HeatMode heat = m_canvas.canvas().heat();
    m_commands.action(CommandId::HeatOff)->setChecked(heat == HeatMode::Off);
    m_commands.action(CommandId::HeatTime)->setChecked(heat == HeatMode::Time);
    m_commands.action(CommandId::HeatError)->setChecked(heat == HeatMode::Error);
}

void CanvasCommands::refresh() {
    using enum CommandId;
    const CanvasScene& canvas = m_canvas.canvas();
    const std::vector<Element> selected = canvas.selectedElements();
    const bool wires = !canvas.selectedWires().empty(), notes = !canvas.selectedNotes().empty();
    const auto* node = selected.size() == 1 ? dynamic_cast<const NodeItem*>(canvas.item(selected.front())) : nullptr;
    const auto cards = std::count_if(canvas.nodeItems().begin(), canvas.nodeItems().end(),
                                     [](auto* item) { return item->isSelected(); });
    const bool loops = std::any_of(canvas.frameItems().begin(), canvas.frameItems().end(),
                                   [](auto* item) { return item->isSelected(); });
    const bool stages = std::any_of(selected.begin(), selected.end(), [](const auto& one) { return one.isBlock(); });
    const auto enable = [this](std::initializer_list<CommandId> ids, bool usable) {
        for (const CommandId id : ids) m_commands.action(id)->setEnabled(usable);
    };
    const bool open = m_document.hasDesign();
    enable({Cut, Copy, Duplicate}, open && !selected.empty());
    enable({Delete}, open && (!selected.empty() || wires || notes));
    // What the clipboard holds is looked at when it is pasted: asking for it may take long.
    enable({Paste, SelectAll, FindElement, NextElement, PreviousElement, AddElement, Tidy}, open);
    enable({Rename}, open && (selected.size() == 1 || (selected.empty() && notes)));
    enable({Connect}, open && node != nullptr);
    enable({Swap}, open && node != nullptr && isStage(node->content().kind));
    enable({WrapInLoop}, open && stages);
    enable({DissolveLoop}, open && loops);
    enable({AlignLeft, AlignCentre, AlignRight, AlignTop, AlignMiddle, AlignBottom}, open && cards > 1);
    enable({DistributeAcross, DistributeDown}, open && cards > 2);
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "app/command_table.h"

namespace cubist {

class CanvasView;
class DocumentModel;
class Settings;

/// Ties the commands about what is selected on the canvas to the canvas: what they do, when they can be used and, for
/// switches, whether they are on. Their keys work while the canvas has the keyboard, so that Ctrl+C in a field of the
/// inspector stays the field's. Lives as long as its canvas.
class CanvasCommands : public QObject {
    Q_OBJECT

public:
    CanvasCommands(Commands& commands, CanvasView& canvas, DocumentModel& document, Settings& settings);

    /// Asks the canvas anew which commands can be used.
    void refresh();

private:
    void bind(CommandId id, const std::function<void()>& perform);
    void showHeat();

    Commands& m_commands;
    CanvasView& m_canvas;
    DocumentModel& m_document;
};

}  // namespace cubist

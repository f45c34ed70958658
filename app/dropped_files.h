// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QStringList>

class QMimeData;
class QWidget;

namespace cubist {

class Session;
struct Element;

/// Files of a drag that a window takes.
struct DroppedFiles {
    QStringList designs;
    QStringList tensors;
    [[nodiscard]] bool isEmpty() const { return designs.isEmpty() && tensors.isEmpty(); }
};
[[nodiscard]] DroppedFiles droppedFiles(const QMimeData& data);

/// Makes a tensor file the data of an input, as one undoable step: of `target` when it is an input, else of the input
/// of the file's name, else of the one that the user picks from a menu at `position` (global). Whether an input took
/// it.
bool dropTensorFile(QWidget& window, Session& session, const QString& file, const Element& target,
                    const QPoint& position);

/// The path as a design stores it: relative to the design's folder when the file lies inside.
[[nodiscard]] QString storedPath(const QString& folder, const QString& file);

}  // namespace cubist

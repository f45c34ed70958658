// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace cubist {

/// Makes undo and redo keys in a text field go to the document instead of the field's own text history: what was typed
/// is an edit of the design already. A field with a text that is not applied yet keeps its own history.
void useDocumentUndo(QWidget* field);

}  // namespace cubist

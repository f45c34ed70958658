// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QWidget;

namespace cubist::test {

/// What is wrong with the layout of a shown window: texts that are cut off, widgets of one layout that overlap, widgets
/// that stick out of their parent, scroll bars side by side. One line each, with the path of object names and classes;
/// empty when all is well.
[[nodiscard]] QStringList layoutFaults(const QWidget& window);

}  // namespace cubist::test

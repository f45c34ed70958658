// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QPointF>

namespace cubist {

class CanvasView;

/// The canvas's menu about what is selected; `at`: where in the viewport.
void showCanvasMenu(CanvasView& view, const QPoint& globalPlace, const QPointF& at);

}  // namespace cubist

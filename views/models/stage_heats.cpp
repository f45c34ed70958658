// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/stage_heats.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "views/qt_text.h"
#include "views/widgets/painting.h"

namespace cubist {

StageHeats stageHeats(const RunReport& report) {
    double largest = 0.0;
    for (const StageError& stage : report.stageErrors)
        if (std::isfinite(stage.added)) largest = std::max(largest, stage.added);
    StageHeats heats;
    for (const StageError& stage : report.stageErrors) {
        const bool finite = std::isfinite(stage.added);
        const double share = finite ? (largest > 0.0 ? stage.added / largest : 0.0) : 1.0;
        heats.insert(
            qText(stage.id.text),
            {QCoreApplication::translate("cubist::CanvasContent", "err %1").arg(shortNumber(stage.added, 2)), share});
    }
    return heats;
}

}  // namespace cubist

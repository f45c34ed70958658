// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/stage_heats.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "views/qt_text.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr double kDecades = 4.0;

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cubist::CanvasContent)
};

double narrowestTolerance(const RunReport& report) {
    double narrowest = 0.0;
    for (const OutputMetrics& output : report.accuracy.outputs) {
        const double rtol = output.limits.rtol.value_or(0.0);
        if (rtol > 0.0 && (narrowest == 0.0 || rtol < narrowest)) narrowest = rtol;
    }
    return narrowest;
}

}  // namespace

double hottestError(const RunReport& report) {
    double hottest = narrowestTolerance(report);
    if (hottest > 0.0) return hottest;
    for (const StageError& stage : report.stageErrors)
        if (std::isfinite(stage.added)) hottest = std::max(hottest, stage.added);
    return hottest;
}

StageHeats stageHeats(const RunReport& report) {
    const double hottest = hottestError(report);
    const auto heat = [hottest](double added) {
        if (added == 0.0) return 0.0;
        if (!std::isfinite(added) || hottest == 0.0) return 1.0;
        return std::clamp(1.0 + std::log10(added / hottest) / kDecades, 0.0, 1.0);
    };
    StageHeats heats;
    for (const StageError& stage : report.stageErrors)
        heats.insert(qText(stage.id.text),
                     {stage.added == 0.0 ? Texts::tr("exact") : Texts::tr("err %1").arg(shortNumber(stage.added, 2)),
                      heat(stage.added)});
    return heats;
}

HeatScale errorScale(const RunReport* report) {
    if (!report) return {Texts::tr("Error by stage: nothing was run yet"), {}, {}};
    if (report->stageErrors.empty()) return {Texts::tr("Error by stage: this run does not tell"), {}, {}};
    const double hottest = hottestError(*report);
    if (hottest == 0.0) return {Texts::tr("Error by stage: all exact"), {}, {}};
    const QString end = shortNumber(hottest, 2);
    return {Texts::tr("Relative error that the stage adds"), Texts::tr("exact"),
            narrowestTolerance(*report) > 0.0 ? Texts::tr("%1, the tolerance").arg(end)
                                              : Texts::tr("%1, the largest").arg(end)};
}

HeatScale timeScale(double kernelMicroseconds) {
    if (kernelMicroseconds <= 0.0) return {Texts::tr("Time by stage: nothing is predicted"), {}, {}};
    return {Texts::tr("Time of the stage"), QStringLiteral("0"), microsecondsText(kernelMicroseconds)};
}

}  // namespace cubist

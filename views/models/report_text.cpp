// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/report_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/timing/listeners/stalls.h"
#include "views/qt_text.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cubist::ReportText)
};

}  // namespace

QString boundText(Bound bound) {
    switch (bound) {
        case Bound::Cube: return Texts::tr("the cube");
        case Bound::Mte1: return QStringLiteral("MTE1");
        case Bound::Mte2: return Texts::tr("the cores' loads (MTE2)");
        case Bound::L2: return QStringLiteral("L2");
        case Bound::Hbm: return QStringLiteral("HBM");
        case Bound::Fixpipe: return QStringLiteral("FIXPIPE");
        case Bound::Vector: return Texts::tr("the vector unit");
        case Bound::Mte3: return QStringLiteral("MTE3");
        case Bound::Dispatch: return Texts::tr("task dispatch");
        case Bound::Launch: return Texts::tr("the launch");
        case Bound::Latency: return Texts::tr("latency");
    }
    return {};
}

Token boundToken(Bound bound) {
    switch (bound) {
        case Bound::Cube: return Token::Cube;
        case Bound::Mte1: return Token::Mte1;
        case Bound::Mte2:
        case Bound::L2:
        case Bound::Hbm: return Token::Move;
        case Bound::Mte3: return Token::Mte3;
        case Bound::Fixpipe: return Token::Fix;
        case Bound::Vector: return Token::Vector;
        case Bound::Dispatch:
        case Bound::Launch:
        case Bound::Latency: return Token::Wait;
    }
    return Token::Wait;
}

QString confidenceText(Confidence confidence) {
    switch (confidence) {
        case Confidence::Documented: return Texts::tr("documented constants");
        case Confidence::CostModel: return Texts::tr("constants of a cost model");
        case Confidence::Estimate: return Texts::tr("rests on estimates");
    }
    return {};
}

QString boundSentence(const RunReport& report) {
    const Trace& trace = *report.trace;
    const bool cube = trace.usedAic > 0;
    const std::vector<std::vector<TaskIndex>> cores = tasksByCore(trace);
    const auto firstVector = cores.begin() + static_cast<std::ptrdiff_t>(trace.aicCount);
    std::size_t waves = 0;
    for (auto tasks = cube ? cores.begin() : firstVector; tasks != (cube ? firstVector : cores.end()); ++tasks)
        waves = std::max(waves, tasks->size());
    return Texts::tr("Bound by %1. %2 of %3 %4 cores, %5")
        .arg(boundText(trace.bound))
        .arg(cube ? trace.usedAic : trace.usedAiv)
        .arg(cube ? trace.aicCount : trace.aivCount)
        .arg(cube ? Texts::tr("cube") : Texts::tr("vector"))
        .arg(counted(static_cast<std::int64_t>(waves), Texts::tr("1 wave"), Texts::tr("%1 waves")));
}

QString kernelText(const RunReport& report) {
    return microsecondsText(report.trace->microseconds(report.trace->kernel));
}

std::optional<double> stageMicroseconds(const RunReport& report, const std::string& stage) {
    if (!report.trace || !report.program) return std::nullopt;
    for (const StageTiming& timing : report.trace->stages)
        if (report.program->stages[timing.stage.value].id.text == stage) return report.trace->microseconds(timing.span);
    return std::nullopt;
}

QString deltaText(double before, double after) {
    const double change = after - before;
    if (std::abs(change) < 0.005) return {};
    const double size = std::abs(change);
    return (change > 0 ? QStringLiteral("+") : QString(QChar(0x2212))) +
           QString::number(size, 'f', size < 10.0 ? 2 : 1);
}

QString verdictText(Verdict verdict) {
    switch (verdict) {
        case Verdict::Pass: return Texts::tr("Pass");
        case Verdict::Fail: return Texts::tr("Fail");
        case Verdict::None: return Texts::tr("Not compared");
    }
    return {};
}

Token verdictToken(Verdict verdict) {
    switch (verdict) {
        case Verdict::Pass: return Token::Ok;
        case Verdict::Fail: return Token::Error;
        case Verdict::None: return Token::Muted;
    }
    return Token::Muted;
}

QString criterionText(const Tolerance& tolerance) {
    const QString limits =
        QStringLiteral(" %1 / %2")
            .arg(shortNumber(tolerance.rtol.value_or(0.0), 2), shortNumber(tolerance.atol.value_or(0.0), 2));
    switch (tolerance.criterion) {
        case Criterion::AllClose: return Texts::tr("allclose") + limits;
        case Criterion::AllCloseActual: return Texts::tr("allclose to output") + limits;
        case Criterion::TwoThreshold: return Texts::tr("two thresholds") + limits;
        case Criterion::ErrorRatio:
            return Texts::tr("error ratio %1").arg(shortNumber(tolerance.maxErrorRatio, 3)) + limits;
        case Criterion::ThreeWay: return Texts::tr("three-way %1").arg(qText(toText(tolerance.level)));
        case Criterion::Exact: return Texts::tr("exact");
        case Criterion::OrderBound: return Texts::tr("order of the sum");
    }
    return {};
}

QString criterionMeaning(Criterion criterion) {
    switch (criterion) {
        case Criterion::AllClose: return Texts::tr("|out - golden| <= atol + rtol * |golden| for every element");
        case Criterion::AllCloseActual: return Texts::tr("|out - golden| <= atol + rtol * |out| for every element");
        case Criterion::TwoThreshold:
            return Texts::tr("a small share beyond (|out| + |golden|) * rtol / 2 + atol, none beyond 128 times that");
        case Criterion::ErrorRatio: return Texts::tr("allclose but for a share of the elements, no NaN or infinity");
        case Criterion::ThreeWay: return Texts::tr("relative errors no worse than those of the framework, by a factor");
        case Criterion::Exact: return Texts::tr("every element is the golden rounded to the type");
        case Criterion::OrderBound: return Texts::tr("no element further off than some order of the sum explains");
    }
    return {};
}

QString verdictSentence(const OutputMetrics& output, const Tolerance& tolerance) {
    if (!output.reason.empty()) return QString::fromStdString(output.reason);
    const QString limits = criterionText(tolerance);
    if (output.outside == 0) return Texts::tr("all %1 elements within %2").arg(grouped(output.elements), limits);
    return Texts::tr("%1 of %2 elements outside %3, %4 allowed")
        .arg(grouped(output.outside), grouped(output.elements), limits, grouped(output.allowed));
}

}  // namespace cubist

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

QString text(const char* source) {
    return QCoreApplication::translate("cubist::ReportText", source);
}

}  // namespace

QString boundText(Bound bound) {
    switch (bound) {
        case Bound::Cube: return text("the cube");
        case Bound::Mte1: return QStringLiteral("MTE1");
        case Bound::L2: return QStringLiteral("MTE2 (L2)");
        case Bound::Hbm: return QStringLiteral("MTE2 (HBM)");
        case Bound::Fixpipe: return QStringLiteral("FIXPIPE");
        case Bound::Vector: return text("the vector unit");
        case Bound::Mte3: return QStringLiteral("MTE3");
        case Bound::Dispatch: return text("task dispatch");
        case Bound::Launch: return text("the launch");
    }
    return {};
}

Token boundToken(Bound bound) {
    switch (bound) {
        case Bound::Cube: return Token::Cube;
        case Bound::Mte1: return Token::Mte1;
        case Bound::L2:
        case Bound::Hbm: return Token::Move;
        case Bound::Mte3: return Token::Mte3;
        case Bound::Fixpipe: return Token::Fix;
        case Bound::Vector: return Token::Vector;
        case Bound::Dispatch:
        case Bound::Launch: return Token::Wait;
    }
    return Token::Wait;
}

QString confidenceText(Confidence confidence) {
    switch (confidence) {
        case Confidence::Documented: return text("documented constants");
        case Confidence::CostModel: return text("constants of a cost model");
        case Confidence::Estimate: return text("rests on estimates");
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
    return text("Bound by %1. %2 of %3 %4 cores, %5")
        .arg(boundText(trace.bound))
        .arg(cube ? trace.usedAic : trace.usedAiv)
        .arg(cube ? trace.aicCount : trace.aivCount)
        .arg(cube ? text("cube") : text("vector"))
        .arg(counted(static_cast<std::int64_t>(waves), text("1 wave"), text("%1 waves")));
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
        case Verdict::Pass: return text("Pass");
        case Verdict::Fail: return text("Fail");
        case Verdict::None: return text("Not compared");
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
        QStringLiteral(" %1 / %2").arg(shortNumber(tolerance.rtol, 2), shortNumber(tolerance.atol, 2));
    switch (tolerance.criterion) {
        case Criterion::AllClose: return text("allclose") + limits;
        case Criterion::AllCloseActual: return text("allclose to output") + limits;
        case Criterion::TwoThreshold: return text("two thresholds") + limits;
        case Criterion::ErrorRatio: return text("error ratio %1").arg(shortNumber(tolerance.maxErrorRatio, 3)) + limits;
        case Criterion::ThreeWay: return text("three-way %1").arg(qText(toText(tolerance.level)));
        case Criterion::Exact: return text("exact");
        case Criterion::OrderBound: return text("order of the sum");
    }
    return {};
}

QString criterionMeaning(Criterion criterion) {
    switch (criterion) {
        case Criterion::AllClose: return text("|out - golden| <= atol + rtol * |golden| for every element");
        case Criterion::AllCloseActual: return text("|out - golden| <= atol + rtol * |out| for every element");
        case Criterion::TwoThreshold:
            return text("a small share beyond (|out| + |golden|) * rtol / 2 + atol, none beyond 128 times that");
        case Criterion::ErrorRatio: return text("allclose but for a share of the elements, no NaN or infinity");
        case Criterion::ThreeWay: return text("relative errors no worse than those of the framework, by a factor");
        case Criterion::Exact: return text("every element is the golden rounded to the type");
        case Criterion::OrderBound: return text("no element further off than some order of the sum explains");
    }
    return {};
}

QString verdictSentence(const OutputMetrics& output, const Tolerance& tolerance) {
    if (!output.reason.empty()) return QString::fromStdString(output.reason);
    const QString limits = criterionText(tolerance);
    if (output.outside == 0) return text("all %1 elements within %2").arg(grouped(output.elements), limits);
    return text("%1 of %2 elements outside %3, %4 allowed")
        .arg(grouped(output.outside), grouped(output.elements), limits, grouped(output.allowed));
}

}  // namespace cubist

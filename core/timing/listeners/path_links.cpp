// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/path_links.h"

#include <algorithm>

namespace cubist {
namespace {

bool waitsFor(const Program& program, TaskIndex task, TaskIndex on) {
    return std::ranges::any_of(program.edgesOf(program.tasks[on.value]),
                               [&](const Edge& edge) { return edge.kind == EdgeKind::Wait && edge.to == task; });
}

/// What let `step` begin when `before` ended.
LinkCause causeOf(const Program& program, const CriticalStep& before, const CriticalStep& step) {
    using Kind = CriticalStep::Kind;
    if (before.kind != Kind::Task)
        return step.kind == Kind::Task && before.kind == Kind::Dispatch && before.task == step.task
                   ? LinkCause::HandedOut
                   : LinkCause::Scheduler;
    switch (step.kind) {
        case Kind::Resolve:
        case Kind::Stitch:
        case Kind::Submit: return LinkCause::Data;
        case Kind::Dispatch:
        case Kind::Task: return waitsFor(program, step.task, before.task) ? LinkCause::Data : LinkCause::Core;
    }
    return LinkCause::Scheduler;
}

}  // namespace

std::vector<PathLink> pathLinks(const Program& program, const Trace& trace) {
    std::vector<PathLink> links;
    links.reserve(trace.criticalPath.size());
    for (const CriticalStep& step : trace.criticalPath) {
        PathLink link;
        link.step = step;
        link.stage = program.stageOf(program.tasks[step.task.value]);
        if (!trace.tasks.empty()) link.core = trace.tasks[step.task.value].core;
        if (!links.empty()) {
            const CriticalStep& before = links.back().step;
            link.because = causeOf(program, before, step);
            link.subject = before.task;
        }
        links.push_back(link);
    }
    return links;
}

std::string_view linkName(CriticalStep::Kind kind) {
    switch (kind) {
        case CriticalStep::Kind::Dispatch: return "dispatch";
        case CriticalStep::Kind::Resolve: return "resolve";
        case CriticalStep::Kind::Task: return "task";
        case CriticalStep::Kind::Stitch: return "stitch";
        case CriticalStep::Kind::Submit: return "submit";
    }
    return "task";
}

std::string becauseText(const PathLink& link) {
    const std::string task = link.subject ? "task " + std::to_string(link.subject->value) : std::string();
    switch (link.because) {
        case LinkCause::Start: return "begins with the kernel";
        case LinkCause::Data: return "waits for the end of " + task + ", whose result is needed";
        case LinkCause::Core: return "waits for its core, busy with " + task;
        case LinkCause::Scheduler: return "waits for the AICPU, busy with " + task;
        case LinkCause::HandedOut: return "starts when it has been handed out";
    }
    return {};
}

}  // namespace cubist

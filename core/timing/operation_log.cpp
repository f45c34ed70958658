// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/operation_log.h"

namespace cubist {

// Numbers: twice the task for its dispatch, one more for its resolve, then the others.

std::uint32_t OperationLog::add(const SchedulerOperation& operation) {
    const std::uint32_t task = operation.task.value;
    switch (operation.kind) {
        case SchedulerOperation::Kind::Dispatch:
            m_dispatches[task] = operation.begin;
            m_dispatchBecause[task] = operation.because;
            return 2 * task;
        case SchedulerOperation::Kind::Resolve:
            m_resolves[task] = {operation.begin, operation.end};
            m_resolveBecause[task] = operation.because;
            return 2 * task + 1;
        case SchedulerOperation::Kind::Stitch:
        case SchedulerOperation::Kind::Submit: break;
    }
    m_others.push_back(operation);
    return static_cast<std::uint32_t>(2 * m_dispatches.size() + m_others.size() - 1);
}

SchedulerOperation OperationLog::at(std::uint32_t number) const {
    const std::size_t task = number / 2;
    if (task >= m_dispatches.size()) return m_others[number - 2 * m_dispatches.size()];
    SchedulerOperation operation;
    operation.task = TaskIndex(task);
    if (number % 2 == 0) {
        operation.kind = SchedulerOperation::Kind::Dispatch;
        operation.begin = m_dispatches[task];
        operation.end = operation.begin + m_dispatch;
        operation.because = m_dispatchBecause[task];
    } else {
        operation.kind = SchedulerOperation::Kind::Resolve;
        operation.begin = m_resolves[task].begin;
        operation.end = m_resolves[task].end;
        operation.because = m_resolveBecause[task];
    }
    return operation;
}

}  // namespace cubist

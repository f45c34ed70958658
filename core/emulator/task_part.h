// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "core/lowering/program.h"

namespace cubist {

/// One member of a task: a block of one stage.
struct TaskPart {
    TaskIndex task;
    std::uint32_t member = 0;
    auto operator<=>(const TaskPart&) const = default;
};

[[nodiscard]] inline const TaskMember& memberOf(const Program& program, TaskPart part) {
    return program.membersOf(program.tasks[part.task.value])[part.member];
}

/// The leaf of the member before merging.
[[nodiscard]] inline LeafIndex leafIndexOf(const Program& program, TaskPart part) {
    const Task& task = program.tasks[part.task.value];
    const Leaf& leaf = program.leafOf(task);
    return leaf.members.empty() ? task.leaf : leaf.members[part.member].source;
}

/// The boxes of the member, as that leaf names them.
[[nodiscard]] inline std::span<const Box> boxesOf(const Program& program, TaskPart part) {
    const Task& task = program.tasks[part.task.value];
    const Leaf& leaf = program.leafOf(task);
    const std::span<const Box> all = program.boxesOf(task);
    if (leaf.members.empty()) return all;
    return all.subspan(leaf.members[part.member].firstBox, leaf.members[part.member].boxCount);
}

}  // namespace cubist

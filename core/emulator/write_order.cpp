// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/write_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/lowering/dependency_tracker.h"

namespace cubist {
namespace {

/// A box that the tasks of a leaf read, write, or write without an order among themselves (atomic and indexed stores).
/// Reads come first.
struct TouchedBox {
    enum class Use : std::uint8_t { Reads, Writes, Adds } use = Use::Reads;
    std::uint16_t box = 0;
    auto operator<=>(const TouchedBox&) const = default;
};

std::vector<TouchedBox> touchedBoxes(const Leaf& leaf) {
    using enum TouchedBox::Use;
    std::set<TouchedBox> boxes;
    for (const Instruction& i : leaf.instructions) {
        const bool loads = i.op == Opcode::LoadL1 || i.op == Opcode::LoadScales || i.op == Opcode::LoadUb;
        if (loads) boxes.insert({Reads, i.box});
        if (i.op != Opcode::StoreL0C && i.op != Opcode::StoreUb) continue;
        const bool indexed = i.op == Opcode::StoreUb && i.detail != Instruction::kNone;
        boxes.insert({indexed || (i.flags & kFlagAtomic) != 0 ? Adds : Writes, i.box});
    }
    return {boxes.begin(), boxes.end()};
}

const Root& rootOf(const Program& program, TaskIndex task) {
    return program.roots[program.tasks[task.value].root.value];
}

/// Which tasks a task waits for, directly or by way of others. Ids ascend along edges.
class Ancestors {
public:
    Ancestors(const Program& program, bool serialLoops)
        : m_waitsFor(program.tasks.size()), m_reachedBy(program.tasks.size()) {
        for (std::size_t from = 0; from < program.tasks.size(); ++from)
            for (const Edge& edge : program.edgesOf(program.tasks[from]))
                if (edge.kind == EdgeKind::Wait &&
                    (serialLoops || !declaredIndependent(rootOf(program, TaskIndex(from)), rootOf(program, edge.to))))
                    m_waitsFor[edge.to.value].emplace_back(from);
    }

    /// Takes those of `earlier`, ascending and below `task`, out that `task` waits for. Stops when none is left.
    void removeFrom(std::vector<TaskIndex>& earlier, TaskIndex task) {
        if (earlier.empty()) return;
        const TaskIndex first = earlier.front();
        ++m_round;
        std::size_t wanted = earlier.size();
        std::vector<TaskIndex> open{task};
        while (!open.empty() && wanted > 0) {
            const TaskIndex at = open.back();
            open.pop_back();
            for (const TaskIndex before : m_waitsFor[at.value]) {
                if (before < first || m_reachedBy[before.value] == m_round) continue;
                m_reachedBy[before.value] = m_round;
                open.push_back(before);
                if (std::binary_search(earlier.begin(), earlier.end(), before)) --wanted;
            }
        }
        std::erase_if(earlier, [&](TaskIndex other) { return m_reachedBy[other.value] == m_round; });
    }

private:
    std::vector<std::vector<TaskIndex>> m_waitsFor;
    std::vector<std::size_t> m_reachedBy;  ///< the last round that came by
    std::size_t m_round = 0;
};

/// First element that both boxes hold, if any.
std::string commonElement(const Program& program, const Box& a, const Box& b) {
    if (a.tensor != b.tensor) return {};
    const GmTensor& tensor = program.tensors[a.tensor.value];
    std::string text;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const std::int64_t at = std::max(a.offset[axis], b.offset[axis]);
        if (at >= a.offset[axis] + a.valid[axis] || at >= b.offset[axis] + b.valid[axis]) return {};
        if (axis >= static_cast<std::size_t>(4 - tensor.rank)) text += (text.empty() ? "[" : ",") + std::to_string(at);
    }
    return text + "] of '" + tensor.name + "'";
}

class OrderCheck {
public:
    OrderCheck(const Program& program, bool serialLoops)
        : m_program(program),
          m_tracker(program.tensors),
          m_isWritten(program.tensors.size()),
          m_ancestors(program, serialLoops) {
        for (const Leaf& leaf : program.leaves) m_touched.push_back(touchedBoxes(leaf));
        for (const Task& task : program.tasks)
            for (const TouchedBox& touched : m_touched[task.leaf.value])
                if (touched.use != TouchedBox::Use::Reads)
                    m_isWritten[program.boxesOf(task)[touched.box].tensor.value] = true;
    }

    std::vector<ValueNote> run() {
        std::vector<TaskIndex> earlier, additions;
        for (std::size_t t = 0; t < m_program.tasks.size(); ++t) {
            const TaskIndex task(t);
            earlier.clear();
            for (const TouchedBox& touched : m_touched[m_program.tasks[t].leaf.value]) {
                const Box& box = boxOf(task, touched);
                if (!m_isWritten[box.tensor.value]) continue;
                switch (touched.use) {
                    case TouchedBox::Use::Reads: m_tracker.read(task, box, earlier); break;
                    case TouchedBox::Use::Writes: m_tracker.write(task, box, earlier); break;
                    // Atomic and indexed stores need no wait among themselves.
                    case TouchedBox::Use::Adds: m_tracker.accumulate(task, box, earlier, additions); break;
                }
            }
            std::sort(earlier.begin(), earlier.end());
            earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
            m_ancestors.removeFrom(earlier, task);
            for (const TaskIndex other : earlier) note(other, task);
        }
        std::vector<ValueNote> notes;
        for (auto& [stage, found] : m_notes) notes.push_back(std::move(found));
        return notes;
    }

private:
    [[nodiscard]] const std::vector<TouchedBox>& touchedBy(TaskIndex task) const {
        return m_touched[m_program.tasks[task.value].leaf.value];
    }
    [[nodiscard]] const Box& boxOf(TaskIndex task, const TouchedBox& touched) const {
        return m_program.boxesOf(m_program.tasks[task.value])[touched.box];
    }

    /// What two tasks do to one element, at least one of them writing.
    struct Meeting {
        bool before = false, after = false;  ///< does that task write?
        std::string element;
    };

    [[nodiscard]] Meeting meetingOf(TaskIndex other, TaskIndex task) const {
        using enum TouchedBox::Use;
        Meeting found;
        for (const TouchedBox& a : touchedBy(other))
            for (const TouchedBox& b : touchedBy(task)) {
                if ((a.use == Reads && b.use == Reads) || (a.use == Adds && b.use == Adds)) continue;
                if (!found.element.empty() && found.before && found.after) return found;
                std::string element = commonElement(m_program, boxOf(other, a), boxOf(task, b));
                if (!element.empty()) found = {a.use != Reads, b.use != Reads, std::move(element)};
            }
        return found;
    }

    void note(TaskIndex other, TaskIndex task) {
        const StageIndex stage = m_program.stageOf(m_program.tasks[task.value]);
        if (m_notes.contains(stage)) return;
        const Meeting meeting = meetingOf(other, task);
        const std::string& element = meeting.element;
        const Root &before = rootOf(m_program, other), &after = rootOf(m_program, task);
        std::string one = blockText(m_program, {other}, false), two = blockText(m_program, {task}, false);
        std::string oneZh = blockText(m_program, {other}, true), twoZh = blockText(m_program, {task}, true);
        if (declaredIndependent(before, after)) {
            const std::string i = std::to_string(before.parallelIndex.value_or(0));
            const std::string j = std::to_string(after.parallelIndex.value_or(0));
            one += " in iteration " + i;
            two += " in iteration " + j;
            oneZh += "（第 " + i + " 次迭代）";
            twoZh += "（第 " + j + " 次迭代）";
        }
        std::string message, messageZh;
        if (meeting.before && meeting.after) {
            message = one + " and " + two + " both write element " + element;
            messageZh = oneZh + " 与 " + twoZh + " 都写入元素 " + element;
        } else {
            message = one + (meeting.before ? " writes" : " reads") + " element " + element + ", which " + two +
                      (meeting.after ? " writes" : " reads");
            messageZh = oneZh + (meeting.before ? " 写入" : " 读取") + "元素 " + element + "，" + twoZh +
                        (meeting.after ? " 写入它" : " 读取它");
        }
        m_notes[stage] = {ValueNote::Kind::UnorderedAccess, task, stage, message + ", and nothing orders them",
                          messageZh + "，二者之间没有先后约束"};
    }

    const Program& m_program;
    DependencyTracker m_tracker;
    std::vector<bool> m_isWritten;  ///< by tensor
    Ancestors m_ancestors;
    std::vector<std::vector<TouchedBox>> m_touched;  ///< by leaf
    std::map<StageIndex, ValueNote> m_notes;
};

}  // namespace

bool declaredIndependent(const Root& a, const Root& b) {
    return a.parallelGroup != Root::kSerial && a.parallelGroup == b.parallelGroup && a.parallelIndex != b.parallelIndex;
}

std::vector<ValueNote> findUnorderedAccesses(const Program& program, bool serialLoops) {
    return OrderCheck(program, serialLoops).run();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/write_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/lowering/dependency_tracker.h"

namespace cubist {
namespace {

/// Boxes that the tasks of a leaf write.
struct Written {
    std::vector<std::uint16_t> boxes;
    std::set<std::uint16_t> accumulating;  ///< atomic and indexed stores, which no wait orders among each other
};

Written writtenBoxes(const Leaf& leaf) {
    std::set<std::uint16_t> boxes;
    Written written;
    for (const Instruction& i : leaf.instructions) {
        if (i.op != Opcode::StoreL0C && i.op != Opcode::StoreUb) continue;
        boxes.insert(i.box);
        const bool indexed = i.op == Opcode::StoreUb && i.detail != Instruction::kNone;
        if (indexed || (i.flags & kFlagAtomic) != 0) written.accumulating.insert(i.box);
    }
    written.boxes.assign(boxes.begin(), boxes.end());
    return written;
}

/// Does a path of wait edges lead from one task to a later one? Ids ascend along edges.
bool leadsTo(const Program& program, TaskIndex from, TaskIndex to) {
    std::vector<TaskIndex> open{from};
    std::set<TaskIndex> seen{from};
    while (!open.empty()) {
        const TaskIndex task = open.back();
        open.pop_back();
        for (const Edge& edge : program.edgesOf(program.tasks[task.value])) {
            if (edge.kind != EdgeKind::Wait || to < edge.to) continue;
            if (edge.to == to) return true;
            if (seen.insert(edge.to).second) open.push_back(edge.to);
        }
    }
    return false;
}

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
    explicit OrderCheck(const Program& program) : m_program(program), m_tracker(program.tensors) {
        for (const Leaf& leaf : program.leaves) m_written.push_back(writtenBoxes(leaf));
    }

    std::vector<ValueNote> run() {
        std::vector<TaskIndex> earlier;
        for (std::size_t t = 0; t < m_program.tasks.size(); ++t) {
            const TaskIndex task(t);
            earlier.clear();
            std::vector<TaskIndex> ordered;
            for (const std::uint16_t number : writes(task)) {
                const Box& box = m_program.boxesOf(m_program.tasks[t])[number];
                if (m_written[m_program.tasks[t].leaf.value].accumulating.contains(number))
                    m_tracker.accumulate(task, box, earlier, ordered);
                else
                    m_tracker.write(task, box, earlier);
            }
            std::sort(earlier.begin(), earlier.end());
            earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
            for (const TaskIndex other : earlier)
                if (!leadsTo(m_program, other, task)) note(other, task);
        }
        std::vector<ValueNote> notes;
        for (auto& [stage, found] : m_notes) notes.push_back(std::move(found));
        return notes;
    }

private:
    [[nodiscard]] const std::vector<std::uint16_t>& writes(TaskIndex task) const {
        return m_written[m_program.tasks[task.value].leaf.value].boxes;
    }

    void note(TaskIndex other, TaskIndex task) {
        const StageIndex stage = m_program.stageOf(m_program.tasks[task.value]);
        if (m_notes.contains(stage)) return;
        std::string element;
        for (const std::uint16_t a : writes(other))
            for (const std::uint16_t b : writes(task))
                if (element.empty())
                    element = commonElement(m_program, m_program.boxesOf(m_program.tasks[other.value])[a],
                                            m_program.boxesOf(m_program.tasks[task.value])[b]);
        m_notes[stage] = {ValueNote::Kind::UnorderedWrites, task, stage,
                          blockText(m_program, {other}, false) + " and " + blockText(m_program, {task}, false) +
                              " both write element " + element + ", and nothing orders them",
                          blockText(m_program, {other}, true) + " 与 " + blockText(m_program, {task}, true) +
                              " 都写入元素 " + element + "，二者之间没有先后约束"};
    }

    const Program& m_program;
    DependencyTracker m_tracker;
    std::vector<Written> m_written;  ///< by leaf
    std::map<StageIndex, ValueNote> m_notes;
};

}  // namespace

std::vector<ValueNote> findUnorderedWrites(const Program& program) {
    return OrderCheck(program).run();
}

}  // namespace cubist

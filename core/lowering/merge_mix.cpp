// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge_mix.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/chip/formulas.h"
#include "core/lowering/number_operand.h"

namespace cubist {
namespace {

bool overlap(const Box& a, const Box& b) {
    if (a.tensor != b.tensor) return false;
    for (std::size_t i = 0; i < 4; ++i)
        if (a.offset[i] >= b.offset[i] + b.valid[i] || b.offset[i] >= a.offset[i] + a.valid[i]) return false;
    return true;
}

/// A rectangle of rows and columns of one matrix.
bool isMatrix(const Box& box) {
    return box.valid[0] == 1 && box.valid[1] == 1 && box.valid[2] > 0 && box.valid[3] > 0;
}

bool contains(const Box& outer, const Box& inner) {
    for (std::size_t i = 0; i < 4; ++i)
        if (inner.offset[i] < outer.offset[i] || inner.offset[i] + inner.valid[i] > outer.offset[i] + outer.valid[i])
            return false;
    return true;
}

bool isCube(const Program& program, TaskIndex task) {
    return program.leafOf(program.tasks[task.value]).kind == TaskKind::Aic;
}

bool waitsFor(const Program& program, TaskIndex task, TaskIndex cube) {
    return std::ranges::any_of(program.edgesOf(program.tasks[cube.value]),
                               [&](const Edge& edge) { return edge.to == task; });
}

/// The store of a cube task whose whole block holds what a vector task loads.
struct Found {
    std::optional<std::uint32_t> store;
    bool partly = false;  ///< the task writes some of it, but not so
};

Found storeOf(const Program& program, TaskIndex cube, const Box& wanted) {
    Found found;
    const Task& task = program.tasks[cube.value];
    const Leaf& leaf = program.leafOf(task);
    const std::span<const Box> boxes = program.boxesOf(task);
    for (std::uint32_t i = 0; i < leaf.instructions.size(); ++i) {
        const Instruction& store = leaf.instructions[i];
        if (store.op != Opcode::StoreL0C || !overlap(boxes[store.box], wanted)) continue;
        const bool plain = (store.flags & (kFlagAtomic | kFlagUnit)) == 0 && store.at[0] == 0 && store.at[1] == 0;
        if (plain && isMatrix(wanted) && isMatrix(boxes[store.box]) && contains(boxes[store.box], wanted))
            found.store = i;
        else
            found.partly = true;
    }
    return found;
}

class MixPlanner {
public:
    MixPlanner(const Program& program, std::span<const TaskIndex> members) : m_program(program), m_members(members) {}

    MixPlan run() {
        if (m_members.empty() || !isCube(m_program, m_members.front())) return {};
        std::size_t cube = 0;
        for (std::size_t m = 0; m < m_members.size(); ++m) {
            if (isCube(m_program, m_members[m]))
                cube = m;
            else if (!addVector(m, cube))
                return {};
        }
        dropStores();
        m_plan.possible = !m_plan.moves.empty();
        return std::move(m_plan);
    }

private:
    /// The vector member reads only from the cube member before it, if from any.
    bool addVector(std::size_t member, std::size_t cube) {
        const Task& task = m_program.tasks[m_members[member].value];
        const Leaf& leaf = m_program.leafOf(task);
        const std::size_t before = m_plan.moves.size();
        for (std::uint32_t i = 0; i < leaf.instructions.size(); ++i) {
            const Instruction& load = leaf.instructions[i];
            if (load.op != Opcode::LoadUb) continue;
            const Box& wanted = m_program.boxesOf(task)[load.box];
            for (std::size_t m = 0; m < m_members.size(); ++m) {
                if (!isCube(m_program, m_members[m])) continue;
                const Found found = storeOf(m_program, m_members[m], wanted);
                const bool plain = load.detail == Instruction::kNone && (load.flags & kFlagPart) == 0;
                if (found.partly || (found.store && (m != cube || !plain))) return false;
                if (!found.store) continue;
                const Task& maker = m_program.tasks[m_members[m].value];
                const Box& block = m_program.boxesOf(maker)[m_program.leafOf(maker).instructions[*found.store].box];
                m_plan.moves.push_back({member,
                                        i,
                                        m,
                                        *found.store,
                                        {static_cast<std::uint32_t>(wanted.offset[2] - block.offset[2]),
                                         static_cast<std::uint32_t>(wanted.offset[3] - block.offset[3])}});
            }
        }
        return m_plan.moves.size() > before;
    }

    /// A workspace that only members read.
    void dropStores() {
        for (const UbMove& move : m_plan.moves) {
            const std::pair place{move.from, move.store};
            if (std::ranges::find(m_plan.dropped, place) != m_plan.dropped.end()) continue;
            const Task& maker = m_program.tasks[m_members[move.from].value];
            const Box& block = m_program.boxesOf(maker)[m_program.leafOf(maker).instructions[move.store].box];
            const GmTensor& tensor = m_program.tensors[block.tensor.value];
            const bool inside = std::ranges::all_of(m_program.edgesOf(maker), [&](const Edge& edge) {
                return std::ranges::find(m_members, edge.to) != m_members.end();
            });
            if (inside && tensor.role == GmRole::Workspace && tensor.initial == InitialState::Poison)
                m_plan.dropped.push_back(place);
        }
    }

    const Program& m_program;
    std::span<const TaskIndex> m_members;
    MixPlan m_plan;
};

class Mixer {
public:
    Mixer(const MergeContext& context, MergeGraph& graph) : m_context(context), m_graph(graph) {
        for (std::uint32_t colour = 0; colour < graph.colourCount(); ++colour)
            if (isCubeColour(colour)) ++m_cubeColours;
    }

    void run() {
        for (std::uint32_t colour = 0; colour < m_graph.colourCount(); ++colour) {
            if (m_graph.tasksOf(colour).empty() || !isCubeColour(colour)) continue;
            for (const std::uint32_t consumer : m_graph.consumersOf(colour))
                if (!isCubeColour(consumer) && mayJoin(colour, consumer)) m_graph.merge(colour, consumer);
        }
    }

private:
    [[nodiscard]] bool isCubeColour(std::uint32_t colour) const {
        const auto places = m_graph.tasksOf(colour);
        return !places.empty() && m_context.leaf(m_graph, places.front()).kind == TaskKind::Aic;
    }

    [[nodiscard]] bool mayJoin(std::uint32_t cube, std::uint32_t vector) const {
        if (!m_context.fitOneLeaf(m_graph, cube, vector) || waitsForMore(cube, vector) || leadsAround(cube, vector))
            return false;
        std::vector<TaskIndex> members;
        for (const std::uint32_t colour : {cube, vector})
            for (const std::uint32_t place : m_graph.tasksOf(colour)) members.push_back(m_graph.task(place));
        members = mixOrder(m_context.program, std::move(members));
        const MixPlan plan = planMix(m_context.program, members);
        return plan.possible && pays(members, plan, vector);
    }

    /// The cube would have to wait for what only the vector colour needs.
    [[nodiscard]] bool waitsForMore(std::uint32_t cube, std::uint32_t vector) const {
        const std::vector<std::uint32_t> known = m_graph.producersOf(cube);
        return std::ranges::any_of(m_graph.producersOf(vector), [&](std::uint32_t producer) {
            return producer != cube && !std::ranges::binary_search(known, producer);
        });
    }

    /// A way from one colour to the other through a third one would become a circle.
    [[nodiscard]] bool leadsAround(std::uint32_t cube, std::uint32_t vector) const {
        std::vector<bool> seen(m_graph.colourCount(), false);
        std::vector<std::uint32_t> open;
        for (const std::uint32_t next : m_graph.consumersOf(cube))
            if (next != vector) open.push_back(next);
        while (!open.empty()) {
            const std::uint32_t colour = open.back();
            open.pop_back();
            if (colour == vector) return true;
            if (seen[colour]) continue;
            seen[colour] = true;
            for (const std::uint32_t next : m_graph.consumersOf(colour)) open.push_back(next);
        }
        return false;
    }

    /// Cycles of the vector core that the cube would wait for, against the way through global memory.
    [[nodiscard]] bool pays(const std::vector<TaskIndex>& members, const MixPlan& plan, std::uint32_t vector) const {
        const ChipSpec& chip = m_context.chip;
        if (m_cubeColours <= chip.aicCount.integer()) return true;
        Rational saved;
        for (const UbMove& move : plan.moves) {
            const Task& task = m_context.program.tasks[members[move.member].value];
            const Instruction& load = m_context.program.leafOf(task).instructions[move.load];
            const std::int64_t elements = std::int64_t{load.extent[0]} * load.extent[1];
            const Bytes bytes(deviceBytes(load.dtype, elements));
            saved = saved + formula::l0cToGmCycles(chip, load.extent[0], elements, bytes, false) -
                    formula::l0cToUbCycles(chip, elements, bytes);
        }
        std::array<Rational, 2> byCore;  // two tasks run beside each other where the cluster has two vector cores
        std::size_t turn = 0;
        for (const std::uint32_t place : m_graph.tasksOf(vector)) {
            Rational& added = byCore[secondVectorCore(chip) ? turn++ % 2 : 0];
            const Leaf& leaf = m_context.leaf(m_graph, place);
            for (const Instruction& instruction : leaf.instructions) {
                if (instruction.op == Opcode::StoreUb)
                    added = added + formula::ubToGmCycles(
                                        chip, Bytes(deviceBytes(instruction.dtype, std::int64_t{instruction.extent[0]} *
                                                                                       instruction.extent[1])));
                if (instruction.op == Opcode::Vector) {
                    const VectorDetail& detail = leaf.details[instruction.detail];
                    const std::string op(toText(detail.op));
                    added = added + formula::vectorCycles(
                                        chip, takesNumber(detail) ? formula::withNumber(chip, op) : op, 32,
                                        Bytes(4 * std::int64_t{instruction.extent[0]} * instruction.extent[1]));
                }
            }
        }
        return std::max(byCore[0], byCore[1]) <= saved;
    }

    const MergeContext& m_context;
    MergeGraph& m_graph;
    std::int64_t m_cubeColours = 0;
};

}  // namespace

bool secondVectorCore(const ChipSpec& chip) {
    return chip.aivCount.integer() >= 2 * chip.aicCount.integer();
}

std::vector<TaskIndex> mixOrder(const Program& program, std::vector<TaskIndex> members) {
    std::sort(members.begin(), members.end());
    std::vector<TaskIndex> ordered;
    for (const TaskIndex cube : members) {
        if (!isCube(program, cube)) continue;
        ordered.push_back(cube);
        for (const TaskIndex vector : members)
            if (!isCube(program, vector) && waitsFor(program, vector, cube) &&
                std::ranges::find(ordered, vector) == ordered.end())
                ordered.push_back(vector);
    }
    for (const TaskIndex left : members)
        if (std::ranges::find(ordered, left) == ordered.end()) ordered.push_back(left);
    return ordered;
}

MixPlan planMix(const Program& program, std::span<const TaskIndex> members) {
    return MixPlanner(program, members).run();
}

void mixTasks(const MergeContext& context, MergeGraph& graph) {
    if (!context.options.autoMix || context.chip.l0cToUbBytesPerCycle.value == Rational(0)) return;
    if (context.chip.aivCount.integer() < context.chip.aicCount.integer()) return;
    Mixer(context, graph).run();
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/program_check.h"

#include <array>
#include <string>

#include "core/base/large_memory.h"

namespace cubist {
namespace {

constexpr std::uint16_t kNone = Instruction::kNone;

/// [first, first + count) lies in [0, size).
bool isWithin(std::uint64_t first, std::uint64_t count, std::size_t size) {
    return first <= size && count <= size - first;
}

bool isPresent(std::uint16_t index, std::size_t size) {
    return index == kNone || index < size;
}

/// What is wrong with an instruction, or null.
const char* problemOf(const Leaf& leaf, const Instruction& i) {
    for (const std::uint16_t operand : {i.dst, i.src0, i.src1})
        if (!isPresent(operand, leaf.allocations.size())) return "an operand is no tile of its leaf";
    if (i.op == Opcode::Vector) {  // a third operand stands in the place of the box
        if (!isPresent(i.box, leaf.allocations.size())) return "an operand is no tile of its leaf";
    } else if (!isPresent(i.box, leaf.parameters)) {
        return "its box is none that tasks of its leaf bring";
    }
    const bool ofCube = i.op == Opcode::Mmad || i.op == Opcode::StoreL0C || i.op == Opcode::MoveUb;
    if (!isPresent(i.detail, ofCube ? leaf.cubeDetails.size() : leaf.details.size())) return "its detail is missing";
    if (i.op == Opcode::Vector && i.detail == kNone) return "a vector instruction needs a detail";
    const bool writesTile = i.op != Opcode::StoreL0C && i.op != Opcode::StoreUb;
    if (writesTile && i.dst == kNone) return "it writes no tile";
    return nullptr;
}

Result<void> checkLeaf(const Program& program, std::size_t l) {
    const Leaf& leaf = program.leaves[l];
    const auto wrong = [&](const std::string& what) {
        return unexpected(ErrorCode::Internal, "leaf " + std::to_string(l) + ": " + what);
    };
    if (leaf.stage.value >= program.stages.size()) return wrong("its stage is missing");
    for (std::size_t i = 0; i < leaf.instructions.size(); ++i)
        if (const char* problem = problemOf(leaf, leaf.instructions[i]))
            return wrong("instruction " + std::to_string(i) + ": " + problem);
    for (const CubeDetail& detail : leaf.cubeDetails)
        for (const std::uint16_t tile : {detail.scalesA, detail.scalesB, detail.bias, detail.channelScales})
            if (!isPresent(tile, leaf.allocations.size())) return wrong("a detail names a tile that is missing");
    for (const LeafMember& member : leaf.members)
        if (member.source.value >= program.leaves.size() ||
            !isWithin(member.firstInstruction, member.instructionCount, leaf.instructions.size()) ||
            !isWithin(member.firstBox, member.boxCount, leaf.parameters))
            return wrong("a member lies outside of it");
    return {};
}

/// What is wrong with a task, or null.
const char* problemOf(const Program& program, const Task& task) {
    if (task.leaf.value >= program.leaves.size()) return "its leaf is missing";
    if (task.root.value >= program.roots.size()) return "its root is missing";
    if (!isWithin(task.firstBox, program.leaves[task.leaf.value].parameters, program.boxes.size()))
        return "its boxes are missing";
    if (!isWithin(task.firstEdge, task.edgeCount, program.edges.size())) return "its edges are missing";
    if (task.memberCount < 1 || !isWithin(task.firstMember, task.memberCount, program.members.size()))
        return "its members are missing";
    if (task.memberCount > 1 && program.leaves[task.leaf.value].members.size() != task.memberCount)
        return "its leaf has another number of members";
    return nullptr;
}

}  // namespace

Result<void> checkProgram(const Program& program) {
    for (std::size_t l = 0; l < program.leaves.size(); ++l) CUBIST_CHECK_OK(checkLeaf(program, l));
    std::vector<std::uint32_t> predecessors;
    resizeAll(predecessors, program.tasks.size());
    for (std::size_t t = 0; t < program.tasks.size(); ++t) {
        const auto wrong = [&](const char* what) {
            return unexpected(ErrorCode::Internal, "task " + std::to_string(t) + ": " + what);
        };
        if (const char* problem = problemOf(program, program.tasks[t])) return wrong(problem);
        for (const Edge& edge : program.edgesOf(program.tasks[t])) {
            if (edge.to.value >= program.tasks.size()) return wrong("an edge leads to no task");
            if (edge.kind == EdgeKind::Wait) ++predecessors[edge.to.value];
        }
    }
    for (std::size_t t = 0; t < program.tasks.size(); ++t)
        if (predecessors[t] != program.tasks[t].predecessors)
            return unexpected(ErrorCode::Internal,
                              "task " + std::to_string(t) + " counts " + std::to_string(program.tasks[t].predecessors) +
                                  " predecessors, edges lead from " + std::to_string(predecessors[t]));
    for (const Box& box : program.boxes)
        if (box.tensor.value >= program.tensors.size())
            return unexpected(ErrorCode::Internal, "a box lies in a tensor that is missing");
    for (const TaskMember& member : program.members)
        if (member.stage.value >= program.stages.size())
            return unexpected(ErrorCode::Internal, "a task belongs to a stage that is missing");
    return {};
}

}  // namespace cubist

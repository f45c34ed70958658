// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/describe.h"

#include "core/base/integer_math.h"
#include "core/timing/instruction_work.h"

namespace cubist {
namespace {

std::string rangeText(std::int64_t first, std::int64_t count) {
    return std::to_string(first) + ":" + std::to_string(first + count);
}

/// "[0:32, 1024:2048]"; axes before the last two as a plain index where they hold one element.
std::string boxText(const GmTensor& tensor, const Extent4& offset, const Extent4& extent) {
    std::string text = "[";
    for (std::size_t axis = 4 - static_cast<std::size_t>(tensor.rank); axis < 4; ++axis) {
        if (text.size() > 1) text += ", ";
        const bool single = axis < 2 && extent[axis] == 1;
        text += single ? std::to_string(offset[axis]) : rangeText(offset[axis], extent[axis]);
    }
    return text + "]";
}

std::string shapeText(const Extent4& shape) {
    std::string text;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (axis >= 2 || shape[axis] != 1) text += (text.empty() ? "" : " x ") + std::to_string(shape[axis]);
    return text;
}

/// The part of a box that one matrix instruction touches: `at` and `extent` count from the box's corner.
std::string partText(const Program& program, const Box& box, const Instruction& instruction) {
    const GmTensor& tensor = program.tensors[box.tensor.value];
    Extent4 offset = box.offset;
    Extent4 extent = box.valid;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        offset[axis + 2] += instruction.at[axis];
        extent[axis + 2] = instruction.extent[axis];
    }
    return tensor.name + " " + boxText(tensor, offset, extent);
}

std::string wholeText(const Program& program, const Box& box) {
    const GmTensor& tensor = program.tensors[box.tensor.value];
    return tensor.name + " " + boxText(tensor, box.offset, box.valid);
}

std::string extentText(const Instruction& instruction) {
    return std::to_string(instruction.extent[0]) + " x " + std::to_string(instruction.extent[1]);
}

/// The operation alone, for naming an instruction inside another one's text.
std::string operationName(const Leaf& leaf, const Instruction& instruction) {
    switch (instruction.op) {
        case Opcode::LoadL1: return "GM->L1";
        case Opcode::MoveL0A: return "L1->L0A";
        case Opcode::MoveL0B: return "L1->L0B";
        case Opcode::LoadScales: return "GM->L1 scales";
        case Opcode::MoveScalesA: return "L1->L0A_MX";
        case Opcode::MoveScalesB: return "L1->L0B_MX";
        case Opcode::MoveBt: return "L1->BT";
        case Opcode::MoveFb: return "L1->FB";
        case Opcode::Mmad: return "mmad";
        case Opcode::StoreL0C: return "L0C->GM";
        case Opcode::MoveUb: return "L0C->UB";
        case Opcode::LoadUb: return "GM->UB";
        case Opcode::Vector: return std::string(toText(leaf.details[instruction.detail].op));
        case Opcode::StoreUb: return "UB->GM";
    }
    return {};
}

std::string numberedName(const Leaf& leaf, std::uint32_t instruction) {
    return operationName(leaf, leaf.instructions[instruction]) + " #" + std::to_string(instruction);
}

/// The buffer place that an instruction writes.
std::string slotText(const Leaf& leaf, const Instruction& instruction) {
    if (instruction.dst == Instruction::kNone) return "a buffer";
    const Allocation& allocation = leaf.allocations[instruction.dst];
    return std::string(bufferName(allocation.buffer)) + " " + std::to_string(allocation.slot);
}

/// "; K valid 72 / physical 80": the axes that the cube fills up to whole fractals.
std::string paddingText(const Leaf& leaf, const Instruction& mmad) {
    constexpr std::int64_t kLines = 16, kBlockBits = 256;
    const std::int64_t deep = kBlockBits / bitsPerElement(leaf.allocations[mmad.src0].dtype);
    std::string text;
    const auto add = [&](const char* axis, std::int64_t valid, std::int64_t granule) {
        const std::int64_t physical = roundUp(valid, granule);
        if (physical == valid) return;
        text += (text.empty() ? "; " : ", ") + std::string(axis) + " valid " + std::to_string(valid) + " / physical " +
                std::to_string(physical);
    };
    add("M", mmad.extent[0], kLines);
    add("K", mmad.at[0], deep);
    add("N", mmad.extent[1], kLines);
    return text;
}

}  // namespace

std::string describeInstruction(const Program& program, TaskIndex task, std::uint32_t instruction) {
    const Leaf& leaf = program.leafOf(program.tasks[task.value]);
    const Instruction& i = leaf.instructions[instruction];
    const auto box = [&]() -> const Box& { return program.boxesOf(program.tasks[task.value])[i.box]; };
    const std::string pipe = std::string(pipeName(i.pipe)) + " ";
    // Without a box it has no place in global memory that could be named.
    if (isTransfer(i.op) && i.box == Instruction::kNone) return pipe + operationName(leaf, i) + " " + extentText(i);
    switch (i.op) {
        case Opcode::LoadL1: return pipe + "load " + partText(program, box(), i);
        case Opcode::MoveL0A:
        case Opcode::MoveL0B:
        case Opcode::MoveBt:
        case Opcode::MoveFb: return pipe + operationName(leaf, i) + " " + extentText(i);
        case Opcode::MoveScalesA:
        case Opcode::MoveScalesB: return pipe + operationName(leaf, i) + " " + extentText(i) + " pairs";
        case Opcode::LoadScales:
            return pipe + "load scales of " + program.tensors[box().tensor.value].name + ", " + extentText(i) +
                   " pairs";
        case Opcode::Mmad:
            return pipe + "mmad " + std::to_string(i.extent[0]) + " x " + std::to_string(i.at[0]) + " x " +
                   std::to_string(i.extent[1]) + ", K " + rangeText(i.at[1], i.at[0]) +
                   ((i.flags & kFlagInit) != 0 ? ", init" : ", accumulate") + paddingText(leaf, i);
        case Opcode::StoreL0C: return pipe + "store " + partText(program, box(), i);
        case Opcode::MoveUb: return pipe + operationName(leaf, i) + " " + extentText(i);
        case Opcode::LoadUb:
            if (i.detail != Instruction::kNone)
                return pipe + "load " + std::to_string(i.extent[0]) + " picked rows of " + wholeText(program, box());
            return pipe + "load " + wholeText(program, box());
        case Opcode::Vector: return pipe + operationName(leaf, i) + " " + shapeText(leaf.details[i.detail].dst.extent);
        case Opcode::StoreUb: return pipe + "store " + wholeText(program, box());
    }
    return {};
}

std::string describe(const Program& program, const LaneInterval& interval) {
    const std::string next = interval.task ? "task " + std::to_string(interval.task->value) : std::string();
    const auto leaf = [&]() -> const Leaf& { return program.leafOf(program.tasks[interval.task->value]); };
    switch (interval.cause) {
        case Cause::Busy:
            if (interval.pipe == Pipe::S) return "S issues the instructions of " + next;
            return describeInstruction(program, *interval.task, interval.instruction);
        case Cause::WaitData:
            if (interval.subject == interval.instruction)
                return "waits for S to issue " + numberedName(leaf(), interval.instruction);
            return "waits for data of " + numberedName(leaf(), interval.subject);
        case Cause::WaitSlot:
            return "waits for slot " + slotText(leaf(), leaf().instructions[interval.instruction]) + " (released by " +
                   numberedName(leaf(), interval.subject) + ")";
        case Cause::TaskDrained: return "nothing left to do in " + next;
        case Cause::WaitTask: return "no task is ready; next is " + next;
        case Cause::WaitResolve: return "waits for a scheduler to see that the predecessors of " + next + " have ended";
        case Cause::WaitBarrier: return "waits for the device task before that of " + next;
        case Cause::WaitStitch: return "waits for the control AICPU to build the device task of " + next;
        case Cause::WaitDispatch: return "waits for the scheduler to hand out " + next;
        case Cause::NoTask: return "this core gets no task";
        case Cause::Tail: return "no task is left for this core";
    }
    return {};
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/value_note.h"

#include "core/emulator/vector_unit.h"

namespace cubist {

std::string blockText(const Program& program, TaskPart part, bool chinese) {
    const TaskMember& member = memberOf(program, part);
    std::string text = "'" + program.stages[member.stage.value].id.text + (chinese ? "' 块 (" : "' block (") +
                       std::to_string(member.blockM) + "," + std::to_string(member.blockN) + ")";
    if (member.kSlice > 0) text += (chinese ? " K 分片 " : " K slice ") + std::to_string(member.kSlice);
    if (member.group > 0) text += (chinese ? " 组 " : " group ") + std::to_string(member.group);
    return text;
}

ValueNote clippedNote(const Program& program, TaskIndex first, StageIndex stage, const ClippedElements& clipped) {
    const std::int64_t own = clipped.roundsDown ? clipped.down : clipped.up;
    const std::int64_t other = clipped.roundsDown ? clipped.up : clipped.down;
    const std::string name = "'" + program.stages[stage.value].id.text + "'";
    const std::string type(toText(clipped.type)), all = std::to_string(clipped.all);
    return {ValueNote::Kind::Clipped, first, stage,
            name + ": quant_mx clips " + std::to_string(own) + " of " + all + " elements to the largest " + type +
                " with scale_rounding " + (clipped.roundsDown ? "down" : "up") + "; " +
                (clipped.roundsDown ? "up" : "down") + " would clip " + std::to_string(other),
            name + "：scale_rounding 为 " + (clipped.roundsDown ? "down" : "up") + " 时，quant_mx 将 " + all +
                " 个元素中的 " + std::to_string(own) + " 个截断为 " + type + " 的最大值；" +
                (clipped.roundsDown ? "up" : "down") + " 时为 " + std::to_string(other) + " 个"};
}

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/value_note.h"

namespace cubist {

std::string blockText(const Program& program, TaskPart part, bool chinese) {
    const TaskMember& member = memberOf(program, part);
    std::string text = "'" + program.stages[member.stage.value].id.text + (chinese ? "' 块 (" : "' block (") +
                       std::to_string(member.blockM) + "," + std::to_string(member.blockN) + ")";
    if (member.kSlice > 0) text += (chinese ? " K 分片 " : " K slice ") + std::to_string(member.kSlice);
    if (member.group > 0) text += (chinese ? " 组 " : " group ") + std::to_string(member.group);
    return text;
}

}  // namespace cubist

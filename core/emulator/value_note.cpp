// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/value_note.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/emulator/value_losses.h"
#include "core/emulator/vector_unit.h"

namespace cubist {
namespace {

/// The shortest number that reads back as the same float.
std::string numberText(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(value)).ptr;
    return {text.data(), end};
}

}  // namespace

std::string coordinates(const Extent4& at, int rank) {
    std::size_t axis = 0;
    while (axis < static_cast<std::size_t>(4 - rank) && at[axis] == 0) ++axis;
    std::string text = std::to_string(at[axis]);
    while (++axis < at.size()) text += "," + std::to_string(at[axis]);
    return text;
}

ValueNote saturatedNote(const Program& program, TaskPart first, const ClampedElements& clamped) {
    const std::string count = std::to_string(clamped.count), all = std::to_string(clamped.all);
    const std::string type(toText(clamped.first->type)), value = numberText(clamped.first->value);
    const std::string place = "(" + coordinates(clamped.first->at, 2) + ")";
    return {ValueNote::Kind::Saturated, first.task, memberOf(program, first).stage,
            blockText(program, first, false) + ": the first of " + count + " saturated elements is (" + type + ") " +
                value + " at element " + place + "; the stage converts " + all + " elements with saturation",
            blockText(program, first, true) + "：共 " + count + " 个元素饱和，首个为元素 " + place + " 的 " + value +
                "（" + type + "）；该阶段带饱和转换 " + all + " 个元素"};
}

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

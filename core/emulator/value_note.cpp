// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/value_note.h"

#include <algorithm>

#include "core/base/held_values.h"
#include "core/emulator/value_losses.h"
#include "core/emulator/vector_unit.h"

namespace cubist {
std::string coordinates(const Extent4& at, int rank) {
    std::size_t axis = 0;
    while (axis < static_cast<std::size_t>(4 - rank) && at[axis] == 0) ++axis;
    std::string text = std::to_string(at[axis]);
    while (++axis < at.size()) text += "," + std::to_string(at[axis]);
    return text;
}

ValueNote lossNote(const Program& program, TaskPart first, ElementLoss loss, const LostElements& elements,
                   std::int64_t saturating) {
    const std::string count = std::to_string(elements.count), all = std::to_string(saturating);
    const std::string type(toText(elements.first->type)),
        value = shortestFloatText(static_cast<float>(elements.first->value));
    const std::string place = "(" + coordinates(elements.first->at, 2) + ")";
    const std::string some = count + (elements.count == 1 ? " element " : " elements ");
    ValueNote note{ValueNote::Kind::Saturated, first.task, memberOf(program, first).stage,
                   blockText(program, first, false) + ": ", blockText(program, first, true) + "："};
    switch (loss) {
        case ElementLoss::Clamped:
            note.message += "the first of " + count + " saturated elements is (" + type + ") " + value +
                            " at element " + place + "; the stage converts " + all + " elements with saturation";
            note.messageZh += "共 " + count + " 个元素饱和，首个为元素 " + place + " 的 " + value + "（" + type +
                              "）；该阶段带饱和转换 " + all + " 个元素";
            break;
        case ElementLoss::NanToZero:
            note.kind = ValueNote::Kind::NanToZero;
            note.message += "the conversion to " + type + " makes " + count + " NaN 0, the first at element " + place;
            note.messageZh += "转换到 " + type + " 时 " + count + " 个 NaN 变为 0，首个为元素 " + place;
            break;
        case ElementLoss::Overflowed: {
            note.kind = ValueNote::Kind::Overflowed;
            const bool nan = elements.first->type == DType::FP8E4M3;
            note.message += "the conversion to " + type + " makes " + some + (nan ? "NaN" : "infinite") +
                            ", the first is " + value + " at element " + place;
            note.messageZh += "转换到 " + type + " 时 " + count + " 个元素变为" + (nan ? " NaN" : "无穷大") +
                              "，首个为元素 " + place + " 的 " + value;
            break;
        }
        case ElementLoss::Infinite: {
            note.kind = ValueNote::Kind::Infinite;
            const bool sum = !elements.first->op;
            const std::string name = sum ? "" : "'" + std::string(toText(*elements.first->op)) + "'";
            note.message += (sum ? "sums of finite products become infinite in L0C"
                                 : name + " of finite operands gives infinity in " + type) +
                            ", " + some + "in all, the first is " + value + " at element " + place;
            note.messageZh +=
                (sum ? "有限数的乘积在 L0C 中累加为无穷大" : name + " 对有限操作数在 " + type + " 中得到无穷大") +
                "，共 " + count + " 个元素，首个为元素 " + place + " 的 " + value;
            break;
        }
    }
    return note;
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/memory_check.h"

#include <algorithm>

namespace cubist {
namespace {

std::string elementText(std::int64_t row, std::int64_t col) {
    return "(" + std::to_string(row) + "," + std::to_string(col) + ")";
}

/// The place of an element in a tensor of the given rank.
std::string placeText(const Extent4& at, int rank) {
    std::string text;
    for (auto axis = static_cast<std::size_t>(4 - rank); axis < 4; ++axis)
        text += (text.empty() ? "[" : ",") + std::to_string(at[axis]);
    return text + "]";
}

}  // namespace

GmShadow::GmShadow(const Program& program) {
    for (const GmTensor& tensor : program.tensors) {
        // The emulated outputs start at zero, a device's hold whatever the caller's memory held.
        const bool empty = tensor.role != GmRole::Input && tensor.initial != InitialState::Data;
        m_written.emplace_back(empty ? static_cast<std::size_t>(elementCount(tensor.shape)) : 0, std::uint8_t{0});
    }
}

MemoryCheck::MemoryCheck(const Program& program, GmShadow& shadow, const BufferSizes& sizes)
    : m_program(program), m_gm(shadow), m_sizes(sizes), m_leafChecked(program.leaves.size(), false) {}

void MemoryCheck::begin(TaskPart part) {
    m_part = part;
    const Task& started = m_program.tasks[part.task.value];
    m_leaf = &m_program.leafOf(started);
    m_firstBox = m_leaf->members.empty() ? std::uint16_t{0} : m_leaf->members[part.member].firstBox;
    m_kL1 = m_kL0 = m_step = m_loadedK = -1;
    if (part.member > 0) return;
    m_boxes = m_program.boxesOf(started);
    m_begun.assign(m_leaf->allocations.size(), 0);
    m_unsaved.assign(m_leaf->allocations.size(), 0);
    for (const Allocation& a : m_leaf->allocations) {
        std::vector<std::uint16_t>& owner = m_owner[static_cast<std::size_t>(a.buffer)];
        const std::size_t end = 2 * (std::size_t{a.offset} + a.bytes);
        if (owner.size() < end) owner.resize(end, 0);
    }
    if (!m_leafChecked[started.leaf.value]) checkCapacity(*m_leaf);
    m_leafChecked[started.leaf.value] = true;
}

void MemoryCheck::checkCapacity(const Leaf& leaf) {
    for (const Allocation& a : leaf.allocations) {
        const std::int64_t size = m_sizes[static_cast<std::size_t>(a.buffer)];
        const std::int64_t end = std::int64_t{a.offset} + a.bytes;
        if (size == 0 || end <= size) continue;
        const std::string buffer(bufferName(a.buffer));
        const std::string endText = std::to_string(end), sizeText = std::to_string(size);
        note(ValueNote::Kind::OverCapacity, "a tile of " + buffer + " ends at byte " + endText + " of " + sizeText,
             buffer + " 的一个 tile 结束于第 " + endText + " 字节，容量为 " + sizeText);
        return;
    }
}

bool MemoryCheck::mayRun(const Instruction& i) {
    followK(i);
    const auto rows = [&](std::uint16_t allocation, std::int64_t row, std::int64_t col, bool turned) {
        return turned ? Rows{allocation, col, i.extent[1], row, i.extent[0]}
                      : Rows{allocation, row, i.extent[0], col, i.extent[1]};
    };
    switch (i.op) {
        case Opcode::LoadL1:
            return touchBoxRows(i, Access::Read, m_boxes[i.box]) && touch(i, Access::Write, rows(i.dst, 0, 0, false));
        case Opcode::MoveL0A:
        case Opcode::MoveL0B:
            return touch(i, Access::Read, rows(i.src0, i.at[0], i.at[1], false)) &&
                   touch(i, Access::Write, rows(i.dst, 0, 0, (i.flags & kFlagTransposed) != 0));
        case Opcode::LoadScales: return loadScales(i, m_boxes[i.box]);
        case Opcode::MoveScalesA:
        case Opcode::MoveScalesB: {
            const std::int64_t groups = 2 * std::int64_t{i.extent[1]};
            return touch(i, Access::Read, {i.src0, i.at[0], i.extent[0], 2 * std::int64_t{i.at[1]}, groups}) &&
                   touch(i, Access::Write, {i.dst, 0, i.extent[0], 0, groups});
        }
        case Opcode::MoveBt:
        case Opcode::MoveFb:
            return touch(i, Access::Read, rows(i.src0, 0, 0, false)) &&
                   touch(i, Access::Write, rows(i.dst, 0, 0, false));
        case Opcode::Mmad: return mmad(i);
        case Opcode::StoreL0C:
            m_unsaved[i.src0] = 0;
            if (i.detail != Instruction::kNone) {
                const std::uint16_t scales = m_leaf->cubeDetails[i.detail].channelScales;
                if (scales != Instruction::kNone && !touch(i, Access::Read, {scales, 0, 1, 0, i.extent[1]}))
                    return false;
            }
            return touch(i, Access::Read, rows(i.src0, 0, 0, false)) && touchBoxRows(i, storing(i), m_boxes[i.box]);
        case Opcode::MoveUb:
            m_unsaved[i.src0] = 0;
            if (i.detail != Instruction::kNone) {
                const std::uint16_t scales = m_leaf->cubeDetails[i.detail].channelScales;
                if (scales != Instruction::kNone && !touch(i, Access::Read, {scales, 0, 1, i.at[1], i.extent[1]}))
                    return false;
            }
            return touch(i, Access::Read, rows(i.src0, i.at[0], i.at[1], false)) &&
                   touch(i, Access::Write, rows(i.dst, 0, 0, false));
        case Opcode::LoadUb: {
            if (i.detail != Instruction::kNone) {
                const VectorDetail& detail = m_leaf->details[i.detail];
                return touchPart(i, Access::Read, i.src1, detail.src[1]) &&
                       touchPart(i, Access::Write, i.dst, detail.dst);
            }
            const Box& box = m_boxes[i.box];
            const std::int64_t count = box.valid[0] * box.valid[1] * box.valid[2];
            return touchBox(i, Access::Read, box) && touch(i, Access::Write, {i.dst, 0, count, 0, box.valid[3]});
        }
        case Opcode::StoreUb: {
            const Box& box = m_boxes[i.box];
            if (i.detail != Instruction::kNone) {
                const VectorDetail& detail = m_leaf->details[i.detail];
                return touchPart(i, Access::Read, i.src0, detail.src[0]) &&
                       touchPart(i, Access::Read, i.src1, detail.src[1]);
            }
            const std::int64_t count = box.valid[0] * box.valid[1] * box.valid[2];
            return touch(i, Access::Read, {i.src0, 0, count, 0, box.valid[3]}) && touchBox(i, storing(i), box);
        }
        case Opcode::Vector: return vector(i);
    }
    return true;
}

bool MemoryCheck::mayTouch(const Instruction& i, const Box& box, const Extent4& at, std::int64_t count) {
    return touchGm(i, i.op == Opcode::LoadUb ? Access::Read : storing(i), box, at, count);
}

MemoryCheck::Access MemoryCheck::storing(const Instruction& i) const {
    if ((i.flags & kFlagAtomic) != 0) return Access::Add;
    const bool indexed = i.op == Opcode::StoreUb && i.detail != Instruction::kNone;
    return indexed && m_leaf->details[i.detail].traits.accumulate ? Access::Add : Access::Write;
}

void MemoryCheck::end(GuardedMemory& guards) {
    std::span<const Instruction> own = m_leaf->instructions;
    if (!m_leaf->members.empty()) {
        const LeafMember& member = m_leaf->members[m_part.member];
        own = own.subspan(member.firstInstruction, member.instructionCount);
    }
    for (const Instruction& i : own) {
        if (i.op != Opcode::StoreL0C && i.op != Opcode::StoreUb) continue;
        const Box& box = m_boxes[i.box];
        const auto damaged = guards.takeDamage(box);
        if (!damaged) continue;
        const GmTensor& tensor = m_program.tensors[box.tensor.value];
        const bool before = (*damaged)[3] < 0;
        const std::string place = before ? std::string() : placeText(*damaged, tensor.rank);
        noteInstruction(ValueNote::Kind::OutsideAccess, i,
                        before ? "damages the guard in front of '" + tensor.name + "'"
                               : "damages the guard behind element " + place + " of '" + tensor.name + "'",
                        before ? "破坏了 '" + tensor.name + "' 之前的保护区"
                               : "破坏了 '" + tensor.name + "' 元素 " + place + " 之后的保护区");
    }
}

/// Counts the steps along K as the tile names them: kL1 by the loads of A, kL0 by the products since.
void MemoryCheck::followK(const Instruction& i) {
    if (i.op == Opcode::LoadL1 && i.box == m_firstBox) {
        const std::int64_t k = i.at[(i.flags & kFlagTransposed) != 0 ? 0 : 1];
        if (k == m_loadedK) return;
        m_loadedK = k;
        ++m_kL1;
        m_kL0 = -1;
    } else if (i.op == Opcode::Mmad) {
        ++m_kL0;
        ++m_step;
    }
}

bool MemoryCheck::mmad(const Instruction& i) {
    const std::int64_t m = i.extent[0], n = i.extent[1], k = i.at[0];
    bool inside = touch(i, Access::Read, {i.src0, 0, m, 0, k}) && touch(i, Access::Read, {i.src1, 0, k, 0, n});
    const bool init = (i.flags & kFlagInit) != 0;
    if (i.detail != Instruction::kNone) {
        const CubeDetail& detail = m_leaf->cubeDetails[i.detail];
        const std::int64_t groups = (k + 31) / 32;
        if (detail.scalesA != Instruction::kNone)
            inside = inside && touch(i, Access::Read, {detail.scalesA, 0, m, 0, groups});
        if (detail.scalesB != Instruction::kNone)
            inside = inside && touch(i, Access::Read, {detail.scalesB, 0, n, 0, groups});
        if (detail.bias != Instruction::kNone && init)
            inside = inside && touch(i, Access::Read, {detail.bias, 0, 1, 0, n});
    }
    if (!init) {
        inside = inside && touch(i, Access::Read, {i.dst, 0, m, 0, n});
    } else if (m_unsaved[i.dst] != 0) {
        const std::string step = std::to_string(m_step);
        noteInstruction(ValueNote::Kind::SumsLost, i,
                        "starts the accumulator again: partial sums lost at kL0 step " + step,
                        "重新初始化累加器：部分和在第 " + step + " 个 kL0 步丢失");
    }
    m_unsaved[i.dst] = 1;
    return inside && touch(i, Access::Write, {i.dst, 0, m, 0, n});
}

/// Pairs of scales of a 3-D box; a row of the operand lies along its first or second axis.
bool MemoryCheck::loadScales(const Instruction& i, const Box& box) {
    const bool pairsFirst = (i.flags & kFlagTransposed) != 0;
    for (std::int64_t r = 0; r < i.extent[0]; ++r)
        for (std::int64_t p = 0; p < i.extent[1]; ++p) {
            const std::int64_t row = i.at[0] + r, pair = i.at[1] + p;
            const Extent4 at{box.offset[0], box.offset[1] + (pairsFirst ? pair : row),
                             box.offset[2] + (pairsFirst ? row : pair), box.offset[3]};
            if (!touchGm(i, Access::Read, box, at, 2)) return false;
        }
    return touch(i, Access::Write, {i.dst, 0, i.extent[0], 0, 2 * std::int64_t{i.extent[1]}});
}

bool MemoryCheck::vector(const Instruction& i) {
    const VectorDetail& detail = m_leaf->details[i.detail];
    const std::array sources{i.src0, i.src1, i.box};
    for (std::size_t s = 0; s < sources.size(); ++s)
        if (sources[s] != Instruction::kNone && !touchPart(i, Access::Read, sources[s], detail.src[s])) return false;
    return touchPart(i, Access::Write, i.dst, detail.dst);
}

std::uint16_t* MemoryCheck::shadow(std::uint16_t allocation) {
    const Allocation& a = m_leaf->allocations[allocation];
    std::uint16_t* const first = m_owner[static_cast<std::size_t>(a.buffer)].data() + 2 * std::size_t{a.offset};
    if (m_begun[allocation] == 0) {  // a new tile: what lay there before is gone
        m_begun[allocation] = 1;
        std::fill_n(first, 2 * std::size_t{a.bytes}, std::uint16_t{0});
    }
    return first;
}

bool MemoryCheck::touch(const Instruction& i, Access access, const Rows& rows) {
    const Allocation& a = m_leaf->allocations[rows.allocation];
    std::uint16_t* const owner = shadow(rows.allocation);
    if (rows.rows <= 0 || rows.cols <= 0) return true;
    if (rows.row + rows.rows > a.rows || rows.col + rows.cols > a.cols) {
        const std::string buffer(bufferName(a.buffer));
        const std::string element = elementText(rows.row + rows.rows - 1, rows.col + rows.cols - 1);
        const std::string size = std::to_string(a.rows) + " x " + std::to_string(a.cols);
        noteInstruction(ValueNote::Kind::OutsideAccess, i,
                        (access == Access::Read ? "reads " : "writes ") + buffer + " element " + element +
                            ", outside of its tile of " + size,
                        (access == Access::Read ? "读取 " : "写入 ") + buffer + " 元素 " + element + "，超出其 " +
                            size + " 的 tile");
        return false;
    }
    const auto mine = static_cast<std::uint16_t>(rows.allocation + 1);
    const std::int64_t width = hostBytesPerElement(a.dtype);
    for (std::int64_t r = rows.row; r < rows.row + rows.rows; ++r) {
        std::uint16_t* const row = owner + r * a.cols * width;
        for (std::int64_t c = rows.col; c < rows.col + rows.cols; ++c) {
            if (access == Access::Write) {
                row[c * width] = mine;
            } else if (row[c * width] != mine) {
                const std::string buffer(bufferName(a.buffer));
                noteInstruction(ValueNote::Kind::UnwrittenRead, i,
                                "reads " + buffer + " element " + elementText(r, c) + " before it was written",
                                "在写入之前读取了 " + buffer + " 元素 " + elementText(r, c));
                return true;  // the poison that it reads goes on
            }
        }
    }
    return true;
}

bool MemoryCheck::touchPart(const Instruction& i, Access access, std::uint16_t allocation, const TilePart& part) {
    for (std::int64_t x = 0; x < part.extent[0]; ++x)
        for (std::int64_t y = 0; y < part.extent[1]; ++y) {
            const std::int64_t row =
                ((part.offset[0] + x) * part.layout[1] + part.offset[1] + y) * part.layout[2] + part.offset[2];
            if (!touch(i, access, {allocation, row, part.extent[2], part.offset[3], part.extent[3]})) return false;
        }
    return true;
}

bool MemoryCheck::touchBox(const Instruction& i, Access access, const Box& box) {
    Extent4 at = box.offset;
    for (std::int64_t x = 0; x < box.valid[0]; ++x)
        for (std::int64_t y = 0; y < box.valid[1]; ++y)
            for (std::int64_t z = 0; z < box.valid[2]; ++z) {
                at = {box.offset[0] + x, box.offset[1] + y, box.offset[2] + z, box.offset[3]};
                if (!touchGm(i, access, box, at, box.valid[3])) return false;
            }
    return true;
}

bool MemoryCheck::touchBoxRows(const Instruction& i, Access access, const Box& box) {
    for (std::int64_t r = 0; r < std::int64_t{i.extent[0]}; ++r) {
        const Extent4 at{box.offset[0], box.offset[1], box.offset[2] + i.at[0] + r, box.offset[3] + i.at[1]};
        if (!touchGm(i, access, box, at, i.extent[1])) return false;
    }
    return true;
}

bool MemoryCheck::touchGm(const Instruction& i, Access access, const Box& box, const Extent4& at, std::int64_t count) {
    if (count <= 0) return true;
    const GmTensor& tensor = m_program.tensors[box.tensor.value];
    Extent4 last = at;
    last[3] += count - 1;
    const auto say = [&](ValueNote::Kind kind, const Extent4& element, const std::string& what,
                         const std::string& whatZh) {
        const std::string place = placeText(element, tensor.rank);
        noteInstruction(kind, i,
                        (access == Access::Read    ? "reads element "
                         : access == Access::Write ? "writes element "
                                                   : "adds to element ") +
                            place + " of '" + tensor.name + "', " + what,
                        (access == Access::Read    ? "读取 '"
                         : access == Access::Write ? "写入 '"
                                                   : "累加到 '") +
                            tensor.name + "' 的元素 " + place + "，" + whatZh);
    };
    bool inTensor = access == Access::Read || tensor.role != GmRole::Input;
    bool inBox = true;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        inTensor = inTensor && at[axis] >= 0 && last[axis] < tensor.shape[axis];
        inBox = inBox && at[axis] >= box.offset[axis] && last[axis] < box.offset[axis] + box.valid[axis];
    }
    if (!inTensor) {
        say(ValueNote::Kind::OutsideAccess, last, "outside of the tensor", "超出张量");
        return false;
    }
    if (!inBox) say(ValueNote::Kind::OutsideAccess, last, "outside of the valid part", "超出有效区域");
    const std::span<std::uint8_t> written = m_gm.of(box.tensor);
    if (written.empty()) return true;
    const std::int64_t first = ((at[0] * tensor.shape[1] + at[1]) * tensor.shape[2] + at[2]) * tensor.shape[3] + at[3];
    const auto part = written.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    if (access == Access::Write) {
        std::fill(part.begin(), part.end(), std::uint8_t{1});
        return true;
    }
    const auto bad = std::find(part.begin(), part.end(), std::uint8_t{0});
    if (bad == part.end()) return true;
    Extent4 element = at;
    element[3] += bad - part.begin();
    if (access == Access::Add) std::fill(part.begin(), part.end(), std::uint8_t{1});
    // Slices of a split sum add to zeros that are the framework's own.
    if (access == Access::Add && isPartial(tensor)) return true;
    // An exported wrapper clears workspaces, and outputs that something is added to.
    if (access == Access::Add || (tensor.role == GmRole::Workspace && tensor.initial == InitialState::Zero))
        say(ValueNote::Kind::ZeroRead, element, "which nobody wrote: it is zero", "该元素从未被写入，其值为零");
    else
        say(ValueNote::Kind::UnwrittenRead, element, "which nobody wrote", "该元素从未被写入");
    return true;
}

std::string MemoryCheck::instructionText(const Instruction& i, bool chinese) const {
    switch (i.op) {
        case Opcode::LoadL1:
        case Opcode::LoadScales:
        case Opcode::LoadUb: return chinese ? "加载指令" : "load";
        case Opcode::MoveL0A:
        case Opcode::MoveL0B:
        case Opcode::MoveUb:
        case Opcode::MoveScalesA:
        case Opcode::MoveScalesB:
        case Opcode::MoveBt:
        case Opcode::MoveFb: return chinese ? "搬运指令" : "move";
        case Opcode::Mmad: {
            const std::string at = "kL1=" + std::to_string(m_kL1) + ",kL0=" + std::to_string(m_kL0);
            return chinese ? at + " 处的 mmad" : "mmad at " + at;
        }
        case Opcode::StoreL0C:
        case Opcode::StoreUb: return chinese ? "存储指令" : "store";
        case Opcode::Vector: return std::string(toText(m_leaf->details[i.detail].op));
    }
    return {};
}

void MemoryCheck::noteInstruction(ValueNote::Kind kind, const Instruction& i, const std::string& what,
                                  const std::string& whatZh) {
    note(kind, instructionText(i, false) + " " + what, instructionText(i, true) + " " + whatZh);
}

void MemoryCheck::note(ValueNote::Kind kind, const std::string& what, const std::string& whatZh) {
    const StageIndex stage = memberOf(m_program, m_part).stage;
    const auto [entry, added] = m_notes.try_emplace({stage, kind});
    if (!added && entry->second.task <= m_part.task) return;  // the first of a task is the one that counts
    entry->second = {kind, m_part.task, stage, blockText(m_program, m_part, false) + ": " + what,
                     blockText(m_program, m_part, true) + "：" + whatZh};
}

}  // namespace cubist

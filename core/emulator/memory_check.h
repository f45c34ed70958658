// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/emulator/guarded_memory.h"
#include "core/emulator/task_part.h"
#include "core/emulator/value_note.h"
#include "core/lowering/program.h"

namespace cubist {

/// Bytes of the buffers of one core; 0 where the size is not to be checked.
using BufferSizes = std::array<std::int64_t, kBufferCount>;

/// Which elements of a program's tensors were written; inputs need no writing. Shared by the threads of a checked run,
/// which write different elements.
class GmShadow {
public:
    GmShadow() = default;
    explicit GmShadow(const Program& program);

    /// Empty for inputs and what holds data before the kernel.
    [[nodiscard]] std::span<std::uint8_t> of(GmIndex tensor) { return m_written[tensor.value]; }

private:
    std::vector<std::vector<std::uint8_t>> m_written;  ///< a byte per element
};

/// Follows the instructions of tasks and keeps, for every element of the core's buffers, which tile wrote it last.
/// Reads of anything else are wrong, whatever the bits are: no value is needed as a sentinel. One object serves one
/// thread.
class MemoryCheck {
public:
    MemoryCheck(const Program& program, GmShadow& shadow, const BufferSizes& sizes);

    /// The members of a task begin in order; they share its buffers.
    void begin(TaskPart part);
    /// Looks at the accesses of the instruction that comes next. False when it must not be executed, because it would
    /// leave the memory of the emulated core or of a tensor.
    [[nodiscard]] bool mayRun(const Instruction& instruction);

    /// The same for `count` elements from `at` on that an indexed transfer touches: where is known once it runs.
    [[nodiscard]] bool mayTouch(const Instruction& instruction, const Box& box, const Extent4& at, std::int64_t count);

    /// After the last instruction of the member that began: looks at the guards beside what it wrote.
    void end(GuardedMemory& guards);

    /// The first finding of every stage and kind, by stage: lowest task, then instruction, then element.
    [[nodiscard]] const std::map<std::pair<StageIndex, ValueNote::Kind>, ValueNote>& notes() const { return m_notes; }

private:
    struct Rows {
        std::uint16_t allocation;
        std::int64_t row, rows, col, cols;
    };
    enum class Access : std::uint8_t { Read, Write, Add };  ///< Add: a store to what is there already

    [[nodiscard]] Access storing(const Instruction& i) const;
    void checkCapacity(const Leaf& leaf);
    void followK(const Instruction& i);
    bool touch(const Instruction& i, Access access, const Rows& rows);
    bool touchPart(const Instruction& i, Access access, std::uint16_t allocation, const TilePart& part);
    bool touchGm(const Instruction& i, Access access, const Box& box, const Extent4& at, std::int64_t count);
    bool touchBox(const Instruction& i, Access access, const Box& box);
    bool touchBoxRows(const Instruction& i, Access access, const Box& box);
    bool mmad(const Instruction& i);
    bool loadScales(const Instruction& i, const Box& box);
    bool vector(const Instruction& i);
    [[nodiscard]] std::uint16_t* shadow(std::uint16_t allocation);
    [[nodiscard]] std::string instructionText(const Instruction& i, bool chinese) const;
    void note(ValueNote::Kind kind, const std::string& what, const std::string& whatZh);
    void noteInstruction(ValueNote::Kind kind, const Instruction& i, const std::string& what,
                         const std::string& whatZh);

    const Program& m_program;
    GmShadow& m_gm;
    BufferSizes m_sizes;
    std::vector<bool> m_leafChecked;
    std::array<std::vector<std::uint16_t>, kBufferCount> m_owner;  ///< by host byte: allocation + 1, or 0
    std::map<std::pair<StageIndex, ValueNote::Kind>, ValueNote> m_notes;

    // of the task at hand
    TaskPart m_part;
    std::uint16_t m_firstBox = 0;
    const Leaf* m_leaf = nullptr;
    std::span<const Box> m_boxes;
    std::vector<std::uint8_t> m_begun;    ///< allocations that were touched
    std::vector<std::uint8_t> m_unsaved;  ///< accumulators that hold sums which no store has taken
    std::int64_t m_kL1 = -1, m_kL0 = -1, m_step = -1, m_loadedK = -1;
};

}  // namespace cubist

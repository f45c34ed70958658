// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/indexed_writes.h"
#include "core/emulator/write_order.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cubist {
namespace {

/// One slice: the write that puts it somewhere.
struct Put {
    std::int64_t place = 0;
    std::uint32_t write = 0;
};

/// "[3] of 'y'", "[3,1] of 'y'": the picked axes of a place.
std::string placeText(const Program& program, const IndexedWrite& write, std::int64_t place) {
    const GmTensor& tensor = program.tensors[write.box.tensor.value];
    std::string text;
    for (std::size_t axis = write.axis + write.picked; axis-- > write.axis;) {
        text = std::to_string(place % tensor.shape[axis]) + (text.empty() ? "" : "," + text);
        place /= tensor.shape[axis];
    }
    return "[" + text + "] of '" + tensor.name + "'";
}

/// Do both touch the same part of a slice?
bool meet(const IndexedWrite& a, const IndexedWrite& b) {
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const std::int64_t begin = std::max(a.box.offset[axis], b.box.offset[axis]);
        if (begin >= std::min(a.box.offset[axis] + a.box.valid[axis], b.box.offset[axis] + b.box.valid[axis]))
            return false;
    }
    return true;
}

class Conflicts {
public:
    Conflicts(const Program& program, std::vector<IndexedWrite> writes, bool serial)
        : m_program(program), m_writes(std::move(writes)), m_serial(serial) {
        std::sort(m_writes.begin(), m_writes.end(), [](const IndexedWrite& a, const IndexedWrite& b) {
            return std::tie(a.box.tensor, a.part) < std::tie(b.box.tensor, b.part);
        });
        numberCalls();
    }

    IndexedConflicts run() {
        for (std::size_t first = 0; first < m_writes.size();) {
            std::size_t end = first;
            while (end < m_writes.size() && m_writes[end].box.tensor == m_writes[first].box.tensor) ++end;
            lookAt(first, end);
            first = end;
        }
        IndexedConflicts out;
        for (auto& [key, found] : m_equal) out.equal.push_back(std::move(found));
        for (auto& [stage, note] : m_unordered) out.unordered.push_back(std::move(note));
        return out;
    }

private:
    /// The tiles of one call come in the order of their blocks; when that begins again, so does the call.
    void numberCalls() {
        std::map<StageIndex, std::pair<std::size_t, std::uint32_t>> latest;  // last write of a stage, its call
        m_call.resize(m_writes.size());
        for (std::size_t w = 0; w < m_writes.size(); ++w) {
            const TaskMember& own = memberOf(m_program, m_writes[w].part);
            auto [entry, isNew] = latest.try_emplace(own.stage, w, 0);
            if (!isNew) {
                const IndexedWrite& before = m_writes[entry->second.first];
                const TaskMember& last = memberOf(m_program, before.part);
                const bool same = before.box.tensor == m_writes[w].box.tensor && root(before) == root(m_writes[w]) &&
                                  std::tie(last.blockM, last.blockN) < std::tie(own.blockM, own.blockN);
                if (!same) ++entry->second.second;
                entry->second.first = w;
            }
            m_call[w] = entry->second.second;
        }
    }

    [[nodiscard]] RootIndex root(const IndexedWrite& write) const {
        return m_program.tasks[write.part.task.value].root;
    }

    void lookAt(std::size_t first, std::size_t end) {
        std::vector<Put> puts;
        for (std::size_t w = first; w < end; ++w)
            for (const std::int64_t place : m_writes[w].places) puts.push_back({place, static_cast<std::uint32_t>(w)});
        std::sort(puts.begin(), puts.end(),
                  [](const Put& a, const Put& b) { return std::tie(a.place, a.write) < std::tie(b.place, b.write); });
        for (std::size_t p = 1; p < puts.size(); ++p) {
            // Tiles of other columns may lie between two that meet; looking back a few calls is enough to find one.
            constexpr std::size_t kMostBack = 64;
            for (std::size_t back = 1; back <= std::min(p, kMostBack); ++back) {
                const Put& earlier = puts[p - back];
                if (earlier.place != puts[p].place) break;
                if (meet(m_writes[earlier.write], m_writes[puts[p].write])) compare(earlier, puts[p]);
            }
        }
    }

    void compare(const Put& a, const Put& b) {
        const IndexedWrite &earlier = m_writes[a.write], &later = m_writes[b.write];
        const StageIndex stage = memberOf(m_program, later.part).stage;
        const std::string place = placeText(m_program, later, b.place);
        const std::string one = blockText(m_program, earlier.part, false),
                          two = blockText(m_program, later.part, false);
        const std::string oneZh = blockText(m_program, earlier.part, true);
        const std::string twoZh = blockText(m_program, later.part, true);
        if (a.write == b.write ||
            (memberOf(m_program, earlier.part).stage == stage && m_call[a.write] == m_call[b.write])) {
            const bool same = a.write == b.write;
            m_equal.try_emplace(
                {stage, later.box.tensor},
                EqualEntries{later.box.tensor, stage,
                             one + (same ? " puts two slices" : " and " + two + " put slices") + " into " + place +
                                 ": equal entries of the index leave open which one is kept",
                             oneZh + (same ? "" : " 与 " + twoZh) + " 将多个切片写入 " + place +
                                 "：索引中的重复元素使保留哪一个不确定"});
            return;
        }
        const Root &before = m_program.roots[root(earlier).value], &after = m_program.roots[root(later).value];
        if (m_serial || !declaredIndependent(before, after)) return;
        const auto iteration = [](const Root& root) { return std::to_string(root.parallelIndex.value_or(0)); };
        m_unordered.try_emplace(
            stage, ValueNote{ValueNote::Kind::UnorderedAccess, later.part.task, stage,
                             one + " in iteration " + iteration(before) + " and " + two + " in iteration " +
                                 iteration(after) + " both put a slice into " + place + ", and nothing orders them",
                             oneZh + "（第 " + iteration(before) + " 次迭代）与 " + twoZh + "（第 " + iteration(after) +
                                 " 次迭代）都将切片写入 " + place + "，二者之间没有先后约束"});
    }

    const Program& m_program;
    std::vector<IndexedWrite> m_writes;
    bool m_serial;
    std::vector<std::uint32_t> m_call;  ///< by write: number of the execution among those of its stage
    std::map<std::pair<StageIndex, GmIndex>, EqualEntries> m_equal;
    std::map<StageIndex, ValueNote> m_unordered;
};

}  // namespace

IndexedConflicts findIndexedConflicts(const Program& program, std::vector<IndexedWrite> writes, bool serial) {
    return Conflicts(program, std::move(writes), serial).run();
}

EqualEntries repeatedEntries(const Program& program, TaskPart part, std::int64_t place) {
    const std::string number = std::to_string(place);
    return {std::nullopt, memberOf(program, part).stage,
            blockText(program, part, false) + ": index_put puts two slices into place " + number +
                ": equal entries of the index leave open which one is kept",
            blockText(program, part, true) + "：index_put 将多个切片写入位置 " + number +
                "：索引中的重复元素使保留哪一个不确定"};
}

}  // namespace cubist

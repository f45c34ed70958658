// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/integer_math.h"
#include "core/lowering/merge_passes.h"

namespace cubist {
namespace {

/// PyPTO's mg_copyin_upper_bound: most bytes that the subgraphs of one task load, counted before loads are dropped.
constexpr std::int64_t kMostLoaded = 104'857'600;
/// Automatic merging aims at this many tasks per cube core.
constexpr std::int64_t kTasksPerCore = 2;

enum class Side : std::uint8_t { Auto, Left, Right };

/// The loads of one leaf that a merge can save.
struct LeafLoads {
    struct Load {
        std::uint32_t instruction = 0;
        bool left = false, right = false;  ///< the tile goes to L0A, to L0B
    };
    std::vector<Load> loads;
    std::int64_t bytes = 0;
};

LeafLoads loadsOf(const Leaf& leaf) {
    LeafLoads out;
    std::vector<LeafLoads::Load*> byTile(leaf.allocations.size(), nullptr);
    const auto count = std::count_if(leaf.instructions.begin(), leaf.instructions.end(),
                                     [](const Instruction& i) { return i.op == Opcode::LoadL1; });
    out.loads.reserve(static_cast<std::size_t>(count));
    for (std::uint32_t i = 0; i < leaf.instructions.size(); ++i) {
        const Instruction& instruction = leaf.instructions[i];
        if (instruction.op == Opcode::LoadL1) {
            out.loads.push_back({i});
            out.bytes += leaf.allocations[instruction.dst].bytes;
            byTile[instruction.dst] = &out.loads.back();
        } else if (instruction.src0 != Instruction::kNone && byTile[instruction.src0] != nullptr) {
            LeafLoads::Load& load = *byTile[instruction.src0];
            load.left = load.left || instruction.op == Opcode::MoveL0A;
            load.right = load.right || instruction.op == Opcode::MoveL0B;
        }
    }
    return out;
}

class CubeMerger {
public:
    CubeMerger(const MergeContext& context, MergeGraph& graph, const std::vector<KeyedGroup>& groups)
        : m_context(context), m_graph(graph), m_cores(context.chip.aicCount.integer()) {
        m_colours.resize(graph.colourCount());
        for (std::uint32_t order = 0; order < groups.size(); ++order)
            for (const std::uint32_t place : groups[order].members) {
                const std::uint32_t colour = graph.colourOf(place);
                m_order.push_back(colour);
                m_colours[colour] = {.key = groups[order].key,
                                     .order = order,
                                     .groupSize = static_cast<std::int64_t>(groups[order].members.size()),
                                     .merged = 1,
                                     .bytes = leafLoads(place).bytes,
                                     .depth = graph.depth(place)};
            }
        std::ranges::sort(m_order, {}, [&](std::uint32_t c) { return std::pair(m_colours[c].order, c); });
    }

    void reuseL1() {
        const MergeSetting& setting = m_context.options.l1Reuse;
        if (setting.off()) return;
        std::vector<std::int64_t> counts;
        bool any = false;
        for (const std::uint32_t colour : m_order) {
            counts.push_back(reuseCount(setting, colour));
            any = any || counts.back() > 1 || (counts.back() == 1 && m_rest[m_colours[colour].order] > 0);
        }
        if (!any) return;
        for (std::size_t i = 0; i < m_order.size(); ++i) reuse(m_order[i], counts[i]);
    }

    void mergeEqual() {
        const MergeSetting& setting = m_context.options.cubeNBuffer;
        if (setting.off()) return;
        const std::vector<KeyedGroup> groups = equalColours();
        for (std::uint32_t order = 0; order < groups.size(); ++order) {
            const std::vector<std::uint32_t>& members = groups[order].members;
            const std::int64_t bytes = std::max<std::int64_t>(1, m_colours[members.front()].bytes);
            if (bytes > kMostLoaded) continue;
            const std::int64_t most = kMostLoaded / bytes;
            mergeRuns(members, runStarts(setting, order, members, most));
        }
    }

private:
    struct Colour {
        std::uint64_t key = 0;  ///< sum over its subgraphs
        std::uint32_t order = 0;
        std::int64_t groupSize = 0;
        std::int64_t merged = 0;  ///< subgraphs in it; 0: taken by another one, or no cube
        std::int64_t bytes = 0;   ///< loaded by all its subgraphs
        std::uint32_t depth = 0;  ///< of its first subgraph
    };

    const LeafLoads& leafLoads(std::uint32_t place) {
        const LeafIndex leaf = m_context.task(m_graph, place).leaf;
        const auto [at, isNew] = m_loads.try_emplace(leaf.value);
        if (isNew) at->second = loadsOf(m_context.program.leaves[leaf.value]);
        return at->second;
    }

    /// Named, or automatic: two tasks per core, the rest spread one by one.
    std::int64_t reuseCount(const MergeSetting& setting, std::uint32_t colour) {
        const Colour& own = m_colours[colour];
        const auto label = m_context.labelCount(m_graph, setting, m_graph.tasksOf(colour));
        const auto named = label ? label : setting.countFor(m_context.function, own.order);
        if (named) return atLeastOne(*named);
        const std::int64_t wanted = kTasksPerCore * m_cores;
        m_rest[own.order] = own.groupSize >= wanted ? own.groupSize % wanted : 0;
        return own.groupSize / wanted;
    }

    [[nodiscard]] Side sideOf(std::uint32_t colour) const {
        if (m_context.options.l1ReuseSide.entries.empty()) return Side::Auto;
        const auto text = [&](const std::string& key) -> const std::string* {
            return m_context.options.l1ReuseSide.find(key);
        };
        const std::uint32_t order = m_colours[colour].order;
        const std::string* side = text(m_context.label(m_graph, m_graph.tasksOf(colour).front()));
        if (side == nullptr && m_context.function)
            side = text("func" + std::to_string(*m_context.function) + "_" + std::to_string(order));
        for (const std::string& key : {std::to_string(order), std::string("-1"), std::string("DEFAULT")})
            if (side == nullptr) side = text(key);
        if (side == nullptr) return Side::Auto;
        return *side == "left" ? Side::Left : (*side == "right" ? Side::Right : Side::Auto);
    }

    static bool onSide(const LeafLoads::Load& load, Side side) {
        return side == Side::Auto || (side == Side::Left ? load.left : load.right);
    }

    /// Joins the latest colour that loads one of the same tiles, else opens a new one. A colour may only join what all
    /// its producers stand before: that keeps the order legal without looking for circles.
    void reuse(std::uint32_t colour, std::int64_t most) {
        const std::uint32_t place = m_graph.tasksOf(colour).front();
        const LeafLoads& own = leafLoads(place);
        const Side side = sideOf(colour);
        const std::vector<std::uint32_t> producers = m_graph.producersOf(colour);
        std::uint32_t into = colour;
        m_sources.clear();
        for (const LeafLoads::Load& load : own.loads)
            if (onSide(load, side)) m_sources.push_back(source(place, load.instruction));
        for (const LoadSource& tile : m_sources) {
            const auto holder = m_holders.find(tile);
            if (holder == m_holders.end()) continue;
            if (!producers.empty() && holder->second <= producers.back()) continue;
            if (!mayJoin(holder->second, colour, most)) continue;
            into = holder->second;
            break;
        }
        for (const LoadSource& tile : m_sources) m_holders[tile] = into;
        if (into != colour) take(into, colour);
    }

    bool mayJoin(std::uint32_t into, std::uint32_t colour, std::int64_t most) {
        const Colour& target = m_colours[into];
        if (target.merged == 0 || target.bytes + m_colours[colour].bytes > kMostLoaded) return false;
        if (!m_context.fitOneLeaf(m_graph, into, colour)) return false;
        if (target.merged < most) return true;
        std::int64_t& rest = m_rest[m_colours[colour].order];
        if (target.merged > most || rest <= 0) return false;
        --rest;
        return true;
    }

    [[nodiscard]] LoadSource source(std::uint32_t place, std::uint32_t instruction) const {
        const Leaf& leaf = m_context.leaf(m_graph, place);
        const Instruction& load = leaf.instructions[instruction];
        return loadSource(leaf, load, m_context.program.boxesOf(m_context.task(m_graph, place))[load.box]);
    }

    void take(std::uint32_t into, std::uint32_t from) {
        m_graph.merge(into, from);
        Colour& target = m_colours[into];
        target.key += m_colours[from].key;
        target.merged += m_colours[from].merged;
        target.bytes += m_colours[from].bytes;
        m_mixedDepths = m_mixedDepths || target.depth != m_colours[from].depth;
        m_colours[from].merged = 0;
    }

    [[nodiscard]] std::vector<KeyedGroup> equalColours() const {
        std::vector<KeyedGroup> groups;
        std::map<std::uint64_t, std::size_t> known;
        for (std::uint32_t colour = 0; colour < m_colours.size(); ++colour) {
            if (m_colours[colour].merged == 0) continue;
            const auto [at, isNew] = known.try_emplace(m_colours[colour].key, groups.size());
            if (isNew) groups.push_back({m_colours[colour].key, {}});
            groups[at->second].members.push_back(colour);
        }
        return groups;
    }

    /// For each member whether it begins a new task.
    [[nodiscard]] std::vector<bool> runStarts(const MergeSetting& setting, std::uint32_t order,
                                              const std::vector<std::uint32_t>& members, std::int64_t most) const {
        std::optional<std::int64_t> count = setting.countFor(m_context.function, order);
        std::optional<std::int64_t> labelled;
        for (const std::uint32_t colour : members)
            if (const auto label = m_context.labelCount(m_graph, setting, m_graph.tasksOf(colour)))
                labelled = std::max(labelled.value_or(*label), *label);
        if (labelled) count = labelled;
        if (!count) return automaticStarts(static_cast<std::int64_t>(members.size()), most);
        std::vector<bool> starts(members.size(), false);
        const auto step = static_cast<std::size_t>(std::min(atLeastOne(*count), most));
        for (std::size_t i = 0; i < starts.size(); i += step) starts[i] = true;
        return starts;
    }

    /// Two tasks per core: whole rounds of `most`, the rest shared out evenly.
    [[nodiscard]] std::vector<bool> automaticStarts(std::int64_t count, std::int64_t most) const {
        std::vector<bool> starts(static_cast<std::size_t>(count), false);
        const auto mark = [&](std::int64_t at) { starts[static_cast<std::size_t>(at)] = true; };
        std::int64_t tasks = m_cores;
        std::int64_t rest = count % (most * m_cores);
        if (count <= (most + 1) * m_cores) {
            tasks *= kTasksPerCore;
            rest = count;
        } else {
            for (std::int64_t i = 0; i < count - rest; i += most) mark(i);
        }
        const std::int64_t longer = rest % tasks;
        for (std::int64_t i = 0; i < longer; ++i) mark(count - rest + i * ceilDiv(rest, tasks));
        if (rest >= tasks)
            for (std::int64_t i = 1; i <= tasks - longer; ++i) mark(count - i * (rest / tasks));
        return starts;
    }

    /// Tasks of one depth never wait for each other, however they are merged. Once L1 reuse has joined different
    /// depths, a colour may again only join what all its producers stand before.
    [[nodiscard]] bool wouldCross(std::uint32_t into, std::uint32_t colour) const {
        if (!m_mixedDepths) return false;
        const std::vector<std::uint32_t> producers = m_graph.producersOf(colour);
        return !producers.empty() && into <= producers.back();
    }

    void mergeRuns(const std::vector<std::uint32_t>& members, const std::vector<bool>& starts) {
        std::uint32_t into = members.front();
        for (std::size_t i = 1; i < members.size(); ++i) {
            if (starts[i] || !m_context.fitOneLeaf(m_graph, into, members[i]) || wouldCross(into, members[i]))
                into = members[i];
            else
                take(into, members[i]);
        }
    }

    const MergeContext& m_context;
    MergeGraph& m_graph;
    std::int64_t m_cores;
    bool m_mixedDepths = false;
    std::vector<std::uint32_t> m_order;  ///< cube colours by group, then number
    std::vector<Colour> m_colours;
    std::map<std::uint32_t, std::int64_t> m_rest;  ///< by group: tasks that still get one more subgraph
    std::unordered_map<std::uint32_t, LeafLoads> m_loads;
    std::unordered_map<LoadSource, std::uint32_t, LoadSourceHash> m_holders;  ///< tile -> colour that loads it
    std::vector<LoadSource> m_sources;                                        ///< scratch
};

}  // namespace

void mergeCubes(const MergeContext& context, MergeGraph& graph, const std::vector<KeyedGroup>& groups) {
    if (groups.empty() || context.chip.aicCount.integer() < 1) return;
    CubeMerger merger(context, graph, groups);
    merger.reuseL1();
    graph.shareLoads();  // PyPTO's n-buffer removes no copies
    merger.mergeEqual();
}

}  // namespace cubist

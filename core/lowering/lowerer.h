// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/run_context.h"
#include "core/design/compiled_shapes.h"
#include "core/design/resolve.h"
#include "core/design/valid_memo.h"
#include "core/design/vector_plan.h"
#include "core/lowering/dependency_tracker.h"
#include "core/lowering/leaf_builder.h"
#include "core/lowering/program.h"

/// Inside of `lower`: walks the block tree once per loop iteration and emits tasks.
namespace cubist::detail {

/// Where a stage result goes: a workspace that other stages read, or a store of the design.
struct Destination {
    GmIndex tensor;
    const Store* store = nullptr;  ///< null: workspace
    std::string where;             ///< JSON pointer of the store
};

/// Stores that PyPTO does not order among themselves: additions, those by an index, and an assemble that is told so.
[[nodiscard]] inline bool isUnordered(const Store& store) {
    return isIndexed(store.op) || store.op == StoreOp::AtomicAdd || (store.op == StoreOp::Assemble && store.parallel);
}

/// A result of a vector stage and where it goes.
struct VectorOutput {
    std::uint16_t value = 0;  ///< of the plan
    Box box;
    const Store* store = nullptr;             ///< null: workspace
    std::optional<std::uint16_t> index = {};  ///< indexed stores: value of the plan that says where
    std::size_t indexedAxis = 0;              ///< right-aligned; the first of those that the index picks along
    std::size_t pickedAxes = 1;               ///< how many they are: the value has one in their place
    [[nodiscard]] std::size_t slicesAxis() const { return indexedAxis + pickedAxes - 1; }  ///< of the value
    /// Does it need no wait among its like?
    [[nodiscard]] bool accumulates() const { return store != nullptr && isUnordered(*store); }
};

/// A store that cannot ride on the task that makes its value, and so becomes a copy through UB: the value is made in
/// another loop level or not at all; by the cube, which cannot write by an index; or before the index is.
[[nodiscard]] bool isCopy(const ResolvedDesign& design, const ResolvedBlock& block);

/// A shape of up to four axes, right-aligned, missing axes 1.
[[nodiscard]] Extent4 rightAligned(const std::vector<std::int64_t>& shape, std::int64_t fill = 1);

/// Where the operands and results of one execution of a cube stage lie.
struct CubeBoxes {
    Box a, b, scaleA, scaleB;  ///< scales: ScaledMm only
    std::optional<Box> bias, channelScales;
    std::vector<Box> destinations;
    std::vector<bool> accumulates;  ///< one per destination: adds to what is there
    std::vector<bool> unordered;    ///< one per destination: needs no wait among its like
    std::int64_t batchColumns = 1;  ///< extent of the second batch axis
};

/// A block of a matmul: matrix of the batch, first row and column, stretch of K.
struct CubePlace {
    std::int64_t first = 0, second = 0;  ///< along the two batch axes
    std::int64_t m = 0, n = 0;
    std::int64_t k = 0, depth = 0;
    std::int64_t slice = 0;  ///< of split-K
};

/// The part of a result's box that a block covers: rows x cols from the place's corner.
[[nodiscard]] Box matrixPart(const Box& box, const CubePlace& place, std::int64_t rows, std::int64_t cols);

/// A value's part that one leaf holds in UB, right-aligned; `valid` counts from its start.
struct Held {
    Extent4 offset{0, 0, 0, 0};
    Extent4 extent{1, 1, 1, 1};
    Extent4 valid{1, 1, 1, 1};
};

/// One task of a vector stage: everything but where the iteration's values lie.
struct VectorTile {
    /// The part of an operand's or a result's box.
    struct Part {
        std::size_t of = 0;  ///< place among the plan's inputs, or among the outputs
        Held held;
    };
    LeafIndex leaf;
    std::vector<Part> reads, writes;
    std::vector<bool> accumulates;  ///< by entry of `writes`
    TaskMember member;
};

/// Where a tile is cut from the space of a stage's results.
struct TileCut {
    std::vector<std::uint16_t> results;  ///< plan values of the outputs
    std::vector<std::int64_t> space, tile, at;
};

class Lowerer {
public:
    Lowerer(const ResolvedDesign& design, const Options& options, const ChipSpec& chip, const RunContext& context)
        : m_design(design), m_byHand(options), m_chip(chip), m_context(context), m_tracker({}), m_valids(design) {}

    Result<Program> lower();

private:
    // lowerer.cpp: structure
    Result<void> addTensors();
    Result<void> addStages();
    Result<void> planResults();
    Result<void> walk(const std::vector<Block>& blocks);
    Result<void> runLoop(const Loop& loop);
    void linkTasks();
    GmIndex addGmTensor(GmTensor tensor);
    RootIndex currentRoot();
    static Result<void> checkTile(const CubeTile& tile, const std::string& where);
    static Result<void> checkTile(const std::vector<std::int64_t>& tile, std::size_t rank, const std::string& where);
    [[nodiscard]] Result<CubeStage> current(const ResolvedBlock& block, const CubeStage& stage) const;
    [[nodiscard]] Result<VectorStage> current(const ResolvedBlock& block, const VectorStage& stage) const;
    [[nodiscard]] std::int64_t currentExecution(const std::vector<std::size_t>& loops) const;

    // lowerer_boxes.cpp: places of values in global memory
    Result<Box> placeOf(const ValueId& value);
    Result<Box> destinationBox(const Destination& destination, const ResolvedValue& value);
    Result<std::vector<VectorOutput>> vectorOutputs(const VectorStage& stage, VectorPlan& plan);

    // lowerer_cube.cpp
    Result<void> emitCube(const ResolvedBlock& block, const CubeStage& stage);
    Result<CubeLeafSpec> cubeSpec(const ResolvedBlock& block, const CubeStage& stage);
    [[nodiscard]] Result<void> checkCubeTypes(const ResolvedBlock& block, const CubeStage& stage,
                                              const CubeLeafSpec& spec) const;
    Result<void> emitCubeTask(const ResolvedBlock& block, const CubeStage& stage, CubeLeafSpec spec,
                              const CubeBoxes& boxes, const CubePlace& place);
    Result<Box> scalesBox(const ResolvedBlock& block, const ValueId& id, const std::string& key, bool pairsFirst,
                          std::int64_t outer, std::int64_t k);
    Result<std::optional<Box>> rowBox(const ResolvedBlock& block, const ValueId& id, const std::string& key,
                                      std::int64_t n);
    static TaskMember memberOf(const CubeLeafSpec& spec, const CubeBoxes& boxes, const CubePlace& place);

    // lowerer_split_k.cpp
    Result<void> emitSplitK(const ResolvedBlock& block, const CubeStage& stage, const CubeLeafSpec& whole,
                            const CubeBoxes& boxes, const Extent4& batch);
    Result<void> emitCombine(const ResolvedBlock& block, const CubeLeafSpec& cube, const CubeBoxes& boxes,
                             const std::vector<Box>& partials, const CubePlace& place, std::int64_t tileM,
                             std::int64_t tileN);

    // lowerer_vector.cpp
    /// A vector stage as it was planned last.
    struct StagePlan {
        std::vector<std::string> names;  ///< what the plan depends on
        NamedPlaces at;
        std::vector<std::int64_t> tile;
        std::optional<VectorPlan> plan;
        std::optional<std::vector<VectorTile>> tiles;  ///< absent: not worked out, or too many to be kept
    };
    Result<StagePlan*> planOf(const ResolvedBlock& block, const VectorStage& stage);
    Result<VectorTile> tileAt(const ResolvedBlock& block, const VectorStage& stage, const VectorPlan& plan,
                              const std::vector<VectorOutput>& outputs, const TileCut& place);
    void emitTile(const VectorTile& tile, const std::vector<Box>& sources, const std::vector<VectorOutput>& outputs);
    Result<void> emitVector(const ResolvedBlock& block, const VectorStage& stage);
    Result<void> emitCopy(const ResolvedBlock& block, const Store& store);

    template <class Spec>
    struct CachedLeaf {
        Spec spec;
        LeafIndex leaf;
    };
    template <class Spec, class Build>
    Result<LeafIndex> leafFor(std::vector<CachedLeaf<Spec>>& cache, const Spec& spec, std::uint64_t groupKey,
                              const std::string& where, Build&& build);
    /// The first `reads` boxes are read; the others are written, in any order among their like where `unordered`, which
    /// has one entry per written box, says so (empty: nowhere).
    void emitTask(LeafIndex leaf, const std::vector<Box>& boxes, std::size_t reads, TaskMember member,
                  const std::vector<bool>& unordered = {});

    const ResolvedDesign& m_design;
    HandWritten m_byHand;
    const ChipSpec& m_chip;
    const RunContext& m_context;
    DependencyTracker m_tracker;
    Program m_program;

    std::map<const Block*, std::size_t> m_blockOf;              ///< leaf blocks -> index in m_design.blocks
    std::map<std::size_t, StageIndex> m_stageOf;                ///< block index -> stage
    std::map<std::string, std::vector<Destination>> m_results;  ///< by value
    std::map<std::string, GmIndex> m_gm;                        ///< tensors and workspaces by value name
    std::vector<CachedLeaf<CubeLeafSpec>> m_cubeLeaves;
    std::vector<CachedLeaf<VectorLeafSpec>> m_vectorLeaves;
    std::vector<CachedLeaf<CombineLeafSpec>> m_combineLeaves;
    struct Link {
        TaskIndex from, to;
        EdgeKind kind = EdgeKind::Wait;
    };
    std::vector<Link> m_links;
    std::vector<TaskIndex> m_scratch;
    std::vector<TaskIndex> m_orderScratch;

    IndexValues m_indices;
    ValidMemo m_valids;
    std::optional<CompiledShapes> m_shapes;  ///< made when a cube stage asks for it
    std::map<const Block*, StagePlan> m_plans;
    std::vector<Box> m_boxScratch;
    /// An enclosing loop and where it is.
    struct Level {
        const Loop* loop = nullptr;
        std::int64_t iteration = 0;
        LoopStep step;
        std::uint32_t parallelGroup = Root::kSerial;
    };
    std::vector<Level> m_path;  ///< outermost first
    bool m_rootOpen = false;
    bool m_submitBefore = false;  ///< the next root begins a loop with submit_before_loop
    std::uint32_t m_parallelGroups = 0;
    std::uint64_t m_nextAddress = 0;
    std::int64_t m_iterationsDone = 0;
    double m_iterationsTotal = 1;
};

template <class Spec, class Build>
Result<LeafIndex> Lowerer::leafFor(std::vector<CachedLeaf<Spec>>& cache, const Spec& spec, std::uint64_t groupKey,
                                   const std::string& where, Build&& build) {
    for (auto it = cache.rbegin(); it != cache.rend(); ++it)
        if (it->spec == spec) return it->leaf;
    auto leaf = build(spec, m_chip);
    if (!leaf) {
        Error error = std::move(leaf).error();
        error.where = where;
        return unexpected(std::move(error));
    }
    leaf->groupKey = groupKey;
    leaf->leafKey = (groupKey ^ (m_program.leaves.size() + 1)) * 0x9E3779B97F4A7C15ULL;
    const LeafIndex index(m_program.leaves.size());
    m_program.leaves.push_back(std::move(*leaf));
    cache.push_back({spec, index});
    return index;
}

}  // namespace cubist::detail

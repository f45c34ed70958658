// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/lowerer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/integer_math.h"
#include "core/lowering/chain_pieces.h"
#include "core/lowering/lower.h"
#include "core/lowering/merge.h"

namespace cubist {
namespace detail {
namespace {

constexpr std::uint64_t kGmAlignment = 512;

/// Tile of a copy through UB: whole rows as far as they fit.
Extent4 copyTile(const Extent4& shape) {
    constexpr std::int64_t kElements = 8192;  // at most 64 KiB
    Extent4 tile{1, 1, 1, 1};
    std::int64_t left = kElements;
    for (std::size_t axis = 4; axis-- > 0;) {
        tile[axis] = std::clamp(shape[axis], std::int64_t{1}, std::max<std::int64_t>(left, 1));
        left /= tile[axis];
    }
    return tile;
}

}  // namespace

Extent4 rightAligned(const std::vector<std::int64_t>& shape, std::int64_t fill) {
    Extent4 out{fill, fill, fill, fill};
    for (std::size_t i = 0; i < shape.size(); ++i) out[4 - shape.size() + i] = shape[i];
    return out;
}

Result<Program> Lowerer::lower() {
    for (const ShapeProblem& problem : m_design.problems) {
        if (problem.kind == ShapeProblem::Kind::NotConstant || problem.kind == ShapeProblem::Kind::Coverage) continue;
        return unexpected(ErrorCode::BadValue, problem.message, problem.where);
    }
    CUBIST_CHECK_OK(addTensors());
    CUBIST_CHECK_OK(addStages());
    CUBIST_CHECK_OK(planResults());
    for (const ResolvedLoop& loop : m_design.loops) m_iterationsTotal += static_cast<double>(loop.total);
    CUBIST_CHECK_OK(walk(m_design.design->blocks));
    linkTasks();
    return std::move(m_program);
}

GmIndex Lowerer::addGmTensor(GmTensor tensor) {
    tensor.address = m_nextAddress;
    const auto bytes = static_cast<std::uint64_t>(tensor.bytes());
    m_nextAddress += (bytes + kGmAlignment - 1) / kGmAlignment * kGmAlignment;
    const GmIndex index(m_program.tensors.size());
    m_gm[tensor.name] = index;
    m_tracker.addTensor(tensor);
    m_program.tensors.push_back(std::move(tensor));
    return index;
}

Result<void> Lowerer::addTensors() {
    for (const Tensor& tensor : m_design.design->tensors) {
        const ResolvedValue& value = *m_design.value(ValueId(tensor.id.text));
        GmTensor gm;
        gm.name = tensor.id.text;
        gm.role = tensor.role == TensorRole::Input       ? GmRole::Input
                  : tensor.role == TensorRole::Workspace ? GmRole::Workspace
                                                         : GmRole::Output;
        gm.dtype = tensor.dtype;
        gm.format = tensor.format;
        gm.cached = tensor.cache == CachePolicy::Default;
        gm.rank = static_cast<int>(value.shape.size());
        gm.shape = rightAligned(value.shape);
        const bool given = tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
        gm.initial = given ? InitialState::Data : InitialState::Zero;
        addGmTensor(std::move(gm));
    }
    return {};
}

Result<void> Lowerer::checkTile(const CubeTile& tile, const std::string& where) {
    for (const std::int64_t size : {tile.mL0(), tile.nL0(), tile.kL0(), tile.kAL1(), tile.kBL1()})
        if (size < 1) return unexpected(ErrorCode::BadValue, "every tile size must be at least 1", where + "/tile");
    return {};
}

Result<void> Lowerer::checkTile(const std::vector<std::int64_t>& tile, std::size_t rank, const std::string& where) {
    if (tile.size() < rank)
        return unexpected(ErrorCode::BadValue,
                          "the vector tile has " + std::to_string(tile.size()) + " values, the result has " +
                              std::to_string(rank) + " axes",
                          where + "/tile");
    for (const std::int64_t size : tile)
        if (size < 1) return unexpected(ErrorCode::BadValue, "every tile size must be at least 1", where + "/tile");
    return {};
}

/// The stage with the tile of the current factor.
Result<CubeStage> Lowerer::current(const ResolvedBlock& block, const CubeStage& stage) const {
    CubeStage now = stage;
    if (const TileChoice* choice = m_design.tileChoice(stage.id)) now.tile = choice->ownCube;
    CUBIST_TRY(now.tile, tileOf(now, lookupWith(m_design, m_indices), block.where));
    CUBIST_CHECK_OK(checkTile(now.tile, block.where));
    return now;
}

Result<VectorStage> Lowerer::current(const ResolvedBlock& block, const VectorStage& stage) const {
    VectorStage now = stage;
    if (const TileChoice* choice = m_design.tileChoice(stage.id)) now.tile = choice->ownVector;
    CUBIST_TRY(now.tile, tileOf(now, lookupWith(m_design, m_indices), block.where));
    CUBIST_CHECK_OK(checkTile(now.tile, m_design.value(stage.ops.back().out)->shape.size(), block.where));
    return now;
}

Result<void> Lowerer::addStages() {
    for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
        const ResolvedBlock& block = m_design.blocks[i];
        m_blockOf[block.block] = i;
        ProgramStage stage;
        stage.id = block.block->id();
        stage.where = block.where;
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            CUBIST_CHECK_OK(checkTile(cube->tile, block.where));
            stage.kind = TaskKind::Aic;
            stage.label = cube->label.empty() ? cube->id.text : cube->label;
            stage.result = cube->out;
            stage.tile = {1, 1, cube->tile.mL0(), cube->tile.nL0()};
        } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
            stage.kind = TaskKind::Aiv;
            stage.label = vector->label.empty() ? vector->id.text : vector->label;
            stage.result = vector->ops.back().out;
            const std::size_t rank = m_design.value(stage.result)->shape.size();
            CUBIST_CHECK_OK(checkTile(vector->tile, rank, block.where));
            const auto axes = tileAxes(*vector, [&](const ValueId& id) { return m_design.value(id)->shape.size(); });
            stage.tile = rightAligned(tileAlong(vector->tile, axes.back().out));
        } else if (const auto* store = std::get_if<Store>(&block.block->content); store && isCopy(m_design, block)) {
            stage.kind = TaskKind::Aiv;
            stage.tile = copyTile(rightAligned(m_design.value(store->from)->shape));
            stage.resultType = m_design.value(store->from)->dtype;
            m_stageOf[i] = StageIndex(m_program.stages.size());
            m_program.stages.push_back(std::move(stage));
            continue;
        } else {
            continue;
        }
        stage.resultType = m_design.value(stage.result)->dtype;
        m_stageOf[i] = StageIndex(m_program.stages.size());
        m_program.stages.push_back(std::move(stage));
    }
    return {};
}

Result<void> Lowerer::planResults() {
    std::set<std::string> readByStages;
    const auto note = [&](const ValueId& id, std::size_t reader) {
        const ResolvedValue* value = m_design.value(id);
        const bool result =
            value->kind == ResolvedValue::Kind::CubeResult || value->kind == ResolvedValue::Kind::OpResult;
        if (result && value->block != reader) readByStages.insert(id.text);
    };
    for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
        const ResolvedBlock& block = m_design.blocks[i];
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            for (const ValueId& id : operandsOf(*cube)) note(id, i);
        } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
            for (const VectorOp& op : vector->ops)
                for (const Operand& operand : op.in)
                    if (operand.value() != nullptr) note(*operand.value(), i);
        } else if (const auto* store = std::get_if<Store>(&block.block->content)) {
            const bool copied = isCopy(m_design, block);
            if (copied) note(store->from, i);
            if (isIndexed(store->op)) note(store->index, copied ? i : m_design.value(store->from)->block);
            if (copied) continue;
            m_results[store->from.text].push_back({m_gm.at(store->to.text), store, block.where});
        }
    }
    for (const std::string& name : readByStages) {
        const ResolvedValue& value = *m_design.value(ValueId(name));
        const auto rows = checkedMul(m_design.executions(m_design.blocks[value.block]), value.shape.front());
        GmTensor gm;
        gm.name = name;
        gm.role = GmRole::Workspace;
        gm.dtype = value.dtype;
        gm.rank = static_cast<int>(value.shape.size());
        std::vector<std::int64_t> shape = value.shape;
        if (!rows || !checkedMul(*rows, 1 << 20))
            return unexpected(ErrorCode::DoesNotFit,
                              "the workspace of '" + name + "' has more rows than can be counted",
                              m_design.blocks[value.block].where);
        shape.front() = *rows;
        gm.shape = rightAligned(shape);
        gm.initial = InitialState::Poison;
        auto& destinations = m_results[name];
        destinations.insert(destinations.begin(), Destination{addGmTensor(std::move(gm)), nullptr, {}});
    }
    for (const auto& [block, stage] : m_stageOf)
        if (m_program.stages[stage.value].kind == TaskKind::Aic &&
            !m_results.contains(m_program.stages[stage.value].result.text))
            return unexpected(
                ErrorCode::BadValue,
                "the result '" + m_program.stages[stage.value].result.text + "' is neither read nor stored",
                m_program.stages[stage.value].where + "/out", "store it into an output tensor");
    return {};
}

bool isCopy(const ResolvedDesign& design, const ResolvedBlock& block) {
    const auto* store = std::get_if<Store>(&block.block->content);
    if (store == nullptr) return false;
    const auto made = [](const ResolvedValue& value) {
        return value.kind == ResolvedValue::Kind::CubeResult || value.kind == ResolvedValue::Kind::OpResult;
    };
    const ResolvedValue& from = *design.value(store->from);
    if (!made(from) || design.blocks[from.block].loops != block.loops) return true;
    if (!isIndexed(store->op)) return false;
    const ResolvedValue& index = *design.value(store->index);
    return from.kind == ResolvedValue::Kind::CubeResult || (made(index) && index.block > from.block);
}

std::int64_t Lowerer::currentExecution(const std::vector<std::size_t>& loops) const {
    std::vector<std::int64_t> iterations;
    for (std::size_t i = 0; i < loops.size(); ++i) iterations.push_back(m_path[i].iteration);
    return m_design.execution(loops, iterations);
}

RootIndex Lowerer::currentRoot() {
    if (!m_rootOpen) {
        Root root;
        for (const Level& level : m_path) {
            if (level.loop->form == LoopKind::Static) continue;
            root.index.push_back(level.step.index);
            root.loop = level.loop->id;
            root.factor = level.step.factor;
            if (root.parallelIndex || level.parallelGroup == Root::kSerial) continue;
            root.parallelGroup = level.parallelGroup;
            root.parallelIndex = level.iteration;
        }
        root.submitBefore = std::exchange(m_submitBefore, false);
        m_program.roots.push_back(std::move(root));
        m_rootOpen = true;
    }
    return RootIndex(m_program.roots.size() - 1);
}

Result<void> Lowerer::walk(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            CUBIST_CHECK_OK(runLoop(*loop));
            continue;
        }
        const ResolvedBlock& resolved = m_design.blocks[m_blockOf.at(&block)];
        const TileChoice* choice = m_design.tileChoice(block.id());
        const bool varies = choice != nullptr && choice->followsFactor;
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            if (varies) {
                CUBIST_TRY(const CubeStage now, current(resolved, *cube));
                CUBIST_CHECK_OK(emitCube(resolved, now));
            } else {
                CUBIST_CHECK_OK(emitCube(resolved, *cube));
            }
        }
        if (const auto* vector = std::get_if<VectorStage>(&block.content)) {
            if (varies) {
                CUBIST_TRY(const VectorStage now, current(resolved, *vector));
                CUBIST_CHECK_OK(emitVector(resolved, now));
            } else {
                CUBIST_CHECK_OK(emitVector(resolved, *vector));
            }
        }
        if (const auto* store = std::get_if<Store>(&block.content); store && isCopy(m_design, resolved))
            CUBIST_CHECK_OK(emitCopy(resolved, *store));
    }
    return {};
}

Result<void> Lowerer::runLoop(const Loop& loop) {
    const auto found = std::find_if(m_design.loops.begin(), m_design.loops.end(),
                                    [&](const ResolvedLoop& l) { return l.loop == &loop; });
    CUBIST_TRY(const LoopRange range, rangeOf(m_design, *found, m_indices));
    // A static loop is written out into the code around it.
    const bool opensRoots = loop.form != LoopKind::Static;
    if (opensRoots) m_rootOpen = false;
    if (opensRoots && loop.submitBeforeLoop) m_submitBefore = true;
    // Only pypto.loop takes it.
    const bool parallel = loop.parallel && loop.form == LoopKind::Runtime;
    m_path.push_back({&loop, 0, {}, parallel ? ++m_parallelGroups : Root::kSerial});
    for (std::int64_t i = 0; i < range.count(); ++i) {
        if (m_context.cancelled()) return cancelledError();
        m_path.back().iteration = i;
        m_path.back().step = range.at(i);
        setStep(m_indices, loop, m_path.back().step);
        if (opensRoots) m_rootOpen = false;
        CUBIST_CHECK_OK(walk(loop.body));
        if (++m_iterationsDone % 1024 == 0)
            m_context.report(static_cast<double>(m_iterationsDone) / m_iterationsTotal, "lowering");
    }
    clearStep(m_indices, loop);
    m_path.pop_back();
    if (opensRoots) m_rootOpen = false;
    return {};
}

void Lowerer::emitTask(LeafIndex leaf, const std::vector<Box>& boxes, std::size_t reads, TaskMember member,
                       const std::vector<bool>& unordered) {
    const TaskIndex index(m_program.tasks.size());
    Task task;
    task.leaf = leaf;
    task.root = currentRoot();
    task.firstBox = static_cast<std::uint32_t>(m_program.boxes.size());
    task.firstMember = static_cast<std::uint32_t>(m_program.members.size());
    m_program.members.push_back(member);
    m_scratch.clear();
    m_orderScratch.clear();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (m_program.tensors[boxes[i].tensor.value].role != GmRole::Input) {
            if (i < reads)
                m_tracker.read(index, boxes[i], m_scratch);
            else if (!unordered.empty() && unordered[i - reads])
                m_tracker.accumulate(index, boxes[i], m_scratch, m_orderScratch);
            else
                m_tracker.write(index, boxes[i], m_scratch);
        }
        m_program.boxes.push_back(boxes[i]);
    }
    const auto tidy = [](std::vector<TaskIndex>& tasks) {
        std::sort(tasks.begin(), tasks.end());
        tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    };
    tidy(m_scratch);
    tidy(m_orderScratch);
    task.predecessors = static_cast<std::uint32_t>(m_scratch.size());
    for (const TaskIndex predecessor : m_scratch) m_links.push_back({predecessor, index, EdgeKind::Wait});
    for (const TaskIndex predecessor : m_orderScratch)
        if (!std::binary_search(m_scratch.begin(), m_scratch.end(), predecessor))
            m_links.push_back({predecessor, index, EdgeKind::Order});
    m_program.tasks.push_back(task);
}

void Lowerer::linkTasks() {
    for (const Link& link : m_links) ++m_program.tasks[link.from.value].edgeCount;
    std::uint32_t first = 0;
    for (Task& task : m_program.tasks) {
        task.firstEdge = first;
        first += task.edgeCount;
        task.edgeCount = 0;
    }
    m_program.edges.resize(m_links.size());
    for (const Link& link : m_links) {
        Task& task = m_program.tasks[link.from.value];
        m_program.edges[task.firstEdge + task.edgeCount++] = {link.to, link.kind};
    }
}

}  // namespace detail

Result<Program> lower(const Design& design, const Binding& binding, const ChipSpec& chip, const RunContext& context) {
    CUBIST_TRY(const ResolvedDesign resolved, resolve(design, binding));
    return lower(resolved, design.options, chip, context);
}

Result<Program> lower(const ResolvedDesign& resolved, const Options& options, const ChipSpec& chip,
                      const RunContext& context) {
    CUBIST_TRY(const Estimate counts, estimate(resolved));
    return lower(resolved, counts, options, chip, context);
}

Result<Program> lower(const ResolvedDesign& resolved, const Estimate& counts, const Options& options,
                      const ChipSpec& chip, const RunContext& context) {
    constexpr std::int64_t kMaxTasks = 20'000'000;
    if (counts.tasks > kMaxTasks)
        return unexpected(ErrorCode::DoesNotFit,
                          "the design makes " + std::to_string(counts.tasks) + " tasks, more than the " +
                              std::to_string(kMaxTasks) + " this version can hold",
                          "/blocks", "use larger tiles or fewer iterations");
    CUBIST_TRY(Program program, detail::lowerInPieces(resolved, options, chip, context));
    return mergeTasks(std::move(program), options, chip, context);
}

}  // namespace cubist

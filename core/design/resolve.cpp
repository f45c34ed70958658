// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/resolve.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "core/base/integer_math.h"
#include "core/design/resolve_blocks.h"
#include "core/design/tiles_of_factor.h"

namespace cubist {
namespace {

using detail::Resolver;

std::string pointer(const std::string& base, std::size_t index) {
    return base + "/" + std::to_string(index);
}

/// What a block makes and reads, by value name; enough to find circles without resolving anything.
void collectEdges(const Block& block, std::map<std::string, std::vector<std::string>>& reads) {
    std::visit(
        [&](const auto& content) {
            using T = std::decay_t<decltype(content)>;
            if constexpr (std::is_same_v<T, View>) {
                reads[content.out.text].push_back(content.of.text);
            } else if constexpr (std::is_same_v<T, CubeStage>) {
                for (const ValueId& id : operandsOf(content)) reads[content.out.text].push_back(id.text);
            } else if constexpr (std::is_same_v<T, VectorStage>) {
                for (const VectorOp& op : content.ops)
                    for (const Operand& operand : op.in)
                        if (const ValueId* id = operand.value()) {
                            reads[op.out.text].push_back(id->text);
                            if (!op.out2.empty()) reads[op.out2.text].push_back(id->text);
                        }
            } else if constexpr (std::is_same_v<T, Loop>) {
                for (const Block& inner : content.body) collectEdges(inner, reads);
            }
        },
        block.content);
}

/// The first circle among the values, as "a -> b -> a"; empty when there is none.
std::string findCycle(const std::map<std::string, std::vector<std::string>>& reads) {
    enum class Mark : std::uint8_t { New, Open, Done };
    std::map<std::string, Mark> marks;
    struct Frame {
        std::string name;
        std::size_t next = 0;
    };
    for (const auto& [start, unused] : reads) {
        if (marks[start] != Mark::New) continue;
        std::vector<Frame> path{{start}};
        marks[start] = Mark::Open;
        while (!path.empty()) {
            Frame& top = path.back();
            const auto found = reads.find(top.name);
            if (found == reads.end() || top.next >= found->second.size()) {
                marks[top.name] = Mark::Done;
                path.pop_back();
                continue;
            }
            const std::string& operand = found->second[top.next++];
            Mark& mark = marks[operand];
            if (mark == Mark::New) {
                mark = Mark::Open;
                path.push_back({operand});
            } else if (mark == Mark::Open) {
                std::string text;
                const auto from =
                    std::find_if(path.begin(), path.end(), [&](const Frame& f) { return f.name == operand; });
                for (auto it = from; it != path.end(); ++it) text += it->name + " <- ";
                return text + operand;
            }
        }
    }
    return {};
}

Result<void> resolveTensors(const Design& design, ResolvedDesign& out, std::set<std::string>& ids) {
    const auto lookup = out.binding.lookup();
    for (std::size_t i = 0; i < design.tensors.size(); ++i) {
        const Tensor& tensor = design.tensors[i];
        const std::string where = pointer("/tensors", i);
        if (tensor.id.empty()) return unexpected(ErrorCode::BadValue, "a tensor needs a name", where + "/id");
        if (!ids.insert(tensor.id.text).second)
            return unexpected(ErrorCode::DuplicateKey, "the id '" + tensor.id.text + "' is used twice", where + "/id");
        if (tensor.shape.empty() || tensor.shape.size() > 4)
            return unexpected(ErrorCode::BadValue,
                              "a tensor has 1 to 4 axes, this one has " + std::to_string(tensor.shape.size()),
                              where + "/shape", "PyPTO: FC0002, dims out of range [1, 4]");
        CUBIST_TRY(auto shape, evaluateAll(tensor.shape, tensor.shape.size(), lookup, where + "/shape"));
        std::optional<std::int64_t> count = 1;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis] < 1)
                return unexpected(
                    ErrorCode::BadValue,
                    "an axis of '" + tensor.id.text + "' is " + std::to_string(shape[axis]) + ", it must be at least 1",
                    pointer(where + "/shape", axis));
            if (count) count = checkedMul(*count, shape[axis]);
        }
        if (!count || !checkedMul(*count, 16))
            return unexpected(ErrorCode::DoesNotFit,
                              "'" + tensor.id.text + "' has more elements than 64 bits can count", where + "/shape");
        ResolvedValue value;
        value.name = ValueId(tensor.id.text);
        value.dtype = tensor.dtype;
        value.shape = std::move(shape);
        value.tensor = &tensor;
        out.values.emplace(tensor.id.text, std::move(value));
    }
    return {};
}

Result<std::int64_t> axisOf(const ResolvedDesign& design, const ResolvedLoop& loop, const IndexValues& outer) {
    CUBIST_TRY(const auto axis, evaluateAll({loop.loop->axis}, 1, lookupWith(design, outer), loop.where + "/axis"));
    if (axis[0] < 0)
        return unexpected(ErrorCode::BadValue, "the loop's axis is negative: " + std::to_string(axis[0]),
                          loop.where + "/axis");
    return axis[0];
}

Result<void> resolveLists(const Design& design, ResolvedDesign& out) {
    for (std::size_t i = 0; i < design.lists.size(); ++i) {
        const List& list = design.lists[i];
        const std::string where = pointer("/lists", i);
        if (list.id.empty()) return unexpected(ErrorCode::BadValue, "a list needs a name", where + "/id");
        if (!list.total) continue;
        auto total = list.total->evaluate(out.binding.lookup());
        if (!total) {
            Error error = std::move(total).error();
            error.where = where + "/total";
            return unexpected(std::move(error));
        }
        out.listTotals[list.id.text] = *total;
    }
    return {};
}

bool visitExecutions(const ResolvedDesign& design, const std::vector<std::size_t>& loops, std::size_t depth,
                     IndexValues& indices, std::optional<Error>& failure,
                     const std::function<bool(const IndexValues&)>& visit) {
    if (depth == loops.size()) return visit(indices);
    const ResolvedLoop& loop = design.loops[loops[depth]];
    const auto range = rangeOf(design, loop, indices);
    if (!range) {
        failure = range.error();
        return false;
    }
    bool complete = true;
    for (std::int64_t i = 0; complete && i < range->count(); ++i) {
        setStep(indices, *loop.loop, range->at(i));
        complete = visitExecutions(design, loops, depth + 1, indices, failure, visit);
    }
    clearStep(indices, *loop.loop);
    return complete;
}

/// The execution in which every loop is in its first, or in its last iteration.
std::optional<IndexValues> extremeExecution(const ResolvedDesign& design, const std::vector<std::size_t>& loops,
                                            bool last) {
    IndexValues indices;
    for (const std::size_t index : loops) {
        const auto range = rangeOf(design, design.loops[index], indices);
        if (!range || range->count() == 0) return std::nullopt;
        setStep(indices, *design.loops[index].loop, range->at(last ? range->count() - 1 : 0));
    }
    return indices;
}

class TreeWalk {
public:
    TreeWalk(ResolvedDesign& out, std::set<std::string>& ids, bool bounds)
        : m_out(out), m_ids(ids), m_resolver(out, bounds) {}

    Result<void> walk(const std::vector<Block>& blocks, const std::string& base) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const std::string where = pointer(base, i);
            if (blocks[i].id().empty()) return unexpected(ErrorCode::BadValue, "a block needs a name", where + "/id");
            if (!m_ids.insert(blocks[i].id().text).second)
                return unexpected(ErrorCode::DuplicateKey, "the id '" + blocks[i].id().text + "' is used twice",
                                  where + "/id");
            if (const Loop* loop = std::get_if<Loop>(&blocks[i].content)) {
                CUBIST_CHECK_OK(enter(*loop, where));
                continue;
            }
            ResolvedBlock block;
            block.block = &blocks[i];
            block.where = where;
            block.loops = m_loops;
            m_out.blocks.push_back(std::move(block));
            CUBIST_CHECK_OK(m_resolver.resolveBlock(m_out.blocks.size() - 1));
        }
        return {};
    }

private:
    Result<void> checkName(const std::string& name, const std::string& what, const std::string& where) const {
        for (const std::size_t index : m_loops) {
            const Loop& outer = *m_out.loops[index].loop;
            if (outer.index == name || (outer.form == LoopKind::Unroll && outer.factor == name))
                return unexpected(ErrorCode::DuplicateKey,
                                  "the " + what + " '" + name + "' is already used by an enclosing loop", where);
        }
        if (m_out.binding.symbols.find(name) != nullptr)
            return unexpected(ErrorCode::DuplicateKey, "the " + what + " '" + name + "' is also a symbol", where);
        if (m_out.binding.lists.find(name) != nullptr)
            return unexpected(ErrorCode::DuplicateKey, "the " + what + " '" + name + "' is also a list", where);
        return {};
    }

    static Result<std::vector<std::int64_t>> factorsOf(const Loop& loop, const std::string& where) {
        std::vector<std::int64_t> factors = loop.unroll;
        for (std::size_t i = 0; i < factors.size(); ++i)
            if (factors[i] < 1)
                return unexpected(ErrorCode::BadValue,
                                  "the factor " + std::to_string(factors[i]) + " must be at least 1",
                                  pointer(where + "/unroll", i));
        factors.push_back(1);
        std::sort(factors.begin(), factors.end(), std::greater<>());
        factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
        return factors;
    }

    /// Does the length of the loop depend on the loops around it?
    Result<bool> varies(const Loop& loop, const std::string& where) const {
        auto names = loop.axis.names();
        if (!names) {
            Error error = std::move(names).error();
            error.where = where + "/axis";
            return unexpected(std::move(error));
        }
        return std::any_of(names->begin(), names->end(), [&](const std::string& name) {
            return std::any_of(m_loops.begin(), m_loops.end(), [&](std::size_t index) {
                const Loop& outer = *m_out.loops[index].loop;
                return outer.index == name || (outer.form == LoopKind::Unroll && outer.factor == name);
            });
        });
    }

    /// Counts the iterations of a loop in every iteration of the loops around it.
    Result<void> countVarying(ResolvedLoop& resolved) const {
        constexpr std::int64_t kMostExecutions = std::int64_t{1} << 22;
        if (m_out.loops[m_loops.back()].total > kMostExecutions)
            return unexpected(ErrorCode::DoesNotFit,
                              "the length of this loop varies and it runs " +
                                  std::to_string(m_out.loops[m_loops.back()].total) + " times, more than " +
                                  std::to_string(kMostExecutions),
                              resolved.where + "/axis", "use larger tiles in the loops around it");
        resolved.starts.push_back(0);
        std::optional<Error> failure;
        const auto visited = forEachExecution(m_out, m_loops, [&](const IndexValues& outer) {
            const auto axis = axisOf(m_out, resolved, outer);
            if (!axis) {
                failure = axis.error();
                return false;
            }
            const std::int64_t count = LoopRange(resolved, *axis).count();
            resolved.axis = std::max(resolved.axis, *axis);
            resolved.iterations = std::max(resolved.iterations, count);
            resolved.starts.push_back(
                checkedAdd(resolved.starts.back(), count).value_or(std::numeric_limits<std::int64_t>::max()));
            return true;
        });
        if (failure) return unexpected(*std::move(failure));
        if (!visited) return unexpected(visited.error());
        resolved.total = resolved.starts.back();
        return {};
    }

    Result<void> enter(const Loop& loop, const std::string& where) {
        CUBIST_CHECK_OK(checkName(loop.index, "index", where + "/index"));
        const auto lookup = m_out.binding.lookup();
        ResolvedLoop resolved;
        resolved.loop = &loop;
        resolved.where = where;
        resolved.outer = m_loops;
        if (loop.form == LoopKind::Unroll) {
            CUBIST_CHECK_OK(checkName(loop.factor, "factor", where + "/factor"));
            if (loop.factor == loop.index)
                return unexpected(ErrorCode::DuplicateKey, "index and factor have the same name", where + "/factor");
            CUBIST_TRY(resolved.factors, factorsOf(loop, where));
        } else {
            CUBIST_TRY(const auto tile, evaluateAll({loop.tile}, 1, lookup, where + "/tile"));
            resolved.tile = tile[0];
            if (resolved.tile < 1)
                return unexpected(ErrorCode::BadValue,
                                  "the loop's tile is " + std::to_string(resolved.tile) + ", it must be at least 1",
                                  where + "/tile");
        }
        CUBIST_TRY(const bool varying, varies(loop, where));
        if (varying) {
            CUBIST_CHECK_OK(countVarying(resolved));
        } else {
            CUBIST_TRY(resolved.axis, axisOf(m_out, resolved, {}));
            resolved.iterations = LoopRange(resolved, resolved.axis).count();
            const std::int64_t before = m_loops.empty() ? 1 : m_out.loops[m_loops.back()].total;
            resolved.total = checkedMul(before, resolved.iterations).value_or(std::numeric_limits<std::int64_t>::max());
        }
        m_loops.push_back(m_out.loops.size());
        m_out.loops.push_back(resolved);
        CUBIST_CHECK_OK(walk(loop.body, where + "/body"));
        m_loops.pop_back();
        return {};
    }

    ResolvedDesign& m_out;
    std::set<std::string>& m_ids;
    Resolver m_resolver;
    std::vector<std::size_t> m_loops;
};

}  // namespace

const ResolvedBlock* ResolvedDesign::block(const BlockId& id) const {
    for (const ResolvedBlock& candidate : blocks)
        if (candidate.block->id() == id) return &candidate;
    return nullptr;
}

std::int64_t ResolvedDesign::executions(const ResolvedBlock& block) const {
    return block.loops.empty() ? 1 : loops[block.loops.back()].total;
}

std::int64_t ResolvedDesign::execution(const std::vector<std::size_t>& path,
                                       const std::vector<std::int64_t>& iterations) const {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const ResolvedLoop& loop = loops[path[i]];
        const std::int64_t before =
            loop.varies() ? loop.starts[static_cast<std::size_t>(number)] : number * loop.iterations;
        number = before + iterations[i];
    }
    return number;
}

LoopRange::LoopRange(const ResolvedLoop& loop, std::int64_t axis)
    : m_loop(&loop), m_axis(axis), m_count(loop.factors.empty() ? ceilDiv(axis, loop.tile) : 0) {
    std::int64_t left = axis;
    for (const std::int64_t factor : loop.factors) {
        m_count += left / factor;
        left %= factor;
    }
}

LoopStep LoopRange::at(std::int64_t iteration) const {
    if (m_loop->factors.empty()) return {iteration, 1};
    std::int64_t index = 0;
    for (const std::int64_t factor : m_loop->factors) {
        const std::int64_t steps = (m_axis - index) / factor;
        if (iteration < steps) return {index + iteration * factor, factor};
        iteration -= steps;
        index += steps * factor;
    }
    return {index, 1};
}

Result<LoopRange> rangeOf(const ResolvedDesign& design, const ResolvedLoop& loop, const IndexValues& outer) {
    if (!loop.varies()) return LoopRange(loop, loop.axis);
    CUBIST_TRY(const std::int64_t axis, axisOf(design, loop, outer));
    return LoopRange(loop, axis);
}

void setStep(IndexValues& indices, const Loop& loop, const LoopStep& step) {
    indices[loop.index] = step.index;
    if (loop.form == LoopKind::Unroll) indices[loop.factor] = step.factor;
}

void clearStep(IndexValues& indices, const Loop& loop) {
    indices.erase(loop.index);
    if (loop.form == LoopKind::Unroll) indices.erase(loop.factor);
}

Result<bool> forEachExecution(const ResolvedDesign& design, const std::vector<std::size_t>& loops,
                              const std::function<bool(const IndexValues&)>& visit) {
    IndexValues indices;
    std::optional<Error> failure;
    const bool complete = visitExecutions(design, loops, 0, indices, failure, visit);
    if (failure) return unexpected(*std::move(failure));
    return complete;
}

std::vector<IndexValues> someExecutions(const ResolvedDesign& design, const std::vector<std::size_t>& loops,
                                        std::int64_t most) {
    std::vector<IndexValues> executions;
    if (loops.empty() || design.loops[loops.back()].total <= most) {
        const auto complete = forEachExecution(design, loops, [&](const IndexValues& indices) {
            executions.push_back(indices);
            return true;
        });
        if (complete) return executions;
        executions.clear();
    }
    for (const bool last : {false, true})
        if (auto extreme = extremeExecution(design, loops, last)) executions.push_back(*std::move(extreme));
    return executions;
}

const TileChoice* ResolvedDesign::tileChoice(const BlockId& id) const {
    const auto found = std::find_if(tileChoices.begin(), tileChoices.end(),
                                    [&](const TileChoice& choice) { return choice.block == id; });
    return found == tileChoices.end() ? nullptr : &*found;
}

namespace {

Result<ResolvedDesign> resolveWith(const Design& given, const Binding& binding, bool bounds) {
    ResolvedDesign out;
    if (hasTileTables(given.blocks)) {
        CUBIST_TRY(Design picked, withChosenTiles(given, binding, out.tileChoices));
        out.chosen = std::make_shared<const Design>(std::move(picked));
    }
    const Design& design = out.chosen ? *out.chosen : given;
    CUBIST_CHECK_OK(checkTolerance(design.tolerance, "/tolerance"));
    for (std::size_t i = 0; i < design.tensors.size(); ++i)
        if (design.tensors[i].tolerance)
            CUBIST_CHECK_OK(
                checkTolerance(*design.tensors[i].tolerance, "/tensors/" + std::to_string(i) + "/tolerance"));
    out.design = &design;
    out.binding = binding;
    std::set<std::string> ids;
    CUBIST_CHECK_OK(resolveLists(design, out));
    CUBIST_CHECK_OK(resolveTensors(design, out, ids));
    TreeWalk walk(out, ids, bounds);
    if (auto walked = walk.walk(design.blocks, "/blocks"); !walked) {
        // Of a circle the walk sees that something is read before it is made; the circle says it better.
        std::map<std::string, std::vector<std::string>> reads;
        for (const Block& block : design.blocks) collectEdges(block, reads);
        if (const std::string circle = findCycle(reads); !circle.empty())
            return unexpected(ErrorCode::Cycle, "values feed each other in a circle: " + circle, "/blocks",
                              "let one of them read something that is made earlier");
        return unexpected(std::move(walked).error());
    }
    return out;
}

}  // namespace

Result<ResolvedDesign> resolve(const Design& given, const Binding& binding) {
    return resolveWith(given, binding, true);
}

Result<ResolvedDesign> resolveTilesOfFactor(const Design& cut, const ResolvedDesign& whole) {
    CUBIST_TRY(ResolvedDesign out, resolveWith(cut, whole.binding, false));
    for (const ShapeProblem& problem : whole.problems)
        if (problem.kind == ShapeProblem::Kind::Bounds) out.problems.push_back(problem);
    return out;
}

bool isStaticSymbol(const Design& design, std::string_view name) {
    return std::any_of(design.symbols.begin(), design.symbols.end(),
                       [&](const Symbol& symbol) { return symbol.isStatic && symbol.id.text == name; });
}

std::optional<std::size_t> storeAxis(const Store& store, std::size_t rank) {
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (store.dim < -signedRank || store.dim >= signedRank) return std::nullopt;
    return static_cast<std::size_t>(store.dim < 0 ? store.dim + signedRank : store.dim);
}

Expression::Lookup lookupWith(const ResolvedDesign& design, const IndexValues& indices) {
    const auto numbers = [&design, &indices](std::string_view name) -> std::optional<std::int64_t> {
        if (const auto found = indices.find(std::string(name)); found != indices.end()) return found->second;
        if (const std::int64_t* value = design.binding.symbols.find(std::string(name))) return *value;
        return std::nullopt;
    };
    return {numbers, [&design](std::string_view name) { return design.binding.lists.find(std::string(name)); }};
}

Result<std::vector<std::int64_t>> evaluateAll(const std::vector<Expression>& expressions, std::size_t rank,
                                              const Expression::Lookup& lookup, const std::string& where) {
    std::vector<std::int64_t> values(rank, 0);
    for (std::size_t i = 0; i < expressions.size() && i < rank; ++i) {
        auto value = expressions[i].evaluate(lookup);
        if (!value) {
            Error error = std::move(value).error();
            const bool single = where.ends_with("/axis") || where.ends_with("/tile");
            error.where = single ? where : pointer(where, i);
            return unexpected(std::move(error));
        }
        values[i] = *value;
    }
    return values;
}

std::string nearestName(const std::string& name, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        std::vector<std::size_t> row(candidate.size() + 1);
        for (std::size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
        for (std::size_t i = 1; i <= name.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= candidate.size(); ++j) {
                const std::size_t substituted = diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
            }
        }
        if (row.back() < bestDistance) {
            bestDistance = row.back();
            best = candidate;
        }
    }
    return best;
}

}  // namespace cubist

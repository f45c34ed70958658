// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/resolve.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/integer_math.h"
#include "core/design/resolve_blocks.h"

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
                reads[content.out.text].push_back(content.a.text);
                reads[content.out.text].push_back(content.b.text);
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
                              where + "/shape");
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

class TreeWalk {
public:
    TreeWalk(ResolvedDesign& out, std::set<std::string>& ids) : m_out(out), m_ids(ids), m_resolver(out) {}

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
    Result<void> enter(const Loop& loop, const std::string& where) {
        for (const std::size_t outer : m_loops)
            if (m_out.loops[outer].loop->index == loop.index)
                return unexpected(ErrorCode::DuplicateKey,
                                  "the index '" + loop.index + "' is already used by an enclosing loop",
                                  where + "/index");
        if (m_out.binding.symbols.find(loop.index) != nullptr)
            return unexpected(ErrorCode::DuplicateKey, "the index '" + loop.index + "' is also a symbol",
                              where + "/index");
        const auto lookup = m_out.binding.lookup();
        ResolvedLoop resolved;
        resolved.loop = &loop;
        resolved.where = where;
        CUBIST_TRY(auto axis, evaluateAll({loop.axis}, 1, lookup, where + "/axis"));
        CUBIST_TRY(auto tile, evaluateAll({loop.tile}, 1, lookup, where + "/tile"));
        resolved.axis = axis[0];
        resolved.tile = tile[0];
        if (resolved.axis < 0) return unexpected(ErrorCode::BadValue, "the loop's axis is negative", where + "/axis");
        if (resolved.tile < 1)
            return unexpected(ErrorCode::BadValue,
                              "the loop's tile is " + std::to_string(resolved.tile) + ", it must be at least 1",
                              where + "/tile");
        resolved.iterations = ceilDiv(resolved.axis, resolved.tile);
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
    std::int64_t count = 1;
    for (const std::size_t loop : block.loops) {
        const auto product = checkedMul(count, loops[loop].iterations);
        if (!product) return std::numeric_limits<std::int64_t>::max();
        count = *product;
    }
    return count;
}

Result<void> checkTolerance(const Tolerance& tolerance, const std::string& where) {
    if (!(tolerance.rtol >= 0.0)) return unexpected(ErrorCode::BadValue, "a tolerance is 0 or more", where + "/rtol");
    if (!(tolerance.atol >= 0.0)) return unexpected(ErrorCode::BadValue, "a tolerance is 0 or more", where + "/atol");
    if (!(tolerance.maxErrorRatio >= 0.0 && tolerance.maxErrorRatio <= 1.0))
        return unexpected(ErrorCode::BadValue, "a share of elements is between 0 and 1", where + "/max_error_ratio");
    return {};
}

Result<ResolvedDesign> resolve(const Design& design, const Binding& binding) {
    CUBIST_CHECK_OK(checkTolerance(design.tolerance, "/tolerance"));
    for (std::size_t i = 0; i < design.tensors.size(); ++i)
        if (design.tensors[i].tolerance)
            CUBIST_CHECK_OK(
                checkTolerance(*design.tensors[i].tolerance, "/tensors/" + std::to_string(i) + "/tolerance"));
    ResolvedDesign out;
    out.design = &design;
    out.binding = binding;
    std::set<std::string> ids;
    CUBIST_CHECK_OK(resolveTensors(design, out, ids));
    std::map<std::string, std::vector<std::string>> reads;
    for (const Block& block : design.blocks) collectEdges(block, reads);
    if (const std::string circle = findCycle(reads); !circle.empty())
        return unexpected(ErrorCode::Cycle, "values feed each other in a circle: " + circle, "/blocks",
                          "let one of them read something that is made earlier");
    TreeWalk walk(out, ids);
    CUBIST_CHECK_OK(walk.walk(design.blocks, "/blocks"));
    return out;
}

std::optional<std::size_t> storeAxis(const Store& store, std::size_t rank) {
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (store.dim < -signedRank || store.dim >= signedRank) return std::nullopt;
    return static_cast<std::size_t>(store.dim < 0 ? store.dim + signedRank : store.dim);
}

Expression::Lookup lookupWith(const ResolvedDesign& design, const IndexValues& indices) {
    return [&design, &indices](std::string_view name) -> std::optional<std::int64_t> {
        if (const auto found = indices.find(std::string(name)); found != indices.end()) return found->second;
        if (const std::int64_t* value = design.binding.symbols.find(std::string(name))) return *value;
        return std::nullopt;
    };
}

Result<std::vector<std::int64_t>> evaluateAll(const std::vector<Expression>& expressions, std::size_t rank,
                                              const Expression::Lookup& lookup, const std::string& where) {
    std::vector<std::int64_t> values(rank, 0);
    const bool single = where.ends_with("/axis") || where.ends_with("/tile");
    for (std::size_t i = 0; i < expressions.size() && i < rank; ++i) {
        auto value = expressions[i].evaluate(lookup);
        if (!value) {
            Error error = std::move(value).error();
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

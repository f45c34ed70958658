// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/design/resolve_blocks.h"

namespace cubist {
namespace detail {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Axis of a matrix counted from the end: 1 is the last one.
std::int64_t fromEnd(const Sizes& shape, std::size_t axis) {
    return shape[shape.size() - axis];
}

/// The axes in front of the matrix, broadcast. Empty optional: they do not fit.
std::optional<Sizes> batchOf(const Sizes& a, const Sizes& b) {
    Sizes batch;
    for (std::size_t axis = 0; axis + 2 < a.size(); ++axis) {
        if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) return std::nullopt;
        batch.push_back(a[axis] == 1 ? b[axis] : a[axis]);
    }
    return batch;
}

bool isMatrixLike(const Sizes& shape) {
    return shape.size() >= 2 && shape.size() <= 4;
}

}  // namespace

Result<void> Resolver::resolveCube(const CubeStage& stage) {
    const std::string& where = m_block->where;
    CUBIST_TRY(const ResolvedValue* a, operand(stage.a, where + "/a"));
    CUBIST_TRY(const ResolvedValue* b, operand(stage.b, where + "/b"));
    ResolvedValue value;
    value.kind = ResolvedValue::Kind::CubeResult;
    value.name = stage.out;
    value.dtype = stage.outDType;
    value.producer = stage.id;
    value.block = m_index;
    value.shape = {1, 1};
    CUBIST_TRY(m_block->matrixSize, evaluateAll(stage.matrixSize, stage.matrixSize.size(), m_design.binding.lookup(),
                                                where + "/matrix_size"));
    if (!m_block->matrixSize.empty() && m_block->matrixSize.size() != 3)
        return unexpected(ErrorCode::BadValue, "set_matrix_size takes three numbers, m, k and n",
                          where + "/matrix_size");
    const bool ranksFit = isMatrixLike(a->shape) && isMatrixLike(b->shape) && a->shape.size() == b->shape.size();
    const auto operands = [&] {
        return "'" + stage.a.text + "' is " + shapeText(a->shape) + " and '" + stage.b.text + "' is " +
               shapeText(b->shape);
    };
    if (!ranksFit) {
        problem(ShapeProblem::Kind::Rank, where + (isMatrixLike(a->shape) ? "/b" : "/a"),
                "a matmul takes matrices, or batches of them with as many axes; " + operands());
    } else {
        MatmulSize size;
        size.m = fromEnd(a->shape, stage.aTrans ? 1 : 2);
        size.k = fromEnd(a->shape, stage.aTrans ? 2 : 1);
        size.n = fromEnd(b->shape, stage.bTrans ? 2 : 1);
        const std::int64_t innerB = fromEnd(b->shape, stage.bTrans ? 1 : 2);
        const std::optional<Sizes> batch = batchOf(a->shape, b->shape);
        if (innerB != size.k)
            problem(ShapeProblem::Kind::Inner, where + "/b",
                    "K of '" + stage.a.text + "' " + shapeText(a->shape) + (stage.aTrans ? " (transposed)" : "") +
                        " is " + std::to_string(size.k) + ", K of '" + stage.b.text + "' " + shapeText(b->shape) +
                        (stage.bTrans ? " (transposed)" : "") + " is " + std::to_string(innerB));
        if (!batch)
            problem(ShapeProblem::Kind::Broadcast, where + "/b",
                    "the batch axes of a matmul are equal or 1; " + operands());
        value.shape = batch.value_or(Sizes(a->shape.size() - 2, 1));
        std::copy_backward(value.shape.begin(), value.shape.end(), size.batch.end());
        value.shape.push_back(size.m);
        value.shape.push_back(size.n);
        if (innerB == size.k && batch) m_block->matmul = size;
    }
    CUBIST_CHECK_OK(resolveCubeExtras(stage, a->shape.size()));
    return define(std::move(value), where + "/out");
}

/// Scales, bias and channel scales: there where the operation needs them, with the shapes that go with M, N and K.
Result<void> Resolver::resolveCubeExtras(const CubeStage& stage, std::size_t rank) {
    const std::string& where = m_block->where;
    const bool scaled = stage.op == CubeOp::ScaledMm;
    for (const auto& [id, key] : {std::pair{&stage.scaleA, "/scale_a"}, std::pair{&stage.scaleB, "/scale_b"}}) {
        if (scaled && id->empty())
            return unexpected(ErrorCode::MissingKey, "scaled_mm needs scales for both operands", where + key);
        if (!scaled && !id->empty())
            return unexpected(ErrorCode::BadValue, "only scaled_mm takes scales of its operands", where + key,
                              "set op to scaled_mm");
    }
    const auto expect = [&](const ValueId& id, const std::string& key, const Sizes& wanted,
                            const std::string& what) -> Result<void> {
        if (id.empty()) return {};
        CUBIST_TRY(const ResolvedValue* given, operand(id, where + key));
        if (m_block->matmul && given->shape != wanted)
            problem(ShapeProblem::Kind::Operand, where + key,
                    what + " '" + id.text + "' is " + shapeText(given->shape) + ", it must be " + shapeText(wanted));
        return {};
    };
    const MatmulSize size = m_block->matmul.value_or(MatmulSize{});
    const std::int64_t pairs = ceilDiv(size.k, 64);
    CUBIST_CHECK_OK(expect(stage.scaleA, "/scale_a",
                           stage.scaleATrans ? Sizes{pairs, size.m, 2} : Sizes{size.m, pairs, 2}, "the scales of A,"));
    CUBIST_CHECK_OK(expect(stage.scaleB, "/scale_b",
                           stage.scaleBTrans ? Sizes{size.n, pairs, 2} : Sizes{pairs, size.n, 2}, "the scales of B,"));
    Sizes biasShape{1, size.n};
    if (!stage.bias.empty()) {
        CUBIST_TRY(const ResolvedValue* bias, operand(stage.bias, where + "/bias"));
        if (bias->shape.size() == 3 && rank == 3) biasShape = {bias->shape[0] == 1 ? 1 : size.batch[1], 1, size.n};
    }
    CUBIST_CHECK_OK(expect(stage.bias, "/bias", biasShape, "the bias"));
    return expect(stage.scaleTensor, "/scale_tensor", {1, size.n}, "the row of scales");
}

}  // namespace detail

Result<std::vector<std::int64_t>> ValidShapes::ofCube(const ResolvedValue& value) {
    using detail::fromEnd;
    using detail::isMatrixLike;
    using detail::Sizes;
    const auto* stage = std::get_if<CubeStage>(&m_design->blocks[value.block].block->content);
    CUBIST_TRY(auto a, of(stage->a));
    CUBIST_TRY(auto b, of(stage->b));
    if (!isMatrixLike(a) || a.size() != b.size()) return value.shape;
    const Sizes& shapeA = m_design->value(stage->a)->shape;
    Sizes valid;
    for (std::size_t axis = 0; axis + 2 < a.size(); ++axis) {
        if (shapeA[axis] == 1 && value.shape[axis] != 1)
            valid.push_back(a[axis] == 0 ? 0 : b[axis]);
        else if (m_design->value(stage->b)->shape[axis] == 1)
            valid.push_back(b[axis] == 0 ? 0 : a[axis]);
        else
            valid.push_back(std::min(a[axis], b[axis]));
    }
    valid.push_back(fromEnd(a, stage->aTrans ? 1 : 2));
    valid.push_back(fromEnd(b, stage->bTrans ? 2 : 1));
    return valid;
}

std::vector<ValueId> operandsOf(const CubeStage& stage) {
    std::vector<ValueId> ids{stage.a, stage.b};
    for (const ValueId* id : {&stage.scaleA, &stage.scaleB, &stage.bias, &stage.scaleTensor})
        if (!id->empty()) ids.push_back(*id);
    return ids;
}

}  // namespace cubist

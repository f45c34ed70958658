// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/ids.h"
#include "core/base/visit.h"
#include "core/design/design_enums.h"
#include "core/design/expression.h"

namespace cubist {

/// `set_cube_tile_shapes(m, k, n, enable_split_k)`. Units: elements. m = [mL0, mL1], k = [kL0, kL1] or
/// [kL0, kAL1, kBL1], n = [nL0, nL1]. Any integers may be stored; the rules say which are legal.
struct CubeTile {
    std::vector<std::int64_t> m{128, 128};
    std::vector<std::int64_t> k{64, 256};
    std::vector<std::int64_t> n{256, 256};
    bool splitK = false;
    UnknownFields unknown;
    bool operator==(const CubeTile&) const = default;

    /// The values by name; 0 for one that the list is too short for (which the rules report).
    [[nodiscard]] std::int64_t mL0() const { return at(m, 0); }
    [[nodiscard]] std::int64_t mL1() const { return at(m, 1); }
    [[nodiscard]] std::int64_t kL0() const { return at(k, 0); }
    [[nodiscard]] std::int64_t kAL1() const { return at(k, 1); }
    [[nodiscard]] std::int64_t kBL1() const { return k.size() > 2 ? k[2] : at(k, 1); }
    [[nodiscard]] std::int64_t nL0() const { return at(n, 0); }
    [[nodiscard]] std::int64_t nL1() const { return at(n, 1); }

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("m", self.m);
        v.required("k", self.k);
        v.required("n", self.n);
        v.optional("split_k", self.splitK, false);
        v.unknown(self.unknown);
    }

private:
    [[nodiscard]] static std::int64_t at(const std::vector<std::int64_t>& values, std::size_t i) {
        return i < values.size() ? values[i] : 0;
    }
};

/// One row of a tile table: the tile for values up to `upTo` and beyond those of the rows before. A list that is empty
/// keeps the stage's own values. Expressions may use symbols, lists and the factors of unrolled loops around the stage.
struct TileRow {
    std::int64_t upTo = 0;
    std::vector<Expression> m, k, n;  ///< cube stages, as CubeTile
    std::vector<Expression> tile;     ///< vector stages
    UnknownFields unknown;
    bool operator==(const TileRow&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("up_to", self.upTo);
        v.optional("m", self.m);
        v.optional("k", self.k);
        v.optional("n", self.n);
        v.optional("tile", self.tile);
        v.unknown(self.unknown);
    }
};

/// A tile that follows the shape, as the configuration object of a kernel picks it (rows per expert -> M, K, N tiles).
/// The first row whose `upTo` is at least `value` counts; beyond the last row the stage's own tile does. The rules say
/// which row was taken.
struct TileTable {
    Expression value;
    std::vector<TileRow> rows;
    UnknownFields unknown;
    bool operator==(const TileTable&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("value", self.value);
        v.required("rows", self.rows);
        v.unknown(self.unknown);
    }
};

/// A window of a tensor or view: `pypto.view(x, shape, offsets, valid_shape=...)`. Elements beyond `valid` read as
/// zero.
struct View {
    BlockId id;
    ValueId of;
    ValueId out;
    std::vector<Expression> shape;  ///< constants: integers, static symbols, factors of unrolled loops
    std::vector<Expression> offset;
    std::vector<Expression> valid;  ///< empty: the whole shape
    UnknownFields unknown;
    bool operator==(const View&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("of", self.of);
        v.required("out", self.out);
        v.required("shape", self.shape);
        v.required("offset", self.offset);
        v.optional("valid", self.valid);
        v.unknown(self.unknown);
    }
};

/// One matmul on the cube core. Shapes: out[.., M, N] = op(a)[.., M, K] * op(b)[.., K, N] with up to two batch axes in
/// front, which broadcast where one operand has extent 1; with aTrans a is stored [.., K, M], with bTrans b is stored
/// [.., N, K]. ScaledMm multiplies each group of 32 elements along K by two E8M0 scales: scaleA [M, ceil(K/64), 2], or
/// with scaleATrans [ceil(K/64), M, 2]; scaleB [ceil(K/64), N, 2], or with scaleBTrans [N, ceil(K/64), 2].
struct CubeStage {
    BlockId id;
    CubeOp op = CubeOp::Matmul;
    ValueId a;
    ValueId b;
    bool aTrans = false;
    bool bTrans = false;
    ValueId scaleA, scaleB;  ///< ScaledMm only; empty otherwise
    bool scaleATrans = false, scaleBTrans = false;
    ValueId bias;                 ///< [1, N] (or [B, 1, N]); the accumulator starts from it; empty: none
    ValueId scaleTensor;          ///< [1, N]: FIXPIPE scale for each column; empty: none
    std::optional<double> scale;  ///< FIXPIPE scale for the whole tensor; low 13 mantissa bits are dropped
    bool relu = false;            ///< FIXPIPE: before the scale
    Fp32Mode fp32Mode = Fp32Mode::Ieee;
    Accumulation accumulation = Accumulation::Element;
    DType partialDType = DType::FP32;      ///< split-K: type of the partial results in GM
    std::vector<Expression> matrixSize{};  ///< `set_matrix_size([m, k, n])`; empty: not called
    ValueId out;
    DType outDType = DType::FP32;
    CubeTile tile;
    std::optional<TileTable> tileBy;
    std::optional<std::int64_t> slotCount;  ///< buffers per level; absent: 2 where two fit, else 1
    std::string label;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const CubeStage&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("op", self.op, CubeOp::Matmul);
        v.required("a", self.a);
        v.required("b", self.b);
        v.optional("a_trans", self.aTrans, false);
        v.optional("b_trans", self.bTrans, false);
        v.optional("scale_a", self.scaleA);
        v.optional("scale_b", self.scaleB);
        v.optional("scale_a_trans", self.scaleATrans, false);
        v.optional("scale_b_trans", self.scaleBTrans, false);
        v.optional("bias", self.bias);
        v.optional("scale_tensor", self.scaleTensor);
        v.optional("scale", self.scale);
        v.optional("relu", self.relu, false);
        v.optional("fp32_mode", self.fp32Mode, Fp32Mode::Ieee);
        v.optional("accumulation", self.accumulation, Accumulation::Element);
        v.optional("partial_dtype", self.partialDType, DType::FP32);
        v.optional("matrix_size", self.matrixSize);
        v.required("out", self.out);
        v.required("out_dtype", self.outDType);
        v.required("tile", self.tile);
        v.optional("tile_by", self.tileBy);
        v.optional("slots", self.slotCount);
        v.optional("label", self.label);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// One operation of a vector stage. Operands are names of values, or numbers.
struct VectorOp {
    VectorOpCode op = VectorOpCode::Cast;
    std::vector<Operand> in;
    ValueId out;
    std::optional<DType> dtype;         ///< cast: target type; others: type of the result when it is not the operands'
    RoundMode round = RoundMode::None;  ///< cast
    bool saturate = false;              ///< cast
    /// Axis of reductions, softmax, concat, unsqueeze, quantisations, sorts and index operations; negative counts from
    /// the end.
    std::optional<std::int64_t> dim;
    bool keepDim = false;                        ///< reductions: keep the reduced axis with extent 1
    std::vector<std::int64_t> dims;              ///< transpose: the two axes that change places
    std::vector<std::int64_t> shape;             ///< slice, expand_clone, reshape, full: shape of the result
    std::vector<std::int64_t> offset;            ///< slice: where it starts
    double epsilon = 1e-6;                       ///< rms_norm
    ValueId out2;                                ///< second result: topk's indices, quant_mx's scales; empty: dropped
    std::int64_t count = 0;                      ///< topk: how many
    bool largest = true;                         ///< topk, argsort: the largest come first
    bool accumulate = false;                     ///< index_put: adds instead of replacing
    double alpha = 1.0;                          ///< index_add: factor of the source
    ScatterReduce reduce = ScatterReduce::None;  ///< scatter
    std::vector<Expression> range;               ///< arange: start, end, step (any tail may be left out)
    ScaleRounding scaleRounding = ScaleRounding::Down;  ///< quant_mx
    bool interleaved = false;                           ///< rope: pairs are neighbours instead of halves
    UnknownFields unknown;
    bool operator==(const VectorOp&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("op", self.op);
        v.required("in", self.in);
        v.required("out", self.out);
        v.optional("dtype", self.dtype);
        v.optional("round", self.round, RoundMode::None);
        v.optional("saturate", self.saturate, false);
        v.optional("dim", self.dim);
        v.optional("keepdim", self.keepDim, false);
        v.optional("dims", self.dims);
        v.optional("shape", self.shape);
        v.optional("offset", self.offset);
        v.optional("epsilon", self.epsilon, 1e-6);
        v.optional("out2", self.out2);
        v.optional("count", self.count, std::int64_t{0});
        v.optional("largest", self.largest, true);
        v.optional("accumulate", self.accumulate, false);
        v.optional("alpha", self.alpha, 1.0);
        v.optional("reduce", self.reduce, ScatterReduce::None);
        v.optional("range", self.range);
        v.optional("scale_rounding", self.scaleRounding, ScaleRounding::Down);
        v.optional("interleaved", self.interleaved, false);
        v.unknown(self.unknown);
    }
};

/// A short list of vector operations that share one tile: `set_vec_tile_shapes(*tile)`. Units: elements.
/// The last operation's result is what the stage hands on; the others stay in UB.
struct VectorStage {
    BlockId id;
    std::vector<VectorOp> ops;
    std::vector<std::int64_t> tile;
    std::optional<TileTable> tileBy;
    std::optional<std::int64_t> slotCount;
    std::string label;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const VectorStage&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("ops", self.ops);
        v.required("tile", self.tile);
        v.optional("tile_by", self.tileBy);
        v.optional("slots", self.slotCount);
        v.optional("label", self.label);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// Writes a value into an output tensor: a rectangle at an offset (`out[a:b, c:d] = value`, `pypto.assemble`), or rows
/// picked by an index (`index_add_`, `index_put_`): to[.., index[i], ..] (+)= alpha * from[.., i, ..] along `dim`. Only
/// valid elements are written.
struct Store {
    BlockId id;
    StoreOp op = StoreOp::Slice;
    ValueId from;
    TensorId to;
    std::vector<Expression> offset;  ///< empty: zeros; index stores: offset of the rectangle without the axis `dim`
    ValueId index;                   ///< index stores: 1-D, INT32 or INT64
    std::int64_t dim = 0;            ///< index stores: axis of `to` that the index picks from
    double alpha = 1.0;              ///< index_add
    bool accumulate = false;         ///< index_put
    bool parallel = false;           ///< assemble: regions never overlap
    UnknownFields unknown;
    bool operator==(const Store&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("op", self.op, StoreOp::Slice);
        v.required("from", self.from);
        v.required("to", self.to);
        v.optional("offset", self.offset);
        v.optional("index", self.index);
        v.optional("dim", self.dim, std::int64_t{0});
        v.optional("alpha", self.alpha, 1.0);
        v.optional("accumulate", self.accumulate, false);
        v.optional("parallel", self.parallel, false);
        v.unknown(self.unknown);
    }
};

struct Block;

/// Runtime: `for index in pypto.loop(ceildiv(axis, tile))` cuts `axis` into tiles. Static: a Python `for`, expanded
/// when the kernel is compiled; all its iterations belong to the surrounding root function. Unroll: `for index, factor
/// in pypto.loop_unroll(0, axis, 1, unroll_list=unroll)`: `index` counts elements of the axis, a step covers `factor`
/// of them, the largest listed factor that still fits (1 always does); `tile` is not used. The body may use `index` and
/// `factor` in expressions; a shape that depends on `factor` is declared with the largest one.
struct Loop {
    BlockId id;
    LoopKind form = LoopKind::Runtime;
    std::string index = "i";
    Expression axis;
    Expression tile = 1;
    bool parallel = false;             ///< iterations are independent; needs device_sched_parallelism > 1 to matter
    std::vector<std::int64_t> unroll;  ///< Unroll: the factors
    std::string factor = "factor";     ///< Unroll: name of the factor in expressions
    bool submitBeforeLoop = false;     ///< barrier: all work so far is handed to the cores and waited for
    std::vector<Block> body;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Loop&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("form", self.form, LoopKind::Runtime);
        v.optional("index", self.index, std::string("i"));
        v.required("axis", self.axis);
        v.optional("tile", self.tile, Expression(1));
        v.optional("parallel", self.parallel, false);
        v.optional("unroll", self.unroll);
        v.optional("factor", self.factor, std::string("factor"));
        v.optional("submit_before_loop", self.submitBeforeLoop, false);
        v.required("body", self.body);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// One element of the block tree. In JSON the alternative is the object's first key, "kind" (`EnumTable<BlockKind>`).
struct Block {
    std::variant<View, CubeStage, VectorStage, Store, Loop> content;
    bool operator==(const Block&) const = default;

    [[nodiscard]] BlockKind kind() const { return static_cast<BlockKind>(content.index()); }
    [[nodiscard]] const BlockId& id() const {
        return std::visit([](const auto& block) -> const BlockId& { return block.id; }, content);
    }
};

}  // namespace cubist

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
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

/// Where the elements of an input come from: a generator, or a file that the user gave.
struct DataSource {
    Generator generator = Generator::Uniform;
    double low = 0.0;   ///< uniform [low, high), integers low..high inclusive, constant low, normal mean low
    double high = 1.0;  ///< normal: standard deviation
    std::optional<std::string> file;  ///< `.npy`, relative to the design's folder; replaces the generator
    ListId list;                      ///< the tensor holds the values of this list (Design::lists); replaces both
    UnknownFields unknown;
    bool operator==(const DataSource&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("generator", self.generator, Generator::Uniform);
        v.optional("low", self.low, 0.0);
        v.optional("high", self.high, 1.0);
        v.optional("file", self.file);
        v.optional("list", self.list);
        v.unknown(self.unknown);
    }
};

/// How an output is judged; core/accuracy/criterion.h says what each criterion asks. With dtypeDefaults the output's
/// type decides rtol and atol. Range: rtol, atol >= 0; 0 <= maxErrorRatio <= 1.
struct Tolerance {
    Criterion criterion = Criterion::AllClose;
    double rtol = 1e-3;
    double atol = 1e-3;
    bool dtypeDefaults = false;
    double maxErrorRatio = 0.005;               ///< error_ratio: share of the elements that may be outside
    PrecisionLevel level = PrecisionLevel::L2;  ///< three_way
    GoldenKind golden = GoldenKind::Ideal;
    UnknownFields unknown;
    bool operator==(const Tolerance&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("criterion", self.criterion, Criterion::AllClose);
        v.optional("rtol", self.rtol, 1e-3);
        v.optional("atol", self.atol, 1e-3);
        v.optional("dtype_defaults", self.dtypeDefaults, false);
        v.optional("max_error_ratio", self.maxErrorRatio, 0.005);
        v.optional("level", self.level, PrecisionLevel::L2);
        v.optional("golden", self.golden, GoldenKind::Ideal);
        v.unknown(self.unknown);
    }
};

/// A tensor in global memory. Shape: 1 to 4 expressions over symbols.
struct Tensor {
    TensorId id;
    TensorRole role = TensorRole::Input;
    DType dtype = DType::FP32;
    std::vector<Expression> shape;
    Format format = Format::ND;
    CachePolicy cache = CachePolicy::Default;
    DataSource data;                     ///< inputs, and what an inout tensor holds before the kernel runs
    std::optional<Tolerance> tolerance;  ///< outputs; absent: the design's
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Tensor&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("role", self.role);
        v.required("dtype", self.dtype);
        v.required("shape", self.shape);
        v.optional("format", self.format, Format::ND);
        v.optional("cache", self.cache, CachePolicy::Default);
        v.optional("data", self.data);
        v.optional("tolerance", self.tolerance);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// A free dimension of the design, such as the number of tokens T.
struct Symbol {
    SymbolId id;
    std::int64_t value = 1;  ///< used when the chosen case does not set it
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Symbol&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("value", self.value, std::int64_t{1});
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// Integers whose values are known on the host when the kernel is launched (or compiled), such as a group list.
/// Expressions read them as `name[i]`, `len(name)`, `start(name, g)` and `count(name, g)`.
struct List {
    ListId id;
    ListForm form = ListForm::Plain;
    std::vector<std::int64_t> value;  ///< used when the chosen case does not set it
    std::optional<Expression> total;  ///< length of the axis that the groups cut; group lists only
    std::string notes;
    UnknownFields unknown;
    bool operator==(const List&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("form", self.form, ListForm::Plain);
        v.optional("value", self.value);
        v.optional("total", self.total);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// A named set of symbol and list values.
struct Case {
    CaseId id;
    std::vector<std::string> aliases;
    Dictionary<std::int64_t> symbols;
    Dictionary<std::vector<std::int64_t>> lists;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Case&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("aliases", self.aliases);
        v.optional("symbols", self.symbols);
        v.optional("lists", self.lists);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

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

/// A window of a tensor or view: `pypto.view(x, shape, offsets, valid_shape=...)`. Elements beyond `valid` read as
/// zero.
struct View {
    BlockId id;
    ValueId of;
    ValueId out;
    std::vector<Expression> shape;  ///< must evaluate to constants
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

struct Skeleton {
    Variant variant = Variant::C;
    std::vector<std::int64_t> pattern;  ///< data-flow patterns 1..4; in JSON null, a number or a list
    UnknownFields unknown;
    bool operator==(const Skeleton&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("variant", self.variant);
        v.numberOrList("pattern", self.pattern);
        v.unknown(self.unknown);
    }
};

/// `pass_options` and `runtime_options` of the kernel, by PyPTO's own names. An empty dictionary means automatic.
struct Options {
    Dictionary<std::int64_t> cubeL1Reuse;
    Dictionary<std::int64_t> cubeNBuffer;
    Dictionary<std::int64_t> vecNBuffer;
    std::int64_t deviceSchedMode = 0;
    std::int64_t deviceSchedParallelism = 1;
    std::int64_t stitchFunctionMaxNum = 128;
    Dictionary<std::string> cubeL1ReuseSide;  ///< key of cubeL1Reuse -> "left", "right" or "auto"
    std::int64_t maxWorkspaceKb = 0;          ///< 0: stitching is driven by stitchFunctionMaxNum
    bool validShapeOptimize = false;          ///< main blocks compiled static, the tail dynamic
    std::vector<ValueId> readyOnHostTensors;
    std::int64_t launchSchedAicpuNum = 7;         ///< scheduler threads
    std::optional<std::int64_t> launchEarlyMode;  ///< absent: the chip's default
    bool autoMixPartition = false;                ///< 950: merge neighbouring cube and vector subgraphs
    bool combineAxis = false;
    UnknownFields unknown;
    bool operator==(const Options&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("cube_l1_reuse_setting", self.cubeL1Reuse);
        v.optional("cube_nbuffer_setting", self.cubeNBuffer);
        v.optional("vec_nbuffer_setting", self.vecNBuffer);
        v.optional("device_sched_mode", self.deviceSchedMode, std::int64_t{0});
        v.optional("device_sched_parallelism", self.deviceSchedParallelism, std::int64_t{1});
        v.optional("stitch_function_max_num", self.stitchFunctionMaxNum, std::int64_t{128});
        v.optional("cube_l1_reuse_side", self.cubeL1ReuseSide);
        v.optional("max_workspace_kb", self.maxWorkspaceKb, std::int64_t{0});
        v.optional("valid_shape_optimize", self.validShapeOptimize, false);
        v.optional("ready_on_host_tensors", self.readyOnHostTensors);
        v.optional("launch_sched_aicpu_num", self.launchSchedAicpuNum, std::int64_t{7});
        v.optional("launch_early_mode", self.launchEarlyMode);
        v.optional("auto_mix_partition", self.autoMixPartition, false);
        v.optional("combine_axis", self.combineAxis, false);
        v.unknown(self.unknown);
    }
};

/// Where the user put an element on the canvas, in scene units. Elements without a position are laid out. A loop's
/// frame is at least as large as its content: x and y (without width and height) mean nothing to it.
struct Position {
    double x = 0.0;
    double y = 0.0;
    double width = 0.0;   ///< loops: the frame covers this rectangle too; 0: as its content needs
    double height = 0.0;  ///< as width
    UnknownFields unknown;
    bool operator==(const Position&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("x", self.x);
        v.required("y", self.y);
        v.optional("width", self.width, 0.0);
        v.optional("height", self.height, 0.0);
        v.unknown(self.unknown);
    }
};

/// A text that the user put on the canvas, in scene units. Its height follows from the text.
struct CanvasNote {
    std::string text;
    double x = 0.0;
    double y = 0.0;
    double width = 200.0;
    UnknownFields unknown;
    bool operator==(const CanvasNote&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("text", self.text);
        v.required("x", self.x);
        v.required("y", self.y);
        v.optional("width", self.width, 200.0);
        v.unknown(self.unknown);
    }
};

/// A whole kernel design: an immutable value; edits are the pure functions of edit_ops.h.
struct Design {
    static constexpr std::int64_t kFormatVersion = 1;

    std::string name;
    std::string title;
    std::string notes;
    ChipId chip;
    Skeleton skeleton;
    std::vector<Symbol> symbols;
    std::vector<List> lists;
    std::vector<Case> cases;
    CaseId defaultCase;  ///< empty: the first case, or the symbols' own values when there is none
    std::vector<Tensor> tensors;
    std::vector<Block> blocks;
    Options options;
    RuleProfile profile = RuleProfile::Enforced;
    Tolerance tolerance;
    std::int64_t seed = 0;
    Dictionary<Position> layout;          ///< canvas positions by block or tensor id
    std::vector<CanvasNote> canvasNotes;  ///< texts on the canvas
    UnknownFields unknown;
    bool operator==(const Design&) const = default;

    /// The key "cubist" (format version) is the reader's and writer's business and comes before these.
    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("name", self.name);
        v.optional("title", self.title);
        v.optional("notes", self.notes);
        v.required("chip", self.chip);
        v.required("skeleton", self.skeleton);
        v.optional("symbols", self.symbols);
        v.optional("lists", self.lists);
        v.optional("cases", self.cases);
        v.optional("default_case", self.defaultCase);
        v.required("tensors", self.tensors);
        v.required("blocks", self.blocks);
        v.optional("options", self.options);
        v.optional("profile", self.profile, RuleProfile::Enforced);
        v.optional("tolerance", self.tolerance);
        v.optional("seed", self.seed, std::int64_t{0});
        v.optional("layout", self.layout);
        v.optional("canvas_notes", self.canvasNotes);
        v.unknown(self.unknown);
    }
};

}  // namespace cubist

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
    UnknownFields unknown;
    bool operator==(const DataSource&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("generator", self.generator, Generator::Uniform);
        v.optional("low", self.low, 0.0);
        v.optional("high", self.high, 1.0);
        v.optional("file", self.file);
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
    DataSource data;  ///< inputs only
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
        v.optional("data", self.data);
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

/// A named set of symbol values.
struct Case {
    CaseId id;
    std::vector<std::string> aliases;
    Dictionary<std::int64_t> symbols;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Case&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("aliases", self.aliases);
        v.optional("symbols", self.symbols);
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

/// One matmul on the cube core. Shapes: out[M,N] = op(a)[M,K] * op(b)[K,N]; with aTrans a is stored [K,M], with bTrans
/// b is stored [N,K].
struct CubeStage {
    BlockId id;
    CubeOp op = CubeOp::Matmul;
    ValueId a;
    ValueId b;
    bool aTrans = false;
    bool bTrans = false;
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
    std::optional<std::int64_t> dim;   ///< axis of reductions, softmax, concat, unsqueeze; negative counts from the end
    bool keepDim = false;              ///< reductions: keep the reduced axis with extent 1
    std::vector<std::int64_t> dims;    ///< transpose: the two axes that change places
    std::vector<std::int64_t> shape;   ///< slice, expand_clone, reshape: shape of the result
    std::vector<std::int64_t> offset;  ///< slice: where it starts
    double epsilon = 1e-6;             ///< rms_norm
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

/// Writes a value into an output tensor at an offset (`out[a:b, c:d] = value`, `pypto.assemble`). Only valid elements
/// are written.
struct Store {
    BlockId id;
    StoreOp op = StoreOp::Slice;
    ValueId from;
    TensorId to;
    std::vector<Expression> offset;  ///< empty: zeros
    UnknownFields unknown;
    bool operator==(const Store&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("op", self.op, StoreOp::Slice);
        v.required("from", self.from);
        v.required("to", self.to);
        v.optional("offset", self.offset);
        v.unknown(self.unknown);
    }
};

struct Block;

/// `for index in pypto.loop(ceildiv(axis, tile))`: cuts `axis` into tiles. The body may use `index` in expressions.
struct Loop {
    BlockId id;
    std::string index = "i";
    Expression axis;
    Expression tile = 1;
    bool parallel = false;
    std::vector<Block> body;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Loop&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("index", self.index, std::string("i"));
        v.required("axis", self.axis);
        v.optional("tile", self.tile, Expression(1));
        v.optional("parallel", self.parallel, false);
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
        v.unknown(self.unknown);
    }
};

/// How outputs are judged: every element must satisfy |out - golden| <= atol + rtol * |golden|.
struct Tolerance {
    Criterion criterion = Criterion::AllClose;
    double rtol = 1e-3;
    double atol = 1e-3;
    GoldenKind golden = GoldenKind::Ideal;
    UnknownFields unknown;
    bool operator==(const Tolerance&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("criterion", self.criterion, Criterion::AllClose);
        v.optional("rtol", self.rtol, 1e-3);
        v.optional("atol", self.atol, 1e-3);
        v.optional("golden", self.golden, GoldenKind::Ideal);
        v.unknown(self.unknown);
    }
};

/// Where the user put an element on the canvas, in scene units. Elements without a position are laid out.
struct Position {
    double x = 0.0;
    double y = 0.0;
    UnknownFields unknown;
    bool operator==(const Position&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("x", self.x);
        v.required("y", self.y);
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
    std::vector<Case> cases;
    CaseId defaultCase;  ///< empty: the first case, or the symbols' own values when there is none
    std::vector<Tensor> tensors;
    std::vector<Block> blocks;
    Options options;
    RuleProfile profile = RuleProfile::Enforced;
    Tolerance tolerance;
    std::int64_t seed = 0;
    Dictionary<Position> layout;  ///< canvas positions by block or tensor id
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
        v.optional("cases", self.cases);
        v.optional("default_case", self.defaultCase);
        v.required("tensors", self.tensors);
        v.required("blocks", self.blocks);
        v.optional("options", self.options);
        v.optional("profile", self.profile, RuleProfile::Enforced);
        v.optional("tolerance", self.tolerance);
        v.optional("seed", self.seed, std::int64_t{0});
        v.optional("layout", self.layout);
        v.unknown(self.unknown);
    }
};

}  // namespace cubist

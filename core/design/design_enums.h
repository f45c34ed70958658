// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/base/enum_table.h"
#include "core/base/ids.h"

namespace cubist {

using namespace std::string_view_literals;

/// InOut: given by the caller and written in place. Workspace: memory of the kernel, zero at the start.
enum class TensorRole : std::uint8_t { Input, Output, InOut, Workspace };
template <>
struct EnumTable<TensorRole> {
    static constexpr std::string_view name = "tensor role";
    static constexpr std::array entries{
        std::pair{TensorRole::Input, "input"sv}, std::pair{TensorRole::Output, "output"sv},
        std::pair{TensorRole::InOut, "inout"sv}, std::pair{TensorRole::Workspace, "workspace"sv}};
};

/// `set_cache_policy`: NoneCacheable keeps a tensor that is read once out of L2.
enum class CachePolicy : std::uint8_t { Default, NoneCacheable };
template <>
struct EnumTable<CachePolicy> {
    static constexpr std::string_view name = "cache policy";
    static constexpr std::array entries{std::pair{CachePolicy::Default, "default"sv},
                                        std::pair{CachePolicy::NoneCacheable, "none_cacheable"sv}};
};

/// What the numbers of a list mean. Counts: rows of each group. PrefixSums: end row of each group. Rows: the group of
/// each row.
enum class ListForm : std::uint8_t { Plain, Counts, PrefixSums, Rows };
template <>
struct EnumTable<ListForm> {
    static constexpr std::string_view name = "form of a list";
    static constexpr std::array entries{std::pair{ListForm::Plain, "plain"sv}, std::pair{ListForm::Counts, "counts"sv},
                                        std::pair{ListForm::PrefixSums, "prefix_sums"sv},
                                        std::pair{ListForm::Rows, "rows"sv}};
};

enum class LoopKind : std::uint8_t { Runtime, Static, Unroll };
template <>
struct EnumTable<LoopKind> {
    static constexpr std::string_view name = "form of a loop";
    static constexpr std::array entries{std::pair{LoopKind::Runtime, "runtime"sv},
                                        std::pair{LoopKind::Static, "static"sv},
                                        std::pair{LoopKind::Unroll, "unroll"sv}};
};

/// Rounding of FP32 operands before the cube multiplies them: HF32 on 2201, TF32 on 3510. Rint: ties to even; Round:
/// ties away from zero.
enum class Fp32Mode : std::uint8_t { Ieee, Rint, Round };
template <>
struct EnumTable<Fp32Mode> {
    static constexpr std::string_view name = "FP32 mode";
    static constexpr std::array entries{std::pair{Fp32Mode::Ieee, "ieee"sv}, std::pair{Fp32Mode::Rint, "rint"sv},
                                        std::pair{Fp32Mode::Round, "round"sv}};
};

/// Order of the cube's sums. Element: one fused multiply-add per element, K ascending. Fractal: the products of one
/// fractal (K0 elements) are summed first. MxGroup: those of one group of 32, before the scales.
enum class Accumulation : std::uint8_t { Element, Fractal, MxGroup };
template <>
struct EnumTable<Accumulation> {
    static constexpr std::string_view name = "accumulation";
    static constexpr std::array entries{std::pair{Accumulation::Element, "element"sv},
                                        std::pair{Accumulation::Fractal, "fractal"sv},
                                        std::pair{Accumulation::MxGroup, "mx_group"sv}};
};

/// Shared exponent of quant_mx. Down: floor of the exponent (OCP). Up: the next power of two that holds the maximum.
enum class ScaleRounding : std::uint8_t { Down, Up };
template <>
struct EnumTable<ScaleRounding> {
    static constexpr std::string_view name = "rounding of a shared exponent";
    static constexpr std::array entries{std::pair{ScaleRounding::Down, "down"sv}, std::pair{ScaleRounding::Up, "up"sv}};
};

/// What scatter does where it writes: replaces, adds or multiplies.
enum class ScatterReduce : std::uint8_t { None, Add, Multiply };
template <>
struct EnumTable<ScatterReduce> {
    static constexpr std::string_view name = "reduction of a scatter";
    static constexpr std::array entries{std::pair{ScatterReduce::None, "none"sv},
                                        std::pair{ScatterReduce::Add, "add"sv},
                                        std::pair{ScatterReduce::Multiply, "multiply"sv}};
};

enum class Generator : std::uint8_t { Uniform, Normal, Integers, Constant, Arange };
template <>
struct EnumTable<Generator> {
    static constexpr std::string_view name = "generator";
    static constexpr std::array entries{
        std::pair{Generator::Uniform, "uniform"sv},   std::pair{Generator::Normal, "normal"sv},
        std::pair{Generator::Integers, "integers"sv}, std::pair{Generator::Constant, "constant"sv},
        std::pair{Generator::Arange, "arange"sv},
    };
};

enum class CubeOp : std::uint8_t { Matmul, ScaledMm };
template <>
struct EnumTable<CubeOp> {
    static constexpr std::string_view name = "cube operation";
    static constexpr std::array entries{std::pair{CubeOp::Matmul, "matmul"sv},
                                        std::pair{CubeOp::ScaledMm, "scaled_mm"sv}};
};

/// Operations of a vector stage by PyPTO's names. core/design/vector_op_info.h says what each takes and gives.
enum class VectorOpCode : std::uint8_t {
    Cast,
    Add,
    Sub,
    Mul,
    Div,
    Maximum,
    Minimum,
    Neg,
    Abs,
    Relu,
    Exp,
    Log,
    Sqrt,
    Rsqrt,
    Reciprocal,
    Sigmoid,
    Clip,
    Where,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Amax,
    Amin,
    Sum,
    Softmax,
    RmsNorm,
    Slice,
    Concat,
    Transpose,
    ExpandClone,
    Unsqueeze,
    Reshape,
    Gelu,
    Silu,
    Pow,
    Prod,
    Rope,
    Full,
    Arange,
    FillPad,
    Gather,
    IndexSelect,
    Scatter,
    IndexAdd,
    IndexPut,
    TopK,
    Argsort,
    CumSum,
    Quantize,
    Dequantize,
    QuantMx,
};
template <>
struct EnumTable<VectorOpCode> {
    static constexpr std::string_view name = "vector operation";
    static constexpr std::array entries{
        std::pair{VectorOpCode::Cast, "cast"sv},
        std::pair{VectorOpCode::Add, "add"sv},
        std::pair{VectorOpCode::Sub, "sub"sv},
        std::pair{VectorOpCode::Mul, "mul"sv},
        std::pair{VectorOpCode::Div, "div"sv},
        std::pair{VectorOpCode::Maximum, "maximum"sv},
        std::pair{VectorOpCode::Minimum, "minimum"sv},
        std::pair{VectorOpCode::Neg, "neg"sv},
        std::pair{VectorOpCode::Abs, "abs"sv},
        std::pair{VectorOpCode::Relu, "relu"sv},
        std::pair{VectorOpCode::Exp, "exp"sv},
        std::pair{VectorOpCode::Log, "log"sv},
        std::pair{VectorOpCode::Sqrt, "sqrt"sv},
        std::pair{VectorOpCode::Rsqrt, "rsqrt"sv},
        std::pair{VectorOpCode::Reciprocal, "reciprocal"sv},
        std::pair{VectorOpCode::Sigmoid, "sigmoid"sv},
        std::pair{VectorOpCode::Clip, "clip"sv},
        std::pair{VectorOpCode::Where, "where"sv},
        std::pair{VectorOpCode::Eq, "eq"sv},
        std::pair{VectorOpCode::Ne, "ne"sv},
        std::pair{VectorOpCode::Lt, "lt"sv},
        std::pair{VectorOpCode::Le, "le"sv},
        std::pair{VectorOpCode::Gt, "gt"sv},
        std::pair{VectorOpCode::Ge, "ge"sv},
        std::pair{VectorOpCode::Amax, "amax"sv},
        std::pair{VectorOpCode::Amin, "amin"sv},
        std::pair{VectorOpCode::Sum, "sum"sv},
        std::pair{VectorOpCode::Softmax, "softmax"sv},
        std::pair{VectorOpCode::RmsNorm, "rms_norm"sv},
        std::pair{VectorOpCode::Slice, "slice"sv},
        std::pair{VectorOpCode::Concat, "concat"sv},
        std::pair{VectorOpCode::Transpose, "transpose"sv},
        std::pair{VectorOpCode::ExpandClone, "expand_clone"sv},
        std::pair{VectorOpCode::Unsqueeze, "unsqueeze"sv},
        std::pair{VectorOpCode::Reshape, "reshape"sv},
        std::pair{VectorOpCode::Gelu, "gelu"sv},
        std::pair{VectorOpCode::Silu, "silu"sv},
        std::pair{VectorOpCode::Pow, "pow"sv},
        std::pair{VectorOpCode::Prod, "prod"sv},
        std::pair{VectorOpCode::Rope, "rope"sv},
        std::pair{VectorOpCode::Full, "full"sv},
        std::pair{VectorOpCode::Arange, "arange"sv},
        std::pair{VectorOpCode::FillPad, "fillpad"sv},
        std::pair{VectorOpCode::Gather, "gather"sv},
        std::pair{VectorOpCode::IndexSelect, "index_select"sv},
        std::pair{VectorOpCode::Scatter, "scatter"sv},
        std::pair{VectorOpCode::IndexAdd, "index_add"sv},
        std::pair{VectorOpCode::IndexPut, "index_put"sv},
        std::pair{VectorOpCode::TopK, "topk"sv},
        std::pair{VectorOpCode::Argsort, "argsort"sv},
        std::pair{VectorOpCode::CumSum, "cumsum"sv},
        std::pair{VectorOpCode::Quantize, "quantize"sv},
        std::pair{VectorOpCode::Dequantize, "dequantize"sv},
        std::pair{VectorOpCode::QuantMx, "quant_mx"sv},
    };
};

/// What a vector operation reads: a value by name, or a number.
struct Operand {
    std::variant<ValueId, double> source;
    bool operator==(const Operand&) const = default;

    [[nodiscard]] const ValueId* value() const { return std::get_if<ValueId>(&source); }
    [[nodiscard]] const double* number() const { return std::get_if<double>(&source); }
};

enum class StoreOp : std::uint8_t { Slice, Assemble, AtomicAdd, IndexAdd, IndexPut };
template <>
struct EnumTable<StoreOp> {
    static constexpr std::string_view name = "store operation";
    static constexpr std::array entries{
        std::pair{StoreOp::Slice, "slice"sv}, std::pair{StoreOp::Assemble, "assemble"sv},
        std::pair{StoreOp::AtomicAdd, "atomic_add"sv}, std::pair{StoreOp::IndexAdd, "index_add"sv},
        std::pair{StoreOp::IndexPut, "index_put"sv}};
};

/// Alternatives of Block::content, in the same order.
enum class BlockKind : std::uint8_t { View, Cube, Vector, Store, Loop };
template <>
struct EnumTable<BlockKind> {
    static constexpr std::string_view name = "block kind";
    static constexpr std::array entries{
        std::pair{BlockKind::View, "view"sv},     std::pair{BlockKind::Cube, "cube"sv},
        std::pair{BlockKind::Vector, "vector"sv}, std::pair{BlockKind::Store, "store"sv},
        std::pair{BlockKind::Loop, "loop"sv},
    };
};

/// Loop variants of SK-14; B' (groups unrolled at compile time) is also spelled "Bs" on the command line.
enum class Variant : std::uint8_t { A, B, BStatic, C, D };
template <>
struct EnumTable<Variant> {
    static constexpr std::string_view name = "skeleton variant";
    static constexpr std::array entries{std::pair{Variant::A, "A"sv}, std::pair{Variant::B, "B"sv},
                                        std::pair{Variant::BStatic, "B'"sv}, std::pair{Variant::C, "C"sv},
                                        std::pair{Variant::D, "D"sv}};
};

/// Which set of limits the rules apply: what the compiler checks, or all that is documented.
enum class RuleProfile : std::uint8_t { Enforced, Documented };
template <>
struct EnumTable<RuleProfile> {
    static constexpr std::string_view name = "rule profile";
    static constexpr std::array entries{std::pair{RuleProfile::Enforced, "enforced"sv},
                                        std::pair{RuleProfile::Documented, "documented"sv}};
};

/// Accuracy criteria in use around PyPTO; core/accuracy/criterion.h says what each asks.
enum class Criterion : std::uint8_t { AllClose, AllCloseActual, TwoThreshold, ErrorRatio, ThreeWay, Exact, OrderBound };
template <>
struct EnumTable<Criterion> {
    static constexpr std::string_view name = "accuracy criterion";
    static constexpr std::array entries{std::pair{Criterion::AllClose, "allclose"sv},
                                        std::pair{Criterion::AllCloseActual, "allclose_actual"sv},
                                        std::pair{Criterion::TwoThreshold, "two_threshold"sv},
                                        std::pair{Criterion::ErrorRatio, "error_ratio"sv},
                                        std::pair{Criterion::ThreeWay, "three_way"sv},
                                        std::pair{Criterion::Exact, "exact"sv},
                                        std::pair{Criterion::OrderBound, "order_bound"sv}};
};

/// Strictness of the three-way criterion.
enum class PrecisionLevel : std::uint8_t { L0, L1, L2 };
template <>
struct EnumTable<PrecisionLevel> {
    static constexpr std::string_view name = "precision level";
    static constexpr std::array entries{std::pair{PrecisionLevel::L0, "L0"sv}, std::pair{PrecisionLevel::L1, "L1"sv},
                                        std::pair{PrecisionLevel::L2, "L2"sv}};
};

/// Ideal: FP64, only casts to 8 bits and less honoured. Framework: FP32 with every declared cast.
enum class GoldenKind : std::uint8_t { Ideal, Framework };
template <>
struct EnumTable<GoldenKind> {
    static constexpr std::string_view name = "golden";
    static constexpr std::array entries{std::pair{GoldenKind::Ideal, "ideal"sv},
                                        std::pair{GoldenKind::Framework, "framework"sv}};
};

}  // namespace cubist

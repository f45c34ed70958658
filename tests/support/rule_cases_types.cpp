// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "tests/support/rule_makers.h"

namespace cubist::test {

using namespace making;

namespace {

VectorOp operation(VectorOpCode code, const char* in, const char* out) {
    VectorOp op;
    op.op = code;
    op.in = {Operand{ValueId(in)}};
    op.out = ValueId(out);
    return op;
}

/// Row scale whose stage goes on from "scaled" (FP32, rows x 128) or "rounded" (its cast to `type`) with more
/// operations; the last one's result is stored.
Make scaledThen(std::vector<VectorOp> more, DType type, DType out, std::vector<Expression> shape) {
    return [=] {
        Design design = rowScale({.out = type});
        VectorStage& stage = vectorOf(design);
        stage.ops.insert(stage.ops.end(), more.begin(), more.end());
        storeOf(design).from = more.back().out;
        tensorOf(design, "y").dtype = out;
        tensorOf(design, "y").shape = shape;
        return design;
    };
}

Make reduced(VectorOpCode code, DType type) {
    VectorOp op = operation(code, "rounded", "reduced");
    op.keepDim = true;
    return scaledThen({op}, type, type, {Expression("T"), 1});
}

Make mapped(VectorOpCode code, DType type) {
    return scaledThen({operation(code, "rounded", "mapped")}, type, type, {Expression("T"), 128});
}

Make chosen(bool comparison) {
    VectorOp condition = operation(comparison ? VectorOpCode::Gt : VectorOpCode::Add, "scaled", "condition");
    condition.in = {Operand{ValueId("scaled")}, Operand{0.0}};
    VectorOp choice = operation(VectorOpCode::Where, "condition", "choice");
    choice.in = {Operand{ValueId("condition")}, Operand{ValueId("rounded")}, Operand{1.0}};
    return scaledThen({condition, choice}, DType::BF16, DType::BF16, {Expression("T"), 128});
}

/// "rounded" (of `type`) compared with itself; the answer chooses between the scaled value and 1.
Make compared(DType type) {
    VectorOp condition = operation(VectorOpCode::Lt, "rounded", "condition");
    condition.in = {Operand{ValueId("rounded")}, Operand{ValueId("rounded")}};
    VectorOp choice = operation(VectorOpCode::Where, "condition", "choice");
    choice.in = {Operand{ValueId("condition")}, Operand{ValueId("scaled")}, Operand{1.0}};
    return scaledThen({condition, choice}, type, DType::FP32, {Expression("T"), 128});
}

/// What "rounded" (of `type`) is where the scaled value is positive, else 1.
Make chosenFrom(DType type) {
    VectorOp condition = operation(VectorOpCode::Gt, "scaled", "condition");
    condition.in = {Operand{ValueId("scaled")}, Operand{0.0}};
    VectorOp choice = operation(VectorOpCode::Where, "condition", "choice");
    choice.in = {Operand{ValueId("condition")}, Operand{1.0}, Operand{ValueId("rounded")}};
    return scaledThen({condition, choice}, type, type, {Expression("T"), 128});
}

/// A constant of `type` beside the work.
Make filled(DType type, double number = 1.0) {
    VectorOp op = operation(VectorOpCode::Full, "scaled", "constant");
    op.in = {Operand{number}};
    op.shape = {64, 128};
    op.dtype = type;
    return scaledThen({op}, DType::BF16, type, {Expression("T"), 128});
}

/// An integer multiplied with a number.
Make integerTimes(double number) {
    VectorOp op = operation(VectorOpCode::Mul, "rounded", "times");
    op.in.push_back(Operand{number});
    return scaledThen({op}, DType::INT32, DType::INT32, {Expression("T"), 128});
}

/// A range of INT32 from `start` on, beside the work.
Make counted(std::int64_t start) {
    VectorOp op = operation(VectorOpCode::Arange, "scaled", "counted");
    op.in.clear();
    op.range = {Expression(start), Expression(start + 128)};
    VectorOp whole = operation(VectorOpCode::Unsqueeze, "counted", "row");
    whole.dim = 0;
    return [=] {
        Design design = rowScale({.rows = 1, .rowTile = 1, .out = DType::INT32});
        VectorStage& stage = vectorOf(design);
        stage.ops.push_back(op);
        stage.ops.push_back(whole);
        storeOf(design).from = whole.out;
        return design;
    };
}

/// Clipped integers.
Make clipped(double low, double high) {
    VectorOp op = operation(VectorOpCode::Clip, "rounded", "clipped");
    op.in.assign({Operand{ValueId("rounded")}, Operand{low}, Operand{high}});
    return scaledThen({op}, DType::INT16, DType::INT16, {Expression("T"), 128});
}

/// "scaled" picked by "rounded".
Make gathered(DType index) {
    VectorOp op = operation(VectorOpCode::Gather, "scaled", "picked");
    op.in = {Operand{ValueId("scaled")}, Operand{ValueId("rounded")}};
    return scaledThen({op}, index, DType::FP32, {Expression("T"), 128});
}

Make quantized(DType type) {
    VectorOp op = operation(VectorOpCode::Quantize, "scaled", "codes");
    op.in = {Operand{ValueId("scaled")}, Operand{2.0}};
    op.dtype = type;
    return scaledThen({op}, DType::BF16, type, {Expression("T"), 128});
}

/// A matmul, and besides a tensor filled up where it is not valid.
Make filledUp(std::vector<std::int64_t> shape) {
    return [=] {
        Design design = matmulDesign();
        for (const char* id : {"a", "c"}) {
            Tensor tensor = tensorOf(design, id);
            tensor.id = TensorId(std::string(id) + "4");
            tensor.dtype = DType::FP32;
            tensor.shape.assign(shape.begin(), shape.end());
            design.tensors.push_back(tensor);
        }
        VectorStage stage;
        stage.id = BlockId("fill");
        stage.ops = {operation(VectorOpCode::FillPad, "a4", "filled")};
        stage.ops[0].in.push_back(Operand{0.0});
        stage.tile = shape;
        Store store = storeOf(design);
        store.id = BlockId("write4");
        store.from = ValueId("filled");
        store.to = TensorId("c4");
        design.blocks.push_back(Block{stage});
        design.blocks.push_back(Block{store});
        return design;
    };
}

/// exp with a type of its own.
Make typedExp(DType type) {
    return [type] {
        Design design = rowScale({.out = DType::FP32});
        VectorOp op = operation(VectorOpCode::Exp, "rounded", "power");
        op.dtype = type;
        vectorOf(design).ops.push_back(op);
        storeOf(design).from = op.out;
        tensorOf(design, "y").dtype = type;
        return design;
    };
}

/// A matmul, and besides a transposition of four axes of 8.
Make exchanged(std::vector<std::int64_t> axes) {
    return [=] {
        Design design = matmulDesign();
        for (const char* id : {"a", "c"}) {
            Tensor tensor = tensorOf(design, id);
            tensor.id = TensorId(std::string(id) + "4");
            tensor.dtype = DType::FP32;
            tensor.shape = {8, 8, 8, 8};
            design.tensors.push_back(tensor);
        }
        VectorStage stage;
        stage.id = BlockId("turn");
        stage.ops = {operation(VectorOpCode::Transpose, "a4", "turned")};
        stage.ops[0].dims = axes;
        stage.tile = {1, 8, 8, 8};
        Store store = storeOf(design);
        store.id = BlockId("write4");
        store.from = ValueId("turned");
        store.to = TensorId("c4");
        design.blocks.push_back(Block{stage});
        design.blocks.push_back(Block{store});
        return design;
    };
}

}  // namespace

void addTypeCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    cases.push_back({"DTYPE-01",
                     "/blocks/0/out_dtype",
                     Enforced,
                     [] { return matmulDesign({.out = DType::BF16}); },
                     kMatmul,
                     {},
                     false});
    cases.push_back({"DTYPE-01",
                     "/blocks/0/b",
                     Enforced,
                     changed(kMatmul, [](Design& design) { tensorOf(design, "b").dtype = DType::BF16; }),
                     kMatmul,
                     {},
                     false,
                     "DTYPE-01 mixed"});
    cases.push_back({"DTYPE-01",
                     "/blocks/0/a",
                     Enforced,
                     [] { return matmulDesign({.dtype = DType::INT32, .out = DType::INT32}); },
                     [] { return matmulDesign({.dtype = DType::INT8, .out = DType::INT32}); },
                     {},
                     false,
                     "DTYPE-01 operand"});
    cases.push_back({"DTYPE-01",
                     "/blocks/0/a",
                     Enforced,
                     [] { return matmulDesign({.dtype = DType::INT4, .out = DType::INT32}); },
                     [] { return matmulDesign({.dtype = DType::INT8, .out = DType::INT32}); },
                     {},
                     false,
                     "DTYPE-01 INT4"});
    cases.push_back({"DTYPE-02", "/blocks/0/a", Enforced, kMatmul, [] { return matmulDesign({.dtype = DType::BF16}); },
                     [](ChipSpec& chip) {
                         std::erase_if(chip.cube, [](const CubeRate& rate) { return rate.dtype == DType::FP16; });
                     },
                     false});
    const auto castTo = [](DType type) { return [type] { return rowScale({.out = type}); }; };
    cases.push_back(
        {"DTYPE-03", "/blocks/0/body/3/ops/1/dtype", Enforced, castTo(DType::INT8), castTo(DType::FP16), {}, false});
    cases.push_back({"DTYPE-04",
                     "/blocks/0/body/3/ops/0/in/1",
                     Enforced,
                     [] { return rowScale({.scale = DType::BF16}); },
                     kRowScale,
                     {},
                     false});
    const std::string third = "/blocks/0/body/3/ops/2/in/0";
    cases.push_back({"DTYPE-05",
                     third,
                     Enforced,
                     reduced(VectorOpCode::Sum, DType::FP16),
                     reduced(VectorOpCode::Amax, DType::FP16),
                     {},
                     false});
    cases.push_back({"DTYPE-05",
                     third,
                     Enforced,
                     mapped(VectorOpCode::Exp, DType::INT32),
                     mapped(VectorOpCode::Exp, DType::BF16),
                     {},
                     false,
                     "DTYPE-05 exp"});
    cases.push_back({"DTYPE-05",
                     "/blocks/0/body/3/ops/3/in/0",
                     Enforced,
                     chosen(false),
                     chosen(true),
                     {},
                     false,
                     "DTYPE-05 condition"});
    const auto typed = [&](const std::string& where, Make breaks, Make passes, const std::string& name) {
        cases.push_back(
            {"DTYPE-05", where, Enforced, std::move(breaks), std::move(passes), {}, false, "DTYPE-05 " + name});
    };
    typed(third, mapped(VectorOpCode::Abs, DType::INT32), mapped(VectorOpCode::Relu, DType::INT32), "abs");
    typed(third, mapped(VectorOpCode::Relu, DType::INT64), mapped(VectorOpCode::Relu, DType::INT16), "relu");
    typed(third, reduced(VectorOpCode::Prod, DType::FP16), reduced(VectorOpCode::Prod, DType::FP32), "prod");
    typed(third, compared(DType::INT32), compared(DType::FP16), "comparison");
    typed(third, compared(DType::BF16), compared(DType::FP32), "comparison of BF16");
    typed("/blocks/0/body/3/ops/3/in/2", chosenFrom(DType::INT64), chosenFrom(DType::INT32), "where");
    cases.push_back({"DTYPE-04",
                     "/blocks/0/body/3/ops/2/in/1",
                     Enforced,
                     integerTimes(0.5),
                     integerTimes(2.0),
                     {},
                     false,
                     "DTYPE-04 number"});
    cases.push_back({"DTYPE-08",
                     "/blocks/0/body/3/ops/2/dtype",
                     Enforced,
                     filled(DType::INT64),
                     filled(DType::INT32),
                     {},
                     false,
                     "DTYPE-08 full"});
    const auto number = [&](const char* place, Make breaks, Make passes, const char* name, bool fixable = true) {
        cases.push_back({"DTYPE-10",
                         place,
                         Enforced,
                         std::move(breaks),
                         std::move(passes),
                         {},
                         fixable,
                         std::string("DTYPE-10 ") + name});
    };
    const char* first = "/blocks/0/body/3/ops/2/in/0";
    number(first, filled(DType::INT32, 1.5), filled(DType::INT32, 2), "fraction");
    number(first, filled(DType::INT8, 128), filled(DType::INT8, 127), "INT8");
    number(first, filled(DType::INT8, -129), filled(DType::INT8, -128), "below INT8");
    number(first, filled(DType::UINT8, -1), filled(DType::UINT8, 255), "UINT8");
    number(first, filled(DType::BOOL, 2), filled(DType::BOOL, 1), "BOOL");
    number(first, filled(DType::FP16, 65520), filled(DType::FP16, 65519), "FP16");
    number(first, filled(DType::FP32, 1e39), filled(DType::FP32, 3.4e38), "FP32", false);
    number("/blocks/0/body/3/ops/2/in/1", integerTimes(3e9), integerTimes(2e9), "operand");
    number("/blocks/0/body/3/ops/2/in/1", clipped(-1.5, 8), clipped(-2, 8), "bound");
    number("/blocks/0/body/3/ops/2/in/2", clipped(0, 32768), clipped(0, 32767), "upper bound");
    number("/blocks/0/body/3/ops/2/range", counted(2147483647), counted(2147483520), "arange", false);
    const auto constant = [](double value) {
        return changed(kMatmul, [value](Design& design) {
            Tensor& a = tensorOf(design, "a");
            a.data.generator = Generator::Constant;
            a.data.low = value;
        });
    };
    const auto readInNz = [](Format format) {
        return [format] {
            Design design = filledUp({64, 64})();
            tensorOf(design, "a4").format = format;
            return design;
        };
    };
    number("/tensors/0/data/low", constant(7e4), constant(6e4), "constant");
    const auto integers = [](double high) {
        return changed([] { return matmulDesign({.dtype = DType::INT8, .out = DType::INT32}); },
                       [high](Design& design) {
                           Tensor& a = tensorOf(design, "a");
                           a.data.generator = Generator::Integers;
                           a.data.low = -8;
                           a.data.high = high;
                       });
    };
    number("/tensors/0/data/high", integers(200), integers(100), "random integers");
    const auto range = [](double start, const char* modulo) {
        return changed([] { return matmulDesign({.dtype = DType::INT8, .out = DType::INT32}); },
                       [=](Design& design) {
                           Tensor& a = tensorOf(design, "a");
                           a.data.generator = Generator::Arange;
                           a.data.low = start;
                           a.data.high = 1;
                           a.data.modulo = Expression(modulo);
                       });
    };
    number("/tensors/0/data", range(100, "100"), range(28, "100"), "range of data", false);
    const auto reals = [](DType type, double low, double high) {
        return changed([type] { return matmulDesign({.dtype = type, .out = DType::INT32}); },
                       [=](Design& design) {
                           for (Tensor& tensor : design.tensors) {
                               tensor.data.low = -8;
                               tensor.data.high = 8;
                           }
                           tensorOf(design, "b").data.low = low;
                           tensorOf(design, "b").data.high = high;
                       });
    };
    cases.push_back({"VAL-10", "/tensors/1/data", Enforced, reals(DType::INT8, 0, 1), reals(DType::INT8, 0, 2)});
    cases.push_back({"VAL-10",
                     "/tensors/1/data",
                     Enforced,
                     reals(DType::INT8, -0.5, 1),
                     reals(DType::INT8, -0.5, 1.5),
                     {},
                     true,
                     "VAL-10 around zero"});
    cases.push_back({"VAL-10",
                     "/tensors/1/data",
                     Enforced,
                     reals(DType::INT8, -1, 1),
                     reals(DType::INT8, -2, 2),
                     {},
                     true,
                     "VAL-10 between integers"});
    const auto normals = [reals](double mean, double deviation) {
        return changed(reals(DType::INT8, mean, deviation),
                       [](Design& design) { tensorOf(design, "b").data.generator = Generator::Normal; });
    };
    cases.push_back({"VAL-10", "/tensors/1/data", Enforced, normals(0, 0.2), normals(0, 2), {}, true, "VAL-10 normal"});
    number("/tensors/1/data/low", reals(DType::INT8, -300, 100), reals(DType::INT8, -128.5, 127.5), "random reals");
    cases.push_back({"VEC-10", "/blocks/2/ops/0/in/0", Enforced, readInNz(Format::NZ), readInNz(Format::ND)});
    cases.push_back({"DTYPE-06",
                     third,
                     Enforced,
                     mapped(VectorOpCode::Sigmoid, DType::BF16),
                     mapped(VectorOpCode::Sigmoid, DType::FP32),
                     {},
                     false});
    const std::string ops = "/blocks/0/body/3/ops";
    cases.push_back({"DTYPE-07", ops + "/2/in/1", Enforced, gathered(DType::BF16), gathered(DType::INT32), {}, false});
    cases.push_back(
        {"DTYPE-08", ops + "/2/dtype", Enforced, quantized(DType::UINT8), quantized(DType::INT8), {}, false});
    cases.push_back({"DTYPE-08",
                     ops + "/2/dtype",
                     Enforced,
                     typedExp(DType::INT8),
                     typedExp(DType::FP32),
                     {},
                     false,
                     "DTYPE-08 own type"});
    cases.push_back({"DOC-02",
                     "/blocks/0/body/3/ops/0/saturate",
                     Enforced,
                     changed(kRowScale, [](Design& design) { vectorOf(design).ops[0].saturate = true; }),
                     changed(kRowScale, [](Design& design) { vectorOf(design).ops[1].saturate = true; }),
                     {},
                     false});
    const auto rounding = [](RoundMode mode) {
        return [mode](Design& design) { vectorOf(design).ops[1].round = mode; };
    };
    cases.push_back({"DTYPE-09",
                     ops + "/1/round",
                     Enforced,
                     changed(kRowScale, rounding(RoundMode::Odd)),
                     changed(kRowScale, rounding(RoundMode::Rint)),
                     {},
                     false});
}

void addShapeCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    cases.push_back({"SHAPE-01",
                     "/blocks/1/from",
                     Enforced,
                     changed(kMatmul, [](Design& design) { tensorOf(design, "c").shape = {4096}; }),
                     kMatmul,
                     {},
                     false});
    cases.push_back({"SHAPE-02",
                     "/blocks/0/b",
                     Enforced,
                     changed(kMatmul,
                             [](Design& design) {
                                 tensorOf(design, "b").shape = {96, 64};
                             }),
                     kMatmul,
                     {},
                     false});
    cases.push_back({"SHAPE-03",
                     "/blocks/0/body/3/ops/0/in/1",
                     Enforced,
                     [] { return rowScale({.scaleColumns = 2}); },
                     [] { return rowScale({.scaleColumns = 128}); },
                     {},
                     false});
    const auto storeAt = [](std::int64_t row) {
        return [row](Design& design) {
            tensorOf(design, "c").shape = {65, 64};
            storeOf(design).offset = {row, 0};
        };
    };
    cases.push_back({"SHAPE-04", "/blocks/1/offset/0", Enforced, changed(kMatmul, storeAt(2)), kMatmul, {}, false});
    cases.push_back({"SHAPE-05", "/blocks/1/from", Enforced,
                     changed(kMatmul, [](Design& design) { tensorOf(design, "c").dtype = DType::FP16; }), kMatmul});
    cases.push_back({"SHAPE-06",
                     "/blocks/0/body/0/shape/0",
                     Enforced,
                     changed(kGate, [](Design& design) { viewOf(design).shape[0] = Expression("min(T, 32)"); }),
                     kGate,
                     {},
                     false});
    cases.push_back(
        {"SHAPE-06",
         "/blocks/0/body/0/shape/0",
         Enforced,
         changed(kGate, [](Design& design) { viewOf(design).shape[0] = Expression("min(32, T - i * 32)"); }),
         kGate,
         {},
         false,
         "SHAPE-06 of an index"});
    const auto symbolic = [](bool isStatic) {
        return changed(kMatmul, [isStatic](Design& design) {
            Symbol rows;
            rows.id = SymbolId("M");
            rows.value = 64;
            rows.isStatic = isStatic;
            design.symbols.push_back(rows);
            tensorOf(design, "a").shape[0] = tensorOf(design, "c").shape[0] = Expression("M");
        });
    };
    cases.push_back({"SHAPE-09", "/blocks/0/a", Enforced, symbolic(false), symbolic(true)});
    const auto twoSymbols = [=](bool isStatic) {
        return changed(symbolic(isStatic), [isStatic](Design& design) {
            Symbol depth = design.symbols.back();
            depth.id = SymbolId("K");
            depth.isStatic = isStatic;
            depth.value = 128;
            design.symbols.push_back(depth);
            tensorOf(design, "a").shape[1] = Expression("K");
        });
    };
    cases.push_back(
        {"SHAPE-09", "/blocks/0/a", Enforced, twoSymbols(false), twoSymbols(true), {}, true, "SHAPE-09 two"});
    cases.push_back({"SHAPE-10", "/blocks/2/ops/0/in/0", Enforced, filledUp({8, 8, 8}), filledUp({8, 64}), {}, false});
    cases.push_back({"SHAPE-07", "/blocks/2/ops/0/dims", Enforced, exchanged({3, 0}), exchanged({0, 2}), {}, false});
    const auto tail = [](bool valid) {
        GlmGateKnobs knobs = smallGate();
        knobs.rows = 70;
        knobs.valid = valid;
        return [knobs] { return glmGate(knobs); };
    };
    cases.push_back({"TAIL-03",
                     "/blocks/0/body/0/valid/0",
                     Enforced,
                     changed(kGate, [](Design& design) { viewOf(design).valid[0] = Expression("T - i * 32"); }),
                     kGate,
                     {},
                     false});
    // One iteration too many: 48 - 2 * 32 rows.
    cases.push_back({"TAIL-03",
                     "/blocks/0/body/0/valid/0",
                     Enforced,
                     changed(kGate,
                             [](Design& design) {
                                 design.symbols[0].value = 48;
                                 loopOf(design).axis = Expression("T + 32");
                                 viewOf(design).offset[0] = storeOf(design).offset[0] = Expression("min(i * 32, T)");
                             }),
                     kGate,
                     {},
                     false,
                     "TAIL-03 negative"});
    cases.push_back({"TAIL-01", "/blocks/0/body/0/valid", Enforced, tail(false), tail(true)});
}

}  // namespace cubist::test

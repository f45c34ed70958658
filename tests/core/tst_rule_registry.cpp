// SPDX-License-Identifier: GPL-3.0-or-later
/// Walks the whole registry: every rule has something that triggers it and a neighbour that does not. Rules about a
/// design alone have theirs in rule_cases (tst_rules says more about them); those of files, predictions, runs and
/// exports have theirs here.
#include <QTest>
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "core/exchange/design_json.h"
#include "core/exchange/golden_finder.h"
#include "core/exchange/pypto/pypto_export.h"
#include "core/lowering/lower.h"
#include "core/rules/prediction.h"
#include "core/rules/registry.h"
#include "core/run/run.h"
#include "tests/support/cube_stage.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/rule_cases.h"

using namespace cubist;
using namespace cubist::test;

namespace {

struct Pair {
    std::string rule;
    std::function<std::vector<std::string>()> breaks, passes;  ///< ids of what is found
};

using Ids = std::vector<std::string>;

Ids idsOf(const std::vector<Finding>& list) {
    Ids ids;
    for (const Finding& finding : list) ids.push_back(finding.ruleId);
    return ids;
}

Ids ofText(const std::string& text) {
    const auto read = readDesign(text);
    if (!read) qFatal("%s", read.error().message.c_str());
    return idsOf(read->warnings);
}

/// What a run finds beyond the rules of the design.
Ids ofRun(Design design, const std::function<void(RunRequest&)>& change = {}) {
    RunRequest request;
    request.chip = chipFile("Ascend910B1");
    request.design = std::make_shared<const Design>(std::move(design));
    if (change) change(request);
    const auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return idsOf(report->findings);
}

Ids ofPrediction(std::int64_t tasks, double vectorUs, std::int64_t loads, std::int64_t row) {
    const Design design = rowScale();
    const auto resolved = resolve(design, bound(design));
    Prediction prediction;
    prediction.aicCount = 24;
    prediction.aivCount = 48;
    for (const ResolvedBlock& block : resolved->blocks) {
        const bool cube = std::holds_alternative<CubeStage>(block.block->content);
        if (!cube && !std::holds_alternative<VectorStage>(block.block->content)) continue;
        PredictedStage stage;
        stage.id = block.block->id();
        stage.where = block.where;
        stage.cube = cube;
        stage.tasks = cube ? tasks : 48;
        stage.busyUs = cube ? 24.0 : vectorUs;
        stage.criticalUs = cube ? 1.0 : vectorUs / 48;
        stage.loads = loads;
        stage.distinct = 2;
        stage.shortestRow = row;
        prediction.stages.push_back(stage);
    }
    return idsOf(checkPrediction(*resolved, chipFile("Ascend910B1"), RuleProfile::Enforced, prediction));
}

Ids ofExport(Design design) {
    PyptoExportRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(std::move(design));
    const auto files = exportPypto(request);
    if (!files) qFatal("%s", files.error().message.c_str());
    return idsOf(files->findings);
}

/// One matmul with all operands constant.
Design constant(double value, MatmulKnobs knobs) {
    Design design = matmulDesign(knobs);
    for (const char* id : {"a", "b"}) {
        tensorOf(design, id).data.generator = Generator::Constant;
        tensorOf(design, id).data.low = value;
    }
    return design;
}

/// INT8 sums of 127 * 127: beyond INT32 from a depth of 133145.
Design deepSums(std::int64_t depth) {
    MatmulKnobs knobs;
    knobs.m = 16;
    knobs.k = depth;
    knobs.n = 32;
    knobs.dtype = DType::INT8;
    knobs.out = DType::INT32;
    knobs.aTrans = true;
    knobs.mTile = {32, 32};
    knobs.kTile = {512, 4096};
    knobs.nTile = {32, 32};
    return constant(127.0, knobs);
}

Design withKey(const std::string& key) {
    Design design = matmulDesign();
    design.options.cubeL1Reuse.set(key, 2);
    return design;
}

/// A product turned afterwards (all of it is needed for a sample), or stored as it is.
Design turned(bool turns) {
    const std::string head = R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "tensors": [{"id": "a", "role": "input", "dtype": "FP32", "shape": [300, 32]},
                    {"id": "b", "role": "input", "dtype": "FP32", "shape": [32, 320]},
                    {"id": "c", "role": "output", "dtype": "FP32", "shape": SHAPE}],
        "blocks": [{"kind": "cube", "id": "product", "a": "a", "b": "b", "out": "r", "out_dtype": "FP32",
                    "tile": {"m": [32, 32], "k": [32, 32], "n": [32, 32]}},)";
    const std::string turn = R"({"kind": "vector", "id": "turn", "tile": [32, 32],
                    "ops": [{"op": "transpose", "in": ["r"], "out": "t", "dims": [0, 1]}]},)";
    const std::string store = R"({"kind": "store", "id": "w", "from": "FROM", "to": "c"}]})";
    std::string text = head + (turns ? turn : std::string()) + store;
    text.replace(text.find("FROM"), 4, turns ? "t" : "r");
    text.replace(text.find("SHAPE"), 5, turns ? "[320, 300]" : "[300, 320]");
    return designText(text);
}

/// GLMGate that writes back into what it reads, or not.
Design writesBack(bool back) {
    Design design = glmGate();
    if (!back) return design;
    Tensor& x = tensorOf(design, viewOf(design).of.text);
    x.role = TensorRole::InOut;
    Store store = storeOf(design);
    store.id = BlockId("back");
    store.from = viewOf(design).out;
    store.to = x.id;
    loopOf(design).body.push_back({store});
    return design;
}

/// Row scale whose last operation is another one on "scaled".
Design scaledThen(VectorOpCode code, std::size_t operands, const std::function<void(VectorOp&)>& change) {
    Design design = rowScale();
    VectorStage& stage = vectorOf(design);
    VectorOp op;
    op.op = code;
    op.in.assign(operands, Operand{ValueId("scaled")});
    op.out = stage.ops.back().out;
    change(op);
    stage.ops.back() = op;
    tensorOf(design, "y").dtype = DType::FP32;
    return design;
}

Design rope(bool neighbours) {
    return scaledThen(VectorOpCode::Rope, 3, [&](VectorOp& op) { op.interleaved = neighbours; });
}

/// Joined along the rows, the last of which may be a tail, or along the columns.
Design joined(std::int64_t axis) {
    Design design = scaledThen(VectorOpCode::Concat, 2, [&](VectorOp& op) { op.dim = axis; });
    tensorOf(design, "y").shape = {Expression("2 * T"), axis == 0 ? Expression(128) : Expression(256)};
    return design;
}

/// Steps of 64, 8 and 1 rows, side by side or not.
Design unrolled(bool parallel) {
    Design design = glmGate({.rows = 75, .k = 256, .n = 64, .rowTile = 1, .mTile = {64, 64}, .kTile = {128, 256}});
    Loop& loop = loopOf(design);
    loop.form = LoopKind::Unroll;
    loop.tile = Expression(1);
    loop.unroll = {64, 8};
    loop.parallel = parallel;
    View& view = viewOf(design);
    view.shape[0] = Expression("factor");
    view.offset[0] = storeOf(design).offset[0] = Expression(loop.index);
    view.valid.clear();
    return design;
}

Design batched(bool relu) {
    Design design = matmulDesign();
    for (Tensor& tensor : design.tensors) tensor.shape.insert(tensor.shape.begin(), Expression(2));
    cubeOf(design).relu = relu;
    return design;
}

Design indexed(std::int64_t offset) {
    Design design = matmulDesign();
    tensorOf(design, "c").role = TensorRole::InOut;
    tensorOf(design, "c").shape[1] = Expression(64 + offset);
    Tensor places = tensorOf(design, "a");
    places.id = TensorId("places");
    places.dtype = DType::INT32;
    places.shape = {Expression(64)};
    places.data.generator = Generator::Arange;
    design.tensors.push_back(places);
    Store& store = storeOf(design);
    store.op = StoreOp::IndexAdd;
    store.index = ValueId("places");
    if (offset > 0) store.offset = {Expression(0), Expression(offset)};
    return design;
}

/// Rows of a product; 28 fill 87.5 % of their two fractals, 29 more than 90 %.
Design productOfRows(std::int64_t rows) {
    MatmulKnobs knobs;
    knobs.m = rows;
    return matmulDesign(knobs);
}

/// Quantised with a scale for each 32 values; the largest FP8 E4M3 is 448.
Ids ofQuantised(double value) {
    Design design = designText(R"({"cubist": 1, "name": "t", "chip": "Ascend950PR_958x", "skeleton": {"variant": "A"},
        "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": [8, 64]},
                    {"id": "d", "role": "output", "dtype": "FP8E4M3", "shape": [8, 64]}],
        "blocks": [{"kind": "vector", "id": "s", "tile": [4, 64],
                    "ops": [{"op": "quant_mx", "in": ["x"], "out": "q", "out2": "scales"}]},
                   {"kind": "store", "id": "w", "from": "q", "to": "d"}]})");
    tensorOf(design, "x").data.generator = Generator::Constant;
    tensorOf(design, "x").data.low = value;
    return ofRun(design, [](RunRequest& request) { request.chip = chipFile("Ascend950PR_958x"); });
}

/// A cast of one number to FP16.
Ids ofSaturated(double value) {
    Design design = designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": [8, 64]},
                    {"id": "d", "role": "output", "dtype": "FP16", "shape": [8, 64]}],
        "blocks": [{"kind": "vector", "id": "s", "tile": [8, 64],
                    "ops": [{"op": "cast", "in": ["x"], "dtype": "FP16", "saturate": true, "out": "q"}]},
                   {"kind": "store", "id": "w", "from": "q", "to": "d"}]})");
    tensorOf(design, "x").data.generator = Generator::Constant;
    tensorOf(design, "x").data.low = value;
    return ofRun(std::move(design));
}

/// A number that a cast to FP16 makes infinite, and a minimum finite again.
Ids ofOverflowing(double value) {
    Design design = designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": [8, 64]},
                    {"id": "d", "role": "output", "dtype": "FP16", "shape": [8, 64]}],
        "blocks": [{"kind": "vector", "id": "s", "tile": [8, 64],
                    "ops": [{"op": "cast", "in": ["x"], "dtype": "FP16", "out": "q"},
                            {"op": "minimum", "in": ["q", 1], "out": "r"}]},
                   {"kind": "store", "id": "w", "from": "r", "to": "d"}]})");
    tensorOf(design, "x").data.generator = Generator::Constant;
    tensorOf(design, "x").data.low = value;
    return ofRun(std::move(design));
}

/// Against a golden of one number for an output of FP16.
Ids ofGolden(double value) {
    RunRequest request;
    request.chip = chipFile("Ascend910B1");
    request.design = std::make_shared<const Design>(constant(1.0, {.out = DType::FP16}));
    request.timing = false;
    request.goldens["c"] = TensorFile("c.npy");
    request.readers.golden = [=](const TensorFile&, const TensorTarget& target) -> Result<std::vector<double>> {
        return std::vector<double>(static_cast<std::size_t>(target.shape[0] * target.shape[1]), value);
    };
    const auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return idsOf(report->findings);
}

/// Against a golden file that has the product (64 everywhere) only when it is read in NZ order, or in any order.
Ids ofReadings(bool onlyNz) {
    RunRequest request;
    request.chip = chipFile("Ascend910B1");
    request.design = std::make_shared<const Design>(constant(1.0, {.m = 32, .k = 64, .n = 32}));
    request.timing = false;
    request.goldens["c"] = TensorFile("c.npy");
    request.readers.golden = [=](const TensorFile& file, const TensorTarget&) -> Result<std::vector<double>> {
        return std::vector<double>(32 * 32, file.nz || !onlyNz ? 64.0 : 1.0);
    };
    auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    if (const auto noted = noteOtherReadings(request, *report, {}); !noted) qFatal("%s", noted.error().message.c_str());
    return idsOf(report->findings);
}

/// The rows of a loop are added, the last ones a tail or not.
Design adding(bool tail) {
    GlmGateKnobs knobs;
    knobs.valid = tail;
    Design design = glmGate(knobs);
    storeOf(design).op = StoreOp::AtomicAdd;
    return design;
}

Design filled(bool given) {
    Design design = designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": [8, 64]},
                    {"id": "d", "role": "output", "dtype": "FP32", "shape": [8, 64]}],
        "blocks": [{"kind": "vector", "id": "s", "tile": [8, 64],
                    "ops": [{"op": "full", "in": [2], "shape": [8, 64], "dtype": "FP32", "out": "q"}]},
                   {"kind": "store", "id": "w", "from": "q", "to": "d"}]})");
    if (!given) design.tensors.erase(design.tensors.begin());
    return design;
}

/// INT8 product whose columns are all scaled by one number, or by one 64-bit word.
Ids ofColumnScale(double value, DType type = DType::FP32) {
    CubeStageKnobs knobs;
    knobs.a = knobs.b = DType::INT8;
    knobs.out = DType::FP16;
    knobs.tile = CubeTile{{32, 32}, {64, 64}, {32, 32}, false, {}};
    knobs.m = knobs.n = 32;
    knobs.channelScales = {1, 32};
    knobs.channelScaleType = type;
    Design design = cubeStageDesign(knobs);
    design.chip = ChipId("Ascend910B1");
    for (const char* id : {"a", "b"}) tensorOf(design, id).data.generator = Generator::Integers;
    tensorOf(design, "scales").data.generator = Generator::Constant;
    tensorOf(design, "scales").data.low = value;
    return ofRun(std::move(design));
}

/// Some rows of a workspace are written in one loop, all of it is read in the next. In a checked run.
Ids ofWorkspaceRows(int rows) {
    std::string text = R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "B"},
        "tensors": [{"id": "a", "role": "input", "dtype": "FP32", "shape": [8, 64]},
                    {"id": "w", "role": "workspace", "dtype": "FP32", "shape": [8, 64]},
                    {"id": "d", "role": "output", "dtype": "FP32", "shape": [8, 64]}],
        "blocks": [{"kind": "loop", "id": "one", "axis": 1, "body": [
                      {"kind": "view", "id": "v", "of": "a", "out": "x", "shape": [ROWS, 64], "offset": [0, 0]},
                      {"kind": "vector", "id": "s", "tile": [8, 64], "ops": [{"op": "neg", "in": ["x"], "out": "h"}]},
                      {"kind": "store", "id": "k", "from": "h", "to": "w"}]},
                   {"kind": "loop", "id": "two", "axis": 1, "index": "j", "body": [
                      {"kind": "vector", "id": "t", "tile": [8, 64], "ops": [{"op": "neg", "in": ["w"], "out": "q"}]},
                      {"kind": "store", "id": "l", "from": "q", "to": "d"}]}]})";
    text.replace(text.find("ROWS"), 4, std::to_string(rows));
    return ofRun(designText(text), [](RunRequest& request) { request.checked = true; });
}

Design weightOf(DType type) {
    Design design = glmGate();
    tensorOf(design, cubeOf(design).b.text).dtype = type;
    return design;
}

/// A chip whose L2 keeps `more` bytes than it has.
Ids ofChip(std::int64_t more) {
    return ofRun(matmulDesign(), [more](RunRequest& request) {
        request.chip.l2EffectiveBytes.value = request.chip.l2Bytes.value + Rational(more);
        request.values = false;
    });
}

/// HBM with room for both operands and the result, and `more` bytes.
Ids ofHbm(std::int64_t more) {
    RunRequest plain;
    plain.chip = chipFile("Ascend910B1");
    plain.design = std::make_shared<const Design>(matmulDesign());
    const auto report = predictOnly(plain, {});
    std::int64_t bytes = 0;
    for (const GmTensor& tensor : report->program->tensors) bytes += tensor.bytes();
    return ofRun(matmulDesign(), [bytes, more](RunRequest& request) {
        request.chip.hbmBytes.value = Rational(bytes + more);
        request.values = false;
    });
}

std::vector<Pair> pairs() {
    const std::string file = R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "tensors": [], "blocks": []KEY})";
    const auto withText = [file](const std::string& key) {
        std::string text = file;
        return ofText(text.replace(text.find("KEY"), 3, key));
    };
    const auto sampled = [](bool turns) {
        return ofRun(turned(turns), [](RunRequest& request) { request.goldenLimit = 1000; });
    };
    return {
        {"DOC-01", [=] { return withText(", \"colour\": 1"); }, [=] { return withText(""); }},
        {"DOC-03", [] { return ofChip(1); }, [] { return ofChip(0); }},
        {"PERF-01", [] { return ofPrediction(19, 1, 2, 512); }, [] { return ofPrediction(20, 1, 2, 512); }},
        {"PERF-02", [] { return ofPrediction(24, 49, 2, 512); }, [] { return ofPrediction(24, 48, 2, 512); }},
        {"PERF-03", [] { return ofPrediction(24, 1, 3, 512); }, [] { return ofPrediction(24, 1, 2, 512); }},
        {"PERF-04", [] { return ofPrediction(24, 1, 2, 511); }, [] { return ofPrediction(24, 1, 2, 512); }},
        {"PERF-05", [] { return ofRun(productOfRows(28)); }, [] { return ofRun(productOfRows(29)); }},
        {"VAL-09", [] { return ofQuantised(500.0); }, [] { return ofQuantised(400.0); }},
        {"CAP-14", [] { return ofHbm(-1); }, [] { return ofHbm(0); }},
        {"OPT-07", [] { return ofRun(withKey("9")); }, [] { return ofRun(withKey("0")); }},
        {"VAL-01", [] { return ofRun(deepSums(134000)); }, [] { return ofRun(deepSums(133000)); }},
        // 2^124: its square overflows while it is summed up, not in a conversion.
        {"VAL-02", [] { return ofRun(constant(0x1p124, {.dtype = DType::BF16})); },
         [] { return ofRun(constant(1.0, {.dtype = DType::BF16})); }},
        {"VAL-12", [] { return ofColumnScale(0.0); }, [] { return ofColumnScale(0.5); }},
        // 0.5 as the low half, with a shift of 2 beside it.
        {"VAL-13", [] { return ofColumnScale(0x23F000000, DType::INT64); },
         [] { return ofColumnScale(0x03F000000, DType::INT64); }},
        {"VAL-14", [] { return ofWorkspaceRows(4); }, [] { return ofWorkspaceRows(8); }},
        {"VAL-15", [] { return ofSaturated(66000.0); }, [] { return ofSaturated(65504.0); }},
        {"VAL-16", [] { return ofOverflowing(65520.0); }, [] { return ofOverflowing(65504.0); }},
        {"VAL-17", [] { return ofGolden(65520.0); }, [] { return ofGolden(65519.0); }},
        {"VAL-11", [] { return ofReadings(true); }, [] { return ofReadings(false); }},
        {"VAL-08", [=] { return sampled(true); }, [=] { return sampled(false); }},
        {"EXP-01", [] { return ofExport(writesBack(true)); }, [] { return ofExport(writesBack(false)); }},
        {"EXP-02", [] { return ofExport(joined(0)); }, [] { return ofExport(joined(1)); }},
        {"EXP-03", [] { return ofExport(rope(true)); }, [] { return ofExport(rope(false)); }},
        {"EXP-04", [] { return ofExport(unrolled(true)); }, [] { return ofExport(unrolled(false)); }},
        {"EXP-05", [] { return ofExport(batched(true)); }, [] { return ofExport(batched(false)); }},
        {"EXP-06", [] { return ofExport(indexed(64)); }, [] { return ofExport(indexed(0)); }},
        {"EXP-07", [] { return ofExport(weightOf(DType::INT4)); }, [] { return ofExport(weightOf(DType::INT8)); }},
        {"EXP-08", [] { return ofExport(adding(true)); }, [] { return ofExport(adding(false)); }},
        {"EXP-09", [] { return ofExport(filled(false)); }, [] { return ofExport(filled(true)); }},
    };
}

/// What a checked run finds in a program that lowering would never make: these rules guard the emulator itself, so no
/// design reaches them.
struct Damage {
    std::string rule;
    ValueNote::Kind kind;
    std::function<void(Program&, EmulatorOptions&)> harm;
};

Instruction& firstOf(Program& program, Opcode op) {
    for (Leaf& leaf : program.leaves)
        for (Instruction& i : leaf.instructions)
            if (i.op == op) return i;
    qFatal("no such instruction");
}

/// Two blocks of 32 rows; FP16, two steps along K.
Program twoBlocks() {
    return lowered(matmulDesign({.m = 64, .k = 128, .n = 64, .mTile = {32, 32}, .kTile = {64, 128}, .nTile = {64, 64}}),
                   {}, chipFile("Ascend910B1"));
}

std::vector<Damage> damages() {
    using Kind = ValueNote::Kind;
    return {
        {"VAL-03", Kind::UnwrittenRead,
         [](Program& program, EmulatorOptions&) {
             firstOf(program, Opcode::Mmad).flags &= static_cast<std::uint16_t>(~kFlagInit);
         }},
        {"VAL-04", Kind::OutsideAccess,
         [](Program& program, EmulatorOptions&) {
             firstOf(program, Opcode::StoreL0C).at = {1, 0};
         }},
        {"VAL-05", Kind::SumsLost,
         [](Program& program, EmulatorOptions&) {
             for (Leaf& leaf : program.leaves)
                 for (Instruction& i : leaf.instructions)
                     if (i.op == Opcode::Mmad) i.flags |= kFlagInit;
         }},
        {"VAL-06", Kind::OverCapacity,
         [](Program&, EmulatorOptions& options) { options.bufferBytes[static_cast<std::size_t>(Buffer::L0B)] = 4096; }},
        {"VAL-07", Kind::UnorderedAccess,
         [](Program& program, EmulatorOptions&) {
             for (Box& box : program.boxes)
                 if (program.tensors[box.tensor.value].name == "c") box.offset[2] = 16;
         }},
    };
}

std::vector<ValueNote> notesOf(const Damage* damage) {
    Program program = twoBlocks();
    EmulatorOptions options{Isa::Auto, true, {}};
    if (damage != nullptr) damage->harm(program, options);
    return emulated(program, generated(program, {Distribution::Constant, 1.0, 0.0}, 1), options).notes;
}

}  // namespace

class TestRuleRegistry : public QObject {
    Q_OBJECT
private slots:
    void everyRuleHasAPair() {
        std::set<std::string> covered;
        for (const RuleCase& entry : ruleCases()) covered.insert(entry.rule);
        for (const Pair& pair : pairs()) covered.insert(pair.rule);
        for (const Damage& damage : damages()) covered.insert(damage.rule);
        for (const Rule& rule : allRules()) {
            QVERIFY2(covered.contains(std::string(rule.id)), rule.id.data());
            covered.erase(std::string(rule.id));
        }
        QVERIFY2(covered.empty(), covered.empty() ? "" : covered.begin()->c_str());  // pairs of rules that are gone
        // A compiler that stays silent says no code.
        for (const Rule& rule : allRules()) QVERIFY2(rule.pyptoCode.empty() || !rule.compilerSilent, rule.id.data());
    }

    void aPairDiffersInItsRule_data() {
        QTest::addColumn<qsizetype>("index");
        qsizetype index = 0;
        for (const Pair& pair : pairs()) QTest::newRow(pair.rule.c_str()) << index++;
    }
    void aPairDiffersInItsRule() {
        QFETCH(qsizetype, index);
        const Pair pair = pairs()[static_cast<std::size_t>(index)];
        const auto told = [](const Ids& ids) {
            QString text;
            for (const std::string& id : ids) text += QString::fromStdString(id) + " ";
            return text;
        };
        const Ids found = pair.breaks();
        QVERIFY2(std::find(found.begin(), found.end(), pair.rule) != found.end(), qPrintable(told(found)));
        const Ids left = pair.passes();
        QVERIFY2(std::find(left.begin(), left.end(), pair.rule) == left.end(), qPrintable(told(left)));
        // Nothing else comes with it.
        for (const std::string& id : found)
            QVERIFY2(id == pair.rule || std::find(left.begin(), left.end(), id) != left.end(), qPrintable(told(found)));
    }

    void damagedProgramsAreNoticed_data() {
        QTest::addColumn<qsizetype>("index");
        qsizetype index = 0;
        for (const Damage& damage : damages()) QTest::newRow(damage.rule.c_str()) << index++;
    }
    void damagedProgramsAreNoticed() {
        QFETCH(qsizetype, index);
        const Damage damage = damages()[static_cast<std::size_t>(index)];
        QVERIFY(notesOf(nullptr).empty());
        const auto notes = notesOf(&damage);
        QVERIFY(!notes.empty());
        for (const ValueNote& note : notes) {
            QCOMPARE(note.kind, damage.kind);
            QVERIFY(!note.message.empty() && !note.messageZh.empty());
        }
    }
};

QTEST_APPLESS_MAIN(TestRuleRegistry)
#include "tst_rule_registry.moc"
